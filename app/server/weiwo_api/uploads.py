"""Uploads from the page: stored below Weiwo's home and indexed into a corpus, with progress."""

import asyncio
import ctypes
import os
import unicodedata
from collections.abc import AsyncIterator
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import anyio
from starlette.requests import Request
from starlette.responses import Response

from weiwo.app.server.access.profiles import stored_name, user_of
from weiwo.app.server.errors import RequestError, describe_outside
from weiwo.app.server.storage.quota import Quota, uploads
from weiwo.app.server.wire import EventStream, dump
from weiwo.state.settings import Settings
from weiwo.text.printable import one_line
from weiwo.tools.corpus.base import CorpusError
from weiwo.tools.corpus.index.catalog import locate_by_name, record_origin
from weiwo.tools.corpus.index.embedding_models import EmbeddingError, load_embedder
from weiwo.tools.corpus.index.vector_index import embed_passages
from weiwo.tools.corpus.index.writer import IndexWriter
from weiwo.tools.corpus.ingestion.ingest import ingest_files
from weiwo.tools.corpus.ingestion.ingestion_report import IngestProgress
from weiwo.tools.private_files import make_private_file, make_private_folder

MOST_UPLOAD_BYTES: Final = 100_000_000
_WAIT_SECONDS: Final = 60.0
_LONGEST_NAME: Final = 120
_LIBC: Final = ctypes.CDLL(None)


class _Lines(EventStream):
    """A response of JSON objects, each on a line."""

    media_type = "application/x-ndjson"


async def upload(request: Request, settings: Settings, quota: Quota) -> Response:
    """Store a file in a corpus of the user, and index the file. The response reports the progress.

    Raises:
        RequestError: The name of the corpus or of the file is invalid, the file is too long, or the user has too many.
    """
    user = user_of(request)
    try:
        folder = locate_by_name(Path(settings.home), stored_name(user, request.path_params["name"]))
    except CorpusError as error:
        raise RequestError(422, str(error)) from None
    name = _safe_name(request.query_params.get("filename", ""))
    kept = uploads(settings) / folder.name
    await asyncio.to_thread(make_private_folder, kept)
    part, size = kept / f".{name}.{os.urandom(4).hex()}.part", 0
    await asyncio.to_thread(make_private_file, part)
    try:
        async with await anyio.open_file(part, "wb") as file:
            async for chunk in request.stream():
                size += len(chunk)
                if size > MOST_UPLOAD_BYTES:
                    told = f"{name} is larger than {MOST_UPLOAD_BYTES:,} bytes; add it with weiwo index"
                    chinese = f"{name} 超过 {MOST_UPLOAD_BYTES:,} 字节；请用 weiwo index 添加"
                    raise RequestError(413, told, chinese)
                await quota.take(user, len(chunk))
                await file.write(chunk)
        await asyncio.to_thread(part.replace, kept / name)
    except OSError as error:
        why = error.strerror or error
        raise RequestError(507, f"{name} cannot be saved: {why}", f"{name} 无法保存：{why}") from None
    finally:
        await asyncio.to_thread(part.unlink, missing_ok=True)
    return _Lines(_index(kept / name, folder, request.path_params["name"], settings))


def _safe_name(text: str) -> str:
    """Return a safe file name from the last part of an uploaded file's name.

    `notes.pdf` stays as it is, and `../a?.pdf` becomes `a_-` with a hash and `.pdf`. Different names stay different, by
    the hash in each changed name.

    Raises:
        RequestError: Nothing is left of the name.
    """
    given = unicodedata.normalize("NFC", text)
    last = given.replace("\\", "/").rpartition("/")[2]
    kept = "".join(item if item.isalnum() or item in " .,_-()[]+" else "_" for item in last).strip(" .")
    if kept != given or len(kept) > _LONGEST_NAME:
        stem, dot, ending = kept.rpartition(".") if kept.rpartition(".")[0] else (kept, "", "")
        mark = f"-{sha256(given.encode()).hexdigest()[:8]}"
        name = f"{stem[: _LONGEST_NAME - len(mark + dot + ending)]}{mark}{dot}{ending}" if stem else ""
    else:
        name = kept
    if not any(item.isalnum() for item in kept) or len(name.encode()) > 250:
        told = f"filename {text[:60]!a} is not a valid file name; use a name such as notes.pdf"
        raise RequestError(422, told, "文件名无效；请使用类似 notes.pdf 的名称")
    return name


async def _index(file: Path, folder: Path, name: str, settings: Settings) -> AsyncIterator[bytes]:
    """Index a file and yield the progress as JSON lines. The last line describes the indexed content."""
    told: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue(maxsize=1_000)
    loop = asyncio.get_running_loop()

    def tell(stage: str, done: int, of: int) -> None:
        if not told.full():
            told.put_nowait({"stage": stage, "done": done, "of": of, "file": file.name})

    async def work() -> dict[str, Any]:
        def progress(now: IngestProgress) -> None:
            loop.call_soon_threadsafe(tell, "read", now.bytes, now.bytes_total)

        writer = await asyncio.to_thread(IndexWriter, folder, wait_seconds=_WAIT_SECONDS)
        try:
            report = await ingest_files([file], writer, progress=progress)
            await asyncio.to_thread(writer.flush)
            await asyncio.to_thread(record_origin, folder, [file.parent])
            errors = [f"{one_line(Path(item.source).name, 120)}: {item.reason}" for item in report.left_out]
            if settings.embeddings is not None:
                errors += await asyncio.to_thread(
                    _embed, writer, settings.embeddings, lambda *how: loop.call_soon_threadsafe(tell, *how)
                )
        finally:
            await asyncio.to_thread(writer.close)
            await asyncio.to_thread(_release_memory)
        indexed = report.added + report.changed
        return {"indexed": indexed, "passages": report.passages, "errors": errors, "corpus": name}

    working = asyncio.create_task(work())
    working.add_done_callback(lambda _: told.put_nowait(None) if not told.full() else None)
    tell("kept", 1, 1)
    try:
        while not working.done() or not told.empty():
            step = await told.get()
            if step is not None:
                yield dump(step) + b"\n"
        yield dump(working.result()) + b"\n"
    except CorpusError as error:
        yield dump({"indexed": 0, "errors": [describe_outside(error)]}) + b"\n"
    except OSError as error:
        yield dump({"indexed": 0, "errors": [f"{file.name}: {error.strerror or error}"]}) + b"\n"


def _release_memory() -> None:
    """Return freed memory to the system.

    A large file's passages would otherwise leave holes that glibc keeps for good.
    """
    if hasattr(_LIBC, "malloc_trim"):
        _LIBC.malloc_trim(0)


def _embed(writer: IndexWriter, name: str, tell: Any) -> list[str]:
    """Compute the vectors of the passages, and return the errors. Errors have no further effect."""
    try:
        embed_passages(writer, load_embedder(name), lambda now: tell("vectors", now.done, now.total))
    except EmbeddingError as error:
        return [f"{error}; documents are indexed without vectors"]
    return []
