"""`weiwo eval answers`: questions with known answers, asked of Weiwo and, with `--baseline`, of plainer systems."""

import asyncio
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.console import Console
from rich.table import Table

from weiwo.app.cli.errors import CommandError, UsageError
from weiwo.app.cli.evaluation.retrieval import open_embedder
from weiwo.app.cli.event_loop import InterruptedRunError, run
from weiwo.app.cli.options import Json, takes_context
from weiwo.app.cli.output import hint, screen, write_json
from weiwo.app.cli.progress_line import ProgressLine, tell_stages
from weiwo.app.evaluation.experiment import (
    Experiment,
    ExperimentError,
    Listener,
    describe_experiment,
    name_folder,
)
from weiwo.app.evaluation.judge import LEAST_AGREEMENT, ModelJudge
from weiwo.app.evaluation.question_set import Question, QuestionSet, read_question_set
from weiwo.app.evaluation.scoring import AnswerScorer, System
from weiwo.app.evaluation.summary import FACT_MEANS, FACT_RATES, MEANS, RATES, count_right, summarize
from weiwo.app.evaluation.systems import WeiwoSystem, load_baselines
from weiwo.app.render.labels import in_system_language
from weiwo.app.render.search_results import figures_table
from weiwo.models.errors import ModelUnavailableError
from weiwo.state.settings import Context, Settings
from weiwo.text.localization import localized_section
from weiwo.tools.corpus.base import CorpusError
from weiwo.tools.corpus.evaluation.dataset import DatasetError
from weiwo.tools.corpus.evaluation.dataset_index import index_dataset

app = typer.Typer()

_word: Final = in_system_language(localized_section("cli.evaluation"))

_SHARES: Final = ("right", "right_judged", *RATES[1:], *FACT_RATES)
_MEANS: Final = (*MEANS, *FACT_MEANS, "seconds_p50", "seconds_p95", "errors")
_FORMATS: Final = {
    "calls": ".1f",
    "tool_calls": ".1f",
    "effective_citations": ".1f",
    "stale": ".2f",
    "seconds_p50": ".2f",
    "seconds_p95": ".2f",
    "cost": ".4f",
}
"""Number formats of means. Other means are written as whole numbers."""


@dataclass(frozen=True)
class _Options:
    """The options of `weiwo eval answers` as typed.

    Attributes:
        limit: How many questions are asked. None asks all.
        steps: Limits of tool calls. Each is measured as a system of its own.
        baseline: Whether a baseline is compared too.
        judge: The model that grades the answers, if any.
        output: The folder for results.
        resume: Whether an earlier experiment is continued.
    """

    limit: int | None
    steps: Sequence[int]
    baseline: bool
    judge: str | None
    output: Path | None
    resume: bool


@app.command()
@takes_context("model", "depth", "corpus", "web")
def answers(  # noqa: PLR0913 - each option is a parameter
    target: Annotated[
        str,
        typer.Argument(
            metavar="SET",
            help="A BEIR-shaped folder whose queries have answers or facts, a folder with documents/ and"
            " questions.jsonl, a file of JSON lines, or a folder of results.",
        ),
    ],
    *,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Use only the first N questions.")] = None,
    limits: Annotated[
        str | None,
        typer.Option("--limits", metavar="N,N,…", help="Maximum tool calls per answer: each limit is measured."),
    ] = None,
    baseline: Annotated[
        bool,
        typer.Option(
            "--baseline", help="Also measure plain RAG and a ReAct loop with the same model, search and limits."
        ),
    ] = False,
    judge: Annotated[
        str | None,
        typer.Option(
            "--judge",
            metavar="PROVIDER:MODEL",
            help="Let this model grade answers that word matching cannot, if it grades 90 % of known answers "
            "correctly.",
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option("--output", metavar="FOLDER", help="The folder for results. Default: below WEIWO_HOME."),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue an evaluation that was stopped.")] = False,
    json: Json = False,
    context: Any,
) -> None:
    """Evaluate answers: accuracy, citations, shown passages, facts, stale values and cost."""
    experiment = _open_results(target)
    if experiment is None:
        if baseline and limits:
            raise UsageError(
                "--baseline and --limits cannot be combined, because baselines have one limit; use one of them"
            )
        folder = Path(output).expanduser() if output else None
        options = _Options(limit, _read_limits(limits), baseline, judge, folder, resume)
        experiment = _ask(target, context, options)
        hint(_word("results", experiment.folder))
    try:
        summary = experiment.summary(summarize)
    except ExperimentError as error:
        raise CommandError(str(error)) from error
    if json:
        write_json(summary)
    else:
        _print_answers(screen(), summary)


def _open_results(target: str) -> Experiment | None:
    """Open a folder of results to show them again. Returns None for a question set.

    Raises:
        CommandError: The results cannot be read, or come from version 0.1.
    """
    path = Path(target).expanduser()
    if not (path / "config.json").is_file() or (path / "queries.jsonl").exists():
        return None
    try:
        experiment = Experiment.open(path)
    except ExperimentError as error:
        raise CommandError(str(error)) from error
    if experiment.config.get("kind", "answers") != "answers":
        raise CommandError(f"{target} has the rows of version 0.1's eval report; its figures are in summary.json")
    return experiment


def _read_limits(limits: str | None) -> list[int]:
    try:
        steps = sorted({int(part) for part in limits.split(",")}) if limits else []
    except ValueError:
        steps = [0]
    if steps and steps[0] < 1:
        raise UsageError(f"--limits {limits!r} is invalid; give numbers of tool calls, such as 2,20,150")
    return steps


def _ask(target: str, context: Context, options: _Options) -> Experiment:
    """Ask the questions of a set that have no recorded answer yet, and return the experiment.

    Raises:
        UsageError: The target is not a set, or the options do not go together.
        CommandError: The corpus, the model, the judge or the folder cannot be used, or the user stopped it.
    """
    try:
        found = read_question_set(Path(target).expanduser())
        within = _context_over(found, context)
        settings = Settings.resolve(within)
        names = _name_systems(options, settings)
        if not settings.models.get("writer") and any(question.open for question in found.questions):
            hint(_word("no_writer"))
        return _run(found, within, names, options)
    except DatasetError as error:
        raise UsageError(str(error)) from error
    except (CorpusError, ExperimentError, ModelUnavailableError) as error:
        raise CommandError(str(error)) from error


def _context_over(questions: QuestionSet, context: Context) -> Context:
    """Return the options with which each question is asked.

    Telemetry and plan approval are off. If the set has its own documents, the web is off too.

    Raises:
        UsageError: A corpus was given for a set that has its own documents.
    """
    own = questions.dataset is not None or questions.documents is not None
    if own and context.corpus:
        raise UsageError("--corpus cannot be used, because the set has its own documents; remove it")
    fixed: dict[str, Any] = {"telemetry": False, "approve_plan": False, **({"web": False} if own else {})}
    if questions.documents is not None:
        fixed["corpus"] = [str(questions.documents)]
    return context.model_copy(update=fixed)


def _name_systems(options: _Options, settings: Settings) -> list[str]:
    if options.steps:
        return [_name_step(step) for step in options.steps]
    if not options.baseline:
        return ["weiwo"]
    known = load_baselines()
    if settings.models.get("writer"):
        return ["weiwo", *known.BASELINES]
    hint(_word("no_baselines"))
    return ["weiwo", *(name for name in known.BASELINES if name not in known.NEED_A_MODEL)]


def _name_step(step: int) -> str:
    return f"{step} tool call" + "s" * (step != 1)


def _open_experiment(found: QuestionSet, settings: Settings, names: Sequence[str], options: _Options) -> Experiment:
    """Create an experiment, or resume an existing experiment."""
    try:
        weiwo = version("weiwo")
    except PackageNotFoundError:
        weiwo = "unknown"
    same = {
        "dataset": found.name,
        "questions_digest": found.digest(),
        "documents_digest": found.dataset.digest() if found.dataset is not None else "",
        "systems": list(names),
        "models": dict(settings.models),
        "judge": options.judge,
        "depth": settings.depth,
        "limits": asdict(settings.limits),
        "corpus": list(settings.corpus),
        "web": settings.web,
        "embeddings": settings.embeddings,
    }
    config = describe_experiment(same, weiwo=weiwo, limit=options.limit)
    parent = Path(settings.home) / "evaluation" / "answers"
    if not options.resume:
        return Experiment.create(options.output or name_folder(parent, found.name), config)
    if options.output is not None:
        return Experiment.resume(options.output, config)
    experiment = Experiment.find(parent, config)
    hint(_word("going_on", experiment.folder))
    return experiment


def _run(found: QuestionSet, context: Context, names: Sequence[str], options: _Options) -> Experiment:
    """Ask the systems, and tell how many answers the judge could not grade."""
    settings, questions = Settings.resolve(context), found.questions[: options.limit]
    judge = ModelJudge(context, options.judge) if options.judge else None
    begun: list[Experiment] = []

    async def work() -> Experiment:
        if judge is not None:  # before the folder is made: another judge may be given for it
            await _check_judge(judge, str(options.judge), questions)
        begun.append(_open_experiment(found, settings, names, options))
        within = context
        if found.dataset is not None:
            # The documents are indexed once, under a name, which `weiwo ask --corpus NAME` then searches, too.
            model = await open_embedder(settings, found.dataset)
            folder = await asyncio.to_thread(index_dataset, found.dataset, Path(settings.home), model, tell_stages())
            within = context.model_copy(update={"corpus": [folder.name]})
        systems = await _open_systems(names, within, options.steps)
        await begun[0].run(questions, systems, AnswerScorer(judge), _make_listener())
        return begun[0]

    try:
        experiment = run(work())
    except InterruptedRunError as stopped:
        again = f"; to continue, use --resume --output {begun[0].folder}" if begun else ""
        raise CommandError(f"stopped; finished answers are saved{again}", stopped.code) from None
    if judge is not None and judge.failed:
        hint(_word("not_graded", judge.failed))
    return experiment


async def _check_judge(judge: ModelJudge, name: str, questions: Sequence[Question]) -> None:
    """Test a judge on known right and wrong answers. This rejects a judge that agrees with everything.

    Raises:
        ExperimentError: The judge grades too few of them correctly.
    """
    agreement = await judge.measure_agreement(questions)
    if agreement < LEAST_AGREEMENT:
        why = f" ({judge.why})" if judge.why else ""
        raise ExperimentError(
            f"--judge {name} grades {agreement:.0%} of known answers correctly, but {LEAST_AGREEMENT:.0%} "
            f"are required{why}; choose another model"
        )
    judge.failed = 0


async def _open_systems(names: Sequence[str], context: Context, steps: Sequence[int]) -> dict[str, System]:
    """Open the systems to compare, by name."""
    if steps:
        limited = {_name_step(step): context.model_copy(update={"max_tool_calls": step}) for step in steps}
        return {name: WeiwoSystem(value) for name, value in limited.items()}
    systems: dict[str, System] = {"weiwo": WeiwoSystem(context)}
    if plain := [name for name in names if name != "weiwo"]:
        systems |= await load_baselines().open_baselines(plain, Settings.resolve(context))
    return systems


def _make_listener() -> Listener:
    """Return a progress reporter with the answered and correct questions and the remaining time."""
    progress, begun = ProgressLine(), time.monotonic()
    first: list[int] = []

    def tell(done: int, total: int, rows: Sequence[Mapping[str, Any]]) -> None:
        first.append(done)
        if done < total and not progress.is_due():
            return
        asked = max(1, done - first[0] + 1)
        left = (time.monotonic() - begun) / asked * (total - done)
        soon = "" if done == total else _word("soon") if left < 60 else _word("left", left / 60)
        progress.tell(_word("progress", done, total, _tell_right(rows)) + soon, last=done == total)

    return tell


def _tell_right(rows: Sequence[Mapping[str, Any]]) -> str:
    told = [float(row["facts"]) for row in rows if row.get("facts") is not None]
    if told:
        return _word("facts_so_far", sum(told) / len(told))
    return _word("right_so_far", ", ".join(f"{name} {count:,}" for name, count in count_right(rows).items()))


def _print_answers(console: Console, summary: Mapping[str, Any]) -> None:
    """Print a summary: shares with 95 % intervals, means per question, then figures by level and by hops."""
    systems = summary["systems"]
    console.print(_word("head_intervals", summary["dataset"], summary["n"]))
    table = figures_table("", *systems)
    _add_shares(table, systems.values())
    _add_means(table, systems.values())
    for kind in ("by_level", "by_hops"):
        _add_sections(table, systems, kind)
    console.print(table)
    for name, differences in summary["differences"].items():
        if told := differences.get("right"):
            console.print(_word("against", name, told["mean"], told["low"], told["high"]), soft_wrap=True)
    verdicts = systems.get("weiwo", {}).get("claims") or {}
    if verdicts:
        console.print(_word("claims", ", ".join(f"{n:,} {verdict}" for verdict, n in verdicts.items())))
    for what, measured in (systems.get("weiwo", {}).get("calibration") or {}).items():
        _print_reliability(console, _word("confidence_of", what), measured)


def _add_shares(table: Table, systems: Iterable[Mapping[str, Any]]) -> None:
    """Add a row for each share from 0 to 1, if any system has it."""
    for name in _SHARES:
        if any(cells := [_format_share(figures, name) for figures in systems]):
            table.add_row(_word(name), *cells)


def _add_means(table: Table, systems: Iterable[Mapping[str, Any]]) -> None:
    """Add a row for each further mean, if any system has a value other than 0.

    Stale values are also shown if all are 0.
    """
    for name in _MEANS:
        values = [figures.get(name) for figures in systems]
        if any(values) or (name == "stale" and None not in values):
            form = _FORMATS.get(name, ",.0f")
            table.add_row(_word(name), *("" if value is None else format(float(value), form) for value in values))


def _add_sections(table: Table, systems: Mapping[str, Any], kind: str) -> None:
    for key in dict.fromkeys(key for figures in systems.values() for key in figures[kind]):
        parts = [figures[kind].get(key) for figures in systems.values()]
        count = next(part["n"] for part in parts if part)
        table.add_row(_word(kind, key, count), *("" if part is None else f"{part['right']:.3f}" for part in parts))


def _format_share(figures: Mapping[str, Any], name: str) -> str:
    value = figures.get(name)
    if value is None:
        return ""
    low, high = figures["intervals"].get(name, (None, None))
    return f"{value:.3f}" if low is None else f"{value:.3f} ({low:.2f}–{high:.2f})"


def _print_reliability(console: Console, title: str, measured: Mapping[str, Any]) -> None:
    """Print how often answers of each confidence were right, below the Brier score and the calibration error."""
    told = _word("reliability", title, measured["n"], measured["brier"], measured["ece"])
    console.print(told, soft_wrap=True)
    table = figures_table(*map(_word, ("confidence", "of", "mean", "right")), texts=0)
    for item in measured["table"]:
        said = _word("to", item["from"], item["to"])
        table.add_row(said, f"{item['n']:,}", f"{item['confidence']:.2f}", f"{item['right']:.2f}")
    console.print(table)
