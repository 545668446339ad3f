#!/usr/bin/env python3
"""Asks a real Cassandra again for the outcomes in the files of this folder, and rewrites them.

    scripts/cassandra start --name truth --address 127.0.0.50
    build/venv/bin/python tests/cql/vectors/ask_cassandra.py 127.0.0.50

Lines are `type outcome input`. The outcome is what was stored as hexadecimal digits (`-`: no
bytes), or `E` and the code of the error. A `!` in front, which stays, marks what we refuse although
Cassandra takes it. order.txt has the values of a type in ascending order.
"""

import re
import sys
from pathlib import Path

from cassandra.cluster import Cluster

HERE = Path(__file__).resolve().parent
KEYSPACE = "value_vectors"
VALUES = ("literals", "bound_values", "json_values")


class Truth:
    """One keyspace on the server, with a table for each type."""

    def __init__(self, address):
        self.cluster = Cluster([address], protocol_version=4)
        self.session = self.cluster.connect()
        self.session.execute(
            f"CREATE KEYSPACE IF NOT EXISTS {KEYSPACE} WITH replication = "
            "{'class': 'SimpleStrategy', 'replication_factor': 1}"
        )
        self.session.set_keyspace(KEYSPACE)

    def close(self):
        """Leaves nothing behind."""
        self.session.execute(f"DROP KEYSPACE {KEYSPACE}")
        self.cluster.shutdown()

    def make_table(self, name, columns):
        """Unless it is there."""
        self.session.execute(f"CREATE TABLE IF NOT EXISTS {name} ({columns})")

    def outcome(self, kind, type_name, text):
        """What becomes of one value."""
        self.make_table(f"t_{type_name}", f"k int PRIMARY KEY, v {type_name}")
        try:
            self.store(kind, type_name, text)
            column = "v" if type_name == "blob" else f"{type_name}_as_blob(v)"
            query = f"SELECT {column} FROM t_{type_name} WHERE k = 1"
            return self.session.execute(query).one()[0].hex() or "-"
        except Exception as error:  # pylint: disable=broad-exception-caught
            return "E" + re.search(r"code=(\d{4})", str(error))[1]

    def store(self, kind, type_name, text):
        """Writes the value as the file's name says."""
        if kind == "literals":
            self.session.execute(f"INSERT INTO t_{type_name} (k, v) VALUES (1, {text})")
        elif kind == "json_values":
            document = '{"k": 1, "v": %s}' % text
            self.session.execute(f"INSERT INTO t_{type_name} JSON '{document}'")
        else:
            insert = self.session.prepare(f"INSERT INTO t_{type_name} (k, v) VALUES (1, ?)")
            self.session.execute(bound(insert, text))

    def order(self, type_name, values):
        """The values as clustering keys."""
        table = f"o_{type_name}"
        self.make_table(table, f"p int, c {type_name}, PRIMARY KEY (p, c)")
        self.session.execute(f"TRUNCATE {table}")
        insert = self.session.prepare(f"INSERT INTO {table} (p, c) VALUES (1, ?)")
        for value in values:
            self.session.execute(bound(insert, value))
        column = "c" if type_name == "blob" else f"{type_name}_as_blob(c)"
        rows = self.session.execute(f"SELECT {column} FROM {table} WHERE p = 1")
        return [row[0].hex() or "-" for row in rows]


def bound(prepared, text):
    """The statement with raw bytes, which the driver does not look at."""
    statement = prepared.bind([None])
    statement.values = [bytes.fromhex("" if text == "-" else text)]
    return statement


def rewrite(name, renew):
    """Replaces each line of a file by renew(words of the line)."""
    path = HERE / f"{name}.txt"
    lines = path.read_text().splitlines()
    renewed = [renew(line) for line in lines]
    path.write_text("".join(line + "\n" for line in renewed))
    changed = sum(old != new for old, new in zip(lines, renewed))
    print(f"{path.name}: {len(lines)} lines, {changed} changed")


def main():
    """See above."""
    truth = Truth(sys.argv[1])

    for name in VALUES:

        def renew(line, kind=name):
            type_name, old, text = line.split(" ", 2)
            mark = "!" if old.startswith("!") else ""
            return f"{type_name} {mark}{truth.outcome(kind, type_name, text)} {text}"

        rewrite(name, renew)

    def renew_order(line):
        type_name, *values = line.split(" ")
        return " ".join([type_name, *truth.order(type_name, values)])

    rewrite("order", renew_order)
    truth.close()


if __name__ == "__main__":
    main()
