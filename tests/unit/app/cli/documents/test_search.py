"""`weiwo search --explain` and the summary of telemetry, as people and programs see them."""

import io
import json

import pytest
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore
from rich.console import Console

from tests.support.corpora import LetterEmbeddings, document
from weiwo.app.cli.documents import search as lookup
from weiwo.app.cli.documents import stats as shown
from weiwo.app.cli.errors import CommandError
from weiwo.app.render.search_results import print_explanation
from weiwo.state.settings import Settings
from weiwo.tools.corpus.evaluation.telemetry_report import _summarize_records
from weiwo.tools.corpus.index.writer import IndexWriter
from weiwo.tools.corpus.records import Changes
from weiwo.tools.corpus.retrieval.external_store import ExternalCorpus
from weiwo.tools.corpus.retrieval.federation import FederatedCorpus
from weiwo.tools.corpus.retrieval.routed_corpus import RoutedCorpus
from weiwo.tools.corpus.retrieval.score_fusion import STRATEGIES


@pytest.fixture
def settings(tmp_path, monkeypatch):
    with IndexWriter(tmp_path) as writer:
        writer.apply(Changes(put=[document("note.txt", "Ticket INC-49217 is closed. \x1b[31mRed.")]))
    corpus = RoutedCorpus(tmp_path)

    async def opened(_):
        return corpus

    monkeypatch.setattr(lookup, "open_corpus", opened)
    return Settings.resolve()


def printed(draw, *arguments, width=100):
    out = io.StringIO()
    draw(Console(file=out, width=width, markup=False, emoji=False, highlight=False), *arguments)
    return out.getvalue()


async def test_features_scores_and_choice_are_shown_as_tables(settings):
    told = await lookup._explain(settings, "Who closed INC-49217?", 3)
    assert [passage.source for passage in told.passages] == ["note.txt"]
    text = printed(print_explanation, told.parts)
    for word in (
        "exact",
        "inc-49217",
        "en:identifier",
        "hybrid",
        "keyword",
        "vector",
        "chosen",
        "by the rule",
        "routing",
    ):
        assert word in text, word
    (row,) = [line for line in text.splitlines() if line.strip().startswith("keyword ") and "chosen" in line]
    assert "chosen" in row
    assert all(len(line) <= 40 for line in printed(print_explanation, told.parts, width=40).splitlines())


async def test_the_explanation_is_json_beside_the_results(settings):
    told = await lookup._explain(settings, "Who closed it?", 3)
    whole = json.loads(json.dumps(lookup._results_json("Who closed it?", told.passages, told)))
    found = whole["explanation"]
    assert (found["strategy"], found["by"], found["candidate"]) == ("hybrid", "prior", "hybrid")
    assert found["features"]["asking"] is True
    assert set(found["scores"]) == set(STRATEGIES)
    assert found["segment"] == "en:plain"
    assert found["milliseconds"]["keyword"] >= 0
    assert "explanation" not in lookup._results_json("q", told.passages)


async def test_several_corpora_are_explained_one_by_one(settings, monkeypatch, tmp_path):
    corpora = []
    for name in ("first", "second"):
        with IndexWriter(tmp_path / name) as writer:
            writer.apply(Changes(put=[document(f"{name}.txt", f"Ticket INC-49217 is in the {name} list.")]))
        corpora.append(RoutedCorpus(tmp_path / name))
    elsewhere = ExternalCorpus("@m.x", InMemoryVectorStore(LetterEmbeddings()))
    elsewhere.inner.add_documents([Document("Ticket INC-49217, elsewhere.", metadata={"source": "third.txt"})])

    async def several(_):
        return FederatedCorpus([*corpora, elsewhere])

    monkeypatch.setattr(lookup, "open_corpus", several)
    told = await lookup._explain(settings, "Who closed INC-49217?", 3)
    assert {passage.source for passage in told.passages} == {"first.txt", "second.txt", "third.txt"}
    assert [passage.rank for passage in told.passages] == [1, 2, 3]
    text = printed(print_explanation, told.parts)
    assert [line for line in text.splitlines() if line in {"first", "second"}] == ["first", "second"]
    assert text.count("by the rule") == 2
    found = lookup._results_json("q", told.passages, told)
    assert set(found["explanations"]) == {"first", "second"}
    assert found["explanations"]["first"]["strategy"] == "keyword"


async def test_a_store_that_does_not_answer_is_one_line(settings, monkeypatch):
    broken = ExternalCorpus("@m.x", InMemoryVectorStore(down := LetterEmbeddings()))
    broken.inner.add_documents([Document("Words.")])
    down.down = True

    async def opened(_):
        return broken

    monkeypatch.setattr(lookup, "open_corpus", opened)
    for ask in (lookup._search, lookup._explain):
        with pytest.raises(CommandError, match=r"@m\.x: ConnectionError: connection refused"):
            await ask(settings, "q", 3)


def record(at, words=5, **more):
    return {
        "at": at,
        "run": "",
        "passages": ["a"],
        "cited": None,
        "query": "q",
        "segment": "zh:plain",
        "features": {"words": words, "digits": 0.0, "unknown": 0.0, "rare": 0.0},
        "choice": "hybrid",
        "by": "prior",
        "candidate": "keyword",
        "policy": 3,
        "stage": "shadow",
        "error": "",
        "seconds": 0.002,
        "stages": {"keyword": 0.001},
        "arms": {},
        **more,
    }


def test_the_summary_is_shown_whole():
    week = 7 * 86_400.0
    found = _summarize_records([record(n) for n in range(40)] + [record(2 * week + n, words=30) for n in range(40)])
    feedback = {"good": 2, "bad": 1}
    text = printed(shown._print_summary, {"corpus": "default", "recording": False, "feedback": feedback, **found})
    for word in (
        "80 retrievals",
        "recording is off",
        "policy 3 (shadow) would choose keyword 100%",
        "zh:plain",
        "changed",
        "2 good, 1 bad",
    ):
        assert word in text, word


def test_a_summary_of_nothing_is_a_line():
    text = printed(shown._print_summary, {"corpus": "default", "recording": True, **_summarize_records([])})
    assert text == "default: 0 retrievals\n"
