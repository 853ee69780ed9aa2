"""Agreement of sources: how many independent sources give a value, and which give a different one.

A source supports a value if one of its sentences has it. It disagrees only if the reader says so, or if the only value
that extraction finds in it cannot be the same: a false disagreement would cost more trust than an unnoticed one.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from weiwo.nodes.executor.extraction.stated_value import StatedValue, is_same_figure, is_same_name
from weiwo.nodes.executor.extraction.typed_extraction import extract_value
from weiwo.nodes.executor.reading.quotes import carries, single_date
from weiwo.nodes.executor.reading.reading import Reading
from weiwo.nodes.shared.prompting.passage_prompt import without_orders
from weiwo.state import Evidence, Rival, ValueType
from weiwo.state.query import QueryFrame
from weiwo.text.language import HAN, sentences
from weiwo.text.near_duplicates import Known, Told, is_copy
from weiwo.text.numbers import find_numbers
from weiwo.text.relations import relations
from weiwo.text.terms import terms
from weiwo.tools.web.fetching.urls import site_of

_MOST_SOURCES: Final = 8
"""Most sources compared with the value, best first."""

_MOST_RIVALS: Final = 2

_DOUBT_LEFT: Final = 0.75
"""Share of the doubt in a value that each further independent source leaves."""

_MOST_CONFIDENT: Final = 0.99
LEAST_SHARE: Final = 0.5
_LONGEST_VALUE: Final = 120
_MOST_SENTENCES: Final = 200
_COUNTED: Final = frozenset({"text", "number", "date", "boolean"})


def weigh_sources(
    reading: Reading, frame: QueryFrame, ret: ValueType, passages: Sequence[Evidence], rivals: Sequence[Rival] = ()
) -> Reading:
    """Return a reading with the number of independent sources for its value, the rival values, and a new confidence.

    With `k` sources for the value and `r` for others, confidence `c` becomes `(1 - (1 - c) * DOUBT_LEFT ** (k - 1)) *
    max(LEAST_SHARE, k / (k + r))`, at most `_MOST_CONFIDENT`. A reading without a value is returned unchanged.

    CPU-bound. Call it through `offload_reading`.

    Args:
        reading: The reading by a model or the rules.
        frame: The task, with references filled.
        ret: The wanted type. No sources are counted for lists, passages and explanations. For explanations, rival
            figures reported by the reader are kept.
        passages: The passages that were read, best first.
        rivals: Values that the reader itself saw in other sources. Kept unless they are the value in other words.
    """
    countable = reading.value is not None and ret in _COUNTED and len(str(reading.value)) <= _LONGEST_VALUE
    if not countable:
        return reading
    if frame.shape == "open":
        figures = [rival for rival in rivals if find_numbers(str(rival.value)) and find_numbers(str(reading.value))]
        told = tuple(_group_rivals(_told_rivals(reading, ret, figures))[:_MOST_RIVALS])
        return replace(reading, rivals=told, confidence=reading.confidence * LEAST_SHARE) if told else reading
    sources = _group_independent_sources([*map(without_orders, passages)])[:_MOST_SOURCES]
    giving = [source for source in sources if reading.basis == "stated" and _gives(source, reading, frame, ret)]
    words = {quote.evidence_id: quote.text for quote in reading.quotes}
    said = [next((words[p.id] for p in source if p.id in words), source[0].text) for source in giving]
    support = max(1, _count_distinct(said))  # the quoted source counts even if it was not among those compared
    others = [source for source in sources if source not in giving and not any(p.id in words for p in source)]
    against = [*_told_rivals(reading, ret, (*reading.rivals, *rivals))]
    for source in others:  # each source separately
        found = extract_value(frame, ret, source)
        if found is not None and values_conflict(reading, found):
            against.append(Rival(value=found.value, evidence_ids=found.evidence_ids[:1], quotes=found.quotes[:1]))
    grouped = _group_rivals(against)
    share = max(
        LEAST_SHARE, support / (support + sum(_count_distinct(q.text for q in item.quotes) for item in grouped))
    )
    raised = 1 - (1 - reading.confidence) * _DOUBT_LEFT ** max(0, support - 1)
    confidence = round(min(max(_MOST_CONFIDENT, reading.confidence), raised) * (share if grouped else 1.0), 3)
    return replace(reading, support=support, rivals=tuple(grouped[:_MOST_RIVALS]), confidence=confidence)


def _group_independent_sources(passages: Sequence[Evidence]) -> list[tuple[Evidence, ...]]:
    """Return the passages grouped by source, best first: of one web site, of one file, or of nearly the same text."""
    groups: list[list[Evidence]] = []
    sites: dict[str, int] = {}
    texts, place_of_text = Known(), list[int]()
    for passage in passages:
        told = Told.of(passage.text)
        site, same_text = site_of(passage.source), texts.find(told)
        texts.add(told)
        place = sites.get(site, place_of_text[same_text] if same_text is not None else len(groups))
        if place == len(groups):
            groups.append([])
        groups[place].append(passage)
        sites.setdefault(site, place)
        place_of_text.append(place)
    return [tuple(group) for group in groups]


def _gives(source: Sequence[Evidence], reading: Reading, frame: QueryFrame, ret: ValueType) -> bool:
    """Report whether a source states the value of a reading in a sentence about the question.

    The passage must have the words of the subject, and the sentence another word of the question or quotes. An equal
    figure about something else does not count.
    """
    about = set(terms(frame.subject))
    own = [set(terms(quote.text)) for quote in reading.quotes]
    asked = {*frame.terms, *(word for words in own for word in words)} - set(terms(str(reading.value))) - about
    if row := relations().get(frame.relation):
        asked |= {term for name in (*row.says["en"], *row.says["zh"]) for term in terms(name)}
    for passage in source:
        if not about <= {*terms(passage.heading), *terms(passage.source), *terms(passage.text)}:
            continue
        for start, end in sentences(passage.text)[:_MOST_SENTENCES]:
            sentence = passage.text[start:end]
            if carries(sentence, reading.value, ret) and (not asked or not asked.isdisjoint(terms(sentence))):
                return True
    return False


def _told_rivals(reading: Reading, ret: ValueType, rivals: Iterable[Rival]) -> Iterable[Rival]:
    """Yield the rivals reported by a reader, without those that are the same value in different words."""
    for rival in rivals:
        other = replace(reading, value=rival.value)
        if rival.value != reading.value and (ret not in {"date", "number"} or values_conflict(reading, other)):
            yield rival


def _group_rivals(rivals: Iterable[Rival]) -> list[Rival]:
    """Return rivals with those of equal value merged, the one with most sources first."""
    groups: dict[str, Rival] = {}
    for rival in rivals:
        key = f"{rival.value:.12g}" if isinstance(rival.value, int | float) else str(rival.value)
        known = groups.get(key)
        groups[key] = (
            rival
            if known is None
            else Rival(
                value=known.value,
                evidence_ids=tuple(dict.fromkeys((*known.evidence_ids, *rival.evidence_ids))),
                quotes=tuple(dict.fromkeys((*known.quotes, *rival.quotes))),
            )
        )
    return sorted(groups.values(), key=lambda group: -len(group.evidence_ids))


def _count_distinct(sentences_said: Iterable[str]) -> int:
    """Return the number of sentences that were written independently. A copied sentence does not count again."""
    kept: list[str] = []
    for sentence in sentences_said:
        if not sentence or not any(is_copy(sentence, other) for other in kept):
            kept.append(sentence)
    return len(kept)


def values_conflict(reading: Reading, other: Reading) -> bool:
    """Report whether two values of a look-up cannot both be right: 1900 and 1910, "Ann Lee" and "Tom Roe".

    False for a year and a day in it, a figure and its rounding, a name and a longer form, texts in different scripts,
    and lists.
    """
    a, b = reading.value, other.value
    if isinstance(a, bool | list) or isinstance(b, bool | list):
        return isinstance(a, bool) and isinstance(b, bool) and a is not b
    if isinstance(a, int | float) and isinstance(b, int | float):
        return not is_same_figure(_build_stated_value(reading), _build_stated_value(other))
    first, second = single_date(str(a)), single_date(str(b))
    if first and second:
        return not (first.contains(second) or second.contains(first))
    one_script = bool(re.search(f"[{HAN}]", str(a))) == bool(re.search(f"[{HAN}]", str(b)))
    return one_script and not is_same_name(_build_stated_value(reading), _build_stated_value(other))


def _build_stated_value(reading: Reading) -> StatedValue:
    return StatedValue(reading.value, "", 0, 0, reading.detail.unit, reading.detail.approximate)
