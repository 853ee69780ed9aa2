"""Follow-up questions made to stand on their own, by rule: "and how old was he then?".

Pronouns are replaced by what the conversation was last about; "then" by the date of the last answer. A
question that names its own subject is left as it is: a wrong substitution is worse than none.
"""

import re
from collections.abc import Sequence

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from state import Language
from text.dates import find_dates, format_date
from text.names import names

_SUBJECT_EN = re.compile(r"\b(he|she|it|they|him|her|them)\b", re.IGNORECASE)
_OWNER_EN = re.compile(r"\b(his|her|its|their|hers|theirs)\b(?=\s+\w)", re.IGNORECASE)
_THEN_EN = re.compile(r"\b(then|at (?:that|the) time)\b(?=\s*[?.!]*\s*$)", re.IGNORECASE)
_LEAD_EN = re.compile(r"^\s*(?:and|but|so|then|what about|how about)\b[\s,]*", re.IGNORECASE)
_ELLIPSIS_EN = re.compile(r"^\s*(?:and\s+)?(?:what|how) about\s+(.+?)\s*\?*\s*$", re.IGNORECASE)
_SUBJECT_ZH = re.compile(r"他们|她们|它们|他|她|它|此人|这个人|那个人")
_THEN_ZH = re.compile(r"当时|那时候?|那一年|那年")
_LEAD_ZH = re.compile(r"^\s*(?:那么|那|然后|还有)[,，]?\s*(?!年|时|个|些|里|边|样)")
_ELLIPSIS_ZH = re.compile(r"^\s*(?:那么|那)?\s*(.{1,30}?)呢\s*[?？]*\s*$")


def standalone(question: str, history: Sequence[AnyMessage], language: Language) -> str:
    """The question with references to the conversation resolved; unchanged where there is nothing to resolve.

    Args:
        question: The user's words.
        history: Earlier messages, oldest first.
        language: The question's language.
    """
    asked = next((str(m.text) for m in reversed(history) if isinstance(m, HumanMessage)), "")
    answered = next((str(m.text) for m in reversed(history) if isinstance(m, AIMessage)), "")
    if not asked:
        return question
    if (other := _ellipsis(question, asked, language)) is not None:
        return other
    pronoun = _SUBJECT_ZH if language == "zh" else _SUBJECT_EN
    owner = _OWNER_EN if language == "en" else None
    if not (pronoun.search(question) or (owner and owner.search(question))):
        return question
    if names(question):
        return question
    subject = _topic(asked, answered)
    if not subject:
        return question
    lead = _LEAD_ZH if language == "zh" else _LEAD_EN
    text = lead.sub("", question, count=1)
    if owner:
        text = owner.sub(f"{subject}'s", text, count=1)
    text = pronoun.sub(subject, text, count=1)
    dates = find_dates(answered)
    if dates:
        when = format_date(dates[0].date, language)
        text = _THEN_ZH.sub(when + "时" if language == "zh" else when, text, count=1)
        text = _THEN_EN.sub(f"in {when}" if dates[0].date.day is None else f"on {when}", text, count=1)
    return text[:1].upper() + text[1:]


def _topic(asked: str, answered: str) -> str:
    """What the last exchange was about: the name it asked about, or, asked for a name, the one it answered."""
    in_question, in_answer = names(asked), names(answered)
    wants_name = re.match(r"\s*(?:who|which|what)\b", asked, re.IGNORECASE) or re.search(r"谁|哪个|哪位", asked)
    known = {name.text.casefold() for name in in_question}
    new = [name.text for name in in_answer if name.text.casefold() not in known]
    if wants_name and new and not re.search(r"\bborn|\bdie[ds]?\b", asked):
        return new[0]
    if in_question:
        return in_question[0].text
    return new[0] if new else ""


def _ellipsis(question: str, asked: str, language: Language) -> str | None:
    """ "What about Y?" after a question about X: that question, asked about Y."""
    match = (_ELLIPSIS_ZH if language == "zh" else _ELLIPSIS_EN).match(question)
    subjects = names(asked)
    if match is None or len(subjects) != 1:
        return None
    new = match[1].strip(" ,，")
    if not new or re.fullmatch(r"(?:he|she|it|they|him|her|them|that|this|他|她|它|这|那)", new, re.IGNORECASE):
        return None
    return asked[: subjects[0].start] + new + asked[subjects[0].end :]
