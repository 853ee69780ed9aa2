"""Literal types of the state: types of values, languages, kinds of failure.

A task's return type is what makes an answer usable by the next task: a number
can be computed with, a list can be iterated. In data a date is an ISO-like
string whose year is negative before our era ("-156", "-100-07-12", "1969-07").

This module does not import pydantic, so that light commands start fast.
"""

from typing import Final, Literal, TypeGuard, get_args

ValueType = Literal[
    "text",
    "number",
    "date",
    "boolean",
    "list[text]",
    "list[number]",
    "list[date]",
    "list[boolean]",
    "passages",
]
AGENTS: Final = ("master", "planner", "executor", "reflection", "writer")
ROLES: Final = (*AGENTS, "verifier")
"""Roles that a chat model can be chosen for."""

VALUE_TYPES: tuple[ValueType, ...] = get_args(ValueType)

Language = str
"""The language of a text or an answer, as the first part of a BCP 47 tag, such as `de`; any language there is."""

Locale = Literal["en", "zh"]
"""The languages that Weiwo has rules and messages of its own in."""
LOCALES: tuple[Locale, ...] = get_args(Locale)

SourceKind = Literal["documents", "web", "scholarly"]
"""Kinds of sources that a run may be restricted to. `scholarly`: search providers of papers."""
WEB_SOURCES: Final = frozenset({"web", "scholarly"})

DecidedBy = Literal["model", "rule"]
"""Who made a judgement: a chat model, or a rule. Always visible in the trace."""

PlannedBy = Literal["model", "rule", "memory"]
"""Author of a plan. `memory`: the plan of an earlier question with the same wording, with new names and numbers."""

FailureKind = Literal[
    "timeout",
    "rate_limit",
    "auth",
    "not_found",
    "bad_arguments",
    "empty",
    "blocked",
    "refused",
    "oversized",
    "crash",
    "limit",
    "incomplete",
    "inconsistent",
    "slow",
]
"""Kinds of failure of a task, a tool or a provider."""

_LIST_PREFIX = "list["


def item_type(type_: ValueType) -> ValueType:
    """Return the item type of a list type: "number" for "list[number]".

    "passages" gives "text", because each passage is handed on as text. A type that is no list is returned unchanged.
    """
    if type_ == "passages":
        return "text"
    if type_.startswith(_LIST_PREFIX):
        return type_[len(_LIST_PREFIX) : -1]  # type: ignore[return-value]
    return type_


def has_rules(language: Language) -> TypeGuard[Locale]:
    """Report whether Weiwo has rules for a language.

    Text in any other language gets no grammar at all, rather than English grammar.
    """
    return language in LOCALES


def message_locale(language: Language) -> Locale:
    """Return the locale of Weiwo's own messages for an answer language: "zh" for Chinese, else "en"."""
    return language if has_rules(language) else "en"


_ALIASES = {"nb": "no", "nn": "no", "fil": "tl", "iw": "he", "in": "id", "cmn": "zh", "yue": "zh"}


def read_language_tag(said: str) -> Language:
    """Return the language of a BCP 47 tag, without script and region.

    For example, `de` of `de-AT` and `zh` of `zh_CN`. Some codes are mapped to another: `yue` to its main language `zh`,
    and the old code `iw` to `he`.

    Raises:
        ValueError: The text is no tag.
    """
    primary, *rest = said.strip().casefold().replace("_", "-").split("-")
    if not (
        2 <= len(primary) <= 3 and primary.isascii() and primary.isalpha() and all(item.isalnum() for item in rest)
    ):
        raise ValueError("is not a language tag; use one such as de, fr or zh")
    return _ALIASES.get(primary, primary)


def recorded_language(said: object) -> Language:
    """Return the language named in a stored result, by default English.

    The file may name no valid language, since anybody may have written it.
    """
    try:
        return read_language_tag(str(said))
    except ValueError:
        return "en"
