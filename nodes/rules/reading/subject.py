"""A subject, and where a text names it: in full, shortened, and not as part of a namesake's name."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

from nodes.rules.words import FUNCTION_WORDS, terms
from text.language import HAN, fold
from text.patterns import lazy

_VARIANT: Final = str.maketrans({"恺": "凯", "・": "·", "•": "·", "‧": "·", "—": "-", "–": "-", "’": "'", "‘": "'"})
_GENERIC: Final = frozenset(
    [
        "university",
        "college",
        "river",
        "mountain",
        "mount",
        "bridge",
        "tower",
        "island",
        "lake",
        "county",
        "city",
        "state",
        "school",
        "museum",
        "church",
        "airport",
        "station",
        "festival",
        "company",
        "corporation",
        "inc",
        "band",
        "film",
        "novel",
        "song",
        "album",
        "series",
        "peak",
        "sea",
        "ocean",
        "dynasty",
        "party",
        "club",
        "township",
        "village",
        "district",
        "province",
        "building",
        "park",
        "house",
        "hall",
        "library",
        "institute",
        "railway",
        "strait",
        "canal",
        "castle",
        "palace",
        "temple",
        "cathedral",
        "prize",
        "award",
        "大学",
        "河",
        "山",
        "江",
        "湖",
        "省",
        "市",
        "县",
        "桥",
        "塔",
        "岛",
    ]
)
_BEFORE_NAMES: Final = frozenset(
    [
        "mr",
        "mrs",
        "ms",
        "miss",
        "dr",
        "prof",
        "professor",
        "sir",
        "lord",
        "lady",
        "saint",
        "st",
        "king",
        "queen",
        "emperor",
        "empress",
        "prince",
        "princess",
        "president",
        "general",
        "captain",
        "colonel",
        "major",
        "judge",
        "senator",
        "governor",
        "mayor",
        "pope",
        "bishop",
        "father",
        "sister",
        "brother",
        "young",
        "old",
        "when",
        "after",
        "although",
        "while",
        "since",
        "because",
        "however",
        "today",
        "later",
        "both",
    ]
)
_LINKING: Final = frozenset(["of", "the", "de", "da", "von", "van", "der", "la", "le", "di", "du", "del", "and"])


@lru_cache(maxsize=65_536)
def _folded_character(character: str) -> str:
    return fold(character.translate(_VARIANT)) if not character.isspace() else " "


def _folded(text: str) -> tuple[str, list[int]]:
    """Folded text with, for each of its characters, the place it came from."""
    parts: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        plain = _folded_character(character)
        parts.append(plain)
        places += [place] * len(plain)
    places.append(len(text))
    return "".join(parts), places


_SEPARATOR: Final = r"[\s\-'.,·()《》“”\"]{0,3}"
_SITE: Final = lazy(r"\s[–—|·-]\s|\s?[|｜_]\s?")
"""What stands between a page's own title and its site's: "Aldport – Town Almanac", 云洛市_百科."""
SITED: Final = 0.95
_TOKENS: Final = lazy(rf"[{HAN}]+|[^\W_{HAN}]+")


def name_tokens(text: str) -> list[str]:
    """The folded words of a name, without a leading article and without what stands in round brackets."""
    folded = fold(re.sub(r"\s?[(（][^()（）]*[)）]", "", text).translate(_VARIANT))
    tokens = _TOKENS.findall(folded)
    return tokens[1:] if len(tokens) > 1 and tokens[0] in {"the", "a", "an"} else tokens


@dataclass(frozen=True)
class Subject:
    """A subject, ready to be looked for."""

    text: str

    @cached_property
    def tokens(self) -> list[str]:
        """Its folded words."""
        return name_tokens(self.text)

    @cached_property
    def terms(self) -> frozenset[str]:
        """Its content terms."""
        return frozenset(terms(self.text))

    @cached_property
    def _full(self) -> re.Pattern[str]:
        return _pattern(self.tokens)

    @cached_property
    def _short(self) -> re.Pattern[str] | None:
        """Shorter forms a text uses once it has given the full name."""
        tokens = self.tokens
        forms: list[list[str]] = []
        if len(tokens) > 1 and tokens[0].isascii():
            linked = next((i for i, token in enumerate(tokens) if i and token in _LINKING), 0)
            if linked:
                forms.append(tokens[:linked])
            if tokens[-1] not in _GENERIC and len(tokens[-1]) > 2 and tokens[-1].isalpha() and not linked:
                forms.append(tokens[-1:])
            elif tokens[-1] in _GENERIC:
                forms += [tokens[:-1], ["the", tokens[-1]]]
            if tokens[0] in _GENERIC:
                forms.append(tokens[1:])
        elif len(tokens) > 1:
            forms.append(tokens[-1:])
        elif tokens and len(tokens[0]) >= 3 and not tokens[0].isascii():
            forms.append([tokens[0][-2:]])
        good = [form for form in forms if form and (len("".join(form)) > 2 or not form[0].isascii())]
        return re.compile("|".join(_pattern(form).pattern for form in good)) if good else None

    def mentions(self, text: str, *, known: bool) -> list[tuple[int, int]]:
        """Where a text names the subject; short forms count only where the passage is known to be about it."""
        if not self.tokens:
            return []
        folded, places = _folded(text)
        found = [m.span() for m in self._full.finditer(folded)]
        if known and self._short is not None:
            found += [
                m.span()
                for m in self._short.finditer(folded)
                if not any(a < m.end() and m.start() < b for a, b in found)
                and not self._longer(text, places[m.start()], places[m.end() - 1] + 1)
                and (
                    text[places[m.start()]].isupper()
                    or folded.startswith("the ", m.start())
                    or not folded[m.start()].isascii()
                )
            ]
        spans = [(places[a], places[b - 1] + 1) for a, b in sorted(found)]
        if self.proper and self.tokens[0].isascii():
            spans = [(a, b) for a, b in spans if any(c.isupper() or not c.isascii() for c in text[a:b])]
        return [span for span in spans if not self._namesake(text, span)]

    def _longer(self, text: str, start: int, end: int) -> bool:
        """Whether a short form is part of another's name: "Harvard" of "Harvard Medical School"."""
        behind = re.match(r" ([A-Z][\w'-]+)", text[end : end + 40])
        if behind and fold(behind[1]) not in self.tokens:
            return True
        ahead = re.search(r"([A-Z][\w.'-]*) $", text[max(0, start - 40) : start])
        return ahead is not None and fold(ahead[1]).strip(".") not in {*self.tokens, *_BEFORE_NAMES, *FUNCTION_WORDS}

    def _namesake(self, text: str, span: tuple[int, int]) -> bool:
        """Whether a mention goes on into another name: "Pliny" of "Pliny the Younger", "York" of "New York"."""
        if not self.tokens[0].isascii():
            return False
        behind = re.match(r" (?:the (?=[A-Z])|of (?=[A-Z]))?([A-Z][\w'-]*|[IVX]+\b)", text[span[1] : span[1] + 40])
        if behind and behind[0].startswith((" the ", " of ")):
            epithet = fold(behind[1])
            return epithet not in self.tokens and len(self.tokens) > 0 and not _is_generic(self.tokens[-1])
        return bool(behind and re.fullmatch(r"[IVX]+|Jr|Sr", behind[1]))

    def same(self, text: str) -> bool:
        """Whether a text is just this subject, in full or shortened."""
        theirs = name_tokens(text)
        return bool(theirs) and (set(theirs) <= set(self.tokens) or "".join(theirs) in "".join(self.tokens))

    @cached_property
    def proper(self) -> bool:
        """Whether it is written with capitals, so that only capitals can name it."""
        return any(c.isupper() for c in self.text)

    @cached_property
    def distinctive(self) -> frozenset[str]:
        """Its capitalised words that tell it from others of its kind."""
        words = re.findall(rf"[^\W_{HAN}]+", self.text)
        return frozenset(fold(w) for w in words if w[0].isupper() or w[0].isdigit()) - _GENERIC - _LINKING

    def title_match(self, title: str) -> float:
        """How surely a page with this title is about the subject, 0 to 1, whatever site's name follows a dash."""
        page = _SITE.split(title.strip())[0]
        return max(self._match(title), SITED * self._match(page) if page != title else 0.0)

    def _match(self, title: str) -> float:  # noqa: PLR0911 - a decision list reads best flat
        mine, other = self.tokens, name_tokens(title)
        if not mine or not other:
            return 0.0
        joined, theirs = "".join(mine), "".join(other)
        if joined == theirs:
            return 1.0
        if not mine[0].isascii():
            return _title_zh(joined, theirs)
        place = _within(mine, other)
        if place is not None:
            before, after = other[:place], other[place + len(mine) :]
            if any(token in _LINKING for token in (*before[-1:], *after[:1])):
                return 0.5 if len(mine) > 1 else 0.2
            if not after and len(mine) >= 1:
                return 0.9 if len(mine) > 1 or len(before) <= 2 else 0.6
            return 0.85 if set(after) <= _GENERIC else (0.6 if len(mine) > 1 else 0.3)
        place = _within(other, mine)
        if place is not None:
            share = len(other) / len(mine)
            rest = [*mine[:place], *mine[place + len(other) :]]
            if "the" in rest and len(other) == 1:
                return 0.0
            return 0.85 if share >= 0.5 or set(rest) <= _GENERIC | _LINKING else 0.5
        return 0.0


def _is_generic(token: str) -> bool:
    return token in _GENERIC


def _title_zh(mine: str, other: str) -> float:
    if mine in other:
        return 0.85 if len(mine) / len(other) >= 0.5 else 0.5
    if other in mine:
        return 0.85 if len(other) >= 3 or len(other) / len(mine) >= 0.6 else 0.5
    return 0.0


def _within(small: list[str], large: list[str]) -> int | None:
    return next((i for i in range(len(large) - len(small) + 1) if large[i : i + len(small)] == small), None)


def _pattern(tokens: Sequence[str]) -> re.Pattern[str]:
    body = _SEPARATOR.join(map(re.escape, tokens))
    left = r"(?<![a-z0-9])" if tokens[0][0].isascii() else ""
    right = r"(?![a-z0-9])" if tokens[-1][-1].isascii() else ""
    return re.compile(left + body + right)
