"""Pieces of an answer: which citation a claim ends with, and where; how they are rendered."""

import pytest

from tests.support.states import passage
from weiwo.nodes.writer.document import claim_spans
from weiwo.nodes.writer.piece_stream import split_pieces
from weiwo.nodes.writer.pieces import ClaimPlace, Piece, _cite_sources, describe_claim, read_piece
from weiwo.nodes.writer.rendering import Rendering
from weiwo.nodes.writer.sources import CitableSource, CitableSources
from weiwo.state import Evidence, passage_id
from weiwo.text.citation_marks import shield_brackets


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        ("Ada was born in 1815, before Alan [2].", "Ada was born in 1815, before Alan [2]."),
        ("Ada was born in 1815.", "Ada was born in 1815 [1]."),
        ("Ada was born in 1815 [7].", "Ada was born in 1815 [1]."),
        ("Ada was born in 1912 [1].", "Ada was born in 1912 [1]."),
        ("You should read of Ada, born in 1815.", "You should read of Ada, born in 1815."),
        ("The sources do not say where Ada was born in 1815.", "The sources do not say where Ada was born in 1815."),
        ("Ada died in Paris [2].", "Ada died in Paris [2]."),
        ("Here is the comparison of Ada and Alan:", "Here is the comparison of Ada and Alan:"),
    ],
)
async def test_a_citation_is_added_only_where_none_exists_and_one_carries_all(claim, said):
    ada, alan = (
        passage("Ada was born in 1815 in London.", "a.md"),
        passage("Ada, born in 1815, came before Alan.", "b.md"),
    )
    if "[2]" not in said or "Paris" in said:
        alan = passage("Alan was born in 1912.", "b.md")
    items = tuple(CitableSource(n, evidence=one, quote="x") for n, one in enumerate((ada, alan), 1))
    assert read_piece(claim, (), CitableSources(items, "en"), "Who was born first?").text == said


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        (
            "It is fast [3]. [1] and [2] say so. [2] adds why.",
            ["It is fast [3].", "[1] and [2] say so.", "[2] adds why."],
        ),
        ("它很快[3]。[1]和[2]都这样说。它也很小[2]。", ["它很快[3]。", "[1]和[2]都这样说。", "它也很小[2]。"]),
        ("It is fast. [1] It is small. [2]", ["It is fast. [1]", "It is small. [2]"]),
        ("It is fast [1]. [2]\n\nIt is small [3].", ["It is fast [1]. [2]", "It is small [3]."]),
    ],
)
async def test_a_mark_behind_a_sentence_that_has_its_own_begins_the_next(text, claims):
    async def deltas():
        for start in range(0, len(text), 3):
            yield text[start : start + 3]

    assert [text[a:b] for a, b in claim_spans(text)] == claims
    assert [piece.strip() async for piece in split_pieces(deltas())] == claims


@pytest.mark.parametrize(
    ("sentence", "numbers", "said"),
    [
        ("Ada was born in 1815 [2].", [1], "Ada was born in 1815 [1]."),
        ("Both [1] and [2] say so.", [1, 2, 3], "Both [1] and [2] say so [3]."),
        ("Ada came first [1][2].", [2, 3], "Ada came first [2][3]."),
    ],
)
def test_marks_inside_a_sentence_stay_where_they_are(sentence, numbers, said):
    assert _cite_sources(sentence, numbers, "en") == said


def test_a_claim_is_judged_with_its_marks_in_place():
    ada, alan = passage("Ada was born in 1815.", "a.md"), passage("Alan was born in 1912.", "b.md")
    sources = CitableSources(tuple(CitableSource(n, evidence=one) for n, one in enumerate((ada, alan), 1)), "en")
    texts = (
        "Both [1] and [2] tell of a\nbirth.",
        "\n\n| Who | Born |\n|---|---|\n| Ada | 1815 [1] |\n",
        "\n```py\n# ran today\n```\n\n## Dates\n\nAda [1] came first.",
    )
    pieces = [read_piece(text, (), sources, "Who was born?") for text in texts]
    shown = [describe_claim(pieces, ClaimPlace(*place)) for place in ((0, 0), (1, 0), (2, 1))]
    assert describe_claim(pieces, ClaimPlace(2, 0))[1].text == "```py\n# ran today\n```"
    told = ["Both [1] and [2] tell of a birth.", "(Ada, Born) 1815 [1]", "Ada [1] came first."]
    assert [(heading, claim.text) for heading, claim in shown] == list(zip(["", "", "Dates"], told, strict=True))


def test_a_sentence_may_begin_in_lower_case_behind_a_citation():
    text = "It is fast [1]. httpx is slower [2]. See e.g. [1] httpx."
    assert [text[a:b] for a, b in claim_spans(text)] == [
        "It is fast [1].",
        "httpx is slower [2].",
        "See e.g. [1] httpx.",
    ]


def test_a_passage_is_shown_letter_by_letter():
    told = "see [[2026-03-02]] and footnote[^1], array[0], [1] and (see [3]); hired in 2012 [12]."
    one = Evidence(id=passage_id(told), text=told, source="a.md", title="Notes")
    rendering = Rendering(CitableSources((CitableSource(7, evidence=one),), "en"))
    spoken = rendering.add(Piece(f"\n\n> {shield_brackets(told)}\n\n— Notes [7]"))
    assert spoken.strip() == f"> {told}\n\n— Notes [1]"
    (mark,) = rendering.marks
    assert (mark.n, mark.end) == (1, len(spoken.strip()))


def test_a_draft_that_copies_a_bracket_cites_nothing_by_it():
    told = "The pier was built on [[2026-03-02]] by the guild [1], see the harbour book[^2]."
    items = [CitableSource(n, evidence=Evidence(id=f"p{n}", text=told, source="a.md")) for n in (2, 3)]
    sources = CitableSources(tuple(items), "en")
    rendering = Rendering(sources)
    said = rendering.add(read_piece(f"{told.rstrip('.')} [3].", (), sources, "When was the pier built?"))
    assert said == f"{told.rstrip('.')} [1]."
    assert [said[mark.start : mark.end] for mark in rendering.marks] == ["[1]"] == [said[-4:-1]]
    assert [(claim.text, claim.citations) for claim in rendering.claims] == [(told, (1,))]
