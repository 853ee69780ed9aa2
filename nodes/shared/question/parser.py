"""Rule-based parsing of a question's text into a `QueryFrame`.

Frames of politeness are removed first, then filters (dates, sites, length, form). The rest is conversation, arithmetic,
a comparison of named things, a compound question, or a look-up. Unrecognized text stays a look-up, an account or a list
of the right terms, without a relation: a wrong frame produces a falsehood, a poor frame costs an answer.
"""

import re
import unicodedata
from functools import lru_cache
from typing import Any, Final

from weiwo.nodes.shared.question import lexicon
from weiwo.nodes.shared.question.arithmetic import aged_today, arithmetic_expression, dates_apart, today
from weiwo.nodes.shared.question.comparison import ask_of_each, compare_things, list_things, word_look_up
from weiwo.nodes.shared.question.conjunction import ask_attributes, split_conjunction
from weiwo.nodes.shared.question.conversation import talk_of, without_greeting
from weiwo.nodes.shared.question.lexicon import patterns_by_language, question_pattern
from weiwo.nodes.shared.question.look_up import EDGE, look_up, lower, search_words
from weiwo.state.kinds import Language, Locale, has_rules
from weiwo.state.query import QueryFrame
from weiwo.text.data_files import read_data
from weiwo.text.language import HAN, questions_of
from weiwo.text.names import names
from weiwo.text.patterns import JOINED_RANGES, lazy
from weiwo.text.relations import relations
from weiwo.text.terms import terms

LONGEST: Final = 600
"""Most characters of a question that are parsed. Some patterns take quadratic time."""


def parse_question(text: str, language: Language) -> QueryFrame:
    """Return the parsed question. Never raises: text that is not understood becomes a look-up by its words.

    Args:
        text: Any text. It is kept unchanged as `question`.
        language: The language it is asked in.
    """
    return _parse_once(text, language, today())


@lru_cache(maxsize=64)
def _parse_once(text: str, language: Language, _day: str) -> QueryFrame:
    """Return the parsed question. Cached, since several nodes parse the same one.

    `_day` is part of the key because of "today".
    """
    plain = _normal(text)
    if not has_rules(language):
        return _frame_without_rules(text, plain, language)
    said, greeted = without_greeting(lower(plain))
    core = plain[len(plain) - len(said) :]
    bare = _strip_frames(_respelt(core) if language == "en" else core, language)
    lowered = lower(bare)
    frame = QueryFrame(question=text, language=language)
    talk = (
        talk_of(said, _mark_names(core), lowered) or talk_of(lowered, _mark_names(bare), lowered) if said else greeted
    )
    if talk or not any(c.isalnum() for c in plain):
        return frame.model_copy(
            update={"shape": "writing" if talk == "writing" else "small_talk", "talk": talk or "remark"}
        )
    if expression := arithmetic_expression(lowered):
        return frame.model_copy(update={"shape": "calculation", "expression": expression, "answer_type": "number"})
    if apart := dates_apart(lowered):
        dated = {"expression": " .. ".join(apart[:2]), "unit": apart[2]}
        return frame.model_copy(update={"shape": "calculation", "answer_type": "number", **dated})
    filters, asked = _filters(bare)
    if language == "en":
        asked = _respelt(asked)
    if who := aged_today(bare):
        birth = parse_question(word_look_up("birth", language).format(who), language)
        taken: dict[str, Any] = {
            "subjects": birth.subjects,
            "parts": (birth,),
            "terms": birth.terms,
            "search": birth.search,
        }
        aged = {"shape": "difference", "unit": "age", "answer_type": "number", "wants_difference": True}
        return frame.model_copy(update={**aged, **taken})
    found = _parse_structure(asked.strip(EDGE), language, filters.get("form", ""))
    if not found.get("parts") and _ASKS_TWICE.search(lower(asked)):
        found |= {"relation": "", "answer_type": "text"}  # one value would be half an answer
    found |= {"terms": tuple(dict.fromkeys(terms(asked))), "search": search_words(asked, language, found)}
    hard = {"fresh": bool(lexicon.FRESH.search(lowered)), "local": bool(_LOCAL.search(lowered))}
    return frame.model_copy(update=found | filters | hard)


def _frame_without_rules(text: str, plain: str, language: Language) -> QueryFrame:
    """Return the parsed question in a language without rules: a look-up by all content words."""
    frame = QueryFrame(question=text, language=language)
    if not any(c.isalnum() for c in plain):
        return frame.model_copy(update={"shape": "small_talk", "talk": "remark"})
    if expression := arithmetic_expression(plain):
        return frame.model_copy(update={"shape": "calculation", "expression": expression, "answer_type": "number"})
    found = tuple(dict.fromkeys(terms(plain, language)))
    several = len(_QUESTION_MARKS.findall(plain)) > 1
    update = {"terms": found, "search": plain.strip(EDGE + "¿؟;"), "shape": "several" if several else "look_up"}
    return frame.model_copy(update=update)


_QUESTION_MARKS: Final = lazy(r"[?？؟]\s*(?:\s|$)")
_ASKS_TWICE: Final = lazy(
    r"\b(?:when|where|who|why|how|what) and (?:when|where|who|why|how|what)\b"
    r"|何时何地|(?:什么时候|哪一?年|何时)[^，。？]{0,4}(?:和|以及|、|在|，)[^，。？]{0,2}(?:哪里|哪儿|何地|什么地方)"
)
_FRAMES_BEFORE: Final = patterns_by_language("frames_before")
"""Politeness and orders before a question. They are removed until none is left."""
_FRAMES_AFTER: Final = patterns_by_language("frames_after")
_NO_SPEECH: Final = lazy(rf"[^\w\s{HAN}{JOINED_RANGES},.!?¿؟;:'\"()<>《》「」『』“”‘’、。%$€£¥+*/^=×÷√·#&@{{}}…~-]")
_HAN_BLANK: Final = lazy(rf"(?<=[{HAN}]) (?=[{HAN}\d])|(?<=[\d]) (?=[{HAN}])")
_MARKS: Final = str.maketrans(
    {"’": "'", "‘": "'", "，": ",", "？": "?", "！": "!", "；": ";", "：": ":", "（": "(", "）": ")"}
)


def _normal(text: str) -> str:
    """Return a text with compatible characters and single blanks, none between Chinese characters.

    For a long text, only its questions are kept.
    """
    plain = unicodedata.normalize("NFKC", questions_of(text, LONGEST) or text[: 4 * LONGEST]).translate(_MARKS)
    return _HAN_BLANK.sub("", " ".join(_NO_SPEECH.sub(" ", plain).split())[:LONGEST]).strip()


def _strip_frames(text: str, language: Locale) -> str:
    """Return a question without politeness at both ends: "who built it" for "please tell me who built it"."""
    for _ in range(8):
        low = lower(text)
        before = _FRAMES_BEFORE[language].match(low)
        if before and any(c.isalnum() for c in text[before.end() :]):
            text = text[before.end() :].strip()
            continue
        after = _FRAMES_AFTER[language].search(low.rstrip(EDGE))
        if after is None or not any(c.isalnum() for c in text[: after.start()]):
            break
        text = text[: after.start()].strip()
    return text


_SLIPS: Final = {slip: word for word, slips in read_data("question")["slips"].items() for slip in slips.split()}
_INDIRECT: Final = lazy(
    r"(?i)^(how (?:long|tall|high|deep|wide|old|big|large|heavy|fast)) (?!is\b|was\b|are\b|were\b|do|did\b|it\b)"
    r"([^,.?!]{2,60}) (is|was|are|were)(?=[\s?!.]*$)"
)
"""Indirect question, as "how long the Danube is"."""
_CONTRACTED: Final = lazy(r"(?i)\b(what|who|where|when|how)'?s(?= )")
_WORD: Final = lazy(r"\b[a-zA-Z]{2,12}\b")


def _respelt(text: str) -> str:
    """Return an English question with slips in its question words corrected. Names keep their spelling."""
    spelt = _CONTRACTED.sub(r"\1 is", text)
    spelt = _WORD.sub(lambda m: _SLIPS.get(m[0] if m.start() else m[0].lower(), m[0]), spelt)
    return _INDIRECT.sub(r"\1 \3 \2", spelt, count=1)


def _mark_names(text: str) -> str:
    """Return the text in lower case with `N` for each name."""
    parts: list[str] = []
    position = 0
    for name in names(text):
        parts += [lower(text[position : name.start]), "N"]
        position = name.end
    return "".join([*parts, lower(text[position:])])


_WORDS: Final = question_pattern("words")
_SOURCES: Final = question_pattern("sources")
_SINCE: Final = question_pattern("since")
_UNTIL: Final = question_pattern("until")
_BETWEEN: Final = question_pattern("between")


def _filters(text: str) -> tuple[dict[str, Any], str]:
    """Return the wanted form, length, dates and sources of a question, and the question without them.

    Dates and forms that are part of what is asked stay in the question.
    """
    low = lower(text)
    found: dict[str, Any] = {}
    if form := next((form for form, pattern in lexicon.FORMS if pattern.search(low)), ""):
        found["form"] = form
    cut = [m.span() for m in lexicon.FORM_ASIDE.finditer(low)]
    if words := _WORDS.search(low):
        found["words"] = int(words["a"] or words["b"] or words["c"])
        cut.append(words.span())
    if sources := [*_SOURCES.finditer(low)]:
        found["sources"] = tuple(text[m.start(m.lastgroup or 0) : m.end(m.lastgroup or 0)] for m in sources)
        cut += [m.span() for m in sources]
    if (between := _BETWEEN.search(low)) and not re.search(r"how (?:many|long)|多少年|几年", low):
        found["since"] = f"{between['a'] or between['c']}-01-01"
        found["until"] = f"{between['b'] or between['d']}-12-31"
    else:
        if since := _SINCE.search(low):
            found["since"] = f"{since['a'] or since['b']}-01-01"
        if until := _UNTIL.search(low):
            found["until"] = f"{until['a'] or until['b']}-12-31"
    for start, end in sorted(cut, reverse=True):
        text = text[:start].rstrip(" ,") + " " + text[end:].lstrip(" ,")
    return found, text.strip()


_LOCAL: Final = question_pattern("local")
_LIST: Final = question_pattern("list")
_OPEN: Final = question_pattern("open")
_MANNER: Final = question_pattern("manner")
"""Questions that an explanation answers, whatever relation the question also names."""
_UNKNOWN: Final = {"relation": "", "dimension": "", "unit": ""}
_AMPERSAND: Final = lazy(r" & (?![A-Z])")
"""An "&" that joins two things. Before a capital it is part of a name: "Procter & Gamble"."""


def _parse_structure(asked: str, language: Locale, form: str) -> dict[str, Any]:
    """Return shape, subjects, relation and parts of a question without politeness and filters, as frame fields."""
    low, marked = lower(asked), _mark_names(asked)
    both = asked.replace(" & ", " and ")
    if compared := compare_things(asked, low, language) or compare_things(both, lower(both), language):
        return compared
    if conjoined := split_conjunction(asked, language, parse_question) or ask_attributes(both, lower(both), language):
        return conjoined
    both = _AMPERSAND.sub(" and ", asked)
    if several := ask_of_each(both, lower(both), language):
        return several
    plain = look_up(asked, language)
    if lexicon.is_chain(marked, language):
        subjects = tuple(s.split("的")[0] for s in plain["subjects"])
        return plain | _UNKNOWN | {"shape": "chain", "subjects": subjects}
    one_fact = plain["relation"] == "distance" and not re.search("years?|days?|年|天", low)
    if form == "report" or (lexicon.is_compound(marked, language) and not one_fact):
        return plain | _UNKNOWN | {"shape": "several", "subjects": list_things(asked, language) or plain["subjects"]}
    if _LIST.search(low):
        dated = plain["relation"] and relations()[plain["relation"]].answer_type == "date"
        return plain | (_UNKNOWN if dated else {}) | {"shape": "list", "answer_type": "list"}
    if _MANNER.match(low) or (plain["relation"] == "" and _OPEN.search(low)):
        return plain | _UNKNOWN | {"shape": "open", "answer_type": "text"}
    return plain
