"""`cqlperf forms` for tests: starts it on the embedded server, and reads what it found."""

from cassandra.cluster import Cluster

SMALL = ("--count", "600", "--rows", "300", "--rounds", "2", "--warm-up", "20ms", "--settle", "0")
RPC = ["rpc", "rpc-cql", "rpc-prepared-strings", "rpc-prepared"]
NATIVE = ["cql", "cql-bound", "prepared-strings", "prepared"]
SCENARIOS = ["inserts", "indexed", "counters", "reads"]


def start(program, *arguments, size=SMALL, json_too=True, **how):
    path = program.directory / f"forms-{len(program.runs)}.json"
    wanted = ("--json", path) if json_too else ()
    return program.start("forms", *size, *arguments, *wanted, json_path=path, **how)


def forms(program, *arguments, code=0, **options):
    return start(program, *arguments, **options).wait(code)


def cells(finished):
    return {(scenario["scenario"], cell["form"]): cell
            for scenario in finished.document["scenarios"] for cell in scenario["cells"]}


def keyspaces(server):
    cluster = Cluster([server.address], port=server.port)
    try:
        rows = cluster.connect().execute("SELECT keyspace_name FROM system_schema.keyspaces")
        return {row.keyspace_name for row in rows}
    finally:
        cluster.shutdown()


def execute(server, *statements):
    cluster = Cluster([server.address], port=server.port)
    try:
        session = cluster.connect()
        return [list(session.execute(statement)) for statement in statements]
    finally:
        cluster.shutdown()


def make_keyspace(server, name):
    execute(server, f"CREATE KEYSPACE {name} WITH replication = "
            "{'class': 'SimpleStrategy', 'replication_factor': 1}")
