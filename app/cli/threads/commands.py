"""The commands over threads: listing them, showing one."""

from typing import Annotated

import typer

from weiwo.app.cli.arguments import checked_thread_id, output_files
from weiwo.app.cli.errors import UsageError
from weiwo.app.cli.options import Json, Output
from weiwo.app.cli.text_parameters import TextCommand

threads = typer.Typer()


@threads.command("threads", cls=TextCommand)
def list_threads(
    *,
    json: Json = False,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="How many at most.")] = 20,
) -> None:
    """List threads, the one that changed last first."""
    from weiwo.app.cli.threads.reading import threads_command  # noqa: PLC0415 - heavy

    threads_command(limit, as_json=json)


@threads.command(cls=TextCommand)
def show(
    thread: Annotated[str, typer.Argument(metavar="THREAD[@CHECKPOINT]", help="A thread, or a moment of it.")],
    *,
    json: Json = False,
    mermaid: Annotated[bool, typer.Option("--mermaid", help="Print the plan as a Mermaid flowchart.")] = False,
    questions: Annotated[
        bool, typer.Option("--questions", help="Print the question graph as text, as a model is shown it.")
    ] = False,
    history: Annotated[bool, typer.Option("--history", help="List its checkpoints, newest first.")] = False,
    output: Output = None,
) -> None:
    """Show a thread: question, plan and outcomes, answer, what it cost."""
    name, at, checkpoint = thread.partition("@")
    thread_id = checked_thread_id(name)
    files = output_files(output)
    if files and (history or mermaid or questions):
        raise UsageError("--output; it writes the answer to a file; leave out --history, --mermaid and --questions")
    if history and (mermaid or questions or at):
        raise UsageError("--history; it lists the checkpoints of a thread; give THREAD alone, with or without --json")
    if json + mermaid + questions > 1:
        raise UsageError("--json, --mermaid and --questions; they print different things; give one of them")
    from weiwo.app.cli.threads.reading import history_command, show_command  # noqa: PLC0415 - heavy

    if history:
        history_command(thread_id, as_json=json)
    else:
        show_command(
            thread_id, checkpoint if at else None, as_json=json, mermaid=mermaid, questions=questions, files=files
        )
