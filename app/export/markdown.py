"""A report as a Markdown file: the answer as it stands, its sources below, what limits it last."""

from collections.abc import Sequence

from weiwo.app.export.report import Report, Source, word
from weiwo.text.patterns import lazy
from weiwo.text.printable import printable

_SYNTAX = lazy(r"([\\`*_\[\]<>#|~!&])")


def render_markdown(report: Report) -> bytes:
    """Render a report as Markdown.

    Args:
        report: The report, whose answer is Markdown already.
    """
    language = report.language
    answer = printable(report.answer).strip()
    parts = [f"# {_escaped(' '.join(report.title.split()))}", f"*{_escaped(report.about)}*"]
    if report.question_below:
        answer = answer.partition("\n")[2].strip() if answer.startswith("#") else answer
        parts.insert(1, _escaped(report.question_below))
    parts.append(answer)
    if report.sources:
        parts.append(f"## {word(language, 'sources')}")
        parts.append("\n".join(_document(cited, report) for cited in report.documents))
    if report.part_rows:
        parts.append(f"## {word(language, 'parts')}")
        parts.append(_table(report.part_rows))
    if report.notes:
        notes = "\n".join(f"> - {_escaped(note)}" for note in report.notes)
        parts.append(f"> **{word(language, 'limits')}**\n>\n{notes}")
    return ("\n\n".join(part for part in parts if part) + "\n").encode("utf-8", "replace")


def _document(cited: Sequence[Source], report: Report) -> str:
    """A document as a list item, and below it its passages: their numbers are text, the same wherever it is shown."""
    source = cited[0]
    where = f"<{source.url}>" if source.url else f"`{source.address.replace('`', '')}`" if source.address else ""
    told = [_escaped(source.title), where, *map(_escaped, source.particulars(report.language))]
    lines = ["- " + " · ".join(part for part in told if part)]
    for one in cited:
        quote = f"“{_escaped(one.quote)}”" if one.quote else ""
        lines.append("  - " + " ".join(part for part in (f"\\[{one.n}\\]", one.place(report.language), quote) if part))
    return "\n".join(lines)


def _table(rows: Sequence[Sequence[str]]) -> str:
    """A table, its header first."""
    lines = ["| " + " | ".join(_escaped(cell).replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]])


def _escaped(text: str) -> str:
    """Text that says no more than it shows."""
    return _SYNTAX.sub(r"\\\1", text)
