#!/usr/bin/env python3
"""Proves that the build keeps the rooms apart: with the very compiler flags of each room, the
headers of the rooms that it names are found, and those of all others are not.

    tests/tidy/walls.py build/release/compile_commands.json
"""

import json
import shlex
import subprocess
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True

import rooms as rooms_of  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / "src"


def room_commands(compile_commands):
    """Room -> compiler and flags (no input, no output) of one of its files."""
    commands = {}
    for entry in json.loads(Path(compile_commands).read_text()):
        path = Path(entry["file"])
        if path.parent.parent == SRC:
            words = shlex.split(entry["command"])
            commands[path.parent.name] = words[: words.index("-o")]
    return commands


def compile_text(command, source):
    """Compiles a text as a file outside src, without output."""
    words = [*command, "-fsyntax-only", "-x", "c++", "-"]
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C"}
    return subprocess.run(
        words, input=source, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60
    )


def a_header(room):
    return f"{room}/{sorted((SRC / room).glob('*.h'))[0].name}"


class Walls(unittest.TestCase):
    def test_an_undeclared_include_fails_the_build(self):
        core = COMMANDS["core"]
        allowed = compile_text(core, '#include "core/result.h"\n')
        self.assertEqual(allowed.returncode, 0, allowed.stderr)
        header = a_header("client")
        refused = compile_text(core, f'#include "{header}"\n')
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn(f"{header}: No such file or directory", refused.stderr)

    def test_each_room_sees_what_it_declares_and_nothing_else(self):
        rooms = rooms_of.parse((ROOT / "CMakeLists.txt").read_text())
        others = [room for room in rooms if any((SRC / room).glob("*.h"))]
        self.assertGreater(len(COMMANDS), 1)
        for room, command in COMMANDS.items():
            # A macro per room that the compiler lists: 1 when the room's header is found.
            source = "".join(
                f'#if __has_include("{a_header(other)}")\n#define SEES_{other}\n#endif\n'
                for other in others
            )
            done = compile_text([*command, "-E", "-dM"], source)
            self.assertEqual(done.returncode, 0, done.stderr)
            seen = {other for other in others if f"#define SEES_{other} " in done.stdout}
            self.assertEqual(seen, rooms_of.closure(rooms, room) & set(others), room)


if __name__ == "__main__":
    COMMANDS = room_commands(sys.argv.pop())
    unittest.main()
