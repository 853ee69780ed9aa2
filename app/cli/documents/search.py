"""`weiwo search`: retrieval alone, without a plan or an answer."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from weiwo.app.cli.documents.corpora import open_corpus
from weiwo.app.cli.errors import CommandError
from weiwo.app.cli.event_loop import run_to_end
from weiwo.app.cli.output import hint, is_terminal, screen, terminal, write, write_json
from weiwo.app.render.extracts import excerpt_of, place_of, plain_extract
from weiwo.state.settings import Settings
from weiwo.tools.calling.call_context import CallContext, set_current_call
from weiwo.tools.corpus.base import CorpusError
from weiwo.tools.printable import one_line

if TYPE_CHECKING:
    from weiwo.state import Evidence
    from weiwo.tools.corpus.retrieval.routed_corpus import RoutedSearchResult

_EXTRACT_FIELDS: Final = ("n", "source", "title", "text", "highlights", "score", "evidence_id", "locator")


class SearchExplanation(NamedTuple):
    """What a search came to, and why.

    Attributes:
        passages: The passages, best first.
        parts: What was done in each corpus that has a router, by its name.
    """

    passages: "list[Evidence]"
    parts: "dict[str, RoutedSearchResult]"


def search_command(query: str, k: int, corpus: Sequence[str], *, as_json: bool, explain: bool = False) -> None:
    """Search the documents.

    Args:
        query: What to look for.
        k: How many passages at most.
        corpus: What to search; empty: what the settings say.
        as_json: Print one object.
        explain: Show how the search was routed.
    """
    settings = Settings.resolve()
    settings = replace(settings, corpus=tuple(corpus)) if corpus else settings
    call = CallContext()
    set_current_call(call)
    routed = run_to_end(explain_search(settings, query, k)) if explain else None
    passages = routed.passages if routed else run_to_end(search(settings, query, k))
    extracts = extracts_of(query, passages)
    if as_json:
        write_json({**results_json(query, passages, routed), "extracts": extracts, "notes": call.notes})
        return
    for note in call.notes:
        hint(note)
    if routed:
        from weiwo.app.render.search_results import print_explanation  # noqa: PLC0415 - a plain list needs no tables

        print_explanation(screen(), routed.parts)
    if is_terminal():
        from weiwo.app.render.search_results import print_results  # noqa: PLC0415 - the same

        print_results(terminal(), passages, extracts)
    else:
        write(plain_results(passages, extracts))
    if not passages:
        hint("nothing in the documents matches")


async def search(settings: Settings, query: str, k: int) -> "list[Evidence]":
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


async def explain_search(settings: Settings, query: str, k: int) -> SearchExplanation:
    """`search`, with what was done and why.

    Raises:
        UsageError: The corpus cannot be used.
        CommandError: It does not answer.
    """
    from weiwo.tools.corpus.retrieval.federation import FederatedCorpus, merge_results  # noqa: PLC0415 - heavy
    from weiwo.tools.corpus.retrieval.routed_corpus import RoutedCorpus  # noqa: PLC0415 - the same

    corpus = await open_corpus(settings)
    found: list[list[Evidence]] = []
    parts: dict[str, RoutedSearchResult] = {}
    try:
        for part in corpus.corpora if isinstance(corpus, FederatedCorpus) else (corpus,):
            if isinstance(part, RoutedCorpus):
                routed = await part.find(query, k)
                parts[part.corpus.folder.name] = routed
                found.append(routed.passages)
            else:  # kept elsewhere, where the search is not ours
                found.append(await part.search(query, k))
    except CorpusError as error:
        raise CommandError(str(error)) from error
    return SearchExplanation(merge_results(found, k) if len(found) > 1 else found[0], parts)


def results_json(query: str, passages: "Sequence[Evidence]", told: SearchExplanation | None = None) -> dict[str, Any]:
    """The result as one object, with its explanation if there is one; with one by corpus if there are several."""
    kept = {"id", "source", "title", "text", "score", "rank", "locator", "date"}
    found = {"query": query, "results": [passage.model_dump(mode="json", include=kept) for passage in passages]}
    if told is None:
        return found
    each = {name: explanation_json(routed) for name, routed in told.parts.items()}
    return {**found, "explanation": next(iter(each.values()))} if len(each) == 1 else {**found, "explanations": each}


def explanation_json(routed: "RoutedSearchResult") -> dict[str, Any]:
    """Features, scores and choice, and what was done."""
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


def extracts_of(query: str, passages: "Sequence[Evidence]") -> list[dict[str, Any]]:
    """The closest passages with the sentences that fit best highlighted, numbered by their rank.

    The query is taken as its words, not parsed: compiling the parser's patterns takes longer than the search.
    """
    from weiwo.nodes.writer.extracts import choose_extracts  # noqa: PLC0415 - heavy
    from weiwo.state.query import QueryFrame  # noqa: PLC0415 - upon need
    from weiwo.text.language import detect_language  # noqa: PLC0415 - upon need
    from weiwo.text.terms import terms  # noqa: PLC0415 - upon need

    words = tuple(dict.fromkeys(terms(query)))
    frame = QueryFrame.model_construct(question=query, language=detect_language(query), terms=words)
    ranks = {passage.id: passage.rank for passage in passages}
    chosen = choose_extracts(frame, passages).items
    found = [{name: getattr(one, name) for name in _EXTRACT_FIELDS} | {"n": ranks[one.evidence_id]} for one in chosen]
    return sorted(found, key=lambda extract: int(extract["n"]))


def plain_results(passages: "Sequence[Evidence]", extracts: Sequence[Mapping[str, Any]]) -> str:
    """The passages as plain text, for a pipe, with `**` around the sentences that fit best."""
    shown = {extract["n"]: plain_extract(extract) for extract in extracts}
    return "".join(
        f"{passage.rank}. {one_line(passage.title)}\n   {place_of(passage)} · {passage.score:.2f}\n"
        f"   {shown.get(passage.rank) or excerpt_of(passage)}\n"
        for passage in passages
    )
