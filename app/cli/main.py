"""The `weiwo` command: what is asked for, and how it ends. What it does is in the modules beside this one.

Heavy imports happen inside the commands, so that `weiwo --help` is quick.
"""

import gc
import os
import sys
from contextlib import suppress
from typing import Annotated, Any, NoReturn

import typer

from weiwo.app.cli.documents.commands import documents
from weiwo.app.cli.errors import FAILED, INTERRUPTED, USAGE, CommandError, UsageError
from weiwo.app.cli.evaluation.commands import evaluations, observations
from weiwo.app.cli.memory.commands import memories
from weiwo.app.cli.options import (
    Corpus,
    Folder,
    Json,
    Mcp,
    NotSite,
    Output,
    Plan,
    Procedures,
    Since,
    Site,
    Thread,
    Verbose,
    checked_thread_id,
    context_of,
    fork_place,
    fork_values,
    output_files,
    question_of,
)
from weiwo.app.cli.questions.plan_files import read_plan
from weiwo.app.cli.serving.commands import serving
from weiwo.app.cli.setup.commands import setups
from weiwo.app.cli.text_parameters import TextCommand, TextGroup
from weiwo.state.home import home

app = typer.Typer(
    name="weiwo",
    cls=TextGroup,
    help="AI search that plans before it searches. Without a model it shows extracts, asserting what rules can prove.",
    epilog="Exit codes: 0 complete or extracts, 3 partial, 4 waits for a person, 1 failed, 2 wrong usage, 130 stopped.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def start(context: typer.Context) -> None:
    """Read `.env` of the working directory, then the user's own `config.toml`; what is set already wins."""
    read_env(context)
    if (home() / "config.toml").exists():
        from weiwo.app.cli.setup.config import apply_config  # noqa: PLC0415 - upon need

        apply_config()


def read_env(context: typer.Context) -> None:
    """Read `.env` of the working directory."""
    if not os.path.lexists(".env"):
        return
    from weiwo.app.cli.setup.env_file import apply_env_file, read_env_file  # noqa: PLC0415 - upon need

    file = read_env_file()
    apply_env_file(file)
    if file.complaint and context.invoked_subcommand not in {"trust", "doctor"}:
        from weiwo.app.cli.output import say  # noqa: PLC0415 - upon need

        say(file.complaint)


@app.command(cls=TextCommand)
def ask(  # noqa: PLR0913 - each option is a parameter
    question: Annotated[
        list[str] | None,
        typer.Argument(metavar="QUESTION", help='The question, quoted or as it comes; "-" reads standard input.'),
    ] = None,
    *,
    corpus: Corpus = None,
    thread: Annotated[
        str | None, typer.Option("--thread", metavar="ID", help="Continue this conversation, or begin one of that id.")
    ] = None,
    json: Json = False,
    no_web: Annotated[bool, typer.Option("--no-web", help="Search local documents only.")] = False,
    site: Site = None,
    not_site: NotSite = None,
    since: Since = None,
    folder: Folder = None,
    model: Annotated[
        str | None, typer.Option("--model", metavar="PROVIDER:MODEL", help="Chat model. Default: WEIWO_MODEL.")
    ] = None,
    depth: Annotated[
        str | None,
        typer.Option("--depth", metavar="quick|normal|deep", help="How far to look: turns, queries, pages and rounds."),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--form", metavar="sentence|list|table|report|code", help="Form of a model's answer. Default: as asked."
        ),
    ] = None,
    length: Annotated[
        int | None, typer.Option("--words", metavar="N", help="About how long a model's answer is, in words.")
    ] = None,
    max_seconds: Annotated[
        float | None, typer.Option("--max-seconds", metavar="N", help="Answer within about N seconds.")
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Call tools anew even where a recent result is kept.")] = False,
    approve_plan: Annotated[
        bool, typer.Option("--approve-plan", help="Ask me about each plan before it runs.")
    ] = False,
    clarify: Annotated[
        bool | None,
        typer.Option(
            "--clarify/--no-clarify",
            help="Ask me what a question means that can mean several things. Default: at a terminal.",
            show_default=False,
        ),
    ] = None,
    mcp: Mcp = None,
    procedures: Procedures = None,
    allow_tools: Annotated[
        list[str] | None,
        typer.Option("--allow-tool", metavar="NAME", help="Let this tool act without asking; may be repeated."),
    ] = None,
    allow_acting: Annotated[bool, typer.Option("--allow-acting", help="Let every tool act without asking.")] = False,
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
    verbose: Verbose = False,
) -> None:
    """Ask a question; get an answer whose every claim leads to its source."""
    context = context_of(
        corpus=corpus,
        web=False if no_web else None,
        site=site,
        not_site=not_site,
        since=since,
        folder=folder,
        model=model,
        depth=depth,
        form=form,
        words=length,
        max_seconds=max_seconds,
        fresh=fresh or None,
        approve_plan=approve_plan or None,
        clarify=clarify,
        mcp=mcp,
        procedures=procedures,
        allow_tools=allow_tools,
        allow_acting=allow_acting or None,
    )
    files = output_files(output)
    if checkpoint is not None:
        text = question_of(question) if question else None
        place, changes = fork_place(checkpoint, thread), fork_values(values)
        if text is not None and (plan or changes):
            raise UsageError("QUESTION with --plan or --set; these change the question of that moment; leave one out")
        edited = None if plan is None else read_plan(plan)
        from weiwo.app.cli.questions.ask import fork_command  # noqa: PLC0415 - heavy

        raise typer.Exit(
            fork_command(place, text, context, edited, changes, as_json=json, verbose=verbose, files=files)
        )
    if plan is not None or values:
        raise UsageError("--plan and --set change a moment of a thread; say which one: --from THREAD@CHECKPOINT")
    if not question:
        raise UsageError("Missing argument 'QUESTION'; see weiwo ask --help")
    from weiwo.graph.persistence.threads import new_thread_id  # noqa: PLC0415 - heavy

    text = question_of(question)
    thread_id = new_thread_id() if thread is None else checked_thread_id(thread)
    from weiwo.app.cli.memory.offers import keeps_wish, offer_wish  # noqa: PLC0415 - heavy
    from weiwo.app.cli.questions.ask import ask_command  # noqa: PLC0415 - heavy

    known = thread is not None
    typed = question != ["-"] and not json
    if typed and not files and keeps_wish(text):
        raise typer.Exit(0)
    code = ask_command(text, thread_id, context, as_json=json, verbose=verbose, given=known, files=files)
    if typed:
        offer_wish(text)
    raise typer.Exit(code)


@app.command(cls=TextCommand)
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
        typer.Option("--reply", metavar="WORDS", help="Say what the question means: a number or words."),
    ] = None,
    output: Output = None,
    json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Finish what was interrupted or waits for a person; nothing that had finished runs again."""
    thread_id, files = checked_thread_id(thread), output_files(output)
    if approve + sum(one is not None for one in (plan, reject, reply)) > 1:
        raise UsageError("--approve, --plan, --reject and --reply; they say different things; give one of them")
    answer: Any = "approve" if approve else None
    if plan is not None:
        answer = {"plan": read_plan(plan)}
    if reject is not None:
        answer = {"reject": reject}
    if reply is not None:
        answer = {"reply": reply}
    from weiwo.app.cli.questions.ask import resume_command  # noqa: PLC0415 - heavy

    raise typer.Exit(resume_command(thread_id, answer, as_json=json, verbose=verbose, files=files))


@app.command(cls=TextCommand)
def threads(
    *,
    json: Json = False,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="How many at most.")] = 20,
) -> None:
    """List threads, the one that changed last first."""
    from weiwo.app.cli.threads.reading import threads_command  # noqa: PLC0415 - heavy

    threads_command(limit, as_json=json)


@app.command(cls=TextCommand)
def show(
    thread: Annotated[str, typer.Argument(metavar="THREAD[@CHECKPOINT]", help="A thread, or a moment of it.")],
    *,
    json: Json = False,
    mermaid: Annotated[bool, typer.Option("--mermaid", help="Print the plan as a Mermaid flowchart.")] = False,
    history: Annotated[bool, typer.Option("--history", help="List its checkpoints, newest first.")] = False,
    output: Output = None,
) -> None:
    """Show a thread: question, plan and outcomes, answer, what it cost."""
    name, at, checkpoint = thread.partition("@")
    thread_id = checked_thread_id(name)
    files = output_files(output)
    if files and (history or mermaid):
        raise UsageError("--output; it writes the answer to a file; leave out --history and --mermaid")
    if history and (mermaid or at):
        raise UsageError("--history; it lists the checkpoints of a thread; give THREAD alone, with or without --json")
    if json and mermaid:
        raise UsageError("--json and --mermaid; they print different things; give one of them")
    from weiwo.app.cli.threads.reading import history_command, show_command  # noqa: PLC0415 - heavy

    if history:
        history_command(thread_id, as_json=json)
    else:
        show_command(thread_id, checkpoint if at else None, as_json=json, mermaid=mermaid, files=files)


@app.command(cls=TextCommand)
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


app.add_typer(setups)
app.add_typer(serving)
app.add_typer(documents)
app.add_typer(memories)
app.add_typer(evaluations, name="eval")
app.add_typer(observations)


def main() -> NoReturn:
    """Run the command and exit."""
    from weiwo.app.cli.output import prepare  # noqa: PLC0415 - kept with its use

    prepare()
    # What is imported stays: with the usual threshold, the collector looks through it for a sixth of a start.
    gc.set_threshold(100_000, 20, 20)
    try:
        code = app(prog_name="weiwo", standalone_mode=False)
    except Exception as error:  # noqa: BLE001 - the last line of defence: a line and an exit code
        code = _complain(error)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _silence()
    gc.freeze()  # the interpreter's last collection would look through all that was imported: a sixth of a run
    sys.exit(code if isinstance(code, int) else 0)


def _complain(error: Exception) -> int:
    """Say on one line what went wrong; returns the exit code."""
    from weiwo.app.cli.output import say  # noqa: PLC0415 - kept with its use

    if isinstance(error, BrokenPipeError):  # whoever read our output has had enough
        _silence()
        return FAILED
    if os.environ.get("WEIWO_DEBUG", "") not in {"", "0"}:
        import traceback  # noqa: PLC0415 - upon need

        traceback.print_exception(error)
    if isinstance(error, CommandError):
        say(str(error))
        return error.code
    if isinstance(error, typer.TyperException):
        if message := error.format_message().strip():
            command = getattr(getattr(error, "ctx", None), "command_path", "weiwo")
            say(f"{message.rstrip('.')}; see {command} --help")
        return USAGE
    if isinstance(error, typer.Abort):  # Ctrl-C while the program was still starting
        say("stopped; nothing had begun")
        return INTERRUPTED
    from weiwo.state.settings import SettingsError  # noqa: PLC0415 - heavy

    if isinstance(error, SettingsError):
        say(str(error))
        return USAGE
    if isinstance(error, OSError) and error.filename is not None:
        say(f"cannot use {error.filename}; {error.strerror}; see its permissions, or set WEIWO_HOME to another folder")
        return FAILED
    say(f"it broke off; {type(error).__name__}: {error}; WEIWO_DEBUG=1 shows where, weiwo doctor what is set up")
    return FAILED


def _silence() -> None:
    """Keep the interpreter from complaining about the closed pipe once more when it exits."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
