"""Elicitation: what a tool asks the user in mid-call, as MCP has it, and what the user said.

A call that asks ends there: it waits in no process. It is made again with the answer, which the tool then gets at once.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, Literal

from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

if TYPE_CHECKING:
    from weiwo.state import JsonValue

MOST_ASKED: Final = 4
"""Requests of one turn that reach the user; what a tool asks beyond is declined."""
LONGEST_VALUE: Final = 2_000
"""Characters of one value of an answer."""

_BOOLEANS: Final = {
    "true": True,
    "yes": True,
    "y": True,
    "是": True,
    "false": False,
    "no": False,
    "n": False,
    "否": False,
}


@dataclass(frozen=True)
class Elicitation:
    """A request of a tool to the user; its words are from outside.

    Attributes:
        tool: The tool.
        server: The MCP server it is of; empty for any other.
        mode: `form` for values to fill in, `url` for a page to open.
        message: What it says.
        schema: The form as JSON schema: an object of strings, numbers, booleans and choices.
        url: The page.
    """

    tool: str
    server: str
    mode: Literal["form", "url"]
    message: str
    schema: Mapping[str, Any] = field(default_factory=dict)
    url: str = ""

    @property
    def key(self) -> str:
        """What makes two requests the same: the same form in the same words, or the same page."""
        words = self.as_json() | ({"message": ""} if self.mode == "url" else {})
        return sha256(json.dumps(words, sort_keys=True).encode()).hexdigest()[:16]

    def as_json(self) -> dict[str, Any]:
        """The request as a checkpoint keeps it."""
        return asdict(self)


class ElicitationAnswer(TypedDict):
    """What the user said to a request.

    Attributes:
        key: The request's.
        action: `accept` with values, or for a page that was opened; `decline`; `cancel`.
        content: The values of a form.
    """

    key: str
    action: Literal["accept", "decline", "cancel"]
    content: dict[str, Any]


@dataclass(frozen=True)
class UserAnswers:
    """What a tool may have of the user.

    Attributes:
        given: What they said to requests of this turn.
        may_ask: Whether they can be asked more.
    """

    given: tuple[ElicitationAnswer, ...] = ()
    may_ask: bool = False


NOBODY: Final = UserAnswers()
"""There is nobody to ask, and nothing was said."""


def check_content(schema: Mapping[str, Any], content: Mapping[str, Any]) -> "tuple[dict[str, JsonValue], list[str]]":
    """Values of a form held against its schema; text stands for numbers, booleans and lists too.

    Returns:
        The values, defaults filled in, and what is wrong with them, a line each.
    """
    properties: Mapping[str, Mapping[str, Any]] = schema.get("properties", {})
    wrong = [f"{name!r} is no field of the form" for name in content if name not in properties]
    values: dict[str, Any] = {}
    for name, rule in properties.items():
        given = content.get(name)
        if given is None or given == "":
            given = rule.get("default")
        if given is None:
            wrong += [f"{name!r} is missing"] * (name in schema.get("required", ()))
            continue
        value = _converted(given, rule)
        if complaint := _complaint(value, rule):
            wrong.append(f"{name!r} {complaint}")
        else:
            values[name] = value
    return values, wrong


def choices_of(rule: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The choices of a field, each with its title; none where anything may be filled in."""
    rule = rule.get("items", rule)
    titled: Sequence[Any] = rule.get("oneOf") or rule.get("anyOf") or ()
    if titled:
        return [(str(one["const"]), str(one.get("title") or one["const"])) for one in titled]
    values = [str(one) for one in rule.get("enum", ())]
    names = [str(one) for one in rule.get("enumNames", ())]
    return list(zip(values, names if len(names) == len(values) else values, strict=True))


def _converted(value: Any, rule: Mapping[str, Any]) -> "JsonValue":
    """A value as its field wants it, where text says one."""
    kind = rule.get("type")
    choices = {title.casefold(): known for known, title in choices_of(rule)}
    if kind == "array":
        listed = [one.strip() for one in value.split(",")] if isinstance(value, str) else value
        return [choices.get(str(one).casefold(), one) for one in listed] if isinstance(listed, list) else listed
    if not isinstance(value, str):
        return value  # type: ignore[no-any-return]
    text = value.strip()
    if kind == "boolean":
        return _BOOLEANS.get(text.casefold(), text)
    if kind in {"integer", "number"} and len(text) <= 40:
        for convert in (int, float):
            try:
                return convert(text)
            except ValueError:
                continue
    return choices.get(text.casefold(), text)


def _complaint(value: "JsonValue", rule: Mapping[str, Any]) -> str:
    """What is wrong with a value; empty where nothing is."""
    kind, choices = rule.get("type", "string"), [known for known, _ in choices_of(rule)]
    if kind == "array":
        if not isinstance(value, list) or not set(map(str, value)) <= set(choices):
            return f"takes some of {', '.join(choices)}"
        return _bound(len(value), rule, "minItems", "maxItems", "values")
    if kind == "boolean":
        return "" if isinstance(value, bool) else "takes true or false"
    if kind in {"integer", "number"}:
        whole = kind == "integer"
        if isinstance(value, bool) or not isinstance(value, int if whole else int | float) or not math.isfinite(value):
            return f"takes {'a whole number' if whole else 'a number'}"
        return _bound(value, rule, "minimum", "maximum", "")
    if not isinstance(value, str) or (choices and value not in choices):
        return f"takes one of {', '.join(choices)}" if choices else "takes text"
    if len(value) > LONGEST_VALUE:
        return f"takes at most {LONGEST_VALUE:,} characters"
    return _bound(len(value), rule, "minLength", "maxLength", "characters")


def _bound(size: float, rule: Mapping[str, Any], least: str, most: str, unit: str) -> str:
    low, high = rule.get(least), rule.get(most)
    if low is not None and size < low:
        return f"takes at least {low} {unit}".strip()
    return f"takes at most {high} {unit}".strip() if high is not None and size > high else ""
