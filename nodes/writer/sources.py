"""Numbered sources of an answer: passages first, then calculations."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from weiwo.nodes.memory.thread_memory import CONVERSATION
from weiwo.nodes.writer.claims import ClaimSources
from weiwo.state import Citation, Evidence, Language, Outcome, Plan
from weiwo.text.near_duplicates import Known, Told
from weiwo.text.units import name_unit
from weiwo.text.values import render


def outcome_unit(outcome: Outcome) -> str:
    """Return the canonical unit of an outcome, or an empty string if the outcome has no unit."""
    unit = (outcome.detail.computation or {}).get("unit", outcome.detail.unit)
    return unit if isinstance(unit, str) else ""


def append_unit(written: str, amount: object, unit: str, language: Language) -> str:
    """Return a written number with its unit: "828 metres", 828米, "15%". Unchanged if `unit` is empty."""
    if not unit:
        return written
    name = name_unit(unit, amount, language)
    return f"{written}{name}" if language == "zh" or name in {"%", "‰"} else f"{written} {name}"


def render_value(outcome: Outcome, language: Language) -> str:
    """Return the value of an outcome as prose, a number with its unit: "828 metres".

    Empty if the value cannot be rendered.
    """
    try:
        text = render(outcome.value, outcome.type, language)
    except ValueError:
        return ""
    return append_unit(text, outcome.value, outcome_unit(outcome), language) if outcome.type == "number" else text


PASSAGE_HEAD = 300
"""Characters of a passage shown by a citation, if no quotation was read from the passage."""
_BETWEEN_QUOTES = " … "
_MAX_SOURCES = 14
"""Most sources offered to the writer, unless outcomes rest on more."""


@dataclass(frozen=True)
class CitableSource:
    """A passage or a calculation that an answer may cite.

    Attributes:
        n: Its number while drafting.
        evidence: The passage, or None for a calculation.
        outcome: The calculation, or None for a passage.
        quote: For a passage, the words from which values were read, or "". For a calculation, its description: "2 + 2 =
            4".
        relied_on: Whether the outcome of a task rests on this passage.
    """

    n: int
    evidence: Evidence | None = None
    outcome: Outcome | None = None
    quote: str = ""
    relied_on: bool = False

    def to_citation(self, n: int, language: Language) -> Citation:
        """Return the citation shown to the reader, under the final number `n`."""
        if self.evidence is not None:
            return Citation(
                n=n,
                source=self.evidence.source,
                title=self.evidence.title or self.evidence.source,
                quote=self.quote or self.evidence.text[:PASSAGE_HEAD],
                evidence_id=self.evidence.id,
                locator=self.evidence.locator,
                also=self.evidence.also,
            )
        task_id = self.outcome.task_id if self.outcome else ""
        title = "计算" if language == "zh" else "Calculation"
        return Citation(n=n, source=f"task:{task_id}", title=title, quote=self.quote, evidence_id=task_id)


@dataclass(frozen=True)
class CitableSources:
    """All citable sources of an answer.

    Attributes:
        items: The sources, each under its number while drafting.
        language: The language of the answer.
        assumed: Values that a person set, rendered, by the ids of the passages and calculations that depend on them.
    """

    items: tuple[CitableSource, ...]
    language: Language
    assumed: Mapping[str, str] = field(default_factory=dict)

    @property
    def evidence(self) -> list[Evidence]:
        """The passages, in order."""
        return [source.evidence for source in self.items if source.evidence is not None]

    @property
    def passages(self) -> dict[int, tuple[Evidence, ...]]:
        """Passages by draft number."""
        return {source.n: (source.evidence,) for source in self.items if source.evidence is not None}

    @property
    def calculations_by_number(self) -> dict[int, Outcome]:
        """Calculations by draft number."""
        return {source.n: source.outcome for source in self.items if source.outcome is not None}

    def numbers_of(self, evidence_ids: Sequence[str], task_ids: Sequence[str]) -> tuple[int, ...]:
        """Return the draft numbers of the passages and calculations with the given ids."""
        wanted = {*evidence_ids}
        found = [s.n for s in self.items if s.evidence is not None and s.evidence.id in wanted]
        found += [s.n for s in self.items if s.outcome is not None and s.outcome.task_id in task_ids]
        return tuple(found)

    def list_assumed(self, numbers: Sequence[int]) -> tuple[str, ...]:
        """Return the values set by a person on which the sources with the given numbers depend, each once.

        Empty if none.
        """
        cited = {source.n: source for source in self.items if source.n in numbers}
        keys = (
            source.evidence.id if source.evidence is not None else source.outcome.task_id if source.outcome else ""
            for source in cited.values()
        )
        return tuple(dict.fromkeys(self.assumed[key] for key in keys if key in self.assumed))

    def for_claims(self, question: str) -> ClaimSources:
        """Return the sources for checking claims."""
        return ClaimSources(self.passages, self.calculations_by_number, self.language, question)

    def list_citations(self, final: Mapping[int, int]) -> tuple[Citation, ...]:
        """Return the cited sources as the reader sees them, in the order of their final numbers.

        Args:
            final: The final numbers by the draft numbers.
        """
        by_draft = {source.n: source for source in self.items}
        ordered = sorted(final.items(), key=lambda pair: pair[1])
        return tuple(by_draft[draft].to_citation(n, self.language) for draft, n in ordered)


def gather_sources(
    plan: Plan | None,
    outcomes: Mapping[str, Outcome],
    evidence: Mapping[str, Evidence],
    language: Language,
    most: int = _MAX_SOURCES,
) -> CitableSources:
    """Return the sources of an answer, numbered from 1: relied-on passages, further passages, calculations.

    Passages on which outcomes rest come first and are always included. Further passages follow, first those that the
    conversation cited, until there are `most` passages in all. Near-duplicates among the further passages are left out.
    """
    quotes: dict[str, list[str]] = {}
    ids: list[str] = []
    ordered = [outcomes[task_id] for task_id in (plan.ids if plan else ()) if task_id in outcomes]
    for outcome in ordered:
        ids.extend(list_relied_on(outcome))
        for quote in (*outcome.quotes, *(quote for rival in outcome.rivals for quote in rival.quotes)):
            known = quotes.setdefault(quote.evidence_id, [])
            if not any(quote.text in other for other in known):
                known[:] = [*(other for other in known if other not in quote.text), quote.text]
    cited = set(ids)
    others = (p for p in evidence.values() if p.id not in cited)
    rest = sorted(others, key=lambda p: (p.tool != CONVERSATION, p.rank, -p.score))
    chosen: list[Evidence] = []
    texts = Known()
    for key in dict.fromkeys((*ids, *(passage.id for passage in rest))):
        passage = evidence.get(key)
        if passage is None or (key not in cited and len(chosen) >= most):
            continue
        told = Told.of(passage.text)
        if key in cited or texts.find(told, equal="://" not in passage.source) is None:
            chosen.append(passage)
            texts.add(told)
    items = [
        CitableSource(
            n, evidence=passage, quote=_BETWEEN_QUOTES.join(quotes.get(passage.id, ())), relied_on=passage.id in cited
        )
        for n, passage in enumerate(chosen, 1)
    ]
    calculations = [outcome for outcome in ordered if outcome.usable and outcome.is_computed]
    items += [
        CitableSource(n, outcome=outcome, quote=_describe_calculation(outcome, language))
        for n, outcome in enumerate(calculations, len(items) + 1)
    ]
    return CitableSources(tuple(items), language, assumed=find_assumed(plan, outcomes, language))


def find_assumed(plan: Plan | None, outcomes: Mapping[str, Outcome], language: Language) -> dict[str, str]:
    """Return the values that a person set, rendered, by the ids of the passages and calculations that depend on each.

    Empty if no person set a value. Passages on which other tasks rest as well are left out.
    """
    found: dict[str, str] = {}
    given = {key: item for key, item in outcomes.items() if item.detail.set_by_person}
    dependent = {key: plan.descendants([key]) if plan is not None else frozenset[str]() for key in given}
    own = {*given, *(name for names in dependent.values() for name in names)}
    firm = {key for name, item in outcomes.items() if name not in own for key in item.evidence_ids}
    for key, outcome in given.items():
        shown = render_value(outcome, language)
        found |= dict.fromkeys(outcome.evidence_ids, shown)
        for name in dependent[key]:
            if name in outcomes:
                found |= dict.fromkeys(
                    (name, *(item for item in outcomes[name].evidence_ids if item not in firm)), shown
                )
    return found


def list_relied_on(outcome: Outcome) -> tuple[str, ...]:
    """Return the ids of the passages behind an outcome, each once.

    Passages that give its value come first, then passages that give a different value.
    """
    against = (key for rival in outcome.rivals for key in rival.evidence_ids)
    return tuple(dict.fromkeys((*outcome.evidence_ids, *against)))


def collect_quotes(outcomes: Iterable[Outcome]) -> dict[str, list[str]]:
    """Return the quotations behind outcomes and their rivals, by the id of the passage.

    Empty lists for passages without.
    """
    carrying: dict[str, list[str]] = {}
    for outcome in outcomes:
        for key in list_relied_on(outcome):
            carrying.setdefault(key, [])
        for quote in (*outcome.quotes, *(quote for rival in outcome.rivals for quote in rival.quotes)):
            carrying.setdefault(quote.evidence_id, []).append(quote.text)
    return carrying


def _describe_calculation(outcome: Outcome, language: Language) -> str:
    """Return a calculation as a line, like "2 + 2 = 4" or "date_difference(3 May 1900, 3 May 1901) = 365".

    Without expression and dates, this is the tool and the result.
    """
    value = render_value(outcome, language)
    detail = outcome.detail.computation or {}
    if "expression" in detail:
        return f"{detail['expression']} = {value}"
    if "start" in detail and "end" in detail:
        start = render(detail["start"], "date", language)
        end = render(detail["end"], "date", language)
        return f"{outcome.tool}({start}, {end}) = {value}"
    return f"{outcome.tool} = {value}"
