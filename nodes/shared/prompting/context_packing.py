"""Selection of passages for a prompt, if not all fit: relevant, and from several sources.

All are shown unchanged if there is room. Otherwise required passages come first. The rest are ordered by relevance to
the task, with a page's second and third passage counting less than its first, and taken while there is room. A passage
too long for its share is shown in part: consecutive whole sentences, the most relevant.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from weiwo.nodes.shared.prompting.passage_prompt import format_passage
from weiwo.state import Evidence
from weiwo.text.analyzer import query_terms
from weiwo.text.language import HAN
from weiwo.text.markdown import FENCE, find_whole_sentences
from weiwo.text.patterns import lazy

Count = Callable[[str], int]

_LARGEST_SHARE: Final = 4
"""Part of the room that a passage may take if not all fit: a fourth. A longer passage is shown in part."""
_LEAST_TOKENS: Final = 80
"""Fewest tokens of a passage shown in part, and of room left for packing to go on."""
_SAME_SOURCE: Final = 0.8
"""Factor by which each further passage of a page counts less than the one before."""
_RANK: Final = 0.3
"""Score of the first rank in a result list. Having all terms of the task scores 1."""
_MISSES: Final = 20
"""Number of passages in a row that do not fit, after which packing stops."""
_GAP: Final = "…"

_SOUGHT: Final = 40
"""Most terms of a task used for relevance."""
_HAN_TERM: Final = lazy(f"[{HAN}]")
_LINE: Final = lazy(r"(?<=\n)")
_CLAUSE: Final = lazy(r"(?<=[;；，、\n])|(?<=,)(?=\s)")


@dataclass(frozen=True)
class PackedPassages:
    """Passages selected for a prompt.

    Attributes:
        shown: The passages in the given order. A passage shown in part keeps its id and has only that part as its text.
        left_out: Number of given passages not shown.
        cut: Number of passages shown in part.
    """

    shown: tuple[Evidence, ...]
    left_out: int = 0
    cut: int = 0


def pack_passages(
    passages: Sequence[Evidence],
    query: str,
    room: int,
    count: Count,
    *,
    held: Mapping[str, Sequence[str]] | None = None,
) -> PackedPassages:
    """Return the passages that fit into the room of a prompt: all unchanged if possible, else the most relevant.

    Args:
        passages: The passages, best first.
        query: The task, for relevance.
        room: Number of tokens available.
        count: Counts the tokens of a text.
        held: Passages that are packed before all others, by id, with the words that must stay if a passage is cut.
    """
    held = held or {}
    if _fits(passages, room, count):
        return PackedPassages(tuple(passages))
    first = [n for n, passage in enumerate(passages) if passage.id in held]
    shown, left = _pack_held(passages, first, held, query, room, count)
    rest = [n for n in range(len(passages)) if n not in set(first)]
    share = room // min(_LARGEST_SHARE, max(1, len(passages)))
    misses = 0
    for n in _order_by_worth(passages, rest, query):
        if left < _LEAST_TOKENS or misses >= _MISSES:
            break
        part = _shorten_passage(passages[n], query, min(left, share), count)
        if part is None:
            misses += 1
            continue
        misses = 0
        shown[n] = part
        left -= _size(part, count)
    return PackedPassages(
        tuple(shown[n] for n in sorted(shown)),
        left_out=len(passages) - len(shown),
        cut=sum(shown[n].text != passages[n].text for n in shown),
    )


def _size(passage: Evidence, count: Count) -> int:
    """Return the number of tokens that a passage takes in a prompt, with its delimiters."""
    return count(format_passage(99_999, passage)) + 1


def _fits(passages: Sequence[Evidence], room: int, count: Count) -> bool:
    left = room
    for passage in passages:
        if left < 0:
            break
        left -= _size(passage, count)
    return left >= 0


def _pack_held(
    passages: Sequence[Evidence],
    first: Sequence[int],
    held: Mapping[str, Sequence[str]],
    query: str,
    room: int,
    count: Count,
) -> tuple[dict[int, Evidence], int]:
    """Pack the passages that come before all others, whole or each cut to an equal share of the room.

    Room that a short passage leaves goes to the others.

    Returns:
        The packed passages by position, and the number of tokens left.
    """
    shown: dict[int, Evidence] = {}
    sizes = {n: _size(passages[n], count) for n in first}
    for done, n in enumerate(sorted(first, key=sizes.__getitem__)):
        share = room // (len(first) - done)
        whole = passages[n] if sizes[n] <= share else None
        part = whole or _shorten_passage(passages[n], query, share, count, held[passages[n].id])
        if part is not None:
            shown[n] = part
            room -= sizes[n] if whole else _size(part, count)
    return shown, room


def _order_by_worth(passages: Sequence[Evidence], among: Sequence[int], query: str) -> list[int]:
    """Return the positions of passages, the most relevant first. Further passages of a source count less."""
    worth = _worth(passages, among, query)
    by_source: dict[str, list[int]] = {}
    for n in sorted(among, key=lambda n: (-worth[n], n)):
        by_source.setdefault(passages[n].source, []).append(n)
    for ranked in by_source.values():
        for place, n in enumerate(ranked):
            worth[n] *= _SAME_SOURCE ** min(place, 20)
    return sorted(among, key=lambda n: (-worth[n], n))


def _worth(passages: Sequence[Evidence], among: Sequence[int], query: str) -> dict[int, float]:
    """Return the score of each passage, by position: the share of the task's terms that it has, and its search rank.

    Terms that few passages have weigh more.
    """
    terms = _sought_terms(query)
    texts = {n: f"{passages[n].title}\n{passages[n].text}".casefold() for n in among}
    having = {term: [n for n in among if term in texts[n]] for term in terms}
    weights = {term: math.log(1 + len(among) / (1 + len(found))) for term, found in having.items()}
    total = sum(weights.values()) or 1.0
    worth = {n: _RANK / passages[n].rank for n in among}
    for term, found in having.items():
        for n in found:
            worth[n] += weights[term] / total
    return worth


def _sought_terms(query: str) -> list[str]:
    return [term for term in query_terms(query) if len(term) > 1 or not _HAN_TERM.match(term)][:_SOUGHT]


def _shorten_passage(
    passage: Evidence, query: str, room: int, count: Count, words: Sequence[str] = ()
) -> Evidence | None:
    """Return a passage that fits into the room: whole, or a run of its sentences with "…". None if no sentence fits.

    Args:
        passage: The passage.
        query: The task. The most relevant run is chosen.
        room: Number of tokens available.
        count: Counts the tokens of a text.
        words: Texts that the run should contain before all.
    """
    if _size(passage, count) <= room:
        return passage
    frame = _size(passage.model_copy(update={"text": f"{_GAP}  {_GAP}"}), count)
    if room - frame < min(_LEAST_TOKENS, room // 2):
        return None
    pieces = _pieces(passage.text, room - frame, count)
    start, end = _best_run(passage.text, pieces, room - frame, query, words)
    if start == end:
        return None
    before, after = passage.text[:start].strip(), passage.text[end:].strip()
    part = passage.text[start:end].strip()
    part = f"{_GAP} {part}" if before else part
    return passage.model_copy(update={"text": f"{part} {_GAP}" if after else part})


def _pieces(text: str, room: int, count: Count) -> list[tuple[int, int, int]]:
    """Split a text into sentences with trailing blanks, each as start, end and number of tokens.

    A sentence longer than the room is split into clauses. A fenced block and a table row count as one sentence, and
    code longer than the room is split by lines.
    """
    starts = [start for start, _ in find_whole_sentences(text)]
    bounds = list(zip(starts, [*starts[1:], len(text)], strict=True))
    pieces = []
    for start, end in bounds:
        tokens = count(text[start:end])
        if tokens <= room:
            pieces.append((start, end, tokens))
            continue
        parts = _LINE if FENCE.match(text[start:end]) else _CLAUSE
        cuts = [start, *(start + found.start() for found in parts.finditer(text[start:end])), end]
        pieces += [(a, b, count(text[a:b])) for a, b in pairwise(cuts) if a < b]
    return pieces


def _best_run(
    text: str, pieces: Sequence[tuple[int, int, int]], room: int, query: str, words: Sequence[str]
) -> tuple[int, int]:
    """Return start and end of the run of pieces that fits into the room and has most of the given words.

    Ties are decided by the number of the query's terms, then by length, then by the earlier position. (0, 0) if no
    piece fits.
    """
    terms = _sought_terms(query)
    weight = len(terms) * len(pieces) + 1.0  # a given word outweighs all terms together
    low = text.casefold()
    said = [sum(term in low[start:end] for term in terms) for start, end, _ in pieces]
    must = [
        sum(start <= at < end for word in words if (at := text.find(word)) >= 0) * weight for start, end, _ in pieces
    ]
    best, chosen = 0.0, (0, 0)
    first, tokens, value = 0, 0, 0.0
    for last, (_, end, size) in enumerate(pieces):
        tokens += size
        value += must[last] + said[last] + 0.01
        while tokens > room:
            tokens -= pieces[first][2]
            value -= must[first] + said[first] + 0.01
            first += 1
        if first <= last and value > best + 1e-9:
            best, chosen = value, (pieces[first][0], end)
    return chosen
