"""Hard cases are labelled in the terminal: each answer is kept at once, nothing is asked twice, and a set comes of it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from weiwo.app.cli.errors import CommandError, UsageError
from weiwo.app.cli.evaluation.retrieval import retrieval
from weiwo.app.evaluation.judge import ModelJudge
from weiwo.tools.corpus.evaluation.dataset import Dataset

DOCUMENTS = {
    "danube.md": "The Danube is 2,850 km long.",
    "rhine.md": "The Rhine is 1,233 km long.",
    "江.md": "长江全长6300千米。",
}
QUERIES = {"hard-1": "How long is the Danube?", "hard-2": "长江有多长？"}
PAIRS = [("hard-1", "rhine.md"), ("hard-1", "danube.md"), ("hard-2", "江.md"), ("hard-2", "gone.md")]


@pytest.fixture
def hard(tmp_path: Path) -> Path:
    rows = [{"_id": key, "title": "", "text": text} for key, text in DOCUMENTS.items()]
    (tmp_path / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    rows = [{"_id": key, "text": text} for key, text in QUERIES.items()]
    (tmp_path / "queries.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    lines = ["query-id\tcorpus-id\trank", *(f"{query}\t{document}\t1" for query, document in PAIRS)]
    (tmp_path / "candidates.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n", encoding="utf-8")
    return tmp_path


class Person:
    """Somebody at the terminal, with what they type and what they were asked."""

    def __init__(self, *typed: str) -> None:
        self._typed: Iterator[str] = iter(typed)
        self.prompts: list[str] = []

    def type(self, prompt: str = "") -> str:
        self.prompts.append(prompt)
        try:
            return next(self._typed)
        except StopIteration:
            raise EOFError from None


def sit_down(monkeypatch: pytest.MonkeyPatch, *typed: str) -> Person:
    person = Person(*typed)
    monkeypatch.setattr("builtins.input", person.type)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    return person


def test_labelling_goes_on_where_it_was_left(
    hard: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sit_down(monkeypatch, "what?", "n", "q")
    retrieval(str(hard), label=True)
    told = capsys.readouterr()
    assert "How long is the Danube?" in told.out + told.err
    assert "1 judged, 2 left" in told.err
    with (hard / "qrels.tsv").open("a", encoding="utf-8") as file:
        file.write("hard-1\tdan")  # a kill came within the line
    person = sit_down(monkeypatch, "y", "是")
    retrieval(str(hard), label=True)
    assert len(person.prompts) == 2
    assert "它回答了问题吗" in person.prompts[1]
    assert "eval retrieval" in capsys.readouterr().err
    found = {question.id: question.relevant for question in Dataset(hard).questions}
    assert found == {"hard-1": {"danube.md": 1}, "hard-2": {"江.md": 1}}
    person = sit_down(monkeypatch)
    retrieval(str(hard), label=True)
    assert person.prompts == []


def test_what_is_skipped_stays_open_and_the_end_of_input_leaves(hard: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (hard / "qrels.tsv").read_text("utf-8")
    assert len(sit_down(monkeypatch, "s").prompts) == 0
    retrieval(str(hard), label=True)
    assert (hard / "qrels.tsv").read_text("utf-8") == before


def test_a_model_judges_in_a_persons_place(
    hard: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[tuple[str, list[str]]] = []

    async def find_answering(judge: ModelJudge, question: str, documents: list[str]) -> set[int] | None:
        asked.append((question, documents))
        if question == QUERIES["hard-1"]:
            return {1}
        judge.failed, judge.why = judge.failed + 1, "no connection"
        return None

    monkeypatch.setattr(ModelJudge, "find_answering", find_answering)
    retrieval(str(hard), label=True, judge="openai:m")
    assert [(question, len(documents)) for question, documents in asked] == [
        (QUERIES["hard-1"], 2),
        (QUERIES["hard-2"], 1),
    ]
    assert "2,850 km" in asked[0][1][1]
    assert (hard / "qrels.tsv").read_text("utf-8").splitlines()[1:] == ["hard-1\trhine.md\t0", "hard-1\tdanube.md\t1"]
    assert "2 judged, 1 left" in capsys.readouterr().err
    with pytest.raises(CommandError, match="judged nothing: no connection"):
        retrieval(str(hard), label=True, judge="openai:m")


def test_it_needs_an_export_and_a_terminal(hard: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: False)
    with pytest.raises(UsageError, match="3 documents need judging"):
        retrieval(str(hard), label=True)
    with pytest.raises(UsageError, match=r"no candidates\.tsv"):
        retrieval(str(tmp_path / "nothing"), label=True)
