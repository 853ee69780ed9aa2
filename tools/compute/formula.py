"""Formula normalization: convert arithmetic as people write to plain ASCII for parsing."""

from typing import Final

from weiwo.text.patterns import lazy

_MAX_LENGTH: Final = 20_000

_PLAIN: Final = {0xFF01 + offset: 0x21 + offset for offset in range(0x5E)} | str.maketrans(
    {
        "\u3000": " ", "×": "*", "·": "*", "∙": "*", "÷": "/", "−": "-", "–": "-", "—": "-", "^": "**", "＾": "**",
        "²": "**2", "³": "**3", "≤": "<=", "≥": ">=", "≠": "!=", "、": ", ", "【": "[", "】": "]",
        "\u00a0": " ", "\u2009": " ", "\u202f": " ",
    }
)  # fmt: skip
_ALLOWED: Final = lazy(r"[0-9A-Za-z_ \t\r\n.,+\-*/%()<>=!\[\]]*")
_RUNS_ON: Final = lazy(r"(?<![A-Za-z_0-9])[0-9.,]{0,40}[0-9](?:[A-DF-Za-df-z_]|[eE](?![-+0-9]))\w*")
_LEADING_ZEROS: Final = lazy(r"(?<![0-9A-Za-z_.])0+(?=[0-9])")
_ISO_DATE: Final = lazy(r"(?<![0-9.])[0-9]{3,4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])(?![0-9.])")
_PERCENT: Final = lazy(r"(?<![0-9A-Za-z_.])([0-9]{1,300}(?:\.[0-9]{1,300})?)\s{0,3}%(?=\s*(?:$|[-+*/%),\]<>=!]))")
_GROUP: Final = lazy(r"(?<![0-9.,])[0-9]{1,3}(?:,[0-9]{3})+(?!,?[0-9])")
_OWNER: Final = lazy(r"[A-Za-z_]{1,8} ?$")
_ONE_NUMBER: Final = frozenset({"abs", "sqrt", "round"})


def normalize_formula(expression: str) -> str:
    """Rewrite an expression for Python's parser: in ASCII, "15%" as "(15/100)", "1,234" as "1234".

    Inside the brackets of a function or a list a comma separates, unless other commas there have a blank behind them:
    max(120,300) has two arguments, and so has max(6,300, 5,464).

    Args:
        expression: Arithmetic as a person or a model writes it.

    Raises:
        ValueError: The expression is empty, too long, has characters that are no arithmetic, or contains an ISO date,
            which would be parsed as subtractions.
    """
    if len(expression) > _MAX_LENGTH:
        raise ValueError(f"the expression has {len(expression)} characters, but at most {_MAX_LENGTH} are allowed")
    plain = " ".join(expression.translate(_PLAIN).split())
    if not plain:
        raise ValueError("the expression is empty; use one like (3 + 4) * 2")
    known = _ALLOWED.match(plain)
    if known is not None and known.end() < len(plain):
        raise ValueError(
            f"{plain[known.end()]!r} in {expression[:80]!r} is not arithmetic; use only numbers and "
            "operators, and date(-156) for 156 BC"
        )
    if runs_on := _RUNS_ON.search(plain):
        raise ValueError(f"{runs_on[0][:40]!r} is no number; write numbers in digits and without units")
    if _ISO_DATE.search(plain):
        raise ValueError(f"{expression[:80]!r} holds a date that would be subtracted; write date(1969, 7, 20)")
    return _PERCENT.sub(r"(\1/100)", _LEADING_ZEROS.sub("", _strip_thousands_separators(plain)))


def _strip_thousands_separators(text: str) -> str:
    """Remove the commas of "1,234", unless they may separate arguments: "max(120,300)" is returned unchanged."""
    grouped = {at for group in _GROUP.finditer(text) for at in range(*group.span()) if text[at] == ","}
    if not grouped:
        return text
    dropped: set[int] = set()
    frames: list[tuple[bool, list[int]]] = [(True, [])]
    for at, char in enumerate(text):
        if char in "([":
            # A round bracket holds a single value, unless it belongs to a function that takes several.
            owner = _OWNER.search(text, max(0, at - 8), at)
            frames.append((char == "(" and (owner is None or owner[0].strip() in _ONE_NUMBER), []))
        elif char == ",":
            frames[-1][1].append(at)
        elif char in ")]" and len(frames) > 1:
            dropped |= _thousands_separators(text, frames.pop(), grouped)
    for frame in frames:
        dropped |= _thousands_separators(text, frame, grouped)
    return "".join(char for at, char in enumerate(text) if at not in dropped)


def _thousands_separators(text: str, frame: tuple[bool, list[int]], grouped: set[int]) -> set[int]:
    """Return the positions of the thousands separators directly inside a bracket.

    Args:
        text: The expression.
        frame: Whether the bracket holds a single value, and the positions of the commas directly inside it.
        grouped: Positions of the commas that have the form of thousands separators.
    """
    item, commas = frame
    return grouped.intersection(commas) if item or any(text[at + 1 : at + 2] == " " for at in commas) else set()
