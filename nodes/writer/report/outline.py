"""The outline of a report: its sections, and the sources that each rests on.

One call of the writer's model. What cannot be used of its reply is left out; where too little is left, where the
sources are thin or the run's limits leave no room, there are no sections, and the answer is one draft.
"""

from typing import Final

from langchain_core.messages import HumanMessage, SystemMessage
from pydantic import Field

from weiwo.models.gateway import ModelCallError
from weiwo.nodes.shared.prompting.input_guard import safe_note
from weiwo.nodes.shared.prompting.reply_types import Line, Ordinal, Reply
from weiwo.nodes.shared.prompting.sanitizer import AnswerSanitizer
from weiwo.nodes.shared.run_context import RunContext
from weiwo.nodes.writer.report.length import LEAST_SECTIONS, affordable_sections, count_words, sections_for, word_goal
from weiwo.nodes.writer.report.prompt import OUTLINE, outline_prompt
from weiwo.nodes.writer.sources import CitableSources, gather_sources
from weiwo.state import Outline, OutlinedSection
from weiwo.state.search import SearchState
from weiwo.text.citation_marks import clean_marks

MOST_SOURCES: Final = {"quick": 60, "normal": 60, "deep": 120}
"""Sources offered to a report, by depth; a short answer is offered fewer."""
LONGEST_TITLE = 120


class SectionReply(Reply):
    """A section as a model outlines it."""

    title: Line
    covers: Line = ""
    sources: list[Ordinal] = Field(default_factory=list)


class OutlineReply(Reply):
    """The outline of a report."""

    title: Line = ""
    sections: list[SectionReply]


def report_sources(state: SearchState, services: RunContext) -> CitableSources:
    """The sources of a report, numbered for all its sections; the same state gives the same numbers."""
    plan, outcomes, evidence = state.get("plan"), state.get("outcomes", {}), state.get("evidence", {})
    return gather_sources(plan, outcomes, evidence, services.language, MOST_SOURCES[services.settings.depth])


async def outline_report(state: SearchState, services: RunContext, sources: CitableSources) -> Outline:
    """Outline a report; an outline without sections where it is to be one draft."""
    goal = word_goal(state, services, sources)
    if not goal:
        return Outline()
    await services.models.ready("writer")
    tokens = sum(services.models.count("writer", passage.text) for passage in sources.evidence)
    wanted = sections_for(goal, services.language)
    most, limit = affordable_sections(services, tokens, wanted)
    if most < LEAST_SECTIONS:
        return Outline(limit=limit)
    prompt = outline_prompt(state, services, sources, goal, most)
    try:
        messages = [SystemMessage(OUTLINE), HumanMessage(prompt)]
        reply = await services.models.structured("writer", "outline", messages, OutlineReply)
    except ModelCallError:
        return Outline()  # in the trace; the answer is one draft
    say = AnswerSanitizer((), state["assessment"].question, services.language)
    sections = _usable(reply, sources, say)
    if len(sections) > most:  # the last one is the recommendation, where there is one
        sections = [*sections[: most - 1], sections[-1]]
    if len(sections) < LEAST_SECTIONS:
        return Outline()
    shares = _share_words(sections, sources, goal, services)
    sections = [one.model_copy(update={"words": words}) for one, words in zip(sections, shares, strict=True)]
    title = _title(reply.title, say) or state["assessment"].question[:LONGEST_TITLE]
    return Outline(title=title, sections=tuple(sections), limit=limit)


def _usable(reply: OutlineReply, sources: CitableSources, say: AnswerSanitizer) -> list[OutlinedSection]:
    """The sections that have a title of their own and rest on sources that exist."""
    known = {source.n for source in sources.items}
    sections: dict[str, OutlinedSection] = {}
    for one in reply.sections:
        title, numbers = _title(one.title, say), tuple(dict.fromkeys(n for n in one.sources if n in known))
        if title and numbers and title.casefold() not in sections:
            covers = safe_note(one.covers)
            sections[title.casefold()] = OutlinedSection(title=title, covers=covers, sources=numbers, words=0)
    return list(sections.values())


def _title(text: str, say: AnswerSanitizer) -> str:
    """A heading out of a model's words: one line, no marks, nothing live."""
    line = " ".join(say(clean_marks(text, ())).split()).strip(" #*_|")
    return line[:LONGEST_TITLE]


def _share_words(
    sections: list[OutlinedSection], sources: CitableSources, goal: int, services: RunContext
) -> list[int]:
    """The words of each section, in proportion to what its sources hold; none is given more than half of all."""
    held = {
        source.n: count_words(source.evidence.text, services.language) if source.evidence is not None else 20
        for source in sources.items
    }
    weights = [sum(held[n] for n in section.sources) for section in sections]
    even = sum(weights) / len(weights)
    # Half by what it rests on, half alike: a table over few sources may need as much room as an account of many.
    shares = [goal * (weight + even) / (2 * sum(weights)) for weight in weights]
    return [max(60, int(min(share, goal / 2) // 10 * 10)) for share in shares]
