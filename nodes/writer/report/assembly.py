"""Report assembly: title, summary, sections, limits and missing parts.

Citations are numbered across the whole report.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from weiwo.nodes.shared.ledger import name_part
from weiwo.nodes.shared.prompting.passage_prompt import quote_as_data
from weiwo.nodes.shared.prompting.sanitizer import AnswerSanitizer
from weiwo.nodes.shared.run_context import RunContext
from weiwo.nodes.writer.pieces import Piece, append_piece, place_claims, trailing_blanks
from weiwo.nodes.writer.prompt import named_gaps
from weiwo.nodes.writer.rendering import Rendering
from weiwo.nodes.writer.report.prompt import LIMITS
from weiwo.nodes.writer.report.section import ReportDraft, is_limits_heading, restore_piece
from weiwo.nodes.writer.sources import CitableSources
from weiwo.state import DOUBTFUL, Language, SectionPiece
from weiwo.state.ledger import Ledger
from weiwo.state.search import SearchState
from weiwo.text.localization import localize_message
from weiwo.tools.passages import own_date

_NOT_FOUND: Final = localize_message("writer.report.assembly", "not_found")
_LEAST_REPEATED: Final = 24
"""Fewest bytes of claims in a piece that is dropped as a repetition. A shorter piece, such as a list item, may recur.
"""
_BASIS: Final = localize_message("writer.report.assembly", "basis")
_DATED: Final = localize_message("writer.report.assembly", "dated")
_UNVERIFIED: Final = localize_message("writer.report.assembly", "unverified")
_BROKEN: Final = localize_message("writer.report.assembly", "broken")
_NO_SUMMARY: Final = localize_message("writer.report.assembly", "no_summary")
_LIMITED: Final = localize_message("writer.report.assembly", "limited")


def assemble_report(
    report: ReportDraft, state: SearchState, services: RunContext, sources: CitableSources
) -> list[Piece]:
    """Return the pieces of a report: title, summary, sections, limits, open points.

    Args:
        report: The outline, the sections and the summary.
        state: The state of the run.
        services: The language.
        sources: The report's sources, by whose numbers the sections cite.
    """
    language, outline, pieces = services.language, report.outline, list[Piece]()
    opening, limits = _split_limits(report.summary.pieces, language)
    append_piece(pieces, place_claims(f"# {outline.title}\n\n"))
    _add(pieces, opening)
    said: set[str] = set()
    for number, section in enumerate(outline.sections):
        written = report.sections[number].pieces if number in report.sections else ()
        fresh = [_without_repetition(piece, said) for piece in written]
        if any(piece.text.strip() for piece in fresh):
            _add_heading(pieces, section.title)
            _add(pieces, fresh)
    _add_heading(pieces, LIMITS[language])
    _add(pieces, limits)
    for line in _limits(report, Rendering(sources, pieces), sources):
        append_piece(pieces, Piece("\n"))
        append_piece(pieces, place_claims(f"- {line}"))
    if missing := _list_missing(state, services, sources):
        _add_heading(pieces, _NOT_FOUND[language])
        for n, line in enumerate(missing):
            append_piece(pieces, place_claims(f"\n- {line}" if n else f"- {line}"))
    return pieces


def _list_missing(state: SearchState, services: RunContext, sources: CitableSources) -> list[str]:
    """Return the open points of the report, a line each: gaps, and parts of the question without an answer.

    A line that is contained in an earlier one is left out.
    """
    ledger, language = state.get("ledger") or Ledger(), services.language
    say = AnswerSanitizer(sources.evidence, state["assessment"].question, language)
    lines = [gap.text for gap in named_gaps(state)]
    lines += [quote_as_data(name_part(part, language), 200) for part in ledger.missing]
    told = [line for line in dict.fromkeys(" ".join(say(line).split()) for line in lines) if line]
    return [line for n, line in enumerate(told) if not any(line.strip("?？") in other for other in told[:n])]


def _split_limits(
    pieces: Sequence[SectionPiece], language: Language
) -> tuple[Sequence[SectionPiece], Sequence[SectionPiece]]:
    """Return the pieces of the summary before the heading on limitations, and the items below the heading.

    The items are empty if there is no such heading.
    """
    for n, piece in enumerate(pieces):
        if is_limits_heading(piece.text, language):
            first, _, rest = piece.text.strip().partition("\n")
            # Where the heading and the first item came as one piece, its claims are those of the item.
            begin = piece.text.index(first) + len(first)
            places = tuple((start - begin, end - begin) for start, end in piece.places)
            own = piece.model_copy(update={"text": piece.text[begin:], "places": places})
            fits = rest and all(start >= 0 for start, _ in places)
            return pieces[:n], (*((own,) if fits else ()), *pieces[n + 1 :])
    return pieces, ()


def _without_repetition(piece: SectionPiece, said: set[str]) -> SectionPiece:
    """Return a piece, reduced to its line ends if earlier pieces already have all its claims.

    Rows of tables and short pieces are always returned unchanged.

    Args:
        piece: The piece.
        said: The texts of the claims in earlier pieces. The piece's own are added, in place.
    """
    told = {claim.text for claim in piece.claims}
    if len("".join(told).encode()) < _LEAST_REPEATED or piece.text.lstrip().startswith("|"):
        return piece
    repeated = told <= said
    said |= told
    return SectionPiece(text=trailing_blanks(piece.text)) if repeated else piece


def _add(pieces: list[Piece], written: Sequence[SectionPiece]) -> None:
    for n, piece in enumerate(written):
        restored = restore_piece(piece)
        lead = len(restored.text) - len(restored.text.lstrip("\n"))
        if n == 0 and lead:  # the heading above it ends with a blank line of its own
            checked = (replace(item, start=item.start - lead, end=item.end - lead) for item in restored.checked)
            restored = Piece(restored.text[lead:], tuple(checked))
        append_piece(pieces, restored)


def _add_heading(pieces: list[Piece], title: str) -> None:
    append_piece(pieces, Piece("\n\n"))
    append_piece(pieces, place_claims(f"## {title}\n\n"))


def _limits(report: ReportDraft, rendering: Rendering, sources: CitableSources) -> Iterator[str]:
    """Yield the lines on the limits of a report: number and dates of cited documents, unverified claims, missing parts.

    Missing parts are sections or a summary that could not be written whole, and a limit that shortened the report.
    """
    citations, claims, language = rendering.citations, rendering.claims, sources.language
    cited = {citation.evidence_id for citation in citations}
    known = (passage for passage in sources.evidence if passage.id in cited)
    dates = sorted(date[:10] for passage in known if (date := own_date(passage)))
    passages = [citation for citation in citations if not citation.source.startswith("task:")]
    span = _DATED[language].format(dates[0], dates[-1]) if len(set(dates)) > 1 and len(dates) == len(passages) else ""
    if passages:
        documents = {citation.source for citation in passages}
        yield _BASIS[language].format(len(passages), len(documents), span)
    doubtful = sum(claim.verdict in DOUBTFUL for claim in claims)
    if doubtful:
        yield _UNVERIFIED[language].format(doubtful, len(claims))
    for number, section in enumerate(report.outline.sections):
        written = report.sections.get(number)
        if written is None or written.broken:
            yield _BROKEN[language].format(section.title)
    if not report.summary.pieces:
        yield _NO_SUMMARY[language]
    if report.outline.limit:
        yield _LIMITED[language].format(report.outline.limit)
