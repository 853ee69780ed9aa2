"""Prompts for a report: the outline, a section, and the summary."""

from collections.abc import Sequence
from typing import Final

from weiwo.nodes.shared.prompting.passage_prompt import DATA_RULE, format_passage, quote_as_data
from weiwo.nodes.shared.prompting.sanitizer import protect_prompt
from weiwo.nodes.shared.run_context import RunContext
from weiwo.nodes.writer.prompt import (
    UNITS,
    current_outcomes,
    list_calculations,
    list_findings,
    list_wishes,
    named_gaps,
)
from weiwo.nodes.writer.sources import CitableSources, list_relied_on
from weiwo.state import Evidence, Language, Outline, OutlinedSection
from weiwo.state.search import SearchState
from weiwo.text.language_detection import language_name
from weiwo.text.localization import localize_message
from weiwo.tools.passages import own_date

_HEAD: Final = 240
"""Characters shown for an outline of a passage on which no finding rests."""

OUTLINE: Final = protect_prompt(
    f"""\
You are the Writer of a search system and outline a report. Others write its sections, side by side, each from the \
sources you assign to it, without seeing the other sections. {DATA_RULE}
- `title`: of the report, short: what it is about, not the question.
- `sections`: in the order a reader wants them. Each has a `title` (a few words, no claim), `covers` (one line: what \
it is to say, and whether a table is the best form), and `sources`: the numbers of the sources it rests on, every one \
that tells about it.
- What is to be compared stands in one section, as a table over all that is compared, not in one section a thing.
- Where the question asks for advice, the last section is the recommendation, with the sources it rests on.
- No introduction, no summary, no section on limitations or sources: these are added. No section without sources, no \
two sections on the same. Fewer sections where the sources hold little."""
)

_SECTION: Final = protect_prompt(
    f"""\
You are the Writer of a search system and write one section of a report from the sources below. {DATA_RULE}
- Every sentence that states a fact ends with the numbers of the sources that carry it, such as [1] or [1][3]. Cite by \
the n of a passage or calculation, and only numbers that are listed.
- Use only what the sources say, never your own memory. Copy numbers, dates, versions and names exactly.
- Name the subject of each sentence: a reader may begin here.
- A comparison is a Markdown table, one row a thing; each cell that states a fact ends with its own number. A cell the \
sources say nothing on holds a dash.
- A recommendation says what it rests on and cites it. If sources disagree, say so and cite both.
- Where a source has been superseded, tell what is current, and of the old only that it was.
- What is not in the sources stays out. Where the reader would miss it, say so in a sentence of its own that begins \
"{{silent}}" and cites nothing.
- Begin with the text: no heading with the section's title, no sentence that announces what follows. What another \
section covers stays there. No list of sources."""
)

_SUMMARY: Final = protect_prompt(
    f"""\
You are the Writer of a search system. Below are the sections of a report, with the numbers of their sources. \
{DATA_RULE} Write what opens the report: the answer to the question first, then what matters most of the sections. \
Every sentence that states a fact ends with the numbers that carry it in the sections; nothing that is not in them. \
No heading, no sentence that only announces others, no list of sections.
Then, under the line "## {{limits}}", list in one to four items what limits this report: what its sources do not tell, \
how old or one-sided they are. Only what can be seen below, without figures of your own; nothing general."""
)

LIMITS: Final = localize_message("writer.report.prompt", "limits")
_SILENT: Final = localize_message("writer.report.prompt", "silent")
_MOST_DOCUMENTS: Final = 40
"""Most documents listed in the prompt of a summary."""


def section_instructions(language: Language) -> str:
    """Return the instructions for the writer of a section."""
    return f"{_SECTION.replace('{silent}', _SILENT[language])}\n- Write in {language_name(language)}."


def summary_instructions(language: Language) -> str:
    """Return the instructions for the writer of the summary."""
    return f"{_SUMMARY.replace('{limits}', LIMITS[language])}\nWrite in {language_name(language)}."


def outline_prompt(
    state: SearchState, services: RunContext, sources: CitableSources, goal: int, most: int, shown: dict[str, Evidence]
) -> str:
    """Return the prompt for an outline: question, length, findings and sources.

    Args:
        state: The state of the run.
        services: The language.
        sources: The report's sources.
        goal: Length of the report, in words or Chinese characters.
        most: Largest number of sections.
        shown: The passages shown whole, by id. Of the others, only the beginning is shown.
    """
    plan = state.get("plan")
    perspectives = plan.perspectives if plan else ()
    lines = [
        f"Question: {state['assessment'].question}",
        *list_wishes(state),
        f"Length: about {goal // 10 * 10} {UNITS[services.language]} in all; at most {most} sections.",
        f"Write titles in {language_name(services.language)}.",
        *(f"Perspective to cover: {quote_as_data(line, 200)}" for line in perspectives),
        *list_findings(state, services, sources),
        "",
        "Sources, of those without a finding the beginning:",
        *list_calculations(sources),
    ]
    for source in sources.items:
        if source.evidence is not None:
            text = quote_as_data(" ".join(source.evidence.text.split()), _HEAD)
            head = source.evidence.model_copy(update={"text": text})
            lines.append(format_passage(source.n, shown.get(head.id, head)))
    return "\n".join(lines)


def section_prompt(
    state: SearchState,
    services: RunContext,
    outline: Outline,
    section: OutlinedSection,
    sources: CitableSources,
    shown: Sequence[tuple[int, Evidence]],
) -> str:
    """Return the prompt for a section: its place in the report, findings that rest on its sources, and passages.

    Args:
        state: The state of the run.
        services: The language.
        outline: The report.
        section: The section.
        sources: The citable sources.
        shown: The passages as shown, each with its number.
    """
    keys = {passage.id for passage in sources.evidence}
    computed = {source.outcome.task_id for source in sources.items if source.outcome is not None}
    concerned = {
        task_id
        for task_id, outcome in current_outcomes(state).items()
        if task_id in computed or keys & set(list_relied_on(outcome))
    }
    place = outline.sections.index(section)
    others = [f"- {other.title}: {other.covers}" if other.covers else f"- {other.title}" for other in outline.sections]
    others[place] = f"- {section.title} (yours)"
    return "\n".join(
        [
            f"Question: {state['assessment'].question}",
            *list_wishes(state),
            f"Report: {outline.title}",
            "Its sections, and what each covers:",
            *others,
            f"Your section: {section.title}",
            *([f"It covers: {section.covers}"] if section.covers else []),
            f"Length: about {section.words} {UNITS[services.language]}; shorter only where its sources hold no more.",
            *list_findings(state, services, sources, concerned),
            "",
            "Sources:",
            *list_calculations(sources),
            *(format_passage(n, passage) for n, passage in shown),
        ]
    )


def summary_prompt(
    state: SearchState,
    services: RunContext,
    sections: Sequence[tuple[str, str]],
    sources: CitableSources,
    words: int,
) -> str:
    """Return the prompt for the summary: the written sections, the cited documents, notes and gaps.

    Args:
        state: The state of the run.
        services: The language.
        sections: Title and text of each section.
        sources: The cited sources.
        words: Largest length of the summary, in words or Chinese characters.
    """
    notes = [outcome.note for outcome in current_outcomes(state).values() if outcome.answers and outcome.note]
    gaps = [f"- {quote_as_data(gap.text, 200)}" for gap in named_gaps(state)]
    written = [f"## {title}\n{quote_as_data(text)}\n" for title, text in sections]
    return "\n".join(
        [
            f"Question: {state['assessment'].question}",
            *list_wishes(state),
            f"Length of the summary: at most {words} {UNITS[services.language]}.",
            "",
            *written,
            "Their documents:",
            *_list_documents(sources),
            *(["Noted while searching:", *(f"- {quote_as_data(note, 200)}" for note in notes)] if notes else []),
            *(["Not found (it is added below the report):", *gaps] if gaps else []),
        ]
    )


def _list_documents(sources: CitableSources) -> list[str]:
    """Return a line for each document: its title, the date that it states, and "superseded" if a newer one exists."""
    lines = {}
    for passage in sources.evidence:
        told = [
            quote_as_data(" ".join((passage.title or passage.source).split()), 120),
            f"dated {passage.date}" if own_date(passage) else "no date stated",
            *(["superseded"] if passage.superseded_by else []),
        ]
        lines[passage.source] = "- " + ", ".join(told)
    return list(lines.values())[:_MOST_DOCUMENTS]
