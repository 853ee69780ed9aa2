"""What the values that a sentence holds are worth to a question: those of the type it asks for, and its relation."""

from typing import Final

from weiwo.nodes.writer.subject_match import matching_terms
from weiwo.state.query import QueryFrame
from weiwo.text.dates import find_dates
from weiwo.text.names import names
from weiwo.text.numbers import find_numbers
from weiwo.text.relations import relations

TYPED: Final = 0.4
"""Worth of a value of the type asked for."""
SAID: Final = 0.2
"""Worth of words that say the relation asked for, beside such a value."""


class ValueWorth:
    """Finds values of the type that a question asks for, other than those it holds itself."""

    def __init__(self, frame: QueryFrame) -> None:
        self._type = frame.answer_type
        own = frame.question if self._type in {"date", "year", "number", "quantity"} else ""
        self._dates = {span.date for span in find_dates(own)} if own else set()  # or their patterns are compiled
        self._numbers = {span.value for span in find_numbers(own)} if own else set()
        self._terms = set(matching_terms(frame.question))
        row = relations().get(frame.relation)
        self._says = row.says[frame.language] if row else ()

    def of(self, text: str) -> float:
        """What a value of the type asked for adds to a sentence, more where it says the relation asked for."""
        held = self._held(text)
        return held and TYPED * held + SAID * any(phrase in text.lower() for phrase in self._says)

    def _held(self, text: str) -> float:
        """Whether a sentence holds such a value, 0 to 1; 0 where any text would answer."""
        if self._type in {"date", "year"}:
            return float(any(span.date not in self._dates for span in find_dates(text)))
        if self._type in {"number", "quantity"}:
            dated = [(span.start, span.end) for span in find_dates(text)]
            found = [span for span in find_numbers(text) if span.value not in self._numbers]
            return float(any(not any(start <= span.start < end for start, end in dated) for span in found))
        if self._type in {"person", "place", "name", "list"}:
            new = sum(not self._terms.issuperset(matching_terms(name.text)) for name in names(text))
            return min(1.0, new / (2 if self._type == "list" else 1))
        return 0.0
