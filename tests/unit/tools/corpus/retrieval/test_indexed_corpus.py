"""Searching a corpus on disk: what is found, in which order, and what is said."""

import asyncio

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from tests.support.corpora import LetterEmbeddings, corpus_of, document
from tests.support.examples import examples
from weiwo.state import Evidence
from weiwo.state.source_filter import SourceFilter
from weiwo.tools.calling import call_context
from weiwo.tools.calling.call_context import CallContext
from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.corpus.base import DocumentNotFoundError
from weiwo.tools.corpus.index.embedding_models import Embedder
from weiwo.tools.corpus.index.vector_index import embed_passages
from weiwo.tools.corpus.index.writer import IndexWriter
from weiwo.tools.corpus.records import Changes
from weiwo.tools.corpus.retrieval.federation import FederatedCorpus
from weiwo.tools.corpus.retrieval.indexed_corpus import IndexedCorpus
from weiwo.tools.corpus.retrieval.routed_corpus import RoutedCorpus
from weiwo.tools.corpus.retrieval.score_fusion import STRATEGIES, SearchOptions
from weiwo.tools.corpus.tools import CorpusSearch, OpenDocument

KEYWORD = SearchOptions(strategy="keyword", linked=False)


async def sources(corpus, query, **options):
    return [hit.source for hit in await corpus.search(query, options=SearchOptions(**options))]


async def test_both_languages_and_identifiers(tmp_path):
    corpus = corpus_of(
        tmp_path,
        document("bridge.md", "The bridge joins Buda and Pest.", title="Chain Bridge"),
        document("caesar.md", "凱撒於公元前100年出生在羅馬。", title="凱撒", language="zh"),
        document("note.txt", "Ticket INC-49217 is closed; see getUserName and user_id in v1.2.3."),
    )
    assert await sources(corpus, "who designed bridges?") == ["bridge.md"]
    assert await sources(corpus, "凯撒哪年出生?") == ["caesar.md"]
    for query in ("inc 49217", "INC-49217", "user_id", "username", "ｖ1.2.3", "tickte"):
        assert await sources(corpus, query) == ["note.txt"], query
    assert await corpus.search("qqqq xxxx") == []
    assert await corpus.search("") == []
    assert await corpus.search("bridge", 0) == []


def test_a_corpus_whose_first_batch_is_being_shown_is_not_empty(tmp_path, monkeypatch):
    other = IndexWriter(tmp_path)
    other.apply(Changes(put=[document("bridge.md", "The bridge joins Buda and Pest.")]))  # kept, and not shown yet
    monkeypatch.setattr("weiwo.tools.corpus.index.writer.time.sleep", lambda _: other.close())  # while it is waited for
    assert IndexedCorpus(tmp_path).size == 1


async def test_an_identifier_is_answered_by_the_passage_that_holds_it(tmp_path):
    others = [
        document(f"{n}.md", f"What is the status of the payment service outage INC-{n}? All about tickets.")
        for n in range(10000, 10040)
    ]
    corpus = corpus_of(tmp_path, *others, document("it.md", "INC-49217 and much else that fills the text " * 9))
    found = await corpus.find("What is the status of the payment service outage INC-49217?")
    assert found.passages[0].source == "it.md"
    assert found.trace.exact == ("inc-49217",)


async def test_a_mentioned_document_is_found_one_hop_away(tmp_path):
    filler = [document(f"f{n}.md", f"The director of film number {n} was born somewhere.") for n in range(20)]
    corpus = corpus_of(
        tmp_path,
        *filler,
        document("film.md", "Night Train is a film directed by Anna Kowalska.", title="Night Train"),
        document("anna.md", "She comes from Gdynia, a port.", "More of her.", title="Anna Kowalska (painter)"),
    )
    question = "Where was the director of the film Night Train born?"
    hits = await corpus.search(question, 3)
    assert [hit.source for hit in hits[:2]] == ["film.md", "anna.md"]
    assert hits[1].text.startswith("She comes")
    assert "anna.md" not in await sources(corpus, question, linked=False)


async def test_a_title_that_many_share_leads_nowhere(tmp_path):
    others = [document(f"{n}.md", "Nothing in common.", title="Overview") for n in range(5)]
    corpus = corpus_of(tmp_path, document("a.md", "The zebra is treated in Overview."), *others)
    assert await sources(corpus, "zebra") == ["a.md"]


async def test_a_document_named_in_the_question_comes_first(tmp_path):
    corpus = corpus_of(
        tmp_path,
        document("one.md", "It was finished in 1931 by the city.", title="Orion Tower"),
        document(
            "two.md", "The Orion Tower is a tower. The tower was finished; finished towers follow.", title="Heights"
        ),
    )
    assert (await sources(corpus, "When was the Orion Tower finished?"))[0] == "one.md"


async def test_equal_texts_are_found_once_and_stay_in_their_documents(tmp_path):
    copies = [document(f"copy{n:03}.md", "The Same text about zebras.", title="T") for n in range(300)]
    corpus = corpus_of(tmp_path, *copies, document("z.md", "One zebra, in a longer text about many other things."))
    assert [hit.source for hit in await corpus.search("zebra", 2, options=KEYWORD)] == ["copy000.md", "z.md"]
    assert (await corpus.open("copy007.md"))[0].source == "copy007.md"


async def test_equal_scores_come_in_order_and_results_are_whole(tmp_path):
    corpus = corpus_of(tmp_path, *(document(f"{name}.txt", f"zebra {name}{name}") for name in "cab"))
    hits = await corpus.search("zebra")
    assert [hit.source for hit in hits] == ["a.txt", "b.txt", "c.txt"]  # by name, whichever was indexed first
    assert [hit.rank for hit in hits] == [1, 2, 3]
    assert all(hit.score > 0 for hit in hits)
    assert [Evidence.model_validate(hit.model_dump()) for hit in hits] == hits
    assert all(hits == again for again in await asyncio.gather(*(corpus.search("zebra") for _ in range(30))))


@pytest.mark.parametrize("strategy", STRATEGIES)
async def test_every_strategy_keeps_to_a_filter(tmp_path, strategy):
    corpus = corpus_of(
        tmp_path,
        document("a/en.md", "zebra", date="2024-05-01"),
        document("a/zh.pdf", "zebra 斑马", kind="pdf", language="zh", date="2025-05-01"),
        document("b/old.md", "zebra there", date="1999-05-01"),
    )
    for wanted, expected in (
        (SourceFilter(since="2024-06-01"), {"a/zh.pdf"}),
        (SourceFilter(since="2024"), {"a/zh.pdf", "a/en.md"}),
        (SourceFilter(folders=("b",)), {"b/old.md"}),
        (SourceFilter(folders=("c",)), set()),
    ):
        assert set(await sources(corpus, "zebra", within=wanted, strategy=strategy)) == expected, wanted


@pytest.mark.parametrize(
    ("within", "expected"),
    [
        (SourceFilter(folders=("a",)), {"a/one.md", "b/a/two.md"}),
        (SourceFilter(folders=("b/a", "/docs/c")), {"b/a/two.md", "c/three.md"}),
        (SourceFilter(since="2024-06"), {"b/a/two.md"}),
        (SourceFilter(folders=("c",), outer=SourceFilter(folders=("a",))), set()),
    ],
)
async def test_a_search_keeps_to_the_folders_and_dates_of_the_user(tmp_path, within, expected):
    corpus = corpus_of(
        tmp_path,
        document("a/one.md", "zebra", date="2024-05-01"),
        document("b/a/two.md", "zebra too", date="2025-05-01"),
        document("c/three.md", "zebra three"),
    )
    for one in (corpus, RoutedCorpus(corpus.folder), FederatedCorpus([corpus, corpus])):
        assert {hit.source for hit in await one.search("zebra", within=within)} == expected
    tool = CorpusSearch(corpus=corpus, within=within)
    _, found = await tool._arun("zebra", folder="two.md/..")
    assert found == [], "an argument narrows"


async def test_a_document_outside_is_not_opened(tmp_path):
    corpus = corpus_of(tmp_path, document("a/one.md", "zebra", date="2024-05-01"))
    assert (await OpenDocument(corpus=corpus, within=SourceFilter(folders=("a",)))._arun("a/one.md"))[1]
    for within in (SourceFilter(folders=("b",)), SourceFilter(since="2025")):
        with pytest.raises(ToolCallError, match="is left out"):
            await OpenDocument(corpus=corpus, within=within)._arun("a/one.md")


async def test_a_document_is_opened_in_order_or_by_relevance(tmp_path):
    corpus = corpus_of(
        tmp_path, document("a/guide.md", "of the river", "of the tower", "of the bridge", title="The Guide")
    )
    assert [hit.locator for hit in await corpus.open("a/guide.md")] == ["line 1", "line 2", "line 3"]
    by_query = await corpus.open("guide", "towers")
    assert [hit.locator for hit in by_query] == ["line 2", "line 1", "line 3"]
    assert len(await corpus.open("the guide", "tower", 1)) == 1
    for name in ("", "nothing.md", "../../etc/passwd", "a\x00b", "x" * 10_000):
        with pytest.raises(DocumentNotFoundError) as caught:
            await corpus.open(name)
        assert "\n" not in str(caught.value)


async def test_vectors_find_what_words_do_not(tmp_path):
    letters = LetterEmbeddings()
    model = Embedder("letters", letters)
    with IndexWriter(tmp_path) as writer:
        writer.apply(Changes(put=[document("a.md", "silent night", title=""), document("b.md", "qqq zzz", title="")]))
        assert embed_passages(writer, model).done == 2
    corpus = IndexedCorpus(tmp_path, embedder=model)
    assert (await sources(corpus, "listen thing", strategy="vector"))[0] == "a.md"
    found = await corpus.find("night")
    assert set(found.trace.arms) == {"keyword", "vectors"}
    assert found.trace.notes == []


async def test_an_embedding_model_that_is_down_is_said_and_searched_without(tmp_path, caplog):
    letters = LetterEmbeddings()
    model = Embedder("letters", letters)
    with IndexWriter(tmp_path) as writer:
        writer.apply(Changes(put=[document("a.md", "silent night")]))
    corpus = IndexedCorpus(tmp_path, embedder=model)
    assert "run weiwo index" in (await corpus.find("night")).trace.notes[0]
    with IndexWriter(tmp_path) as writer:
        embed_passages(writer, model)
    letters.down = True
    found = await corpus.find("night")
    assert [hit.source for hit in found.passages] == ["a.md"]
    assert "connection refused" in found.trace.notes[0]
    for _ in range(2):
        assert await corpus.search("night again")
    before = len(letters.calls)
    assert await corpus.search("night again")
    assert len(letters.calls) == before  # it rests
    assert "searched without it" in caplog.text


async def test_one_slow_reply_degrades_one_query_and_says_so_to_the_caller(tmp_path):
    letters = LetterEmbeddings()
    model = Embedder("letters", letters)
    with IndexWriter(tmp_path) as writer:
        writer.apply(Changes(put=[document("a.md", "silent night")]))
        embed_passages(writer, model)
    corpus = IndexedCorpus(tmp_path, embedder=model)
    call = CallContext()
    token = call_context._current.set(call)
    letters.down = True
    assert await corpus.search("night")
    assert len(call.notes) == 1
    assert "searched without it" in call.notes[0]
    letters.down = False
    assert (await corpus.find("night")).trace.notes == []
    call_context._current.reset(token)


async def test_a_passage_without_a_vector_is_weighed_by_what_it_has(tmp_path):
    model = Embedder("letters", LetterEmbeddings())
    others = [document(f"{n}.md", f"the zebra stands in field {n} with grass and hay") for n in range(12)]
    gold = document("gold.md", "the zebra crossing of Abbey Road was painted in 1969")
    question = "When was the zebra crossing of Abbey Road painted?"

    def rank(passages):
        return [hit.source for hit in passages].index("gold.md") + 1

    with IndexWriter(tmp_path) as writer:
        writer.apply(Changes(put=others))
        embed_passages(writer, model)
        writer.apply(Changes(put=[gold]))
        writer.flush()
        corpus = IndexedCorpus(tmp_path, embedder=model)
        partial = await corpus.find(question, 12)
        assert partial.trace.coverage == (12, 13)
        assert rank(partial.passages) == 1
        alone = await corpus.find(question, 13, options=SearchOptions(strategy="vector"))
        assert rank(alone.passages), "found by its n-grams"
        embed_passages(writer, model)
        whole = await corpus.find(question, 12)
        assert whole.trace.coverage == (13, 13)
        assert "grams" not in whole.trace.arms
        assert rank(whole.passages) == 1


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return corpus_of(
        tmp_path_factory.mktemp("small"), document("a.md", "some body AND text"), document("b.md", "汉武帝")
    )


@examples(60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=st.text(max_size=80))
def test_no_query_breaks_the_search(small, query):
    assert all(hit.score > 0 for hit in asyncio.run(small.search(query)))


async def test_a_megabyte_of_query_is_cut(small):
    assert (await small.search("body " + "汉x1 " * 200_000))[0].source in {"a.md", "b.md"}
