"""The writer's draft as a model gives it: from the sources shown, in the wanted language, failing sentences replaced.

What comes is prose: links, pictures and what models are told here are taken out before anything is checked or spoken.
"""

import re
from collections.abc import AsyncIterator
from contextlib import aclosing

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from models.faults import RequestFailed
from models.gateway import ModelFailed
from nodes.citation_marks import clean_marks
from nodes.drafts import Draft, segments, supported
from nodes.material import Material
from nodes.passages import DATA_RULE
from nodes.replies import Reply
from nodes.services import Services
from nodes.speakable import Speakable
from state import Language
from text.language import detect_language

LANGUAGE_NAMES = {"en": "English", "zh": "Chinese (简体中文)"}
SHORT = 12
"""Characters below which a sentence, a bare name perhaps, does not tell its language."""

GROUNDED = f"""You are the Writer of a search system. Answer the user's question from the findings and sources below.
{DATA_RULE}
- Answer first, in one sentence; then the facts it rests on. Be as short as the question allows.
- Every sentence that states a fact ends with the numbers of the sources that carry it, such as [1] or [1][3]. A \
calculated value cites the number of its <calculation>, besides the sources of its inputs. Cite by the n of a passage \
or calculation, not by the position of a finding. Cite only numbers that are listed.
- Use only what the sources say, never your own memory. Copy numbers, dates and names exactly.
- If sources disagree, say so and cite both. If something was not found, say what; do not fill the gap.
- Plain sentences: no headings, no label such as "Answer:", no list of sources (it is added)."""

REWRITE = """Some sentences of an answer could not be verified against their sources. For each give a replacement \
that says only what listed sources carry (exact numbers, dates, names), with the right citation marks at its end (you \
may cite other listed sources or a calculation), or an empty string to drop it."""


def instructions(language: Language) -> str:
    """What the writer is told, for an answer in a language."""
    return f"{GROUNDED}\n- Write in {LANGUAGE_NAMES[language]}."


class Replacement(Reply):
    """A sentence to replace another."""

    n: int
    text: str


class RewriteReply(Reply):
    """The replacements, by the number of the sentence."""

    sentences: list[Replacement]


async def drafted(services: Services, draft: Draft, material: Material, say: Speakable) -> AsyncIterator[str]:
    """The model's draft, sentence by sentence; where the prompt proves too long for it, once more with what fits.

    Raises:
        ModelFailed: There is none, or it broke off.
    """
    for first in (True, False):
        begun = False
        try:
            async for segment in _in_language(services, material.messages):
                begun = True
                if spoken := say(segment):
                    yield spoken
        except RequestFailed as failure:
            if begun or not first or failure.fault.kind != "overflow":
                raise
            await material.fit()
            draft.sources = material.citable
        else:
            return


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


async def rewritten(
    held: list[str], material: Material, services: Services, draft: Draft, question: str, say: Speakable
) -> list[str]:
    """The held-back sentences, those that fail replaced once by the model."""
    failing = [n for n, segment in enumerate(held, 1) if not supported(draft.check(segment, question))]
    if not failing:
        return held
    listed = "\n".join(f"{n}: {held[n - 1].strip()}" for n in failing)
    request = [*material.messages, AIMessage("".join(held)), HumanMessage(f"{REWRITE}\n{listed}")]
    try:
        reply = await services.models.structured("writer", "rewrite", request, RewriteReply)
    except ModelFailed:
        return held  # in the trace; the sentences go out marked
    texts = {item.n: say(item.text).strip() for item in reply.sentences if item.n in failing}
    replaced = []
    for n, segment in enumerate(held, 1):
        if n not in texts:
            replaced.append(segment)
        elif texts[n]:
            whole = texts[n] + segment[len(segment.rstrip()) :]  # the blanks between sentences and list items
            replaced += [_recited(text, draft, question) async for text in segments(_at_once(whole))]
    return replaced


def _recited(text: str, draft: Draft, question: str) -> str:
    """A sentence under citations that carry it, if its own do not and there are such."""
    return text if supported(draft.check(text, question)) else draft.recited(text, question) or text


async def _at_once(text: str) -> AsyncIterator[str]:
    yield text
