"""What a set of sources carries: the values, names and clauses that the particulars of a claim are looked up in."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

from weiwo.nodes.writer.verification.clauses import Clause, source_clauses
from weiwo.nodes.writer.verification.particulars import (
    ORDINAL_WORDS,
    find_centuries,
    find_days,
    find_decades,
    find_months,
    fold_letters,
    is_han,
    name_words,
)
from weiwo.nodes.writer.verification.quantities import (
    PHYSICAL,
    Quantity,
    close,
    find_quantities,
    find_shares,
    named_units,
    same_quantity,
    within,
)
from weiwo.state import Evidence, JsonValue, Outcome
from weiwo.text.date_forms import MONTHS
from weiwo.text.dates import PartialDate, find_dates
from weiwo.text.demonyms import find_countries
from weiwo.text.language import detect_language, fold
from weiwo.text.numbers import find_numbers
from weiwo.text.patterns import lazy
from weiwo.text.terms import terms

_DIGITS: Final = lazy(r"(?:(?<![A-Za-z])[A-Za-z]+)?-?[0-9][A-Za-z0-9]*")
_DOTTED: Final = lazy(r"(?<![\w.])v?(\d{1,4}(?:\.\d{1,4}){0,4})(?![\d]|\.\d)")
_FULL_WIDTH: Final = {0xFF10 + d: 0x30 + d for d in range(10)}
_ORDINALS: Final = {word: number for number, word in enumerate(ORDINAL_WORDS, 1)}
_ORDINAL_WORD: Final = lazy(r"(?i)\b(?:" + "|".join(_ORDINALS) + r")\b")
_COUNTED: Final = lazy(
    r"\s?[个名位]?(?=[\u4e00-\u9fff])(?![，。和与或至到万亿])|\s(?!(?:at|in|on|of|for|by|per|and|or|to|from|with|as|is|was|were|are|a|an|the|may|can|must|will|has|have|had|who|that|which|then|but|if|when|million|billion|thousand|hundred|trillion)\b)[a-z]{3,}"
)
_CAPITALS: Final = lazy(r"\b[A-Z][\w'’-]*(?:\s(?:(?:of|the|and|for|in|de|du)\s){0,2}[A-Z][\w'’-]*){1,8}")
_FOREIGN_MONTHS: Final = """
januar janvier enero gennaio janeiro januari | februar février febrero febbraio fevereiro februari | märz mars marzo março maart
april avril abril aprile | mai mayo maggio maio mei | juni juin junio giugno junho | juli juillet julio luglio julho
august août agosto augustus | september septembre septiembre settembre setembro | oktober octobre octubre ottobre outubro
november novembre noviembre novembro | dezember décembre diciembre dicembre dezembro december
"""
_MONTH_OF: Final = {
    name: MONTHS[number]
    for number, names in enumerate(re.split(r"[|\n]", _FOREIGN_MONTHS.strip()))
    for name in names.split()
}
_FOREIGN_DATE: Final = lazy(rf"(?i)\b(\d{{1,2}})(?:\.|er|º)?\s(?:de\s)?({'|'.join(_MONTH_OF)})\s(?:de\s)?(\d{{4}})\b")
_YEAR_LATER: Final = lazy(r"(?i)次年|翌年|第二年|\b(?:following|next) year\b|\b(?:a|one) year later\b")
_ENGLISH: Final = lazy(r"(?i)\b(?:the|of|and|in|is|was|are|to|by|for|with|it|has|an?)\b")


@dataclass(frozen=True)
class Source:
    """One passage, parsed.

    Attributes:
        title: Its title.
        text: Title and text, folded.
        language: Its language: "en", "zh" or "other".
        terms: Its content terms.
        words: Its words, folded.
        dates: Its dates.
        numbers: Its quantities.
        counts: Those of them that count things of no known unit.
        units: The kinds whose units it names, with or without a figure.
        codes: Its digit groups as written, folded.
        dotted: Its dotted figures and whole numbers as written.
        whole: Integers in any form, ordinals too.
        days: Days of a month, without their year.
        months: Months it names.
        countries: Countries it names.
        initials: First letters of its runs of capitalised words.
        sentences: Its sentences and table rows.
        clauses: Their parts.
    """

    title: str
    text: str
    language: str
    terms: frozenset[str]
    words: frozenset[str]
    dates: tuple[PartialDate, ...]
    numbers: tuple[Quantity, ...]
    counts: frozenset[Quantity]
    units: frozenset[str]
    codes: frozenset[str]
    dotted: frozenset[str]
    whole: frozenset[int]
    days: frozenset[tuple[int, int]]
    months: frozenset[int]
    countries: frozenset[str]
    initials: frozenset[str]
    sentences: tuple[Clause, ...]
    clauses: tuple[Clause, ...]


@lru_cache(maxsize=256)
def _parse(title: str, text: str, published: str | None) -> Source:
    language = _language(text[:4_000])
    if language == "other":
        text = _in_english_figures(text)
    both = f"{title}\n{text}"
    spans = find_dates(both)
    dates = [d for span in spans for d in (span.date, span.until) if d is not None]
    dates += [PartialDate(year) for year in find_decades(both)]
    if _YEAR_LATER.search(both):
        dates += [PartialDate(d.year + 1) for d in dates[:100] if d.year != -1]
    days = find_days(both)
    dates += _days_of_known_years(days, dates, published)
    found = find_quantities(both)
    inside = [(span.start, span.end) for span in spans]
    free = tuple(n for n in found if n.unit or not any(a < n.end and n.start < b for a, b in inside))
    sentences, clauses = source_clauses(text)
    folded = fold_letters(both)
    return Source(
        title=title,
        text=folded,
        language=language,
        terms=frozenset(terms(both)),
        words=frozenset(re.findall(r"\w+", folded)),
        dates=tuple(dates),
        numbers=(*free, *find_shares(both)),
        counts=frozenset(n for n in free if not n.unit and _COUNTED.match(both, n.end)),
        units=named_units(frozenset(re.findall(r"[^\W\d_]+", both))),
        codes=frozenset(m.group().lstrip("-").casefold() for m in _DIGITS.finditer(both.translate(_FULL_WIDTH))),
        dotted=frozenset(m[1] for m in _DOTTED.finditer(both)),
        whole=frozenset({*(int(n.value) for n in found if n.value == int(n.value)), *_ordinals(both), *(abs(d.year) for d in dates)}),
        days=frozenset((month, day) for month, day, _ in days) | {(d.month, d.day) for d in dates if d.month and d.day},
        months=frozenset({*find_months(both), *(d.month for d in dates if d.month)}),
        countries=frozenset(key for _, _, key in find_countries(both)),
        initials=frozenset(
            "".join(word[0] for word in re.findall(r"[A-Z][\w'’-]*", run[0])) for run in _CAPITALS.finditer(both)
        ),
        sentences=sentences,
        clauses=clauses,
    )  # fmt: skip


def _language(text: str) -> str:
    """Chinese, English, or another language, told by how many of its words are the commonest English ones."""
    if detect_language(text) == "zh":
        return "zh"
    words = len(re.findall(r"\w+", text))
    return "other" if words >= 6 and len(_ENGLISH.findall(text)) < 0.04 * words else "en"


def _in_english_figures(text: str) -> str:
    """A text in another language with its dates and figures as English writes them: "3. Oktober 1990", "1.234,5"."""
    text = _FOREIGN_DATE.sub(lambda found: f"{found[1]} {_MONTH_OF[found[2].lower()]} {found[3]}", text)
    return re.sub(r"(?<=\d),(?=\d{1,2}\b)", ".", re.sub(r"(?<=\d)[.\u202f](?=\d{3}\b)", ",", text))


def _days_of_known_years(
    days: Sequence[tuple[int, int, tuple[int, int]]], dates: Sequence[PartialDate], published: str | None
) -> list[PartialDate]:
    """Days written without a year, for each year the passage names or was published in."""
    years = {d.year for d in dates}
    if published and re.match(r"\d{4}", published):
        years.add(int(published[:4]))
    found: list[PartialDate] = []
    for month, day, _ in days[:50]:
        for year in sorted(years)[:20]:
            try:
                found.append(PartialDate(year, month, day))
            except ValueError:
                continue
    return found


def _ordinals(text: str) -> set[int]:
    found = {_ORDINALS[m.group().lower()] for m in _ORDINAL_WORD.finditer(text)}
    found |= {int(m[1]) for m in re.finditer(r"\b(\d{1,6})(?:st|nd|rd|th)\b", text)}
    found |= {int(m[1]) for m in re.finditer(r"第\s?(\d{1,6})", text)}
    for written in re.findall(r"第([一二三四五六七八九十百]{1,5})", text):
        found |= {int(span.value) for span in find_numbers(f"{written}个") if span.value == int(span.value)}
    return found


@dataclass(frozen=True)
class Grounds:
    """What passages and calculations carry together.

    Attributes:
        sources: The passages.
        computed_numbers: Results and inputs of cited calculations.
        computed_dates: Their dates.
        computed_text: Their words.
        values: Their results alone, where these are numbers.
        said: Their results in words, folded.
    """

    sources: tuple[Source, ...]
    computed_numbers: tuple[float, ...] = ()
    computed_dates: tuple[PartialDate, ...] = ()
    computed_text: str = ""
    values: tuple[float, ...] = ()
    said: tuple[str, ...] = ()

    @property
    def calculates(self) -> bool:
        """Whether a calculation is among them."""
        return bool(self.computed_numbers or self.computed_dates)

    def date(self, date: PartialDate) -> str:
        """How the sources carry a date: "passage", "computed" or ""."""
        bare = date.month is None and date.year > 0
        for source in self.sources:
            if any(date.contains(known) for known in source.dates) or (bare and str(date.year) in source.dotted):
                return "passage"
        return "computed" if any(date.contains(known) for known in self.computed_dates) else ""

    def century(self, number: int) -> bool:
        """Whether the sources name a century or a year of it."""
        years = [date.year for source in self.sources for date in source.dates]
        named = any(number in find_centuries(source.text) for source in self.sources)
        return named or any((abs(year) - 1) // 100 + 1 == number for year in years)

    @cached_property
    def keys(self) -> frozenset[str]:
        """What the words of all sentences and titles are matched by."""
        clauses = [c for source in self.sources for c in (*source.sentences, Clause(source.title))]
        return frozenset(key for clause in clauses for key in clause.keys)

    def number(self, number: Quantity, statement: str) -> str:
        """How the sources carry a quantity: "passage", "computed" or ""."""
        physical = number.kind in PHYSICAL
        for source in self.sources:
            for known in source.numbers:
                if same_quantity(number, known) and not (
                    physical and not known.kind and (known in source.counts or number.kind not in source.units)
                ):
                    return "passage"
        if any(close(abs(number.value), abs(value)) for value in self.computed_numbers):
            return "computed"
        if any(within(number, known) for source in self.sources for known in source.numbers):
            return "passage"
        written = statement[number.start : number.end].strip().rstrip("%").removesuffix(" pence")
        if number.kind in {"", "penny"} and re.fullmatch(r"[\d.,]{1,20}", written):
            letters = re.compile(rf"(?<![\w.]){re.escape(written)}(?:[a-zA-Zµ]{{1,3}}(?!\w)|-[a-z])")
            if any(letters.search(source.text) for source in self.sources):
                return "passage"
        if not number.unit and number.value == int(number.value):
            days = any(int(number.value) == day for source in self.sources for _, day in source.days)
            years = any(date.year == number.value for source in self.sources for date in source.dates)
            return "passage" if years or days else ""
        return ""

    def version(self, version: str) -> bool:
        """Whether a version occurs, part by part: 3 is carried by 3.10, and 3.1 is not."""
        parts = version.split(".")
        return any(known.split(".")[: len(parts)] == parts for source in self.sources for known in source.dotted)

    def code(self, code: str, *, same_language: bool) -> bool:
        """Whether "5th", "1960s" or "A4" occurs, or its number where the languages differ."""
        if any(code in source.codes for source in self.sources):
            return True
        digits = re.search(r"\d+", code)
        ordinal = bool(re.fullmatch(r"\d+(?:st|nd|rd|th)?", code))
        whole = digits is not None and any(int(digits[0]) in source.whole for source in self.sources)
        return whole and (ordinal or not same_language)

    def name(self, name: str, question: str, *, language: str = "") -> bool:
        """Whether the sources name what a statement names, in this or in a fuller form.

        A name is not compared across scripts: a passage in another language than the statement lets a name pass that
        it would write in another script. A name of the question is content with another form of itself.

        Args:
            name: The name.
            question: The user's question.
            language: The statement's language.
        """
        folded, han = fold_letters(name), is_han(name)
        pairs = [term for term in terms(name) if len(term) == 2] if han else []
        for source in self.sources:
            if folded in source.text or (han and _mostly(pairs, source.terms)) or is_acronym_of(name, source.initials):
                return True
        if folded in self.computed_text or (not han and self._named_in_parts(name)):
            return True
        asked = folded in fold_letters(question)
        if asked:
            forms = pairs if han else [word for word in name_words(name) if len(word) >= 3]
            if any(form in source.terms or form in source.words for form in forms for source in self.sources):
                return True
        foreign = [s for s in self.sources if (s.language == "zh") != han and (asked or s.language != language)]
        return bool(foreign)

    def _named_in_parts(self, name: str) -> bool:
        """Whether each word of a name occurs, inflections, demonyms and abbreviations of titles apart."""
        known = frozenset().union(*(source.words for source in self.sources))
        known |= frozenset(re.findall(r"\w+", self.computed_text))
        countries = frozenset().union(*(source.countries for source in self.sources))
        words = name_words(name)
        found = [
            any(form in known for form in (word, word.removesuffix("s"), f"{word}s"))
            or _inflected(word, known)
            or any(key in countries for _, _, key in find_countries(word.capitalize()))
            for word in words
        ]
        titled = len(words) > 1 and bool(re.match(r"[A-Z]{2,4}\s", name))
        return bool(words) and all(found[1:] if titled else found)


def _mostly(pairs: Sequence[str], known: frozenset[str]) -> bool:
    """Whether the pairs of a Chinese name occur, but for some in what is long enough to have been put together."""
    found = sum(pair in known for pair in pairs)
    return bool(pairs) and (
        found == len(pairs) or (len(pairs) >= 3 and pairs[0] in known and found >= 0.6 * len(pairs))
    )


def is_acronym_of(name: str, initials: frozenset[str]) -> bool:
    """Whether a name is the initials of one that the sources write out, or the plural of a short abbreviation."""
    letters = name.replace(".", "").removesuffix("s")
    return (
        letters.isupper() and letters.isascii() and 2 <= len(letters) <= 6 and any(letters in run for run in initials)
    )


def _inflected(word: str, known: frozenset[str]) -> bool:
    """Whether the sources have another inflection of a name's word: Democrat and Democratic, Fame and Famer."""
    if len(word) < 5:
        return False
    root = word[: max(4, len(word) - 3)]
    return any(
        other.startswith(root)
        and abs(len(other) - len(word)) <= 3
        and other[:4] == word[:4]
        and min(len(other), len(word)) >= 4
        and (other.startswith(word) or word.startswith(other))
        for other in known
    )


def collect_grounds(passages: Iterable[Evidence], outcomes: Iterable[Outcome] = ()) -> Grounds:
    """What passages and calculations carry together.

    Args:
        passages: The cited passages; their titles count as their words.
        outcomes: The cited calculations.
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
    sources = tuple(_parse(passage.title, passage.text, passage.date) for passage in passages)
    words = tuple(fold(result) for result in results if len(result) > 1)
    return Grounds(sources, tuple(numbers), tuple(dates), fold(" ".join(said)), tuple(values), words)


def _take(value: JsonValue, numbers: list[float], dates: list[PartialDate], said: list[str]) -> None:
    """The numbers, dates and words in a calculation's value or details."""
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
