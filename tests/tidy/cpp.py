"""A C++ scanner that knows just enough for the rules: comments, literals, includes, functions.

It relies on the layout that clang-format gives the sources (a body's brace has a space before it,
an initializer's has none), which the tidy test checks as well.
"""

import re
from typing import NamedTuple

# Comments, literals and numbers, whichever starts first. Numbers are here for their digit
# separators, which would look like character literals.
_TOKEN = re.compile(
    r"""//[^\n]*                                      # to the end of the line
      | /\*.*?\*/
      | R"(?P<fence>[^()\\\s]{0,16})\(.*?\)(?P=fence)"
      | "(?:\\.|[^"\\\n])*"
      | (?<!\w)\d(?:'?[\w.])*
      | '(?:\\.|[^'\\\n])+'
    """,
    re.VERBOSE | re.DOTALL,
)
_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<][^">\n]+[">])', re.MULTILINE)
_ACCESS_LABEL = re.compile(r"\s*(?:public|private|protected)\s*:(?!:)")
_ATTRIBUTE = re.compile(r"\s*\[\[[^\]]*\]\]")
_CONTAINER = re.compile(
    r"\s*(?:inline\s+|typedef\s+)?(?:namespace|class|struct|union|enum|extern)\b"
)
_NAME = re.compile(r"(operator\s*\S+?|~?[\w:~<>]+)\s*\(")


class Function(NamedTuple):
    name: str
    first_line: int
    last_line: int

    @property
    def lines(self):
        return self.last_line - self.first_line + 1


class Include(NamedTuple):
    path: str  # without quotes or brackets
    quoted: bool
    line: int


def _blank(text):
    return re.sub(r"[^\n]", " ", text)


def code_only(source):
    """The source with comments and the inside of literals as blanks; every position stays."""

    def replace(match):
        token = match.group()
        if token[0].isdigit():
            return token
        if token.startswith("/"):
            return _blank(token)
        return token[0] + _blank(token[1:-1]) + token[-1]

    return _TOKEN.sub(replace, source)


def line_of(source, position):
    return source.count("\n", 0, position) + 1


def includes(source):
    """All include directives; those in comments are none."""
    code = code_only(source)
    found = []
    for match in _INCLUDE.finditer(source):
        # The directive's first character is blank in the code when a comment holds it.
        if code[source.index("#", match.start())] == "#":
            name = match.group(1)
            line = line_of(source, match.start(1))
            found.append(Include(name[1:-1], name[0] == '"', line))
    return found


def _after_match(code, position):
    """The position after the brace that closes the one at `position`."""
    depth = 0
    for at in range(position, len(code)):
        if code[at] == "{":
            depth += 1
        elif code[at] == "}":
            depth -= 1
            if depth == 0:
                return at + 1
    return len(code)


def _without_prefixes(head):
    """What remains of a declaration after access labels, attributes and template parameters."""
    while True:
        match = _ACCESS_LABEL.match(head) or _ATTRIBUTE.match(head)
        if match:
            head = head[match.end() :]
            continue
        template = re.match(r"\s*template\s*<", head)
        if not template:
            return head
        depth, at = 1, template.end()
        while at < len(head) and depth > 0:
            depth += {"<": 1, ">": -1}.get(head[at], 0)
            at += 1
        head = head[at:]


def _is_initializer(head, code, brace):
    before = code[brace - 1]
    return (not before.isspace() and before != ")") or head.rstrip().endswith(("=", ",", "return"))


def _is_function(head):
    return "(" in head and not _CONTAINER.match(_without_prefixes(head))


def _function(code, head_start, brace, end):
    head = code[head_start:brace]
    label = _ACCESS_LABEL.match(head)
    skipped = label.end() if label else 0
    skipped += len(head[skipped:]) - len(head[skipped:].lstrip())
    name = _NAME.search(_without_prefixes(head))
    return Function(
        re.sub(r"\s+", "", name.group(1)) if name else "(lambda)",
        line_of(code, head_start + skipped),
        line_of(code, end - 1),
    )


def functions(source):
    """All functions at namespace and class level, with the lines from declaration to last brace."""
    code = _DIRECTIVE.sub(lambda match: _blank(match.group()), code_only(source))
    found = []
    at = head_start = depth = 0
    while at < len(code):
        character = code[at]
        at += 1
        if character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
        elif character == ";" and depth == 0 or character == "}":
            head_start = at
        elif character == "{":
            head = code[head_start : at - 1]
            if depth > 0 or _is_initializer(head, code, at - 1):
                at = _after_match(code, at - 1)
            elif _is_function(head):
                end = _after_match(code, at - 1)
                found.append(_function(code, head_start, at - 1, end))
                at = head_start = end
            else:
                head_start = at
    return found
