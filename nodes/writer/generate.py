"""The writer's draft as a model gives it: from the sources shown, in the wanted language, failing claims replaced.

Links, pictures and what models are told here are taken out before anything is checked or spoken.
"""

import re
from collections.abc import AsyncIterator
from contextlib import aclosing

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from weiwo.models.faults import ModelRequestError
from weiwo.models.gateway import ModelCallError
from weiwo.nodes.shared.citation_marks import clean_marks
from weiwo.nodes.shared.reply_types import Reply
from weiwo.nodes.shared.run_context import RunContext
from weiwo.nodes.shared.sanitizer import AnswerSanitizer
from weiwo.nodes.writer.claims import CheckedClaim
from weiwo.nodes.writer.context import WriterContext
from weiwo.nodes.writer.document import ITEM, row_of, split_row
from weiwo.nodes.writer.draft import Draft
from weiwo.nodes.writer.entailment import ClaimPlace, judge_claims
from weiwo.nodes.writer.piece_stream import split_pieces
from weiwo.nodes.writer.prompt import LANGUAGE_NAMES, REWRITE
from weiwo.state import DOUBTFUL, Language
from weiwo.text.language import detect_language
from weiwo.text.patterns import lazy

MOST_REWRITTEN = 40
"""Claims sent back in one call."""
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
    """The model's draft, piece by piece; where the prompt proves too long for it, once more with what fits.

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
    """The model's draft in pieces, asked for once more where it begins as no prose of the wanted language.

    Raises:
        ModelCallError: There is no such draft.
    """
    for attempt in range(2):
        begun = False
        async with aclosing(split_pieces(services.models.stream("writer", "draft", messages))) as stream:
            async for segment in stream:
                if not begun and not _is_prose(segment, services.language):
                    break
                begun = True
                yield segment
        if begun:
            return
        if attempt == 0:
            messages = [*messages, HumanMessage(f"Answer in {LANGUAGE_NAMES[services.language]}.")]
    raise ModelCallError(f"the draft was no text in {LANGUAGE_NAMES[services.language]}")


_ECHO = lazy(r"[{<]|(?:Question|Findings|问题)\s*[:：]")
"""How JSON, markup or the prompt itself begins."""


def _is_prose(segment: str, language: Language) -> bool:
    words = clean_marks(segment, ()).strip()
    return not _ECHO.match(words) and (len(words) < SHORT or detect_language(words) == language)


async def settle_draft(
    context: WriterContext, services: RunContext, draft: Draft, question: str, say: AnswerSanitizer
) -> None:
    """Settle what was spoken: claims are judged, those that fail rewritten once; what still fails stays marked.

    Args:
        context: What the writer was shown.
        services: The models.
        draft: The draft; its pieces and verdicts change, and it is rendered anew where they do.
        question: The user's question.
        say: Makes replacements fit to be spoken.
    """
    await judge_claims(services, draft)
    failing = [
        ClaimPlace(number, position)
        for number, piece in enumerate(draft.pieces)
        for position, checked in enumerate(piece.checked)
        if checked.claim.verdict in DOUBTFUL
    ][:MOST_REWRITTEN]
    if failing:
        rewritten = await _rewrite(failing, context, services, draft, question, say)
        if again := _matched(draft, rewritten):
            await judge_claims(services, draft, again)
    draft.render_again()


async def _rewrite(
    failing: list[ClaimPlace],
    context: WriterContext,
    services: RunContext,
    draft: Draft,
    question: str,
    say: AnswerSanitizer,
) -> set[int]:
    """Replace failing claims by what the model gives for them; returns the pieces that changed."""
    listed = [f"{n}: {_written(draft, place)}\n   Fails: {_claim(draft, place).claim.reason}" for n, place in enumerate(failing, 1)]  # fmt: skip  # noqa: E501 - one line reads best
    text = "".join(piece.text for piece in draft.pieces)
    request = [*context.messages, AIMessage(text), HumanMessage("\n".join([REWRITE, *listed]))]
    try:
        reply = await services.models.structured("writer", "rewrite", request, RewriteReply)
    except ModelCallError:
        return set()  # in the trace; the claims stay marked
    texts = {item.n: say(item.text).strip() for item in reply.sentences if 1 <= item.n <= len(failing)}
    pieces: set[int] = set()
    for n, place in reversed(list(enumerate(failing, 1))):
        if n not in texts:
            continue
        piece, checked = draft.pieces[place.piece], _claim(draft, place)
        new = " ".join(texts[n].split())
        cell = bool(row_of(piece.text, (checked.start, checked.end)))
        if cell:
            new = new.replace("|", "/") or _written(draft, place)
        piece.text = piece.text[: checked.start] + new + piece.text[checked.end :]
        pieces.add(place.piece)
        if not new and not re.search(r"\w", piece.text):
            piece.text = ""
    for number in pieces:
        draft.pieces[number] = draft.read(draft.pieces[number].text, question)
    return pieces


def _matched(draft: Draft, pieces: set[int]) -> list[ClaimPlace]:
    """The claims of pieces that code found no fault with, and that a model has not judged."""
    return [
        ClaimPlace(number, position)
        for number in sorted(pieces)
        for position, checked in enumerate(draft.pieces[number].checked)
        if checked.claim.citations and checked.claim.verdict == "matched"
    ]


def _claim(draft: Draft, place: ClaimPlace) -> CheckedClaim:
    return draft.pieces[place.piece].checked[place.position]


def _written(draft: Draft, place: ClaimPlace) -> str:
    """A claim as the draft has it, marks included."""
    checked = _claim(draft, place)
    return draft.pieces[place.piece].text[checked.start : checked.end].strip()
