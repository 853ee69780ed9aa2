"""The questions that were served badly become a set that can be labelled and evaluated; the one that ships is whole."""

import pytest

from weiwo.tools.corpus.evaluation.dataset import _DEMO, Dataset, DatasetError
from weiwo.tools.corpus.evaluation.dataset_index import index_dataset
from weiwo.tools.corpus.evaluation.hard_cases import collect_hard_cases, export_hard_cases
from weiwo.tools.corpus.retrieval.indexed_corpus import IndexedCorpus


def record(query, passages=("a",), cited=None, run="", error=""):
    return {"query": query, "passages": list(passages), "cited": cited, "run": run, "error": error}


def test_what_is_hard(monkeypatch: pytest.MonkeyPatch):
    records = [
        record("served well", cited=["a"]),
        record("asked twice", cited=[]),
        record("nobody said", cited=None),
        record("not found", passages=()),
        record("broken", passages=(), error="disk"),
        record("bad", cited=["a"], run="r1"),
        record("forgiven", cited=["a"], run="r2"),
        record("asked  twice", passages=("b",), cited=[]),
        {**record("planned anew", cited=[]), "replanned": True},
        {**record("planned anew, and found", cited=["a"]), "replanned": True},
    ]
    feedback = [{"run": "r1", "good": False}, {"run": "r2", "good": False}, {"run": "r2", "good": True}]
    found = collect_hard_cases(records, feedback)
    assert [(one.query, one.reasons) for one in found] == [
        ("planned anew", ("not_cited", "replanned")),
        ("asked twice", ("not_cited",)),
        ("bad", ("bad_feedback",)),
        ("not found", ("no_passage",)),
    ]
    assert found[1].passages == ("b",)
    monkeypatch.setattr("weiwo.tools.corpus.evaluation.hard_cases._MOST_CASES", 1)
    assert len(collect_hard_cases(records, feedback)) == 1


async def test_a_set_is_written_and_evaluated_once_it_is_labelled(tmp_path):
    corpus = IndexedCorpus(index_dataset(Dataset(_DEMO), tmp_path / "home", None))
    found = await corpus.search("who owns dispatch-queue", 3)
    records = [record("who owns dispatch-queue", [one.id for one in found], cited=[])]
    await export_hard_cases(corpus, collect_hard_cases(records, []), tmp_path / "hard")
    corpus.close()
    first = (tmp_path / "hard" / "candidates.tsv").read_text("utf-8").splitlines()[1]
    assert first.split("\t")[::2] == ["hard-1", "1"]
    with pytest.raises(DatasetError, match="judges no document"):
        Dataset(tmp_path / "hard")
    with (tmp_path / "hard" / "qrels.tsv").open("a", encoding="utf-8") as out:
        out.write(f"{first}\n")
    labelled = Dataset(tmp_path / "hard")
    assert [one.text for one in labelled.questions] == ["who owns dispatch-queue"]
    assert len(list(labelled.documents())) == len(list(Dataset(_DEMO).documents()))
    with pytest.raises(DatasetError, match="not empty"):
        await export_hard_cases(corpus, [], tmp_path / "hard")
