"""The table of CQL statements with what Cassandra 5.0.8 answers, and a server held against it.

    statement_table.py --server 127.0.0.1:9042             compares, and prints what differs
    statement_table.py --server 127.0.0.1:9042 --record    writes its answers into the table

The table (statements.txt) holds, one after another, statements that end in `;`, each followed by
lines that say how to run it, and by lines that begin with `=`: the answer. How to run it:

    bind V, V      prepares it and executes it with these Python values
    prepare        prepares it only: the answer is its metadata
    page N         asks for pages of N rows, until the last one
    mask C C       leaves out the values of these columns, which differ from run to run
    batch KIND     sends the statements between BEGIN and APPLY as a BATCH message

Lines with `#` are comments. The statements build on one another, in the keyspace `statements`.
"""

import argparse
import ast
import dataclasses
import datetime
import decimal
import difflib
import ipaddress
import math
import pathlib
import sys
import time
import uuid

from cassandra.protocol import ErrorMessage
from raw_client import (KIND_PREPARED, KIND_ROWS, KIND_SCHEMA_CHANGE, KIND_SET_KEYSPACE, KIND_VOID,
                        RawClient)

TABLE = pathlib.Path(__file__).with_name("statements.txt")
KEYSPACE = "statements"
READ_FAILURE = 0x1300
INDEX_BUILD_S = 20
# What `bind` may call besides literals.
NAMES = {"Decimal": decimal.Decimal, "UUID": uuid.UUID, "date": datetime.date,
         "datetime": datetime.datetime, "time": datetime.time, "ip": ipaddress.ip_address,
         "nan": math.nan, "inf": math.inf}


@dataclasses.dataclass
class Case:
    """A statement of the table with the lines that belong to it."""
    line: int
    text: str
    directives: dict
    before: list = dataclasses.field(default_factory=list)  # lines to keep when recording
    expected: list = dataclasses.field(default_factory=list)


def read_table(path):
    """The cases of the table, and what stands after the last one."""
    cases, before, text = [], [], []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        stripped = line.strip()
        if line.startswith("="):
            cases[-1].expected.append(line)
        elif text or (stripped and not stripped.startswith("#") and not line.startswith("  ")):
            text.append(line)
            if stripped.endswith(";"):
                cases.append(Case(number, "\n".join(text), {}, before))
                before, text = [], []
        elif line.startswith("  ") and cases and not before:
            name, _, rest = stripped.partition(" ")
            cases[-1].directives[name] = rest
        else:
            before.append(line)
    assert not text, f"a statement without `;` at the end: {text}"
    return cases, before


def evaluate(values):
    """The Python values of a `bind` line: by place, or by name from a dictionary."""
    tree = ast.parse(f"({values},)" if values else "()", mode="eval")
    bound = list(eval(compile(tree, "bind", "eval"), {"__builtins__": {}}, NAMES))
    return bound[0] if len(bound) == 1 and isinstance(bound[0], dict) else bound


def type_name(cql_type):
    return cql_type.cql_parameterized_type()


def show_columns(columns):
    return " ".join(f"{name}:{type_name(kind)}" for _, _, name, kind in columns)


def show_value(value):
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    if hasattr(value, "items"):
        return repr(sorted((key, item) for key, item in value.items()))
    return repr(value)


def show_rows(answer, masked):
    lines = []
    for row in answer.parsed_rows:
        cells = ["*" if name in masked and value is not None else show_value(value)
                 for name, value in zip(answer.column_names, row)]
        lines.append("= | " + " | ".join(cells))
    return lines


def show_prepared(answer):
    keys = " ".join(str(index) for index in answer.pk_indexes or [])
    lines = [f"= prepared bind {show_columns(answer.bind_metadata)}".rstrip(),
             f"= partition key {keys}".rstrip()]
    if answer.column_metadata:
        lines.append(f"= columns {show_columns(answer.column_metadata)}")
    return lines


def show_schema_change(event):
    return "= schema " + " ".join(f"{name}={event[name]}" for name in sorted(event))


def show(answer, masked):
    """An answer as the table's lines."""
    if isinstance(answer, ErrorMessage):
        info = f" {sorted(answer.info.items())}" if isinstance(answer.info, dict) else ""
        return [f"= error {answer.code:04x}{info}"]
    if answer.kind == KIND_VOID:
        return ["= void"]
    if answer.kind == KIND_SET_KEYSPACE:
        return [f"= keyspace {answer.new_keyspace}"]
    if answer.kind == KIND_SCHEMA_CHANGE:
        return [show_schema_change(answer.schema_change_event)]
    if answer.kind == KIND_PREPARED:
        return show_prepared(answer)
    assert answer.kind == KIND_ROWS
    columns = answer.column_metadata
    return [f"= rows {show_columns(columns)}".rstrip(), *show_rows(answer, masked)]


def ask(client, case, paging_state=None):
    text = case.text.rstrip().removesuffix(";")
    page = int(case.directives["page"]) if "page" in case.directives else None
    if "prepare" in case.directives:
        return client.prepare(text)
    if "bind" in case.directives:
        values = evaluate(case.directives["bind"])
        return client.execute(text, values, page, paging_state)
    if "batch" in case.directives:
        statements = [part.strip() for part in text.split(";")]
        return client.batch(statements, case.directives["batch"])
    return client.query(text, page, paging_state)


def ask_until_built(client, case):
    """Asks again while an index that the statement uses is being built."""
    deadline = time.monotonic() + INDEX_BUILD_S
    while True:
        answer = ask(client, case)
        is_building = isinstance(answer, ErrorMessage) and answer.code == READ_FAILURE
        if not is_building or time.monotonic() > deadline:
            return answer
        time.sleep(0.05)


def run(client, case):
    """The lines that the table should have under the statement."""
    masked = case.directives.get("mask", "").split()
    answer = ask_until_built(client, case)
    lines = show(answer, masked)
    pages = 1
    while getattr(answer, "paging_state", None):
        answer = ask(client, case, answer.paging_state)
        page = show(answer, masked)
        lines += ["= page", *(page[1:] if page[0].startswith("= rows") else page)]
        pages += 1
        assert pages <= 1000, "pages without end"
    return lines


def write_table(path, cases, after, answers):
    lines = []
    for case, answer in zip(cases, answers):
        lines += [*case.before, *case.text.splitlines()]
        lines += [f"  {name} {rest}".rstrip() for name, rest in case.directives.items()]
        lines += answer
    path.write_text("\n".join(lines + after) + "\n")


def compare(cases, answers):
    """The differences as text, one piece for each statement that has any."""
    return ["\n".join([f"{TABLE.name}:{case.line}: {case.text}", *difflib.unified_diff(
        case.expected, answer, "expected", "answered", lineterm="", n=99)])
        for case, answer in zip(cases, answers) if case.expected != answer]


def run_all(address, port, version, path=TABLE):
    """The cases of the table and what this server answers to each, in a keyspace made anew."""
    cases, after = read_table(path)
    client = RawClient(address, port, version)
    try:
        client.query(f"DROP KEYSPACE IF EXISTS {KEYSPACE}")
        answers = [run(client, case) for case in cases]
        client.query(f"DROP KEYSPACE IF EXISTS {KEYSPACE}")
    finally:
        client.close()
    return cases, after, answers


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", required=True)
    parser.add_argument("--protocol", type=int, default=4)
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    address, _, port = options.server.partition(":")
    cases, after, answers = run_all(address, int(port or 9042), options.protocol)
    if options.record:
        write_table(TABLE, cases, after, answers)
    differences = compare(cases, answers)
    print("\n\n".join(differences))
    print(f"{len(cases)} statements, {len(differences)} answered otherwise")
    return 1 if differences and not options.record else 0


if __name__ == "__main__":
    sys.exit(main())
