"""The workloads that read: what is populated, and that every row is verified."""

import pytest
from mock_server import WRITE_TIMEOUT
from program import check_counts, wait_until


def test_the_keys_are_populated_first(program, mock):
    finished = program.load(mock.server, "read", "--keys", "200", "--count", "300", "--threads",
                            "2")
    assert sorted(mock.log.writes) == list(range(200))
    assert len(mock.log.reads) == finished.summary["operations"] == 300
    assert set(mock.log.reads) <= set(range(200))
    assert mock.store.keyspaces == {}
    # Only the reads are in the result.
    assert sum(row["done"] for row in finished.document["intervals"]) == 300


def test_saved_keys_are_not_populated_again(program, mock):
    program.load(mock.server, "read", "--keys", "200", "--count", "10", "--save")
    mock.log.writes.clear()
    mock.log.reads.clear()
    program.load(mock.server, "read", "--count", "500")
    assert mock.log.writes == [] and set(mock.log.reads) <= set(range(200))
    assert len(mock.rows()) == 200


def test_in_order(program, mock):
    program.load(mock.server, "read", "--keys", "50", "--count", "100", "--serial",
                 "--parallelism", "1")
    assert mock.log.reads == [*range(50), *range(50)]


def test_a_mix_has_exactly_its_weights(program, mock):
    finished = program.load(mock.server, "mixed", "--mix", "insert=1,read=3", "--keys", "100",
                            "--count", "400")
    assert len(mock.log.reads) == 300 and len(mock.log.writes) == 100 + 100
    kinds = finished.summary["kinds"]
    counts = {name: kind["operations"] for name, kind in kinds.items()}
    assert counts == {"insert": 100, "read": 300}
    assert "insert response" in finished.stdout and "read service" in finished.stdout


def test_wrong_and_missing_rows_are_errors(program, mock):
    mock.faults.wrong_value_every, mock.faults.missing_row_every = 10, 25
    finished = program.load(mock.server, "read", "--keys", "100", "--count", "200", "--parallelism",
                            "1", code=1)
    missing, wrong = 200 // 25, 200 // 10 - 200 // 50
    assert sorted(finished.errors.values()) == [missing, wrong]
    assert finished.summary["operations"] == 200 - missing - wrong
    messages = {error["kind"]: error["first_message"]
                for error in finished.summary["errors_by_kind"]}
    assert any("vc" in text for text in messages.values()), messages
    assert any("missing" in kind.lower() for kind in messages), messages


def test_rows_that_were_there_before_are_verified(program, mock):
    program.load(mock.server, "read", "--keys", "100", "--count", "10", "--save")
    for row in mock.store.keyspaces["test_keyspace"].tables["test_table"].rows.values():
        row["va"] = b"\0\0\0\7"
    finished = program.load(mock.server, "read", "--count", "50", code=1)
    assert list(finished.errors.values()) == [50]
    assert finished.summary["operations"] == 0


def test_a_row_that_lost_a_value(program, mock):
    program.load(mock.server, "read", "--keys", "10", "--count", "10", "--save")
    for row in mock.store.keyspaces["test_keyspace"].tables["test_table"].rows.values():
        row["vb"] = None
    finished = program.load(mock.server, "read", "--count", "10", code=1)
    assert finished.summary["errors"] == 10


def test_rows_of_another_seed_are_known_to_be_others(program, mock):
    """Whoever wrote last, each run finds the rows that its seed stands for."""
    flags = ["--keys", "100", "--count", "100"]
    program.load(mock.server, "read", *flags, "--seed", "1", "--save")
    program.load(mock.server, "read", *flags, "--seed", "2")
    program.load(mock.server, "read", *flags, "--seed", "1")


def test_rows_that_an_insert_with_another_seed_has_overwritten(program, mock):
    program.load(mock.server, "insert", "--count", "100", "--serial", "--save")
    program.load(mock.server, "insert", "--count", "50", "--keys", "100", "--seed", "2", "--save")
    program.load(mock.server, "read", "--keys", "100", "--count", "200")


@pytest.mark.parametrize("share", [0.1, 1.0])
def test_a_table_that_cannot_be_populated(program, mock, share):
    mock.faults.error, mock.faults.error_share = WRITE_TIMEOUT, share
    finished = program.load(mock.server, "read", "--keys", "100", "--count", "100", code=3)
    assert "Operation timed out" in finished.stderr
    assert mock.log.reads == [] and mock.store.keyspaces == {}


def test_an_additional_column_changes_nothing(program, mock):
    program.load(mock.server, "read", "--keys", "100", "--count", "10", "--save")
    running = program.start_load(mock.server, "read", "--rate-limit", "200", "--duration", "1s")
    wait_until(lambda: len(mock.log.reads) >= 20)
    mock.store.keyspaces["test_keyspace"].tables["test_table"].types["extra"] = "text"
    finished = running.wait()
    check_counts(finished.summary)
    assert all("*" not in text for text in mock.log.prepares)
