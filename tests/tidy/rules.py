"""Rules for single files: each takes a path below the root and the text, and yields findings
(path, line, text).
"""

import ast
import re

import cpp

COLUMNS_MAX = 100
FUNCTION_LINES_MAX = 70
FILE_LINES_MAX = 600

# Written in two halves, so that these lines do not break their own rule.
_UNFINISHED = re.compile(r"\b(?:" "TO" "DO|FIX" "ME|XX" r"X)\b")

# What may print and end the process: the program's face, and the report of a broken invariant.
_FACE = re.compile(r"src/(?:main\.cc|cli/|report/|core/check\.cc)")
_IN_SRC = re.compile(r"src/")
_ANYWHERE = re.compile(r"")
_NOWHERE = re.compile(r"(?!)")

# (pattern in code without comments and literals, where it holds, except where, what to do)
_BANNED = [
    (r"\bstd::v?(?:format|print|println)\b", _ANYWHERE, _NOWHERE, "GCC 12 has none: use fmt"),
    (r"\bv?sprintf\s*\(", _ANYWHERE, _NOWHERE, "unbounded: use fmt::format"),
    (r"\b(?:strcpy|strcat|strncpy|gets)\s*\(", _ANYWHERE, _NOWHERE, "unbounded: use std::string"),
    (r"\b(?:atoi|atol|atoll|atof)\s*\(", _ANYWHERE, _NOWHERE, "hides errors: use core/units.h"),
    (r"\bstrtok\s*\(", _ANYWHERE, _NOWHERE, "keeps hidden state: use std::string_view"),
    (r"\bs?rand\s*\(", _ANYWHERE, _NOWHERE, "use core/random.h"),
    (r"\busing\s+namespace\s+std\b", _ANYWHERE, _NOWHERE, "name what is used"),
    (r"^[ \t]*#[ \t]*if[ \t]+0\b", _ANYWHERE, _NOWHERE, "dead code: delete it"),
    (r"(?<![\w.])assert\s*\(", _IN_SRC, _NOWHERE, "is off in release: use CQLPERF_CHECK"),
    (r"(?<!\w)exit\s*\(", _IN_SRC, _FACE, "only src/main.cc and cli end the program"),
    (r"\bstd::(?:cout|cerr|clog)\b", _IN_SRC, _FACE, "only cli and report print"),
    (r"\bv?f?printf\s*\(|\bf?puts\s*\(", _IN_SRC, _FACE, "only cli and report print"),
    (r"\bfmt::print\b", _IN_SRC, _FACE, "only cli and report print"),
]


def check_text(path, text):
    """Every text file: line ends, tabs, white space at the end of lines and of the file."""
    if text and not text.endswith("\n"):
        yield path, text.count("\n") + 1, "no new line at the end of the file"
    for number, line in enumerate(text.split("\n"), 1):
        if line.endswith("\r"):
            yield path, number, "DOS line end"
        elif line != line.rstrip():
            yield path, number, "white space at the end of the line"
        if "\t" in line and not path.endswith("Makefile"):
            yield path, number, "a tab: use spaces"


def check_code(path, text):
    """Every file of code: width, length, nothing left unfinished."""
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if len(line) > COLUMNS_MAX:
            yield path, number, f"{len(line)} columns, {COLUMNS_MAX} at most"
        if _UNFINISHED.search(line):
            yield path, number, "a note of unfinished work: finish it, or take it out"
    count = len(lines) - 1
    if count > FILE_LINES_MAX:
        yield path, count, f"{count} lines, {FILE_LINES_MAX} at most: split the file"


def _long_function(path, line, name, lines):
    if lines > FUNCTION_LINES_MAX:
        text = f"{name} has {lines} lines, {FUNCTION_LINES_MAX} at most: split the function"
        yield path, line, text


def check_cpp(path, text):
    """C++: banned calls, includes, header guards, function length."""
    code = cpp.code_only(text)
    for pattern, where, except_where, advice in _BANNED:
        if where.match(path) and not except_where.match(path):
            for match in re.finditer(pattern, code, re.MULTILINE):
                yield path, cpp.line_of(code, match.start()), f"{match.group().strip()}: {advice}"
    for include in cpp.includes(text):
        if include.path.startswith("../") or "/../" in include.path:
            yield path, include.line, f'"{include.path}": includes are rooted at src'
    for function in cpp.functions(text):
        yield from _long_function(path, function.first_line, function.name, function.lines)
    if path.endswith(".h"):
        yield from _check_header(path, code)


def _check_header(path, code):
    first = re.search(r"\S[^\n]*", code)
    if not first or first.group().strip() != "#pragma once":
        yield path, 1, "a header's first line of code is #pragma once"
    for match in re.finditer(r"\busing\s+namespace\b", code):
        yield path, cpp.line_of(code, match.start()), "using namespace in a header"


def check_python(path, text):
    """Python: it parses, and its functions are short."""
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        yield path, error.lineno or 1, f"not Python: {error.msg}"
        return
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            lines = node.end_lineno - node.lineno + 1
            yield from _long_function(path, node.lineno, node.name, lines)


def check_name(path):
    """File names: C++ is .h and .cc."""
    if re.search(r"\.(?:hpp|hh|hxx|cpp|cxx|c\+\+)$", path):
        yield path, 1, "C++ files end in .h or .cc"
