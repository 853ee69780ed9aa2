"""`weiwo eval report`: open questions with key facts, answered within several limits of tool calls."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console

from weiwo.app.cli.errors import CommandError, UsageError
from weiwo.app.cli.evaluation.experiments import Design, ExperimentOptions, open_results, run_experiment
from weiwo.app.cli.evaluation.systems_table import compare_systems
from weiwo.app.cli.evaluation.words import word
from weiwo.app.cli.output import hint, screen, write_json
from weiwo.app.evaluation.experiment import Experiment
from weiwo.app.evaluation.question_set import QuestionSet
from weiwo.app.evaluation.report import ReportScorer, chart_reports, summarize_reports
from weiwo.app.export.chart_picture import draw_chart
from weiwo.app.export.html_style import CHART_STYLE
from weiwo.state.settings import Context, Settings

if TYPE_CHECKING:
    from weiwo.app.evaluation.systems import System

CHART: Final = "chart.svg"
_SHARES: Final = ("facts", "claims_hold", "citation_accuracy")
_TOLD: Final = ("stale", "words", "tool_calls")
"""Means that are told also where they are 0."""
_MEANS: Final = (
    "stale",
    "effective_citations",
    "words",
    "tool_calls",
    "calls",
    "input_tokens",
    "output_tokens",
    "cost",
    "seconds_p50",
    "errors",
)
_COLOURS: Final = ":root{--ink:#1d2126;--dim:#5d6672;--line:#d9dde3}svg{font-family:sans-serif;background:#fff}"


def report_command(target: str, limits: str, context: Context, options: ExperimentOptions) -> None:
    """Evaluate reports, or show the results of a folder again.

    Args:
        target: A set of open questions, or a folder of results.
        limits: Tool calls that an answer may take, separated by commas.
        context: Model, depth, corpus and web, where the person set these.
        options: The rest.

    Raises:
        UsageError: The set is none, it has no facts, or the options do not go together.
        CommandError: The corpus, the model or the folder cannot be used, or the person stopped it.
    """
    experiment = open_results(target, "report")
    if experiment is None:
        steps = _read_limits(limits)

        def make_design(found: QuestionSet, settings: Settings) -> Design:
            return _make_design(found, settings, steps, options.judge)

        _, experiment = run_experiment(target, context, options, make_design)
        hint(word("results", experiment.folder))
    _show(experiment, as_json=options.as_json)


def _make_design(found: QuestionSet, settings: Settings, steps: Sequence[int], judge: str | None) -> Design:
    if not all(one.answers for one in found.questions):
        raise UsageError(f"{found.name}: not every question has facts; weiwo eval report needs them")
    if not settings.models.get("writer"):
        hint(word("no_writer"))

    async def open_them(within: Context) -> "Mapping[str, System]":
        from weiwo.app.evaluation.systems import WeiwoSystem  # noqa: PLC0415 - heavy

        limited = {step: within.model_copy(update={"max_tool_calls": step}) for step in steps}
        return {_name(step): WeiwoSystem(one) for step, one in limited.items()}

    def make_scorer(within: Context) -> ReportScorer:
        if not judge:
            return ReportScorer()
        from weiwo.app.evaluation.judge import ModelJudge  # noqa: PLC0415 - heavy

        return ReportScorer(ModelJudge(within, judge).find_facts)

    return Design("report", [_name(step) for step in steps], open_them, make_scorer, _tell_facts)


def _name(step: int) -> str:
    return f"{step} tool call" + "s" * (step != 1)


def _read_limits(limits: str) -> list[int]:
    try:
        steps = sorted({int(one) for one in limits.split(",")})
    except ValueError:
        steps = [0]
    if steps[0] < 1:
        raise UsageError(f"--limits {limits!r}; give numbers of tool calls, such as 2,20,150")
    return steps


def _tell_facts(rows: Sequence[Mapping[str, Any]]) -> str:
    told = [float(row["facts"]) for row in rows if row["facts"] is not None]
    return word("facts_so_far", sum(told) / len(told)) if told else word("no_facts_so_far")


def _show(experiment: Experiment, *, as_json: bool) -> None:
    """Print the figures, and draw the curve into the folder.

    Raises:
        CommandError: The folder cannot be written.
    """
    summary = experiment.summary(summarize_reports)
    file = experiment.folder / CHART
    if summary["systems"]:
        drawn = draw_chart(chart_reports(summary, {name: f"{word(name)}, %" for name in _SHARES}))
        try:
            file.write_text(drawn.replace(">", f"><style>{_COLOURS}{CHART_STYLE}</style>", 1), encoding="utf-8")
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror or error}") from error
        hint(word("curve", file))
    if as_json:
        write_json(summary)
    else:
        print_reports(screen(), summary)


def print_reports(console: Console, summary: Mapping[str, Any]) -> None:
    """Print a summary: shares with their 95 % intervals, then means a question, by limit of tool calls."""
    systems = summary["systems"]
    console.print(word("head_intervals", summary["dataset"], summary["n"]))
    heads = (word("within"), *(word("step", name.partition(" ")[0], name) for name in systems))
    console.print(compare_systems(systems, heads, _SHARES, _MEANS, _TOLD))
