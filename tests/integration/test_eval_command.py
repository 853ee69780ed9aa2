"""`weiwo eval retrieval` and `weiwo stats` as processes: figures, steps of a policy, exit codes."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.support.command import run_command, search_path
from weiwo.app.cli.errors import UsageError
from weiwo.app.cli.main import app
from weiwo.tools.calling.call_context import CallContext, set_current_call
from weiwo.tools.corpus.index.catalog import locate_by_name
from weiwo.tools.corpus.index.writer import IndexWriter
from weiwo.tools.corpus.ingestion.ingest import ingest_files
from weiwo.tools.corpus.retrieval.routed_corpus import RoutedCorpus
from weiwo.tools.corpus.retrieval.telemetry import TelemetryRecorder

pytestmark = pytest.mark.integration

Weiwo = Callable[..., tuple[int | None, str, str]]


@pytest.fixture
def weiwo(weiwo_home: Path, tmp_path: Path) -> Weiwo:
    def call(*arguments: str) -> tuple[int | None, str, str]:
        env = {**os.environ, "PYTHONPATH": search_path(), "WEIWO_HOME": str(weiwo_home)}
        return run_command(*arguments, cwd=tmp_path, env=env, seconds=120)

    return call


def figures(weiwo: Weiwo, *arguments: str) -> dict[str, Any]:
    code, out, err = weiwo("eval", "retrieval", *arguments, "--json")
    assert code == 0, err
    found: dict[str, Any] = json.loads(out)
    return found


def test_a_policy_learns_in_shadow_rises_by_evidence_and_steps_back(weiwo: Weiwo) -> None:
    code, out, err = weiwo("eval", "retrieval", "demo", "--promote", "--json")
    assert (code, "learned nothing" in err) == (1, True)
    first = json.loads(out)
    assert first["default"] == "auto"
    recalls = {name: one["recall"] for name, one in first["strategies"].items()}
    assert recalls["vector"] > recalls["hybrid"] + 0.1  # else there is nothing to learn here
    assert first["router"]["recall"] == recalls["auto"] == recalls["hybrid"]
    assert first["oracle"]["recall"] >= recalls["vector"]
    assert first["router"]["regret"] == pytest.approx(first["oracle"]["recall"] - recalls["auto"], abs=1e-4)

    learned = figures(weiwo, "demo", "--learn")
    assert (learned["policy"]["version"], learned["policy"]["stage"]) == (1, "shadow")
    assert learned["policy"]["held_out"]["low"] > 0
    assert learned["router"]["recall"] == recalls["hybrid"]  # in shadow nothing changes for anyone
    assert figures(weiwo, "demo", "--learn")["policy"]["version"] == 1  # a set teaches once

    assert figures(weiwo, "demo", "--promote")["policy"]["stage"] == "trial"
    assert figures(weiwo, "demo", "--promote")["policy"]["stage"] == "default"
    served = figures(weiwo, "demo")
    assert served["router"]["recall"] > recalls["hybrid"] + 0.1
    assert served["router"]["interval"][0] > 0

    for stage in ("trial", "shadow", "shadow"):
        assert figures(weiwo, "--demote")["policy"]["stage"] == stage
    code, out, _ = weiwo("eval", "retrieval", "demo")
    assert code == 0
    for word in ("recall@5", "auto", "hybrid", "keyword", "vector", "oracle", "always-hybrid", "No policy"):
        assert word in out
    assert weiwo("eval", "retrieval", "--demote")[0] == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "does not exist"),
        ([], "Missing argument"),
        (["demo", "--strategy", "best"], "choose all"),
        (["demo", "--learn", "--promote"], "use one of them"),
        (["demo", "--learn", "--strategy", "keyword"], "remove it"),
        (["demo", "--share", "0.5"], "--share requires --promote"),
        (["demo", "--judge", "openai:m"], "--judge requires --label"),
    ],
)
def test_wrong_usage_is_one_line(weiwo_home: Path, arguments: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said) as told:
        CliRunner().invoke(app, ["eval", "retrieval", *arguments], catch_exceptions=False, standalone_mode=False)
    assert "\n" not in str(told.value)
    assert not weiwo_home.exists()


def test_embeddings_that_fail_are_one_line(weiwo: Weiwo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEIWO_EMBEDDINGS", "openai:m")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    code, out, err = weiwo("eval", "retrieval", "demo")
    assert (code, out) == (1, "")
    assert "check that it is running" in err.splitlines()[-1]


async def test_telemetry_is_summarized_and_exported(weiwo: Weiwo, weiwo_home: Path, tmp_path: Path) -> None:
    assert weiwo("stats")[0] == 2
    (tmp_path / "bridge.md").write_text("# Chain Bridge\n\nThe bridge joins Buda and Pest. See INC-49217.\n")
    folder = locate_by_name(weiwo_home)
    writer = IndexWriter(folder)
    await ingest_files([tmp_path / "bridge.md"], writer)
    writer.close()
    recorder = TelemetryRecorder(folder)
    corpus = RoutedCorpus(folder, recorder=recorder)
    set_current_call(CallContext("r"))
    (found,) = await corpus.search("What does the\u2028bridge join?")
    await corpus.search("INC-49217")
    recorder.label_citations("r", [found.id])
    assert recorder.flush(120)
    code, out, err = weiwo("stats", "--json", "--export", "records.jsonl")
    assert code == 0, err
    summary = json.loads(out)
    assert (summary["retrievals"], summary["errors"], summary["misses"]) == (2, 0, 0)
    assert summary["strategies"] == {"hybrid": 0.5, "keyword": 0.5}
    assert summary["segments"]["en:plain"]["hit_rate"] == 1.0
    lines = (tmp_path / "records.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["by"] for line in lines] == ["prior", "rule"]
    code, out, _ = weiwo("stats")
    assert code == 0
    for word in ("2 retrievals", "hybrid 50%", "en:identifier", "p95"):
        assert word in out
    code, _, err = weiwo("stats", "--export", "no/such/folder/x")
    assert (code, "--export" in err) == (1, True)
