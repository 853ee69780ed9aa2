"""Follow-ups rewritten with the topic of the question before: "How tall is it?" after "When was Acme Tower built?".

This is done only if exactly one thing can be meant. Otherwise the question stays unchanged, since a wrong substitution
is worse than none.
"""

import re
from collections.abc import Sequence
from typing import Final

from langchain_core.messages import AnyMessage, HumanMessage

from weiwo.nodes.shared.question.lexicon import ITEM_BAD
from weiwo.nodes.shared.question.parser import parse_question
from weiwo.nodes.shared.question.turn import without_sources
from weiwo.state import Language
from weiwo.state.kinds import has_rules
from weiwo.state.query import QueryFrame
from weiwo.text.data_files import data_pattern
from weiwo.text.language import HAN
from weiwo.text.language_detection import detect_language
from weiwo.text.lists import join_names
from weiwo.text.names import names
from weiwo.text.patterns import lazy
from weiwo.text.terms import terms

_PRONOUN: Final = {code: data_pattern("follow_up", f"pronoun_{code}") for code in ("en", "zh")}
_DUMMY: Final = data_pattern("follow_up", "dummy")
_ELLIPSIS: Final = {code: data_pattern("follow_up", f"ellipsis_{code}") for code in ("en", "zh")}
_WHICH: Final = {code: data_pattern("follow_up", f"which_{code}") for code in ("en", "zh")}
_COUNT: Final = {code: data_pattern("follow_up", f"count_{code}") for code in ("en", "zh")}
_BARE: Final = {code: data_pattern("follow_up", f"bare_{code}") for code in ("en", "zh")}
_TOPIC: Final = {code: data_pattern("follow_up", f"topic_{code}") for code in ("en", "zh")}
_BEHIND_TOPIC: Final = data_pattern("follow_up", "behind_topic")
_BEHIND_VERB: Final = data_pattern("follow_up", "behind_verb")
_NAMED: Final = data_pattern("follow_up", "named")
_PREDICATE: Final = data_pattern("follow_up", "predicate_zh")
_POSSESSION: Final = lazy(r" of |['’]s |的")
_BOLD: Final = lazy(r"\*\*([^*\n]{1,500})\*\*")
_LEAD: Final = data_pattern("follow_up", "lead")
_NO_SUBJECT: Final = data_pattern("follow_up", "no_subject")
_FEMALE: Final = data_pattern("follow_up", "female")
_MALE: Final = data_pattern("follow_up", "male")
_PEOPLE: Final = frozenset({"birth", "death", "lifespan", "spouse", "father", "mother"})


def resolve_follow_up(question: str, history: Sequence[AnyMessage], language: Language) -> str:
    """Return a question rewritten so that it can be understood without the conversation.

    Unchanged if nothing or several things may be meant.

    Args:
        question: The question.
        history: The messages before it, oldest first.
        language: The language of the question.
    """
    asked, answered = "", ""
    for message in history:
        text = str(message.text)
        if isinstance(message, HumanMessage):
            asked, answered = _resolve_references(text, asked, answered, detect_language(text)), ""
        elif message.type == "ai" and asked:
            answered = without_sources(text)
    return _resolve_references(question, asked, answered, language)


def _resolve_references(question: str, asked: str, answered: str, language: Language) -> str:
    if not asked or not has_rules(language):
        return question
    frame = parse_question(asked, detect_language(asked))
    if said := _with_other_subject(question, frame, language) or _complete(question, frame, language):
        return said
    dummies = [found.span() for found in _DUMMY.finditer(question)] if language == "en" else []
    found = next(
        (p for p in _PRONOUN[language].finditer(question) if not any(a <= p.start() < b for a, b in dummies)), None
    )
    named = [name.start for name in names(question)]
    # A name before the pronoun, or in a clause after it, may be what it means.
    if found is None or any(at < found.start() or re.search("[,，;；]", question[found.end() : at]) for at in named):
        return question
    topic = _topic(found.lastgroup or "", found[0].casefold(), frame, answered, language)
    if not topic or topic.casefold() in question.casefold():
        return question
    owner = "'s" if found.lastgroup == "owner" else ""
    text = _LEAD.sub("", question[: found.start()] + topic + owner + question[found.end() :], count=1)
    return text[:1].upper() + text[1:]


def _topic(kind: str, word: str, frame: QueryFrame, answered: str, language: Language) -> str:
    """Return the only thing that a pronoun can mean: the subject of the question before, or what that asked for.

    Empty if there is none, or more than one.

    Args:
        kind: The kind of pronoun, such as "person" or "several".
        word: The pronoun in lower case.
        frame: The question before.
        answered: Its answer.
        language: The language of the follow-up.
    """
    if kind == "several" or word == "their":
        both = [_as_asked(frame, subject) for subject in frame.subjects]
        return join_names(both, language) if len(both) == 2 else ""
    person = kind == "person" or word in {"his", "her"}
    if frame.answer_type in {"person", "name"} if person else frame.relation == "capital":
        other_sex = _FEMALE if word in {"he", "him", "his", "他"} else _MALE if word in {"she", "her", "她"} else None
        new = _list_new_names(answered, frame.question)
        return new.pop() if len(new) == 1 and not (other_sex and other_sex.search(frame.question)) else ""
    of_person = any(part.relation in _PEOPLE for part in (frame, *frame.parts))
    of_thing = bool(frame.dimension) or (frame.answer_type == "place" and not of_person)
    if of_thing if person else of_person:
        return ""
    return _find_topic(frame, language)


def _list_new_names(answered: str, asked: str) -> set[str]:
    """Return the names in an answer that the question does not have.

    If there are several, those of the answer's first statement are returned. For a record shown there, this is the cell
    that is called a name. For a Chinese sentence that repeats the question's predicate, it is the text before the
    predicate.
    """
    first = answered.strip().partition("\n\n")[0]
    first = "\n".join(_BOLD.findall(first)) or first
    if named := _NAMED.search(first):
        return {named["name"].strip()}
    predicate = _PREDICATE.fullmatch(asked.strip())
    done = re.search(rf"([{HAN}·]{{2,8}}){re.escape(predicate['predicate'])}", first) if predicate else None
    if done:
        return {done[1]}
    found = _new_names(answered, asked)
    return found if len(found) == 1 else _new_names(first, asked)


def _new_names(text: str, asked: str) -> set[str]:
    return {name.text for name in names(text) if name.text.casefold() not in asked.casefold()}


def _find_topic(frame: QueryFrame, language: Language) -> str:
    """Return the topic of a question in its own words: the noun phrase behind the question words, or the subject.

    Empty if the question has several subjects.
    """
    if len(frame.subjects) > 1:
        return ""
    subject = _as_asked(frame, frame.subject) if frame.subjects else ""
    found = _TOPIC[language].match(frame.question.strip())
    named = frame.subject in {name.text for name in names(frame.question)}
    if found is None or named or (frame.relation and _POSSESSION.search(found["topic"])):
        return subject
    topic = found["topic"].strip()
    if language == "en":
        if found["does"]:
            topic = _BEHIND_VERB.sub("", topic)
            topic = topic.rsplit(" ", 1)[0] if " " in topic else topic  # without the verb
        topic = _BEHIND_TOPIC.sub("", topic)
    whole = frame.subject.casefold() in topic.casefold() or not frame.relation
    return topic if whole and terms(topic, language) else subject


def _complete(question: str, frame: QueryFrame, language: Language) -> str:
    """Return "which ones?" after a count, or "how much?" after a question about one thing, as a whole question.

    The former becomes the counted question, asking for the things. The latter is asked about the same thing. Empty for
    any other question.
    """
    text = question.strip()
    if _WHICH[language].match(text):
        counted = _COUNT[language].search(frame.question)
        if counted is None:
            return ""
        which = "Which " if language == "en" else "哪些"
        return frame.question[: counted.start()] + which + frame.question[counted.end() :]
    found = _BARE[language].match(text)
    topic = _find_topic(frame, language) if found and _TOPIC[language].match(frame.question.strip()) else ""
    if not found or not topic or frame.relation in _PEOPLE:
        return ""
    if language == "zh":
        return f"{topic}{found['asked']}？"
    asked = found["asked"]
    return f"{asked[:1].upper()}{asked[1:]} is {topic}?"


def _as_asked(frame: QueryFrame, subject: str) -> str:
    """Return a subject with the article used in the question."""
    return f"the {subject}" if f"the {subject}".casefold() in frame.question.casefold() else subject


def _with_other_subject(question: str, frame: QueryFrame, language: Language) -> str:
    """Return "what about Y?" after a question about X as the question about Y. Empty for any other question."""
    found = _ELLIPSIS[language].match(question.strip())
    if found is None or len(frame.subjects) != 1 or frame.subject not in frame.question:
        return ""
    new = found["new"].strip()
    if language == "zh":
        head, _, attribute = new.partition("的")
        new = "" if _NO_SUBJECT.search(new) or attribute not in frame.question else head
    else:
        named = names(new)
        rest = set(re.findall(r"\w+", (new.replace(named[0].text, " ") if named else new).casefold())) - {"the"}
        known = rest <= set(re.findall(r"\w+", frame.question.casefold())) and not _PRONOUN["en"].search(new)
        alone = len(named) == 1 or (not named and frame.subject.islower() and _is_name_in_small_letters(new))
        new = "" if not alone or (named and not known) else named[0].text if named and rest else new
    old = _as_asked(frame, frame.subject)
    at = frame.question.casefold().find(old.casefold())
    text = frame.question[:at] + new + frame.question[at + len(old) :]
    return text[:1].upper() + text[1:] if new else ""


def _is_name_in_small_letters(text: str) -> bool:
    """Report whether a lower-case text may be just a name of a thing: "the nile", but not "tomorrow"."""
    said, thing = parse_question(text, "en"), text.removeprefix("the ").split()
    known = said.relation or said.fresh or ITEM_BAD.search(" ".join(thing))
    alone = said.shape == "look_up" and not known and len(thing) <= len(terms(text)) <= 3
    return alone and said.subject.split() == thing
