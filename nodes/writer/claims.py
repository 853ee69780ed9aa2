"""The claim check, in code: whether what an answer states occurs in what it cites.

Each sentence is a claim. Its numbers, dates and names have to occur in the passages it cites, or follow from a
calculation that it cites; its words have to be about the same thing; and it must not deny what they affirm. The check
is deliberately strict about particulars and lenient about wording: a wrong figure is what misleads a reader most.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from weiwo.nodes.shared.citation_marks import CitationMark, blank_marks
from weiwo.nodes.writer.claim_particulars import (
    Grounds,
    Particulars,
    carries_code,
    carries_date,
    carries_name,
    carries_number,
    collect_grounds,
    find_particulars,
)
from weiwo.state import Claim, Evidence, Language, Outcome, Verdict
from weiwo.text.language import detect_language, sentences
from weiwo.text.negation import is_negated
from weiwo.text.numbers import NumberSpan
from weiwo.text.patterns import lazy
from weiwo.text.terms import coverage, terms

LARGEST_COUNT: Final = 12
LEAST_OVERLAP: Final = 0.3
"""Share of a claim's content words that its passages must contain."""

_NOT_FOUND: Final = lazy(
    r"(?i)\b(?:could not|cannot|can't|couldn't|unable to|did not|didn't|does not|doesn't|do "
    r"not|don't) (?:be )?(?:find|found|determine[d]?|"
    r"establish(?:ed)?|say|state|answer(?:ed)?|mention|give|contain|cover|name|tell)\b|\b(?:no|"
    r"none of the) (?:passages?|sources?|documents?|information|"
    r"evidence|answer|results?)\b|\bnot (?:found|mentioned|stated|given|answered|known from|"
    r"in the (?:passages|sources))\b"
    r"|没有?找到|未找到|未能找到|找不到|没有提到|没有提及|未提及|未提到|没有给出|没有回答|没有说明|未说明|无法(?:确定|回答|判断|得知)|资料中没有|没有相关|没有资料|未查到|查不到"
)


def check_claims(
    text: str,
    sources: Mapping[int, Sequence[Evidence]],
    computed: Mapping[int, Outcome] | None = None,
    *,
    language: Language = "en",
    question: str = "",
) -> list[Claim]:
    """Check every sentence of an answer against what it cites.

    Args:
        text: The answer, or a piece of it, with citation marks.
        sources: The passages behind each number.
        computed: The calculations behind each number.
        language: The answer's language, for sentences that are too short to tell.
        question: The user's question; its names need not recur in the same form.

    Returns:
        One claim a sentence, in order, with its marks taken out. `citations` holds the numbers that exist; a claim that
        cites another number is `unsupported`.
    """
    calculations = computed or {}
    return [
        _claim(sentence, numbers, sources, calculations, language, question)
        for sentence, numbers in _cited_sentences(text)
    ]


def _cited_sentences(text: str) -> list[tuple[str, tuple[int, ...]]]:
    """Sentences without marks, each with the numbers it cites; a mark behind a full stop belongs to what it follows."""
    plain, marks = blank_marks(text)
    spans = [(a, b) for a, b in sentences(plain) if re.search(r"\w", plain[a:b])]
    cited: list[list[int]] = [[] for _ in spans]
    position = 0
    for mark in marks:
        while position + 1 < len(spans) and spans[position + 1][0] <= mark.start:
            position += 1
        if spans:
            cited[position] += mark.numbers
    return [
        (_tidy(plain[a:b], [m for m in marks if a <= m.start < b]), tuple(dict.fromkeys(numbers)))
        for (a, b), numbers in zip(spans, cited, strict=True)
    ]


def _tidy(sentence: str, marks: Sequence[CitationMark]) -> str:
    if not marks:
        return sentence
    return re.sub(r" (?=[.,;:!?。，；：！？）)]|$)", "", re.sub(r" {2,}", " ", sentence)).strip()


def _claim(
    sentence: str,
    numbers: tuple[int, ...],
    sources: Mapping[int, Sequence[Evidence]],
    computed: Mapping[int, Outcome],
    language: Language,
    question: str,
) -> Claim:
    existing = tuple(n for n in numbers if n in sources or n in computed)
    stated = find_particulars(sentence)
    verdict: Verdict
    if len(existing) < len(numbers):
        verdict = "unsupported"
    elif not existing:
        verdict = "uncited" if stated.empty or _says_not_found(sentence, stated, question) else "unsupported"
    else:
        passages = [passage for n in existing for passage in sources.get(n, ())]
        calculations = [computed[n] for n in existing if n in computed]
        ground = collect_grounds(passages, calculations)
        behind = {key for outcome in calculations for key in outcome.evidence_ids}
        inputs = [passage for found in sources.values() for passage in found if passage.id in behind]
        naming = collect_grounds([*passages, *inputs], calculations) if inputs else ground
        verdict = _verdict(sentence, stated, ground, naming, language, question)
    return Claim(text=sentence, citations=existing, verdict=verdict)


def _says_not_found(sentence: str, stated: Particulars, question: str) -> bool:
    """Whether a sentence only says that something was not found; figures in it must be the question's own."""
    if not _NOT_FOUND.search(sentence):
        return False
    asked = find_particulars(question)
    years = {span.date for span in asked.dates}
    values = {span.value for span in asked.numbers}
    return (
        all(span.date in years for span in stated.dates)
        and all(span.value in values for span in stated.numbers)
        and all(code in asked.codes for code in stated.codes)
    )


def _verdict(
    sentence: str, stated: Particulars, ground: Grounds, naming: Grounds, language: Language, question: str
) -> Verdict:
    """The verdict on a sentence; names may also come from the inputs of a calculation it cites (`naming`)."""
    own = detect_language(sentence) if re.search(r"\w{2}", sentence) else language
    same = any(spoken == own for _, spoken in ground.passages)
    if _says_not_found(sentence, stated, question):
        return "uncited"
    ways = [carries_date(ground, date) for span in stated.dates for date in (span.date, span.until) if date is not None]
    ways += [carries_number(ground, number) for number in stated.numbers if not _counts_things(sentence, number)]
    if not all(ways):
        return "unsupported"
    if not all(carries_code(ground, code, same_language=same) for code in stated.codes):
        return "unsupported"
    if not all(carries_name(naming, name, question) for name in stated.names):
        return "unsupported"
    if same and not _on_topic(sentence, ground):
        return "unsupported"
    if same and _flipped(sentence, ground):
        return "unsupported"
    if "computed" in ways or not ground.passages:
        return "computed" if ground.computed_numbers or ground.computed_dates or not stated.empty else "supported"
    return "supported"


def _counts_things(sentence: str, number: NumberSpan) -> bool:
    """Whether a small number only counts what the answer is about: "the oldest of the three", "三人中"."""
    if number.percent or not 1 < number.value <= LARGEST_COUNT or number.value != int(number.value):
        return False
    before, after = sentence[: number.start], sentence[number.end :]
    return bool(
        re.search(r"(?i)\b(?:of|all|these|those|both|among) (?:the |these |those )?$", before)
        or (re.search(r"(?i)\bthe $", before) and re.match(r"(?i)[,.;]|\s+(?:is|are|was|were|has|have|had)\b", after))
        or re.search(r"[这那]$", before)
        or re.match(r"[一二三四五六七八九十两\d]+个?[人者位座条部国]?(?:之?中|里|都|均|当中)", sentence[number.start :])
    )


def _on_topic(sentence: str, ground: Grounds) -> bool:
    wanted = set(terms(sentence))
    return len(wanted) < 3 or coverage(wanted, ground.terms) >= LEAST_OVERLAP or bool(ground.computed_numbers)


def _flipped(sentence: str, ground: Grounds) -> bool:
    """Whether the sentence denies what its passages state, or states what they deny."""
    denies = is_negated(sentence)
    wanted = set(terms(sentence))
    if not wanted:
        return False
    close: list[tuple[float, float, bool]] = []
    for passage, _ in ground.passages:
        # The title's words may stand as a pronoun in the passage, so they tell nothing about likeness.
        known = set(terms(passage.title))
        for start, end in sentences(passage.text)[:600]:
            said = passage.text[start : min(end, start + 2_000)]
            there = set(terms(said))
            shared = coverage(wanted, there | known)
            if shared >= 0.4:
                union = (wanted | there) - known
                close.append((shared, len((wanted & there) - known) / max(1, len(union)), is_negated(said)))
    if denies:
        return bool(close) and not any(there for _, _, there in close)
    best = max(close, key=lambda found: (found[1], found[0]), default=None)
    return best is not None and best[2] and best[1] >= 0.75
