"""English verbs and word order: clause to question, question to statement.

Only what is known is turned; where a verb or a boundary is not known the functions return None and the caller keeps
the user's own words.
"""

import re
from typing import Final

from nodes.rules.forms import word_set
from text.patterns import lazy

AUX: Final = word_set("is are was were do does did has have had can could will would")
BE: Final = word_set("is are was were")

# base past participle, where they are not regular; a participle equal to the past is left out
_IRREGULAR: Final = (
    "become became become; begin began begun; bear bore born; beat beat beaten; build built; buy bought; "
    "break broke broken; "
    "bring brought; choose chose chosen; come came come; draw drew drawn; drive drove driven; fall fell fallen; "
    "fight fought; find found; fly flew flown; get got; give gave given; go went gone; grow grew grown; hold held; "
    "keep kept; know knew known; lead led; leave left; lose lost; make made; meet met; pay paid; rise rose risen; "
    "run ran run; say said; see saw seen; sell sold; send sent; serve served; sing sang sung; sit sat; speak spoke "
    "spoken; spend spent; stand stood; strike struck; swim swam swum; take took taken; teach taught; tell told; think "
    "thought; wear wore worn; win won; write wrote written; set set; put put; hit hit; cost cost; shoot shot; sink "
    "sank sunk; ride rode ridden; hang hung; lay laid; overthrow overthrew overthrown; undergo underwent undergone"
)
_REGULAR: Final = (
    "abdicate accept achieve border acquire act adopt air announce annex appear appoint arrive assassinate "
    "attack attend "
    "award ban base borrow broadcast bury call capture celebrate change circulate climb close coin collapse compete "
    "complete compose conclude conduct conquer connect consecrate construct contain convert cover create cross crown "
    "debut declare dedicate defeat demolish describe design destroy develop die direct discover dissolve divorce draft "
    "earn edit elect emigrate employ enact end enlist enter erect erupt establish execute exile expand explode explore "
    "export fail feature film finish flow form found fund gain graduate happen head host illustrate immigrate "
    "inaugurate "
    "include incorporate inhabit inherit install introduce invade invent issue join kill land last launch license live "
    "locate manage manufacture march marry merge move murder name nominate occupy occur open operate organize "
    "originate "
    "own paint participate pass perform photograph pioneer place plant play premiere preserve print produce "
    "proclaim promote propose publish raise ratify reach receive record reign release relocate rename renovate replace "
    "report resign retire return reveal rule sample score sculpt secede "
    "separate serve settle share ship sign sponsor star start stay stop study succeed suffer surrender tour train "
    "transfer translate travel unify unite unveil visit voice vote win work"
)
_DOUBLING: Final = word_set("ban star stop ship")


def _regular_past(base: str) -> str:
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ied"
    return base + base[-1] + "ed" if base in _DOUBLING else base + "ed"


def _third(base: str) -> str:
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ies"
    return base + ("es" if base.endswith(("s", "sh", "ch", "x", "z", "o")) else "s")


def _tables() -> tuple[dict[str, str], dict[str, str]]:
    past = {base: _regular_past(base) for base in _REGULAR.split()}
    participle = dict(past)
    for entry in _IRREGULAR.split(";"):
        base, simple, *rest = entry.split()
        past[base] = simple
        participle[base] = rest[0] if rest else simple
    past["found"] = participle["found"] = "founded"
    return past, participle


PAST, PARTICIPLE = _tables()
"""Simple past and past participle by base form."""

BASE_OF_PAST: Final = {past: base for base, past in PAST.items()}
_NO_PASSIVE: Final = frozenset(
    PARTICIPLE[base] for base in word_set("die live arrive happen become come appear fall graduate")
)
PARTICIPLES: Final = (frozenset(PARTICIPLE.values()) - _NO_PASSIVE) | {
    "located",
    "situated",
    "based",
    "headquartered",
    "known",
    "set",
}
THIRD: Final = {_third(base): base for base in PAST}
"""Base form by third person singular."""

ADVERBS: Final = word_set(
    "first originally officially finally last initially formally recently also "
    "previously primarily then publicly "
    "only currently actually ever"
)


def words(text: str) -> list[str]:
    """The blank-separated words of a text."""
    return text.split()


def bare(word: str) -> str:
    """A word without the punctuation around it, in lower case."""
    return word.strip(".,;:!?()\"'").lower()


def decapitalized(text: str, *, keep: bool = False) -> str:
    """The text with its first word in lower case, if that word is an article, pronoun or question word."""
    head, _, rest = text.partition(" ")
    if keep or head.lower() not in _LOWERED:
        return text
    return f"{head.lower()} {rest}".rstrip()


_LOWERED: Final = word_set(
    "the a an his her its their this that these those who what when where which how why in on at of by both each"
)


def capitalized(text: str) -> str:
    """The text with its first letter in upper case."""
    return text[:1].upper() + text[1:]


def finite_verb(clause: list[str], start: int = 1) -> int | None:
    """Position of the verb of a clause "SUBJECT VERB …": an auxiliary, else a known past or present form."""
    lowered = [word.rstrip(",") if word.islower() or word.rstrip(",").islower() else "" for word in clause]
    for position in range(start, len(lowered)):
        word = lowered[position]
        if word in AUX or ((word in BASE_OF_PAST or word in THIRD) and lowered[position - 1] not in _BEFORE_NOUN):
            return position
    return None


_BEFORE_NOUN: Final = word_set("the a an of his her its their first last")


_NOUN_LIKE: Final = word_set(
    "act attack air award base border broadcast capture change coin cover cross crown "
    "debut design direct end exile film "
    "finish flow form fund head host issue land launch license list live march murder name open place plant play print "
    "produce raise reach record release report rule sample score separate set share ship sign sponsor star start stay "
    "stop study tour train visit voice vote win work found fall fight rise run stand strike hit cost put get make "
    "draw drive hold keep lead leave lose meet open set"
)


def verb_groups(text: str) -> int:
    """How many groups of verbs stand in a text, as far as known: a reading whose clauses do not add up is wrong."""
    groups, inside, before = 0, False, ""
    for word in text.split():
        low = word.rstrip(",")
        base = low in PAST and low not in _NOUN_LIKE and before != "to"
        reduced = low in PARTICIPLES and low not in AUX and before not in AUX and not inside and low not in BASE_OF_PAST
        verb = (low in AUX or low in BASE_OF_PAST or base or low in PARTICIPLES) and not reduced
        if verb and (not inside or (low in AUX and before not in {"has", "have", "had"})):
            groups += 1
        inside = verb or (inside and low in ADVERBS | {"be", "been", "being", "not"})
        before = low
    return groups


def invert(clause: str) -> str | None:
    """Turn "X was born" into "was X born" and "X died" into "did X die"; None where the verb is not known."""
    tokens = words(clause)
    at = finite_verb(tokens)
    if at is None:
        return None
    verb, subject, rest = tokens[at].rstrip(",").lower(), " ".join(tokens[:at]), " ".join(tokens[at + 1 :])
    if verb in AUX:
        return f"{verb} {subject} {rest}".strip()
    if verb in BASE_OF_PAST:
        return f"did {subject} {BASE_OF_PAST[verb]} {rest}".strip()
    return f"does {subject} {THIRD[verb]} {rest}".strip()


def split_predicate(rest: str, aux: str) -> tuple[str, str] | None:
    """Divide what follows an auxiliary into subject and predicate: "X born in Rome" → ("X", "born in Rome").

    Args:
        rest: The question after its auxiliary.
        aux: The auxiliary, which tells what kind of predicate to look for.

    Returns:
        Subject and predicate; the predicate is "" where the whole is the subject; None where no boundary is known.
    """
    tokens = words(rest)
    if aux in BE and (tail := _BE_TAIL.fullmatch(rest)):
        return tail["subject"], tail["tail"]
    if aux in {"do", "does", "did", "can", "could", "will", "would"}:
        at = next((i for i in range(1, len(tokens)) if _is_base(tokens, i)), None)
    else:
        known = PARTICIPLES if aux in BE else PARTICIPLES | _NO_PASSIVE
        ends = [i for i in range(1, len(tokens)) if tokens[i].rstrip(",") in known and not _in_clause(tokens, i)]
        at = ends[-1] if ends and not (aux in {"has", "have", "had"} and len(ends) > 1) else next(iter(ends), None)
    if at is None:
        return (rest, "") if aux in BE else None
    while at > 1 and tokens[at - 1] in ADVERBS:
        at -= 1
    if tokens[at - 1].lower() in AUX | {"the", "a", "an"}:
        return None
    return " ".join(tokens[:at]).rstrip(","), " ".join(tokens[at:])


_BE_TAIL: Final = lazy(
    r"(?P<subject>.+?) (?P<tail>a citizen(?: of)?|an? member of|from|part of|(?:best )?known for|famous for|named after"
    r"|married to|based on|alive|like|related to|capital of)"
)


def _is_base(tokens: list[str], at: int) -> bool:
    word, before = tokens[at].rstrip(","), tokens[at - 1]
    return (word in PAST or word in {"have", "be", "mean", "want", "do"}) and before not in {
        "to",
        "the",
        "a",
        "an",
        "of",
    }


def _in_clause(tokens: list[str], at: int) -> bool:
    """Whether a participle belongs to a relative clause or stands reduced after a noun, not to the question."""
    before = bare(tokens[at - 1])
    return before in {"who", "that", "which", "by", "the", "of", "a"} | AUX


_WH: Final = (
    r"(?P<wh>(?:(?:in|on|at|to|from|by|for|of|with|during|through|into|near|under|after) )?"
    r"(?:who|whom|whose [\w ]{1,40}?|when|where|why|what(?: [\w' -]{1,60}?)?|which(?: [\w' -]{1,60}?)?"
    r"|how(?: (?:many|much)(?: [\w' -]{1,60}?)?| [\w-]{2,14})?))"
)
_QUESTION: Final = lazy(
    rf"{_WH} (?P<aux>is|are|was|were|do|does|did|has|have|had|can|could|will|would) (?P<rest>.+)", re.IGNORECASE
)


def parse_question(question: str) -> tuple[str, str, str] | None:
    """Divide "When was X born" into question words, auxiliary and the rest; None for any other order."""
    match = _QUESTION.fullmatch(question.rstrip("?. "))
    return (match["wh"], match["aux"].lower(), match["rest"]) if match else None


_INDIRECT_WH: Final = lazy(
    r"(?P<wh>(?:when|where|why|how (?:tall|high|long|old|deep|big|large|far|heavy|wide|many \w+|much \w+)"
    r"|(?:what|which|in what|in which) (?:year|city|country|state|date|day|town|place)|what|who)) (?P<clause>.+)",
    re.IGNORECASE,
)


def direct(question: str) -> str:
    """Put an indirect question ("when X was born") into direct order; a direct one is returned as it is."""
    match = _INDIRECT_WH.fullmatch(question)
    if not match:
        return question
    clause = words(match["clause"])
    first = bare(clause[0])
    if first in AUX or (
        match["wh"].lower() in {"who", "what"} and first not in _CLAUSE_OPENERS and clause[0].islower()
    ):
        return question
    at = finite_verb(clause)
    if match["wh"].lower() in {"who", "what"} and (at != len(clause) - 1 or bare(clause[-1]) not in BE):
        return question
    turned = invert(match["clause"])
    return f"{match['wh']} {turned}" if turned else question


_CLAUSE_OPENERS: Final = word_set("the a an his her its their")
