"""LangChain document loaders as a source of documents: named by the user, imported upon need, bounded.

A loader is code of other people's that runs in this process, so its class is only ever taken from what the user typed:
no document, setting or client of a server names one. It runs in a thread of its own, since nothing else can be ended
when it hangs, and without the warnings and prints that such packages are rich in.
"""

import asyncio
import inspect
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from difflib import get_close_matches
from hashlib import sha256
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any, Final

from weiwo.tools.corpus.base import CorpusError
from weiwo.tools.printable import one_line
from weiwo.tools.redaction import redacted
from weiwo.tools.user_imports import import_object

if TYPE_CHECKING:
    from langchain_core.document_loaders import BaseLoader
    from langchain_core.documents import Document

EXAMPLE: Final = "langchain_community.document_loaders:CSVLoader"
_ARGUMENTS: Final = '{"file_path": "a.csv"}'
_POLL_SECONDS: Final = 0.05


class LoaderError(CorpusError):
    """A loader that cannot be used, or that failed. The message is one line: what, why, what to do."""


@dataclass(frozen=True, slots=True)
class LoaderLimits:
    """Bounds of what is taken from a loader.

    Attributes:
        documents: Documents.
        document_characters: Characters of one document; a longer one is left out.
        characters: Characters of all documents.
        seconds: How long it may take in all.
        idle_seconds: How long the next document may be in coming.
    """

    documents: int = 100_000
    document_characters: int = 10_000_000
    characters: int = 500_000_000
    seconds: float = 3_600.0
    idle_seconds: float = 300.0


@dataclass(frozen=True, slots=True)
class LoaderSpec:
    """A loader and its arguments, as the user named them.

    Attributes:
        module: The module of its class.
        name: The name of its class.
        arguments: The keyword arguments that it is made with.
    """

    module: str
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The loader as the user wrote it: MODULE:NAME."""
        return f"{self.module}:{self.name}"

    @property
    def key(self) -> str:
        """A digest of loader and arguments: equal ones are the same source of documents."""
        whole = json.dumps([self.module, self.name, self.arguments], sort_keys=True)
        return sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@dataclass(slots=True)
class LoadedDocuments:
    """Documents that a loader gave.

    Attributes:
        documents: In the order they came.
        too_long: The metadata of those left out for their length.
        stopped: Why not all of them are here; empty where they are.
        seconds: How long it took.
    """

    documents: "list[Document]" = field(default_factory=list)
    too_long: list[Mapping[str, Any]] = field(default_factory=list)
    stopped: str = ""
    seconds: float = 0.0


def parse_loader(named: str, arguments: str = "") -> LoaderSpec:
    """Parse what the user named a loader by.

    Args:
        named: `MODULE:NAME`.
        arguments: A JSON object of keyword arguments, or nothing.

    Raises:
        LoaderError: It is malformed.
    """
    module, _, name = named.strip().partition(":")
    if not (module and name and all(part.isidentifier() for part in (*module.split("."), *name.split(".")))):
        raise LoaderError(f"loader {one_line(named, 100)!r}: not MODULE:NAME; write it so, as in {EXAMPLE}")
    try:
        parsed = json.loads(arguments) if arguments.strip() else {}
    except (ValueError, RecursionError) as error:
        raise LoaderError(f"--loader-args: not JSON ({error}); write an object, as in {_ARGUMENTS}") from None
    if not isinstance(parsed, dict):
        raise LoaderError(f"--loader-args: no JSON object; write one, as in {_ARGUMENTS}")
    return LoaderSpec(module, name, parsed)


def import_loader(spec: LoaderSpec) -> "Callable[[], BaseLoader]":
    """Import the class of a loader, and see that its arguments fit. Blocks.

    Returns:
        Makes the loader.

    Raises:
        LoaderError: There is none, it is no LangChain document loader, or its arguments do not fit.
    """
    from langchain_core.document_loaders import BaseLoader  # noqa: PLC0415  # heavy

    with _quiet():
        try:
            found = import_object(spec.module, spec.name)
        except (Exception, SystemExit) as error:  # whatever the module does wrong
            raise LoaderError(f"loader {spec.label}: {_explain_import(spec, error)}") from error
    if not (isinstance(found, type) and issubclass(found, BaseLoader)):
        what = f"the class {found.__name__}" if isinstance(found, type) else f"a {type(found).__name__}"
        raise LoaderError(f"loader {spec.label}: {what}, no LangChain document loader; name a class such as {EXAMPLE}")
    try:
        inspect.signature(found).bind(**spec.arguments)
    except TypeError as error:
        takes = ", ".join(inspect.signature(found).parameters) or "none"
        raise LoaderError(f"loader {spec.label}: {error}; it takes, as --loader-args: {takes}") from None
    return lambda: found(**spec.arguments)


async def load_documents(
    spec: LoaderSpec,
    make: "Callable[[], BaseLoader]",
    limits: LoaderLimits | None = None,
    report: Callable[[int], None] | None = None,
) -> LoadedDocuments:
    """Run a loader. Cancelling leaves it behind: it ends with its next document.

    Args:
        spec: The loader.
        make: Makes it, as `import_loader` gave it.
        limits: Bounds, if not the usual ones.
        report: Told now and then how many documents have come.

    Returns:
        The documents; where a limit was reached or the loader failed on the way, those that came until then.

    Raises:
        LoaderError: It gave no document at all.
    """
    limits, started = limits or LoaderLimits(), time.monotonic()
    thread = _LoaderThread(make, limits)
    with _quiet():  # from here, for a thread that hangs would never undo it
        try:
            loaded = await _watch_thread(thread, limits, report)
        finally:
            thread.stop()
    if not loaded.documents and not loaded.too_long:
        why = loaded.stopped or "it gave no document"
        raise LoaderError(f"loader {spec.label}: {why}; nothing was changed")
    loaded.seconds = time.monotonic() - started
    return loaded


async def _watch_thread(
    thread: "_LoaderThread", limits: LoaderLimits, report: Callable[[int], None] | None
) -> LoadedDocuments:
    """Wait for the loader's thread, as long as it may take."""
    until = time.monotonic() + limits.seconds
    thread.start()
    while not thread.ended.is_set():
        await asyncio.sleep(_POLL_SECONDS)
        now = time.monotonic()
        if now > until:
            thread.stop(f"it took longer than {limits.seconds:,.0f} seconds")
        elif now > thread.last_at + limits.idle_seconds:
            thread.stop(f"no document came within {limits.idle_seconds:,.0f} seconds")
        if report is not None:
            report(thread.count)
    return thread.loaded


class _LoaderThread:
    """A loader in a thread of its own.

    Attributes:
        loaded: What has come; nothing is added once it has ended.
        ended: Set when it is through, has failed, or was stopped.
        last_at: When the latest document came.
    """

    def __init__(self, make: "Callable[[], BaseLoader]", limits: LoaderLimits) -> None:
        self.loaded = LoadedDocuments()
        self.ended = Event()
        self.last_at = time.monotonic()
        self._make, self._limits = make, limits
        self._characters = 0
        self._lock = Lock()

    @property
    def count(self) -> int:
        """How many documents have come."""
        return len(self.loaded.documents)

    def start(self) -> None:
        """Start the thread."""
        Thread(target=self._run, name="document-loader", daemon=True).start()

    def stop(self, reason: str = "") -> None:
        """End it; whatever comes later is dropped."""
        with self._lock:
            if not self.ended.is_set():
                self.loaded.stopped = reason
                self.ended.set()

    def _run(self) -> None:
        reason = ""
        try:
            for document in self._make().lazy_load():
                if not self._take(document):
                    return
        except (Exception, SystemExit) as error:  # noqa: BLE001  # each loader raises its own
            reason = _explain_failure(error)
        self.stop(reason)

    def _take(self, document: "Document") -> bool:
        """Take a document; whether there may be more."""
        text = getattr(document, "page_content", None)
        if not isinstance(text, str):
            raise TypeError(f"it gave a {type(document).__name__}, not a LangChain document")
        with self._lock:
            if self.ended.is_set():
                return False
            self.last_at = time.monotonic()
            if len(text) > self._limits.document_characters:
                self.loaded.too_long.append(document.metadata or {})
                return True
            self._characters += len(text)
            full = (
                f"more than {self._limits.documents:,} documents"
                if self.count >= self._limits.documents
                else f"more than {self._limits.characters:,} characters"
                if self._characters > self._limits.characters
                else ""
            )
            if not full:
                self.loaded.documents.append(document)
        if full:
            self.stop(f"it gave {full}; only those before are taken")
        return not full


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep warnings from users, and prints out of standard output: they are meant for whoever writes the loader."""
    with warnings.catch_warnings(), redirect_stdout(sys.stderr):
        warnings.simplefilter("ignore")
        yield


def _explain_import(spec: LoaderSpec, error: BaseException) -> str:
    if isinstance(error, ModuleNotFoundError) and error.name and f"{spec.module}.".startswith(f"{error.name}."):
        return f"there is no module {error.name}; install its package, or correct the name"
    if isinstance(error, ImportError):
        return _explain_failure(error)
    if isinstance(error, AttributeError):
        names = getattr(sys.modules.get(spec.module), "__all__", ())
        near = get_close_matches(spec.name, map(str, names), n=3)
        meant = f"did you mean {' or '.join(near)}?" if near else "see the package's documentation for their names"
        return f"there is no {spec.name} in {spec.module}; {meant}"
    return f"it cannot be imported ({_explain_failure(error)})"


def _explain_failure(error: BaseException) -> str:
    """An error of a loader, in one line, with what it needs where a package is missing, and with its cause."""
    if isinstance(error, ModuleNotFoundError) and error.name:
        package = error.name.partition(".")[0]
        return f"it needs the package {package}; install that"
    said = one_line(redacted(f"{type(error).__name__}: {error}"), 200)
    cause = error.__cause__
    return f"{said} ({one_line(redacted(f'{type(cause).__name__}: {cause}'), 160)})" if cause is not None else said
