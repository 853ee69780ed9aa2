"""How each sentence of a passage stands towards a subject: names it, goes on about it, or speaks of something else.

A reader takes "He died in AD 79" under the title "Pliny the Elder" to be about him, and "Emperor Zhao, who was born in
94 BC" in the article on his father not to be about the father. The first judgement is made here, the second in
`binding`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from nodes.rules.reading.subject import Subject
from nodes.rules.words import coverage, terms
from state import Evidence
from text.language import HAN, fold, sentences
from text.names import Name, names
from text.patterns import lazy

LONGEST_SENTENCE: Final = 2_000
"""Characters of one sentence that are looked at; tables without a full stop can be longer."""

MOST_SENTENCES: Final = 1_500
"""Sentences of one passage that are looked at."""

_PRONOUN: Final = lazy(
    r"(?i)^(?:[^,，]{0,40}[,，] ?)?(?:he|she|it|they|his|her|its|their|this|these|the (?!(?:[\w-]+ ){0,3}of )|"
    r"(?:in|on|at|after|before|during|by|from|since|between|for|as|upon)\b[^,.]{0,60}?\b(?:he|she|it|they|his|her|its|their|the)\b)"
    r"|^(?:他|她|它|其|该|此|这|本|两人|后来|同年|当时|全|小说|电影|影片|作品|主人公|主角|铁塔|大桥|父子|先后|曾|原名|又名|字)"
)
_TIME_ZH: Final = lazy(
    r"^(?:(?:公元)?前?[\d一二三四五六七八九十〇零]{1,4}年|\d|[从自在于至到约]|目前|今天|现在|截至|据|根据|同时|此外|另外|因此|由于|后|当|最|第|历史|一般)"
)
_HEAD_ZH: Final = lazy(rf"^(?P<head>[{HAN}·]{{2,12}}?)(?=生于|出生|诞生|是|于[\d公]|的|，|在|曾|（|\(|原名)")
PREPOSITION: Final = lazy(
    r"(?i)(?:^|[\s(])(?:of|in|at|by|to|from|with|for|on|near|as|into|under|after|before|during|against|via|through|between|and|including|like)"
    r"(?: (?:the|a|an|his|her|its|their))?(?: [a-z-]+){0,2} ?[\"“‘']?$"
)


@dataclass(frozen=True)
class View:
    """One sentence, seen with the subject in mind.

    Attributes:
        passage: The passage.
        place: The passage's position among those read, from 0.
        start: Where the sentence starts in the passage's text.
        sentence: The sentence.
        about: How surely it speaks about the subject, 0 to 1.
        mentions: Where it names the subject.
        carried: Whether the subject is understood: from the title, or from the sentence before.
        titled: How surely the whole passage is about the subject.
        title: The title of the passage: its own, or the heading it starts with.
    """

    passage: Evidence
    place: int
    start: int
    sentence: str
    about: float
    mentions: tuple[tuple[int, int], ...] = ()
    carried: bool = False
    titled: float = 0.0
    title: str = field(default="", compare=False)

    @cached_property
    def names(self) -> list[Name]:
        """The names in the sentence."""
        return names(self.sentence)

    @cached_property
    def terms(self) -> frozenset[str]:
        """The content terms of the sentence."""
        return frozenset(terms(self.sentence))


def heading(passage: Evidence) -> str:
    """The title of a passage, or the heading its text starts with."""
    if passage.title:
        return passage.title
    first = re.match(r"\s{0,3}#{1,3} +([^\n]{1,200})", passage.text)
    return first[1].strip() if first else ""


def _fitting_head(subject: Subject, passage: Evidence) -> str:
    """The title, or the heading of the passage's first section where that is what the subject is called."""
    title = heading(passage)
    if passage.title and subject.title_match(title) < 0.6:
        first = re.match(r"\s{0,3}#{1,6} +([^\n]{1,200})", passage.text)
        if first and subject.title_match(first[1].strip()) >= 0.85:
            return first[1].strip()
    return title


def views(subject: Subject, passages: Sequence[Evidence]) -> Iterator[View]:
    """Every sentence that may be about the subject, passage by passage.

    Args:
        subject: The subject.
        passages: The passages, best first.

    Yields:
        Views with `about` above 0, in the order of the text.
    """
    for place, passage in enumerate(passages):
        yield from _of_passage(subject, passage, place)


def _of_passage(subject: Subject, passage: Evidence, place: int) -> Iterator[View]:
    title = _fitting_head(subject, passage)
    titled = subject.title_match(title)
    loose = coverage(subject.terms, {*terms(title), *terms(passage.text[:20_000])}) if titled < 0.6 else 1.0
    known = titled >= 0.6
    focus = known
    for start, end in sentences(passage.text)[:MOST_SENTENCES]:
        sentence = passage.text[start : min(end, start + LONGEST_SENTENCE)]
        if sentence.endswith(("?", "？")):
            continue  # a question states nothing
        if start and passage.text[max(0, start - 2) : start].count("\n") == 2:
            focus = known and titled >= 0.6
        mentions = tuple(subject.mentions(sentence, known=known))
        about, carried = _about(subject, sentence, mentions, focus=focus, titled=titled)
        if not about and loose >= 0.55:
            about = _loosely(subject, sentence, title)
        if mentions:
            known = True
            # A passage without a title is about what its first sentence opens with.
            lead = sentence[: mentions[0][0]]
            if not (lead and _PRONOUN.match(lead)):  # "She was a daughter of S" goes on about her
                focus = not _other_head(subject, sentence, mentions)
            if not title and not start and focus:
                titled = 0.7
        elif not carried:
            focus = False
        if about:
            yield View(passage, place, start, sentence, about, mentions, carried, titled, title)


def _about(
    subject: Subject, sentence: str, mentions: tuple[tuple[int, int], ...], *, focus: bool, titled: float
) -> tuple[float, bool]:
    if mentions:
        return _named(subject, sentence, mentions, titled), focus and titled >= 0.6
    other = _other_head(subject, sentence, ())
    if other:
        return (0.3 if titled >= 0.85 else 0.0), False
    if focus and _PRONOUN.match(sentence):
        return 0.92, True
    if focus:
        return (0.85 if titled >= 0.85 else 0.7), True
    return (0.6, True) if titled >= 0.85 else (0.0, False)


def _named(subject: Subject, sentence: str, mentions: tuple[tuple[int, int], ...], titled: float) -> float:
    """A sentence that names the subject, unless the one word of its name is part of a longer name of another."""
    early = 1.0 if mentions[0][0] < max(60, len(sentence) // 2) else 0.95
    if titled >= 0.6 or len(subject.tokens) > 1 or not subject.tokens[0].isascii():
        return early
    longer = [
        n
        for n in names(sentence[:600])
        if any(n.start <= a and b <= n.end and n.end - n.start > b - a for a, b in mentions)
    ]
    return early * (0.45 if len(longer) >= len(mentions) else 0.9)


def _other_head(subject: Subject, sentence: str, mentions: tuple[tuple[int, int], ...]) -> bool:
    """Whether the sentence opens with something else as its subject."""
    first = mentions[0][0] if mentions else len(sentence)
    if first == 0 or (_PRONOUN.match(sentence) and not mentions):
        return False
    if re.match(f"[《“]?[{HAN}]", sentence):
        found = _HEAD_ZH.match(sentence)
        if not found or _TIME_ZH.match(sentence):
            return False
        head = found["head"]
        return found.end() <= first and not subject.mentions(head, known=True) and len(head) >= 2
    for name in names(sentence[:160]):
        if name.end > first or name.start > 30:
            return False
        if subject.tokens and coverage(terms(name.text), subject.terms) >= 1:
            return False
        if not PREPOSITION.search(sentence[: name.start]) and not re.search(
            r"(?i)\b(?:he|she|it|they)\b", sentence[: name.start]
        ):
            return True
    return False


def _loosely(subject: Subject, sentence: str, title: str) -> float:
    """A descriptive subject ("the battle of mine creek fought") is matched by its words, not as a name."""
    present = {*terms(sentence), *terms(title)}
    here = coverage(subject.terms, present)
    han = not subject.tokens or not subject.tokens[0].isascii()
    if subject.proper and not han:
        words = set(re.findall(r"\w+", fold(f"{sentence} {title}")))
        if not subject.distinctive <= words or len(subject.distinctive) < 2:
            return 0.0
    return 0.8 * here if here >= (0.55 if han else 0.8) and (len(subject.terms) > 1 or here == 1) else 0.0
