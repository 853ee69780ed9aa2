"""The whole of Weiwo on a web of its own: questions that take opening pages, and pages that are not what they seem.

The web is `tests.web_world`: some 320 pages on loopback behind one search engine. `benchmarks/web.py` asks all its
questions; here is a short part, and everything that must never happen.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.web_world.engine import Engine
from tests.web_world.hazards import of_each_kind, promises, tour
from tests.web_world.model import reader
from tests.web_world.questions import Question, questions
from tests.web_world.runs import ask, one_shot
from tests.web_world.server import WebWorld
from tests.web_world.site import CODINGS, TROUBLES, build
from weiwo.graph import build_graph
from weiwo.graph.persistence.store import open_store
from weiwo.state.settings import Context, Settings

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("weiwo_home")]
SEED = 7


@pytest.fixture
def web(monkeypatch: pytest.MonkeyPatch) -> Iterator[WebWorld]:
    with WebWorld(SEED) as world:
        monkeypatch.setenv("SEARXNG_BASE_URL", world.search_url)
        yield world


@pytest.fixture
def context(tmp_path: Path) -> Context:
    """Nothing but the web to look in."""
    empty = tmp_path / "documents"
    empty.mkdir()
    return Context(search=["searxng"], corpus=[str(empty)], tool_seconds=8)


ASKED = (
    "Who wrote The Salt Ledger?",
    "沐川造纸公司有多少员工？",
    "When was the author of The Copper Road born?",
    "In which town was the founder of Velmark Instruments born?",
    "青棠陶瓷公司的创始人是哪一年出生的？",
    "How long is the river that flows through the town where Odile Sternhagen was born?",
    "Which is longer, the Sornwater or the Quillow?",
    "When was Ottoline Brammersdorf born?",
)
DISPUTED = ("When was Ostrelby founded?", "What is the population of Treskholm?")
"""Questions whose two sides stand on pages that are both opened."""
DEAD_ENDS = "What is the population of Veldwick?"
"""A question on whose way there is a page that cannot be read."""


def chosen(*texts: str) -> list[Question]:
    """Questions by their words."""
    every = {one.text: one for one in questions(build(SEED), SEED)}
    return [every[text] for text in texts]


def test_the_web_is_what_it_is_said_to_be():
    site, again = build(SEED), build(SEED)
    assert {a: p.article.paragraphs for a, p in site.pages.items()} == {
        a: p.article.paragraphs for a, p in again.pages.items()
    }
    assert len(site.pages) >= 200
    assert {page.trouble for page in site.pages.values()} == {"", *TROUBLES}
    assert {page.coding for page in site.pages.values()} == {*CODINGS}
    assert sum(page.kind == "pdf" for page in site.pages.values()) >= 5
    assert sum(bool(page.copy_of) for page in site.pages.values()) >= 20
    asked = questions(site, SEED)
    assert len(asked) >= 60
    assert {one.language for one in asked} == {"en", "zh"}
    for one in asked:
        assert all(site.carriers(fact) for fact in one.needs), one.text
        assert bool(one.answers) == (one.shape != "unanswerable")


def test_no_snippet_answers():
    site = build(SEED)
    engine = Engine(site.pages.values(), "http://{host}")
    facts = {sentence for page in site.pages.values() for sentence in page.article.told.values()}
    for question in questions(site, SEED):
        for hit in engine.search(question.text):
            assert not any(sentence in hit["content"] for sentence in facts), question.text


async def test_every_kind_of_page_is_read_or_fails_for_the_right_reason(web):
    pages = of_each_kind(web)
    opened = await tour(web, [page for page in pages if page.trouble != "slow"], seconds=120)
    opened += await tour(web, [page for page in pages if page.trouble == "slow"], seconds=1)
    assert {one.page.trouble for one in opened} == {"", *TROUBLES}
    assert [(one.page.address, one.came, one.message[:200]) for one in opened if not one.right] == []
    assert [(one.text, one.seen) for one in promises([web], []) if not one.kept] == []
    assert web.private == 0
    asked = Counter(one.host for one in web.log if one.kind == "robots")
    assert asked["www.recordoffice.test"] == 1


async def test_questions_are_answered_from_opened_pages(web, context):
    graph = build_graph(tools=[web.read_page()], models=reader())
    answers = [await ask(graph, web, question, context) for question in chosen(*ASKED)]
    assert [(one.question.text, one.status, one.text) for one in answers if one.mark != "right"] == []
    assert all(one.recall(web.site) == 1.0 for one in answers if one.question.needs)
    assert all(one.calls for one in answers)
    assert [(one.text, one.seen) for one in promises([web], answers) if not one.kept] == []


async def test_without_a_model_what_is_asserted_is_right_and_the_rest_is_shown(web, context):
    graph = build_graph(tools=[web.read_page()])
    answers = [await ask(graph, web, question, context) for question in chosen(*ASKED)]
    assert [one.text for one in answers if one.status == "complete" and one.mark != "right"] == []
    assert {one.status for one in answers} <= {"complete", "extracts", "partial"}
    assert sum(one.status != "partial" for one in answers) >= len(answers) // 2
    assert not any(one.calls for one in answers)


async def test_one_search_is_not_enough(web):
    (question,) = chosen("When was the author of The Copper Road born?")
    for pages in (0, 3):
        answer = await one_shot(web, question, reader(), pages=pages)
        assert answer.mark == "none"


@pytest.mark.parametrize("model", [None, "scripted"])
async def test_sources_that_disagree_are_both_told(web, context, model):
    graph = build_graph(tools=[web.read_page()], models=reader() if model else None)
    answers = [await ask(graph, web, question, context) for question in chosen(*DISPUTED)]
    right = {"right"} if model else {"right", "none"}
    assert [(one.question.text, one.text) for one in answers if one.mark not in right] == []
    assert [one.raw["asserted"] for one in answers] == [[], []]


@pytest.mark.parametrize("text", [ASKED[0], DEAD_ENDS])
async def test_a_question_asked_again_needs_no_web(web, context, text):
    async with open_store(Settings.resolve(context)) as store:
        graph = build_graph(store=store, tools=[web.read_page()])
        (question,) = chosen(text)
        first = await ask(graph, web, question, context)
        second = await ask(graph, web, question, context)
    assert {one.kind for one in first.requests} >= {"search", "page"}
    dead = [one.path for one in first.requests if one.kind == "page" and one.status != 200]
    assert bool(dead) == (text == DEAD_ENDS)
    assert second.text == first.text
    assert second.kept
    assert second.requests == ()
