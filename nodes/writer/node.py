"""The writer: answers in the question's language, and only with content of the sources.

An answer comes from answerers (`answerers/`), one after the other until it is whole. A single table says which
answerers run in which case. Each yields pieces in their spoken form, with claims checked by code (`verification`): a
failing claim is spoken with a mark and does not stop the stream. Last it yields its settled part, after a model judged
the claims that code could not fully verify and failing claims were repaired once. The parts are folded into one answer,
from which ledger and result are made.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import Any, Final, Literal, NamedTuple

from langchain_core.messages import AIMessage

from weiwo.nodes.memory.reuse import keep_answer
from weiwo.nodes.shared.ledger import enter_missing, fill_ledger
from weiwo.nodes.shared.run_context import RunContext
from weiwo.nodes.writer.answerers import draft, reader, rules, unsourced
from weiwo.nodes.writer.answerers import report as written_report
from weiwo.nodes.writer.closing import close_ledger, find_unchecked, is_unjudged, list_unnamed
from weiwo.nodes.writer.context import WriterContext, open_writer_context
from weiwo.nodes.writer.notes import format_ending, list_documents_in_part, list_notes
from weiwo.nodes.writer.opening import record_check
from weiwo.nodes.writer.pieces import Piece, place_claims
from weiwo.nodes.writer.report.section import ReportDraft
from weiwo.nodes.writer.result import build_message, build_result, learn_from_answer
from weiwo.nodes.writer.speaker import stream_answer
from weiwo.nodes.writer.written_answer import AnswererName, Answering, AnswerPart, Coverage
from weiwo.state import Answer, Reflection
from weiwo.state.events import AnswerStartedEvent, FinishedEvent
from weiwo.state.ledger import Ledger
from weiwo.state.search import SearchState
from weiwo.text.offloading import offload_long

_Case = Literal["conversation", "told", "found", "given_up", "nothing", "unneeded"]
"""What an answer can rest on.

`conversation`: nothing was searched. `told`: sentences of readers. `found`: values without sentences of readers.
`given_up`: no value, but the sentence of a reader that gave up. `nothing`: no value. `unneeded`: no value, and the
master judged that no sources are needed.
"""
_Writer = Literal["shown", "large", "any", "none"]
"""Model that a row of the answerer table requires.

`shown`: a large model with sources in its prompt. `large`: a large model. `any`: at least a small model, which is asked
plain questions only. `none`: no model.
"""


_ANSWERERS: Final[Mapping[AnswererName, Callable[[WriterContext], Answering]]] = {
    "reader": reader.answer,
    "draft": draft.answer,
    "rules": rules.answer,
    "report": written_report.answer,
    "unsourced": unsourced.answer,
}


class _Row(NamedTuple):
    """Row of the answerer table: the cases and the model to which it applies, and the answerers.

    The first row that applies is used. Its answerers run in turn until the answer is whole.
    """

    cases: tuple[_Case, ...]
    writer: _Writer
    answerers: tuple[AnswererName, ...]


_ROWS: Final = (
    #    rests on             writer   who answers, in turn
    _Row(("conversation",), "shown", ("draft", "unsourced", "rules")),
    _Row(("conversation",), "any", ("unsourced", "rules")),
    _Row(("told",), "shown", ("reader", "draft", "rules")),
    _Row(("found",), "shown", ("draft", "rules")),
    _Row(("given_up",), "shown", ("reader", "rules")),
    _Row(("unneeded",), "large", ("unsourced", "rules")),
    _Row(("conversation", "told", "found", "given_up", "nothing", "unneeded"), "none", ("rules",)),
)
"""Answerers by case and model. A report with written sections is assembled without this table."""


def choose_answerers(context: WriterContext) -> tuple[AnswererName, ...]:
    """Return the names of the answerers to run in turn, as ("reader", "draft", "rules")."""
    if context.report is not None and context.report.sections:
        return ("report",)
    models = context.services.models
    large = models.has_decision_model("writer")
    available: dict[_Writer, bool] = {
        "shown": bool(context.prompt.messages),
        "large": large,
        "any": large or models.answers_plainly("writer"),
        "none": True,
    }
    case = _find_case(context)
    return next(row.answerers for row in _ROWS if case in row.cases and available[row.writer])


def _find_case(context: WriterContext) -> _Case:
    if not context.is_searched:
        return "conversation"
    told = bool(reader.list_told(context.state))
    if context.has_found:
        return "told" if told else "found"
    if not context.state["assessment"].needs_sources:
        return "unneeded"
    return "given_up" if told else "nothing"


async def writer(state: SearchState, services: RunContext, report: ReportDraft | None = None) -> dict[str, Any]:
    """Write, check and stream the answer, and build the result.

    A draft may have to name the unanswered parts of the question before its text. If these parts are then planned for,
    or the draft does not name them, nothing is streamed and the update has no result.

    Args:
        state: The state of the run.
        services: The models and the budget.
        report: A report with sections already written. A report without sections is written as one draft.

    Returns:
        The state update: `result`, `ledger` and `messages`, and `reflections` if a draft named the unanswered parts.
    """
    if state.get("ledger") is None:  # a node called by itself
        state = with_ledger(state, services)
    context = await open_writer_context(state, services, report)
    if report is not None and report.outline.limit:  # it kept something from being written
        services.budget.note(report.outline.limit)
    speech = _Speech(context)
    async with aclosing(speech.speak()) as pieces:
        first = await anext(pieces, "")
        looks = {"reflections": speech.looks} if context.asks_coverage and speech.is_covered else {}
        if speech.is_withheld:
            return looks
        message = await stream_answer(_resume(first, pieces))
    return {**await _finish(speech, message), **looks}


def with_ledger(state: SearchState, services: RunContext) -> SearchState:
    """Return the state with the ledger filled from the outcomes (`fill_ledger`)."""
    return SearchState(**{**state, "ledger": fill_ledger(state, services)})


async def _resume(first: str, pieces: AsyncIterator[str]) -> AsyncIterator[str]:
    """Yield the pieces of an answer, starting with the piece already taken."""
    yield first
    async for piece in pieces:
        yield piece


class _Speech:
    """The answer while it is streamed: answerers run in turn, and their parts are combined.

    Attributes:
        context: The context, with the answer as far as it is written.
        ledger: The ledger, closed when everything was said.
        looks: The reflection that follows from the draft's line about unanswered parts. Empty if none are missing.
        is_covered: Whether a draft gave that line.
        is_withheld: Whether nothing is streamed: missing parts are planned for, or the draft does not name them.
    """

    def __init__(self, context: WriterContext) -> None:
        self.context = context
        self.ledger = context.state.get("ledger") or Ledger()
        self.looks: list[Reflection] = []
        self.is_covered = self.is_withheld = False
        self._begun = False

    async def speak(self) -> AsyncGenerator[str, None]:
        """Yield the answer in spoken form, then the notes and the list of sources."""
        if not self.context.asks_coverage:
            self._begin()
        for name in choose_answerers(self.context):
            part, live = AnswerPart(), self.context.written.render()
            async with aclosing(_ANSWERERS[name](self.context)) as items:
                async for item in items:
                    if isinstance(item, AnswerPart):
                        part = item
                    elif self._is_to_go_on(item):
                        if isinstance(item, Piece):
                            yield live.add(item)
                    else:
                        self.is_withheld = True
                        return
            self.context = replace(self.context, written=self.context.written.with_part(name, part))
            if part.is_whole:
                break
        async for text in self._add_notes():
            yield text

    def _begin(self) -> None:
        self._begun = True
        services, report, prompt = self.context.services, self.context.report, self.context.prompt
        if report is None or not report.outline.sections:  # whose report did not begin
            decided_by: Literal["model", "rule"] = "model" if services.models.has_decision_model("writer") else "rule"
            event = AnswerStartedEvent(decided_by=decided_by, left_out=prompt.left_out, cut=prompt.cut)
            services.emit(event)

    def _is_to_go_on(self, item: Piece | Coverage) -> bool:
        """Take note of the line about unanswered parts, and report whether to stream the draft.

        False if missing parts are planned for, or if a draft that was asked for the line begins without it.
        """
        state, services = self.context.state, self.context.services
        if isinstance(item, Coverage):
            self.is_covered = True
            found = record_check(item.missing, state, services)
            self.looks = [found] if found is not None else []
            if found is not None and found.decision == "deepen":
                return False
            if found is not None:
                self.ledger = enter_missing(self.ledger, item.missing, services.language)
                looks = [*state["reflections"], *self.looks]
                state = SearchState(**{**state, "reflections": looks, "ledger": self.ledger})
                self.context = replace(self.context, state=state)
        elif not self._begun and not self.context.written.broken:
            services.models.note_overlooked("writer")
            return False
        if not self._begun:
            self._begin()
        return True

    async def _add_notes(self) -> AsyncGenerator[str, None]:
        """Yield the notes below the answer and the list of sources, and close the ledger."""
        for note in list_notes(self.context):
            yield self._add_note(note)
        in_part = await asyncio.to_thread(list_documents_in_part, self.context)
        state, services, written = self.context.state, self.context.services, self.context.written
        self.ledger = await offload_long(
            len(written.text), close_ledger, self.ledger, state, services, written, in_part
        )
        say = self.context.sanitizer()
        for gap in (*list_unnamed(self.ledger, written, state), *in_part):
            yield self._add_note(say(gap.text).strip())
        if ending := format_ending(self.context):
            yield ending

    def _add_note(self, note: str) -> str:
        piece, written = place_claims(f"\n\n{note}"), self.context.written
        self.context = replace(self.context, written=written.with_note(piece))
        return written.render().add(piece)


async def _finish(speech: _Speech, message: AIMessage) -> dict[str, Any]:
    """Return the state update of a spoken answer, after storing what later questions can learn from it."""
    written, services = speech.context.written, speech.context.services
    state = SearchState(**{**speech.context.state, "ledger": speech.ledger})
    status, reason = speech.ledger.verdict
    answer = Answer(
        text=written.text.strip(),
        marks=written.rendering.marks,
        claims=written.claims,
        citations=written.rendering.citations,
        status=status,
        stop_reason=reason,
        decided_by=written.decided_by,
        notices=written.notices,
    )
    await learn_from_answer(state, answer, services, asserts=written.confidence is None)
    services.emit(FinishedEvent(status=status, stop_reason=reason))
    result = build_result(
        state,
        answer,
        services,
        blocks=written.rendering.list_blocks(),
        extracts=written.extracts,
        asserted=written.asserted_mechanisms,
        confidence=written.confidence,
        checked=not find_unchecked(written.claims) and not is_unjudged(state, services, written),
    ).to_json()
    text = answer.text + format_ending(speech.context)
    await keep_answer(state, result, text, services)
    spoken = AIMessage(content=text, id=message.id)  # as settled, under the id it was streamed with
    return {"result": result, "ledger": speech.ledger, "messages": [build_message(spoken, answer, result)]}
