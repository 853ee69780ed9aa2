"""`weiwo eval tools`: figures, what is not learned, and one line for sets that are none."""

import json

import pytest

from weiwo.app.cli.errors import UsageError
from weiwo.app.cli.evaluation.tools import tools

TOOLS = {"w": "The weather of a city", "f": "Flights between airports", "h": "Rooms in hotels", "c": "Exchange rates"}


def write(folder, questions, tools=TOOLS):
    folder.mkdir()
    corpus = [{"_id": name, "title": "", "text": text} for name, text in tools.items()]
    asked = [{"_id": f"q{at}", "text": text} for at, (text, _) in enumerate(questions)]
    judged = [f"q{at}\t{name}\t1" for at, (_, names) in enumerate(questions) for name in names]
    for name, rows in (("corpus", corpus), ("queries", asked)):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (folder / "qrels.tsv").write_text("\n".join(judged), encoding="utf-8")
    return str(folder)


@pytest.fixture(autouse=True)
def _settings(monkeypatch, tmp_path):
    monkeypatch.setenv("WEIWO_HOME", str(tmp_path))
    monkeypatch.delenv("WEIWO_EMBEDDINGS", raising=False)


def test_figures_with_and_without_a_history(tmp_path, capsys, monkeypatch):
    asked = write(tmp_path / "asked", [("Time off in Rome", "fh"), ("Will it be fine weather?", "w")])
    past = write(tmp_path / "past", [("Time off in Oslo", "fh"), ("Will it be fine weather?", "c")])
    tools(asked, history=past, json=True)
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert (found["dataset"], found["history"], found["known"]["questions"], found["new"]["questions"]) == (
        "asked",
        1,
        1,
        1,
    )
    assert found["known"]["history"]["ndcg5"] == 1 > found["known"]["hybrid"]["ndcg5"]
    assert "1 questions of the history are also in the set" in err
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    tools(asked, history=past)
    out, err = capsys.readouterr()
    assert "asked：2 个问题，4 个工具，以往问题 1 个" in out
    assert "全部（2）" in out
    assert "历史中有 1 个问题也在集合中" in err


def test_sets_that_are_none_are_one_line(tmp_path):
    asked = write(tmp_path / "asked", [("Time off", "fh")])
    for folder, history, said in (
        (str(tmp_path / "none"), None, "does not exist"),
        (write(tmp_path / "lacking", [("Time off", "x")]), None, "names a tool that is not among the documents"),
        (asked, asked, "no other question"),
    ):
        with pytest.raises(UsageError, match=said) as caught:
            tools(folder, history=history, json=True)
        assert "\n" not in str(caught.value)
