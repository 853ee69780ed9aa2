"""Split and join lists in prose: "A, B and C", 甲、乙和丙, and bullets."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from weiwo.state.kinds import Language, has_rules
from weiwo.text.patterns import lazy

_BULLET: Final = lazy(
    r"\s{0,20}(?:[-*+•·‣▪–]\s{1,8}|[0-9]{1,3}(?:[.)]\s{1,8}|、\s{0,8})|[(（][0-9]{1,3}[)）]\s{0,8})(?=\S)"
)
_QUOTED: Final = lazy(
    r"“[^“”\n]*”|「[^「」\n]*」|『[^『』\n]*』|《[^《》\n]*》|\"[^\"\n]*\"|(?<!\w)'[^'\n]{0,500}'(?!\w)"
)
_WHOLLY_QUOTED: Final = lazy(r"“([^“”]*)”|「([^「」]*)」|『([^『』]*)』|\"([^\"]*)\"|'([^']*)'")
_SEMICOLON: Final = lazy(r"[;；]")
_COMMA: Final = lazy(r"[、，]|,(?!(?<=[0-9],)[0-9]{3}(?![0-9]))")
# 和, 与 and 及 join words, but they also stand inside them: 共和国, 颐和园, 参与, 埃及.
_AND: Final = lazy(
    r"(?i)\s{1,3}and\s{1,3}|以及|(?<![共颐温呼饱总永太义元昭保雍协祥缓柔仁泰随])和(?![平谐尚田约议珅解服歌亲氏林])"
    r"|(?<![参给赋])与(?![会其否])|(?<![埃普涉波以触危提])及(?![时第格其])"
)
_LEADING_AND: Final = lazy(r"(?i)\s{0,3}(?:and\s{1,3}|以及|和|与|及)(?=\S)")


def split_items(text: str) -> list[str]:
    """Split a written list into its items: "A, B and C" → `["A", "B", "C"]`.

    Several lines are one item each, and a line with a bullet or a number before it is one item. A single line is split
    at semicolons, or else at commas and 、 with a last "and" or 和, or else at "and" alone. Text in quotation marks or
    《》 stays whole. A first line that ends with a colon, above other lines, is left out.

    Args:
        text: A list, or a single item.

    Returns:
        The items in order, without blanks, bullets and quotation marks around them. Duplicates stay.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > 1:
        if lines[0].rstrip().endswith((":", "：")):
            del lines[0]
        pieces = [line[_after_bullet(line) :].strip().rstrip(",，;；、") for line in lines]
    elif lines and _after_bullet(lines[0]):
        pieces = [lines[0][_after_bullet(lines[0]) :]]
    else:
        pieces = _inline(text)
    return [item for piece in pieces if (item := _strip_quotes(piece.strip()))]


def join_items(items: list[str], language: Language) -> Iterator[str]:
    """Yield several ways to write items as a list in prose, the most natural first.

    Args:
        items: The items as written.
        language: The language of the prose.

    Yields:
        The plain list, then the list with quotation marks round each item that would be split (A and “B and C”), then
        with quotation marks round all. Without items, only "none" or 无.
    """
    if not items:
        yield "无" if language == "zh" else "none"
        return
    yield join_names(items, language)
    yield join_names([item if split_items(item) == [item] else f"“{item}”" for item in items], language)
    yield join_names([f"“{item}”" for item in items], language)


def join_names(items: Sequence[str], language: Language, *, either: bool = False) -> str:
    """Join names into a list: "A, B and C", 甲、乙和丙, or with `either` "A, B or C" and 甲、乙或丙.

    There must be at least one name. "or" and 或 mean that one of the names is enough. Languages other than English and
    Chinese get commas alone.
    """
    comma = "、" if language == "zh" else ", "
    if not has_rules(language):
        return ", ".join(items)
    conjunction = {"en": " or " if either else " and ", "zh": "或" if either else "和"}[language]
    return conjunction.join(part for part in (comma.join(items[:-1]), items[-1]) if part)


def _after_bullet(line: str) -> int:
    found = _BULLET.match(line)
    return found.end() if found else 0


def _inline(text: str) -> list[str]:
    masked = _QUOTED.sub(lambda quoted: "\0" * len(quoted[0]), text)
    for separator in (_SEMICOLON, _COMMA):
        if separator.search(masked):
            spans = _between(separator, masked, 0, len(masked))
            start, end = spans.pop()
            leading = _LEADING_AND.match(masked, start)
            if leading and leading.end() < end:
                spans.append((leading.end(), end))
            elif separator is _SEMICOLON:
                spans.append((start, end))
            else:
                spans += _last_two(masked, start, end)
            return [text[start:end] for start, end in spans]
    return [text[start:end] for start, end in _between(_AND, masked, 0, len(masked))]


def _between(separator: re.Pattern[str], masked: str, start: int, end: int) -> list[tuple[int, int]]:
    cuts = [found.span() for found in separator.finditer(masked, start, end)]
    starts = [start, *(after for _, after in cuts)]
    return list(zip(starts, [*(before for before, _ in cuts), end], strict=True))


def _last_two(masked: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the spans of a list's last piece, split at its last "and": "B and C" → "B", "C".

    Without "and" the result is the one span of the whole piece.
    """
    cuts = [
        found.span()
        for found in _AND.finditer(masked, start, end)
        if masked[start : found.start()].strip() and masked[found.end() : end].strip()
    ]
    return [(start, cuts[-1][0]), (cuts[-1][1], end)] if cuts else [(start, end)]


def _strip_quotes(item: str) -> str:
    found = _WHOLLY_QUOTED.fullmatch(item)
    return next(inner for inner in found.groups() if inner is not None).strip() if found else item
