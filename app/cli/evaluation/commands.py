"""Command group `weiwo eval`, with lazy imports of the commands."""

from typing import ClassVar

import typer

from weiwo.app.cli.lazy_group import CommandEntry, LazyGroup


class _EvaluationGroup(LazyGroup):
    """Commands for evaluation."""

    places: ClassVar = {
        "retrieval": CommandEntry(
            "weiwo.app.cli.evaluation.retrieval",
            "Evaluate each strategy, the router, and the best possible choice per question.",
        ),
        "answers": CommandEntry(
            "weiwo.app.cli.evaluation.answers",
            "Evaluate answers: accuracy, citations, shown passages, facts, stale values and cost.",
        ),
        "tools": CommandEntry(
            "weiwo.app.cli.evaluation.tools", "Evaluate the search for the tools needed by a question."
        ),
    }
    removed: ClassVar = {
        "report": "use weiwo eval answers SET --limits 2,20,150 --depth deep",
        "label": "use weiwo eval retrieval FOLDER --label",
        "calibration": "confidence is no longer fitted; weiwo eval answers shows how reliable it is",
    }


app = typer.Typer()
_evaluations = typer.Typer(cls=_EvaluationGroup, help="Evaluate on labelled sets.", no_args_is_help=True)
app.add_typer(_evaluations, name="eval")


@_evaluations.callback()
def _group() -> None:
    """Evaluate on labelled sets."""
