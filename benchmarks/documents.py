"""Benchmark of document readers: share of a file's words in the index, and reading time.

    python benchmarks/documents.py FOLDER… [--worst N] [--beside COMMAND]

The words of real files are taken from the file's own XML (Office) or from PDFium (PDF). Each file that has a reader is
read by it, in this process. A word counts as kept as often as the passages, titles and headings hold it. A file "loses
words unnamed" if more than five words, and more than 1 % of them, are missing and no loss is named. `--beside` is a
command that prints the text another reader extracts from a file, such as `markitdown`.
"""

import argparse
import re
import shlex
import signal
import subprocess
import sys
import time
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from xml.etree import ElementTree as ET

import pypdfium2

from weiwo.text.typeset import normalize_typeset
from weiwo.tools.corpus.formats import find_format, load_reader
from weiwo.tools.corpus.formats.ocr import start_budget

SECONDS = 90
FEW, SHARE = 5, 0.01
WORD = re.compile(r"[^\W_]+")
PARTS = {
    "docx": re.compile(r"word/(?:document|header\d*|footer\d*|footnotes|endnotes|comments)\.xml"),
    "pptx": re.compile(r"ppt/(?:slides/slide\d+|notesSlides/notesSlide\d+)\.xml"),
    "xlsx": re.compile(r"xl/(?:sharedStrings|worksheets/sheet\d+)\.xml"),
}
TEXT, DELETED = re.compile(r"\}(?:t|delText)$"), re.compile(r"\}(?:del|moveFrom)$")
APART = re.compile(r"\}(?:br|cr|tab|ptab|sup|sub|num|den|d|nary)$")
"""What parts words without being a sign: ends of lines, and what is raised, lowered or below the line of a formula."""
SKIPPED = re.compile(r"\}(?:instrText|fld|rPh|Fallback)$")


@dataclass
class Row:
    """Counts over the files of a format."""

    files: int = 0
    unreadable: list[str] = field(default_factory=list)
    unnamed: list[tuple[int, str]] = field(default_factory=list)
    named: int = 0
    words: int = 0
    kept: int = 0
    beside: int = 0
    seconds: float = 0.0
    beside_seconds: float = 0.0


def count_words(text: str) -> Counter[str]:
    """Count the words of a text, normalized as in the index."""
    return Counter(WORD.findall(normalize_typeset(text).casefold()))


def own_words(path: Path, kind: str) -> Counter[str]:
    """Count the words of a file from the file's XML or with PDFium. Empty for further formats."""
    if kind == "pdf":
        with pypdfium2.PdfDocument(path) as document:
            text = "\n".join(page.get_textpage().get_text_range() for page in document)
        return count_words(re.sub(r"[\ufffe\x02]\s*", "", text))
    if kind not in PARTS:
        return Counter()
    found: list[str] = []
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if PARTS[kind].fullmatch(name):
                found += _text_of(ET.fromstring(archive.read(name)))  # noqa: S314 - files of a benchmark
    return count_words("\n".join(found))


def _text_of(element: ET.Element) -> Iterator[str]:
    """The runs of a part, a paragraph a line."""
    if DELETED.search(element.tag) or SKIPPED.search(element.tag):
        return
    if TEXT.search(element.tag):
        yield element.text or ""
        return
    inner = [text for child in element for text in _text_of(child)]
    if APART.search(element.tag):
        inner = [" ", *inner, " "]
    if element.tag.endswith("}p") or element.tag.endswith("}si"):
        yield "".join(inner)
    else:
        yield from inner


class LateError(Exception):
    """A file took too long."""


def _late(_number: int, _frame: FrameType | None) -> None:
    raise LateError(f"over {SECONDS} s")


def read(path: Path) -> tuple[Counter[str], bool]:
    """Count the words reaching the index, and report whether a loss is named.

    Raises:
        Exception: Any error of the reader.
    """
    if (kind := find_format(str(path))) is None:
        return Counter(), False
    words: Counter[str] = Counter()
    named = False
    signal.alarm(SECONDS)
    start_budget()
    try:
        with path.open("rb") as file:
            for part in load_reader(kind)(file, path.name):
                lines = [part.title, *(line for passage in part.passages for line in (*passage.headings, passage.text))]
                words += count_words("\n".join(lines))
                named = named or bool(part.losses)
    finally:
        signal.alarm(0)
    return words, named


def read_beside(command: str, path: Path) -> Counter[str]:
    """Count the words extracted by an external reader."""
    asked = [*shlex.split(command), str(path)]
    try:
        done = subprocess.run(asked, capture_output=True, timeout=SECONDS, check=False)  # noqa: S603 - the caller's
    except subprocess.TimeoutExpired:
        return Counter()
    return count_words(done.stdout.decode("utf-8", "replace"))


def measure(path: Path, kind: str, row: Row, beside: str) -> None:
    """Read a file, and count the words reaching the index."""
    try:
        own = own_words(path, kind)
    except Exception:  # noqa: BLE001 - whoever else cannot open it is no measure of us
        return
    row.files += 1
    began = time.perf_counter()
    try:
        words, named = read(path)
    except Exception as error:  # noqa: BLE001 - the same
        row.seconds += time.perf_counter() - began
        if sum(own.values()) > FEW:
            row.unreadable.append(f"{path}: {str(error)[:80]}")
        return
    row.seconds += time.perf_counter() - began
    lost = own - words
    total, missing = sum(own.values()), sum(lost.values())
    row.words, row.kept, row.named = row.words + total, row.kept + total - missing, row.named + named
    if missing > FEW and missing > SHARE * total and not named:
        row.unnamed.append((missing, f"{path}: {' '.join(list(lost)[:8])}"))
    if beside:
        began = time.perf_counter()
        row.beside += total - sum((own - read_beside(beside, path)).values())
        row.beside_seconds += time.perf_counter() - began


def main(given: argparse.Namespace) -> int:
    """Run the benchmark, print the figures and return the exit code.

    The exit code is 1 if files lose words without naming the loss.
    """
    signal.signal(signal.SIGALRM, _late)
    rows: dict[str, Row] = defaultdict(Row)
    for folder in given.folders:
        for path in sorted(item for item in folder.rglob("*") if item.is_file()):
            kind = find_format(str(path))
            if kind is not None and kind.heavy:
                measure(path, kind.type, rows[kind.type], given.beside)
    print(f"{'':8}{'files':>6}{'unreadable':>11}{'unnamed':>8}{'named':>6}{'words':>9}{'kept':>7}{'s':>7}  beside")
    for kind, row in sorted(rows.items()):
        share = row.kept / row.words if row.words else 1.0
        other = f"{row.beside / max(row.words, 1):.4f} in {row.beside_seconds:.1f} s" if given.beside else ""
        print(
            f"{kind:8}{row.files:>6}{len(row.unreadable):>11}{len(row.unnamed):>8}{row.named:>6}{row.words:>9}"
            f"{share:>7.4f}{row.seconds:>7.1f}  {other}"
        )
    for row in rows.values():
        for line in row.unreadable[: given.worst]:
            print("unreadable", line)
        for missing, line in sorted(row.unnamed, reverse=True)[: given.worst]:
            print(f"unnamed {missing:>5}", line)
    return int(any(row.unnamed for row in rows.values()))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--worst", type=int, default=10, help="files to name of each kind of trouble")
    parser.add_argument("--beside", default="", help="a command that prints what another reader makes of a file")
    sys.exit(main(parser.parse_args()))
