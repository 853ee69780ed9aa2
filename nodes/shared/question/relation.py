"""Relation and subject of a question: what it asks for, by the lexicon, and the thing that is left without it."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from weiwo.nodes.shared.question import lexicon
from weiwo.state.kinds import Language
from weiwo.text.names import names
from weiwo.text.patterns import lazy
from weiwo.text.relations import relations
from weiwo.text.terms import terms
from weiwo.text.units import to_si, unit_after


class FoundRelation(NamedTuple):
    """A relation and where the question asks for it."""

    name: str
    span: tuple[int, int]


_FITS: Final[dict[str, frozenset[str]]] = {
    "date": frozenset({"date"}),
    "year": frozenset({"date"}),
    "number": frozenset({"number", "quantity"}),
    "quantity": frozenset({"number", "quantity"}),
    "person": frozenset({"person"}),
    "place": frozenset({"place"}),
    "name": frozenset({"name", "person", "place"}),
}
"""Types of relations that can answer a question word; one that asks for nothing special goes with any."""
_PLACED: Final = frozenset({"birth", "death", "founding", "event", "discovery", "invention"})
"""Dated relations that also have a place."""
_GENERIC: Final = frozenset({"location", "country", "event", "nickname", "language"})


@cache
def _asks(language: Language) -> tuple[re.Pattern[str], dict[str, tuple[str, ...]]]:
    named: dict[str, tuple[str, ...]] = {}
    for relation in relations().values():
        for phrase in relation.asks[language]:
            named[phrase] = (*named.get(phrase, ()), relation.name)
    joined = "|".join(re.escape(phrase) for phrase in sorted(named, key=len, reverse=True))
    return re.compile(rf"\b(?P<phrase>{joined})(?:e?s)?\b" if language == "en" else rf"(?P<phrase>{joined})"), named


def asking_words(language: Language) -> list[str]:
    """The words by which questions ask for relations, as patterns, the longest first."""
    return [re.escape(phrase) for phrase in sorted(_asks(language)[1], key=len, reverse=True)]


def find_relation(asked: str, low: str, language: Language, wanted: str = "text") -> FoundRelation | None:
    """The relation a question asks for.

    One of another type than the question word asks for (`wanted`) is not meant.

    Returns:
        The most telling relation, or None.
    """
    pattern, named = _asks(language)
    best: tuple[tuple[bool, int, int], FoundRelation] | None = None
    titled = [m.span() for m in lexicon.TITLE.finditer(low)]
    cased = language == "en" and not asked.isupper()
    for match in pattern.finditer(low):
        start, end = match.span()
        if any(a < end and start < b for a, b in titled) or (cased and start and asked[start].isupper()):
            continue
        for name in named[match["phrase"]]:
            if not _fits(name, wanted) or not (wanted != "text" or _asked_of(name, match, low)):
                continue
            rank = (name not in _GENERIC, end - start, -start)
            if best is None or rank > best[0]:
                best = rank, FoundRelation(name, (start, end))
    return best[1] if best else None


def unit_of(low: str) -> str:
    """The unit a question counts in: `km` of "how many kilometres"; times in the plural, empty where it names none."""
    for found in _COUNTED.finditer(low):
        if unit := unit_after(low, found.end()):
            return f"{unit[0]}s" if unit[0] in _TIMES else unit[0] if to_si(1, unit[0]) else ""
    return ""


_COUNTED: Final = lazy(r"\bhow many|多少个?|几个?")
_TIMES: Final = frozenset({"year", "month", "week", "day", "hour", "minute", "second"})


def _fits(name: str, wanted: str) -> bool:
    kinds = _FITS.get(wanted)
    return kinds is None or relations()[name].answer_type in kinds or (wanted == "place" and name in _PLACED)


def _asked_of(name: str, match: re.Match[str], low: str) -> bool:
    """Whether a question without a telling question word asks for this relation, and not for the thing that has it.

    "Which company was founded in 1998?" asks for no date, "what did Gaudí design?" for no person.
    """
    if not lexicon.THING.search(low):
        return True
    near = re.match(r"(?:(?:in|on|of) )?(?:what|which) (?:\w+ )?$", low[: match.start()])
    noun = relations()[name].answer_type != "date"
    return bool(near and noun) or bool(noun and low[match.end() :].lstrip("都又")[:1] == "是")


_ARTICLES: Final = ("the", "a", "an")


def without_article(subject: str) -> str:
    """A thing's name without an article in small letters: `the Nile` is the Nile, `The Hobbit` stays."""
    head, _, rest = subject.partition(" ")
    plain = head.islower() or rest.islower() or rest.isupper()
    return rest if head.lower() in _ARTICLES and rest and plain else subject


def subject_of(asked: str, span: tuple[int, int], language: Language, *, whole: bool = False) -> str:
    """The thing a question asks about, as written, with its article; empty where nothing is left.

    `span` is where the question asks for its relation; `whole` wants a list of things, not one thing.
    """
    if not whole and (title := lexicon.TITLE.search(asked)):
        return title[title.lastgroup or 0]
    low = asked.lower() if len(asked.lower()) == len(asked) else asked
    asking = lexicon.QUESTION_PHRASE[language].finditer(low)  # in capitals, a word of a name: "What Women Want"
    blank = [span, *(m.span() for m in asking if not m.start() or asked.isupper() or not asked[m.start()].isupper())]
    chunks = [chunk for chunk in _chunks(asked, blank, language, whole=whole) if terms(chunk)]
    if not chunks:
        return ""
    if language == "zh":
        return chunks[0] if whole or span[1] else _owner_zh(chunks[0])
    named = [name.text for name in names(asked)]
    holding = [chunk for chunk in chunks if any(name in chunk for name in named)]
    chunk = holding[0] if holding else max(chunks, key=lambda c: len(terms(c)))
    if whole:
        return chunk
    if re.search(r"\b(?:did|does|do|can|will)\b", low):
        chunk = lexicon.BASE_VERBS.sub("", chunk)
    elif re.match(r"(?:when|where|why|how|by whom) (?:was|were)\b", low):
        chunk = lexicon.PARTICIPLE.sub("", chunk)
    elif verb := re.match(r"who ([a-z]{2,}ed) ", low):  # "who approved the budget"
        chunk = chunk.removeprefix(verb[1]).lstrip()
    if not span[1]:
        chunk = _owner(chunk)
    return _tight(chunk, [name for name in named if name in chunk])


def _chunks(asked: str, blank: list[tuple[int, int]], language: Language, *, whole: bool) -> Iterator[str]:
    """What stands between the words that ask, trimmed."""
    position = 0
    for start, end in [*sorted(blank), (len(asked), len(asked))]:
        piece = asked[position : max(position, start)]
        for part in (
            [piece] if whole else (lexicon.BREAK.split(piece) if language == "en" else re.split(r"[,;:。]", piece))
        ):
            trimmed = lexicon.EDGE_ZH.sub("", part.strip()) if language == "zh" else _trimmed(part, opens=position == 0)
            if len(trimmed) > (language == "zh"):
                yield trimmed
        position = max(position, end)


def _trimmed(part: str, *, opens: bool) -> str:
    """English words without function words at both ends, the article before them kept."""
    part = lexicon.WHEN_AT_END.sub("", part.strip(" \t,.;:?!\"'-"))
    words = part.split()
    shouted = part.isupper()

    def idle(index: int) -> bool:
        word = words[index]
        small = word.islower() or shouted or (opens and index == 0) or not word[:1].isalpha()
        return small and word.lower().strip(".,'\"") in lexicon.EDGE_WORDS

    first, last = 0, len(words)
    while first < last and idle(first):
        first += 1
    while last > first and idle(last - 1):
        last -= 1
    if first and first < last and words[first - 1].lower() in _ARTICLES:
        first -= 1
    return re.sub(r"(?:'s|s')$", lambda m: "s" if m[0] == "s'" else "", " ".join(words[first:last]).strip(",.;:?!"))


def _owner(chunk: str) -> str:
    """The thing of an attribute no relation names: `the motto of X`, `X's motto`."""
    if owned := re.match(r"(.{2,80}?)'s? [a-z]", chunk):
        return owned[1]
    head, of, rest = chunk.partition(" of ")
    if of and rest and head.islower() and len(head.split()) <= 4:
        return rest
    return chunk


_OF_NAME: Final = r"(?:(?: (?:Who|What|How|Is|It|We|You|Me)\b)+(?=\W*$))?"
"""Words that end a name though they are no names: "Doctor Who"."""


def _tight(chunk: str, named: list[str]) -> str:
    """A chunk from its first to its last name: words in small letters around names belong to the question."""
    if not named:
        return chunk
    start = min(chunk.find(name) for name in named)
    end = max(found.end() for name in named for found in re.finditer(rf"{re.escape(name)}{_OF_NAME}", chunk))
    between = chunk[start:end]
    if len(named) > 1 and re.search(
        r"\b(?!(?:of|the|and|a|an|in|on|at|to|for|de|la|le|no|not|or|von|van)\b)[a-z]{2,}", between
    ):
        between = min(named, key=chunk.find)
    article = re.search(r"(?:^|\s)((?:[Tt]he|[Aa]n?) )$", chunk[:start])
    return (article[1] if article else "") + between


def _owner_zh(chunk: str) -> str:
    head, of, rest = chunk.partition("的")
    return head if of and len(head) > 1 and 0 < len(rest) <= 4 and not re.search("最|第|所有", head) else chunk
