"""Refined tool documentation: notes on calling a tool, learned from past calls.

After DRAFT (arXiv 2410.08197), by rule and without a model. A note lists arguments that worked, and arguments that were
refused with the tool's message. A new version is tried for some calls. It is adopted if the share of refused calls is
no higher than before, else the previous version returns. A tool that never refuses anything has no note.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from weiwo.text.injection import addresses_model
from weiwo.text.printable import one_line

_TRIAL_CALLS: Final = 5
"""Number of calls after which a version on trial is adopted or rejected."""
TEACHING: Final = frozenset({"bad_arguments", "not_found", "oversized", "refused", "crash"})
"""Kinds of failure that may be caused by the arguments. Transient crashes are recorded as "lost" and do not count."""
_MOST_EXAMPLES: Final = 2
_LONGEST_ARGS: Final = 120
_LONGEST_WORDS: Final = 140


@dataclass
class _NoteVersion:
    """Version of a tool's note."""

    number: int  # from 1; 0 for no note
    text: str
    state: Literal["trial", "adopted", "rejected", "replaced"] = "trial"  # replaced: by a later version
    calls: int = 0  # calls made with this version
    refused: int = 0  # calls among these that failed because of their arguments

    @property
    def rate(self) -> float:
        """Share of refused calls, 0 without calls."""
        return self.refused / self.calls if self.calls else 0.0


@dataclass
class ToolUsage:
    """Calls and failures of a tool, and the note learned from them."""

    calls: int = 0
    failures: Counter[str] = field(default_factory=Counter)  # number of failed calls by kind of failure
    versions: list[_NoteVersion] = field(default_factory=list)  # versions of the note, oldest first
    _definition: str = ""
    _plain: _NoteVersion = field(default_factory=lambda: _NoteVersion(0, "", "adopted"))
    _worked: list[str] = field(default_factory=list)
    _refused: list[str] = field(default_factory=list)
    _news: bool = False

    @property
    def note(self) -> str:
        """Note shown to a planner, or an empty string."""
        return self._current.text

    @property
    def _current(self) -> _NoteVersion:
        kept = [version for version in self.versions if version.state in {"trial", "adopted"}]
        return kept[-1] if kept else self._plain

    def forget(self, definition: str) -> None:
        """Discard the note and its versions, on the user's request or when the tool's definition has changed.

        The counts of calls and failures are kept.
        """
        self.versions, self._worked, self._refused, self._news = [], [], [], False
        self._plain, self._definition = _NoteVersion(0, "", "adopted"), definition

    def count(self, kind: str) -> None:
        """Count a call by kind of failure. An empty kind means success."""
        self.calls += 1
        if kind:
            self.failures[kind] += 1

    def learn(self, definition: str, args: Mapping[str, Any] | None, kind: str, said: str) -> None:
        """Update the note by a call, and adopt or reject a version on trial once it has had `_TRIAL_CALLS` calls.

        Args:
            definition: Fingerprint of the tool's definition. If it has changed, the old note is discarded.
            args: Arguments of the call. None if they are not to be kept.
            kind: Kind of the failure. Empty if the call worked.
            said: Message of the failure.
        """
        if definition != self._definition:
            self.forget(definition)
        now = self._current
        if not kind or kind in TEACHING:
            now.calls += 1
            now.refused += bool(kind)
            if args is not None:
                self._add_lesson(args, said if kind else "")
        if now.state == "trial" and now.calls >= _TRIAL_CALLS:
            before = next((version for version in reversed(self.versions) if version.state == "adopted"), self._plain)
            now.state = "adopted" if now.rate <= before.rate else "rejected"
            if now.state == "adopted" and before in self.versions:
                before.state = "replaced"
        if self._news and not kind and self._current.state == "adopted":
            self._news = False
            worked, refused = "; ".join(self._worked), "; ".join(self._refused)
            text = f"worked: {worked}. Refused: {refused}"
            if all(text != version.text for version in self.versions):
                self.versions.append(_NoteVersion(len(self.versions) + 1, text))

    def _add_lesson(self, args: Mapping[str, Any], said: str) -> None:
        shown = one_line(json.dumps(args, ensure_ascii=False, default=str), _LONGEST_ARGS)
        if addresses_model(f"{shown}\n{said}"):  # a note is read by a planner
            return
        lesson = f"{shown} ({one_line(said, _LONGEST_WORDS)})" if said else shown
        seen = self._refused if said else self._worked
        self._news |= bool(said) and lesson not in seen
        seen[:] = [*[item for item in seen if item != lesson][-(_MOST_EXAMPLES - 1) :], lesson]


def summarize_usage(records: Iterable[Mapping[str, Any]], user: str) -> dict[str, ToolUsage]:
    """Summarize the usage log by tool name.

    Args:
        records: The log, oldest first.
        user: Owner of the notes. Calls of other users are counted, but do not change the notes.
    """
    found: dict[str, ToolUsage] = {}
    for record in records:
        name, definition = record.get("tool"), str(record.get("definition") or "")
        if not isinstance(name, str):
            continue
        usage, own = found.setdefault(name, ToolUsage()), record.get("user") == user
        args, kind = record.get("args"), str(record.get("kind") or "")
        if record.get("reset") is True:
            if own:
                usage.forget(definition)
            continue
        usage.count(kind)
        if own:
            usage.learn(definition, args if isinstance(args, dict) else None, kind, str(record.get("said") or ""))
    return found
