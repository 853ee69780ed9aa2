"""What a question asks: about which subject, for which relation, and for what sort of answer."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from nodes.rules.reading.asked_zh import asks_part, object_asked, split_attribute, subjects_zh, terms_zh
from nodes.rules.reading.relations import RELATIONS, Kind, Relation, find_relation
from nodes.rules.reading.requests import question_of, unit_wanted
from nodes.rules.reading.wants import OPEN, wanted
from nodes.rules.words import terms
from state import ValueType
from text.language import HAN, clean, fold
from text.names import names
from text.patterns import lazy

LONGEST: Final = 600
"""Characters of a question that are read; what is longer is no question of one task."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, taken apart.

    Attributes:
        text: The question as it was put, cleaned.
        subjects: What it is about, most telling first: names, or the words left when the question's frame is gone.
        relation: What is asked of the subject, if the table knows it.
        attribute: The noun that names what is asked ("motto" in "the motto of X"), where the table doesn't.
        words: Terms of the question that are neither the subject's nor the known relation's.
        all_words: All its content terms.
        kind: What sort of answer is wanted, if the question says.
        noun: The noun after which/what/how many ("river" in "which river").
        open: Whether it asks for an explanation or an account rather than a value.
        years: Years it mentions, which an answer must not merely repeat.
        agent: Whether the subject is the doer, so that the object is wanted ("What did X invent?").
        unit: The length, mass or area in which the number is wanted, if the question names one.
    """

    text: str
    subjects: tuple[str, ...]
    relation: Relation | None = None
    attribute: str = ""
    words: tuple[str, ...] = ()
    all_words: tuple[str, ...] = ()
    kind: Kind | None = None
    noun: str = ""
    open: bool = False
    years: tuple[int, ...] = ()
    agent: bool = False
    unit: str = ""


_NOUN_PHRASE: Final = lazy(
    r"(?i)\b(?:(?P<how>how (?:many|much))|(?P<which>which|what|whose)|in (?P<in>which|what)) +"
    r"(?:is the |was the |are the |were the )?(?:name of the |type of |kind of )?"
    r"(?P<noun>(?:[a-z][\w-]* ){0,2}?[a-z][\w-]*?)s?(?= (?:is|are|was|were|do|does|did|has|"
    r"have|had|will|would|can|could|"
    r"of|in|on|that|who|where|which|when|[a-z]+ed|[a-z]+s|wrote|won|built|led|made|held|bundle|live|lived|stand|run)\b|\?|$)"
)
_FRAME_EN: Final = lazy(
    r"(?i)\b(?:in|at|on|from|by|of|to|for|with|about)? ?\b(?:what|which|who|whom|whose|when|where|why|how)\b"
    r"(?: (?:many|much|old|tall|high|long|deep|wide|far|big|large|fast|heavy|often))?(?: (?:years?|"
    r"dates?|kilomet(?:er|re)s|"
    r"met(?:er|re)s|feet|miles|km|time|day|month|people|inhabitants|country|city|state|river|town|person|place|"
    r"company|university|nation))?(?=\W|$)"
)
_EDGE_EN: Final = lazy(
    r"(?i)^(?:(?:'s|is|are|was|were|be|been|being|do|does|did|has|have|had|will|would|shall|"
    r"can|could|the name|name|the|a|an|of|in|on|at|by|"
    r"to|from|for|with|into|through|first|also|ever|actually|both|that|which|who|as|and|his|her|its|their|he|she|it|they|"
    r"full|exact|current|total|year|date|place|located|called|named|there)\b['\s,]*)+"
)
_TAIL_EN: Final = lazy(
    r"(?i)(?:[\s,]+(?:'s|is|are|was|were|be|been|being|do|does|did|has|have|had|will|would|can|could|the|a|an|of|in|on|at|by|to|from|for|"
    r"with|into|through|located|situated|called|named|name|whom?|what|which|where|when|first|itself|from|it|he|she|and|that|as))+\s*$"
)
_BREAK_EN: Final = lazy(r"(?i)\b(?:when|while|after|before|because|if|where|who|which|that|whom)\b|[,;:]\s")

_IDLE_EN: Final = frozenset(
    terms(
        "year date time day month number total amount estimate place location metre meter kilometre mile foot feet full"
    )
)
_IDLE_ZH: Final = frozenset(
    [
        "人数",
        "数量",
        "时间",
        "日期",
        "地点",
        "名字",
        "名称",
        "总共",
        "全年",
        "共有",
        "年份",
        "哪些",
        "具体",
        "多少",
        "情况",
    ]
)
_PLACES: Final = frozenset({"place", "city", "country", "state"})
_GENERIC_RELATIONS: Final = frozenset({"bank", "country"})
_HAN: Final = lazy(f"[{HAN}]")
_OBJECT: Final = lazy(
    r"(?i)^(?:what|which)\b.{0,40}? (?:did|does|do|has|have) (?P<who>.{2,80}?) "
    r"(?:write|invent|discover|compose|paint|found|create|direct|design|build|publish|produce|conquer|win|develop|make)"
)
_WORKS: Final = lazy("作品|著作|代表作")
_PROPERTY: Final = lazy(r"^(?P<subject>.{1,200}?) >> (?P<relation>.{1,80})$")
_ATTRIBUTE_EN: Final = lazy(
    r"(?i)\b(?:what|who|which)(?: is| was| are| were|'s) (?:the )?(?P<noun>(?:[a-z][\w-]* "
    r"){0,3}[a-z][\w-]*) (?:of|for|in) (?P<of>.+)"
)
_ROLE: Final = lazy(r"(?i)\bas (?:an? |the )?[a-z]+\b(?=\?|$)")
_POSSESSIVE: Final = lazy(r"(?P<who>.+?)['’]s? (?P<noun>[a-z][\w -]{2,40}?)(?:['’]s name)?\s*\??$")


def analyse(description: str, ret: ValueType) -> Asked:
    """Take a question apart.

    Args:
        description: A question in English or Chinese, or a phrase such as "birth year of Julius Caesar".
        ret: The type its answer must have.
    """
    unit, text = unit_wanted(question_of(clean(description)[:LONGEST].strip()))
    property_ = _PROPERTY.match(text)
    if property_:
        return _of_property(text, property_["subject"], property_["relation"], ret)
    chinese = bool(_HAN.search(re.sub("《[^》]*》", "", text)))
    kind = wanted(text)
    if ret in {"date", "list[date]"}:
        kind = "date"
    elif ret in {"number", "list[number]"}:
        kind = "number"
    found = find_relation(text, wants=kind, number=kind == "number")
    relation, where = found or (None, (0, 0))
    if relation is not None and relation.name in _GENERIC_RELATIONS and asks_part(text):
        relation, where = None, (0, 0)
    if relation is None and kind in _PLACES and not asks_part(text) and not _attribute_en(text):
        relation = next(known for known in RELATIONS if known.name == "location")
    doer = object_asked(text) if chinese else _doer_en(text)
    if doer and relation is None and _WORKS.search(text):
        relation = next(known for known in RELATIONS if known.name == "author")
    attribute = "" if chinese else _attribute_en(text)
    subjects = subjects_zh(text, relation, where) if chinese else _subjects_en(text, relation, where)
    if doer:
        who = _trim_en(doer)
        subjects = (who, *(s for s in subjects if s != who))
    if chinese:
        subjects, attribute = split_attribute(subjects, relation, kind)
    every = tuple(dict.fromkeys(terms_zh(text, relation, where) if chinese else terms(text)))
    used = set(terms(" ".join(subjects[:1])))
    asked_noun = _noun(text)
    carried = {*_IDLE_ZH, *_IDLE_EN, *(terms(asked_noun) if kind not in {None, "number", "thing"} else ())}
    if relation is not None:
        carried.update(terms("people") if relation.measure == "people" else ())
        said = (relation.asks, relation.cues, _ROLE)
        carried.update(term for known in said for hit in known.finditer(text) for term in terms(hit.group()))
    return Asked(
        text=text,
        subjects=subjects,
        relation=relation,
        attribute=attribute,
        words=tuple(word for word in every if word not in used and word not in carried),
        all_words=every,
        kind=kind,
        noun=asked_noun,
        open=bool(OPEN.search(text)) and kind in {None, "reason", "person", "thing"},
        years=tuple(
            dict.fromkeys(int(y) for y in re.findall(r"(?<![\dA-Za-z])(?<![A-Za-z]-)(?:1\d|20)\d\d(?!\d)", text))
        ),
        agent=bool(doer),
        unit=unit,
    )


def _of_property(text: str, subject: str, label: str, ret: ValueType) -> Asked:
    kind: Kind | None = wanted(label)
    if label.strip() == "country":
        kind = "country"
    found = find_relation(label, wants=kind, number=ret == "number")
    relation = found[0] if found else None
    words = () if relation else tuple(terms(label))
    return Asked(
        text=text,
        subjects=(subject.strip(),),
        relation=relation,
        attribute="" if relation else label.strip(),
        words=words,
        all_words=tuple(terms(f"{subject} {label}")),
        kind=kind or (relation.kind if relation else None),
    )


def _noun(text: str) -> str:
    found = _NOUN_PHRASE.search(text)
    if found:
        return fold(found["noun"])
    chinese = re.search(
        rf"(?:多少|几)[个位名块枚座条部所种艘层级名次]?(?P<a>[{HAN}]{{1,6}}?)(?=[？?，。]|$)|哪[一几]?[个位些条座部所家支首本](?P<b>[{HAN}]{{1,6}}?)(?=[？?，。]|$)",
        text,
    )
    return (chinese["a"] or chinese["b"] or "") if chinese else ""


def _doer_en(text: str) -> str:
    found = _OBJECT.search(text)
    return found["who"] if found else ""


def _attribute_en(text: str) -> str:
    found = _ATTRIBUTE_EN.search(text)
    if found and not any(c.isupper() for c in found["noun"]):
        return found["noun"].removeprefix("name of the ").strip()
    owned = _POSSESSIVE.search(text)
    return owned["noun"].removesuffix(" name").strip() if owned else ""


# --- subjects in English ---


def _subjects_en(text: str, relation: Relation | None, where: tuple[int, int]) -> tuple[str, ...]:
    """Names first, then the words left of the question; a title keeps its small words, since only edges are trimmed."""
    body = text.rstrip("?!. ")
    masked = _blank(body, _FRAME_EN)
    if relation is not None:
        cut_from, cut_to = where
        inside = next(
            (n for n in names(body) if n.start < cut_to and n.end > cut_from and n.end - n.start > cut_to - cut_from),
            None,
        )
        if inside is None:
            masked = masked[:cut_from] + "\x00" * (cut_to - cut_from) + masked[cut_to:]
    chunks = [
        chunk
        for piece in re.split("\x00+", masked)
        for part in _cut_clauses(piece)
        if len(chunk := _trim_en(part)) > 1 and terms(chunk)
    ]
    named = [name.text for name in names(body)]
    if not named:
        chunks.sort(key=lambda chunk: -len(terms(chunk)) if relation is None else 0)
        return tuple(dict.fromkeys(chunks))
    # A chunk that holds a name is that name with its small words: "The Old Man and the Sea".
    holding = [chunk for chunk in chunks if any(name in chunk for name in named)]
    tight = [_tighten(chunk, named) for chunk in holding]
    return tuple(dict.fromkeys([*tight, *(n for n in named if not any(n in t for t in tight))]))


def _tighten(chunk: str, named: list[str]) -> str:
    """A chunk from its first to its last capital: lower-case words around a name belong to the question."""
    inside = [name for name in named if name in chunk]
    start = min(chunk.find(name) for name in inside)
    end = max(chunk.rfind(name) + len(name) for name in inside)
    lead = re.search(r"(?:^|\s)((?:The|A|An) )$", chunk[:start])
    between = chunk[start:end]
    # Between two names only a title's small words may stand; otherwise the first name is the subject.
    if len(inside) > 1 and re.search(
        r"\b(?!(?:of|the|and|a|an|in|on|at|to|for|with|from|by|de|la|le|no|not|who|or)\b)[a-z]{2,}", between
    ):
        return inside[0] if chunk.find(inside[0]) == start else min(inside, key=chunk.find)
    return (lead[1] if lead else "") + between


def _cut_clauses(piece: str) -> Iterator[str]:
    """The parts before and after a subordinate clause, unless capitals show that the word is part of a title."""
    position = 0
    for found in _BREAK_EN.finditer(piece):
        after = piece[found.end() :].lstrip()[:1]
        before = piece[: found.start()].rstrip().split(" ")[-1][:1]
        if found.group()[0] == "," and before.isupper() and after.isupper():
            continue
        yield piece[position : found.start()]
        position = found.end()
    yield piece[position:]


def _trim_en(chunk: str) -> str:
    trimmed = chunk.strip(" \t,.;:?!\x00")
    while True:
        shorter = (
            _EDGE_EN.sub("", _TAIL_EN.sub("", trimmed)).strip(" ,.;:?!")
            if not trimmed[:1].isupper()
            else (_TAIL_EN.sub("", trimmed).strip(" ,.;:?!"))
        )
        shorter = re.sub(r"(?:(?<=[^s])['’]s|['’])$", "", shorter)
        if shorter == trimmed:
            return trimmed
        trimmed = shorter


def _blank(text: str, found: re.Pattern[str]) -> str:
    return found.sub(
        lambda m: "\x00" * len(m.group()) if not m.group()[:1].isupper() or m.start() == 0 else m.group(), text
    )
