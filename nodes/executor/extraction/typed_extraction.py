"""Typed extraction without a model: a value counts only if subject, relation and value stand in one clause or record.

`extract_value` reads passages for one parsed look-up. Out of prose it asserts dates and measures alone, where a clause
about the very subject gives them in one of a few tight patterns; out of a record of the subject's name any field that
the question asks for. Nothing else that the question says may be left over, and no other such clause of the same
document may differ. In every other case it is silent. Documents that differ from each other are told as rivals.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from weiwo.nodes.executor.extraction.asked_value import AskedValue, Kind, take_apart
from weiwo.nodes.executor.extraction.assertions import stated_values
from weiwo.nodes.executor.extraction.entity_matching import LONGEST_TEXT, Page, Subject, page_name, qualifier
from weiwo.nodes.executor.extraction.life_spans import SPANNED, bracketed_dates
from weiwo.nodes.executor.extraction.records import RecordedValue, recorded_values
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
"""Confidence in a value that rules show: the share of right assertions without which a mechanism is not kept."""

_MOST_PASSAGES: Final = 40
"""Passages that are read, best first."""


@dataclass(frozen=True)
class _Candidate:
    """A value with the passage and the line that give it."""

    passage: Evidence
    line: str
    found: StatedValue
    mechanism: str


def extract_value(frame: QueryFrame, ret: ValueType, passages: Sequence[Evidence]) -> Reading | None:
    """Read the value of one parsed look-up out of passages.

    CPU-bound, a few milliseconds; time grows linearly with the passages' length.

    Args:
        frame: The parsed look-up, its references filled; subject and relation must be known.
        ret: The type of the value.
        passages: The passages, best first.

    Returns:
        The value with the sentences that carry it, of rival ones that of the best passage; None where none is certain.
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
        (one, Page(subject, page_name(one.title, one.source), one.text[:LONGEST_TEXT]))
        for one in passages[:_MOST_PASSAGES]
    ]
    if _namesakes([pair for pair in seen if pair[1].about]):
        return None
    return _weighed([one for pair in seen for one in _candidates(asked, *pair)], kind, ret)


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
    """The value that records give; None where none does, or two of one document differ."""
    kind = "name" if frame.answer_type in _NAMED else _RECORD_KINDS.get(frame.answer_type, "")
    if not kind or frame.shape not in {"look_up", "open"} or ret not in _RETURNED.get(kind, {"text"}):
        return None
    found = recorded_values(frame, kind, passages)
    labels = {(one.passage.id, one.line): one.label for one in found}
    agreed = "name" if kind == "text" else kind
    reading = _weighed([_candidate(one, agreed) for one in found], agreed, ret)
    if reading is None:
        return None
    label = next((labels[quote.evidence_id, quote.text] for quote in reading.quotes), "")
    return replace(reading, detail=reading.detail.model_copy(update={"label": label}))


def _candidate(one: RecordedValue, kind: str) -> _Candidate:
    return _Candidate(one.passage, one.line, one.found, f"record:{kind}")


def _weighed(found: Sequence[_Candidate], kind: str, ret: ValueType) -> Reading | None:
    """The value that the documents give, what others of them give as rivals; None where one differs from itself.

    Of figures the undated count, or else those of the latest year.
    """
    if kind == "quantity":
        last = max((max(one.found.years, default=9999) for one in found), default=0)
        found = [one for one in found if max(one.found.years, default=9999) == last]
    sources = {
        one.passage.source: [other for other in found if other.passage.source == one.passage.source] for one in found
    }
    if not all(_agreed(group, kind) for group in sources.values()):
        return None
    groups: list[list[_Candidate]] = []
    for group in sources.values():
        same = next((other for other in groups if _agreed([*other, *group], kind)), None)
        if same is None:
            groups.append(list(group))
        else:
            same += group
    made = [_extracted(_agreed(group, kind), ret) for group in groups]
    rivals = (Rival(value=one.value, evidence_ids=one.evidence_ids, quotes=one.quotes) for one in made[1:])
    return replace(made[0], rivals=tuple(rivals)) if made else None


def _kind(frame: QueryFrame, ret: ValueType) -> Kind | None:
    """The kind of value to read out of prose; None where none can be."""
    relation = relations().get(frame.relation)
    if frame.shape not in {"look_up", "open", "chain"}:
        return None
    wanted = frame.answer_type if frame.answer_type != "text" or relation is None else relation.answer_type
    kind = _PROSE_KINDS.get(wanted)
    return kind if kind and ret in _RETURNED[kind] and (ret != "number" or wanted != "date") else None


def _candidates(asked: AskedValue, passage: Evidence, page: Page) -> Iterator[_Candidate]:
    """Every value that a page states of what is asked."""
    mechanism = f"look_up:{asked.kind}"
    if asked.kind == "date" and asked.relation and asked.relation.name in SPANNED and not (asked.words or asked.runs):
        for line, found in bracketed_dates(page, asked.relation.name):
            yield _Candidate(passage, line, found, mechanism)
    for line, found in stated_values(asked, page, passage.headings):
        yield _Candidate(passage, line, found, mechanism)


def _namesakes(seen: Sequence[tuple[Evidence, Page]]) -> bool:
    """Whether pages of the subject's name are about several things."""
    if len({qualifier(page.title) for _, page in seen if page.titled}) > 1:
        return True
    said: dict[str, set[str]] = {}
    for passage, page in seen:
        said.setdefault(passage.source, set()).update(terms(page.definition))
    defined = [words for words in said.values() if words]
    return any(not one & other for one in defined for other in defined)


def _agreed(found: Sequence[_Candidate], kind: str) -> list[_Candidate]:
    """The candidates of the one value that all give, the most precise first; none where two differ."""
    same = {"date": is_same_date, "quantity": is_same_figure, "any": _is_same}.get(kind, is_same_name)
    finest = sorted(
        found, key=lambda one: (-str(one.found.value).count("-", 1) if kind == "date" else 0, one.found.approximate)
    )
    return finest if all(same(finest[0].found, one.found) for one in finest) else []


def _is_same(one: StatedValue, other: StatedValue) -> bool:
    """Whether two values of a type that is not known beforehand are one."""
    figures = [isinstance(found.value, int | float) for found in (one, other)]
    return all(figures) and is_same_figure(one, other) if any(figures) else is_same_date(one, other)


def _extracted(chosen: Sequence[_Candidate], ret: ValueType) -> Reading:
    best = chosen[0].found
    value = best.shown if ret == "text" else best.value
    if ret == "number" and isinstance(value, str):
        value = PartialDate.from_iso(value).year
    quotes = tuple(dict.fromkeys((one.passage.id, one.line) for one in chosen))[:4]
    return Reading(
        value=value,
        evidence_ids=tuple(dict.fromkeys(one.passage.id for one in chosen))[:4],
        quotes=tuple(Quote(evidence_id=passage, text=text) for passage, text in quotes),
        confidence=_BY_RULE,
        detail=OutcomeDetail(
            mechanism=chosen[0].mechanism, unit=best.unit, approximate=best.approximate, shown=best.shown
        ),
    )
