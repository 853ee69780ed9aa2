"""Words and type of value that a look-up asks for, in the form that is matched with clauses."""

import re
from dataclasses import dataclass
from typing import Final, Literal

from weiwo.state.cached_property import cached_property
from weiwo.state.query import QueryFrame
from weiwo.text.data_files import data_pattern, data_words
from weiwo.text.dates import find_dates
from weiwo.text.language import HAN
from weiwo.text.numbers import NumberSpan, find_numbers
from weiwo.text.patterns import lazy
from weiwo.text.relations import LexiconEntry, relations
from weiwo.text.terms import terms
from weiwo.text.units import CURRENCIES, to_si, unit_after

Kind = Literal["date", "quantity", "name", "any"]
"""Type of the value asked for. `any` is a date or a figure with a unit."""

_HAN_RUN: Final = lazy(f"[{HAN}]+")
_ASKING: Final = frozenset(term for word in data_words("extraction", "assertions", "asking") for term in terms(word))
_ASKING_HAN: Final = data_pattern("extraction", "records", "idle_zh")


@dataclass(frozen=True)
class AskedValue:
    """A look-up in the form that is matched with clauses.

    "When was Acme Tower founded?" has the kind "date" and the relation "founding". A clause must have a word for it.

    Attributes:
        kind: Type of the value.
        relation: The relation asked for. None if not known.
        says: Whether a clause must have a word of the relation. Not for "how much is", which any sum answers.
        words: English stems that a clause must have, besides the subject and the relation.
        runs: Chinese stretches that a clause must have, besides the subject and the relation.
        subject: Stems of a subject that is not a name ("the old bridge"). They may stand apart. Empty for a name.
        unit: Unit in which a figure is wanted. Empty if the question does not say.
        own: Dates and figures in the question. These are never the answer.
        whole: Whether the question has no content word besides the subject, so that a clause must name the subject.
        alone: Whether the sentence itself must name the subject, because a title or pronoun is not enough. So it is for
            `whole`, and in a chain of look-ups.
    """

    kind: Kind
    relation: LexiconEntry | None
    says: bool
    words: frozenset[str]
    runs: tuple[str, ...]
    subject: frozenset[str]
    unit: str
    own: frozenset[object]
    whole: bool
    alone: bool

    @cached_property
    def phrases(self) -> re.Pattern[str]:
        """Pattern for the Chinese words of question and relation, and English phrases of several words ("set up")."""
        row = self.relation
        said = (*row.says["zh"], *row.asks["zh"], row.noun["zh"], *row.says["en"], row.noun["en"]) if row else ()
        han = (
            {word for word in said if _HAN_RUN.match(word) and (len(word) > 1 or word in row.says["zh"])}
            if row
            else set()
        )
        several = {rf"\b{re.escape(word)}\b" for word in said if " " in word}
        found = {*map(re.escape, {*han, *self.runs}), *several}
        return re.compile("|".join(sorted(found, key=lambda word: (-len(word), word))) or "(?!)")

    @cached_property
    def stems(self) -> frozenset[str]:
        """Stems of the single English words for the relation: "found", "establish" for "founding"."""
        row = self.relation
        said = (*row.says["en"], row.noun["en"], *row.asks["en"]) if row else ()
        return frozenset(term for word in said if " " not in word for term in terms(word))

    def states_relation(self, said: str) -> bool:
        """Report whether a word or phrase of a clause expresses the relation, as "founded" for "founding"."""
        phrase = self.phrases.fullmatch(said) is not None and said not in self.runs
        return phrase or not self.stems.isdisjoint(terms(said))

    def measures(self, number: NumberSpan) -> bool:
        """Report whether a number may be the figure asked for, by its unit: a length must have a unit of length.

        True for any number if the dimension of the answer is not known.
        """
        if self.kind == "any":
            return number.unit is not None or number.percent
        if self.unit and self.relation is None:
            return number.unit is not None and self.unit.startswith(number.unit)
        base = to_si(1, number.unit) if number.unit else None
        dimension = self.relation.dimension if self.relation else ""
        wanted = {"length": "m", "area": "m²", "mass": "kg"}.get(dimension)
        if wanted:
            return base is not None and base[1] == wanted
        if dimension == "money":
            return number.unit in {*CURRENCIES.values(), "JPY"}
        if dimension in {"people", "count"}:
            return number.unit in {None, "person"} and not number.percent and number.value >= 1
        return True


def take_apart(frame: QueryFrame, kind: Kind) -> AskedValue:
    """Return a parsed look-up in the form that is matched with clauses.

    Args:
        frame: The look-up, of one subject at most.
        kind: Type of the value.
    """
    relation = relations().get(frame.relation)
    asks = relation.asks if relation else {"en": (), "zh": ()}
    nouns = tuple(relation.noun.values()) if relation else ()
    subject = frozenset(terms(frame.subject))
    asking = {term for phrase in (*asks["en"], *nouns) for term in terms(phrase)}
    words = frozenset(
        term for term in frame.terms if not _HAN_RUN.match(term) and term not in {*subject, *asking, *_ASKING}
    )
    rest = frame.question.replace(frame.subject, " ") if frame.subject else frame.question
    asked_zh = [phrase for phrase in sorted((*asks["zh"], *nouns), key=len, reverse=True) if phrase in rest]
    for phrase in asked_zh:
        rest = rest.replace(phrase, " ")
    runs = tuple(
        run
        for run in dict.fromkeys(_HAN_RUN.findall(_ASKING_HAN.sub(" ", rest)))
        if not unit_after(f"1{run}", 1) and set(terms(run)) <= {*frame.terms, run}
    )
    asked_en = [phrase for phrase in asks["en"] if terms(phrase) and set(terms(phrase)) <= set(frame.terms) - subject]
    says = bool(asked_en) or any(not phrase.startswith("多少") for phrase in asked_zh)
    whole = not (says or words or runs)
    named = any(letter.isupper() or letter.isdigit() for letter in frame.subject) or _HAN_RUN.search(frame.subject)
    own: set[object] = {date.date for date in find_dates(frame.question)}
    own |= {number.value for number in find_numbers(frame.question)}
    return AskedValue(
        kind=kind,
        relation=relation,
        says=says,
        words=words,
        runs=runs,
        subject=frozenset() if named else subject,
        unit=frame.unit,
        own=frozenset(own),
        whole=whole,
        alone=whole or frame.shape == "chain",
    )
