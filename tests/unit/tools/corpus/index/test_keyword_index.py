"""What a keyword search looks at where it does not look at everything, and what it costs in answers."""

import pytest

from tests.support.corpora import document
from weiwo.text.analyzer import query_terms
from weiwo.text.ngrams import query_grams
from weiwo.tools.corpus.index.keyword_index import _SearchBounds
from weiwo.tools.corpus.index.writer import IndexWriter
from weiwo.tools.corpus.records import Changes
from weiwo.tools.corpus.retrieval.indexed_corpus import IndexedCorpus

ALL = 1 << 40


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    """Two hundred passages: all say harbour, half ferry, a tenth customs, one lighthouse."""
    folder = tmp_path_factory.mktemp("corpus")
    texts = [
        " ".join(
            ["harbour"] * (1 + n % 3)
            + ["ferry"] * (n % 2)
            + ["customs"] * (n % 10 == 0)
            + ["lighthouse"] * (n == 77)
            + [f"pier{n}"]
        )
        for n in range(200)
    ]
    with IndexWriter(folder) as writer:
        writer.apply(Changes(put=[document("all.md", *texts, title="Port")]))
    return IndexedCorpus(folder).snapshot()


def test_common_words_add_to_scores_without_being_looked_for(snapshot):
    asked = query_terms("customs at the ferry harbour")
    snapshot.bounds = _SearchBounds(ALL, ALL, ALL)
    exact = snapshot.search_words(asked, 200)
    snapshot.bounds = _SearchBounds(1, 30, ALL)
    found = snapshot.search_words(asked, 200)
    assert len(exact) == 200
    assert len(found) == 20
    assert [hit for hit, _ in found] == [hit for hit, _ in exact[:20]]
    assert [score for _, score in found] == pytest.approx([score for _, score in exact[:20]])


def test_a_rare_word_alone_is_not_all_that_is_looked_for(snapshot):
    snapshot.bounds = _SearchBounds(2, 30, ALL)
    found = snapshot.search_words(query_terms("lighthouse customs harbour"), 200)
    assert found[0][0] == 78
    assert len(found) == 21


@pytest.mark.parametrize("question", ["harbour", "harbour ferry", "nowhere harbour"])
def test_common_words_are_looked_for_where_there_are_no_others(snapshot, question):
    snapshot.bounds = _SearchBounds(1, 1, ALL)
    assert len(snapshot.search_words(query_terms(question), 300)) >= 100


def test_within_documents_every_word_is_looked_for(snapshot):
    snapshot.bounds = _SearchBounds(1, 1, ALL)
    assert len(snapshot.search_words(query_terms("lighthouse harbour"), 300, [1])) == 200
    assert snapshot.search_words(query_terms("lighthouse harbour"), 300, [2]) == []


def test_a_question_of_many_common_words(snapshot):
    snapshot.bounds = _SearchBounds(1, 1, ALL)
    terms = [f"pier{n}" for n in range(120)]
    assert [hit for hit, _ in snapshot.search_words([*terms, "harbour", "ferry"], 1)] == [1]


def test_only_so_many_n_grams_are_looked_at_the_rarest_first(snapshot):
    grams = query_grams("lighthuose harbuor")
    snapshot.bounds = _SearchBounds(ALL, ALL, ALL)
    assert len(snapshot.search_grams(grams, 24, 300)) == 200
    snapshot.bounds = _SearchBounds(ALL, ALL, grams=3)
    assert [hit for hit, _ in snapshot.search_grams(grams, 24, 300)] == [78]
    assert snapshot.search_grams(query_grams("zzzzzz"), 24, 300) == []


def test_frequencies_are_remembered_for_one_state_of_the_index_alone(tmp_path):
    with IndexWriter(tmp_path) as writer:
        writer.apply(Changes(put=[document("a.md", "harbours")]))
        writer.flush()
        corpus = IndexedCorpus(tmp_path)
        assert corpus.snapshot().frequency("harbour") == corpus.snapshot().frequency("harbour") == 1
        writer.apply(Changes(put=[document("b.md", "a harbour")]))
        writer.flush()
        assert corpus.snapshot().frequency("harbour") == 2
        assert corpus.snapshot().frequency("ferry") == 0


def test_what_a_kill_leaves_half_done_does_not_stand_in_the_way(tmp_path):
    with IndexWriter(tmp_path) as writer:
        writer.apply(Changes(put=[document("a.md", "one harbour"), document("b.md", "one ferry")]))
    (counts,) = tmp_path.glob("keyword-*/meta.json")
    before = counts.read_bytes()
    killed = IndexWriter(tmp_path)
    killed.apply(Changes(put=[document("a.md", "two harbours")]))
    killed._update.commit()
    killed._update.close()
    killed._lock.release()
    counts.write_bytes(before)  # all files of the commit are written but the one that makes it count
    corpus = IndexedCorpus(tmp_path)
    assert {number for number, _ in corpus.snapshot().search_words(query_terms("harbours one two"), 5)} == {2, 3}
    assert corpus.snapshot().generation == corpus.generation == 2
