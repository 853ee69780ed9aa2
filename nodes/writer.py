"""The writer: answers in the question's language, and says nothing its sources do not carry.

A draft, the model's or the rules', comes sentence by sentence. Each is checked by code (`nodes.claims`) before it
is spoken; from the first that fails on, the draft is held back, its failing sentences are sent back
once, and what still fails is marked. So the answer streams, and yet no wrong citation reaches the reader.
"""

import re
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from models.gateway import ModelFailed
from nodes.citation_marks import clean_marks
from nodes.drafts import Draft, cited, segments, supported
from nodes.findings import current, findings
from nodes.passages import DATA_RULE
from nodes.question import current_turn, transcript
from nodes.replies import Reply
from nodes.result import result_of
from nodes.rules.compose import compose
from nodes.rules.small_talk import small_talk
from nodes.services import Services
from nodes.sources import gather
from nodes.speaker import speak
from nodes.status import judge_status
from state import Answer, Claim, Language
from state.search import SearchState
from text.language import detect_language
from tools.corpus import telemetry

LANGUAGE_NAMES = {"en": "English", "zh": "Chinese (简体中文)"}
SOURCES = {"en": "Sources", "zh": "来源"}
SHORT = 12
"""Characters below which a sentence, a bare name perhaps, does not tell its language."""
NOTHING = {"en": "I could not find an answer to this.", "zh": "没有找到这个问题的答案。"}

GROUNDED = f"""You are the Writer of a search system. Answer the user's question from the findings and sources below.
{DATA_RULE}
- Answer first, in one sentence; then the facts it rests on. Be as short as the question allows.
- Every sentence that states a fact ends with the numbers of the sources that carry it, such as [1] or [1][3]. A \
calculated value cites the number of its <calculation>, besides the sources of its inputs. Cite by the n of a passage \
or calculation, not by the position of a finding. Cite only numbers that are listed.
- Use only what the sources say, never your own memory. Copy numbers, dates and names exactly.
- If sources disagree, say so and cite both. If something was not found, say what; do not fill the gap.
- Plain sentences: no headings, no label such as "Answer:", no list of sources (it is added)."""

FREE = """You are Weiwo, an assistant that plans before it searches. This message needs no search: answer it directly \
and briefly, in the language of the message. State no facts about the world that would need a source; if it turns out \
that you would have to, say that it should be asked as a search question."""

REWRITE = """Some sentences of an answer could not be verified against their sources. For each give a replacement \
that says only what listed sources carry (exact numbers, dates, names), with the right citation marks at its end (you \
may cite other listed sources or a calculation), or an empty string to drop it."""


class Replacement(Reply):
    """A sentence to replace another."""

    n: int
    text: str


class RewriteReply(Reply):
    """The replacements, by the number of the sentence."""

    sentences: list[Replacement]


async def writer(state: SearchState, services: Services) -> dict[str, Any]:
    """Write, check and speak the answer; build the result."""
    plan, outcomes = state.get("plan"), state.get("outcomes", {})
    sources = gather(plan, outcomes, state.get("evidence", {}), services.language)
    draft = Draft(sources)
    with_model = services.models.configured("writer")
    services.emit({"type": "answer_started", "decided_by": "model" if with_model else "rule"})
    message = await speak(_spoken(state, services, draft))
    text = "".join(draft.spoken).strip()
    status, reason = judge_status(state, services, draft)
    answer = Answer(
        text=text,
        claims=tuple(draft.claims),
        citations=sources.citations(),
        status=status,
        stop_reason=reason,
        decided_by=draft.decided_by,
    )
    telemetry.cited(services.run, [citation.evidence_id for citation in answer.citations])
    services.emit({"type": "finished", "status": status, "stop_reason": reason})
    return {
        "result": result_of(state, answer, services),
        "messages": [AIMessage(content=message.content, id=message.id)],
    }


async def _spoken(state: SearchState, services: Services, draft: Draft) -> AsyncIterator[str]:
    """The answer piece by piece, then its list of sources."""
    if state["assessment"].level == "simple":
        async for piece in _free(state, services, draft):
            yield piece
        return
    if services.models.configured("writer") and draft.sources.items:
        async for piece in _grounded(state, services, draft):
            yield piece
    if not draft.spoken or draft.broken:
        draft.decided_by = "model" if draft.spoken else "rule"
        async for piece in _by_rule(state, services, draft):
            yield piece
    if not draft.spoken:
        draft.decided_by = "rule"
        yield draft.accept(NOTHING[services.language], [Claim(text=NOTHING[services.language], verdict="uncited")])
    citations = draft.sources.citations()
    if citations:
        lines = [f"[{c.n}] {c.title} · {c.quote if c.source.startswith('task:') else c.source}" for c in citations]
        yield "\n\n" + SOURCES[services.language] + ":\n" + "\n".join(lines)


async def _free(state: SearchState, services: Services, draft: Draft) -> AsyncIterator[str]:
    """An answer that needs no sources: the model's, else what the rules can say."""
    question = state["assessment"].question
    if services.models.configured("writer"):
        before = transcript(current_turn(state).history)
        prompt = f"Conversation so far:\n{before}\n\nMessage: {question}" if before else question
        draft.decided_by = "model"
        try:
            stream = services.models.stream("writer", "draft", [SystemMessage(FREE), HumanMessage(prompt)])
            async for segment in segments(stream):
                draft.spoken.append(clean_marks(segment, ()))
                yield draft.spoken[-1]
        except ModelFailed as failed:
            draft.broken = failed.reason
        if draft.spoken and not draft.broken:
            draft.claims = [Claim(text="".join(draft.spoken).strip(), verdict="uncited")]
            return
    silent = bool(draft.broken)
    said = small_talk(question, services.language, silent_model=silent)
    text = said or small_talk("", services.language, silent_model=silent) or ""
    if draft.spoken:
        text = "\n\n" + text
    else:
        draft.decided_by = "rule"
    draft.spoken.append(text)
    draft.claims = [Claim(text="".join(draft.spoken).strip(), verdict="uncited")]
    yield text


async def _by_rule(state: SearchState, services: Services, draft: Draft) -> AsyncIterator[str]:
    """Sentences composed from typed outcomes and quotes; after a broken draft, only what it had not said."""
    question = state["assessment"].question
    plan = state.get("plan")
    if plan is None:
        return
    said = clean_marks("".join(draft.spoken), ())
    for sentence in compose(question, services.language, plan, state.get("outcomes", {}), state.get("evidence", {})):
        if sentence.text in said:
            continue
        numbers = draft.sources.numbers_of(sentence.evidence_ids, sentence.computed_by)
        marks = "".join(f"[{n}]" for n in numbers)
        segment = cited(sentence.text, marks, services.language)
        yield draft.accept(segment, draft.check(segment, question))


async def _grounded(state: SearchState, services: Services, draft: Draft) -> AsyncIterator[str]:
    """The model's draft: checked sentence by sentence, the failing rest sent back once."""
    question = state["assessment"].question
    messages: list[BaseMessage] = [
        SystemMessage(f"{GROUNDED}\n- Write in {LANGUAGE_NAMES[services.language]}."),
        HumanMessage(findings(state, services, draft.sources)),
    ]
    found = any(outcome.usable for outcome in current(state).values())
    opening: list[str] = []  # sentences that state nothing wait for one that does: a refusal states nothing either
    held: list[str] = []
    try:
        async for draft_segment in _in_language(services, messages):
            segment, claims = draft_segment, draft.check(draft_segment, question)
            if not supported(claims) and (recited := draft.recited(segment, question)) is not None:
                segment, claims = recited, draft.check(recited, question)
            if held or not supported(claims):
                held.append(segment)
            elif found and not draft.spoken and all(claim.verdict == "uncited" for claim in claims):
                opening.append(segment)
            else:
                for piece in (*opening, segment):
                    yield draft.accept(piece, draft.check(piece, question))
                opening = []
    except ModelFailed as failed:
        draft.broken = failed.reason
        held = [segment for segment in held if supported(draft.check(segment, question))]
    for segment in await _rewritten(held, messages, services, draft, question):
        for piece in (*opening, segment):
            yield draft.accept(piece, draft.check(piece, question))
        opening = []
    if draft.spoken:
        draft.decided_by = "model"
    elif opening:
        draft.broken = draft.broken or "the draft said nothing of what was found"


async def _in_language(services: Services, messages: list[BaseMessage]) -> AsyncIterator[str]:
    """The model's draft in sentences, asked for once more where it begins as no prose of the wanted language.

    Raises:
        ModelFailed: There is no such draft.
    """
    for attempt in range(2):
        begun = False
        async with aclosing(segments(services.models.stream("writer", "draft", messages))) as stream:
            async for segment in stream:
                if not begun and not _is_prose(segment, services.language):
                    break
                begun = True
                yield segment
        if begun:
            return
        if attempt == 0:
            messages = [*messages, HumanMessage(f"Answer in {LANGUAGE_NAMES[services.language]}, in plain sentences.")]
    raise ModelFailed(f"the draft was no text in {LANGUAGE_NAMES[services.language]}")


_ECHO = re.compile(r"[{<]|(?:Question|Findings|问题)\s*[:：]")
"""How JSON, markup or the prompt itself begins."""


def _is_prose(segment: str, language: Language) -> bool:
    words = clean_marks(segment, ()).strip()
    return not _ECHO.match(words) and (len(words) < SHORT or detect_language(words) == language)


async def _rewritten(
    held: list[str], messages: list[BaseMessage], services: Services, draft: Draft, question: str
) -> list[str]:
    """The held-back sentences, those that fail replaced once by the model."""
    failing = [n for n, segment in enumerate(held, 1) if not supported(draft.check(segment, question))]
    if not failing:
        return held
    listed = "\n".join(f"{n}: {held[n - 1].strip()}" for n in failing)
    request = [*messages, AIMessage("".join(held)), HumanMessage(f"{REWRITE}\n{listed}")]
    try:
        reply = await services.models.structured("writer", "rewrite", request, RewriteReply)
    except ModelFailed:
        return held  # in the trace; the sentences go out marked
    texts = {item.n: item.text.strip() for item in reply.sentences if item.n in failing}
    rewritten = []
    for n, segment in enumerate(held, 1):
        text = texts.get(n, segment)
        if text:
            text = text.rstrip() + segment[len(segment.rstrip()) :]  # the blanks between sentences and list items
            if n in texts and not supported(draft.check(text, question)):
                text = draft.recited(text, question) or text
            rewritten.append(text)
    return rewritten
