"""The tool history: written, read, bounded, and harmless where it is broken."""

import stat
import sys

import pytest

from weiwo.tools.usage.task_log import _HISTORY_FILE, LONGEST_QUESTION, read_history, record_use


def test_what_was_recorded_is_read(tmp_path):
    assert read_history(tmp_path) == ()
    assert record_use(tmp_path, "去罗马的周末 \ud800", ["hotels", "flights", "flights"])
    assert record_use(tmp_path, "x" * 9_999, ["stocks"])
    first, second = read_history(tmp_path)
    assert (first.question, first.tools) == ("去罗马的周末 \ud800", {"hotels", "flights"})
    assert len(second.question) == LONGEST_QUESTION


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
def test_only_its_owner_reads_it(tmp_path):
    record_use(tmp_path, "Rome", ["hotels"])
    assert stat.S_IMODE((tmp_path / _HISTORY_FILE).stat().st_mode) == 0o600


def test_broken_lines_are_passed_over(tmp_path):
    broken = (
        b'\n{"question"\n[1]\n{"question": 1, "tools": ["a"]}\n{"question": "q", "tools": [1]}\n\xff\xfe\n'
        + b"[" * 9_000
    )
    (tmp_path / _HISTORY_FILE).write_bytes(broken + b'\n{"question": "q", "tools": ["a"]}\n{"question": "half')
    assert [use.tools for use in read_history(tmp_path)] == [{"a"}]


def test_a_folder_that_cannot_be_written_costs_nothing(tmp_path):
    assert not record_use(tmp_path / "absent", "q", ["a"])
    assert read_history(tmp_path / "absent") == ()
