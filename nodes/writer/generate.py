"""The writer's draft as a model gives it: from the sources shown, in the wanted language, failing sentences replaced.

What comes is prose: links, pictures and what models are told here are taken out before anything is checked or spoken.
"""

from collections.abc import AsyncIterator
from contextlib import aclosing

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from weiwo.models.faults import ModelRequestError
from weiwo.models.gateway import ModelCallError
from weiwo.nodes.shared.citation_marks import clean_marks
from weiwo.nodes.shared.reply_types import Reply
from weiwo.nodes.shared.run_context import RunContext
from weiwo.nodes.shared.sanitizer import AnswerSanitizer
from weiwo.nodes.writer.context import WriterContext
from weiwo.nodes.writer.draft import Draft, all_supported, split_segments
from weiwo.nodes.writer.prompt import LANGUAGE_NAMES, REWRITE
from weiwo.state import Language
from weiwo.text.language import detect_language
from weiwo.text.patterns import lazy

SHORT = 12
"""Characters below which a sentence, a bare name perhaps, does not tell its language."""


class Replacement(Reply):
    """A sentence to replace another."""

    n: int
    text: str


class RewriteReply(Reply):
    """The replacements, by the number of the sentence."""

    sentences: list[Replacement]


async def draft_answer(
    services: RunContext, draft: Draft, context: WriterContext, say: AnswerSanitizer
) -> AsyncIterator[str]:
    """The model's draft, sentence by sentence; where the prompt proves too long for it, once more with what fits.

    Raises:
        ModelCallError: There is none, or it broke off.
    """
    for first in (True, False):
        begun = False
        try:
            async for segment in _in_language(services, context.messages):
                begun = True
                if spoken := say(segment):
                    yield spoken
        except ModelRequestError as failure:
            if begun or not first or failure.fault.kind != "overflow":
                raise
            await context.pack_sources()
            draft.sources = context.citable
        else:
            return


async def _in_language(services: RunContext, messages: list[BaseMessage]) -> AsyncIterator[str]:
    """The model's draft in sentences, asked for once more where it begins as no prose of the wanted language.

    Raises:
        ModelCallError: There is no such draft.
    """
    for attempt in range(2):
        begun = False
        async with aclosing(split_segments(services.models.stream("writer", "draft", messages))) as stream:
            async for segment in stream:
                if not begun and not _is_prose(segment, services.language):
                    break
                begun = True
                yield segment
        if begun:
            return
        if attempt == 0:
            messages = [*messages, HumanMessage(f"Answer in {LANGUAGE_NAMES[services.language]}, in plain sentences.")]
    raise ModelCallError(f"the draft was no text in {LANGUAGE_NAMES[services.language]}")


_ECHO = lazy(r"[{<]|(?:Question|Findings|问题)\s*[:：]")
"""How JSON, markup or the prompt itself begins."""


def _is_prose(segment: str, language: Language) -> bool:
    words = clean_marks(segment, ()).strip()
    return not _ECHO.match(words) and (len(words) < SHORT or detect_language(words) == language)


async def rewrite_failing(
    held: list[str], context: WriterContext, services: RunContext, draft: Draft, question: str, say: AnswerSanitizer
) -> list[str]:
    """The held-back sentences, those that fail replaced once by the model."""
    failing = [n for n, segment in enumerate(held, 1) if not all_supported(draft.check(segment, question))]
    if not failing:
        return held
    listed = "\n".join(f"{n}: {held[n - 1].strip()}" for n in failing)
    request = [*context.messages, AIMessage("".join(held)), HumanMessage(f"{REWRITE}\n{listed}")]
    try:
        reply = await services.models.structured("writer", "rewrite", request, RewriteReply)
    except ModelCallError:
        return held  # in the trace; the sentences go out marked
    texts = {item.n: say(item.text).strip() for item in reply.sentences if item.n in failing}
    replaced = []
    for n, segment in enumerate(held, 1):
        if n not in texts:
            replaced.append(segment)
        elif texts[n]:
            whole = texts[n] + segment[len(segment.rstrip()) :]  # the blanks between sentences and list items
            replaced += [_fix_citations(text, draft, question) async for text in split_segments(_at_once(whole))]
    return replaced


def _fix_citations(text: str, draft: Draft, question: str) -> str:
    """A sentence under citations that carry it, if its own do not and there are such."""
    return text if all_supported(draft.check(text, question)) else draft.fix_citations(text, question) or text


async def _at_once(text: str) -> AsyncIterator[str]:
    yield text
