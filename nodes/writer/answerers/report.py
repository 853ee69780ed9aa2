"""Report answerer: title, summary, parallel-written sections, limits and open points."""

import asyncio

from weiwo.nodes.writer.context import WriterContext
from weiwo.nodes.writer.report.assembly import assemble_report
from weiwo.nodes.writer.written_answer import Answering, AnswerPart


async def answer(context: WriterContext) -> Answering:
    """Emit the pieces of the assembled report, then the part made of them. Nothing if there is no report."""
    if context.report is None:
        return
    pieces = await asyncio.to_thread(assemble_report, context.report, context.state, context.services, context.sources)
    for piece in pieces:
        yield piece
    yield AnswerPart(tuple(pieces), basis="sources")
