"""Contents of a set of sources: values, names and clauses for looking up the particulars of claims."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from weiwo.nodes.shared.prompting.passage_prompt import without_orders
from weiwo.nodes.writer.verification.clauses import Clause, content_words
from weiwo.nodes.writer.verification.particulars import (
    ORDINAL_WORDS,
    Period,
    find_aliases,
    fold_letters,
    fold_script,
    is_han,
    join_codes,
    name_words,
)
from weiwo.nodes.writer.verification.quantities import (
    PHYSICAL,
    Quantity,
    close,
    same_quantity,
)
from weiwo.nodes.writer.verification.source import ParsedSource, parse_source
from weiwo.state import Evidence, JsonValue, Outcome
from weiwo.state.cached_property import cached_property
from weiwo.text.dates import PartialDate, find_dates
from weiwo.text.language import fold
from weiwo.text.lexicon import find_countries, is_common
from weiwo.text.names import NAME_KINDS
from weiwo.text.names_zh import name_endings
from weiwo.text.numbers import find_numbers
from weiwo.text.patterns import lazy
from weiwo.text.terms import terms
from weiwo.tools.passages import own_date

_ORDINAL: Final = lazy(r"\d{1,2}(?:st|nd|rd|th)")
_WORDS_TO_NOUN: Final = 3


@dataclass(frozen=True)
class Grounds:
    """Contents of the passages and calculations that claims are checked against.

    Attributes:
        sources: The passages, parsed.
        computed_numbers: Results and inputs of cited calculations.
        computed_dates: Dates among the results and inputs of the calculations.
        computed_text: Words of the results and inputs, folded.
        values: The results alone, if they are numbers.
        said: The results in words, folded.
        folders: Paths of the documents, folded. A document belongs to the thing that its folder names.
        at_hand: The texts of all passages of the run, which may give another name of a thing.
    """

    sources: tuple[ParsedSource, ...]
    computed_numbers: tuple[float, ...] = ()
    computed_dates: tuple[PartialDate, ...] = ()
    computed_text: str = ""
    values: tuple[float, ...] = ()
    said: tuple[str, ...] = ()
    folders: str = ""
    at_hand: tuple[str, ...] = ()

    @property
    def calculates(self) -> bool:
        """Report whether the grounds have a calculation with a number or a date."""
        return bool(self.computed_numbers or self.computed_dates)

    def date(self, date: PartialDate) -> str:
        """Return the kind of support for a date: "passage", "computed" or "".

        A date is supported by itself and by any date within it: 1900 by 3 May 1900, but not May 1900 by 1900.
        """
        bare = date.month is None and date.year > 0
        for source in self.sources:
            if any(date.contains(known) for known in source.dates):
                return "passage"
            if (bare or source.unread) and str(date.year) in source.dotted:
                return "passage"
        spans = bare and any(close(date.year, abs(value)) for value in self.computed_numbers)  # 336年 as a span
        return "computed" if spans or any(date.contains(known) for known in self.computed_dates) else ""

    def period(self, period: Period) -> bool:
        """Report whether the sources give a year, a decade or a century that lies within a period.

        "The 1960s" is supported by "in 1963", but not by "the 20th century".
        """
        dated = (date.year for source in self.sources for date in source.dates)
        years = (abs(year) for year in dated if year < 0 or not period.before)
        named = (known for source in self.sources for known in source.periods)
        return any(period.covers(year, year) for year in years) or any(period.covers(*item[:2]) for item in named)

    @cached_property
    def keys(self) -> frozenset[str]:
        """Match keys of the words in all sentences and titles."""
        clauses = [c for source in self.sources for c in (*source.sentences, Clause(source.title))]
        return frozenset(key for clause in clauses for key in clause.keys)

    def number(self, number: Quantity) -> str:
        """Return the kind of support for a quantity: "passage", "computed" or "".

        "330 m" is supported by "330 metres", but not by "330 steps". A bare whole number is supported by a year or day,
        too.
        """
        for source in self.sources:
            for known in source.numbers:
                counted = number.kind in PHYSICAL and known in source.counts  # 330 steps are no 330 metres
                if same_quantity(number, known) and not counted:
                    return "passage"
        if any(close(abs(number.value), abs(value)) for value in self.computed_numbers):
            return "computed"
        if not number.unit and number.value == int(number.value):
            days = any(int(number.value) == day for source in self.sources for _, day in source.days)
            years = any(date.year == number.value for source in self.sources for date in source.dates)
            return "passage" if years or days else ""
        return ""

    def version(self, version: str) -> bool:
        """Report whether a version, or a fuller form of it, occurs in the sources.

        3 is supported by 3.10 and 7.0 by 7.00, but 3.1 is not supported by 3.10.
        """
        parts = _parts_of_version(version)
        return any(_parts_of_version(known)[: len(parts)] == parts for s in self.sources for known in s.dotted)

    def code(self, code: str, *, same_language: bool) -> bool:
        """Report whether a code ("5th", "1960s", "A4") occurs in the sources.

        "VLX-500" and "VLX500" are equal. The mere number is enough for an ordinal ("5th" by "5"), and for any code if
        the statement is in another language than the sources (`same_language` is False).
        """
        if any(code in source.codes or join_codes(code) in source.joined for source in self.sources):
            return True
        digits = re.search(r"\d+", code)
        ordinal = bool(re.fullmatch(r"\d+(?:st|nd|rd|th)?", code))
        whole = digits is not None and any(int(digits[0]) in source.whole for source in self.sources)
        return whole and (ordinal or not same_language)

    def ordinal(self, code: str, statement: str) -> bool:
        """Report whether the sources have an ordinal like "5th" in words, before the same noun as the statement.

        At most two words may stand between ordinal and noun: "the 5th mayor" is supported by "the fifth elected mayor"
        and not by "the mayor opened the fifth bridge". False for a code that is no ordinal from 1st to 21st.
        """
        number = int(code[:-2]) if _ORDINAL.fullmatch(code) else 0
        if not 0 < number <= len(ORDINAL_WORDS):
            return False
        after = rf"\b{{}}((?:[\s-]+[^\W\d_]+){{{{0,{_WORDS_TO_NOUN}}}}})"
        stated = re.search(after.format(re.escape(code)), fold_letters(statement))
        nouns = set(content_words(stated[1])) if stated else set()
        named = re.compile(after.format(ORDINAL_WORDS[number - 1]))
        following = (set(content_words(found[1])) for source in self.sources for found in named.finditer(source.text))
        return any(not nouns or nouns & words for words in following)

    def name(self, name: str, question: str, *, language: str = "") -> bool:
        """Report whether the sources name a thing, in the same form or in an accepted shorter or other form.

        All words of the name in any order are enough. For a name that stands in the question, a distinguishing word
        ("Kooringal" for "Kooringal High School"), the initials or an alias is enough. The name passes unchecked if a
        passage is in a script that cannot be compared, or is in another language that writes the name in another
        script.

        Args:
            name: The name.
            question: The user's question.
            language: The statement's language.
        """
        folded, han = fold_letters(name), is_han(name)
        for source in self.sources:
            if folded in source.text:
                return True
        if folded in self.folders or folded in self.computed_text or (not han and self._named_in_parts(name)):
            return True
        asked = folded in fold_letters(question)
        if asked and not self.sources:
            return True  # a calculation is of what is asked about
        if asked and (self._named_shorter(name) or self._named_by_alias(folded)):
            return True
        return any(
            s.unread or ((s.language == "zh") != han and (asked or s.language != language)) for s in self.sources
        )

    def _named_shorter(self, name: str) -> bool:
        """Report whether a source has a distinguishing word of a name, or the initials of the name.

        For "Kooringal High School" the word is "Kooringal", because "high" and "school" are common. A name of common
        words only needs all of them in a single source.
        """
        if is_han(name):
            pairs = [term for term in terms(name) if len(term) == 2]
            telling = [pair for pair in pairs if pair not in name_endings()] or pairs
        else:
            initials = re.sub(r"[^A-Z]", "", name)
            if any(initials in source.capitals or name in source.initials for source in self.sources):
                return True
            words = [word for word in name_words(name) if len(word) >= 3]
            telling = [word for word in words if word not in NAME_KINDS and not is_common(word)]
            if words and not telling:
                return any(source.words.issuperset(words) for source in self.sources)
        return any(form in source.terms or form in source.words for form in telling for source in self.sources)

    def _named_by_alias(self, folded: str) -> bool:
        """Report whether a source uses an alias of a name, like "WHO".

        An alias is known if any passage of the run gives it in brackets beside the name.

        Args:
            folded: The name, folded.
        """
        aliases = {alias for text in self.at_hand for alias in find_aliases(folded, fold_letters(text))}
        return any(alias in source.text for alias in aliases for source in self.sources)

    def _named_in_parts(self, name: str) -> bool:
        """Report whether each word of a name occurs somewhere in the sources.

        A plural s may differ, and "French" stands for France. In a name such as "HMS Victory" the abbreviation may be
        missing, unless the sources have a different abbreviation before the rest of the name.
        """
        known = frozenset().union(*(source.words for source in self.sources))
        known |= frozenset(re.findall(r"[^\W_]+", f"{self.computed_text} {self.folders}"))
        countries = frozenset().union(*(source.countries for source in self.sources))
        known |= frozenset().union(*(source.joined for source in self.sources))
        words = name_words(name)
        if (joined := name_words(join_codes(name))) != words and known.issuperset(joined):
            return True
        found = [
            any(form in known for form in (word, word.removesuffix("s"), f"{word}s"))
            or any(key in countries for _, _, key in find_countries(word.capitalize()))
            for word in words
        ]
        titled = len(words) > 1 and bool(re.match(r"[A-Z]{2,4}\s", name))
        if titled and not found[0]:
            title, rest = name.split(maxsplit=1)
            other = re.compile(rf"\b([A-Z]{{2,4}})\s+{re.escape(rest)}\b")
            texts = (clause.text for source in self.sources for clause in source.clauses)
            others = {match[1] for text in texts for match in other.finditer(text)}
            lands = {bool(find_countries(item)) for item in others}  # "a US Victory stamp" is no other ship
            titled = bool(find_countries(title)) not in lands
        return bool(words) and all(found[1:] if titled else found)


def _parts_of_version(version: str) -> list[str]:
    return ["0" if part == "00" else part for part in version.split(".")]


def collect_grounds(
    passages: Iterable[Evidence], outcomes: Iterable[Outcome] = (), at_hand: Iterable[Evidence] = ()
) -> Grounds:
    """Collect the contents of passages and calculations. Sentences that address models are left out of the passages.

    Args:
        passages: The cited passages. Their headings count as their words.
        outcomes: The cited calculations.
        at_hand: All passages of the run, searched for aliases only.
    """
    numbers: list[float] = []
    dates: list[PartialDate] = []
    said: list[str] = []
    values: list[float] = []
    results: list[str] = []
    for outcome in outcomes:
        _take(outcome.value, values, dates, results)
        _take(outcome.value, numbers, dates, said)
        _take(outcome.detail.computation, numbers, dates, said)
    kept = [without_orders(passage) for passage in passages]
    sources = tuple(parse_source(fold_script(item.heading), fold_script(item.text), own_date(item)) for item in kept)
    folders = fold_letters(" ".join(item.source for item in kept if "://" not in item.source))
    words = tuple(fold(result) for result in results if len(result) > 1)
    texts = tuple(evidence.text for evidence in at_hand)
    return Grounds(sources, tuple(numbers), tuple(dates), fold(" ".join(said)), tuple(values), words, folders, texts)


def _take(value: JsonValue, numbers: list[float], dates: list[PartialDate], said: list[str]) -> None:
    """Append the numbers, dates and words found in a calculation's value to the three lists, in place.

    Lists and dicts are searched inside. None and booleans give nothing.
    """
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, int | float):
        numbers.append(float(value))
    elif isinstance(value, str):
        said.append(value[:2_000])
        try:
            dates.append(PartialDate.from_iso(value))
        except ValueError:
            numbers.extend(float(span.value) for span in find_numbers(value[:2_000]))
            dates.extend(span.date for span in find_dates(value[:2_000]))
    elif isinstance(value, list | dict):
        for item in list(value.values() if isinstance(value, dict) else value)[:200]:
            _take(item, numbers, dates, said)
