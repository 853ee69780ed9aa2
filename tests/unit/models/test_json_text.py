"""JSON out of replies: what was sent comes back, what was cut is never made up, and nothing takes long."""

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.examples import examples
from tests.support.work import assert_linear
from weiwo.models.json_reader import parse_json

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
values = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)
containers = st.lists(values) | st.dictionaries(st.text(), values)
prose = st.text(st.characters(exclude_characters="[]{}`<>", exclude_categories=("Cs",)))


@given(values, st.booleans())
@examples(50)
def test_json_alone(value: Any, ascii_only: bool) -> None:  # noqa: FBT001 - hypothesis draws it
    assert parse_json(json.dumps(value, ensure_ascii=ascii_only)) == value


@given(containers, prose, prose, st.sampled_from([None, 2]))
@examples(50)
def test_among_prose(value: Any, before: str, after: str, indent: int | None) -> None:
    assert parse_json(f"{before}\n{json.dumps(value, indent=indent)}\n{after}") == value


@given(containers, prose, prose, st.sampled_from(["```json\n", "```\n", "```JSON ", "``` json\r\n"]))
@examples(50)
def test_in_a_fence(value: Any, before: str, after: str, fence: str) -> None:
    assert parse_json(f"{before}\n{fence}{json.dumps(value)}\n```\n{after}") == value


def is_prefix(part: Any, whole: Any) -> bool:
    """Whether a value is another one that was cut off, with nothing changed and nothing added."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(key in whole and is_prefix(value, whole[key]) for key, value in part.items())
    if isinstance(part, list) and isinstance(whole, list):
        return len(part) <= len(whole) and all(map(is_prefix, part, whole))
    return type(part) is type(whole) and part == whole


@given(containers, st.floats(0, 1))
@examples(50)
def test_what_breaks_off_is_closed_but_never_made_up(value: Any, share: float) -> None:
    text = json.dumps(value)
    try:
        found = parse_json(text[: int(len(text) * share)])
    except ValueError:
        return
    assert is_prefix(found, value)


@given(st.text() | st.text(st.sampled_from("[]{}\"':,\\ \n1ae-/*`#“”，：")))
@examples(100)
def test_any_text_or_soup_of_marks_gives_a_value_or_a_value_error(text: str) -> None:
    try:
        parse_json(text)
    except ValueError as error:
        assert str(error)  # noqa: PT017 - either outcome is right


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1,}', {"a": 1}),
        ('{"a": [1, 2,],}', {"a": [1, 2]}),
        ("{'a': True, 'b': None, 'c': 'it's'}", {"a": True, "b": None, "c": "it's"}),
        ("{a: 1, b_c: [.5, +2]}", {"a": 1, "b_c": [0.5, 2]}),
        ('{"a": 1 // one\n, /* two */ "b": 2 # three\n}', {"a": 1, "b": 2}),
        ('{"a": "x"\n "b": "y"}', {"a": "x", "b": "y"}),
        ('[{"a": 1} {"b": 2}]', [{"a": 1}, {"b": 2}]),
        ('{"a": "He said "hi", then left", "b": 2}', {"a": 'He said "hi", then left', "b": 2}),
        ('{"a":"他说"你好"，然后走了","b":1}', {"a": '他说"你好"，然后走了', "b": 1}),
        ("{“a”： “b”，“c”：1}", {"a": "b", "c": 1}),
        ('{"a": "two\nlines"}', {"a": "two\nlines"}),
        (r'{"a": "\d+ \u6c49, x",}', {"a": r"\d+ 汉, x"}),
        (r'{"a": "\ud83d\ude00 \u12",}', {"a": "😀 \\u12"}),
        ('{"a": NaN, "b": -Infinity}', {"a": None, "b": None}),
        ('\ufeff{"a": 1}', {"a": 1}),
        ('json\n{"a": 1}', {"a": 1}),
        ('As [1] says, see {placeholder}: {"a": {"b": 2}}', {"a": {"b": 2}}),
        ('{"a": 1} or rather {"a": 22}', {"a": 22}),
        ('```json\n{"a": 1}\n``` as opposed to {"a": 2, "b": "long and wrong"}', {"a": 1}),
        ('```json\n{"code": "```py\\n1\\n```"}\n```', {"code": "```py\n1\n```"}),
        ('```json\n{"a": 1}', {"a": 1}),
        ('<think>Perhaps {"a": "a long first draft"}?</think>\n{"a": 1}', {"a": 1}),
        ('So {"draft": "is long and wrong"}.</think>{"a": 1}', {"a": 1}),
        ('<|channel|>final<|message|>{"a": 1}<|end|>', {"a": 1}),
        ('{"a": "x", "b": [1, {"c": "d"}, {"e": "tr', {"a": "x", "b": [1, {"c": "d"}, {}]}),
        ('{"year": 1969, "month": 1', {"year": 1969}),
        ('[{"a": 1}, -', [{"a": 1}]),
    ],
)
def test_a_shape_that_models_send(text: str, value: Any) -> None:
    assert parse_json(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "no",
        "I cannot help with that.",
        "{placeholder}",
        "[see above]",
        "{",
        '{"a": 1',
        '["tr',
        "```json\n```",
    ],
)
def test_there_is_none(text: str) -> None:
    with pytest.raises(ValueError, match="no JSON"):
        parse_json(text)


HOSTILE = {
    "open lists": ("", "[", ""),
    "open objects": ("", '{"a":', ""),
    "lists in lists": ("", "[1,", ""),
    "quotes": ('["', '" "', ""),
    "quotes and commas": ('["', '",a', ""),
    "quotes and comments": ('["', '"/*', "*/x"),
    "comments": ("[", "/*", ""),
    "line breaks": ('["a"', "\n", "x"),
    "fences": ("", "```", ""),
    "fences and brackets": ("", "```{", ""),
    "backslashes": ('["', "\\", ""),
    "digits": ("[", "1", " x"),
    "small lists": ("", "[1] x ", ""),
    "blanks": ("", "[" + " " * 1000 + "@", ""),
    "words": ('["",', "a", '"",' + "b" * 1000),
    "thoughts": ("", "</think>", ""),
}


@pytest.mark.trial
@pytest.mark.parametrize("name", HOSTILE)
def test_long_input_takes_linear_time(name: str) -> None:
    before, piece, after = HOSTILE[name]

    def parse(filler: str) -> None:
        with contextlib.suppress(ValueError):
            parse_json(before + filler + after)

    assert_linear(parse, piece)
