"""The claim check by code: a statement's particulars, wording and relations against what it cites."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from weiwo.nodes.writer.verification.attribution import find_misattributed, find_silent, split_attribution
from weiwo.nodes.writer.verification.binding import find_borrowed
from weiwo.nodes.writer.verification.clauses import content_words, matched, strip_lead
from weiwo.nodes.writer.verification.comparison import find_reversed
from weiwo.nodes.writer.verification.counts import counts_things
from weiwo.nodes.writer.verification.derivation import follows
from weiwo.nodes.writer.verification.exchange import find_exchanged
from weiwo.nodes.writer.verification.grounds import Grounds
from weiwo.nodes.writer.verification.headings import announces, is_heading, plain_claim
from weiwo.nodes.writer.verification.not_found import affirmed_part, find_told, not_found_only, says_not_found
from weiwo.nodes.writer.verification.particulars import (
    Particulars,
    find_particulars,
    fold_script,
    is_han,
)
from weiwo.nodes.writer.verification.polarity import find_contradiction
from weiwo.nodes.writer.verification.roles import find_swapped
from weiwo.nodes.writer.verification.tables import find_misplaced
from weiwo.state import Language, Verdict
from weiwo.text.language import detect_language, fold
from weiwo.text.patterns import lazy

_CODE: Final = lazy(r"(?<!`)`([^`\n]{1,120})`(?!`)")
_LABEL: Final = lazy(r"^(?:\*\*|__)?([^\s:：][^:：\n]{0,40})(?:\*\*|__)?[:：](?:\*\*|__)?\s+(?=\S)")
_LATIN: Final = lazy(r"(?a:(?<![\w`.-])[a-z][a-z0-9_-]{3,40}(?![\w`.]))")
_DENIED_BEFORE: Final = lazy(r"(?:\b(?:no|not|never|without|neither)\s|n't\s|[不没未无勿非]|没有|禁止|不得)$")


@dataclass(frozen=True)
class CheckResult:
    """What checking a statement by code came to.

    Attributes:
        verdict: The verdict.
        reasons: The words that failed, each with why.
        hard: Whether a figure, a date, a version or a name failed, which no judgement can make good.
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
    """Check one statement against what it cites.

    Args:
        text: A sentence, item or cell, without citation marks.
        grounds: What its citations carry.
        naming: The same with the inputs of cited calculations, which may name things too.
        language: The answer's language.
        question: The user's question.
        cited: Whether it cites anything that exists.
    """
    text, question = fold_script(text), fold_script(question)
    if is_heading(text) or announces(text, question):
        return CheckResult("uncited")
    attributed = _attributed(text, grounds, language=language, question=question, cited=cited)
    if attributed is not None:
        return attributed
    statement = _unlabelled(text)
    stated = find_particulars(statement)
    absent = not_found_only(statement, stated, question)
    if not cited:
        return CheckResult(
            "uncited" if stated.empty or absent else "unsupported", () if stated.empty or absent else ("no citation",)
        )
    own: Language = detect_language(statement) if re.search(r"\w{2}", statement) else language
    same = any(source.language == own or (is_han(statement) and is_han(source.text)) for source in grounds.sources)
    if grounds.calculates and not grounds.sources:
        return _calculated(statement, stated, grounds, naming or grounds, question)
    reasons, computed = _particulars(statement, stated, grounds, naming or grounds, question, own=own)
    told = tuple(find_told(statement, grounds))
    if told or absent:
        return CheckResult("contradicted" if told else "uncited", told)
    if reasons:
        return CheckResult("unsupported", tuple(dict.fromkeys(reasons)), hard=True)
    quoted = _quoted(strip_lead(plain_claim(text)), grounds)
    doubt = _doubts(text, affirmed_part(statement), stated, grounds, same=same) if not quoted else None
    if doubt is not None:
        return doubt
    calculated = grounds.calculates and (computed or not grounds.sources)  # what code derived is for a model to judge
    return CheckResult("computed" if calculated else "quoted" if quoted and not computed else "matched")


def _unlabelled(text: str) -> str:
    """A statement without Markdown, its leading "Overall," and a label before a colon; figures in code are blotted out."""
    statement = plain_claim(_CODE.sub(lambda code: re.sub(r"\d", "x", code[0]), text))  # `_coded` looks at code
    label = _LABEL.match(statement)
    if label and not re.search(r"\d", label[1]) and len(label[1].split()) <= 4 and len(statement) - label.end() > 12:
        statement = statement[label.end() :]
    return strip_lead(statement)


def _attributed(text: str, grounds: Grounds, *, language: Language, question: str, cited: bool) -> CheckResult | None:
    """What speaks against a statement that names the source it has from, or says that each of several has it."""
    said, apart = split_attribution(strip_lead(plain_claim(text)), grounds)
    if not said or apart == [grounds] or says_not_found(said):
        return None
    found = [check_statement(said, one, language=language, question=question, cited=cited) for one in apart]
    worst = next((one for one in found if one.hard or len(found) == 1), None)
    silent = tuple(find_silent(said, apart))
    return worst or (CheckResult("unsupported", silent) if silent else None)


def _doubts(text: str, affirmed: str, stated: Particulars, grounds: Grounds, *, same: bool) -> CheckResult | None:
    """What speaks against a statement all of whose particulars occur: order, roles, other values, denials."""
    checks = (
        (find_reversed, find_swapped, find_borrowed, find_contradiction, find_exchanged) if same else (find_borrowed,)
    )
    against = [*find_misplaced(affirmed, grounds), *find_misattributed(affirmed, grounds)]
    against += [reason for check in checks for reason in check(affirmed, grounds)]
    if against:
        return CheckResult("contradicted", tuple(dict.fromkeys(against)))
    if not same:
        return None
    reasons = tuple(dict.fromkeys([*_coded(text, grounds), *_strange(affirmed, grounds)]))
    if not reasons and stated.empty and not stated.countries and not _on_topic(affirmed, grounds):
        reasons = ("the sources speak of something else",)
    return CheckResult("unsupported", reasons) if reasons else None


def _calculated(statement: str, stated: Particulars, grounds: Grounds, naming: Grounds, question: str) -> CheckResult:
    """The check of a statement that cites calculations alone: it states their value, of what the question names."""
    holds = any(
        abs(abs(n.value) - abs(value)) <= 1e-6 * max(1, abs(value)) for n in stated.numbers for value in grounds.values
    )
    holds = holds or any(grounds.date(span.date) for span in stated.dates)
    holds = holds or any(value in fold(statement) for value in grounds.said)
    if not holds:
        return CheckResult("unsupported", ("the cited calculation does not state this",), hard=True)
    reasons = [
        f"“{statement[n.start : n.end]}”: the calculation does not give this number"
        for n in stated.numbers
        if not counts_things(statement, n) and not grounds.number(n, statement)
    ]
    reasons += [
        f"“{name}”: the calculation does not name it"
        for name in stated.names
        if fold(name) not in fold(question) and not naming.name(name, question)
    ]
    return CheckResult("unsupported", tuple(reasons), hard=True) if reasons else CheckResult("computed")


def _particulars(
    statement: str, stated: Particulars, grounds: Grounds, naming: Grounds, question: str, *, own: Language
) -> tuple[list[str], bool]:
    """The particulars no source carries, with why, and whether a calculation carries one."""
    reasons: list[str] = []
    ways: list[str] = []
    same = any(source.language == own for source in grounds.sources)
    for span in stated.dates:
        for date in (span.date, span.until):
            if date is not None:
                ways.append(grounds.date(date))
                if not ways[-1]:
                    reasons.append(f"“{statement[span.start : span.end]}”: no cited source gives this date")
    days = {day for source in grounds.sources for day in source.days}
    reasons += [f"month {m}, day {d}: no cited source gives this day" for m, d in stated.days if (m, d) not in days]
    months = {month for source in grounds.sources for month in source.months}
    dated = {span.date.month for span in stated.dates} | {month for month, _ in stated.days}
    reasons += [f"month {m}: no cited source gives this month" for m in stated.months if m not in months | dated]
    periods = (statement[one.start : one.end] for one in stated.periods if not grounds.period(one))
    reasons += [f"“{period}”: no cited source names it or a year of it" for period in periods]
    for number in stated.numbers:
        if counts_things(statement, number):
            continue
        ways.append(grounds.number(number, statement) or "computed" * follows(number, statement, grounds))
        if not ways[-1]:
            reasons.append(f"“{statement[number.start : number.end]}”: no cited source gives this number")
    reasons += [f"“{v}”: no cited source gives this version" for v in stated.versions if not grounds.version(v)]
    codes = (code for code in stated.codes if not grounds.code(code, same_language=same))
    reasons += [f"“{code}”: it stands in no cited source" for code in codes]
    reasons += _naming(stated, grounds, naming, question, own)
    return reasons, "computed" in ways


def _coded(text: str, grounds: Grounds) -> Iterator[str]:
    """Commands and identifiers in code spans that no source has."""
    for code in _CODE.findall(text):
        for token in code.split():
            word = fold(token).strip("\"'.,;:").removesuffix("()")  # a call, whatever its arguments
            if word and not any(
                re.search(rf"(?a:(?<!\w){re.escape(word)}(?!\w))", source.text) for source in grounds.sources
            ):
                yield f"`{token}`: it stands in no cited source"


def _strange(statement: str, grounds: Grounds) -> Iterator[str]:
    """Latin words in small letters of a Chinese statement, names of software mostly, that no source has."""
    for word in _LATIN.findall(statement) if detect_language(statement) == "zh" else ():
        if not any(word in source.text for source in grounds.sources):
            yield f"“{word}”: it stands in no cited source"


def _naming(stated: Particulars, grounds: Grounds, naming: Grounds, question: str, own: Language) -> Iterator[str]:
    """Names, countries and quoted words that no source carries."""
    for name in stated.names:
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
            yield f"“{quote}”: these words stand in no cited source"


def _on_topic(statement: str, grounds: Grounds) -> bool:
    """Whether the sources have any word of a statement, or it has too few to tell."""
    words = {word for word in content_words(statement) if not word[0].isdigit()}
    return len(words) < 4 or bool(matched(words, grounds.keys)) or grounds.calculates


def _quoted(statement: str, grounds: Grounds) -> bool:
    """Whether a source says a statement word for word, and not behind a denial."""
    words = fold(statement).strip(" .。\"'“”")
    places = ((source.text, source.text.find(words)) for source in grounds.sources)
    return len(words) >= 12 and any(
        at >= 0 and not _DENIED_BEFORE.search(text[max(0, at - 12) : at]) for text, at in places
    )
