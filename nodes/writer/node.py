"""The writer: answers in the question's language, and says nothing its sources do not carry.

An answer comes from answerers (`answerers/`), one after the other until it is whole: which, when, is one table. Each
yields pieces as they are to be spoken, its claims checked by code (`verification`): what fails is spoken with a mark
and does not stop the stream. Last it yields its part as it is settled, after a model judged what code could not verify
whole and failing claims were mended once. The parts are folded into one answer, from which ledger and result are made.
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

_Case = Literal["conversation", "told", "found", "given_up", "nothing", "unneeded"]
"""What the answer can rest on: the conversation alone, where nothing was searched; what readers told in sentences; what
was found otherwise; the words of a reader that gave up; nothing; or nothing where the master judged that nothing from
outside is needed."""
_Writer = Literal["shown", "large", "any", "none"]
"""Which model the writer has: one that is shown sources, or one that may have none to be shown; at least a small one,
which is asked plain questions only; or none."""


_ANSWERERS: Final[Mapping[AnswererName, Callable[[WriterContext], Answering]]] = {
    "reader": reader.answer,
    "draft": draft.answer,
    "rules": rules.answer,
    "report": written_report.answer,
    "unsourced": unsourced.answer,
}


class _Row(NamedTuple):
    """A row: where it holds (by the first that does), and who answers, in turn, until the answer is whole."""

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
"""Who answers, when. A report whose sections are written is put together as it is."""


def choose_answerers(context: WriterContext) -> tuple[AnswererName, ...]:
    """Return who answers, in turn: the first row that holds."""
    if context.report is not None and context.report.sections:
        return ("report",)
    models = context.services.models
    large = models.configured("writer")
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
    """Write, check and speak the answer; build the result.

    Nothing is spoken, and the update has no result, where a draft is to say first which parts of the question nothing
    answers, and these are planned for or it does not say it.

    Args:
        state: What the run came to.
        services: The models and the budget.
        report: A report whose sections are written already; one without any is written as one draft.
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
    """Return the state with its ledger filled for the answer."""
    return SearchState(**{**state, "ledger": fill_ledger(state, services)})


async def _resume(first: str, pieces: AsyncIterator[str]) -> AsyncIterator[str]:
    """Yield the pieces of an answer of which the first was taken."""
    yield first
    async for piece in pieces:
        yield piece


class _Speech:
    """The answer while it is spoken: answerers are asked in turn, and their parts folded into one answer.

    Attributes:
        context: The context, with the answer as far as it is written.
        ledger: The ledger, closed when all was said.
        looks: The look back that the coverage a draft gives amounts to.
        is_covered: Whether a draft gave it.
        is_withheld: Whether nothing is spoken: what is missing is planned for, or the draft does not say what is.
    """

    def __init__(self, context: WriterContext) -> None:
        self.context = context
        self.ledger = context.state.get("ledger") or Ledger()
        self.looks: list[Reflection] = []
        self.is_covered = self.is_withheld = False
        self._begun = False

    async def speak(self) -> AsyncGenerator[str, None]:
        """Yield the answer as it is to be spoken, then the notes below it and the list of its sources."""
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
            decided_by: Literal["model", "rule"] = "model" if services.models.configured("writer") else "rule"
            event = AnswerStartedEvent(decided_by=decided_by, left_out=prompt.left_out, cut=prompt.cut)
            services.emit(event)

    def _is_to_go_on(self, item: Piece | Coverage) -> bool:
        """Take the coverage of the question, or see that none came before the first piece."""
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
        """Add what belongs below the answer, and close the ledger."""
        for note in list_notes(self.context):
            yield self._add_note(note)
        in_part = await asyncio.to_thread(list_documents_in_part, self.context)
        state, services, written = self.context.state, self.context.services, self.context.written
        self.ledger = await asyncio.to_thread(close_ledger, self.ledger, state, services, written, in_part)
        say = self.context.sanitizer()
        for gap in (*list_unnamed(self.ledger, written), *in_part):
            yield self._add_note(say(gap.text).strip())
        if ending := format_ending(self.context):
            yield ending

    def _add_note(self, note: str) -> str:
        piece, written = place_claims(f"\n\n{note}"), self.context.written
        self.context = replace(self.context, written=written.with_note(piece))
        return written.render().add(piece)


async def _finish(speech: _Speech, message: AIMessage) -> dict[str, Any]:
    """Build the result of an answer that was spoken, and keep what it teaches."""
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
        asserted=written.asserted,
        confidence=written.confidence,
        checked=not find_unchecked(written.claims) and not is_unjudged(state, services, written),
    ).to_json()
    text = answer.text + format_ending(speech.context)
    await keep_answer(state, result, text, services)
    spoken = AIMessage(content=text, id=message.id)  # as settled, under the id it was streamed with
    return {"result": result, "ledger": speech.ledger, "messages": [build_message(spoken, answer, result)]}
