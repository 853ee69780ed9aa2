"""Order of versions: 1.10 after 1.9, rc1 before its release."""

from typing import Final

from weiwo.text.cell_text import normalize_cell
from weiwo.text.patterns import lazy

_STAGE: Final = r"[A-Za-z]{1,8}\.?\d{0,4}"
MANY_PARTS: Final = lazy(
    rf"[vV]\d{{1,6}}(?:\.\d{{1,6}}){{0,5}}(?:[-+._ ]?{_STAGE})?"
    rf"|\d{{1,6}}\.\d{{1,6}}\.(?!(?:19|20)\d\d$)\d{{1,6}}(?:\.\d{{1,6}}){{0,3}}-?(?:{_STAGE})?"
)
"""A text that is a version by form alone: a v in front ("v2"), or at least three parts that are no date ("1.2.3")."""
_VERSION: Final = lazy(
    r"[vV]?(?P<numbers>\d{1,9}(?:\.\d{1,9}){0,5})"
    r"(?:[-._ ]?(?P<stage>[A-Za-z]{1,12})[-._ ]?(?P<number>\d{0,6}))?(?:\+[\w.]{1,20})?"
)
_AFTER_RELEASE: Final = frozenset({"p", "patch", "post", "sp", "hotfix", "u"})


def sort_version(text: str) -> str | None:
    """Return a text that sorts as the version does, or None if the text is no version.

    1.10 comes after 1.9, and 2.0-rc1 before 2.0.
    """
    found = _VERSION.fullmatch(normalize_cell(text))
    if found is None:
        return None
    numbers = found["numbers"].split(".")
    while len(numbers) > 1 and not int(numbers[-1]):
        numbers.pop()
    key = ".".join(f"{int(number):09d}" for number in numbers)
    stage = (found["stage"] or "").lower()
    if not stage:
        return f"{key} m"
    # A single letter behind the number is a later release (1.0.2k), as a patch is; a word is a stage before it.
    later = (len(stage) == 1 and stage not in {"a", "b"}) or stage in _AFTER_RELEASE
    return f"{key} {'z' if later else 'a'}{stage}{int(found['number'] or 0):06d}"
