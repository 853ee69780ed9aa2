"""Comparisons and lists of named things: which is more, whether one is, by how much, and the same of each.

Each way to compare is a row of `text/data/question.toml`: what it asks, and a pattern over the question in lower case
with the groups `list` (or `a` and `b`) for the things and `pred` for what is compared of them. A frame of two or more
things has a look-up for each, where the lexicon has words to ask for it.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import Any, Final

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
from weiwo.state.kinds import Language
from weiwo.state.query import Direction, QueryFrame, Shape
from weiwo.text.data_files import data_pattern
from weiwo.text.patterns import lazy
from weiwo.text.relations import relations
from weiwo.text.terms import terms

_LONGEST: Final = 300
"""Characters of a question that may be a comparison."""
_AFTER: Final = {"en": 9, "zh": 4}
"""Characters that stand before "and by how much" at least."""
_BY_HOW_MUCH: Final = {language: data_pattern("question", "by_how_much", language) for language in ("en", "zh")}
_PEOPLE: Final = question_pattern("people")
_DESCRIBED: Final = question_pattern("described")
_OWNED: Final = question_pattern("owned")
_EXTENDED: Final = question_pattern("extended")
"""Chinese names of things that have an area, for which 大 is larger; of a person it is older."""
_FOUNDED: Final = question_pattern("founded")
_BUILT: Final = question_pattern("built")
_IDLE_PREDICATE: Final = patterns_by_language("idle_predicate")
"""What may stand in a predicate besides the comparing word and its relation; anything else is compared by no relation
of the lexicon: `has a higher income`, `lasted longer`."""
_ORDERED: Final = frozenset({"date", "year", "number", "quantity"})


def compare_things(asked: str, low: str, language: Language) -> dict[str, Any] | None:
    """Parse a comparison of things that are named.

    Returns:
        The fields of its frame, or None where it is none or names fewer than two things (one, of an age at death).
    """
    end = len(low.rstrip(" ?.,!;:。"))
    if end > _LONGEST:
        return None
    tail = _BY_HOW_MUCH[language].search(low, 0, end)
    main = len(low[: tail.start()].rstrip(" ,;?")) if tail and tail.start() >= _AFTER[language] else 0
    for kind, pattern in _ways(language):
        which = kind in {"which", "whether"}
        match = pattern.match(low, 0, main if which and main else end)
        found = _read_way(kind, match, asked, language) if match else None
        if found and which and main and tail and len(found["subjects"]) == 2:
            found |= {"shape": "difference", "wants_difference": True, "unit": unit_of(tail[0])}
        if found:
            return found
    return None


@cache
def _ways(language: Language) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """The ways to compare, compiled; `{comp}` stands for comparing words, `{rel}` for words that ask for a relation."""
    words = {"comp": f"(?:{_comparing_words(language)})", "rel": "|".join(asking_words(language))}
    return tuple(
        (kind, re.compile(re.sub(r"\{(comp|rel)\}", lambda m: words[m[1]], pattern)))
        for kind, pattern in lexicon.ways_to_compare(language)
    )


def _comparing_words(language: Language) -> str:
    return "|".join(re.escape(word) for word in sorted(lexicon.comparatives(language), key=len, reverse=True))


@cache
def _comparing(language: Language) -> re.Pattern[str]:
    words = _comparing_words(language)
    return re.compile(rf"\b(?:{words})\b" if language == "en" else words)


def _read_way(kind: str, match: re.Match[str], asked: str, language: Language) -> dict[str, Any] | None:
    """The frame of one way to compare, from its match."""
    low, group = match.string, match.groupdict()
    if kind == "age":
        who = asked[match.start("a") : match.end("a")].strip(" 的是在,")
        described = _DESCRIBED.search(low, *match.span("a"))
        return _age_at_death(who, language) if 1 < len(who) <= 60 and not described else None
    items = _things(kind, match, asked, language)
    if len(items) < 2:
        return None
    if kind == "same":
        return _frame_parts("same", items, "", language)
    if kind == "apart":
        relation = find_relation(low, low, language)
        name = relation.name if relation else "birth" if re.search(r"\bage\b|岁|年龄", low) else ""
        unit = unit_of(low) or ("years" if name == "birth" else "")
        apart = name and len(items) == 2
        return _frame_parts("difference", items, name, language, unit=unit, wants_difference=True) if apart else None
    predicate = " ".join(group[name] or "" for name in ("pred", "pred2") if name in group)
    read = _read_predicate(
        predicate, items, language, people=_are_people(items[0], group.get("wh") or "", low, language)
    )
    if read is None:
        return None
    relation_name, direction = read
    if kind == "how_much":
        more: dict[str, Any] = {"shape": "difference", "wants_difference": True, "unit": unit_of(low)}
    else:
        more = {"answer_type": "boolean"} if kind == "whether" else {}
    return _frame_parts("comparison", items, relation_name, language, direction=direction) | more


def _things(kind: str, match: re.Match[str], asked: str, language: Language) -> tuple[str, ...]:
    """The things a way to compare names; empty where they are no names of things."""
    if "list" in match.groupdict():
        items = list_items(asked[match.start("list") : match.end("list")], language, "or" if kind == "which" else "and")
    else:
        items = tuple(asked[match.start(g) : match.end(g)].strip(" ,") for g in "ab")
        items = () if any(lexicon.ITEM_BAD.search(item.lower()) for item in items) else items
    if kind == "apart":
        items = tuple(_OWNED.sub("", _OWNED.sub("", item, count=1), count=1) for item in items)
    return items if all(items) else ()


def _are_people(thing: str, who: str, low: str, language: Language) -> bool:
    """Whether people are compared, of whom 大 is older."""
    kinds = (_EXTENDED, _BUILT, _FOUNDED)
    unnamed = language == "zh" and not who and not any(kind.search(thing) for kind in kinds)
    return (bool(_PEOPLE.match(who)) or unnamed or "岁" in low) and not _EXTENDED.search(thing)


def _read_predicate(
    predicate: str, items: Sequence[str], language: Language, *, people: bool
) -> tuple[str, Direction] | None:
    """Relation and direction of `is taller`, `was born first`, `has more employees`; None where nothing compares."""
    table, comparing = lexicon.comparatives(language), _comparing(language)
    found = [table[m[0]] for m in comparing.finditer(predicate)]
    if not found:
        return None
    own = next((word for word in found if word.relation), found[0])
    rest = comparing.sub(lambda m: "\x00" * len(m[0]), predicate)
    explicit = find_relation(rest, rest, language)
    span = explicit.span if explicit else (0, 0)
    if _IDLE_PREDICATE[language].sub("", rest[: span[0]] + " " + rest[span[1] :]).strip():
        return "", own.direction
    if explicit and explicit.name != "country":  # "the smaller country" compares no countries
        return _compare_named(explicit.name, own, found)
    return _compare_implied(own, " ".join(items).lower(), language, people=people)


def _compare_named(name: str, own: lexicon.Comparative, found: Sequence[lexicon.Comparative]) -> tuple[str, Direction]:
    """A relation that the predicate names, with the direction of the word that goes with it."""
    if relations()[name].answer_type not in _ORDERED:
        return "", own.direction  # "whose wife is older"
    if name == "death" and own.relation == "birth":  # "died younger": at an earlier age
        return "lifespan", "least" if own.direction == "greatest" else "greatest"
    plain = own if name == own.relation else next((word for word in found if not word.relation), found[0])
    return name, plain.direction


def _compare_implied(
    own: lexicon.Comparative, things: str, language: Language, *, people: bool
) -> tuple[str, Direction]:
    """The relation that the comparing word itself implies, of things of this kind."""
    relation, direction = own
    if relation == "birth" and (_FOUNDED.search(things) or _BUILT.search(things)):
        return ("founding" if _FOUNDED.search(things) else "construction"), direction
    if relation == "length" and people and direction == "least" and language == "en":
        return "height", direction
    if relation == "area" and people:  # 大 of people is older, "bigger" of people is nothing we know
        if language == "en":
            return "", direction
        return "birth", "least" if direction == "greatest" else "greatest"
    return relation, direction


# --- frames of several look-ups ---


def _frame_parts(
    shape: Shape, subjects: Sequence[str], relation: str, language: Language, **more: Any
) -> dict[str, Any]:
    """The fields of a frame that is put together from one look-up for each of several things."""
    row = relations().get(relation)
    parts = [_frame_part(subject, relation, language) for subject in subjects]
    return {
        "shape": shape,
        "subjects": tuple(dict.fromkeys(without_article(subject) for subject in subjects)),
        "relation": relation,
        "answer_type": row.answer_type if row else "text",
        "dimension": row.dimension if row else "",
        "unit": "",
        "parts": tuple(part for part in parts if part) if all(parts) else (),
        **more,
    }


def _age_at_death(who: str, language: Language) -> dict[str, Any]:
    """An age at death: the difference of two dates of one person."""
    parts = [_frame_part(who, relation, language) for relation in ("birth", "death")]
    fields = _frame_parts("difference", (who,), "", language, unit="years", answer_type="number")
    return fields | {"parts": tuple(part for part in parts if part)}


def _frame_part(subject: str, relation: str, language: Language) -> QueryFrame | None:
    """The look-up of one thing's value; None where the lexicon has no words to ask for it."""
    row, wording = relations().get(relation), lexicon.word_look_up(relation, language)
    if row is None or not wording:
        return None
    question = wording.format(subject)
    named = without_article(subject)
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


_JOINED: Final = lazy(r" ?(?:,|/|&|and|和|与|及|以及|、) ?(?:the )?")
_APART: Final = lazy(r"\b(?:each|both)\b|分别|各自")
_AND_ASKS: Final = patterns_by_language("and_asks")


def ask_of_each(asked: str, low: str, language: Language) -> dict[str, Any] | None:
    """The same asked of several things, a look-up for each; without look-ups where two questions stand in one."""
    at = _AND_ASKS[language].search(low)
    if at and at.start() > 4 and lexicon.ASKS.search(low[: at.start()]) and lexicon.ASKS.search(low[at.end() :]):
        things = list_things(asked, language) or (subject_of(asked[: at.start()], (0, 0), language),)
        return _frame_parts("several", [thing for thing in things if thing], "", language)
    found = find_relation(asked, low, language, answer_type_of(low))
    if found and (both := _two_relations(asked, low, language, found)):
        things = list_things(asked, language, both) or (subject_of(asked, both, language),)
        return _frame_parts("several", [thing for thing in things if thing], "", language)
    items = list_things(asked, language, found.span) if found and found.name != "distance" else ()
    if not found or len(items) < 2 or _may_be_one(items, found, asked, low):
        return None
    return _frame_parts("several", items, found.name, language)


def _two_relations(asked: str, low: str, language: Language, one: FoundRelation) -> tuple[int, int] | None:
    """Where a question asks for two relations side by side: "population and area of Malta"."""
    (start, end), wanted = one.span, answer_type_of(low)
    two = find_relation(asked, low[:start] + "\x00" * (end - start) + low[end:], language, wanted)
    if two is None or two.name == one.name:
        return None
    first, last = sorted((one.span, two.span))
    return (first[0], last[1]) if _JOINED.fullmatch(low[first[1] : last[0]]) else None


def _may_be_one(items: Sequence[str], found: FoundRelation, asked: str, low: str) -> bool:
    """Whether two things may be one: "was Trinidad and Tobago founded", "who wrote Pride and Prejudice"."""
    if len(items) > 2 or _APART.search(low):
        return False
    if re.search(rf"\b(?:was|is|does|has) {re.escape(lower(items[0]))}", low):
        return True
    return relations()[found.name].answer_type == "person" and len(lexicon.TITLE.findall(asked)) < len(items)


# --- lists ---

_OR: Final = lazy(r",? (?:or|vs\.?|versus|v\.) |, ")
_AND: Final = lazy(r", (?:and )?")
_JOIN_ZH: Final = question_pattern("join_zh")
_TRIM_ZH: Final = question_pattern("trim_zh")


def list_things(asked: str, language: Language, span: tuple[int, int] = (0, 0)) -> tuple[str, ...]:
    """The things a question lists, `A, B and C`; empty where it lists none."""
    titles = [found[found.lastgroup or 0] for found in lexicon.TITLE.finditer(asked)]
    if titles:
        return tuple(titles) if len(titles) > 1 else ()
    items = list_items(subject_of(asked, span, language, whole=True), language)
    if items and language == "en":  # "the economies of Spain" lists Spain
        head, _, last = items[0].rpartition(" between " if " between " in items[0] else " of ")
        items = (last if head.islower() or not head else items[0], *items[1:])
    return items


def list_items(body: str, language: Language, joined_by: str = "and") -> tuple[str, ...]:
    """The things a list names; empty where it is no list of short names.

    Args:
        body: `A, B and C`, or 甲、乙和丙.
        language: Its language.
        joined_by: The English word before the last.
    """
    if language == "zh":
        items = [_TRIM_ZH.sub("", item.strip()) for item in _JOIN_ZH.split(_TRIM_ZH.sub("", body))]
        items[-1] = _without_place(items[-1], {item[-1:] for item in items[:-1]})
        named = all(0 < len(item) <= 24 and not lexicon.ITEM_BAD.search(item) for item in items)
        return tuple(items) if 2 <= len(items) <= 12 and named else ()
    body = re.sub(r"^(?:both|either|the following|these|of|between|among|out of)\b:? ", "", body.strip(" ,:;-?–—"))
    head, _, last = body.rpartition(" and ")
    plain = not head or (joined_by == "or" and " or " in body)
    items = _OR.split(body) if plain else [*_AND.split(head), last]
    items = [re.sub(r"^(?:and|or|either|both) |'s$", "", item.strip(" ,:;-'\"")) for item in items]
    good = all(item and len(item.split()) <= 9 and not lexicon.ITEM_BAD.search(item.lower()) for item in items)
    return tuple(items) if 2 <= len(items) <= 12 and good else ()


def _without_place(item: str, ends: set[str]) -> str:
    """The last of a list without what closes the list (太平洋和大西洋里); the end of a short name (德里) stays."""
    closed = item.endswith(("中", "里", "都")) and (len(item) > 3 or item[-2:-1] in ends)
    return item[:-1] if closed else item
