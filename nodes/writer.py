"""The writer: answers in the question's language, and says nothing its sources do not carry.

A draft, the model's or the rules', comes sentence by sentence. Each is checked by code (`nodes.claims`) before it
is spoken; from the first that fails on, the draft is held back, its failing sentences are sent back
once, and what still fails is marked. So the answer streams, and yet no wrong citation reaches the reader.
"""

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from pydantic import BaseModel, ConfigDict

from models.gateway import ModelFailed
from nodes.citation_marks import clean_marks
from nodes.drafts import Draft, segments, supported
from nodes.passages import DATA_RULE, as_data, passage_block
from nodes.question import current_turn, transcript
from nodes.result import result_of
from nodes.rules.compose import compose
from nodes.rules.small_talk import small_talk
from nodes.services import Services
from nodes.sources import Sources, gather
from nodes.speaker import speak
from nodes.status import judge_status
from state import Answer, Claim, Language, Outcome
from state.search import SearchState
from text.language import detect_language
from text.values import render

LANGUAGE_NAMES = {"en": "English", "zh": "Chinese (简体中文)"}
SOURCES = {"en": "Sources", "zh": "来源"}
SHORT = 12
"""Characters below which a sentence, a bare name perhaps, does not tell its language."""
NOTHING = {"en": "I could not find an answer to this.", "zh": "没有找到这个问题的答案。"}

GROUNDED = f"""You are the Writer of a search system. Answer the user's question from the findings and sources below.
{DATA_RULE}
- Answer first, in one sentence; then the facts it rests on. Be as short as the question allows.
- Every sentence that states a fact ends with the numbers of the sources that carry it, such as [1] or [1][3]. A \
calculated value cites its calculation. Cite only numbers that are listed.
- Use only what the sources say, never your own memory. Copy numbers, dates and names exactly.
- If sources disagree, say so and cite both. If something was not found, say what; do not fill the gap.
- No headings, no list of sources: that is added."""

FREE = """You are Weiwo, an assistant that plans before it searches. This message needs no search: answer it directly \
and briefly, in the language of the message. State no facts about the world that would need a source; if it turns out \
that you would have to, say that it should be asked as a search question."""

REWRITE = """Some sentences of an answer could not be verified against their sources. For each give a replacement \
that says only what the cited sources carry (exact numbers, dates, names; citation marks such as [1] at its end), or \
an empty string to drop it."""


class Replacement(BaseModel):
    """A sentence to replace another."""

    model_config = ConfigDict(extra="ignore")
    n: int
    text: str


class RewriteReply(BaseModel):
    """The replacements, by the number of the sentence."""

    model_config = ConfigDict(extra="ignore")
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
    gap = "" if services.language == "zh" else " "
    for sentence in compose(question, services.language, plan, state.get("outcomes", {}), state.get("evidence", {})):
        if sentence.text in said:
            continue
        numbers = draft.sources.numbers_of(sentence.evidence_ids, sentence.computed_by)
        marks = "".join(f"[{n}]" for n in numbers)
        segment = cited(sentence.text, marks, gap)
        yield draft.accept(segment, draft.check(segment, question))


def cited(sentence: str, marks: str, gap: str) -> str:
    """A sentence with its marks before the stop that ends it, where readers look for them."""
    if not marks:
        return sentence
    body = sentence.rstrip("。.!！?？")
    return f"{body}{gap}{marks}{sentence[len(body) :]}"


async def _grounded(state: SearchState, services: Services, draft: Draft) -> AsyncIterator[str]:
    """The model's draft: checked sentence by sentence, the failing rest sent back once."""
    question = state["assessment"].question
    messages: list[BaseMessage] = [
        SystemMessage(f"{GROUNDED}\n- Write in {LANGUAGE_NAMES[services.language]}."),
        HumanMessage(_findings(state, services, draft.sources)),
    ]
    held: list[str] = []
    try:
        async for segment in _in_language(services, messages):
            claims = draft.check(segment, question)
            if held or any(claim.verdict == "unsupported" for claim in claims):
                held.append(segment)
            else:
                draft.decided_by = "model"
                yield draft.accept(segment, claims)
    except ModelFailed as failed:
        draft.broken = failed.reason
        held = [segment for segment in held if supported(draft.check(segment, question))]
    if not held:
        return
    draft.decided_by = "model"
    for segment in await _rewritten(held, messages, services, draft, question):
        yield draft.accept(segment, draft.check(segment, question))


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


def _is_prose(segment: str, language: Language) -> bool:
    words = clean_marks(segment, ()).strip()
    return words[:1] not in {"{", "<"} and (len(words) < SHORT or detect_language(words) == language)


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
    rewritten = [texts.get(n, segment) for n, segment in enumerate(held, 1)]
    return [segment for segment in rewritten if segment]


def _findings(state: SearchState, services: Services, sources: Sources) -> str:
    """The writer's material: what each task came to, what was not found, and the numbered sources."""
    lines = [f"Question: {state['assessment'].question}", "", "Findings:"]
    plan, outcomes = state.get("plan"), state.get("outcomes", {})
    lines += [
        f"- {as_data(task.description, 300)} → {_told(outcomes.get(task.id), services, sources)}"
        for task in (plan.tasks if plan else ())
    ]
    passages = [source.evidence for source in sources.items if source.evidence is not None]
    lines += ["", "Sources:", passage_block(passages)]
    lines += [
        f'<calculation n="{s.n}">{as_data(s.quote, 600)}</calculation>' for s in sources.items if s.outcome is not None
    ]
    return "\n".join(lines)


def _told(outcome: Outcome | None, services: Services, sources: Sources) -> str:
    if outcome is None or not outcome.usable:
        return "not found"
    computed = (outcome.task_id,) if outcome.detail.get("computed") else ()
    cites = () if computed else outcome.evidence_ids
    marks = "".join(f"[{n}]" for n in sources.numbers_of(cites, computed))
    note = f" (note: {as_data(outcome.note, 200)})" if outcome.note else ""
    value = as_data(render(outcome.value, outcome.type, services.language), 600)
    unit = outcome.detail.get("unit", "")
    return f"{value} {unit} {marks}{note}".replace("  ", " ").strip()
