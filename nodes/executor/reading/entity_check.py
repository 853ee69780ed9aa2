"""Check whether passages are about the subject that a question names, or about something else."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from weiwo.state import Evidence
from weiwo.state.kinds import has_rules
from weiwo.text.language import HAN, fold
from weiwo.text.language_detection import detect_language
from weiwo.text.names import names
from weiwo.text.patterns import lazy

_COMMON = lazy(
    r"the|of|and|for|in|on|at|to|an?|de|la|le|du|von|van|der|den|di|da|emperor|empress|king|queen|president|prince|"
    r"princess|sir|saint|st|lord|lady|pope|prime|minister|professor|doctor|dr|mrs?|ms"
)
"""Words that occur in many names, and so do not identify anything."""

_HAN: Final = lazy(f"[{HAN}]")
_SPACED: Final = lazy(f"[^\\W_{HAN}]+")
_LETTERS: Final = lazy(f"[^\\W\\d_{HAN}]+")
_PART: Final = lazy(f"[{HAN}]+|[^\\W_{HAN}]+")
_OFFER: Final = r"(?: or (?:the )?|/|或者?)"
_ANY_WORD: Final = rf"([{HAN}]{{2}}|[^\W_{HAN}]+)"
_OFFERED_BEFORE: Final = lazy(rf"{_ANY_WORD}{_OFFER}$")
_OFFERED_BEHIND: Final = lazy(rf"{_OFFER}{_ANY_WORD}")
_LEAST_DOCUMENTS: Final = 2
"""Fewest documents of a folder that must name a subject for its other documents to be about the subject too."""

_KIND: Final = re.compile(
    r"\b(?:agreement|agenda|brief|budget|catalogue?|chapter|contracts?|faq|form|guide|handbook|invoice|letters?|list|log|"
    r"manual|memo|minutes|notes?|notice|overview|plan|polic(?:y|ies)|presentation|procedures?|proposal|readme|records?|"
    r"regulations?|reports?|review|roadmap|rules|schedule|sheet|slides|specification|strategy|summary|table|terms)\b|"
    r"制度|纪要|报告|手册|合同|协议|通知|办法|规定|清单|说明|计划|方案|总结|记录|指南|条例|公告|表$",
    re.IGNORECASE,
)
"""Words in titles for the kind of document, like "minutes". A title with one does not name the document's subject."""


def find_unmentioned_name(
    question: str, passages: Sequence[Evidence], known: Sequence[Evidence] = (), value: str = ""
) -> str | None:
    """Return the first name of a question if no passage mentions any name of the question, else None.

    For "When was Acme Tower founded?" and a passage about Bolt Hall, this is "Acme Tower". None also if the question
    has no name or no passages are given.

    A passage has the names of its document, since a document rarely repeats its subject: its title, the names of its
    file and folders, and names in other passages of it. A tool's result has the arguments of its call. A policy,
    minutes, a list and the like are about the subject of their folder, if other documents there name the subject, and
    about the subject named by most documents at hand. An alternative that a question offers beside a name ("revenue or
    ARR") stands for it. Passages in another script write names otherwise, and are not judged.

    Args:
        question: The question.
        passages: The passages to judge.
        known: Other passages that were found, of any documents.
        value: The value read in them. A document with this title is accepted.
    """
    named = [name.text for name in names(question)]
    language = detect_language(question)
    if (
        not has_rules(language)
        or not named
        or not passages
        or any(detect_language(passage.text) != language for passage in passages)
    ):
        return None
    parts = [[*_parts(name)] for name in named]
    documents = {passage.source for passage in passages}
    told = [*passages, *(other for other in known if other.source in documents)]
    if _is_named([*parts, *([word] for word in _list_alternatives(question, named))], told):
        return None
    own = fold(f"{question} {value}")
    if all(not _titled_as_subject(passage.title, own) and _is_about(passage, parts, known) for passage in passages):
        return None
    return named[0]


def _list_alternatives(question: str, named: Sequence[str]) -> Iterator[str]:
    """Yield the words that a question offers as alternatives to a name: "revenue" for "ARR" in "revenue or ARR"."""
    asked = fold(question)
    for name in filter(None, map(fold, named)):
        at = asked.find(name)
        while at >= 0:
            found = _OFFERED_BEFORE.search(asked[:at]) or _OFFERED_BEHIND.match(asked, at + len(name))
            if found:
                yield found[1]
            at = asked.find(name, at + len(name))


def may_speak_of(question: str, passage: Evidence) -> bool:
    """Report whether a passage may be about a name in a question.

    True if it has a part of the name, or if the question has no name in the script of the passage.
    """
    if not has_rules(detect_language(question)):
        # German nouns all look like names, and Arabic names have no capitals.
        return True
    chinese = detect_language(passage.text) == "zh"
    named = [name.text for name in names(question) if bool(_HAN.search(name.text)) == chinese]
    return not named or _is_named([[*_parts(name)] for name in named], [passage])


def _is_named(names_parts: Sequence[Sequence[str]], passages: Sequence[Evidence]) -> bool:
    """Report whether passages, with headings and paths, have a part of any name.

    Args:
        names_parts: For each name, its distinctive parts.
        passages: The passages.
    """
    said = fold(" ".join(f"{passage.heading} {passage.source} {passage.text}" for passage in passages))
    words = set(_SPACED.findall(said))
    return any(
        not parts or any(part in said if _HAN.match(part) else part in words for part in parts) for parts in names_parts
    )


def _is_about(passage: Evidence, names_parts: Sequence[Sequence[str]], known: Sequence[Evidence]) -> bool:
    """Report whether the folder of a passage, or most documents at hand, are about one of the names.

    The folder is if at least two of its documents have a name. False for a web page.

    Args:
        passage: The passage.
        names_parts: For each name, its distinctive parts.
        known: The passages at hand.
    """
    folder = _folder(passage)
    at_hand = {evidence.source for evidence in known if _folder(evidence)}
    naming = {evidence.source for evidence in known if _folder(evidence) and _is_named(names_parts, [evidence])}
    beside = {evidence.source for evidence in known if evidence.source in naming and _folder(evidence) == folder}
    return bool(folder) and (len(beside) >= _LEAST_DOCUMENTS or len(naming) > max(1, len(at_hand) / 2))


def _titled_as_subject(title: str, own: str) -> bool:
    """Report whether a title is the name of a subject that question and answer do not have.

    True for "Bolt Hall" beside a question about Acme, False for "Minutes" and for "Acme".

    Args:
        title: The title of a document.
        own: Question and answer, folded.
    """
    if not title or _KIND.search(title) or fold(title) in own:
        return False
    words = [word for word in _LETTERS.findall(title) if not _COMMON.fullmatch(word.lower())]
    if not words:
        return any(name.text == title for name in names(title))
    return all(word[0].isupper() for word in words)


def _folder(passage: Evidence) -> str:
    """Return the folder of a local document: "docs" for "docs/a.md", "." for "a.md". Empty for a web page."""
    return "" if "://" in passage.source else passage.source.rpartition("/")[0] or "."


def _parts(name: str) -> Iterator[str]:
    """Yield the distinctive parts of a name: "ann", "leeds" for "King Ann of Leeds".

    Of a Chinese name, two characters.
    """
    for word in _PART.findall(fold(name)):
        if _HAN.match(word):
            yield word[:2] if len(word) > 1 else word
        elif not _COMMON.fullmatch(word) and (len(word) > 1 or word.isdigit()):
            yield word
