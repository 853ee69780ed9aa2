"""Graph of a report, from outline to summary, with a `Send` per section.

    outline ──▶ section ──▶ summary
    │       ├─▶ section ──┤
    │       └─▶ section ──┘
    └─▶ done: a single draft is enough, as for most answers, and the writer's node writes it

The graph runs inside the writer's node and is checkpointed under it. After a crash LangGraph does not run a finished
section again: its result and its usage are in the checkpoint. Sections are announced to watchers in order, whichever
ends first.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal

from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send

# Before Python 3.12, pydantic rejects `typing.TypedDict`.
from typing_extensions import TypedDict

from weiwo.graph.execution.task_graph import TaskGraph
from weiwo.graph.tracing import on_loop
from weiwo.nodes.shared.run_context import RunContext
from weiwo.nodes.writer.report.outline import count_words, outline_report, report_sources
from weiwo.nodes.writer.report.section import ReportDraft, write_section, write_summary
from weiwo.nodes.writer.sources import CitableSources
from weiwo.state import DOUBTFUL, Outline, Section, Usage
from weiwo.state.events import AnswerStartedEvent, OutlinedEvent, SectionFinishedEvent
from weiwo.state.search import SearchState, add_usage, merge_by_key
from weiwo.text.citation_marks import clean_marks


class _ReportState(TypedDict, total=False):
    """Channels of the report graph."""

    outline: Outline
    sections: Annotated[dict[int, Section], merge_by_key]
    summary: Section
    usage: Annotated[Usage, add_usage]


class _SentSection(TypedDict):
    """Payload of a Send: only the number of the section, from 0.

    Other data are in memory, and made from the state again when a run is resumed.
    """

    number: int


@dataclass
class _ReportContext:
    """Runtime context of the report graph: in memory, for a single execution, never saved."""

    state: SearchState  # state after the search
    services: RunContext  # models and budget, shared by all sections
    sources: CitableSources  # sources of the report
    graph: TaskGraph  # the report graph
    config: RunnableConfig  # config of the writer's node, which leads to its checkpoints
    outline: Outline = field(default_factory=Outline)  # empty until it is made
    finished: dict[int, Section] = field(default_factory=dict)  # finished sections by number
    told: int = 0  # number of sections announced so far
    _known: asyncio.Task[None] | None = None

    async def recall(self) -> None:
        """Restore an interrupted execution once: count its usage, and announce its finished sections again."""
        self._known = self._known or asyncio.create_task(self._recall())
        await asyncio.shield(self._known)

    async def _recall(self) -> None:
        try:
            snapshot = await self.graph.aget_state(self.config)
        except ValueError:
            # `aget_state` raises ValueError if the graph has no checkpointer.
            return
        done = [snapshot.values, *(task.result for task in snapshot.tasks if isinstance(task.result, dict))]
        for values in done:
            self.services.budget.spent += values.get("usage", Usage())
        if isinstance(outline := snapshot.values.get("outline"), Outline):
            self.tell_outline(outline)
            for values in done:
                for number, section in values.get("sections", {}).items():
                    self.tell_section(number, section)

    def tell_outline(self, outline: Outline) -> None:
        """Store the outline, and announce its section titles if it has any."""
        self.outline = outline
        if titles := [section.title for section in outline.sections]:
            note = {"note": outline.limit} if outline.limit else {}
            self.services.emit(AnswerStartedEvent(decided_by="model"))
            self.services.emit(OutlinedEvent(title=outline.title, sections=titles, **note))

    def tell_section(self, number: int, section: Section) -> None:
        """Store a finished section, and announce every finished section that has no unfinished section before it.

        If section 2 ends before section 1, nothing is announced until section 1 ends, and then both are.
        """
        self.finished[number] = section
        while self.told in self.finished:
            done, title = self.finished[self.told], self.outline.sections[self.told].title
            text = clean_marks("".join(piece.text for piece in done.pieces), ()).strip()
            doubtful = sum(claim.verdict in DOUBTFUL for piece in done.pieces for claim in piece.claims)
            failure = {"failure": done.broken} if done.broken else {}
            self.told += 1
            self.services.emit(
                SectionFinishedEvent(
                    number=self.told,
                    title=title,
                    text=text,
                    words=count_words(text, self.services.language),
                    unverified=doubtful,
                    **failure,
                )
            )


async def run_report(
    state: SearchState, services: RunContext, config: RunnableConfig, graph: TaskGraph
) -> tuple[ReportDraft, Usage]:
    """Write outline, sections and summary of a report, without assembling the report.

    Called inside a node. If the node was interrupted before, finished sections are not written again.

    Args:
        state: The state after the search.
        services: Models and budget.
        config: The node's own config.
        graph: `report_graph`, which a node must name itself, because LangGraph finds the subgraphs of a node among the
            names that its function uses.

    Returns:
        The report, without sections if the answer should be a single draft, and the usage, with 0 seconds.
    """
    context = _ReportContext(state, services, report_sources(state, services), graph, config)
    ran: dict[str, Any] = await graph.ainvoke({"sections": {}}, context=context)
    written = {number: section for number, section in ran.get("sections", {}).items() if section.pieces}
    report = ReportDraft(outline=ran.get("outline", Outline()), sections=written, summary=ran.get("summary", Section()))
    return report, ran.get("usage", Usage())


async def _outline(
    state: _ReportState,  # noqa: ARG001 - LangGraph calls it so
    runtime: Runtime[_ReportContext],
) -> _ReportState:
    context = runtime.context
    await context.recall()
    services = context.services.create_child_context()
    outline = await outline_report(context.state, services, context.sources)
    context.tell_outline(outline)
    return {"outline": outline, "usage": services.budget.delta()}


async def _section(state: _SentSection, runtime: Runtime[_ReportContext]) -> _ReportState:
    context, number = runtime.context, state["number"]
    await context.recall()
    services, outline = context.services.create_child_context(), context.outline
    section = await write_section(context.state, services, outline, outline.sections[number], context.sources)
    context.tell_section(number, section)
    return {"sections": {number: section}, "usage": services.budget.delta()}


async def _summary(state: _ReportState, runtime: Runtime[_ReportContext]) -> _ReportState:
    context, outline = runtime.context, state["outline"]
    await context.recall()
    services = context.services.create_child_context()
    sections = [state["sections"].get(n, Section()) for n in range(len(outline.sections))]
    summary = await write_summary(context.state, services, outline, sections, context.sources)
    return {"summary": summary, "usage": services.budget.delta()}


def _begin(state: _ReportState) -> Literal["report", "one draft"]:
    return "report" if "sections" in state else "one draft"


def _send_sections(state: _ReportState) -> Sequence[Send] | str:
    count = len(state["outline"].sections)
    return [Send("section", _SentSection(number=n)) for n in range(count)] if count else END


def _compile() -> TaskGraph:
    builder: StateGraph[_ReportState, _ReportContext, _ReportState, _ReportState] = StateGraph(_ReportState)
    builder.add_node("outline", _outline)
    builder.add_node("section", _section, input_schema=_SentSection)
    builder.add_node("summary", _summary)
    builder.add_conditional_edges(START, on_loop(_begin), {"report": "outline", "one draft": END})
    builder.add_conditional_edges("outline", on_loop(_send_sections), ["section", END])
    builder.add_edge("section", "summary")
    builder.add_edge("summary", END)
    return builder.compile(name="report")


report_graph: Final = _compile()
