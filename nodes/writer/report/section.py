"""Sections of a report: each is drafted from its own passages, checked by code and judged, and mended once."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from weiwo.models.gateway import ModelCallError
from weiwo.nodes.shared.prompting.context_packing import pack_passages
from weiwo.nodes.shared.prompting.sanitizer import AnswerSanitizer
from weiwo.nodes.shared.run_context import RunContext
from weiwo.nodes.writer.claims import CheckedClaim
from weiwo.nodes.writer.draft import Draft, Piece
from weiwo.nodes.writer.generate import DraftContext, draft_answer, settle_draft
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
from weiwo.text.patterns import lazy

_SUMMARY_SHARE: Final = 0.1
"""The summary's share of a report's words."""
_LEAST_SUMMARY: Final = 120
"""Words of the summary of a short report, at most."""
_HEADING: Final = lazy(r"\s*#{1,6}[ \t]")
_ANNOUNCEMENT: Final = lazy(
    r"(?i)\s*(?:(?:sure|certainly|of course|okay|here(?:['’]s| is| are)|below (?:is|are))\b|好的|当然|以下是|下面是)"
    r"[^\n\[]{0,120}[:：!！]\s*"
)
"""How models begin that speak before they write."""
_SHALLOW: Final = lazy(r"^([ \t]{0,3})#{1,2}(?=[ \t])", re.MULTILINE)


@dataclass(frozen=True)
class ReportDraft:
    """A report before it is put together.

    Attributes:
        outline: Its outline; without sections the answer is one draft.
        sections: Those that say something, by their position in the outline.
        summary: Its opening summary, and under a heading what limits it.
    """

    outline: Outline
    sections: Mapping[int, Section]
    summary: Section


class _SectionContext:
    """Context of a section: its prompt, and what it may cite under the numbers of the report.

    Attributes:
        citable: What it may cite.
        messages: The prompt.
    """

    def __init__(
        self,
        state: SearchState,
        services: RunContext,
        outline: Outline,
        section: OutlinedSection,
        sources: CitableSources,
    ) -> None:
        self._state, self._services, self._outline, self._section = state, services, outline, section
        mine = tuple(source for source in sources.items if source.n in section.sources)
        self._mine = self.citable = CitableSources(mine, sources.language)
        self.messages: list[BaseMessage] = []

    async def pack_sources(self) -> None:
        """Choose what is shown of its sources: all, where the model has room for them."""
        await self._services.models.ready("writer")
        models, system = self._services.models, section_instructions(self._services.language)
        numbers = {source.evidence.id: source.n for source in self._mine.items if source.evidence is not None}
        fitted = await asyncio.to_thread(
            pack_passages,
            self._mine.evidence,
            f"{self._section.title} {self._section.covers}",
            models.room("writer", system, self._prompt(self._mine, [])),
            partial(models.count, "writer"),
        )
        shown = [(numbers[passage.id], passage) for passage in fitted.shown]
        visible = {n for n, _ in shown}
        items = tuple(source for source in self._mine.items if source.evidence is None or source.n in visible)
        self.citable = CitableSources(items, self._mine.language)
        self.messages = [SystemMessage(system), HumanMessage(self._prompt(self.citable, shown))]

    def _prompt(self, sources: CitableSources, shown: Sequence[tuple[int, Evidence]]) -> str:
        return section_prompt(self._state, self._services, self._outline, self._section, sources, shown)


class _SummaryContext:
    """Context of the summary: the sections as they were written.

    Attributes:
        citable: What the sections cite.
        messages: The prompt.
    """

    def __init__(self, prompt: str, services: RunContext, citable: CitableSources) -> None:
        self.citable = citable
        self.messages: list[BaseMessage] = [
            SystemMessage(summary_instructions(services.language)),
            HumanMessage(prompt),
        ]

    async def pack_sources(self) -> None:
        """Nothing can be left out: the sections are shown as they are."""


async def write_section(
    state: SearchState, services: RunContext, outline: Outline, section: OutlinedSection, sources: CitableSources
) -> Section:
    """Write a section of a report and check it; what it took is booked in the budget of `services`."""
    context = _SectionContext(state, services, outline, section, sources)
    await context.pack_sources()
    return await _write(state, services, context, section.title)


async def write_summary(
    state: SearchState,
    services: RunContext,
    outline: Outline,
    sections: Sequence[Section],
    sources: CitableSources,
) -> Section:
    """Write what opens a report, and what limits it; checked as sections are.

    Args:
        state: What the run came to.
        services: The models and the budget.
        outline: The outline.
        sections: The sections in order.
        sources: The sources of the report.
    """
    told = [
        (one.title, text)
        for one, section in zip(outline.sections, sections, strict=True)
        if (text := "".join(piece.text for piece in section.pieces).strip())
    ]
    if not told:
        return Section(broken="no section could be written")
    length = sum(count_words(text, services.language) for _, text in told)
    cited = {n for one in sections for piece in one.pieces for claim in piece.claims for n in claim.citations}
    citable = CitableSources(tuple(one for one in sources.items if one.n in cited), sources.language)
    least = _LEAST_SUMMARY * (ZH_CHARACTERS if services.language == "zh" else 1)
    prompt = summary_prompt(state, services, told, citable, int(max(least, length * _SUMMARY_SHARE)))
    return await _write(state, services, _SummaryContext(prompt, services, citable), "")


async def _write(state: SearchState, services: RunContext, context: DraftContext, title: str) -> Section:
    """A draft of a part of a report, piece by piece, then judged and mended."""
    question = state["assessment"].question
    say = AnswerSanitizer(context.citable.evidence, question, services.language)
    draft = Draft(CitableSources(context.citable.items, context.citable.language), decided_by="model")
    try:
        async for text in draft_answer(services, draft, context, say):
            if not draft.pieces and _ANNOUNCEMENT.fullmatch(text):
                continue
            kept = _below(text, title, first=not draft.pieces) if title else text
            draft.add(await asyncio.to_thread(draft.read, kept, question))
    except ModelCallError as failed:
        draft.broken = failed.reason
        draft.drop_doubtful()
    if draft.spoken:
        await settle_draft(context, services, draft, question, say)
    return Section(pieces=tuple(map(_kept, draft.pieces)), broken=draft.broken)


def is_limits_heading(text: str, language: Language) -> bool:
    """Whether a piece begins with the heading on what limits a report."""
    first = text.strip().partition("\n")[0]
    return first.startswith(("#", "**")) and first.strip(" #*").startswith(LIMITS[language])


def _below(piece: str, title: str, *, first: bool) -> str:
    """A piece with its headings below that of its section, whose own title, said again, is left out."""
    line = piece.strip().partition("\n")[0]
    if first and line.strip(" #*_:：").casefold() == title.casefold():
        return piece.lstrip()[len(line) :]
    heading = _HEADING.match(piece)
    return _SHALLOW.sub(r"\1###", piece) if heading else piece


def _kept(piece: Piece) -> SectionPiece:
    return SectionPiece(
        text=piece.text,
        claims=tuple(one.claim for one in piece.checked),
        places=tuple((one.start, one.end) for one in piece.checked),
    )


def restore_piece(piece: SectionPiece) -> Piece:
    """A piece as a draft holds it."""
    places = zip(piece.places, piece.claims, strict=True)
    return Piece(piece.text, [CheckedClaim(start, end, claim) for (start, end), claim in places])
