"""`weiwo check`: repeats the check of an answer with a proof, without thread, home or network."""

from pathlib import Path
from typing import Annotated, Any

import typer

from weiwo.app.cli.errors import UsageError
from weiwo.app.cli.event_loop import run_to_end
from weiwo.app.cli.help_command import PanelCommand
from weiwo.app.cli.options import Json, takes_context
from weiwo.app.cli.output import hint, write, write_json
from weiwo.app.export.document_check import check_documents
from weiwo.app.export.proof_check import check_by_model, check_proof, read_proof
from weiwo.state.settings import Settings

app = typer.Typer()


@app.command(cls=PanelCommand)
@takes_context("model")
def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="An answer written by `weiwo ask -o answer.weiwo`.")],
    *,
    documents: Annotated[
        Path | None,
        typer.Option("--documents", metavar="FOLDER", help="Also check its quotes against these documents."),
    ] = None,
    json: Json = False,
    context: Any,
) -> None:
    """Check an answer again by its proof file (ask -o answer.weiwo)."""
    if documents is not None and not documents.is_dir():
        raise UsageError(f"--documents {str(documents)!r} does not exist; name an existing folder")
    report = check_proof(read_proof(file))

    async def work() -> None:
        if documents is not None:
            await check_documents(report, documents)
        if context.model is not None:
            await check_by_model(report, Settings.resolve(context))

    run_to_end(work())
    if json:
        write_json({"file": str(file), **report.to_json()})
    else:
        for _, place, text in report.findings:
            write(f"✗ {place}: {text}\n")
        for place, why in [*(item[1:] for item in report.unchecked_items), *report.notes]:
            hint(f"· {place}: {why}")
        write(report.closing + "\n")
    raise typer.Exit(report.code)
