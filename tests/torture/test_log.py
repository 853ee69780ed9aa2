"""What a kill leaves of the log."""

from tests.torture.log import Log, events


def test_a_line_torn_by_a_kill_is_no_event_and_spoils_none_after_it(tmp_path):
    path = tmp_path / "log"
    Log(path).note("start", key="工具")
    whole = path.read_bytes()
    for at in range(len(whole)):
        path.write_bytes(whole + whole[:at])
        assert [event["event"] for event in events(path)] == ["start"]
        Log(path).note("done", key="b")
        assert [event["event"] for event in events(path)] == ["start", "done"]


def test_a_log_that_is_not_there_has_no_events(tmp_path):
    assert events(tmp_path / "none") == []
