"""Reuse of answers: given again with their age as long as nothing that shaped them has changed, and else never."""

import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore

from tests.support.fake_model import FakeModel, assessed, fake, found
from tests.support.run import search_tool, services
from tests.support.schema import check_result
from tests.support.states import passage, state_of
from weiwo.app.render.answer import describe_age
from weiwo.graph import build_graph
from weiwo.nodes.memory.memory_store import MemoryStore
from weiwo.nodes.memory.reuse import _DAY, EarlierAnswer, _question_key, forget_answers, keep_answer
from weiwo.nodes.memory.wishes import add_wish
from weiwo.state.settings import Context
from weiwo.tools.corpus.retrieval.indexed_corpus import IndexedCorpus

LONG = "How long is the Yangtze?"
LENGTH = "The Yangtze is 6,300 kilometres long [1]."
ON = {"answer_memory": True, "web": False}


@pytest.fixture(autouse=True)
def _fresh(index_sample):
    index_sample(Path(os.environ["WEIWO_HOME"]))


def model(**more: Any) -> FakeModel:
    script: dict[str, Any] = {
        "AssessmentReply": assessed(LONG),
        "ToolAssessmentReply": assessed(LONG),
        "ReadReply": found("6,300 kilometres", "6,300 kilometres"),
        "EntailmentReply": {"verdicts": [{"n": 1, "verdict": "supported"}]},
        "draft": LENGTH,
    }
    return fake(**{**script, **more})


class Desk:
    """A store that outlives its graphs, and threads upon it."""

    def __init__(self) -> None:
        self.store, self.saver, self.threads = InMemoryStore(), InMemorySaver(), 0
        self.memory = MemoryStore(self.store, "local")

    async def ask(self, question: str = LONG, *, thread: str = "", tools: Any = (), **context: Any) -> Any:
        """The result, and how often a model was asked for it."""
        self.threads += 1
        asked = context.pop("model", None) or model()
        graph = build_graph(self.saver, self.store, models=asked, tools=tools)
        config: Any = {"configurable": {"thread_id": thread or f"t{self.threads}"}}
        values = await graph.ainvoke({"question": question}, config, context=Context(**{**ON, **context}))
        check_result(values["result"])
        return values["result"], len(asked.requests)


@pytest.fixture
async def desk():
    desk = Desk()
    result, calls = await desk.ask()
    assert (result["status"], "from_thread" in result) == ("complete", False)
    assert calls > 0
    return desk


async def test_the_same_question_is_answered_as_before_without_a_model(desk):
    again, calls = await desk.ask("how long is Yangtze")
    assert (calls, again["usage"]["model_calls"], again["usage"]["tool_calls"]) == (0, 0, 0)
    assert (again["from_thread"], again["thread_id"], again["question"]) == ("t1", "t2", "how long is Yangtze")
    assert again["answer"] == "The Yangtze is 6,300 kilometres long [1]."
    assert again["citations"][0]["source"].endswith("yangtze.md")
    assert [passage["id"] for passage in again["evidence"]] == [again["citations"][0]["evidence_id"]]
    third, _ = await desk.ask()
    assert third["from_thread"] == "t1"  # its age is that of the answer, not of its last telling


async def test_its_thread_goes_on_like_any_other(desk):
    await desk.ask()
    follow_up, calls = await desk.ask(LONG, thread="t2")
    assert "from_thread" not in follow_up
    assert calls > 0


@pytest.mark.parametrize(
    "change",
    [
        {"question": "How wide is the Yangtze?"},
        {"fresh": True},
        {"answer_memory": False},
        {"answer_memory": None},  # Python and servers look anew unless told otherwise
        {"depth": "quick"},
        {"form": "table"},
        {"max_turns": 1},
        {"site": ["who.int"]},
    ],
)
async def test_what_is_asked_otherwise_is_looked_up(desk, change):
    result, calls = await desk.ask(**change)
    assert "from_thread" not in result
    assert calls > 0


async def test_what_changed_since_is_looked_up(desk, monkeypatch):
    monkeypatch.setattr(IndexedCorpus, "version", "7.2")  # a document was written
    assert (await desk.ask())[1] > 0
    await add_wish(desk.memory, "I count in miles")
    assert (await desk.ask())[1] > 0
    assert (await desk.ask())[1] == 0  # and that was kept


async def test_what_cannot_be_told_to_be_unchanged_is_not_kept(monkeypatch):
    monkeypatch.setattr(IndexedCorpus, "version", "")  # a store elsewhere
    desk = Desk()
    assert (await desk.ask())[0]["status"] == "complete"
    assert await desk.memory.list("answers") == []


@pytest.mark.parametrize(
    ("web", "days", "counts"), [(True, 0.9, True), (True, 1.1, False), (False, 29, True), (False, 31, False)]
)
async def test_answers_grow_old(desk, web, days, counts):
    (one,) = await desk.memory.read_all("answers", EarlierAnswer)
    kept = one.model_copy(update={"from_web": web})
    assert kept.counts(one.context, one.at + days * _DAY) is counts
    assert not kept.counts("another", one.at)
    assert not kept.counts(one.context, one.at - 60)  # the clock was set back: nobody knows how old it is


async def test_other_users_have_answers_of_their_own(desk):
    assert await MemoryStore(desk.store, "client:zoe").list("answers") == []


async def test_a_tool_of_somebodys_own_is_asked_each_time():
    desk = Desk()
    own = [search_tool(lambda _: "The Yangtze is 6,300 kilometres long.")]  # named like the built-in one
    assert (await desk.ask(tools=own))[0]["status"] == "complete"
    assert (await desk.ask(tools=own))[1] > 0


async def test_an_answer_that_is_not_complete_is_not_kept():
    desk = Desk()
    built = "When was the Zorblax Viaduct built?"
    nothing = {"next": "give_up", "value": None, "quotes": [], "confidence": 0}
    lost = model(**dict.fromkeys(("AssessmentReply", "ToolAssessmentReply"), assessed(built)), ReadReply=nothing)
    result, _ = await desk.ask(built, model=lost)
    assert result["status"] != "complete"
    assert await desk.memory.list("answers") == []


@pytest.mark.parametrize(
    ("flags", "error", "kept"), [((), None, 1), (("instructions",), None, 0), ((), "openai:x: no connection", 0)]
)
async def test_what_rests_on_a_page_that_gives_orders_or_on_rules_for_want_of_a_model_is_not_kept(flags, error, kept):
    memory, run = MemoryStore(InMemoryStore(), "local"), services(model=model())
    run = replace(run, memory=memory, settings=replace(run.settings, answer_memory=True))
    state = state_of(LONG, run, level="moderate", evidence=(passage("It is long.", flags=flags),))
    result: dict[str, Any] = {"status": "complete", "thread_id": "t", "citations": [], "outcomes": {}, "evidence": []}
    result["usage"] = {"calls": [{"error": None}, {"error": error}]}
    await keep_answer(state, result, "It is long.", run)
    assert len(await memory.list("answers")) == kept


async def test_an_answer_that_was_bad_is_forgotten(desk):
    (one,) = await desk.memory.read_all("answers", EarlierAnswer)
    assert not await forget_answers(desk.memory, run="another run")
    assert await forget_answers(desk.memory, run=one.run)
    assert (await desk.ask())[1] > 0


async def test_what_another_version_kept_is_passed_over(desk):
    (entry,) = await desk.memory.list("answers")
    await desk.memory.store_entry(
        "answers", entry.key, {**entry.value, "result": {**entry.value["result"], "evidence": [{}]}}
    )
    assert (await desk.ask())[1] > 0


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (LONG, "how long is  the Yangtze", True),
        (LONG, "Please tell me how long the Yangtze is", False),  # other words: nobody knows
        ("Did Ada beat Alan?", "Did Alan beat Ada?", False),
        ("Which planets have moons?", "Which planets have no moons?", False),
        ("长江有多长？", "请问长江有多长", True),
        ("长江有多长？", "黄河有多长？", False),
    ],
)
def test_only_the_same_words_are_the_same_question(one, other, same):
    language = "zh" if "江" in one else "en"
    assert (_question_key(one, language) == _question_key(other, language)) is same


def test_its_age_is_told_in_words():
    now = datetime(2026, 11, 23, 12, tzinfo=UTC)
    told = []
    for age in (timedelta(seconds=5), timedelta(minutes=1), timedelta(hours=5), timedelta(days=3)):
        result = {"from_thread": "t1", "answered_at": (now - age).isoformat(), "language": "en"}
        told.append(describe_age(result, now).partition(" (thread t1)")[0])
    assert told == ["answered a moment ago", "answered 1 minute ago", "answered 5 hours ago", "answered 3 days ago"]
    chinese = {"from_thread": "t1", "answered_at": (now - timedelta(days=3)).isoformat(), "language": "zh"}
    assert describe_age(chinese, now).startswith("3 天前已回答过（会话 t1）")
    assert describe_age({"language": "en"}, now) == ""
