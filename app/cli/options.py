"""Shared options and arguments of the commands, declared once and validated."""

import inspect
import sys
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from weiwo.app.cli.errors import UsageError
from weiwo.app.cli.help_command import MORE
from weiwo.app.export.files import ExportError, check_outputs
from weiwo.graph.persistence.threads import check_thread_id
from weiwo.nodes.shared.question.validation import QuestionError, check_question


def _flag(*names: str, about: str, panel: str | None = None) -> Any:
    """Declare a boolean option. If the option is not given, the environment variable counts."""
    return Annotated[bool | None, typer.Option(*names, help=about, show_default=False, rich_help_panel=panel)]


def _more(kind: Any, *names: str, metavar: str, about: str) -> Any:
    """Declare an option with a value. Plain `--help` only names it, and `--help-all` explains it."""
    return Annotated[kind, typer.Option(*names, metavar=metavar, help=about, rich_help_panel=MORE)]


Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Print each step to standard error.")]
Thread = Annotated[
    str | None, typer.Argument(metavar="[THREAD]", help="As shown by `weiwo threads`. Default: the last thread.")
]
Plan = _more(str | None, "--plan", metavar="FILE", about='A plan as JSON, to run instead; "-" reads standard input.')
Corpus = Annotated[
    list[str] | None,
    typer.Option("--corpus", metavar="PATH", help="Documents or the name of a corpus; repeatable."),
]
Output = Annotated[
    list[str] | None,
    typer.Option(
        "--output", "-o", metavar="FILE", help="Save to a file: .md .html .docx .pptx .json .weiwo .bib .csl.json"
    ),
]

_RUN: Final[dict[str, Any]] = {
    "corpus": Corpus,
    "web": _flag(" /--no-web", about="Search local documents only."),
    "sources": Annotated[
        list[str] | None,
        typer.Option(
            "--sources",
            metavar="KIND",
            help="Only these: documents, web, scholarly (papers); repeatable.",
        ),
    ],
    "depth": Annotated[str | None, typer.Option("--depth", metavar="DEPTH", help="quick, normal or deep.")],
    "form": Annotated[
        str | None, typer.Option("--form", metavar="FORM", help="sentence, list, table, report or code.")
    ],
    "words": Annotated[
        int | None, typer.Option("--words", metavar="N", help="Length of the answer in words, with a model.")
    ],
    "language": Annotated[
        str | None,
        typer.Option("--language", metavar="TAG", help="Language of the answer, such as de. Default: the question's."),
    ],
    "model": Annotated[
        str | None, typer.Option("--model", metavar="PROVIDER:MODEL", help="Chat model. Default: WEIWO_MODEL.")
    ],
    "site": _more(
        list[str] | None,
        "--site",
        metavar="HOST",
        about="Only pages of this site; repeatable. Default: WEIWO_SITE.",
    ),
    "not_site": _more(list[str] | None, "--not-site", metavar="HOST", about="No pages of this site; repeatable."),
    "since": _more(
        str | None,
        "--since",
        metavar="DATE",
        about="Nothing known to be older than 2025, 2025-01 or 2025-01-31, for example.",
    ),
    "folder": _more(list[str] | None, "--folder", metavar="PATH", about="Only documents in this folder; repeatable."),
    "max_seconds": _more(float | None, "--max-seconds", metavar="N", about="Answer within about N seconds."),
    "fresh": _flag("--fresh", about="Search again: no saved answers or tool results.", panel=MORE),
    "approve_plan": _flag("--approve-plan", about="Ask for approval of each plan before it runs.", panel=MORE),
    "clarify": _flag(
        "--clarify/--no-clarify",
        about="Ask back if the question is ambiguous. Default: at a terminal.",
        panel=MORE,
    ),
    "mcp": _more(
        str | None,
        "--mcp",
        metavar="FILE",
        about="Use the tools of these MCP servers. Default: WEIWO_MCP.",
    ),
    "procedures": _more(
        str | None,
        "--procedures",
        metavar="FOLDER",
        about="Folder of Markdown procedures for planning. Default: WEIWO_PROCEDURES.",
    ),
    "template": _more(
        str | None,
        "--template",
        metavar="FILE",
        about="Fill the headings and {{ questions }} of this Markdown or Word file; with -o. Default: WEIWO_TEMPLATE.",
    ),
    "allow_tools": _more(
        list[str] | None, "--allow-tool", metavar="NAME", about="Let this tool make changes without asking; repeatable."
    ),
    "allow_acting": _flag("--allow-acting", about="Let every tool make changes without asking.", panel=MORE),
}
"""The command-line options that set a field of a run's `Context`, by the name of the field."""

RUN_OPTIONS: Final = tuple(_RUN)
"""The names of all those fields, in the order of the help."""


def takes_context(*fields: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that gives a command the options for some fields of `Context`.

    The command itself receives a single argument `context`, built from the options that were given.

    Args:
        fields: Fields of `Context`, in the order in which help shows their options.
    """

    def declare(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def call(*args: Any, **given: Any) -> None:
            context = _context_of(**{field: given.pop(field) for field in fields})
            command(*args, **given, context=context)

        keyword = inspect.Parameter.KEYWORD_ONLY
        own = [parameter for parameter in inspect.signature(command).parameters.values() if parameter.name != "context"]
        options = [inspect.Parameter(field, keyword, default=None, annotation=_RUN[field]) for field in fields]
        signature = inspect.Signature([*own, *options])
        setattr(call, "__signature__", signature)  # noqa: B010 - where inspect looks, which types do not know
        call.__annotations__ = {name: parameter.annotation for name, parameter in signature.parameters.items()}
        return call

    return declare


def _context_of(**options: Any) -> Any:
    """Return the `Context` with the given options. Options that were not given stay unset.

    Raises:
        UsageError: A value is invalid, or the model has no provider.
    """
    from pydantic import ValidationError

    from weiwo.state.context import Context, describe_validation_error

    model = options.get("model")
    if model is not None and not all(part.strip() for part in f"{model}:".split(":", 2)[:2]):
        raise UsageError(f"--model {model!r} has no provider; use provider:model, such as openai:gpt-5-mini")
    given = {name: value for name, value in options.items() if value is not None}
    try:
        return Context(**given) if given else Context.model_construct()  # which builds no validator
    except ValidationError as error:
        raise UsageError(f"--{describe_validation_error(error).replace('_', '-', 1)}; correct it") from None


def question_of(words: Sequence[str]) -> str:
    """Return the question, cleaned and checked. Several words are joined into one question.

    A single "-" reads the question from standard input.

    Raises:
        UsageError: The question is empty, too long or not UTF-8 text.
    """
    text = " ".join(words)
    if text == "-":
        try:
            text = sys.stdin.buffer.read().decode()
        except UnicodeDecodeError:
            raise UsageError("standard input is not UTF-8 text; convert the question to UTF-8") from None
    try:
        return check_question(text)
    except QuestionError as error:
        raise UsageError(str(error)) from None


def checked_thread_id(text: str) -> str:
    """Return the thread id if valid. Raises a usage error for an invalid id."""
    try:
        return check_thread_id(text)
    except ValueError as error:
        raise UsageError(str(error)) from None


def output_files(given: list[str] | None) -> tuple[Path, ...]:
    """Return the output files if all are writable. Raises a usage error otherwise."""
    if not given:
        return ()
    try:
        return tuple(check_outputs(given))
    except ExportError as error:
        raise UsageError(f"--output {error}") from None
