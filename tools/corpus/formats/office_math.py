"""Office formulas (OMML) on a single line, as typed by hand: (a+b)/2, x^2."""

from typing import Final
from xml.etree.ElementTree import Element

_PREFIXES: Final = {"num": "", "den": "/", "sup": "^", "sub": "_"}
"""Sign before a part of a formula. A part longer than a number or a name is put in brackets."""
_SPACED: Final = frozenset({"sSup", "sSub", "sSubSup", "f"})
"""Elements followed by a space."""
_MOST_DEPTH: Final = 100


def write_office_formula(element: Element, around: str = "", depth: int = 0) -> str:
    """Write an OMML element on a single line. Tags must have no namespace.

    `around` is the tag of the parent, and `depth` the nesting depth.

    Raises:
        RecursionError: The elements are nested too deeply.
    """
    if depth > _MOST_DEPTH:
        raise RecursionError
    if element.tag == "t":
        return element.text or ""
    inner = "".join(write_office_formula(child, element.tag, depth + 1) for child in element)
    return write_formula_part(element, around, inner)


def write_formula_part(part: Element, around: str, text: str) -> str:
    """Add the signs of a formula element to the text of its content, for example `/` before a denominator.

    `around` is the tag of the parent. Text of elements that are no formula is unchanged.
    """
    if part.tag == "naryPr":
        return _read_sign(part, "chr", "∫")
    if part.tag == "d":
        bounds = part.find("dPr")
        return f"{_read_sign(bounds, 'begChr', '(')}{text}{_read_sign(bounds, 'endChr', ')')}"
    if part.tag in _PREFIXES and text:
        return f"{_PREFIXES[part.tag]}{text if text.isalnum() else f'({text})'}"
    if part.tag in _SPACED:
        return f"{text} "
    return f" {text}" if part.tag == "e" and around == "nary" else text


def _read_sign(properties: Element | None, name: str, usual: str) -> str:
    """Return the sign stated by a property, for example a bracket, or `usual` if not stated."""
    stated = properties.find(name) if properties is not None else None
    return usual if stated is None else stated.get("val", "")
