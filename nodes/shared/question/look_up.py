"""A look-up: the relation and the subject a question asks about, the type of its answer, and what to search for."""

from typing import Any, Final

from weiwo.nodes.shared.question import lexicon
from weiwo.nodes.shared.question.relation import find_relation, subject_of, unit_of, without_article
from weiwo.state.kinds import Language
from weiwo.text.patterns import lazy
from weiwo.text.relations import relations
from weiwo.text.terms import FUNCTION_WORDS

LONGEST_SEARCH: Final = 300
EDGE: Final = " \t,.;:?!~…。、-"


def lower(text: str) -> str:
    """The text in lower case, character by character, so that offsets stay."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def answer_type_of(low: str) -> str:
    """The type the question word asks for; `text` where it says none."""
    found = [(m.start(), -m.end(), kind) for kind, *both in lexicon.ANSWER_TYPES for p in both if (m := p.search(low))]
    start, _, kind = min(found, default=(1, 0, "text"))
    opens = lexicon.BOOLEAN.search(low) if start else None
    return "boolean" if opens and (kind == "text" or opens.start() == 0 < opens.end()) else kind


def look_up(asked: str, language: Language) -> dict[str, Any]:
    """The question as one look-up: relation, subject, type of the answer."""
    low = lower(asked)
    wanted = answer_type_of(low)
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


_STOP: Final = FUNCTION_WORDS | {"please", "much", "many"}
_KEY: Final = lazy(r"[^\s,;:?!\"“”()]+")
_IDLE_ZH: Final = lazy(r"[?,!、。;:]|(?:^|(?<=\s))的|(?<=\S)的(?=\S)|(?:了|的|是|有)(?=\s|$)")


def search_words(asked: str, language: Language, found: dict[str, Any]) -> str:
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
