"""The answer as a tree: its blocks, its marks, its claims, and what is a link."""

import pytest

from tests.support.results import ANSWER, make_result
from weiwo.app.export.document import find_letters, parse_document, plain
from weiwo.text.citation_marks import seal_marks
from weiwo.text.markdown import Node, Run

LINKS = {1: "https://docs.example.org/api?x=1", 2: ""}


def runs_of(answer: str, claims: list[dict[str, object]] | None = None) -> tuple[Run, ...]:
    (node,) = parse_document(seal_marks({"answer": answer}), claims or [], LINKS)
    return node.runs


def test_the_blocks_of_an_answer() -> None:
    nodes = parse_document(seal_marks({"answer": ANSWER}), make_result()["claims"], LINKS)
    assert [node.kind for node in nodes] == ["heading", "paragraph", "table", "list", "code", "quote"]
    table, numbered = nodes[2], nodes[3]
    assert [[plain(cell) for cell in row] for row in table.rows][:2] == [["Year", "Price (EUR)"], ["2021", "15"]]
    assert numbered.start == 1
    assert [child.kind for child in numbered.children[0].children] == ["paragraph", "list"]
    assert nodes[4] == Node("code", text='print("<b>hello</b>")', language="python")


def test_each_claim_is_found_where_it_stands() -> None:
    claims = make_result()["claims"]
    found: dict[int, str] = {}

    def walk(nodes: tuple[Node, ...]) -> None:
        for node in nodes:
            for run in (*node.runs, *(run for row in node.rows for cell in row for run in cell)):
                if run.claim >= 0:
                    found[run.claim] = found.get(run.claim, "") + run.text
            walk(node.children)

    walk(parse_document(seal_marks({"answer": ANSWER}), claims, LINKS))
    assert found == {
        0: "Aurora costs 20 euros a month",
        1: "It was founded in 2011; see aurora --help.",
        2: "15",
        3: "18",
        4: "20",
        5: "First, install it",
        6: "Then run it (unverified).",
    }


def test_a_claim_that_is_not_there_holds_up_no_other() -> None:
    claims = [{"text": "Nowhere."}, {"text": "Aurora is a lamp of 2011."}]
    assert [run.claim for run in runs_of("Aurora is a lamp of 2011 [1].", claims)] == [1, -1, -1]


@pytest.mark.parametrize(
    ("answer", "cites"),
    [("It is so [1][2].", [1, 2]), ("It is so [1, 2].", [1, 2]), ("It is so [7].", []), ("Take `a[1]` or a[1].", [])],
)
def test_marks_that_lead_to_a_source_are_marks(answer: str, cites: list[int]) -> None:
    assert [run.cites for run in runs_of(answer) if run.cites] == cites


def test_only_what_is_cited_is_a_link() -> None:
    said = "[a](https://docs.example.org/api?x=1) [b](https://evil.test/) ![c](https://docs.example.org/api?x=1)"
    found = [(run.text.strip(), run.link) for run in runs_of(said) if run.text.strip()]
    assert found == [("a", LINKS[1]), ("b", ""), ("c", "")]


@pytest.mark.parametrize(
    ("answer", "bold"),
    [
        ("**他死于公元前87年。**他在位54年。", "他死于公元前87年。"),
        ("他说**“知之为知之”**而已。", "“知之为知之”"),
        ("He **left.** Then came.", "left."),
    ],
)
def test_emphasis_beside_chinese_signs(answer: str, bold: str) -> None:
    assert [run.text for run in runs_of(answer) if run.bold] == [bold]
    assert "*" not in "".join(run.text for run in runs_of(answer))


def test_words_are_found_whatever_stands_between_their_letters() -> None:
    text = "Aurora costs 20 euros\na month, it says."
    assert find_letters(text, "costs 20 euros a  month.") == (7, 29)
    assert find_letters(text, "Nova") is None
    assert find_letters(text, "…") is None
