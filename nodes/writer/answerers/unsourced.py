"""Unsourced answerer: an answer from a model's own knowledge, with a note that it has no sources.

The note is left out for small talk and writing requests.
"""

from typing import Final

from langchain_core.messages import HumanMessage, SystemMessage

from weiwo.models.gateway import ModelCallError
from weiwo.nodes.memory.thread_memory import format_conversation
from weiwo.nodes.memory.wishes import format_wishes
from weiwo.nodes.shared.prompting.sanitizer import AnswerSanitizer
from weiwo.nodes.shared.question.turn import find_current_turn
from weiwo.nodes.writer.closing import NEEDS_NO_SOURCE
from weiwo.nodes.writer.context import WriterContext
from weiwo.nodes.writer.piece_stream import split_pieces
from weiwo.nodes.writer.pieces import Piece, append_piece
from weiwo.nodes.writer.prompt import FREE
from weiwo.nodes.writer.written_answer import Answering, AnswerPart
from weiwo.text.citation_marks import clean_marks
from weiwo.text.localization import localize_message

_UNSOURCED: Final = localize_message("writer.notes", "unsourced")


async def answer(context: WriterContext) -> Answering:
    """Emit an answer from a model's own knowledge, then the part made of it.

    A note that sources are missing ends a complete answer, unless the message is small talk or a writing request. Emits
    nothing if an earlier answerer wrote something.
    """
    if not context.written.is_empty:
        return
    frame, services = context.state["assessment"].frame, context.services
    before = format_conversation(find_current_turn(context.state))
    prompt = f"Conversation so far:\n{before}\n\nMessage: {frame.question}" if before else frame.question
    if wished := format_wishes(context.state.get("wishes", [])):
        prompt = f"{wished}\n\n{prompt}"
    say = AnswerSanitizer((), prompt, services.language)
    pieces, broken = list[Piece](), ""
    try:
        stream = services.models.stream("writer", "draft", [SystemMessage(FREE), HumanMessage(prompt)])
        async for segment in split_pieces(stream):
            piece = Piece(clean_marks(say(segment), ()))
            append_piece(pieces, piece)
            yield piece
    except ModelCallError as failed:
        broken = failed.reason
    is_whole, tells_facts = bool(pieces) and not broken, frame.shape not in NEEDS_NO_SOURCE
    if is_whole and tells_facts:
        pieces.append(Piece(f"\n\n{_UNSOURCED[services.language]}"))
        yield pieces[-1]
    yield AnswerPart(
        tuple(pieces),
        broken=broken,
        basis=("knowledge" if tells_facts else "conversation") if is_whole else None,
        is_one_claim=is_whole,
    )
