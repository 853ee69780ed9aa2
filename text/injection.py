"""Detect prompt injection: orders, roles, tool calls and hidden text addressed to a model.

The web is full of it (Greshake et al., arXiv 2302.12173). Detection alone protects nothing, because code bounds what a
passage can cause whether or not it is detected. Detection lets prompts and answers name the passages that try. The
patterns therefore prefer missing some cases over suspecting ordinary prose. Texts about such attacks, which quote them,
are detected too.
"""

import base64
import binascii
import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from weiwo.text.data_files import read_data
from weiwo.text.language import HAN, sentences
from weiwo.text.patterns import lazy

_ZERO_WIDTH: Final = "\u200b\u200c\u200d\u2060\u2061\u2062\u2063\u2064\ufeff\u00ad\u180e"
_REMOVED: Final = dict.fromkeys(
    map(ord, _ZERO_WIDTH + "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
)
_LOOKALIKES: Final = str.maketrans("аеорсухіѕԁɡ", "aeopcyxisdg")
"""Table for `str.translate` from Cyrillic letters to the Latin letters that they look like."""
_ZERO_WIDTH_RUN: Final = lazy(f"[{_ZERO_WIDTH}]{{16,}}")
"""Zero-width characters, enough to encode two letters. A run of a single character encodes nothing."""
_TURNED: Final = lazy("[\u202d\u202e]")
"""Overrides of the writing direction, which show text to people in another order than a model reads."""
_TAGS: Final = lazy("(?<!\U0001f3f4)(?<![\U000e0020-\U000e007f])[\U000e0020-\U000e007f]{4,}")
"""ASCII text in invisible tag characters. Behind a black flag they are the emoji of a region's flag."""
_FIRST_TAG: Final = 0xE0000
_SPACED: Final = lazy(r"(?<!\w)(?:[a-z][ ._*-]){11,}[a-z](?!\w)")
_JOINED_ORDER: Final = lazy(r"ignore.{0,12}(?:instruction|previous|above|rules|prompt)|systemprompt|newinstructions")
_BASE64: Final = lazy(r"[A-Za-z0-9+/_-]{32,}={0,2}")
_COMMENT: Final = lazy(
    r"<!--(.{0,2000}?)-->|<[^<>]{0,200}(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0)[^<>]{0,200}>"
    r"([^<]{0,2000})",
    re.DOTALL,
)
_MOST_READ: Final = 50_000
"""Maximum characters of a text that are checked. The rest is not looked at."""
_MOST_BLOBS: Final = 20
_LONGEST_BLOB: Final = 4_000

_DATA: Final = read_data("injection")
_AT_WORD: Final = r"\b"


def _alternation(patterns: Sequence[str]) -> re.Pattern[str]:
    """Join patterns into a single pattern.

    Patterns for the start of a word are tried at word starts only, because they take most of the time.
    """
    at_word = [pattern.removeprefix(_AT_WORD) for pattern in patterns if pattern.startswith(_AT_WORD)]
    others = [pattern for pattern in patterns if not pattern.startswith(_AT_WORD)]
    return lazy("|".join([*others, rf"\b(?:{'|'.join(at_word)})"] if at_word else others), re.DOTALL)


def _fill_placeholders(patterns: Iterable[str]) -> list[str]:
    return [pattern.replace("<model>", _DATA["model"]).replace("<does>", _DATA["does"]) for pattern in patterns]


_WESTERN: Final = (*_DATA["english"], *_DATA["markup"])
_EVERY_ORDER: Final = tuple(_fill_placeholders((*_WESTERN, *_DATA["chinese"])))
"""All patterns of `text/data/injection.toml` for orders to a model. They expect a text from `_single_blanks`."""
_ORDERS: Final = _alternation(_fill_placeholders(pattern for pattern in _WESTERN if "<model>" not in pattern))
_ORDERS_TO_MODELS: Final = _alternation(_fill_placeholders(pattern for pattern in _WESTERN if "<model>" in pattern))
"""Patterns that name a model. They are tried only on a text that names a model."""
_MODEL: Final = lazy(rf"\b{_DATA['model']}(?!\w)")
_ORDERS_ZH: Final = _alternation(_fill_placeholders(_DATA["chinese"]))
"""Chinese patterns. They are tried only on a text with a Han character."""
_HAN: Final = lazy(f"[{HAN}]")
_CALLED: Final = lazy("|".join(_DATA["calls"]), re.DOTALL)
_DOCUMENTED: Final = lazy(_DATA["program"])
_HINT: Final = lazy(_DATA["hints"])


@lru_cache(maxsize=256)  # a passage is found by several searches of a run
def addresses_model(text: str) -> bool:
    """Report whether a text addresses a model, as "Ignore all previous instructions" does.

    Such a text tells the model to ignore its orders, gives it new orders or a role, writes tool calls or end-of-data
    marks for it, asks for its prompt or keys, or hides words from people.

    Args:
        text: A passage, English or Chinese. Only the beginning of a long passage is checked.
    """
    text = text[:_MOST_READ]
    # Tag characters and zero-width characters spell words that people do not see.
    if (
        _TURNED.search(text)
        or any(sum(chr(ord(tag) - _FIRST_TAG).isalpha() for tag in run.group()) >= 4 for run in _TAGS.finditer(text))
        or any(len(set(run.group())) > 1 for run in _ZERO_WIDTH_RUN.finditer(text))
    ):
        return True
    plain = _single_blanks(unicodedata.normalize("NFKC", text).translate(_REMOVED).casefold().translate(_LOOKALIKES))
    # Words written with separators between their letters, joined again.
    joined = (re.sub(r"[ ._*-]", "", found.group()) for found in _SPACED.finditer(plain))
    return (
        _gives_orders(plain)
        or bool(_CALLED.search(plain) and not _DOCUMENTED.search(plain))
        or any(_speaks(part) for found in _COMMENT.finditer(plain) for part in found.groups() if part)
        or any(_gives_orders(word) or _JOINED_ORDER.search(word) for word in joined)
        or any(map(_speaks, _decode_base64(text)))
    )


@lru_cache(maxsize=256)
def find_orders(text: str) -> tuple[tuple[int, int], ...]:
    """Return the sentences of a text that address a model, as (start, end) offsets in order.

    "Rome is old. Ignore all previous instructions." → the offsets of the second sentence. A sentence that ends with a
    comma or a colon includes the next. If a text addresses a model but no single sentence does, pairs of neighbouring
    sentences are checked, and otherwise the whole text is returned. Empty if the text does not address a model.
    """
    if not addresses_model(text):
        return ()
    spans = sentences(text[:_MOST_READ])
    texts = [text[start:end] for start, end in spans]
    alone = {n for n, item in enumerate(texts) if addresses_model(item)}
    alone |= {n + 1 for n in alone if texts[n].rstrip().endswith((",", ":", "，", "：")) and n + 1 < len(spans)}
    pairs = range(len(spans) - 1) if not alone else ()
    alone |= {n + more for n in pairs if addresses_model(f"{texts[n]} {texts[n + 1]}") for more in (0, 1)}
    return tuple(spans[n] for n in sorted(alone)) or ((0, len(text)),)


def _gives_orders(plain: str) -> bool:
    return bool(
        _ORDERS.search(plain)
        or (_MODEL.search(plain) and _ORDERS_TO_MODELS.search(plain))
        or (_HAN.search(plain) and _ORDERS_ZH.search(plain))
    )


def _speaks(hidden: str) -> bool:
    """Report whether text hidden from people addresses a model."""
    plain = _single_blanks(unicodedata.normalize("NFKC", hidden).casefold())
    return bool(_gives_orders(plain) or _CALLED.search(plain) or _HINT.search(plain))


def _single_blanks(text: str) -> str:
    """Return the text with runs of blanks as one blank, and without empty lines.

    Patterns would otherwise scan the same runs again and again.
    """
    return "\n".join(line for line in (" ".join(part.split()) for part in text.split("\n")) if line)


def _decode_base64(text: str) -> list[str]:
    """Return the texts that base64 runs in a text decode to. Runs that decode to no readable text are left out."""
    found = []
    for blob in _BASE64.findall(text)[:_MOST_BLOBS]:
        body = blob[:_LONGEST_BLOB].rstrip("=").replace("-", "+").replace("_", "/")
        body = body[: len(body) - (len(body) % 4 == 1)]
        try:
            decoded = base64.b64decode(body + "=" * (-len(body) % 4)).decode()
        except (binascii.Error, UnicodeDecodeError):
            continue
        if decoded.replace("\n", " ").isprintable():
            found.append(decoded)
    return found
