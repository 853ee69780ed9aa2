from email.utils import formatdate
from types import SimpleNamespace

import pytest

from weiwo.text.retry_after import parse_retry_after, retry_after_of


class RefusedError(Exception):
    def __init__(self, headers: object) -> None:
        self.response = SimpleNamespace(headers=headers)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("", None),
        ("7", 7.0),
        ("-3", 0.0),
        ("1e9", 3600.0),
        ("nan", None),
        ("soon", None),
        ("1e999", 3600.0),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
    ],
)
def test_retry_after(header, seconds):
    assert parse_retry_after(header) == seconds


def test_a_date_is_counted_from_now(monkeypatch):
    monkeypatch.setattr("time.time", lambda: 1_000_000.0)
    assert parse_retry_after(formatdate(1_000_060, usegmt=True)) == 60


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": "2", "retry-after-ms": "40"}, 0.04),
        ({"retry-after": "2", "retry-after-ms": "a while"}, 2.0),
        ({"retry-after-ms": "7200000"}, 3600.0),
        ({}, None),
        ("no headers", None),
    ],
)
def test_the_wait_behind_an_exception(headers, seconds):
    assert retry_after_of(RefusedError(headers)) == seconds


def test_an_exception_without_a_reply_asks_for_no_wait():
    assert retry_after_of(OSError()) is None
