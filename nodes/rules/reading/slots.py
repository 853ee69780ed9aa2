"""Names and phrases in the place of a sentence where a relation puts its value.

"Its *author* is X", "X, the *author* of S"; "X *wrote* S", "S was *written* by X"; "*son of* X".
Each finding is weighed by how surely the sentence speaks of the subject, and by how surely the noun or verb is the
subject's own: "the capital of Sudan" in an article on the Nile is not the Nile's.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from nodes.rules.reading.asked import Asked
from nodes.rules.reading.binding import binding
from nodes.rules.reading.candidates import Candidate
from nodes.rules.reading.phrases import Span, after, before, is_person
from nodes.rules.reading.places import is_country
from nodes.rules.reading.relations import Kind, pattern
from nodes.rules.reading.slots_zh import noun_zh, object_zh, owned_zh, owner_zh, passive_zh
from nodes.rules.reading.standing import View
from nodes.rules.reading.subject import Subject
from nodes.rules.reading.weighing import ranked, timely
from nodes.rules.words import coverage, terms
from text.language import HAN
from text.patterns import lazy

_OF: Final = lazy(r"\s+(?:of|for|to|behind)\s+(?:the\s+)?")
_IS: Final = lazy(
    r"(?:\s+and\s[^,.;]{1,40}?)?(?:\s+of\s[^,.;]{1,60}?)?,?\s+(?:is|was|are|were|be|became|"
    r"being|named|called|has been)\s+(?:(?:currently|now|then|also|called|named|by|the)\s+)*"
)
_DIRECT: Final = lazy(r"(?:\s+of\s[^,.;]{1,60})?,?\s+(?=[\"“]?[A-Z])|\s*:\s*")
_APPOSED: Final = lazy(
    r"(?i)(?:\s(?:is|was|are|were|became|as|remains)|,)\s+(?:the|a|an|its|his|her|their|one "
    r"of the|and)?\s*(?:(?!who\b|which\b)[\w'’-]+\s+){0,4}$"
)
_POSSESSIVE: Final = lazy(r"['’]s?\s+(?:[\w-]+\s+){0,3}$")
_PRONOUN: Final = lazy(r"(?i)\b(?:its|his|her|their|the)\s+(?:[\w-]+\s+){0,3}$")
_DAY: Final = lazy(
    r"\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?\b|(?:^| )(?:January|February|March|April|June|July|August|"
    r"September|October|November|December)$"
)
_BY: Final = lazy(r"\bby\s+(?:the\s+)?")


def slots(asked: Asked, subject: Subject, views: Iterable[View], kind: Kind | None) -> Iterator[Candidate]:
    """Values from the slots of the relation asked for.

    Args:
        asked: The question.
        subject: Its subject.
        views: Sentences about the subject.
        kind: What sort of value is wanted.
    """
    relation = asked.relation
    nouns = relation.nouns if relation else None
    if relation is None and asked.attribute:
        nouns = _attribute_pattern(asked.attribute)
    for view in views:
        share = _share(asked, view)
        found: list[tuple[Span | str, float]] = []
        if nouns is not None and not asked.agent:
            found += [hit for noun in _limited(nouns, view) for hit in _noun(view, noun, subject, kind)]
        if relation is not None and asked.agent:
            found += [hit for verb in _limited(relation.actives, view) for hit in _object(view, verb, kind)]
            found += [hit for verb in _limited(relation.passives, view) for hit in object_zh(view, verb)]
            found += [hit for noun in _limited(relation.nouns, view) for hit in owned_zh(view, noun)]
        elif relation is not None:
            found += [hit for verb in _limited(relation.passives, view) for hit in _passive(view, verb, kind)]
            found += [hit for verb in _limited(relation.actives, view) for hit in _active(view, verb, kind)]
            found += [
                hit
                for phrase in _limited(relation.inverse, view)
                for hit in _inverse(view, phrase, kind, relation.name)
            ]
        if relation is not None and not asked.agent:
            found += [hit for noun in _limited(relation.converse, view) for hit in _converse(view, noun, kind)]
            found += [hit for mark in _limited(relation.owners, view) for hit in owner_zh(view, mark)]
        if relation is not None and relation.kind == "person" and not asked.agent:
            found += _possessed_work(view)
        for value, sure in found:
            score = sure * timely(asked, view, 0 if isinstance(value, str) else value[0]) * ranked(asked, view)
            candidate = _candidate(view, value, score * view.about * share, subject, kind, asked)
            if candidate is not None:
                yield candidate


def _attribute_pattern(attribute: str) -> re.Pattern[str]:
    words = attribute.split()
    if re.match(r"(?i)(?:\w+est|first|last|most|least|only|second|third|main)$", words[0]):
        return pattern([re.escape(attribute)])
    if re.search(f"[{HAN}]", attribute):
        return pattern([re.escape(attribute)])
    return pattern([re.escape(" ".join(words)) + "s?", *([re.escape(words[-1]) + "s?"] if len(words) > 1 else [])])


def _limited(found: re.Pattern[str], view: View) -> list[re.Match[str]]:
    return [m for _, m in zip(range(20), found.finditer(view.sentence), strict=False)]


def _share(asked: Asked, view: View) -> float:
    """How much of what else the question says is in the sentence or its title."""
    if not asked.words:
        return 1.0
    share = coverage(asked.words, {*view.terms, *terms(view.title)})
    if len(asked.words) == 1:
        return 0.5 + 0.5 * share
    return 0.45 + 0.55 * share if share >= 0.5 else 0.3 + 0.8 * share


def _candidate(
    view: View, value: Span | str, score: float, subject: Subject, kind: Kind | None, asked: Asked
) -> Candidate | None:
    span = (0, 0) if isinstance(value, str) else value
    text = (value if isinstance(value, str) else view.sentence[slice(*span)]).strip(" \"“”'‘’，,")
    text = re.sub(r"\s*\([^()]*\)$", "", text) if isinstance(value, str) else text
    if not text or subject.same(text) or not terms(text):
        return None
    if set(terms(text)) <= set(asked.all_words):
        return None
    if kind == "person" and not isinstance(value, str) and not is_person(view, span):
        score *= 0.55 if re.search("[A-Z]", text) and not is_country(text) else 0.0
    if kind in {"place", "city", "state"} and _DAY.search(text):
        return None
    if kind == "country" and not is_country(text):
        score *= 0.3
    if (
        kind == "work"
        and re.search(f"[{HAN}]", text)
        and (isinstance(value, str) or view.sentence[span[0] - 1 : span[0]] != "《")
    ):
        score *= 0.3
    if kind in {None, "thing"} and not isinstance(value, str) and re.match(f"[{HAN}]", text):
        score *= _named_zh(view, span)
    return Candidate(text, score, view, *span) if score else None


def _named_zh(view: View, span: Span) -> float:
    """How surely a stretch of Chinese is the name of something: quoted, a name, or short; not half a clause."""
    start, end = span
    if view.sentence[start - 1 : start] in {"“", "《", "「"} and view.sentence[end : end + 1] in {"”", "》", "」"}:
        return 1.0
    if any(start <= n.start and n.end <= end and n.end - n.start >= (end - start) / 2 for n in view.names):
        return 1.0
    text = view.sentence[start:end]
    if re.search(
        "[的了着过被把将更很最都也就才不没]|^(?:或|如|在|从|对|至|据|选择|采用|通过|遭遇|队史)|(?:后|时|中|前)$|什么|哪",
        text,
    ):
        return 0.2
    return 0.75 if len(text) <= 6 else 0.4


# --- nouns ---


def _noun(view: View, noun: re.Match[str], subject: Subject, kind: Kind | None) -> Iterator[tuple[Span | str, float]]:
    sentence = view.sentence
    if re.search(f"[{HAN}]", noun.group()):
        yield from noun_zh(view, noun, kind)
        return
    own, end = _ownership(view, noun, subject)
    if not own:
        return
    spans: list[Span] = []
    linked = _IS.match(sentence, noun.end()) if end == noun.end() else re.compile(_IS.pattern).match(sentence, end)
    if linked:
        spans = after(view, linked.end(), kind)
        yield from ((span, 0.95 * own) for span in spans)
    direct = None if linked else _DIRECT.match(sentence, end)
    if direct:
        near = after(view, direct.end(), kind or "person")
        yield from (
            (
                span,
                (0.9 if "," not in direct.group() or sentence[near[-1][1] : near[-1][1] + 1] in ",.;" else 0.7) * own,
            )
            for span in near
        )
        spans += near
    apposed = _APPOSED.search(sentence, max(0, noun.start() - 70), noun.start())
    if apposed:
        value = before(view, apposed.start(), kind)
        if value is not None and not (isinstance(value, str) and subject.title_match(value) >= 0.6):
            yield value, 0.95 * own * (0.6 if spans else 1.0)
    elif re.match(r"(?i)(?:he|she|it) (?:is|was) ", sentence) and noun.start() < 60 and view.title and own >= 0.9:
        yield view.title, 0.85 * own


def _ownership(view: View, noun: re.Match[str], subject: Subject) -> tuple[float, int]:
    """Whether the thing a noun names is the subject's, and where the owner's name ends if it follows."""
    sentence = view.sentence
    of = _OF.match(sentence, noun.end())
    if of:
        mine = next((m for m in view.mentions if of.start() <= m[0] <= of.end() + 12), None)
        if mine:
            between = sentence[of.end() : mine[0]]
            return (1.0 if not re.search(r"[,.;]", between) else 0.3), mine[1]
        window = sentence[of.end() : of.end() + 80]
        loose = coverage(subject.terms, terms(re.split(r"[,.;]|\b(?:is|was|are|were)\b", window)[0]))
        if loose >= 0.6:
            cut = re.search(r",| (?:is|was|are|were)\b|$", window)
            return 0.9 * loose, of.end() + (cut.start() if cut else 0)
        if re.match(r"(?:his|her|its|their|this|that|the)\b", sentence[of.end() :]) and view.carried:
            return 0.5, noun.end()
        return (0.12 if not view.carried else 0.2), noun.end()
    possessive = _POSSESSIVE.search(sentence, max(0, noun.start() - 60), noun.start())
    if possessive:
        mine = next((m for m in view.mentions if abs(m[1] - possessive.start()) <= 2), None)
        return (1.0 if mine else 0.12), noun.end()
    pronoun = _PRONOUN.search(sentence, max(0, noun.start() - 60), noun.start())
    if pronoun and (view.carried or view.mentions):
        weak = pronoun.group().lower().startswith("the")
        return (0.8 if weak else 0.95) * binding(view, noun.start(), noun.end()), noun.end()
    return 0.7 * binding(view, noun.start(), noun.end()), noun.end()


# --- verbs ---


def _passive(view: View, verb: re.Match[str], kind: Kind | None) -> Iterator[tuple[Span | str, float]]:
    sentence = view.sentence
    if re.search(f"[{HAN}]", verb.group()):
        yield from passive_zh(view, verb, kind)
        return
    window = sentence[verb.end() : verb.end() + 90]
    by = _BY.search(re.split(r"[.;]", window)[0])
    if not by or re.search(
        r"\b(?:followed|replaced|surrounded|influenced|inspired|accompanied) $", window[: by.start()]
    ):
        return
    own = binding(view, verb.start(), verb.end())
    participle = verb.group().lower().endswith(("ed", "en", "un", "wn", "uilt", "ung", "rote"))
    distance = len(re.findall(r",|\band\b", window[: by.start()]))
    # Another participle before "by" takes the agent: "novel adapted for film by Y".
    rival = re.search(
        r"\b(?!written|authored|directed|composed|painted|performed|recorded|designed|published|"
        r"produced)[a-z]+ed(?: \w+){0,2} $",
        window[: by.start()],
    )
    base = 0.95 if participle else 0.85
    for span in after(view, verb.end() + by.end(), kind):
        yield span, base * own * (0.85**distance) * (0.4 if rival and not participle else 0.75 if rival else 1.0)


def _active(view: View, verb: re.Match[str], kind: Kind | None) -> Iterator[tuple[Span | str, float]]:
    """The doer: "X wrote S". It stands before the verb, and the subject behind it."""
    sentence = view.sentence
    behind = [m for m in view.mentions if m[0] >= verb.end()]
    if behind:
        between = sentence[verb.end() : behind[0][0]]
        own = 1.0 if len(between) <= 60 and not re.search("[;；。]", between) else 0.7
    elif view.mentions and not re.match(rf"[{HAN}]", verb.group()):
        return
    elif view.mentions:
        own = 0.5
    else:
        own = 0.7
    if re.match(rf"[{HAN}]", verb.group()) and re.search("[由被]", sentence[max(0, verb.start() - 14) : verb.start()]):
        return
    value = before(view, verb.start(), kind or "person")
    if value is not None:
        yield value, 0.95 * own


def _converse(view: View, noun: re.Match[str], kind: Kind | None) -> Iterator[tuple[Span | str, float]]:
    """The subject is named by what it is to the value: "his nephew, S" in an article on the uncle."""
    sentence = view.sentence
    mine = next((m for m in view.mentions if m[0] >= noun.end()), None)
    if mine is None or not re.fullmatch(r",?\s?|(?:是|为|，|叫)?《?", sentence[noun.end() : mine[0]]):
        return
    left = sentence[: noun.start()]
    if re.search(r"(?i)\b(?:his|her|their|its) (?:[\w-]+ ){0,2}$|[他她其]的?$", left[-40:]):
        if view.title and view.titled < 0.6:
            yield view.title, 0.8
        return
    owned = re.search(r"['’]s? (?:[\w-]+ ){0,2}$|的$", left[-40:])
    if owned:
        value = before(view, noun.start() - len(owned.group()), kind or "person")
        if value is not None:
            yield value, 0.85


_WORK_OF: Final = lazy(r"的(?:[^，。；《》的]{0,8})《$")


def _possessed_work(view: View) -> Iterator[tuple[Span | str, float]]:
    """The maker in "达·芬奇的名画《S》"."""
    for start, _ in view.mentions:
        lead = _WORK_OF.search(view.sentence, max(0, start - 12), start)
        if lead:
            value = before(view, lead.start(), "person")
            if value is not None:
                yield value, 0.8


def _object(view: View, verb: re.Match[str], kind: Kind | None) -> Iterator[tuple[Span | str, float]]:
    """The thing behind the verb, the subject before it: "S wrote X"."""
    if view.sentence.startswith(("者", "人", "家"), verb.end()):
        return  # 发现者 is no verb
    own = binding(view, verb.start(), verb.end())
    for span in after(view, verb.end(), kind or "thing"):
        yield span, 0.9 * own


def _inverse(view: View, phrase: re.Match[str], kind: Kind | None, relation: str) -> Iterator[tuple[Span | str, float]]:
    """The value follows the phrase: "son of X"; of two parents the father is usually named first."""
    own = binding(view, phrase.start(), phrase.end())
    spans = after(view, phrase.end(), kind)
    if any(a < end and start < b for start, end in spans for a, b in view.mentions):
        return  # "a son of S": the subject stands on the other side
    if relation in {"father", "mother"} and len(spans) > 1:
        spans = spans[:1] if relation == "father" else spans[1:2]
    elif relation == "mother":
        return
    yield from ((span, 0.9 * own) for span in spans)
