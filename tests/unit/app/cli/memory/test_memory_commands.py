"""`weiwo memory`, its `plans` and `procedures`, and what the terminal offers to remember."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from weiwo.app.cli.errors import UsageError
from weiwo.app.cli.main import app
from weiwo.app.cli.memory.access import find_key, with_memory
from weiwo.app.cli.memory.plans import mark_run_bad
from weiwo.app.cli.questions import offers
from weiwo.nodes.memory.reuse import PlanTemplate, list_templates

EXAMPLES = str(Path(__file__).resolve().parents[5] / "examples" / "procedures")
TEMPLATE = PlanTemplate(
    wording="who was older, ⟨n1⟩ or ⟨n2⟩",
    language="en",
    shape="comparison",
    plan={
        "vertices": [
            {
                "id": "a",
                "description": "When was ⟨n1⟩ born?",
                "tool_binding": "corpus_search",
                "args": {},
                "ret": "date",
            },
            {
                "id": "b",
                "description": "When was ⟨n2⟩ born?",
                "tool_binding": "corpus_search",
                "args": {},
                "ret": "date",
            },
        ]
    },
    runs=("run-1",),
)


def run(*words: str):
    result = CliRunner().invoke(app, words)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.output


def test_procedures_are_listed_and_recalled(monkeypatch):
    monkeypatch.setenv("WEIWO_PROCEDURES", EXAMPLES)
    assert "Compare suppliers or offers" in run("memory", "procedures")
    shown = run("memory", "procedures", "甲乙两家供应商的报价哪家便宜？")
    assert "供应商比价" in shown
    assert "步骤" not in shown
    assert "1. 每家供应商一个任务" in shown
    found = json.loads(run("memory", "procedures", "Which", "vendor", "is", "cheaper?", "--json"))
    assert [one["name"] for one in found["procedures"] if one["recalled"]] == ["en/supplier-comparison"]
    assert len(found["procedures"]) == 10
    assert "no procedure fits this question" in run("memory", "procedures", "How long is the Danube?")


def test_procedures_want_a_folder():
    with pytest.raises(UsageError, match="no procedures folder is set; set WEIWO_PROCEDURES"):
        run("memory", "procedures")


def test_wishes_are_added_listed_and_forgotten():
    assert json.loads(run("memory", "--json")) == {"memory": []}
    assert "remembered: “I work in euros”" in run("memory", "add", "I", "work", "in", "euros")
    assert "已记住" in run("memory", "add", "以后都用人民币")
    listed = json.loads(run("memory", "--json"))["memory"]
    assert {one["text"] for one in listed} == {"I work in euros", "以后都用人民币"}
    assert "I work in euros" in run("memory")
    assert json.loads(run("memory", "forget", listed[0]["key"][:4], "--json")) == {"forgotten": [listed[0]["key"]]}
    with pytest.raises(UsageError, match="there is no key"):
        run("memory", "forget", listed[0]["key"])
    with pytest.raises(UsageError, match="needs either a KEY or --all"):
        run("memory", "forget")
    run("memory", "forget", "--all")
    assert json.loads(run("memory", "--json")) == {"memory": []}


def test_plans_are_listed_shown_pinned_and_forgotten():
    with_memory(lambda memory: memory.store_entry("plans", TEMPLATE.key, TEMPLATE.model_dump(mode="json")))
    key = TEMPLATE.key
    assert key in run("memory", "plans")
    assert "a: When was ⟨n1⟩ born?" in run("memory", "plans", "show", key[:6])
    assert json.loads(run("memory", "plans", "pin", key, "--json")) == {"key": key, "pinned": True}
    mark_run_bad("run-2")
    assert not with_memory(list_templates)[0].bad
    mark_run_bad("run-1")
    assert with_memory(list_templates)[0].bad
    assert "marked bad" in run("memory", "plans")
    assert json.loads(run("memory", "plans", "forget", "--all", "--json")) == {"forgotten": [key]}
    assert json.loads(run("memory", "plans", "--json")) == {"plans": []}


def test_a_key_may_be_shortened_as_long_as_it_is_one():
    assert find_key(["abc", "abd"], "abc", "weiwo x") == "abc"
    for given, why in (("ab", "matches several keys"), ("", "there is no key"), ("x", "there is no key")):
        with pytest.raises(UsageError, match=why):
            find_key(["abc", "abd"], given, "weiwo x")


def kept() -> list[str]:
    return [one["text"] for one in json.loads(run("memory", "--json"))["memory"]]


@pytest.mark.parametrize(
    ("said", "there"), [("y", ["I work in euros"]), ("是", ["I work in euros"]), ("n", []), ("", [])]
)
def test_the_terminal_asks_about_what_sounds_lasting(said, there, monkeypatch):
    monkeypatch.setattr(offers, "can_ask", lambda: True)
    monkeypatch.setattr("builtins.input", lambda _: said)
    offers.offer_wish("I work in euros. What did the bridge cost?")
    assert kept() == there


def test_what_is_asked_for_is_kept_without_asking(monkeypatch):
    monkeypatch.setattr(offers, "can_ask", lambda: True)
    assert offers.keeps_wish("Remember that I work in euros.")
    assert not offers.keeps_wish("Remember that I live in Bern. How old is it?")
    offers.offer_wish("Remember that I live in Bern. How old is it?")
    assert sorted(kept()) == ["I live in Bern", "I work in euros"]


def test_without_a_terminal_nothing_is_kept(capsys):
    with pytest.raises(UsageError, match='weiwo memory add "I work in euros"'):
        offers.keeps_wish("Remember that I work in euros.")
    offers.offer_wish("Remember that I work in euros. What is the fare?")
    offers.offer_wish("How long is the Danube?")
    assert capsys.readouterr().err == 'to remember it, run weiwo memory add "I work in euros"\n'
    assert kept() == []


# As Weiwo 0.1 kept it.
WATCH = {
    "question": "How long is the bridge?",
    "every": 21_600.0,
    "options": '{"web": false}',
    "last": 1.0,
    "values": {"How long is it?": {"value": "310 m", "sources": ["bridge.md"]}},
    "changes": [["How long is it?", "300 m", "310 m", ["bridge.md"]]],
}


def test_standing_questions_of_an_earlier_version_are_named_and_dropped():
    with_memory(lambda memory: memory.store_entry("watches", "0c9a5f31", WATCH))
    run("memory", "add", "I work in euros")
    told = run("memory")
    assert (
        "standing questions are no longer supported (1 saved: 0c9a5f31 How long is the bridge?); use cron to run"
        in told
    )
    assert "I work in euros" in told
    assert json.loads(run("memory", "forget", "0c9", "--json")) == {"forgotten": ["0c9a5f31"]}
    assert "standing" not in run("memory")
    assert kept() == ["I work in euros"]


def test_a_command_that_was_removed_says_what_to_do():
    with pytest.raises(
        UsageError,
        match="weiwo watch was removed; standing questions are no longer supported; use cron to run weiwo ask",
    ):
        run("watch", "run")
