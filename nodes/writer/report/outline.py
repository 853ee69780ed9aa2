"""Outline of a report: its sections, each with the sources it rests on.

A model of the writer makes it in one call. Sections without a title or sources are left out. If fewer than two sections
are left, the sources are thin or the run's limits leave no room, the outline has no sections, and the answer is one
draft.
"""

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import ClassVar, Final

from langchain_core.messages import HumanMessage, SystemMessage
from pydantic import Field

from weiwo.models.gateway import ModelCallError
from weiwo.nodes.shared.prompting.context_packing import pack_passages
from weiwo.nodes.shared.prompting.input_guard import safe_note
from weiwo.nodes.shared.prompting.reply_types import Line, Ordinal, Reply
from weiwo.nodes.shared.prompting.sanitizer import AnswerSanitizer
from weiwo.nodes.shared.run_context import RunContext
from weiwo.nodes.writer.prompt import current_outcomes
from weiwo.nodes.writer.report.prompt import OUTLINE, outline_prompt
from weiwo.nodes.writer.sources import CitableSources, collect_quotes, gather_sources
from weiwo.state import Evidence, Language, Outline, OutlinedSection
from weiwo.state.search import SearchState
from weiwo.text.citation_marks import clean_marks
from weiwo.text.language import HAN
from weiwo.text.patterns import lazy

_LONG_ANSWER: Final = 500
"""Fewest words asked for with which a report, or in a deep search an answer of any form, is written in sections."""
_CARRIED: Final = 0.5
"""Most words of a report for each word of its sources. More would be padding."""
_LEAST_WORDS: Final = 300
"""Fewest words of a report in sections. With less text in the sources, the answer is one draft."""
_MOST_WORDS: Final = {"quick": 0, "normal": 1_200, "deep": 4_000}
"""Words of a report by depth, if the question names no length. A quick answer is one draft."""
_SECTION_WORDS: Final = 150
"""Words that make a section worth its heading."""
_MOST_SECTIONS: Final = 8
_LEAST_SECTIONS: Final = 2

_SECTION_CALLS: Final = 4
"""Model calls of a section: it is written, judged, mended, and what was mended is judged."""
_OTHER_CALLS: Final = 5
"""Calls of the outline and the summary."""
_SECTION_TOKENS: Final = 2_000
"""Upper estimate of the tokens of a section's prompts and replies, without its passages."""
_OUTLINE_TOKENS: Final = 4_000
"""Most tokens of the passages that are shown whole for an outline. Findings rest on these."""
_LEAST_SECONDS: Final = 15
"""Seconds that must be left for a report to be begun."""

ZH_CHARACTERS: Final = 1.6
"""Number of Chinese characters that say as much as one English word."""
_HAN: Final = lazy(f"[{HAN}]")
_WORD: Final = lazy(rf"[^\W{HAN}]+(?:['’.-][^\W{HAN}]+)*")


def count_words(text: str, language: Language) -> int:
    """Return the number of words in a text or, for "zh", of Chinese characters plus Latin words.

    For other languages, 1.6 Chinese characters count as one word.
    """
    han, words = len(_HAN.findall(text)), len(_WORD.findall(text))
    return han + words if language == "zh" else words + round(han / ZH_CHARACTERS)


_ONE_DRAFT_WORDS: Final = 1_500
"""Length up to which a report on a folder is one draft, in words."""


def wants_report(state: SearchState, services: RunContext) -> bool:
    """Report whether the answer should be a report.

    This holds if a report is asked for, or a long answer of a deep search without a form. It never holds for a quick
    search, without a large model, or for a short report on a folder.
    """
    frame, plan, depth = state["assessment"].frame, state.get("plan"), services.settings.depth
    if plan is None or state["assessment"].level == "simple" or depth == "quick":
        return False
    long = _LONG_ANSWER * (ZH_CHARACTERS if services.language == "zh" else 1)
    wanted = frame.form == "report" or (depth == "deep" and frame.form == "" and frame.words >= long)
    short = services.strategy.searcher == "folder" and frame.words <= _ONE_DRAFT_WORDS  # and its sources in one prompt
    return wanted and not short and services.models.has_decision_model("writer")


def _word_goal(state: SearchState, services: RunContext, sources: CitableSources) -> int:
    """Return the target length of a report, in words or Chinese characters. 0 if a single draft is enough.

    The target is the length asked for, or the usual one for the depth, but at most half of the words of the sources.
    """
    language = services.language
    factor = ZH_CHARACTERS if language == "zh" else 1.0
    held = sum(count_words(passage.text, "en") for passage in sources.evidence)
    wanted = state["assessment"].frame.words or _MOST_WORDS[services.settings.depth] * factor
    goal = min(wanted, held * factor * _CARRIED)  # sources may be in the other language
    return 0 if goal < _LEAST_WORDS * factor or wanted < _LONG_ANSWER * factor else int(goal)


def _sections_for(goal: int, language: Language) -> int:
    """Return the largest number of sections for a report of `goal` words: one for 150 words, from 2 to 8."""
    words = goal / (ZH_CHARACTERS if language == "zh" else 1)
    return min(_MOST_SECTIONS, max(_LEAST_SECTIONS, int(words / _SECTION_WORDS)))


def _affordable_sections(services: RunContext, passage_tokens: int, shown_tokens: int, wanted: int) -> tuple[int, str]:
    """Return the number of sections that the budget affords, and the limit that reduces the number.

    The limit is the name of a setting such as "max_tokens" or "max_model_calls". It is empty if all wanted sections are
    affordable.

    Args:
        services: The budget.
        passage_tokens: Tokens of all passages the report may cite.
        shown_tokens: Tokens of the passages shown for its outline.
        wanted: The wanted number of sections.
    """
    budget = services.budget
    if limit := budget.find_exhausted_limit():
        return 0, limit
    if budget.remaining_seconds() < _LEAST_SECONDS:
        return 0, "max_seconds"
    by_calls = (budget.calls_left() - _OTHER_CALLS) // _SECTION_CALLS
    # A section's passages are read when it is written, judged and mended; each is of use to one section or two.
    each = _SECTION_TOKENS + 4 * passage_tokens // max(wanted, 1)
    by_tokens = (budget.tokens_left() - passage_tokens - shown_tokens) // each
    most = min(by_calls, by_tokens)
    if most >= wanted:
        return wanted, ""
    return max(0, most), "max_model_calls" if by_calls <= by_tokens else "max_tokens"


_MOST_SOURCES: Final = {"quick": 60, "normal": 60, "deep": 120}
"""Sources offered to a report, by depth; a short answer is offered fewer."""
_LONGEST_TITLE = 120


class SectionReply(Reply):
    """Section outlined by a model."""

    bounds: ClassVar[Mapping[str, int]] = {"sources": 60}

    title: Line
    covers: Line = ""
    sources: list[Ordinal] = Field(default_factory=list)


class OutlineReply(Reply):
    """Outline of a report as returned by a model."""

    tokens: ClassVar[int] = 2000

    title: Line = ""
    sections: list[SectionReply]


def report_sources(state: SearchState, services: RunContext) -> CitableSources:
    """Return the sources of a report, numbered for all sections.

    The same state gives the same numbers.
    """
    plan, outcomes, evidence = state.get("plan"), state.get("outcomes", {}), state.get("evidence", {})
    return gather_sources(plan, outcomes, evidence, services.language, _MOST_SOURCES[services.settings.depth])


async def outline_report(state: SearchState, services: RunContext, sources: CitableSources) -> Outline:
    """Return the outline of a report, made by a model. An outline without sections means a single draft instead."""
    goal = _word_goal(state, services, sources)
    if not goal:
        return Outline()
    await services.models.ready("writer")
    wanted = _sections_for(goal, services.language)
    shown = await _pack_relied_on(state, services, sources, outline_prompt(state, services, sources, goal, wanted, {}))
    tokens, shown_tokens = (
        sum(services.models.count("writer", passage.text) for passage in passages)
        for passages in (sources.evidence, shown.values())
    )
    most, limit = _affordable_sections(services, tokens, shown_tokens, wanted)
    if most < _LEAST_SECTIONS:
        return Outline(limit=limit)
    prompt = outline_prompt(state, services, sources, goal, most, shown)
    try:
        messages = [SystemMessage(OUTLINE), HumanMessage(prompt)]
        reply = await services.models.request_structured_reply("writer", "outline", messages, OutlineReply)
    except ModelCallError:
        return Outline()  # in the trace; the answer is one draft
    say = AnswerSanitizer((), state["assessment"].question, services.language)
    sections = _usable(reply, sources, say)
    if len(sections) > most:  # the last one is the recommendation, where there is one
        sections = [*sections[: most - 1], sections[-1]]
    if len(sections) < _LEAST_SECTIONS:
        return Outline()
    shares = _share_words(sections, sources, goal, services)
    sections = [section.model_copy(update={"words": words}) for section, words in zip(sections, shares, strict=True)]
    title = _title(reply.title, say) or state["assessment"].question[:_LONGEST_TITLE]
    return Outline(title=title, sections=tuple(sections), limit=limit)


async def _pack_relied_on(
    state: SearchState, services: RunContext, sources: CitableSources, bare: str
) -> dict[str, Evidence]:
    """Return the passages behind findings, by id, shortened to fit the prompt of an outline.

    A shortened passage keeps the quoted words.

    Args:
        state: The state of the run.
        services: The models.
        sources: The report's sources.
        bare: The prompt without passages.
    """
    fitted = await asyncio.to_thread(
        pack_passages,
        [source.evidence for source in sources.items if source.evidence is not None and source.relied_on],
        state["assessment"].question,
        min(_OUTLINE_TOKENS, services.models.room("writer", OUTLINE, bare)),
        partial(services.models.count, "writer"),
        held=collect_quotes(current_outcomes(state).values()),
    )
    return {passage.id: passage for passage in fitted.shown}


def _usable(reply: OutlineReply, sources: CitableSources, say: AnswerSanitizer) -> list[OutlinedSection]:
    """Return the sections of a reply with a new title and at least one existing source, without other sources."""
    known = {source.n for source in sources.items}
    sections: dict[str, OutlinedSection] = {}
    for section in reply.sections:
        title, numbers = _title(section.title, say), tuple(dict.fromkeys(n for n in section.sources if n in known))
        if title and numbers and title.casefold() not in sections:
            covers = safe_note(section.covers)
            sections[title.casefold()] = OutlinedSection(title=title, covers=covers, sources=numbers, words=0)
    return list(sections.values())


def _title(text: str, say: AnswerSanitizer) -> str:
    """Return a heading from a model's words: one line without marks or links, of at most 120 characters."""
    line = " ".join(say(clean_marks(text, ())).split()).strip(" #*_|")
    return line[:_LONGEST_TITLE]


def _share_words(
    sections: list[OutlinedSection], sources: CitableSources, goal: int, services: RunContext
) -> list[int]:
    """Return the number of words for each section: half by the length of its sources, half evenly.

    No section gets more than half of all words, or fewer than 60.
    """
    held = {
        source.n: count_words(source.evidence.text, services.language) if source.evidence is not None else 20
        for source in sources.items
    }
    weights = [sum(held[n] for n in section.sources) for section in sections]
    even = sum(weights) / len(weights)
    # Half by what it rests on, half alike: a table over few sources may need as much room as an account of many.
    shares = [goal * (weight + even) / (2 * sum(weights)) for weight in weights]
    return [max(60, int(min(share, goal / 2) // 10 * 10)) for share in shares]
