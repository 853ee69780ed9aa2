"""Typed extraction without a model: a value counts only if subject, relation and value stand in one clause or record.

`extract_value` reads passages for one parsed look-up. Out of prose it asserts dates and measures alone, where a clause
about the very subject gives them in one of a few tight patterns; out of a record of the subject's name any field that
the question asks for. Nothing else that the question says may be left over, and no other such clause of the same
document may differ. In every other case it is silent. Documents that differ from each other are told as rivals.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from weiwo.nodes.executor.extraction.clauses import Sentence, find_cues, predicate_start, sentences_of
from weiwo.nodes.executor.extraction.date_patterns import SPANNED, date_after, dates_zh, span_in_brackets
from weiwo.nodes.executor.extraction.entity_matching import LONGEST_TEXT, Page, Subject, page_name, qualifier
from weiwo.nodes.executor.extraction.figure_patterns import stated_figures
from weiwo.nodes.executor.extraction.records import RecordedValue, recorded_values
from weiwo.nodes.executor.extraction.stated_value import (
    StatedValue,
    is_same_date,
    is_same_figure,
    is_same_name,
    vouched,
)
from weiwo.nodes.executor.reading.reading import Reading
from weiwo.state import Evidence, OutcomeDetail, Quote, Rival, ValueType
from weiwo.state.query import QueryFrame
from weiwo.text.dates import PartialDate
from weiwo.text.language import HAN
from weiwo.text.relations import Relation, relations
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
    if len(frame.subjects) != 1 or not kind:
        return None
    subject = Subject(frame.subject)
    seen = [
        (one, Page(subject, page_name(one.title, one.source), one.text[:LONGEST_TEXT]))
        for one in passages[:_MOST_PASSAGES]
    ]
    if not subject.key or _namesakes([pair for pair in seen if pair[1].about]):
        return None
    residue = _residue(frame, relations()[frame.relation])
    return _weighed([one for pair in seen for one in _candidates(frame, kind, residue, *pair)], kind, ret)


_RECORD_KINDS: Final = {"date": "date", "year": "date", "quantity": "quantity", "number": "quantity", "text": "text"}
_NAMED: Final = frozenset(["person", "place", "name"])
_RETURNED: Final = {"date": {"date", "number", "text"}, "quantity": {"number", "text"}}


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


def _kind(frame: QueryFrame, ret: ValueType) -> str:
    """The kind of value to read out of prose: `date` or `quantity`; empty where none can be."""
    relation = relations().get(frame.relation)
    if relation is None or frame.shape != "look_up":
        return ""
    wanted = frame.answer_type if frame.answer_type != "text" else relation.answer_type
    dated, counted = wanted in {"date", "year"}, wanted in {"quantity", "number"}
    kind = "date" if dated else "quantity" if counted else ""
    return kind if ret in _RETURNED.get(kind, ()) and (ret != "number" or wanted != "date") else ""


def _candidates(
    frame: QueryFrame, kind: str, residue: frozenset[str], passage: Evidence, page: Page
) -> Iterator[_Candidate]:
    """Every value that a page gives the subject, where page or clause say whatever else the question says."""
    relation = relations()[frame.relation]
    around = {*terms(page.title), *(terms(page.definition) if page.about else ())}
    for sentence in sentences_of(page):
        for found in _stated_values(sentence, relation, kind):
            clause = sentence.text if sentence.han else sentence.text[max(0, found.start - 120) : found.end + 40]
            if vouched(sentence.text, found) and residue <= around | set(terms(clause)):
                yield _Candidate(passage, sentence.text, found, f"look_up:{kind}")


def _stated_values(sentence: Sentence, relation: Relation, kind: str) -> Iterator[StatedValue]:
    """Every date or figure that a sentence gives the subject by a relation.

    Each pattern is tight: subject, relation and value stand in one clause, with nothing between them but prepositions,
    places and hedges.
    """
    if kind == "quantity":
        yield from stated_figures(sentence, relation)
    if kind != "date":
        return
    if relation.name in SPANNED:
        yield from span_in_brackets(sentence, relation.name)
    if sentence.han:
        yield from dates_zh(sentence, relation)
    for cue in find_cues(relation.says["en"]).finditer(sentence.folded):
        start = predicate_start(sentence, cue)
        found = date_after(sentence, cue.end(), relation) if start >= 0 else None
        if found is not None:
            yield replace(found, start=min(start, found.start))


_ASKING: Final = frozenset(
    terms(
        "year date day time month exact exactly full old person man woman many number figure amount total place meter "
        "what who when where how kilometer foot feet mile unit current currently high tall long"
    )
)
_IDLE_HAN: Final = frozenset("的是在了吗呢于由被何谁哪多少几什么时候年月日个位座条部本有请问一公里米")


def _residue(frame: QueryFrame, relation: Relation) -> frozenset[str]:
    """What the question says beyond subject, relation and question words."""
    known = {*terms(frame.subject), *_ASKING, *_asked_terms(relation.name)}
    spelled = "".join((*relation.asks["zh"], *relation.says["zh"], relation.noun["zh"], frame.subject, *_IDLE_HAN))
    return frozenset(
        one for one in frame.terms if one not in known and not (re.match(f"[{HAN}]", one) and set(one) <= set(spelled))
    )


@lru_cache(maxsize=256)
def _asked_terms(relation: str) -> frozenset[str]:
    row = relations()[relation]
    return frozenset(term for word in (*row.asks["en"], *row.says["en"], row.noun["en"]) for term in terms(word))


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
    same = {"date": is_same_date, "quantity": is_same_figure}.get(kind, is_same_name)
    finest = sorted(
        found, key=lambda one: (-str(one.found.value).count("-", 1) if kind == "date" else 0, one.found.approximate)
    )
    return finest if all(same(finest[0].found, one.found) for one in finest) else []


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
