"""The writer: answers in the question's language, and says nothing its sources do not carry.

A draft, the model's or the rules', comes piece by piece: sentences, list items, tables, code. Each is checked by code
(`verification`) before it is spoken; what fails is spoken with a mark and does not stop the stream. Then a model judges
what code could not verify whole, failing claims are sent back once with the words that failed, and the answer is
settled in place: what still fails keeps its mark inside its sentence or cell.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, SystemMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult

from weiwo.models.gateway import ModelCallError
from weiwo.nodes.memory.reuse import keep_answer
from weiwo.nodes.memory.thread_memory import format_conversation
from weiwo.nodes.memory.wishes import format_wishes
from weiwo.nodes.shared.gaps import find_documents_in_part, find_files_not_read, find_unread_files
from weiwo.nodes.shared.ledger import fill_ledger
from weiwo.nodes.shared.prompting.passage_prompt import INSTRUCTIONS
from weiwo.nodes.shared.prompting.sanitizer import AnswerSanitizer, remove_links
from weiwo.nodes.shared.question.turn import find_current_turn
from weiwo.nodes.shared.run_context import RunContext
from weiwo.nodes.writer.closing import NEEDS_NO_SOURCE, close_ledger, find_unchecked, is_unjudged, list_unnamed
from weiwo.nodes.writer.context import WriterContext
from weiwo.nodes.writer.draft import Draft, Piece
from weiwo.nodes.writer.entailment import ClaimPlace, is_open, judge_claims
from weiwo.nodes.writer.generate import draft_answer, settle_draft
from weiwo.nodes.writer.opening import record_check
from weiwo.nodes.writer.piece_stream import split_pieces
from weiwo.nodes.writer.plain_answer import answer_plainly
from weiwo.nodes.writer.prompt import FREE, current_outcomes, named_gaps, writer_instructions
from weiwo.nodes.writer.reader_answer import read_out
from weiwo.nodes.writer.report.assembly import assemble_report
from weiwo.nodes.writer.report.outline import count_words, report_sources
from weiwo.nodes.writer.report.section import ReportDraft
from weiwo.nodes.writer.result import (
    build_message,
    build_result,
    learn_from_answer,
)
from weiwo.nodes.writer.rule_answer import RuleAnswer, answer_by_rule, reply_to_small_talk
from weiwo.nodes.writer.snippet import format_snippets
from weiwo.nodes.writer.sources import gather_sources
from weiwo.state import Answer, Citation, Claim, Language
from weiwo.state.answer import Gap
from weiwo.state.events import AnswerStartedEvent, FinishedEvent
from weiwo.state.ledger import Ledger
from weiwo.state.search import SearchState
from weiwo.text.citation_marks import clean_marks
from weiwo.text.language import fold
from weiwo.text.localization import localized
from weiwo.text.patterns import lazy


class _TextStreamModel(BaseChatModel):
    """A chat model that streams given text.

    Attributes:
        pieces: The text, piece by piece, as it becomes available.
    """

    pieces: AsyncIterator[str]

    @property
    def _llm_type(self) -> str:
        return "weiwo-speaker"

    def _generate(self, *_args: Any, **_kwargs: Any) -> ChatResult:
        raise TypeError("this model only streams; use `_stream_answer`")

    async def _astream(
        self,
        *_args: Any,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **_kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        async for piece in self.pieces:
            chunk = ChatGenerationChunk(message=AIMessageChunk(content=piece))
            if run_manager is not None:
                await run_manager.on_llm_new_token(piece, chunk=chunk)
            yield chunk


async def _stream_answer(pieces: AsyncIterator[str]) -> AIMessage:
    """Stream text to whoever listens.

    Returns:
        The whole as one message, with the id under which it was streamed.
    """
    whole: AIMessageChunk | None = None
    async for chunk in _TextStreamModel(pieces=pieces).astream([]):
        whole = chunk if whole is None else whole + chunk
    if whole is None:
        return AIMessage("")
    return AIMessage(content=str(whole.text), id=whole.id)


SOURCES = localized("writer.node", "sources")
_BEWARE = localized("writer.node", "beware")
"""Said of a source that speaks to the model."""
_UNSOURCED = localized("writer.node", "unsourced")
"""Said of what a model answered out of its own head."""
_ASSUMED = localized("writer.node", "assumed")
"""Said of a question that can mean several things, where nobody was asked which."""
_NOT_CHECKED = localized("writer.node", "not_checked")
"""Said where a model was to judge what an answer says and did not."""
_QUICK = localized("writer.node", "quick")
"""Said where a quick search has no model judge what it tells."""
_LOST_LINE = lazy(r"(?i)(?:^|[\n→])[\s*-]*not found: ")
_LEAST_MESSAGE = 12
"""Characters of a failure's message below which it may be anybody's words."""
_LENGTH = localized("writer.node", "length")
_OFF = 0.3
"""Share by which an answer may be longer or shorter than asked for before that is said."""
_ONE_DRAFT = localized("writer.node", "one_draft")
_NOTHING = localized("writer.node", "nothing")


async def writer(state: SearchState, services: RunContext, report: ReportDraft | None = None) -> dict[str, Any]:
    """Write, check and speak the answer; build the result.

    Args:
        state: What the run came to.
        services: The models and the budget.
        report: A report whose sections are written already; one without any is written as one draft.
    """
    if state.get("ledger") is None:  # a node called by itself
        state = with_ledger(state, services)
    if report is not None and report.sections:
        draft = Draft(report_sources(state, services))
        return await _finish(state, services, draft, _reported(state, services, draft, report), report)
    plan, outcomes = state.get("plan"), state.get("outcomes", {})
    sources = gather_sources(plan, outcomes, state.get("evidence", {}), services.language)
    draft = Draft(sources)
    with_model = services.models.configured("writer")
    context = WriterContext(state, services, sources, writer_instructions(services.language))
    started = AnswerStartedEvent(decided_by="model" if with_model else "rule")
    if with_model and sources.items:
        await context.pack_sources()
        started = started.model_copy(update={"left_out": context.left_out, "cut": context.cut})
    if context.check is not None:
        return await _finish_checked(state, services, draft, context, started)
    if report is None or not report.outline.sections:  # whose report did not begin
        services.emit(started)
    return await _finish(state, services, draft, _spoken(state, services, draft, context), report)


def with_ledger(state: SearchState, services: RunContext) -> SearchState:
    """The state with its ledger filled for the answer."""
    return SearchState(**{**state, "ledger": fill_ledger(state, services)})


async def _finish_checked(
    state: SearchState, services: RunContext, draft: Draft, context: WriterContext, started: AnswerStartedEvent
) -> dict[str, Any]:
    """Speak an answer whose draft says first which parts of the question nothing answers.

    Nothing is spoken, and the update has no result, where these are planned for or the draft does not say it.
    """
    check, own = context.check, SearchState(**state)  # into which goes what the draft says
    async with aclosing(_spoken(own, services, draft, context)) as pieces:
        first = await anext(pieces, "")
        if check is None or not (check.given or draft.broken):
            services.models.note_overlooked("writer")
            return {}
        found = record_check(check, state, services)
        looks = [found] if found is not None else []
        if found is not None and found.decision == "deepen":
            return {"reflections": looks}
        if looks:
            own["reflections"] = [*state["reflections"], *looks]
            own["ledger"] = with_ledger(own, services)["ledger"]
        services.emit(started)
        return {**await _finish(own, services, draft, _resumed(first, pieces), None), "reflections": looks}


async def _resumed(first: str, pieces: AsyncIterator[str]) -> AsyncIterator[str]:
    """The pieces of an answer of which one was taken."""
    yield first
    async for piece in pieces:
        yield piece


async def _finish(
    state: SearchState, services: RunContext, draft: Draft, pieces: AsyncIterator[str], report: ReportDraft | None
) -> dict[str, Any]:
    """Speak the answer, judge what it is worth, and build the result."""
    if report is not None and report.outline.limit:  # it kept something from being written
        services.budget.note(report.outline.limit)
    message = await _stream_answer(_followed(pieces, state, services, draft, report))
    text = "".join(draft.spoken).strip()
    listed = _source_list(state, services, draft)
    ledger = draft.ledger or Ledger()
    state = SearchState(**{**state, "ledger": ledger})
    status, reason = ledger.verdict
    answer = Answer(
        text=text,
        claims=tuple(draft.claims),
        citations=draft.sources.list_citations(),
        status=status,
        stop_reason=reason,
        decided_by=draft.decided_by,
    )
    await learn_from_answer(state, answer, services, asserts=draft.confidence is None)
    services.emit(FinishedEvent(status=status, stop_reason=reason))
    checked = not find_unchecked(draft.claims) and not is_unjudged(state, services, draft)
    result = {**build_result(state, answer, services), **_shown(draft), "checked": checked}
    await keep_answer(state, result, text + listed, services)
    # As settled, under the id it was streamed with.
    spoken = AIMessage(content=text + listed, id=message.id)
    return {"result": result, "ledger": ledger, "messages": [build_message(spoken, answer, result)]}


def _shown(draft: Draft) -> dict[str, Any]:
    """What an answer shows and asserts beside its text, for the result."""
    return {
        "extracts": [one.model_dump(mode="json") for one in draft.extracts],
        **({} if draft.confidence is None else {"confidence": draft.confidence}),
        "asserted": draft.asserted,
        "blocks": [block.model_dump(mode="json", exclude_defaults=True) for block in draft.blocks()],
    }


async def _followed(
    pieces: AsyncIterator[str], state: SearchState, services: RunContext, draft: Draft, report: ReportDraft | None
) -> AsyncIterator[str]:
    """The answer piece by piece, then its list of sources."""
    async for piece in pieces:
        yield piece
    if (assumed := state["assessment"].assumed) and draft.spoken:
        say = _sanitizer(state, services, draft)
        yield draft.accept(f"\n\n{_ASSUMED[services.language].format(say(assumed))}", [])
    if report is not None and report.outline.limit and not report.sections and draft.decided_by == "model":
        yield draft.accept(f"\n\n{_ONE_DRAFT[services.language].format(report.outline.limit)}", [])
    asked, given = state["assessment"].frame.words, count_words("".join(draft.spoken), services.language)
    if asked and draft.decided_by == "model" and abs(given - asked) > _OFF * asked:
        yield draft.accept(f"\n\n{_LENGTH[services.language].format(round(given, -1), asked)}", [])
    if is_unjudged(state, services, draft):
        yield draft.accept(f"\n\n{_QUICK[services.language]}", [])
    if (unchecked := find_unchecked(draft.claims)) and draft.spoken:
        yield draft.accept(f"\n\n{_NOT_CHECKED[services.language].format(unchecked.reason.rstrip('.。'))}", [])
    draft.in_part = await asyncio.to_thread(_list_in_part, state, services, draft)
    closed = await asyncio.to_thread(close_ledger, state.get("ledger") or Ledger(), state, services, draft)
    draft.ledger = closed
    say = _sanitizer(state, services, draft)
    for gap in (*list_unnamed(closed, draft), *draft.in_part):
        yield draft.accept(f"\n\n{say(gap.text).strip()}", [])
    if listed := _source_list(state, services, draft):
        yield listed


def _list_in_part(state: SearchState, services: RunContext, draft: Draft) -> tuple[Gap, ...]:
    corpus = services.registry.corpus
    if corpus is None:
        return ()
    sources = [citation.source for citation in draft.sources.list_citations()]
    question, language = state["assessment"].question, services.language
    found = find_documents_in_part(corpus.problems, sources, question, language)
    answered = {one.answers for one in state.get("outcomes", {}).values()}
    if not found and (not sources or len(answered) > 1):  # nothing was found, or a part of the question was not
        found = find_unread_files(corpus.problems, language)
    if not corpus.version or state["assessment"].level == "simple":  # of a store elsewhere nobody can list all
        return found
    known = (*corpus.documents, *(problem.source for problem in corpus.problems))
    texts = [passage.text for passage in state.get("evidence", {}).values()]
    return (*found, *find_files_not_read(question, known, texts, language))


async def _reported(state: SearchState, services: RunContext, draft: Draft, report: ReportDraft) -> AsyncIterator[str]:
    """A report, section by section."""
    for piece in assemble_report(report, state, services, draft):
        yield piece


async def _spoken(
    state: SearchState, services: RunContext, draft: Draft, context: WriterContext
) -> AsyncGenerator[str, None]:
    """The answer piece by piece."""
    if state["assessment"].level == "simple":
        async for piece in _unsearched(state, services, draft, context):
            yield piece
        return
    by_model = _choose_model_answer(state, services, draft, context)
    if by_model is not None:
        async with aclosing(by_model) as pieces:
            async for piece in pieces:
                yield piece
    if draft.unsourced:
        return
    if not draft.spoken or draft.broken:
        draft.decided_by = "model" if draft.spoken else "rule"
        async for piece in _by_rule(state, services, draft):
            yield piece
    elif not _has_found(state):  # a reader told that, and what it did find
        answer = await asyncio.to_thread(answer_by_rule, state, draft, services)
        for piece in _show_extracts(answer, draft, _sanitizer(state, services, draft)):
            yield piece
    if not draft.spoken:
        draft.decided_by = "rule"
        yield draft.accept(_NOTHING[services.language], [Claim(text=_NOTHING[services.language], verdict="uncited")])


def _choose_model_answer(
    state: SearchState, services: RunContext, draft: Draft, context: WriterContext
) -> AsyncGenerator[str, None] | None:
    """Choose how a model answers after a search; None where none does.

    Where nothing was found and the master judged that nothing outside is needed, it answers from its own knowledge.
    """
    if not state["assessment"].needs_sources and not _has_found(state) and services.models.configured("writer"):
        return _from_knowledge(state, services, draft)
    return _sourced(state, services, draft, context) if context.messages else None


async def _sourced(
    state: SearchState, services: RunContext, draft: Draft, context: WriterContext
) -> AsyncGenerator[str, None]:
    """A model's answer over sources, and the gaps that it does not tell."""
    async with aclosing(_grounded(state, services, draft, context)) as grounded:
        async for piece in grounded:
            yield piece
    if draft.decided_by == "model" and not draft.broken:
        say = _sanitizer(state, services, draft)
        for gap in named_gaps(state):
            yield draft.accept(f"\n\n{say(gap.text).strip()}", [])
    draft.sources = context.sources


async def _unsearched(
    state: SearchState, services: RunContext, draft: Draft, context: WriterContext
) -> AsyncIterator[str]:
    """An answer for which nothing is searched: from what the conversation cited, if that is asked about, or freely."""
    if context.messages:
        async for piece in _grounded(state, services, draft, context):
            yield piece
        draft.sources = context.sources
        if draft.spoken:
            return
        draft.broken = ""
    async for piece in _free(state, services, draft):
        yield piece


def _source_list(state: SearchState, services: RunContext, draft: Draft) -> str:
    """The list of sources behind the answer, made by code; empty where nothing is cited."""
    citations = draft.sources.list_citations()
    if not citations:
        return ""
    beware = {key for key, passage in state.get("evidence", {}).items() if INSTRUCTIONS in passage.flags}
    lines = [_listed(c, services.language, beware=c.evidence_id in beware) for c in citations]
    return "\n\n" + SOURCES[services.language] + ":\n" + "\n".join(lines)


def _listed(citation: Citation, language: Language, *, beware: bool) -> str:
    """A line of the list of sources."""
    title = remove_links(citation.title, {citation.source}, language)
    place = citation.quote if citation.source.startswith("task:") else citation.source
    return f"[{citation.n}] {title} · {place}" + (f" {_BEWARE[language]}" if beware else "")


async def _from_knowledge(state: SearchState, services: RunContext, draft: Draft) -> AsyncGenerator[str, None]:
    """A model's answer from its own knowledge, marked as such where it tells facts."""
    frame = state["assessment"].frame
    before = format_conversation(find_current_turn(state))
    prompt = f"Conversation so far:\n{before}\n\nMessage: {frame.question}" if before else frame.question
    if wished := format_wishes(state.get("wishes", [])):
        prompt = f"{wished}\n\n{prompt}"
    draft.decided_by = "model"
    say = AnswerSanitizer((), prompt, services.language)
    try:
        stream = services.models.stream("writer", "draft", [SystemMessage(FREE), HumanMessage(prompt)])
        async for segment in split_pieces(stream):
            yield draft.add(Piece(clean_marks(say(segment), ()), []))
    except ModelCallError as failed:
        draft.broken = failed.reason
    if draft.spoken and not draft.broken:
        if frame.shape not in NEEDS_NO_SOURCE:
            draft.unsourced = True
            yield draft.add(Piece(f"\n\n{_UNSOURCED[services.language]}", []))
        draft.claims = [Claim(text="".join(draft.spoken).strip(), verdict="uncited")]


async def _free(state: SearchState, services: RunContext, draft: Draft) -> AsyncIterator[str]:
    """An answer that needs no sources: the model's, else what the rules can say."""
    if services.models.configured("writer") or services.models.answers_plainly("writer"):
        async for piece in _from_knowledge(state, services, draft):
            yield piece
        if draft.spoken and not draft.broken:
            return
    talk = state["assessment"].frame.talk
    text = reply_to_small_talk(talk, services.language, silent_model=bool(draft.broken))
    if draft.spoken:
        text = "\n\n" + text
    else:
        draft.decided_by = "rule"
    draft.add(Piece(text, []))
    draft.claims = [Claim(text="".join(draft.spoken).strip(), verdict="uncited")]
    yield text


async def _by_rule(state: SearchState, services: RunContext, draft: Draft) -> AsyncIterator[str]:
    """Statements that can be shown, then extracts; after a broken draft, only what it had not said."""
    said = clean_marks("".join(draft.spoken), ())
    say = _sanitizer(state, services, draft)
    answer = await asyncio.to_thread(answer_by_rule, state, draft, services)
    draft.asserted, draft.told = answer.mechanisms, answer.told
    draft.shows_subject = answer.shows_subject
    draft.lead = answer.lead_kind
    plan = state.get("plan")
    heads = 0 if plan and len(plan.final_ids) > 1 else 1  # a conclusion stands above the values it rests on
    open_: list[ClaimPlace] = []
    for n, (segment, claims, by_model) in enumerate(answer.statements):
        if clean_marks(segment, ()) not in said and (spoken := say(segment)):
            yield draft.accept(("\n" if n else "") + f"- {spoken}" if n >= heads else spoken, claims)
            places = enumerate(draft.pieces[-1].checked if by_model else ())
            open_ += [ClaimPlace(len(draft.pieces) - 1, position) for position, one in places if is_open(one)]
    if not answer.whole and not answer.extracts.absent and services.models.answers_plainly("writer"):
        piece = await answer_plainly(state["assessment"].frame, draft, services, say)
        if piece is not None:
            draft.decided_by = "model"
            draft.told, draft.lead, draft.shows_subject = None, "answer", False
            yield draft.add(piece)
            if piece.verified:
                draft.plain = True
                return
    draft.confidence = None if draft.spoken else answer.extracts.confidence
    for shown in _show_extracts(answer, draft, say):
        yield shown
    if open_:  # what a model read is judged, whoever words it
        await judge_claims(services, draft, state["assessment"].question, open_)
        draft.render_again()


def _show_extracts(answer: RuleAnswer, draft: Draft, say: AnswerSanitizer) -> Iterator[str]:
    """The closest passages below the words that lead to them, and what would find more."""
    if answer.lead:
        yield draft.accept(f"\n\n{answer.lead}", [])
    numbered = [(one, draft.sources.numbers_of((one.evidence_id,), ())) for one in answer.extracts.items]
    snippets = format_snippets([(one, f"[{numbers[0]}]") for one, numbers in numbered], bold=not answer.extracts.absent)
    for (extract, numbers), snippet in zip(numbered, snippets, strict=True):
        if shown := say(snippet):
            yield draft.add(Piece(f"\n\n{shown.strip()}", [], quotes=True))
            draft.extracts.append(extract.model_copy(update={"n": draft.sources.final[numbers[0]]}))
    if answer.advice:
        yield draft.accept(f"\n\n{answer.advice}", [])


def _has_found(state: SearchState) -> bool:
    """Whether any task came to something, or none was to search."""
    simple = state["assessment"].level == "simple"
    return simple or any(outcome.answers for outcome in current_outcomes(state).values())


def _repeats_failure(text: str, state: SearchState) -> bool:
    """Whether a piece of a draft has the words in which a call failed, or a line of the prompt that told of it."""
    failures = (outcome.failure for outcome in state.get("outcomes", {}).values() if outcome.status == "failed")
    words = [one.message for one in failures if one is not None and len(one.message) >= _LEAST_MESSAGE]
    return _LOST_LINE.search(text) is not None or any(fold(message) in fold(text) for message in words)


async def _grounded(
    state: SearchState, services: RunContext, draft: Draft, context: WriterContext
) -> AsyncGenerator[str, None]:
    """What readers said, else a draft where anything was found; then settled."""
    question = state["assessment"].question
    draft.sources = context.citable
    say = _sanitizer(state, services, draft)
    pieces = await asyncio.to_thread(read_out, state, draft, say)
    for piece in pieces:
        yield draft.add(piece)
    if not pieces and _has_found(state):
        async with aclosing(_drafted(state, services, draft, context, say)) as spoken:
            async for text in spoken:
                yield text
    if draft.spoken:
        draft.decided_by = "model"
        await settle_draft(context, services, draft, question, say)
        if not any(map(str.isalnum, "".join(draft.spoken))):
            draft.discard()
            draft.broken = draft.broken or "nothing of the draft could be shown"


async def _drafted(
    state: SearchState, services: RunContext, draft: Draft, context: WriterContext, say: AnswerSanitizer
) -> AsyncGenerator[str, None]:
    """The model's draft, checked piece by piece as it is spoken."""
    question = state["assessment"].question
    opening: list[str] = []  # what states nothing waits for something that does: a refusal states nothing either
    try:
        async with aclosing(draft_answer(services, draft, context, say, context.check)) as texts:
            async for text in texts:
                piece = await asyncio.to_thread(draft.read, text, question)
                if _repeats_failure(text, state):
                    draft.discard()
                    draft.broken = "the draft repeats how the search failed"
                    return
                if not draft.spoken and all(one.claim.verdict == "uncited" for one in piece.checked):
                    opening.append(text)
                    continue
                for waiting in opening:
                    yield draft.add(draft.read(waiting, question))
                opening = []
                if spoken := draft.add(piece):
                    yield spoken
    except ModelCallError as failed:
        draft.broken = failed.reason
        draft.drop_doubtful()
    if opening and not draft.spoken:
        draft.broken = draft.broken or "the draft said nothing of what was found"


def _sanitizer(state: SearchState, services: RunContext, draft: Draft) -> AnswerSanitizer:
    """What makes sentences fit to be spoken in this answer."""
    return AnswerSanitizer(draft.sources.evidence, state["assessment"].question, services.language)
