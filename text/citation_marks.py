"""Find, renumber and remove citation marks in prose.

Marks that cite no known source are removed.

[1], [1][2], [1, 2], [1-3], 【1】 are marks, and so are the forms that models were trained to write: [citation:1],
[ref_1], [cite: 1], [^1^], [Source 1], <sup>1</sup>, 【1†…】, (Source: [1]). Brackets in code, in formulas, in URLs and
after an identifier ("a[0]") are no marks, and neither is the exponent of a unit.

Sources have brackets of their own: references, footnotes, wiki links. Text quoted from a source passes through an
answer shielded (`shield_brackets`), so that no parser of marks sees it, and is restored unchanged.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from weiwo.text.markdown import Opaque, find_opaque, mask
from weiwo.text.patterns import lazy
from weiwo.text.short_text_cache import cache_short_texts

_NAME: Final = (
    r"(?:citations?|cites?|sources?|src|ref(?:erence)?s?|doc(?:ument)?s?|passages?|web|n"
    r"|来源|引用|引文|文献|参考(?:资料|文献)?|资料|出处|段落|文档|网页)"
)
_NUMBER: Final = rf"(?:{_NAME}\s?[.:：_#=-]?\s?)?[\^#]?\d{{1,4}}\^?(?!\d)"
_NUMBERS: Final = rf"{_NUMBER}(?:\s?[,，、;；–—-]\s?{_NUMBER}){{0,30}}"
_NAMED: Final = r"(?:sources?|citations?|ref(?:erence)?s?|来源|引用|出处|参考(?:资料|文献)?)\s?[:：]\s?"
_MARK: Final = lazy(
    rf"\[(?P<a>{_NUMBERS})(?:†[^\[\]\n]{{0,80}})?\](?:\(https?://[^()\s]{{1,500}}\))?"
    rf"|【(?P<b>{_NUMBERS})(?:†[^【】\n]{{0,80}})?】|［(?P<c>{_NUMBERS})］"
    rf"|<(?:sup|cite)>\s?(?P<d>\[?{_NUMBERS}\]?(?:\[{_NUMBERS}\]){{0,9}})\s?</(?:sup|cite)>"
    rf"|[(（]{_NAMED}(?P<e>[\[【]?{_NUMBERS}[\]】]?(?:\s?[,，、;；]?\s?[\[【]{_NUMBERS}[\]】]){{0,9}})[)）]"
    r"|\[cite_(?:start|end)\]\s?",
    re.IGNORECASE,
)
"""A citation mark: numbers in brackets, with or without a name ("[1, 3]", "【2】", "[ref_1]")."""
_UNIT: Final = lazy(
    r"(?:\d\s?|(?<![A-Za-z]))(?:[a-zµ]{1,2}|miles?|inch|f(?:oo|ee)t|yards?|met(?:re|er)s?|[米里秒尺])$|\d$"
)
"""Text before a superscript that is an exponent, not a citation: a unit or a digit."""
_FOREIGN: Final = lazy(
    r"(?:\[|【|［|〔|⟦|\{\{|\ue200)(?=[^\s\[\]【】［］〔〕⟦⟧{}]{0,24}[A-Za-z:@†])[^\s\[\]【】［］〔〕⟦⟧{}]{0,24}\d"
    r"[^\s\[\]【】［］〔〕⟦⟧{}]{0,24}(?:\]|】|］|〕|⟧|\}\}|\ue201)(?![(\w])"
    r"|\\cite[a-z]{0,6}\{[^{}\n]{1,40}\}|:contentReference\[[^\[\]\n]{0,40}\]",
    re.IGNORECASE,
)
"""Citation-like text of an unknown format: digits and letters in brackets, without a blank."""
_IDENTIFIER: Final = lazy(
    r"(?:^|[^\w])(?:[a-z]|[A-Za-z]\w{0,60}_\w{0,60}|[A-Za-z]\w*\(\)|argv|arr|array|list|args|items)$"
)
_MEASURED: Final = lazy(r"\d\s[a-z]$")
_ON: Final = lazy(r"\s?(?:[-+*/%]?=[^=]|[-+*/]\s?\w|\.\w|\(|\[\w*[A-Za-z])")
_RANGE: Final = lazy(r"(\d+)\s?[–—-]\s?\^?(\d+)")
_WIDEST_RANGE: Final = 30
_PASSES: Final = 8


@dataclass(frozen=True, slots=True)
class CitationMark:
    """A citation mark: position, and cited source numbers in order."""

    start: int
    end: int
    numbers: tuple[int, ...]


_OPENINGS: Final = {sign: chr(0xF0F00 + n) for n, sign in enumerate("[【［<(（")}
"""The signs that a mark begins with, and the private characters that stand for them in shielded text."""
_SHIELD: Final = str.maketrans(_OPENINGS)
_UNSHIELD: Final = str.maketrans({private: sign for sign, private in _OPENINGS.items()})
_LINKED: Final = lazy(r"\](?:\(https?://[^()\s]{1,500}\))\Z")
_COPIED_WORDS: Final = 3
"""Number of words before a bracket that must stand before the same bracket in a source for it to count as copied."""


_SEAL: Final = "\U000f0f10"
"""The private-use character in a sealed citation mark, which distinguishes it from every other bracket of the text."""
_SEALED: Final = lazy(rf"\[{_SEAL}(\d+)\]")


def recorded_marks(result: Mapping[str, Any]) -> Sequence[Mapping[str, int]]:
    """Return the citation marks of a saved result's answer: `{"n": 1, "start": 5, "end": 8}` for "Rome [1]".

    A mark with several numbers gives one entry for each. For a result of version 0.1, which saved no marks, they are
    parsed from the text.
    """
    marks: Sequence[Mapping[str, int]] | None = result.get("marks")
    if marks is not None:
        return marks
    found = find_marks(str(result.get("answer") or ""))
    return [{"n": n, "start": mark.start, "end": mark.end} for mark in found for n in mark.numbers]


def seal_marks(result: Mapping[str, Any]) -> str:
    """Return the answer of a saved result, with its citation marks in a form that source text cannot imitate.

    Each number of a mark becomes `[n]` with a private-use character before the number. `split_sealed` splits this text
    into prose and marks.
    """
    text = str(result.get("answer") or "")
    parts: list[str] = []
    position = 0
    for mark in recorded_marks(result):
        parts += [text[position : mark["start"]].replace(_SEAL, ""), f"[{_SEAL}{mark['n']}]"]
        position = mark["end"]
    return "".join([*parts, text[position:].replace(_SEAL, "")])


def split_sealed(text: str) -> Iterator[tuple[str, int]]:
    """Split a text from `seal_marks`: "Rome [1]." → `("Rome ", 0)`, `("[1]", 1)`, `(".", 0)`.

    The number is that of the cited source, or 0 for prose.
    """
    position = 0
    for found in _SEALED.finditer(text):
        if position < found.start():
            yield text[position : found.start()], 0
        yield f"[{found[1]}]", int(found[1])
        position = found.end()
    if position < len(text):
        yield text[position:], 0


def shield_brackets(text: str) -> str:
    """Return quoted source text with its citation-like brackets hidden, so that "[1]" in it is not taken for a mark.

    The opening sign is replaced by a private-use character, which `unshield_brackets` replaces back. A number that is a
    link loses the URL, as all links in answers do.
    """
    while found := list(_MARK.finditer(text)):
        for mark in reversed(found):
            shielded = _LINKED.sub("]", mark[0]).translate(_SHIELD)
            text = text[: mark.start()] + shielded + text[mark.end() :]
    return text


def unshield_brackets(text: str) -> str:
    """Put the brackets hidden by `shield_brackets` back. Offsets stay the same."""
    return text.translate(_UNSHIELD)


def shield_copied(text: str, sources: Mapping[int, str]) -> str:
    """Return a draft with the brackets hidden that were copied from a source, together with the three words before.

    If source 1 says "the city of Rome [2]", then "[2]" in a draft's "the city of Rome [2]" is no mark.

    Args:
        text: A piece of a draft.
        sources: The sources it may have copied from, as text by number. A bracket that cites the very source it was
            copied from stays a mark.
    """
    marks = find_marks(text)
    flat = {n: " ".join(source.split()) for n, source in sources.items()} if marks else {}
    for mark in reversed(marks):
        before = text[: mark.start].split()[-_COPIED_WORDS:]
        gap = " " if text[mark.start - 1 : mark.start].isspace() else ""
        copied = " ".join(before) + gap + text[mark.start : mark.end]
        cited = mark.numbers if flat.keys() >= set(mark.numbers) else ()
        if len(before) == _COPIED_WORDS and any(copied in source for n, source in flat.items() if n not in cited):
            text = text[: mark.start] + shield_brackets(text[mark.start : mark.end]) + text[mark.end :]
    return text


@cache_short_texts
def find_marks(text: str) -> list[CitationMark]:
    """Return the citation marks of a text, in order: "Rome [1, 3-5]" → a mark with the numbers 1, 3, 4, 5.

    Brackets in code, formulas and URLs, and index brackets such as "a[0]", are left out.
    """
    return list(_outside(text, find_opaque(text))) if _MARK.search(text) else []


def _outside(text: str, code: Sequence[Opaque]) -> Iterator[CitationMark]:
    position = 0
    for found in _MARK.finditer(text):
        while position < len(code) and code[position].end <= found.start():
            position += 1
        if position < len(code) and code[position].start <= found.start():
            continue
        if not _is_index(text, found):
            yield CitationMark(found.start(), found.end(), _numbers(next(filter(None, found.groups()), "")))


def _is_index(text: str, found: re.Match[str]) -> bool:
    """Report whether a bracket belongs to an expression, a unit or a URL and not to prose: "a[0]", "km<sup>2</sup>"."""
    before = text[max(0, found.start() - 60) : found.start()]
    word = before.split()[-1] if before and not before[-1].isspace() else ""
    behind = text[found.end() : found.end() + 3]
    if found[0].startswith("<sup>") and _UNIT.search(before):
        return True
    if "://" in word and re.match(r"[\w/&=?#%]", behind):
        return True
    if not word:
        return False
    return bool(_IDENTIFIER.search(word) and not _MEASURED.search(before)) or (
        word[-1].isascii() and word[-1].isalnum() and bool(_ON.match(behind)) and not behind.startswith("(h")
    )


def _numbers(written: str) -> tuple[int, ...]:
    numbers: list[int] = []
    for part in re.split(
        r"\s?[,，、;；]\s?|\]", re.sub(r"[^\d,，、;；–—\]-]", "", re.sub(_NAME + r"\s?-", "", written))
    ):
        bounds = _RANGE.fullmatch(part)
        if bounds:
            first, last = int(bounds[1]), int(bounds[2])
            numbers += range(first, last + 1) if 0 <= last - first <= _WIDEST_RANGE else (first, last)
        else:
            numbers += map(int, re.findall(r"\d+", part))
    return tuple(dict.fromkeys(numbers))


def has_foreign_mark(text: str) -> bool:
    """Report whether a text has a citation mark of an unknown format like "[turn0search3]"."""
    if not _FOREIGN.search(text):
        return False
    prose = mask(blank_marks(text)[0], 0, [(code.start, code.end, " ") for code in find_opaque(text)])
    found = _FOREIGN.search(prose)
    return found is not None and not _is_index(prose, found)


def list_cited_numbers(text: str) -> list[int]:
    """Return the cited source numbers, in order of first citation."""
    return list(dict.fromkeys(n for mark in find_marks(text) for n in mark.numbers))


def clean_marks(text: str, valid: Collection[int]) -> str:
    """Remove every citation of an unknown source, and write the others as [1][2].

    "Rome [9]. Paris [1, 2]." with `valid` 1 and 2 → "Rome. Paris [1][2]."

    Args:
        text: Prose with citation marks.
        valid: The numbers of the known sources.

    Returns:
        The text. No mark in it has a number outside `valid`.
    """
    known = frozenset(valid)
    return _rewritten(text, lambda n: n if n in known else None, known)


def renumber_marks(text: str, mapping: Mapping[int, int]) -> str:
    """Replace the source numbers of all citation marks, at once.

    "A [1]. B [2]." with `{1: 2, 2: 1}` → "A [2]. B [1]." A number that `mapping` lacks is removed.

    Returns:
        The text. No mark in it has a number outside the mapping's values.
    """
    return _rewritten(text, mapping.get, frozenset(mapping.values()))


def _rewritten(text: str, number: Callable[[int], int | None], known: frozenset[int]) -> str:
    text = _once(text, number)
    # What is taken out can bring together a new mark: "[[9]1]". A few rounds, then brackets go altogether.
    for _ in range(_PASSES):
        if all(n in known for mark in find_marks(text) for n in mark.numbers):
            return text
        text = _once(text, lambda n: n if n in known else None)
    return re.sub(r"[\[\]【】［］]", "", text)


def _once(text: str, number: Callable[[int], int | None]) -> str:
    marks = find_marks(text)
    kept = [dict.fromkeys(new for old in mark.numbers if (new := number(old)) is not None) for mark in marks]
    ends = [mark.end for mark in marks]  # end of the run of adjacent marks removed with a mark: "[8][9]" goes as a unit
    for n in range(len(marks) - 2, -1, -1):
        if marks[n + 1].start == marks[n].end and not kept[n + 1]:
            ends[n] = ends[n + 1]
    parts: list[str] = []
    position = 0
    for mark, numbers, end in zip(marks, kept, ends, strict=True):
        before = text[position : mark.start]
        # "Rome [9]." loses its blank too; at the start of a line it stays.
        if not numbers and text[end : end + 1] in {"", " ", ".", ",", ";", "。", "，", "\n"}:
            before = before.rstrip(" ")
        parts += [before, "".join(f"[{n}]" for n in numbers)]
        position = mark.end
    return "".join([*parts, text[position:]])


def blank_marks(text: str) -> tuple[str, list[CitationMark]]:
    """Return the text with every mark replaced by blanks, and the marks. Offsets stay the same."""
    marks = find_marks(text)
    return mask(text, 0, [(mark.start, mark.end, " ") for mark in marks]), marks
