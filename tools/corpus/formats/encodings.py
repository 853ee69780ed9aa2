"""Character encoding detection: bytes to text, where nothing says which encoding they are in.

A byte order mark is believed. Then UTF-8, which other encodings hardly ever look like. The rest is told apart by what
the bytes would say: each candidate is decoded, and the one whose characters are common in Chinese wins, since the
wrong table yields rare ones. What looks Chinese by no table is left to charset-normalizer.
"""

import codecs
import re
from typing import Final

from weiwo.state.errors import WeiwoError

SAMPLE_BYTES: Final = 65_536
"""How much of a file tells its encoding."""

_CONTROLS: Final = bytes(set(range(32)) - set(b"\t\n\r\f\v\x1a\x1b\b"))  # what text does not hold
_FEW_CONTROLS: Final = 0.01
_FEW_DAMAGED: Final = 0.01
_CHINESE: Final = ("gb18030", "big5", "utf-16-le", "utf-16-be")
_OTHERS: Final = ("cp1252", "cp1250", "cp1251", "cp1253", "koi8_r", "shift_jis", "euc_jp", "euc_kr")
_COMMON: Final = frozenset(
    "的一是不了在人有我他这這个個们們中来來上大为為和国國地到以说說时時要就出会會可也你对對生能而子那得于於着著下自之年"
    "过過发發后後作里用道行所然家种種事成方多经經么麼去法学學如都同现現当當没沒动動面起看定天分还還进進好小部其些主样樣理心"
    "，。、：；！？（）《》「」“”　"
)
_HIGH_RUN: Final = re.compile(rb"[\x80-\xff]+")
_LIKELY: Final = 0.5
_FAVOUR: Final = (2, 0.1)  # names alone may be read by several tables; GB18030 is the one most in use
_COUNTED: Final = 2_000
_TELLING_BYTES: Final = 16


class UnreadableError(WeiwoError, ValueError):
    """A file that holds no text we can read. The message is one line.

    Attributes:
        passing: Whether reading it again may go better, though the file stays as it is.
    """

    def __init__(self, message: str, *, passing: bool = False) -> None:
        super().__init__(message)
        self.passing = passing


def decode(data: bytes) -> str:
    """Bytes to text: UTF-8, UTF-16 with or without its mark, GB18030, Big5, or a Western or Cyrillic code page.

    A UTF-8 text in which a few bytes are damaged keeps the rest, with U+FFFD in their place.

    Raises:
        UnreadableError: It is none of these, or no text.
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
    """The encoding of a text, told from how it begins; UTF-8 where the beginning is ASCII.

    Raises:
        UnreadableError: It is no text.
    """
    if sample.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    if sample.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if (wide := _detect_utf16(sample)) is not None:
        return wide
    if len(sample) - len(sample.translate(None, _CONTROLS)) > len(sample) * _FEW_CONTROLS:
        if len(sample) >= _TELLING_BYTES and (guess := _detect_chinese(sample, _CHINESE[2:])):
            return guess
        raise UnreadableError("binary data, not text")
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError:
        if not _is_sound(codecs.getincrementaldecoder("utf-8")("replace").decode(sample)):
            candidates = _CHINESE if 0 in sample else _CHINESE[:2]  # UTF-16 writes line ends and blanks with a null
            return _detect_chinese(sample, candidates) or _detect_western(sample)
    return "utf-8"


def _is_sound(text: str) -> bool:
    """Whether hardly any of what is not ASCII was undecodable."""
    damaged = text.count("\ufffd")
    return not damaged or damaged <= _FEW_DAMAGED * (len(text) - len(text.encode("ascii", "ignore")))


def _decode_late_bytes(data: bytes) -> str:
    """The text of a file that begins like one encoding and does not go on so: ASCII first, for instance."""
    first = next((found.start() for found in _HIGH_RUN.finditer(data)), 0)
    try:
        return data.decode(detect_encoding(data[max(0, first - 1_000) : first + SAMPLE_BYTES]))
    except UnicodeDecodeError:
        raise UnreadableError("not text in one encoding that we know; save it as UTF-8") from None


def _detect_utf16(sample: bytes) -> str | None:
    """UTF-16 of mostly Latin text: every other byte is null."""
    half = len(sample) // 2
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if len(sample) >= _TELLING_BYTES and max(even, odd) > 0.3 * half and min(even, odd) < 0.02 * half:
        return "utf-16-le" if odd > even else "utf-16-be"
    return None


def _detect_chinese(sample: bytes, candidates: tuple[str, ...]) -> str | None:
    scored = []
    for name in candidates:
        try:
            text = codecs.getincrementaldecoder(name)().decode(sample)
        except UnicodeDecodeError:
            continue
        scored.append((_score_chinese(text, favoured=name == "gb18030"), name))
    best, name = max(scored, key=lambda pair: pair[0], default=(0.0, ""))  # the first of equals
    return name if best >= _LIKELY else None


def _score_chinese(text: str, *, favoured: bool) -> float:
    """How much a text looks like Chinese: its share of ordinary characters, and twice that of the commonest."""
    wide = [c for c in text if c > "\x7f"][:_COUNTED]
    if not wide or "\x00" in text:
        return 0.0
    common = sum(c in _COMMON for c in wide)
    ordinary = max(_count_ordinary(wide, "gb2312", 0xD7), _count_ordinary(wide, "big5", 0xC6))
    favour = _FAVOUR[0] / len(wide) + _FAVOUR[1] if favoured else 0.0
    return (ordinary + 2 * common) / len(wide) + favour if ordinary else 0.0


def _count_ordinary(characters: list[str], table: str, last: int) -> int:
    """How many are in the frequent half of a Chinese character table, which is its first."""
    leads = (c.encode(table, "ignore")[:1] for c in characters)
    return sum(bool(lead) and lead[0] <= last for lead in leads)


def _detect_western(sample: bytes) -> str:
    from charset_normalizer import from_bytes

    found = from_bytes(sample, cp_isolation=list(_OTHERS))
    best = found.best()
    if best is None:
        raise UnreadableError("not text in an encoding that we know; save it as UTF-8")
    # cp1250 reads Western text nearly as well, but for single letters
    western = any(one.encoding == "cp1252" and one.chaos <= best.chaos for one in found)
    return "cp1252" if western else best.encoding
