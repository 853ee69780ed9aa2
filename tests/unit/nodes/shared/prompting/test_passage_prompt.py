"""The head of a passage as a model sees it."""

import pytest

from tests.support.states import passage
from weiwo.nodes.shared.prompting.passage_prompt import format_passage, format_passages
from weiwo.nodes.writer.verification.grounds import collect_grounds
from weiwo.state.evidence import FILE_DATE

TEXT = "The granary of Wendle is emptied on 3 May."


@pytest.mark.parametrize(("flags", "told"), [((), True), ((FILE_DATE,), False)])
def test_a_date_of_the_file_is_none_of_its_content(flags, told):
    head = format_passage(1, passage(TEXT, date="2024-03-09", flags=flags)).partition("\n")[0]
    assert ('date="2024-03-09"' in head) == told
    assert ("2024" in head) == told


@pytest.mark.parametrize(("flags", "years"), [((), {2024}), ((FILE_DATE,), set())])
def test_a_day_is_of_the_year_that_the_document_states(flags, years):
    grounds = collect_grounds([passage(TEXT, date="2024-03-09", flags=flags)])
    assert {date.year for source in grounds.sources for date in source.dates} == years


def test_a_document_is_named_once_above_its_passages():
    shown = [passage(text, source, title) for text, source, title in
             (("One.", "a.md", "A"), ("Two.", "a.md", "A"), ("Three.", "b.md", "B"), ("Four.", "a.md", "A"))]  # fmt: skip
    heads = [line for line in format_passages(shown).splitlines() if line.startswith("<passage")]
    assert heads == [
        '<passage n="1" title="A" source="a.md">',
        '<passage n="2" of_document="1">',
        '<passage n="3" title="B" source="b.md">',
        '<passage n="4" title="A" source="a.md">',
    ]
