"""How long a report may be: what the user wants, what the sources carry, and what the run may still spend."""

from typing import Final

from weiwo.nodes.shared.run_context import RunContext
from weiwo.nodes.writer.sources import CitableSources
from weiwo.state import Language
from weiwo.state.search import SearchState
from weiwo.text.language import HAN
from weiwo.text.patterns import lazy

LONG_ANSWER: Final = 500
"""Words from which on a report is written in sections, and so is a deep answer without a form; one draft holds less."""
CARRIED: Final = 0.5
"""Words of a report for each word of its sources: more would be padding."""
LEAST_WORDS: Final = 300
"""A report whose sources carry less than this is one draft."""
MOST_WORDS: Final = {"quick": 0, "normal": 1_200, "deep": 4_000}
"""Where the question names no length; a quick answer is one draft."""
SECTION_WORDS: Final = 150
"""Words that make a section worth its heading."""
MOST_SECTIONS: Final = 8
LEAST_SECTIONS: Final = 2

SECTION_CALLS: Final = 4
"""Model calls of a section: it is written, judged, mended, and what was mended is judged."""
OTHER_CALLS: Final = 5
"""Calls of the outline and the summary."""
SECTION_TOKENS: Final = 2_000
"""Tokens of a section's prompts and replies besides its passages, at an upper estimate."""
LEAST_SECONDS: Final = 15
"""Seconds without which no report is begun."""

ZH_CHARACTERS: Final = 1.6
"""Chinese characters that say what a word of English does."""
_HAN: Final = lazy(f"[{HAN}]")
_WORD: Final = lazy(rf"[^\W{HAN}]+(?:['’.-][^\W{HAN}]+)*")


def count_words(text: str, language: Language) -> int:
    """The length of a text: its words, and in Chinese its characters, a Latin word counting as one."""
    han, words = len(_HAN.findall(text)), len(_WORD.findall(text))
    return han + words if language == "zh" else words + round(han / ZH_CHARACTERS)


def wants_report(state: SearchState, services: RunContext) -> bool:
    """Whether the answer is to be a report: one is asked for, or a long answer of a deep search."""
    frame, plan, depth = state["assessment"].frame, state.get("plan"), services.settings.depth
    if plan is None or state["assessment"].level == "simple" or depth == "quick":
        return False
    long = LONG_ANSWER * (ZH_CHARACTERS if services.language == "zh" else 1)
    wanted = frame.form == "report" or (depth == "deep" and frame.form == "" and frame.words >= long)
    return wanted and services.models.configured("writer")


def word_goal(state: SearchState, services: RunContext, sources: CitableSources) -> int:
    """The length that a report is to have, in words or Chinese characters; 0 where one draft will do."""
    language = services.language
    factor = ZH_CHARACTERS if language == "zh" else 1.0
    held = sum(count_words(passage.text, "en") for passage in sources.evidence)
    wanted = state["assessment"].frame.words or MOST_WORDS[services.settings.depth] * factor
    goal = min(wanted, held * factor * CARRIED)  # sources may be in the other language
    return 0 if goal < LEAST_WORDS * factor or wanted < LONG_ANSWER * factor else int(goal)


def sections_for(goal: int, language: Language) -> int:
    """How many sections a report of a length has at most."""
    words = goal / (ZH_CHARACTERS if language == "zh" else 1)
    return min(MOST_SECTIONS, max(LEAST_SECTIONS, int(words / SECTION_WORDS)))


def affordable_sections(services: RunContext, passage_tokens: int, wanted: int) -> tuple[int, str]:
    """How many sections of those wanted the run can pay for, and the limit that allows no more.

    Args:
        services: The budget.
        passage_tokens: Tokens of all passages the report may cite.
        wanted: Sections there would be.
    """
    budget = services.budget
    if limit := budget.exhausted():
        return 0, limit
    if budget.remaining_seconds() < LEAST_SECONDS:
        return 0, "max_seconds"
    by_calls = (budget.calls_left() - OTHER_CALLS) // SECTION_CALLS
    # A section's passages are read when it is written, judged and mended; each is of use to one section or two.
    each = SECTION_TOKENS + 4 * passage_tokens // max(wanted, 1)
    by_tokens = (budget.tokens_left() - passage_tokens) // each
    most = min(by_calls, by_tokens)
    if most >= wanted:
        return wanted, ""
    return max(0, most), "max_model_calls" if by_calls <= by_tokens else "max_tokens"
