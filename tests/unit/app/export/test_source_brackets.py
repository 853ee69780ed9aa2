"""Brackets of a source come out of every export as they are: references, footnotes, wiki links are no citations."""

import io
import json
import re
from html import unescape
from html.parser import HTMLParser

import docx
import pptx
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from tests.support.examples import examples
from tests.support.results import make_result
from weiwo.app.export import render
from weiwo.app.render.answer import plain_answer, print_answer
from weiwo.nodes.writer.pieces import Piece, read_piece
from weiwo.nodes.writer.rendering import Rendering
from weiwo.nodes.writer.snippet import format_snippets
from weiwo.nodes.writer.sources import CitableSource, CitableSources
from weiwo.state import Evidence, passage_id
from weiwo.state.answer import Extract

WORDS = st.sampled_from(("the pier", "was built", "in 1912", "as told", "see", "港口", "重修于", "a", "array"))
BRACKETS = st.one_of(
    st.sampled_from(
        ("[[2026-03-02]]", "[[Harbour log]]", "[^1]", "[^note]", "[cite: 2]", "【2†source】", "(source: 3)", "[sic]")
    ),
    st.integers(1, 40).map("[{}]".format),
    st.lists(st.integers(1, 9), min_size=2, max_size=4).map(lambda some: f"[{', '.join(map(str, some))}]"),
    st.tuples(st.integers(1, 9), st.integers(1, 9)).map(lambda pair: f"[{pair[0]}][{pair[1]}]"),
    st.integers(1, 9).map("[{}-12]".format),
)
TEXTS = st.lists(st.tuples(WORDS, BRACKETS, st.sampled_from(("", " ", ", "))), min_size=1, max_size=8).map(
    lambda parts: "".join(f"{word}{gap}{bracket} " for word, bracket, gap in parts).strip() + "."
)


class _Words(HTMLParser):
    """The words of a page's article, and the citation marks in it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.text, self.marks = "", list[str]()
        self.feed(page[page.index("<article>") : page.index("</article>")])

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self.marks.append(dict(attrs).get("href") or "")


def answer_with(told: str, said: str) -> dict[str, object]:
    """A result that shows a passage, and a sentence that a model copied from it."""
    items = [Evidence(id=passage_id(f"{n}{told}"), text=told, source=f"{n}.md", title=f"{n} Notes [7]") for n in (1, 2)]
    sources = CitableSources(tuple(CitableSource(n, evidence=one) for n, one in enumerate(items, 61)), "en")
    shown = Rendering(sources)
    shown.add(read_piece(said, (), sources, "When was the pier built?"))
    extract = Extract(n=1, source="2.md", title=items[1].title, text=told, evidence_id=items[1].id)
    (snippet,) = format_snippets([(extract, "[62]")])
    shown.add(Piece(f"\n\n{snippet}"))
    marks = [mark.model_dump() for mark in shown.marks]
    citations = [one.model_dump(mode="json") for one in shown.citations]
    claims = [
        claim.model_dump(mode="json", exclude_defaults=True) | {"citations": claim.citations} for claim in shown.claims
    ]
    answer = shown.text.strip()
    evidence = [one.model_dump(mode="json") for one in items]
    return make_result(answer, marks=marks, citations=citations, claims=claims, evidence=evidence, extracts=[])


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


@examples(40)
@given(TEXTS)
def test_brackets_of_a_source_come_out_of_every_export_as_they_are(told: str) -> None:
    result = answer_with(told, "It is said so [61].")
    answer = str(result["answer"])
    assert [answer[mark["start"] : mark["end"]] for mark in result["marks"]] == ["[1]", "[2]"]  # type: ignore[index,attr-defined]
    assert told in answer
    wanted = squeezed(told)
    page = _Words(render(result, "html").decode())
    assert wanted in squeezed(page.text)
    assert len(page.marks) == 2
    written = docx.Document(io.BytesIO(render(result, "docx")))
    assert wanted in squeezed("".join(p.text for p in written.paragraphs))
    slides = pptx.Presentation(io.BytesIO(render(result, "pptx"))).slides
    shown = (shape.text_frame.text for slide in slides for shape in slide.shapes if shape.has_text_frame)
    assert wanted in squeezed("".join(shown))
    assert wanted in squeezed(unescape(render(result, "md").decode()))
    assert wanted in squeezed(json.loads(render(result, "json"))["answer"])
    assert wanted in squeezed(plain_answer(result))
    stream = io.StringIO()
    print_answer(Console(file=stream, width=90), result)
    assert wanted in re.sub(r"[\s│]+", "", stream.getvalue())


@examples(40)
@given(TEXTS)
def test_brackets_that_a_model_copies_are_the_source_s(told: str) -> None:
    copied = f"As the harbour master wrote of the old quay, {told}"
    result = answer_with(copied, copied)
    told_and_shown = squeezed(str(result["answer"])).count(squeezed(copied.rstrip(".")))
    assert told_and_shown == 2
