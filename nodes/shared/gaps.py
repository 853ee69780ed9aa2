"""Gaps: values of an answer that are no firm ground, and documents and pages that were not read.

Values that tasks build on although their source only implies them, their reader doubted them or other sources deny
them, and final values their reader doubted. They decide whether an answer is complete, and the answer has to name them.
Parts of the question without an answer are gaps, too: the ledger lists them.
"""

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import Final

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
from weiwo.text.localization import localized, localized_phrases, localized_section
from weiwo.text.patterns import lazy
from weiwo.text.records import is_record
from weiwo.text.values import render
from weiwo.tools.corpus.base import Problem
from weiwo.tools.corpus.formats import PICTURES, find_format
from weiwo.tools.corpus.losses import describe_losses

_WORDS: Final = localized_section("shared.gaps")
_LONGEST: Final = 120


def find_gaps(state: SearchState, language: Language) -> tuple[Gap, ...]:
    """The gaps of an answer, each described in one line for people.

    Args:
        state: What the run came to.
        language: The language to describe them in.
    """
    looks = state.get("reflections", [])
    if not looks:
        return ()
    report = looks[-1].report
    weak = _weak(report.weak, state, language) if report is not None else ()
    found = (*weak, *_inconsistent(state, language))
    return tuple({gap.text: gap for gap in reversed(found)}.values())[::-1]


def _inconsistent(state: SearchState, language: Language) -> Iterator[Gap]:
    """Values that cannot all be right."""
    report, plan = state["reflections"][-1].report, state.get("plan")
    for found in report.inconsistencies if report is not None and plan is not None else ():
        told = describe_inconsistency(found, plan, state.get("outcomes", {}), language) if plan is not None else ""
        if told:
            yield Gap(kind="inconsistent", text=_WORDS[language]["inconsistent"].format(told))


def _weak(values: tuple[WeakValue, ...], state: SearchState, language: Language) -> Iterator[Gap]:
    """The weak values that others build on, and the final ones that were doubted or merely implied.

    A final value that is disputed is told with what stands against it, and is whole as that; whether an implied one
    will do beside others, reflection has judged. Where every final value is implied, each is named.
    """
    plan, outcomes = state.get("plan"), state.get("outcomes", {})
    finals = [outcomes[key] for key in (plan.final_ids if plan else ()) if key in outcomes and outcomes[key].answers]
    implied = bool(finals) and all(one.basis == "implied" for one in finals)
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


_IN_PART: Final = localized("shared.gaps.coverage", "in_part")
_LEFT_OUT: Final = localized("shared.gaps.coverage", "left_out")
_OTHERS: Final = localized("shared.gaps.coverage", "others")
_MOST_NAMED: Final = 5
_NOT_READ: Final = localized_section("shared.gaps.not_read")
_LONG_ENOUGH: Final = 3
"""Characters of a name in Chinese that a question does not hold by chance."""
_SEPARATORS: Final = lazy(r"[\W_]+")


def find_documents_in_part(
    problems: Iterable[Problem], sources: Iterable[str], question: str, language: Language
) -> tuple[Gap, ...]:
    """The documents that an answer leans on, or its question names, and that were not read whole.

    Args:
        problems: What is left out of the documents.
        sources: The sources of the answer.
        question: The question.
        language: The language of the lines.
    """
    leaned_on = {part for source in sources for part in (source, source.partition("#L")[0])}
    asked = f" {_SEPARATORS.sub(' ', question.casefold())} "
    found = [
        one
        for one in problems
        if _is_named(one.source, asked) or (_is_among(one.source, leaned_on) and not _shows_pictures_only(one))
    ]
    told = [
        _IN_PART[language].format(one.source, describe_losses(one.losses, language))
        if one.losses
        else _LEFT_OUT[language].format(one.source, one.reason.rstrip("."))
        for one in found[:_MOST_NAMED]
    ]
    told += [_OTHERS[language].format(len(found) - _MOST_NAMED)] if len(found) > _MOST_NAMED else []
    return tuple(Gap(kind="in_part", text=text) for text in told)


_MOST_ASKED: Final = 3
_NAMED: Final = data_pattern("names", "file_name")
_LEAD_IN: Final = data_pattern("names", "file_name_lead_in")
_ENDINGS: Final = data_words("names", "file_endings")


def find_files_not_read(
    question: str, documents: Iterable[str], passages: Iterable[str], language: Language
) -> tuple[Gap, ...]:
    """The files that a question names and neither a document's name nor a passage does: nothing of them was read.

    Args:
        question: The question.
        documents: The sources of all documents.
        passages: The texts that were found.
        language: The language of the lines.
    """
    found = (one["name"] for one in _NAMED.finditer(question) if one["ending"].lower() in _ENDINGS)
    names = [name for name in dict.fromkeys(_LEAD_IN.sub("", name) for name in found) if name]
    gaps: list[Gap] = []
    for name in names[:_MOST_ASKED]:
        asked, ending = name.casefold(), PurePosixPath(name).suffix.lower()
        known = any(asked in one.casefold() or asked.endswith(PurePosixPath(one).name.casefold()) for one in documents)
        if not known and not any(asked in text.casefold() for text in passages):
            why = "absent" if find_format(name) else "picture" if ending in PICTURES else "other_kind"
            gaps.append(Gap(kind="in_part", text=_NOT_READ[language][why].format(name, ending)))
    return tuple(gaps)


_UNREAD_FILES: Final = localized_phrases("shared.gaps.not_read", "others")


def find_unread_files(problems: Iterable[Problem], language: Language) -> tuple[Gap, ...]:
    """The files of which nothing could be read, in one line: what was not found may stand there."""
    names = [problem.source for problem in problems if not problem.losses]
    if not names:
        return ()
    shown = ", ".join(names[:_MOST_ASKED]) + (" …" if len(names) > _MOST_ASKED else "")
    words = _UNREAD_FILES[language][len(names) > 1]
    return (Gap(kind="in_part", text=words.format(len(names), shown)),)


def _shows_pictures_only(problem: Problem) -> bool:
    """Whether all that was not read of a file are pictures beside its text, a logo as a rule: the index names them."""
    return bool(problem.losses) and all(loss.kind == "pictures_without_text" for loss in problem.losses)


def _is_among(source: str, leaned_on: set[str]) -> bool:
    """Whether a file is among the sources, which may be named from another folder."""
    return any(source == other or source.endswith(f"/{other}") or other.endswith(f"/{source}") for other in leaned_on)


def _is_named(source: str, asked: str) -> bool:
    """Whether a question names a file: its whole name, or the name without its ending where that says enough."""
    name = PurePosixPath(source).name.casefold()
    whole, stem = (_SEPARATORS.sub(" ", text).strip() for text in (name, PurePosixPath(name).stem))
    if not stem.isascii():
        return len(stem) >= _LONG_ENOUGH and stem in asked
    telling = " " in stem or any(map(str.isdigit, stem))
    return (whole != stem and whole in asked) or (telling and f" {stem} " in asked)


_UNREAD: Final = localized("shared.gaps.coverage", "unread")
_UNANSWERED: Final = localized("shared.gaps.coverage", "unanswered")
_OTHER_LANGUAGE: Final = localized("shared.gaps.coverage", "language")
_FEWEST_WORDS: Final = 4
"""Words of a passage below which it tells no language."""
_ONLY: Final = localized_phrases("shared.gaps.coverage", "only")
_PARTS: Final = localized_section("shared.gaps.coverage.parts")


def describe_coverage(outcomes: Iterable[Outcome], within: SourceFilter, language: Language) -> Iterator[Gap]:
    """What was not read, and what was left out, a line each.

    Args:
        outcomes: What the tasks came to.
        within: The restriction of the run.
        language: The language of the lines.
    """
    traces = [outcome.trace for outcome in outcomes]
    read = {page for trace in traces for page in trace.opened if page not in trace.unread}
    unread = {page for trace in traces for page in trace.unread} - read  # another task may have had it
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
    """A line where every passage found is in another language than the question.

    Rows of a table and settings tell no language: names and figures are alike in many.

    Args:
        state: What the run came to.
        language: The language of the line.
    """
    asked_in = state["assessment"].frame.language
    guesses = [guess_language(text) for text in map(_read_prose, state.get("evidence", {}).values()) if text]
    found = list(dict.fromkeys(guess.language for guess in guesses if guess.sure))
    if found and asked_in not in found:
        names = [name_language(one, language) for one in (*found, asked_in)]
        yield Gap(kind="language", text=_OTHER_LANGUAGE[language].format(join_names(names[:-1], language), names[-1]))


def _read_prose(passage: Evidence) -> str:
    """The lines of a passage that are no records; empty where they are too few words to tell a language by."""
    lines = [line for line in passage.text.splitlines() if not is_record(line, passage.source)]
    prose = "\n".join(lines)
    return prose if word_count(prose) >= _FEWEST_WORDS else ""
