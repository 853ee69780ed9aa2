"""What a tool asks the user: values are held against the form, and text stands for what it says."""

import pytest

from weiwo.tools.calling.elicitation import LONGEST_VALUE, Elicitation, ElicitationError, check_content

FORM = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 10},
        "age": {"type": "integer", "minimum": 0, "default": 7},
        "ratio": {"type": "number"},
        "sure": {"type": "boolean"},
        "pet": {"type": "string", "enum": ["p1", "p2"], "enumNames": ["Cat", "Dog"]},
        "fish": {"type": "array", "maxItems": 1, "items": {"anyOf": [{"const": "f1", "title": "Tuna"}]}},
    },
    "required": ["name"],
}


def test_text_stands_for_what_a_field_takes_and_defaults_are_filled_in():
    given = {"name": "Ada", "ratio": "0.5", "sure": "是", "pet": "dog", "fish": "tuna"}
    expected = {"name": "Ada", "age": 7, "ratio": 0.5, "sure": True, "pet": "p2", "fish": ["f1"]}
    assert check_content(FORM, given) == (expected, [])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "'name' is missing"),
        ({"name": ""}, "'name' is missing"),
        ({"name": "Ada", "x": 1}, "'x' is no field of the form"),
        ({"name": 7}, "'name' takes text"),
        ({"name": "x" * 11}, "'name' takes at most 10 characters"),
        ({"name": "Ada", "age": -1}, "'age' takes at least 0"),
        ({"name": "Ada", "age": "seven"}, "'age' takes a whole number"),
        ({"name": "Ada", "age": True}, "'age' takes a whole number"),
        ({"name": "Ada", "ratio": "nan"}, "'ratio' takes a number"),
        ({"name": "Ada", "sure": "perhaps"}, "'sure' takes true or false"),
        ({"name": "Ada", "pet": "cow"}, "'pet' takes one of p1, p2"),
        ({"name": "Ada", "fish": ["f1", "f1"]}, "'fish' takes at most 1 values"),
        ({"name": "Ada", "fish": 3}, "'fish' takes some of f1"),
    ],
)
def test_what_does_not_fit_is_said_by_the_name_of_its_field(given, said):
    assert check_content(FORM, given)[1] == [said]


def test_a_value_is_bounded():
    form = {"properties": {"words": {"type": "string"}}}
    assert check_content(form, {"words": "x" * (LONGEST_VALUE + 1)})[1]


def test_a_page_is_the_same_in_other_words_and_a_form_is_not():
    pages = {Elicitation("t", "s", "url", words, url="https://a.example/x").key for words in ("Open", "Open it")}
    forms = {Elicitation("t", "s", "form", words, FORM).key for words in ("Delete A?", "Delete B?")}
    assert (len(pages), len(forms)) == (1, 2)


def test_whoever_joined_the_call_is_asked_the_same():
    asked = Elicitation("t", "s", "form", "Who?", FORM)
    same = ElicitationError(asked).of_another()
    assert (same.elicitation, same.attempts) == (asked, 0)
