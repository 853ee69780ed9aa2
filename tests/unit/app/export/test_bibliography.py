"""BibTeX and CSL-JSON: braces that match, keys of their own, nothing that is not known."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from weiwo.app.export.bibliography import render_bibtex, render_csl
from weiwo.app.export.report import Report, Source, read_result

WEB = Source(
    1, "Aurora: prices & plans", "https://a.org/x%20y?b=1_2#c", "https://a.org/x%20y?b=1_2#c", date="2024-03-05"
)
FILE = Source(
    2, "Pricing 100% {old", "docs/p_v1.2.md", locator="page 2", date="2022-01-31", file_date=True, version="1.2"
)


def report(sources: Sequence[Source]) -> Report:
    return replace(read_result({}), sources=tuple(sources))


def test_an_entry() -> None:
    assert render_bibtex(report([WEB])).decode() == (
        "@misc{aurora-prices-plans-2024,\n"
        "  title = {{Aurora: prices \\& plans}},\n"
        "  year = {2024},\n"
        "  month = mar,\n"
        "  day = {5},\n"
        "  howpublished = {\\url{https://a.org/x%20y?b=1_2#c}},\n"
        "  url = {https://a.org/x%20y?b=1_2#c},\n"
        "  note = {cited as [1]},\n"
        "}\n"
    )


def test_a_file_has_a_version_and_no_date_that_is_only_its_own() -> None:
    entry = render_bibtex(report([FILE])).decode()
    assert "year" not in entry
    assert "edition = {Version 1.2}" in entry
    assert "Pricing 100\\% \\textbraceleft{}old" in entry
    (item,) = json.loads(render_csl(report([FILE])))
    assert item == {
        "id": "pricing-old",
        "type": "document",
        "title": "Pricing 100% {old",
        "archive_location": "docs/p_v1.2.md",
        "version": "1.2",
        "note": "cited as [2] page 2",
    }


def test_one_entry_for_each_document_and_none_for_a_calculation() -> None:
    again = Source(3, FILE.title, FILE.address, locator="page 4")
    items = json.loads(render_csl(report([WEB, FILE, again, Source(4, "Calculation")])))
    assert [item["note"] for item in items] == ["cited as [1]", "cited as [2] page 2, [3] page 4"]
    assert items[0]["issued"] == {"date-parts": [[2024, 3, 5]]}


TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=20)


@given(st.lists(st.tuples(TEXT, TEXT.filter(bool)), max_size=6))
def test_braces_match_and_keys_differ_whatever_a_title_holds(told: list[tuple[str, str]]) -> None:
    sources = [Source(n, title, address) for n, (title, address) in enumerate(told, 1)]
    entries = render_bibtex(report(sources)).decode()
    depth = 0
    for sign in entries:
        depth += {"{": 1, "}": -1}.get(sign, 0)
        assert depth >= 0
    assert depth == 0
    keys = re.findall(r"^@misc\{(.*),$", entries, re.MULTILINE)
    assert len(keys) == len(set(keys)) == len({address for _, address in told})
    assert all(re.fullmatch(r"[a-z0-9-]+", key) for key in keys)
    assert [item["id"] for item in json.loads(render_csl(report(sources)))] == keys
