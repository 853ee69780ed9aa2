"""A log of JSON objects that stays small and outlives a torn line."""

from weiwo.tools import bounded_log
from weiwo.tools.bounded_log import append_record, read_records


def test_what_is_appended_is_read_on(tmp_path):
    path = tmp_path / "log.jsonl"
    for n in range(3):
        assert append_record(path, {"n": n})
        assert [record["n"] for record in read_records(path)] == list(range(n + 1))
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_torn_line_costs_the_one_after_it_and_no_other(tmp_path):
    path = tmp_path / "log.jsonl"
    append_record(path, {"n": 0})
    with path.open("ab") as file:
        file.write(b'{"n": 1, "tor')
    append_record(path, {"n": 2})
    append_record(path, {"n": 3})
    assert [record["n"] for record in read_records(path)] == [0, 3]


def test_a_large_log_loses_its_older_half(tmp_path, monkeypatch):
    monkeypatch.setattr(bounded_log, "_MOST_BYTES", 1_000)
    path = tmp_path / "log.jsonl"
    for n in range(200):
        append_record(path, {"n": n})
        assert path.stat().st_size <= 1_000
    kept = [record["n"] for record in read_records(path)]
    assert kept == list(range(kept[0], 200))


def test_a_place_that_cannot_be_written_is_passed_over(tmp_path):
    assert not append_record(tmp_path / "none" / "log.jsonl", {})
    assert read_records(tmp_path / "none" / "log.jsonl") == ()
