"""Comparisons and lists: several things named in a question, with a look-up for each.

"Is Acme Tower taller than Bolt Hall?" compares the heights of two things. A pattern captures the things, and the
predicate they are compared by. A comparing word implies its relation (`taller`: height) if the predicate names none.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import Any, Final, NamedTuple

from weiwo.nodes.shared.question import lexicon
from weiwo.nodes.shared.question.lexicon import patterns_by_language, question_pattern
from weiwo.nodes.shared.question.look_up import (
    FoundRelation,
    answer_type_of,
    asking_words,
    find_relation,
    lower,
    subject_of,
    unit_of,
    without_article,
)
from weiwo.state.kinds import Locale
from weiwo.state.query import Direction, QueryFrame, Shape
from weiwo.text.data_files import data_pattern, data_rows, read_data, split_cell
from weiwo.text.patterns import lazy
from weiwo.text.relations import relations
from weiwo.text.terms import terms

_LONGEST: Final = 300
"""Most characters of a question read as a comparison."""
_SHORTEST: Final = 4
"""Fewest characters before "and by how much"."""
_BY_HOW_MUCH: Final = {language: data_pattern("question", "by_how_much", language) for language in ("en", "zh")}
_DESCRIBED: Final = question_pattern("described")
_OWNED: Final = question_pattern("owned")
_IDLE_PREDICATE: Final = patterns_by_language("idle_predicate")
"""Words that may stand in a predicate besides the comparing word and its relation.

With any other word, the predicate fits no relation of the lexicon: `has a higher income`, `lasted longer`.
"""
_ORDERED: Final = frozenset({"date", "year", "number", "quantity"})
_SENSES: Final = tuple((lazy(row["pattern"].replace("\n", "")), row) for row in read_data("question")["senses"])


class _Comparative(NamedTuple):
    """Meaning of a comparing word.

    Attributes:
        relation: The compared relation: height for `taller`. Empty for `earlier` or `more`.
        direction: The winning direction: "greatest" for `taller`, "least" for `earlier`.
    """

    relation: str
    direction: Direction


def _load_comparison_rows() -> tuple[tuple[str, ...], ...]:
    return data_rows("question", "compared", "rows")


@cache
def _comparatives(language: Locale) -> dict[str, _Comparative]:
    """Return the meaning of each comparing word of a language. If several rows have a word, the first row counts."""
    table: dict[str, _Comparative] = {}
    directions: tuple[Direction, Direction] = ("least", "greatest")
    for name, _, _, *cells in _load_comparison_rows():
        for cell, direction in zip(cells[2:] if language == "zh" else cells[:2], directions, strict=True):
            for word in split_cell(cell):
                table.setdefault(word, _Comparative(name, direction))
    return table


def _comparing_words(language: Locale) -> str:
    return "|".join(re.escape(word) for word in sorted(_comparatives(language), key=len, reverse=True))


@cache
def _compile_pattern(pattern: str, language: Locale) -> re.Pattern[str]:
    """Compile a pattern with placeholders.

    `{comp}` stands for comparing words, and `{rel}` for words that ask for a relation.
    """
    words = {"comp": f"(?:{_comparing_words(language)})", "rel": "|".join(asking_words(language))}
    return re.compile(re.sub(r"\{(comp|rel)\}", lambda m: words[m[1]], pattern.replace("\n", "")))


# --- comparisons ---


def compare_things(asked: str, low: str, language: Locale) -> dict[str, Any] | None:
    """Return the fields of the frame of a comparison of named things.

    None if the question is no comparison or names fewer than two things (one, for an age at death).

    Args:
        asked: The question without politeness and filters.
        low: The same in lower case.
        language: Its language.
    """
    end = len(low.rstrip(" ?.,!;:。"))
    if end > _LONGEST:
        return None
    tail = _BY_HOW_MUCH[language].search(low, 0, end)
    main = len(low[: tail.start()].rstrip(" ,;?")) if tail and tail.start() >= _SHORTEST else end
    for way in read_data("question")["ways"][language]:
        plain = way["kind"] in {"which", "whether"}
        match = _compile_pattern(way["pattern"], language).match(low, 0, main if plain else end)
        found = _read_way(way["kind"], match, asked, language) if match else None
        if found and plain and tail and main < end and len(found["subjects"]) == 2:
            found |= {"shape": "difference", "wants_difference": True, "unit": unit_of(tail[0])}
        if found:
            return found
    return None


def _read_way(kind: str, match: re.Match[str], asked: str, language: Locale) -> dict[str, Any] | None:
    """Return the frame fields of a comparison from a pattern match, or None if it turns out to be none.

    Args:
        kind: The kind of comparison that the pattern is for, such as `which` or `how_much`.
        match: The match in the lower-case question.
        asked: The question.
        language: Its language.
    """
    low, group = match.string, match.groupdict()
    if kind == "age":
        who = asked[match.start("a") : match.end("a")].strip(" 的是在,")
        if not 1 < len(who) <= 60 or _DESCRIBED.search(low, *match.span("a")):
            return None
        aged = _frame_parts("difference", [(who, "birth"), (who, "death")], language)
        return aged | {"relation": "", "unit": "years", "answer_type": "number"}
    items = _things(kind, match, asked, language)
    if len(items) < 2:
        return None
    if kind == "same":
        return _frame_parts("same", [(item, "") for item in items], language)
    if kind == "apart":
        relation = find_relation(low, low, language)
        name = relation.name if relation else "birth" if re.search(r"\bage\b|岁|年龄", low) else ""
        more: dict[str, Any] = {"wants_difference": True, "unit": unit_of(low) or ("years" if name == "birth" else "")}
        found = _frame_parts("difference", [(item, name) for item in items], language) | more
        return found if name and len(items) == 2 else None
    predicate = " ".join(group[name] or "" for name in ("pred", "pred2") if name in group)
    read = _read_predicate(predicate, f"{group.get('wh') or ''}|{' '.join(items).lower()}", language)
    if read is None:
        return None
    more = {"direction": read.direction}
    if kind == "how_much":
        more |= {"shape": "difference", "wants_difference": True, "unit": unit_of(low)}
    elif kind == "whether":
        more["answer_type"] = "boolean"
    return _frame_parts("comparison", [(item, read.relation) for item in items], language) | more


def _things(kind: str, match: re.Match[str], asked: str, language: Locale) -> tuple[str, ...]:
    """Return the things named in a comparison. Empty if the captured texts are no names of things."""
    if "list" in match.groupdict():
        items = _list_items(
            asked[match.start("list") : match.end("list")], language, "or" if kind == "which" else "and"
        )
    else:
        items = tuple(asked[match.start(g) : match.end(g)].strip(" ,") for g in "ab")
        items = () if any(lexicon.ITEM_BAD.search(item.lower()) for item in items) else items
    if kind == "apart":
        items = tuple(_OWNED.sub("", _OWNED.sub("", item, count=1), count=1) for item in items)
    return items if all(items) else ()


def _read_predicate(predicate: str, things: str, language: Locale) -> _Comparative | None:
    """Return relation and direction of a predicate: height and "greatest" for `is taller`. None if nothing compares.

    The relation is empty if the predicate has words that fit no relation.

    Args:
        predicate: The predicate.
        things: The compared things and the question word, which may change the sense of a word.
        language: The language.
    """
    words = _comparing_words(language)
    comparing = _compile_pattern(rf"\b(?:{words})\b" if language == "en" else words, language)
    found = [_comparatives(language)[m[0]] for m in comparing.finditer(predicate)]
    if not found:
        return None
    own = next((word for word in found if word.relation), found[0])
    rest = comparing.sub(lambda m: "\x00" * len(m[0]), predicate)
    explicit = find_relation(rest, rest, language)
    start, end = explicit.span if explicit else (0, 0)
    if _IDLE_PREDICATE[language].sub("", rest[:start] + " " + rest[end:]).strip():
        return own._replace(relation="")
    if explicit and explicit.name != "country":  # "the smaller country" compares no countries
        ordered = relations()[explicit.name].answer_type in _ORDERED  # not "whose wife is older"
        return own._replace(relation=explicit.name if ordered else "")
    for pattern, sense in _SENSES:
        if sense["of"] == own.relation and pattern.search(things):
            turned: Direction = "least" if own.direction == "greatest" else "greatest"
            return _Comparative(sense["meant"], turned if sense.get("turned") else own.direction)
    return own


# --- frames of several look-ups ---


def word_look_up(relation: str, language: Locale) -> str:
    """Return the question for a value of a relation, with `{}` for the thing: "When was {} born?" for "birth".

    Empty if the relation is unknown.
    """
    row = relations().get(relation)
    if row is None:
        return ""
    if own := next((row[2 if language == "zh" else 1] for row in _load_comparison_rows() if row[0] == relation), ""):
        return own
    noun, dated = row.noun[language], row.answer_type == "date"
    who = row.answer_type == "person"
    if language == "zh":
        asks = {"person": "是谁", "place": "在哪里", "name": "是什么", "text": "是什么"}.get(row.answer_type, "是多少")
        return f"{{}}是什么时候{noun}的？" if dated else f"{{}}的{noun}{asks}？"
    return f"When was {{}} {row.says['en'][0]}?" if dated else f"{'Who' if who else 'What'} is the {noun} of {{}}?"


def _frame_parts(shape: Shape, asked: Sequence[tuple[str, str]], language: Locale) -> dict[str, Any]:
    """Return the fields of a frame with a look-up for each thing and relation.

    Args:
        shape: The shape of the question.
        asked: Thing and relation of each look-up: several things of one relation, or several relations of one thing.
        language: The language.
    """
    relation = asked[0][1]
    row = relations().get(relation)
    parts = [frame_part(subject, name, language) for subject, name in asked]
    return {
        "shape": shape,
        "subjects": tuple(dict.fromkeys(without_article(subject) for subject, _ in asked)),
        "relation": relation,
        "answer_type": row.answer_type if row else "text",
        "dimension": row.dimension if row else "",
        "unit": "",
        "parts": tuple(part for part in parts if part),
    }


def frame_part(subject: str, relation: str, language: Locale) -> QueryFrame | None:
    """Return the parsed question for a thing's value: "When was Ada Lovelace born?". None for an unknown relation."""
    row, wording = relations().get(relation), word_look_up(relation, language)
    if row is None or not wording:
        return None
    question, named = wording.format(subject), without_article(subject)
    kind: Any = row.answer_type
    return QueryFrame(
        question=question[:1].upper() + question[1:],
        language=language,
        subjects=(named,),
        relation=relation,
        answer_type=kind,
        dimension=row.dimension,
        terms=tuple(dict.fromkeys(terms(question))),
        search=f"{named} {row.noun[language]}",
    )


_ASKED_OF: Final = lazy(r"\b(?:was|is|does|has) $")
_EACH: Final = lazy(r"\b(?:each|both)\b|分别|各自")
_AND_ASKS: Final = patterns_by_language("and_asks")


def ask_of_each(asked: str, low: str, language: Locale) -> dict[str, Any] | None:
    """Return the fields of the frame of a question about several things, with a look-up for each thing.

    "When were Acme and Bolt founded?" has two look-ups. Without look-ups, two different questions stand in one. None
    for a question about a single thing.
    """
    if at := _asks_two(low, language):
        first, at = (asked[: at[0]], (0, 0)) if at[1] == len(low) else (asked, at)
        things = list_things(asked, language, at) or (subject_of(first, at, language),)
        return _frame_parts("several", [(thing, "") for thing in things if thing] or [("", "")], language)
    found = find_relation(asked, low, language, answer_type_of(low))
    items = list_things(asked, language, found.span) if found and found.name != "distance" else ()
    if not found or len(items) < 2 or _may_be_one(items, found, asked, low):
        return None
    return _frame_parts("several", [(item, found.name) for item in items], language)


def _asks_two(low: str, language: Locale) -> tuple[int, int] | None:
    """Return the span of a second question, or of two relations as in "population and area of Malta". None without."""
    at = _AND_ASKS[language].search(low)
    if at and at.start() > _SHORTEST and all(map(lexicon.ASKS.search, (low[: at.start()], low[at.end() :]))):
        return at.start(), len(low)
    two = _compile_pattern(read_data("question")["patterns"][language]["two_asked"], language).search(low)
    return two.span() if two else None


def _may_be_one(items: Sequence[str], found: FoundRelation, asked: str, low: str) -> bool:
    """Report whether two listed things may be a single name, as in "was Trinidad and Tobago founded"."""
    if len(items) > 2 or _EACH.search(low):
        return False
    first = lower(items[0])
    if first and any(map(_ASKED_OF.search, low.split(first)[:-1])):
        return True
    return relations()[found.name].answer_type == "person" and len(lexicon.TITLE.findall(asked)) < len(items)


# --- lists ---

_OR: Final = lazy(r",? (?:or|vs\.?|versus|v\.) |, ")
_AND: Final = lazy(r", (?:and )?")
_JOIN_ZH: Final = question_pattern("join_zh")
_TRIM_ZH: Final = question_pattern("trim_zh")


def list_things(asked: str, language: Locale, span: tuple[int, int] = (0, 0)) -> tuple[str, ...]:
    """Return the things listed in a question: ("A", "B", "C") for "A, B and C". Empty without a list.

    Args:
        asked: The question.
        language: Its language.
        span: Span of the words that ask for the relation, to be left out.
    """
    titles = [found[found.lastgroup or 0] for found in lexicon.TITLE.finditer(asked)]
    if titles:
        return tuple(titles) if len(titles) > 1 else ()
    items = _list_items(subject_of(asked, span, language, whole=True), language)
    if items and language == "en":  # "the economies of Spain" lists Spain
        head, _, last = items[0].rpartition(" between " if " between " in items[0] else " of ")
        items = (last if head.islower() or not head else items[0], *items[1:])
    return items


def _list_items(body: str, language: Locale, joined_by: str = "and") -> tuple[str, ...]:
    """Return the items of a list `A, B and C` or 甲、乙和丙. Empty if the text is no list of 2 to 12 short names."""
    if language == "zh":
        items = [_TRIM_ZH.sub("", item.strip()) for item in _JOIN_ZH.split(_TRIM_ZH.sub("", body))]
        named = all(0 < len(item) <= 24 and not lexicon.ITEM_BAD.search(item) for item in items)
    else:
        body = re.sub(r"^(?:both|either|the following|these|of|between|among|out of)\b:? ", "", body.strip(" ,:;-?–—"))
        head, _, last = body.rpartition(" and ")
        plain = not head or (joined_by == "or" and " or " in body)
        items = _OR.split(body) if plain else [*_AND.split(head), last]
        items = [re.sub(r"^(?:and|or|either|both) |'s$", "", item.strip(" ,:;-'\"")) for item in items]
        named = all(item and len(item.split()) <= 9 and not lexicon.ITEM_BAD.search(item.lower()) for item in items)
    return tuple(items) if 2 <= len(items) <= 12 and named else ()
