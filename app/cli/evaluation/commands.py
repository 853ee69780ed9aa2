"""The group `weiwo eval`: each command is imported when it is named."""

from typing import ClassVar

import typer

from weiwo.app.cli.lazy_group import CommandEntry, LazyGroup


class _EvaluationGroup(LazyGroup):
    """The commands that measure."""

    places: ClassVar = {
        "retrieval": CommandEntry(
            "weiwo.app.cli.evaluation.retrieval",
            "Evaluate each strategy, the router, and the best choice there is per question.",
        ),
        "answers": CommandEntry(
            "weiwo.app.cli.evaluation.answers",
            "Evaluate answers: what is right, wrong, cited and shown, facts and stale values, and what it takes.",
        ),
        "tools": CommandEntry(
            "weiwo.app.cli.evaluation.tools", "Evaluate how well the tools that a question needs are found."
        ),
    }
    removed: ClassVar = {
        "report": "it is now weiwo eval answers SET --limits 2,20,150 --depth deep",
        "label": "it is now weiwo eval retrieval FOLDER --label",
        "calibration": "nothing is fitted any more; weiwo eval answers tells how far confidence can be trusted",
    }


app = typer.Typer()
_evaluations = typer.Typer(cls=_EvaluationGroup, help="Measure over labelled sets.", no_args_is_help=True)
app.add_typer(_evaluations, name="eval")


@_evaluations.callback()
def _group() -> None:
    """Measure over labelled sets."""
