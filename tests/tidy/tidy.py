#!/usr/bin/env python3
"""Checks the whole tree against the house rules of CONTRIBUTING.md; run as a test, by hand as

    tests/tidy/tidy.py [--compile-commands build/release/compile_commands.json] [--stats]
"""

import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True

import cpp  # noqa: E402
import rooms as rooms_of  # noqa: E402
import rules  # noqa: E402

# Folders that are made, not written. Hidden ones are passed over as well, .ci excepted.
_MADE = {"build", "node_modules", "target", "__pycache__"}
_TEXT_SUFFIXES = {".cmake", ".html", ".json", ".md", ".toml", ".txt", ".xml", ".yaml", ".yml"}
_CPP_SUFFIXES = {".h", ".cc"}


def tree(root):
    """The paths below the root of all files that people write, sorted."""
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = [
            name for name in folders if name == ".ci" or name[0] != "." and name not in _MADE
        ]
        found += [str((Path(folder) / name).relative_to(root)) for name in files]
    return sorted(found)


def kind(path, text):
    """cpp, python, shell, cmake, text, or None for what no rule is about."""
    suffix = Path(path).suffix
    first_line = text.partition("\n")[0]
    if suffix in _CPP_SUFFIXES:
        return "cpp"
    if suffix == ".py" or first_line.startswith("#!") and "python" in first_line:
        return "python"
    if suffix == ".sh" or first_line.startswith("#!") and first_line.endswith("sh"):
        return "shell"
    if suffix == ".cmake" or path.endswith("CMakeLists.txt"):
        return "cmake"
    return "text" if suffix in _TEXT_SUFFIXES or "." not in Path(path).name else None


def read_tree(root):
    """Path -> (kind, text) of every file that some rule is about."""
    files = {}
    for path in tree(root):
        try:
            text = (root / path).read_bytes().decode()
        except UnicodeDecodeError:
            continue
        files[path] = (kind(path, text), text)
    return files


def check_file(path, file_kind, text):
    yield from rules.check_name(path)
    if file_kind:
        yield from rules.check_text(path, text)
    if file_kind in ("cpp", "python", "shell", "cmake"):
        yield from rules.check_code(path, text)
    if file_kind == "cpp":
        yield from rules.check_cpp(path, text)
    if file_kind == "python":
        yield from rules.check_python(path, text)


def check_rooms(root, sources, compile_commands):
    """The rules about rooms and dead files. `sources`: path -> text of all C++ files."""
    rooms = rooms_of.parse((root / "CMakeLists.txt").read_text())
    yield from rooms_of.check_order(rooms)
    yield from rooms_of.check_folders(rooms, sources)
    for path, text in sources.items():
        if path.startswith("src/"):
            yield from rooms_of.check_includes(rooms, path, text)
    yield from rooms_of.check_dead_headers(sources)
    document = root / "docs" / "ARCHITECTURE.md"
    if document.exists():
        yield from rooms_of.check_table(rooms, document.read_text())
    if compile_commands:
        yield from rooms_of.check_compiled(sources, compile_commands, root)


def run_tool(root, command, advice):
    """One outside checker: its output is the finding."""
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=120)
    except FileNotFoundError:
        yield command[0], 1, "is not installed: run scripts/setup"
        return
    if done.returncode != 0:
        output = (done.stdout + done.stderr).strip()
        yield command[0], 1, f"{advice}\n{output}"


def check_with_tools(root, paths_of):
    """clang-format, bash and shellcheck; `paths_of`: kind -> paths."""
    if paths_of["cpp"]:
        command = ["clang-format", "--dry-run", "-Werror", *paths_of["cpp"]]
        yield from run_tool(root, command, "run scripts/format")
    for path in paths_of["shell"]:
        yield from run_tool(root, ["bash", "-n", path], f"{path} is not bash")
    if paths_of["shell"]:
        command = ["shellcheck", "-x", "-P", "SCRIPTDIR", "-S", "warning", *paths_of["shell"]]
        yield from run_tool(root, command, "shell scripts")


def print_stats(files):
    lengths = sorted(text.count("\n") for file_kind, text in files.values() if file_kind == "cpp")
    functions = sorted(
        function.lines
        for path, (file_kind, text) in files.items()
        if file_kind == "cpp" and path.startswith("src/")
        for function in cpp.functions(text)
    )
    for name, values in (("C++ files", lengths), ("functions in src", functions)):
        if values:
            p90 = values[len(values) * 9 // 10]
            median = statistics.median(values)
            print(f"{name}: {len(values)}, lines median {median}, p90 {p90}, max {values[-1]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    parser.add_argument("--compile-commands", type=Path, nargs="+")
    parser.add_argument("--stats", action="store_true", help="also print lengths")
    arguments = parser.parse_args()
    root = arguments.root.resolve()

    files = read_tree(root)
    paths_of = {
        wanted: [path for path, (file_kind, _) in files.items() if file_kind == wanted]
        for wanted in ("cpp", "shell")
    }
    sources = {path: files[path][1] for path in paths_of["cpp"]}
    findings = [
        finding
        for path, (file_kind, text) in files.items()
        for finding in check_file(path, file_kind, text)
    ]
    findings += check_rooms(root, sources, arguments.compile_commands)
    findings += check_with_tools(root, paths_of)
    for path, line, text in findings:
        print(f"{path}:{line}: {text}")
    if arguments.stats:
        print_stats(files)
    print(f"tidy: {len(files)} files, {len(findings)} findings")
    return 1 if findings or not files else 0


if __name__ == "__main__":
    sys.exit(main())
