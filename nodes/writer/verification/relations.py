"""Relations in a claim against its sources: which of two is more, who did what to whom, and which value is whose."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from weiwo.nodes.writer.verification.clauses import Clause, content_words, match_keys, split_clauses
from weiwo.nodes.writer.verification.grounds import Grounds, Source, same_number, to_common_unit
from weiwo.nodes.writer.verification.particulars import is_han, name_words, stated_names
from weiwo.text.common_words import is_common
from weiwo.text.dates import find_dates
from weiwo.text.language import HAN, fold
from weiwo.text.names import names
from weiwo.text.numbers import NumberSpan, find_numbers
from weiwo.text.patterns import lazy
from weiwo.text.terms import stem

# --- comparisons ---

_GREATER: Final = ["longer", "higher", "taller", "larger", "bigger", "greater", "heavier", "deeper", "wider", "more", "most", "oldest-number", "longest", "highest", "tallest", "largest", "biggest", "heaviest", "deepest", "widest", "costlier", "dearer", "exceeds", "exceeded", "outnumbers", "hotter", "warmer"]  # fmt: skip
_LESSER: Final = ["shorter", "lower", "smaller", "lighter", "shallower", "narrower", "less", "fewer", "least", "shortest", "lowest", "smallest", "lightest", "cheaper", "cheapest", "colder", "cooler"]  # fmt: skip
_EARLIER: Final = ["older", "oldest", "earlier", "earliest", "before", "first", "predates"]
_LATER: Final = ["younger", "youngest", "later", "latest", "after", "newer", "newest"]
_COMPARATIVE: Final = lazy(
    r"(?i)\b(?:(?P<less>less|least) (?:expensive|common|frequent|populous|\w+)|(?P<word>"
    + "|".join([*_GREATER, *_LESSER, *_EARLIER, *_LATER])
    + r"))\b"
)
_HAN_COMPARATIVE: Final = lazy(
    r"(?P<greater>更?(?:大于|高于|长于|多于|重于|超过|更大|更高|更长|更多|更重|更贵|更深|更宽|更快))|(?P<lesser>小于|低于|短于|少于|轻于|更小|更低|更短|更少|更轻|更便宜|更浅)"
    r"|(?P<earlier>早于|更早|年长|年纪更?大|更年长|先于)|(?P<later>晚于|更晚|年轻|年纪更?小|更年轻)"
    r"|比[^，。；]{1,30}?(?:(?P<g>[大高长多重贵深宽])|(?P<l>[小低短少轻浅]|便宜)|(?P<e>早|老)|(?P<n>晚))"
)
_NO_ORDER: Final = lazy(
    r"(?i)\b(?:no|not|never|n't)\s(?:\w+\s)?(?:later|earlier|more|less|longer|older)\b|\bat (?:least|most)\b|\bmore or less\b|\bno longer\b|\bor (?:more|less|later|earlier|older|newer|higher|lower)\b|不比|并不|\bmore than \d|\bless than \d|\bfewer than \d|\bbefore \d|\bafter \d|\bnever\b"
)
_DIMENSIONS: Final = {
    "older": "date", "oldest": "date", "younger": "date", "youngest": "date", "earlier": "date", "earliest": "date",
    "later": "date", "latest": "date", "longer": "m", "longest": "m", "shorter": "m", "taller": "m", "higher": "m",
    "deeper": "m", "wider": "m", "heavier": "kg", "heaviest": "kg", "lighter": "kg", "larger": "m²", "largest": "m²",
    "bigger": "m²", "smaller": "m²", "smallest": "m²", "before": "date", "after": "date",
    "cheaper": "money", "cheapest": "money", "expensive": "money",
}  # fmt: skip
_HAN_DIMENSIONS: Final = {"早": "date", "晚": "date", "年": "date", "老": "date", "重": "kg", "轻": "kg", "贵": "money", "宜": "money", "长": "m", "短": "m", "高": "m", "深": "m"}  # fmt: skip
_NOUNS: Final = {"deeper": "deep depth", "longer": "long length", "longest": "long length", "taller": "tall high height", "higher": "high height elevation", "wider": "wide width"}  # fmt: skip
_BORN: Final = lazy(r"(?i)\bborn\b|[（(]|生于|出生")


@dataclass(frozen=True)
class _Order:
    """What a comparison says: 1 where the first is more (later), -1 where it is less (earlier)."""

    sense: int
    dimension: str
    start: int
    end: int
    word: str


def find_reversed(statement: str, grounds: Grounds) -> Iterator[str]:
    """Comparisons the wrong way round: by the two values the statement gives, else by those its sources give."""
    if _NO_ORDER.search(statement):
        return
    order = _order(statement)
    if order is None:
        return
    values = _two_values(statement, order)
    if values is None:
        values = _known_values(statement, order, grounds)
    if values is not None and values[0] != values[1] and (values[0] > values[1]) != (order.sense > 0):
        yield f"“{order.word}”: the values say the reverse"


def _order(statement: str) -> _Order | None:
    found = _COMPARATIVE.search(statement)
    if found is not None:
        written = (found["word"] or "").lower()
        behind = statement[found.end() : found.end() + 14].strip().split(" ")[0].lower().strip(",.;")
        if found["less"]:
            said = found[0].split()[-1].lower()
            return _Order(
                -1, _DIMENSIONS.get(said, "") if said == "expensive" else "", found.start(), found.end(), found[0]
            )
        if (
            written in {"before", "after", "first", "most", "more"}
            and behind in {"the", "that", "a", "of"}
            and written == "first"
        ):
            return None
        dimension = _DIMENSIONS.get(behind if written in {"more", "most"} else written, "")
        sense = 1 if written in {*_GREATER, *_LATER} else -1
        return _Order(sense, dimension, found.start(), found.end(), found[0])
    han = _HAN_COMPARATIVE.search(statement)
    if han is None:
        return None
    sense = 1 if any(han[name] for name in ("greater", "later", "g", "n")) else -1
    said = next(filter(None, (han[name] for name in ("greater", "lesser", "earlier", "later", "g", "l", "e", "n"))))
    dimension = next((kind for sign, kind in _HAN_DIMENSIONS.items() if sign in said), "")
    return _Order(sense, dimension, han.start(), han.end(), han[0])


def _two_values(statement: str, order: _Order) -> tuple[float, float] | None:
    """The two values of one kind that a statement gives, in order of its two sides."""
    dates = [span for span in find_dates(statement) if span.until is None]
    dated = [(span.start, span.end) for span in dates]
    if len(dates) == 2 and order.dimension in {"date", ""}:
        first, second = ((span.date.year, span.date.month or 0, span.date.day or 0) for span in dates)
        if order.dimension == "date":
            return (1.0, 0.0) if first > second else (0.0, float(first != second))
    if order.dimension == "date":
        return None
    numbers = [n for n in find_numbers(statement) if not any(a < n.end and n.start < b for a, b in dated)]
    kinds = {to_common_unit(n)[1] for n in numbers}
    if len(numbers) != 2 or len(kinds) != 1 or not _contrasted(statement, numbers):
        return None
    return to_common_unit(numbers[0])[0], to_common_unit(numbers[1])[0]


def _contrasted(statement: str, numbers: Sequence[NumberSpan]) -> bool:
    """Whether the two values are those of the two sides: set against each other, or each behind its own."""
    between = statement[numbers[0].end : numbers[1].start]
    return bool(
        re.search(r"(?i)\b(?:against|versus|vs|compared|than|while|whereas|to|for)\b|对|，|而|,", between)
        and not re.search(r"(?i)\bby\s$", statement[: numbers[0].start])
    )


def _known_values(statement: str, order: _Order, grounds: Grounds) -> tuple[float, float] | None:
    """The values that sources give of the two named things that a statement compares."""
    if not order.dimension:
        return None
    things = _things(statement, grounds)
    if len(things) != 2:
        return None
    found = [_values_of(thing, order, grounds) for thing in things]
    if any(len(values) != 1 for values in found):
        return None
    return found[0].pop(), found[1].pop()


def _things(statement: str, grounds: Grounds) -> list[str]:
    """The two things a comparison names, in its order."""
    rivals = [source.title for source in grounds.sources]
    found: dict[str, int] = {}
    for name in names(statement):
        if name.text.isascii() and " " not in name.text and is_common(name.text) and name.start == 0:
            continue
        found.setdefault(name.text, name.start)
    for title in rivals:
        for part in (title, *([title.split()[-1]] if title.isascii() and title else [])):
            at = statement.find(part) if len(part) > 1 else -1
            if at >= 0 and not any(start <= at < start + len(text) or text in part for text, start in found.items()):
                found[part] = at
    return sorted(found, key=lambda text: found[text])


def _values_of(thing: str, order: _Order, grounds: Grounds) -> set[float]:
    words = set(name_words(thing)) or {fold(thing)}
    found: set[float] = set()
    for source in grounds.sources:
        titled = _names_it(words, thing, source.title)
        for clause in source.sentences:
            if titled or _names_it(words, thing, clause.text):
                found |= _values_in(clause.text, order)
                if found and order.dimension == "date":
                    break
    return found


def _names_it(words: set[str], thing: str, text: str) -> bool:
    return fold(thing) in fold(text) or (not is_han(thing) and words <= set(re.findall(r"\w+", fold(text))))


def _values_in(text: str, order: _Order) -> set[float]:
    if order.dimension == "date":
        spans = find_dates(text)
        if not spans or not (_BORN.search(text) or len(spans) == 1):
            return set()
        date = spans[0].date
        return {date.year + (date.month or 0) / 100 + (date.day or 0) / 10_000}
    numbers = [n for n in find_numbers(text) if to_common_unit(n)[1] == order.dimension]
    if order.word.lower() in _NOUNS and len(numbers) > 1:
        near = [
            n
            for n in numbers
            if re.search(
                r"(?i)\b(?:" + "|".join(_NOUNS[order.word.lower()].split()) + r")\b",
                text[max(0, n.start - 30) : n.end + 12],
            )
        ]
        numbers = (
            near
            if len(near) == 1
            else [
                n
                for n in near
                if re.search(
                    r"(?i)^\W*(?:" + "|".join(_NOUNS[order.word.lower()].split()) + r")\b", text[n.end : n.end + 12]
                )
            ]
        )
    return {to_common_unit(n)[0] for n in numbers}


# --- who did what ---

_BY: Final = lazy(r"\bby\s(?:the\s|a\s|an\s)?")
_BE: Final = frozenset(
    [
        "is",
        "was",
        "were",
        "are",
        "been",
        "being",
        "be",
        "am",
        "has",
        "had",
        "have",
        "did",
        "does",
        "do",
        "will",
        "would",
        "can",
        "may",
        "must",
    ]
)
_BETWEEN: Final = lazy(
    r"^\s*+(?:\([^()]{0,60}\)\s*+)?,?\s*+(?:who|which|that)?\s*+(?:(?:has|had|have|also|first|later|then|originally|again|did|does)\s)*([a-z]{2,20})\b(\s(?:by|[a-z]+ed)\b)?"
)
_VERB_BEFORE: Final = lazy(
    r"\b([a-z]{2,20})\s(?:(?:it|him|her|them|under|to|against|with|over|from|into|the|a|an|of|mill|[a-z]{3,12})\s){0,4}$"
)
_VERBAL: Final = lazy(
    r"(?:[a-z]{2,}(?:ed|s)|won|beat|lost|led|wrote|gave|bought|sold|taught|built|made|took|held|fed|found|founded|met|sent|paid|left|ran|sang|drew|became|overtook|chose|sell|give|buy|pay|lend|lent|owe|teach|study|beats)$"
)


@dataclass(frozen=True)
class _Roles:
    """Who does and who undergoes, by verb: pairs of the verb's keys and the words of a name."""

    agents: tuple[tuple[frozenset[str | int], frozenset[str], str], ...]
    objects: tuple[tuple[frozenset[str | int], frozenset[str], str], ...]


def _roles(text: str) -> _Roles:
    agents, objects = [], []
    found = [name for name in names(text) if name.text.isascii() or not re.search(f"[{HAN}]", name.text)]
    passive = [
        (match.end(), _participle(text[max(0, match.start() - 60) : match.start()])) for match in _BY.finditer(text)
    ]
    for name in found:
        words = frozenset(name_words(name.text))
        if not words:
            continue
        by = [verb for end, verb in passive if 0 <= name.start - end <= 30 and verb]
        if by:
            agents.append((match_keys(stem(by[-1])), words, text))
        behind = _BETWEEN.match(text[name.end : name.end + 90])
        if behind and behind[1] not in _BE and _VERBAL.match(behind[1]) and (behind[2] or "").strip() != "by":
            agents.append((match_keys(stem(behind[1])), words, text))
        elif behind and behind[1] in {"was", "were", "is", "are", "been"}:
            done = re.match(
                r"\s*(?:\w+ly\s)?([a-z]{3,20})\b", text[name.end + behind.end(1) : name.end + behind.end(1) + 40]
            )
            if done and _VERBAL.match(done[1]):
                objects.append((match_keys(stem(done[1])), words, text))
        before = text[max(0, name.start - 60) : name.start]
        if not by and (verb := _last_verb(before)):
            objects.append((match_keys(stem(verb)), words, text))
    return _Roles(tuple(agents), tuple(objects))


def _participle(before: str) -> str:
    """The verb before a "by", at most three words back."""
    words = re.split(r"[,.;:()]", before)[-1].split()[-3:]
    return next((word for word in reversed(words) if word not in _BE and _VERBAL.match(word)), "")


def _last_verb(before: str) -> str:
    """The verb whose object follows: the last one in the same clause, at most five words back, without a "by"."""
    words = re.split(r"[,.;:()]", before)[-1].split()[-5:]
    if "by" in words:
        return ""
    return next(
        (
            word
            for word in reversed(words)
            if word.isalpha()
            and word.islower()
            and _VERBAL.match(word)
            and word not in _BE
            and not (word.endswith("s") and not word.endswith("ds"))
        ),
        "",
    )


def _who(
    pairs: Sequence[tuple[frozenset[str | int], frozenset[str], str]], verb: frozenset[str | int]
) -> list[tuple[frozenset[str], str]]:
    return [(words, text) for keys, words, text in pairs if keys & verb]


def find_misplaced(statement: str, grounds: Grounds) -> Iterator[str]:
    """Names that stand where the sources have another: swapped roles, and values that belong to something else."""
    yield from _swapped(statement, grounds)
    yield from _swapped_han(statement, grounds)
    yield from _borrowed(statement, grounds)


def _swapped(statement: str, grounds: Grounds) -> Iterator[str]:
    claim = _roles(statement)
    if not claim.agents and not claim.objects:
        return
    known = [_roles(clause.text) for source in grounds.sources for clause in source.sentences[:120]]
    agents = [pair for roles in known for pair in roles.agents]
    objects = [pair for roles in known for pair in roles.objects]
    for verb, words, _ in claim.agents:
        doers, done = _who(agents, verb), _who(objects, verb)
        if any(words & other for other, _ in doers):
            continue
        if any(words & other for other, _ in done):
            yield f"“{' '.join(sorted(words))}”: in the sources it is the other way round"
        elif doers:
            rest = {
                key
                for word in content_words(statement)
                if word not in words and match_keys(word).isdisjoint(verb)
                for key in match_keys(word)
            }
            about = [text for other, text in doers if not rest or rest & Clause(text).keys]
            if about:
                yield f"“{' '.join(sorted(words))}”: the sources name another here"
    for verb, words, _ in claim.objects:
        if any(words & other for other, _ in _who(agents, verb)) and not any(
            words & other for other, _ in _who(objects, verb)
        ):
            yield f"“{' '.join(sorted(words))}”: in the sources it is the other way round"


_HAN_VERB: Final = "收购|击败|战胜|打败|执导|导演|设计|创办|创立|流入|流出|雇用|任命|提名|师从|教过|赠给|赠予|卖给|出售给|起诉|指控|批评|支持|反对|影响|翻译|改编|主演|抚养|救起|救出|采访|拜访|邀请|代表|取代|继承|撰写|击沉|隶属于|并入|担任|留在|离开|嫁给|资助"
_HAN_ROLES: Final = lazy(rf"(?:将|把)?({_HAN_VERB})了?([^，。；！？\s]{{0,20}})")
_HAN_STOP: Final = lazy(r"[，。；！？\s]")
_HAN_PASSIVE: Final = lazy(r"(.{1,24})[被由](.{1,16})")
_LONGEST_AGENT: Final = 41
"""Characters before a verb that are looked at."""


def _swapped_han(statement: str, grounds: Grounds) -> Iterator[str]:
    """Chinese clauses whose agent is the object of the same verb in the sources."""
    for verb, agent, object_ in _han_roles(statement):
        for source in grounds.sources:
            for clause in source.sentences[:120]:
                for other, who, whom in _han_roles(clause.text):
                    if other != verb:
                        continue
                    straight = _pairs(agent, who) + _pairs(object_, whom)
                    crossed = _pairs(agent, whom) + _pairs(object_, who)
                    if crossed > straight and crossed >= 1:
                        yield f"“{agent}”: in the sources it is the other way round"


def _han_roles(text: str) -> Iterator[tuple[str, str, str]]:
    """The verbs of a text, each with who does it and whom it is done to."""
    begin = 0
    for found in _HAN_ROLES.finditer(text):
        before = _HAN_STOP.split(text[max(begin, found.start() - _LONGEST_AGENT) : found.start()])[-1]
        begin = found.end()
        passive = _HAN_PASSIVE.fullmatch(before)
        if passive:
            yield found[1], passive[2], passive[1] + found[2]
        elif before:
            yield found[1], before, found[2]


def _pairs(one: str, other: str) -> int:
    return len({one[at : at + 2] for at in range(len(one) - 1)} & {other[at : at + 2] for at in range(len(other) - 1)})


# --- whose value ---


def _borrowed(statement: str, grounds: Grounds) -> Iterator[str]:
    """Figures that the sources give of something else than what stands beside them in the statement."""
    sentences = [(clause, source) for source in grounds.sources for clause in source.sentences[:200]]
    for part in split_clauses(statement):
        dated = [(span.start, span.end) for span in find_dates(part)]
        numbers = [
            n
            for n in find_numbers(part)
            if (n.unit or n.percent or n.value >= 13) and not any(a < n.end and n.start < b for a, b in dated)
        ]
        yield from _dates_of_another(part, sentences)
        yield from _beside_another(part, numbers, sentences)
        if len(numbers) != 1:
            continue
        number = numbers[0]
        rest = part[: number.start] + " " + part[number.end :]
        words = {word for word in content_words(rest) if not word[0].isdigit()}
        if len(words) < 2 and " , " not in statement:
            continue
        there = [(c, s) for c, s in sentences if any(same_number(number, n) for n in find_numbers(c.text))]
        if not there:
            continue
        reach = [_shares(words, clause, source) for clause, source in there]
        rivals = [
            _shares(words, clause, source)
            for clause, source in sentences
            if (clause, source) not in there
            and any(to_common_unit(n)[1] == to_common_unit(number)[1] for n in find_numbers(clause.text))
        ]
        if rivals and max(rivals) >= 0.99 and max(reach) <= 0.34:
            yield f"“{part[number.start : number.end]}”: the sources give it of something else"
            continue
        yield from _of_another(part, number, there, sentences)


_SEGMENTS: Final = (lazy(r"[;；。]"), lazy(r"[;；，、()（）]|,\s|\band\b|和"))


def _beside_another(part: str, numbers: Sequence[NumberSpan], sentences: list[tuple[Clause, Source]]) -> Iterator[str]:
    """A figure that a sentence gives in one segment, beside words that it has in another segment with another figure."""
    for number in numbers:
        written = part[number.start : number.end]
        own = next((segment for segment in _segments(part, _SEGMENTS[1]) if written in segment), part)
        words = {word for word in content_words(own.replace(written, " ")) if not word[0].isdigit()}
        found = [
            any(_elsewhere(number, words, _segments(clause.text, pattern)) for pattern in _SEGMENTS)
            for clause, _ in sentences
            if any(same_number(number, known) for known in find_numbers(clause.text))
        ]
        if found and all(found):
            yield f"“{written}”: the sources give it of something else"


def _elsewhere(number: NumberSpan, words: set[str], segments: Sequence[str]) -> bool:
    """Whether the words that tell segments with figures of one kind apart stand beside another figure than this one."""
    kind = to_common_unit(number)[1]
    here: set[str | int] = set()
    others: set[str | int] = set()
    for position, segment in enumerate(segments):
        figures = [known for known in find_numbers(segment) if to_common_unit(known)[1] == kind]
        if any(same_number(number, known) for known in figures):
            here.update(Clause(segment).keys)
        elif figures and (position or here):  # what stands first is the subject of what follows
            others.update(Clause(segment).keys)
    beside = {word for word in words if not match_keys(word).isdisjoint(here)}
    apart = {word for word in words if not match_keys(word).isdisjoint(others)}
    return bool(here and apart - beside) and not beside - apart


def _segments(text: str, pattern: re.Pattern[str]) -> list[str]:
    return [seg for seg in pattern.split(text) if seg and seg.strip()]


def _shares(words: set[str], clause: Clause, source: Source) -> float:
    keys = clause.keys | Clause(source.title).keys
    return sum(not match_keys(word).isdisjoint(keys) for word in words) / len(words)


def _of_another(
    part: str, number: NumberSpan, there: list[tuple[Clause, Source]], sentences: list[tuple[Clause, Source]]
) -> Iterator[str]:
    """A figure beside a name that the passage or row with that figure does not name, while others do."""
    for _, name in stated_names(part):
        words = set(name_words(name))
        if not words:
            continue
        here = (
            _names_it(words, name, s.title) or _names_it(words, name, c.text if c.head else s.text) for c, s in there
        )
        elsewhere = any(_names_it(words, name, c.text) or _names_it(words, name, s.title) for c, s in sentences)
        if elsewhere and not any(here):
            yield f"“{part[number.start : number.end]}”: the sources do not give it of {name}"


def _dates_of_another(part: str, sentences: list[tuple[Clause, Source]]) -> Iterator[str]:
    """A date beside a name that no sentence with that date names, though it names another and the name has dates."""
    spans = [span for span in find_dates(part) if span.until is None]
    named = [name for _, name in stated_names(part)]
    if len(spans) != 1 or len(named) != 1 or not part.startswith(named[0]):
        return
    words = set(name_words(named[0]))
    there = [c for c, _ in sentences if any(spans[0].date.contains(d.date) for d in find_dates(c.text))]
    own = [c for c, _ in sentences if words and _names_it(words, named[0], c.text) and find_dates(c.text)]
    titled = any(_names_it(words, named[0], s.title) or s.title in named[0] for _, s in sentences)
    others = [name.text for c in there for name in names(c.text) if len(name_words(name.text)) > 1]
    if there and own and others and not titled and not any(_names_it(words, named[0], c.text) for c in there):
        yield f"“{part[spans[0].start : spans[0].end]}”: the sources do not give it of {named[0]}"
