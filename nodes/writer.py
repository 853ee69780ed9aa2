"""The writer: answers in the question's language, and says nothing its sources do not carry.

A draft, the model's or the rules', comes sentence by sentence. Each is checked by code (`nodes.claims`) before it
is spoken; from the first that fails on, the draft is held back, its failing sentences are sent back
once, and what still fails is marked. So the answer streams, and yet no wrong citation reaches the reader.
"""

from collections.abc import AsyncIterator
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

from models.gateway import ModelFailed
from nodes.citation_marks import clean_marks
from nodes.drafting import GROUNDED, REWRITE, drafted, instructions, rewritten
from nodes.drafts import Draft, cited, segments, supported
from nodes.findings import current
from nodes.material import Material
from nodes.passages import INSTRUCTIONS
from nodes.question import current_turn, transcript
from nodes.reader import SYSTEM as READER
from nodes.result import result_of
from nodes.rules.compose import compose
from nodes.rules.small_talk import small_talk
from nodes.services import Services
from nodes.sources import gather
from nodes.speakable import Speakable, without_links
from nodes.speaker import speak
from nodes.status import judge_status
from state import Answer, Citation, Claim, Language
from state.search import SearchState
from tools.corpus import telemetry

SOURCES = {"en": "Sources", "zh": "来源"}
BEWARE = {"en": "(gives orders to AI models)", "zh": "（含有写给 AI 模型的指令）"}
"""Said of a source that speaks to the model."""
NOTHING = {"en": "I could not find an answer to this.", "zh": "没有找到这个问题的答案。"}

FREE = """You are Weiwo, an assistant that plans before it searches. This message needs no search: answer it directly \
and briefly, in the language of the message. State no facts about the world that would need a source; if it turns out \
that you would have to, say that it should be asked as a search question."""


async def writer(state: SearchState, services: Services) -> dict[str, Any]:
    """Write, check and speak the answer; build the result."""
    plan, outcomes = state.get("plan"), state.get("outcomes", {})
    sources = gather(plan, outcomes, state.get("evidence", {}), services.language)
    draft = Draft(sources)
    with_model = services.models.configured("writer")
    material = Material(state, services, sources, instructions(services.language))
    started: dict[str, Any] = {"type": "answer_started", "decided_by": "model" if with_model else "rule"}
    if with_model and sources.items and state["assessment"].level != "simple":
        await material.fit()
        started |= {"left_out": material.left_out, "cut": material.cut}
    services.emit(started)
    message = await speak(_spoken(state, services, draft, material))
    text = "".join(draft.spoken).strip()
    status, reason = judge_status(state, services, draft)
    answer = Answer(
        text=text,
        claims=tuple(draft.claims),
        citations=draft.sources.citations(),
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


async def _spoken(state: SearchState, services: Services, draft: Draft, material: Material) -> AsyncIterator[str]:
    """The answer piece by piece, then its list of sources."""
    if state["assessment"].level == "simple":
        async for piece in _free(state, services, draft):
            yield piece
        return
    if material.messages:
        async for piece in _grounded(state, services, draft, material):
            yield piece
        draft.sources = material.sources
    if not draft.spoken or draft.broken:
        draft.decided_by = "model" if draft.spoken else "rule"
        async for piece in _by_rule(state, services, draft):
            yield piece
    if not draft.spoken:
        draft.decided_by = "rule"
        yield draft.accept(NOTHING[services.language], [Claim(text=NOTHING[services.language], verdict="uncited")])
    citations = draft.sources.citations()
    if citations:
        beware = {key for key, passage in state.get("evidence", {}).items() if INSTRUCTIONS in passage.flags}
        lines = [_listed(c, services.language, beware=c.evidence_id in beware) for c in citations]
        yield "\n\n" + SOURCES[services.language] + ":\n" + "\n".join(lines)


def _listed(citation: Citation, language: Language, *, beware: bool) -> str:
    """A line of the list of sources."""
    title = without_links(citation.title, {citation.source}, language)
    place = citation.quote if citation.source.startswith("task:") else citation.source
    return f"[{citation.n}] {title} · {place}" + (f" {BEWARE[language]}" if beware else "")


async def _free(state: SearchState, services: Services, draft: Draft) -> AsyncIterator[str]:
    """An answer that needs no sources: the model's, else what the rules can say."""
    question = state["assessment"].question
    if services.models.configured("writer"):
        before = transcript(current_turn(state).history)
        prompt = f"Conversation so far:\n{before}\n\nMessage: {question}" if before else question
        draft.decided_by = "model"
        say = Speakable((), prompt, services.language)
        try:
            stream = services.models.stream("writer", "draft", [SystemMessage(FREE), HumanMessage(prompt)])
            async for segment in segments(stream):
                draft.spoken.append(clean_marks(say(segment), ()))
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
    say = _speakable(state, services, draft)
    for sentence in compose(question, services.language, plan, state.get("outcomes", {}), state.get("evidence", {})):
        if sentence.text in said:
            continue
        numbers = draft.sources.numbers_of(sentence.evidence_ids, sentence.computed_by)
        marks = "".join(f"[{n}]" for n in numbers)
        if not (spoken := say(sentence.text)):
            continue
        segment = cited(spoken, marks, services.language)
        yield draft.accept(segment, draft.check(segment, question))


async def _grounded(state: SearchState, services: Services, draft: Draft, material: Material) -> AsyncIterator[str]:
    """The model's draft: checked sentence by sentence, the failing rest sent back once."""
    question = state["assessment"].question
    draft.sources = material.citable
    found = any(outcome.usable for outcome in current(state).values())
    say = _speakable(state, services, draft)
    opening: list[str] = []  # sentences that state nothing wait for one that does: a refusal states nothing either
    held: list[str] = []
    try:
        async for draft_segment in drafted(services, draft, material, say):
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
    for segment in await rewritten(held, material, services, draft, question, say):
        for piece in (*opening, segment):
            yield draft.accept(piece, draft.check(piece, question))
        opening = []
    if draft.spoken:
        draft.decided_by = "model"
    elif opening:
        draft.broken = draft.broken or "the draft said nothing of what was found"


def _speakable(state: SearchState, services: Services, draft: Draft) -> Speakable:
    """What makes sentences fit to be spoken in this answer."""
    passages = [passage for known in draft.sources.passages.values() for passage in known]
    return Speakable(passages, state["assessment"].question, services.language, (GROUNDED, REWRITE, READER))
