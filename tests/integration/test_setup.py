"""`weiwo setup` as people run it: it finds a server, tries its model, writes the file, and `ask` uses it."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.command import run_command, search_path
from tests.support.openai_server import OpenAIServer, always, error
from tests.support.personas import good

pytestmark = pytest.mark.integration
FOUND = Callable[..., tuple[int | None, str, str]]


@pytest.fixture
def weiwo(tmp_path: Path) -> FOUND:
    """Run the command in a home of its own, where nobody but the named server is."""
    home = tmp_path / "home"

    def run(*args: str, **env: str) -> tuple[int | None, str, str]:
        own = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "WEIWO_"))}
        given = {**own, "PYTHONPATH": search_path(tmp_path), "WEIWO_HOME": str(home), **env}
        return run_command(*args, cwd=tmp_path, env=given)

    return run


def test_a_server_is_found_tried_and_kept(weiwo: FOUND, tmp_path: Path) -> None:
    with OpenAIServer(good) as server:
        code, out, err = weiwo("setup", "--yes", OPENAI_BASE_URL=server.url)
        assert code == 0, err
        assert "OpenAI-compatible" in out
        assert "Selected: scripted" in out
        assert "0 failed" in out
        written = (tmp_path / "home" / "config.toml").read_text()
        assert f'OPENAI_BASE_URL = "{server.url}"' in written
        code, out, err = weiwo("ask", "Who was older, Emperor Wu of Han or Julius Caesar?", "--json")
        assert (code, json.loads(out)["usage"]["model_calls"] > 0) == (0, True), err


def test_looking_changes_nothing(weiwo: FOUND, tmp_path: Path) -> None:
    with OpenAIServer(good) as server:
        code, out, _ = weiwo("setup", "--dry-run", "--json", OPENAI_BASE_URL=server.url)
        asked = [one for one in server.requests if one.body.get("messages")]
    report = json.loads(out)
    assert (code, asked, report["changes"]["settings"]["OPENAI_BASE_URL"]) == (0, [], server.url)
    assert not (tmp_path / "home" / "config.toml").exists()


def test_a_model_that_answers_nothing_is_not_written(weiwo: FOUND, tmp_path: Path) -> None:
    with OpenAIServer(always(error(500))) as server:
        code, _, err = weiwo("setup", "--yes", OPENAI_BASE_URL=server.url)
    assert code == 1
    assert "nothing was saved" in err
    assert not (tmp_path / "home" / "config.toml").exists()


def test_in_a_pipe_nobody_is_asked(weiwo: FOUND) -> None:
    with OpenAIServer(good) as server:
        code, _, err = weiwo("setup", OPENAI_BASE_URL=server.url)
    assert code == 2
    assert "--yes" in err


def test_an_unknown_model_is_named_with_those_there_are(weiwo: FOUND) -> None:
    with OpenAIServer(good) as server:
        code, _, err = weiwo("setup", "--model", "nobody", "--yes", OPENAI_BASE_URL=server.url)
    assert code == 2
    assert "--model 'nobody' was not found" in err


def test_a_terminal_asks_first(tmp_path: Path) -> None:
    import pty  # noqa: PLC0415 - no such thing on Windows

    main_end, other = pty.openpty()
    with OpenAIServer(good) as server:
        env = {**os.environ, "PYTHONPATH": search_path(tmp_path), "WEIWO_HOME": str(tmp_path / "home"), "TERM": "xterm"}
        process = subprocess.Popen(
            [sys.executable, "-m", "weiwo", "setup"],
            cwd=tmp_path,
            env={**env, "OPENAI_BASE_URL": server.url},
            stdin=other,
            stdout=other,
            stderr=subprocess.PIPE,
        )
        os.close(other)
        os.write(main_end, b"n\n")
        _, told = process.communicate()
    os.close(main_end)
    assert process.returncode == 0
    assert b"nothing was saved" in told
    assert not (tmp_path / "home" / "config.toml").exists()
