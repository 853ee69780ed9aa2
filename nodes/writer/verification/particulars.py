"""Particulars of a statement: numbers, dates, versions, names, countries, quotations.

Each particular needs the support of a source. Values are compared, not spellings: 156 BC is 公元前156年, 1.4万 is 14,000, a
year is supported by any of its days, 72 hours are three days, and 3.1 is not 3.10.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from weiwo.nodes.writer.verification.quantities import LARGEST_COUNT, Quantity, find_quantities
from weiwo.text.analyzer import SIMPLIFIED
from weiwo.text.data_files import data_characters, data_pattern, data_text
from weiwo.text.date_forms import MONTHS
from weiwo.text.dates import DateSpan, find_dates
from weiwo.text.language import HAN, fold
from weiwo.text.lexicon import find_countries, is_common
from weiwo.text.names import names
from weiwo.text.names_zh import chinese_names
from weiwo.text.numerals import chinese_integer
from weiwo.text.patterns import lazy

_WORDS: Final = (
    "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth"
    "|sixteenth|seventeenth|eighteenth|nineteenth|twentieth|twenty-first"
)
ORDINAL_WORDS: Final = tuple(_WORDS.split("|"))
"""English ordinals in words, from the first."""
_ORDINAL: Final = rf"(?:\d{{1,2}}(?:st|nd|rd|th)|{_WORDS})"
_HAN: Final = r"\d{1,2}|[一二三四五六七八九]?十[一二三四五六七八九]?|[一二三四五六七八九]"
_TENS: Final = r"[1-9]0|[一二三四五六七八九]?十"
_CENTURY: Final = lazy(
    rf"(?i)(?<![\w-])(?P<en>{_ORDINAL})(?=(?:(?:,? ?(?:and|or|to|–|-) ?|, )(?:the |early |late )?{_ORDINAL}){{0,3}}[\s-]centur)"
    rf"|(?P<zh>(?<!\d)(?:{_HAN})|上个?)(?:世纪(?:(?P<tens>{_TENS})年代)?|(?=[至到、和与~～–-](?:{_HAN})世纪))"
)
_DECADE: Final = lazy(rf"(?<![\d.,$£€¥])(\d{{3}}0)(?:['’]?s\b|年代)|(?<![\d纪一二三四五六七八九])({_TENS})年代")
_BEFORE: Final = lazy(r"[^.;\n]{0,40}?centur(?:y|ies)\s?(?:BCE?\b|B\.C\.)")
_LAST_CENTURY: Final = 20
"""Century meant by 上世纪, and by a decade without a century, such as 八十年代."""


class Period(NamedTuple):
    """A century or a decade named in a text.

    Attributes:
        first: The first year. Years BC are positive, too.
        last: The last year.
        start: Offset of the first character in the text.
        end: Offset after the last character.
        before: Whether the period is BC.
    """

    first: int
    last: int
    start: int
    end: int
    before: bool = False

    def covers(self, first: int, last: int) -> bool:
        """Report whether a range of years lies within the period. Years BC are given as positive numbers."""
        return self.first <= first <= last <= self.last


def find_periods(text: str) -> Iterator[Period]:
    """Yield the centuries and decades named in a text.

    "The 1960s" gives 1960 to 1969, "the 19th century" 1800 to 1900. "The 1900s" are the century 1900 to 2000.
    """
    for found in _CENTURY.finditer(text):
        written = found["en"] or found["zh"]
        first = 100 * (_LAST_CENTURY if written.startswith("上") else _whole(written)) - 100
        tens = _whole(found["tens"] or "0")
        before = text[: found.start()].endswith(("公元前", "西元前")) or bool(_BEFORE.match(text, found.end()))
        yield Period(first + tens, first + (tens + 9 if tens else 100), *found.span(), before)
    for found in _DECADE.finditer(text):
        first = int(found[1]) if found[1] else 100 * _LAST_CENTURY - 100 + _whole(found[2])
        yield Period(first, first + (9 if first % 100 else 100), *found.span())


def _whole(written: str) -> int:
    digits = written.rstrip("stndrhSTNDRH")
    if digits.isdecimal():
        return int(digits)
    return _WORDS.split("|").index(written.lower()) + 1 if written.isascii() else chinese_integer(written)


_DIGITS: Final = lazy(r"(?:(?<![A-Za-z])[A-Za-z]+)?-?[0-9][A-Za-z0-9]*")
_FULL_WIDTH: Final = {0xFF10 + d: 0x30 + d for d in range(10)}
_VERSION: Final = data_pattern("claims", "particulars", "version")
_VERSION_BEFORE: Final = data_pattern("claims", "particulars", "version_before")
_NAMED_BEFORE: Final = lazy(r"([A-Za-z][\w.+-]{1,30})\s$")
_LETTERS_BEFORE: Final = lazy(r"(?<![A-Za-z])[A-Za-z]{1,12}[-\s]$")
_CODE_JOINT: Final = lazy(r"(?<=[A-Za-z])[-–\s](?=\d)")
_MEASURED: Final = lazy(r"\s?(?:%|percent|million|billion|[万亿]|°|kilo|times|points?)|[a-z]{1,2}\b")
_ALIAS_BEHIND: Final = data_pattern("claims", "particulars", "alias")
_ALIAS_BEFORE: Final = lazy(r"([\w.&'-]{2,40})\s?[(（][^()（）]{0,20}$")
_MOST_PLACES: Final = 20
_MONTH: Final = lazy(
    r"\b(" + "|".join(month for month in MONTHS if month != "May") + r"|(?<=in )May|(?<=of )May|(?<=on )May|(?<=to )May"
    r"|(?<=since )May|(?<=until )May|(?<=early )May|(?<=late )May|(?<=and )May(?= \d|,|\.)|(?<=\d )May|May(?= \d))\b"
    r"|(?<!个)([0-9]{1,2}|[一二三四五六七八九十]{1,3})月(?!份额)"
)
_NAME_OF_MONTH: Final = "|".join(MONTHS)
_DAY: Final = lazy(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\s(?:of\s)?({_NAME_OF_MONTH})\b"
    r"|\b(" + _NAME_OF_MONTH + r")\s(\d{1,2})(?:st|nd|rd|th)?\b(?![,\s]*\d{1,2}:)"
    r"|(\d{1,2})月(\d{1,2})[日号]"
)
_SPACED: Final = lazy(r"(?<=\d) (?=[年月日号])|(?<=[年月日号]) (?=\d)")
_UNTIL_DAY: Final = lazy(r"\s?[-–—~～至到]\s?(?:(\d{1,2})[日号]|(?<=\d[-–—])(\d{1,2})\b(?![\d:/]|[.-]\d))")
"""The second day of a range within a month: 7月6日-8日, July 6–8."""
_QUOTE: Final = lazy(r"“([^“”\n]{2,300})”|\"([^\"\n]{2,300})\"|《([^《》\n]{1,80})》|「([^「」\n]{1,80})」")
_PREFIXED: Final = lazy(r"(?i)(?:in|im|ir|un|non|re|pre|de|dis|mis|sub|over|under|multi|auto|co|out)-?([a-z]{4,})$")
_DERIVED: Final = lazy(r"(?i)[a-z]{2,}(?:[bcdfgkmptvz]able|ible|ous|ful|less|[ts]ions?|ments|ings|ities|ated|i[sz]ed)$")
"""Words made from others by an ending that names hardly have."""
_GLOSSED: Final = lazy(rf"[{HAN}][(（]$")
_LETTERS: Final = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "’": "'"}
)
_MOST_UNLISTED: Final = 5
"""Largest number in words that only counts the things in the answer: "two founders"."""
_AGENT: Final = lazy(
    data_text("claims", "particulars", "agent")
    .replace("\n", "")
    .replace("<surname>", data_characters("names_zh", "surname"))
)
_HAN_NUMERAL: Final = {c: n for n, c in enumerate("一二三四五六七八九十", 1)}


@dataclass(frozen=True)
class Particulars:
    """Particulars of a statement that a source must support.

    Attributes:
        dates: Dates and ranges with a year.
        days: Days of a month without a year, as (month, day).
        months: Months named in words or with 月, 1 to 12.
        periods: Centuries and decades.
        numbers: Numbers that are no dates and no versions.
        versions: Versions as written.
        codes: Other words with digits, folded: "5th", "a4".
        names: Names, without countries.
        countries: Countries as (key, name as written): ("fr", "France").
        quotes: Quoted words and titles.
    """

    dates: tuple[DateSpan, ...] = ()
    days: tuple[tuple[int, int], ...] = ()
    months: tuple[int, ...] = ()
    periods: tuple[Period, ...] = ()
    numbers: tuple[Quantity, ...] = ()
    versions: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    countries: tuple[tuple[str, str], ...] = ()
    quotes: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        """Report whether the statement has no dates, numbers, versions, codes, names or days.

        Months, periods, countries and quotes are not considered.
        """
        return not (self.dates or self.numbers or self.versions or self.codes or self.names or self.days)


def find_particulars(statement: str) -> Particulars:
    """Find the particulars of a statement.

    Args:
        statement: A sentence, an item or a cell, without citation marks.
    """
    periods = tuple(find_periods(statement))
    taken = [(period.start, period.end) for period in periods]
    dates = [span for span in find_dates(statement) if not _inside(span.start, span.end, taken)]
    taken += [(span.start, span.end) for span in dates]
    days = [found for found in find_days(statement) if not _inside(*found[2], taken)]
    taken += [place for _, _, place in days]
    versions = [found for found in find_versions(statement) if not _inside(found.start(1), found.end(1), taken)]
    taken += [(found.start(1), found.end(1)) for found in versions]
    numbers = [n for n in find_quantities(statement) if not _inside(n.start, n.end, taken)]
    taken += [(n.start, n.end) for n in numbers]
    codes = [
        found.group().lstrip("-").casefold()
        for found in _DIGITS.finditer(statement.translate(_FULL_WIDTH))
        if not _inside(found.start(), found.end(), taken) and statement[found.end() : found.end() + 1] != "月"
    ]
    lands = find_countries(statement)
    return Particulars(
        dates=tuple(dates),
        days=tuple((month, day) for month, day, _ in days),
        months=tuple(find_months(statement)),
        periods=periods,
        numbers=tuple(numbers),
        versions=tuple(found[1] for found in versions),
        codes=tuple(codes),
        names=tuple(_names(statement, taken, lands)),
        countries=tuple((key, statement[start:end]) for start, end, key in lands),
        quotes=tuple(next(filter(None, found)) for found in _QUOTE.findall(statement)),
    )


_NO_NAMES: Final = frozenset({"readme", "readmes", "celsius", "fahrenheit", "kelvin", "bc", "ad", "bce", "ce"})


def _names(statement: str, taken: Sequence[tuple[int, int]], lands: Sequence[tuple[int, int, str]]) -> Iterable[str]:
    """Yield the names of a statement that need a source.

    Left out are names inside a span of `taken` (dates, figures), countries, and Latin names that only gloss a Chinese
    name, as in 远山集团 (Yuanshan).

    Args:
        statement: The statement.
        taken: Spans of the dates and figures.
        lands: Start, end and key of each country.
    """
    named = stated_names(statement)
    for start, text in named:
        end = start + len(text)
        glosses = text.isascii() and _GLOSSED.search(statement[max(0, start - 2) : start])
        if (
            _is_proper(text)
            and not glosses
            and not _inside(start, end, taken)
            and not any(a <= start and end - (text[-1] in "人籍裔") <= b for a, b, _ in lands)
        ):
            yield text
    spans = [(start, start + len(text)) for start, text in named]
    # Persons and bodies in Chinese text are recognised by position: 由周国平修建, 与南方银行, 位于太仓.
    for found in _AGENT.finditer(statement):
        group = next(name for name, text in found.groupdict().items() if text)
        if not _inside(*found.span(group), spans):
            yield found[group]


def stated_names(statement: str) -> list[tuple[int, str]]:
    """Return the start offset and the text of each name in a statement.

    A common word at the beginning is not part of a name: "However Acme grew" gives [(8, "Acme")]. Empty if there are no
    names.
    """
    found = []
    for name in names(statement):
        text, start = name.text, name.start
        opens = not re.search(r"\w", statement[:start]) or statement[:start].rstrip()[-1:] in ":："
        first, _, rest = text.partition(" ")
        if opens and first.isascii() and _plain(first):
            text = rest
            start = name.end - len(text)
        if is_han(text[:1]):
            bare = text[1:] if statement[:start].endswith(("不", "允")) else text.lstrip("占约达共均全各本该其此")
            text, start = bare, start + len(text) - len(bare)
        if text and fold(text) not in _NO_NAMES and not re.fullmatch(r"[A-Z]{2,3}s|[a-z]+", text):
            found.append((start, text))
    return found


def _plain(word: str) -> bool:
    """Report whether the first word of a statement is an ordinary word rather than part of a name.

    True for common words ("However"), derived ones ("Rebuilt"), two common words in one ("Airport"), and a word with a
    hyphen if any of its parts is common. False for "Acme".
    """
    if is_common(word) or fold(word).endswith(("one", "body")) or _DERIVED.match(word):
        return True
    prefixed = _PREFIXED.match(word)
    if prefixed and is_common(prefixed[1]):
        return True
    if "-" in word:
        return any(is_common(part) for part in word.split("-") if part)
    return any(is_common(word[:at]) and is_common(word[at:]) for at in range(4, len(word) - 3))


def fold_script(text: str) -> str:
    """Convert a text to simplified characters, and remove blanks inside Chinese dates ("2 月 20 日")."""
    return _SPACED.sub("", text.translate(SIMPLIFIED))


def find_versions(text: str) -> list[re.Match[str]]:
    """Find version numbers: 3.12 in "Python 3.12", or 1.2.3 anywhere. Group 1 of a match is the number.

    A figure with a single dot counts only after the name of a product or a word such as "version", and not in a
    measured amount, such as 1.5 GB.
    """
    measured = [(quantity.start, quantity.end) for quantity in find_quantities(text) if quantity.unit]
    found = []
    for match in _VERSION.finditer(text):
        before = text[max(0, match.start() - 40) : match.start()]
        named = _NAMED_BEFORE.search(before)
        amount = _inside(match.start(1), match.end(1), measured) or _MEASURED.match(
            text[match.end() : match.end() + 12]
        )
        placed = _VERSION_BEFORE.search(before) or (named and not is_common(named[1]))
        if match[1].count(".") >= 2 or (placed and not amount):
            found.append(match)
    return found


def code_of(statement: str, number: Quantity) -> str:
    """Return a number joined to the word before it, folded: "vlx500" for the number in "the VLX 500 pump".

    A number with a unit is returned without that word.
    """
    lead = _LETTERS_BEFORE.search(statement, max(0, number.start - 20), number.start) if not number.unit else None
    return join_codes(statement[lead.start() if lead else number.start : number.end]).casefold()


def join_codes(text: str) -> str:
    """Remove the blank or hyphen between the letters and the digits of each code: "VLX-500" becomes "VLX500"."""
    return _CODE_JOINT.sub("", text)


def find_days(text: str) -> list[tuple[int, int, tuple[int, int]]]:
    """Return month, day and span of every day written with the name of its month or with 月.

    "July 6–8" gives (7, 6, (0, 6)) and (7, 8, (6, 8)). Dates in figures such as 1900-03-03 are not found.
    """
    days = []
    for found in _DAY.finditer(text):
        month, day = (found[2] or found[3], found[1] or found[4]) if not found[5] else (found[5], found[6])
        number = int(month) if month.isdigit() else MONTHS.index(month) + 1
        days.append((number, int(day), found.span()))
        if last := _UNTIL_DAY.match(text, found.end()):
            days.append((number, int(last[1] or last[2]), last.span()))
    return days


def find_months(text: str) -> list[int]:
    """Return the months named in a text in words or with 月, 1 to 12, including those of dates.

    "In May and July 1900" gives [5, 7], and 1900-03-03 gives nothing.
    """
    return [MONTHS.index(found[1]) + 1 if found[1] else _small(found[2]) for found in _MONTH.finditer(text)]


def _small(written: str) -> int:
    if written.isdigit():
        return int(written)
    tens, ten, items = written.rpartition("十")
    return (_HAN_NUMERAL.get(tens, 1) * 10 if ten else 0) + _HAN_NUMERAL.get(items, 0)


def _inside(start: int, end: int, spans: Iterable[tuple[int, int]]) -> bool:
    return any(a < end and start < b for a, b in spans)


def fold_letters(text: str) -> str:
    """A text folded for comparing names: no case, no accents, and ł, ø, đ, æ as l, o, d, ae."""
    return fold(text).translate(_LETTERS)


def name_words(name: str) -> list[str]:
    """Return the folded words of a name, without titles and words like "of": ann, lee for "Dr Ann von Lee"."""
    small = {"the", "of", "and", "a", "de", "von", "van", "da", "di", "la", "le", "mr", "mrs", "ms", "dr", "st"}
    return [word for word in re.findall(r"\w+", fold_letters(name)) if word not in small]


def find_aliases(name: str, text: str) -> Iterator[str]:
    """Yield the aliases of a name that a text gives in brackets, or before the name in brackets.

    Both "world health organization (who)" and "who (world health organization)" yield "who", and 远山集团（下称远山） yields 远山.

    Args:
        name: The name, folded.
        text: The text, folded.
    """
    at, tried = text.find(name), 0
    while at >= 0 and tried < _MOST_PLACES:
        end = at + len(name)
        if behind := _ALIAS_BEHIND.match(text, end):
            aliases = (alias.strip(' "“”') for alias in re.split(r"[,;，；、]", behind[1] or behind[2]))
            yield from (alias for alias in aliases if len(alias) > 1)
        if text[end : end + 1] in {")", "）"} and (before := _ALIAS_BEFORE.search(text, max(0, at - 60), at)):
            yield before[1]
        at, tried = text.find(name, end), tried + 1


def _is_proper(name: str) -> bool:
    """Report whether a name has the form of a proper name.

    True for any name with characters other than Chinese ones. A wholly Chinese name must be recognised as a name when
    it stands alone: 成本 (cost) is not.
    """
    return any(found == (0, len(name)) for found in chinese_names(name)) or not re.fullmatch(f"[{HAN}]+", name)


def is_han(text: str) -> bool:
    """Report whether a text contains Han characters."""
    return bool(re.search(f"[{HAN}]", text))


def counts_things(sentence: str, number: Quantity) -> bool:
    """Report whether a small number only counts things that the statement is about, so no source has to state it.

    True for "the oldest of the three", "two founders met" and "these 3 bridges", False for "12 bridges were built".
    """
    if number.value == 1 and number.kind == "s" and sentence[number.start] == "一":
        return True  # 一年, a year
    if sentence.startswith("一、", number.start):
        return True  # the first of those that it lists
    if number.kind == "%" or not 1 < number.value <= LARGEST_COUNT or number.value != int(number.value):
        return False
    before, after = sentence[: number.start], sentence[number.end :]
    worded = not re.search(r"\d", sentence[number.start : number.end])
    return bool(
        re.search(r"(?i)\b(?:of|all|these|those|both|among) (?:the |these |those )?$", before)
        or (worded and not number.unit and number.value <= _MOST_UNLISTED)
        or (re.search(r"(?i)\bthe $", before) and re.match(r"(?i)[,.;]|\s+(?:is|are|was|were|has|have|had)\b", after))
        or re.search(r"[这那]$", before)
        or re.match(rf"[一二三四五六七八九十两\d]+个?[{HAN}]{{0,4}}?(?:之?中|里|都|均|当中)", sentence[number.start :])
        or re.match(r"(?i) of (?:the|these|those|them|its)\b", after)
    )
