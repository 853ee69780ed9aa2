"""What is kept of retrievals, that keeping it never gets in the way, and what it tells."""

import asyncio
import json
import sqlite3
import threading
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.corpora import document
from tests.support.examples import examples
from weiwo.state.settings import Context, Settings
from weiwo.state.source_filter import SourceFilter
from weiwo.tools.calling.call_context import CallContext, set_current_call
from weiwo.tools.corpus.base import CorpusError
from weiwo.tools.corpus.evaluation.telemetry_report import _measure_stability, _summarize_records, summarize_telemetry
from weiwo.tools.corpus.index.writer import IndexWriter
from weiwo.tools.corpus.records import Changes
from weiwo.tools.corpus.retrieval import telemetry
from weiwo.tools.corpus.retrieval.routed_corpus import RoutedCorpus, open_routed
from weiwo.tools.corpus.retrieval.routing_policy import RoutingPolicy, _SegmentStatistics
from weiwo.tools.corpus.retrieval.score_fusion import STRATEGIES, SearchOptions
from weiwo.tools.corpus.retrieval.telemetry import _FILE, TelemetryRecorder, read_records

DAY = 86_400.0


@pytest.fixture
def folder(tmp_path):
    with IndexWriter(tmp_path) as writer:
        writer.apply(
            Changes(
                put=[
                    document("bridge.md", "The bridge joins Buda and Pest.", title="Chain Bridge"),
                    document("notes/note.txt", "Ticket INC-49217 is closed.", kind="txt"),
                    document("zh.md", "大桥建于1849年。", language="zh"),
                ]
            )
        )
    return tmp_path


def routed(folder, policy=RoutingPolicy):
    recorder = TelemetryRecorder(folder)
    return RoutedCorpus(folder, policy, recorder), recorder


def kept(recorder):
    assert recorder.flush(120)
    return list(read_records(recorder.path.parent))


def retrieval(query="q", at=0.0, run="", passages=("a",), **more):
    record = {
        "query": query,
        "segment": "en:plain",
        "features": {"words": 5, "digits": 0.0, "unknown": 0.0, "rare": 0.0},
        "choice": "hybrid",
        "by": "prior",
        "candidate": "hybrid",
        "policy": 0,
        "stage": "shadow",
        "error": "",
        "seconds": 0.002,
        "stages": {"keyword": 0.001},
        "arms": {},
    }
    return at, {**record, **more}, tuple(passages), run


async def test_a_retrieval_is_kept_with_what_led_to_it(folder):
    corpus, recorder = routed(folder)
    passages = await corpus.search("Who fixed INC-49217?")
    await corpus.search("When was the bridge built?")
    rule, prior = kept(recorder)
    assert (rule["choice"], rule["by"], rule["done"], rule["segment"]) == (
        "keyword",
        "rule",
        "keyword",
        "en:identifier",
    )
    assert rule["passages"] == [passage.id for passage in passages]
    assert set(rule["arms"]) == {"keyword"}
    assert (prior["choice"], prior["by"], set(prior["arms"])) == ("hybrid", "prior", {"keyword", "grams"})
    for one in (rule, prior):
        assert set(one["scores"]) == set(STRATEGIES)
        assert {"routing", "keyword"} <= one["stages"].keys()
        assert one["features"]["words"] > 0
        assert one["seconds"] > 0
        assert (one["error"], one["cited"], one["policy"], one["k"]) == ("", None, 0, 8)


async def test_the_router_decides_and_options_are_kept(folder):
    serving = RoutingPolicy(
        stage="default", segments={"en:plain": _SegmentStatistics(samples=500, decided=500, advantage={"vector": 0.3})}
    )
    corpus, recorder = routed(folder, lambda: serving)
    only = SearchOptions(within=SourceFilter(folders=("notes",)))
    found = await corpus.find("When was the bridge built?")
    assert (found.decision.strategy, found.trace.strategy) == ("vector", "vector")
    noted = await corpus.find("1849 INC-49217", options=only)
    assert {passage.source for passage in noted.passages} == {"notes/note.txt"}
    asked = await corpus.find("INC-49217", strategy="vector", options=SearchOptions())
    assert (asked.decision.by, set(asked.trace.arms)) == ("caller", {"grams"})
    assert [one["by"] for one in kept(recorder)] == ["policy", "rule", "caller"]


async def test_errors_are_apart_from_misses(folder, monkeypatch):
    corpus, recorder = routed(folder)
    assert await corpus.search("qqqq xxxx") == []

    def broken(*_):
        raise CorpusError("index: gone, with key sk-secret123456789012")

    monkeypatch.setattr(corpus, "_find", broken)
    with pytest.raises(CorpusError):
        await corpus.search("bridge")
    found = summarize_telemetry(folder) if recorder.flush(120) else {}
    assert (found["retrievals"], found["errors"], found["misses"]) == (2, 1, 1)
    assert "sk-secret" not in kept(recorder)[1]["error"]


async def test_what_an_answer_cites_labels_the_retrievals_of_its_run_alone(folder):
    corpus, recorder = routed(folder)
    (cited,) = await corpus.search("nobody's bridge", 1)
    set_current_call(CallContext("run-1"))
    await corpus.search("Chain Bridge", 1)
    await corpus.search("INC-49217", 1)
    await corpus.search("qqqq xxxx", 1)
    recorder.label_citations("run-1", [cited.id, "unknown"], replanned=True)
    recorder.label_citations("run-1", [])  # a later word on the same run changes nothing
    recorder.label_citations("", [cited.id])
    assert [one["cited"] for one in kept(recorder)] == [None, [cited.id], [], []]
    assert [one.get("replanned", False) for one in kept(recorder)] == [False, True, True, True]


async def test_a_task_carries_its_run(folder):
    corpus, recorder = routed(folder)

    async def work(name):
        set_current_call(CallContext(name))
        await corpus.search(f"bridge {name}")

    await asyncio.gather(work("a"), work("b"))
    await corpus.search("bridge")
    assert {one["query"]: one["run"] for one in kept(recorder)} == {"bridge a": "a", "bridge b": "b", "bridge": ""}


async def test_settings_decide_whether_anything_is_kept(folder, tmp_path):
    env = {"WEIWO_HOME": str(tmp_path / "home")}
    off = open_routed(folder, Settings.resolve(Context(telemetry=False), env))
    await off.search("bridge")
    telemetry._flush_recorders()
    assert not (folder / _FILE).exists()
    on = open_routed(folder, Settings.resolve(None, env))
    (found,) = await on.search("Buda Pest", 1)
    telemetry.label_citations("nobody", [found.id])
    telemetry._flush_recorders()
    assert len(list(read_records(folder))) == 1
    assert telemetry.get_recorder(folder) is telemetry.get_recorder(folder)


@pytest.mark.parametrize("trouble", ["a folder is in the way", "no folder", "not a database"])
async def test_where_nothing_can_be_kept_searching_goes_on(folder, tmp_path, trouble, caplog):
    corpus, recorder = routed(folder)
    if trouble == "a folder is in the way":
        recorder.path.mkdir()
    elif trouble == "no folder":
        recorder.path = tmp_path / "nowhere" / _FILE
    else:
        recorder.path.write_bytes(b"not a database, " * 500)
    assert await corpus.search("bridge")
    assert await corpus.search("bridge")
    assert recorder.flush(120)
    assert recorder.dropped == 2
    (line,) = [item for item in caplog.records if item.levelname == "WARNING"]
    assert str(recorder.path) in line.message
    assert "Error: " in line.message  # what went wrong
    assert "searches of the next minute are not recorded" in line.message


def test_a_full_queue_drops_and_does_not_wait(tmp_path, monkeypatch):
    recorder, go = TelemetryRecorder(tmp_path), threading.Event()
    monkeypatch.setattr(recorder, "_write", lambda _: go.wait(120))
    recorder.record(*retrieval())
    for _ in range(telemetry._WAITING + telemetry._AT_ONCE + 50):
        recorder.record(*retrieval())
    dropped = recorder.dropped
    go.set()
    assert 40 <= dropped <= telemetry._AT_ONCE + 60
    assert recorder.flush(120)


def test_the_oldest_go(tmp_path, monkeypatch):
    monkeypatch.setattr(telemetry, "_MOST_RECORDS", 100)
    recorder = TelemetryRecorder(tmp_path)
    for number in range(900):
        recorder.record(*retrieval(f"q{number}"))
    found = [one["query"] for one in kept(recorder)]
    assert len(found) < 900 - 100
    assert found[-1] == "q899"


def test_two_recorders_share_a_file(tmp_path):
    one, other = TelemetryRecorder(tmp_path), TelemetryRecorder(tmp_path)
    for number in range(50):
        one.record(*retrieval(f"a{number}"))
        other.record(*retrieval(f"b{number}"))
    assert one.flush(120)
    assert len(kept(other)) == 100


@examples(15)
@given(st.text(max_size=50))
def test_any_question_can_be_kept(tmp_path_factory, query):
    recorder = TelemetryRecorder(tmp_path_factory.mktemp("t"))
    recorder.record(*retrieval(query))
    assert kept(recorder)[0]["query"] == query


def test_nothing_recorded_reads_as_nothing_and_rubbish_is_named(tmp_path):
    assert list(read_records(tmp_path)) == []
    assert summarize_telemetry(tmp_path)["retrievals"] == 0
    (tmp_path / _FILE).write_bytes(b"rubbish " * 1_000)
    with pytest.raises(CorpusError, match="delete it"):
        summarize_telemetry(tmp_path)


def test_reading_writes_nothing(tmp_path):
    recorder = TelemetryRecorder(tmp_path)
    recorder.record(*retrieval())
    assert len(kept(recorder)) == 1
    with closing(sqlite3.connect(recorder.path)) as connection:
        before = connection.execute("PRAGMA data_version").fetchone()
        list(read_records(tmp_path))
        assert connection.execute("PRAGMA data_version").fetchone() == before


def rows(*retrievals):
    return [
        {**record, "at": at, "run": run, "passages": list(passages), "cited": cited}
        for (at, record, passages, run), cited in retrievals
    ]


def test_the_summary_counts():
    found = _summarize_records(
        rows(
            (retrieval(seconds=0.001), ["a"]),
            (retrieval(seconds=0.003, choice="keyword", by="rule", segment="en:identifier"), []),
            (retrieval(seconds=0.005, candidate="keyword"), []),
            (retrieval(passages=(), seconds=0.007), None),
            (retrieval(error="it broke", passages=()), None),
        )
    )
    assert found["strategies"] == {"hybrid": 0.75, "keyword": 0.25}
    assert found["decided_by"] == {"prior": 0.75, "rule": 0.25}
    assert (found["errors"], found["misses"]) == (1, 1)
    assert found["milliseconds"]["total"]["p50"] == pytest.approx(4.0)
    assert found["milliseconds"]["total"]["p95"] == pytest.approx(6.7)
    assert found["segments"]["en:plain"] == {"retrievals": 3, "labelled": 2, "hit_rate": 0.5}
    assert found["segments"]["en:identifier"]["hit_rate"] == 0.0
    assert found["milliseconds"]["total"]["p99"] == pytest.approx(6.94)
    assert found["policy"]["agrees"] == pytest.approx(0.6)
    assert found["policy"]["flips"] == {"asked_again": 4, "share": 0.5}
    json.dumps(found)


def test_regret_is_what_a_better_order_would_have_given():
    arms = {"keyword": [7, 8], "grams": [8, 9]}
    found = _summarize_records(
        rows((retrieval(passages=("x", "a"), arms=arms), ["a"]), (retrieval(arms=arms), ["a"]), (retrieval(), [])),
        lambda hashes: {"a": {7}} if hashes == {"a"} else {},
    )
    assert found["regret"] == {"labelled": 2, "mean": 0.25}  # second instead of first, and first as it should be


async def test_regret_over_a_real_corpus(folder):
    corpus, recorder = routed(folder)
    set_current_call(CallContext("r"))
    (found,) = await corpus.search("Buda and Pest", 1)
    recorder.label_citations("r", [found.id])
    assert recorder.flush(120)
    assert summarize_telemetry(folder)["regret"] == {"labelled": 1, "mean": 0.0}


def test_drift_shows_in_the_week_it_begins():
    short = {"words": 3, "digits": 0.0, "unknown": 0.0, "rare": 0.0}
    long = {**short, "words": 25}
    weeks = [(retrieval(at=(4 + 7 * week) * DAY + n, features=short), None) for week in range(3) for n in range(40)]
    weeks += [(retrieval(at=(4 + 21) * DAY + n, features=long), None) for n in range(40)]
    weeks += [(retrieval(at=(4 + 28) * DAY + n, features=long), None) for n in range(5)]  # too few to tell
    drift = _summarize_records(rows(*weeks))["drift"]
    assert [week["retrievals"] for week in drift] == [40, 40, 40]
    assert [week["words"] > 0.25 for week in drift] == [False, False, True]
    assert all(week["rare"] == pytest.approx(0, abs=0.05) for week in drift)


@given(st.lists(st.floats(0, 1), min_size=1), st.lists(st.floats(0, 1), min_size=1))
def test_stability_is_finite_and_zero_for_the_same(before, now):
    assert _measure_stability(before, before, (0.2, 0.5)) == 0
    assert 0 <= _measure_stability(before, now, (0.2, 0.5)) < 100
