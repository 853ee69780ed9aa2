"""Typed values: what is written out is read back, and nothing is guessed."""

import datetime as dt
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from weiwo.state.evidence import Outcome, OutcomeDetail, TaskTrace
from weiwo.state.kinds import VALUE_TYPES, Language, ValueType
from weiwo.text.dates import PartialDate
from weiwo.text.values import coerce, render

LANGUAGES = st.sampled_from(["en", "zh"])
TEXTS = (
    st.one_of(
        st.text(min_size=1, max_size=30),
        st.text(alphabet="AB和与及甲乙、，,;；.and “”\"'《》[]-1\n", min_size=1, max_size=20),
        st.sampled_from(
            ["none", "无", "Paris, Texas", "Trinidad and Tobago", "中华人民共和国", "1,234", "- A", "[1]", "A and B"]
        ),
    )
    .map(str.strip)
    .filter(bool)
)
NUMBERS = st.one_of(
    st.integers(-(2**63), 2**63 - 1),
    st.integers(-(10**12), 10**12).map(lambda millionths: round(millionths / 10**6, 6)),
).filter(lambda number: number == 0 or abs(number) >= 1)
DATES = st.builds(
    lambda year, month, day: PartialDate(year, month, day if month else None).iso(),
    st.integers(-3000, 2200).filter(bool),
    st.none() | st.integers(1, 12),
    st.none() | st.integers(1, 28),
)
SCALARS: dict[ValueType, st.SearchStrategy[object]] = {
    "text": TEXTS,
    "number": NUMBERS,
    "date": DATES,
    "boolean": st.booleans(),
}


@pytest.mark.parametrize("type_", VALUE_TYPES)
@given(data=st.data(), language=LANGUAGES)
def test_what_is_rendered_is_read_back(type_: ValueType, data: st.DataObject, language: Language) -> None:
    strategy = SCALARS.get(type_)
    if strategy is None:
        inner: ValueType = "text" if type_ == "passages" else type_[5:-1]  # type: ignore[assignment]
        strategy = st.lists(SCALARS[inner], max_size=6)
    value = data.draw(strategy)
    assert coerce(value, type_) == value
    assert coerce(render(value, type_, language), type_) == value
    if isinstance(value, list):
        assert coerce(json.dumps(value), type_) == value


@pytest.mark.parametrize(
    ("value", "type_", "english", "chinese"),
    [
        ("-156", "date", "156 BC", "公元前156年"),
        (6300, "number", "6,300", "6300"),
        (True, "boolean", "yes", "是"),
        (False, "boolean", "no", "否"),
        (["A", "B", "C"], "list[text]", "A, B and C", "A、B和C"),
        (["甲", "乙", "丙"], "list[text]", "甲, 乙 and 丙", "甲、乙和丙"),
        (["A", "B"], "list[text]", "A and B", "A和B"),
        (["A"], "list[text]", "A", "A"),
        ([], "list[text]", "none", "无"),
        (["Paris, Texas", "Rome"], "list[text]", "“Paris, Texas” and Rome", "“Paris, Texas”和Rome"),
        ([1234, 5.5], "list[number]", "1,234 and 5.5", "1234和5.5"),
        ([1, 2, 3], "list[number]", "1, 2 and 3", "1, 2, 3"),
        (["-156", "14-07"], "list[date]", "156 BC and July AD 14", "公元前156年和公元14年7月"),
        (["one", "two"], "passages", "one\n\ntwo", "one\n\ntwo"),
    ],
)
def test_prose(value: object, type_: ValueType, english: str, chinese: str) -> None:
    assert (render(value, type_, "en"), render(value, type_, "zh")) == (english, chinese)


@pytest.mark.parametrize(
    ("value", "type_", "data"),
    [
        ("  x ", "text", "x"),
        (56, "text", "56"),
        (PartialDate(-156), "text", "-156"),
        ("about 6,300 km", "number", 6300),
        ("1.4万人", "number", 14000),
        ("6.4%", "number", 6.4),
        ("156 BC", "number", -156),
        ("公元前156年", "number", -156),
        ([14], "number", 14),
        (10**30, "number", 1e30),
        (-156, "date", "-156"),
        (1969.0, "date", "1969"),
        ("c. 1450", "date", "1450"),
        (dt.date(1969, 7, 20), "date", "1969-07-20"),
        ("Yes, he was.", "boolean", True),
        ("是的，他更年长", "boolean", True),
        ("不是", "boolean", False),
        ("TRUE", "boolean", True),
        (0, "boolean", False),
        ("A, B and C", "list[text]", ["A", "B", "C"]),
        ("A, B, and C", "list[text]", ["A", "B", "C"]),
        ("甲、乙和丙", "list[text]", ["甲", "乙", "丙"]),
        ("中华人民共和国、埃及和颐和园", "list[text]", ["中华人民共和国", "埃及", "颐和园"]),
        ("颐和园", "list[text]", ["颐和园"]),
        ("《战争与和平》、《甲与乙》", "list[text]", ["《战争与和平》", "《甲与乙》"]),
        ("A; B, C; and D", "list[text]", ["A", "B, C", "D"]),
        ("- A\n- B\n\n- B", "list[text]", ["A", "B", "B"]),
        ("Here they are:\n1. Paris\n2. Rome", "list[text]", ["Paris", "Rome"]),
        ('["a, b", "", null, "c"]', "list[text]", ["a, b", "c"]),
        ("['a, b', 'c']", "list[text]", ["a, b", "c"]),
        (["A", " ", None, "A"], "list[text]", ["A", "A"]),
        ("A", "list[text]", ["A"]),
        ("1,234, 5 and 6", "list[number]", [1234, 5, 6]),
        ("minus four", "number", -4),
        ("负三", "number", -3),
        ("零下5度", "number", -5),
        ("6,300 km (3,915 mi)", "number", 6300),
        ("约6300公里（3915英里）", "number", 6300),
        ("No - it was not", "boolean", False),
        ("1914–1918", "list[date]", ["1914", "1918"]),
        ("[1,234]", "list[number]", [1, 234]),
        ("1.4万、三千和5", "list[number]", [14000, 3000, 5]),
        (7, "list[number]", [7]),
        ("July 12, 1969 and May 3, 1970", "list[date]", ["1969-07-12", "1970-05-03"]),
        ("14, -156", "list[date]", ["14", "-156"]),
        ("1969, -1970", "list[date]", ["1969", "-1970"]),
        ("yes, no and yes", "list[boolean]", [True, False, True]),
        ([{"text": "x"}, "y"], "passages", ["x", "y"]),
    ],
)
def test_what_models_say_is_read(value: object, type_: ValueType, data: object) -> None:
    read = coerce(value, type_)
    assert read == data
    assert type(read) is type(data)


@pytest.mark.parametrize(
    ("value", "type_"),
    [
        (None, "text"), ("  ", "text"), ({"a": 1}, "text"), (["a", "b"], "text"), ([], "number"), (True, "number"),
        ("3 to 5", "number"), ("6,300 km (1,000 mi)", "number"), ("6 km and 3.7 mi", "number"), ("many", "number"), (float("nan"), "number"), (10**400, "number"), ("NaN", "number"),
        ("the 5th century BC", "date"), ("156–87 BC", "date"), (0, "date"), (True, "date"), ("maybe", "boolean"),
        ("No one knows", "boolean"), (2, "boolean"), ("", "list[text]"), (None, "list[text]"), ({"a": 1}, "list[text]"),
        ("[1, 2", "list[number]"), ("[" * 100_000, "list[text]"), ("A and B", "list[number]"), ([[1]], "list[number]"),
        ("1881-1936, 1950", "list[date]"), ("yes, perhaps", "list[boolean]"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused_by_name(value: object, type_: ValueType) -> None:
    with pytest.raises(ValueError, match=r".") as raised:
        coerce(value, type_)
    if isinstance(value, str) and len(value) < 20:
        assert any(word in str(raised.value) for word in (value, *value.replace(",", " ").split()))
    assert len(str(raised.value)) < 250


@given(st.text(max_size=200), st.sampled_from(VALUE_TYPES))
def test_any_text_is_read_or_refused(text: str, type_: ValueType) -> None:
    try:
        data = coerce(text, type_)
    except ValueError:
        return
    assert coerce(data, type_) == data


@pytest.mark.trial
@pytest.mark.parametrize("piece", ["1, ", "A and ", "“", "'a, ", "\n", "- \n", "和", "[", "1969, ", "《"])
@pytest.mark.parametrize("type_", ["list[text]", "list[number]", "list[date]", "passages", "boolean"])
def test_a_hostile_reply_ends(piece: str, type_: ValueType) -> None:
    reply = (piece * 30_000)[:30_000]
    try:
        data, longest = coerce(reply, type_), len(reply)
    except ValueError as refused:
        data, longest = [str(refused)], 250
    assert isinstance(data, list)
    assert sum(len(str(item)) for item in data) <= longest


def test_what_earlier_versions_saved_in_the_detail_is_read():
    earlier = {"slow": ["archive"], "shown": "330 metres", "searches": [["corpus_search", "tower"]]}
    outcome = Outcome.model_validate({"task_id": "a", "status": "succeeded", "value": 330, "detail": earlier})
    assert outcome.detail == OutcomeDetail(shown="330 metres")
    assert outcome.trace == TaskTrace(searches=(("corpus_search", "tower"),))
    assert Outcome.model_validate(outcome.model_dump()) == outcome
    with pytest.raises(ValidationError):
        Outcome.model_validate({"task_id": "a", "status": "empty", "detail": {"no_such_field": 1}})
