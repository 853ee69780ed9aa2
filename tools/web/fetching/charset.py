"""Charset detection: the text of a page, whichever charset it says it is in, since many are wrong about that."""

import codecs
import re
from typing import Final

from weiwo.tools.corpus.formats.encodings import SAMPLE_BYTES, decode

_PRESCAN: Final = 4_096
_META: Final = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{2,40})", re.IGNORECASE)
_XML: Final = re.compile(rb"<\?xml[^>]{0,100}?encoding\s*=\s*[\"']([\w.:-]{2,40})", re.IGNORECASE)
_HIGH_RUN: Final = re.compile(rb"[\x80-\xff]+")
_MOST: Final = 1_000_000
_MARKS: Final = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

_WESTERN: Final = frozenset({"ascii", "iso8859-1", "cp1252"})
"""What servers say that were never told: believed only where the text looks like nothing else."""
_WIDER: Final = {"gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949", "big5": "big5hkscs"}
"""What is read for a charset that pages name and go beyond, after the WHATWG's table of encodings."""
_LABELS: Final = {"windows-874": "cp874", "windows-31j": "cp932", "unicode": "utf-16", "cn-gb": "gbk"}
_CJK: Final = frozenset({"gb18030", "big5hkscs", "cp932", "cp949", "euc_jp", "iso2022_jp", "hz"})
_OTHERS: Final = frozenset(
    {
        "utf-8", "utf-16", "utf-16-le", "utf-16-be", "koi8-r", "koi8-u", "mac-roman", "tis-620", "johab",
        *(f"cp{number}" for number in (866, 874, 1250, 1251, 1253, 1254, 1255, 1256, 1257, 1258)),
        *(f"iso8859-{number}" for number in range(2, 17)),
    }
)  # fmt: skip


def decode_page(body: bytes, named: str = "") -> str:
    """The text of a page.

    A byte order mark is believed, then UTF-8 where the bytes are, for hardly anything else ever looks like it; then
    the charset that the server names, then the one that the page names, if the bytes can be that; else what they look
    like.

    Raises:
        UnreadableError: It is no text.
    """
    if body.startswith(_MARKS):
        return decode(body)
    if not body.isascii() and b"\0" not in body[:SAMPLE_BYTES]:
        try:
            return body.decode()
        except UnicodeDecodeError:
            pass
    for name in _candidates(body, named):
        try:
            text = body.decode(name)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text
    return decode(body)


def _candidates(body: bytes, named: str) -> list[str]:
    """The codecs to try, of those that the server and the page name."""
    head = body[:_PRESCAN]
    given = [named, *(found[1].decode("ascii") for found in (_META.search(head), _XML.search(head)) if found)]
    names = list(dict.fromkeys(filter(None, map(_codec_of_label, given))))
    if not _WESTERN.isdisjoint(names) and not body.isascii():
        others = [name for name in names if name not in _WESTERN]
        return [*others, "cp1252"] if _looks_western(body) else others
    return names


def _looks_western(body: bytes) -> bool:
    """Whether letters that are not ASCII stand alone, as accents do, rather than in runs, as other scripts do."""
    runs = [len(run) for run in _HIGH_RUN.findall(body[:_MOST])]
    return sum(runs) < 2 * len(runs)


def _codec_of_label(label: str) -> str:
    """The codec for a label of the web; empty for what is none, and for Python's codecs that are no charsets."""
    plain = label.lower().removeprefix("x-")
    try:
        name = codecs.lookup(_LABELS.get(plain, plain)).name
    except (LookupError, ValueError):
        return ""
    name = _WIDER.get(name, name)
    return name if name in _WESTERN | _CJK | _OTHERS else ""
