"""The writer's draft by a model: from the shown sources, in the wanted language.

Failing claims are replaced. Links, pictures and recited prompts are removed before anything is checked or spoken.
"""

import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from itertools import groupby
from typing import ClassVar, Final

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from weiwo.models.errors import ModelRequestError
from weiwo.models.gateway import ModelCallError
from weiwo.nodes.shared.prompting.passage_prompt import quote_as_data
from weiwo.nodes.shared.prompting.reply_types import Reply
from weiwo.nodes.shared.prompting.sanitizer import AnswerSanitizer
from weiwo.nodes.shared.run_context import RunContext
from weiwo.nodes.writer.claims import CheckedClaim
from weiwo.nodes.writer.document import claim_spans, row_of
from weiwo.nodes.writer.entailment import format_sources, is_open, judge_claims
from weiwo.nodes.writer.opening import PartCheck, is_check_line, is_closing, skip_opening
from weiwo.nodes.writer.piece_stream import split_pieces
from weiwo.nodes.writer.pieces import ClaimPlace, Piece, append_piece, read_piece, trailing_blanks
from weiwo.nodes.writer.prompt import CONTINUE, REWRITE
from weiwo.nodes.writer.sources import CitableSources
from weiwo.state import DOUBTFUL, Language
from weiwo.text.citation_marks import clean_marks
from weiwo.text.language import HAN
from weiwo.text.language_detection import is_in_language, language_name
from weiwo.text.markdown import CELL, ITEM, ROW, read_lines, split_row
from weiwo.text.patterns import lazy

_MOST_REWRITTEN = 40
"""Most failing claims that are rewritten in one call."""
_SHORT = 12
"""Fewest characters of text from which its language is detected. A shorter text may be a bare name."""


_DRAFT_TOKENS: Final = {"quick": 4_000, "normal": 6_000, "deep": 8_000}
"""Most tokens of a draft by depth, if the question asks for no longer answer."""
_TOKENS_A_WORD: Final = 4


@dataclass(frozen=True)
class DraftPrompt:
    """Prompt of a draft, and the citable sources.

    Attributes:
        citable: The shown sources, and the calculations.
        messages: The prompt. Empty if no model is asked.
        left_out: Number of passages without room.
        cut: Number of passages shown in part.
    """

    citable: CitableSources
    messages: tuple[BaseMessage, ...] = ()
    left_out: int = 0
    cut: int = 0


class DraftRequest:
    """Request for a draft, with a prompt that can be shortened if the model refuses it as too long.

    Args:
        prompt: The prompt.
        shorten: Returns a prompt with the sources that fit the model's context window, under the same numbers.

    Attributes:
        prompt: The current prompt.
    """

    def __init__(self, prompt: DraftPrompt, shorten: Callable[[], Awaitable[DraftPrompt]]) -> None:
        self.prompt = prompt
        self._shorten = shorten

    async def shorten(self) -> None:
        """Replace `prompt` by a shorter one, after the model refused it as too long."""
        self.prompt = await self._shorten()


class Replacement(Reply):
    """Replacement for a failing claim, as returned by a model.

    Attributes:
        n: The number of the claim in the prompt, from 1.
        text: The new text. Empty to drop the claim.
    """

    bounds: ClassVar[Mapping[str, int]] = {"text": 1900}

    n: int
    text: str


class RewriteReply(Reply):
    """The replacements for the failing claims of one call."""

    bounds: ClassVar[Mapping[str, int]] = {"sentences": 40}
    tokens: ClassVar[int] = 3000

    sentences: list[Replacement]


async def draft_answer(
    services: RunContext, request: DraftRequest, say: AnswerSanitizer, check: PartCheck | None = None
) -> AsyncGenerator[str, None]:
    """Stream the model's draft piece by piece, sanitized.

    If the prompt proves too long, the draft is requested once more with a shorter prompt. A draft that is cut off at
    the model's limit of length is continued once, from its last whole piece.

    Args:
        services: The models.
        request: The request for the draft.
        say: Sanitizes the pieces.
        check: Takes the first line, which names unanswered parts of the question, out of the draft. None if the draft
            was not asked for that line.

    Raises:
        ModelCallError: There is no draft, or it broke off.
    """
    messages = request.prompt.messages
    for first in (True, False):
        said: list[str] = []
        try:
            async with aclosing(_in_language(services, messages, check)) as segments:
                async for segment in segments:
                    said.append(segment)
                    if is_check_line(segment) or is_closing(segment):
                        yield ""
                    else:
                        yield say(segment) or trailing_blanks(segment)
        except ModelRequestError as failure:
            if first and said and failure.fault.cut and not services.budget.find_exhausted_limit():
                messages = (*request.prompt.messages, AIMessage("".join(said)), HumanMessage(CONTINUE))
                check = None
                continue
            if said or not first or failure.fault.kind != "overflow":
                raise
            await request.shorten()
            messages = request.prompt.messages
        else:
            return


async def _in_language(
    services: RunContext, messages: tuple[BaseMessage, ...], check: PartCheck | None
) -> AsyncGenerator[str, None]:
    """Stream the model's draft, requested once more if its beginning is not in the wanted language.

    A beginning that is JSON, markup or an echo of the prompt is treated in the same way.

    Args:
        services: The models.
        messages: The prompt.
        check: Takes the line about unanswered parts out of the draft, or None.

    Raises:
        ModelCallError: The second draft is not in the language either.
    """
    for attempt in range(2):
        waiting: list[str] | None = []  # headings, tables and code tell no language
        most = max(_DRAFT_TOKENS[services.settings.depth], _TOKENS_A_WORD * services.settings.words)
        deltas = services.models.stream("writer", "draft", messages, most=most)
        pieces = split_pieces(deltas if check is None else check.strip(deltas))
        async with aclosing(skip_opening(pieces)) as stream:
            async for segment in stream:
                if waiting is None:
                    yield segment
                    continue
                waiting.append(segment)
                if not _tells_language(segment) and not _ECHO.match(segment) and len(waiting) < _MOST_WAITING:
                    continue
                if not _is_prose("".join(waiting), services.language):
                    break
                for held in waiting:
                    yield held
                waiting = None
            else:
                if waiting and _is_prose("".join(waiting), services.language):
                    for held in waiting:
                        yield held
                    return
        if waiting is None:
            return
        if attempt == 0:
            messages = (*messages, HumanMessage(f"Answer in {language_name(services.language)}."))
    raise ModelCallError(f"the draft is not in {language_name(services.language)}")


_MOST_WAITING = 12
"""Pieces at the beginning that may hold no prose."""
_HAN = lazy(f"[{HAN}]")
_ECHO = lazy(r"[{<]|(?:Question|Findings|问题)\s*[:：]")
"""How JSON, markup or the prompt itself begins."""


def _tells_language(segment: str) -> bool:
    """Report whether a piece has prose and is long enough to detect its language."""
    return len(segment.lstrip()) >= _SHORT and any(line.kind == "text" for line in read_lines(segment))


def _is_prose(text: str, language: Language) -> bool:
    """Report whether the beginning of a draft is in the wanted language.

    True for a text too short to tell. For Chinese, a table needs only some Chinese characters. False for JSON, markup
    and an echo of the prompt.
    """
    if _ECHO.match(text.strip()):
        return False
    pieces = [text[start:end] for start, end in claim_spans(text)]
    words = clean_marks(" ".join(pieces), ()).strip()
    if len(words) < _SHORT or is_in_language(words, language):
        return True
    return language == "zh" and bool(ROW.match(text.lstrip())) and bool(_HAN.search(text))


async def settle_pieces(
    prompt: DraftPrompt, services: RunContext, pieces: Sequence[Piece], question: str, say: AnswerSanitizer
) -> list[Piece]:
    """Return spoken pieces with claims judged by a model and failing claims rewritten once.

    Claims that still fail stay in the text, marked as doubtful.

    Args:
        prompt: The writer's prompt.
        services: The models.
        pieces: The pieces as spoken.
        question: The user's question.
        say: Sanitizes replacements.

    Returns:
        The pieces with their last verdicts. Pieces emptied by the rewriting are left out.
    """
    judged = await judge_claims(services, pieces, prompt.citable, question)
    failing = [
        ClaimPlace(number, position)
        for number, piece in enumerate(judged)
        for position, checked in enumerate(piece.checked)
        if checked.claim.verdict in DOUBTFUL
    ][:_MOST_REWRITTEN]
    if failing:
        judged, changed = await _rewrite(failing, prompt, services, judged, question, say)
        again = [
            ClaimPlace(number, position)
            for number in sorted(changed)
            for position, checked in enumerate(judged[number].checked)
            if is_open(checked)
        ]
        if again:
            judged = await judge_claims(services, judged, prompt.citable, question, again)
    settled: list[Piece] = []
    for piece in judged:
        append_piece(settled, piece)
    return settled


async def _rewrite(
    failing: list[ClaimPlace],
    prompt: DraftPrompt,
    services: RunContext,
    pieces: list[Piece],
    question: str,
    say: AnswerSanitizer,
) -> tuple[list[Piece], set[int]]:
    """Return the pieces with failing claims replaced by a model's text, and the numbers of the changed pieces.

    If the model fails, the pieces are returned unchanged with an empty set.
    """
    groups = [list(group) for _, group in groupby(failing, lambda place: (place.piece, _row(pieces, place) or place))]
    listed = [_format_failing(n, pieces, group) for n, group in enumerate(groups, 1)]
    rules, asked = prompt.messages[:1], "\n".join([REWRITE, *listed])
    room = services.models.room("writer", *(str(message.content) for message in rules), asked)
    lines = format_sources([_claim(pieces, place).claim for place in failing], prompt.citable.items, room)
    shown = "\n".join([f"Question: {quote_as_data(question, 400)}", "", *lines, "", asked])
    request = [*rules, HumanMessage(shown)]
    try:
        reply = await services.models.request_structured_reply("writer", "rewrite", request, RewriteReply)
    except ModelCallError:
        return pieces, set()  # in the trace; the claims stay marked
    texts = {item.n: " ".join(say(item.text).split()) for item in reply.sentences if 1 <= item.n <= len(groups)}
    written: dict[int, str] = {}
    for n, group in reversed(list(enumerate(groups, 1))):
        new, number = texts.get(n), group[0].piece
        row = row_of(written.get(number, pieces[number].text), _span(pieces, group[0])).strip()
        whole = bool(row and new) and len(split_row(new or "")) == len(split_row(row))
        if new is None or not (whole or len(group) == 1):  # one cell's words are not those of several
            continue
        text = written.get(number, pieces[number].text)
        spans = [_span(pieces, place) for place in group]
        if whole and (label := split_row(row)[0]):  # which may be what fails; the other cells stay as they are
            start = text.index(label, text.index(row))
            spans = list(dict.fromkeys([(start, start + len(label)), *spans]))
        for span in reversed(spans):
            text = _replace_claim(text, span, new)
        written[number] = text
    mended = list(pieces)
    for number, text in sorted(written.items()):
        read = read_piece(say(text) or trailing_blanks(text), mended[:number], prompt.citable, question)
        mended[number] = replace(read, checked=_keep_judged(pieces[number].checked, read.checked))
    return mended, set(written)


def _keep_judged(before: Sequence[CheckedClaim], after: Sequence[CheckedClaim]) -> tuple[CheckedClaim, ...]:
    """Return the claims of a changed piece.

    A claim that was in the piece before keeps its earlier verdict, unless doubtful.
    """
    known = {
        (claim.claim.text, claim.claim.citations): claim.claim
        for claim in before
        if claim.claim.verdict not in DOUBTFUL
    }
    return tuple(
        replace(claim, claim=known.get((claim.claim.text, claim.claim.citations), claim.claim)) for claim in after
    )


def _format_failing(n: int, pieces: Sequence[Piece], group: Sequence[ClaimPlace]) -> str:
    """Return the prompt lines for failing claims: the text and why it fails.

    Args:
        n: The number in the prompt.
        pieces: The pieces.
        group: The place of a single claim, or of all failing cells of a table row. A row is written whole, with a
            reason for each cell.
    """
    claims = [_claim(pieces, place) for place in group]
    text, row = pieces[group[0].piece].text, _row(pieces, group[0])
    cells = [(text[claim.start : claim.end].strip(), claim.claim.reason) for claim in claims]
    if not row:
        return f"{n}: {cells[0][0]}\n   Fails: {cells[0][1]}"
    return "\n".join([f"{n}: {row}", *(f"   Fails in “{cell}”: {reason}" for cell, reason in cells)])


def _row(pieces: Sequence[Piece], place: ClaimPlace) -> str:
    """Return the table row of a claim. Empty for claims outside of tables."""
    return row_of(pieces[place.piece].text, _span(pieces, place)).strip()


def _span(pieces: Sequence[Piece], place: ClaimPlace) -> tuple[int, int]:
    """Return the span of a claim in the text of the piece."""
    checked = _claim(pieces, place)
    return checked.start, checked.end


def _replace_claim(piece: str, span: tuple[int, int], new: str) -> str:
    """Return a piece with the text of a claim replaced, keeping markers, borders and line ends.

    Args:
        piece: Markdown.
        span: The claim in it.
        new: The replacement, on one line. If empty, the claim is dropped, together with an item or paragraph that held
            nothing else. A dropped cell holds a dash.
    """
    start, end = span
    if row := row_of(piece, span):
        old, cells = split_row(row), split_row(new)
        if "|" in new and len(cells) == len(old):
            new = cells[old.index(piece[start:end])] if piece[start:end] in old else cells[-1]
        return piece[:start] + (CELL.sub(r"\\|", new) or "–") + piece[end:]
    marker = ITEM.match(new)
    new = new[marker.end() :] if marker and ITEM.match(piece) else new
    text = piece[:start] + new + piece[end:]
    if new:
        return text
    left = text.rfind("\n", 0, start) + 1
    right = text.find("\n", start) + 1 or len(text)
    if not re.search(r"\w", _MARKER.sub("", text[left:right])):
        text = text[:left] + text[right:]
    return text.rstrip() + trailing_blanks(piece)


_MARKER = lazy(r"^[\s>]*(?:[-*+•]|\d{1,3}[.)、])\s")


def _claim(pieces: Sequence[Piece], place: ClaimPlace) -> CheckedClaim:
    return pieces[place.piece].checked[place.position]
