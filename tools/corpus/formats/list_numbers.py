"""List numbers as written in documents: 3., c), iv. and 二、."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Self

from weiwo.text.numerals import write_chinese_integer

_ROMAN: Final = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x")),
    *((9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)
_MOST: Final = 10_000


def write_letter(number: int) -> str:
    """Write a number in letters: 1 → "a", 26 → "z", 27 → "aa", 28 → "bb"."""
    return chr(97 + (number - 1) % 26) * ((number - 1) // 26 + 1)


def write_roman(number: int) -> str:
    """Write a number in lower-case Roman numerals: 4 → "iv"."""
    text = ""
    for value, letters in _ROMAN:
        text += letters * (number // value)
        number %= value
    return text


WRITERS: Final[Mapping[str, Callable[[int], str]]] = {
    "1": str,
    "a": write_letter,
    "A": lambda number: write_letter(number).upper(),
    "i": write_roman,
    "I": lambda number: write_roman(number).upper(),
    "一, 二, 三, ...": write_chinese_integer,
}
"""Functions that write a number, by the number format of HTML and OpenDocument, such as `a` or `I`."""


@dataclass
class ListNumbers:
    """Counter for the numbers of a list."""

    next: int = 1  # the next number
    step: int = 1  # -1 for a reversed list
    form: str = "1"  # number format, a key of `WRITERS`
    before: str = ""  # text before each number
    behind: str = "."  # text after each number

    @classmethod
    def of(cls, fields: Mapping[str, str | None]) -> Self:
        """Create the counter of an HTML list from the attributes of its `ol` element."""
        form = fields.get("type") or "1"
        start = _read(fields.get("start"))
        return cls(1 if start is None else start, -1 if "reversed" in fields else 1, form if form in WRITERS else "1")

    def take(self, stated: str | None = None) -> str:
        """Return the number of the next item as text, followed by a blank.

        `stated` is the value of the item itself, if any, from which counting goes on.
        """
        value = _read(stated)
        number = self.next if value is None else value
        self.next = number + self.step
        write = WRITERS.get(self.form, str) if 0 < number < _MOST else str
        return f"{self.before}{write(number)}{self.behind} "


def _read(text: str | None) -> int | None:
    plain = (text or "").strip()
    return int(plain) if plain.removeprefix("-").isdecimal() and len(plain) < 8 else None
