"""Agreement of independent sources: how many give a value, and which give another.

A source supports a value if one of its sentences carries it. It is a rival only where the reader says so, or where the
value that extraction can show in it alone cannot be the same. A disagreement that is none would cost a reader more
trust than one not noticed.
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
from weiwo.text.near_duplicates import Known, Told, copied
from weiwo.text.numbers import find_numbers
from weiwo.text.relations import relations
from weiwo.text.terms import terms
from weiwo.tools.web.fetching.urls import site_of

_MOST_SOURCES: Final = 8
"""Sources that are read by themselves, best first."""

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
    """A reading with the independent sources that give its value counted, and those that give another named.

    With `k` sources for the value and `r` for others, confidence `c` becomes
    `(1 - (1 - c) * DOUBT_LEFT ** (k - 1)) * max(LEAST_SHARE, k / (k + r))`, at most `_MOST_CONFIDENT`.

    CPU-bound; call it through `asyncio.to_thread`.

    Args:
        reading: What a model or the rules read.
        frame: The task, its references filled.
        ret: The wanted type. Of lists and passages nothing is counted, nor of explanations; what the reader itself saw
            of other figures is kept there, too.
        passages: What was read, best first.
        rivals: What the reader itself saw others give; kept unless it is the value in other words.

    Returns:
        The reading with `support`, `rivals` and `confidence` set.
    """
    countable = reading.value is not None and ret in _COUNTED and len(str(reading.value)) <= _LONGEST_VALUE
    if not countable:
        return reading
    if frame.shape == "open":
        figures = [one for one in rivals if find_numbers(str(one.value)) and find_numbers(str(reading.value))]
        told = tuple(_group_rivals(_told_rivals(reading, ret, figures))[:_MOST_RIVALS])
        return replace(reading, rivals=told, confidence=reading.confidence * LEAST_SHARE) if told else reading
    sources = _group_independent_sources([*map(without_orders, passages)])[:_MOST_SOURCES]
    giving = [source for source in sources if reading.basis == "stated" and _gives(source, reading, frame, ret)]
    words = {quote.evidence_id: quote.text for quote in reading.quotes}
    said = [next((words[p.id] for p in source if p.id in words), source[0].text) for source in giving]
    support = max(1, _count_distinct(said))  # the source itself, where it is too far down to be read apart
    others = [source for source in sources if source not in giving and not any(p.id in words for p in source)]
    against = [*_told_rivals(reading, ret, (*reading.rivals, *rivals)), *_found_rivals(reading, frame, ret, others)]
    grouped = _group_rivals(against)
    share = max(LEAST_SHARE, support / (support + sum(_count_distinct(q.text for q in one.quotes) for one in grouped)))
    raised = 1 - (1 - reading.confidence) * _DOUBT_LEFT ** max(0, support - 1)
    confidence = round(min(max(_MOST_CONFIDENT, reading.confidence), raised) * (share if grouped else 1.0), 3)
    return replace(reading, support=support, rivals=tuple(grouped[:_MOST_RIVALS]), confidence=confidence)


def _group_independent_sources(passages: Sequence[Evidence]) -> list[tuple[Evidence, ...]]:
    """Passages by source, best first: those of one site, or of one text, are one source; a file is its own."""
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
    """Whether a source states the value: in a sentence on what is asked, of a passage that names the subject.

    A figure of something else that happens to be equal is no second voice.
    """
    about = set(terms(frame.subject))
    own = [set(terms(quote.text)) for quote in reading.quotes]
    asked = {*frame.terms, *(word for words in own for word in words)} - set(terms(str(reading.value))) - about
    asked |= {one for name in _says(frame) for one in terms(name)}
    for passage in source:
        if not about <= {*terms(passage.heading), *terms(passage.source), *terms(passage.text)}:
            continue
        for start, end in sentences(passage.text)[:_MOST_SENTENCES]:
            sentence = passage.text[start:end]
            if carries(sentence, reading.value, ret) and (not asked or not asked.isdisjoint(terms(sentence))):
                return True
    return False


def _says(frame: QueryFrame) -> tuple[str, ...]:
    """The words by which a clause says the relation that is asked for, in both languages."""
    row = relations().get(frame.relation)
    return (*row.says["en"], *row.says["zh"]) if row else ()


def _told_rivals(reading: Reading, ret: ValueType, rivals: Iterable[Rival]) -> Iterable[Rival]:
    """The rivals a reader told of, without those that are the value in other words."""
    for rival in rivals:
        other = replace(reading, value=rival.value)
        if rival.value != reading.value and (ret not in {"date", "number"} or values_conflict(reading, other)):
            yield rival


def _found_rivals(
    reading: Reading, frame: QueryFrame, ret: ValueType, others: Iterable[Sequence[Evidence]]
) -> Iterable[Rival]:
    """The values that extraction can show in other sources, each by itself, and that cannot be the same."""
    for source in others:
        found = extract_value(frame, ret, source)
        if found is not None and values_conflict(reading, found):
            yield Rival(value=found.value, evidence_ids=found.evidence_ids[:1], quotes=found.quotes[:1])


def _group_rivals(rivals: Iterable[Rival]) -> list[Rival]:
    """Rivals that give one value as one, those of most sources first."""
    groups: dict[str, Rival] = {}
    for rival in rivals:
        key = f"{rival.value:.12g}" if isinstance(rival.value, int | float) else str(rival.value)
        one = groups.get(key)
        groups[key] = (
            rival
            if one is None
            else Rival(
                value=one.value,
                evidence_ids=tuple(dict.fromkeys((*one.evidence_ids, *rival.evidence_ids))),
                quotes=tuple(dict.fromkeys((*one.quotes, *rival.quotes))),
            )
        )
    return sorted(groups.values(), key=lambda one: -len(one.evidence_ids))


def _count_distinct(sentences_said: Iterable[str]) -> int:
    """How many of these were written independently of the others; a sentence copied is no second voice."""
    kept: list[str] = []
    for sentence in sentences_said:
        if not sentence or not any(copied(sentence, other) for other in kept):
            kept.append(sentence)
    return len(kept)


def values_conflict(one: Reading, other: Reading) -> bool:
    """Whether two values of one look-up cannot both be right.

    A year and a day in it, a figure and its rounding, a name and its longer form do not conflict; nor do lists.
    """
    a, b = one.value, other.value
    if isinstance(a, bool | list) or isinstance(b, bool | list):
        return isinstance(a, bool) and isinstance(b, bool) and a is not b
    if isinstance(a, int | float) and isinstance(b, int | float):
        return not is_same_figure(_stated(one), _stated(other))
    first, second = single_date(str(a)), single_date(str(b))
    if first and second:
        return not (first.contains(second) or second.contains(first))
    one_script = bool(re.search(f"[{HAN}]", str(a))) == bool(re.search(f"[{HAN}]", str(b)))
    return one_script and not is_same_name(_stated(one), _stated(other))


def _stated(reading: Reading) -> StatedValue:
    return StatedValue(reading.value, "", 0, 0, reading.detail.unit, reading.detail.approximate)
