"""Hand-off: values of every type written into text, typed and arithmetic arguments, in both languages."""

from typing import Any

import pytest

from tests.support.states import got
from weiwo.nodes.shared.planning.references import fill_args, fill_text
from weiwo.state import Outcome, Task
from weiwo.tools.calling.invoke import run_tool
from weiwo.tools.compute.calculator import Calculator
from weiwo.tools.compute.date_difference import DateDifference

VALUES: list[tuple[Any, Any, str, str]] = [
    ("Ada Lovelace", "text", "Ada Lovelace", "Ada Lovelace"),
    (6300, "number", "6,300", "6300"),
    (-2.5, "number", "-2.5", "-2.5"),
    ("-156", "date", "156 BC", "公元前156年"),
    ("1969-07-20", "date", "20 July 1969", "1969年7月20日"),
    (True, "boolean", "yes", "是"),
    (False, "boolean", "no", "否"),
    (["Ada", "Alan", "Grace"], "list[text]", "Ada, Alan and Grace", "Ada、Alan和Grace"),
    ([1, 2], "list[number]", "1 and 2", "1和2"),
    (["-156", "-100"], "list[date]", "156 BC and 100 BC", "公元前156年和公元前100年"),
    (["One page.", "Another."], "passages", "One page. Another.", "One page. Another."),
]
STRING = {"type": "string"}


def filled(args: dict[str, Any], schema: dict[str, Any], tool: str = "t", language: Any = "en", **inputs: Outcome):
    task = Task(id="x", description="d", tool=tool, args=args)
    return fill_args(task, inputs, language, {"properties": schema})


@pytest.mark.parametrize(("value", "type_", "english", "chinese"), VALUES)
def test_a_value_is_written_out_as_prose(value, type_, english, chinese):
    inputs = {"a": got("a", value, type_)}
    assert fill_text("When was {{a.ret}} born?", inputs, "en") == f"When was {english} born?"
    assert fill_text("{{ a }}何时出生？", inputs, "zh") == f"{chinese}何时出生？"


@pytest.mark.parametrize(("value", "type_", "english", "chinese"), VALUES)
def test_an_argument_of_text_gets_prose_even_where_the_reference_is_all_of_it(value, type_, english, chinese):
    outcome = got("a", value, type_)
    assert filled({"query": "{{a.ret}}"}, {"query": STRING}, a=outcome) == {"query": english}
    assert filled({"query": " {{a.ret}} 生平"}, {"query": STRING}, language="zh", a=outcome) == {
        "query": f" {chinese} 生平"
    }


@pytest.mark.parametrize(
    ("value", "type_", "schema"),
    [
        (5, "number", {"type": "integer"}),
        (2.5, "number", {"type": "number"}),
        (True, "boolean", {"type": "boolean"}),
        (["a", "b"], "list[text]", {"type": "array", "items": STRING}),
        (["a", "b"], "list[text]", {"anyOf": [STRING, {"type": "array", "items": STRING}]}),
        (["a"], "passages", {"type": "array"}),
        (5, "number", {"type": ["string", "number", "null"]}),
        (5, "number", {"anyOf": [{"type": "number"}, {"type": "null"}]}),
        ("x", "text", {}),
    ],
)
def test_a_typed_argument_gets_the_typed_value(value, type_, schema):
    assert filled({"k": "{{a.ret}}"}, {"k": schema}, a=got("a", value, type_)) == {"k": value}


@pytest.mark.parametrize(
    ("value", "type_", "kind", "expected"),
    [
        ("about 6,300 km", "text", "number", 6300),
        ("1.4万", "text", "integer", 14000),
        (6300.0, "number", "integer", 6300),
        ("-156", "date", "integer", -156),
        ("1969-07-20", "date", "number", 1969),
        ("yes", "text", "boolean", True),
        ("Ada", "text", "array", ["Ada"]),
    ],
)
def test_a_value_is_read_as_what_its_argument_takes(value, type_, kind, expected):
    assert filled({"k": "{{a.ret}}"}, {"k": {"type": kind}}, a=got("a", value, type_)) == {"k": expected}


@pytest.mark.parametrize(
    ("value", "type_", "kind"),
    [("Ada", "text", "integer"), (2.5, "number", "integer"), ("3 to 5", "text", "number"), ("Ada", "text", "boolean")],
)
def test_a_value_that_cannot_be_read_so_is_refused_by_name(value, type_, kind):
    with pytest.raises(ValueError, match=str(value)):
        filled({"k": "{{a.ret}}"}, {"k": {"type": kind}}, a=got("a", value, type_))


@pytest.mark.parametrize("schema", [{"type": ["string", "null"]}, {"anyOf": [STRING, {"type": "null"}]}, STRING])
def test_an_optional_text_is_text(schema):
    assert filled({"k": "{{a.ret}}"}, {"k": schema}, a=got("a", "-156")) == {"k": "156 BC"}


def test_a_schema_that_names_a_definition_is_read():
    schema = {"properties": {"k": {"anyOf": [STRING, {"$ref": "#/$defs/Name"}]}}, "$defs": {"Name": STRING}}
    task = Task(id="t", description="t", tool="x", args={"k": "{{a.ret}}"}, ret="text")
    assert fill_args(task, {"a": got("a", ["a", "b"], "list[text]")}, "en", schema) == {"k": "a and b"}


def test_a_type_beside_its_alternatives_decides():
    schema = {"type": "string", "anyOf": [{"format": "date"}, {"format": "time"}]}
    assert filled({"k": "{{a.ret}}"}, {"k": schema}, a=got("a", 6300, "number")) == {"k": "6,300"}


def test_nested_arguments_are_filled_where_they_stand():
    args = {
        "filter": {"name": "{{a.ret}}", "years": ["{{b.ret}}", "{{b.ret}}"], "depth": 3},
        "list": ["x {{a.ret}}", {"deep": "{{c.ret}}"}],
    }
    schema = {
        "filter": {
            "type": "object",
            "properties": {"name": STRING, "years": {"type": "array", "items": {"type": "integer"}}},
        },
        "list": {"type": "array"},
    }
    assert filled(
        args, schema, a=got("a", "-156"), b=got("b", 7, "number"), c=got("c", value=True, type_="boolean")
    ) == {
        "filter": {"name": "156 BC", "years": [7, 7], "depth": 3},
        "list": ["x 156 BC", {"deep": True}],
    }


def test_unknown_references_and_other_braces_stay():
    outcome = got("a", "Ada", "text")
    args = {"query": "{{a.ret}} {{b.ret}} {c} {{}}", "n": 3}
    assert filled(args, {"query": STRING}, a=outcome) == {"query": "Ada {{b.ret}} {c} {{}}", "n": 3}
    assert filled({"k": "{{b.ret}}"}, {"k": {"type": "number"}}, a=outcome) == {"k": "{{b.ret}}"}
    assert fill_text("{{b.ret}}", {}, "en") == "{{b.ret}}"


def test_a_value_that_looks_like_a_reference_is_not_filled_again():
    inputs = {"a": got("a", "{{b.ret}}", "text"), "b": got("b", "secret", "text")}
    assert fill_text("{{a.ret}}", inputs, "en") == "{{b.ret}}"
    assert filled({"query": "{{a.ret}}"}, {"query": STRING}, **inputs) == {"query": "{{b.ret}}"}


def test_filling_leaves_the_plan_as_it_was():
    task = Task(id="x", description="d", tool="t", args={"list": ["{{a.ret}}"]})
    fill_args(task, {"a": got("a", "Ada", "text")}, "en", {"properties": {}})
    assert task.args == {"list": ["{{a.ret}}"]}


@pytest.mark.parametrize(
    ("expression", "inputs", "value"),
    [
        ("{{a.ret}} - {{b.ret}}", {"a": got("a", 10, "number"), "b": got("b", -4, "number")}, 14),
        ("2 ** {{a.ret}}", {"a": got("a", -1, "number")}, 0.5),
        ("{{a.ret}} ** 2", {"a": got("a", -3, "number")}, 9),
        ("{{a.ret}}", {"a": got("a", 1_234_567.5, "number")}, 1_234_567.5),
        ("{{b.ret}} - {{a.ret}}", {"a": got("a", "-156"), "b": got("b", "-100")}, 56),
        ("{{b.ret}} - {{a.ret}}", {"a": got("a", "-44"), "b": got("b", "14")}, 57),
        ("max({{a.ret}}, {{b.ret}})", {"a": got("a", "-100-07-12"), "b": got("b", "-156")}, "-100-07-12"),
        ("min({{a.ret}})", {"a": got("a", ["-100", "1815", "-156"], "list[date]")}, "-156"),
        ("avg({{a.ret}})", {"a": got("a", [1, 2, -6], "list[number]")}, -1),
        ("{{a.ret}} == {{b.ret}}", {"a": got("a", "1969"), "b": got("b", "1969")}, True),
    ],
)
async def test_the_calculator_computes_with_what_is_handed_on(expression, inputs, value):
    args = filled({"expression": expression}, {"expression": STRING}, tool="calculator", language="zh", **inputs)
    result = await run_tool(Calculator(), args, seconds=5, max_bytes=10_000)
    assert result.value == value


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_dates_of_any_era_reach_the_date_tool(language):
    properties = {"start": STRING, "end": STRING}
    args = filled(
        {"start": "{{a.ret}}", "end": "{{b.ret}}"},
        properties,
        tool="date_difference",
        language=language,
        a=got("a", "-156"),
        b=got("b", "-100-07-12"),
    )
    result = await run_tool(DateDifference(), args, seconds=5, max_bytes=10_000)
    assert (result.value, result.detail["earlier"]) == (56, "start")


@pytest.mark.parametrize(
    ("value", "type_"),
    [("about noon", "text"), (["a"], "list[text]"), (["page"], "passages"), ("__import__('os')", "text")],
)
def test_what_is_no_number_cannot_enter_a_formula(value, type_):
    with pytest.raises(ValueError, match="not a number") as error:
        filled({"expression": "{{a.ret}} + 1"}, {"expression": STRING}, tool="calculator", a=got("a", value, type_))
    assert (value[0] if isinstance(value, list) else value.strip("'")[:5]) in str(error.value)
