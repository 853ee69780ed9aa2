"""The `weiwo` command: what is asked for, and how it ends. What it does is in the modules beside this one.

Heavy imports happen inside the commands, so that `weiwo --help` is quick.
"""

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from app.errors import FAILED, USAGE, CommandError, UsageError

app = typer.Typer(
    name="weiwo",
    help="AI search that plans before it searches. Without a model it works by rules alone.",
    epilog="Exit codes: 0 complete, 3 partial, 1 failed, 2 wrong usage, 130 stopped.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Corpus = Annotated[
    list[str] | None,
    typer.Option("--corpus", metavar="PATH", help="File or folder to search; may be repeated. Default: WEIWO_CORPUS."),
]
Thread = Annotated[str, typer.Argument(metavar="THREAD", help="A thread id, as `weiwo threads` lists them.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Tell each step on standard error.")]


@app.callback()
def start() -> None:
    """Read `.env` of the working directory; what the environment has already wins."""
    from dotenv import load_dotenv  # noqa: PLC0415 - not for --help

    path = Path(".env")
    try:
        if path.is_file():
            load_dotenv(path, override=False)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise UsageError(f"{path.absolute()}; it cannot be read: {why}; correct or remove it") from None


@app.command()
def ask(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help='The question; "-" reads standard input.')],
    *,
    corpus: Corpus = None,
    thread: Annotated[
        str | None, typer.Option("--thread", metavar="ID", help="Continue this conversation, or begin one of that id.")
    ] = None,
    json: Json = False,
    no_web: Annotated[bool, typer.Option("--no-web", help="Search local documents only.")] = False,
    model: Annotated[
        str | None, typer.Option("--model", metavar="PROVIDER:MODEL", help="Chat model. Default: WEIWO_MODEL.")
    ] = None,
    max_seconds: Annotated[
        float | None, typer.Option("--max-seconds", metavar="N", help="Answer within about N seconds.")
    ] = None,
    verbose: Verbose = False,
) -> None:
    """Ask a question; get an answer whose every claim leads to its source."""
    from graph.threads import new_thread_id  # noqa: PLC0415 - heavy

    context = _context(corpus=corpus, web=False if no_web else None, model=model, max_seconds=max_seconds)
    text = _question(question)
    thread_id = new_thread_id() if thread is None else _thread_id(thread)
    from app.commands import ask_command  # noqa: PLC0415 - heavy

    raise typer.Exit(ask_command(text, thread_id, context, as_json=json, verbose=verbose, given=thread is not None))


@app.command()
def resume(thread: Thread, *, json: Json = False, verbose: Verbose = False) -> None:
    """Finish what was interrupted; nothing that had finished runs again."""
    thread_id = _thread_id(thread)
    from app.commands import resume_command  # noqa: PLC0415 - heavy

    raise typer.Exit(resume_command(thread_id, as_json=json, verbose=verbose))


@app.command()
def threads(
    *,
    json: Json = False,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="How many at most.")] = 20,
) -> None:
    """List threads, the one that changed last first."""
    from app.commands import threads_command  # noqa: PLC0415 - heavy

    threads_command(limit, as_json=json)


@app.command()
def show(
    thread: Thread,
    *,
    json: Json = False,
    mermaid: Annotated[bool, typer.Option("--mermaid", help="Print the plan as a Mermaid flowchart.")] = False,
) -> None:
    """Show a thread: question, plan and outcomes, answer, what it cost."""
    thread_id = _thread_id(thread)
    if json and mermaid:
        raise UsageError("--json and --mermaid; they print different things; give one of them")
    from app.commands import show_command  # noqa: PLC0415 - heavy

    show_command(thread_id, as_json=json, mermaid=mermaid)


@app.command()
def search(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What to look for.")],
    *,
    corpus: Corpus = None,
    k: Annotated[int, typer.Option("-k", min=1, max=100, help="How many passages at most.")] = 8,
    json: Json = False,
) -> None:
    """Search the documents: retrieval only, no plan, no answer."""
    context = _context(corpus=corpus)
    text = _question(query)
    from app.commands import search_command  # noqa: PLC0415 - heavy

    search_command(text, k, context, as_json=json)


@app.command()
def doctor(*, json: Json = False) -> None:
    """Tell what is set up, what is missing, and what it would add."""
    from app.commands import doctor_command  # noqa: PLC0415 - heavy

    raise typer.Exit(doctor_command(as_json=json))


def _question(text: str) -> str:
    """The question, read from standard input for "-", cleaned and checked."""
    from nodes.question import QuestionError, check_question  # noqa: PLC0415 - heavy

    if text == "-":
        try:
            text = sys.stdin.buffer.read().decode()
        except UnicodeDecodeError:
            raise UsageError("the question; standard input is not UTF-8 text; convert it") from None
    try:
        return check_question(text)
    except QuestionError as error:
        raise UsageError(str(error)) from None


def _thread_id(text: str) -> str:
    from graph.threads import check_thread_id  # noqa: PLC0415 - heavy

    try:
        return check_thread_id(text)
    except ValueError as error:
        raise UsageError(str(error)) from None


def _context(**options: Any) -> Any:
    """The options as a run's context."""
    from pydantic import ValidationError  # noqa: PLC0415 - heavy

    from state.settings import Context, one_line  # noqa: PLC0415 - heavy

    model = options.get("model")
    if model is not None and not all(part.strip() for part in f"{model}:".split(":", 2)[:2]):
        raise UsageError(f"--model {model!r}; it names no provider; write provider:model, such as openai:gpt-5-mini")
    for path in options.get("corpus") or ():
        if not Path(path).expanduser().exists():
            raise UsageError(f"--corpus {path!r}; there is no such file or folder; name one that exists")
    try:
        return Context(**{name: value for name, value in options.items() if value is not None})
    except ValidationError as error:
        raise UsageError(f"--{one_line(error).replace('_', '-', 1)}; correct it") from None


def main() -> NoReturn:
    """Run the command and exit."""
    from app.output import prepare  # noqa: PLC0415 - kept with its use

    prepare()
    try:
        code = app(prog_name="weiwo", standalone_mode=False)
    except Exception as error:  # noqa: BLE001 - the last line of defence: a line and an exit code
        code = _complain(error)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _silence()
    sys.exit(code if isinstance(code, int) else 0)


def _complain(error: Exception) -> int:
    """Say on one line what went wrong; returns the exit code."""
    from app.output import say  # noqa: PLC0415 - kept with its use
    from state.settings import SettingsError  # noqa: PLC0415 - heavy

    if isinstance(error, BrokenPipeError):  # whoever read our output has had enough
        _silence()
        return FAILED
    if os.environ.get("WEIWO_DEBUG", "") not in {"", "0"}:
        import traceback  # noqa: PLC0415 - upon need

        traceback.print_exception(error)
    if isinstance(error, CommandError):
        say(str(error))
        return error.code
    if isinstance(error, SettingsError):
        say(str(error))
        return USAGE
    if isinstance(error, typer.TyperException):
        if message := error.format_message().strip():
            command = getattr(getattr(error, "ctx", None), "command_path", "weiwo")
            say(f"{message.rstrip('.')}; see {command} --help")
        return USAGE
    if isinstance(error, typer.Abort):
        return FAILED
    say(f"it broke off; {type(error).__name__}: {error}; WEIWO_DEBUG=1 shows where, weiwo doctor what is set up")
    return FAILED


def _silence() -> None:
    """Keep the interpreter from complaining about the closed pipe once more when it exits."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
