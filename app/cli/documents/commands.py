"""The commands over documents: indexing and listing them, searching without a plan."""

from typing import Annotated

import typer

from weiwo.app.cli.arguments import question_of
from weiwo.app.cli.options import Corpus, Json
from weiwo.app.cli.text_parameters import TextCommand

documents = typer.Typer()


@documents.command(cls=TextCommand)
def index(
    paths: Annotated[list[str] | None, typer.Argument(metavar="PATH...", help="Files, folders and patterns.")] = None,
    *,
    name: Annotated[str | None, typer.Option("--name", help="The corpus. Default: default.")] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Follow changes until Ctrl-C.")] = False,
    into: Annotated[
        str | None,
        typer.Option("--into", metavar="@MODULE.NAME", help="Keep a LangChain vector store up to the corpus, too."),
    ] = None,
    loader: Annotated[
        str | None,
        typer.Option("--loader", metavar="MODULE:NAME", help="Index what a LangChain document loader gives, instead."),
    ] = None,
    loader_args: Annotated[
        str | None, typer.Option("--loader-args", metavar="JSON", help="The loader's arguments, an object.")
    ] = None,
    json: Json = False,
) -> None:
    """Index documents; a second run reads only what has changed."""
    from weiwo.app.cli.documents.index import index_command  # noqa: PLC0415 - heavy

    code = index_command(
        paths or [], name, watch=watch, as_json=json, into=into, loader=loader, loader_args=loader_args
    )
    raise typer.Exit(code)


@documents.command(cls=TextCommand)
def corpora(*, json: Json = False) -> None:
    """List the corpora with their sizes and ages."""
    from weiwo.app.cli.documents.corpora import corpora_command  # noqa: PLC0415 - heavy

    corpora_command(as_json=json)


@documents.command(cls=TextCommand)
def search(
    query: Annotated[list[str], typer.Argument(metavar="QUERY", help="What to look for, quoted or as it comes.")],
    *,
    k: Annotated[int, typer.Option("-k", min=1, max=100, help="How many passages at most.")] = 8,
    explain: Annotated[bool, typer.Option("--explain", help="Show features, scores and choice.")] = False,
    json: Json = False,
    corpus: Corpus = None,
) -> None:
    """Search the documents: retrieval only, no plan, no answer."""
    text = question_of(query)
    from weiwo.app.cli.documents.search import search_command  # noqa: PLC0415 - heavy

    search_command(text, k, corpus or (), as_json=json, explain=explain)
