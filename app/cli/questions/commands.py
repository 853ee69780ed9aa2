"""The commands over questions: asking, resuming, saying whether an answer was good."""

from typing import Annotated, Any

import typer

from weiwo.app.cli.arguments import checked_thread_id, fork_place, fork_values, output_files, question_of
from weiwo.app.cli.errors import UsageError
from weiwo.app.cli.options import RUN_OPTIONS, Json, Output, Plan, Thread, Verbose, takes_context
from weiwo.app.cli.questions.delivery import Delivery
from weiwo.app.cli.questions.plan_files import read_plan
from weiwo.app.cli.text_parameters import TextCommand

questions = typer.Typer()


@questions.command(cls=TextCommand)
@takes_context(*RUN_OPTIONS)
def ask(  # noqa: PLR0913 - each option is a parameter
    question: Annotated[
        list[str] | None,
        typer.Argument(metavar="QUESTION", help='The question, quoted or as it comes; "-" reads standard input.'),
    ] = None,
    *,
    thread: Annotated[
        str | None, typer.Option("--thread", metavar="ID", help="Continue this conversation, or begin one of that id.")
    ] = None,
    checkpoint: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="THREAD@CHECKPOINT",
            help="Go back to that moment and run on from there; `weiwo show THREAD --history` lists them.",
        ),
    ] = None,
    plan: Plan = None,
    values: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="TASK=VALUE", help="With --from: the value of a task; may be repeated."),
    ] = None,
    output: Output = None,
    json: Json = False,
    verbose: Verbose = False,
    context: Any,
) -> None:
    """Ask a question; get an answer whose every claim leads to its source."""
    delivery = Delivery(as_json=json, verbose=verbose, files=output_files(output))
    if checkpoint is not None:
        raise typer.Exit(_fork(question, fork_place(checkpoint, thread), plan, values, context, delivery))
    if plan is not None or values:
        raise UsageError("--plan and --set change a moment of a thread; say which one: --from THREAD@CHECKPOINT")
    if not question:
        raise UsageError("Missing argument 'QUESTION'; see weiwo ask --help")
    text = question_of(question)
    from weiwo.app.cli.memory.offers import keeps_wish, offer_wish  # noqa: PLC0415 - heavy
    from weiwo.app.cli.questions.ask import ask_command  # noqa: PLC0415 - heavy
    from weiwo.graph.persistence.threads import new_thread_id  # noqa: PLC0415 - heavy

    thread_id = new_thread_id() if thread is None else checked_thread_id(thread)
    typed = question != ["-"] and not json
    if typed and not delivery.files and keeps_wish(text):
        raise typer.Exit(0)
    code = ask_command(text, thread_id, context, delivery, given=thread is not None)
    if typed:
        offer_wish(text)
    raise typer.Exit(code)


def _fork(
    question: list[str] | None,
    place: tuple[str | None, str],
    plan: str | None,
    values: list[str] | None,
    context: Any,
    delivery: Delivery,
) -> int:
    """`ask --from`; returns the exit code."""
    text = question_of(question) if question else None
    changes = fork_values(values)
    if text is not None and (plan or changes):
        raise UsageError("QUESTION with --plan or --set; these change the question of that moment; leave one out")
    edited = None if plan is None else read_plan(plan)
    from weiwo.app.cli.questions.fork import Fork, fork_command  # noqa: PLC0415 - heavy

    return fork_command(Fork(*place, text, edited, changes), context, delivery)


@questions.command(cls=TextCommand)
def resume(
    thread: Thread,
    *,
    approve: Annotated[bool, typer.Option("--approve", help="Run the plan or call the tool that waits.")] = False,
    plan: Plan = None,
    reject: Annotated[
        str | None,
        typer.Option("--reject", metavar="WORDS", help="Send the plan back, or refuse the tool, saying why."),
    ] = None,
    reply: Annotated[
        str | None,
        typer.Option(
            "--reply",
            metavar="WORDS",
            help="Say what the question means, or what a tool's server asks: words, or name=VALUE; ….",
        ),
    ] = None,
    output: Output = None,
    json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Finish what was interrupted or waits for a person; nothing that had finished runs again."""
    thread_id = checked_thread_id(thread)
    delivery = Delivery(as_json=json, verbose=verbose, files=output_files(output))
    answers: list[Any] = ["approve"] if approve else []
    answers += [{name: words} for name, words in (("reject", reject), ("reply", reply)) if words is not None]
    if len(answers) + (plan is not None) > 1:
        raise UsageError("--approve, --plan, --reject and --reply; they say different things; give one of them")
    if plan is not None:
        answers = [{"plan": read_plan(plan)}]
    from weiwo.app.cli.questions.ask import resume_command  # noqa: PLC0415 - heavy

    raise typer.Exit(resume_command(thread_id, answers[0] if answers else None, delivery))


@questions.command(cls=TextCommand)
def feedback(
    thread: Annotated[str, typer.Argument(metavar="THREAD", help="A thread; its latest answer is meant.")],
    *,
    good: Annotated[bool, typer.Option("--good", help="The answer was good.")] = False,
    bad: Annotated[bool, typer.Option("--bad", help="It was not.")] = False,
    words: Annotated[str | None, typer.Option("--words", metavar="WORDS", help="What else there is to say.")] = None,
) -> None:
    """Say whether an answer was good; kept on this machine, and sent to LangSmith where that is set up."""
    from weiwo.app.cli.questions.feedback import feedback_command  # noqa: PLC0415 - heavy

    feedback_command(checked_thread_id(thread), good=good, bad=bad, words=words)
