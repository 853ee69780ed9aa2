"""`weiwo eval retrieval`: how well the documents of a labelled set are found, and what the router may learn of it."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console

from weiwo.app.cli.errors import CommandError, UsageError
from weiwo.app.cli.evaluation.words import word
from weiwo.app.cli.event_loop import InterruptedRunError, run
from weiwo.app.cli.output import hint, screen, write_json
from weiwo.app.cli.progress_line import tell_stages
from weiwo.app.render.figures_table import figures_table
from weiwo.state.settings import Settings
from weiwo.tools.corpus.base import CorpusError
from weiwo.tools.corpus.evaluation.dataset import Dataset, DatasetError, locate_dataset
from weiwo.tools.corpus.retrieval.routing_policy import PolicyError, PolicyStep, RoutingPolicy, load_policy, save_policy

if TYPE_CHECKING:
    from weiwo.tools.corpus.evaluation.strategy_comparison import Evaluation
    from weiwo.tools.corpus.index.embedding_models import Embedder

_COLUMNS: Final = ("recall", "all", "hit", "ndcg10", "mrr", "p50_ms", "vector_calls")


def eval_command(
    folder: str | None,
    *,
    k: int,
    strategy: str,
    learn: bool,
    promote: bool,
    demote: bool,
    share: float | None,
    as_json: bool,
) -> None:
    """Evaluate retrieval over a set, and let the router's policy learn, rise or step back.

    Args:
        folder: The set; None only with `demote`.
        k: How many documents count for recall, all and hit.
        strategy: "all", or one of the strategies.
        learn: Whether the policy in shadow learns from the set.
        promote: Whether the policy takes a step up, if the set speaks for it.
        demote: Whether it takes a step back.
        share: The share of the questions that a policy on trial decides, with `promote`.
        as_json: Print one object.

    Raises:
        UsageError: The options do not go together, or the set is none.
        CommandError: Embeddings fail, the index cannot be written, or the policy cannot take the step.
    """
    _check(folder, strategy, learn=learn, promote=promote, demote=demote, share=share)
    settings = Settings.resolve()
    home, embeddings = Path(settings.home), settings.embeddings or ""
    try:
        policy = load_policy(home, embeddings)
        if demote:
            policy = policy.demote(_now())
            save_policy(home, policy)
        if folder is None:
            _print_policy(policy, as_json=as_json)
            return
        dataset = Dataset(locate_dataset(folder))
        model = run(open_embedder(settings, dataset))
        if model is None and embeddings:
            policy = load_policy(home, "")
        evaluation = run(_evaluated(home, dataset, model, policy, k, strategy))
        _check_whole(evaluation, policy, as_json=as_json)
        if learn:
            policy, evaluation = _learn(home, dataset, policy, evaluation, k)
        refused = ""
        if promote:
            try:
                policy = policy.promote(evaluation.measure_policy(), _now(), share)
                save_policy(home, policy)
                hint(word("promoted", policy.version, policy.stage))
            except PolicyError as error:  # the figures say why
                refused = str(error)
        _print(evaluation, policy, as_json=as_json)
        if refused:
            raise CommandError(refused)
    except DatasetError as error:
        raise UsageError(str(error)) from error
    except (CorpusError, PolicyError) as error:
        raise CommandError(str(error)) from error
    except InterruptedRunError as stopped:
        raise CommandError("stopped; what was indexed is kept", stopped.code) from None


def _learn(
    home: Path, dataset: Dataset, policy: RoutingPolicy, evaluation: "Evaluation", k: int
) -> "tuple[RoutingPolicy, Evaluation]":
    """Let the policy in shadow learn from a set, once; the figures are then those of what it has learned."""
    observed = evaluation.list_observations()
    if not observed:
        hint(word("nothing_learned"))
        return policy, evaluation
    step = PolicyStep(what=f"learned from {dataset.name}", at=_now())
    learned = policy.learn(observed, f"{dataset.questions_digest()}-{k}", step)
    if learned.version == policy.version:
        hint(word("learned_before", policy.version))
        return policy, evaluation
    save_policy(home, learned)
    return learned, evaluation.replay_policy(learned)


def _check(folder: str | None, strategy: str, *, learn: bool, promote: bool, demote: bool, share: float | None) -> None:
    from weiwo.tools.corpus.evaluation.strategy_comparison import CHOICES  # noqa: PLC0415 - heavy

    if strategy not in {"all", *CHOICES}:
        raise UsageError(f"--strategy {strategy!r}; there is none; choose all, {', '.join(CHOICES)}")
    if learn + promote + demote > 1:
        raise UsageError("--learn, --promote and --demote; they change the policy in different ways; give one of them")
    if (learn or promote) and strategy != "all":
        raise UsageError(f"--strategy {strategy}; a policy is judged by all of them; leave it out")
    if share is not None and not promote:
        raise UsageError("--share; it says how much a promoted policy decides on trial; give it with --promote")
    if folder is None and not demote:
        raise UsageError("Missing argument 'DATASET_DIR'; see weiwo eval retrieval --help")


async def open_embedder(settings: Settings, dataset: Dataset) -> "Embedder | None":
    """The embedding model that a user of these documents would get."""
    from weiwo.tools.corpus.evaluation.dataset_index import count_languages  # noqa: PLC0415 - heavy
    from weiwo.tools.corpus.index.embedding_models import load_embedder  # noqa: PLC0415 - heavy
    from weiwo.tools.corpus.index.language_fit import LanguageFit, measure_languages  # noqa: PLC0415 - heavy

    if settings.embeddings is None:
        return None
    model = await asyncio.to_thread(load_embedder, settings.embeddings)
    found = await asyncio.to_thread(measure_languages, model)
    known = LanguageFit(model.name, found, await asyncio.to_thread(count_languages, dataset))
    if known.warning:
        hint(known.warning)
    return model if known.trusted else None


async def _evaluated(
    home: Path, dataset: Dataset, model: "Embedder | None", policy: RoutingPolicy, k: int, strategy: str
) -> "Evaluation":
    from weiwo.tools.corpus.evaluation.dataset_index import index_dataset  # noqa: PLC0415 - heavy
    from weiwo.tools.corpus.evaluation.strategy_comparison import CHOICES, compare_strategies  # noqa: PLC0415 - heavy
    from weiwo.tools.corpus.retrieval.indexed_corpus import IndexedCorpus  # noqa: PLC0415 - heavy
    from weiwo.tools.corpus.retrieval.routed_corpus import RoutedCorpus  # noqa: PLC0415 - heavy

    watch = tell_stages()
    folder = await asyncio.to_thread(index_dataset, dataset, home, model, watch)
    corpus = RoutedCorpus(await asyncio.to_thread(IndexedCorpus, folder, embedder=model), lambda: policy)
    try:
        return await compare_strategies(dataset, corpus, k, tuple(CHOICES) if strategy == "all" else (strategy,), watch)
    finally:
        corpus.close()


def _check_whole(evaluation: "Evaluation", policy: RoutingPolicy, *, as_json: bool) -> None:
    """Print what there is of an evaluation that was stopped, and learn nothing from it.

    Raises:
        CommandError: It was.
    """
    if evaluation.stopped:
        _print(evaluation, policy, as_json=as_json)
        raise CommandError(f"{evaluation.stopped}; the figures are of these alone, and nothing was learned")


def evaluation_json(evaluation: "Evaluation", policy: RoutingPolicy) -> dict[str, Any]:
    """The figures and the policy as one object."""
    found = evaluation.as_json()
    if evaluation.whole:
        found["policy"] = {**policy_json(policy), "held_out": evaluation.measure_policy().model_dump(mode="json")}
    return found


def policy_json(policy: RoutingPolicy) -> dict[str, Any]:
    """What a policy is, without the sets it has learned from."""
    return policy.model_dump(mode="json", exclude={"sources"})


def _print(evaluation: "Evaluation", policy: RoutingPolicy, *, as_json: bool) -> None:
    if as_json:
        write_json(evaluation_json(evaluation, policy))
    else:
        _print_figures(screen(), evaluation, policy)


def _print_figures(console: Console, evaluation: "Evaluation", policy: RoutingPolicy) -> None:
    found = evaluation.as_json()
    heads = (*(f"{name}@{evaluation.k}" for name in ("recall", "all", "hit")), "NDCG@10", "MRR", "p50 ms")
    table = figures_table(word("strategy"), *heads, word("vector_calls"))
    rows = dict(found["strategies"]) | ({"oracle": found["oracle"]} if evaluation.whole else {})
    for name, figures in rows.items():
        shown = [f"{figures[column]:.3f}" for column in _COLUMNS[:-2]]
        table.add_row(name, *shown, f"{figures['p50_ms']:.1f}", f"{figures['vector_calls']:,}")
    console.print(word("head", evaluation.dataset, len(evaluation.answered)))
    console.print(table)
    if not evaluation.whole:
        return
    router, held = found["router"], evaluation.measure_policy()
    told = word("auto", router["difference"], evaluation.k, *router["interval"], router["regret"])
    console.print(told, soft_wrap=True)
    proved = word("policy", policy.version, policy.stage, held.questions, held.difference, held.low, held.high)
    console.print(proved if policy.segments else word("no_policy"), soft_wrap=True)


def _print_policy(policy: RoutingPolicy, *, as_json: bool) -> None:
    if as_json:
        write_json({"policy": policy_json(policy)})
    else:
        hint(word("stage", policy.version, policy.stage))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
