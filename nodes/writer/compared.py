"""Comparisons decided by code: sentences that only tell the winner and the dates need no judgement."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from weiwo.nodes.shared.strategy import COMPARED
from weiwo.nodes.writer.claims import CheckedClaim
from weiwo.nodes.writer.verification.clauses import content_words, match_keys
from weiwo.nodes.writer.verification.restatement import is_answered
from weiwo.state import DOUBTFUL, Evidence, Hop, Outcome
from weiwo.state.query import QueryFrame
from weiwo.text.data_files import data_words
from weiwo.text.dates import PartialDate, find_dates
from weiwo.text.language import fold
from weiwo.text.numbers import find_numbers
from weiwo.text.patterns import lazy

_DENIES: Final = lazy(r"\b(?:no|not|never|neither|nor|cannot)\b|n['’]t\b|[不没未非无]")


@dataclass(frozen=True)
class Comparison:
    """A comparison question with a winner that code knows.

    Attributes:
        frame: The question.
        winner: Folded name of the winning subject.
        dates: Date of each subject, if the winner follows from proven dates. Empty if a rule compared the values.
    """

    frame: QueryFrame
    winner: str
    dates: Mapping[str, PartialDate]

    def settle(self, checked: CheckedClaim) -> CheckedClaim:
        """Return a claim as `computed` if it only states the winner and known dates, else unchanged.

        The claim must name the winner first, have no denial and no word beyond those of the question.
        """
        text = fold(checked.claim.text)
        at = {found: subject for subject in self.frame.subjects if (found := text.find(fold(subject))) >= 0}
        first = fold(at[min(at)]) if at else ""
        figures = [(date.start, date.end) for date in find_dates(text)]
        figures += [(number.start, number.end) for number in find_numbers(text)]
        bare = "".join(" " if any(a <= n < b for a, b in figures) else sign for n, sign in enumerate(text))
        asked = frozenset(key for word in content_words(self.frame.question) for key in match_keys(word))
        known = asked | (data_words("comparison", "in_time") if self.dates else frozenset())
        own = all(match_keys(word) & known for word in content_words(bare))
        wins = bool(first) and first in self.winner and own and not _DENIES.search(text)
        if not wins or checked.claim.verdict in DOUBTFUL or not self._dates_agree(text, at):
            return checked
        return replace(checked, claim=checked.claim.model_copy(update={"verdict": "computed"}))

    def _dates_agree(self, text: str, subjects: Mapping[int, str]) -> bool:
        """Report whether each date of a text fits the known date of the subject last named before it.

        A date fits if it equals or lies within the known date. Returns False if a date has no subject before it, and
        True if no dates are known.

        Args:
            text: The text of a claim.
            subjects: Subjects by their position in the text.
        """
        given = [(span, [at for at in subjects if at < span.start]) for span in find_dates(text)] if self.dates else []
        return all(before and self.dates[subjects[max(before)]].contains(span.date) for span, before in given)


def find_comparison(outcome: Outcome, frame: QueryFrame, evidence: Sequence[Evidence]) -> Comparison | None:
    """Return the comparison behind an outcome, or None if code does not know the winner.

    The winner is known if a rule compared the values. For a question about the earliest it is also known if a sentence
    of a passage proves the date of each subject, and the dates are in different years.
    """
    if outcome.detail.mechanism == COMPARED:
        return Comparison(frame, fold(str(outcome.value)), {})
    dates = _prove_dates(outcome.detail.hops, frame, evidence)
    years = sorted((date.year, fold(subject)) for subject, date in dates.items())
    if frame.direction != "least" or len({year for year, _ in years}) < max(2, len(years)):
        return None
    return Comparison(frame, years[0][1], dates)


def _prove_dates(hops: Sequence[Hop], frame: QueryFrame, evidence: Sequence[Evidence]) -> Mapping[str, PartialDate]:
    """Return the date of each compared subject, or an empty mapping if any of them is not proven.

    A date is proven by a sentence of a cited passage that answers the question for which the date was read.
    """
    passages, known = {passage.id: passage for passage in evidence}, dict[str, PartialDate]()
    for subject in frame.subjects:
        for hop in hops:
            spans, cited = find_dates(hop.value), [passages[key] for key in hop.evidence_ids if key in passages]
            if fold(subject) in fold(hop.question) and len(spans) == 1 and is_answered(hop.question, hop.value, cited):
                known[subject] = spans[0].date
    return known if len(known) == len(frame.subjects) else {}
