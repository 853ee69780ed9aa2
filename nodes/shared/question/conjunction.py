"""Conjunctions: joined questions, and several attributes of a thing or several things.

"How long is the Danube, and how tall is the Eiffel Tower?" is two questions, "the height and year of completion of A
and B" four look-ups. Each half of a conjunction is parsed alone. Parts that the second half leaves to the first (its
subject, the things it compares) are filled in.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

from weiwo.nodes.shared.question import lexicon
from weiwo.nodes.shared.question.comparison import frame_part, list_things
from weiwo.nodes.shared.question.lexicon import patterns_by_language, question_pattern
from weiwo.nodes.shared.question.look_up import answer_type_of, find_relation, lower, subject_of, without_article
from weiwo.state.kinds import Locale
from weiwo.state.query import QueryFrame
from weiwo.text.lists import join_names
from weiwo.text.localization import localize_message
from weiwo.text.patterns import lazy
from weiwo.text.terms import terms

Parse = Callable[[str, Locale], QueryFrame]

_MOST_HALVES: Final = 4
_MOST_PARTS: Final = 12
_AND_ASKS: Final = patterns_by_language("and_asks")
_ATTRIBUTES: Final = {
    "en": (question_pattern("attributes_behind"), question_pattern("attributes_before")),
    "zh": (question_pattern("attributes_zh"),),
}
_JOINED: Final = patterns_by_language("attributes_joined")
_ASKED_TWICE: Final = question_pattern("asked_twice")
_PRONOUN: Final = patterns_by_language("pronoun")
_PERSON: Final = lazy(r"(?i)\b(?:he|she|his|her|him)\b|[他她]")
_WITHOUT_SUBJECT: Final = question_pattern("without_subject")
_COMPARED_AGAIN: Final = patterns_by_language("compared_again")
_ASKED_OF: Final = localize_message("shared.conjunction", "asked_of")
_ONE_OF: Final = localize_message("shared.conjunction", "one_of")
_ANSWERABLE: Final = frozenset({"look_up", "comparison", "difference", "same", "several", "list"})


def split_conjunction(asked: str, language: Locale, parse: Parse) -> dict[str, Any] | None:
    """Return the fields of a frame with a part for each question that a conjunction joins. None for a single question.

    Args:
        asked: The question without politeness and filters.
        language: Its language.
        parse: Parses one half.
    """
    halves = _split_halves(asked, language)
    if not 2 <= len(halves) <= _MOST_HALVES:
        return None
    frames: list[QueryFrame] = []
    for half in halves:
        if frames and frames[0].answer_type == "person" and _PERSON.search(half):
            return None  # "who wrote it, and when was he born": what the first half asks for
        frame = parse(_format_half(_complete_half(half, frames[0], language) if frames else half, language), language)
        if frames and language == "zh" and (not frame.subjects or _WITHOUT_SUBJECT.match(half)):
            frame = parse(_format_half(f"{frames[0].subject}{half}", language), language)
        if frame.shape not in _ANSWERABLE or not frame.subjects or not _asks_alone(frame):
            return None
        frames.append(frame)
    subjects = tuple(dict.fromkeys(subject for frame in frames for subject in frame.subjects))
    return _fields(subjects, frames)


def _split_halves(asked: str, language: Locale) -> list[str]:
    """Return the questions that a text joins, or the whole text as one.

    "when and where was A born" gives "when was A born" and "where was A born".
    """
    if twice := _ASKED_TWICE.match(asked):
        return [f"{twice[item]} {twice['rest']}" for item in ("one", "other")]
    halves, start = [], 0
    for found in _AND_ASKS[language].finditer(asked):
        if all(map(lexicon.ASKS.search, (lower(asked[start : found.start()]), lower(asked[found.end() :])))):
            halves.append(asked[start : found.start()])
            start = found.end()
    return [half for half in (*halves, asked[start:]) if terms(half)]


def _complete_half(half: str, first: QueryFrame, language: Locale) -> str:
    """Return a later question with the subject or compared things of the first question filled in.

    "how tall is it" after a question about the Eiffel Tower becomes "how tall is Eiffel Tower".
    """
    if len(first.subjects) > 1 and _COMPARED_AGAIN[language].match(lower(half).strip(" ?？")):
        things = join_names(first.subjects, language, either=True)
        return _ONE_OF[language].format(half.strip(" ?？"), things)
    return _PRONOUN[language].sub(lambda _: first.subject, half, count=1) if len(first.subjects) == 1 else half


def _format_half(half: str, language: Locale) -> str:
    """Return a half with a capital and a question mark."""
    bare = half.strip(" ,;?!.，；？。")
    return f"{bare[:1].upper()}{bare[1:]}{'？' if language == 'zh' else '?'}"


def _asks_alone(frame: QueryFrame) -> bool:
    """Report whether a half asks something of a thing. False if it only names the thing."""
    own = {term for subject in frame.subjects for term in terms(subject)}
    return bool(frame.relation or frame.parts or frame.answer_type != "text" or set(frame.terms) - own)


def ask_attributes(asked: str, low: str, language: Locale) -> dict[str, Any] | None:
    """Return the fields of a frame for several attributes of one or more things. None if only one is asked for.

    "The height and age of A" has two look-ups.
    """
    for pattern in _ATTRIBUTES[language]:
        match = pattern.match(low)
        if match is None:
            continue
        names = [part.strip(" ,的") for part in _JOINED[language].split(match["attributes"]) if part.strip(" ,的")]
        listed = asked[match.start("things") : match.end("things")]
        things = list_things(listed, language) or (subject_of(listed, (0, 0), language),)
        attributes = [_attribute(name, language) for name in names]
        if len(names) < 2 or not any(relation for _, relation in attributes) or not all(things):
            continue
        if len(things) * len(names) > _MOST_PARTS or any(len(name.split()) > 5 for name in names):
            continue
        parts = [_ask(thing, *attribute, language) for attribute in attributes for thing in things]
        return _fields(tuple(map(without_article, things)), parts)
    return None


def _attribute(name: str, language: Locale) -> tuple[str, str]:
    """Return an attribute in the user's words, and its relation, which is empty if the lexicon has none."""
    plain = re.sub(r"^(?:the|their|its|his|her) ", "", name)
    found = find_relation(plain, lower(plain), language)
    return plain, found.name if found else ""


def _ask(thing: str, attribute: str, relation: str, language: Locale) -> QueryFrame:
    """Return the parsed question for an attribute of a thing.

    Args:
        thing: The thing.
        attribute: The attribute in the user's words.
        relation: Its relation. Empty if the lexicon has none.
        language: The language.
    """
    known = frame_part(thing, relation, language) if relation else None
    if known is not None:
        return known
    question, named = _ASKED_OF[language].format(thing=thing, attribute=attribute), without_article(thing)
    kind: Any = answer_type_of(lower(attribute))
    return QueryFrame(
        question=question,
        language=language,
        subjects=(named,),
        answer_type=kind,
        terms=tuple(dict.fromkeys(terms(question))),
        search=f"{named} {attribute}",
    )


def _fields(subjects: Sequence[str], parts: Sequence[QueryFrame]) -> dict[str, Any]:
    return {
        "shape": "several",
        "subjects": tuple(subjects),
        "relation": "",
        "answer_type": "text",
        "dimension": "",
        "unit": "",
        "parts": tuple({part.question: part for part in parts}.values()),
    }
