"""The head of a passage as a model sees it."""

import pytest
from langchain_core.messages import HumanMessage

from tests.support.states import passage
from weiwo.models.prompt_passages import PromptPassages
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


def test_passages_are_numbered_by_relevance_and_stand_in_reading_order():
    shown = [passage(text, source, locator=lines) for text, source, lines in
             (("Nine.", "a.md", "lines 90-95"), ("Two.", "b.md", ""), ("One.", "a.md", "lines 9-12"))]  # fmt: skip
    heads = [line for line in format_passages(shown).splitlines() if line.startswith("<passage")]
    assert [head.split(" title")[0] for head in heads] == ['<passage n="3"', '<passage n="1"', '<passage n="2"']


def test_a_prompt_that_is_too_long_loses_the_least_relevant_passages():
    best, other = (
        passage(word * 40, "a.md", locator=lines) for word, lines in (("best ", "lines 9-9"), ("other ", "lines 1-1"))
    )
    prompt = PromptPassages.of([HumanMessage(format_passages([best, other]))])
    (left,) = prompt.shorten_prompt(0.5) or ()
    assert ("best" in left.content, "other" in left.content) == (True, False)
    (cut,) = prompt.shorten_prompt(0.1) or ()
    assert cut.content.splitlines()[-3:] == [
        '<passage n="1" title="" source="a.md">',
        "best best best best …",
        "</passage>",
    ]
