"""The commands over documents: indexing them, listing what is indexed, searching without a plan."""

from typing import Annotated

import typer

from app.options import Corpus, Json, context_of, question_of

documents = typer.Typer()


@documents.command()
def index(
    paths: Annotated[list[str], typer.Argument(metavar="PATH...", help="Files, folders and patterns.")],
    *,
    name: Annotated[str | None, typer.Option("--name", help="The corpus. Default: default.")] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Follow changes until Ctrl-C.")] = False,
    into: Annotated[
        str | None,
        typer.Option("--into", metavar="@MODULE.NAME", help="Keep a LangChain vector store up to the corpus, too."),
    ] = None,
    json: Json = False,
) -> None:
    """Index documents; a second run reads only what has changed."""
    from app.index import index_command  # noqa: PLC0415 - heavy

    raise typer.Exit(index_command(paths, name, watch=watch, as_json=json, into=into))


@documents.command()
def corpora(*, json: Json = False) -> None:
    """List the corpora with their sizes and ages."""
    from app.index import corpora_command  # noqa: PLC0415 - heavy

    corpora_command(as_json=json)


@documents.command()
def search(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What to look for.")],
    *,
    corpus: Corpus = None,
    k: Annotated[int, typer.Option("-k", min=1, max=100, help="How many passages at most.")] = 8,
    explain: Annotated[bool, typer.Option("--explain", help="Show features, scores and choice.")] = False,
    json: Json = False,
) -> None:
    """Search the documents: retrieval only, no plan, no answer."""
    context = context_of(corpus=corpus)
    text = question_of(query)
    from app.commands import search_command  # noqa: PLC0415 - heavy

    search_command(text, k, context, as_json=json, explain=explain)
