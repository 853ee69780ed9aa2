"""The groups of commands: what stands alone, what was renamed, help, shell completion."""

import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from weiwo.app.cli.command_group import CommandGroup
from weiwo.app.cli.evaluation.commands import _EvaluationGroup
from weiwo.app.cli.main import app
from weiwo.app.cli.memory.wishes import _MemoryGroup
from weiwo.app.cli.threads.thread_list import _ThreadGroup

PLACES = [
    (name, place)
    for group in (CommandGroup, _EvaluationGroup, _MemoryGroup, _ThreadGroup)
    for name, place in group.places.items()
]
SHARED = {"weiwo.app.cli.memory.wishes"}


@pytest.mark.parametrize(("name", "place"), PLACES, ids=[f"{name} of {place.module}" for name, place in PLACES])
def test_each_command_is_listed_as_it_is_declared(name, place):
    declared = place.load().commands
    assert declared[name].help == place.help
    assert place.module in SHARED or [*declared] == [name]


def run(*words: str):
    return CliRunner().invoke(app, words, prog_name="weiwo")


def asked(monkeypatch, *words: str) -> list[str]:
    """The words that a command line hands to `ask`; none where it names another command or none."""
    seen: list[str] = []
    group = CommandGroup(name="weiwo", params=[])
    monkeypatch.setattr(CommandGroup.__bases__[0], "parse_args", lambda _self, _ctx, args: seen.extend(args) or args)
    group.parse_args(group.make_context("weiwo", [], resilient_parsing=True), list(words))
    return seen[1:] if seen[:1] == ["ask"] else []


@pytest.mark.parametrize(
    "words",
    [
        ("how long is the Danube?",),
        ("how", "long", "is", "the", "danube"),
        ("多瑙河有多长",),
        ("-c", "and the Rhine?"),
        ("--json", "how long is the Danube?"),
        ("--corpus=notes", "who was hired?"),
        ("--", "-1 + 2"),
    ],
)
def test_words_that_name_no_command_are_a_question(monkeypatch, words):
    assert asked(monkeypatch, *words) == list(words)


@pytest.mark.parametrize(
    "words",
    [("search", "danube"), ("corpora",), ("serch", "danube"), ("nonsense",), ("answer", "--json"), ("watch", "x")],
)
def test_commands_and_what_looks_like_one_are_no_question(monkeypatch, words):
    assert asked(monkeypatch, *words) == []


@pytest.mark.parametrize(
    ("former", "now"),
    [
        (("corpora",), "weiwo corpora is now weiwo corpus"),
        (("plans",), "weiwo plans is now weiwo memory plans"),
        (("index", "--name=x"), "--name is now --corpus"),
        (("search", "-k2", ""), "-k is now -n"),
        (("threads", "--limit", "3"), "--limit is now -n"),
    ],
    ids=str,
)
def test_former_names_run_and_tell_the_new_one(former, now, tmp_path, monkeypatch):
    monkeypatch.setenv("WEIWO_HOME", str(tmp_path))
    ran = run(*former)
    assert f"weiwo: {now}\n" in ran.stderr
    assert "No such" not in ran.output + str(ran.exception)


def test_help_fits_one_screen_and_names_the_rest():
    shown = run("ask", "--help").stdout
    assert len(shown.splitlines()) <= 24
    assert "bool" not in shown
    assert "--allow-tool" in shown
    assert "Let this tool make changes without asking" not in shown
    assert "Let this tool make changes without asking" in run("ask", "--help-all").stdout


def test_help_has_a_panel_for_developers():
    head, _, developers = run("--help").stdout.partition("For developers")
    assert all(f" {name} " in developers for name in ("eval", "stats", "feedback", "trust"))
    assert all(f" {name} " in head for name in ("ask", "search", "corpus", "memory", "threads"))


def test_the_version_is_told():
    assert run("--version").stdout.startswith("weiwo 0.")


@pytest.mark.processes
def test_a_shell_completes_commands(tmp_path):
    env = {**os.environ, "_WEIWO_COMPLETE": "complete_bash", "COMP_WORDS": "weiwo co", "COMP_CWORD": "1"}
    script = "from weiwo.app.cli.main import main; main()"
    told = subprocess.run(
        [sys.executable, "-c", script],
        env={**env, "WEIWO_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.stdout.split() == ["corpus"]
