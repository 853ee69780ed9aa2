"""A report as a Markdown file: the answer as it stands, what limits it above, its sources below."""

from collections.abc import Mapping
from typing import Any

from weiwo.app.export.report import Report, Source
from weiwo.app.export.words import word
from weiwo.text.patterns import lazy
from weiwo.tools.printable import printable

_SYNTAX = lazy(r"([\\`*_\[\]<>#|~!&])")


def render_markdown(report: Report, result: Mapping[str, Any]) -> bytes:
    """Render a report as Markdown.

    Args:
        report: The report.
        result: The result it was read from, whose answer is Markdown already.
    """
    language = report.language
    parts = [f"# {_escaped(' '.join(report.question.split()))}", f"*{_escaped(report.about)}*"]
    if report.notes:
        notes = "\n".join(f"> - {_escaped(note)}" for note in report.notes)
        parts.append(f"> **{word(language, 'limits')}**\n>\n{notes}")
    parts.append(printable(str(result.get("answer") or "")).strip())
    if report.sources:
        parts.append(f"## {word(language, 'sources')}")
        parts.append("\n".join(_source(source, report) for source in report.sources))
    return ("\n\n".join(part for part in parts if part) + "\n").encode("utf-8", "replace")


def _source(source: Source, report: Report) -> str:
    """A source as a list item; its number is text, so that it is the one in the answer wherever it is shown."""
    where = f"<{source.url}>" if source.url else f"`{source.address.replace('`', '')}`" if source.address else ""
    told = [_escaped(source.title), where, *map(_escaped, source.particulars(report.language))]
    line = f"- \\[{source.n}\\] " + " · ".join(part for part in told if part)
    return f"{line}\n  > {_escaped(source.quote)}" if source.quote else line


def _escaped(text: str) -> str:
    """Text that says no more than it shows."""
    return _SYNTAX.sub(r"\\\1", text)
