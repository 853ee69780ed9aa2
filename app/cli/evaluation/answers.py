"""`weiwo eval answers`: questions with known answers, asked of Weiwo and, with `--baseline`, of plainer systems."""

import asyncio
import hashlib
import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from weiwo.app.cli.documents.evaluate import open_embedder, tell_progress
from weiwo.app.cli.errors import CommandError, UsageError
from weiwo.app.cli.evaluation.answers_table import print_answers
from weiwo.app.cli.event_loop import InterruptedRunError, run
from weiwo.app.cli.output import hint, is_terminal, page, terminal, write_json
from weiwo.app.evaluation.experiment import Experiment, ExperimentError
from weiwo.app.evaluation.question_set import QuestionSet, read_question_set
from weiwo.models.errors import ModelUnavailableError
from weiwo.state.settings import Context, Settings
from weiwo.tools.corpus.base import CorpusError
from weiwo.tools.corpus.evaluation.dataset import DatasetError

if TYPE_CHECKING:
    from weiwo.app.evaluation.experiment import Listener

_BASELINES: Final = ("extracts", "rag", "react")
_NEED_A_MODEL: Final = frozenset({"rag", "react"})
_KEYS: Final = ("LANGSMITH_API_KEY", "LANGCHAIN_API_KEY")
_LINE_SECONDS: Final = 5.0


@dataclass(frozen=True)
class AnswersOptions:
    """What was typed.

    Attributes:
        limit: The first so many questions; None: all.
        baseline: Whether plainer systems are asked, too.
        judge: A model that grades what matching cannot, as provider:model.
        output: The folder of results; None: one below Weiwo's home.
        resume: Go on with a folder of results.
        langsmith: Send set and results to LangSmith.
        as_json: Print one object.
    """

    limit: int | None = None
    baseline: bool = False
    judge: str | None = None
    output: str | None = None
    resume: bool = False
    langsmith: bool = False
    as_json: bool = False


def answers_command(target: str, context: Context, options: AnswersOptions) -> None:
    """Evaluate answers, or show the results of a folder again.

    Args:
        target: A question set, or a folder of results.
        context: Model, depth, corpus and web, where the person set these.
        options: The rest.

    Raises:
        UsageError: The set is none, the options do not go together, or a key is missing.
        CommandError: The corpus, the model or the folder cannot be used, or the person stopped it.
    """
    path = Path(target).expanduser()
    try:
        if (path / "config.json").is_file() and not (path / "queries.jsonl").exists():
            _show(Experiment.open(path).summary(), as_json=options.as_json)
            return
        if options.langsmith and not any(os.environ.get(key) for key in _KEYS):
            raise UsageError("--langsmith; no LANGSMITH_API_KEY is set; set it, or leave --langsmith out")
        found = read_question_set(path)
        experiment = _run(found, _context_over(found, context), options)
    except DatasetError as error:
        raise UsageError(str(error)) from error
    except (CorpusError, ExperimentError, ModelUnavailableError) as error:
        raise CommandError(str(error)) from error
    _show(experiment.summary(), as_json=options.as_json)
    hint(f"results are in {experiment.folder}")
    if options.langsmith:
        _send(found, experiment, options.limit)


def _context_over(questions: QuestionSet, context: Context) -> Context:
    """The options of each run: over documents of its own the web is not asked; telemetry and people stay out of it."""
    own = questions.dataset is not None or questions.documents is not None
    if own and context.corpus:
        raise UsageError("--corpus; the set has documents of its own; leave it out")
    fixed: dict[str, Any] = {"telemetry": False, "approve_plan": False, **({"web": False} if own else {})}
    if questions.documents is not None:
        fixed["corpus"] = [str(questions.documents)]
    return context.model_copy(update=fixed)


def _run(found: QuestionSet, context: Context, options: AnswersOptions) -> Experiment:
    settings = Settings.resolve(context)
    systems = _choose_systems(settings, baseline=options.baseline)
    config = _describe(found, settings, systems, options)
    experiment = _open(Path(settings.home), config, options)
    questions = found.questions[: options.limit]

    async def work() -> None:
        from weiwo.app.evaluation.judge import ModelJudge  # noqa: PLC0415 - heavy
        from weiwo.app.evaluation.systems import open_systems  # noqa: PLC0415 - heavy

        within = context
        if found.dataset is not None:
            within = context.model_copy(update={"corpus": [await _index(found, settings)]})
        judge = ModelJudge(within, options.judge) if options.judge else None
        asked = await open_systems(systems, within)
        await experiment.run(questions, asked, judge, _make_listener())
        if judge is not None and judge.failed:
            hint(f"the judge could not grade {judge.failed:,} answers; right_judged counts them as wrong")

    try:
        run(work())
    except InterruptedRunError as stopped:
        again = f"go on with --resume --output {experiment.folder}"
        raise CommandError(f"stopped; what was answered is kept; {again}", stopped.code) from None
    return experiment


def _choose_systems(settings: Settings, *, baseline: bool) -> list[str]:
    if not baseline:
        return ["weiwo"]
    if settings.models.get("writer"):
        return ["weiwo", *_BASELINES]
    hint("rag and react are left out: they need a model, and none is configured; weiwo setup finds one")
    return ["weiwo", *(name for name in _BASELINES if name not in _NEED_A_MODEL)]


def _describe(
    found: QuestionSet, settings: Settings, systems: Sequence[str], options: AnswersOptions
) -> dict[str, Any]:
    """What `config.json` says; two experiments whose `same` agrees can go on from each other."""
    try:
        weiwo = version("weiwo")
    except PackageNotFoundError:
        weiwo = "unknown"
    same = {
        "dataset": found.name,
        "questions_digest": found.digest(),
        "documents_digest": found.dataset.digest() if found.dataset is not None else "",
        "systems": list(systems),
        "models": dict(settings.models),
        "judge": options.judge,
        "depth": settings.depth,
        "limits": settings.limits.model_dump(mode="json"),
        "corpus": list(settings.corpus),
        "web": settings.web,
        "embeddings": settings.embeddings,
    }
    whole = json.dumps(same, sort_keys=True, ensure_ascii=False)
    return {
        **same,
        "weiwo": weiwo,
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "limit": options.limit,
        "same": hashlib.sha256(whole.encode()).hexdigest()[:16],
    }


def _open(home: Path, config: Mapping[str, Any], options: AnswersOptions) -> Experiment:
    """Begin an experiment, or go on with one.

    Raises:
        ExperimentError: The folder holds something else.
    """
    parent = home / "evaluation" / "answers"
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
            told = ", ".join(key for key in different if key not in {"same", "started", "limit", "weiwo"})
            raise ExperimentError(f"{folder}: it was made with another {told}; give the same, or another --output")
        return experiment
    for folder in sorted(parent.glob("*"), key=lambda one: one.name[-22:], reverse=True):
        if (folder / "config.json").exists() and Experiment.open(folder).config["same"] == config["same"]:
            hint(f"going on with {folder}")
            return Experiment.open(folder)
    raise ExperimentError("--resume: there are no results of this set with these settings; leave it out")


async def _index(found: QuestionSet, settings: Settings) -> str:
    """Index the set's documents under a name, once; `weiwo ask --corpus NAME` then asks over the same."""
    from weiwo.tools.corpus.evaluation.dataset_index import index_by_name  # noqa: PLC0415 - heavy

    if found.dataset is None:
        raise AssertionError("a set without documents has nothing to index")
    model = await open_embedder(settings, found.dataset)
    return await asyncio.to_thread(index_by_name, found.dataset, Path(settings.home), model, tell_progress())


def _make_listener() -> "Listener":
    """One line of progress on standard error: in place on a terminal, a line now and then elsewhere."""
    drawn, begun = sys.stderr.isatty(), time.monotonic()
    told = begun
    first: list[int] = []

    def tell(done: int, total: int, right: Mapping[str, Any]) -> None:
        nonlocal told
        first.append(done)
        if not drawn and done < total and time.monotonic() - told < _LINE_SECONDS:
            return
        told = time.monotonic()
        asked = max(1, done - first[0] + 1)
        left = (told - begun) / asked * (total - done)
        counts = ", ".join(f"{name} {count:,}" for name, count in right.items())
        line = f"{done:,} of {total:,} · right: {counts} · about {left / 60:,.0f} min left"
        if drawn:
            sys.stderr.write(f"\r\033[K{line}" + "\n" * (done == total))
            sys.stderr.flush()
        else:
            hint(line)

    return tell


def _show(summary: Mapping[str, Any], *, as_json: bool) -> None:
    if as_json:
        write_json(summary)
    else:
        print_answers(terminal() if is_terminal() else page(), summary)


def _send(found: QuestionSet, experiment: Experiment, limit: int | None) -> None:
    """Send the set and the results to LangSmith.

    Raises:
        CommandError: It does not take them.
    """
    from langsmith import Client  # noqa: PLC0415 - heavy
    from langsmith.utils import LangSmithError  # noqa: PLC0415 - heavy

    from weiwo.app.evaluation.langsmith_upload import upload_experiment  # noqa: PLC0415 - heavy

    name = f"{found.name}-{experiment.config['questions_digest'][:8]}"
    try:
        sent = upload_experiment(Client(), name, found.questions[:limit], experiment.rows())
    except (LangSmithError, OSError, ValueError) as error:
        raise CommandError(f"--langsmith: {error}; the results are kept in {experiment.folder}") from None
    hint(f"sent to LangSmith: dataset {name}, experiments {', '.join(sent)}")
