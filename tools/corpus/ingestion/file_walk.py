"""Directory walk: lists all folders in full, without ignored, hidden or special files.

A folder's `.gitignore` and `.weiwoignore` exclude paths below it, silently, as in git. Hidden files and third-party
packages (`node_modules`, virtual environments) are excluded, too. Files of unsupported types are only counted. A
document in an unsupported document format, and a path that cannot be read, is reported as a problem with a reason.
Links within the searched folders are skipped, since their targets are found anyway, which also ends every loop. A link
out of them is not followed, because anyone may have set it. Weiwo's own files (`WEIWO_HOME`) are no documents, wherever
they are. `watch_files` watches the same files for changes.
"""

# Paths stay strings here, since there may be a million.
# ruff: noqa: PTH111, PTH112, PTH116, PTH118, PTH122, PTH123, PTH207

import asyncio
import os
import stat
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Iterator
from contextlib import aclosing
from dataclasses import dataclass, field
from glob import glob, has_magic
from os.path import abspath, join, normpath
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from weiwo.state.environment import home
from weiwo.text.printable import one_line
from weiwo.tools.corpus.base import CorpusError, Problem
from weiwo.tools.corpus.formats import UNREAD_DOCUMENTS, find_format, is_text_file, sniff_format
from weiwo.tools.corpus.source_names import name_source

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_IGNORE_FILES: Final = (".gitignore", ".weiwoignore")
_OWN_NAMES: Final = ("corpora", "evaluation", "drafts", "locks", "retrieval-policy.json")
"""Files and folders in `WEIWO_HOME` that are not documents."""
_FOREIGN: Final = frozenset({"node_modules", "bower_components", "__pycache__", "site-packages"})
_ENVIRONMENT: Final = "pyvenv.cfg"
_MOST_IGNORE_BYTES: Final = 1_000_000
_SPECIAL: Final = (
    (stat.S_ISFIFO, "a pipe, not a file"),
    (stat.S_ISSOCK, "a socket, not a file"),
    (stat.S_ISCHR, "a device, not a file"),
    (stat.S_ISBLK, "a device, not a file"),
)


class SourceFile(NamedTuple):
    """A file to read, with size and time for change detection.

    A named tuple is fast to create and compare, which is done for all files at each question.
    """

    path: str  # absolute path
    size: int  # bytes
    modified_ns: int  # time of the last change, in nanoseconds since 1970


@dataclass(slots=True)
class FileListing:
    """Files and problems found by a walk."""

    files: dict[str, SourceFile] = field(default_factory=dict)  # files to read, by path, in the order found
    problems: dict[str, str] = field(default_factory=dict)  # reasons why files were left out, by path
    unlisted: list[str] = field(default_factory=list)  # folders that could not be listed
    # Number of files that are not read, by ending such as `.exe`, and under `hidden` and `no ending`.
    others: Counter[str] = field(default_factory=Counter)

    def list_problems(self) -> list[Problem]:
        """Return the problems, with each file named as in citations."""
        return [Problem(name_source(Path(path)), reason) for path, reason in self.problems.items()]


def expand_paths(paths: Iterable[str | os.PathLike[str]]) -> list[str]:
    """Expand names and patterns to absolute files and folders, without duplicates.

    Args:
        paths: Files, folders, or patterns with `*`, `?`, `[…]` and `**`. `~` is the user's home.

    Raises:
        CorpusError: A path does not exist, or a pattern matches nothing.
    """
    found: dict[str, None] = {}
    for given in [os.fspath(path) for path in paths]:
        name = os.path.expanduser(given)
        try:
            matches = [name] if os.path.lexists(name) or not has_magic(name) else sorted(glob(name, recursive=True))
            for match in matches:
                os.stat(match)
        except (OSError, ValueError) as error:
            raise CorpusError(
                f"{one_line(given)}: {_describe_error(error)}; name a file or folder that exists"
            ) from None
        if not matches:
            raise CorpusError(f"{one_line(given)}: no file matches; correct the pattern")
        found.update(dict.fromkeys(map(abspath, matches)))
    return list(found)


def list_files(roots: Iterable[str]) -> FileListing:
    """List the files to read among `roots` and below them.

    Args:
        roots: Absolute files and folders, from `expand_paths`.
    """
    listing = FileListing()
    tops = list(roots)
    real_tops = [os.path.realpath(top) for top in tops]
    for top in tops:
        try:
            status = os.stat(top)
        except OSError as error:
            listing.problems[top] = _describe_error(error)
            listing.unlisted.append(top)
            continue
        if stat.S_ISDIR(status.st_mode):
            _Walker(listing, real_tops).walk(top)
        elif stat.S_ISREG(status.st_mode) and sniff_format(top) is None:
            listing.problems[top] = "unsupported file type; convert it first"
        else:
            _add_file(listing, top, status)
    return listing


def _find_own_files(top: str) -> frozenset[str]:
    """Return the paths of Weiwo's own files and folders below a folder, each beginning with `top` as given.

    If the folder is `WEIWO_HOME` or inside it, the user keeps documents there, too. Then only the names in `_OWN_NAMES`
    count.
    """
    real, real_home = os.path.realpath(top), os.path.realpath(home())
    if real != real_home and real_home.startswith(join(real, "")):
        return frozenset({join(top, os.path.relpath(real_home, real))})
    return frozenset(join(top, os.path.relpath(join(real_home, name), real)) for name in _OWN_NAMES)


def stat_file(path: str) -> SourceFile | None:
    """Return the path, size and time of change of a file as of now, or None if the file cannot be accessed."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return SourceFile(path, status.st_size, status.st_mtime_ns)


def _describe_error(error: Exception) -> str:
    """Return the reason of an error in one line, in lower case."""
    return one_line((error.strerror if isinstance(error, OSError) else None) or str(error)).lower()


def _add_file(listing: FileListing, path: str, status: os.stat_result) -> None:
    if not path.isascii():
        try:
            path.encode()
        except UnicodeEncodeError:
            listing.problems[path] = "its name is not UTF-8; rename it"
            return
    if stat.S_ISREG(status.st_mode):
        listing.files[path] = SourceFile(path, status.st_size, status.st_mtime_ns)
    else:
        listing.problems[path] = next((reason for test, reason in _SPECIAL if test(status.st_mode)), "not a file")


class _Walker:
    """Walk through a folder that adds files and problems to a listing."""

    def __init__(self, listing: FileListing, tops: list[str]) -> None:
        self._listing = listing
        self._tops = tops
        self._ours: frozenset[str] = frozenset()

    def walk(self, top: str) -> None:
        """List the files below a folder."""
        self._ours = _find_own_files(top)
        folders: list[tuple[str, _IgnoreRules | None]] = [(top, None)]
        while folders:
            folder, ignored = folders.pop()
            try:
                with os.scandir(folder) as entries:
                    listed = sorted(entries, key=lambda entry: entry.name)
            except OSError as error:
                self._listing.problems[folder] = _describe_error(error)
                self._listing.unlisted.append(folder)
                continue
            names = {entry.name for entry in listed}
            if _ENVIRONMENT in names and folder != top:
                continue
            ignored = self._read_ignore_rules(folder, names, ignored)
            below = list(self._entries(listed, ignored))
            folders += [(path, ignored) for path in reversed(below)]

    def _entries(self, listed: list[os.DirEntry[str]], ignored: "_IgnoreRules | None") -> Iterator[str]:
        """Add the files of a folder, and yield the subfolders."""
        for entry in listed:
            if entry.name.startswith(".") or entry.path in self._ours:
                hidden = entry.name.startswith(".") and entry.name not in _IGNORE_FILES
                if hidden and not entry.is_dir(follow_symlinks=False):
                    self._listing.others["hidden"] += 1
                continue
            try:
                is_folder = entry.is_dir(follow_symlinks=False)
                if (is_folder and entry.name in _FOREIGN) or (
                    ignored and ignored.hits(entry.path, is_folder=is_folder)
                ):
                    continue
                if is_folder:
                    yield entry.path
                elif entry.is_symlink():
                    self._link(entry)
                else:
                    self._file(entry)
            except OSError as error:
                self._listing.problems[entry.path] = _describe_error(error)

    def _file(self, entry: os.DirEntry[str]) -> None:
        status = entry.stat(follow_symlinks=False)
        if not stat.S_ISREG(status.st_mode):  # opening a pipe would block until something is written
            _add_file(self._listing, entry.path, status)
            return
        ending = os.path.splitext(entry.name)[1].lower()
        read = sniff_format(entry.path) is not None and ("." in entry.name or is_text_file(entry.path))
        if not read:
            self._listing.others[ending or "no ending"] += 1
        if read or ending in UNREAD_DOCUMENTS:  # the reader rejects it, so that it is reported
            _add_file(self._listing, entry.path, status)

    def _link(self, entry: os.DirEntry[str]) -> None:
        target = os.path.realpath(entry.path, strict=True)  # raises for a dangling or circular link
        if not os.path.isdir(target) and find_format(entry.name) is None and find_format(target) is None:
            return
        if not any(target == top or target.startswith(join(top, "")) for top in self._tops):
            self._listing.problems[entry.path] = f"a link to {one_line(target)}, outside the folder; name that instead"

    def _read_ignore_rules(self, folder: str, names: set[str], above: "_IgnoreRules | None") -> "_IgnoreRules | None":
        lines: list[str] = []
        for name in _IGNORE_FILES:
            if name in names:
                try:
                    with open(join(folder, name), encoding="utf-8", errors="replace") as file:
                        lines += file.read(_MOST_IGNORE_BYTES).splitlines()
                except OSError as error:
                    self._listing.problems[join(folder, name)] = (
                        f"{_describe_error(error)}; its exclusions are not applied"
                    )
        if not lines:
            return above
        from pathspec import GitIgnoreSpec

        try:
            return _IgnoreRules(folder, GitIgnoreSpec.from_lines(lines), above)
        except ValueError as error:
            self._listing.problems[join(folder, _IGNORE_FILES[0])] = (
                f"it contains an invalid pattern: {_describe_error(error)}"
            )
            return above


@dataclass(frozen=True, slots=True)
class _IgnoreRules:
    """The ignore rules of a folder and of all parent folders."""

    folder: str
    spec: "GitIgnoreSpec"
    above: "_IgnoreRules | None"

    def hits(self, path: str, *, is_folder: bool) -> bool:
        """Report whether a path is excluded. The deepest folder with a matching rule decides."""
        level: _IgnoreRules | None = self
        while level is not None:
            relative = normpath(os.path.relpath(path, level.folder)).replace(os.sep, "/") + "/" * is_folder
            verdict = level.spec.check_file(relative).include
            if verdict is not None:
                return verdict
            level = level.above
        return False


T = TypeVar("T")

_SETTLE_MILLISECONDS: Final = 1_500
"""Time within which changes are reported together."""


async def watch_files(paths: Iterable[str | os.PathLike[str]]) -> AsyncIterator[int]:
    """Watch files, folders and patterns for changes.

    Hidden files and Weiwo's own files (`WEIWO_HOME`) are ignored.

    Yields:
        The number of changed files, whenever changes have settled or `_SETTLE_MILLISECONDS` have passed.

    Raises:
        CorpusError: The system cannot watch the paths.
    """
    from watchfiles import Change, awatch

    roots = sorted({_find_watch_root(os.fspath(path)) for path in paths})
    own = frozenset[str]().union(*map(_find_own_files, roots))

    def counts(_: Change, path: str) -> bool:
        root = next((root for root in roots if path.startswith(root)), "")
        if any(path == item or path.startswith(os.path.join(item, "")) for item in own):  # strings here
            return False
        return not any(part.startswith(".") or part == "node_modules" for part in Path(path[len(root) :]).parts)

    stop = asyncio.Event()
    watch = awatch(*roots, watch_filter=counts, debounce=_SETTLE_MILLISECONDS, recursive=True, stop_event=stop)
    try:
        async with aclosing(watch):
            while changes := await _take_next(watch, stop):
                yield len(changes)
    except OSError as error:
        raise CorpusError(
            f"watching {one_line(', '.join(roots), 200)}: {one_line(str(error))}; watch fewer folders, or "
            "set WATCHFILES_FORCE_POLLING=1"
        ) from None


async def _take_next(watch: AsyncGenerator[set[T], None], stop: asyncio.Event) -> set[T] | None:
    """Return the next changes, or None at the end.

    If cancelled, it first waits, some milliseconds, for the watching thread, because closing the watcher during its
    work is an error.
    """

    async def take() -> set[T] | None:
        return await anext(watch, None)

    taking = asyncio.create_task(take())
    try:
        await asyncio.wait({taking})
    except asyncio.CancelledError:
        stop.set()
        await asyncio.wait({taking})
        raise
    return taking.result()


def _find_watch_root(path: str) -> str:
    """Return the file or folder to watch for a path. For the pattern "docs/*.md" it is the folder "docs"."""
    whole = Path(path).expanduser().absolute()
    if not has_magic(path) or whole.exists():
        return str(whole)
    return str(next(folder for folder in whole.parents if not has_magic(str(folder))))
