"""Look-up: relation, subject, answer type and search words of a question."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final, NamedTuple

from weiwo.nodes.shared.question import lexicon
from weiwo.nodes.shared.question.lexicon import question_pattern
from weiwo.state.kinds import Locale
from weiwo.text.data_files import read_data
from weiwo.text.names import names
from weiwo.text.patterns import lazy
from weiwo.text.relations import relations
from weiwo.text.terms import FUNCTION_WORDS, terms
from weiwo.text.units import to_si, unit_after

EDGE: Final = " \t,.;:?!~…。、-"
_LONGEST_SEARCH: Final = 300


def lower(text: str) -> str:
    """Return a text in lower case with all characters at their offsets."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def look_up(asked: str, language: Locale) -> dict[str, Any]:
    """Return the frame fields of a question read as a single look-up: relation, subject, answer type and unit."""
    low = lower(asked)
    wanted = answer_type_of(low)
    found = find_relation(asked, low, language, wanted)
    subject = subject_of(asked, found.span if found else (0, 0), language)
    row = relations()[found.name] if found else None
    return {
        "shape": "look_up",
        "subjects": (without_article(subject),) if subject else (),
        "relation": row.name if row else "",
        "answer_type": row.answer_type if row and wanted in {"text", "quantity", "number"} else wanted,
        "dimension": row.dimension if row else "",
        "unit": unit_of(low),
    }


_BOOLEAN: Final = question_pattern("boolean")


def answer_type_of(low: str) -> str:
    """Return the answer type that a question word asks for: "date" for "when". By default "text"."""
    found = [(m.start(), -m.end(), kind) for kind, *both in lexicon.ANSWER_TYPES for p in both if (m := p.search(low))]
    start, _, kind = min(found, default=(1, 0, "text"))
    opens = _BOOLEAN.search(low) if start else None
    return "boolean" if opens and (kind == "text" or opens.start() == 0 < opens.end()) else kind


# --- relation ---


class FoundRelation(NamedTuple):
    """A relation, and the span of the words that ask for it in a question."""

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
"""Answer types of relations that fit the answer type of a question word. A type not listed here accepts any."""
_PLACED: Final = frozenset({"birth", "death", "founding", "event", "discovery", "invention"})
"""Relations with a date that also have a place."""
_GENERIC: Final = frozenset({"location", "country", "event", "nickname", "language"})
"""Generic relations, chosen only if the question names no other."""
_THING: Final = question_pattern("thing")


@cache
def _asks(language: Locale) -> tuple[re.Pattern[str], dict[str, tuple[str, ...]]]:
    named: dict[str, tuple[str, ...]] = {}
    for relation in relations().values():
        for phrase in relation.asks[language]:
            named[phrase] = (*named.get(phrase, ()), relation.name)
    joined = "|".join(asking_words(language))
    return re.compile(rf"\b(?P<phrase>{joined})(?:e?s)?\b" if language == "en" else rf"(?P<phrase>{joined})"), named


def asking_words(language: Locale) -> list[str]:
    """Return the words that ask for relations, as patterns, longest first."""
    phrases = {phrase for relation in relations().values() for phrase in relation.asks[language]}
    return [re.escape(phrase) for phrase in sorted(phrases, key=lambda phrase: (-len(phrase), phrase))]


def find_relation(asked: str, low: str, language: Locale, wanted: str = "text") -> FoundRelation | None:
    """Return the relation that a question asks for, with the span of the asking words, or None.

    Of several, the most specific is returned. A relation with another type than the question word asks for is not
    meant.

    Args:
        asked: The question.
        low: The same in lower case.
        language: Its language.
        wanted: The answer type of the question word.
    """
    pattern, named = _asks(language)
    best: tuple[tuple[bool, int, int], FoundRelation] | None = None
    titled = [m.span() for m in lexicon.TITLE.finditer(low)]
    cased = language == "en" and not asked.isupper()
    kinds = _FITS.get(wanted)
    for match in pattern.finditer(low):
        start, end = match.span()
        if any(a < end and start < b for a, b in titled) or (cased and start and asked[start].isupper()):
            continue
        for name in named[match["phrase"]]:
            fits = kinds is None or relations()[name].answer_type in kinds or (wanted == "place" and name in _PLACED)
            if not fits or (wanted == "text" and not _asked_of(name, match, low)):
                continue
            rank = (name not in _GENERIC, end - start, -start)
            if best is None or rank > best[0]:
                best = rank, FoundRelation(name, (start, end))
    return best[1] if best else None


def _asked_of(name: str, match: re.Match[str], low: str) -> bool:
    """Report whether a question without a clear question word asks for a relation, and not for the thing that has it.

    "Which company was founded in 1998?" asks for no date, "what did Gaudí design?" for no person.
    """
    if not _THING.search(low):
        return True
    near = re.match(r"(?:(?:in|on|of) )?(?:what|which) (?:\w+ )?$", low[: match.start()])
    noun = relations()[name].answer_type != "date"
    return bool(near and noun) or bool(noun and low[match.end() :].lstrip("都又")[:1] == "是")


_COUNTED: Final = lazy(r"\bhow many|多少个?|几个?")
_TIMES: Final = frozenset({"year", "month", "week", "day", "hour", "minute", "second"})


def unit_of(low: str) -> str:
    """Return the counting unit of a question: `km` for "how many kilometres".

    Times are in the plural. Returns an empty string if the question names no unit.
    """
    for found in _COUNTED.finditer(low):
        if unit := unit_after(low, found.end()):
            return f"{unit[0]}s" if unit[0] in _TIMES else unit[0] if to_si(1, unit[0]) else ""
    return ""


# --- subject ---

_ARTICLES: Final = ("the", "a", "an")
_VERBS: Final = tuple(
    (lazy(verb["asked"]), lazy(verb["cut"].replace("\n", ""))) for verb in read_data("question")["verbs"]
)
"""Verbs beside a subject: a pattern of questions, and a pattern of the text to cut from the subject."""
_BREAK: Final = {"en": question_pattern("break"), "zh": lazy(r"[,;:。]")}
_WHEN_AT_END: Final = question_pattern("when_at_end")
_EDGE_ZH: Final = question_pattern("edge_zh")
_FREE_WORD: Final = lazy(r"\b(?!(?:of|the|and|a|an|in|on|at|to|for|de|la|le|no|not|or|von|van)\b)[a-z]{2,}")
_NAME_END: Final = lazy(r"(?: (?:Who|What|How|Is|It|We|You|Me)\b)+(?=\W*$)")
"""Common words that may end a name, as in "Doctor Who"."""


def without_article(subject: str) -> str:
    """Remove the article before a name if it is not part of the name: `the Nile` gives `Nile`, `The Hobbit` stays."""
    head, _, rest = subject.partition(" ")
    plain = head.islower() or rest.islower() or rest.isupper()
    return rest if head.lower() in _ARTICLES and rest and plain else subject


def subject_of(asked: str, span: tuple[int, int], language: Locale, *, whole: bool = False) -> str:
    """Return the subject of a question as written, with its article: "the Nile" for "How long is the Nile?".

    Empty if nothing is left.

    Args:
        asked: The question without politeness.
        span: Span of the words that ask for the relation. Empty if there are none.
        language: Its language.
        whole: Whether a list of things is wanted, not one thing.
    """
    if not whole and (title := lexicon.TITLE.search(asked)):
        return title[title.lastgroup or 0]
    low = lower(asked)
    asking = lexicon.QUESTION_PHRASE[language].finditer(low)  # in capitals, a word of a name: "What Women Want"
    blank = [span, *(m.span() for m in asking if not m.start() or asked.isupper() or not asked[m.start()].isupper())]
    chunks = [chunk for chunk in _chunks(asked, blank, language, whole=whole) if terms(chunk)]
    if language == "zh" or not chunks:
        return "" if not chunks else chunks[0] if whole or span[1] else _owner_zh(chunks[0])
    named = [name.text for name in names(asked)]
    holding = [chunk for chunk in chunks if any(name in chunk for name in named)]
    chunk = holding[0] if holding else max(chunks, key=lambda c: len(terms(c)))
    if whole:
        return chunk
    short, held = chunk, [name for name in named if name in chunk]
    for asking_so, cut in _VERBS:
        short = cut.sub("", short) if asking_so.search(low) else short
    short = short if span[1] else _owner(short)
    if terms(short) and (not held or any(name in short for name in held)):  # not "I", nor a thing without its name
        chunk = short
    return _tight(chunk, [name for name in named if name in chunk])


def _chunks(asked: str, blank: list[tuple[int, int]], language: Locale, *, whole: bool) -> Iterator[str]:
    """Yield the stretches of a question between its asking words, trimmed.

    Args:
        asked: The question.
        blank: Spans of the asking words.
        language: Its language.
        whole: Whether stretches are kept whole, not cut at punctuation and verbs.
    """
    position = 0
    for start, end in [*sorted(blank), (len(asked), len(asked))]:
        piece = asked[position : max(position, start)]
        for part in [piece] if whole else _BREAK[language].split(piece):
            trimmed = _EDGE_ZH.sub("", part.strip()) if language == "zh" else _trim_words(part, opens=position == 0)
            if len(trimmed) > (language == "zh"):
                yield trimmed
        position = max(position, end)


def _trim_words(part: str, *, opens: bool) -> str:
    """Return English text without function words at both ends. An article before the rest is kept.

    Args:
        part: The text.
        opens: Whether the question begins with it, so that its first word may have a capital.
    """
    part = _WHEN_AT_END.sub("", part.strip(" \t,.;:?!\"'-"))
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
    """Return the owner of an attribute: "X" for "the motto of X" or "X's motto", else the whole chunk."""
    if owned := re.match(r"(.{2,80}?)'s? [a-z]", chunk):
        return owned[1]
    head, of, rest = chunk.partition(" of ")
    return rest if of and rest and head.islower() and len(head.split()) <= 4 else chunk


def _owner_zh(chunk: str) -> str:
    head, of, rest = chunk.partition("的")
    return head if of and len(head) > 1 and 0 < len(rest) <= 4 and not re.search("最|第|所有", head) else chunk


def _tight(chunk: str, named: list[str]) -> str:
    """Return a chunk from its first to its last name, with an article: lower-case words around are the question's.

    Args:
        chunk: The text.
        named: The names in it. Without names, the chunk is returned unchanged.
    """
    if not named:
        return chunk
    start = min(chunk.find(name) for name in named)
    last = max(chunk.rfind(name) + len(name) for name in named)
    more = _NAME_END.match(chunk, last)  # "The Guess Who"
    end = more.end() if more else last
    between = chunk[start:end]
    if len(named) > 1 and _FREE_WORD.search(between):
        between = min(named, key=chunk.find)
    article = re.search(r"(?:^|\s)((?:[Tt]he|[Aa]n?) )$", chunk[:start])
    return (article[1] if article else "") + between


# --- search ---

_STOP: Final = FUNCTION_WORDS | {"please", "much", "many"}
_KEY: Final = lazy(r"[^\s,;:?!\"“”()]+")
_IDLE_ZH: Final = lazy(r"[?,!、。;:]|(?:^|(?<=\s))的|(?<=\S)的(?=\S)|(?:了|的|是|有)(?=\s|$)")


def search_words(asked: str, language: Locale, found: dict[str, Any]) -> str:
    """Return the words to search for: those of the question without function words, and the relation's noun."""
    row = relations().get(found["relation"])
    if row and len(found["subjects"]) > 1 and found.get("shape") not in {"several", "chain"}:
        return " ".join([*found["subjects"], row.noun[language]])[:_LONGEST_SEARCH]
    if language == "zh":
        words = _IDLE_ZH.sub(" ", lexicon.QUESTION_PHRASE["zh"].sub(" ", asked)).split()
        extra = [row.noun["zh"]] if row else []
    else:
        words = [word.strip(".'") for word in _KEY.findall(asked)]
        words = [word for word in words if word and lower(word).removesuffix("'s") not in _STOP]
        dated = [("place" if found["answer_type"] == "place" else "date")] if row and row.answer_type == "date" else []
        extra = [*row.noun["en"].split(), *dated] if row else []
    joined = lower(" ".join(words))
    words += [word for word in extra if word not in joined]
    return (" ".join(dict.fromkeys(words)) or asked)[:_LONGEST_SEARCH].strip()
