"""Templates of reports: Markdown or Word files with headings and placeholders.

A template sets the structure of a report. `{{ text }}` is a slot, and the text is its question or instruction.
`{{question}}` and `{{date}}` are replaced by the question and the date. A heading with nothing below it is a slot of
its own. Everything else is kept unchanged.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from weiwo.state.settings import SettingsError
from weiwo.text.patterns import lazy

_LARGEST: Final = 1_000_000
_LONGEST_SLOT: Final = 400
_FILLED: Final = frozenset({"question", "date"})
_SLOT: Final = lazy(r"\{\{\s*+([^{}]{1,400}?)\s*\}\}")
_HEADING: Final = lazy(r"(#{1,6})[ \t]+(.+?)[ \t]*#*")


@dataclass(frozen=True)
class Slot:
    """Placeholder in a template, filled by the answer.

    Attributes:
        heading: The heading above the slot. Empty if there is no heading.
        text: The slot's question or instruction.
    """

    heading: str
    text: str

    def ask(self, question: str, subjects: tuple[str, ...]) -> str:
        """Return the slot as a question that can be understood alone.

        The slot "founding year" below the heading "History", with the subject "Acme", gives "Acme: History: founding
        year".

        Args:
            question: Question of the whole report, used if it has no subjects.
            subjects: Subjects of that question. They are put before a slot that does not name them all.
        """
        whole = self.text.endswith(("?", "？")) or self.heading in {"", self.text}
        asked = self.text if whole else f"{self.heading}: {self.text}"
        names = subjects or (question.rstrip("?？ "),)
        named = all(name.casefold() in asked.casefold() for name in names)
        return asked if named else f"{', '.join(names)}: {asked}"


@dataclass(frozen=True)
class Template:
    """Template of a report: Markdown with each slot written as `{{n}}`, and the slots in the order of n, from 0."""

    body: str
    slots: tuple[Slot, ...]


def read_template(path: str, most: int) -> Template:
    """Read a template.

    Args:
        path: The file, Markdown or Word.
        most: Limit of the slots, since each needs a task of the plan.

    Raises:
        SettingsError: The file cannot be read, is neither Markdown nor Word, or has no slot or too many. The message is
            one line.
    """
    file = Path(path).expanduser()
    try:
        if file.stat().st_size > _LARGEST:
            raise SettingsError(f"template: {path} is larger than {_LARGEST:,} bytes; shorten it")
        text = _read_word(file) if file.suffix.lower() == ".docx" else file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "not UTF-8 text"
        raise SettingsError(f"template: {path} cannot be read: {why}; use a Markdown or Word file") from None
    template = parse_template(text)
    if not template.slots:
        raise SettingsError(f"template: {path} has nothing to fill; add headings, or {{{{ questions }}}} below them")
    if len(template.slots) > most:
        told = f"{len(template.slots)} places to fill, but max_tasks is {most}"
        raise SettingsError(f"template: {path} has {told}; split it, or raise WEIWO_MAX_TASKS")
    return template


def parse_template(text: str) -> Template:
    """Parse the Markdown of a template."""
    slots: list[Slot] = []
    heading = ""
    lines: list[str] = []
    source = text.splitlines()

    def fill(found: re.Match[str]) -> str:
        if found[1] in _FILLED:
            return found[0]
        slots.append(Slot(heading, " ".join(found[1].split())))
        return f"{{{{{len(slots) - 1}}}}}"

    for n, line in enumerate(source):
        named = _HEADING.fullmatch(line.strip())
        if named:
            heading = named[2]
        lines.append(_SLOT.sub(fill, line))
        if named and "{{" not in line and _is_empty_below(source[n + 1 :], len(named[1])):
            slots.append(Slot(heading, heading[:_LONGEST_SLOT]))
            lines += ["", f"{{{{{len(slots) - 1}}}}}", ""]
    return Template("\n".join(lines).strip(), tuple(slots))


def _is_empty_below(lines: Sequence[str], level: int) -> bool:
    """Report whether a heading has no content: nothing follows, or a heading of the same or a higher level.

    Args:
        lines: The lines below the heading.
        level: Level of the heading, 1 to 6.
    """
    below = next((line.strip() for line in lines if line.strip()), "")
    heading = _HEADING.fullmatch(below)
    return not below or (heading is not None and len(heading[1]) <= level)


def _read_word(file: Path) -> str:
    """Return the headings and paragraphs of a Word file as Markdown.

    Raises:
        SettingsError: The file is not a Word file, or the package for Word files is not installed.
    """
    try:
        import docx  # noqa: PLC0415 - of the extra `documents`
        from docx.opc.exceptions import PackageNotFoundError  # noqa: PLC0415 - the same
    except ImportError:
        raise SettingsError("template: Word files need the extra documents: pip install 'weiwo[documents]'") from None
    try:
        paragraphs = docx.Document(str(file)).paragraphs
    except (PackageNotFoundError, KeyError, ValueError):
        raise SettingsError(f"template: {file} is not a Word file; save it as .docx, or use Markdown") from None
    return "\n\n".join(_as_markdown(line.style.name if line.style else "", line.text) for line in paragraphs)


def _as_markdown(style: str | None, text: str) -> str:
    level = re.fullmatch(r"Heading ([1-6])", style or "")
    level_of = "# " if style == "Title" else f"{'#' * int(level[1])} " if level else ""
    return f"{level_of}{text}" if text.strip() else ""
