"""Vectors: kept by content, resumed, never mixed."""

import pytest

from tests.support.corpora import LetterEmbeddings, document
from weiwo.state.source_filter import SourceFilter
from weiwo.tools.corpus.index.embedding_models import _ATTEMPTS, _BATCH, Embedder, EmbeddingError, load_embedder
from weiwo.tools.corpus.index.vector_index import embed_passages, find_model
from weiwo.tools.corpus.index.writer import IndexWriter
from weiwo.tools.corpus.records import Changes
from weiwo.tools.corpus.retrieval.indexed_corpus import IndexedCorpus
from weiwo.tools.corpus.retrieval.score_fusion import SearchOptions


@pytest.fixture
def writer(tmp_path):
    with IndexWriter(tmp_path) as writer:
        yield writer


def many(count, start=0):
    letters = "etaoinshrdlucmfwypvbgkjqxz"
    texts = ["".join(letters[(n * step + step) % 26] * (step % 4 + 1) for step in range(1, 14)) for n in range(count)]
    return [document(f"{n + start}.md", f"{text} {n + start}", title=f"t{n}") for n, text in enumerate(texts)]


def test_only_what_has_no_vector_is_embedded(writer):
    letters = LetterEmbeddings()
    model = Embedder("letters", letters)
    writer.apply(Changes(put=[document("a.md", "one", "two", title="t"), document("b.md", "one", title="t")]))
    assert (embed_passages(writer, model).done, len(letters.asked())) == (2, 3)  # the same words twice, and a probe
    writer.apply(Changes(put=[document("a.md", "one", "three", title="t")]))
    letters.calls.clear()
    assert embed_passages(writer, model).total == 2
    assert letters.asked() == ["?", "t\nthree"]


def test_it_goes_on_where_it_failed(writer):
    letters = LetterEmbeddings()
    model = Embedder("letters", letters, sleep=lambda _: None)
    writer.apply(Changes(put=many(_BATCH + 5)))
    plain = letters.embed_documents
    told = []

    def failing(texts):
        if len(texts) == 5:
            letters.calls.append([])
            raise ConnectionError("gone\nat once")
        return plain(texts)

    letters.embed_documents = failing
    with pytest.raises(EmbeddingError, match="gone at once") as caught:
        embed_passages(writer, model, told.append)
    assert "\n" not in str(caught.value)
    assert [call for call in letters.calls if not call] == [[]] * _ATTEMPTS
    assert told[-1].done == _BATCH
    letters.embed_documents = plain
    letters.calls.clear()
    assert embed_passages(writer, model).done == _BATCH + 5
    assert len(letters.asked()) == 6


def test_another_model_re_embeds_visibly_and_never_mixes(writer):
    writer.apply(Changes(put=many(3)))
    embed_passages(writer, Embedder("one", LetterEmbeddings()))
    told = []
    assert embed_passages(writer, Embedder("two", LetterEmbeddings(13)), told.append).replaces == "one"
    assert (told[0].done, told[-1].done) == (0, 3)
    with writer.store.read_transaction() as connection:
        assert find_model(connection, "one") is None
        assert find_model(connection, "two").dimension == 13
        assert connection.execute("SELECT count(*), count(DISTINCT model) FROM vectors").fetchone() == (3, 1)
    assert embed_passages(writer, Embedder("two", LetterEmbeddings(20))).replaces == "two (13 numbers)"


async def test_a_model_that_changed_its_length_is_said(writer, tmp_path):
    writer.apply(Changes(put=many(3)))
    embed_passages(writer, Embedder("one", LetterEmbeddings()))
    corpus = IndexedCorpus(tmp_path, embedder=Embedder("one", LetterEmbeddings(13)))
    writer.flush()
    assert "now have 13 numbers, but 26 in the index" in (await corpus.find("words")).trace.notes[0]


async def test_what_comes_later_is_found_and_folders_are_kept_to(writer, tmp_path):
    model = Embedder("letters", LetterEmbeddings())
    writer.apply(Changes(put=many(200)))
    embed_passages(writer, model)
    writer.flush()
    corpus = IndexedCorpus(tmp_path, embedder=model)
    options = SearchOptions(strategy="vector", linked=False)
    assert await corpus.search("jq qj", options=options)
    writer.apply(Changes(put=[document("new/new.md", "jjjjjj qqqqqq", title="", kind="text")]))
    embed_passages(writer, model)
    writer.flush()
    assert (await corpus.search("jq qj", options=options))[0].source == "new/new.md"
    within = SearchOptions(strategy="vector", linked=False, within=SourceFilter(folders=("new",)))
    assert [hit.source for hit in await corpus.search("etaoin", options=within)] == ["new/new.md"]


async def test_vectors_of_what_is_gone_are_not_found(writer, tmp_path):
    model = Embedder("letters", LetterEmbeddings())
    writer.apply(Changes(put=many(30)))
    embed_passages(writer, model)
    writer.apply(Changes(removed=[f"/docs/{n}.md" for n in range(29)]))
    writer.flush()
    corpus = IndexedCorpus(tmp_path, embedder=model)
    hits = await corpus.search("etaoin", options=SearchOptions(strategy="vector"))
    assert [hit.source for hit in hits] == ["29.md"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("minilm", "not provider:model"),
        ("nobody:x", "the provider .nobody. is unknown"),
        ("openai:x", "OPENAI_API_KEY"),
    ],
)
def test_a_model_that_cannot_be_had_is_one_clear_line(name, said):
    with pytest.raises(EmbeddingError, match=said) as caught:
        load_embedder(name, {})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("reply", [[[0.0, 0.0]], [[float("nan"), 1.0]], [1.0, 2.0], [], "text"])
def test_replies_that_are_no_vectors_are_refused(reply):
    letters = LetterEmbeddings()
    letters.embed_documents = lambda _: reply
    with pytest.raises(EmbeddingError):
        Embedder("odd", letters, sleep=lambda _: None).embed_texts(["a"])
