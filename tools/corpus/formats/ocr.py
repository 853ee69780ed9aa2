"""OCR of pictures by tesseract, if installed on the machine, and the reader of picture files.

The time for all pictures of a file is bounded (`start_budget`), so that slow pictures do not make the whole file fail.
"""

import io
import shutil
import subprocess
import time
from collections.abc import Iterator
from functools import cache
from typing import Any, BinaryIO, Final

from weiwo.text.chunking import chunk_sections
from weiwo.tools.corpus.formats.encodings import UnreadableError
from weiwo.tools.corpus.formats.parts import Part, clean_text, import_parser, make_passages
from weiwo.tools.corpus.losses import Loss, count_places
from weiwo.tools.corpus.records import Passage

INSTALL: Final = "install tesseract"

_SECONDS: Final = 30.0
"""Time limit for a picture."""
_BUDGET_SECONDS: Final = 60.0
"""Time limit for all pictures of a file together: half of the file's time limit."""
_MOST_PIXELS: Final = 40_000_000
_SMALLEST: Final = 24
"""Minimum width and height in pixels of a picture that may show text."""
_MOST_FRAMES: Final = 500
_WANTED: Final = ("chi_sim", "chi_tra", "jpn", "eng")
"""Languages to recognize, if installed for tesseract, which always has English."""

_spent: Final = [0.0]


@cache
def _find_languages() -> str:
    """Return the tesseract languages to use, joined by `+`.

    The result is empty if tesseract is not installed or does not run.
    """
    program = shutil.which("tesseract")
    if program is None:
        return ""
    try:
        listed = subprocess.run(  # noqa: S603 - the machine's own program
            [program, "--list-langs"], capture_output=True, text=True, timeout=_SECONDS, check=True
        ).stdout.split()
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return ""
    return "+".join(language for language in _WANTED if language in listed)


def can_recognize() -> bool:
    """Report whether this machine can recognize text in pictures."""
    return bool(_find_languages())


def start_budget() -> None:
    """Reset the OCR time budget for a new file."""
    _spent[0] = 0.0


def has_time() -> bool:
    """Report whether the file's OCR budget has time left."""
    return _spent[0] < _BUDGET_SECONDS


def list_unrecognized(pages: list[int]) -> list[Loss]:
    """Return a list with the loss for pages that are pictures without recognized text. Empty without pages."""
    return count_places("pages_not_recognized" if pages and can_recognize() else "pages_without_text", pages)


def recognize_text(picture: Any) -> str:
    """Return the text of a PIL image.

    The result is empty if tesseract finds no text or fails, the image is too large or too small, or time runs out.
    """
    if picture.width * picture.height > _MOST_PIXELS or min(picture.size) < _SMALLEST or not has_time():
        return ""
    began = time.monotonic()
    data = io.BytesIO()
    try:
        picture.convert("L").save(data, "PNG")
        command = [str(shutil.which("tesseract")), "stdin", "stdout", "-l", _find_languages()]
        found = subprocess.run(  # noqa: S603 - the same
            command,
            input=data.getvalue(),
            capture_output=True,
            timeout=min(_SECONDS, _BUDGET_SECONDS - _spent[0]),
            check=True,
        )
    except (OSError, ValueError, SyntaxError, subprocess.SubprocessError):  # some are PIL's, for a damaged picture
        return ""
    finally:
        _spent[0] += time.monotonic() - began
    return found.stdout.decode("utf-8", "replace")


def read(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read a picture file, with a page for each picture of a multi-page file.

    Raises:
        UnreadableError: The picture is damaged or shows no text, or tesseract is not installed.
    """
    pillow = import_parser("PIL.Image")
    found: list[Passage] = []
    blank: list[int] = []
    try:
        picture = pillow.open(file)
        frames = min(getattr(picture, "n_frames", 1), _MOST_FRAMES)
        for number in range(1, frames + 1) if can_recognize() else ():
            picture.seek(number - 1)
            pieces = chunk_sections(clean_text(recognize_text(picture)), ())[1]
            blank += [] if pieces else [number]
            found += make_passages(pieces, unit="", within=f"page {number}" if frames > 1 else "", page=number)
    except (OSError, ValueError, SyntaxError, EOFError, pillow.DecompressionBombError) as error:
        raise UnreadableError(f"damaged picture: {error}") from None
    if not can_recognize():
        raise UnreadableError(f"a picture; {INSTALL}", passing=True)
    if not found:
        raise UnreadableError("a picture without recognizable text", passing=not has_time())
    yield Part(name, found, losses=list_unrecognized(blank))
