"""Claim check by code: particulars, values and relations of a statement compared with the citations."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from weiwo.nodes.writer.verification.binding import find_borrowed
from weiwo.nodes.writer.verification.clauses import strip_lead
from weiwo.nodes.writer.verification.comparison import find_reversed
from weiwo.nodes.writer.verification.derivation import date_follows, follows
from weiwo.nodes.writer.verification.grounds import Grounds
from weiwo.nodes.writer.verification.particulars import (
    Particulars,
    code_of,
    counts_things,
    find_particulars,
    fold_letters,
    fold_script,
    is_han,
    stated_names,
)
from weiwo.nodes.writer.verification.polarity import find_contradiction
from weiwo.nodes.writer.verification.windows import CONTRASTS
from weiwo.state import Language, Verdict
from weiwo.state.kinds import has_rules
from weiwo.text.data_files import data_pattern
from weiwo.text.dates import find_dates
from weiwo.text.foreign_values import plain_values
from weiwo.text.language import fold
from weiwo.text.language_detection import detect_language, is_in_language
from weiwo.text.lexicon import find_countries
from weiwo.text.patterns import lazy

_LONGEST: Final = 2_000
"""Length to which a claim is checked, in characters."""

_BEGINNING: Final = 4
"""Letters at the beginning of a word that are compared, since inflection changes the end."""

_MARKUP: Final = lazy(r"^\s{0,8}(?:#{1,6}\s+|>\s?|[-*+•]\s+|\d{1,3}[.)]\s+)+")
_EMPHASIS: Final = lazy(r"\*\*|__|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)|`")
_NOT_FOUND: Final = data_pattern("claims", "check", "not_found")
_ADVICE: Final = data_pattern("claims", "check", "advice")
_BOTH: Final = lazy(
    r"(?i)\s*(?:yes,\s|they (?:are|were|have|had) )?both\b|\s*(?:是的，)?(?:它们|他们)?(?:两者|二者|两[个家所座位条])"
)
_TWO: Final = 2
_FIGURE: Final = lazy(r"\d+")
_CONTRAST: Final = data_pattern("claims", "check", "contrast")
_DENIED_BEFORE: Final = lazy(r"(?:\b(?:no|not|never|without|neither)\s|n't\s|[不没未无勿非]|没有|禁止|不得)$")


@dataclass(frozen=True)
class CheckResult:
    """Result of the check of a statement by code.

    Attributes:
        verdict: The verdict.
        reasons: Why the statement failed, as shown to a reader: “1901”: no cited source gives this date. Empty if
            nothing failed.
        hard: Whether a particular failed, such as a figure, a date, a version or a name. A model can clear the claim
            only by quoting a source that has it.
    """

    verdict: Verdict
    reasons: tuple[str, ...] = ()
    hard: bool = False


def check_statement(
    text: str,
    grounds: Grounds,
    *,
    naming: Grounds | None = None,
    language: Language = "en",
    question: str = "",
    cited: bool = True,
) -> CheckResult:
    """Check a statement against the cited sources.

    Args:
        text: A sentence, item or cell, without citation marks.
        grounds: The contents of the cited sources.
        naming: The same contents with the inputs of cited calculations, which may name things too.
        language: The answer's language.
        question: The user's question.
        cited: Whether the statement cites anything that exists.

    Returns:
        `contradicted` or `unsupported` with reasons, `quoted` for the words of a source, `computed` if calculations
        support it, `matched` if all particulars were found, or `uncited` if it cites nothing and needs no source.
    """
    bare = _plain_claim(fold_script(text))
    own = language if not re.search(r"\w{2}", bare) or is_in_language(bare, language) else detect_language(bare)
    question = fold_script(question)
    statement = strip_lead(plain_values(bare, own))
    stated = find_particulars(statement)
    if _tells_absence(statement, question, grounds):
        return CheckResult("matched" if cited else "uncited")
    if not cited:
        return CheckResult("uncited") if stated.empty else CheckResult("unsupported", ("no citation",))
    if grounds.calculates and not grounds.sources and not _states_result(statement, stated, grounds):
        return CheckResult("unsupported", ("the cited calculation does not state this",), hard=True)
    reasons, computed = _particulars(statement, stated, grounds, naming or grounds, question, own=own)
    if reasons:
        return CheckResult("unsupported", tuple(dict.fromkeys(reasons)), hard=True)
    quoted = _is_quoted(statement, grounds)
    against = () if quoted else tuple(dict.fromkeys(_contradictions(statement, grounds, own)))
    if against:
        return CheckResult("contradicted", against)
    calculated = grounds.calculates and (computed or not grounds.sources)  # what code derived is for a model to judge
    return CheckResult("computed" if calculated else "quoted" if quoted and not computed else "matched")


def _plain_claim(text: str) -> str:
    """Return a claim without Markdown: heading signs, bullets and emphasis. Cell borders become commas.

    Only the first 2,000 characters are returned.
    """
    bare = _EMPHASIS.sub("", _MARKUP.sub("", text[:_LONGEST].strip()))
    return re.sub(r"(?<!\s)\s*+\|\s*+|\|\s*+", " , ", bare).strip(" ,") if bare.count("|") >= 2 else bare


def is_absence(statement: str) -> bool:
    """Report whether each part of a statement, split at words like "but", says "not found".

    True for "The founder was not found.", False for "Acme opened in 1900, but the founder was not found". No source has
    to support such a statement.
    """
    return all(_NOT_FOUND.search(part) for part in _CONTRAST.split(statement) if re.search(r"\w{2}", part))


def says_not_found(statement: str) -> bool:
    """Report whether any part of a statement says "not found"."""
    return bool(_NOT_FOUND.search(statement[:_LONGEST]))


def is_advice(statement: str) -> bool:
    """Report whether a statement contains a recommendation, like "You should choose Acme"."""
    return _ADVICE.search(statement) is not None


def _tells_absence(statement: str, question: str, grounds: Grounds) -> bool:
    """Report whether a statement only says "not found", and all its figures stand in the question or in the sources.

    Years of dates need not stand there.
    """
    known = " ".join((question, *(source.text for source in grounds.sources)))
    figures = set(_FIGURE.findall(statement)) - {str(span.date.year) for span in find_dates(statement)}
    return is_absence(statement) and figures <= set(_FIGURE.findall(known))


def _contradictions(statement: str, grounds: Grounds, own: Language) -> Iterator[str]:
    """Yield, as reasons to show, the contradictions between a statement and the sources.

    All particulars of the statement were found before. In sources of another language only values are compared. Nothing
    is yielded for a language without grammar rules.

    Args:
        statement: The statement.
        grounds: The cited sources.
        own: The language of the statement.
    """
    if not has_rules(own):
        return
    yield from (
        f"“{written}”: the sources give it of something else" for _, written in find_borrowed(statement, grounds)
    )
    if any(source.language == own or (is_han(statement) and is_han(source.text)) for source in grounds.sources):
        yield from find_reversed(statement, grounds)
        yield from find_contradiction(statement, grounds)


def borrowed_values(text: str, grounds: Grounds) -> list[str]:
    """Return the values and names of a text that the sources state of something else, as written.

    With the source "the amber group had 93 patients and the clear group had 91", "the clear group had 93 patients"
    gives ["93"]. Empty if there are none, and for a language without grammar rules.
    """
    if not has_rules(detect_language(text)):
        return []
    found = find_borrowed(strip_lead(_plain_claim(fold_script(text))), grounds)
    return [written for mark, written in found if not mark.kind.startswith(CONTRASTS)]


def _states_result(statement: str, stated: Particulars, grounds: Grounds) -> bool:
    """Report whether a statement gives the result of a cited calculation: a number, a date or words."""
    numbers = (
        abs(abs(n.value) - abs(value)) <= 1e-6 * max(1, abs(value)) for n in stated.numbers for value in grounds.values
    )
    dates = (grounds.date(span.date) for span in stated.dates)
    return any(numbers) or any(dates) or any(value in fold(statement) for value in grounds.said)


def _particulars(
    statement: str, stated: Particulars, grounds: Grounds, naming: Grounds, question: str, *, own: Language
) -> tuple[list[str], bool]:
    """Return the reasons for unsupported particulars, and whether any particular is calculated.

    The reasons are empty if all are supported. A calculated particular is the result of a cited calculation, or follows
    from the sources by arithmetic.

    Args:
        statement: The statement.
        stated: Its particulars.
        grounds: The cited sources.
        naming: The cited sources and the inputs of cited calculations, for names.
        question: The user's question.
        own: The language of the statement.
    """
    reasons: list[str] = []
    ways: list[str] = []
    same = any(source.language == own for source in grounds.sources)
    for span in stated.dates:
        for date in (span.date, span.until):
            if date is not None:
                ways.append(grounds.date(date) or "computed" * date_follows(date, grounds))
                if not ways[-1]:
                    reasons.append(f"“{statement[span.start : span.end]}”: no cited source gives this date")
    days = {day for source in grounds.sources for day in source.days}
    reasons += [f"month {m}, day {d}: no cited source gives this day" for m, d in stated.days if (m, d) not in days]
    months = {month for source in grounds.sources for month in source.months}
    dated = {span.date.month for span in stated.dates} | {month for month, _ in stated.days}
    reasons += [f"month {m}: no cited source gives this month" for m in stated.months if m not in months | dated]
    periods = (statement[period.start : period.end] for period in stated.periods if not grounds.period(period))
    reasons += [f"“{period}”: no cited source names it or a year of it" for period in periods]
    for number in stated.numbers:
        if counts_things(statement, number):
            continue
        coded = grounds.code(code_of(statement, number), same_language=True)
        ways.append(grounds.number(number) or "passage" * coded or "computed" * follows(number, statement, grounds))
        if not ways[-1]:
            reasons.append(f"“{statement[number.start : number.end]}”: no cited source gives this number")
    reasons += [f"“{v}”: no cited source gives this version" for v in stated.versions if not grounds.version(v)]
    codes = (code for code in stated.codes if not grounds.code(code, same_language=same))
    reasons += [f"“{code}” is not in any cited source" for code in codes if not grounds.ordinal(code, statement)]
    reasons += _naming(statement, stated, grounds, naming, question, own)
    return reasons, "computed" in ways


def _naming(
    statement: str, stated: Particulars, grounds: Grounds, naming: Grounds, question: str, own: Language
) -> Iterator[str]:
    """Yield a reason for doubt per name, country and quotation missing from the cited sources."""
    spoken_of = (*_asked_subjects(statement, question), *stated.names)
    for name in dict.fromkeys(spoken_of) if has_rules(own) else _full_names(stated.names, naming, own):
        if not naming.name(name, question, language=own):
            yield f"“{name}”: no cited source names it"
    lands = {key for source in naming.sources for key in source.countries}
    for key, written in stated.countries:
        if (
            key not in lands
            and not any(source.unread for source in naming.sources)
            and fold(written) not in fold(question)
        ):
            yield f"“{written}”: no cited source says so"
    for quote in stated.quotes:
        words = fold(quote).strip(" .,;!?。，")
        long = len(words.split()) >= 3 or (is_han(words) and len(words) >= 4)
        same_script = any(is_han(source.text) == is_han(words) for source in grounds.sources)
        if (
            long
            and same_script
            and not any(words in source.text for source in naming.sources)
            and words not in fold(question)
        ):
            yield f"“{quote}”: these words are not in any cited source"


def _full_names(names: Sequence[str], grounds: Grounds, own: Language) -> list[str]:
    """Return the names to doubt in a language without grammar rules: several words, all absent from the sources.

    A word is absent if no source has its first four letters, since endings may differ. Names of a single word are not
    returned, because a capitalised word may be any noun. Empty if no source is in the language of the statement,
    because sources in another language name things otherwise.
    """
    if not any(source.language == own for source in grounds.sources):
        return []
    known = " ".join(source.text for source in grounds.sources)
    words = {
        name: [fold_letters(word)[:_BEGINNING] for word in name.split() if len(word) >= _BEGINNING] for name in names
    }
    return [name for name, parts in words.items() if len(parts) > 1 and not any(part in known for part in parts)]


def _asked_subjects(statement: str, question: str) -> tuple[str, ...]:
    """Return the names of the question that a statement mentions, without countries.

    A name is mentioned if its whole form occurs. If the question has exactly two names, a statement that has none of
    them and begins with "both" mentions both.
    """
    lands = {question[start:end] for start, end, _ in find_countries(question)}
    asked = tuple(dict.fromkeys(name for _, name in stated_names(question) if name not in lands))
    named = tuple(name for name in asked if fold(name) in fold(statement))
    return asked if not named and len(asked) == _TWO and _BOTH.match(statement) else named


def _is_quoted(statement: str, grounds: Grounds) -> bool:
    """Report whether a source has the whole statement word for word.

    False for a statement of fewer than 12 characters, and if a denial such as "not" stands directly before it in the
    source.
    """
    words = fold(statement).strip(" .。\"'“”")
    places = ((source.text, source.text.find(words)) for source in grounds.sources)
    return len(words) >= 12 and any(
        at >= 0 and not _DENIED_BEFORE.search(text[max(0, at - 12) : at]) for text, at in places
    )
