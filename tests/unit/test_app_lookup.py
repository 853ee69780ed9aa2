"""`weiwo search --explain` and the summary of telemetry, as people and programs see them."""

import io
import json

import pytest
from rich.console import Console

from app import lookup
from app import telemetry as shown
from app.errors import UsageError
from state.settings import Settings
from tests.support.corpora import document
from tools.corpus.indexed import IndexedCorpus
from tools.corpus.joined import JoinedCorpus
from tools.corpus.observed import summarized
from tools.corpus.records import Changes
from tools.corpus.routed import RoutedCorpus
from tools.corpus.writing import IndexWriter


@pytest.fixture
def settings(tmp_path, monkeypatch):
    with IndexWriter(tmp_path) as writer:
        writer.apply(Changes(put=[document("note.txt", "Ticket INC-49217 is closed. \x1b[31mRed.")]))
    corpus = RoutedCorpus(IndexedCorpus(tmp_path))

    async def opened(_):
        return corpus

    monkeypatch.setattr(lookup, "open_corpus", opened)
    return Settings.resolve()


def printed(draw, *arguments, width=100):
    out = io.StringIO()
    draw(Console(file=out, width=width, markup=False, emoji=False, highlight=False), *arguments)
    return out.getvalue()


async def test_features_scores_and_choice_are_shown_as_tables(settings):
    routed = await lookup.explained(settings, "Who closed INC-49217?", 3)
    assert [passage.source for passage in routed.passages] == ["note.txt"]
    text = printed(lookup.print_explanation, routed)
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
    assert all(len(line) <= 40 for line in printed(lookup.print_explanation, routed, width=40).splitlines())


async def test_the_explanation_is_json_beside_the_results(settings):
    routed = await lookup.explained(settings, "Who closed it?", 3)
    whole = json.loads(json.dumps(lookup.as_json("Who closed it?", routed.passages, routed)))
    found = whole["explanation"]
    assert (found["strategy"], found["by"], found["candidate"]) == ("hybrid", "prior", "hybrid")
    assert found["features"]["asking"] is True
    assert set(found["scores"]) == {"hybrid", "keyword", "vector"}
    assert found["segment"] == "en:plain"
    assert found["milliseconds"]["keyword"] >= 0
    assert "explanation" not in lookup.as_json("q", routed.passages)


async def test_one_corpus_is_explained_at_a_time(settings, monkeypatch):
    async def several(_):
        return JoinedCorpus(())

    monkeypatch.setattr(lookup, "open_corpus", several)
    with pytest.raises(UsageError, match="name one with --corpus"):
        await lookup.explained(settings, "q", 3)


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
    found = summarized([record(n) for n in range(40)] + [record(2 * week + n, words=30) for n in range(40)])
    text = printed(shown.print_summary, {"corpus": "default", "recording": False, **found})
    for word in (
        "80 retrievals",
        "recording is off",
        "policy 3 (shadow) would choose keyword 100%",
        "zh:plain",
        "moved",
    ):
        assert word in text, word


def test_a_summary_of_nothing_is_a_line():
    text = printed(shown.print_summary, {"corpus": "default", "recording": True, **summarized([])})
    assert text == "default: 0 retrievals\n"
