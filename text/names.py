"""Named entities in English and Chinese text, found by rules with high precision.

The rules would rather miss a name than invent one. English writes names with capitals, so they are runs of capitalised
words, whatever language surrounds them. `weiwo.text.names_zh` explains how Chinese names are found.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from weiwo.text.data_files import data_words
from weiwo.text.language import HAN, word_set
from weiwo.text.names_zh import chinese_names, mask
from weiwo.text.patterns import lazy
from weiwo.text.short_text_cache import cache_short_texts


class Name(NamedTuple):
    """A name as written: `text` is the text at `start:end` of the source text."""

    start: int
    end: int
    text: str


_WIDE: Final = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}

_TITLE: Final = lazy(
    "《(?P<a>[^《》\n]{1,60})》|“(?P<b>[^“”\n]{1,60})”|「(?P<c>[^「」\n]{1,40})」|『(?P<d>[^『』\n]{1,40})』"
    '|(?<![^\\s(,.:;])"(?P<e>[^"\n]{1,60})"'
)
_WORD: Final = lazy(rf"(?:[^\W\d_{HAN}]\.){{2,}}|[^\W_{HAN}]+(?:['’&+.-][^\W_{HAN}]+)*")

_CONNECTOR: Final = word_set("of the da de del della di do dos du la le van von der den bin ibn al el y zu ter af")
_ABBREVIATED: Final = word_set("st mt dr mr mrs ms prof jr sr ft")
_NO_NAME: Final = data_words("names", "no_name")
_NOT_ALONE: Final = data_words("names", "not_alone")
NAME_KINDS: Final = data_words("names", "kind")
"""Words in names that say the kind of thing and do not identify it, such as "bridge", "city" and "university"."""
_INITIALS: Final = lazy(r"(?:[^\W\d_]\.)+[^\W\d_]")
_SENTENCE_GAP: Final = lazy(r"[!?;\n。！？；]|[.](?=\s)")
_ALWAYS_WORD: Final = word_set("i i'm i've i'd i'll bc ad bce ce am pm ok tv")
_RAISED: Final = word_set("Is Are Was Were Did Does Do What Which How")

_NUMBER_AFTER: Final = lazy(
    r" \d{1,3}(?:\.\d{1,3})?(?![\w%.,-])(?! (?:when|years?|months?|days?|hours?|times|people|"
    r"[mb]illion|percent|k?met|k?m\b|miles))"
)
_PLAIN_WORD: Final = lazy(r"\w+(?:tion|ment|ness|ology|ics|ists)|\w+[^aious]s(?= (?:are|were|have|do|can|will)\b)")


@cache_short_texts
def names(text: str) -> list[Name]:
    """Find names of people, places, works, organisations and things.

    "The Bank of England met Marie Curie's team" → "Bank of England", "Marie Curie". Titles in quotation marks and 《》,
    capitalised runs, acronyms and identifiers are found in either language, and Chinese names by the rules of
    `names_zh`. Dates, numbers, demonyms and a capitalised word that only opens a sentence are no names.

    Args:
        text: Any text.

    Returns:
        Names in the order of the text, without overlaps, without an article before or a possessive after them.
    """
    plain = text.translate(_WIDE)
    titles: list[tuple[int, int]] = []
    for found in _TITLE.finditer(plain):
        start, end = found.span(found.lastgroup or 0)
        quoted = plain[start:end]
        opens = quoted[:1].isupper() or quoted[:1].isdigit() or re.match(f"[{HAN}]", quoted)
        if opens and len(quoted.split()) <= 10 and not re.search(r"[.!?。！？,，;；]\s*$", quoted):
            titles.append((start, end))
    masked = mask(plain, [(start - 1, end + 1) for start, end in titles])
    western = list(_western(masked))
    masked = mask(masked, western, "\ue001")
    spans = sorted([*titles, *western, *chinese_names(masked)])
    return [Name(start, end, text[start:end]) for start, end in spans]


def _western(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of names written as runs of capitalised words, sentence by sentence.

    A title-cased heading, in which capitals mean nothing, is so kept apart from the sentences around it.
    """
    words: list[re.Match[str]] = []
    for word in _WORD.finditer(text):
        gap = _gap(text, words[-1], word) if words else " "
        if gap != " " and _SENTENCE_GAP.search(gap) and not _is_abbreviation(text, words[-1]):
            yield from _runs(text, words)
            words = []
        words.append(word)
    yield from _runs(text, words)


def _gap(text: str, left: re.Match[str], right: re.Match[str]) -> str:
    return text[left.end() : min(right.start(), left.end() + 40)]


def _is_abbreviation(text: str, word: re.Match[str]) -> bool:
    if not text.startswith(".", word.end()):
        return False
    written = word.group()
    initials = written[0].isupper() and (len(written) == 1 or _INITIALS.fullmatch(written))
    return bool(initials) or written.casefold() in _ABBREVIATED


def _runs(text: str, words: list[re.Match[str]]) -> Iterator[tuple[int, int]]:
    if not words:
        return
    shouted = len(words) >= 4 and all(w.group().isupper() or not w.group().isalpha() for w in words)
    headline = any(w.group() in _RAISED for w in words[1:])
    run: list[re.Match[str]] = []
    for index, word in enumerate(words):
        written = word.group()
        if not run and written.islower():
            continue
        capital = not (shouted or headline) and _is_capitalised(
            written, first=index == 0 and not _is_abbreviation(text, word)
        )
        identifier = any(c.isdigit() for c in written) and bool(re.search(r"[A-Z]", written))
        gap = _gap(text, run[-1], word) if run else ""
        joins = gap in {" ", " & "} or (gap in {". ", "."} and _is_abbreviation(text, run[-1]))
        if capital or identifier:
            if run and not joins:
                yield from _find_name_span(text, run, words[0])
                run = []
            run.append(word)
            if _possessive(written):
                yield from _find_name_span(text, run, words[0])
                run = []
        elif joins and written in _CONNECTOR and (written != "the" or run[-1].group() == "of"):
            run.append(word)
        elif run:
            yield from _find_name_span(text, run, words[0])
            run = []
    yield from _find_name_span(text, run, words[0])


def _is_capitalised(word: str, *, first: bool) -> bool:
    if word.islower() or word.casefold() in _ALWAYS_WORD or not any(c.isupper() for c in word):
        return False
    plain = word.casefold().replace("’", "'")
    if plain.partition("'")[0] in _NO_NAME or plain in _NO_NAME:
        return False
    if len(word) == 1:
        return word.isupper() and not first
    return word[0].isupper() or any(c.isupper() for c in word[1:3])


def _possessive(word: str) -> bool:
    return word.removesuffix("s").endswith(("'", "’"))


def _find_name_span(text: str, run: list[re.Match[str]], first: re.Match[str]) -> Iterator[tuple[int, int]]:
    while run and run[-1].group() in _CONNECTOR:
        run.pop()
    if not run:
        return
    if len(run) == 1 and run[0] is first and _PLAIN_WORD.match(text, run[0].start()):
        return
    if all(word.group().split("'")[0].casefold() in _NOT_ALONE for word in run):
        return
    start, last = run[0].start(), run[-1]
    cut = _possessive(last.group())
    end = last.start() + len(last.group().removesuffix("s")) - 1 if cut else last.end()
    if len(last.group()) == 1 and len(run) == 1 and text[end : end + 1] != ".":
        return
    number = _NUMBER_AFTER.match(text, end)
    yield start, number.end() if number and not cut else end
