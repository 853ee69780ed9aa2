"""`weiwo memory procedures`: the procedures of this house, and the procedures recalled for a question."""

from collections.abc import Mapping
from typing import Annotated, Any, Final

import typer
from rich.text import Text

from weiwo.app.cli.errors import UsageError
from weiwo.app.cli.help_command import PanelCommand
from weiwo.app.cli.memory.access import word
from weiwo.app.cli.options import Json, question_of, takes_context
from weiwo.app.cli.output import hint, page, write_json
from weiwo.app.render.text_wrapping import Flow
from weiwo.nodes.memory.briefing import rank_procedures, recall_procedures
from weiwo.nodes.memory.procedures import Procedure, ProcedureFolderError, Procedures, load_procedures
from weiwo.state.settings import Settings
from weiwo.text.language_detection import detect_language
from weiwo.text.localization import localized_section
from weiwo.text.printable import one_line

app = typer.Typer()

_WORDS: Final = localized_section("cli.procedures")


@app.command(cls=PanelCommand)
@takes_context("procedures")
def procedures(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="QUESTION", help="Show the procedures recalled for it, with their steps."),
    ] = None,
    *,
    json: Json = False,
    context: Any,
) -> None:
    """List the procedures for plans, or the procedures recalled for a question."""
    question = question_of(words) if words else ""
    folder = Settings.resolve(context).procedures
    if not folder:
        raise UsageError(word("no_folder"))
    try:
        known = load_procedures(folder)
    except ProcedureFolderError as error:
        raise UsageError(str(error)) from None
    recalled = {item.name for item in recall_procedures(question, known)} if question else set()
    ranked = rank_procedures(question, known) if question else [(item, 0.0) for item in known.found]
    if json:
        write_json(_as_json(question, known, ranked, recalled))
        return
    said = _WORDS[detect_language(question) if question else "en"]
    shown = [item for item, _ in ranked if not question or item.name in recalled]
    console = page()
    for procedure in shown:
        for line in _lines(procedure, said, whole=bool(question)):
            console.print(Flow(line, indent=4))
    if question and not shown:
        hint(said["none"])
    elif not known.found:
        hint(word("no_procedures", folder))
    for problem in known.problems:
        console.print(Flow(Text(one_line(problem, 300), "yellow")))


def _lines(procedure: Procedure, words: Mapping[str, str], *, whole: bool) -> list[Text]:
    """Format a procedure as a single line, or in full with the steps."""
    head = Text(one_line(procedure.title), "bold").append(f"  {one_line(procedure.name)}", "not bold dim")
    if not whole:
        cases = "; ".join(one_line(case) for case in procedure.cases)
        return [head.append(f"  {one_line(cases, 200)}" if cases else "", "not bold")]
    lines = [head, *(Text(f"  {n}. {one_line(step, 400)}") for n, step in enumerate(procedure.steps, 1))]
    if procedure.tools:
        lines.append(Text(f"  {words['tools']}: {', '.join(procedure.tools)}", "dim"))
    if procedure.deliver:
        lines.append(Text(f"  {words['deliver']}: {one_line(procedure.deliver, 400)}", "dim"))
    return lines


def _as_json(
    question: str, known: Procedures, ranked: list[tuple[Procedure, float]], recalled: set[str]
) -> dict[str, Any]:
    scores = {item.name: score for item, score in ranked}
    return {
        "question": question,
        "procedures": [
            {
                "name": item.name,
                "title": item.title,
                "when": list(item.cases),
                "steps": list(item.steps),
                "tools": list(item.tools),
                "deliver": item.deliver,
                "score": round(scores.get(item.name, 0.0), 3),
                "recalled": item.name in recalled,
            }
            for item in sorted(known.found, key=lambda entry: -scores.get(entry.name, 0.0))
        ],
        "problems": list(known.problems),
    }
