"""`weiwo search`: retrieval alone, without a plan or an answer."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Annotated, Any, Final, NamedTuple

import typer

from weiwo.app.cli.documents.corpus import open_corpus
from weiwo.app.cli.errors import CommandError, UsageError
from weiwo.app.cli.event_loop import run_to_end
from weiwo.app.cli.help_command import PanelCommand
from weiwo.app.cli.options import Corpus, Json, question_of
from weiwo.app.cli.output import hint, is_terminal, screen, terminal, write, write_json
from weiwo.app.render.search_results import excerpt_of, place_of, plain_extract, print_explanation, print_results
from weiwo.nodes.writer.extracts import choose_extracts
from weiwo.state import Evidence
from weiwo.state.query import QueryFrame
from weiwo.state.settings import Settings
from weiwo.text.language_detection import detect_language
from weiwo.text.passage_context import format_contexts
from weiwo.text.printable import one_line
from weiwo.text.terms import terms
from weiwo.tools.calling.call_context import CallContext, set_current_call
from weiwo.tools.corpus.base import CorpusError
from weiwo.tools.corpus.retrieval.federation import FederatedCorpus, merge_results
from weiwo.tools.corpus.retrieval.reranker import passages_to_rank, rerank, reranker_of
from weiwo.tools.corpus.retrieval.routed_corpus import RoutedCorpus, RoutedSearchResult
from weiwo.tools.passages import describe_score

app = typer.Typer()

_EXTRACT_FIELDS: Final = (
    "n",
    "source",
    "title",
    "text",
    "highlights",
    "score",
    "evidence_id",
    "locator",
    "headings",
    "context",
)


class _SearchExplanation(NamedTuple):
    """Result of a search, with the reasons for the chosen way of searching.

    Attributes:
        passages: The passages, best first.
        parts: The routed search in each corpus that has a router, by the name of the corpus. A router chooses the
            search strategy for each query.
    """

    passages: list[Evidence]
    parts: dict[str, RoutedSearchResult]


@app.command(cls=PanelCommand)
def search(
    query: Annotated[list[str], typer.Argument(metavar="QUERY", help="The query, quoted or unquoted.")],
    *,
    k: Annotated[int, typer.Option("-n", min=1, max=100, help="The maximum number of passages.")] = 8,
    explain: Annotated[bool, typer.Option("--explain", help="Show features, scores and choice.")] = False,
    json: Json = False,
    corpus: Corpus = None,
) -> None:
    """Search the documents: passages only, no plan, no answer."""
    text = question_of(query)
    settings = Settings.resolve()
    settings = replace(settings, corpus=tuple(corpus)) if corpus else settings
    call = CallContext()
    set_current_call(call)
    try:
        reranker = reranker_of(settings.reranker)
    except CorpusError as error:
        raise UsageError(str(error)) from error
    routed = run_to_end(_explain(settings, text, passages_to_rank(reranker, k))) if explain else None
    passages = routed.passages if routed else run_to_end(_search(settings, text, passages_to_rank(reranker, k)))
    passages, order = run_to_end(rerank(reranker, text, passages, k))
    extracts = _extracts_of(text, passages)
    if json:
        write_json({**_results_json(text, passages, routed), "extracts": extracts, "notes": call.notes})
        return
    for note in call.notes:
        hint(note)
    if routed:
        print_explanation(screen(), routed.parts)
        if order:
            hint(order)
    if is_terminal():
        print_results(terminal(), passages, extracts)
    else:
        write(_plain_results(passages, extracts))
    if not passages:
        hint("no passage matches")


async def _search(settings: Settings, query: str, k: int) -> list[Evidence]:
    """Return the passages closest to a query, best first.

    Raises:
        UsageError: The corpus cannot be used.
        CommandError: It does not answer.
    """
    corpus = await open_corpus(settings)
    try:
        return await corpus.search(query, k)
    except CorpusError as error:
        raise CommandError(str(error)) from error


async def _explain(settings: Settings, query: str, k: int) -> _SearchExplanation:
    """Search the corpora for a query and return the passages with an explanation of the search.

    Raises:
        UsageError: The corpus cannot be used.
        CommandError: The corpus does not answer.
    """
    corpus = await open_corpus(settings)
    found: list[list[Evidence]] = []
    parts: dict[str, RoutedSearchResult] = {}
    try:
        for part in corpus.corpora if isinstance(corpus, FederatedCorpus) else (corpus,):
            if isinstance(part, RoutedCorpus):
                routed = await part.find(query, k)
                parts[part.folder.name] = routed
                found.append(routed.passages)
            else:  # kept elsewhere, where the search is not ours
                found.append(await part.search(query, k))
    except CorpusError as error:
        raise CommandError(str(error)) from error
    return _SearchExplanation(merge_results(found, k) if len(found) > 1 else found[0], parts)


def _results_json(query: str, passages: Sequence[Evidence], told: _SearchExplanation | None = None) -> dict[str, Any]:
    """Return the query and its passages as one JSON object.

    With an explanation, the object has `explanation` if one corpus was routed, otherwise `explanations` by corpus.
    """
    kept = {"id", "source", "title", "text", "score", "rank", "locator", "date", "flags", "headings", "context"}
    found = {"query": query, "results": [passage.model_dump(mode="json", include=kept) for passage in passages]}
    if told is None:
        return found
    each = {name: _explanation_json(routed) for name, routed in told.parts.items()}
    return {**found, "explanation": next(iter(each.values()))} if len(each) == 1 else {**found, "explanations": each}


def _explanation_json(routed: RoutedSearchResult) -> dict[str, Any]:
    """Return the features, scores, choice and steps of a routed search."""
    decision, trace = routed.decision, routed.trace
    return {
        **asdict(decision),
        "segment": decision.features.segment,
        "done": trace.strategy,
        "notes": list(trace.notes),
        "coverage": None if trace.coverage is None else dict(zip(("done", "of"), trace.coverage, strict=True)),
        "milliseconds": {stage: round(1e3 * seconds, 3) for stage, seconds in trace.seconds.items()},
        "found": {arm: len(scores) for arm, scores in trace.arms.items()},
    }


def _extracts_of(query: str, passages: Sequence[Evidence]) -> list[dict[str, Any]]:
    """Return the closest passages with the best sentences highlighted, numbered by rank.

    The query is only split into words. Parsing it properly would take longer than the search itself.
    """
    words = tuple(dict.fromkeys(terms(query)))
    frame = QueryFrame.model_construct(question=query, language=detect_language(query), terms=words)
    ranks = {passage.id: passage.rank for passage in passages}
    chosen = choose_extracts(frame, passages).items
    found = [
        {name: getattr(item, name) for name in _EXTRACT_FIELDS} | {"n": ranks[item.evidence_id]} for item in chosen
    ]
    return sorted(found, key=lambda extract: int(extract["n"]))


def _plain_results(passages: Sequence[Evidence], extracts: Sequence[Mapping[str, Any]]) -> str:
    """Format the passages as plain text for a pipe, with `**` around the best sentences."""
    shown = {extract["n"]: plain_extract(extract) for extract in extracts}
    return "".join(
        f"{passage.rank}. {one_line(context)}\n   {place_of(passage)} · {describe_score(passage)}\n"
        f"   {shown.get(passage.rank) or excerpt_of(passage)}\n"
        for passage, context in zip(passages, format_contexts(passages), strict=True)
    )
