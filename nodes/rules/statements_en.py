"""English questions turned into statements of their answers, and into clauses for what was not found.

"When was X born?" and "156 BC" make "X was born in 156 BC."; "How long is X?" makes "how long X is". Only orders and
verbs that are known are turned: None says that no safe sentence can be built.
"""

import re
from typing import Final

from nodes.rules import english
from nodes.rules.forms import word_set
from nodes.rules.nouns_en import PREPOSITIONS
from state import ValueType
from text.patterns import lazy

_PREPOSED: Final = lazy(
    r"(?:in|at|on|near|from|to|inside|outside|off|along|between|north|south|east|west|by|around)\b", re.IGNORECASE
)
_DATE_WH: Final = lazy(r"(?:when|(?:(?:in|on|during) )?(?:what|which) (?:year|date|day|month))", re.IGNORECASE)
_PREPOSITION_WH: Final = lazy(
    r"(?P<preposition>in|on|at|to|from|by|for|of|with|through|into|under|near|during) (?:what|which|whom)(?: "
    r"(?P<noun>.+))?",
    re.IGNORECASE,
)
_MANY: Final = lazy(r"how (?:many|much)(?: (?P<noun>.+))?", re.IGNORECASE)
_DEGREE: Final = lazy(r"how (?P<adjective>[a-z]+)", re.IGNORECASE)
_ADJECTIVES: Final = word_set("tall long high deep wide thick")
_NOUNS: Final = {
    **dict.fromkeys(("large", "big"), "size"),
    **dict.fromkeys(("tall", "high"), "height"),
    "heavy": "weight",
    "fast": "speed",
    "hot": "temperature",
    "far": "distance",
    "long": "length",
    "deep": "depth",
    "wide": "width",
    "thick": "thickness",
}
_LONGEST: Final = 160


def state(question: str, value: str, type_: ValueType, *, circa: bool = False, unit: bool = False) -> str | None:
    """A statement that answers a question.

    Args:
        question: A direct question, every subject filled in.
        value: The answer, written out with its unit.
        type_: Its type.
        circa: Whether the value is only known roughly.
        unit: Whether the written value carries a unit.

    Returns:
        One sentence with a full stop, or None where none can be built with certainty.
    """
    asked = " ".join(question.split()).rstrip("?. ")
    if not value or (type_ in {"text", "list[text]"} and not _is_phrase(value)):
        return None
    if type_ == "boolean":
        return _yes_or_no(asked, yes=value.lower() in {"yes", "true"})
    if type_ == "number" and circa:
        value = f"about {value}"
    for build in (_when, _amount, _prepositional, _where, _identity, _subject, _object, _listing):
        if sentence := build(asked, value, type_, circa, unit):
            return english.capitalized(" ".join(sentence.split())).rstrip(".") + "."
    return None


def _is_phrase(value: str) -> bool:
    """Whether a text can stand in a sentence: no sentence of its own, and not long."""
    return len(value) <= _LONGEST and not re.search(
        r"[.!?;:]\s|[.!?]$|\n", re.sub(r"\b(?:[A-Z]|St|Dr|Mr|Mrs|Jr|Sr|No|c)\.", "", value)
    )


def _frame(asked: str) -> tuple[str, str, str, str] | None:
    """Question words, auxiliary, subject, predicate."""
    frame = english.parse_question(asked)
    if frame is None:
        return None
    wh, aux, rest = frame
    split = (
        (rest, "")
        if re.fullmatch(r"how (?!many|much)[a-z]+", wh, re.IGNORECASE) and aux in english.BE
        else english.split_predicate(rest, aux)
    )
    return (wh, aux, *split) if split else None


def _clause(subject: str, aux: str, predicate: str) -> str | None:
    """Subject and verb in the order of a statement."""
    if aux in english.BE | {"has", "have", "had", "can", "could", "will", "would"}:
        return f"{subject} {aux} {predicate}".strip()
    words = predicate.split()
    at = next((i for i, word in enumerate(words) if word not in english.ADVERBS), 0)
    if not words:
        return None
    base, before, after = words[at], " ".join(words[:at]), " ".join(words[at + 1 :])
    if aux == "did":
        verb = {"have": "had", "do": "did"}.get(base) or english.PAST.get(base)
    elif aux == "does":
        verb = {"have": "has", "do": "does"}.get(base) or next((t for t, b in english.THIRD.items() if b == base), None)
    else:
        verb = base
    return " ".join(part for part in (subject, before, verb, after) if part) if verb else None


def _when(asked: str, value: str, type_: ValueType, circa: bool, unit: bool) -> str | None:  # noqa: ARG001, FBT001 - one signature for all builders
    frame = _frame(asked)
    if type_ not in {"date", "list[date]"} or frame is None or not _DATE_WH.fullmatch(frame[0]):
        return None
    clause = _clause(frame[2], frame[1], frame[3])
    if clause is None:
        return None
    if circa:
        return f"{clause} around {value}"
    return f"{clause} {'on' if re.match(r'[0-9]{1,2} [A-Z][a-z]', value) else 'in'} {value}"


def _amount(asked: str, value: str, type_: ValueType, circa: bool, unit: bool) -> str | None:  # noqa: ARG001, FBT001, PLR0911 - one signature for all builders, one return a form
    frame = _frame(asked)
    if frame is None:
        return None
    wh, aux, subject, predicate = frame
    if many := _MANY.fullmatch(wh):
        return _how_many(many["noun"] or "", aux, subject, predicate, value, unit=unit)
    degree = _DEGREE.fullmatch(wh)
    if degree is None or type_ != "number":
        return None
    adjective = degree["adjective"].lower()
    if adjective == "long" and aux in {"did", "does"}:
        clause = _clause(subject, aux, predicate) if unit else None
        return f"{clause} for {value}" if clause else None
    if aux not in english.BE or predicate:
        return None
    if adjective in _ADJECTIVES and unit:
        return f"{subject} {aux} {value} {adjective}"
    if (when := re.fullmatch(r"(?P<s>.+?) (?P<when>when .+)", subject)) and adjective == "old":
        return f"{when['s']} {aux} {value}{'' if unit else ' years'} old {when['when']}"
    if adjective == "old":
        return f"{subject} {aux} {value} old" if unit else f"{subject} {aux} {value} years old"
    noun = _NOUNS.get(adjective)
    return f"the {noun} of {subject} {aux} {value}" if noun else None


def _how_many(noun: str, aux: str, subject: str, predicate: str, value: str, *, unit: bool) -> str | None:
    if re.search(r"years?|kilomet|met(?:er|re)s|miles|feet|days|people|inhabitants|dollars", noun) and unit:
        noun = ""
    counted = f"{value} {noun}".strip()
    there = re.fullmatch(r"there(?P<rest> .*)?", f"{subject} {predicate}".strip())
    if there and aux in english.BE:
        return f"there {aux} {counted}{there['rest'] or ''}"
    if aux in {"does", "do", "did", "has", "have", "had"}:
        if aux in {"has", "have", "had"} and predicate:
            return f"{subject} {aux} {predicate.split(maxsplit=1)[0]} {counted} {' '.join(predicate.split()[1:])}"
        words = predicate.split()
        clause = _clause(subject, aux, words[0]) if words else None
        return f"{clause} {counted} {' '.join(words[1:])}" if clause else None
    return None


def _prepositional(asked: str, value: str, type_: ValueType, circa: bool, unit: bool) -> str | None:  # noqa: ARG001, FBT001 - one signature for all builders
    frame = _frame(asked)
    match = _PREPOSITION_WH.fullmatch(frame[0]) if frame else None
    if frame is None or match is None or type_ == "date":
        return None
    clause = _clause(frame[2], frame[1], frame[3])
    preposition = "" if _PREPOSED.match(value) else match["preposition"].lower()
    return f"{clause} {preposition} {value}" if clause else None


def _where(asked: str, value: str, type_: ValueType, circa: bool, unit: bool) -> str | None:  # noqa: ARG001, FBT001 - one signature for all builders
    frame = _frame(asked)
    if frame is None or frame[0].lower() != "where" or type_ not in {"text", "list[text]"}:
        return None
    words = frame[3].split()
    preposition = words.pop() if _hanging(words) else "in"
    clause = _clause(frame[2], frame[1], " ".join(words))
    if clause is None:
        return None
    return f"{clause} {value}" if _PREPOSED.match(value) else f"{clause} {preposition} {value}"


def _hanging(words: list[str]) -> bool:
    """Whether a predicate ends in the preposition of what is asked for: "flow through", "is from"."""
    return bool(words) and words[-1] in _HANGING


_HANGING: Final = PREPOSITIONS | word_set("of into onto across past over to against")
_IS: Final = lazy(r"(?P<wh>who|what|which(?: [a-z -]+)?) (?P<be>is|was|are|were) (?P<np>.+)", re.IGNORECASE)


def _identity(asked: str, value: str, type_: ValueType, circa: bool, unit: bool) -> str | None:  # noqa: ARG001, FBT001 - one signature for all builders
    match = _IS.fullmatch(asked)
    if match is None:
        return None
    np = match["np"]
    first = np.split()[0].lower()
    wh = match["wh"].lower()
    if first in english.PARTICIPLES | {"in", "on", "at", "from", "part"} | english.ADVERBS:
        return f"{value} {match['be']} {np}" if wh != "what" else None
    if wh in {"who", "what"} and re.search(r" (?:from|in|of|to|by|for|with|at|on|as|called|named)$", np):
        return None  # a preposition left hanging leaves no safe place for the value
    if wh not in {"who", "what"}:
        tail = re.fullmatch(r"(?P<s>.+) (?P<t>from|part of|a citizen of|a member of|named after|based on)", np)
        return f"{tail['s']} {match['be']} {tail['t']} {value}" if tail else None
    if re.match(r"(?:the|a|an|his|her|its) ", np, re.IGNORECASE) or "'s " in np:
        return f"{np} {match['be']} {value}"
    return f"{np} {match['be']} {value}" if np[:1].isupper() and len(np.split()) <= 6 else None


_SUBJECT: Final = lazy(
    r"(?P<wh>who|what|which [\w' -]{1,60}?|what [\w' -]{1,60}?) (?P<verb>[a-z]+)(?P<rest>(?: .+)?)", re.IGNORECASE
)


def _subject(asked: str, value: str, type_: ValueType, circa: bool, unit: bool) -> str | None:  # noqa: ARG001, FBT001 - one signature for all builders
    """Who wrote X → V wrote X; Which river flows through X → V flows through X."""
    if type_ not in {"text", "list[text]"}:
        return None
    words = asked.split()
    if not words or words[0].lower() not in {"who", "what", "which"}:
        return None
    for at in range(1, min(len(words), 8)):
        verb = words[at]
        if verb in {"do", "does", "did"}:
            return None
        known = verb in english.BASE_OF_PAST or verb in english.THIRD or verb in english.BE | {"has", "have", "had"}
        plural = type_ == "list[text]" and verb in english.PAST
        if known or plural:
            rest = " ".join(words[at + 1 :])
            if verb in english.BE and (
                not rest
                or rest.split()[0].lower() not in english.PARTICIPLES | english.ADVERBS | {"in", "on", "at", "part"}
            ):
                return None
            return f"{value} {verb} {rest}" if rest or verb in english.BASE_OF_PAST else None
    return None


def _object(asked: str, value: str, type_: ValueType, circa: bool, unit: bool) -> str | None:  # noqa: ARG001, FBT001 - one signature for all builders
    """Which university did X attend → X attended V."""
    frame = _frame(asked)
    if (
        frame is None
        or not re.match(r"(?:who|whom|what|which)\b", frame[0], re.IGNORECASE)
        or frame[1] not in {"did", "does", "do"}
    ):
        return None
    words = frame[3].split()
    clause = _clause(frame[2], frame[1], words[0]) if words else None
    if clause is None:
        return None
    return f"{clause} {' '.join(words[1:])} {value}" if _hanging(words) else f"{clause} {value} {' '.join(words[1:])}"


def _listing(asked: str, value: str, type_: ValueType, circa: bool, unit: bool) -> str | None:  # noqa: ARG001, FBT001 - one signature for all builders
    match = re.fullmatch(
        r"(?:list|name|give(?: me)?|find|show(?: me)?|tell me) (?:all )?(?P<np>(?:of )?the .+|.+s)",
        asked,
        re.IGNORECASE,
    )
    if match is None or not type_.startswith("list["):
        return None
    np = re.sub(r"^of ", "", match["np"])
    return f"{np if np.lower().startswith('the ') else 'the ' + np} are {value}"


_BE_FIRST: Final = lazy(
    r"(?P<be>is|was|are|were) (?P<s>.+?) (?P<p>(?:an?|from|in|part|one|of|on|at|members?|the|both|also|still"
    r"|ever|not|married|related|"
    rf"{'|'.join(sorted(english.PARTICIPLES, key=len, reverse=True))})\b.*)",
    re.IGNORECASE,
)


def _yes_or_no(asked: str, *, yes: bool) -> str | None:
    match = _BE_FIRST.fullmatch(asked)
    if match:
        be = match["be"].lower()
        return english.capitalized(f"{match['s']} {be}{'' if yes else ' not'} {match['p']}.")
    first, _, rest = asked.partition(" ")
    if first.lower() not in {"did", "does", "do"}:
        return None
    split = english.split_predicate(rest, first.lower())
    if split is None or not split[1]:
        return None
    if not yes:
        return english.capitalized(f"{split[0]} {first.lower()} not {split[1]}.")
    clause = _clause(split[0], first.lower(), split[1])
    return english.capitalized(f"{clause}.") if clause else None


def indirect(question: str) -> str | None:
    """The question as a clause: "When was X born?" → "when X was born"; None where the order is not known."""
    asked = " ".join(question.split()).rstrip("?. ")
    identity = _IS.fullmatch(asked)
    if (
        identity
        and re.match(r"(?:the|a|an|his|her|its) ", identity["np"], re.IGNORECASE)
        and identity["wh"].lower() in {"who", "what"}
    ):
        return f"{identity['wh'].lower()} {identity['np']} {identity['be']}"
    frame = _frame(asked)
    if frame:
        first = frame[2].split()[0].lower()
        if first == "there":
            return (
                f"{english.decapitalized(frame[0])} there {frame[1]} {frame[2].partition(' ')[2]} {frame[3]}".replace(
                    "  ", " "
                ).strip()
            )
        if " when " in frame[2]:
            return None
        if first in english.PARTICIPLES:  # "which river is crossed by X": its order is that of a clause already
            return english.decapitalized(asked)
        clause = _clause(frame[2], frame[1], frame[3])
        return f"{english.decapitalized(frame[0])} {clause}" if clause else None
    words = asked.split()
    if (
        words
        and words[0].lower() in {"who", "what", "which"}
        and any(w in english.BASE_OF_PAST or w in english.THIRD for w in words[1:8])
    ):
        return english.decapitalized(asked)
    if words and words[0].lower() in {"is", "was", "are", "were", "did", "does", "do"}:
        statement = _yes_or_no(asked, yes=True)
        return f"whether {statement.rstrip('.')}" if statement else None
    return None
