"""The rooms as CMakeLists.txt declares them, and the rules that follow from them."""

import json
import re
from pathlib import Path

import cpp

_CALL = re.compile(r"^\s*cqlperf_room\(\s*(\w+)([^)]*)\)", re.MULTILINE)
# A row of the rooms' table in docs/ARCHITECTURE.md:  name   text   <- room, room
_ROW = re.compile(r"^ {2,}(\w+) {2,}\S.*<-\s*(.+?)\s*$", re.MULTILINE)


def parse(cmake_text):
    """Room -> the rooms it names, in the order of declaration."""
    rooms = {}
    uncommented = re.sub(r"#[^\n]*", "", cmake_text)
    for name, rest in _CALL.findall(uncommented):
        words = rest.split()
        named = words[words.index("ROOMS") + 1 :] if "ROOMS" in words else []
        if "LIBRARIES" in named:
            named = named[: named.index("LIBRARIES")]
        rooms[name] = named
    return rooms


def closure(rooms, name):
    """The rooms that `name` may include: itself, those it names, and what those stand on."""
    seen = set()
    pending = [name]
    while pending:
        room = pending.pop()
        if room not in seen:
            seen.add(room)
            pending += rooms.get(room, [])
    return seen


def check_order(rooms):
    """Each room stands only on rooms declared before it, so there is no circle."""
    declared = set()
    for name, named in rooms.items():
        for other in named:
            if other not in declared:
                yield "CMakeLists.txt", 1, f"room {name} names {other}, not declared before it"
        declared.add(name)


def check_includes(rooms, path, source):
    """One file below src: every quoted include names a file of a room that it may see."""
    parts = Path(path).parts
    room = parts[1] if len(parts) > 2 else "cli"  # src/main.cc is built on cli alone
    allowed = closure(rooms, room)
    for include in cpp.includes(source):
        if not include.quoted or include.path.startswith("../"):
            continue
        other = include.path.split("/")[0]
        if "/" not in include.path or other not in rooms:
            yield path, include.line, f'"{include.path}" is not rooted at src: write "room/file.h"'
        elif other not in allowed:
            yield path, include.line, f"room {room} may not include room {other} (CMakeLists.txt)"


def check_folders(rooms, paths):
    """Folders below src and declared rooms are the same."""
    folders = {Path(path).parts[1] for path in paths if re.match(r"src/\w+/", path)}
    for name in sorted(folders - set(rooms)):
        yield f"src/{name}", 1, "no room of this name in CMakeLists.txt"
    for name in sorted(set(rooms) - folders):
        yield "CMakeLists.txt", 1, f"room {name} has no files"


def check_table(rooms, document):
    """The table of docs/ARCHITECTURE.md says what CMakeLists.txt says."""
    path = "docs/ARCHITECTURE.md"
    rows = {
        name: [] if named == "(nothing)" else re.split(r",\s*", named)
        for name, named in _ROW.findall(document)
    }
    for name, named in rooms.items():
        if name not in rows:
            yield path, 1, f"the table of rooms has no row 'name  text  <- rooms' for {name}"
        elif sorted(rows[name]) != sorted(named):
            yield path, 1, f"room {name}: {rows[name]} in the table, {named} in CMakeLists.txt"
    for name in rows.keys() - rooms.keys():
        yield path, 1, f"room {name} is in the table, but not in CMakeLists.txt"


def check_dead_headers(sources):
    """Every header is included by another file than its own .cc. `sources`: path -> text."""
    used = set()
    for path, text in sources.items():
        for include in cpp.includes(text):
            if not path.endswith(include.path.removesuffix(".h") + ".cc"):
                used.add(include.path)
    for path in sources:
        if path.endswith(".h") and not any(path.endswith("/" + name) for name in used):
            yield path, 1, "no other file includes this header: dead code"


def check_compiled(paths, compile_commands, root):
    """Every .cc file is part of one of the builds whose compile_commands.json are given."""
    entries = [entry for path in compile_commands for entry in json.loads(Path(path).read_text())]
    compiled = {(Path(entry["directory"]) / entry["file"]).resolve() for entry in entries}
    for path in paths:
        if path.endswith(".cc") and (root / path).resolve() not in compiled:
            yield path, 1, "this file is in no build target: dead code"
