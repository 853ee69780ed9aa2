"""What is typed after a command, declared once: the options that several commands take."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, Final

import typer

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Tell each step on standard error.")]
Thread = Annotated[str, typer.Argument(metavar="THREAD", help="A thread id, as `weiwo threads` lists them.")]
Plan = Annotated[
    str | None, typer.Option("--plan", metavar="FILE", help='A plan as JSON, to run instead; "-" reads standard input.')
]
Corpus = Annotated[
    list[str] | None,
    typer.Option(
        "--corpus",
        metavar="PATH",
        help="File, folder, pattern or name of a corpus to search; may be repeated. Default: WEIWO_CORPUS.",
    ),
]
Output = Annotated[
    list[str] | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write the answer to FILE too: .md .html .docx .pptx .json .bib .csl.json; may be repeated.",
    ),
]

_RUN: Final[dict[str, Any]] = {
    "corpus": Corpus,
    "web": Annotated[bool | None, typer.Option(" /--no-web", help="Search local documents only.", show_default=False)],
    "site": Annotated[
        list[str] | None,
        typer.Option("--site", metavar="HOST", help="Only pages of this site; may be repeated. Default: WEIWO_SITE."),
    ],
    "not_site": Annotated[
        list[str] | None, typer.Option("--not-site", metavar="HOST", help="No pages of this site; may be repeated.")
    ],
    "since": Annotated[
        str | None,
        typer.Option("--since", metavar="DATE", help="Nothing known to be older, such as 2025, 2025-01 or 2025-01-31."),
    ],
    "folder": Annotated[
        list[str] | None,
        typer.Option("--folder", metavar="PATH", help="Only documents in this folder; may be repeated."),
    ],
    "model": Annotated[
        str | None, typer.Option("--model", metavar="PROVIDER:MODEL", help="Chat model. Default: WEIWO_MODEL.")
    ],
    "depth": Annotated[
        str | None,
        typer.Option("--depth", metavar="quick|normal|deep", help="How far to look: turns, queries, pages and rounds."),
    ],
    "form": Annotated[
        str | None,
        typer.Option(
            "--form", metavar="sentence|list|table|report|code", help="Form of a model's answer. Default: as asked."
        ),
    ],
    "words": Annotated[
        int | None, typer.Option("--words", metavar="N", help="About how long a model's answer is, in words.")
    ],
    "max_seconds": Annotated[
        float | None, typer.Option("--max-seconds", metavar="N", help="Answer within about N seconds.")
    ],
    "fresh": Annotated[
        bool | None,
        typer.Option("--fresh", help="Ask anew: no earlier answer, and no kept tool result.", show_default=False),
    ],
    "approve_plan": Annotated[
        bool | None, typer.Option("--approve-plan", help="Ask me about each plan before it runs.", show_default=False)
    ],
    "clarify": Annotated[
        bool | None,
        typer.Option(
            "--clarify/--no-clarify",
            help="Ask me what a question means that can mean several things. Default: at a terminal.",
            show_default=False,
        ),
    ],
    "mcp": Annotated[
        str | None,
        typer.Option(
            "--mcp", metavar="FILE", help="Use the tools of these MCP servers (mcpServers). Default: WEIWO_MCP."
        ),
    ],
    "procedures": Annotated[
        str | None,
        typer.Option(
            "--procedures", metavar="FOLDER", help="Markdown procedures to plan by. Default: WEIWO_PROCEDURES."
        ),
    ],
    "allow_tools": Annotated[
        list[str] | None,
        typer.Option("--allow-tool", metavar="NAME", help="Let this tool act without asking; may be repeated."),
    ],
    "allow_acting": Annotated[
        bool | None,
        typer.Option("--allow-acting", help="Let every tool act without asking.", show_default=False),
    ],
}
"""The options that set a field of a run's `Context`, by that field."""

RUN_OPTIONS: Final = tuple(_RUN)
"""Their names."""


def takes_context(*fields: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Declare the options of these fields on a command, which is given the `context` that they make.

    Args:
        fields: Fields of `Context`, in the order in which help shows their options.
    """

    def declare(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def call(*args: Any, **given: Any) -> None:
            from weiwo.app.cli.arguments import context_of  # noqa: PLC0415 - heavy

            context = context_of(**{field: given.pop(field) for field in fields})
            command(*args, **given, context=context)

        keyword = inspect.Parameter.KEYWORD_ONLY
        own = [one for one in inspect.signature(command).parameters.values() if one.name != "context"]
        options = [inspect.Parameter(field, keyword, default=None, annotation=_RUN[field]) for field in fields]
        signature = inspect.Signature([*own, *options])
        setattr(call, "__signature__", signature)  # noqa: B010 - where inspect looks, which types do not know
        call.__annotations__ = {name: one.annotation for name, one in signature.parameters.items()}
        return call

    return declare
