"""`weiwo eval retrieval`: evaluation of retrieval on a labelled set, and training of the router.

`--label` asks which documents answer the questions of a set that `weiwo stats --hard` wrote. It asks in the terminal,
with a key press per document, or with `--judge` a model, with a call per question.
"""

import asyncio
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.console import Console
from rich.text import Text

from weiwo.app.cli.errors import CommandError, UsageError
from weiwo.app.cli.event_loop import InterruptedRunError, run
from weiwo.app.cli.options import Json
from weiwo.app.cli.output import NO, YES, hint, screen, terminal, write_json
from weiwo.app.cli.progress_line import tell_stages
from weiwo.app.cli.questions.requests import conversation, read_line
from weiwo.app.evaluation.judge import ModelJudge
from weiwo.app.render.labels import in_system_language
from weiwo.app.render.search_results import figures_table, render_passage
from weiwo.nodes.shared.question.parser import parse_question
from weiwo.nodes.writer.extracts import choose_extracts
from weiwo.state import Evidence, Language
from weiwo.state.settings import Context, Settings
from weiwo.text.language_detection import detect_language
from weiwo.text.localization import localized_section
from weiwo.text.printable import one_line
from weiwo.tools.corpus.base import CorpusError
from weiwo.tools.corpus.evaluation.dataset import Dataset, DatasetError, locate_dataset
from weiwo.tools.corpus.evaluation.dataset_index import count_languages, index_dataset
from weiwo.tools.corpus.evaluation.hard_cases import Candidate, append_judgement, read_candidates
from weiwo.tools.corpus.evaluation.strategy_comparison import CHOICES, Evaluation, compare_strategies
from weiwo.tools.corpus.index.embedding_models import Embedder, load_embedder
from weiwo.tools.corpus.index.language_fit import LanguageFit, measure_languages
from weiwo.tools.corpus.retrieval.routed_corpus import RoutedCorpus
from weiwo.tools.corpus.retrieval.routing_policy import PolicyError, PolicyStep, RoutingPolicy, load_policy, save_policy

app = typer.Typer()

_word: Final = in_system_language(localized_section("cli.evaluation"))

_COLUMNS: Final = ("recall", "all", "hit", "ndcg10", "mrr", "p50_ms", "vector_calls")


_SKIP: Final = frozenset({"s", "skip", "跳过"})
_QUIT: Final = frozenset({"q", "quit", "exit", "退出"})
_LONGEST_DOCUMENT: Final = 50_000
"""Characters of a document's beginning from which the sentences to show are chosen."""


@app.command()
def retrieval(  # noqa: PLR0913 - each option is a parameter
    folder: Annotated[
        str | None,
        typer.Argument(
            metavar="DATASET_DIR",
            help="A BEIR-shaped folder: corpus.jsonl, queries.jsonl, qrels.tsv or qrels/test.tsv; or demo.",
        ),
    ] = None,
    *,
    k: Annotated[int, typer.Option("--k", "-k", min=1, max=100, help="The number of top documents that count.")] = 5,
    strategy: Annotated[
        str, typer.Option("--strategy", metavar="NAME", help=f"all, or one of: {', '.join(CHOICES)}.")
    ] = "all",
    learn: Annotated[bool, typer.Option("--learn", help="Let the shadow policy learn from half of the set.")] = False,
    promote: Annotated[
        bool,
        typer.Option("--promote", help="Promote by one stage if the other half proves it: shadow, trial, default."),
    ] = False,
    demote: Annotated[
        bool, typer.Option("--demote", help="Demote by one stage; from shadow, forget what was learned. Needs no set.")
    ] = False,
    share: Annotated[
        float | None,
        typer.Option(
            "--share", min=0.0, max=1.0, help="With --promote: share of decisions of a policy on trial (0.05)."
        ),
    ] = None,
    label: Annotated[
        bool, typer.Option("--label", help="Judge which documents answer the questions of weiwo stats --hard.")
    ] = False,
    judge: Annotated[
        str | None,
        typer.Option(
            "--judge", metavar="PROVIDER:MODEL", help="With --label: let this model judge instead of asking you."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Evaluate each strategy, the router, and the best possible choice per question."""
    steps = {"--learn": learn, "--promote": promote, "--demote": demote, "--label": label}
    _check(folder, strategy, [name for name, given in steps.items() if given])
    if share is not None and not promote:
        raise UsageError("--share requires --promote")
    if judge is not None and not label:
        raise UsageError("--judge requires --label")
    try:
        if label:
            _label(str(folder), judge)
        elif folder is None or demote:
            _demote(folder, k, strategy, as_json=json)
        else:
            _evaluate(folder, k, strategy, learn=learn, promote=promote, share=share, as_json=json)
    except DatasetError as error:
        raise UsageError(str(error)) from error
    except (CorpusError, PolicyError) as error:
        raise CommandError(str(error)) from error
    except InterruptedRunError as stopped:
        raise CommandError("stopped; indexed documents are saved", stopped.code) from None


def _check(folder: str | None, strategy: str, steps: Sequence[str]) -> None:
    """Check the combination of options. Raises a usage error for invalid combinations."""
    if strategy not in {"all", *CHOICES}:
        raise UsageError(f"--strategy {strategy!r} is unknown; choose all, {', '.join(CHOICES)}")
    if len(steps) > 1:
        raise UsageError(f"{' and '.join(steps)} cannot be combined; use one of them")
    if {"--learn", "--promote"} & set(steps) and strategy != "all":
        raise UsageError(
            f"--strategy {strategy} cannot be used here, because a policy is measured against all strategies; remove it"
        )
    if folder is None and "--demote" not in steps:
        raise UsageError("Missing argument 'DATASET_DIR'; see weiwo eval retrieval --help")


def _demote(folder: str | None, k: int, strategy: str, *, as_json: bool) -> None:
    """Move the router's policy back a stage and save it. With a set, evaluate the policy afterwards."""
    settings = Settings.resolve()
    home = Path(settings.home)
    policy = load_policy(home, settings.embeddings or "").demote(_now())
    save_policy(home, policy)
    if folder is not None:
        _evaluate(folder, k, strategy, as_json=as_json)
    elif as_json:
        write_json({"policy": _policy_json(policy)})
    else:
        hint(_word("stage", policy.version, policy.stage))


def _evaluate(
    folder: str,
    k: int,
    strategy: str,
    *,
    learn: bool = False,
    promote: bool = False,
    share: float | None = None,
    as_json: bool,
) -> None:
    """Evaluate retrieval on a set, optionally train or promote the router's policy, and print the figures.

    Raises:
        CommandError: The evaluation stopped early, or the policy is not good enough to be promoted.
    """
    settings = Settings.resolve()
    home, embeddings = Path(settings.home), settings.embeddings or ""
    dataset = Dataset(locate_dataset(folder))
    model = run(open_embedder(settings, dataset))
    policy = load_policy(home, embeddings if model is not None else "")
    evaluation = run(_compare(home, dataset, model, policy, k, strategy))
    if evaluation.stopped:
        _print(evaluation, policy, as_json=as_json)
        raise CommandError(f"{evaluation.stopped}; the figures cover these only, and nothing was learned")
    if learn:
        policy, evaluation = _learn(home, dataset, policy, evaluation, k)
    refused = ""
    if promote:
        try:
            policy = policy.promote(evaluation.measure_policy(), _now(), share)
            save_policy(home, policy)
            hint(_word("promoted", policy.version, policy.stage))
        except PolicyError as error:  # the figures say why
            refused = str(error)
    _print(evaluation, policy, as_json=as_json)
    if refused:
        raise CommandError(refused)


def _learn(
    home: Path, dataset: Dataset, policy: RoutingPolicy, evaluation: Evaluation, k: int
) -> tuple[RoutingPolicy, Evaluation]:
    """Train the policy on a set without using it yet (in shadow), at most once per set.

    Returns the policy and the figures of the evaluation. Both are unchanged if there was nothing new to learn.
    """
    observed = evaluation.list_observations()
    if not observed:
        hint(_word("nothing_learned"))
        return policy, evaluation
    step = PolicyStep(what=f"learned from {dataset.name}", at=_now())
    learned = policy.learn(observed, f"{dataset.questions_digest()}-{k}", step)
    if learned.version == policy.version:
        hint(_word("learned_before", policy.version))
        return policy, evaluation
    save_policy(home, learned)
    return learned, evaluation.replay_policy(learned)


async def open_embedder(settings: Settings, dataset: Dataset) -> Embedder | None:
    """Load the configured embedding model, or return None if searches must do without.

    That is so if none is set, or if the model does not know the languages of the documents.
    """
    if settings.embeddings is None:
        return None
    model = await asyncio.to_thread(load_embedder, settings.embeddings)
    found = await asyncio.to_thread(measure_languages, model)
    known = LanguageFit(model.name, found, await asyncio.to_thread(count_languages, dataset))
    if known.warning:
        hint(known.warning)
    return model if known.is_trusted else None


async def _compare(
    home: Path, dataset: Dataset, model: Embedder | None, policy: RoutingPolicy, k: int, strategy: str
) -> Evaluation:
    watch = tell_stages()
    folder = await asyncio.to_thread(index_dataset, dataset, home, model, watch)
    corpus = await asyncio.to_thread(RoutedCorpus, folder, lambda: policy, embedder=model)
    try:
        return await compare_strategies(dataset, corpus, k, tuple(CHOICES) if strategy == "all" else (strategy,), watch)
    finally:
        corpus.close()


def _policy_json(policy: RoutingPolicy) -> dict[str, Any]:
    """Return a policy as JSON, without the sets used for training."""
    return policy.model_dump(mode="json", exclude={"sources"})


def _print(evaluation: Evaluation, policy: RoutingPolicy, *, as_json: bool) -> None:
    if not as_json:
        _print_figures(screen(), evaluation, policy)
        return
    found = evaluation.as_json()
    if evaluation.whole:
        found["policy"] = {**_policy_json(policy), "held_out": evaluation.measure_policy().model_dump(mode="json")}
    write_json(found)


def _print_figures(console: Console, evaluation: Evaluation, policy: RoutingPolicy) -> None:
    found = evaluation.as_json()
    heads = (*(f"{name}@{evaluation.k}" for name in ("recall", "all", "hit")), "NDCG@10", "MRR", "p50 ms")
    table = figures_table(_word("strategy"), *heads, _word("vector_calls"))
    rows = dict(found["strategies"]) | ({"oracle": found["oracle"]} if evaluation.whole else {})
    for name, figures in rows.items():
        shown = [f"{figures[column]:.3f}" for column in _COLUMNS[:-2]]
        table.add_row(name, *shown, f"{figures['p50_ms']:.1f}", f"{figures['vector_calls']:,}")
    console.print(_word("head", evaluation.dataset, len(evaluation.answered)))
    console.print(table)
    if not evaluation.whole:
        return
    router, held = found["router"], evaluation.measure_policy()
    told = _word("auto", router["difference"], evaluation.k, *router["interval"], router["regret"])
    console.print(told, soft_wrap=True)
    proved = _word("policy", policy.version, policy.stage, held.questions, held.difference, held.low, held.high)
    console.print(proved if policy.segments else _word("no_policy"), soft_wrap=True)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _label(target: str, judge: str | None = None) -> None:
    """Ask for a judgement of each unjudged candidate. Every judgement is saved at once."""
    folder = Path(target).expanduser()
    left, done = read_candidates(folder)
    if left and judge is None and not sys.stdin.isatty():
        raise UsageError(f"{target}: {len(left):,} documents need judging; use a terminal, or --judge MODEL")
    try:
        judged = _ask_each(folder, left) if judge is None else _ask_model(folder, left, judge)
    except DatasetError as error:
        raise CommandError(str(error)) from error
    if judged < len(left):
        hint(_word("judged", done + judged, len(left) - judged, target))
    else:
        hint(_word("all_judged", done + judged, target))


def _ask_model(folder: Path, left: list[Candidate], name: str) -> int:
    """Let a model judge the candidates, and return the number of judgements.

    The model sees the same excerpts that a person would see, with one call per question. A question is skipped if the
    model gives no usable reply.
    """
    judge, judged = ModelJudge(Context(), name), 0

    async def work() -> None:
        nonlocal judged
        for _, those in groupby(left, key=lambda candidate: candidate.query_id):
            candidates = list(those)
            query = candidates[0].query
            shown = [
                f"{candidate.document.title}\n{_draw(candidate, detect_language(query)).plain}"
                for candidate in candidates
            ]
            if (answering := await judge.find_answering(query, shown)) is None:
                continue
            for at, item in enumerate(candidates):
                append_judgement(folder, item, answers=at in answering)
            judged += len(candidates)

    try:
        run(work())
    except InterruptedRunError as stopped:
        again = f"to continue, run weiwo eval retrieval {folder} --label --judge {name}"
        raise CommandError(f"stopped; judgements are saved; {again}", stopped.code) from None
    if judge.failed and not judged:
        raise CommandError(f"--judge {name} judged nothing: {one_line(judge.why, 200)}")
    return judged


def _ask_each(folder: Path, left: list[Candidate]) -> int:
    """Ask the user to judge each candidate, and return the number of judgements."""
    judged, query = 0, ""
    with conversation(f"stopped; judgements are saved; to continue, run weiwo eval retrieval {folder} --label"):
        for at, candidate in enumerate(left, 1):
            language = detect_language(candidate.query)
            said = localized_section("cli.evaluation")[language]
            if candidate.query_id != query:
                terminal().print(Text(f"\n{said['asked_question']}: {one_line(candidate.query, 500)}", "bold"))
                query = candidate.query_id
            name = one_line(candidate.document.title or candidate.document.id)
            terminal().print(Text(f"\n{said['asked_document']} {at:,}/{len(left):,}: {name}", "dim"))
            terminal().print(_draw(candidate, language))
            while (reply := read_line(said["asked_prompt"]).casefold()) not in YES | NO | _SKIP | _QUIT:
                pass
            if reply in _QUIT:
                break
            if reply in YES | NO:
                append_judgement(folder, candidate, answers=reply in YES)
                judged += 1
    return judged


def _draw(candidate: Candidate, language: Language) -> Text:
    """Render the part of a document that fits the question, with the best sentences in bold."""
    text = candidate.document.text[:_LONGEST_DOCUMENT]
    evidence = Evidence(
        id="1", text=text, source=candidate.document.id, title=candidate.document.title, rank=1, score=1.0
    )
    found = choose_extracts(parse_question(candidate.query, language), [evidence], passages_shown=1)
    return render_passage(found.items[0].model_dump()) if found.items else Text(one_line(text, 600))
