"""Choice of passages to show as they are, and of the sentences to highlight in them.

They are shown if nothing can be asserted. For a single look-up, a passage is chosen by its search rank and its best
sentence. The parts of a compound question may be answered in different passages: there a passage is chosen for words of
the question that the passages already chosen lack, and for being named by one of them or by the question. A sentence is
chosen for the rare words it shares with the question (words of the title count less), for standing early, and for a
value of the requested type.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from weiwo.nodes.writer.document_heads import read_heads
from weiwo.nodes.writer.excerpt import QUOTED, build_extract
from weiwo.nodes.writer.extract_confidence import estimate_confidence, extract_features
from weiwo.nodes.writer.parsed_passage import ParsedPassage, PassageSentence, parse_passage
from weiwo.nodes.writer.subject_match import (
    ValueWorth,
    correct_spelling,
    find_absent_names,
    find_missing_subjects,
    inverse_document_frequency,
    is_about_subject,
    matching_terms,
    measures_asked,
    question_terms,
)
from weiwo.state import Evidence, Language, Quote
from weiwo.state.answer import Extract
from weiwo.state.query import QueryFrame
from weiwo.text.dates import find_dates
from weiwo.text.mentions import mentions, title_key
from weiwo.text.near_duplicates import Told
from weiwo.text.patterns import lazy

_CONSIDERED: Final = 8
"""Number of best passages considered for showing. The rarity of words is counted over all passages."""


# A sentence's share of the question's rare words is 1 at most; its values' worth and these are added or taken off:
_TITLE: Final = 0.6  # of the weight of a word that stands in the title alone
_KNOWN: Final = 0.3  # of the weight of a word that is covered already
_MEASURE: Final = 0.3  # of the weight of "long" in "how long"
_LATE: Final = 0.3  # off the seventh sentence and those after it, in proportion off those before
_ASKING: Final = 0.2  # off a sentence that itself asks
_HEADING: Final = 2.0  # off a heading and the header row of a table, which answer nothing

_BRIDGE: Final = 0.2
"""Added for a passage if its title is mentioned by a compound question or a shown passage. The search's score is at
most 1."""

_RANKED: Final = 2.0
_RANKS: Final = 10
"""Added to a look-up's passages by search rank: `_RANKED` for the first, half of it for the one `_RANKS` places below.
"""

_SPEAKS: Final = 0.5
"""Added if a passage of a look-up has a word of the question in its text or headings, not only in its title."""

_MOST: Final = 0.5
_NEARLY_ALL: Final = 0.9
"""Share of the question, weighted by rarity, from which a sentence answers it without a value of the requested type.

With such a value, the share `_MOST` is enough.
"""

_REASON: Final = lazy(r"(?i)\bwhy\b|\bhow come\b|为什么|为何|为啥|原因")
"""Questions for a reason. A sentence with all their words may still leave the reason open."""

_COMPOUND: Final = frozenset({"comparison", "difference", "same", "chain", "several"})
"""Shapes of questions whose parts may be answered in different passages."""

_SAME_WORDS: Final = 0.75
_RECENT: Final = frozenset(matching_terms("latest newest most recent recently current currently today now nowadays"))
_ARTICLE: Final = lazy(r"(?i)^(?:the|an?) ")


@dataclass(frozen=True, slots=True)
class Extracts:
    """Passages shown for a question, with highlighted sentences.

    Attributes:
        items: The shown passages, best first, numbered from 1.
        about_subject: Whether any of the searched passages is about the question's subject.
        absent: The proper names of the question that no passage has.
        features: Features for the chance that they hold the answer (`extract_confidence.FEATURES`). Empty for quotes.
        periods: The dates of the best passage and of passages that say the same of other dates, newest first. Empty if
            there are no such passages.
        answers: Whether the first sentence has most words of the question and a value of the requested type.
    """

    items: tuple[Extract, ...] = ()
    about_subject: bool = False
    absent: tuple[str, ...] = ()
    features: Mapping[str, float] = field(default_factory=dict)
    periods: tuple[str, ...] = ()
    answers: bool = False

    @property
    def confidence(self) -> float | None:
        """Probability, 0 to 1, that the passages have the answer. None for quotes, and if no passage is shown."""
        return estimate_confidence(self.features) if self.items and self.features else None


_MOST_PARTS: Final = 4
"""Largest number of parts of a question for which each part gets a passage of its own."""


def choose_extracts(
    frame: QueryFrame, passages: Sequence[Evidence], *, passages_shown: int = 3, sentences_shown: int = 4
) -> Extracts:
    """Return the passages to show for a question and the sentences to highlight in them.

    If the question consists of several, the best passage for each comes first.

    Args:
        frame: The parsed question.
        passages: The passages of one search or of several, by rank, then in the given order.
        passages_shown: Maximum number of passages. Near-duplicates of a shown passage are skipped.
        sentences_shown: Maximum number of highlighted sentences, over all shown passages.
    """
    whole = _choose_for(frame, passages, passages_shown, sentences_shown)
    if frame.shape != "several" or not 1 < len(frame.parts) <= min(_MOST_PARTS, passages_shown + 1):
        return whole
    best = [item for part in frame.parts for item in _choose_for(part, passages, 1, 2).items]
    found: dict[str, Extract] = {}
    for entry in (*best, *whole.items):
        known = found.setdefault(entry.evidence_id, entry)
        if known is not entry and known.text == entry.text:
            apart = [
                span for span in entry.highlights if not any(a < span[1] and span[0] < b for a, b in known.highlights)
            ]
            spans = tuple(sorted((*known.highlights, *apart)))
            found[entry.evidence_id] = known.model_copy(update={"highlights": spans})
    most = max(len(whole.items), len(best))
    return replace(
        whole, items=tuple(value.model_copy(update={"n": n}) for n, value in enumerate(list(found.values())[:most], 1))
    )


def _choose_for(frame: QueryFrame, passages: Sequence[Evidence], passages_shown: int, sentences_shown: int) -> Extracts:
    """Choose the passages and sentences for a single question.

    Args:
        frame: The parsed question.
        passages: The passages of one search or of several, by rank, then in the given order.
        passages_shown: Maximum number of passages. Near-duplicates of a shown passage are skipped.
        sentences_shown: Maximum number of highlighted sentences, over all shown passages.

    Returns:
        The passages in the order of choice. Empty if there are none. Superseded passages come after current passages,
        and their titles say so. Linear in the length of the passages.
    """
    ranked = sorted(passages, key=lambda passage: (passage.is_outdated, passage.rank))
    best: dict[str, float] = {}  # scores are comparable within one tool
    for item in ranked:
        best[item.tool] = max(item.score, best.get(item.tool, 0.0))
    heads = read_heads(ranked)
    read = [
        parse_passage(
            item, item.score / best[item.tool] if best[item.tool] > 0 else 1 / item.rank, heads.get(item.source, "")
        )
        for item in ranked
    ]
    everywhere = [passage.terms for passage in read]
    found = frozenset().union(*everywhere)
    stated = [term for term in frame.terms if _RECENT.isdisjoint(matching_terms(term)) or term in found]
    frame = frame.model_copy(update={"terms": tuple(stated)})
    spelling = correct_spelling(frame, found)
    asked = question_terms(frame)
    weights = inverse_document_frequency((spelling[term] for term in asked), everywhere)
    for term in measures_asked(frame.question) & weights.keys():
        weights[term] *= _MEASURE
    considered = [passage for passage in read if passage.sentences]
    considered.sort(key=lambda entry: _precedence(entry, weights))
    periods = _order_by_date(frame, weights, considered)
    considered = considered[:_CONSIDERED]
    if frame.shape not in _COMPOUND:
        _weigh_ranks(considered, weights)
    introduces = frame.shape == "open" and set(asked) <= set(matching_terms(frame.subject))
    if introduces:
        considered.sort(key=lambda passage: not _introduces(passage.evidence, frame.subject))
    choice = _Choice(frame, weights, considered)
    superseded = any(passage.evidence.superseded_by for passage in considered)
    choice.choose(passages_shown, sentences_shown, ordered=introduces or superseded or bool(periods))
    items = tuple(choice.extracts())
    statements = [terms for entry in read for terms in (entry.title, *(sentence.terms for sentence in entry.sentences))]
    missing = find_missing_subjects(frame, everywhere, statements, spelling)
    return Extracts(
        items,
        bool(items) and is_about_subject(frame, missing, everywhere, spelling),
        tuple(find_absent_names(frame, everywhere, spelling)),
        extract_features(frame, items[0].score if items else 0.0, len(asked), linked=choice.linked),
        periods,
        choice.answers and frame.shape not in _COMPOUND and not _REASON.search(frame.question),
    )


def build_quote_extracts(quotes: Sequence[Quote], passages: Sequence[Evidence], language: Language) -> Extracts:
    """Return the passages that have a quote, with the sentences around the quotes highlighted.

    Empty if no quote is found in a passage.

    Args:
        quotes: The quotes that support the assertions.
        passages: The passages they may be from.
        language: The language of the answer.
    """
    items: list[Extract] = []
    for evidence in passages:
        words = [quote.text for quote in quotes if quote.evidence_id == evidence.id]
        places = [(at, at + len(text)) for text in words if (at := evidence.text.find(text)) >= 0]
        passage = parse_passage(evidence, 1.0)
        chosen = [s for s in passage.sentences if any(s.start < end and start < s.end for start, end in places)]
        if chosen:
            items.append(build_extract(passage, chosen, len(items) + 1, 1.0, language, QUOTED))
    return Extracts(tuple(items), bool(items))


def _precedence(passage: ParsedPassage, weights: Mapping[str, float]) -> tuple[bool, int, float]:
    """Return the sort key of a passage.

    Outdated passages come last. Others are ordered by rank, and equal ranks by the rare words shared with the question.
    """
    shared = sum(weight for term, weight in weights.items() if term in passage.terms)
    return passage.evidence.is_outdated, passage.evidence.rank, -shared


def _weigh_ranks(passages: Sequence[ParsedPassage], weights: Mapping[str, float]) -> None:
    """Set the relevance of each passage of a look-up: a bonus for its position, and one for a word of the question.

    Words of the title do not count, because every passage of a document has them.
    """
    for at, passage in enumerate(passages):
        own = frozenset(matching_terms(" ".join(passage.evidence.headings)))
        speaks = not weights.keys().isdisjoint(own.union(*(sentence.terms for sentence in passage.sentences)))
        passage.relevance = _RANKED / (1 + at / _RANKS) + _SPEAKS * speaks


def _order_by_date(frame: QueryFrame, weights: Mapping[str, float], passages: list[ParsedPassage]) -> tuple[str, ...]:
    """Sort the passages that say the same as the first passage of other dates, newest first, in place.

    Two passages say the same if their best sentences have most words in common, numbers and dates aside: "Rent in 2020:
    5" and "Rent in 2021: 6". Returns the dates in this order. Empty if nothing was sorted, as for a question that names
    a date.
    """
    if not passages or frame.shape in _COMPOUND or find_dates(frame.question):
        return ()
    said = [max(item.sentences, key=lambda sentence: _sum_shared_weights(sentence, weights)) for item in passages]
    words = [_undated_words(item, sentence) for item, sentence in zip(passages, said, strict=True)]
    dates = [_date_of(item, sentence) for item, sentence in zip(passages, said, strict=True)]
    alike = [
        at
        for at, mine in enumerate(words)
        if dates[at]
        and not passages[at].evidence.is_outdated
        and len(mine & words[0]) >= _SAME_WORDS * max(1, len(mine | words[0]))
        and _sum_shared_weights(said[at], weights)
    ]
    if len(alike) < 2 or alike[0] != 0:
        return ()
    newest = sorted(alike, key=lambda at: dates[at], reverse=True)
    moved = [passages[at] for at in newest]
    for place, passage in zip(alike, moved, strict=True):
        passages[place] = passage
    return tuple(dict.fromkeys(dates[at] for at in newest))


def _sum_shared_weights(sentence: PassageSentence, weights: Mapping[str, float]) -> float:
    return sum(weight for term, weight in weights.items() if term in sentence.terms) - _rate_handicap(sentence)


def _rate_handicap(sentence: PassageSentence) -> float:
    """Return the deduction from a sentence's score: 2.0 for a heading, 0.2 for a question, else 0."""
    return _HEADING if sentence.is_heading else _ASKING * sentence.asks


def _undated_words(passage: ParsedPassage, sentence: PassageSentence) -> frozenset[str]:
    """Return the words of a sentence without dates and numbers."""
    said = passage.evidence.text[sentence.start : sentence.end]
    for span in reversed(find_dates(said)):
        said = f"{said[: span.start]} {said[span.end :]}"
    return frozenset(term for term in matching_terms(said) if term.isalpha())


def _date_of(passage: ParsedPassage, sentence: PassageSentence) -> str:
    """Return the first date of a sentence, else of the title, else of the document, in ISO form: "1900-05".

    Empty if there is none.
    """
    said = passage.evidence.text[sentence.start : sentence.end]
    found = find_dates(said) or find_dates(passage.evidence.title)
    return found[0].date.iso() if found else str(passage.evidence.date or "")


def _introduces(evidence: Evidence, subject: str) -> bool:
    """Report whether a passage begins with the subject, and the document's title is the subject: "The Danube is …"."""
    begins = _ARTICLE.sub("", evidence.text.lstrip("# \n"), count=1).lower()
    return begins.startswith(subject.lower()) and title_key(evidence.title) == title_key(subject)


def _find_pairs_across(terms: Sequence[str], found: Collection[str]) -> Iterator[str]:
    """Yield the pairs of Chinese characters that span two words of a question.

    Such a pair is in no passage, and stands between two pairs that are in one.

    Args:
        terms: The terms of the question, in order.
        found: The terms of all passages.
    """
    for before, pair, after in zip(terms, terms[1:], terms[2:], strict=False):
        joined = len(pair) == 2 and before[-1] == pair[0] and after[0] == pair[1]
        if joined and pair not in found and before in found and after in found:
            yield pair


class _Choice:
    """Choice of passages and sentences one by one, each the best beside those already chosen.

    For compound questions, words that chosen passages have count less.
    """

    def __init__(self, frame: QueryFrame, weights: dict[str, float], passages: list[ParsedPassage]) -> None:
        found = frozenset().union(*(passage.terms for passage in passages))
        across = set(_find_pairs_across(list(weights), found))
        self._asked = sum(weight for term, weight in weights.items() if term not in across) or 1.0
        self._weights = {term: weight for term, weight in weights.items() if term in found}
        self._total = sum(self._weights.values()) or 1.0
        self._passages = passages
        self._covered: set[str] = set()
        self.linked = False  # whether a passage shown names the title of another one
        self._shown: list[ParsedPassage] = []
        self._highlights: list[tuple[ParsedPassage, PassageSentence]] = []
        self._compound = frame.shape in _COMPOUND
        self._mentioned = set(mentions(frame.question)) if self._compound else set()
        self._language = frame.language
        # Each sentence must speak of a single subject; of several things, and on the way of a chain, one each.
        single = len(frame.subjects) == 1 and frame.shape not in {"chain", "several"}
        self._subject = frozenset(matching_terms(frame.subject)) if single else frozenset()
        self._values = ValueWorth(frame)

    def choose(self, passages_shown: int, sentences_shown: int, *, ordered: bool) -> None:
        """Choose passages with one best sentence each, then the best remaining sentences. `extracts` returns them.

        Args:
            passages_shown: Maximum number of passages.
            sentences_shown: Maximum number of sentences.
            ordered: Whether the passages are taken in the given order.
        """
        told: list[tuple[str, Told]] = []
        left = list(self._passages)
        while left and len(self._shown) < passages_shown:
            passage = (
                left[0] if ordered else max(left, key=lambda item: (not item.evidence.is_outdated, self._worth(item)))
            )
            left.remove(passage)
            if self._shown and not self._compound and self._weights.keys().isdisjoint(passage.terms):
                continue  # found by the letters of a name alone
            now = Told.of(passage.evidence.text)
            source = passage.evidence.source
            if any(_repeats(now, other, apart=source != own and "://" not in source) for own, other in told):
                continue
            told.append((source, now))
            if self._compound:
                self._link(passage)
            self._shown.append(passage)
            if len(self._highlights) < sentences_shown:
                best = max(passage.sentences, key=lambda sentence: self._fit(passage, sentence))
                self._highlights.append((passage, best))
                self._covered |= (best.terms | passage.title) - self._subject if self._compound else frozenset()
        self._covered.clear()
        rest = [(passage, sentence) for passage in self._shown for sentence in passage.sentences]
        rest = [pair for pair in rest if pair not in self._highlights]
        rest.sort(key=lambda pair: -self._fit(*pair))
        self._highlights += rest[: max(0, sentences_shown - len(self._highlights))]

    @property
    def answers(self) -> bool:
        """Report whether the first chosen sentence, with title and headings, answers the question by its words.

        It must have half of the question's rare words and a value of the requested type, or nine tenths without such a
        value, because clock times and plain nouns are values that no type finds.
        """
        if not self._highlights:
            return False
        passage, sentence = self._highlights[0]
        told = sentence.terms | passage.title
        said = sum(weight for term, weight in self._weights.items() if term in told) / self._asked
        valued = not self._values.is_wanted or (sentence.typed or 0.0) > 0
        return said >= _NEARLY_ALL or (said >= _MOST and valued)

    def extracts(self) -> Iterator[Extract]:
        """Yield the chosen passages as extracts."""
        for n, passage in enumerate(self._shown, 1):
            chosen = [item for other, item in self._highlights if other is passage]
            said = sum(weight for term, weight in self._weights.items() if term in passage.terms)
            yield build_extract(passage, chosen, n, round(said / self._asked, 4), self._language)

    def _link(self, passage: ParsedPassage) -> None:
        """Record the names in a passage, and set `linked` if it and a shown passage are linked.

        They are if either names the title of the other.
        """
        passage.named = mentions(passage.evidence.text)
        self._mentioned |= passage.named
        key = title_key(passage.evidence.title)
        for item in self._shown:
            other = title_key(item.evidence.title)
            self.linked |= other != key and (other in passage.named or key in item.named)

    def _fit(self, passage: ParsedPassage, sentence: PassageSentence) -> float:
        """Return the score of a sentence, by rare words shared with the question, value type and early position."""
        if sentence.typed is None:  # of a look-up only few are weighed
            sentence.typed = self._values.of(passage.evidence.text[sentence.start : sentence.end])
        shared = 0.0
        for term, weight in self._weights.items():
            part = 1.0 if term in sentence.terms else _TITLE if term in passage.title else 0.0
            shared += part * weight * (_KNOWN if term in self._covered else 1.0)
        return shared / self._total + sentence.typed - _LATE * sentence.place - _rate_handicap(sentence)

    def _worth(self, passage: ParsedPassage) -> float:
        """Return the score of a passage not yet shown: its best sentence, relevance, and mention in a shown passage."""
        best = max(self._fit(passage, sentence) for sentence in passage.sentences)
        mentioned = title_key(passage.evidence.title) in self._mentioned
        return best + passage.relevance + _BRIDGE * mentioned


def _repeats(now: Told, shown: Told, *, apart: bool) -> bool:
    """Report whether a passage repeats a shown passage: nearly the same text, or all contained in it.

    With `apart`, for a separate document, only equal passages count.
    """
    return shown.equals(now) if apart else now.resembles(shown) or shown.holds(now)
