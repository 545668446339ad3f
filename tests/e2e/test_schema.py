"""Keyspace and table: made, taken over, refused, dropped; agreement of the nodes."""

import cql_wire as wire
import pytest
from mock_server import ErrorReply


def test_what_was_made_is_dropped(program, mock):
    program.load(mock.server, "--count", "10")
    assert mock.store.keyspaces == {} and len(mock.log.writes) == 10


def test_what_is_to_be_saved_stays(program, mock):
    program.load(mock.server, "--count", "10", "--serial", "--save")
    assert sorted(mock.rows()) == list(range(10))
    assert mock.log.ddl("DROP") == []


def test_names_with_capitals(program, mock):
    flags = ["--keyspace", "MyKs", "--table", "Order", "--serial", "--count", "10"]
    program.load(mock.server, *flags, "--save")
    assert list(mock.store.keyspaces) == ["MyKs"]
    assert sorted(mock.rows("MyKs", "Order")) == list(range(10))
    # The second run finds it by its exact name; both then drop nothing but what they made.
    program.load(mock.server, *flags)
    assert len(mock.log.ddl("CREATE KEYSPACE")) == 1
    assert list(mock.store.keyspaces) == ["MyKs"]


def test_replication_is_passed_on(program, mock):
    program.load(mock.server, "--count", "1", "--save", "--replication", "3")
    program.load(mock.server, "--count", "1", "--save", "--keyspace", "other", "--replication",
                 "{'class': 'NetworkTopologyStrategy', 'dc1': 2}")
    assert mock.store.keyspaces["test_keyspace"].options["replication"] == {
        "class": "SimpleStrategy", "replication_factor": 3}
    assert mock.store.keyspaces["other"].options["replication"] == {
        "class": "NetworkTopologyStrategy", "dc1": 2}


@pytest.mark.parametrize("tables", [["precious"], ["test_table"]],
                         ids=["another table", "our table's name"])
def test_a_keyspace_of_others_is_refused(program, mock, tables):
    mock.make_keyspace("test_keyspace", *tables)
    before = mock.store.schema_version
    for flags in ([], ["--fresh"]):
        finished = program.load(mock.server, "--count", "10", *flags, code=3)
        # With a table of that name in it, nothing but another name helps.
        helpful = "--table" if "test_table" in tables else "--existing-keyspace"
        assert "test_keyspace" in finished.stderr and helpful in finished.stderr
    assert mock.store.schema_version == before and mock.log.writes == []
    assert [text for text in mock.log.statements if not text.startswith("SELECT")] == []


def test_an_empty_keyspace_is_nobodys(program, mock):
    """A run that is killed between its keyspace and its table leaves such a one."""
    mock.make_keyspace("test_keyspace")
    finished = program.load(mock.server, "--count", "10", code=3)
    assert "no tables" in finished.stderr and "--fresh" in finished.stderr
    assert "test_keyspace" in mock.store.keyspaces
    program.load(mock.server, "--count", "10", "--existing-keyspace")
    assert list(mock.store.keyspaces["test_keyspace"].tables) == []
    program.load(mock.server, "--count", "10", "--fresh")
    assert mock.store.keyspaces == {}


def test_a_keyspace_of_others_is_used_when_told_to(program, mock):
    mock.make_keyspace("test_keyspace", "precious")
    program.load(mock.server, "--count", "10", "--existing-keyspace")
    assert list(mock.store.keyspaces["test_keyspace"].tables) == ["precious"]
    assert len(mock.log.writes) == 10
    program.load(mock.server, "--count", "10", "--existing-keyspace", "--save")
    assert list(mock.store.keyspaces["test_keyspace"].tables) == ["precious", "test_table"]


def test_even_then_a_table_of_others_is_left_alone(program, mock):
    mock.make_keyspace("test_keyspace", "test_table")
    finished = program.load(mock.server, "--count", "10", "--existing-keyspace", code=3)
    assert "test_table" in finished.stderr
    assert mock.log.writes == [] and mock.log.ddl("DROP") == []
    assert list(mock.store.keyspaces["test_keyspace"].tables) == ["test_table"]


def test_what_an_earlier_run_saved_is_used_and_not_dropped(program, mock):
    program.load(mock.server, "--count", "10", "--serial", "--save")
    program.load(mock.server, "--count", "20", "--serial")
    assert sorted(mock.rows()) == list(range(20))
    assert len(mock.log.ddl("CREATE KEYSPACE")) == 1 and mock.log.ddl("DROP") == []


def test_fresh_drops_what_an_earlier_run_saved(program, mock):
    program.load(mock.server, "--count", "20", "--serial", "--save")
    program.load(mock.server, "--count", "10", "--serial", "--save", "--fresh")
    assert sorted(mock.rows()) == list(range(10))


def test_nothing_stays_when_the_table_is_refused(program, mock):
    mock.faults.prepare_error = ErrorReply(wire.INVALID, "no statements today")
    finished = program.load(mock.server, "--count", "10", "--connect-timeout", "2s", code=3)
    assert "no statements today" in finished.stderr
    assert mock.store.keyspaces == {}


def test_nodes_that_disagree_for_a_while_are_waited_for(program, mock_pair):
    mock_pair.faults.disagreement_s = 1.5
    finished = program.load(mock_pair.server, "--count", "10", "--save")
    assert finished.seconds > 1.5
    assert finished.summary["operations"] == 10


def test_nodes_that_disagree_for_too_long(program, mock_pair):
    mock_pair.faults.disagreement_s = 600
    finished = program.load(mock_pair.server, "--count", "10", "--schema-timeout", "1s", code=3)
    assert finished.seconds < 10
    for node in mock_pair.nodes:
        assert node.address in finished.stderr, finished
    assert "schema" in finished.stderr
    assert mock_pair.log.writes == []


def test_a_schema_change_that_takes_too_long(program, mock):
    mock.faults.ddl_delay_s = 30
    finished = program.load(mock.server, "--count", "10", "--schema-timeout", "1s", code=3)
    assert finished.seconds < 10 and "--schema-timeout" in finished.stderr
    assert len(mock.log.ddl("CREATE KEYSPACE")) == 1  # in doubt, so not tried again
