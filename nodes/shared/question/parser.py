"""Rule-based question parsing: one question's text into one `QueryFrame`.

Frames of politeness go first, then filters (dates, sites, length, form); what is left is conversation, arithmetic, a
comparison of named things, something compound, or a look-up. What is not understood stays a look-up, an account or a
list of the right terms, without a relation: a wrong frame tells a falsehood, a poor one costs an answer.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, Final

from weiwo.nodes.shared.question import cues, lexicon
from weiwo.nodes.shared.question.arithmetic import arithmetic_expression
from weiwo.nodes.shared.question.comparison import Compared, items_of, read_comparison
from weiwo.nodes.shared.question.conversation import talk_of, without_greeting
from weiwo.nodes.shared.question.relation import FoundRelation, find_relation, subject_of, unit_of, without_article
from weiwo.state.query import QueryFrame, Shape
from weiwo.state.values import Language
from weiwo.text.language import HAN
from weiwo.text.names import names
from weiwo.text.patterns import lazy
from weiwo.text.relations import relations
from weiwo.text.terms import FUNCTION_WORDS, terms

LONGEST: Final = 600
"""Characters of a question that are parsed: its patterns may take time with the square of them."""
LONGEST_SEARCH: Final = 300
_EDGE: Final = " \t,.;:?!~…。、-"


def parse_question(text: str, language: Language) -> QueryFrame:
    """Parse a question.

    Args:
        text: Any text.
        language: The language it is asked in.

    Returns:
        Its frame. Never raises; `question` is the text as it stands.
    """
    plain = _normal(text)
    said, greeted = without_greeting(lower(plain))
    core = plain[len(plain) - len(said) :]
    bare = unframed(respelt(core) if language == "en" else core, language)
    lowered = lower(bare)
    frame = QueryFrame(question=text, language=language)
    talk = talk_of(said, _marked(core), lowered) or talk_of(lowered, _marked(bare), lowered) if said else greeted
    if talk or not any(c.isalnum() for c in plain):
        return frame.model_copy(
            update={"shape": "writing" if talk == "writing" else "small_talk", "talk": talk or "remark"}
        )
    if expression := arithmetic_expression(lowered):
        return frame.model_copy(update={"shape": "calculation", "expression": expression, "answer_type": "number"})
    filters, asked = _filters(bare)
    if language == "en":
        asked = respelt(asked)
    found = _parsed(asked.strip(_EDGE), language, filters.get("form", ""))
    if _ASKS_TWICE.search(lower(asked)):
        found |= {"relation": "", "answer_type": "text"}  # one value would be half an answer
    found |= {"terms": tuple(dict.fromkeys(terms(asked))), "search": _search(asked, language, found)}
    hard = {"fresh": bool(lexicon.FRESH.search(lowered)), "local": bool(lexicon.LOCAL.search(lowered))}
    return frame.model_copy(update=found | filters | hard)


def lower(text: str) -> str:
    """The text in lower case, character by character, so that offsets stay."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


_ASKS_TWICE: Final = lazy(
    r"\b(?:when|where|who|why|how|what) and (?:when|where|who|why|how|what)\b"
    r"|何时何地|(?:什么时候|哪一?年|何时)[^，。？]{0,4}(?:和|以及|、|在|，)[^，。？]{0,2}(?:哪里|哪儿|何地|什么地方)"
)
_NO_SPEECH: Final = lazy(rf"[^\w\s{HAN},.!?;:'\"()<>《》「」『』“”‘’、。%$€£¥+*/^=×÷√·#&@{{}}…~-]")
_HAN_BLANK: Final = lazy(rf"(?<=[{HAN}]) (?=[{HAN}\d])|(?<=[\d]) (?=[{HAN}])")
_MARKS: Final = str.maketrans(
    {"’": "'", "‘": "'", "，": ",", "？": "?", "！": "!", "；": ";", "：": ":", "（": "(", "）": ")"}
)


def _normal(text: str) -> str:
    """The beginning of a text in compatible forms, with single blanks and none between Chinese characters."""
    plain = unicodedata.normalize("NFKC", text[: 4 * LONGEST]).translate(_MARKS)
    return _HAN_BLANK.sub("", " ".join(_NO_SPEECH.sub(" ", plain).split())[:LONGEST]).strip()


def unframed(text: str, language: Language) -> str:
    """A question without politeness and orders at its two ends."""
    for _ in range(8):
        low = lower(text)
        before = lexicon.FRAMES_BEFORE[language].match(low)
        if before and any(c.isalnum() for c in text[before.end() :]):
            text = text[before.end() :].strip()
            continue
        after = lexicon.FRAMES_AFTER[language].search(low.rstrip(_EDGE))
        if after is None or not any(c.isalnum() for c in text[: after.start()]):
            break
        text = text[: after.start()].strip()
    return text


def _slips() -> dict[str, str]:
    """Common slips of the question's own words: two letters changed about, one left out, one doubled."""
    table: dict[str, str] = {}
    for word in lexicon.SLIPPED:
        made = {word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in range(len(word) - 1)}
        made |= {word[:i] + word[i] + word[i:] for i in range(len(word))}
        made |= {word[:i] + word[i + 1 :] for i in range(1, len(word))} if len(word) > 3 else set()
        table |= dict.fromkeys(made - lexicon.REAL - set(lexicon.SLIPPED) - FUNCTION_WORDS, word)
    return table | lexicon.WRITTEN_SHORT


_SLIPS: Final = _slips()
_INDIRECT: Final = lazy(
    r"(?i)^(how (?:long|tall|high|deep|wide|old|big|large|heavy|fast)) (?!is\b|was\b|are\b|were\b|do|did\b|it\b)"
    r"([^,.?!]{2,60}) (is|was|are|were)(?=[\s?!.]*$)"
)
"""An indirect question: "how long the Danube is"."""
_CONTRACTED: Final = lazy(r"(?i)\b(what|who|where|when|how)'?s(?= )")
_WORD: Final = lazy(r"\b[a-zA-Z]{2,12}\b")


def respelt(text: str) -> str:
    """An English question with the slips in its question words put right; names keep their spelling."""
    spelt = _CONTRACTED.sub(r"\1 is", text)
    spelt = _WORD.sub(lambda m: _SLIPS.get(m[0] if m.start() else m[0].lower(), m[0]), spelt)
    return _INDIRECT.sub(lambda m: f"{m[1]} {m[3]} {m[2]}", spelt, count=1)


def _marked(text: str) -> str:
    """The text in lower case with `N` for each name."""
    parts: list[str] = []
    position = 0
    for name in names(text):
        parts += [lower(text[position : name.start]), "N"]
        position = name.end
    return "".join([*parts, lower(text[position:])])


def _filters(text: str) -> tuple[dict[str, Any], str]:
    """Form, length, dates and sources wanted, and the question without those that are no part of what is asked."""
    low = lower(text)
    found: dict[str, Any] = {}
    if form := next((form for form, pattern in lexicon.FORMS if pattern.search(low)), ""):
        found["form"] = form
    cut = [m.span() for m in lexicon.FORM_ASIDE.finditer(low)]
    if words := lexicon.WORDS.search(low):
        found["words"] = int(words["a"] or words["b"] or words["c"])
        cut.append(words.span())
    if sources := [*lexicon.SOURCES.finditer(low)]:
        found["sources"] = tuple(text[m.start(m.lastgroup or 0) : m.end(m.lastgroup or 0)] for m in sources)
        cut += [m.span() for m in sources]
    if (between := lexicon.BETWEEN.search(low)) and not re.search(r"how (?:many|long)|多少年|几年", low):
        found["since"] = f"{between['a'] or between['c']}-01-01"
        found["until"] = f"{between['b'] or between['d']}-12-31"
    else:
        if since := lexicon.SINCE.search(low):
            found["since"] = f"{since['a'] or since['b']}-01-01"
        if until := lexicon.UNTIL.search(low):
            found["until"] = f"{until['a'] or until['b']}-12-31"
    for start, end in sorted(cut, reverse=True):
        text = text[:start].rstrip(" ,") + " " + text[end:].lstrip(" ,")
    return found, text.strip()


def _parsed(asked: str, language: Language, form: str) -> dict[str, Any]:
    """Shape, subjects, relation and parts of a question without frames and filters."""
    low, marked = lower(asked), _marked(asked)
    if compared := read_comparison(asked, low, language):
        return _of_comparison(compared, language)
    if several := _several(asked, low, language):
        return several
    plain = _look_up(asked, language)
    if cues.is_chain(marked, language):
        return plain | _UNKNOWN | {"shape": "chain", "subjects": tuple(s.split("的")[0] for s in plain["subjects"])}
    one_fact = plain["relation"] == "distance" and not re.search("years?|days?|年|天", low)
    if form == "report" or (cues.is_compound(marked, language) and not one_fact):
        return plain | _UNKNOWN | {"shape": "several", "subjects": _listed(asked, language) or plain["subjects"]}
    if lexicon.LIST.search(low):
        dated = plain["relation"] and relations()[plain["relation"]].answer_type == "date"
        return plain | (_UNKNOWN if dated else {}) | {"shape": "list", "answer_type": "list"}
    if lexicon.MANNER.match(low) or (plain["relation"] == "" and lexicon.OPEN.search(low)):
        return plain | _UNKNOWN | {"shape": "open", "answer_type": "text"}
    return plain


_UNKNOWN: Final = {"relation": "", "dimension": "", "unit": ""}


def _answer_type(low: str) -> str:
    """The type the question word asks for; `text` where it says none."""
    found = [(m.start(), -m.end(), kind) for kind, *both in lexicon.ANSWER_TYPES for p in both if (m := p.search(low))]
    start, _, kind = min(found, default=(1, 0, "text"))
    opens = lexicon.BOOLEAN.search(low) if start else None
    return "boolean" if opens and (kind == "text" or opens.start() == 0 < opens.end()) else kind


def _look_up(asked: str, language: Language) -> dict[str, Any]:
    """The question as one look-up: relation, subject, type of the answer."""
    low = lower(asked)
    wanted = _answer_type(low)
    found = find_relation(asked, low, language, wanted)
    subject = subject_of(asked, found.span if found else (0, 0), language)
    row = relations()[found.name] if found else None
    return {
        "shape": "look_up",
        "subjects": (without_article(subject),) if subject else (),
        "relation": row.name if row else "",
        "answer_type": row.answer_type if row and wanted in {"text", "quantity", "number"} else wanted,
        "dimension": row.dimension if row else "",
        "unit": unit_of(low),
    }


def _of_comparison(compared: Compared, language: Language) -> dict[str, Any]:
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


def _several(asked: str, low: str, language: Language) -> dict[str, Any] | None:
    """The same of several things, or several things of one: a look-up for each."""
    at = lexicon.AND_ASKS[language].search(low)
    if at and at.start() > 4 and lexicon.ASKS.search(low[: at.start()]) and lexicon.ASKS.search(low[at.end() :]):
        return _two_asked(asked[: at.start()].strip(_EDGE), asked[at.end() :].strip(_EDGE), language)
    found = find_relation(asked, low, language, _answer_type(low))
    if found and (both := _two_relations(asked, low, language, found)):
        return both
    items = _listed(asked, language, found.span) if found and found.name != "distance" else ()
    if not found or len(items) < 2 or (len(items) == 2 and _may_be_one(items, found.name, asked, low)):
        return None
    return _compound("several", items, (found.name,) * len(items), language)


_JOINED: Final = lazy(r" ?(?:,|/|&|and|和|与|及|以及|、) ?(?:the )?")
_EACH: Final = lazy(r"\b(?:each|every|all)\b|[每各]")


def _two_relations(asked: str, low: str, language: Language, one: FoundRelation) -> dict[str, Any] | None:
    """Two relations side by side, of one thing or of several: "population and area of Malta", "plato born died"."""
    (start, end), wanted = one.span, _answer_type(low)
    two = find_relation(asked, low[:start] + "\x00" * (end - start) + low[end:], language, wanted)
    if not two or two.name == one.name or _EACH.search(low):
        return None
    first, last = sorted((one, two), key=lambda found: found.span)
    between, both = low[first.span[1] : last.span[0]], (first.span[0], last.span[1])
    if not (_JOINED.fullmatch(between) or (between == " " and not lexicon.ASKS.search(low))):
        return None
    things = _listed(asked, language, both) or (subject_of(asked, both, language),)
    about, kinds = [thing for thing in things for _ in both], [first.name, last.name] * len(things)
    places = _place({"subjects": things, "answer_type": wanted})
    return _compound("several", about, kinds, language, places) if all(things) else None


def _may_be_one(items: Sequence[str], relation: str, asked: str, low: str) -> bool:
    """Whether two things may be one: "was Trinidad and Tobago founded", "who wrote Pride and Prejudice"."""
    if re.search(rf"\b(?:was|is|does|has) {re.escape(lower(items[0]))}", low):
        return True
    return relations()[relation].answer_type == "person" and len(lexicon.TITLE.findall(asked)) < len(items)


_ANAPHOR: Final = lazy(r"\b(?:it|its|he|his|him|she|her|they|their|them)\b|[它他她其]")


def _two_asked(first: str, second: str, language: Language) -> dict[str, Any]:
    one, two = _look_up(first, language), _look_up(second, language)
    subject = one["subjects"] or two["subjects"]
    more = any(len(lexicon.ASKS.findall(lower(half))) > 1 for half in (first, second))
    if more or not (one["relation"] and two["relation"] and subject):
        return one | _UNKNOWN | {"shape": "several"}
    things = subject[0], (subject if _ANAPHOR.search(lower(second)) else two["subjects"] or subject)[0]
    found = _compound("several", things, (one["relation"], two["relation"]), language)
    parts = [_part(thing, it["relation"], language, _place(it)) for thing, it in zip(things, (one, two), strict=True)]
    return found | {"parts": tuple(part for part in parts if part) if all(parts) else ()}


def _place(asked: Mapping[str, Any]) -> Compared | None:
    """That a place is asked for, as of a birth."""
    return Compared("several", asked["subjects"], answer_type="place") if asked["answer_type"] == "place" else None


def _listed(asked: str, language: Language, span: tuple[int, int] = (0, 0)) -> tuple[str, ...]:
    """The things a question lists, `A, B and C`; empty where it lists none."""
    titles = [found[found.lastgroup or 0] for found in lexicon.TITLE.finditer(asked)]
    if titles:
        return tuple(titles) if len(titles) > 1 else ()
    items = items_of(subject_of(asked, span, language, whole=True), language)
    if items and language == "en":  # "the economies of Spain" lists Spain
        head, _, last = items[0].rpartition(" between " if " between " in items[0] else " of ")
        items = (last if head.islower() or not head else items[0], *items[1:])
    return items


_STOP: Final = FUNCTION_WORDS | {"please", "much", "many"}
_KEY: Final = lazy(r"[^\s,;:?!\"“”()]+")
_IDLE_ZH: Final = lazy(r"[?,!、。;:]|(?:^|(?<=\s))的|(?<=\S)的(?=\S)|(?:了|的|是|有)(?=\s|$)")


def _search(asked: str, language: Language, found: dict[str, Any]) -> str:
    """The words of a question worth searching for, names in order, and the noun of its relation."""
    row = relations().get(found["relation"])
    if row and len(found["subjects"]) > 1 and found.get("shape") not in {"several", "chain"}:
        return " ".join([*found["subjects"], row.noun[language]])[:LONGEST_SEARCH]
    if language == "zh":
        words = _IDLE_ZH.sub(" ", lexicon.QUESTION_PHRASE["zh"].sub(" ", asked)).split()
        extra = [row.noun["zh"]] if row else []
    else:
        words = [word.strip(".'") for word in _KEY.findall(asked)]
        words = [word for word in words if word and lower(word).removesuffix("'s") not in _STOP]
        dated = [("place" if found["answer_type"] == "place" else "date")] if row and row.answer_type == "date" else []
        extra = [*row.noun["en"].split(), *dated] if row else []
    joined = lower(" ".join(words))
    words += [word for word in extra if word not in joined]
    return (" ".join(dict.fromkeys(words)) or asked)[:LONGEST_SEARCH].strip()
