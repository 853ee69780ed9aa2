"""Fit of a tool to a question: matching topic and arguments found in the question.

A tool that answers another question is worse than a web search, so in doubt no tool fits. The aspect asked about a
subject ("weather" in "weather in Oslo") must be part of the tool's topic, and each required argument must be in the
question.
"""

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from weiwo.state import JsonValue
from weiwo.state.query import QueryFrame
from weiwo.text.patterns import lazy
from weiwo.tools.calling.substitutes import is_address, is_query
from weiwo.tools.selection.clusters import TURNS, Documentation, content_words, name_words, stem, topic_words
from weiwo.tools.tool_info import ToolInfo

_COVERED: Final = 0.5
"""Least share of the question's topic words that must be topic words of the tool."""
_LONGEST: Final = 300
_SEVERAL: Final = lazy(r"\b(?:and|or|to|versus|vs)\b|[,;，、；和与或]", re.IGNORECASE)
"""Separators in a subject that may consist of several things."""


class ToolFit(NamedTuple):
    """Fit of a tool to a question."""

    coverage: float  # share of the question's topic that the tool covers, 0 to 1
    hits: int  # number of the tool's topic words in the question
    args: dict[str, JsonValue]  # arguments for the call


def fit_tool(frame: QueryFrame, info: ToolInfo) -> ToolFit | None:
    """Return how well a tool fits a question, with the arguments for the call, or None if it does not fit.

    It does not fit if its topic is not the question's, or if a required argument is not in the question.
    """
    tool = Documentation.of(info.name, info.description, info.args_schema, info.cluster)
    said = frame.search or frame.question
    subjects = frozenset(word for subject in frame.subjects for word in content_words(subject))
    asked = content_words(said)
    if frame.language != "zh":
        asked = asked & content_words(frame.question) or asked  # a search adds words that the question does not have
        asked = asked - subjects or asked  # what a parser took for the subject may be the whole question
    hits = asked & topic_words(tool)
    if not hits or any(row & asked and not row & topic_words(tool) for row in TURNS):
        return None
    subject = _without(frame.subject, hits)
    coverage = _share_of_text(said, subject, hits) if frame.language == "zh" else len(hits) / len(asked)
    named = bool(hits & name_words(tool)) or frame.language == "zh"
    searches = any(is_query(need) for need, _ in tool.needs)  # it takes the rest of the question as its query
    if coverage < (0.0 if named and searches else _COVERED if named or len(hits) > 1 else 1.0):
        return None
    args = _fill_arguments(frame, info.args_schema, subject)
    return None if args is None else ToolFit(coverage, len(hits), args)


def _fill_arguments(frame: QueryFrame, schema: Mapping[str, Any], subject: str) -> dict[str, JsonValue] | None:
    """Fill the required arguments of a tool from a question.

    Returns None if an argument is not in the question, or two arguments would have the same value.
    """
    args: dict[str, JsonValue] = {}
    for name in schema["required"]:
        value = _find_value(frame, name, schema["properties"].get(name) or {}, subject)
        if value is None or value in args.values():  # one thing cannot be two arguments
            return None
        args[name] = value
    return args


def _find_value(frame: QueryFrame, name: str, schema: Mapping[str, Any], subject: str) -> JsonValue:
    if isinstance(choices := schema.get("enum"), list):
        words = content_words(frame.question) | set(frame.question.casefold().split())
        named = [choice for choice in choices if isinstance(choice, str) and choice.casefold() in words]
        return named[0] if len(named) == 1 else None
    if schema.get("type", "string") != "string" or is_address(name):
        return None
    if is_query(name):
        return ((frame.search if frame.language == "zh" else "") or frame.question)[:_LONGEST]
    is_single = subject and len(frame.subjects) == 1 and not _SEVERAL.search(subject)
    return subject[:_LONGEST] if is_single else None


def _without(subject: str, hits: frozenset[str]) -> str:
    """Remove from a subject the words that matched the tool's topic: "Oslo weather" → "Oslo"."""
    for hit in hits:
        subject = subject if hit.isascii() else subject.replace(hit, " ")
    kept = [word for word in subject.split() if stem(word.casefold()) not in hits]
    return " ".join(kept).strip("的 ")


def _share_of_text(said: str, subject: str, hits: frozenset[str]) -> float:
    """Return the share of a Chinese question's characters, without the subject, that `hits` cover."""
    rest = "".join(said.replace(subject, "").split()) if subject else "".join(said.split())
    covered = rest
    for hit in hits:
        covered = covered.replace(hit, "")
    return 1 - len(covered) / len(rest) if rest else 0.0
