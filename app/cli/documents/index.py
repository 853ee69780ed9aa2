"""`weiwo index`: bringing a corpus up to files or a document loader."""

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import chdir, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from weiwo.app.cli.documents.connectors import find_due, parse_connector, require_alone
from weiwo.app.cli.documents.corpus import format_count
from weiwo.app.cli.errors import COMPLETE, PARTIAL, CommandError, UsageError
from weiwo.app.cli.event_loop import run_to_end
from weiwo.app.cli.help_command import PanelCommand
from weiwo.app.cli.options import Json
from weiwo.app.cli.output import hint, write, write_json
from weiwo.app.cli.progress_line import ProgressLine, show_ingestion
from weiwo.state.settings import Settings
from weiwo.text.printable import one_line
from weiwo.tools.corpus.base import CorpusError
from weiwo.tools.corpus.formats import PICTURES
from weiwo.tools.corpus.index import embedding_models
from weiwo.tools.corpus.index.catalog import (
    DEFAULT_NAME,
    CorpusSummary,
    locate_by_name,
    record_origin,
    summarize_corpus,
)
from weiwo.tools.corpus.index.connectors import (
    Connector,
    begin_run,
    forget_connector,
    note_connector,
    note_run,
    put_off_run,
)
from weiwo.tools.corpus.index.embedding_models import EmbeddingError, EmbeddingProgress
from weiwo.tools.corpus.index.language_fit import assess_fit
from weiwo.tools.corpus.index.vector_index import embed_passages
from weiwo.tools.corpus.index.vector_store_sync import sync_vector_store
from weiwo.tools.corpus.index.writer import BusyError, IndexWriter
from weiwo.tools.corpus.ingestion.file_walk import expand_paths, watch_files
from weiwo.tools.corpus.ingestion.ingest import ingest_files
from weiwo.tools.corpus.ingestion.ingestion_report import IngestReport
from weiwo.tools.corpus.ingestion.langchain_loader import (
    LoaderSpec,
    import_loader,
    ingest_loaded,
    load_documents,
    parse_loader,
    read_states,
    write_states,
)

if TYPE_CHECKING:
    from weiwo.tools.corpus.retrieval.external_store import ExternalCorpus

app = typer.Typer()
_Ingest = Callable[[IndexWriter], Coroutine[Any, Any, IngestReport]]

_MOST_SHOWN: Final = 200
_NAMED: Final = 5
"""Passages without vectors that are quoted in the output. The others are only counted."""


@app.command(cls=PanelCommand)
def index(  # noqa: PLR0913 - each option is a parameter
    paths: Annotated[list[str] | None, typer.Argument(metavar="PATH...", help="Files, folders and patterns.")] = None,
    *,
    corpus: Annotated[
        str | None, typer.Option("--corpus", metavar="NAME", help="The corpus. Default: default.")
    ] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Follow changes until Ctrl-C.")] = False,
    into: Annotated[
        str | None,
        typer.Option(
            "--into", metavar="@MODULE.NAME", help="Keep a LangChain vector store up to date with the corpus."
        ),
    ] = None,
    loader: Annotated[
        str | None,
        typer.Option(
            "--loader", metavar="MODULE:NAME", help="Index the output of a LangChain document loader instead."
        ),
    ] = None,
    loader_args: Annotated[
        str | None, typer.Option("--loader-args", metavar="JSON", help="The loader's arguments, as an object.")
    ] = None,
    every: Annotated[
        str | None,
        typer.Option(
            "--every", metavar="SPAN", help="Interval for the loader under weiwo serve: 30m, 1h, 2d; 0: stop."
        ),
    ] = None,
    due: Annotated[bool, typer.Option("--due", help="Run the --every loaders that are due.")] = False,
    json: Json = False,
) -> None:
    """Index documents. A second run reads only changed files."""
    settings = Settings.resolve()
    name = corpus or DEFAULT_NAME
    if due:
        require_alone(paths, watch, into, loader, loader_args, every)
        raise typer.Exit(run_to_end(_run_due(settings, corpus, as_json=json)))
    try:
        folder = locate_by_name(Path(settings.home), name)
        spec = _parse_loader(paths or (), loader, loader_args, watch=watch)
        expand_paths(paths or ())  # complains before a corpus is made
        target = None
        if into:
            from weiwo.tools.corpus.retrieval.external_store import open_external

            target = open_external(into)
        connector = parse_connector(spec, every)
    except CorpusError as error:
        raise UsageError(str(error)) from error
    if connector is not None and not connector.seconds:
        found = forget_connector(folder, connector)
        write(f"{connector.label} is {'no longer kept' if found else 'not kept'} in step with {name}\n")
        return

    run = _IndexRun(paths or (), folder, settings.embeddings, target, spec, connector, as_json=json)
    raise typer.Exit(_index_or_watch(run, name, watch=watch))


@dataclass(frozen=True)
class _IndexRun:
    """One run of `weiwo index`, which also prints its progress and summary.

    Attributes:
        paths: Files, folders and patterns to index. Empty if a loader is used.
        folder: The corpus.
        model: The embedding model, if there is one.
        target: An external vector store that receives the passages too.
        loader: A LangChain document loader in place of paths.
        connector: The interval at which the loader runs from now on. None leaves the interval as it is.
        as_json: Whether to print the summary as JSON, one object a run.
    """

    paths: Sequence[str]
    folder: Path
    model: str | None = None
    target: "ExternalCorpus | None" = None
    loader: LoaderSpec | None = None
    connector: Connector | None = None
    as_json: bool = False

    async def follow(self) -> int:
        """Index, then index again after each change until stopped, and return the last exit code."""
        code = await self.once()
        hint("watching for changes; press Ctrl-C to stop")
        async for _ in watch_files(self.paths):
            try:
                code = await self.once(quiet=True)
            except CorpusError as error:  # a path is gone for now, or another process is writing
                hint(f"not indexed: {error}")
        return code

    async def once(self, *, quiet: bool = False) -> int:
        """Index once and return the exit code: 0, or 3 if a document was left out.

        With `quiet`, the summary is printed only if a document was added, changed, moved or removed.
        """
        silent = self.as_json or quiet
        ingest = (
            _prepare_files(self.paths, self.folder, silent=silent)
            if self.loader is None
            else await _run_loader(self.loader, self.folder, self.connector, silent=silent)
        )
        writer = await asyncio.to_thread(IndexWriter, self.folder)
        try:
            report = await ingest(writer)
            if self.model is not None:
                await asyncio.to_thread(_embed, writer, self.model, quiet=silent)
            if self.target is not None:
                await asyncio.to_thread(_publish, writer, self.target)
        finally:
            await asyncio.to_thread(writer.close)
        if not quiet or report.added or report.changed or report.removed or report.moved:
            whole = await asyncio.to_thread(summarize_corpus, self.folder)
            if self.as_json:
                write_json({**report.as_json(self.folder.name), "passages": whole.passages})
            else:
                write(_summary(whole, report))
        return PARTIAL if report.left_out else COMPLETE


def _index_or_watch(run: _IndexRun, name: str, *, watch: bool) -> int:
    """Index a corpus once, or follow changes, and return the exit code."""

    def build_stop_error(code: int) -> CommandError:
        said = (
            f"the corpus {name} is as last said"
            if watch
            else "indexed files are saved; run the command again to continue"
        )
        return CommandError(f"stopped; {said}", code)

    try:
        return run_to_end(run.follow() if watch else run.once(), build_stop_error)
    except CorpusError as error:
        raise CommandError(str(error)) from error


def _parse_loader(paths: Sequence[str], loader: str | None, arguments: str | None, *, watch: bool) -> LoaderSpec | None:
    """Return the loader named by `--loader`, or None if paths were given instead.

    The loader is imported, so that a wrong name is reported at once.

    Raises:
        UsageError: There is nothing to index, or the options do not go together.
    """
    if loader is None:
        if arguments is not None:
            raise UsageError("--loader-args requires --loader")
        if not paths:
            raise UsageError("nothing to index; give files or folders, or a document loader with --loader")
        return None
    if paths or watch:
        beside = "--watch, since only files can be watched" if watch else "paths; index these by a run of their own"
        raise UsageError(f"--loader cannot be combined with {beside}")
    spec = parse_loader(loader, arguments or "")
    import_loader(spec)  # complains before a corpus is made
    return spec


def _prepare_files(paths: Sequence[str], folder: Path, *, silent: bool) -> _Ingest:
    """Return the function that reads the files and writes them to an open corpus."""

    async def ingest(writer: IndexWriter) -> IngestReport:
        await asyncio.to_thread(record_origin, folder, paths)
        with show_ingestion(silent=silent) as progress:
            report = await ingest_files(paths, writer, progress=progress)
        await asyncio.to_thread(writer.flush)  # concurrent searches need not wait for vectors
        await asyncio.to_thread(record_origin, folder, paths)
        return report

    return ingest


async def _run_due(settings: Settings, corpus: str | None, *, as_json: bool) -> int:
    """Run the connectors that are due, of one corpus or of all, and return the exit code.

    A connector that fails leaves its documents as they are.
    """
    code = COMPLETE
    for folder, connector in find_due(Path(settings.home), corpus):
        spec, started = LoaderSpec(connector.module, connector.name, connector.arguments), time.time()
        try:
            begun = await asyncio.to_thread(begin_run, folder, connector, started)
        except OSError as error:  # the record stays as it is: the run is due again, or is another process's
            hint(f"corpus {folder.name}: {error.strerror or error}")
            code = PARTIAL
            continue
        if not begun:
            continue  # another process has, or the connector is no longer kept
        try:
            with chdir(connector.place or "."):
                done = await _IndexRun((), folder, settings.embeddings, loader=spec, as_json=as_json).once(quiet=True)
        except BusyError:
            done = await _put_off(folder, connector, started)
        except (CorpusError, OSError) as error:
            problem = str(error).removeprefix(f"loader {connector.label}: ").removesuffix("; nothing was changed")
            with suppress(OSError):  # what cannot be recorded is told below, and the other corpora have their turn
                await asyncio.to_thread(note_run, folder, connector, started, one_line(problem))
            hint(f"corpus {folder.name}: {error}")
            done = PARTIAL
        code = max(code, done)
    return code


async def _put_off(folder: Path, connector: Connector, started: float) -> int:
    """Make a connector due again after its corpus was in use by another run, and return the exit code."""
    try:
        await asyncio.to_thread(put_off_run, folder, connector, started)
    except OSError as error:
        hint(f"corpus {folder.name}: {error.strerror or error}")
        return PARTIAL
    return COMPLETE


async def _run_loader(loader: LoaderSpec, folder: Path, connector: Connector | None, *, silent: bool) -> _Ingest:
    """Run a loader and return the function that writes the loaded documents to an open corpus.

    The loader runs before a corpus is created or locked, so a failing loader leaves nothing behind.
    """
    started, kept = time.time(), Connector(loader.module, loader.name, loader.arguments)
    progress = ProgressLine(in_place=False)

    def tell(documents: int) -> None:
        if not silent and progress.is_due():
            progress.tell(f"{format_count(documents, 'document')} from {loader.label} …")

    make = await asyncio.to_thread(import_loader, loader)
    loaded = await load_documents(loader, make, tell, await asyncio.to_thread(read_states, folder, loader))

    async def ingest(writer: IndexWriter) -> IngestReport:
        report = await asyncio.to_thread(ingest_loaded, loader, loaded, writer)
        await asyncio.to_thread(writer.flush)
        await asyncio.to_thread(record_origin, folder, (), (loader.label,))
        await asyncio.to_thread(write_states, folder, loader, loaded)
        if connector is not None:
            await asyncio.to_thread(note_connector, folder, connector)
        await asyncio.to_thread(note_run, folder, kept, started, loaded.stopped)
        return report

    return ingest


def _embed(writer: IndexWriter, name: str, *, quiet: bool) -> None:
    """Compute the missing vectors of the passages.

    If the model fails or does not know their languages, the documents are still found by their words.
    """
    progress = ProgressLine(in_place=False)

    def tell(now: EmbeddingProgress) -> None:
        if not quiet and (progress.is_due() or (now.replaces and now.done == 0)):
            instead = f", replacing {now.replaces}" if now.replaces else ""
            progress.tell(f"{now.done:,} of {now.total:,} passages have vectors of {now.model}{instead}")

    try:
        model = embedding_models.load_embedder(name)
        known = assess_fit(writer.store, model)
        if known.warning and not quiet:
            hint(known.warning)
        if not known.is_trusted:
            return
        done = embed_passages(writer, model, tell)
    except EmbeddingError as error:
        hint(f"{error}; documents are indexed without vectors")
        return
    for text in done.without[:_NAMED]:
        hint(f"{done.model} returns no vector for the passage “{text}”; it is found by keywords only")
    if done.without[_NAMED:]:
        hint(f"and none for {len(done.without) - _NAMED:,} more")
    if not quiet:
        hint(f"{done.done:,} passages have vectors of {done.model}")


def _publish(writer: IndexWriter, target: "ExternalCorpus") -> None:
    """Synchronize an external vector store with the corpus, and print the changes."""
    done = sync_vector_store(writer, target.name, target.inner)
    moved = f"{format_count(done.added, 'passage')} added, {done.removed:,} removed"
    hint(f"{target.name}: {moved}; it has {done.total:,} of this corpus")


def _summary(corpus: CorpusSummary, report: IngestReport) -> str:
    """Format the summary of an indexing run for people."""
    done = [
        f"{count:,} {what}"
        for what in ("added", "changed", "moved", "removed", "unchanged")
        if (count := getattr(report, what))
    ]
    rate = f", {report.passages / report.seconds:,.0f} passages a second" if report.passages and report.seconds else ""
    lines = [
        f"{corpus.name}: {format_count(corpus.documents, 'document')}, {format_count(corpus.passages, 'passage')}",
        f"{', '.join(done) or 'no files'} in {report.seconds:.1f} s{rate}",
    ]
    if report.others:
        kinds = ", ".join(f"{count:,} {ending}" for ending, count in report.others.most_common())
        needed = "; install tesseract to read pictures" if any(ending in PICTURES for ending in report.others) else ""
        many = (
            f"{format_count(report.others.total(), 'file')} of {format_count(len(report.others), 'unsupported type')}"
        )
        lines.append(f"{many}: {kinds}{needed}")
    if report.left_out:
        lines.append(f"not indexed, or only in part: {len(report.left_out):,}")
        lines += [f"  {one_line(item.source)}: {item.reason}" for item in report.left_out[:_MOST_SHOWN]]
        if len(report.left_out) > _MOST_SHOWN:
            lines.append(f"  and {len(report.left_out) - _MOST_SHOWN:,} more; --json lists all of them")
    return "\n".join(lines) + "\n"
