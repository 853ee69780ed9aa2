"""What `weiwo doctor` found of one thing."""

from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from weiwo.tools.printable import one_line

Verdict = Literal["ok", "note", "problem"]


@dataclass(frozen=True)
class Check:
    """One thing looked at.

    Attributes:
        name: What.
        verdict: `ok`; `note`, missing but not asked for; `problem`, configured and not working.
        text: What was found, and where it helps what to do; one line.
    """

    name: str
    verdict: Verdict
    text: str


def printable_place(url: str) -> str:
    """A URL without credentials and parameters, which may be secrets."""
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return "(not a URL)"
    return one_line(f"{parts.scheme}://{parts.hostname or ''}{port}{parts.path}", 200)
