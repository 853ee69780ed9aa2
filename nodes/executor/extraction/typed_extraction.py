"""Extraction of a typed value by rules, without a model.

`extract_value` reads passages for one parsed look-up. A value counts only if subject, relation and value stand in one
clause or record. From prose, only dates, figures and names are read, by a few tight patterns. From a record of the
subject, any field is read that the question asks for. The question must not say anything else, and no other matching
clause of the same document may differ. In every other case nothing is returned. Documents that disagree are reported as
rivals.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from weiwo.nodes.executor.extraction.asked_value import AskedValue, Kind, take_apart
from weiwo.nodes.executor.extraction.assertions import stated_values
from weiwo.nodes.executor.extraction.entity_matching import LONGEST_TEXT, Page, Subject, page_name, qualifier
from weiwo.nodes.executor.extraction.life_spans import SPANNED, bracketed_dates
from weiwo.nodes.executor.extraction.records import recorded_values
from weiwo.nodes.executor.extraction.stated_value import (
    StatedValue,
    is_same_date,
    is_same_figure,
    is_same_name,
)
from weiwo.nodes.executor.reading.reading import Reading
from weiwo.state import Evidence, OutcomeDetail, Quote, Rival, ValueType
from weiwo.state.query import QueryFrame
from weiwo.text.dates import PartialDate
from weiwo.text.relations import relations
from weiwo.text.terms import terms

_BY_RULE: Final = 0.95
"""Confidence of a value found by rules. A rule is kept in the code only if this share of its values is right."""

_MOST_PASSAGES: Final = 40
"""Most passages that are read, best first."""


@dataclass(frozen=True)
class _Candidate:
    """Candidate value with passage and line."""

    passage: Evidence
    line: str
    found: StatedValue
    mechanism: str


def extract_value(frame: QueryFrame, ret: ValueType, passages: Sequence[Evidence]) -> Reading | None:
    """Return the value of a parsed look-up as stated by passages, or None if no value is certain.

    CPU-bound, a few milliseconds. Time grows linearly with the passages' length.

    Args:
        frame: The parsed look-up, with references filled.
        ret: The type of the value.
        passages: The passages, best first. Only the first 40 are read.

    Returns:
        The value with the sentences that state it. If documents disagree, the value of the best passage, with the other
            values as rivals.
    """
    if recorded := _read_records(frame, ret, passages[:_MOST_PASSAGES]):
        return recorded
    kind = _kind(frame, ret)
    if len(frame.subjects) > 1 or not kind:
        return None
    asked, subject = take_apart(frame, kind), Subject(frame.subject)
    if not (subject.key or asked.runs):
        return None
    seen = [
        (passage, Page(subject, page_name(passage.title, passage.source), passage.text[:LONGEST_TEXT]))
        for passage in passages[:_MOST_PASSAGES]
    ]
    if _namesakes([pair for pair in seen if pair[1].about]):
        return None
    return _weigh_candidates([candidate for pair in seen for candidate in _candidates(asked, *pair)], kind, ret)


_RECORD_KINDS: Final = {"date": "date", "year": "date", "quantity": "quantity", "number": "quantity", "text": "text"}
_NAMED: Final = frozenset(["person", "place", "name"])
_RETURNED: Final = {
    "date": {"date", "number", "text"},
    "quantity": {"number", "text"},
    "name": {"text"},
    "any": {"text"},
}
_PROSE_KINDS: Final[dict[str, Kind]] = {
    **dict.fromkeys(("date", "year"), "date"),
    **dict.fromkeys(("quantity", "number"), "quantity"),
    **dict.fromkeys(("person", "place", "name"), "name"),
    "text": "any",
}


def _read_records(frame: QueryFrame, ret: ValueType, passages: Sequence[Evidence]) -> Reading | None:
    """Return the value given by records. None if there is none, or if records of one document differ."""
    kind = "name" if frame.answer_type in _NAMED else _RECORD_KINDS.get(frame.answer_type, "")
    if not kind or frame.shape not in {"look_up", "open"} or ret not in _RETURNED.get(kind, {"text"}):
        return None
    found = recorded_values(frame, kind, passages)
    labels = {(item.passage.id, item.line): item.label for item in found}
    agreed = "name" if kind == "text" else kind
    candidates = [_Candidate(item.passage, item.line, item.found, f"record:{agreed}") for item in found]
    reading = _weigh_candidates(candidates, agreed, ret)
    if reading is None:
        return None
    label = next((labels[quote.evidence_id, quote.text] for quote in reading.quotes), "")
    return replace(reading, detail=reading.detail.model_copy(update={"label": label}))


def _weigh_candidates(found: Sequence[_Candidate], kind: str, ret: ValueType) -> Reading | None:
    """Return the value on which the documents agree, or that of the best one with the others as rivals.

    None without candidates, or if a document contradicts itself. Of figures for different years, only those of the
    latest year count, and if any figure has no year, only those without.
    """
    if kind == "quantity":
        last = max((max(candidate.found.years, default=9999) for candidate in found), default=0)
        found = [candidate for candidate in found if max(candidate.found.years, default=9999) == last]
    sources = {
        candidate.passage.source: [other for other in found if other.passage.source == candidate.passage.source]
        for candidate in found
    }
    if not all(_order_agreeing(group, kind) for group in sources.values()):
        return None
    groups: list[list[_Candidate]] = []
    for group in sources.values():
        same = next((other for other in groups if _order_agreeing([*other, *group], kind)), None)
        if same is None:
            groups.append(list(group))
        else:
            same += group
    made = [_build_reading(_order_agreeing(group, kind), ret) for group in groups]
    rivals = (Rival(value=item.value, evidence_ids=item.evidence_ids, quotes=item.quotes) for item in made[1:])
    return replace(made[0], rivals=tuple(rivals)) if made else None


def _kind(frame: QueryFrame, ret: ValueType) -> Kind | None:
    """Return the kind of value to read from prose, or None if the question or the wanted type fits none."""
    relation = relations().get(frame.relation)
    if frame.shape not in {"look_up", "open", "chain"}:
        return None
    wanted = frame.answer_type if frame.answer_type != "text" or relation is None else relation.answer_type
    kind = _PROSE_KINDS.get(wanted)
    return kind if kind and ret in _RETURNED[kind] and (ret != "number" or wanted != "date") else None


def _candidates(asked: AskedValue, passage: Evidence, page: Page) -> Iterator[_Candidate]:
    """Yield every value stated by a page for the question."""
    mechanism = f"look_up:{asked.kind}"
    if asked.kind == "date" and asked.relation and asked.relation.name in SPANNED and not (asked.words or asked.runs):
        for line, found in bracketed_dates(page, asked.relation.name):
            yield _Candidate(passage, line, found, mechanism)
    for line, found in stated_values(asked, page, passage.headings):
        yield _Candidate(passage, line, found, mechanism)


def _namesakes(seen: Sequence[tuple[Evidence, Page]]) -> bool:
    """Report whether pages about the subject's name are about different things.

    They are if their titles have different text in brackets, or if two definitions have no word in common.
    """
    if len({qualifier(page.title) for _, page in seen if page.has_matching_title}) > 1:
        return True
    said: dict[str, set[str]] = {}
    for passage, page in seen:
        said.setdefault(passage.source, set()).update(terms(page.definition))
    defined = [words for words in said.values() if words]
    return any(not item & other for item in defined for other in defined)


def _order_agreeing(found: Sequence[_Candidate], kind: str) -> list[_Candidate]:
    """Return the candidates, most precise first, if all agree with the first, else an empty list."""
    same = {"date": is_same_date, "quantity": is_same_figure, "any": _is_same}.get(kind, is_same_name)
    finest = sorted(
        found,
        key=lambda candidate: (
            -str(candidate.found.value).count("-", 1) if kind == "date" else 0,
            candidate.found.approximate,
        ),
    )
    return finest if all(same(finest[0].found, item.found) for item in finest) else []


def _is_same(value: StatedValue, other: StatedValue) -> bool:
    """Report whether two values of unknown type, each a date or a figure, agree."""
    figures = [isinstance(found.value, int | float) for found in (value, other)]
    return all(figures) and is_same_figure(value, other) if any(figures) else is_same_date(value, other)


def _build_reading(chosen: Sequence[_Candidate], ret: ValueType) -> Reading:
    best = chosen[0].found
    value = best.shown if ret == "text" else best.value
    if ret == "number" and isinstance(value, str):
        value = PartialDate.from_iso(value).year
    quotes = tuple(dict.fromkeys((candidate.passage.id, candidate.line) for candidate in chosen))[:4]
    return Reading(
        value=value,
        evidence_ids=tuple(dict.fromkeys(candidate.passage.id for candidate in chosen))[:4],
        quotes=tuple(Quote(evidence_id=passage, text=text) for passage, text in quotes),
        confidence=_BY_RULE,
        detail=OutcomeDetail(
            mechanism=chosen[0].mechanism, unit=best.unit, approximate=best.approximate, shown=best.shown
        ),
    )
