"""Dates of publication, as feeds, pages and search providers write them."""

from datetime import date

import pytest

from weiwo.text.dates import iso_date

TODAY = date(2026, 3, 2)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2024-05-06", "2024-05-06"),
        ("2024-05-06T07:08:09Z", "2024-05-06"),
        ("Tue, 15 Nov 1994 12:45:26 GMT", "1994-11-15"),
        ("Mar 1, 2024", "2024-03-01"),
        ("1 March 2024", "2024-03-01"),
        ("March 2024", "2024-03"),
        ("2024年3月1日", "2024-03-01"),
        ("2019", "2019"),
        ("yesterday", None),
        ("2 days ago", None),
        ("2 or 3", None),
        ("", None),
        (None, None),
        (20240301, None),
    ],
)
def test_a_date_that_says_its_day(text, day):
    assert iso_date(text) == day


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2 days ago", "2026-02-28"),
        ("1 day ago", "2026-03-01"),
        ("a week ago", "2026-02-23"),
        ("3 weeks ago", "2026-02-09"),
        ("5 hours ago", "2026-03-02"),
        ("40 mins ago", "2026-03-02"),
        ("2 months ago", "2026-01"),
        ("14 months ago", "2025-01"),
        ("1 year ago", "2025-03"),
        ("Yesterday", "2026-03-01"),
        ("today", "2026-03-02"),
        ("3天前", "2026-02-27"),
        ("2 周前", "2026-02-16"),
        ("1个月前", "2026-02"),
        ("5 小时前", "2026-03-02"),
        ("前天", "2026-02-28"),
        ("Mar 1, 2024", "2024-03-01"),
        ("some days ago", None),
        ("9" * 200 + " days ago", None),
    ],
)
def test_a_date_that_counts_back_from_the_day_of_the_request(text, day):
    assert iso_date(text, TODAY) == day
