"""Checks of a model's reply against the passages that it was shown.

Numbers in a reply are those of the passages as shown. Quotes are searched in the whole passages behind them. A value is
rejected if none of its quotes is found, and so is the result of a comparison that contradicts the values found.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from weiwo.nodes.executor import prompt
from weiwo.nodes.executor.reading.entity_check import find_unmentioned_name
from weiwo.nodes.executor.reading.quotes import find_paraphrase, has_part, locate_quote
from weiwo.nodes.executor.replies import QuoteRef, ReadReply, ReadValue
from weiwo.nodes.shared.prompting.input_guard import find_rejection, normalize_line, safe_note
from weiwo.nodes.shared.prompting.passage_prompt import without_orders
from weiwo.state import Evidence, Hop, JsonValue, Quote, Rival, ValueType
from weiwo.state.kinds import item_type
from weiwo.state.query import QueryFrame, Shape
from weiwo.text.dates import find_dates
from weiwo.text.foreign_values import plain_values
from weiwo.text.language import HAN, fold, sentences
from weiwo.text.numbers import find_numbers, to_base
from weiwo.text.patterns import lazy
from weiwo.text.terms import terms
from weiwo.text.values import coerce

_MOST_HOPS: Final = 6
"""Most intermediate values kept for a task."""
_SHOWN: Final = 80
_HAN: Final = lazy(f"[{HAN}]")
_COMPARED: Final[frozenset[Shape]] = frozenset({"comparison", "same"})
"""Shapes of questions with look-ups that do not depend on each other."""


@dataclass(frozen=True)
class ShownPassages:
    """Question and passages that a model was shown, for checking its reply.

    Attributes:
        frame: The task, with references filled.
        ret: The wanted type.
        passages: The shown passages, whole, in the order of their numbers.
        known: All passages found by the task, including those shown in earlier turns.
        hops: For a task with several look-ups, the intermediate values of earlier turns.
    """

    frame: QueryFrame
    ret: ValueType
    passages: Sequence[Evidence]
    known: Sequence[Evidence] = ()
    hops: Sequence[Hop] = ()

    def read_value(self, reply: ReadReply) -> JsonValue:
        """Return the value of a reply in the wanted type, or as text if it corrects the question. None without a value.

        Raises:
            ValueError: The value cannot be read as that type.
        """
        if reply.value is None:
            return None
        return str(coerce(reply.value, "text")) if reply.next == "premise_wrong" else self._coerce_value(reply.value)

    def locate_quotes(self, reply: ReadReply) -> list[Quote]:
        """Return the quotes of a reply that are found in the passages, in their spelling. Empty if none is."""
        return self._locate_all(reply.quotes, self.read_value(reply), self.value_type(reply))

    def value_type(self, reply: ReadReply) -> ValueType:
        """Return the type of a reply's value: the wanted type, or "text" if the value corrects the question."""
        return "text" if reply.next == "premise_wrong" else self.ret

    def find_unmentioned_name(self, quotes: Iterable[Quote], value: object) -> str | None:
        """Return a name of the task or its intermediate values if no quoted passage mentions any of them, else None.

        In a comparison, the passages of the intermediate values count as quoted.
        """
        cited = {quote.evidence_id for quote in quotes}
        if self._side_by_side:
            cited.update(key for hop in self.hops for key in hop.evidence_ids)
        everything = (*self.passages, *self.known)
        asked = " ".join((self.frame.question, *(hop.value for hop in self.hops)))
        return find_unmentioned_name(asked, [p for p in everything if p.id in cited], everything, str(value))

    def after_hops(self, reply: ReadReply) -> "ShownPassages":
        """Return a copy with the intermediate values of a reply added, each once.

        Values without a located quote are left out.
        """
        known = {self._identity(hop) for hop in self.hops}
        hops = list(self.hops)
        for said in reply.found_on_the_way[:_MOST_HOPS]:
            value, question = normalize_line(str(said.value)), safe_note(said.question)
            quotes = self._locate_all(said.quotes, value, "text")
            if not quotes or not value or find_rejection(value, "text"):
                continue
            ids = tuple(dict.fromkeys(quote.evidence_id for quote in quotes))
            hop = Hop(question=question, value=value, evidence_ids=ids, quotes=tuple(quotes))
            if self._identity(hop) not in known:
                known.add(self._identity(hop))
                hops.append(hop)
        return replace(self, hops=tuple(hops[:_MOST_HOPS]))

    @property
    def _side_by_side(self) -> bool:
        """Report whether the task compares things, so that its look-ups do not depend on each other."""
        return self.frame.shape in _COMPARED

    def _identity(self, hop: Hop) -> tuple[object, ...]:
        """Return the key by which intermediate values are compared.

        In a comparison, two things may have equal values.
        """
        return (hop.value.casefold(), hop.evidence_ids if self._side_by_side else ())

    def list_rivals(self, reply: ReadReply) -> list[Rival]:
        """Return the different values in a reply that have the wanted type and a located quote."""
        found = []
        for other in reply.others:
            try:
                value = self._coerce_value(other.value)
            except ValueError:
                continue
            quotes = self._locate_all(other.quotes, value, self.ret)
            ids = tuple(dict.fromkeys(quote.evidence_id for quote in quotes))
            if quotes and value != self.read_value(reply) and find_rejection(value, self.ret) is None:
                found.append(Rival(value=value, evidence_ids=ids, quotes=tuple(quotes)))
        return found

    def opened_passage(self, reply: ReadReply) -> Evidence | None:
        """Return the passage that a reply wants to open, or None if it names no shown passage."""
        return self.passages[reply.passage - 1] if 0 < reply.passage <= len(self.passages) else None

    def kept_passages(self, reply: ReadReply) -> tuple[str, ...]:
        """Return the ids of the passages that a reply asks to keep."""
        return tuple(self.passages[n - 1].id for n in dict.fromkeys(reply.keep) if 0 < n <= len(self.passages))

    def find_objection(self, reply: ReadReply, *, strangers: bool) -> str | None:
        """Return what is wrong with a reply, in words for the model, or None if nothing is.

        Args:
            reply: The reply.
            strangers: Whether to object to quotes from passages that do not name the subject of the task.

        Raises:
            ValueError: The value is not of the wanted type.
        """
        if reply.next == "open" and self.opened_passage(reply) is None:
            return prompt.NO_SUCH_PASSAGE.format(reply.passage, len(self.passages))
        if reply.next not in {"answer", "premise_wrong"}:
            return None
        if reply.value is None:
            return prompt.NO_VALUE.format(reply.next)
        if (why := find_rejection(self.read_value(reply), self.value_type(reply))) is not None:
            return why
        return self._find_conclusion_fault(reply) or self._find_quote_fault(reply, strangers=strangers)

    def _find_conclusion_fault(self, reply: ReadReply) -> str | None:
        """Return what is wrong with the result of a comparison, or None if code finds no other winner."""
        other = _find_other_winner(self.frame, self.hops, reply.value) if self._side_by_side else None
        return prompt.OTHER_WINNER.format(other) if other else None

    def _find_quote_fault(self, reply: ReadReply, *, strangers: bool) -> str | None:
        """Return what is wrong with an answer's quotes, or None.

        A comparison may rest on those of its intermediate values.
        """
        quotes = self.locate_quotes(reply)
        if not quotes and not (self._side_by_side and self.hops):
            return prompt.NO_QUOTE
        if strangers and (stranger := self.find_unmentioned_name(quotes, reply.value)):
            return prompt.STRANGER.format(stranger)
        if quotes and not self._bears_on(quotes, reply):
            return prompt.NO_SUPPORT.format(str(self.read_value(reply))[:_SHOWN])
        return None

    def _bears_on(self, quotes: Sequence[Quote], reply: ReadReply) -> bool:
        """Report whether quotes, with the sentences around them and headings, have a word of value or question.

        True if they are in another script than the question, because only a model can judge then.
        """
        cited = {passage.id: passage for passage in (*self.passages, *self.known)}
        whole = [_sentence_around(quote.text, cited[quote.evidence_id].text) for quote in quotes]
        told = "\n".join([*whole, *(cited[quote.evidence_id].heading for quote in quotes)])
        value = self.read_value(reply)
        words = [] if isinstance(value, bool) else terms(str(value))
        shown = any(word in fold(told) for word in words) or (
            not isinstance(value, bool | str) and has_part(told, value, "")
        )
        asked = set(terms(self.frame.question)) | {word for hop in self.hops for word in terms(hop.value)}
        other_script = bool(_HAN.search(told)) != bool(_HAN.search(self.frame.question))
        return shown or other_script or not asked or not asked.isdisjoint(terms(told))

    def _coerce_value(self, value: ReadValue) -> JsonValue:
        if self.ret == "passages":
            return [str(value)]
        if self.ret == "text" and isinstance(value, list) and len(value) > 1:  # the question asked for several
            return ("、" if self.frame.language == "zh" else ", ").join(str(item) for item in value)
        return coerce(self._plain(value) if item_type(self.ret) != "text" else value, self.ret)

    def _plain(self, value: Any) -> Any:
        """Return a value with figures and dates in a form that rules can read. Other parts stay."""
        if isinstance(value, list):
            return [self._plain(item) for item in value]
        return plain_values(value, self.frame.language) if isinstance(value, str) else value

    def _locate_all(self, quotes: Iterable[QuoteRef], value: JsonValue, type_: ValueType) -> list[Quote]:
        """Return the quotes that are found in the passages, in the spelling of the passages.

        A quote is searched in the passage it names, then in the others. For one that occurs nowhere, the sentence that
        it paraphrases is taken, if that has the value.
        """
        found = []
        for ref in quotes:
            named = self.passages[ref.passage - 1 : ref.passage] if ref.passage > 0 else []
            places = [without_orders(passage) for passage in (*named, *self.passages, *self.known)]
            spans = ((passage, locate_quote(ref.text, passage.text)) for passage in places)
            near = places[: len(named) or len(self.passages)]
            told = ((passage, find_paraphrase(ref.text, passage.text, value, type_)) for passage in near)
            for passage, span in (*spans, *told):
                if span:
                    found.append(Quote(evidence_id=passage.id, text=passage.text[span[0] : span[1]]))
                    break
        return found


def _sentence_around(quote: str, text: str) -> str:
    """Return a quote, followed by the whole sentences that it touches in a text."""
    start = text.find(quote)
    touched = [text[a:b] for a, b in sentences(text) if a < start + len(quote) and start < b]
    return " ".join([quote, *touched])


def find_winner(frame: QueryFrame, hops: Sequence[Hop]) -> str:
    """Return the subject that wins a comparison by the values found, or "" if code cannot tell.

    It cannot if a value is missing or not comparable, or if the best two are equal.

    Args:
        frame: The comparison.
        hops: The values found, each with its question.
    """
    subjects = {fold(subject): subject for subject in frame.subjects}
    if not frame.direction or len(subjects) < 2:
        return ""
    found = {
        key: [m for hop in hops if _is_about(hop, key, subjects) for m in _measures(hop, frame)] for key in subjects
    }
    kinds = {kind for measures in found.values() for kind, _ in measures}
    if len(kinds) != 1 or any(len(measures) != 1 for measures in found.values()):
        return ""
    values = {key: measures[0][1] for key, measures in found.items()}
    best = (min if frame.direction == "least" else max)(values.values())
    winners = [key for key, measure in values.items() if measure == best]
    return subjects[winners[0]] if len(winners) == 1 else ""


def _find_other_winner(frame: QueryFrame, hops: Sequence[Hop], value: object) -> str | None:
    """Return the winner of a comparison by the values found if a model names another one, else None."""
    named = [subject for subject in frame.subjects if fold(subject) in fold(str(value))]
    winner = find_winner(frame, hops) if len(named) == 1 else ""
    return winner if winner and winner != named[0] else None


def _is_about(hop: Hop, key: str, subjects: dict[str, str]) -> bool:
    """Report whether the question of a value names one subject only, the one with the given key."""
    asked = fold(hop.question)
    return [other for other in subjects if other in asked] == [key]


def _measures(hop: Hop, frame: QueryFrame) -> list[tuple[str, float]]:
    """Return the years or quantities in a value, each with its kind: ("m", 828.0) for "828 m".

    Empty if the question asks for neither.
    """
    if frame.answer_type in {"date", "year"}:
        return [("date", float(span.date.year)) for span in find_dates(hop.value) if span.until is None]
    if frame.answer_type not in {"number", "quantity"}:
        return []
    spans = find_numbers(hop.value)
    return [(base[1], base[0]) if (base := to_base(span)) else ("", float(span.value)) for span in spans]
