"""Document tree of an answer for exporters: the parsed Markdown with claims and citation marks.

No exporter reads Markdown. Only links to cited sources stay links, all others become plain text.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import Any, Final

from weiwo.text.citation_marks import split_sealed
from weiwo.text.markdown import Node, Run, normalize_link, parse_markdown, parse_runs
from weiwo.text.printable import printable

_AHEAD: Final = 12
"""Number of following claims that are tried if the next claim is not found in the text."""
_SHORTEST_AHEAD: Final = 8
"""Least number of letters of a claim that is tried before its turn, since shorter text may occur anywhere."""


def parse_document(answer: str, claims: Sequence[Mapping[str, Any]], links: Mapping[int, str]) -> tuple[Node, ...]:
    """Parse an answer into blocks.

    Args:
        answer: The Markdown of the answer, with sealed citation marks.
        claims: The claims of the answer, as in the result.
        links: URLs of the cited sources by number. Empty for a source without a link that may be followed.

    Returns:
        The blocks. The highest heading is of level 1.
    """
    nodes = _Annotator(claims, links).annotate(parse_markdown(printable(answer)))
    top = min((node.level for node in nodes if node.kind == "heading"), default=1)
    return tuple(replace(node, level=max(node.level - top + 1, 0)) for node in nodes)


def plain(runs: Sequence[Run]) -> str:
    """Return the text of runs, without citation marks and surrounding blanks."""
    return "".join(run.text for run in runs if not run.cites).strip()


def find_letters(text: str, words: str) -> tuple[int, int] | None:
    """Find words in a text, comparing letters and digits alone.

    Returns the start and end offset, or None if the words do not occur. "big city" is found in "a Big-City" as `(2,
    10)`.
    """
    wanted = _letters(words)
    at = [position for position, sign in enumerate(text) if sign.isalnum()]
    found = "".join(text[position].lower()[0] for position in at).find(wanted) if wanted else -1
    return (at[found], at[found + len(wanted) - 1] + 1) if found >= 0 else None


def _letters(text: str) -> str:
    return "".join(sign.lower()[0] for sign in text if sign.isalnum())


class _Annotator:
    """Annotator for the claims and citation marks of an answer.

    Claims are expected in the order in which they stand in the answer.
    """

    def __init__(self, claims: Sequence[Mapping[str, Any]], links: Mapping[int, str]) -> None:
        self._links = links
        self._addresses = {normalize_link(address): address for address in links.values() if address}
        self._claims = [_letters(plain(parse_runs(str(claim.get("text", ""))))) for claim in claims]
        self._next = 0

    def annotate(self, nodes: Sequence[Node]) -> tuple[Node, ...]:
        """Annotate the nodes and all nested nodes."""
        annotated: list[Node] = []
        for node in nodes:
            marked = self._mark(node.runs)
            runs = marked if node.kind == "heading" else self._claim(marked)
            rows = [tuple(map(self._mark, row)) for row in node.rows]
            rows[1:] = [tuple(map(self._claim, row)) for row in rows[1:]]
            children = self.annotate(node.children)
            annotated.append(replace(node, runs=runs, rows=tuple(rows), children=children, text=printable(node.text)))
        return tuple(annotated)

    def _mark(self, runs: Sequence[Run]) -> tuple[Run, ...]:
        """Split runs at citation marks, and keep only links to cited sources."""
        return tuple(part for run in runs for part in self._split_run(run))

    def _split_run(self, run: Run) -> Iterator[Run]:
        """Split a run at the citation marks. A mark without a source stays text."""
        text = printable(run.text)  # what an entity stood for, too
        style = replace(run, text=text, link=self._addresses.get(run.link, ""))
        parts = list(split_sealed(text))
        for position, (part, number) in enumerate(parts):
            if number in self._links:
                yield replace(style, text=part, cites=number)
            else:
                cited = any(following in self._links for _, following in parts[position + 1 : position + 2])
                yield replace(style, text=part.rstrip(" ") if cited else part)

    def _claim(self, runs: tuple[Run, ...]) -> tuple[Run, ...]:
        """Return the runs split at the claims, each run with the position of its claim in `claim`.

        Each claim is searched for after the previous claim. Text outside of claims gets -1.
        """
        text = "".join("" if run.cites else run.text for run in runs)
        ends = accumulate(0 if run.cites else len(run.text) for run in runs)
        marks = {end for run, end in zip(runs, ends, strict=True) if run.cites}
        at = [position for position, sign in enumerate(text) if sign.isalnum()]
        letters, position = "".join(text[place].lower()[0] for place in at), 0
        spans: list[tuple[int, int, int]] = []
        while position < len(letters):
            for number in range(self._next, min(self._next + _AHEAD, len(self._claims))):
                claim = self._claims[number]
                found = _find_whole(letters, claim, position, text, at)
                if found >= 0 and (number == self._next or len(claim) >= _SHORTEST_AHEAD):
                    position, self._next = found + len(claim), number + 1
                    spans.append((at[found], _sentence_end(text, at[position - 1] + 1, marks), number))
                    break
            else:
                break
        cuts = [edge for first, last, _ in spans for edge in (first, last)]
        claimed = {last: -1 for _, last, _ in spans} | {first: claim for first, _, claim in spans}
        parts, current = list[Run](), -1
        for start, run in cut_runs(runs, cuts):
            current = claimed.get(start, current)
            parts.append(run if run.cites else replace(run, claim=current))
        return tuple(parts)


def _find_whole(letters: str, claim: str, position: int, text: str, at: Sequence[int]) -> int:
    """Return the position of a claim in the letters of a text, from a start position, or -1.

    A place where the claim would begin or end within a number does not count.

    Args:
        letters: The letters and digits of the text.
        claim: The letters and digits of the claim.
        position: First position in `letters` to try.
        text: The text.
        at: Offset in the text for each position in `letters`.
    """
    found = letters.find(claim, position) if claim else -1
    while found >= 0:
        edges = at[found], at[found + len(claim) - 1] + 1
        if not any(0 < edge < len(text) and text[edge - 1 : edge + 1].isdigit() for edge in edges):
            return found
        found = letters.find(claim, found + 1)
    return -1


def _sentence_end(text: str, end: int, marks: Collection[int]) -> int:
    """Return the end of a sentence, given the end of the last letter.

    Punctuation that follows belongs to the sentence, up to a citation mark.
    """
    while end < len(text) and end not in marks and not text[end].isalnum() and not text[end].isspace():
        end += 1
    return end


def cut_runs(runs: Sequence[Run], cuts: Sequence[int]) -> Iterator[tuple[int, Run]]:
    """Cut runs at offsets, and yield each piece after its start offset. Offsets do not count citation marks.

    The runs "Rome is old." and "[1]", cut at 5, give `(0, "Rome ")`, `(5, "is old.")` and `(12, "[1]")`.

    Args:
        runs: The runs.
        cuts: The offsets, in order.
    """
    position = 0
    for run in runs:
        end = position + (0 if run.cites else len(run.text))
        if position == end:
            yield position, run
            continue
        inside = cuts[bisect_right(cuts, position) : bisect_left(cuts, end)]
        for left, right in pairwise([position, *dict.fromkeys(inside), end]):
            yield left, replace(run, text=run.text[left - position : right - position])
        position = end
