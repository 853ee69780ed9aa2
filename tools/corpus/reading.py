"""Finding text files and reading them: what is taken, what is left out, and why."""

import os
import stat
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from tools.corpus.base import CorpusError, Problem
from tools.printable import one_line, printable

MARKDOWN: Final = frozenset({".md", ".markdown"})
READABLE: Final = MARKDOWN | {".txt", ".text"}
SAMPLE: Final = Path("examples/corpus")
MOST_FILES: Final = 20_000
MOST_BYTES: Final = 400_000_000

_CONTROLS: Final = bytes(set(range(32)) - set(b"\t\n\r\f\v\x1a\x1b\b"))  # what text does not hold
_FEW_CONTROLS: Final = 0.01


class UnreadableError(ValueError):
    """A file that holds no text we can read. The message is one line."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file to read, and what tells whether it has changed since.

    Attributes:
        path: Where it is.
        size: Bytes.
        modified: Time of its last change, in nanoseconds.
    """

    path: str
    size: int
    modified: int


def find(paths: Iterable[Path], max_bytes: int) -> tuple[list[Found], list[Problem]]:
    """List the Markdown and text files among files and folders.

    Folders are searched to the bottom, hidden files and folders left out. Links to files are followed, links to
    folders are not, so that no loop or foreign tree is entered. Each file is listed once, in the order of its path.

    Args:
        paths: Files and folders.
        max_bytes: The size from which a file is left out.

    Returns:
        The files, and what was left out that a user may have meant.

    Raises:
        CorpusError: A path does not exist, cannot be listed, or is a file of another type.
    """
    files: list[Found] = []
    problems: list[Problem] = []
    seen: set[tuple[int, int]] = set()
    total = 0
    for path in paths:
        for entry in _walk(path, problems):
            try:
                status = entry.stat()
            except OSError as error:
                problems.append(Problem(source_of(entry), _why(error)))
                continue
            if (status.st_dev, status.st_ino) in seen:
                continue
            seen.add((status.st_dev, status.st_ino))
            total += status.st_size
            if not stat.S_ISREG(status.st_mode):
                problems.append(Problem(source_of(entry), "not a regular file"))
            elif status.st_size > max_bytes:
                problems.append(Problem(source_of(entry), f"over the {max_bytes:,} bytes allowed: {status.st_size:,}"))
            elif len(files) >= MOST_FILES or total > MOST_BYTES:
                reason = f"the corpus ends here, at {MOST_FILES:,} files or {MOST_BYTES:,} bytes; name a part of it"
                problems.append(Problem(source_of(entry), reason))
                return files, problems
            else:
                files.append(Found(str(entry), status.st_size, status.st_mtime_ns))
    return files, problems


@cache
def sample() -> Path:
    """The sample corpus that comes with Weiwo: in a checkout, or in an installed package."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "sample_corpus"
    return installed if installed.is_dir() else package.parent / SAMPLE


def source_of(path: Path) -> str:
    """The name of a file in evidence: from the current folder if it is below that, else absolute.

    A file of the sample corpus is named alike wherever that is installed.
    """
    absolute = Path(os.path.abspath(path))  # noqa: PTH100  # resolve() would replace the links the user named
    here, ours = Path.cwd(), sample()
    if absolute.is_relative_to(ours):
        absolute = SAMPLE / absolute.relative_to(ours)
    elif absolute.is_relative_to(here):
        absolute = absolute.relative_to(here)
    return os.fsencode(absolute.as_posix()).decode("utf-8", "replace")


def read(path: str, max_bytes: int) -> str:
    """The text of a file, its line ends newlines, its control characters gone.

    Raises:
        OSError: It cannot be opened or read.
        UnreadableError: It holds no text, or has grown past `max_bytes`.
    """
    with Path(path).open("rb") as file:
        data = file.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise UnreadableError(f"more than the {max_bytes:,} bytes allowed")
    return printable(decode(data))


def decode(data: bytes) -> str:
    """Bytes to text: UTF-8, UTF-16 (by its byte order mark), GB18030, in that order.

    Raises:
        UnreadableError: It is none of these, or no text.
    """
    marked = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    encodings = ("utf-16",) if marked else ("utf-8-sig", "gb18030")
    if not marked and len(data) - len(data.translate(None, _CONTROLS)) > len(data) * _FEW_CONTROLS:
        raise UnreadableError("binary data, not text")
    for encoding in encodings:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\x00" in text:
            raise UnreadableError("binary data, not text")
        return text
    raise UnreadableError("not text in UTF-8, UTF-16 or GB18030; save it as UTF-8")


def _walk(path: Path, problems: list[Problem]) -> Iterator[Path]:
    """The files to read under one path that the user named."""
    try:
        is_folder = stat.S_ISDIR(path.stat().st_mode)
    except (OSError, ValueError) as error:
        raise CorpusError(f"corpus {one_line(str(path))}: {_why(error)}; name a file or folder that exists") from None
    if not is_folder:
        if path.suffix.lower() not in READABLE:
            raise CorpusError(f"corpus {one_line(str(path))}: only .md and .txt files can be read; convert it first")
        yield path
        return
    others: Counter[str] = Counter()
    folders = [path]
    while folders:
        folder = folders.pop()
        try:
            with os.scandir(folder) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError as error:
            if folder == path:
                raise CorpusError(f"corpus {one_line(str(path))}: {_why(error)}; make it readable") from None
            problems.append(Problem(source_of(folder), _why(error)))
            continue
        shown = [entry for entry in entries if not entry.name.startswith(".")]
        links = [entry for entry in shown if entry.is_symlink() and _is_folder(entry)]
        problems += [Problem(source_of(Path(link)), "a link to a folder; name its target instead") for link in links]
        below = [entry for entry in shown if entry.is_dir(follow_symlinks=False)]
        folders_below = {entry.name for entry in (*links, *below)}
        files = [Path(entry) for entry in shown if entry.name not in folders_below]
        yield from (file for file in files if file.suffix.lower() in READABLE)
        others.update(file.suffix.lower() or "no ending" for file in files if file.suffix.lower() not in READABLE)
        folders += reversed([Path(entry) for entry in below])
    if others:
        kinds = ", ".join(f"{count} {ending}" for ending, count in sorted(others.items())[:8])
        problems.append(Problem(source_of(path), f"files of other types left out: {kinds}"))


def _is_folder(link: os.DirEntry[str]) -> bool:
    """Whether a link leads to a folder; one that leads to itself does not."""
    try:
        return link.is_dir()
    except OSError:
        return False


def _why(error: Exception) -> str:
    return one_line((error.strerror if isinstance(error, OSError) else None) or str(error)).lower()
