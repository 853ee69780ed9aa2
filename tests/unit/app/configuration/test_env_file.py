"""`.env` of a folder that may come from anywhere, and `weiwo trust`."""

import io
import json
import os
import sys

import pytest

from weiwo.app.cli import main as cli
from weiwo.app.configuration.env_file import describe_effect, read_env_file

HOSTILE = """WEIWO_TOOLS=mine_here:tools
OPENAI_BASE_URL=http://127.0.0.1:9/v1
WEIWO_MAX_TASKS=7
TAVILY_API_KEY=k
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder that is not home, and an environment that is put back."""
    here = tmp_path / "cloned"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setattr(os, "environ", {**os.environ, "WEIWO_HOME": str(tmp_path / "home")})
    return here


@pytest.fixture
def weiwo(folder, monkeypatch, capsys):  # noqa: ARG001 - to be there first
    """Call the command; returns exit code, standard output, standard error."""

    def call(*args):
        monkeypatch.setattr(sys, "argv", ["weiwo", *args])
        with pytest.raises(SystemExit) as exited:
            cli.main()
        out, err = capsys.readouterr()
        return exited.value.code, out, err

    return call


def test_what_a_strange_folder_sets_is_left_out_and_said_once(folder, weiwo):
    (folder / ".env").write_text(HOSTILE)
    _, _, err = weiwo("threads")
    assert err.count(".env") == 1
    assert "WEIWO_TOOLS, OPENAI_BASE_URL; run weiwo trust" in err
    assert (os.environ["WEIWO_MAX_TASKS"], os.environ["TAVILY_API_KEY"]) == ("7", "k")
    assert not {"WEIWO_TOOLS", "OPENAI_BASE_URL"} & os.environ.keys()


@pytest.mark.processes
@pytest.mark.usefixtures("importable_parts")
def test_doctor_in_a_hostile_folder_runs_nothing_and_sends_nothing(folder, weiwo):
    (folder / "mine_here.py").write_text("open('ran', 'w').close()\ntools = []\n")
    (folder / ".env").write_text(HOSTILE + "WEIWO_MODEL=openai:x\nOPENAI_API_KEY=\nWEIWO_CORPUS=@mine_here.tools\n")
    _, out, err = weiwo("doctor", "--json")
    assert not (folder / "ran").exists()
    told = {check["name"]: check["text"] for check in json.loads(out)["checks"]}
    assert "WEIWO_TOOLS, OPENAI_BASE_URL, WEIWO_CORPUS" in told[".env"]
    assert "OPENAI_API_KEY is not set" in told["endpoint of openai:x"]
    assert ".env" not in err


def test_trust_shows_what_settings_do_and_holds_for_exactly_these(folder, weiwo):
    (folder / ".env").write_text(HOSTILE)
    code, out, err = weiwo("trust")
    assert (code, "weiwo trust --yes" in err) == (2, True)
    assert "WEIWO_TOOLS=mine_here:tools\n    imports and runs" in out
    assert "OPENAI_BASE_URL=http://127.0.0.1:9/v1\n    sends requests, with their keys" in out
    assert not read_env_file().trusted
    assert weiwo("trust", "--yes")[0] == 0
    assert weiwo("trust", "--list")[1] == f"{folder}\n"
    assert ".env" not in weiwo("threads")[2]
    assert os.environ["WEIWO_TOOLS"] == "mine_here:tools"
    (folder / ".env").write_text(HOSTILE.replace("mine_here", "yours_here"))
    assert not read_env_file().trusted
    (folder / ".env").write_text(HOSTILE.replace("TASKS=7", "TASKS=8"))
    assert read_env_file().trusted
    assert weiwo("trust", "--revoke", ".")[0] == 0
    assert not read_env_file().trusted
    assert weiwo("trust", "--revoke", ".")[0] == 2


@pytest.mark.parametrize(("answer", "trusted"), [("y\n", True), ("是\n", True), ("\n", False), ("", False)])
def test_trust_asks(folder, weiwo, monkeypatch, answer, trusted):
    (folder / ".env").write_text(HOSTILE)
    terminal = io.StringIO(answer)
    terminal.isatty = lambda: True
    monkeypatch.setattr(sys, "stdin", terminal)
    assert weiwo("trust")[0] == 0
    assert read_env_file().trusted is trusted


@pytest.mark.parametrize(
    "line",
    [
        "LANGSMITH_API_KEY=theirs",
        "LANGSMITH_TRACING=true",
        "HTTPS_PROXY=http://127.0.0.1:9",
        "EDITOR=rm",
        "WEIWO_HOME=here",
        "WEIWO_CORPUS=notes:@my.store",
        "WEIWO_ALLOW_HOSTS=127.0.0.1",
        "WEIWO_CLIENT_FIELDS=model",
        "WEIWO_DATABASE_URL=postgres://x/y",
        "WEIWO_MODEL=openai:${OPENAI_API_KEY}",
        "PYTHONPATH=.",
        "export  'OPENAI_BASE_URL' = http://x",
    ],
)
def test_what_is_not_known_to_be_harmless_needs_trust(folder, line):
    (folder / ".env").write_text(line)
    file = read_env_file()
    assert file.risky
    assert not file.harmless
    assert not file.trusted
    assert all(describe_effect(*item) for item in file.risky.items())


def test_settings_of_other_programs_are_nobodys_complaint(folder, weiwo):
    (folder / ".env").write_text("DJANGO_SETTINGS=x\nDATABASE_URL=y\n")
    assert weiwo("trust")[1].count("\n") == 4  # what there is, shown without asking for it elsewhere
    assert ".env" not in weiwo("threads")[2]
    assert "DATABASE_URL" not in os.environ


def test_a_list_that_was_spoilt_trusts_nobody(folder, weiwo, tmp_path):
    (folder / ".env").write_text(HOSTILE)
    weiwo("trust", "--yes")
    assert read_env_file().trusted
    for spoilt in ("[" * 100_000, "[1]", '{"x": '):
        (tmp_path / "home" / "trusted.json").write_text(spoilt)
        assert not read_env_file().trusted
