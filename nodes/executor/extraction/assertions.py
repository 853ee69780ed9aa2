"""Rule by which a clause of prose states the value that a question asks for.

"Acme Tower was founded in 1900" answers "When was Acme Tower founded?": the clause has every content word of the
question and exactly one value of the requested type, and nothing stands between them but filler words and units.
Inflections and the other words of a relation count as its words. A title, heading, pronoun or preceding clause may
stand for the subject, never for anything else. A clause that denies or hedges states nothing, nor does one of a
sentence with a second value that may be meant.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from weiwo.nodes.executor.extraction.asked_value import AskedValue
from weiwo.nodes.executor.extraction.clauses import LONGEST_SENTENCE, Sentence, Token, is_alike
from weiwo.nodes.executor.extraction.entity_matching import Page, Span, plain
from weiwo.nodes.executor.extraction.stated_value import StatedValue
from weiwo.text.data_files import data_pattern, data_words
from weiwo.text.language import HAN
from weiwo.text.numbers import NumberSpan
from weiwo.text.patterns import lazy
from weiwo.text.terms import terms

_RELATIVE: Final = lazy(r"[\s,]*(?:which|who|whose|where|when)\s")
_APPOSED: Final = lazy(
    r"\s*(?:[Tt]he|[Aa]n?)\s(?:(?!(?:of|by|for|in|on|at|to|from|with|and|or|that)\s)[a-z][a-z'’-]{0,30}\s){1,3}"
)
"""Description in front of a name: "The writer" of "The writer Ada Smith"."""
_COPULA: Final = lazy(r"\s*(?:is|are|was|were|[:：=]|[是为])?\s*(?:now|currently|set at|exactly)?\s*")
_HAN_RUN: Final = lazy(f"[{HAN}]+")
_GOES_ON_HAN: Final = data_pattern("extraction", "assertions", "goes_on_zh")
_APPOSED_HAN: Final = data_pattern("extraction", "assertions", "apposed_zh")
_REPORTS_HAN: Final = data_pattern("extraction", "assertions", "reports_zh")
_PLACE_HAN: Final = lazy(rf"[在于][{HAN}·]{{1,10}}")
_OF_A_LIFE: Final = frozenset({"birth", "death"})
"""Relations for events in a person's life. A place may stand between the verb and the date: "born in Leeds in 1900"."""
_VERBS: Final = data_words("extraction", "assertions", "idle")
_UNSURE: Final = data_pattern("extraction", "stated_value", "unsure")
_ROUGHLY: Final = data_pattern("extraction", "assertions", "roughly")
_MORE_HAN: Final = lazy("[多余餘]")
_RANGE_AHEAD: Final = lazy(r"\d\s?\S{0,3}(?:[–~～-]|\bto|\bor|\band|至|到|或)\s?$")
_RANGE_BEHIND: Final = lazy(r"\s?(?:[–~～-]|to|or|and|至|到|或)\s?\d")
_CUT_OFF: Final = lazy(r"[.…]{1,3}")
_ENDS_FIGURE: Final = data_pattern("extraction", "assertions", "ends_figure")
_AWAY: Final = lazy(r"\b(?:from|to|near|by|off|past|beyond)\s")
_RATE: Final = lazy(r"\s?[^\W\d_]{1,6}/[^\W\d_]{1,4}")
_BEFORE_NAME: Final = lazy(r"(?:\b(?:is|are|was|were|by|as|in|at|named|called)|[:：=]|[是为由叫在于])\s*$")
_BEHIND_NAME: Final = lazy(r"\s(?:is|was)\b|是|担任")
_VERB_BEHIND: Final = lazy(r"\s(?:is|was|are|were|has|had)\b")
_MORE_NAME: Final = lazy(r"\s?(?:[A-Z]|['’]s?\b|of\b|and\b|or\b)|[的和与及、·]")
_BEHIND_HAN_NAME: Final = lazy("[于在是任担出逝去]")


def stated_values(asked: AskedValue, page: Page, headings: Sequence[str]) -> Iterator[tuple[str, StatedValue]]:
    """Yield the values that a page states for a question, each with the sentence. Nothing if there are none.

    Args:
        asked: The question.
        page: The passage, matched against the question's subject.
        headings: The headings above the passage.
    """
    for number, (start, end) in enumerate(page.spans):
        sentence = Sentence(page, asked, number)
        if page.text[start:end].endswith(("?", "？")) or sentence.is_heading or not sentence.values:
            continue
        for span in sentence.clauses:
            if (found := _read_clause(sentence, span, headings)) is not None:
                yield page.text[start : min(end, start + LONGEST_SENTENCE)], found


def _read_clause(sentence: Sentence, span: Span, headings: Sequence[str]) -> StatedValue | None:
    """Return the value that a clause states for the question.

    None if it states none, if it is about something else, or if another value of the sentence may be meant.

    Args:
        sentence: The sentence.
        span: The clause.
        headings: The headings above the passage.
    """
    tokens, asked = sentence.tokens(span), sentence.asked
    values = [token for token in tokens if token.role == "V"]
    if len(values) != 1 or _UNSURE.search(sentence.text, *span) or not _has_words(sentence, tokens):
        return None
    core = [at for at, token in enumerate(tokens) if token.role in "SAV"]
    between = tokens[core[0] : core[-1] + 1]
    verb = next((token.start for token in between if token.role == "A"), 0)
    defined = sentence.definition_before(verb) or verb  # "is a chain" of "is a chain founded in 1958"
    between = [token for token in between if not defined <= token.start < verb]
    if not _opens_plainly(sentence, span[0], tokens[: core[0] + 1]) or _has_obstacle(sentence, between):
        return None
    if asked.kind == "any":
        # A value of unknown type has to follow a copula directly, after the words before.
        before = max((token.end for token in tokens if token.role in "SA" and token.end <= values[0].start), default=-1)
        if before < 0 or not _COPULA.fullmatch(sentence.text, before, values[0].start):
            return None
    if not _names_subject(sentence, tokens) and not _carries_subject(sentence, span, headings):
        return None
    if asked.whole and any(start < span[0] for start, _ in sentence.name_spans):
        return None  # the value belongs to a thing named before the clause
    if any(other != span and _is_rival(sentence, other) for other in sentence.clauses):
        return None
    return _read_value(sentence, values[0], (tokens[core[-1]].end, span[1]))


def _opens_plainly(sentence: Sentence, start: int, tokens: Sequence[Token]) -> bool:
    """Report whether no unknown word stands before the first of subject, attribute and value of a clause.

    Such a word may limit the statement, as "Half" in "Half of Acme". A description of a named subject ("The writer Ada
    Smith") is accepted. In Chinese, so is the source of an announcement or measurement.

    Args:
        sentence: The sentence.
        start: Start of the clause.
        tokens: Words of the clause up to the first of subject, attribute and value.
    """
    first, strange = tokens[-1], [token for token in tokens[:-1] if token.role == "X"]
    if not strange or first.role != "S" or sentence.asked.subject:
        return not strange
    if sentence.is_han:
        return len(strange) == 1 and _REPORTS_HAN.search(sentence.text[strange[0].start : first.start]) is not None
    return _APPOSED.fullmatch(sentence.text, start, first.start) is not None


def _has_words(sentence: Sentence, tokens: Sequence[Token]) -> bool:
    """Report whether a clause has a word for the relation, if required, and the other required words."""
    asked = sentence.asked
    told = [sentence.text[token.start : token.end] for token in tokens if token.role in "AV"]
    said = [sentence.text[token.start : token.end] for token in tokens if token.role in "ASV"]
    held, joined = {term for words in said for term in terms(words)}, "".join(said)
    return (
        (not asked.says or any(map(asked.states_relation, told)))
        and all(any(is_alike(word, other) for other in held) for word in asked.words)
        and all(run in joined for run in asked.runs)
        and (not asked.whole or asked.subject <= held)
    )


def _names_subject(sentence: Sentence, tokens: Sequence[Token]) -> bool:
    """Report whether a clause names the subject in full. True for a question without a subject."""
    asked = sentence.asked
    said = [token for token in tokens if token.role in "SA"]
    held = {term for token in said for term in terms(sentence.text[token.start : token.end])}
    named = any(token.role == "S" for token in said) or (asked.whole and bool(asked.subject))
    return not sentence.page.subject.key or (named and asked.subject <= held)


def _has_obstacle(sentence: Sentence, between: Sequence[Token]) -> bool:
    """Report whether an unknown word stands between subject, attribute and value, and so may change the statement.

    For a date, a Chinese place such as 于北京 is no obstacle. For a date of birth or death, no place name is.

    Args:
        sentence: The sentence.
        between: Words of the clause from the first to the last of subject, attribute and value.
    """
    asked, text = sentence.asked, sentence.text
    strange = [(token.start, token.end) for token in between if token.role == "X"]
    if asked.kind != "date":
        return bool(strange)
    strange = [span for span in strange if not _PLACE_HAN.fullmatch(text, *span)]
    places = [span for span in sentence.name_spans if span not in sentence.others]
    life = asked.relation is not None and asked.relation.name in _OF_A_LIFE
    return any(not life or not any(a <= start and end <= b for a, b in places) for start, end in strange)


def _carries_subject(sentence: Sentence, span: Span, headings: Sequence[str]) -> bool:
    """Report whether a clause that does not name the subject is still about it.

    It may continue an earlier clause ("Acme grew and was sold in 1960"), or begin with a pronoun or a word for the
    subject's kind ("The tower was built in 1900") on a page about the subject. False if a heading or name points to
    something else.

    Args:
        sentence: The sentence.
        span: The clause.
        headings: The headings above the passage.
    """
    head, page, asked = sentence.head(span), sentence.page, sentence.asked
    before = [clause for clause in sentence.clauses if clause[1] <= span[0] and sentence.head(clause)]
    if before:
        return _goes_on(sentence, before, span)
    if asked.alone:
        return False
    behind = next((clause for clause in sentence.clauses if clause[0] >= span[1] and sentence.head(clause)), None)
    if head not in {"P", "K"} and behind and not sentence.is_han:  # "With a length of 9 km, it is …"
        return _leads(sentence, behind)
    known = {*terms(page.title), *terms(page.subject.text), *asked.words, *asked.stems}
    if headings and not known.issuperset(terms(headings[-1])):
        return False
    if head == "K":
        return page.has_matching_title
    # Names after the clause do not matter.
    return sentence.follows and not any(start < span[1] for start, _ in sentence.others)


def _leads(sentence: Sentence, span: Span) -> bool:
    """Report whether a clause begins with the subject, as a name, pronoun or word for its kind ("the tower")."""
    head = sentence.head(span)
    return head == "S" or (head == "P" and sentence.follows) or (head == "K" and sentence.page.has_matching_title)


def _goes_on(sentence: Sentence, before: Sequence[Span], span: Span) -> bool:
    """Report whether a clause continues earlier clauses of the sentence that are about the subject.

    Args:
        sentence: The sentence.
        before: The earlier clauses with content.
        span: The clause.
    """
    text = sentence.text
    bare = all(token.role in "SF" for token in sentence.tokens(before[-1]))
    if _RELATIVE.match(text, *span):
        return bare and sentence.head(before[-1]) == "S"
    if len(before) == 2 and text.isascii() and all(token.role in "SF" for token in sentence.tokens(before[0])):
        return sentence.head(before[0]) == "S" and not _RELATIVE.match(text, *before[1])  # "The author, Ann Berg, was"
    if not _leads(sentence, before[0]):
        return False
    for start, end in before[1:]:
        if sentence.is_han:
            said = text[next(token.start for token in sentence.tokens((start, end)) if token.role not in "DV") : end]
            if not _GOES_ON_HAN.match(said) and not _APPOSED_HAN.fullmatch(said):
                return False
        elif any(start <= a and b <= end for a, b in sentence.others):
            return False
    return True


def _is_rival(sentence: Sentence, span: Span) -> bool:
    """Report whether a clause has a value, but no subject, attribute or verb of its own, as "or in 1960".

    Such a value may be meant instead of the value of the clause before.
    """
    tokens = sentence.tokens(span)
    told = [token for token in tokens if not any(a <= token.start and token.end <= b for a, b in sentence.name_spans)]
    verbs = any(token.role == "F" and plain(sentence.text[token.start : token.end]) in _VERBS for token in told)
    return any(token.role == "V" for token in tokens) and {token.role for token in told} <= set("VFD") and not verbs


def _read_value(sentence: Sentence, value: Token, rest: Span) -> StatedValue | None:
    """Return a value in data form: a date as "1900-05", a figure as a number, a name as written.

    None for a range ("1900–1910"), a truncated figure, and a part of a longer name.

    Args:
        sentence: The sentence.
        value: The value.
        rest: Span from the last of value, subject and attribute to the end of the clause.
    """
    shown = sentence.text[value.start : value.end].strip()
    date = next((date for date in sentence.dates if date.start == value.start), None)
    if sentence.asked.kind == "name":
        return StatedValue(shown, shown, value.start, value.end) if _is_whole_name(sentence, value) else None
    if date is not None:
        stated = StatedValue(date.date.iso(), shown, value.start, value.end, approximate=date.approximate)
        return stated if date.until is None else None
    number = next((number for number in sentence.numbers if number.start == value.start), None)
    return _read_figure(sentence, number, shown, rest) if number is not None else None


def _is_whole_name(sentence: Sentence, value: Token) -> bool:
    """Report whether a name is all that a clause gives as the answer.

    It must stand beside a verb or a word like "by", and must not go on as a longer name ("Acme" in "Acme and Sons").
    """
    text = sentence.text
    beside = _BEFORE_NAME.search(text, max(0, value.start - 12), value.start) or _BEHIND_NAME.match(text, value.end)
    inside = _VERB_BEHIND.match(text, value.end) and text[: value.start].strip()  # "the office in Oslo is closed"
    if not beside or inside or _MORE_NAME.match(text, value.end):
        return False
    if not _HAN_RUN.match(text, value.end) or _BEHIND_HAN_NAME.match(text, value.end):
        return True
    return any(token.start == value.end and token.role == "A" for token in sentence.tokens((value.start, len(text))))


def _read_figure(sentence: Sentence, number: NumberSpan, shown: str, rest: Span) -> StatedValue | None:
    text = sentence.text
    ahead = text[max(0, number.start - 24) : number.start]
    cut = sentence.is_han and _CUT_OFF.fullmatch(text, number.end)  # 14. of 14.1亿
    if cut or _RANGE_BEHIND.match(text, number.end) or _RANGE_AHEAD.search(ahead):
        return None
    if sentence.is_han:
        if any(token.role == "X" for token in sentence.tokens(rest)):
            return None
    elif _AWAY.search(text, number.end, rest[0]) or (
        rest[0] <= number.end and not _ENDS_FIGURE.match(text[rest[0] : rest[1]])
    ):
        return None
    rate = _RATE.match(text, number.end) if number.unit is None else None
    return StatedValue(
        number.value,
        shown + (rate[0] if rate else ""),
        number.start,
        number.end,
        number.unit or "",
        approximate=bool(_ROUGHLY.search(ahead)) or _MORE_HAN.search(text, number.start, number.end + 1) is not None,
        years=tuple(date.date.year for date in sentence.dates if date.date.year > 0),
    )
