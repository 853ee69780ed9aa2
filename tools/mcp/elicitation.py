"""Elicitation by an MCP server: its request read and bounded, and answered within the call that it is about.

The message and the form are the server's words. A form that asks for a password or a key is declined, as MCP wants it:
what is filled in stands in checkpoints.
"""

import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

import mcp_types as types

from weiwo.tools.calling.elicitation import MOST_ASKED, Elicitation, ElicitationError, UserAnswers, choices_of
from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.mcp.definitions import ToolDefinition
from weiwo.tools.printable import one_line

LONGEST_MESSAGE: Final = 1_000
_LONGEST_URL: Final = 2_000
_LONGEST_TITLE: Final = 100
_LONGEST_ABOUT: Final = 300
_MOST_FIELDS: Final = 20
_MOST_CHOICES: Final = 50
_NAME: Final = re.compile(r"[A-Za-z_][\w.-]{0,59}")
_SECRET: Final = re.compile(
    r"pass(?:word|wd|phrase|code)|\bpwd\b|secret|credential|(?:api|private)[ _-]?key|(?:access|auth|bearer)[ _-]?token"
    r"|one[ -]time|verification code|\b(?:otp|cvv|cvc|pin|ssn)\b|card[ _-]?number|密码|口令|密钥|令牌|验证码|卡号",
    re.IGNORECASE,
)
_KINDS: Final = frozenset({"string", "number", "integer", "boolean"})
_NUMBERS: Final = ("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems")
_UNASKED: Final = types.ErrorData(
    code=types.INVALID_REQUEST, message="the user is asked; the call is made again with the answer"
)


class Elicitor:
    """Answers the requests of one call, from what the user has said.

    Args:
        definition: The tool that is called.
        user: What it may have of the user.

    Attributes:
        asked: The request that the user is to see; None where there is none.
        notes: What was declined without them, a line each.
        unclear: Whether a request came that may have been of another call.
    """

    def __init__(self, definition: ToolDefinition, user: UserAnswers) -> None:
        self.asked: Elicitation | None = None
        self.notes: list[str] = []
        self.unclear = False
        self._definition, self._user = definition, user
        self._given = {one["key"]: one for one in user.given}

    def answer(self, params: Any) -> types.ElicitResult | types.ErrorData:
        """The answer to a request; an error, which ends the call, where the user is to be asked."""
        asked = self._read(params)
        if asked is None:
            return types.ElicitResult(action="decline")
        if (known := self._given.get(asked.key)) is not None:
            content = dict(known["content"]) if known["action"] == "accept" and asked.mode == "form" else None
            return types.ElicitResult(action=known["action"], content=content)  # type: ignore[arg-type]
        self.asked = self.asked or asked
        return _UNASKED

    def require(self, links: Any) -> None:
        """Take the page that a server wants opened before it does anything (its error -32042), if need be again."""
        try:
            params = types.ElicitRequestURLParams.model_validate({**links[0], "mode": "url"})
        except (TypeError, ValueError, LookupError):
            return
        self.asked = self._read(params, again=True)

    def ends_with(self) -> ElicitationError | None:
        """What a call ends with that asked; None where nobody is to be asked."""
        return None if self.asked is None else ElicitationError(self.asked)

    def explain(self, error: ToolCallError) -> ToolCallError:
        """A failure with what was declined before it."""
        if not self.notes or isinstance(error, ElicitationError):
            return error
        said = "; ".join([error.message, *self.notes])
        return ToolCallError(error.kind, said, retry_after=error.retry_after, transient=error.transient)

    def _read(self, params: Any, *, again: bool = False) -> Elicitation | None:
        """The request as the user may see it; None where it is declined without them."""
        found, why = read_elicitation(params, self._definition)
        if found is not None and (again or found.key not in self._given):
            if not self._user.may_ask:
                why = "there is nobody to ask"
            elif len(self._user.given) >= MOST_ASKED:
                why = f"it asks more than {MOST_ASKED} times"
        if why:
            self.notes.append(f"{self._definition.name} asked the user something; it was declined: {why}")
        return None if why else found


def read_elicitation(params: Any, definition: ToolDefinition) -> tuple[Elicitation | None, str]:
    """A request, bounded; or None, and why it is not for a user to see.

    Args:
        params: `mcp_types.ElicitRequestFormParams` or `ElicitRequestURLParams`.
        definition: The tool that asks.
    """
    message = one_line(str(params.message), LONGEST_MESSAGE)
    if params.mode == "url":
        if why := _unfit_url(params.url):
            return None, why
        return Elicitation(definition.name, definition.server, "url", message, url=params.url), ""
    schema, why = _read_form(params.requested_schema)
    if schema is None:
        return None, why
    secret = next((found[0] for one in _free_words(schema, message) if (found := _SECRET.search(one))), "")
    if secret:
        return None, f"it wants a secret ({one_line(secret, 40)!r}) in a form, which is kept"
    return Elicitation(definition.name, definition.server, "form", message, schema), ""


def _unfit_url(url: str) -> str:
    """Why a page is not for a user to open; empty where it is."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        host = ""
    if not host or len(url) > _LONGEST_URL or one_line(url, _LONGEST_URL) != url or " " in url:
        return "its link is no address"
    local = host in {"localhost", "127.0.0.1", "::1"}
    if parts.scheme != "https" and not (parts.scheme == "http" and local):
        return "its link is no https address"
    return "its link hides its host behind a user's name" if parts.username is not None else ""


def _read_form(schema: Any) -> tuple[dict[str, Any] | None, str]:
    """A form's schema with what is needed of it; or None, and why it is none."""
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    if not isinstance(properties, Mapping) or len(properties) > _MOST_FIELDS:
        return None, f"its form is not an object of at most {_MOST_FIELDS} fields"
    fields: dict[str, Any] = {}
    for name, rule in properties.items():
        read = _read_field(rule) if isinstance(rule, Mapping) and _NAME.fullmatch(str(name)) else None
        if read is None:
            return None, f"its form has a field that cannot be shown, {one_line(str(name), 60)!r}"
        fields[str(name)] = read
    required = schema.get("required")
    wanted = [name for name in fields if name in required] if isinstance(required, list) else []
    return {"type": "object", "properties": fields, "required": wanted}, ""


def _read_field(rule: Mapping[str, Any]) -> dict[str, Any] | None:
    """One field's rule with what is needed of it; None where it is no simple field."""
    listed = rule.get("type") == "array"
    choice = rule.get("items") if listed else rule
    if not isinstance(choice, Mapping):
        return None
    found = _read_choices(choice)
    if found is None or (listed and not found):
        return None
    kind = "array" if listed else "string" if found else rule.get("type")
    if kind not in _KINDS | {"array"}:
        return None
    numbers = {
        key: value
        for key in _NUMBERS
        if isinstance(value := rule.get(key), int | float) and not isinstance(value, bool)
    }
    words = {
        key: one_line(value, most)
        for key, most in (("title", _LONGEST_TITLE), ("description", _LONGEST_ABOUT), ("format", 20))
        if isinstance(value := rule.get(key), str) and value.strip()
    }
    default = rule.get("default")
    if isinstance(default, str):
        default = one_line(default, _LONGEST_ABOUT)
    many = listed and isinstance(default, list) and len(default) <= _MOST_CHOICES and all(map(_is_choice, default))
    fits = many or isinstance(default, str | int | float)
    own = {"items": found} if listed else found
    return {"type": kind, **words, **numbers, **own, **({"default": default} if fits else {})}


def _read_choices(rule: Mapping[str, Any]) -> dict[str, Any] | None:
    """The choices of a field, empty where it has none; None where they cannot be shown."""
    for key in ("oneOf", "anyOf"):
        if key in rule:
            titled = rule[key]
            if not isinstance(titled, list) or not 0 < len(titled) <= _MOST_CHOICES:
                return None
            if not all(isinstance(one, Mapping) and _is_choice(one.get("const")) for one in titled):
                return None
            return {
                key: [
                    {"const": one["const"], "title": one_line(str(one.get("title") or one["const"]), _LONGEST_TITLE)}
                    for one in titled
                ]
            }
    if "enum" not in rule:
        return {}
    values, names = rule["enum"], rule.get("enumNames")
    if not isinstance(values, list) or not 0 < len(values) <= _MOST_CHOICES:
        return None
    if not all(map(_is_choice, values)):
        return None
    if not isinstance(names, list) or len(names) != len(values):
        return {"enum": list(values)}
    return {"enum": list(values), "enumNames": [one_line(str(one), _LONGEST_TITLE) for one in names]}


def _is_choice(value: object) -> bool:
    return isinstance(value, str) and len(value) <= _LONGEST_ABOUT


def _free_words(schema: Mapping[str, Any], message: str) -> list[str]:
    """What a form calls the fields that anything may be filled in.

    So does the message where the only field has no name of its own. Descriptions may say what not to give.
    """
    fields = schema["properties"].items()
    free = [(name, rule) for name, rule in fields if rule["type"] != "boolean" and not choices_of(rule)]
    named = [word.replace("_", " ") for name, rule in free for word in (name, str(rule.get("title", "")))]
    return [*named, message] if [name for name, _ in free] == ["value"] else named
