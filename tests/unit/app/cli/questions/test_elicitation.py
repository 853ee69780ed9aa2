"""What an MCP server asks, as the command shows it, asks about it, and tells it to programs."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from weiwo.app.cli.questions import elicitation
from weiwo.app.cli.questions.conclude import kind_of
from weiwo.app.session.run_end import RunEnd
from weiwo.nodes.executor.task_calls.elicitation import elicitation_request
from weiwo.state import Task
from weiwo.tools.calling.elicitation import Elicitation

SCHEMA = json.loads((Path(__file__).parents[5] / "app" / "result.schema.json").read_text(encoding="utf-8"))
TASK = Task(id="task_1", description="Close it.", tool="desk_close", args={}, ret="text")
PROPERTIES = {"who": {"type": "string"}, "sure": {"type": "boolean", "default": True}}
FORM = Elicitation("desk_close", "desk", "form", "Who?", {"properties": PROPERTIES, "required": ["who"]})
PAGE = Elicitation("desk_close", "desk", "url", "Sign in.", url="https://desk.example.org/x")


def waiting(asked: Elicitation) -> RunEnd:
    return RunEnd("t", {}, elicitation_request(asked, TASK, "en", [], acts=True))


@pytest.mark.parametrize("asked", [FORM, PAGE])
def test_what_waits_fits_the_schema_of_the_result(asked):
    ended = waiting(asked)
    told = kind_of(ended).as_json(ended)
    jsonschema.validate(told, {"$ref": "#/$defs/waiting_for_input", "$defs": SCHEMA["$defs"]})
    assert told["how"].startswith("weiwo resume t --reply")


@pytest.mark.parametrize(
    ("asked", "lines", "answer"),
    [
        (FORM, ["Ada", ""], {"action": "accept", "content": {"who": "Ada"}}),
        (FORM, ["Ada", "no"], {"action": "accept", "content": {"who": "Ada", "sure": "no"}}),
        (FORM, ["d"], {"action": "decline"}),
        (FORM, ["Ada", "取消"], {"action": "cancel"}),
        (FORM, ["q"], None),
        (PAGE, ["what?", "a"], {"action": "accept", "content": {}}),
        (PAGE, ["c"], {"action": "cancel"}),
    ],
)
def test_a_form_is_filled_in_field_by_field_and_a_page_opened(asked, lines, answer, monkeypatch):
    left = list(lines)
    monkeypatch.setattr(elicitation, "read_line", lambda _: left.pop(0))
    assert elicitation.ELICITATION.converse(waiting(asked), "en") == answer
    assert left == []


def test_whose_words_they_are_is_shown(capsys):
    progress: Any = type("Progress", (), {"assessed": {"language": "zh"}})()
    elicitation.ELICITATION.draw(waiting(PAGE), progress)
    shown = capsys.readouterr().out
    assert "以下是它的原话" in shown
    assert "https://desk.example.org/x" in shown
