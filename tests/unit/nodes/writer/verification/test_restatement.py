"""Claims that one sentence of a source says, and those that only have its words."""

import pytest

from weiwo.nodes.writer.claims import ClaimSources, check_piece
from weiwo.nodes.writer.entailment import is_open
from weiwo.nodes.writer.verification.grounds import Grounds, collect_grounds
from weiwo.nodes.writer.verification.restatement import is_restated
from weiwo.state import Evidence, passage_id


def _grounds(title: str, text: str) -> Grounds:
    return collect_grounds([Evidence(id=passage_id(text), text=text, title=title, source="a.md")])


@pytest.mark.parametrize(
    ("claim", "title", "text"),
    [
        ("The Eiffel Tower is 330 metres tall.", "Eiffel Tower", "The Eiffel Tower is 330 metres (1,083 ft) high and stands in Paris."),
        ("The Blue Tower rises to a height of 330 metres.", "Blue Tower", "It is 330 metres tall and has 57 floors."),
        ("Acme was established in 1990.", "Firms", "Acme was founded in 1990."),
        ("Acme was founded in 1990.", "Acme", "The firm was founded on 3 May 1990."),
        ("The warranty of the VX lasts 24 months.", "VX", "The warranty of the VX lasts 2 years."),
        ("Ann Lee leads the Leeds office.", "Staff", "Ann Lee leads the Leeds office and its store."),
    ],
)  # fmt: skip
def test_a_sentence_says_it(claim: str, title: str, text: str) -> None:
    assert is_restated(claim, _grounds(title, text))


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("Acme acquired Bolt in 2019.", "Bolt acquired Acme in 2019."),
        ("Acme acquired Bolt in 2019.", "Acme was acquired by Bolt in 2019."),
        ("Acme acquired Bolt in 2019.", "Acme sold Bolt in 2019."),
        ("Acme acquired Bolt in 2019.", "Acme planned to acquire Bolt in 2019."),
        ("Acme closed in 1990.", "Acme was founded in 1990."),
        ("Acme rents 3 halls to Bolt.", "Acme rents 3 halls from Bolt."),
        ("Acme supplied Bolt until 2019.", "Acme supplied Bolt since 2019."),
        ("Sales rose by 20 million in 2019.", "Sales rose to 20 million in 2019."),
        ("All staff of Acme left in 2019.", "Some staff of Acme left in 2019."),
        ("Oslo Tower is the tallest tower in Norway.", "Oslo Tower is the second tallest tower in Norway."),
        ("Ann Lee is the head of Leeds.", "Ann Lee was the head of Leeds."),
        ("Ann Lee is the head of Leeds.", "Ann Lee is the deputy head of Leeds."),
        ("Tom Roe was murdered in 1940.", "Tom Roe died in 1940."),
        ("The mill burned down in 1871.", "The mill was built in 1871 and burned down in 1902."),
        ("Ann Lee wrote the foreword of Harbour.", "Ann Lee wrote Harbour; Tom Roe wrote the foreword."),
        ("Blue Tower is 330 metres tall.", "Red Tower is 330 metres tall."),
    ],
)
def test_a_sentence_that_says_something_else(claim: str, text: str) -> None:
    assert not is_restated(claim, _grounds("Notes", text))


def test_what_is_settled_is_not_judged() -> None:
    text = "The mill of Orla was opened in 1874."
    given = ClaimSources({1: (Evidence(id=passage_id(text), text=text, source="a.md", title="Orla"),)}, {})
    settled, left = check_piece("The mill of Orla opened in 1874 [1]. The mill of Orla was built in 1874 [1].", given)
    assert not is_open(settled)
    assert is_open(left)
