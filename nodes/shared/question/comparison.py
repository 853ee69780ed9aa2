"""Comparisons of named things: which is more, whether one is, by how much, and whether they agree.

Each way to ask is a row of `_WAYS`: what it asks, and a pattern over the question in lower case with the groups `list`
(or `a` and `b`) for the things and `pred` for what is compared of them.
"""

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

from weiwo.nodes.shared.question import lexicon
from weiwo.nodes.shared.question.relation import asking_words, find_relation, unit_of
from weiwo.state.kinds import Language
from weiwo.state.query import Direction, Shape
from weiwo.text.patterns import lazy
from weiwo.text.relations import relations

LONGEST: Final = 300
"""Characters of a question that may be a comparison."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A comparison, parsed.

    Attributes:
        shape: `comparison`, `difference` or `same`.
        subjects: The things compared, as written.
        relation: What is compared; empty where the lexicon does not know it.
        direction: Which value wins.
        unit: The unit a difference is wanted in.
        answer_type: What must be the same, where the question says it; of an age, a number.
        age: Whether it is the age of one person at death.
        whether: Whether yes or no is asked for.
    """

    shape: Shape
    subjects: tuple[str, ...]
    relation: str = ""
    direction: Direction = ""
    unit: str = ""
    answer_type: str = ""
    age: bool = False
    whether: bool = False


def read_comparison(asked: str, low: str, language: Language) -> Compared | None:
    """Parse a comparison of things that are named.

    Returns:
        The comparison, or None where it is none or names fewer than two things (one, of an age at death).
    """
    end = len(low.rstrip(" ?.,!;:。"))
    if end > LONGEST:
        return None
    tail = _BY_HOW_MUCH[language].search(low, 0, end)
    main = len(low[: tail.start()].rstrip(" ,;?")) if tail and tail.start() >= (4 if language == "zh" else 9) else 0
    for kind, pattern in _ways(language):
        which = kind in {"which", "whether"}
        match = pattern.match(low, 0, main if which and main else end)
        found = _read(kind, match, asked, language) if match else None
        if found and which and main and tail and len(found.subjects) == 2:
            return replace(found, shape="difference", unit=unit_of(tail[0]))
        if found:
            return found
    return None


_BY_HOW_MUCH: Final = {
    "en": lazy(
        r"[,;.?]? (?:and |by )*(?:(?:by )?how (?:much|many \w+)(?: (?:of )?(?:an? )?(?:years? )?(?:difference|[a-z]+er|more|less|apart))?(?: (?:is|was|are) (?:it|he|she|they))?|(?:what(?:'s| is| was) )?(?:the |their )?(?:(?:age|height|length|size) )?(?:difference|gap)(?: between them| in [a-z]+)?)$"
    ),
    "zh": lazy(
        r"[,、?;。 (]*(?:又|并且|并|那么?|而且|以及|[他她它]们|两者|[两二]人|二者|之间|年龄|高度|长度|面积)*(?:相差|差距|差|大|小|年长|年轻|高|低|矮|长|短|重|轻|深|宽|快|早|晚|多|少|贵)(?:出|了|有|是)*(?:多少|几|多大|多久)[^,?谁哪]{0,5}$"
    ),
}


def _read(kind: str, match: re.Match[str], asked: str, language: Language) -> Compared | None:
    """One way to ask, read from its match."""
    low, group = match.string, match.groupdict()
    if kind == "age":
        who = asked[match.start("a") : match.end("a")].strip(" 的是在,")
        good = 1 < len(who) <= 60 and not lexicon.DESCRIBED.search(low, *match.span("a"))
        return Compared("difference", (who,), unit="years", answer_type="number", age=True) if good else None
    if "list" in group:
        items = items_of(asked[match.start("list") : match.end("list")], language, "or" if kind == "which" else "and")
    else:
        items = tuple(asked[match.start(g) : match.end(g)].strip(" ,") for g in "ab")
        items = items if all(items) and not any(lexicon.ITEM_BAD.search(item.lower()) for item in items) else ()
    if kind == "apart":
        items = tuple(lexicon.OWNED.sub("", lexicon.OWNED.sub("", item, count=1), count=1) for item in items)
    if len(items) < 2 or not all(items):
        return None
    pred = " ".join(group[g] or "" for g in ("pred", "pred2") if g in group)
    if kind == "same":
        return _same(items, pred, low, language)
    if kind == "apart":
        relation = find_relation(low, low, language)
        name = relation.name if relation else "birth" if re.search(r"\bage\b|岁|年龄", low) else ""
        unit = unit_of(low) or ("years" if name == "birth" else "")
        return Compared("difference", items, name, unit=unit) if name and len(items) == 2 else None
    who = group.get("wh") or ""
    thing = lexicon.EXTENDED.search(items[0])
    person = not any(kind.search(items[0]) for kind in (lexicon.EXTENDED, lexicon.BUILT, lexicon.FOUNDED))
    people = bool(lexicon.PEOPLE.match(who)) or (language == "zh" and not who and person) or "岁" in low
    read = _predicate(pred, f"{items[0]} {items[-1]}", language, people=people and not thing)
    if read is None:
        return None
    return (
        Compared("difference", items, **read, unit=unit_of(low))
        if kind == "how_much"
        else Compared("comparison", items, **read, whether=kind == "whether")
    )


# --- lists ---

_OR: Final = lazy(r",? (?:or|vs\.?|versus|v\.) |, ")
_AND: Final = lazy(r", (?:and )?")


def _without_place(item: str, ends: set[str]) -> str:
    """The last of a list without what closes the list: 太平洋和大西洋里, but not the end of a short name, as of 德里 and 成都."""
    closed = item.endswith(("中", "里", "都")) and (len(item) > 3 or item[-2:-1] in ends)
    return item[:-1] if closed else item


def items_of(body: str, language: Language, joined_by: str = "and") -> tuple[str, ...]:
    """The things a list names; empty where it is no list of short names.

    Args:
        body: `A, B and C`, or 甲、乙和丙.
        language: Its language.
        joined_by: The English word before the last.
    """
    if language == "zh":
        items = [lexicon.TRIM_ZH.sub("", item.strip()) for item in lexicon.JOIN_ZH.split(lexicon.TRIM_ZH.sub("", body))]
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


# --- what is compared ---


@cache
def _comparing(language: Language) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{_words(language)})\b" if language == "en" else _words(language))


def _words(language: Language) -> str:
    return "|".join(re.escape(word) for word in sorted(lexicon.comparatives(language), key=len, reverse=True))


_ORDERED: Final = frozenset({"date", "year", "number", "quantity"})


def _predicate(pred: str, things: str, language: Language, *, people: bool) -> dict[str, Any] | None:
    """Relation and direction of `is taller`, `was born first`, `has more employees`; None where nothing compares."""
    table = lexicon.comparatives(language)
    found = [table[m[0]] for m in _comparing(language).finditer(pred)]
    if not found:
        return None
    rest = _comparing(language).sub(lambda m: "\x00" * len(m[0]), pred)
    own = next((word for word in found if word.relation), found[0])
    explicit = find_relation(rest, rest, language)
    span = explicit.span if explicit else (0, 0)
    if lexicon.IDLE_PREDICATE[language].sub("", rest[: span[0]] + " " + rest[span[1] :]).strip():
        return {"direction": own.direction}
    if explicit and relations()[explicit.name].answer_type not in _ORDERED:
        if explicit.name != "country":  # "the smaller country"
            return {"direction": own.direction}  # "whose wife is older"
        explicit = None
    if explicit and explicit.name == "death" and own.relation == "birth":  # "died younger": at an earlier age
        return {"relation": "lifespan", "direction": "least" if own.direction == "greatest" else "greatest"}
    if explicit:
        plain = own if explicit.name == own.relation else next((word for word in found if not word.relation), found[0])
        return {"relation": explicit.name, "direction": plain.direction}
    relation, direction = own.relation, own.direction
    things = things.lower()
    if relation == "birth" and (lexicon.FOUNDED.search(things) or lexicon.BUILT.search(things)):
        relation = "founding" if lexicon.FOUNDED.search(things) else "construction"
    elif relation == "length" and people and direction == "least" and language == "en":
        relation = "height"
    elif relation == "area" and people:  # 大 of people is older, "bigger" of people is nothing we know
        relation = "birth" if language == "zh" else ""
        direction = direction if language == "en" else "least" if direction == "greatest" else "greatest"
    return {"relation": relation, "direction": direction}


_SAME_KIND: Final = lazy(
    r"\bsame (\w+)|同一?(?:个|座|所|家|部)?(年|天|日|世纪|城市|地方|国家?|[省镇县村市州区]|[\u4e00-\u9fff]{2})"
)
_KINDS: Final = {
    "year": "year",
    "年": "year",
    "day": "date",
    "date": "date",
    "天": "date",
    "日": "date",
} | dict.fromkeys(
    ("city", "town", "village", "place", "country", "state", "城市", "地方", "国家", "国", *"省镇县村市州区"), "place"
)


def _same(items: tuple[str, ...], pred: str, low: str, language: Language) -> Compared:
    """The sameness of what a predicate names."""
    if not re.search("same|common|同|一样", low):
        return Compared("same", items)  # "both capitals": what they agree in is no relation of theirs
    said = _SAME_KIND.search(low)
    kind = _KINDS.get((said[1] or said[2]) if said else "", "")
    kind = kind or ("place" if re.search(r"出生地|去世地|birthplace|place of", pred) else "")
    if said and said[2] and not kind:
        return Compared("same", items)  # "the same school": no relation says which
    dated = find_relation(pred, pred, language, "date") if kind else None
    found = dated or find_relation(pred, pred, language)
    country = "country" if re.search("nationality|国|来自|人吗?$", pred) else ""
    return Compared("same", items, found.name if found else country, answer_type=kind if dated else "")


# --- the ways to ask ---

_AUX: Final = r"(?:is|are|was|were|has|have|had|did|does|do)"
_VERB: Final = r"(?:born|died?|founded|established|built|completed|constructed|opened|published|released|invented|discovered|come|came|created|lived?|happen(?:ed)?|begin|began|start(?:ed)?|weighs?|costs?|set up)"
_WH: Final = r"(?P<wh>(?:who|which|what)(?: one| of (?:them|the|these|those)(?: two| three| four| following)?)?(?: (?!(?:is|are|was|were|has|have|had|did|does|do|came|lived|died|of)\b)[a-z]+){0,3}?)"
_LISTED: Final = r"(?:of|among|between|out of) "
_WHO_ZH: Final = r"(?P<wh>谁|哪一?(?:个|座|条|部|位|家|种|本|国|所|款|支|项|颗|片|首|栋|者)?(?:城市|国家|人(?!口)|河流?|山峰?|省|湖|大学|公司|学校)?)"
_WAYS: Final[dict[Language, tuple[tuple[str, str], ...]]] = {
    "en": (
        ("age", r"(?:how old|(?:at )?(?:what|which) age) (?:was |were |did |had )?(?P<a>.+?)(?: (?:when|at the time|as) (?:he|she|they|it)(?: had)? (?:died|passed(?: away)?)| when (?P=a) died| die[ds]?| pass(?:ed)? away| (?:at|upon) (?:(?:his|her|their|the time of) )*(?:death|passing))$"),
        ("age", r"how (?:long|many years) (?:did|has|had) (?P<a>.+?) lived?$"),
        ("age", r"(?:what(?: is| was|'s) )?(?P<a>.+?)'s? age (?:at|upon|when) (?:(?:his|her|their|the time of) )*(?:death|died|he died|she died)$"),
        ("how_much", rf"(?:by )?how (?:much|many [a-z]+)(?P<pred>(?: (?:{{comp}}|{_VERB}))+) {_AUX} (?P<a>.+?) than (?P<b>.+)$"),
        ("how_much", rf"(?:by )?how (?:much|many [a-z]+) {_AUX} (?P<a>.+?)(?P<pred>(?: {_VERB})*(?: {{comp}})(?: [a-z]+){{0,2}}) than (?P<b>.+)$"),
        ("apart", r".*?\b(?:how many|how much|how long|difference|gap)\b.*?\b(?:between|separates?|separated|apart (?:were|are)) (?P<list>.+)$"),
        ("which", rf"{_WH} (?P<pred>(?:{_AUX}|{_VERB}|[a-z]+ed|won|ran|sold)\b(?:(?! (?:of|among|between) )[^,:;?])*)(?:[,:;?]| [-–—]) (?P<list>.+)$"),
        ("which", rf"{_WH} (?P<pred>(?:(?:(?:the|an?) )?(?:{_AUX}|{_VERB}|{{comp}}|in|by|of|area|population|height|length|size|people) )+)(?P<list>.+)$"),
        ("which", rf"(?:(?P<wh2>who|which|what)(?: one)? )?{_LISTED}(?P<list>.+?)[,:;?]* (?:(?P<wh>who|which|what)(?: one| of \w+(?: two)?| [a-z]+)? )?(?P<pred>(?:{_AUX}|came|lived|died|opened)\b.*)$"),
        ("which", rf"(?P<list>.+? (?:or|and|vs\.?|versus) .+?)[,:;?]* (?P<wh>who|which|what)(?: one| of \w+(?: two)?| [a-z]+)? (?P<pred>(?:{_AUX}|came|lived|died|opened)\b.*)$"),
        ("which", r"(?P<list>.+? (?:or|vs\.?|versus) .+?)[,:;?]* (?P<pred>{comp})$"),
        ("same", rf"{_AUX} (?P<list>.+?)(?P<pred>(?: (?:all|both|each|equally|{_VERB}|have|share|of|from|in|on|the|a|located|made|written|directed|use|speak|at))*? ?\b(?:same|both|common|equal(?:ly)?)\b.*)$"),
        ("whether", rf"{_AUX} (?P<a>.+?)(?P<pred>(?: (?:{_VERB}|have|has|had|the|an?))*(?: {{comp}})(?: [a-z]+){{0,3}}) (?:than|then) (?P<b>.+?)(?P<pred2> (?:by|in) (?:terms of )?(?:area|population|size|height|length|weight))?$"),
        ("whether", rf"(?!who|which|what|how|by|{_AUX})(?P<a>.+?) {_AUX}(?P<pred>(?: (?:{_VERB}|have|has|had|the|an?))*(?: {{comp}})(?: [a-z]+){{0,3}}) (?:than|then) (?P<b>.+?)$"),
        ("whether", rf"{_AUX} (?P<a>.+?)(?P<pred> {_VERB} (?:before|after)(?: or (?:before|after))?) (?P<b>.+)$"),
    ),
    "zh": (
        ("age", r"(?P<a>.+?)(?:去世|逝世|死|病逝|驾崩|过世|离世)(?:的?时候?|时|那年|那一年|的那年)?(?:是|有|,)?(?:多少岁|几岁|多大|多大年纪|多大岁数|年龄是?多[少大])了?$"),
        ("age", r"(?P<a>.+?)(?:一共|总共|共)?活[了到](?:多少岁|几岁|多大|多久|多少年)了?$"),
        ("age", r"(?P<a>.+?)(?:几岁|多大岁?数?|多少岁)(?:时|的时候)?(?:去世|死|逝世|病逝|过世)的?$"),
        ("how_much", r"(?P<a>.+?)(?:的(?P<pred>{rel}))?(?:{than})(?P<b>.+?)(?P<pred2>[的还更要在]*(?:{rel})?(?:时间|上|得)?[更还]*(?:{comp})(?:{rel})?)(?:出|了|上|过)?(?:多少|几).*$"),
        ("apart", r"(?P<list>.+?)(?:之间)?的?(?:年龄|(?:{rel})(?:时间|日期|年份)?)?的?(?:相差|差距|差了?|相隔|相距|隔了?)(?:有|是|为)?(?:多少|几|多大|$)"),
        ("which", rf"(?P<list>.+?)[,:]?(?:两者|[两二]人|二者|三者|这两个?人?|这三个?)?(?:之间|之中|当中|[中里](?=,))?[,:]?{_WHO_ZH}(?P<pred>[^谁哪]*)$"),
        ("which", rf"{_WHO_ZH}(?P<pred>[^,:、]+?)[,:、]?是?(?P<list>[^,:]+(?:还是|或者|、|或|和).+)$"),
        ("which", r"(?P<a>.{2,}?)的?(?P<pred>(?:{rel})?更?(?P<w>{comp}))还是(?P<b>.+?)(?:的?(?:{rel})?更?(?P=w)(?P<pred2>.*))?$"),
        ("whether", r"(?P<a>.+?)(?:的(?P<pred>{rel}))?(?:是不是|是否|有没有|会)?(?:{than})(?P<b>.+?)(?P<pred2>[的还更要在]*(?:{rel})?(?:时间|上|得)?[更还]*(?:{comp}).*)$"),
        ("whether", r"(?P<a>[^,谁哪]{1,20}?)(?<!没)有(?:没有)?(?P<b>[^,谁哪]{2,20}?)(?:这么|那么)?(?P<pred>[高长大重深宽快])[吗么]?$"),
        ("same", r"(?P<list>.+?)(?P<pred>(?:的[^的,]{1,6})?(?:是不是|是否|都|均|在|出?生[于在]|是|有没有|拥有|来自|属于|也)*(?:同一|同年|同国|一样|相同|同样|都是|都来自|都在).*)$"),
    ),
}  # fmt: skip
_THAN_ZH: Final = r"(?<![之相对可同环占评])比(?!如|喻|赛|例|分|重|尔|利时|利牛|亚迪|特币|萨|基尼|方|值|目|什|较)"


@cache
def _ways(language: Language) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """The ways to ask, compiled; `{comp}` stands for comparing words, `{rel}` for words that ask for a relation."""
    words = {"comp": rf"(?:{_words(language)})", "rel": "|".join(asking_words(language)), "than": _THAN_ZH}
    return tuple(
        (kind, re.compile(re.sub(r"\{(comp|rel|than)\}", lambda m: words[m[1]], pattern)))
        for kind, pattern in _WAYS[language]
    )
