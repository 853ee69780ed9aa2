"""Sentence splitting, word counts and normalized forms of text, in any language."""

import re
import unicodedata
from collections.abc import Callable
from functools import cache, partial
from itertools import pairwise
from math import ceil
from typing import Final

from weiwo.state.kinds import Language
from weiwo.text.data_files import data_words, read_data
from weiwo.text.language_detection import HAN_PER_WORD, detect_language
from weiwo.text.patterns import HAN_RANGES, JOINED_RANGES, UNSPACED_RANGES, lazy
from weiwo.text.short_text_cache import cache_short_texts

HAN: Final = HAN_RANGES
"""Han characters, for use inside a character class."""

_HAN_CHARACTER: Final = lazy(f"[{HAN}]")
_OPENING: Final = lazy(r"[\s(]")
_LETTER: Final = rf"(?:[^\W_{UNSPACED_RANGES}]|(?![{UNSPACED_RANGES}])[{JOINED_RANGES}])"
_WORD: Final = lazy(rf"{_LETTER}+(?:['’.,-]{_LETTER}+)*")
_UNSPACED: Final = lazy(f"[{UNSPACED_RANGES}]")


def word_count(text: str) -> int:
    """Return the number of words in a text, of all scripts together.

    In scripts without blanks the number is an estimate, from the characters: 你好世界 counts as 3 words.
    """
    return len(_WORD.findall(text)) + ceil(len(_UNSPACED.findall(text)) / HAN_PER_WORD)


_INVISIBLE: Final = frozenset("\u200b\u200e\u200f\u2060\ufeff\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
ACCENTS: Final = "\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670"
"""Accents and vowel points, which are left out where texts are compared; inside a character class."""
_ACCENT: Final = lazy(f"[{ACCENTS}]")


_TERMINAL: Final = lazy(r"\x1b(?:\[[0-9;:?]{0,40}[ -/]{0,4}[@-~]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)|[@-Z^_])")
"""Escape sequences of terminals: colours, titles, cursor movements."""


def clean(text: str) -> str:
    """Clean a text without changing the meaning.

    Terminal sequences, control characters, invisible marks and lone surrogates are removed. Line ends become newlines,
    tabs and runs of blanks become one space, more than one empty line becomes one, the ends of lines are stripped and
    letters are composed (NFC).

    Args:
        text: Any text.

    Returns:
        The cleaned text. Cleaning it again changes nothing.
    """
    unified = _TERMINAL.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    if not unified.isprintable():
        unified = "".join(
            c for c in unified if c in "\n\t" or (unicodedata.category(c) not in {"Cc", "Cs"} and c not in _INVISIBLE)
        )
    composed = unicodedata.normalize("NFC", unified)
    one_blank = re.sub(r"[^\S\n]+", " ", composed)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(line.strip() for line in one_blank.split("\n"))).strip()


def fold(text: str) -> str:
    """Return a text for matching: compatibility forms, no case, no accents, single blanks. "Ｃａｆé X" → "cafe x".

    Args:
        text: Any text.

    Returns:
        The folded text. Its length may differ from the original's.
    """
    if text.isascii():
        return " ".join(text.casefold().split())
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    plain = unicodedata.normalize("NFKC", _ACCENT.sub("", decomposed))
    return " ".join(plain.split())


def word_set(joined: str) -> frozenset[str]:
    """Return the set of words in a blank-separated string, the format of the lexicons."""
    return frozenset(joined.split())


_CLOSERS: Final = "\"'”’」』）)]》】"
_END: Final = lazy(
    rf"(?:(?P<stop>[.!?]+)|(?P<han>[。！？；｡।॥؟۔։።၊။៕]+))[{re.escape(_CLOSERS)}]*(?:\[\d{{1,3}}\])*"
    r"|(?<=[\u0e01-\u0e4e\u0e81-\u0ece])(?P<blank> +)(?=[\u0e01-\u0e4e\u0e81-\u0ece])"
)
"""Ends of sentences; in Thai and Lao, which have no mark for them, a blank between words stands for one."""
_ABBREVIATION: Final = data_words("sentences", "abbreviation")
_ENDING_ABBREVIATION: Final = word_set("inc ltd co corp bros jr sr etc al est a.m p.m b.c a.d b.c.e c.e u.s u.k")
_OPENING_WORD: Final = data_words("sentences", "opening_word")
_DOTTED: Final = lazy(r"(?:[^\W\d_]\.)+[^\W\d_]")
_BLOCK: Final = lazy(r"[ \t]*(?:[-*+•·‣▪]|\d{1,3}[.)、](?!\d)|#{1,6}|>+|\|)(?:[ \t]+|$)?")
_BLOCK_START: Final = lazy(r"[ \t]*(?:[-*+•‣▪][ \t]|\d{1,3}[.)、][ \t]|#{1,6}[ \t]|>|\|)")
_ORDINAL: Final = 2
"""Digits of an ordinal that may be written with a full stop: "3. Mai"."""
_ORDINAL_LANGUAGES: Final = data_words("sentences", "ordinal_languages")
_DETECTION_CHARACTERS: Final = 1_000
"""Number of characters at the start of a text from which its language is detected, if a full stop is ambiguous."""
_WRAPPED_FROM: Final = 60
_LONGEST_BRIEF: Final = 20_000
"""Characters of a text that are searched for questions."""


@cache_short_texts
def sentences(text: str) -> list[tuple[int, int]]:
    """Return the sentences of prose in any language, Markdown included: "Rome is old. It is big." → (0, 12), (13, 23).

    A line end closes a sentence, unless the line is so long (`_WRAPPED_FROM`) that it was probably wrapped, and the
    next line is not blank and begins no list item, heading, quotation or table row. Bullets, numbers and heading marks
    at the start of a line belong to no sentence.

    Args:
        text: Any text.

    Returns:
        Spans `(start, end)` into `text`, in order, without blanks at either end. Text between them is blank or a block
        mark.
    """
    spans: list[tuple[int, int]] = []
    # The language is detected at most once, and only if a full stop is ambiguous.
    tell = cache(partial(detect_language, text[:_DETECTION_CHARACTERS]))
    for start, end in _blocks(text):
        ends = [
            found.end()
            for found in _END.finditer(text, start, end)
            if found["han"] or found["blank"] or _ends_here(text, start, end, found, tell)
        ]
        trimmed = (_trim(text, left, right) for left, right in pairwise([start, *ends, end]))
        spans.extend(span for span in trimmed if span is not None)
    return spans


def questions_of(text: str, longest: int) -> str:
    """Return the questions in a text longer than `longest` characters, joined by blanks.

    As many questions as fit into `longest` characters are returned in the order of the text. If not all fit, the last
    ones are preferred. A shorter text is returned unchanged. The result is empty if no sentence of a long text is a
    question, or none fits.
    """
    if len(text) <= longest:
        return text
    kept: list[str] = []
    for start, end in reversed(sentences(text[:_LONGEST_BRIEF])):
        asks = text[start:end].rstrip(_CLOSERS).endswith(("?", "？", "؟"))
        if asks and sum(map(len, kept)) + len(kept) + end - start <= longest:
            kept.append(text[start:end])
    return " ".join(reversed(kept))


def _blocks(text: str) -> list[tuple[int, int]]:
    """Return the paragraphs, list items and headings of a text as spans, without the bullet or `#` at their start.

    A sentence ends with its block at the latest.
    """
    blocks: list[tuple[int, int]] = []
    start = position = 0
    wrapped = False
    for line in text.splitlines(keepends=True):
        if not wrapped or not line.strip() or _BLOCK_START.match(line):
            if position > start:
                blocks.append((start, position))
            mark = _BLOCK_START.match(line) and _BLOCK.match(line)
            start = position + (mark.end() if mark else 0)
        width = len(line) + (0 if line.isascii() else len(_HAN_CHARACTER.findall(line)))
        wrapped = width >= _WRAPPED_FROM and not line.lstrip().startswith(("#", "|"))
        position += len(line)
    if position > start:
        blocks.append((start, position))
    return blocks


def _ends_here(text: str, start: int, end: int, found: re.Match[str], tell: Callable[[], Language]) -> bool:
    """Report whether a mark like "." ends a sentence. It does not in "Dr. Smith", "3. Mai 2016" and "v1.2".

    Args:
        text: The text.
        start: Start of the block that the mark is in.
        end: End of the block.
        found: Match of `_END` for the mark.
        tell: Function that returns the language of the text.
    """
    stop = found.start("stop")
    if found.end() >= end:
        return True
    following = text[found.end() : found.end() + 40]
    if not following[0].isspace() and ("." in found["stop"] or not _HAN_CHARACTER.match(following)):
        return False
    ahead = following.split(maxsplit=1)
    next_word = ahead[0].strip("\"'“‘「(（[,;:") if ahead else ""
    lower_case = next_word[:1].islower()
    if found["stop"] != ".":
        quoted = any(c in _CLOSERS for c in found.group())
        return not (lower_case and (quoted or found["stop"].startswith("..")))
    if lower_case:
        return False
    window = text[max(start, stop - 24) : stop]
    before = _HAN_CHARACTER.split(_OPENING.split(window)[-1])[-1].strip("\"'“‘[").casefold()
    starts_anew = next_word.casefold() in _OPENING_WORD
    if before in _ENDING_ABBREVIATION or _DOTTED.fullmatch(before):
        ends = starts_anew
    else:
        initial = len(before) == 1 and before.isalpha() and window[-1:].isupper()
        ends = before not in _ABBREVIATION and (not initial or starts_anew)
    # A full stop may also mark an ordinal, or an abbreviation of the text's language.
    ordinal = before.isdigit() and len(before) <= _ORDINAL
    if not ends or not (ordinal or before in _abbreviations_elsewhere()):
        return ends
    language = tell()
    return before not in _abbreviations(language) and not (ordinal and language in _ORDINAL_LANGUAGES)


@cache
def _abbreviations(language: Language) -> frozenset[str]:
    """Return the abbreviations of a language other than English and Chinese, in lower case and without the point.

    The sentence continues after such an abbreviation. Empty for a language without a list.
    """
    return frozenset(read_data("sentences")["abbreviations"].get(language, "").split())


@cache
def _abbreviations_elsewhere() -> frozenset[str]:
    return frozenset(word for words in read_data("sentences")["abbreviations"].values() for word in words.split())


def _trim(text: str, start: int, end: int) -> tuple[int, int] | None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return (start, end) if end > start else None
