"""Draft answerer: a model's answer over the shown sources.

Code checks each piece before it is spoken.
"""

from contextlib import aclosing
from functools import partial
from typing import Final

from weiwo.models.gateway import ModelCallError
from weiwo.nodes.writer.context import WriterContext, shorten_prompt
from weiwo.nodes.writer.generate import DraftRequest, draft_answer, settle_pieces
from weiwo.nodes.writer.opening import PartCheck
from weiwo.nodes.writer.pieces import Piece, append_piece, drop_doubtful, read_piece
from weiwo.nodes.writer.written_answer import Answering, AnswerPart, Coverage
from weiwo.state.search import SearchState
from weiwo.text.language import fold
from weiwo.text.offloading import offload_reading
from weiwo.text.patterns import lazy

_LOST_LINE: Final = lazy(r"(?i)(?:^|[\n→])[^\S\n]*+[*-]?[^\S\n]*+not found: ")
_LEAST_MESSAGE: Final = 12
"""Fewest characters of a failure message. A shorter message may occur in a draft by chance."""


async def answer(context: WriterContext) -> Answering:
    """Emit a model's draft piece by piece, then the settled part.

    To settle it, a model judges the claims, and failing claims are rewritten once. Pieces at the beginning that state
    nothing are held back until a statement follows, because a refusal states nothing either. A draft that repeats the
    error message of a failed search is discarded: the part then has no pieces.

    Yields:
        `Coverage` first if it was asked for and the draft gave it, then the pieces, and last an `AnswerPart`. Its
            `broken` says why the draft ends early or is empty.
    """
    services, question, say = context.services, context.question, context.sanitizer(context.prompt.citable)
    request = DraftRequest(context.prompt, partial(shorten_prompt, context))
    check = PartCheck() if context.asks_coverage else None
    pieces, waiting, broken, is_covered = list[Piece](), list[str](), "", False
    try:
        async with aclosing(draft_answer(services, request, say, check)) as texts:
            async for text in texts:
                if check is not None and check.given and not is_covered:
                    is_covered = True
                    yield Coverage(check.missing)
                if _repeats_failure(text, context.state):
                    pieces, waiting, broken = [], [], "the draft repeats the error of the search"
                    break
                sources = request.prompt.citable
                piece = await offload_reading(sources.evidence, read_piece, text, pieces, sources, question)
                if not pieces and all(item.claim.verdict == "uncited" for item in piece.checked):
                    waiting.append(text)
                    continue
                for earlier in waiting:
                    before = read_piece(earlier, pieces, sources, question)
                    append_piece(pieces, before)
                    yield before
                waiting = []
                append_piece(pieces, piece)
                yield piece
    except ModelCallError as failed:
        broken = failed.reason
        pieces = drop_doubtful(pieces)
    if waiting:
        broken = broken or "the draft contains nothing of what was found"
    settled = await settle_pieces(request.prompt, services, pieces, question, say) if pieces else []
    if pieces and not settled:
        broken = broken or "nothing in the draft could be shown"
    yield AnswerPart(tuple(settled), broken=broken, basis="sources" if settled else None)


def _repeats_failure(text: str, state: SearchState) -> bool:
    """Report whether a draft piece has the message of a failed task or a line that begins with "not found: "."""
    failures = (outcome.failure for outcome in state.get("outcomes", {}).values() if outcome.status == "failed")
    words = [failure.message for failure in failures if failure is not None and len(failure.message) >= _LEAST_MESSAGE]
    return _LOST_LINE.search(text) is not None or any(fold(message) in fold(text) for message in words)
