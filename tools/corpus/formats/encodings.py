"""Character encoding detection: convert bytes of unknown encoding to text.

A byte order mark, an escape sequence or a pattern of null bytes decides. Then UTF-8 is tried, since text in other
encodings is hardly ever valid UTF-8. The other encodings are told apart by the decoded text: each encoding that can
decode the bytes is scored by how common the characters are in its language, since a wrong encoding yields rare
characters, or accented letters in odd places. If none scores well, the file is unreadable, which is better than wrong
text.
"""

import codecs
import re
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from weiwo.state.errors import WeiwoError
from weiwo.text.data_files import data_characters, data_text

SAMPLE_BYTES: Final = 65_536
"""Bytes from the beginning of a file that are used for detection."""

_CONTROLS: Final = bytes(set(range(32)) - set(b"\t\n\r\f\v\x1a\x1b\b"))  # control characters that text does not have
_FEW_CONTROLS: Final = 0.01
_FEW_DAMAGED: Final = 0.01
_ESCAPES: Final = ((b"\x1b$)C", "iso2022_kr"), (b"\x1b$", "iso2022_jp_ext"))
_WIDE: Final = ("utf-16-le", "utf-16-be")
_HIGH_RUN: Final = re.compile(rb"[\x80-\xff]+")
_ASCII_WORD: Final = re.compile(r"\b[a-z]{2,8}\b")
_FEW_WORDS: Final = 2
_UNUSUAL: Final = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f-\x9f\ue000-\uf8ff]")
"""Characters that do not occur in correctly decoded text."""
_WIDE_RUN: Final = re.compile(r"[^\x00-\x7f]+")
_JAPANESE_SIGNS: Final = re.compile("[\u2460-\u2473\u3231\u3232\u32a4-\u32a8\u2116\u2121\u337b-\u337e\uff0c-\uff5e]")
_LIKELY: Final = 0.5
_LIKELY_LETTERS: Final = 2.0
"""Minimum score of single-byte encodings, which can decode nearly any bytes."""
_LIKELY_WIDE: Final = 0.9
"""Minimum score of UTF-16 without a byte order mark, as which binary data can often be decoded."""
_FAVOUR: Final = (2, 0.1)  # bonus for GB18030, the most used, since a few names alone may fit several encodings
_COUNTED: Final = 2_000
_TELLING_BYTES: Final = 12
_FITTING: Final = 0.8
"""Minimum share of the non-ASCII characters that are letters in words, for a non-Latin alphabet."""
_RUN_OF_ACCENTS: Final = 2
"""Maximum number of adjacent accented letters in a word."""


class UnreadableError(WeiwoError, ValueError):
    """Error for a file without readable text. The message is a single line."""

    def __init__(self, message: str, *, passing: bool = False) -> None:
        super().__init__(message)
        self.passing = passing  # whether a later attempt on the same file may succeed, for example after an install


class _Table(NamedTuple):
    """A candidate encoding, with the scoring function and the minimum score."""

    name: str
    score: Callable[[str], float]
    least: float


def decode(data: bytes) -> str:
    """Decode bytes in any known encoding.

    A text with a few damaged bytes keeps the rest, with U+FFFD in their place.

    Raises:
        UnreadableError: The bytes are in no known encoding, or no text.
    """
    encoding = detect_encoding(data[:SAMPLE_BYTES])
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        text = data.decode(encoding, "replace")
        if not _is_sound(text):
            text = _decode_late_bytes(data)
    if "\x00" in text:
        raise UnreadableError("binary data, not text")
    return text.removeprefix("\ufeff")


def detect_encoding(sample: bytes) -> str:
    """Detect the encoding of a text from its beginning.

    The result is UTF-8 if the beginning is ASCII.

    Raises:
        UnreadableError: The bytes are no text, or in no known encoding.
    """
    if marked := _read_mark(sample):
        return marked
    if (wide := _detect_wide(sample)) is not None:
        return wide
    if escaped := next((name for escape, name in _ESCAPES if escape in sample and sample.isascii()), ""):
        return escaped
    if len(sample) - len(sample.translate(None, _CONTROLS)) > len(sample) * _FEW_CONTROLS:
        if len(sample) >= _TELLING_BYTES and (guess := _choose_table(sample, _TABLES_UTF16)):
            return guess
        raise UnreadableError("binary data, not text")
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError:
        if _is_sound(codecs.getincrementaldecoder("utf-8")("replace").decode(sample)):
            return "utf-8"
        tables = (*_TABLES, *_TABLES_UTF16) if 0 in sample else _TABLES  # line ends in UTF-16 hold a null byte
        if guess := _choose_table(sample, tables):
            return guess
        raise UnreadableError("unknown text encoding; save it as UTF-8") from None
    return "utf-8"


def _read_mark(sample: bytes) -> str:
    """Return the encoding named by a byte order mark, or an empty string.

    The mark of UTF-32 begins like that of UTF-16.
    """
    if sample.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    if sample.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)) and len(sample) % 4 == 0 and len(sample) > 4:
        return "utf-32"
    return "utf-16" if sample.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else ""


def _is_sound(text: str) -> bool:
    """Report whether at most 1 % of the non-ASCII characters could not be decoded (U+FFFD)."""
    damaged = text.count("\ufffd")
    return not damaged or damaged <= _FEW_DAMAGED * (len(text) - len(text.encode("ascii", "ignore")))


def _decode_late_bytes(data: bytes) -> str:
    """Decode bytes by the encoding detected around the first non-ASCII byte.

    Used if the beginning of a file, such as plain ASCII, does not show the encoding.

    Raises:
        UnreadableError: The encoding is unknown, or changes within the file.
    """
    first = next((found.start() for found in _HIGH_RUN.finditer(data)), 0)
    try:
        return data.decode(detect_encoding(data[max(0, first - 1_000) : first + SAMPLE_BYTES]))
    except UnicodeDecodeError:
        raise UnreadableError("mixed or unknown text encoding; save it as UTF-8") from None


def _detect_wide(sample: bytes) -> str | None:
    """Return the name of UTF-32, or of UTF-16 with Latin text, detected by null bytes. None for any other encoding.

    In UTF-32, a character never needs its highest byte, and rarely the next.
    """
    if len(sample) < _TELLING_BYTES:
        return None
    quarter = len(sample) // 4
    for name, at in (("utf-32-le", (2, 3)), ("utf-32-be", (1, 0))):
        nulls = [sample[n::4].count(0) for n in at]
        if nulls[1] >= quarter and nulls[0] >= 0.9 * quarter:
            return name
    half = len(sample) // 2
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if max(even, odd) > 0.3 * half and min(even, odd) < 0.02 * half:
        return "utf-16-le" if odd > even else "utf-16-be"
    return None


def _choose_table(sample: bytes, tables: tuple[_Table, ...]) -> str:
    """Return the name of the likeliest encoding for a sample, or an empty string.

    The result is empty if no encoding fits, or if two decode the sample differently with equal scores.
    """
    best, chosen, read = 0.0, "", ""
    for table in tables:
        try:
            text = codecs.getincrementaldecoder(table.name)().decode(sample)
        except UnicodeDecodeError:
            continue
        score = 0.0 if _UNUSUAL.search(text) else table.score(text)
        if score >= table.least and score > best:
            best, chosen, read = score, table.name, text
        elif chosen and score == best and text != read:
            chosen = ""
    return chosen


def _wide_characters(text: str) -> list[str]:
    return [c for c in text if c > "\x7f"][:_COUNTED]


def _score_chinese(text: str) -> float:
    """Score a text as Chinese: share of ordinary characters, plus twice the share of the commonest."""
    wide = _wide_characters(text)
    if not wide:
        return 0.0
    ordinary = max(_count_ordinary(wide, "gb2312", 0xD7), _count_ordinary(wide, "big5", 0xC6))
    ordinary -= sum("\u3041" <= c <= "\u30fa" for c in wide)  # kana, which GB2312 has too
    return max(0.0, (ordinary + 2 * sum(c in _CHINESE for c in wide)) / len(wide)) if ordinary > 0 else 0.0


def _score_favoured(text: str) -> float:
    """Score a text as Chinese, with a bonus for GB18030, the most used encoding."""
    score, wide = _score_chinese(text), len(_wide_characters(text))
    return score + _FAVOUR[0] / wide + _FAVOUR[1] if score else 0.0


def _count_ordinary(characters: list[str], table: str, last: int) -> int:
    """Count the characters in the first half of a character table, up to the lead byte `last`: the frequent ones."""
    leads = (c.encode(table, "ignore")[:1] for c in characters)
    return sum(bool(lead) and lead[0] <= last for lead in leads)


def _score_japanese(text: str) -> float:
    """Score a text as Japanese: full-width kana, the frequent half of the kanji, and special signs."""
    wide = _wide_characters(text)
    if not wide:
        return 0.0
    ordinary = _count_ordinary(wide, "euc_jp", 0xCF) - sum("\uff61" <= c <= "\uff9f" for c in wide)
    ordinary += sum(_JAPANESE_SIGNS.match(c) is not None and not c.encode("euc_jp", "ignore") for c in wide)
    return max(0.0, (ordinary + 2 * sum(c in _JAPANESE for c in wide)) / len(wide))


def _score_korean(text: str) -> float:
    """Score a text as Korean: syllables of the old Korean standard."""
    wide = _wide_characters(text)
    if not wide:
        return 0.0
    ordinary = sum("\uac00" <= c <= "\ud7a3" and bool(c.encode("euc_kr", "ignore")) for c in wide)
    return (ordinary + 2 * sum(c in _KOREAN for c in wide)) / len(wide)


def _score_alphabet(common: frozenset[str]) -> Callable[[str], float]:
    """Return a function that scores how well a text fits a non-Latin alphabet with the common letters `common`.

    The score is 0 if fewer than `_FITTING` of the non-ASCII characters are letters in words of usual letter case
    ("мост", "Мост", "МОСТ", but not "мОСт"). Otherwise it is their share, plus twice the share of the common letters.
    """

    def score(text: str) -> float:
        wide = _wide_characters(text)
        fitting = 0
        for run in _WIDE_RUN.finditer(text):
            word = run.group()
            letters = sum(c.isalpha() and (c.lower() in common) for c in word)
            if text[run.start() - 1 : run.start()].isalpha() or text[run.end() : run.end() + 1].isalpha():
                continue  # beside Latin letters, so an accented Latin letter
            cased = word.isupper() or word[1:].islower() or len(word) == 1
            fitting += letters if cased else 0
        if not wide or fitting < _FITTING * len(wide):
            return 0.0
        return (min(fitting, len(wide)) + 2 * sum(c in common for c in wide)) / len(wide)

    return score


def _score_accents(languages: Sequence[str], words: str = "") -> Callable[[str], float]:
    """Return a function that scores how well a text fits Latin letters with accents.

    The accents must be of a single language, each in a word of ASCII letters, and signs must stand outside words. If
    two encodings fit equally well, frequent short words of the language decide.

    Args:
        languages: The accented letters of each language.
        words: Frequent short words, separated by blanks.
    """
    known = [frozenset(letters + letters.upper()) for letters in languages]
    usual = frozenset(words.split())

    def score(text: str) -> float:
        fitting = dict.fromkeys(known, 0)
        wide = signs = 0
        for run in _WIDE_RUN.finditer(text):
            word, (start, end) = run.group(), run.span()
            before, after = text[max(0, start - 1) : start].isalpha(), text[end : end + 1].isalpha()
            wide += len(word)
            signs += 0 if before and after else sum(c in _SIGNS for c in word)
            if len(word) <= _RUN_OF_ACCENTS and (before or after):
                for letters in known:
                    fitting[letters] += sum(c in letters for c in word)
        if not wide or not max(fitting.values()):
            return 0.0
        worded = len(usual & set(_ASCII_WORD.findall(text[:_COUNTED].lower()))) >= _FEW_WORDS
        return 3 * (max(fitting.values()) + signs) / wide + _FAVOUR[1] * worded

    return score


_SIGNS: Final = frozenset(data_characters("encodings", "common_signs"))
_CHINESE: Final = frozenset(data_characters("encodings", "common_chinese"))
_JAPANESE: Final = frozenset(data_characters("encodings", "common_japanese"))
_KOREAN: Final = frozenset(data_characters("encodings", "common_korean"))
_TABLES: Final = (
    _Table("gb18030", _score_favoured, _LIKELY),
    _Table("big5", _score_chinese, _LIKELY),
    _Table("cp932", _score_japanese, _LIKELY),
    _Table("euc_jp", _score_japanese, _LIKELY),
    _Table("cp949", _score_korean, _LIKELY),
    _Table(
        "cp1252",
        _score_accents(data_text("encodings", "western").split(), data_text("encodings", "western_words")),
        _LIKELY_LETTERS,
    ),
    _Table("cp1250", _score_accents(data_text("encodings", "central").split()), _LIKELY_LETTERS),
    _Table("iso8859_2", _score_accents(data_text("encodings", "central").split()), _LIKELY_LETTERS),
    _Table("cp1251", _score_alphabet(frozenset(data_characters("encodings", "common_cyrillic"))), _LIKELY_LETTERS),
    _Table("koi8_r", _score_alphabet(frozenset(data_characters("encodings", "common_cyrillic"))), _LIKELY_LETTERS),
    _Table("cp1253", _score_alphabet(frozenset(data_characters("encodings", "common_greek"))), _LIKELY_LETTERS),
)
"""Candidate encodings, in the order of preference for equal text."""
_TABLES_UTF16: Final = tuple(
    _Table(name, score, _LIKELY_WIDE) for name in _WIDE for score in (_score_chinese, _score_japanese, _score_korean)
)
