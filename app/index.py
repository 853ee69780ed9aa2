"""`weiwo index` and `weiwo corpora`: bringing corpora up to their files, and listing them."""

import asyncio
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from app.corpora import counted, size, span
from app.errors import COMPLETE, PARTIAL, CommandError, UsageError
from app.output import hint, write, write_json
from app.session import InterruptedRunError, run
from state.settings import Settings, home
from tools.corpus.base import CorpusError
from tools.corpus.outside import outside
from tools.corpus.shelf import DEFAULT_NAME, Shelved, folder_of, look_at, note_roots, shelved
from tools.corpus.walk import expand
from tools.printable import one_line

if TYPE_CHECKING:
    from tools.corpus.embeddings import Progress as Embedding
    from tools.corpus.outside import OutsideCorpus
    from tools.corpus.report import Progress as Reading
    from tools.corpus.report import Report
    from tools.corpus.writing import IndexWriter

_LINE_SECONDS: Final = 5.0
_MOST_SHOWN: Final = 200


def index_command(
    paths: Sequence[str], name: str | None, *, watch: bool, as_json: bool, into: str | None = None
) -> int:
    """Index files, folders and patterns; returns the exit code: 3 where something was left out.

    Args:
        paths: What to index.
        name: The corpus; without one, the default.
        watch: Whether to go on and follow changes until stopped.
        as_json: Whether to print the summary as JSON, one object a run.
        into: A vector store elsewhere to put the passages into, too, as `@module.attribute`.

    Raises:
        UsageError: A path, the name or the vector store is wrong.
        CommandError: Another process is writing to the corpus, it is broken, or the run was stopped.
    """
    name = name or DEFAULT_NAME
    settings = Settings.resolve()
    try:
        folder = folder_of(Path(settings.home), name)
        expand(paths)  # complains before a corpus is made
        target = outside(into) if into else None
    except CorpusError as error:
        raise UsageError(str(error)) from error

    def stopped(code: int) -> CommandError:
        said = f"the corpus {name} is as last said" if watch else "what was indexed is kept; run it again to go on"
        return CommandError(f"stopped; {said}", code)

    try:
        return run(_index(paths, folder, settings.embeddings, target, watch=watch, as_json=as_json), stopped)
    except CorpusError as error:
        raise CommandError(str(error)) from error
    except InterruptedRunError as ended:
        raise stopped(ended.code) from None


async def _index(
    paths: Sequence[str],
    folder: Path,
    model: str | None,
    target: "OutsideCorpus | None",
    *,
    watch: bool,
    as_json: bool,
) -> int:
    from tools.corpus.follow import follow  # noqa: PLC0415 - heavy

    code = await _once(paths, folder, model, target, as_json=as_json)
    if not watch:
        return code
    hint("watching for changes; Ctrl-C ends it")
    async for _ in follow(paths):
        try:
            code = await _once(paths, folder, model, target, as_json=as_json, quiet=True)
        except CorpusError as error:  # a path is gone for now, or another process is writing
            hint(f"not indexed: {error}")
    return code


async def _once(
    paths: Sequence[str],
    folder: Path,
    model: str | None,
    target: "OutsideCorpus | None" = None,
    *,
    as_json: bool,
    quiet: bool = False,
) -> int:
    """One run; `quiet` says nothing where nothing has changed."""
    from tools.corpus.ingest import ingest  # noqa: PLC0415 - heavy
    from tools.corpus.writing import IndexWriter  # noqa: PLC0415 - heavy

    writer = await asyncio.to_thread(IndexWriter, folder)
    try:
        await asyncio.to_thread(note_roots, folder, paths)
        with _shown(as_json=as_json or quiet) as progress:
            report = await ingest(paths, writer, progress=progress)
        await asyncio.to_thread(writer.flush)  # whoever searches meanwhile need not wait for vectors
        await asyncio.to_thread(note_roots, folder, paths)
        if model is not None:
            await asyncio.to_thread(_embed, writer, model, quiet=as_json or quiet)
        if target is not None:
            await asyncio.to_thread(_publish, writer, target)
    finally:
        await asyncio.to_thread(writer.close)
    if quiet and not (report.added or report.changed or report.removed or report.moved):
        return PARTIAL if report.left_out else COMPLETE
    whole = await asyncio.to_thread(look_at, folder)
    if as_json:
        write_json({**report.as_json(folder.name), "passages": whole.passages})
    else:
        write(summary(whole, report))
    return PARTIAL if report.left_out else COMPLETE


def _embed(writer: "IndexWriter", name: str, *, quiet: bool) -> None:
    """Give passages their vectors. A model that fails costs nothing else: documents are found by keyword."""
    from tools.corpus.bringing import without_vectors  # noqa: PLC0415 - heavy
    from tools.corpus.embed import embed  # noqa: PLC0415 - heavy
    from tools.corpus.embeddings import EmbeddingError, embedder  # noqa: PLC0415 - heavy
    from tools.corpus.languages import fit  # noqa: PLC0415 - heavy

    told = time.monotonic()

    def tell(now: "Embedding") -> None:
        nonlocal told
        late = time.monotonic() - told >= _LINE_SECONDS
        if not quiet and (late or (now.replaces and now.done == 0)):
            told = time.monotonic()
            instead = f", in place of {now.replaces}" if now.replaces else ""
            hint(f"{now.done:,} of {now.total:,} passages have vectors of {now.model}{instead}")

    try:
        model = embedder(name)
        known = fit(writer.store, model)
        if known.warning and not quiet:
            hint(known.warning)
        if not known.trusted:
            return
        done = embed(writer, model, tell)
    except (EmbeddingError, ImportError) as error:
        hint(f"{without_vectors(error)}; documents are indexed without vectors")
        return
    if not quiet:
        hint(f"{done.total:,} passages have vectors of {done.model}")


def _publish(writer: "IndexWriter", target: "OutsideCorpus") -> None:
    """Bring a vector store elsewhere up to the corpus."""
    from tools.corpus.publishing import publish  # noqa: PLC0415 - heavy

    done = publish(writer, target)
    moved = f"{counted(done.added, 'passage')} added, {done.removed:,} removed"
    hint(f"{target.name}: {moved}; it has {done.total:,} of this corpus")


def corpora_command(*, as_json: bool) -> None:
    """List the corpora with their sizes and ages."""
    found = list(shelved(home()))
    if as_json:
        write_json([_as_json(one) for one in found])
        return
    write("".join(_line(one) for one in found))
    if not found:
        hint("there are no corpora yet; weiwo index PATH makes one")


def summary(corpus: Shelved, report: "Report") -> str:
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


@contextmanager
def _shown(*, as_json: bool) -> Iterator[Callable[["Reading"], None] | None]:
    """Show progress on standard error: a bar on a terminal, a line now and then elsewhere."""
    if as_json:
        yield None
    elif sys.stderr.isatty():
        with _bar() as bar:
            task = bar.add_task("indexing", total=None, files="", rate="")
            yield _drawing(bar, task)
    else:
        yield _telling()


def _bar() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[files]}"),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        console=Console(stderr=True, markup=False, emoji=False, highlight=False),
        transient=True,
    )


def _drawing(bar: Progress, task: Any) -> Callable[["Reading"], None]:
    started = time.monotonic()

    def draw(now: "Reading") -> None:
        rate = now.passages / max(time.monotonic() - started, 0.001)
        bar.update(
            task,
            total=now.bytes_total or 1,
            completed=now.bytes if now.bytes_total else 1,
            files=f"{now.files:,}/{now.files_total:,} files",
            rate=f"{rate:,.0f} passages/s",
        )

    return draw


def _telling() -> Callable[["Reading"], None]:
    started = told = time.monotonic()

    def tell(now: "Reading") -> None:
        nonlocal told
        passed = time.monotonic() - started
        if time.monotonic() - told < _LINE_SECONDS or not now.bytes:
            return
        told = time.monotonic()
        left = passed * (now.bytes_total - now.bytes) / now.bytes
        hint(
            f"{now.files:,} of {now.files_total:,} files, {now.passages:,} passages,"
            f" {now.passages / passed:,.0f} a second, about {span(left)} left"
        )

    return tell


def _line(one: Shelved) -> str:
    if one.trouble:
        return f"{one.name}\t{one.trouble}\n"
    left_out = f"\t{one.problems:,} left out" if one.problems else ""
    note = f"\t{one.note}" if one.note else ""
    return (
        f"{one.name}\t{counted(one.documents, 'document')}\t{counted(one.passages, 'passage')}\t{size(one.bytes)}"
        f"\t{span(one.age)} ago{left_out}{note}\n"
    )


def _as_json(one: Shelved) -> dict[str, Any]:
    return {
        "name": one.name,
        "folder": str(one.folder),
        "documents": one.documents,
        "passages": one.passages,
        "left_out": one.problems,
        "bytes": one.bytes,
        "age_seconds": round(one.age),
        "roots": list(one.roots),
        "vectors": {model: {"done": done, "of": of} for model, (done, of) in one.vectors.items()},
        **({"note": one.note} if one.note else {}),
        **({"trouble": one.trouble} if one.trouble else {}),
    }
