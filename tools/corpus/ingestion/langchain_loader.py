"""LangChain document loaders as a source of documents: named by the user, imported upon need, bounded.

A loader is third-party code that runs in this process, so its class is only ever taken from the user's command: no
document, setting or client of a server can name a loader. It runs in a daemon thread, which can be abandoned if the
loader hangs, with warnings hidden and prints redirected.

A loader yields pages, rows or whole texts, each with metadata. All of the same source become a single document of the
corpus, each as at least one passage with its own locator. A document without a source is identified by a hash of its
text.

A loader can support incremental runs by two further methods: `list_states()` returns a time or hash for each source,
and `load_source(source)` yields the documents of a source. Then only sources with a new state are loaded.
"""

import asyncio
import inspect
import json
import os
import re
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, redirect_stdout
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from hashlib import sha256
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, Final

from weiwo.text.chunking import chunk_sections
from weiwo.text.patterns import lazy
from weiwo.text.printable import one_line, redact_secrets
from weiwo.tools.corpus.base import CorpusError, Problem
from weiwo.tools.corpus.formats.langchain_metadata import DocumentMetadata, derive_source_title, read_metadata
from weiwo.tools.corpus.formats.markdown_tables import find_passage_tables
from weiwo.tools.corpus.formats.parts import Part, clean_text, detect_part_language
from weiwo.tools.corpus.index.store import STORE, Store
from weiwo.tools.corpus.index.writer import IndexWriter
from weiwo.tools.corpus.ingestion.ingestion_report import IngestReport
from weiwo.tools.corpus.records import ChangeBatch, Document, KnownFile, Passage
from weiwo.tools.corpus.source_names import make_loaded_path, make_loaded_prefix
from weiwo.tools.named_objects import import_object
from weiwo.tools.private_files import make_private_file
from weiwo.tools.tables.table_store import store_tables

if TYPE_CHECKING:
    from langchain_core.document_loaders import BaseLoader
    from langchain_core.documents import Document as LangChainDocument

    MakeLoader = Callable[[], BaseLoader]

_EXAMPLE: Final = "langchain_community.document_loaders:CSVLoader"
_ARGUMENTS: Final = '{"file_path": "a.csv"}'
_POLL_SECONDS: Final = 0.05
_MOST_DOCUMENTS: Final = 100_000
_MOST_CHARACTERS: Final = 500_000_000
"""Characters of all documents together after which a loader is stopped."""
_IDLE_SECONDS: Final = 300.0
"""Time to wait for the next document before a loader is stopped."""
_STATES: Final = "states-{}.json"
_VARIABLE: Final = lazy(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_LOGIN: Final = lazy(
    r"(?:api|access|private|secret|account)[_-]?key|^key$|token(?!s)|secret|passw|passphrase|credential|^auth|bearer"
    r"|cookie",
    re.IGNORECASE,
)
"""Names of arguments that hold a secret. `space_key`, for example, is not a secret but a part of a wiki."""
_USER_INFO: Final = lazy(r"://[^/\s@:]+:[^/\s@]+@")


@dataclass(frozen=True, slots=True)
class LoaderSpec:
    """A loader as named by the user: module, class name, and keyword arguments."""

    module: str
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """Return the loader as written by the user: MODULE:NAME."""
        return f"{self.module}:{self.name}"

    @property
    def key(self) -> str:
        """Return a hash of loader and arguments, 16 hex digits. It is part of the index paths of the documents."""
        return _digest(json.dumps([self.module, self.name, self.arguments], sort_keys=True))[:16]

    def fill_arguments(self, environment: Mapping[str, str]) -> dict[str, Any]:
        """Return the arguments, with each `${NAME}` replaced by the environment variable's value.

        Raises:
            CorpusError: The environment has no such variable.
        """
        return {name: self._fill(value, environment) for name, value in self.arguments.items()}

    def _fill(self, value: Any, environment: Mapping[str, str]) -> Any:
        if isinstance(value, Mapping):
            return {name: self._fill(item, environment) for name, item in value.items()}
        if isinstance(value, list):
            return [self._fill(item, environment) for item in value]
        if not isinstance(value, str):
            return value
        if missing := [name for name in _VARIABLE.findall(value) if name not in environment]:
            raise CorpusError(f"loader {self.label}: the environment variable {missing[0]} is not set; set it")
        return _VARIABLE.sub(lambda found: environment[found[1]], value)

    def find_secrets(self) -> list[str]:
        """Return the names of arguments that seem to hold a secret in plain text, not as `${NAME}`."""
        return list(_find_secrets("", self.arguments))


def _find_secrets(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for inner, item in value.items():
            yield from _find_secrets(str(inner), item)
    elif isinstance(value, list):
        for item in value:
            yield from _find_secrets(name, item)
    elif isinstance(value, str) and value:
        open_text = _VARIABLE.sub("", value)
        named = _LOGIN.search(name)
        if (named and open_text == value) or redact_secrets(open_text) != open_text or _USER_INFO.search(open_text):
            yield name


def parse_loader(named: str, arguments: str = "") -> LoaderSpec:
    """Parse a loader given as `MODULE:NAME`, with an optional JSON object of keyword arguments.

    Raises:
        CorpusError: The text is malformed.
    """
    module, _, name = named.strip().partition(":")
    if not (module and name and all(part.isidentifier() for part in (*module.split("."), *name.split(".")))):
        raise CorpusError(f"loader {one_line(named, 100)!r}: not MODULE:NAME; use the form {_EXAMPLE}")
    try:
        parsed = json.loads(arguments) if arguments.strip() else {}
    except (ValueError, RecursionError) as error:
        raise CorpusError(f"--loader-args: not valid JSON ({error}); use an object such as {_ARGUMENTS}") from None
    if not isinstance(parsed, dict):
        raise CorpusError(f"--loader-args: not a JSON object; use one such as {_ARGUMENTS}")
    return LoaderSpec(module, name, parsed)


def import_loader(spec: LoaderSpec) -> "MakeLoader":
    """Import a loader class, check the arguments, and return a function that creates the loader. Blocks.

    Raises:
        CorpusError: There is no such class, it is no LangChain document loader, its arguments do not fit, or an
            environment variable in them is not set.
    """
    from langchain_core.document_loaders import BaseLoader

    with _quiet():
        try:
            found = import_object(spec.module, spec.name)
        except (Exception, SystemExit) as error:  # whatever the module does wrong
            raise CorpusError(f"loader {spec.label}: {_explain_import(spec, error)}") from error
    if not (isinstance(found, type) and issubclass(found, BaseLoader)):
        what = f"the class {found.__name__}" if isinstance(found, type) else f"a {type(found).__name__}"
        raise CorpusError(
            f"loader {spec.label}: {what}, not a LangChain document loader; use a class such as {_EXAMPLE}"
        )
    arguments = spec.fill_arguments(os.environ)
    try:
        inspect.signature(found).bind(**arguments)
    except TypeError as error:
        takes = ", ".join(inspect.signature(found).parameters) or "none"
        raise CorpusError(f"loader {spec.label}: {error}; its --loader-args are: {takes}") from None
    return lambda: found(**arguments)


@dataclass(slots=True)
class _LoadedDocuments:
    """Documents from a loader, collected in a thread."""

    documents: "list[LangChainDocument]" = field(default_factory=list)  # in the order of arrival
    states: dict[str, str] = field(default_factory=dict)  # time or hash by source, if the loader has `list_states`
    unchanged: list[str] = field(default_factory=list)  # sources that were not loaded, since their state is unchanged
    stopped: str = ""  # why documents are missing, in one line; empty if all were loaded
    seconds: float = 0.0  # duration of loading
    _last_at: float = field(default_factory=time.monotonic)
    _ended: Event = field(default_factory=Event)

    def collect(self, make: "MakeLoader", known: Mapping[str, str]) -> None:
        """Run a loader to the end, a failure, a limit or a stop request. Blocks."""
        reason, characters = "it stopped unexpectedly", 0
        try:
            for document in self._load_changed(make(), known):
                if self._ended.is_set():
                    return
                characters += len(_read_text(document))
                if len(self.documents) >= _MOST_DOCUMENTS or characters > _MOST_CHARACTERS:
                    reason = (
                        f"it returned more than {_MOST_DOCUMENTS:,} documents or {_MOST_CHARACTERS:,} characters; the "
                        "rest is skipped"
                    )
                    break
                self.documents.append(document)
                self._last_at = time.monotonic()
            else:
                reason = ""
        except (Exception, SystemExit) as error:  # noqa: BLE001  # each loader raises its own
            reason = _explain_failure(error)
        finally:
            self.end(reason)

    def _load_changed(self, loader: "BaseLoader", known: Mapping[str, str]) -> "Iterator[LangChainDocument]":
        """Load the documents of changed sources, or all documents if the loader reports no states."""
        list_states, load_source = getattr(loader, "list_states", None), getattr(loader, "load_source", None)
        if not (callable(list_states) and callable(load_source)):
            yield from loader.lazy_load()
            return
        for source, state in dict(list_states()).items():
            self._last_at = time.monotonic()
            self.states[str(source)] = str(state)
            if known.get(str(source)) == str(state):
                self.unchanged.append(str(source))
                continue
            for document in load_source(source):
                document.metadata = {**(document.metadata or {}), "source": str(source)}
                yield document

    def end(self, reason: str) -> None:
        """Stop taking documents. Only the first reason is recorded."""
        if not self._ended.is_set():
            self.stopped = reason
            self._ended.set()

    async def wait(self, report: Callable[[int], None] | None) -> None:
        """Wait until the loader ends, and stop it if no document arrives for `_IDLE_SECONDS`.

        `report` receives the number of documents so far.
        """
        while not self._ended.is_set():
            await asyncio.sleep(_POLL_SECONDS)
            if time.monotonic() > self._last_at + _IDLE_SECONDS:
                self.end(f"no document arrived within {_IDLE_SECONDS:,.0f} seconds")
            if report is not None:
                report(len(self.documents))


def _read_text(document: object) -> str:
    text = getattr(document, "page_content", None)
    if not isinstance(text, str):
        raise TypeError(f"it returned a {type(document).__name__}, not a LangChain document")
    return text


async def load_documents(
    spec: LoaderSpec,
    make: "MakeLoader",
    report: Callable[[int], None] | None = None,
    known: Mapping[str, str] | None = None,
) -> _LoadedDocuments:
    """Run a loader in a thread. After a cancel, the loader ends with its next document.

    Args:
        spec: The loader.
        make: Function that creates the loader, from `import_loader`.
        report: Callback that receives the number of documents loaded so far.
        known: Recorded states by source, from `read_states`. Sources in the same state are not loaded again.

    Returns:
        The documents. If a limit was reached or the loader failed, the documents received until then.

    Raises:
        CorpusError: The loader yielded no document, and no source is unchanged.
    """
    started, loading = time.monotonic(), _LoadedDocuments()
    with _quiet():  # not in the thread, which would never restore the streams if it hangs
        Thread(target=loading.collect, args=(make, known or {}), name="document-loader", daemon=True).start()
        try:
            await loading.wait(report)
        finally:
            loading.end("")
    if not (loading.documents or loading.unchanged):
        raise CorpusError(f"loader {spec.label}: {loading.stopped or 'it returned no document'}; nothing was changed")
    # An abandoned thread may still add a document to its list.
    return replace(loading, documents=list(loading.documents), seconds=time.monotonic() - started)


def ingest_loaded(spec: LoaderSpec, loaded: _LoadedDocuments, writer: IndexWriter) -> IngestReport:
    """Update an index from a loader's documents. Blocks.

    Documents of other loaders, and files, stay. Documents that the loader no longer yields are removed, unless the run
    was stopped early. The `seconds` of the report cover loading and writing.
    """
    started = time.monotonic()
    run = _LoaderRun(spec, writer.read_known(), writer)
    for source in _group_by_source(spec, loaded.documents):
        run.add(source)
    for name in loaded.unchanged:
        run.keep(name)
    if loaded.stopped:
        run.report.left_out.append(Problem(spec.label, loaded.stopped))
    else:
        run.remove_missing()
    run.write()
    run.report.left_out.sort(key=lambda problem: problem.source)
    run.report.seconds = loaded.seconds + time.monotonic() - started
    return run.report


def read_states(folder: Path, spec: LoaderSpec) -> dict[str, str]:
    """Read the recorded state (time or hash) of each source of a loader, from its last complete run.

    Sources that are not in the index are left out.
    """
    if not (folder / STORE).is_file():
        return {}
    try:
        noted = dict(json.loads((folder / _STATES.format(spec.key)).read_text(encoding="ascii")))
    except (OSError, ValueError, TypeError):
        return {}
    with closing(Store(folder / STORE)) as store:
        held = store.read_known()
    return {name: str(value) for name, value in noted.items() if make_loaded_path(spec.label, spec.key, name) in held}


def write_states(folder: Path, spec: LoaderSpec, loaded: _LoadedDocuments) -> None:
    """Save the states of the sources after a complete run. Call it once the index is flushed.

    Nothing is saved if the run was stopped early, or the loader reports no states.

    Raises:
        OSError: The folder cannot be written.
    """
    if not loaded.states or loaded.stopped:
        return
    file = folder / _STATES.format(spec.key)
    beside = file.with_name(f"{file.name}.{os.getpid()}")
    make_private_file(beside)
    beside.write_text(json.dumps(loaded.states), encoding="ascii")
    beside.replace(file)


@dataclass(slots=True)
class _Source:
    """A source of a loader, with all texts that the loader yielded for it, in order of arrival."""

    name: str
    title: str = ""
    date: str | None = None
    pieces: list[tuple[str, DocumentMetadata]] = field(default_factory=list)

    def hash_content(self) -> str:
        """Return a hash of the content as stored in the index."""
        pieces = [(text, stated.title, stated.place, stated.headings) for text, stated in self.pieces]
        return _digest("".join(map(repr, ((self.title, self.date), *pieces))))

    def cut_passages(self) -> Iterator[Passage]:
        """Yield the passages of all pieces.

        A piece with a title other than the document's has the title as a heading.
        """
        for text, stated in self.pieces:
            above = (stated.title,) if stated.title and stated.title != self.title else ()
            _, chunks = chunk_sections(text, ())
            for number, chunk in enumerate(chunks, 1):
                part = f"part {number} of {len(chunks)}" if len(chunks) > 1 else ""
                place = ", ".join(filter(None, (stated.place, part)))
                headings = (*above, *stated.headings)
                yield Passage(chunk.words, headings, place, chunk.first, chunk.last, stated.page)


class _LoaderRun:
    """A run over the documents of a loader."""

    def __init__(self, spec: LoaderSpec, known: Mapping[str, KnownFile], writer: IndexWriter) -> None:
        self.report = IngestReport(documents=sum(not file.problem for file in known.values()))
        self._spec, self._known, self._writer = spec, known, writer
        self._taken = {file.source: path for path, file in known.items()}
        self._seen: set[str] = set()
        self._batch = ChangeBatch()

    def add(self, source: _Source) -> None:
        """Add a document, unless unchanged in the index."""
        path = make_loaded_path(self._spec.label, self._spec.key, source.name)
        passages = list(source.cut_passages())
        if not passages:
            self.report.left_out.append(Problem(source.name, "empty"))
            return
        self._seen.add(path)
        content, before = source.hash_content(), self._known.get(path)
        if before is not None and before.sha256 == content:
            self.report.unchanged += 1
            return
        title = source.title or derive_source_title(source.name)
        size = sum(len(text) for text, _ in source.pieces)
        language = detect_part_language(Part(title, passages))
        new = before is None and not self._take_over(source.name)
        name = before.source if before else self._choose_name(source.name, path)
        tables, losses = store_tables(find_passage_tables(passages))
        document = Document(name, path, content, size, 0, title, "loaded", language, source.date, tuple(losses))
        self._batch.add_document(replace(document, tables=tuple(tables)), passages)
        self.report.passages += len(passages)
        self.report.added += new
        self.report.changed += not new
        self.report.documents += new
        if self._batch.full:
            self.write()

    def keep(self, name: str) -> None:
        """Count a source that was not loaded as unchanged, and keep its document."""
        self._seen.add(make_loaded_path(self._spec.label, self._spec.key, name))
        self.report.unchanged += 1

    def remove_missing(self) -> None:
        """Remove the loader's documents that were not added or kept in this run."""
        prefix = make_loaded_prefix(self._spec.label, self._spec.key)
        for path in [path for path in self._known if path.startswith(prefix) and path not in self._seen]:
            self._batch.remove(path)
            self.report.removed += 1
            self.report.documents -= 1

    def write(self) -> None:
        """Write the collected changes."""
        if self._batch:
            self._writer.apply(self._batch.take())

    def _take_over(self, name: str) -> bool:
        """Remove the document of a source that was loaded earlier with other arguments, for example another key.

        Returns whether a document was removed.
        """
        other = self._taken.get(name, "")
        if not other.startswith(make_loaded_prefix(self._spec.label)) or other in self._seen:
            return False
        self._batch.remove(other)
        del self._taken[name]
        return True

    def _choose_name(self, name: str, path: str) -> str:
        """Return the source name for a new document: `name`, or "name (Loader)" if another document has that name.

        `path` is the document's path in the index.
        """
        for candidate in (name, f"{name} ({self._spec.name})", f"{name} ({self._spec.name} {self._spec.key})"):
            if self._taken.setdefault(candidate, path) == path:
                return candidate
        return path


def _group_by_source(spec: LoaderSpec, documents: "Iterable[LangChainDocument]") -> Iterable[_Source]:
    sources: dict[str, _Source] = {}
    for document in documents:
        stated = read_metadata(document.metadata or {})
        text = clean_text(document.page_content).strip()
        name = stated.source or f"{spec.name}#{document.id or _digest(text)[:12]}"
        source = sources.setdefault(name, _Source(name))
        source.title = source.title or stated.title
        source.date = source.date or stated.date
        source.pieces.append((text, stated))
    return sources.values()


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@contextmanager
def _quiet() -> Iterator[None]:
    """Context manager that hides warnings and redirects prints to standard error.

    Both are meant for the author of the loader, not for the user.
    """
    with warnings.catch_warnings(), redirect_stdout(sys.stderr):
        warnings.simplefilter("ignore")
        yield


def _explain_import(spec: LoaderSpec, error: BaseException) -> str:
    if isinstance(error, ModuleNotFoundError) and error.name and f"{spec.module}.".startswith(f"{error.name}."):
        return f"the module {error.name} was not found; install its package, or correct the name"
    if isinstance(error, ImportError):
        return _explain_failure(error)
    if isinstance(error, AttributeError):
        near = get_close_matches(spec.name, map(str, getattr(sys.modules.get(spec.module), "__all__", ())), n=3)
        meant = f"did you mean {' or '.join(near)}?" if near else "see the package's documentation for their names"
        return f"{spec.name} was not found in {spec.module}; {meant}"
    return f"it cannot be imported ({_explain_failure(error)})"


def _explain_failure(error: BaseException) -> str:
    """Explain an error of a loader in a line, with the missing package or the cause."""
    if isinstance(error, CorpusError):
        return one_line(redact_secrets(str(error)), 300)
    if isinstance(error, ModuleNotFoundError) and error.name:
        return f"it needs the package {error.name.partition('.')[0]}; install it"
    said, cause = one_line(redact_secrets(f"{type(error).__name__}: {error}"), 200), error.__cause__
    return (
        f"{said} ({one_line(redact_secrets(f'{type(cause).__name__}: {cause}'), 160)})" if cause is not None else said
    )
