"""`weiwo eval calibration`: how far a model's confidence can be trusted, and the fit that corrects it."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from weiwo.app.cli.errors import CommandError, UsageError
from weiwo.app.cli.evaluation.words import word
from weiwo.app.cli.output import hint, screen, write_json
from weiwo.app.evaluation.calibration import calibrate
from weiwo.app.evaluation.experiment import Experiment, ExperimentError
from weiwo.app.export.files import write_atomically
from weiwo.app.export.formats import ExportError
from weiwo.app.render.figures_table import figures_table
from weiwo.nodes.reflection.calibration import FILE, load_calibrations
from weiwo.state.settings import Settings
from weiwo.tools.private_files import make_private_file, make_private_folder


def calibration_command(folders: Sequence[str], *, keep: bool, as_json: bool) -> None:
    """Fit the confidence of a model on half of the results, judge the fit on the other half, and keep it if it helps.

    Args:
        folders: Folders of results of `weiwo eval answers`, all with one model.
        keep: Whether the fit is kept if it is better.
        as_json: Print one object.

    Raises:
        UsageError: A folder holds no results, or they are of several models, or of none.
        CommandError: There are too few values, or the fit is no better, or cannot be written.
    """
    try:
        experiments = [Experiment.open(Path(folder).expanduser()) for folder in folders]
    except ExperimentError as error:
        raise UsageError(str(error)) from error
    readers = {str((one.config.get("models") or {}).get("executor") or "") for one in experiments}
    if readers == {""}:
        raise UsageError(
            "these results were made by rules; weiwo eval answers tells how their confidence holds; give a model's"
        )
    if len(readers) > 1:
        raise UsageError(f"these results are of several models, {', '.join(sorted(readers))}; give those of one")
    (reader,) = readers
    rows = [row for one in experiments for row in one.latest_rows() if row["system"] == "weiwo"]
    try:
        calibration, found = calibrate(rows, [str(one.config["dataset"]) for one in experiments])
    except ValueError as error:
        raise CommandError(str(error)) from error
    if as_json:
        write_json({"model": reader, **found})
    else:
        _print_fit(screen(), reader, found)
    if not keep:
        return
    if not found["better"]:
        raise CommandError("--keep: the fit is no better on the half it has not seen; it is not kept")
    home = Path(Settings.resolve().home)
    kept = {name: one.model_dump(mode="json") for name, one in load_calibrations(home).items()}
    kept[reader] = calibration.model_dump(mode="json")
    try:
        make_private_folder(home)
        make_private_file(home / FILE)
        write_atomically(home / FILE, (json.dumps(kept, indent=1) + "\n").encode())
    except (ExportError, OSError) as error:
        raise CommandError(f"--keep: {error}") from error
    hint(word("kept", home / FILE))


def print_reliability(console: Console, title: str, measured: Mapping[str, Any]) -> None:
    """Print a reliability table, with Brier score and expected calibration error above it."""
    told = word("reliability", title, measured["n"], measured["brier"], measured["ece"])
    console.print(told, soft_wrap=True)
    table = figures_table(*map(word, ("confidence", "of", "mean", "right")), texts=0)
    for one in measured["table"]:
        said = word("to", one["from"], one["to"])
        table.add_row(said, f"{one['n']:,}", f"{one['confidence']:.2f}", f"{one['right']:.2f}")
    console.print(table)


def _print_fit(console: Console, reader: str, found: Mapping[str, Any]) -> None:
    weights = ", ".join(f"{name} {weight:+.2f}" for name, weight in found["weights"].items())
    console.print(word("fitted", reader, found["fitted_on"], weights), soft_wrap=True)
    print_reliability(console, word("as_given"), found["before"])
    print_reliability(console, word("as_fitted"), found["after"])
