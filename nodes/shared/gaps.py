"""Gaps: weak values of an answer, and documents and pages that were not read.

A value is weak if other tasks use it although its source only implies it, its reader doubted it or other sources
contradict it, or if it is a final value that its reader doubted. Gaps decide whether an answer is complete, and the
answer has to name them. Parts of the question without an answer are gaps, too: the ledger lists them.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import PurePosixPath
from typing import Final, Literal

from weiwo.nodes.shared.consistency import describe_inconsistency
from weiwo.nodes.shared.planning.references import fill_text
from weiwo.state import Evidence, Language, Outcome
from weiwo.state.answer import Gap
from weiwo.state.evidence import WeakValue
from weiwo.state.search import SearchState
from weiwo.state.source_filter import SourceFilter
from weiwo.text.data_files import data_pattern, data_words
from weiwo.text.language import word_count
from weiwo.text.language_detection import guess_language, name_language
from weiwo.text.lists import join_names
from weiwo.text.localization import localize_message, localized_phrases, localized_section
from weiwo.text.patterns import lazy
from weiwo.text.records import is_record
from weiwo.text.values import render
from weiwo.tools.corpus.base import Problem
from weiwo.tools.corpus.formats import PICTURES, find_format
from weiwo.tools.corpus.losses import describe_losses

_WORDS: Final = localized_section("shared.gaps")
_LONGEST: Final = 120


def find_gaps(state: SearchState, language: Language) -> tuple[Gap, ...]:
    """Return the gaps of an answer from the last reflection: weak values and contradictions.

    Empty without a reflection.

    Args:
        state: The state of the run.
        language: The language of the descriptions.
    """
    looks = state.get("reflections", [])
    if not looks:
        return ()
    report, plan = looks[-1].report, state.get("plan")
    found = [*_weak(report.weak, state, language)] if report is not None else []
    if report is not None and plan is not None:
        outcomes = state.get("outcomes", {})
        told = (describe_inconsistency(item, plan, outcomes, language) for item in report.inconsistencies)
        words = _WORDS[language]["inconsistent"]
        found += (Gap(kind="inconsistent", text=words.format(line)) for line in told if line)
    return tuple({gap.text: gap for gap in reversed(found)}.values())[::-1]


def _weak(values: tuple[WeakValue, ...], state: SearchState, language: Language) -> Iterator[Gap]:
    """Yield the gaps for weak values that other tasks use, and for doubted final values.

    A final value with rivals has no gap, because it is told with the evidence against it. An implied final value has a
    gap only if all final values are implied, because reflection has judged it beside others.
    """
    plan, outcomes = state.get("plan"), state.get("outcomes", {})
    finals = [outcomes[key] for key in (plan.final_ids if plan else ()) if key in outcomes and outcomes[key].answers]
    implied = bool(finals) and all(final.basis == "implied" for final in finals)
    asked = {task.id: task.description for task in plan.tasks} if plan is not None else {}
    for weak in values:
        alone = weak.weakness == "implied" and implied
        if weak.task_id in outcomes and (weak.carries or weak.weakness == "doubted" or alone):
            outcome = outcomes[weak.task_id]
            shown = render(outcome.value, outcome.type, language)[:_LONGEST]
            words = _WORDS[language][weak.weakness].format(shown)
            if question := fill_text(asked.get(weak.task_id, ""), outcomes, language)[:_LONGEST]:
                words += _WORDS[language]["asked"].format(question)
            text = _WORDS[language]["carries"].format(words) if weak.carries else words
            yield Gap(kind=weak.weakness, text=text, task_id=weak.task_id)


_IN_PART: Final = localize_message("shared.gaps.coverage", "in_part")
_LEFT_OUT: Final = localize_message("shared.gaps.coverage", "left_out")
_OTHERS: Final = localize_message("shared.gaps.coverage", "others")
_MOST_NAMED: Final = 5
_MOST_ASKED: Final = 3
_NOT_READ: Final = localized_section("shared.gaps.not_read")
_LONG_ENOUGH: Final = 3
"""Fewest characters of a Chinese file name that a question can name. A shorter one may occur by chance."""
_SEPARATORS: Final = lazy(r"[\W_]+")


def find_documents_in_part(
    problems: Iterable[Problem], sources: Iterable[str], question: str, language: Language
) -> tuple[Gap, ...]:
    """Return gaps about partly read documents that the answer cites or the question names. Empty if there are none.

    Args:
        problems: The unread parts of the documents.
        sources: The sources of the answer.
        question: The question.
        language: The language of the lines.
    """
    cited_sources = {part for source in sources for part in (source, source.partition("#L")[0])}
    asked = f" {_SEPARATORS.sub(' ', question.casefold())} "
    found = [
        problem
        for problem in problems
        if _is_named(problem.source, asked)
        or (_is_among(problem.source, cited_sources) and not _shows_pictures_only(problem))
    ]
    told = [
        _IN_PART[language].format(item.source, describe_losses(item.losses, language))
        if item.losses
        else _LEFT_OUT[language].format(item.source, item.reason.rstrip("."))
        for item in found[:_MOST_NAMED]
    ]
    told += [_OTHERS[language].format(len(found) - _MOST_NAMED)] if len(found) > _MOST_NAMED else []
    return tuple(Gap(kind="in_part", text=text) for text in told)


_COVERAGE: Final = localized_section("shared.gaps.coverage")


def find_unqueried_tables(
    why: Literal["outdated", "no_engine"], tables: Sequence[str], sources: Collection[str], language: Language
) -> tuple[Gap, ...]:
    """Return a gap about tables that could not be queried, or an empty tuple if none concern the answer.

    If the answer has no sources, any of the tables may hold what was asked for.

    Args:
        why: The reason: indexed by an earlier version, or no engine installed.
        tables: The sources of these tables.
        sources: The sources of the answer.
        language: The language of the line.
    """
    cited_sources = {source.partition("#")[0] for source in sources}
    found = [table for table in tables if not cited_sources or table in cited_sources]
    if not found:
        return ()
    names = [*found[:_MOST_ASKED], *(["…"] if len(found) > _MOST_ASKED else [])]
    return (Gap(kind="in_part", text=_COVERAGE[language][why].format(join_names(names, language))),)


_NAMED: Final = data_pattern("names", "file_name")
_LEAD_IN: Final = data_pattern("names", "file_name_lead_in")
_ENDINGS: Final = data_words("names", "file_endings")


def find_files_not_read(
    question: str, documents: Iterable[str], passages: Iterable[str], language: Language
) -> tuple[Gap, ...]:
    """Return gaps about files that a question names, and that no document and no passage is or mentions.

    Args:
        question: The question.
        documents: The sources of all documents.
        passages: The texts that were found.
        language: The language of the lines.
    """
    found = (match["name"] for match in _NAMED.finditer(question) if match["ending"].lower() in _ENDINGS)
    names = [name for name in dict.fromkeys(_LEAD_IN.sub("", name) for name in found) if name]
    gaps: list[Gap] = []
    for name in names[:_MOST_ASKED]:
        asked, ending = name.casefold(), PurePosixPath(name).suffix.lower()
        known = any(
            asked in document.casefold() or asked.endswith(PurePosixPath(document).name.casefold())
            for document in documents
        )
        if not known and not any(asked in text.casefold() for text in passages):
            why = "absent" if find_format(name) else "picture" if ending in PICTURES else "other_kind"
            gaps.append(Gap(kind="in_part", text=_NOT_READ[language][why].format(name, ending)))
    return tuple(gaps)


_UNREAD_FILES: Final = localized_phrases("shared.gaps.not_read", "others")


def find_unread_files(problems: Iterable[Problem], language: Language) -> tuple[Gap, ...]:
    """Return a single gap that names the files that could not be read at all, or an empty tuple."""
    names = [problem.source for problem in problems if not problem.losses]
    if not names:
        return ()
    shown = ", ".join(names[:_MOST_ASKED]) + (" …" if len(names) > _MOST_ASKED else "")
    words = _UNREAD_FILES[language][len(names) > 1]
    return (Gap(kind="in_part", text=words.format(len(names), shown)),)


def _shows_pictures_only(problem: Problem) -> bool:
    """Report whether only pictures of a file were not read.

    They stand beside its text, usually as a logo, and the index names them.
    """
    return bool(problem.losses) and all(loss.kind == "pictures_without_text" for loss in problem.losses)


def _is_among(source: str, cited_sources: set[str]) -> bool:
    """Report whether a file is among the cited sources, also if named from another folder: "docs/a.md", "a.md"."""
    return any(
        source == other or source.endswith(f"/{other}") or other.endswith(f"/{source}") for other in cited_sources
    )


def _is_named(source: str, asked: str) -> bool:
    """Report whether a question names a file.

    "notes.md" is named by "notes md". The name without ending is enough if it is distinctive: "annual report 2023", but
    not "notes".

    Args:
        source: Path of the file.
        asked: The question in lower case, with blanks for punctuation.
    """
    name = PurePosixPath(source).name.casefold()
    whole, stem = (_SEPARATORS.sub(" ", text).strip() for text in (name, PurePosixPath(name).stem))
    if not stem.isascii():
        return len(stem) >= _LONG_ENOUGH and stem in asked
    telling = " " in stem or any(map(str.isdigit, stem))
    return (whole != stem and whole in asked) or (telling and f" {stem} " in asked)


_UNREAD: Final = localize_message("shared.gaps.coverage", "unread")
_UNANSWERED: Final = localize_message("shared.gaps.coverage", "unanswered")
_OTHER_LANGUAGE: Final = localize_message("shared.gaps.coverage", "language")
_FEWEST_WORDS: Final = 4
"""Fewest words of a passage from which its language is detected."""
_ONLY: Final = localized_phrases("shared.gaps.coverage", "only")
_PARTS: Final = localized_section("shared.gaps.coverage.parts")


def describe_coverage(outcomes: Iterable[Outcome], within: SourceFilter, language: Language) -> Iterator[Gap]:
    """Yield gaps for pages that could not be read, searches that failed, and sources excluded by the filter.

    Args:
        outcomes: The outcomes of the tasks.
        within: The restriction of the run.
        language: The language of the lines.
    """
    traces = [outcome.trace for outcome in outcomes]
    read = {page for trace in traces for page in trace.opened if page not in trace.unread}
    unread = {page for trace in traces for page in trace.unread} - read  # another task may have read it
    if unread:
        yield Gap(kind="unread", text=_UNREAD[language].format(len(read), len(read | unread)))
    for why in dict.fromkeys(why for trace in traces for why in trace.unanswered):
        yield Gap(kind="unread", text=_UNANSWERED[language].format(why))
    if within:
        frame, between, comma = _ONLY[language]
        told = [
            _PARTS[language][name].format(comma.join((value,) if isinstance(value, str) else value))
            for layer in within.layers()
            for name in _PARTS[language]
            if (value := getattr(layer, name))
        ]
        yield Gap(kind="restricted", text=frame.format(between.join(told)))


def describe_languages(state: SearchState, language: Language) -> Iterator[Gap]:
    """Yield a gap if no passage found is in the language of the question.

    Table rows and settings are ignored, because names and figures look alike in many languages.

    Args:
        state: The state of the run.
        language: The language of the line.
    """
    asked_in = state["assessment"].frame.language
    found: list[str] = []
    for text in filter(None, map(_read_prose, state.get("evidence", {}).values())):
        guess = guess_language(text)
        if guess.sure and guess.language == asked_in:
            return
        if guess.sure and guess.language not in found:
            found.append(guess.language)
    if found:
        names = [name_language(item, language) for item in (*found, asked_in)]
        yield Gap(kind="language", text=_OTHER_LANGUAGE[language].format(join_names(names[:-1], language), names[-1]))


def _read_prose(passage: Evidence) -> str:
    """Return the lines of a passage that are no table rows or settings. Empty if they have fewer than four words."""
    lines = [line for line in passage.text.splitlines() if not is_record(line, passage.source)]
    prose = "\n".join(lines)
    return prose if word_count(prose) >= _FEWEST_WORDS else ""
