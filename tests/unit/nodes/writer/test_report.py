"""Reports: outlined, written section by section, checked, put together; nothing is written twice."""

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph

from tests.support.fake_model import FakeModel, Request, ScriptedError, fake
from tests.support.run import search_tool, services
from tests.support.states import got, lost, passage, search, state_of
from weiwo.graph.builder import _write
from weiwo.graph.execution.report_graph import report_graph
from weiwo.graph.persistence.serializer import with_state_types
from weiwo.nodes.shared.run_context import RunContext
from weiwo.nodes.writer.report.outline import (
    _affordable_sections,
    _sections_for,
    _word_goal,
    count_words,
    report_sources,
    wants_report,
)
from weiwo.state import Limits, Plan, Quote
from weiwo.state.search import SearchState

QUESTION = "Compare the storage of Alpha and Beta and recommend one."
FILLER = "The manual goes on about installation and about support for many kinds of machines in many places. " * 16
ALPHA = passage(f"Alpha stores its data in SQLite 3.45 since 2024. {FILLER}", "alpha.md", "Alpha", date="2024-05-01")
BETA = passage(f"Beta stores its data in Postgres 16 and needs a server. {FILLER[:-3]}", "beta.md", "Beta")
GAMMA = passage(f"Alpha is licensed under MIT. Beta is licensed under GPL. {FILLER[:-7]}", "licence.md", "Licences")
PLAN = Plan(
    tasks=(search("a", "Where does Alpha store data?", ret="text"), search("b", "Where does Beta?", ret="text"))
)
FOUND = {"a": got("a", "SQLite", "text", on=ALPHA), "b": got("b", "Postgres", "text", on=BETA)}

OUTLINE = {
    "title": "Alpha and Beta",
    "sections": [
        {"title": "Storage", "covers": "a table", "sources": [1, 2, 99]},
        {"title": "Licences", "covers": "both licences", "sources": [3]},
        {"title": "Nothing", "covers": "rests on nothing", "sources": [77]},
    ],
}
STORAGE = """## Storage

| System | Kept in |
| --- | --- |
| Alpha | SQLite 3.45 [1] |
| Beta | Postgres 16 [2] |

Alpha has stored its data in SQLite since 1999 [1]."""
LICENCES = "# Terms\n\nAlpha is licensed under MIT [3]. We recommend Alpha, which needs no server [2][3]."
SUMMARY = """Alpha is licensed under MIT [3] and keeps its data in SQLite 3.45 [1].

## Limitations

- The manuals hold no measurements of speed."""


STORED = "Alpha stores its data in SQLite [1]. Beta stores its data in Postgres [2]."


def author(request: Request) -> str:
    """What the model writes: the section that is asked for, or the summary."""
    said = request.text
    return STORAGE if "Your section: Storage" in said else LICENCES if "Your section: Licences" in said else SUMMARY


def judge(request: Request) -> dict[str, Any]:
    claims = re.findall(r"^(\d+)\. (.*)$", request.text.split("\nClaims:\n")[-1], re.MULTILINE)
    verdicts = [
        {"n": int(n), "verdict": "judgement" if "recommend" in text else "supported", "words": ""} for n, text in claims
    ]
    return {"verdicts": verdicts}


def model_of(**script: Any) -> FakeModel:
    return fake(
        **{"OutlineReply": OUTLINE, "draft": author, "EntailmentReply": judge, "RewriteReply": {"sentences": []}}
        | script
    )


def run_of(
    model: FakeModel | None, depth: Any = "normal", events: list[Any] | None = None, **limits: Any
) -> RunContext:
    run = services(search_tool(lambda _: None), model=model, events=events, limits=Limits(**limits))
    return RunContext(**{**vars(run), "settings": replace(run.settings, depth=depth)})


def state(run: RunContext, form: str = "report", words: int = 0, **more: Any) -> SearchState:
    given: dict[str, Any] = {"plan": PLAN, "outcomes": FOUND, "evidence": (ALPHA, BETA, GAMMA)} | more
    known = state_of(QUESTION, run, **given)
    frame = known["assessment"].frame.model_copy(update={"form": form, "words": words})
    known["assessment"] = known["assessment"].model_copy(update={"frame": frame})
    return known


def graph_of(open_context: Any, saver: Any = None) -> Any:
    async def writer(state: SearchState) -> Any:
        return await _write(state, open_context, report_graph)

    builder = StateGraph(SearchState)
    builder.add_node("writer", writer)
    builder.add_edge(START, "writer")
    builder.add_edge("writer", END)
    return builder.compile(checkpointer=saver)


@dataclass
class Written:
    result: dict[str, Any]
    events: list[dict[str, Any]]
    message: AIMessage
    usage: Any

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [event for event in self.events if event["type"] == kind]


async def written(model: FakeModel, **more: Any) -> Written:
    events: list[dict[str, Any]] = []
    settings = {key: more.pop(key) for key in ("depth", "max_model_calls", "max_tokens") if key in more}

    async def open_context(_: SearchState) -> RunContext:
        return run_of(model, events=events, **settings)

    values = await graph_of(open_context).ainvoke(state(run_of(model), **more))
    return Written(values["result"], events, values["messages"][-1], values["usage"])


async def test_a_report_has_title_summary_sections_and_limits_under_one_numbering():
    model = model_of()
    report = await written(model)
    answer = report.result["answer"]
    headings = re.findall(r"^#+ .*", answer, re.MULTILINE)
    assert headings == ["# Alpha and Beta", "## Storage", "## Licences", "### Terms", "## Limitations"]
    first = list(dict.fromkeys(int(n) for n in re.findall(r"\[(\d+)\]", answer)))
    assert first == [1, 2, 3]  # in the order a reader meets them, over all sections
    assert [one["title"] for one in report.result["citations"]] == ["Licences", "Alpha", "Beta"]
    assert "| Beta | Postgres 16 [3] |" in answer
    assert "SQLite since 1999 (unverified) [2]" in answer or "since 1999 [2] (unverified)" in answer
    verdicts = {claim["text"]: claim["verdict"] for claim in report.result["claims"]}
    assert verdicts["We recommend Alpha, which needs no server."] == "judgement"
    assert answer.index("no measurements of speed") < answer.index("It is based on 3 passages of 3 documents")
    assert (report.result["status"], report.result["stop_reason"]) == ("partial", "unsupported_claims")
    assert "Nothing" not in answer
    assert report.message.text.startswith(answer)


async def test_sections_are_told_of_in_order_and_every_call_is_booked_once():
    model = model_of()
    report = await written(model)
    kinds = [event["type"] for event in report.events if event["type"] != "model_called"]
    assert kinds == ["answer_started", "outlined", "section_finished", "section_finished", "finished"]
    assert report.of("outlined")[0]["sections"] == ["Storage", "Licences"]
    told = report.of("section_finished")
    assert [(one["number"], one["title"], one["unverified"]) for one in told] == [(1, "Storage", 1), (2, "Licences", 0)]
    assert "[" not in told[0]["text"]
    assert report.usage.model_calls == len(model.requests) == report.result["usage"]["model_calls"]
    assert report.usage.calls[0].purpose == "outline"


async def test_a_section_sees_its_own_sources_under_the_numbers_of_the_report():
    model = model_of()
    await written(model)
    asked = {
        re.search("Your section: (.*)", r.text)[1]: r.text for r in model.asked("draft") if "Your section" in r.text
    }
    assert re.findall(r'<passage n="(\d+)"', asked["Licences"]) == ["3"]
    assert re.findall(r'<passage n="(\d+)"', asked["Storage"]) == ["1", "2"]
    assert "- Storage (yours)\n- Licences: both licences" in asked["Storage"]


async def test_an_outline_sees_what_findings_rest_on_and_of_other_sources_the_beginning():
    deep = "Alpha is moved to Postgres in 2027."
    late = passage(f"{ALPHA.text}\n{FILLER} {deep} {FILLER * 30}", "late.md", "Late", date="2024-05-01")
    found = {**FOUND, "a": got("a", "Postgres", "text", on=late, quotes=(Quote(evidence_id=late.id, text=deep),))}
    model = model_of()
    await written(model, outcomes=found, evidence=(late, BETA, GAMMA))
    (request,) = model.asked("OutlineReply")
    first, second, third = re.findall(r"<passage n=.*?</passage>", request.text, re.DOTALL)
    assert deep in first
    assert len(first) < 20_000 < len(late.text)  # the words quoted, as much around them as there is room for
    assert BETA.text.strip() in second
    assert len(third) < 500 < len(GAMMA.text)
    run = run_of(model, max_tokens=40_000)
    assert [_affordable_sections(run, 5_000, told, 8)[0] for told in (0, 10_000)] == [7, 5]


async def test_what_was_not_found_has_a_heading_of_its_own():
    plan = Plan(tasks=(*PLAN.tasks, search("c", "What does Alpha cost?")))
    report = await written(model_of(), plan=plan, outcomes={**FOUND, "c": lost("c")})
    assert report.result["answer"].endswith("## Not found or uncertain\n\n- What does Alpha cost")
    assert report.result["status"] == "partial"


@pytest.mark.parametrize(
    ("licences", "status"),
    [
        ("We recommend Alpha, which needs no server [2].", "partial"),
        ("Beta is licensed under GPL [3].", "complete"),
    ],
)
async def test_a_requested_part_that_no_section_tells_is_named_and_the_report_is_partial(licences: str, status: str):
    plan = Plan(tasks=(*PLAN.tasks, search("c", "Under which licence is Beta?", ret="text")))
    outcomes = {**FOUND, "c": got("c", "GPL", "text", on=GAMMA)}

    def write(request: Request) -> str:
        return STORED if "Your section: Storage" in request.text else licences

    report = await written(model_of(draft=write), plan=plan, outcomes=outcomes)
    left_out = [gap["text"] for gap in report.result["gaps"] if "licence" in gap["text"]]
    assert (report.result["status"], len(left_out)) == (status, int(status == "partial"))
    outcomes_told = [part["outcome"] for part in report.result["parts"]]
    assert outcomes_told == ["answered", "answered", "failed" if status == "partial" else "answered"]
    assert ("Under which licence is Beta" in report.result["answer"]) == (status == "partial")


async def test_a_part_left_out_is_named_although_its_passage_is_cited_for_another():
    all_in_one = passage(f"{ALPHA.text} {BETA.text} {GAMMA.text}", "all.md", "All")
    plan = Plan(tasks=(*PLAN.tasks, search("c", "Under which licence is Beta?", ret="text")))
    outcomes = {
        key: got(key, value, "text", on=all_in_one)
        for key, value in zip("abc", ("SQLite", "Postgres", "GPL"), strict=True)
    }
    model = model_of(OutlineReply=ScriptedError("down"), draft=STORED.replace("[2]", "[1]"))
    report = await written(model, plan=plan, outcomes=outcomes, evidence=(all_in_one,))
    assert (report.result["status"], [part["outcome"] for part in report.result["parts"]][-1]) == ("partial", "failed")
    assert "Under which licence is Beta" in report.result["answer"]


@pytest.mark.parametrize(
    "outline",
    [
        ScriptedError("down"),
        {"title": "One", "sections": [{"title": "Storage", "sources": [1]}]},
        {"title": "Made up", "sections": [{"title": "A", "sources": [40]}, {"title": "B", "sources": []}]},
    ],
    ids=["no_reply", "one_section", "no_such_sources"],
)
async def test_an_outline_that_is_of_no_use_leaves_one_draft(outline: Any):
    plain = "Alpha stores its data in SQLite 3.45 [1]. Beta stores its data in Postgres 16 [2]."
    report = await written(model_of(OutlineReply=outline, draft=plain))
    assert report.result["answer"] == plain
    assert report.result["status"] == "complete"
    assert [event["type"] for event in report.events if event["type"] != "model_called"] == [
        "answer_started",
        "finished",
    ]


async def test_a_limit_on_calls_leaves_one_draft_that_says_so():
    plain = "Alpha stores its data in SQLite 3.45 [1]."
    model = model_of(draft=plain)
    report = await written(model, max_model_calls=6)
    assert not model.asked("OutlineReply")
    assert report.result["answer"].startswith(plain)
    assert "max_model_calls" in report.result["answer"]
    assert (report.result["status"], report.result["stop_reason"]) == ("partial", "max_model_calls")


async def test_a_section_that_breaks_off_is_named_and_the_others_stand():
    def breaking(request: Request) -> Any:
        return ScriptedError("down") if "Your section: Licences" in request.text else author(request)

    report = await written(model_of(draft=breaking))
    answer = report.result["answer"]
    assert "## Licences" not in answer
    assert "The section “Licences” is incomplete" in answer
    assert "## Storage" in answer
    assert report.of("section_finished")[1]["failure"]


@pytest.mark.parametrize(
    ("reply", "written_"),
    [
        ("```markdown\n## Licences\n\nAlpha is licensed under MIT [3].\n```", "Alpha is licensed under MIT [1]."),
        ("Sure! Here is the section:\n\n**Licences**\n\nAlpha is licensed under MIT [3].", "Alpha is licensed under MIT [1]."),
        ("Alpha is licensed under MIT [3].\n\n## Sources\n\n- [3] licence.md", "Alpha is licensed under MIT [1]."),
        ("Alpha is licensed under MIT [3]. " * 9, "Alpha is licensed under MIT [1]."),
        ("", None),
        ('{"section": "Alpha is licensed under MIT [3]."}', None),
    ],
    ids=["fenced", "announced", "with_sources", "over_and_over", "empty", "json"],
)  # fmt: skip
async def test_a_section_that_ignores_the_form_is_read_all_the_same(reply: str, written_: str | None):
    def careless(request: Request) -> Any:
        return reply if "Your section: Licences" in request.text else author(request)

    answer = (await written(model_of(draft=careless))).result["answer"]
    sections = dict(re.findall(r"^## (.*)\n\n((?:(?!^## )[^\n]*\n?)*)", answer, re.MULTILINE))
    assert (sections["Licences"].strip() if "Licences" in sections else None) == written_
    assert ("The section “Licences” is incomplete" in answer) == (written_ is None)
    assert "| Alpha | SQLite 3.45" in sections["Storage"]


async def test_what_limits_a_report_needs_no_source_and_its_figures_do():
    below = "**Limitations**\n\n- The README of Alpha speaks for Alpha alone.\n- Alpha has 40 users."

    def limited(request: Request) -> Any:
        return author(request) if "Your section" in request.text else f"Alpha is licensed under MIT [3].\n\n{below}"

    report = await written(model_of(draft=limited))
    verdicts = {claim["text"]: claim["verdict"] for claim in report.result["claims"]}
    assert verdicts["The README of Alpha speaks for Alpha alone."] == "supported"
    assert verdicts["Alpha has 40 users."] == "unsupported"
    limits = report.result["answer"].partition("## Limitations\n\n")[2]
    assert limits.startswith("- The README of Alpha speaks for Alpha alone.\n- Alpha has 40 users (unverified).")


async def test_a_summary_is_told_how_old_its_documents_are():
    model = model_of()
    await written(model)
    (summary,) = [r.text for r in model.asked("draft") if "Length of the summary" in r.text]
    assert "- Alpha, dated 2024-05-01\n- Beta, no date stated\n" in summary


async def test_without_a_summary_the_sections_stand():
    def tired(request: Request) -> Any:
        return author(request) if "Your section" in request.text else ScriptedError("down")

    report = await written(model_of(draft=tired))
    assert report.result["answer"].startswith("# Alpha and Beta\n\n## Storage\n\n| System")
    assert "failed to write a summary" in report.result["answer"]


async def test_one_call_less_allows_one_section_less():
    wide = {**OUTLINE, "sections": [*OUTLINE["sections"][:2], {"title": "More", "sources": [1]}]}
    words = (ALPHA, BETA, GAMMA, passage(FILLER * 2 + "End.", "more.md", "More"))
    report = await written(model_of(OutlineReply=wide), evidence=words, max_model_calls=13, depth="deep")
    assert report.of("outlined")[0]["sections"] == ["Storage", "More"]  # the last may be the recommendation
    assert report.of("outlined")[0]["note"] == "max_model_calls"
    assert "fewer sections" in report.result["answer"]
    assert report.result["stop_reason"] == "max_model_calls"


@pytest.mark.parametrize(
    ("form", "words", "depth", "wanted"),
    [
        ("report", 0, "normal", True),
        ("report", 0, "quick", False),
        ("", 0, "deep", False),
        ("", 2_000, "deep", True),
        ("", 2_000, "normal", False),
        ("table", 2_000, "deep", False),
        ("", 100, "deep", False),
    ],
)
def test_a_report_is_written_where_one_is_asked_for_or_a_long_answer_of_a_deep_search(form, words, depth, wanted):
    run = run_of(model_of(), depth)
    assert wants_report(state(run, form, words), run) is wanted


def test_without_a_model_there_is_no_report():
    run = run_of(None)
    assert not wants_report(state(run), run)


def test_a_report_is_no_longer_than_its_sources_carry():
    run = run_of(model_of(), "deep")
    long = tuple(passage(f"{n}. {FILLER * (n + 3)}", f"{n}.md") for n in range(12))
    goals = [
        _word_goal(known, run, report_sources(known, run))
        for known in (
            state(run, evidence=long),
            state(run, evidence=(ALPHA, BETA, GAMMA)),
            state(run, evidence=(ALPHA,)),
            state(run, evidence=long, words=1_000),
            state(run, evidence=long, words=400),
        )
    ]
    assert goals[0] == 4_000
    assert 300 <= goals[1] < 450
    assert goals[2:] == [0, 1_000, 0]
    assert [_sections_for(goal, "en") for goal in (4_000, 1_000, 300)] == [8, 6, 2]


@pytest.mark.parametrize(
    ("text", "language", "length"),
    [("It's version 3.45, isn't it?", "en", 5), ("它用 SQLite 保存。", "zh", 5), ("", "en", 0)],
)
def test_length_is_words_and_in_chinese_characters(text: str, language: Any, length: int):
    assert count_words(text, language) == length


@dataclass
class Desk:
    """A model whose answer for one section waits until it is released; what was asked is logged."""

    held: str = ""
    asked: list[str] = field(default_factory=list)
    waiting: asyncio.Event = field(default_factory=asyncio.Event)
    finished: asyncio.Event = field(default_factory=asyncio.Event)


class HeldModel(FakeModel):
    """A scripted model that holds back a section."""

    desk: Any = None

    async def _astream(self, messages: Any, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        section = re.search("Your section: (.*)", str(messages[-1].content))
        name = section[1] if section else "summary"
        self.desk.asked.append(name)
        if name == self.desk.held:
            self.desk.waiting.set()
            await asyncio.Event().wait()
        async for chunk in super()._astream(messages, *args, **kwargs):
            yield chunk


async def test_a_run_that_was_killed_between_sections_writes_none_twice():
    desk, saver = Desk(held="Licences"), with_state_types(InMemorySaver())
    model = HeldModel(script=model_of().script, desk=desk)
    thread: Any = {"configurable": {"thread_id": "one"}}
    told = asyncio.Event()

    class Listening(list[Any]):
        def append(self, event: Any) -> None:
            super().append(event)
            if event["type"] == "section_finished":
                told.set()

    events = Listening()

    async def open_context(_: SearchState) -> RunContext:
        return run_of(model, events=events)

    graph = graph_of(open_context, saver)
    first = asyncio.create_task(graph.ainvoke(state(run_of(model)), thread))
    async with asyncio.timeout(120):
        await desk.waiting.wait()
        await told.wait()
        await saved(graph, thread)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    assert sorted(desk.asked) == ["Licences", "Storage"]
    calls = len(model.requests)
    desk.held = ""
    events.clear()
    values = await graph.ainvoke(None, thread)
    assert desk.asked.count("Storage") == 1  # finished before: not written again
    assert desk.asked[2:] == ["Licences", "summary"]
    assert len(model.asked("OutlineReply")) == 1
    again = [(one["number"], one["title"]) for one in events if one["type"] == "section_finished"]
    assert again == [(1, "Storage"), (2, "Licences")]  # a resumed run tells again what had finished
    assert "| Beta | Postgres 16 [3] |" in values["result"]["answer"]
    assert values["usage"].model_calls == len(model.requests) > calls


async def saved(graph: Any, thread: Any) -> None:
    """Wait until what the first section came to is in the checkpoint."""
    while True:
        snapshot = await graph.aget_state(thread, subgraphs=True)
        inner = snapshot.tasks[0].state if snapshot.tasks else None
        if inner is not None and hasattr(inner, "tasks") and any(task.result for task in inner.tasks):
            return
        await asyncio.sleep(0.005)
