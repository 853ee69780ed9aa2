"""MathML formulas on a single line, as typed by hand: (a+b)/2, x^2, √(n), ∑_(i=1)^n."""

from collections.abc import Callable, Mapping
from typing import Final
from xml.etree.ElementTree import Element

_ASIDE: Final = frozenset({"annotation", "annotation-xml", "mphantom", "maligngroup", "malignmark", "mprescripts"})
_SPACED: Final = frozenset("=<>≤≥≠≈+−±×·→⇒∈∉∪∩")
_INVISIBLE: Final = str.maketrans("", "", "\u2061\u2062\u2063\u2064")
_MOST_DEPTH: Final = 100


def write_formula(element: Element, depth: int = 0) -> str:
    """Write a MathML element on a single line. Tags must have no namespace, and `depth` is the nesting depth."""
    if depth > _MOST_DEPTH or element.tag in _ASIDE:
        return ""
    parts = [write_formula(child, depth + 1) for child in element if child.tag not in _ASIDE]
    write = _WRITERS.get(element.tag)
    return "".join(parts) if write is None else write(element, parts)


def _write_word(element: Element, _: list[str]) -> str:
    return " ".join("".join(element.itertext()).split()).translate(_INVISIBLE)


def _write_sign(element: Element, _: list[str]) -> str:
    sign = _write_word(element, [])
    return f" {sign} " if sign in _SPACED else f"{sign} " if sign == "," else sign


def _write_pattern(pattern: str) -> Callable[[Element, list[str]], str]:
    """Return a function that writes an element by a pattern: "{}/{}" writes a fraction as "(a+b)/2".

    A part is put in brackets, unless it is a single word or sign. If the number of parts does not match the pattern,
    the parts are joined instead.
    """
    count = pattern.count("{}")

    def write(_: Element, parts: list[str]) -> str:
        return pattern.format(*map(_wrap, parts)) if len(parts) == count else "".join(parts)

    return write


_WRITERS: Final[Mapping[str, Callable[[Element, list[str]], str]]] = {
    **dict.fromkeys(("mi", "mn", "mtext", "ms"), _write_word),
    "mo": _write_sign,
    "mspace": lambda _, __: " ",
    "mfrac": _write_pattern("{}/{}"),
    **dict.fromkeys(("msup", "mover"), _write_pattern("{}^{}")),
    **dict.fromkeys(("msub", "munder"), _write_pattern("{}_{}")),
    **dict.fromkeys(("msubsup", "munderover"), _write_pattern("{}_{}^{}")),
    "msqrt": lambda _, parts: f"√({''.join(parts).strip()})",
    "mroot": lambda _, parts: f"root({', '.join(part.strip() for part in reversed(parts))})",
    **dict.fromkeys(("mtr", "mlabeledtr"), lambda _, parts: ", ".join(part.strip() for part in parts)),
    "mtable": lambda _, parts: f"[{'; '.join(parts)}]",
    "mfenced": lambda element, parts: f"{element.get('open', '(')}{', '.join(parts)}{element.get('close', ')')}",
}


def _wrap(part: str) -> str:
    """Return a part of a formula in brackets, or as it is if it is a single word or sign.

    "a+b" → "(a+b)", "x" → "x".
    """
    plain = part.strip()
    whole = plain.replace(".", "").replace(",", "").isalnum() or len(plain) == 1
    return plain if whole else f"({plain})"
