"""Follow-up questions made to stand on their own, by rule: "and how old was he then?".

Pronouns are replaced by what the conversation was last about; "then" by the date of the last answer. A
question that names its own subject is left as it is, and so is one whose pronoun may mean several things: a wrong
substitution is worse than none.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from langchain_core.messages import AnyMessage, HumanMessage

from state import Language
from text.dates import PartialDate, find_dates, format_date
from text.language import detect_language, sentences
from text.names import Name, names
from text.patterns import lazy

# "her" is an owner before a noun, an object before one of these.
_NO_NOUN: Final = (
    r"(?!\s+(?:in|on|at|by|for|from|to|with|of|as|and|or|but|when|while|before|after|until|then|there|here|first)\b)"
)
_PRONOUN_EN: Final = lazy(
    r"(?i:\b(?P<owner>his|its|their)\b(?=\s+\w)"
    rf"|\b(?P<her>her)\b(?=\s+\w){_NO_NOUN}"
    r"|\b(?P<person>he|she|him|her)\b|\b(?P<several>they|them)\b)|\b(?P<thing>[Ii]t)\b"
)
_DUMMY_IT: Final = lazy(
    r"\b(?:(?:what|which) (?:time|day|date|year|month|season) (?:is|was)"
    r"|how (?:late|early|hot|cold|warm|far) (?:is|was)"
    r"|(?:does|did|will|would) it (?:take|matter|mean|rain|snow|make sense)"
    r"|(?:is|was|will|would|does|did) it (?:be )?(?:true|false|possible|impossible|legal|illegal|safe|better|worth|ok"
    r"|okay|raining?|snowing?|hot|cold|warm|sunny|cloudy|windy|dark|common|normal|necessary|important|hard|easy|that)\b"
    r"|it (?:is|was|takes|took|rains?|snows?|seems|happens) )",
    re.IGNORECASE,
)
_THEN_EN: Final = lazy(r"\b(?:then|(?:at|by) (?:that|the) time)\b(?=\s*[?.!]*\s*$)", re.IGNORECASE)
_PAST_EN: Final = lazy(r"\b(?:was|were|did|had|happened|\w{2,}ed)\b", re.IGNORECASE)
_LEAD_EN: Final = lazy(r"^\s*(?:and|but|so|then|also)\b[\s,]*", re.IGNORECASE)
_ELLIPSIS_EN: Final = lazy(
    r"^\s*(?:(?:and|but|so|then)\b[\s,]*)?(?:(?:what|how) about|and)\s+(?P<new>.{1,200}?)\s*[?.!]*\s*$", re.IGNORECASE
)
_ARTICLE: Final = lazy(r"\b(?:the|a|an)\s+$", re.IGNORECASE)

_PRONOUN_ZH: Final = lazy(
    r"(?P<several>他们|她们|它们)|(?P<person>(?<![其吉])[他她](?![人国乡日方])|此人|这个人|那个人|这人|那人)|(?P<thing>它)"
)
_THEN_ZH: Final = lazy(r"当时|那时候?|(?P<year>那一年|那年)")
_LEAD_ZH: Final = lazy(r"^\s*(?:那么|那|然后|还有)[,，]?\s*(?![年时个些里边样天么位次种一])")
_ELLIPSIS_ZH: Final = lazy(
    r"^\s*(?:那么|那|而)?(?![年时个些里边样天么位次种一])[,，]?\s*(?P<new>.{1,20}?)呢\s*[?？]*\s*$"
)
_NO_SUBJECT_ZH: Final = lazy(
    r"[我你您他她它们谁哪几吗这那]|什么|怎|为何|多|如何|其[他它余]|别的|另|后来|然后|之[前后]|以[前后]|现在|[今明昨]天|当时|如果"
)
_OWNER_ZH: Final = lazy(r"^[他她它](?=的)")

_CLAUSE: Final = lazy(r"[,，;；]|\b(?:say|says|said|claims?|claimed|thinks?|thought)\b")
_SOURCES: Final = lazy(r"\n\n[^\n]{1,20}[:：]\n\[1\] .*", re.DOTALL)
_MARKS: Final = lazy(r"\[\d+\]")
_OF_PERSON: Final = lazy(
    r"\b(?:born|die[ds]?|death|married|marry|wife|husband|father|mother|sons?|daughters?|children)\b"
    r"|出生|生于|去世|逝世|死|妻|丈夫|父亲|母亲|儿子|女儿",
    re.IGNORECASE,
)
_OF_THING: Final = lazy(
    r"\b(?:population|capital|area|built|constructed|located|flows?)\b|人口|首都|面积|位于|建成|修建|海拔|流经",
    re.IGNORECASE,
)
_KIN: Final = lazy(
    r"\b(?:wife|husband|father|mother|sons?|daughters?|brothers?|sisters?|teacher|successor|predecessor)\b"
    r"|妻|丈夫|父|母|儿子|女儿|兄|弟|姐|妹|老师|继任者|前任",
    re.IGNORECASE,
)
_FEMALE: Final = lazy(r"\b(?:wife|mother|daughter|sister|queen|empress)\b|妻|母亲|女儿|姐|妹|皇后", re.IGNORECASE)
_MALE: Final = lazy(r"\b(?:husband|father|son|brother|king|emperor)\b|丈夫|父亲|儿子|兄|弟|皇帝", re.IGNORECASE)
_WANTS_NAME: Final = lazy(
    r"^\s*(?:(?:and|but|so) )?(?:who|whom|which)\b"
    r"|^\s*what(?:'s| is| was| are| were)? (?:the )?(?:names?|capital|title|\w+est|city|country|book|novel|film|river"
    r"|mountain|company|language|largest|most)\b|谁|哪个|哪位|哪座|哪部|哪国|首都是|叫什么",
    re.IGNORECASE,
)
_BORN_OR_DIED: Final = lazy(r"\b(?:born|die[ds]?)\b|出生|去世|逝世", re.IGNORECASE)


@dataclass(frozen=True)
class _Exchange:
    """The question before, made to stand on its own, and its answer without citation marks and sources.

    `subjects` are what single things were asked about so far, the latest last: "them" may mean the last two.
    """

    asked: str = ""
    answered: str = ""
    subjects: tuple[str, ...] = ()


def standalone(question: str, history: Sequence[AnyMessage], language: Language) -> str:
    """The question with references to the conversation resolved; unchanged where there is nothing to resolve.

    Args:
        question: The user's words.
        history: Earlier messages, oldest first; follow-ups among them are resolved on the way.
        language: The question's language.
    """
    last = _Exchange()
    for message in history:
        text = str(message.text)
        if isinstance(message, HumanMessage):
            asked = _resolved(text, last, detect_language(text))
            last = _Exchange(asked, subjects=(*last.subjects, *_only_subject(asked)))
        elif message.type == "ai" and last.asked:
            last = replace(last, answered=_MARKS.sub("", _SOURCES.sub("", text)))
    return _resolved(question, last, language)


def _only_subject(asked: str) -> list[str]:
    found = names(asked)
    return [_called(asked, found[0])] if len(found) == 1 else []


def _resolved(question: str, last: _Exchange, language: Language) -> str:
    if not last.asked:
        return question
    if (other := _ellipsis(question, last, language)) is not None:
        return other
    text = _with_subject(question, last, language)
    text = _with_date(text, last, language)
    if text == question:
        return question
    text = (_LEAD_ZH if language == "zh" else _LEAD_EN).sub("", text, count=1)
    return text[:1].upper() + text[1:]


def _with_subject(question: str, last: _Exchange, language: Language) -> str:
    """The question with its first pronoun replaced, if it is clear what that means."""
    pronouns = (_PRONOUN_ZH if language == "zh" else _PRONOUN_EN).finditer(question)
    dummies = [found.span() for found in _DUMMY_IT.finditer(question)]
    pronoun = next((p for p in pronouns if not _is_dummy(p, dummies)), None)
    if pronoun is None or not _refers_back(question, pronoun):
        return question
    topic = _topic(last, pronoun, language)
    if not topic or _names_it(question, topic):
        return question
    owner = language == "en" and pronoun.lastgroup in {"owner", "her"}
    return question[: pronoun.start()] + topic + ("'s" if owner else "") + question[pronoun.end() :]


def _is_dummy(pronoun: re.Match[str], dummies: Sequence[tuple[int, int]]) -> bool:
    """Whether this is the "it" of "what time is it?", which means nothing."""
    if pronoun.lastgroup != "thing":
        return False
    return any(start <= pronoun.start() <= end + 1 for start, end in dummies)


def _refers_back(question: str, pronoun: re.Match[str]) -> bool:
    """Whether a pronoun can only mean something said before, not a name in the question itself."""
    named = [name for name in names(question) if not (name.start <= pronoun.start() < name.end)]
    if not named:
        return True
    if named[0].start < pronoun.start() or _CLAUSE.search(question, pronoun.end(), named[-1].start):
        return False
    # "How far is it from Paris?": only a comparison tells that a bare "it" is the thing talked about.
    return pronoun.lastgroup != "thing" or bool(re.search(r"\bthan\b|比", question[pronoun.end() : named[0].start]))


def _names_it(question: str, topic: str) -> bool:
    """Whether the question itself names the topic, or a part of its name."""
    said, meant = question.casefold(), topic.casefold().removeprefix("the ")
    return meant in said or any(name.text.casefold() in meant for name in names(question))


def _topic(last: _Exchange, pronoun: re.Match[str], language: Language) -> str:
    """What the last exchange was about, as this pronoun can take it up; empty where that is not clear.

    That is the name the question asked about or, where it asked for a name, the one that was answered.
    """
    kind = pronoun.lastgroup or ""
    word = pronoun[0].casefold()
    in_question, in_answer = names(last.asked), names(last.answered)
    known = {name.text.casefold() for name in in_question}
    new = [name for name in in_answer if name.text.casefold() not in known]
    wants_name = bool(_WANTS_NAME.search(last.asked)) and not _BORN_OR_DIED.search(last.asked)
    if wants_name and new and not _other_sex(last.asked, word):
        return _called(last.answered, new[0])
    if (word in {"it", "its"} or kind == "thing") and _OF_PERSON.search(last.asked):
        return ""
    if (word == "his" or kind in {"person", "her"}) and _OF_THING.search(last.asked):
        return ""
    if kind == "several" and len(in_question) == 1:
        pair = tuple(dict.fromkeys(last.subjects))[-2:]
        return ("和" if language == "zh" else " and ").join(pair) if len(pair) == 2 else ""
    if len(in_question) > 1:
        if kind == "several" or word == "their":
            joint = "和" if language == "zh" else " and "
            return joint.join(_called(last.asked, name) for name in in_question) if len(in_question) == 2 else ""
        # Answers answer first: of several things compared, the one named first was the answer.
        return next((_called(last.asked, n) for n in in_question if in_answer and n.text == in_answer[0].text), "")
    if in_question:
        return _called(last.asked, in_question[0])
    return _called(last.answered, new[0]) if new else ""


def _other_sex(asked: str, word: str) -> bool:
    """Whether the person asked for cannot be meant: "Who was his wife?", then "he"."""
    if word in {"he", "him", "his", "他"}:
        return bool(_FEMALE.search(asked))
    return word in {"she", "her", "她"} and bool(_MALE.search(asked))


def _called(text: str, name: Name) -> str:
    """A name as the text has it, with its article."""
    return f"the {name.text}" if re.search(r"\b[Tt]he $", text[: name.start]) else name.text


def _with_date(text: str, last: _Exchange, language: Language) -> str:
    """The question with "then" replaced by the date of the last answer, if that tells one only."""
    then = (_THEN_ZH if language == "zh" else _THEN_EN).search(text)
    if then is None or (language == "en" and not _PAST_EN.search(text)):
        return text
    date = _date_of(last.answered)
    if date is None:
        return text
    if language == "zh":
        when = format_date(PartialDate(date.year), language) if then["year"] else format_date(date, language) + "时"
    else:
        when = f"{'in' if date.day is None else 'on'} {format_date(date, language)}"
    return text[: then.start()] + when + text[then.end() :]


def _date_of(answer: str) -> PartialDate | None:
    """The date of the first sentence that has one; None where it has several."""
    for start, end in sentences(answer):
        found = find_dates(answer[start:end])
        if found:
            return found[0].date if len({span.date for span in found}) == 1 and found[0].until is None else None
    return None


def _ellipsis(question: str, last: _Exchange, language: Language) -> str | None:
    """Resolve "what about Y?" after a question about X: that question, asked about Y."""
    match = (_ELLIPSIS_ZH if language == "zh" else _ELLIPSIS_EN).match(question)
    subjects = names(last.asked)
    if match is None or len(subjects) != 1:
        return None
    subject = subjects[0]
    start = subject.start
    new = match["new"].strip(" ,，")
    put = _put_zh(new, subject, last.asked) if language == "zh" else _put_en(new, subject, last.asked)
    if put is None:
        return None
    if article := _ARTICLE.search(last.asked, 0, start):
        start = article.start()
    text = last.asked[:start] + put + last.asked[subject.end :]
    return text[:1].upper() + text[1:]


def _put_en(new: str, subject: Name, asked: str) -> str | None:
    """What takes the place of the subject; None where that would make another question of it."""
    owner = _PRONOUN_EN.match(new)
    if owner and owner.lastgroup in {"owner", "her"}:
        return f"{_called(asked, subject)}'s{new[owner.end() :]}" if _takes_kin(new, subject, asked) else None
    found = names(new)
    if len(found) != 1:
        return None
    name = found[0]
    rest = re.findall(r"\w+", f"{new[: name.start]} {new[name.end :]}".casefold())
    if set(rest) <= {"the"}:
        return new
    # "the population of France", asked before of Germany
    return _called(new, name) if set(rest) <= set(re.findall(r"\w+", asked.casefold())) else None


def _takes_kin(new: str, subject: Name, asked: str) -> bool:
    """Whether "his wife" can stand where the subject stood: a person for a person, not a thing of his for another."""
    owned = asked[subject.end :].startswith(("'s", "’s", "的")) or re.search(r"\bof (?:the )?$", asked[: subject.start])
    return bool(_KIN.search(new)) and not owned


def _put_zh(new: str, subject: Name, asked: str) -> str | None:
    owner = _OWNER_ZH.match(new)
    if owner:
        return subject.text + new[owner.end() :] if _takes_kin(new, subject, asked) else None
    if _NO_SUBJECT_ZH.search(new):
        return None
    head, _, attribute = new.partition("的")
    if attribute and attribute not in asked:
        return None
    return head or None
