"""A brief over thirty private documents, a third of them superseded: what is current is told, and what is not is marked."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.support.openai_server import OpenAIServer
from tests.support.private_documents import careful, write_documents
from weiwo.app.cli.evaluation.commands import _evaluations

pytestmark = pytest.mark.integration


@pytest.mark.usefixtures("weiwo_home")
def test_every_current_fact_is_told_and_no_stale_one_as_current(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert write_documents(tmp_path / "firm") == 30
    out = tmp_path / "out"
    command = ["answers", str(tmp_path / "firm"), "--limits", "4", "--depth", "normal", "--output", str(out), "--json"]
    with OpenAIServer(careful) as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        done = CliRunner().invoke(
            _evaluations, [*command, "--model", "openai:scripted"], catch_exceptions=False, standalone_mode=False
        )
    assert done.exception is None
    rows = [json.loads(line) for line in (out / "results.jsonl").read_text("utf-8").splitlines()]
    assert {
        row["asked"]: row["missed"] for row in rows if row["missed"]
    } == {}  # both sides of a disagreement are facts
    assert [row["stale_told"] for row in rows] == [[]] * len(rows)
    found = json.loads(done.stdout)["systems"]["4 tool calls"]
    assert (found["n"], found["errors"], found["citation_accuracy"]) == (17, 0, 1.0)
    again = CliRunner().invoke(_evaluations, ["answers", str(out), "--json"], standalone_mode=False)
    assert json.loads(again.stdout) == json.loads(done.stdout)
