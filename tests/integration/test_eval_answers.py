"""`weiwo eval answers`: Weiwo, plain RAG and a ReAct loop asked the same, by rules and with a scripted model."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.support.openai_server import Json, OpenAIServer, Reply, asked_schema, call, last_message, structured, text
from tests.support.personas import WU_OR_CAESAR, good
from weiwo.app.cli.errors import CommandError, UsageError
from weiwo.app.cli.evaluation.commands import _evaluations
from weiwo.app.evaluation import systems
from weiwo.app.evaluation.systems import load_baselines

pytestmark = pytest.mark.integration

BASELINES = load_baselines()
RATES = ("right", "f1", "wrong_asserted", "on_screen", "gold_cited", "citation_precision")
SPENT = ("calls", "input_tokens", "output_tokens", "seconds_p50", "seconds_p95")


@pytest.fixture
def rivers(tmp_path: Path) -> Path:
    """A BEIR-shaped set of four questions."""
    folder = tmp_path / "rivers"
    folder.mkdir()
    documents = [
        {"_id": "danube", "title": "Danube", "text": "The Danube is 2,850 km long. It flows through Linz and Vienna."},
        {"_id": "rhine", "title": "Rhine", "text": "The Rhine is 1,233 km long. It flows through Basel."},
        {"_id": "linz", "title": "Linz", "text": "Linz has 212,538 inhabitants."},
    ]
    questions = [
        {"_id": "1", "text": "How long is the Danube?", "answers": ["2850 km"]},
        {"_id": "2", "text": "How long is the Rhine?", "answers": ["1,233 km"]},
        {"_id": "3", "text": "How many inhabitants has Linz?", "answers": ["212,538"]},
    ]
    for name, rows in (("corpus", documents), ("queries", questions)):
        (folder / f"{name}.jsonl").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    (folder / "qrels.tsv").write_text("q\td\ts\n1\tdanube\t1\n2\trhine\t1\n3\tlinz\t1\n", encoding="utf-8")
    return folder


def evaluate(*arguments: str) -> tuple[dict[str, Any], str]:
    done = CliRunner().invoke(
        _evaluations, ["answers", *arguments, "--json"], catch_exceptions=False, standalone_mode=False
    )
    if done.exception is not None:
        raise done.exception
    return json.loads(done.stdout), done.stderr


def test_by_rules_with_results_to_go_on_from(weiwo_home: Path, rivers: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    first, told = evaluate(str(rivers), "--baseline", "--limit", "2", "--output", str(out))
    assert "rag and react are skipped" in told
    assert (first["dataset"], first["n"], list(first["systems"])) == ("rivers", 2, ["weiwo", "extracts"])
    with pytest.raises(CommandError, match="not empty"):
        evaluate(str(rivers), "--output", str(out))
    with pytest.raises(CommandError, match="another depth"):
        evaluate(str(rivers), "--baseline", "--depth", "quick", "--resume", "--output", str(out))

    whole, _ = evaluate(str(rivers), "--baseline", "--resume", "--output", str(out))
    lines = [json.loads(line) for line in (out / "results.jsonl").read_text("utf-8").splitlines()]
    assert [(one["question"], one["system"]) for one in lines] == [(n, s) for n in "123" for s in ("weiwo", "extracts")]
    for figures in whole["systems"].values():
        assert all(0 <= figures[name] <= 1 for name in RATES)
        assert (figures["on_screen"], figures["gold_cited"], figures["calls"], figures["errors"]) == (1, 1, 0, 0)
        assert 0 < figures["seconds_p50"] <= figures["seconds_p95"]
    assert evaluate(str(out))[0] == whole  # read again
    assert json.loads((out / "config.json").read_text("utf-8"))["systems"] == ["weiwo", "extracts"]
    (corpus,) = (weiwo_home / "corpora").iterdir()
    assert corpus.name.startswith("eval-rivers-")

    begun, told = evaluate(str(rivers), "--limit", "1")
    again, told = evaluate(str(rivers), "--resume")
    assert "continuing" in told
    assert (begun["n"], again["n"]) == (1, 3)


def scripted(request: Json) -> Reply:
    """`good`, a plain reader, and an agent that searches once; the judge takes every answer."""
    said = request["messages"][0]["content"]
    if asked_schema(request) == "GradeReply":
        return structured(request, {"grade": "correct"})
    if said == BASELINES.RAG_PROMPT:
        return text("Julius Caesar was [1].")
    if said == BASELINES.REACT_PROMPT:
        if request["messages"][-1]["role"] == "tool":
            assert "Julius Caesar" in last_message(request)
            return text("Emperor Wu of Han, by 56 years [1][2].")
        return call("search", {"query": "Emperor Wu of Han and Julius Caesar born"})
    return good(request)


@pytest.mark.usefixtures("weiwo_home")
def test_with_a_model_beside_both_baselines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = tmp_path / "emperors.jsonl"
    asked.write_text(json.dumps({"question": WU_OR_CAESAR, "answers": ["Emperor Wu"], "hops": 2}), encoding="utf-8")
    monkeypatch.setenv("WEIWO_PRICES", "openai:scripted=1/10")
    with OpenAIServer(scripted) as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        found, _ = evaluate(
            str(asked), "--baseline", "--no-web", "--model", "openai:scripted", "--judge", "openai:scripted"
        )
    assert list(found["systems"]) == ["weiwo", "extracts", "rag", "react"]
    weiwo, rag, react = (found["systems"][name] for name in ("weiwo", "rag", "react"))
    assert (weiwo["right"], rag["right"], react["right"]) == (1, 0, 1)
    assert (weiwo["wrong_asserted"], rag["wrong_asserted"], react["wrong_asserted"]) == (0, 1, 0)
    assert (rag["right_judged"], found["differences"]["rag"]["right"]["mean"]) == (1, 1)
    assert (rag["calls"], react["calls"], react["tool_calls"]) == (1, 2, 1)
    assert (rag["input_tokens"], rag["output_tokens"]) == (11, 7)  # as the server reports
    assert rag["cost"] == pytest.approx((11 + 70) / 1e6, abs=1e-4)
    assert weiwo["calls"] > 2
    assert weiwo["claims"] == {"computed": 1, "supported": 2} or sum(weiwo["claims"].values()) == 3
    assert list(weiwo["by_level"]) == ["complex"]
    assert weiwo["by_hops"]["2"]["right"] == 1
    assert all(name in weiwo for name in SPENT)


@pytest.mark.usefixtures("weiwo_home")
def test_a_judge_that_nods_grades_nothing(rivers: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with OpenAIServer(lambda request: structured(request, {"grade": "correct"})) as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        with pytest.raises(CommandError, match="grades 60% of known answers correctly, but 90% are required"):
            evaluate(str(rivers), "--judge", "openai:scripted", "--output", str(out))
    assert not out.exists()  # so that another judge may be given for it


def test_without_a_checkout_baselines_are_one_line(
    weiwo_home: Path, rivers: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(systems, "_BASELINES", tmp_path / "baselines.py")
    with pytest.raises(CommandError, match="run it from a checkout"):
        evaluate(str(rivers), "--baseline")
    assert not weiwo_home.exists()


@pytest.mark.parametrize("former", ["report", "label", "calibration"])
def test_commands_of_the_first_version_say_what_took_their_place(former: str) -> None:
    with pytest.raises(UsageError, match=f" {former} was removed; .*weiwo eval (answers|retrieval)"):
        CliRunner().invoke(_evaluations, [former, "x", "--json"], catch_exceptions=False, standalone_mode=False)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--limits", "2,x"], "give numbers of tool calls"),
        (["--limits", "0"], "give numbers of tool calls"),
        (["--limits", "2", "--baseline"], "use one of them"),
    ],
)
def test_options_that_do_not_go_together(rivers: Path, options: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        evaluate(str(rivers), *options)
