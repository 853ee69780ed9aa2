"""Redaction of secrets: what looks like a key, or is one of the environment's, is struck out of a message."""

import os
import re
from collections.abc import Iterable
from typing import Final

from weiwo.text.patterns import lazy

_SECRET: Final = lazy(
    r"(?P<bearer>\b(?:bearer|basic)\s+)[\w.~+/=-]{8,}"
    r"|(?P<field>[\"']?\b(?:api[_-]?key|access[_-]?token|token|secret|password|authorization)[\"']?\s*[=:]\s*[\"']?)"
    r"(?!bearer\b|basic\b)[^\s\"'&,;]{4,}"
    r"|(?P<user>://)[^/\s:@]+:[^/\s@]+(?=@)"
    r"|\b(?:sk|pk|rk|tvly|lsv2|gh[opsu]|github_pat|xox[abp])[-_][\w-]{8,}",
    re.IGNORECASE,
)
_SECRET_NAME: Final = lazy(r"(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD)(?:$|_)", re.IGNORECASE)
_SHORTEST_SECRET: Final = 8


def redacted(text: str, secrets: Iterable[str] = ()) -> str:
    """Text with what looks like a secret, the given secrets and those in the environment struck out."""
    known = {os.environ.get(name, "") for name in tuple(os.environ) if _SECRET_NAME.search(name)} | set(secrets)
    for secret in sorted(known, key=len, reverse=True):
        if len(secret) >= _SHORTEST_SECRET:
            text = text.replace(secret, "***")
    return _SECRET.sub(lambda found: (found["bearer"] or found["field"] or found["user"] or "") + "***", text)
