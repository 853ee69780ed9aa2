"""`weiwo eval retrieval` and `weiwo telemetry` as processes: figures, steps of a policy, exit codes."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import run_command, search_path
from weiwo.tools.calling.call_context import CallContext, set_current_call
from weiwo.tools.corpus.index.catalog import locate_by_name
from weiwo.tools.corpus.index.writer import IndexWriter
from weiwo.tools.corpus.ingestion.ingest import ingest_files
from weiwo.tools.corpus.retrieval.indexed_corpus import IndexedCorpus
from weiwo.tools.corpus.retrieval.routed_corpus import RoutedCorpus
from weiwo.tools.corpus.retrieval.telemetry import TelemetryRecorder

pytestmark = pytest.mark.integration

WORDS = ("amber", "birch", "cedar", "delta", "ember", "fjord", "glade", "heron", "islet", "jetty")

Weiwo = Callable[..., tuple[int | None, str, str]]


@pytest.fixture
def weiwo(weiwo_home: Path, tmp_path: Path) -> Weiwo:
    def call(*arguments: str) -> tuple[int | None, str, str]:
        env = {**os.environ, "PYTHONPATH": search_path(), "WEIWO_HOME": str(weiwo_home)}
        return run_command(*arguments, cwd=tmp_path, env=env, seconds=120)

    return call


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """Notes that hold a long name and a short one each. A question misspells the long name of a note and spells the
    short one of another: words alone lead to that other note, and so does a blend; n-grams find the right one."""
    folder = tmp_path / "misspelt"
    folder.mkdir()
    names = [f"{one}{other}" for one in WORDS for other in WORDS if one != other]
    short = [f"{a}{b}o" for a in "bcdfghjklm" for b in "aeiouywqx"]
    write(
        folder / "corpus.jsonl",
        [{"_id": name, "text": f"Here stands {name} by {tag}."} for name, tag in zip(names, short, strict=True)],
    )
    write(
        folder / "queries.jsonl",
        [
            {"_id": name, "text": f"what about {name[:-1]} near {tag}?"}
            for name, tag in zip(names, (*short[1:], short[0]), strict=True)
        ],
    )
    lines = [f"{name}\t{name}\t1" for name in names]
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return folder


def write(path: Path, objects: list[dict[str, Any]]) -> None:
    path.write_text("\n".join(json.dumps(one) for one in objects), encoding="utf-8")


def figures(weiwo: Weiwo, *arguments: str) -> dict[str, Any]:
    code, out, err = weiwo("eval", "retrieval", *arguments, "--json")
    assert code == 0, err
    found: dict[str, Any] = json.loads(out)
    return found


def test_a_policy_learns_in_shadow_rises_by_evidence_and_steps_back(weiwo: Weiwo, dataset: Path) -> None:
    first = figures(weiwo, str(dataset), "--k", "1")
    assert first["default"] == "auto"
    recalls = {name: one["recall"] for name, one in first["strategies"].items()}
    assert recalls["vector"] > recalls["hybrid"] + 0.2  # else there is nothing to learn here
    assert first["router"]["recall"] == recalls["auto"] == recalls["hybrid"]
    assert first["oracle"]["recall"] >= recalls["vector"]
    assert first["router"]["regret"] == pytest.approx(first["oracle"]["recall"] - recalls["auto"], abs=1e-4)

    code, _, err = weiwo("eval", "retrieval", str(dataset), "--k", "1", "--promote")
    assert (code, "learned nothing" in err) == (1, True)

    learned = figures(weiwo, str(dataset), "--k", "1", "--learn")
    assert (learned["policy"]["version"], learned["policy"]["stage"]) == (1, "shadow")
    assert learned["policy"]["held_out"]["low"] > 0
    assert learned["router"]["recall"] == recalls["hybrid"]  # in shadow nothing changes for anyone
    assert figures(weiwo, str(dataset), "--k", "1", "--learn")["policy"]["version"] == 1  # a set teaches once

    assert figures(weiwo, str(dataset), "--k", "1", "--promote")["policy"]["stage"] == "trial"
    assert figures(weiwo, str(dataset), "--k", "1", "--promote")["policy"]["stage"] == "default"
    served = figures(weiwo, str(dataset), "--k", "1")
    assert served["router"]["recall"] > recalls["hybrid"] + 0.2
    assert served["router"]["interval"][0] > 0

    for stage in ("trial", "shadow", "shadow"):
        assert figures(weiwo, "--demote")["policy"]["stage"] == stage
    again = figures(weiwo, str(dataset), "--k", "1")
    assert again["policy"]["segments"] == {}
    assert again["router"]["recall"] == recalls["hybrid"]
    assert weiwo("eval", "retrieval", "--demote")[0] == 1


def test_a_set_that_speaks_against_a_policy_does_not_promote_it(weiwo: Weiwo, dataset: Path) -> None:
    figures(weiwo, str(dataset), "--k", "1", "--learn")
    notes = [json.loads(line) for line in (dataset / "corpus.jsonl").read_text(encoding="utf-8").splitlines()]
    well_spelt = dataset.parent / "well-spelt"
    well_spelt.mkdir()
    for file in ("corpus.jsonl", "qrels.tsv"):
        (well_spelt / file).write_bytes((dataset / file).read_bytes())
    write(
        well_spelt / "queries.jsonl",
        [{"_id": one["_id"], "text": f"what is by {one['text'].split()[-1][:-1]} here?"} for one in notes],
    )
    code, out, err = weiwo("eval", "retrieval", str(well_spelt), "--k", "1", "--promote", "--json")
    assert code == 1
    assert json.loads(out)["policy"]["stage"] == "shadow"
    assert "stays in shadow" in err
    assert len([line for line in err.splitlines() if line.startswith("weiwo:")]) == 1


def test_for_people_there_is_a_table(weiwo: Weiwo, dataset: Path) -> None:
    code, out, _ = weiwo("eval", "retrieval", str(dataset))
    assert code == 0
    for word in ("recall@5", "auto", "hybrid", "keyword", "vector", "oracle", "always-hybrid", "No policy"):
        assert word in out
    code, out, _ = weiwo("eval", "retrieval", str(dataset), "--strategy", "keyword")
    assert (code, "oracle" in out) == (0, False)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "no such folder"),
        ([], "Missing argument"),
        (["misspelt", "--strategy", "best"], "choose all"),
        (["misspelt", "--learn", "--promote"], "give one of them"),
        (["misspelt", "--learn", "--strategy", "keyword"], "leave it out"),
        (["misspelt", "--share", "0.5"], "with --promote"),
        (["misspelt", "--judge", "openai:m"], "with --label"),
        (["misspelt", "--k", "0"], "--k"),
    ],
)
def test_wrong_usage_is_one_line(weiwo: Weiwo, dataset: Path, arguments: list[str], said: str) -> None:
    assert dataset.is_dir()
    code, out, err = weiwo("eval", "retrieval", *arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert len(err.splitlines()) == 1


def test_embeddings_that_fail_are_one_line(weiwo: Weiwo, dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEIWO_EMBEDDINGS", "openai:m")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    code, out, err = weiwo("eval", "retrieval", str(dataset))
    assert (code, out) == (1, "")
    assert "see if it is up" in err.splitlines()[-1]


async def test_telemetry_is_summarized_and_exported(weiwo: Weiwo, weiwo_home: Path, tmp_path: Path) -> None:
    assert weiwo("telemetry")[0] == 2
    (tmp_path / "bridge.md").write_text("# Chain Bridge\n\nThe bridge joins Buda and Pest. See INC-49217.\n")
    folder = locate_by_name(weiwo_home)
    writer = IndexWriter(folder)
    await ingest_files([tmp_path / "bridge.md"], writer)
    writer.close()
    recorder = TelemetryRecorder(folder)
    corpus = RoutedCorpus(IndexedCorpus(folder), recorder=recorder)
    set_current_call(CallContext("r"))
    (found,) = await corpus.search("What does the\u2028bridge join?")
    await corpus.search("INC-49217")
    recorder.label_citations("r", [found.id])
    assert recorder.flush()
    code, out, err = weiwo("telemetry", "--json", "--export", "records.jsonl")
    assert code == 0, err
    summary = json.loads(out)
    assert (summary["retrievals"], summary["errors"], summary["misses"]) == (2, 0, 0)
    assert summary["strategies"] == {"hybrid": 0.5, "keyword": 0.5}
    assert summary["segments"]["en:plain"]["hit_rate"] == 1.0
    lines = (tmp_path / "records.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["by"] for line in lines] == ["prior", "rule"]
    code, out, _ = weiwo("telemetry")
    assert code == 0
    for word in ("2 retrievals", "hybrid 50%", "en:identifier", "p95"):
        assert word in out
    code, _, err = weiwo("telemetry", "--export", "no/such/folder/x")
    assert (code, "--export" in err) == (1, True)
