"""The plan that waits, as the command shows it and asks about it; plans as files; the moments of a thread."""

import io
import json
import stat
from datetime import UTC, datetime
from pathlib import Path

import jsonschema
import pytest
from rich.console import Console

from tests.support.states import search
from weiwo.app.cli.errors import CommandError, UsageError
from weiwo.app.cli.questions import approval, requests
from weiwo.app.cli.questions import plan_files as drafts
from weiwo.app.cli.questions.fork import _fork_place, _fork_values
from weiwo.app.cli.questions.plan_files import DraftError, edit, parse, read_plan
from weiwo.app.cli.threads.checkpoints import CheckpointView, format_history, history_to_json, print_history
from weiwo.app.render.progress import Progress
from weiwo.app.session.session import RunEnd
from weiwo.state import Plan

PLAN = Plan(tasks=(search("task_1", "When was Ada born?", "Ada born"), search("b", "Older than {{task_1.ret}}?", "x")))
SCHEMA = json.loads((Path(__file__).parents[5] / "app" / "result.schema.json").read_text())
REQUEST = {
    "type": "approve_plan",
    "question": "Who?",
    "plan": PLAN.to_json(),
    "finished": {"task_1": "1815"},
    "mermaid": "flowchart TD",
    "note": "",
    "complaints": [],
    "how": "…",
}
EDITED = {"vertices": [PLAN.to_json()["vertices"][0]]}


def waiting(**more):
    return RunEnd("t", {}, {**REQUEST, **more})


@pytest.fixture
def asked(monkeypatch):
    """Ask a person who types these lines; returns the answer and what was asked."""

    def ask(*lines, **more):
        left, prompts = list(lines), []

        def typed(prompt):
            prompts.append(prompt)
            if not left:
                raise EOFError
            line = left.pop(0)
            if isinstance(line, BaseException):
                raise line
            return line

        monkeypatch.setattr("builtins.input", typed)
        return approval.APPROVAL.ask_person(waiting(**more), Progress()), prompts

    return ask


@pytest.fixture
def editor(monkeypatch):
    """An editor that puts these texts in the file, one a time; what it was given is in `seen`."""
    seen: list[str] = []

    def install(*texts):
        left = list(texts)

        def run(command, **_):
            path = Path(command[-1])
            seen.append(path.read_text())
            if left and left[0] is not None:
                path.write_text(left[0])
            left[:1] = []

        monkeypatch.setattr(drafts.subprocess, "run", run)
        return seen

    return install


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        (["a"], "approve"),
        (["Approve"], "approve"),
        ([" 批准 "], "approve"),
        (["r", "use the web"], {"reject": "use the web"}),
        (["r use the web"], {"reject": "use the web"}),
        (["退回 不要查凯撒"], {"reject": "不要查凯撒"}),
        (["r", "", "a"], "approve"),
        (["", "what?", "n", "a"], "approve"),
        (["use the web instead", "y"], {"reject": "use the web instead"}),
        (["q"], None),
        ([], None),
        (["r"], None),
    ],
)
def test_a_person_is_asked_until_they_answer(asked, lines, answer):
    assert asked(*lines)[0] == answer


def test_ctrl_c_at_the_question_stops_and_says_how_to_go_on(asked):
    with pytest.raises(CommandError, match=r"stopped; .* weiwo resume t$") as raised:
        asked(KeyboardInterrupt())
    assert raised.value.code == 130


def test_an_edit_is_kept_until_it_is_taken(asked, editor, capsys):
    seen = editor("{ not json", json.dumps(EDITED))
    answer, _ = asked("e", "e")
    assert answer == {"plan": EDITED}
    assert "the plan is not valid JSON" in capsys.readouterr().out
    assert json.loads("\n".join(line for line in seen[0].splitlines() if not line.startswith("#"))) == PLAN.to_json()
    assert seen[1].startswith("# ! the plan is not valid JSON")
    assert "{ not json" in seen[1]
    draft = approval.draft_of(waiting())
    assert json.loads(draft.read_text()) == EDITED
    assert stat.S_IMODE(draft.parent.stat().st_mode) == 0o700
    seen = editor(None)
    asked("e", complaints=["task_1.args: wrong"])  # refused by the run: the editor opens on it again
    assert seen[-1].startswith("# ! task_1.args: wrong\n# Edit the plan")
    assert '"vertices"' in seen[-1]
    assert approval.APPROVAL.leave(waiting()) == 4
    approval.tell_draft(waiting())
    assert str(draft) in capsys.readouterr().err


def test_an_edit_that_changes_nothing_leaves_no_draft(asked, editor):
    editor(None)
    assert asked("e", "q")[0] is None
    assert not approval.draft_of(waiting()).exists()


@pytest.mark.processes
def test_an_editor_that_does_not_start(asked, monkeypatch, capsys):
    monkeypatch.setenv("EDITOR", "/nowhere/editor")
    assert asked("e", "q")[0] is None
    assert "'/nowhere/editor'" in capsys.readouterr().out
    assert not approval.draft_of(waiting()).exists()


@pytest.mark.processes
def test_the_editor_may_have_arguments(monkeypatch, tmp_path):
    script = tmp_path / "ed.sh"
    script.write_text(f'#!/bin/sh\ncp "{tmp_path}/new.json" "$2"\n')
    script.chmod(0o700)
    (tmp_path / "new.json").write_text(json.dumps(EDITED))
    monkeypatch.setenv("VISUAL", f"'{script}' --wait")
    assert edit(tmp_path / "d" / "x.json", PLAN.to_json(), (), "remark") == EDITED


def test_what_is_printed_for_programs_is_as_the_schema_says(capsys):
    schema = {"$ref": "#/$defs/waiting", "$defs": SCHEMA["$defs"]}
    jsonschema.Draft202012Validator(schema).validate(approval.APPROVAL.as_json(waiting()))
    assert approval.APPROVAL.tell(waiting(), Progress(), drawn=True) == 4
    out, err = capsys.readouterr()
    assert not out
    assert err == (
        "weiwo: the plan waits for approval; to continue, run weiwo resume t --approve, --plan FILE or --reject WORDS\n"
    )


def test_a_pipe_sees_what_will_be_called(capsys):
    progress = Progress()
    progress.apply({"type": "planned", "plan": PLAN.to_json()})
    progress.apply({"type": "task_finished", "task_id": "task_1", "status": "succeeded", "value": "1815"})
    progress.apply({"type": "waiting"})
    approval.APPROVAL.tell(waiting(note="The same\x1b plan."), progress, drawn=False)
    out, _ = capsys.readouterr()
    assert "└── · Older than 1815? · b · corpus_search: x · date" in out
    assert out.endswith("The same plan.\n")


# Plans as files


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(EDITED),
        "\ufeff" + json.dumps(EDITED, indent=1),
        "# a remark\n// another\n\n" + json.dumps(EDITED),
        json.dumps({"thread_id": "t", "status": "waiting", "plan": EDITED}),
    ],
)
def test_a_plan_is_read_from_a_text(text):
    assert parse(text) == EDITED


@pytest.mark.parametrize(
    "text", ["", "# only a remark", "[]", "{}", '{"plan": 3}', "3", "[" * 100_000, "x" * 1_000_001]
)
def test_what_is_no_plan(text):
    with pytest.raises(DraftError) as raised:
        parse(text)
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 200


def test_a_plan_from_a_file_or_standard_input(monkeypatch, tmp_path):
    (tmp_path / "p.json").write_text(json.dumps(EDITED))
    assert read_plan(str(tmp_path / "p.json")) == EDITED
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(json.dumps(EDITED).encode())))
    assert read_plan("-") == EDITED


@pytest.mark.parametrize(
    ("content", "says"),
    [(None, "No such file"), (b"\xff", "not UTF-8"), (b"{", "not valid JSON"), (b"[1]", "contains no plan")],
)
def test_a_file_that_holds_none(tmp_path, content, says):
    path = tmp_path / "p.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UsageError, match=says):
        read_plan(str(path))


# Forks, as they are typed


@pytest.mark.parametrize(
    ("text", "thread", "place"),
    [
        ("1f0e", None, (None, "1f0e")),
        ("1f0e", "t", ("t", "1f0e")),
        ("t@1f0e", None, ("t", "1f0e")),
        ("t@1f", "t", ("t", "1f")),
    ],
)
def test_a_place(text, thread, place):
    assert _fork_place(text, thread) == place


@pytest.mark.parametrize(("text", "thread"), [("t@1f0e", "u"), ("a b@1f0e", None), ("@1f0e", None)])
def test_no_place(text, thread):
    with pytest.raises(UsageError):
        _fork_place(text, thread)


def test_values():
    assert _fork_values(["task_1=156 BC", " b = a=b "]) == {"task_1": "156 BC", "b": "a=b"}
    assert _fork_values(None) == {}
    for wrong in (["task_1"], ["=3"], ["task_1="], ["a=1", "a=2"]):
        with pytest.raises(UsageError):
            _fork_values(wrong)


# The moments of a thread


def test_moments_are_listed_on_a_terminal_a_pipe_and_as_json():
    at = datetime(2026, 11, 20, tzinfo=UTC)
    moments = [
        CheckpointView("1f0e-2", "1f0e-2", "1f0e-1", at, (), "answered:\x1b complete\nx", forked=False),
        CheckpointView("1f0e-1", "1f0e-1", "1f0e-0", at, ("approval",), "计划" * 60, forked=True),
    ]
    assert format_history(moments).splitlines()[0] == "1f0e-2\t2026-11-20T00:00:00.000+00:00\tend\tanswered: complete x"
    assert format_history(moments).endswith("(continues from 1f0e-0)\n")
    assert [one["parent"] for one in history_to_json("t", moments)["checkpoints"]] == ["1f0e-1", None]
    console = Console(file=io.StringIO(), width=60, force_terminal=False, color_system=None)
    print_history(console, moments)
    lines = console.file.getvalue().splitlines()
    assert len(lines) == 2
    assert "\x1b" not in lines[0]


def test_every_argument_of_a_call_is_on_the_screen(capsys):
    arguments = {"body": "x" * 9_000, "amount": 100, "to": {"iban": "DE00 1234", "name": "Ann"}}
    request = {"type": "allow_tool", "tool": "pay", "server": "", "arguments": arguments, "hash": "ab12" * 8}
    ended = RunEnd("t", {}, request)
    requests.CONSENT.draw(ended, Progress())
    shown = capsys.readouterr().out
    assert "amount: 100" in shown
    assert "DE00 1234" in shown
    assert "(9,000 characters)" in shown.replace("\n", " ")
    assert "--hash ab12ab12ab12 " in requests.CONSENT.how(ended)
