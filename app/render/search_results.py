"""Search results: passages with the best sentences in bold or between `**`, and an explanation."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from weiwo.app.render.text_wrapping import Flow
from weiwo.state import Evidence
from weiwo.text.passage_context import format_contexts
from weiwo.text.printable import one_line, printable
from weiwo.tools.passages import describe_score


def figures_table(*heads: str, texts: int = 1) -> Table:
    """Create an empty table with the given column headings.

    Args:
        heads: The headings of the columns.
        texts: The number of leading columns with text, which are left-aligned. Figures in the others are right-aligned.
    """
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for at, head in enumerate(heads):
        table.add_column(head, justify="left" if at < texts else "right", no_wrap=at > 0)
    return table


if TYPE_CHECKING:
    from weiwo.tools.corpus.retrieval.routed_corpus import RoutedSearchResult

_LONGEST_PASSAGE: Final = 400


def render_passage(extract: Mapping[str, Any]) -> Text:
    """Render the passage of an extract as styled text for a terminal, with highlights in bold."""
    text = Text()
    for piece, highlighted in _pieces(extract):
        text.append(piece, "bold" if highlighted else "")
    return Text("\n").join(line for line in text.split("\n") if line.plain.strip())


def plain_extract(extract: Mapping[str, Any]) -> str:
    """Format the passage of an extract as a line of plain text, with `**` around the highlights."""
    pieces = ((" ".join(piece.split()), highlighted) for piece, highlighted in _pieces(extract))
    return " ".join(f"**{piece}**" if highlighted else piece for piece, highlighted in pieces if piece)


def place_of(passage: Evidence) -> str:
    """Return the location of a passage: the source, and the locator if there is one, as in `report.pdf, page 2`."""
    return one_line(", ".join(part for part in (passage.source, passage.locator) if part), 500)


def excerpt_of(passage: Evidence) -> str:
    """Return the text of a passage as a single line."""
    return one_line(printable(passage.text), _LONGEST_PASSAGE)


def _pieces(extract: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Yield the pieces of a passage, each with a highlight flag. Invalid offsets are skipped.

    Bold markers of the source itself are removed.
    """
    text = str(extract.get("text") or "")
    position = 0
    for start, end in extract.get("highlights") or ():
        if position <= start < end <= len(text):
            yield printable(text[position:start].replace("**", "")), False
            yield printable(text[start:end].replace("**", "")), True
            position = end
    yield printable(text[position:].replace("**", "")), False


def print_explanation(console: Console, parts: "Mapping[str, RoutedSearchResult]") -> None:
    """Print features, scores and choice as tables, corpus by corpus, laid out for a terminal or a page."""
    for name, routed in parts.items():
        if len(parts) > 1:
            console.print(Flow(Text(one_line(name), "bold"), indent=2))
        _print_one(console, routed)
    if not parts:
        console.print(Flow(Text("an external store is searched, which gives no details of its search"), indent=2))


def _print_one(console: Console, routed: "RoutedSearchResult") -> None:
    decision, trace = routed.decision, routed.trace
    features = figures_table("feature", "value", texts=2)
    for name, value in asdict(decision.features).items():
        if isinstance(value, bool):
            told = "yes" if value else "no"
        else:
            told = ", ".join(map(str, value)) or "none" if isinstance(value, tuple) else str(value)
        features.add_row(name, one_line(told, 80))
    features.add_row("kind", decision.features.segment)
    scores = figures_table("strategy", "signals", "learned", "score", "")
    for arm, score in decision.scores.items():
        marks = [
            word for word, named in (("chosen", decision.strategy), ("candidate", decision.candidate)) if named == arm
        ]
        heuristic, learned = decision.heuristic[arm], decision.learned[arm]
        scores.add_row(arm, f"{heuristic:.3f}", f"{learned:+.3f}", f"{score:.3f}", ", ".join(marks))
    console.print(features)
    console.print(scores)
    console.print(Flow(Text(one_line(f"{decision.strategy}, by the {decision.by}: {decision.reason}")), indent=2))
    stages = ", ".join(f"{stage} {1e3 * seconds:.1f} ms" for stage, seconds in trace.seconds.items())
    console.print(Flow(Text(stages), indent=2))
    if trace.coverage is not None and trace.coverage[0] < trace.coverage[1]:
        done, of = trace.coverage
        told = f"{done:,} of {of:,} passages have vectors; the others are ranked by keywords only"
        console.print(Flow(Text(told), indent=2))
    for note in trace.notes:
        console.print(Flow(Text(one_line(note)), indent=2))
    console.print()


def print_results(console: Console, passages: Sequence[Evidence], extracts: Sequence[Mapping[str, Any]]) -> None:
    """Print the passages with the best sentences in bold."""
    shown = {extract["n"]: extract for extract in extracts}
    for passage, context in zip(passages, format_contexts(passages), strict=True):
        head = Text.assemble((f"{passage.rank}. ", "cyan"), (one_line(context), "bold"))
        console.print(Flow(head, indent=3))
        console.print(Flow(Text(f"   {place_of(passage)} · {describe_score(passage)}", "dim"), indent=3))
        extract = shown.get(passage.rank)
        text = Text(excerpt_of(passage)) if extract is None else render_passage(extract)
        console.print(Flow(Text("   ") + text, indent=3))
