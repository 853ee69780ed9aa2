"""Entity matching: whether a page is about a thing, and where a text names the thing.

A title is the thing only if it is the whole name: "Julius Caesar (play)" may be, "Julius Caesar Award" is not. A
general noun for the thing ("the bridge") counts only on its own page.
"""

import re
import string
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from weiwo.state.cached_property import cached_property
from weiwo.text.analyzer import SIMPLIFIED
from weiwo.text.data_files import data_pattern
from weiwo.text.language import HAN, fold, sentences, word_set
from weiwo.text.patterns import lazy

LONGEST_TEXT: Final = 20_000
"""Most characters of a passage that are read."""

Span = tuple[int, int]


_BRACKET: Final = lazy(r"\s?[(（]([^()（）]{1,80})[)）]")
_MARKS: Final = str.maketrans("", "", '《》“”"«»「」『』*_')
_SITE: Final = lazy(r"[_|｜].*$|\s[-–—]\s(?:Wikipedia|维基百科|百度百科).*$")
_MOUNT: Final = lazy(r"^(?:mount|mt) ")
_LAST_PART: Final = lazy(r"\s[-–—·]\s([^-–—·]{2,40})$")
_TOKEN: Final = lazy(rf"[{HAN}]+|[^\W_{HAN}]+")
_DEFINES: Final = lazy(
    r"[\"”’]?(?:,[^,;]{1,60},)?(?:\s?\([^()]{0,200}\))?,?\s(?:is|was|are|were)\s(?:also\s)?(?:an?|the|one)\s"
    r"(?P<en>[a-zA-Z][\w' -]{0,120})"
    rf"|[》”]?(?P<more>[{HAN}]{{0,4}}?)(?:[（(][^（）()]{{0,80}}[）)])?[，,]?(?:是|为|，)(?P<zh>[^，。；]{{1,60}})"
)
_FRONTED: Final = lazy(r"An?\s([a-z][\w' -]{2,60}),\s[A-Z]")
_NARROWS: Final = data_pattern("extraction", "entity_matching", "narrows")
_GENERAL_ZH: Final = {"大学": "学校", "学院": "学校", "中学": "学校", "小学": "学校", "集团": "公司"}
"""General nouns for a thing in Chinese texts, by the last two characters of its name or definition."""
_LONGER: Final = lazy(r"-\w| (?:(?:the|of|de|von) )?(?:[A-Z][\w'’-]*|[IVX]+\b)")
_WORD_BEFORE: Final = lazy(r"(?<![\w.'’])([\w.'’]+)( |-)$")
_GIVEN_NAMES: Final = data_pattern("extraction", "entity_matching", "given_names")
_BETWEEN: Final = lazy(r"[\s\-'’.,·•・‧]")
_MOST_BETWEEN: Final = 2
"""Most characters between two words of a name."""
_ASCII_WORD: Final = frozenset(string.ascii_lowercase + string.digits)
_OPENERS: Final = word_set("The A An In On At By When While After Before Since As And But Although From Of For With")


@lru_cache(maxsize=32_768)
def _plain_character(character: str) -> str:
    folded = fold(character)
    return folded if len(folded) == 1 else character


def plain(text: str) -> str:
    """Return a text folded character by character, so that offsets stay: "Zürich" gives "zurich".

    The result has lower case, no accents, narrow characters and simplified Chinese.
    """
    return text.lower() if text.isascii() else "".join(map(_plain_character, text.translate(SIMPLIFIED)))


def name_key(name: str) -> str:
    """Return a name in the form for comparison: folded words without a leading "the", signs and bracketed text.

    "The Acme Tower (play)" gives "acme tower".
    """
    words = _TOKEN.findall(plain(_BRACKET.sub("", name).translate(_MARKS)))
    return " ".join(words[1:] if len(words) > 1 and words[0] == "the" else words)


def qualifier(name: str) -> str:
    """Return the bracketed text at the end of a name: "play" of "Julius Caesar (play)". Empty if there is none."""
    found = _BRACKET.search(name.strip())
    return found[1] if found and found.end() == len(name.strip()) else ""


def page_name(title: str, source: str) -> str:
    """Return a title without the name of the site: "Vale" for "Vale – Town Almanac" of townalmanac.org.

    The last part of a title is the site's name if the address has it.
    """
    title = _SITE.sub("", title.strip())
    last = _LAST_PART.search(title)
    host = re.match(r"https?://([^/:?#]{1,253})", source)
    return title[: last.start()] if last and host and "".join(name_key(last[1]).split()) in host[1] else title


@dataclass(frozen=True)
class Subject:
    """Subject of a question.

    Attributes:
        text: The name as in the question.
    """

    text: str

    @cached_property
    def key(self) -> str:
        """Name of the subject in the form for comparison (`name_key`)."""
        return name_key(self.text)

    @cached_property
    def tokens(self) -> list[str]:
        """Folded words of the subject's name."""
        return self.key.split()

    @cached_property
    def han(self) -> bool:
        """Report whether the name is written in Chinese."""
        return bool(self.tokens) and not self.tokens[0].isascii()

    def _find(self, folded: str) -> Iterator[Span]:
        """Yield the spans of the name in a folded text: its words in order, without a letter or figure directly beside.

        The search takes no pattern, because a pattern would have to be compiled for each name.
        """
        first = self.tokens[0] if self.tokens else ""
        start = folded.find(first) if first else -1
        while start >= 0:
            end = None if folded[start - 1 : start] in _ASCII_WORD else self._find_end(folded, start)
            if end is not None:
                yield start, end
            start = folded.find(first, end or start + 1)

    def _find_end(self, folded: str, start: int) -> int | None:
        """Return the end of the name if it begins at `start` in a folded text, else None."""
        at = start + len(self.tokens[0])
        for token in self.tokens[1:]:
            for _ in range(_MOST_BETWEEN):
                at += bool(_BETWEEN.match(folded, at))
            if not folded.startswith(token, at):
                return None
            at += len(token)
        return None if folded[at : at + 1] in _ASCII_WORD else at

    def mentions(self, text: str, folded: str, *, known: bool) -> list[Span]:
        """Return the spans of a text that name the subject in full, not as part of a longer name.

        Args:
            text: The text.
            folded: The same text, folded by `plain`.
            known: Whether the passage is about the subject. Another capitalised word may then stand before the name.
        """
        return [(start, end) for start, end in self._find(folded) if self._whole(text, start, end, known=known)]

    def _whole(self, text: str, start: int, end: int, *, known: bool) -> bool:
        if self.han:
            return not {text[end : end + 1], text[start - 1 : start]} & {"·", "•"}
        if not re.search(r"[A-Z0-9]|[^\x00-\x7f]", text[start:end]) or _LONGER.match(text, end):
            return False
        ahead = _WORD_BEFORE.search(text[max(0, start - 30) : start])
        if ahead is None or ahead[2] == "-" or known or not ahead[1][0].isupper():
            return ahead is None or ahead[2] != "-"
        opens = text[: start - len(ahead[0])].rstrip()[-1:] in {"", ".", "!", "?", "\n"}
        return opens and ahead[1] in _OPENERS


@dataclass(frozen=True)
class Page:
    """A passage, matched with a subject.

    Attributes:
        subject: The subject.
        title: Its title, without the name of its site.
        text: Its text.
    """

    subject: Subject
    title: str
    text: str

    @cached_property
    def has_matching_title(self) -> bool:
        """Report whether the title is the subject's name.

        Text in brackets behind the title must equal that behind the subject. If the subject has none, lower-case text
        like "(film)" is accepted, and capitalised text like "(Godsmack song)" is not.
        """
        mine, theirs = qualifier(self.subject.text), qualifier(self.title)
        fits = plain(mine) == plain(theirs) if mine else not theirs[:1].isupper()
        return self._namesake and fits

    @cached_property
    def _namesake(self) -> bool:
        key = name_key(self.title)
        return self.subject.key in {key, _MOUNT.sub("", key)} - {""}

    @cached_property
    def spans(self) -> list[Span]:
        """Spans of the page's sentences."""
        return sentences(self.text)

    @cached_property
    def _definition_match(self) -> re.Match[str] | None:
        if not self.spans or (self._namesake and not self.has_matching_title):
            return None
        first = self.text[slice(*self.spans[0])]
        for start, end in self.subject.mentions(first, plain(first), known=self.has_matching_title)[:1]:
            opens = first[:start].strip(' "“《*').lower()
            found = _DEFINES.match(first, end)
            # A longer Chinese name may begin with the subject's: 北京大学 does not define 北京.
            if found and (opens in {"", "the"} if not self.has_matching_title else "," not in opens):
                return found if self.has_matching_title or not found["more"] else None
        return None

    @cached_property
    def about(self) -> bool:
        """Report whether the page is about the subject, by its title or by a definition in the first sentence."""
        return self.has_matching_title or self._definition_match is not None

    @cached_property
    def definition(self) -> str:
        """Definition of the subject in the first sentence: "tower" for "Acme Tower is a tower in Leeds".

        It ends at the first narrowing phrase. Empty if there is no definition.
        """
        found = self._definition_match
        if found is None:
            fronted = _FRONTED.match(self.text) if self.has_matching_title else None
            return _NARROWS.split(fronted[1])[0].strip() if fronted else ""
        return _NARROWS.split(found["en"])[0].strip() if found["en"] else str(found["zh"])

    @cached_property
    def kinds(self) -> frozenset[str]:
        """General nouns that stand for the subject on its page, as "tower" in "the tower"."""
        if self.subject.han:
            ends = [item[-2:] for item in (self.subject.key, self.definition) if len(item) > 2 and self.about]
            return frozenset([*ends, *(_GENERAL_ZH[end] for end in ends if end in _GENERAL_ZH)])
        named = self.subject.tokens if len(self.subject.tokens) > 1 else []
        return frozenset([*fold(self.definition).split()[-1:], *named[-1:], *named[:1]])

    def mentions(self, text: str, folded: str) -> list[Span]:
        """Return the spans of a sentence that name the subject in full.

        Empty on a page that is not about the subject if the name is a single word or the title is a namesake.

        Args:
            text: The sentence.
            folded: The same text, folded by `plain`.
        """
        alone = len(self.subject.tokens) == 1 and not self.subject.han  # one word may name many things
        if not self.about and (alone or self._namesake):
            return []
        found = self.subject.mentions(text, folded, known=self.about)
        # "Gaius Julius Caesar" heads a sentence of Julius Caesar's own page.
        return sorted((0 if self.has_matching_title and _GIVEN_NAMES.fullmatch(text, 0, a) else a, b) for a, b in found)
