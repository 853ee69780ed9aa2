"""Documents in another language than the question are named; tables and settings are in none."""

import pytest

from tests.support.states import passage
from weiwo.nodes.shared.gaps import describe_languages
from weiwo.nodes.shared.question.parser import parse_question
from weiwo.state import Assessment
from weiwo.state.search import SearchState


def lines(question: str, *texts: tuple[str, str]) -> list[str]:
    assessment = Assessment.model_construct(frame=parse_question(question, "en"))
    evidence = {str(n): passage(text, source) for n, (source, text) in enumerate(texts)}
    return [gap.text for gap in describe_languages(SearchState(assessment=assessment, evidence=evidence), "en")]


@pytest.mark.parametrize(
    "table",
    [
        ("stock.csv", "id,nome,qty,um\n1,Ana,14,kg\n2,Carlos,3,kg\n3,Rita,9,un"),
        ("ports.md", "| Port | de | la |\n| --- | --- | --- |\n| Sund | 4 | 12 |\n| Ostrel | 9 | 3 |"),
        ("a.txt", "Ostrel 12"),
    ],
)
def test_a_table_says_no_language(table: tuple[str, str]) -> None:
    assert lines("How many kilograms does Carlos have?", table) == []


def test_prose_in_another_language_is_named_beside_a_table() -> None:
    prose = ("hafen.md", "Die Gebühr für die Benutzung des Hafens steigt im nächsten Jahr auf vierzehn Kronen.")
    (line,) = lines("What is the fee of the harbour?", prose, ("t.csv", "a,b\n1,2\n3,4"))
    assert line.startswith("The passages found are in German, the question is in English")
