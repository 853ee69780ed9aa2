"""`weiwo index`: bringing a corpus up to files or a document loader."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from weiwo.app.cli.documents.corpora import counted
from weiwo.app.cli.documents.index_progress import show_ingestion
from weiwo.app.cli.errors import COMPLETE, PARTIAL, CommandError, UsageError
from weiwo.app.cli.event_loop import InterruptedRunError, run
from weiwo.app.cli.output import hint, write, write_json
from weiwo.app.cli.progress_line import ProgressLine
from weiwo.state.settings import Settings
from weiwo.tools.corpus.base import CorpusError
from weiwo.tools.corpus.index.catalog import (
    DEFAULT_NAME,
    CorpusSummary,
    locate_by_name,
    record_loader,
    record_roots,
    summarize_corpus,
)
from weiwo.tools.corpus.ingestion.file_walk import expand_paths
from weiwo.tools.printable import one_line

if TYPE_CHECKING:
    from weiwo.tools.corpus.index.embedding_models import EmbeddingProgress
    from weiwo.tools.corpus.index.writer import IndexWriter
    from weiwo.tools.corpus.ingestion.ingestion_report import IngestReport
    from weiwo.tools.corpus.ingestion.langchain_loader import LoaderSpec
    from weiwo.tools.corpus.retrieval.external_store import ExternalCorpus

Ingest = Callable[["IndexWriter"], Coroutine[Any, Any, "IngestReport"]]

_MOST_SHOWN: Final = 200


def index_command(
    paths: Sequence[str],
    name: str | None,
    *,
    watch: bool,
    as_json: bool,
    into: str | None = None,
    loader: str | None = None,
    loader_args: str | None = None,
) -> int:
    """Index files, or what a document loader gives; returns the exit code: 3 where something was left out.

    Args:
        paths: Files, folders and patterns to index; none where there is a loader.
        name: The corpus; without one, the default.
        watch: Whether to go on and follow changes until stopped.
        as_json: Whether to print the summary as JSON, one object a run.
        into: A vector store elsewhere to put the passages into, too, as `@module.attribute`.
        loader: A LangChain document loader in place of paths, as `module:NAME`.
        loader_args: Its keyword arguments, as a JSON object.

    Raises:
        UsageError: A path, the name, the vector store or the loader is wrong.
        CommandError: Another process is writing to the corpus, it is broken, or the run was stopped.
    """
    from weiwo.tools.corpus.retrieval.external_store import open_external  # noqa: PLC0415 - heavy

    name = name or DEFAULT_NAME
    settings = Settings.resolve()
    try:
        folder = locate_by_name(Path(settings.home), name)
        spec = _parse_loader(paths, loader, loader_args, watch=watch)
        expand_paths(paths)  # complains before a corpus is made
        target = open_external(into) if into else None
    except CorpusError as error:
        raise UsageError(str(error)) from error

    def stopped(code: int) -> CommandError:
        said = f"the corpus {name} is as last said" if watch else "what was indexed is kept; run it again to go on"
        return CommandError(f"stopped; {said}", code)

    try:
        work = _index(paths, folder, settings.embeddings, target, watch=watch, as_json=as_json, loader=spec)
        return run(work, stopped)
    except CorpusError as error:
        raise CommandError(str(error)) from error
    except InterruptedRunError as ended:
        raise stopped(ended.code) from None


def _parse_loader(
    paths: Sequence[str], loader: str | None, arguments: str | None, *, watch: bool
) -> "LoaderSpec | None":
    """The loader that was named, seen to be one; None where paths were."""
    if loader is None:
        if arguments is not None:
            raise UsageError("--loader-args: there is no loader that they are for; name it with --loader")
        if not paths:
            raise UsageError("nothing to index; name files or folders, or a document loader with --loader")
        return None
    if paths or watch:
        beside = "--watch, since only files can be watched" if watch else "paths; index these by a run of their own"
        raise UsageError(f"--loader: it does not go with {beside}")
    from weiwo.tools.corpus.ingestion.langchain_loader import import_loader, parse_loader  # noqa: PLC0415 - heavy

    spec = parse_loader(loader, arguments or "")
    import_loader(spec)  # complains before a corpus is made
    return spec


async def _index(
    paths: Sequence[str],
    folder: Path,
    model: str | None,
    target: "ExternalCorpus | None",
    *,
    watch: bool,
    as_json: bool,
    loader: "LoaderSpec | None" = None,
) -> int:
    from weiwo.tools.corpus.ingestion.file_watcher import watch_files  # noqa: PLC0415 - heavy

    code = await _once(paths, folder, model, target, as_json=as_json, loader=loader)
    if not watch:
        return code
    hint("watching for changes; Ctrl-C ends it")
    async for _ in watch_files(paths):
        try:
            code = await _once(paths, folder, model, target, as_json=as_json, quiet=True)
        except CorpusError as error:  # a path is gone for now, or another process is writing
            hint(f"not indexed: {error}")
    return code


async def _once(
    paths: Sequence[str],
    folder: Path,
    model: str | None,
    target: "ExternalCorpus | None" = None,
    *,
    as_json: bool,
    quiet: bool = False,
    loader: "LoaderSpec | None" = None,
) -> int:
    """One run; `quiet` says nothing where nothing has changed."""
    from weiwo.tools.corpus.index.writer import IndexWriter  # noqa: PLC0415 - heavy

    ingest = (
        _prepare_files(paths, folder, silent=as_json or quiet)
        if loader is None
        else await _run_loader(loader, folder, silent=as_json)
    )
    writer = await asyncio.to_thread(IndexWriter, folder)
    try:
        report = await ingest(writer)
        if model is not None:
            await asyncio.to_thread(_embed, writer, model, quiet=as_json or quiet)
        if target is not None:
            await asyncio.to_thread(_publish, writer, target)
    finally:
        await asyncio.to_thread(writer.close)
    if quiet and not (report.added or report.changed or report.removed or report.moved):
        return PARTIAL if report.left_out else COMPLETE
    whole = await asyncio.to_thread(summarize_corpus, folder)
    if as_json:
        write_json({**report.as_json(folder.name), "passages": whole.passages})
    else:
        write(summary(whole, report))
    return PARTIAL if report.left_out else COMPLETE


def _prepare_files(paths: Sequence[str], folder: Path, *, silent: bool) -> Ingest:
    """What brings the corpus up to files."""
    from weiwo.tools.corpus.ingestion.ingest import ingest_files  # noqa: PLC0415 - heavy

    async def ingest(writer: "IndexWriter") -> "IngestReport":
        await asyncio.to_thread(record_roots, folder, paths)
        with show_ingestion(silent=silent) as progress:
            report = await ingest_files(paths, writer, progress=progress)
        await asyncio.to_thread(writer.flush)  # whoever searches meanwhile need not wait for vectors
        await asyncio.to_thread(record_roots, folder, paths)
        return report

    return ingest


async def _run_loader(loader: "LoaderSpec", folder: Path, *, silent: bool) -> Ingest:
    """Run a loader, before a corpus is made or locked; what then brings the corpus up to its documents."""
    from weiwo.tools.corpus.ingestion.langchain_loader import (  # noqa: PLC0415 - heavy
        import_loader,
        ingest_loaded,
        load_documents,
    )

    progress = ProgressLine(in_place=False)

    def tell(documents: int) -> None:
        if not silent and progress.is_due():
            progress.tell(f"{counted(documents, 'document')} from {loader.label} …")

    make = await asyncio.to_thread(import_loader, loader)
    loaded = await load_documents(loader, make, report=tell)

    async def ingest(writer: "IndexWriter") -> "IngestReport":
        report = await asyncio.to_thread(ingest_loaded, loader, loaded, writer)
        await asyncio.to_thread(writer.flush)
        await asyncio.to_thread(record_loader, folder, loader.label)
        return report

    return ingest


def _embed(writer: "IndexWriter", name: str, *, quiet: bool) -> None:
    """Give passages their vectors. A model that fails costs nothing else: documents are found by keyword."""
    from weiwo.tools.corpus.index.embedding import embed_passages  # noqa: PLC0415 - heavy
    from weiwo.tools.corpus.index.embedding_models import (  # noqa: PLC0415 - heavy
        EmbeddingError,
        explain_embedding_error,
        load_embedder,
    )
    from weiwo.tools.corpus.index.language_fit import assess_fit  # noqa: PLC0415 - heavy

    progress = ProgressLine(in_place=False)

    def tell(now: "EmbeddingProgress") -> None:
        if not quiet and (progress.is_due() or (now.replaces and now.done == 0)):
            instead = f", in place of {now.replaces}" if now.replaces else ""
            progress.tell(f"{now.done:,} of {now.total:,} passages have vectors of {now.model}{instead}")

    try:
        model = load_embedder(name)
        known = assess_fit(writer.store, model)
        if known.warning and not quiet:
            hint(known.warning)
        if not known.trusted:
            return
        done = embed_passages(writer, model, tell)
    except (EmbeddingError, ImportError) as error:
        hint(f"{explain_embedding_error(error)}; documents are indexed without vectors")
        return
    if not quiet:
        hint(f"{done.total:,} passages have vectors of {done.model}")


def _publish(writer: "IndexWriter", target: "ExternalCorpus") -> None:
    """Bring a vector store elsewhere up to the corpus."""
    from weiwo.tools.corpus.index.vector_store_sync import sync_vector_store  # noqa: PLC0415 - heavy

    done = sync_vector_store(writer, target.name, target.inner)
    moved = f"{counted(done.added, 'passage')} added, {done.removed:,} removed"
    hint(f"{target.name}: {moved}; it has {done.total:,} of this corpus")


def summary(corpus: CorpusSummary, report: "IngestReport") -> str:
    """What a run came to, for people."""
    done = [
        f"{count:,} {what}"
        for what in ("added", "changed", "moved", "removed", "unchanged")
        if (count := getattr(report, what))
    ]
    rate = f", {report.passages / report.seconds:,.0f} passages a second" if report.passages and report.seconds else ""
    lines = [
        f"{corpus.name}: {counted(corpus.documents, 'document')}, {counted(corpus.passages, 'passage')}",
        f"{', '.join(done) or 'no files'} in {report.seconds:.1f} s{rate}",
    ]
    if report.others:
        kinds = ", ".join(f"{count:,} {ending}" for ending, count in report.others.most_common(8))
        lines.append(f"of types that are not read: {kinds}")
    if report.left_out:
        lines.append(f"left out, or taken in part: {len(report.left_out):,}")
        lines += [f"  {one_line(one.source)}: {one.reason}" for one in report.left_out[:_MOST_SHOWN]]
        if len(report.left_out) > _MOST_SHOWN:
            lines.append(f"  and {len(report.left_out) - _MOST_SHOWN:,} more; --json lists them all")
    return "\n".join(lines) + "\n"
