"""OCR: the text of a picture by tesseract, a program of the machine, where it is installed."""

import io
import shutil
import subprocess
from functools import cache
from typing import Any, Final

_SECONDS: Final = 60
_MOST_PIXELS: Final = 40_000_000
_WANTED: Final = ("chi_sim", "chi_tra", "jpn", "eng")
"""Languages that are read where tesseract has them; English is always among them."""


@cache
def find_languages() -> str:
    """The languages that tesseract is asked for, joined by `+`; empty where it is not installed or does not run."""
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
    """Whether pictures can be read on this machine."""
    return bool(find_languages())


def recognize_text(picture: Any) -> str:
    """The text of a picture (PIL's); empty where tesseract finds none, fails or takes too long."""
    if picture.width * picture.height > _MOST_PIXELS:
        return ""
    data = io.BytesIO()
    picture.convert("L").save(data, "PNG")
    command = [str(shutil.which("tesseract")), "stdin", "stdout", "-l", find_languages()]
    try:
        found = subprocess.run(  # noqa: S603 - the same
            command, input=data.getvalue(), capture_output=True, timeout=_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return found.stdout.decode("utf-8", "replace")
