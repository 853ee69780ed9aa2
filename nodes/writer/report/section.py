"""Sections of a report: drafted from separate passages, checked, judged, and repaired once."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from langchain_core.messages import HumanMessage, SystemMessage

from weiwo.models.gateway import ModelCallError
from weiwo.nodes.shared.prompting.context_packing import pack_passages
from weiwo.nodes.shared.prompting.sanitizer import AnswerSanitizer
from weiwo.nodes.shared.run_context import RunContext
from weiwo.nodes.writer.claims import CheckedClaim
from weiwo.nodes.writer.generate import DraftPrompt, DraftRequest, draft_answer, settle_pieces
from weiwo.nodes.writer.pieces import Piece, append_piece, drop_doubtful, read_piece
from weiwo.nodes.writer.report.outline import ZH_CHARACTERS, count_words
from weiwo.nodes.writer.report.prompt import (
    LIMITS,
    section_instructions,
    section_prompt,
    summary_instructions,
    summary_prompt,
)
from weiwo.nodes.writer.sources import CitableSources
from weiwo.state import Evidence, Language, Outline, OutlinedSection, Section, SectionPiece
from weiwo.state.search import SearchState
from weiwo.text.offloading import offload_reading
from weiwo.text.patterns import lazy

_SUMMARY_SHARE: Final = 0.1
"""The summary's share of a report's words."""
_LEAST_SUMMARY: Final = 120
"""Words that the summary of a short report may have."""
_HEADING: Final = lazy(r"\s*#{1,6}[ \t]")
_ANNOUNCEMENT: Final = lazy(
    r"(?i)\s*(?:(?:sure|certainly|of course|okay|here(?:['’]s| is| are)|below (?:is|are))\b|好的|当然|以下是|下面是)"
    r"[^\n\[]{0,120}[:：!！]\s*"
)
"""Announcement that some models put first, such as "Here is the section:"."""
_SHALLOW: Final = lazy(r"^([ \t]{0,3})#{1,2}(?=[ \t])", re.MULTILINE)


@dataclass(frozen=True)
class ReportDraft:
    """Report before assembly.

    Attributes:
        outline: The outline. Without sections, the answer is one draft.
        sections: The sections with content, by position in the outline.
        summary: The opening summary, and under a heading the limits of the report.
    """

    outline: Outline
    sections: Mapping[int, Section]
    summary: Section


async def _pack_section(
    state: SearchState,
    services: RunContext,
    outline: Outline,
    section: OutlinedSection,
    sources: CitableSources,
) -> DraftPrompt:
    """Return the prompt of a section, with those of its sources that fit. The numbers of the sources stay."""
    mine = CitableSources(tuple(item for item in sources.items if item.n in section.sources), sources.language)

    def prompt(citable: CitableSources, shown: Sequence[tuple[int, Evidence]]) -> str:
        return section_prompt(state, services, outline, section, citable, shown)

    await services.models.ready("writer")
    system = section_instructions(services.language)
    numbers = {source.evidence.id: source.n for source in mine.items if source.evidence is not None}
    fitted = await asyncio.to_thread(
        pack_passages,
        mine.evidence,
        f"{section.title} {section.covers}",
        services.models.room("writer", system, prompt(mine, [])),
        partial(services.models.count, "writer"),
    )
    shown = [(numbers[passage.id], passage) for passage in fitted.shown]
    visible = {n for n, _ in shown}
    items = tuple(source for source in mine.items if source.evidence is None or source.n in visible)
    citable = CitableSources(items, mine.language)
    return DraftPrompt(citable, (SystemMessage(system), HumanMessage(prompt(citable, shown))))


async def write_section(
    state: SearchState, services: RunContext, outline: Outline, section: OutlinedSection, sources: CitableSources
) -> Section:
    """Return a section of a report, written by a model and checked. The cost is booked in the budget of `services`."""

    async def pack() -> DraftPrompt:
        return await _pack_section(state, services, outline, section, sources)

    return await _write(state, services, DraftRequest(await pack(), pack), section.title)


async def write_summary(
    state: SearchState,
    services: RunContext,
    outline: Outline,
    sections: Sequence[Section],
    sources: CitableSources,
) -> Section:
    """Return the opening summary of a report, then its limits under a heading. Written and checked like a section.

    If no section has any text, the summary is empty and `broken` says so.

    Args:
        state: The state of the run.
        services: The models and the budget.
        outline: The outline.
        sections: The sections in order.
        sources: The sources of the report.
    """
    told = [
        (item.title, text)
        for item, section in zip(outline.sections, sections, strict=True)
        if (text := "".join(piece.text for piece in section.pieces).strip())
    ]
    if not told:
        return Section(broken="no section could be written")
    length = sum(count_words(text, services.language) for _, text in told)
    cited = {n for section in sections for piece in section.pieces for claim in piece.claims for n in claim.citations}
    citable = CitableSources(tuple(item for item in sources.items if item.n in cited), sources.language)
    least = _LEAST_SUMMARY * (ZH_CHARACTERS if services.language == "zh" else 1)
    text = summary_prompt(state, services, told, citable, int(max(least, length * _SUMMARY_SHARE)))
    prompt = DraftPrompt(citable, (SystemMessage(summary_instructions(services.language)), HumanMessage(text)))

    async def pack() -> DraftPrompt:
        """Return the prompt unchanged, because nothing can be left out of the sections."""
        return prompt

    return await _write(state, services, DraftRequest(prompt, pack), "")


async def _write(state: SearchState, services: RunContext, request: DraftRequest, title: str) -> Section:
    """Return a drafted section or summary after a model judged the claims and failing claims were rewritten once.

    If the draft breaks off, pieces with doubtful claims are dropped and `broken` gives the reason.

    Args:
        state: The state of the run.
        services: The models.
        request: The request for the draft.
        title: The title of the section. Empty for the summary.
    """
    question = state["assessment"].question
    say = AnswerSanitizer(request.prompt.citable.evidence, question, services.language)
    pieces: list[Piece] = []
    broken = ""
    try:
        async for text in draft_answer(services, request, say):
            if not pieces and _ANNOUNCEMENT.fullmatch(text):
                continue
            kept = _below(text, title, first=not pieces) if title else text
            citable = request.prompt.citable
            append_piece(pieces, await offload_reading(citable.evidence, read_piece, kept, pieces, citable, question))
    except ModelCallError as failed:
        broken = failed.reason
        pieces = drop_doubtful(pieces)
    if pieces:
        pieces = await settle_pieces(request.prompt, services, pieces, question, say)
    return Section(pieces=tuple(map(_keep_piece, pieces)), broken=broken)


def is_limits_heading(text: str, language: Language) -> bool:
    """Report whether the first line of a piece is the heading on the limits of a report, marked with # or **."""
    first = text.strip().partition("\n")[0]
    return first.startswith(("#", "**")) and first.strip(" #*").startswith(LIMITS[language])


def _below(piece: str, title: str, *, first: bool) -> str:
    """Return a piece with headings of the first two levels lowered to the third, below the section's heading.

    If the first piece begins with the section's title, that line is left out.

    Args:
        piece: The piece.
        title: The title of the section.
        first: Whether the section begins with this piece.
    """
    line = piece.strip().partition("\n")[0]
    if first and line.strip(" #*_:：").casefold() == title.casefold():
        return piece.lstrip()[len(line) :]
    heading = _HEADING.match(piece)
    return _SHALLOW.sub(r"\1###", piece) if heading else piece


def _keep_piece(piece: Piece) -> SectionPiece:
    return SectionPiece(
        text=piece.text,
        claims=tuple(item.claim for item in piece.checked),
        places=tuple((item.start, item.end) for item in piece.checked),
    )


def restore_piece(piece: SectionPiece) -> Piece:
    """Convert a stored section piece into a piece of an answer."""
    places = zip(piece.places, piece.claims, strict=True)
    return Piece(piece.text, tuple(CheckedClaim(start, end, claim) for (start, end), claim in places))
