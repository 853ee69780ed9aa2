"""Labelled sets, how rankings are scored, and what is compared with what."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.corpora import LetterEmbeddings
from weiwo.tools.corpus.evaluation import strategy_comparison
from weiwo.tools.corpus.evaluation.dataset import Dataset, DatasetError
from weiwo.tools.corpus.evaluation.dataset_index import index_dataset
from weiwo.tools.corpus.evaluation.metrics import RankingMetrics, average_metrics, bootstrap_interval, score_ranking
from weiwo.tools.corpus.evaluation.strategy_comparison import _StrategyAttempt, compare_strategies
from weiwo.tools.corpus.index.embedding_models import Embedder, EmbeddingError
from weiwo.tools.corpus.retrieval.indexed_corpus import IndexedCorpus
from weiwo.tools.corpus.retrieval.routed_corpus import RoutedCorpus
from weiwo.tools.corpus.retrieval.router import QueryFeatures, route_query
from weiwo.tools.corpus.retrieval.routing_policy import RoutingPolicy, _SegmentStatistics
from weiwo.tools.corpus.retrieval.score_fusion import STRATEGIES, SearchOptions

DOCUMENTS = [
    {"_id": "bridge", "title": "Chain Bridge", "text": "The bridge joins Buda and Pest."},
    {"_id": "ticket", "title": "", "text": "Ticket INC-49217 is closed."},
    {"_id": "大桥", "title": "大桥", "text": "大桥建于1849年。"},
    {"_id": "filler", "text": "Nothing of note."},
]
QUESTIONS = [
    {"_id": "1", "text": "Which bridge joins Buda and Pest?"},
    {"_id": "2", "text": "Who closed INC-49217?"},
    {"_id": "3", "text": "大桥哪年建成？"},
    {"_id": "unjudged", "text": "What else?"},
]
QRELS = "query-id\tcorpus-id\tscore\n1\tbridge\t2\n2\tticket\t1\n3\t大桥\t1\n3\tfiller\t0\n"


def lines(objects):
    return "\n".join(json.dumps(one, ensure_ascii=False) for one in objects) + "\n"


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "a set"
    folder.mkdir()
    (folder / "corpus.jsonl").write_text(lines(DOCUMENTS), encoding="utf-8")
    (folder / "queries.jsonl").write_text(lines(QUESTIONS), encoding="utf-8")
    (folder / "qrels.tsv").write_text(QRELS, encoding="utf-8")
    return folder


def corpus_of(dataset, home, model=None, policy=RoutingPolicy):
    return RoutedCorpus(index_dataset(dataset, home, model), policy, embedder=model)


def test_a_set_is_read_with_or_without_heading_and_in_either_place(folder):
    first = Dataset(folder)
    assert [one.id for one in first.questions] == ["1", "2", "3"]
    assert first.questions[0].relevant == {"bridge": 2}
    assert first.questions[2].relevant == {"大桥": 1}
    assert [one.id for one in first.documents()] == ["bridge", "ticket", "大桥", "filler"]
    (folder / "qrels.tsv").unlink()
    (folder / "qrels").mkdir()
    (folder / "qrels" / "test.tsv").write_text(QRELS.partition("\n")[2].replace("\n", "\r\n"), encoding="utf-8-sig")
    assert Dataset(folder).questions == first.questions
    assert Dataset(folder).questions_digest() == first.questions_digest()


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("corpus.jsonl", None, "has no corpus.jsonl"),
        ("queries.jsonl", None, "has no queries.jsonl"),
        ("qrels.tsv", None, "has no qrels.tsv or qrels/test.tsv"),
        ("corpus.jsonl", "", "contains no document"),
        ("corpus.jsonl", '{"_id": "a", "text": "x"}\n{', "line 2: not a JSON object"),
        ("corpus.jsonl", '{"_id": "a", "text": "x"}\n{"_id": "a", "text": "y"}', "line 2: duplicate document 'a'"),
        ("corpus.jsonl", '{"_id": "a", "title": 3, "text": "x"}', "line 1"),
        ("corpus.jsonl", '{"_id": "\\ud800", "text": "x"}', "line 1"),
        ("corpus.jsonl", '{"_id": "", "text": "x"}', "line 1"),
        ("corpus.jsonl", "[" * 100_000, "line 1: not a JSON object"),
        ("corpus.jsonl", "\xff\xfe", "not UTF-8"),
        ("queries.jsonl", "[]", "not a JSON object"),
        ("queries.jsonl", '{"_id": "1"}', 'not an object with "_id" and "text"'),
        ("queries.jsonl", '{"_id": "9", "text": "x"}', "judges none of the questions"),
        ("qrels.tsv", "query-id\tcorpus-id\tscore\n1\tbridge", "line 2: must be question, document and score"),
        ("qrels.tsv", "query-id\tcorpus-id\tscore\n1\tbridge\tinf", "line 2: must be question, document and score"),
        ("qrels.tsv", "1\tbridge\t0", "judges no document relevant"),
    ],
)
def test_a_broken_set_is_one_line(folder, tmp_path, file, content, said):
    if content is None:
        (folder / file).unlink()
    else:
        (folder / file).write_text(content, encoding="latin-1")
    with pytest.raises(DatasetError) as caught:
        index_dataset(Dataset(folder), tmp_path / "home", None)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


async def test_texts_that_no_encoding_takes_are_found_all_the_same(folder, tmp_path):
    odd = {"_id": "odd", "title": "an\nodd\ud800 title", "text": "zebra \ud800 crossing"}
    (folder / "corpus.jsonl").write_text(json.dumps(odd), encoding="utf-8")
    (folder / "queries.jsonl").write_text(json.dumps({"_id": 1, "text": "zebra \ud800"}), encoding="utf-8")
    (folder / "qrels.tsv").write_text("1\todd\t1", encoding="utf-8")
    dataset = Dataset(folder)
    figures = (await compare_strategies(dataset, corpus_of(dataset, tmp_path), 5, ["keyword", "hybrid"])).as_json()
    assert {one["recall"] for one in figures["strategies"].values()} == {1.0}


def test_no_folder_is_one_line(tmp_path):
    with pytest.raises(DatasetError, match="does not exist"):
        Dataset(tmp_path / "nowhere")


def test_scores_by_hand():
    found = score_ranking(["x", "a", "b", "y"], {"a": 1, "b": 2, "c": 1}, 2)
    assert (found.recall, found.all, found.hit, found.mrr) == (pytest.approx(1 / 3), 0.0, 1.0, 0.5)
    assert found.ndcg10 == pytest.approx((1 / 1.58496 + 2 / 2) / (2 + 1 / 1.58496 + 1 / 2), abs=1e-4)
    assert score_ranking(["b", "a"], {"a": 1, "b": 2}, 5) == RankingMetrics(1, 1, 1, 1, 1)
    assert score_ranking([], {"a": 1}, 5) == RankingMetrics(0, 0, 0, 0, 0)
    assert average_metrics([score_ranking(["a"], {"a": 1}, 1), score_ranking([], {"a": 1}, 1)]).recall == 0.5


@given(
    st.lists(st.sampled_from("abcdefgh"), unique=True),
    st.dictionaries(st.sampled_from("abcdefgh"), st.integers(1, 3), min_size=1),
    st.integers(1, 20),
)
def test_scores_are_shares(found, relevant, k):
    scores = score_ranking(found, relevant, k)
    assert 0 <= scores.all <= scores.recall <= scores.hit <= 1
    assert 0 <= scores.ndcg10 <= 1 + 1e-9
    assert 0 <= scores.mrr <= 1


def test_the_interval_holds_the_mean_and_is_the_same_again():
    gains = [0.0] * 90 + [0.5] * 10
    low, high = bootstrap_interval(gains)
    assert 0 < low < 0.05 < high < 0.1
    assert bootstrap_interval(gains) == (low, high)
    assert bootstrap_interval([]) == bootstrap_interval([0.0] * 9) == (0.0, 0.0)
    assert bootstrap_interval([0.1] * 9) == pytest.approx((0.1, 0.1))


async def test_every_strategy_router_and_oracle(folder, tmp_path):
    seen = []
    dataset = Dataset(folder)
    corpus = corpus_of(dataset, tmp_path)
    found = await compare_strategies(dataset, corpus, 5, watch=lambda *progress: seen.append(progress))
    figures = found.as_json()
    assert json.loads(json.dumps(figures)) == figures
    assert (figures["dataset"], figures["k"], figures["queries"], figures["default"]) == ("a set", 5, 3, "auto")
    assert set(figures["strategies"]) == {"auto", *STRATEGIES}
    names = {"recall", "all", "hit", "ndcg10", "mrr", "p50_ms", "vector_calls"}
    assert all(set(one) == names for one in (*figures["strategies"].values(), figures["oracle"]))
    assert set(figures["router"]) == names | {"regret", "difference", "interval"}
    assert figures["strategies"]["keyword"]["vector_calls"] == 0
    assert figures["strategies"]["vector"]["vector_calls"] == 3
    assert figures["strategies"]["hybrid"]["vector_calls"] == 3
    assert figures["router"]["vector_calls"] == 2  # the identifier costs none
    assert figures["router"]["recall"] == 1.0
    assert (figures["router"]["regret"], figures["router"]["interval"]) == (0.0, [0.0, 0.0])
    assert figures["oracle"]["vector_calls"] == 0  # of equal strategies the cheapest
    assert seen[-1] == ("asking", 3, 3)


async def test_one_strategy_alone_compares_with_nothing(folder, tmp_path):
    dataset = Dataset(folder)
    figures = (await compare_strategies(dataset, corpus_of(dataset, tmp_path), 1, ["vector"])).as_json()
    assert set(figures["strategies"]) == {"vector"}
    assert (figures["router"], figures["oracle"]) == (None, None)


async def test_embeddings_are_used_kept_and_missed(folder, tmp_path):
    letters = LetterEmbeddings()
    model = Embedder("letters", letters, sleep=lambda _: None)
    dataset = Dataset(folder)
    corpus = corpus_of(dataset, tmp_path, model)
    figures = (await compare_strategies(dataset, corpus, 5)).as_json()
    assert figures["router"]["vector_calls"] == 2
    asked = letters.asked()
    assert all(asked.count(one.text) == 1 for one in dataset.questions)  # once, for all strategies that need it
    before = len(asked)
    index_dataset(dataset, tmp_path, model)
    assert letters.asked()[before:] == ["?"]  # nothing is embedded twice
    letters.down = True
    again = Embedder("letters", letters, sleep=lambda _: None)
    broken = RoutedCorpus(corpus.folder, embedder=again)
    with pytest.raises(EmbeddingError):
        await compare_strategies(dataset, broken, 5)


async def test_an_evaluation_outlives_a_slow_model_and_keeps_its_figures_when_the_model_goes(folder, tmp_path):
    letters = LetterEmbeddings()
    dataset = Dataset(folder)
    folder_of = corpus_of(dataset, tmp_path, Embedder("letters", letters)).folder
    plain, failing = letters.embed_query, {dataset.questions[1].text}

    def slow(text):
        if text in failing:
            raise TimeoutError("no reply")
        return plain(text)

    letters.embed_query = slow
    again = RoutedCorpus(folder_of, embedder=Embedder("letters", letters, sleep=lambda _: None))
    whole = await compare_strategies(dataset, again, 5)
    assert (len(whole.answered), whole.stopped) == (len(dataset.questions), "")

    def gone(_):
        raise ConnectionError("gone")

    letters.embed_documents = gone
    letters.embed_query = lambda text: slow(text) if text in failing else letters._vector(text)
    broken = RoutedCorpus(folder_of, embedder=Embedder("letters", letters, sleep=lambda _: None))
    part = await compare_strategies(dataset, broken, 5)
    assert len(part.answered) == 1
    assert "stopped after 1 of" in part.as_json()["stopped"]


def test_an_index_is_kept_by_its_documents_and_the_oldest_goes(folder, tmp_path, monkeypatch):
    told = []
    dataset = Dataset(folder)
    first = index_dataset(dataset, tmp_path, None, lambda *progress: told.append(progress))
    assert told == [("indexing", 4, 0)]
    assert index_dataset(dataset, tmp_path, None, lambda *progress: told.append(progress)) == first
    assert len(told) == 1
    (folder / "corpus.jsonl").write_text(lines(DOCUMENTS[:3]), encoding="utf-8")
    monkeypatch.setattr("weiwo.tools.corpus.evaluation.dataset_index._KEPT", 1)
    second = index_dataset(Dataset(folder), tmp_path, None)
    assert [one.name for one in first.parent.iterdir()] == [second.name]


def test_indexing_that_was_cut_off_begins_again(folder, tmp_path, monkeypatch):
    many = [{**DOCUMENTS[0], "_id": f"many-{number}"} for number in range(600)]  # more than are written at once
    (folder / "corpus.jsonl").write_text(lines(many) + "{", encoding="utf-8")
    with pytest.raises(DatasetError):
        index_dataset(Dataset(folder), tmp_path, None)
    (left,) = (tmp_path / "corpora").iterdir()
    assert not (left / "complete").exists()
    monkeypatch.setattr(Dataset, "digest", lambda _: "the same")
    (folder / "corpus.jsonl").write_text(lines(DOCUMENTS), encoding="utf-8")
    made = index_dataset(Dataset(folder), tmp_path, None)
    (made / "complete").unlink()
    assert IndexedCorpus(index_dataset(Dataset(folder), tmp_path, None)).size == 4


def answered(text, recalls, features, policy):
    recalls = dict.fromkeys(STRATEGIES, recalls["hybrid"]) | recalls
    attempts = {
        name: _StrategyAttempt(RankingMetrics(recall, recall, recall, recall, recall), 1.0, name != "keyword")
        for name, recall in recalls.items()
    }
    return strategy_comparison._EvaluatedQuestion(text, attempts, route_query(text, features, policy))


def test_a_policy_is_judged_on_questions_it_never_learns_from():
    features = QueryFeatures(words=6, asking=True)
    policy = RoutingPolicy(
        segments={"en:plain": _SegmentStatistics(samples=500, decided=500, advantage={"keyword": 0.3})},
    )
    recalls = {"auto": 0.5, "hybrid": 0.5, "keyword": 0.9, "vector": 0.0}
    many = [answered(f"question {number}", recalls, features, RoutingPolicy()) for number in range(200)]
    found = strategy_comparison.Evaluation("s", 5, many, ("auto", *STRATEGIES))
    assert 60 < len(found.list_observations()) < 140
    assert len(found.list_observations()) + found.measure_policy().questions == 200
    assert found.measure_policy().difference == 0
    held = found.replay_policy(policy).measure_policy()
    assert held.difference == pytest.approx(0.4)
    assert held.low > 0
    assert held.saved == 1
    assert found.replay_policy(policy).as_json()["router"]["recall"] == 0.5  # what was served stays what it was
    assert found.list_observations()[0] == (
        "en:plain",
        dict.fromkeys(STRATEGIES, 0.5) | {"keyword": 0.9, "vector": 0.0},
    )


def test_the_rule_binds_the_candidate_too():
    features = QueryFeatures(words=2, exact=("inc-1",), identifiers=1, one_document=True)
    one = answered("INC-1", {"auto": 1, "hybrid": 0, "keyword": 1, "vector": 0}, features, RoutingPolicy())
    vector = replace(one, decision=replace(one.decision, candidate="vector"))
    assert vector.candidate == one.attempts["keyword"]


async def test_what_is_served_follows_the_policy(folder, tmp_path):
    serving = RoutingPolicy(
        stage="default", segments={"en:plain": _SegmentStatistics(samples=500, decided=500, advantage={"vector": 0.3})}
    )
    dataset = Dataset(folder)
    corpus = corpus_of(dataset, tmp_path, policy=lambda: serving)
    found = await compare_strategies(dataset, corpus, 5)
    chosen = [one.decision.strategy for one in found.answered]
    assert chosen == ["vector", "keyword", "hybrid"]
    assert (await corpus.find("大桥哪年建成？", options=SearchOptions(linked=False))).decision.by == "prior"
