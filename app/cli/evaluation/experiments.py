"""Experiments of the command: a set asked of systems, in a folder of results that a killed one goes on from."""

import asyncio
import hashlib
import json
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weiwo.app.cli.errors import CommandError, UsageError
from weiwo.app.cli.evaluation.retrieval import open_embedder
from weiwo.app.cli.evaluation.words import word
from weiwo.app.cli.event_loop import InterruptedRunError, run
from weiwo.app.cli.output import hint
from weiwo.app.cli.progress_line import ProgressLine, tell_stages
from weiwo.app.evaluation.experiment import Experiment, ExperimentError, Score
from weiwo.app.evaluation.question_set import QuestionSet, read_question_set
from weiwo.models.errors import ModelUnavailableError
from weiwo.state.settings import Context, Settings
from weiwo.tools.corpus.base import CorpusError
from weiwo.tools.corpus.evaluation.dataset import DatasetError

if TYPE_CHECKING:
    from weiwo.app.evaluation.experiment import Listener
    from weiwo.app.evaluation.systems import System


@dataclass(frozen=True)
class ExperimentOptions:
    """What was typed.

    Attributes:
        limit: The first so many questions; None: all.
        judge: A model that grades what matching cannot, as provider:model.
        output: The folder of results; None: one below Weiwo's home.
        resume: Go on with a folder of results.
        as_json: Print one object.
    """

    limit: int | None = None
    judge: str | None = None
    output: str | None = None
    resume: bool = False
    as_json: bool = False


@dataclass(frozen=True)
class Design:
    """What an experiment asks, of whom, and how it is scored.

    Attributes:
        kind: Its name, and that of the folder its results are kept in.
        systems: The names of the systems.
        open: Opens them, for the options of each run.
        score: Makes what scores an answer, for the options of each run.
        count: What the line of progress tells of the rows so far.
        particulars: What else has to be the same for an experiment to go on from another.
    """

    kind: str
    systems: Sequence[str]
    open: "Callable[[Context], Awaitable[Mapping[str, System]]]"
    score: Callable[[Context], Score]
    count: Callable[[Sequence[Mapping[str, Any]]], str]
    particulars: Mapping[str, Any] = field(default_factory=dict)


def open_results(target: str, kind: str) -> Experiment | None:
    """A folder of results to show again; None where the target is a set.

    Raises:
        UsageError: The results are of another command.
        CommandError: The folder is broken.
    """
    path = Path(target).expanduser()
    if not (path / "config.json").is_file() or (path / "queries.jsonl").exists():
        return None
    try:
        experiment = Experiment.open(path)
    except ExperimentError as error:
        raise CommandError(str(error)) from error
    made_by = experiment.config.get("kind", "answers")
    if made_by != kind:
        raise UsageError(f"{target}: these are results of weiwo eval {made_by}; show them with that")
    return experiment


def run_experiment(
    target: str, context: Context, options: ExperimentOptions, make_design: Callable[[QuestionSet, Settings], Design]
) -> tuple[QuestionSet, Experiment]:
    """Ask a set, or what of it has not been asked yet.

    Args:
        target: The set.
        context: Model, depth, corpus and web, where the person set these.
        options: The rest.
        make_design: Makes the design for a set under the settings in force.

    Raises:
        UsageError: The set is none, or the options do not go together.
        CommandError: The corpus, the model or the folder cannot be used, or the person stopped it.
    """
    try:
        found = read_question_set(Path(target).expanduser())
        within = _context_over(found, context)
        return found, _run(found, within, options, make_design(found, Settings.resolve(within)))
    except DatasetError as error:
        raise UsageError(str(error)) from error
    except (CorpusError, ExperimentError, ModelUnavailableError) as error:
        raise CommandError(str(error)) from error


def _context_over(questions: QuestionSet, context: Context) -> Context:
    """The options of each run: over documents of its own the web is not asked; telemetry and people stay out of it."""
    own = questions.dataset is not None or questions.documents is not None
    if own and context.corpus:
        raise UsageError("--corpus; the set has documents of its own; leave it out")
    fixed: dict[str, Any] = {"telemetry": False, "approve_plan": False, **({"web": False} if own else {})}
    if questions.documents is not None:
        fixed["corpus"] = [str(questions.documents)]
    return context.model_copy(update=fixed)


def _run(found: QuestionSet, context: Context, options: ExperimentOptions, design: Design) -> Experiment:
    settings = Settings.resolve(context)
    config = _describe(found, settings, design, options)
    experiment = _open(Path(settings.home), config, options)
    questions = found.questions[: options.limit]

    async def work() -> None:
        within = context
        if found.dataset is not None:
            within = context.model_copy(update={"corpus": [await _index(found, settings)]})
        asked = await design.open(within)
        await experiment.run(questions, asked, design.score(within), _make_listener(design.count))

    try:
        run(work())
    except InterruptedRunError as stopped:
        again = f"go on with --resume --output {experiment.folder}"
        raise CommandError(f"stopped; what was answered is kept; {again}", stopped.code) from None
    return experiment


def _describe(found: QuestionSet, settings: Settings, design: Design, options: ExperimentOptions) -> dict[str, Any]:
    """What `config.json` says; two experiments whose `same` agrees can go on from each other."""
    try:
        weiwo = version("weiwo")
    except PackageNotFoundError:
        weiwo = "unknown"
    same = {
        "dataset": found.name,
        "questions_digest": found.digest(),
        "documents_digest": found.dataset.digest() if found.dataset is not None else "",
        "systems": list(design.systems),
        "models": dict(settings.models),
        "judge": options.judge,
        "depth": settings.depth,
        "limits": asdict(settings.limits),
        "corpus": list(settings.corpus),
        "web": settings.web,
        "embeddings": settings.embeddings,
        **design.particulars,
    }
    whole = json.dumps(same, sort_keys=True, ensure_ascii=False)
    return {
        **same,
        "kind": design.kind,
        "weiwo": weiwo,
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "limit": options.limit,
        "same": hashlib.sha256(whole.encode()).hexdigest()[:16],
    }


def _open(home: Path, config: Mapping[str, Any], options: ExperimentOptions) -> Experiment:
    """Begin an experiment, or go on with one.

    Raises:
        ExperimentError: The folder holds something else.
    """
    parent = home / "evaluation" / str(config["kind"])
    if not options.resume:
        stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
        folder = Path(options.output).expanduser() if options.output else parent / f"{config['dataset']}-{stamp}"
        return Experiment.create(folder, config)
    if options.output is not None:
        folder = Path(options.output).expanduser()
        if not (folder / "config.json").exists():
            return Experiment.create(folder, config)
        experiment = Experiment.open(folder)
        if experiment.config["same"] != config["same"]:
            different = [key for key, value in config.items() if experiment.config.get(key) != value]
            told = ", ".join(key for key in different if key not in {"kind", "same", "started", "limit", "weiwo"})
            raise ExperimentError(f"{folder}: it was made with another {told}; give the same, or another --output")
        return experiment
    for folder in sorted(parent.glob("*"), key=lambda one: one.name[-22:], reverse=True):
        if (folder / "config.json").exists() and Experiment.open(folder).config["same"] == config["same"]:
            hint(word("going_on", folder))
            return Experiment.open(folder)
    raise ExperimentError("--resume: there are no results of this set with these settings; leave it out")


async def _index(found: QuestionSet, settings: Settings) -> str:
    """Index the set's documents under a name, once; `weiwo ask --corpus NAME` then asks over the same."""
    from weiwo.tools.corpus.evaluation.dataset_index import index_by_name  # noqa: PLC0415 - heavy

    if found.dataset is None:
        raise AssertionError("a set without documents has nothing to index")
    model = await open_embedder(settings, found.dataset)
    return await asyncio.to_thread(index_by_name, found.dataset, Path(settings.home), model, tell_stages())


def _make_listener(count: Callable[[Sequence[Mapping[str, Any]]], str]) -> "Listener":
    """How many questions are answered, and when the others will be."""
    progress, begun = ProgressLine(), time.monotonic()
    first: list[int] = []

    def tell(done: int, total: int, rows: Sequence[Mapping[str, Any]]) -> None:
        first.append(done)
        if done < total and not progress.is_due():
            return
        asked = max(1, done - first[0] + 1)
        left = (time.monotonic() - begun) / asked * (total - done)
        soon = "" if done == total else word("soon") if left < 60 else word("left", left / 60)
        progress.tell(word("progress", done, total, count(rows)) + soon, last=done == total)

    return tell
