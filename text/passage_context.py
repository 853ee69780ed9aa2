"""Passage headings on a single line: title, heading path and context, shortened from the left."""

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Final, Protocol

_BETWEEN: Final = " › "
_CUT: Final = "…"
_LONGEST_PART: Final = 120


class ContextualPassage(Protocol):
    """A passage with title, headings and context."""

    @property
    def source(self) -> str:
        """Return the source document."""

    @property
    def title(self) -> str:
        """Return the title of the source document."""

    @property
    def headings(self) -> tuple[str, ...]:
        """Return the heading path, outermost first."""

    @property
    def context(self) -> Mapping[str, str]:
        """Return further facts about the passage by name, for example "caption", "sender" and "sent"."""


def format_contexts(passages: Sequence[ContextualPassage], limit: int = 90) -> list[str]:
    """Return a line for each passage with its title, headings and context: "Report › Sales › Table 3".

    Documents of the same title are distinguished by their file names.

    Args:
        passages: The passages that are shown together.
        limit: Maximum characters of a line. The title and outer headings of a longer line are replaced by "…".
    """
    sources: dict[str, set[str]] = {}
    for passage in passages:
        sources.setdefault(passage.title, set()).add(passage.source)
    return [_format_context(passage, limit, named=len(sources[passage.title]) > 1) for passage in passages]


def _format_context(passage: ContextualPassage, limit: int, *, named: bool) -> str:
    name = file_name(passage.source)
    title = passage.title or name
    parts = [title, *passage.headings, *(passage.context.get(key, "") for key in ("caption", "sender", "sent"))]
    lines = (" ".join(part.split()) for part in parts)
    shown = list(dict.fromkeys(line if len(line) <= _LONGEST_PART else line[:_LONGEST_PART] + _CUT for line in lines))
    shown = [line for line in shown if line]
    start = f"{name}: " if named and name and name != title else ""
    whole = start + _BETWEEN.join(shown)
    while len(whole) > limit and len(shown) > 1:
        del shown[0]
        whole = f"{start}{_CUT}{_BETWEEN}{_BETWEEN.join(shown)}"
    return whole


def file_name(source: str) -> str:
    """Return the last part of a path or a URL."""
    return PurePosixPath(source.replace("\\", "/").rstrip("/")).name
