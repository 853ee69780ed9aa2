"""The parts of a question: the same of several things, several things of one, or two questions asked in one."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from weiwo.nodes.shared.question import lexicon
from weiwo.nodes.shared.question.comparison import Compared, items_of
from weiwo.nodes.shared.question.look_up import EDGE, answer_type_of, look_up, lower
from weiwo.nodes.shared.question.relation import FoundRelation, find_relation, subject_of, without_article
from weiwo.state.kinds import Language
from weiwo.state.query import QueryFrame, Shape
from weiwo.text.patterns import lazy
from weiwo.text.relations import relations
from weiwo.text.terms import terms

UNKNOWN: Final = {"relation": "", "dimension": "", "unit": ""}


def frame_comparison(compared: Compared, language: Language) -> dict[str, Any]:
    """A comparison, with a look-up for each thing."""
    kinds = ("birth", "death") if compared.age else (compared.relation,) * len(compared.subjects)
    about = compared.subjects * (2 if compared.age else 1)
    return (
        _compound(compared.shape, about, kinds, language, compared)
        | {
            "subjects": tuple(without_article(subject) for subject in compared.subjects),
            "direction": compared.direction,
            "wants_difference": compared.shape == "difference" and not compared.age,
            "unit": compared.unit,
        }
        | ({"answer_type": "boolean"} if compared.whether else {})
    )


def _compound(
    shape: Shape, about: Sequence[str], kinds: Sequence[str], language: Language, compared: Compared | None = None
) -> dict[str, Any]:
    """A question put together from the look-ups of `kinds` of things; without parts where one cannot be worded."""
    one = kinds[0] if len(set(kinds)) == 1 else ""
    row = relations().get(one)
    parts = [_part(subject, kind, language, compared) for subject, kind in zip(about, kinds, strict=True)]
    return {
        "shape": shape,
        "subjects": tuple(dict.fromkeys(without_article(subject) for subject in about)),
        "relation": one,
        "answer_type": (compared.answer_type if compared else "") or (row.answer_type if row else "text"),
        "dimension": row.dimension if row else "",
        "parts": tuple(part for part in parts if part) if all(parts) else (),
    }


def _part(subject: str, relation: str, language: Language, compared: Compared | None) -> QueryFrame | None:
    """The look-up of one thing's value; None where the lexicon has no words to ask for it."""
    row = relations().get(relation)
    wording = lexicon.wording(relation, language)
    if not wording:
        return None
    kind: Any = row.answer_type if row else "number"
    if compared and compared.answer_type and not compared.age:
        kind = compared.answer_type
    if kind == "place" and relation in {"birth", "death"}:
        wording = wording.replace("When", "Where").replace("什么时候", "在哪里")
    question = wording.format(subject)
    named = without_article(subject)
    return QueryFrame(
        question=question[:1].upper() + question[1:],
        language=language,
        subjects=(named,),
        relation=relation,
        answer_type=kind,
        dimension=row.dimension if row else "",
        terms=tuple(dict.fromkeys(terms(question))),
        search=f"{named} {row.noun[language]}" if row else named,
    )


def several_asked(asked: str, low: str, language: Language) -> dict[str, Any] | None:
    """The same of several things, or several things of one: a look-up for each."""
    at = lexicon.AND_ASKS[language].search(low)
    if at and at.start() > 4 and lexicon.ASKS.search(low[: at.start()]) and lexicon.ASKS.search(low[at.end() :]):
        return _two_asked(asked[: at.start()].strip(EDGE), asked[at.end() :].strip(EDGE), language)
    found = find_relation(asked, low, language, answer_type_of(low))
    if found and (both := _two_relations(asked, low, language, found)):
        return both
    items = list_things(asked, language, found.span) if found and found.name != "distance" else ()
    if not found or len(items) < 2:
        return None
    if len(items) == 2 and not _APART.search(low) and _may_be_one(items, found.name, asked, low):
        return None
    return _compound("several", items, (found.name,) * len(items), language)


_JOINED: Final = lazy(r" ?(?:,|/|&|and|和|与|及|以及|、) ?(?:the )?")
_APART: Final = lazy(r"\b(?:each|both)\b|分别|各自")
_EACH: Final = lazy(r"\b(?:each|every|all)\b|[每各]")


def _two_relations(asked: str, low: str, language: Language, one: FoundRelation) -> dict[str, Any] | None:
    """Two relations side by side, of one thing or of several: "population and area of Malta", "plato born died"."""
    (start, end), wanted = one.span, answer_type_of(low)
    two = find_relation(asked, low[:start] + "\x00" * (end - start) + low[end:], language, wanted)
    if not two or two.name == one.name or _EACH.search(low):
        return None
    first, last = sorted((one, two), key=lambda found: found.span)
    between, both = low[first.span[1] : last.span[0]], (first.span[0], last.span[1])
    if not (_JOINED.fullmatch(between) or (between == " " and not lexicon.ASKS.search(low))):
        return None
    things = list_things(asked, language, both) or (subject_of(asked, both, language),)
    about, kinds = [thing for thing in things for _ in both], [first.name, last.name] * len(things)
    places = _place({"subjects": things, "answer_type": wanted})
    return _compound("several", about, kinds, language, places) if all(things) else None


def _may_be_one(items: Sequence[str], relation: str, asked: str, low: str) -> bool:
    """Whether two things may be one: "was Trinidad and Tobago founded", "who wrote Pride and Prejudice"."""
    if re.search(rf"\b(?:was|is|does|has) {re.escape(lower(items[0]))}", low):
        return True
    return relations()[relation].answer_type == "person" and len(lexicon.TITLE.findall(asked)) < len(items)


_PERSON: Final = lazy(r"\b(?:he|his|him|she|her)\b|[他她]")
_ANAPHOR: Final = lazy(r"\b(?:its?|he|his|him|she|her|they|their|them)\b|[它他她其]")
_ADVERB: Final = lazy(r"全线|全面|全部|全都|完全|整体|正式|最终|最后|首次|最早|最初|最先|开始|分别|才|都|又|由")
"""How something came about, where its name is left out: 什么时候全线建成."""


def _two_asked(first: str, second: str, language: Language) -> dict[str, Any]:
    """Two questions in one, of which the second may leave its subject to the first."""
    one, two, said = look_up(first, language), look_up(second, language), lower(second)
    subject = one["subjects"] or two["subjects"]
    asked = one | UNKNOWN | {"shape": "several", "answer_type": "text"}
    more = any(len(lexicon.ASKS.findall(lower(half))) > 1 for half in (first, second))
    chain = "这" in said or (one["answer_type"] == "person" and _PERSON.search(said))  # about who is asked for
    if more or chain or not (one["relation"] and two["relation"] and subject):
        return asked
    left = _ANAPHOR.search(said) or (two["subjects"] and _ADVERB.fullmatch(two["subjects"][0]))
    other = (subject if left else two["subjects"] or subject)[0]
    things = ((subject[0], one), (other, two))
    parts = [_part(thing, it["relation"], language, _place(it)) for thing, it in things]
    return asked | {"subjects": tuple(dict.fromkeys((subject[0], other))), "parts": tuple(parts) if all(parts) else ()}


def _place(asked: Mapping[str, Any]) -> Compared | None:
    """That a place is asked for, as of a birth."""
    return Compared("several", asked["subjects"], answer_type="place") if asked["answer_type"] == "place" else None


def list_things(asked: str, language: Language, span: tuple[int, int] = (0, 0)) -> tuple[str, ...]:
    """The things a question lists, `A, B and C`; empty where it lists none."""
    titles = [found[found.lastgroup or 0] for found in lexicon.TITLE.finditer(asked)]
    if titles:
        return tuple(titles) if len(titles) > 1 else ()
    items = items_of(subject_of(asked, span, language, whole=True), language)
    if items and language == "en":  # "the economies of Spain" lists Spain
        head, _, last = items[0].rpartition(" between " if " between " in items[0] else " of ")
        items = (last if head.islower() or not head else items[0], *items[1:])
    return items
