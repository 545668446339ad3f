"""A reader for the few CQL statements that the mock server knows."""

import re
from dataclasses import dataclass, field

_TOKEN = re.compile(r"""
    \s+ | --[^\n]* | //[^\n]*
  | (?P<string>'(?:[^']|'')*')
  | (?P<quoted>"(?:[^"]|"")*")
  | (?P<number>-?\d+(?:\.\d+)?)
  | (?P<word>[A-Za-z_][A-Za-z0-9_]*)
  | (?P<mark>\?)
  | (?P<sign>[-+<>=!(){}\[\],.:;*])
""", re.VERBOSE)


class CqlError(Exception):
    """A statement that is not understood."""


class Marker:
    """Where a value is bound."""


@dataclass
class Statement:
    kind: str  # "select", "insert", "create keyspace", "drop table", "truncate", "use", ...
    keyspace: str = ""  # empty: the connection's
    table: str = ""
    columns: list = field(default_factory=list)  # of a SELECT; empty for *
    values: dict = field(default_factory=dict)   # of an INSERT: column -> literal or Marker
    where: dict = field(default_factory=dict)    # column -> literal or Marker, all of them with =
    limit: int | None = None
    types: dict = field(default_factory=dict)    # of a CREATE TABLE: column -> type
    key: list = field(default_factory=list)      # of a CREATE TABLE
    options: dict = field(default_factory=dict)  # WITH
    conditional: bool = False                    # IF [NOT] EXISTS


def parse(text):
    return _Parser(text).statement()


def _tokens(text):
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if not match:
            raise CqlError(f"line 1:{at} no viable alternative at character '{text[at]}'")
        at = match.end()
        if match.lastgroup:
            yield match.lastgroup, match.group()
    yield "end", ""


class _Parser:
    def __init__(self, text):
        self.tokens = list(_tokens(text))
        self.at = 0

    def peek(self):
        return self.tokens[self.at][1].upper()

    def next(self):
        token = self.tokens[self.at]
        self.at += 1
        return token

    def accept(self, *words):
        upper = [text.upper() for _, text in self.tokens[self.at:self.at + len(words)]]
        if upper != list(words):
            return False
        self.at += len(words)
        return True

    def expect(self, *words):
        if not self.accept(*words):
            raise CqlError(f"expected {' '.join(words)} at '{self.tokens[self.at][1]}'")

    def statement(self):
        for words, parse_rest in (
                (("SELECT",), self.select), (("INSERT", "INTO"), self.insert),
                (("CREATE", "KEYSPACE"), self.create_keyspace),
                (("CREATE", "TABLE"), self.create_table),
                (("ALTER", "KEYSPACE"), lambda: self.change("alter keyspace")),
                (("ALTER", "TABLE"), lambda: self.change("alter table")),
                (("DROP", "KEYSPACE"), lambda: self.drop("drop keyspace")),
                (("DROP", "TABLE"), lambda: self.drop("drop table")),
                (("TRUNCATE", "TABLE"), lambda: self.named(Statement("truncate"))),
                (("TRUNCATE",), lambda: self.named(Statement("truncate"))),
                (("USE",), lambda: Statement("use", keyspace=self.identifier()))):
            if self.accept(*words):
                statement = parse_rest()
                self.accept(";")
                if self.peek():
                    raise CqlError(f"mismatched input '{self.tokens[self.at][1]}'")
                return statement
        raise CqlError(f"no viable alternative at input '{self.tokens[0][1]}'")

    def identifier(self):
        kind, text = self.next()
        if kind == "quoted":
            return text[1:-1].replace('""', '"')
        if kind == "word":
            return text.lower()
        raise CqlError(f"expected a name at '{text}'")

    def named(self, statement):
        statement.table = self.identifier()
        if self.accept("."):
            statement.keyspace, statement.table = statement.table, self.identifier()
        return statement

    def term(self):
        kind, text = self.next()
        if kind == "mark":
            return Marker()
        if text == ":":
            self.identifier()
            return Marker()
        if kind == "string":
            return text[1:-1].replace("''", "'")
        if kind == "number":
            return float(text) if "." in text else int(text)
        if kind == "word":
            return {"true": True, "false": False, "null": None}.get(text.lower(), text)
        if text == "{":
            return self.map_literal()
        raise CqlError(f"expected a value at '{text}'")

    def map_literal(self):
        literal = {}
        while not self.accept("}"):
            key = self.term()
            self.expect(":")
            literal[key] = self.term()
            self.accept(",")
        return literal

    def select(self):
        columns = []
        if not self.accept("*"):
            columns.append(self.selector())
            while self.accept(","):
                columns.append(self.selector())
        self.expect("FROM")
        statement = self.named(Statement("select", columns=columns))
        if self.accept("WHERE"):
            statement.where = self.relations()
        if self.accept("LIMIT"):
            statement.limit = self.term()
        self.accept("ALLOW", "FILTERING")
        return statement

    def selector(self):
        if self.accept("COUNT", "("):
            self.next()
            self.expect(")")
            return "count"
        return self.identifier()

    def relations(self):
        relations = {}
        while True:
            column = self.identifier()
            self.expect("=")
            relations[column] = self.term()
            if not self.accept("AND"):
                return relations

    def parenthesized(self, item):
        self.expect("(")
        items = [item()]
        while self.accept(","):
            items.append(item())
        self.expect(")")
        return items

    def insert(self):
        statement = self.named(Statement("insert"))
        columns = self.parenthesized(self.identifier)
        self.expect("VALUES")
        statement.values = dict(zip(columns, self.parenthesized(self.term), strict=True))
        return statement

    def create_keyspace(self):
        statement = Statement("create keyspace", conditional=self.accept("IF", "NOT", "EXISTS"))
        statement.keyspace = self.identifier()
        statement.options = self.with_options()
        return statement

    def create_table(self):
        statement = Statement("create table", conditional=self.accept("IF", "NOT", "EXISTS"))
        self.named(statement)
        self.expect("(")
        while True:
            self.column_definition(statement)
            if self.accept(")"):
                break
            self.expect(",")
        statement.options = self.with_options()
        return statement

    def column_definition(self, statement):
        if self.accept("PRIMARY", "KEY"):
            statement.key = self.parenthesized(self.identifier)
            return
        column = self.identifier()
        statement.types[column] = self.type_name()
        if self.accept("PRIMARY", "KEY"):
            statement.key = [column]

    def type_name(self):
        name = self.identifier()
        if not self.accept("<"):
            return name
        inner = [self.type_name()]
        while self.accept(","):
            inner.append(self.type_name())
        self.expect(">")
        return f"{name}<{', '.join(inner)}>"

    def with_options(self):
        options = {}
        joined = self.accept("WITH")
        while joined:
            name = self.identifier()
            self.expect("=")
            options[name] = self.term()
            joined = self.accept("AND")
        return options

    def change(self, kind):
        statement = Statement(kind)
        if kind.endswith("table"):
            self.named(statement)
        else:
            statement.keyspace = self.identifier()
        statement.options = self.with_options()
        return statement

    def drop(self, kind):
        statement = Statement(kind, conditional=self.accept("IF", "EXISTS"))
        if kind.endswith("table"):
            return self.named(statement)
        statement.keyspace = self.identifier()
        return statement
