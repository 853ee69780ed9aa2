"""`weiwo resume`: the rest of an interrupted run, or of a run waiting for a person."""

from typing import Annotated, Any

import typer

from weiwo.app.cli.errors import CommandError, UsageError
from weiwo.app.cli.help_command import PanelCommand
from weiwo.app.cli.options import Json, Output, Plan, Thread, Verbose, checked_thread_id, output_files
from weiwo.app.cli.output import hint
from weiwo.app.cli.questions.conclude import conclude, kind_of, resume_run
from weiwo.app.cli.questions.delivery import Delivery
from weiwo.app.cli.questions.plan_files import read_plan
from weiwo.app.cli.session import last_question
from weiwo.state.settings import Settings

app = typer.Typer()


@app.command(cls=PanelCommand)
def resume(  # noqa: PLR0913 - an option each
    thread: Thread = None,
    *,
    approve: Annotated[bool, typer.Option("--approve", help="Run the pending plan, or call the pending tool.")] = False,
    plan: Plan = None,
    reject: Annotated[
        str | None,
        typer.Option("--reject", metavar="WORDS", help="Reject the plan or refuse the tool call, with a reason."),
    ] = None,
    reply: Annotated[
        str | None,
        typer.Option(
            "--reply",
            metavar="WORDS",
            help="Clarify the question.",
        ),
    ] = None,
    shown: Annotated[
        str, typer.Option("--hash", metavar="HEX", help="Answer only the request with this hash, as shown.")
    ] = "",
    output: Output = None,
    json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Resume an interrupted run, or answer a pending request."""
    thread_id = checked_thread_id(thread or last_question())
    delivery = Delivery(as_json=json, verbose=verbose, files=output_files(output))
    answers: list[Any] = ["approve"] if approve else []
    answers += [{name: words} for name, words in (("reject", reject), ("reply", reply)) if words is not None]
    if len(answers) + (plan is not None) > 1:
        raise UsageError("--approve, --plan, --reject and --reply cannot be combined; use one of them")
    if plan is not None:
        answers = [{"plan": read_plan(plan)}]
    answer = answers[0] if answers else None
    ended, watcher = resume_run(thread_id, answer, delivery, shown)
    if not ended.request and not ended.result:
        raise CommandError(f"thread {thread_id} has no question and no answer; ask again on it")
    if not ended.ran:
        hint(f"thread {thread_id} has nothing to resume; here is its result")
    if answer is not None and ended.complaints:
        raise kind_of(ended).rejection_error(ended)
    raise typer.Exit(conclude(ended, watcher, Settings.resolve(), delivery))
