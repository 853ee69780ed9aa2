"""Reply types for models: lenient in form, never in content.

Leniency takes no guessing. `coercion` repairs the faults common to every schema (wrappers, other spellings, a number
given as a string of digits, null, one value for a list of one). This module handles faults that depend on the meaning
of a field.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Final, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, GetJsonSchemaHandler, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from weiwo.state.query import Form
from weiwo.text.patterns import lazy

_WORDS = {
    **dict.fromkeys(("none", "no", "zero", "无", "没有", "否"), 0.0),
    **dict.fromkeys(("very low", "很低"), 0.1),
    **dict.fromkeys(("low", "低", "较低"), 0.2),
    **dict.fromkeys(("medium", "moderate", "mid", "average", "中", "中等", "一般"), 0.5),
    **dict.fromkeys(("high", "高", "较高"), 0.9),
    **dict.fromkeys(("very high", "certain", "full", "yes", "很高", "确定", "是"), 1.0),
}
_NUMBER = lazy(r"-?\d+(?:\.\d+)?")
_OUT_OF = lazy(r"(-?(?<!\d)\d+(?:\.\d+)?)\s*(?:/|out of)\s*(\d+(?:\.\d+)?)", re.IGNORECASE)
_ARROW = lazy(r"(?<!\s)\s*(?:(?<!-)-+>|(?<!=)=+>|→|>)\s*")


_MOST_ITEMS: Final = 12
_LONGEST_LIST: Final = 100
_LONGEST: Final = 400
"""Most characters of a string field without a bound of its own."""


class Reply(BaseModel):
    """Structured reply of a model, with bounds on lists and strings.

    The bounds apply in the schema and when the reply is read.

    Attributes:
        bounds: Items of a list, or characters of a string, by field, if the usual bounds are too small.
        tokens: Tokens of a whole reply, without thoughts.
        thinks: Fields that the schema requires, in the order of thought. They are still read leniently.
    """

    model_config = ConfigDict(extra="ignore", defer_build=True)
    bounds: ClassVar[Mapping[str, int]] = {}
    tokens: ClassVar[int] = 600
    thinks: ClassVar[Sequence[str]] = ()

    @model_validator(mode="before")
    @classmethod
    def _clip(cls, data: Any) -> Any:
        """Truncate endless values at the bound."""
        if not isinstance(data, dict):
            return data
        return {name: _clip_value(value, cls.bounds.get(name)) for name, value in data.items()}

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Add the bounds to the schema."""
        told = handler(core)
        own = handler.resolve_ref_schema(told)
        for name, node in own.get("properties", {}).items():
            own["properties"][name] = _add_bounds(node, cls.bounds.get(name))
        if cls.thinks:
            own["required"] = [*dict.fromkeys([*cls.thinks, *own.get("required", ())])]
        return told


def _clip_value(value: Any, bound: int | None) -> Any:
    if isinstance(value, list):
        return value[: min(bound or _MOST_ITEMS, _LONGEST_LIST)]
    return value[: bound or _LONGEST] if isinstance(value, str) else value


def _add_bounds(node: Any, bound: int | None = None) -> Any:
    """Add bounds to every list and string in a schema node.

    `bound` is the bound of the outermost node.
    """
    if not isinstance(node, dict):
        return node
    found = {
        key: [_add_bounds(inner, bound) for inner in value]
        if key == "anyOf"
        else _add_bounds(value)
        if key in {"items", "additionalProperties"}
        else value
        for key, value in node.items()
    }
    if found.get("type") == "array":
        found.setdefault("maxItems", min(bound or _MOST_ITEMS, _LONGEST_LIST))
    elif found.get("type") == "string" and not {"enum", "const"} & found.keys():
        found.setdefault("maxLength", bound or _LONGEST)
    return found


def _share(value: Any) -> Any:
    """Parse a share between 0 and 1 as models give it: 0.9, "90%", 90, "9/10", "high"."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, str):
        text = value.strip().strip(".。").lower()
        if text in _WORDS:
            return _WORDS[text]
        if match := _OUT_OF.search(text):
            return float(match[1]) / float(match[2]) if float(match[2]) else value
        number = _NUMBER.search(text)
        if number is None:
            return next((share for word, share in _WORDS.items() if text.startswith(f"{word} ")), value)
        value = float(number[0]) / (100 if re.match(r"\s*[%％]", text[number.end() :]) else 1)
    return value / 100 if isinstance(value, int | float) and 10 < value <= 100 else value


def _flag(value: Any) -> Any:
    """Parse a boolean in any form used by models: true, "true", "yes", 1, or a share, true from 0.5 on."""
    if isinstance(value, str) and value.strip().lower() in {"true", "false", "yes", "no", "是", "否"}:
        return value.strip().lower() in {"true", "yes", "是"}
    share = _share(value)
    return share >= 0.5 if isinstance(share, int | float) and not isinstance(share, bool) else share


def _ordinal(value: Any) -> Any:
    """Parse a passage number as models give it: 1, "1", "[1]", "passage 1", [1].

    Returns 0 if no passage is meant.
    """
    if isinstance(value, list):
        value = value[0] if value else 0
    if value is None or isinstance(value, bool):
        return 0
    if isinstance(value, str):
        number = _NUMBER.search(value)
        return int(float(number[0])) if number else 0
    return value


def _line(value: Any) -> Any:
    if isinstance(value, list):
        return "; ".join(str(item).strip() for item in value if item not in (None, ""))
    return value


def _form(value: Any) -> Any:
    """Normalize a form named by a model. Unknown forms become empty."""
    word = value.strip().lower() if isinstance(value, str) else ""
    return word if word in get_args(Form) else ""


def _pairs(edges: Any) -> Any:
    """Normalize edges in any form used by models.

    Unreadable edges are left out, because edges follow from references.
    """
    return [list(pair) for edge in edges for pair in _ends(edge)] if isinstance(edges, list) else edges


def _ends(edge: Any) -> Iterator[tuple[str, str]]:
    if isinstance(edge, str):
        for chain in re.split(r"[;,\n]", edge):
            nodes = [node.strip(" \"'[]()") for node in _ARROW.split(chain)]
            if all(nodes):
                yield from pairwise(nodes)
        return
    if isinstance(edge, dict):
        start = next((edge[key] for key in ("from", "source", "start", "src") if key in edge), None)
        end = next((edge[key] for key in ("to", "target", "end", "dst") if key in edge), None)
        if start is None and end is None:
            for key, value in edge.items():  # {"task_1": ["task_2"]}
                yield from (
                    (str(key), str(to)) for to in (value if isinstance(value, list) else [value]) if _is_end_name(to)
                )
            return
        edge = [start, end]
    if isinstance(edge, list) and len(edge) == 1 and isinstance(edge[0], str):
        yield from _ends(edge[0])
    elif isinstance(edge, list) and len(edge) == 2 and all(map(_is_end_name, edge)):
        yield str(edge[0]), str(edge[1])


def _is_end_name(end: Any) -> bool:
    return bool(end) and isinstance(end, str | int) and not isinstance(end, bool)


Share = Annotated[float, BeforeValidator(_share)]
"""A number from 0 to 1."""

Flag = Annotated[bool, BeforeValidator(_flag)]
"""Boolean. A share between 0 and 1 is true from 0.5 on."""

Ordinal = Annotated[int, BeforeValidator(_ordinal)]
"""Number of a passage or task in the prompt, from 1. 0 means none."""

Line = Annotated[str, BeforeValidator(_line)]
"""Text on a single line. A list of texts is joined by semicolons."""

FormName = Annotated[Form, BeforeValidator(_form)]
"""Wanted form of the answer. Empty if none is wanted."""

Edges = Annotated[list[list[str]], BeforeValidator(_pairs)]
"""Pairs of task ids."""
