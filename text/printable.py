"""Removal of control characters and secrets from outside text.

Neither may reach prompts, logs or terminals.
"""

import os
import re
from collections.abc import Iterable
from typing import Final

from weiwo.text.patterns import lazy

_UNPRINTABLE: Final = lazy(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 and C1 controls, escape among them; tab and line end stay
    "\ud800-\udfff"  # lone surrogates, which no encoder takes
    "\u200b\u200e\u200f\u2060\u2066-\u2069\u202a-\u202e\ufeff"  # invisible, or turning the reading direction round
    "\U000e0000-\U000e007f]"  # tag characters, in which text can hide from a reader
)
_LINE_END: Final = lazy("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_SECRET: Final = lazy(
    r"(?P<bearer>\b(?:bearer|basic)\s+)[\w.~+/=-]{8,}"
    r"|(?P<field>[\"']?\b(?:api[_-]?key|access[_-]?token|token|secret|password|authorization)[\"']?\s*[=:]\s*[\"']?)"
    r"(?!bearer\b|basic\b)[^\s\"'&,;]{4,}"
    r"|(?P<user>://)[^/\s:@]+:[^/\s@]+(?=@)"
    r"|\b(?:sk|pk|rk|tvly|lsv2|gh[opsu]|github_pat|xox[abp])[-_][\w-]{8,}",
    re.IGNORECASE,
)
_SECRET_NAME: Final = lazy(r"KEY|TOKEN(?!S)|SECRET|PASSW(?:OR)?D|DATABASE_URL", re.IGNORECASE)
_SHORTEST_SECRET: Final = 8


def printable(text: str) -> str:
    """Remove control characters, lone surrogates and invisible marks from a text.

    Every line end becomes a newline.
    """
    return _UNPRINTABLE.sub("", _LINE_END.sub("\n", text))


def one_line(text: str, longest: int = 300) -> str:
    """Return text as a single printable line of at most `longest` characters, for messages."""
    line = " ".join(printable(text[: 10 * longest]).split())
    return line if len(line) <= longest else line[: longest - 1] + "…"


def clip_bytes(text: str, max_bytes: int) -> str:
    """Return the longest beginning of a text within `max_bytes` of UTF-8.

    The text is cut between characters.
    """
    if len(text) * 4 <= max_bytes:
        return text
    return text.encode("utf-8", "ignore")[:max_bytes].decode("utf-8", "ignore")


def is_secret(variable: str) -> bool:
    """Report whether the name of an environment variable is that of a secret: `API_KEY`, but not `MAX_TOKENS`."""
    return _SECRET_NAME.search(variable) is not None


def redact_secrets(text: str, secrets: Iterable[str] = ()) -> str:
    """Return text with secrets replaced by `***`.

    Covers text that looks like a secret, the given secrets and the secrets in the environment.
    """
    known = {os.environ.get(name, "") for name in tuple(os.environ) if is_secret(name)} | set(secrets)
    for secret in sorted(known, key=len, reverse=True):
        if len(secret) >= _SHORTEST_SECRET:
            text = text.replace(secret, "***")
    return _SECRET.sub(lambda found: (found["bearer"] or found["field"] or found["user"] or "") + "***", text)
