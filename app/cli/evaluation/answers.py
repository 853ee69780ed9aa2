"""`weiwo eval answers`: questions with known answers, asked of Weiwo and, with `--baseline`, of plainer systems."""

import logging
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any, Final

from weiwo.app.cli.errors import CommandError, UsageError
from weiwo.app.cli.evaluation.experiments import Design, ExperimentOptions, open_results, run_experiment
from weiwo.app.cli.evaluation.systems_table import print_answers
from weiwo.app.cli.evaluation.words import word
from weiwo.app.cli.output import hint, screen, write_json
from weiwo.app.evaluation.answer import AnswerScorer
from weiwo.app.evaluation.experiment import Experiment
from weiwo.app.evaluation.question_set import QuestionSet
from weiwo.app.evaluation.summary import count_right, summarize
from weiwo.state.settings import Context, Settings
from weiwo.tools.printable import one_line

if TYPE_CHECKING:
    from weiwo.app.evaluation.judge import ModelJudge
    from weiwo.app.evaluation.systems import System

_BASELINES: Final = ("extracts", "rag", "react")
_NEED_A_MODEL: Final = frozenset({"rag", "react"})
_KEYS: Final = ("LANGSMITH_API_KEY", "LANGCHAIN_API_KEY")


def answers_command(
    target: str, context: Context, options: ExperimentOptions, *, baseline: bool = False, langsmith: bool = False
) -> None:
    """Evaluate answers, or show the results of a folder again.

    Args:
        target: A question set, or a folder of results.
        context: Model, depth, corpus and web, where the person set these.
        options: The rest.
        baseline: Whether plainer systems are asked, too.
        langsmith: Send set and results to LangSmith.

    Raises:
        UsageError: The set is none, the options do not go together, or a key is missing.
        CommandError: The corpus, the model or the folder cannot be used, or the person stopped it.
    """
    if (known := open_results(target, "answers")) is not None:
        _show(known.summary(summarize), as_json=options.as_json)
        return
    if langsmith and not any(os.environ.get(key) for key in _KEYS):
        raise UsageError("--langsmith; no LANGSMITH_API_KEY is set; set it, or leave --langsmith out")
    judges: list[ModelJudge] = []

    def make_design(_: QuestionSet, settings: Settings) -> Design:
        systems = _choose_systems(settings, baseline=baseline)

        async def open_them(within: Context) -> "Mapping[str, System]":
            from weiwo.app.evaluation.systems import open_systems  # noqa: PLC0415 - heavy

            return await open_systems(systems, within)

        def make_scorer(within: Context) -> AnswerScorer:
            if not options.judge:
                return AnswerScorer()
            from weiwo.app.evaluation.judge import ModelJudge  # noqa: PLC0415 - heavy

            judges.append(ModelJudge(within, options.judge))
            return AnswerScorer(judges[0])

        return Design("answers", systems, open_them, make_scorer, _tell_right)

    found, experiment = run_experiment(target, context, options, make_design)
    failed = sum(judge.failed for judge in judges)
    if failed:
        hint(word("not_graded", failed))
    _show(experiment.summary(summarize), as_json=options.as_json)
    hint(word("results", experiment.folder))
    if langsmith:
        _send(found, experiment, options.limit)


def _tell_right(rows: Sequence[Mapping[str, Any]]) -> str:
    return word("right_so_far", ", ".join(f"{name} {count:,}" for name, count in count_right(rows).items()))


def _choose_systems(settings: Settings, *, baseline: bool) -> list[str]:
    if not baseline:
        return ["weiwo"]
    if settings.models.get("writer"):
        return ["weiwo", *_BASELINES]
    hint(word("no_baselines"))
    return ["weiwo", *(name for name in _BASELINES if name not in _NEED_A_MODEL)]


def _show(summary: Mapping[str, Any], *, as_json: bool) -> None:
    if as_json:
        write_json(summary)
    else:
        print_answers(screen(), summary)


def _send(found: QuestionSet, experiment: Experiment, limit: int | None) -> None:
    """Send the set and the results to LangSmith.

    Raises:
        CommandError: It does not take them.
    """
    from langsmith import Client  # noqa: PLC0415 - heavy
    from langsmith.utils import LangSmithError  # noqa: PLC0415 - heavy

    from weiwo.app.evaluation.langsmith_upload import upload_experiment  # noqa: PLC0415 - heavy

    logging.getLogger("langsmith").setLevel(logging.ERROR)  # its warnings tell parts of the key
    name = f"{found.name}-{experiment.config['questions_digest'][:8]}"
    try:
        with redirect_stdout(sys.stderr):  # where the client says where the results can be seen
            sent = upload_experiment(Client(), name, found.questions[:limit], experiment.latest_rows())
    except (LangSmithError, OSError, ValueError) as error:
        why = one_line(str(error).partition("\n")[0], 300)  # below which its client tells parts of the key
        raise CommandError(f"--langsmith: {why}; the results are kept in {experiment.folder}") from None
    hint(word("sent", name, ", ".join(sent)))
