"""Markdown export of a report: the answer, then the sources, then the limitations."""

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
    parts = [f"# {_escape_markdown(' '.join(report.title.split()))}", f"*{_escape_markdown(report.about)}*"]
    if report.question_below:
        answer = answer.partition("\n")[2].strip() if answer.startswith("#") else answer
        parts.insert(1, _escape_markdown(report.question_below))
    parts.append(answer)
    if report.sources:
        parts.append(f"## {word(language, 'sources')}")
        parts.append("\n".join(_document(cited, report) for cited in report.documents))
    if report.part_rows:
        parts.append(f"## {word(language, 'parts')}")
        escaped = [[_escape_markdown(cell).replace("|", "\\|") for cell in row] for row in report.part_rows]
        head, *body = ["| " + " | ".join(row) + " |" for row in escaped]
        parts.append("\n".join([head, "|" + " --- |" * len(escaped[0]), *body]))
    if report.notes:
        notes = "\n".join(f"> - {_escape_markdown(note)}" for note in report.notes)
        parts.append(f"> **{word(language, 'limits')}**\n>\n{notes}")
    return ("\n\n".join(part for part in parts if part) + "\n").encode("utf-8", "replace")


def _document(cited: Sequence[Source], report: Report) -> str:
    """Render a document as a list item with the passages below.

    The numbers of the passages are plain text, so that they look the same everywhere.
    """
    source = cited[0]
    where = f"<{source.url}>" if source.url else f"`{source.address.replace('`', '')}`" if source.address else ""
    told = [_escape_markdown(source.title), where, *map(_escape_markdown, source.particulars(report.language))]
    lines = ["- " + " · ".join(part for part in told if part)]
    for item in cited:
        quote = f"“{_escape_markdown(item.quote)}”" if item.quote else ""
        lines.append(
            "  - " + " ".join(part for part in (f"\\[{item.n}\\]", item.place(report.language), quote) if part)
        )
    return "\n".join(lines)


def _escape_markdown(text: str) -> str:
    """Escape Markdown syntax in a text."""
    return _SYNTAX.sub(r"\\\1", text)
