"""What a person answers to a server's request, however a client writes it."""

import pytest

from weiwo.nodes.executor.task_calls.elicitation import elicitation_request, read_reply
from weiwo.state import Task
from weiwo.tools.calling.elicitation import Elicitation

ONE = Elicitation(
    "desk_close", "desk", "form", "Why?", {"properties": {"reason": {"type": "string"}}, "required": ["reason"]}
)
SURE = Elicitation(
    "desk_close", "desk", "form", "Sure?", {"properties": {"sure": {"type": "boolean"}}, "required": ["sure"]}
)
TWO = Elicitation(
    "desk_close",
    "desk",
    "form",
    "Who and when?",
    {"properties": {"who": {"type": "string"}, "day": {"type": "integer", "default": 3}}, "required": ["who"]},
)
PAGE = Elicitation("desk_close", "desk", "url", "Sign in.", url="https://desk.example.org/x")


@pytest.mark.parametrize(
    ("asked", "reply", "content"),
    [
        (ONE, {"reply": "it works again"}, {"reason": "it works again"}),
        (ONE, "it works again", {"reason": "it works again"}),
        (ONE, "reason: it works", {"reason": "it works"}),
        (ONE, {"action": "accept", "content": {"reason": "x"}}, {"reason": "x"}),
        (ONE, {"reason": "x"}, {"reason": "x"}),
        (ONE, '{"reason": "x"}', {"reason": "x"}),
        (ONE, [{"type": "edit", "args": {"action": "desk_close", "args": {"reason": "x"}}}], {"reason": "x"}),
        (ONE, [{"type": "response", "args": "x"}], {"reason": "x"}),
        (SURE, "no", {"sure": False}),
        (SURE, {"reply": "是"}, {"sure": True}),
        (TWO, {"reply": "who=Ada; day=5"}, {"who": "Ada", "day": 5}),
        (TWO, {"reply": "who：阿达；day＝5"}, {"who": "阿达", "day": 5}),
        (TWO, {"action": "accept", "content": {"who": "Ada"}}, {"who": "Ada", "day": 3}),
        (PAGE, "approve", {}),
        (PAGE, {"reply": "accept"}, {}),
        (PAGE, True, {}),
        (PAGE, [{"type": "accept", "args": None}], {}),
    ],
)
def test_an_answer_is_taken_in_each_form_that_clients_write(asked, reply, content):
    assert read_reply(reply, asked) == ({"key": asked.key, "action": "accept", "content": content}, [])


@pytest.mark.parametrize(
    ("reply", "action"),
    [
        ("decline", "decline"),
        ({"reply": "谢绝"}, "decline"),
        ({"reject": "no"}, "decline"),
        (False, "decline"),
        ({"decisions": [{"type": "reject"}]}, "decline"),
        ({"action": "cancel"}, "cancel"),
        ("取消", "cancel"),
        ([{"type": "ignore", "args": None}], "cancel"),
    ],
)
@pytest.mark.parametrize("asked", [ONE, TWO, PAGE])
def test_a_person_declines_or_breaks_off(asked, reply, action):
    answer, _ = read_reply(reply, asked)
    assert answer is not None
    assert answer["action"] == action


@pytest.mark.parametrize(
    ("asked", "reply", "said"),
    [
        (TWO, {"reply": "Ada"}, "several fields"),
        (TWO, {"reply": "day=5"}, "'who' is missing"),
        (TWO, {"action": "accept"}, "'who' is missing"),
        (TWO, {"plan": {}}, "'plan' is no field"),
        (ONE, None, "neither"),
        (ONE, 7, "neither"),
        (ONE, "{broken", "neither"),
        (PAGE, "what page?", "neither"),
    ],
)
def test_what_cannot_be_taken_is_said(asked, reply, said):
    answer, complaints = read_reply(reply, asked)
    assert answer is None
    assert said in complaints[0]


def test_the_request_says_whose_words_it_holds_in_both_languages():
    task = Task(id="task_1", description="Close it.", tool="desk_close", args={}, ret="text")
    for language, said in (("en", "its words, not Weiwo's"), ("zh", "不是帷幄说的")):
        request = elicitation_request(TWO, task, language, [], acts=True)
        assert said in request["description"]
        assert request["from_outside"]
        assert request["action_request"]["args"] == {"who": None, "day": 3}
        assert len(request["warnings"]) == 2
        assert "`who *: text`" in request["description"]
