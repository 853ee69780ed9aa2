"""`weiwo search`: retrieval alone, without a plan or an answer."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from app.corpora import open_corpus
from app.errors import CommandError
from app.flow import Flow
from state import Evidence
from state.settings import Settings
from tools.corpus.base import CorpusError
from tools.printable import one_line, printable

if TYPE_CHECKING:
    from tools.corpus.routed import Routed

_LONGEST_PASSAGE = 400


class Explained(NamedTuple):
    """What a search came to, and why.

    Attributes:
        passages: The passages, best first.
        parts: What was done in each corpus that has a router, by its name.
    """

    passages: list[Evidence]
    parts: "dict[str, Routed]"


async def search(settings: Settings, query: str, k: int) -> list[Evidence]:
    """The passages nearest to a query, best first.

    Raises:
        UsageError: The corpus cannot be used.
        CommandError: It does not answer.
    """
    corpus = await open_corpus(settings)
    try:
        return await corpus.search(query, k)
    except CorpusError as error:
        raise CommandError(str(error)) from error


async def explained(settings: Settings, query: str, k: int) -> Explained:
    """`search`, with what was done and why.

    Raises:
        UsageError: The corpus cannot be used.
        CommandError: It does not answer.
    """
    from tools.corpus.joined import JoinedCorpus, joined  # noqa: PLC0415 - heavy
    from tools.corpus.routed import RoutedCorpus  # noqa: PLC0415 - the same

    corpus = await open_corpus(settings)
    found: list[list[Evidence]] = []
    parts: dict[str, Routed] = {}
    try:
        for part in corpus.corpora if isinstance(corpus, JoinedCorpus) else (corpus,):
            if isinstance(part, RoutedCorpus):
                routed = await part.find(query, k)
                parts[part.corpus.folder.name] = routed
                found.append(routed.passages)
            else:  # kept elsewhere, where the search is not ours
                found.append(await part.search(query, k))
    except CorpusError as error:
        raise CommandError(str(error)) from error
    return Explained(joined(found, k) if len(found) > 1 else found[0], parts)


def as_json(query: str, passages: Sequence[Evidence], told: Explained | None = None) -> dict[str, Any]:
    """The result as one object, with its explanation if there is one; with one by corpus if there are several."""
    kept = {"id", "source", "title", "text", "score", "rank", "locator", "date"}
    found = {"query": query, "results": [passage.model_dump(mode="json", include=kept) for passage in passages]}
    if told is None:
        return found
    each = {name: explanation_json(routed) for name, routed in told.parts.items()}
    return {**found, "explanation": next(iter(each.values()))} if len(each) == 1 else {**found, "explanations": each}


def explanation_json(routed: "Routed") -> dict[str, Any]:
    """Features, scores and choice, and what was done."""
    decision, trace = routed.decision, routed.trace
    return {
        **asdict(decision),
        "segment": decision.features.segment,
        "done": trace.strategy,
        "notes": list(trace.notes),
        "milliseconds": {stage: round(1e3 * seconds, 3) for stage, seconds in trace.seconds.items()},
        "found": {arm: len(scores) for arm, scores in trace.arms.items()},
    }


def print_explanation(console: Console, told: Explained) -> None:
    """Print features, scores and choice as tables, corpus by corpus, laid out for a terminal or a page."""
    for name, routed in told.parts.items():
        if len(told.parts) > 1:
            console.print(Flow(Text(one_line(name), "bold"), indent=2))
        _print_one(console, routed)
    if not told.parts:
        console.print(Flow(Text("what is searched is kept elsewhere, and says nothing of how it searches"), indent=2))


def _print_one(console: Console, routed: "Routed") -> None:
    decision, trace = routed.decision, routed.trace
    features = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for head in ("feature", "value"):
        features.add_column(head)
    for name, value in asdict(decision.features).items():
        features.add_row(name, one_line(_shown(value), 80))
    features.add_row("kind", decision.features.segment)
    scores = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for head in ("strategy", "signals", "learned", "score", ""):
        scores.add_column(head, justify="left" if head in {"strategy", ""} else "right")
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
    for note in trace.notes:
        console.print(Flow(Text(one_line(note)), indent=2))
    console.print()


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) or "none" if isinstance(value, tuple) else str(value)


def print_results(console: Console, passages: Sequence[Evidence]) -> None:
    """Print the passages on a terminal."""
    for passage in passages:
        head = Text.assemble((f"{passage.rank}. ", "cyan"), (one_line(passage.title), "bold"))
        console.print(Flow(head, indent=3))
        console.print(Flow(Text(f"   {_place(passage)} · {passage.score:.2f}", "dim"), indent=3))
        console.print(Flow(Text(f"   {_excerpt(passage)}"), indent=3))


def plain_results(passages: Sequence[Evidence]) -> str:
    """The passages as plain text, for a pipe."""
    return "".join(
        f"{passage.rank}. {one_line(passage.title)}\n   {_place(passage)} · {passage.score:.2f}\n"
        f"   {_excerpt(passage)}\n"
        for passage in passages
    )


def _place(passage: Evidence) -> str:
    return one_line(", ".join(part for part in (passage.source, passage.locator) if part), 500)


def _excerpt(passage: Evidence) -> str:
    return one_line(printable(passage.text), _LONGEST_PASSAGE)
