"""Postgres with pgvector, and Qdrant, through their LangChain integrations: filled by Weiwo and searched by it.

The integrations are no dependencies of ours: where one is not installed, its test is skipped. The Postgres is the real
server that all tests use, which has pgvector; Qdrant runs within the process, as its client can.
"""

import sys
import warnings
from types import ModuleType

import psycopg
import pytest

from tests.support.corpora import LetterEmbeddings, document
from weiwo.state.settings import Settings
from weiwo.tools.corpus.index.vector_store_sync import _SyncReport, sync_vector_store
from weiwo.tools.corpus.index.writer import IndexWriter
from weiwo.tools.corpus.loading import load_corpus
from weiwo.tools.corpus.records import Changes
from weiwo.tools.corpus.retrieval.external_store import open_external

pytestmark = pytest.mark.integration

ENTRY = "@my_stores.papers"


@pytest.fixture
def stores(monkeypatch):
    made = ModuleType("my_stores")
    monkeypatch.setitem(sys.modules, "my_stores", made)
    open_external.cache_clear()
    yield made
    open_external.cache_clear()


async def assert_filled_and_searched(tmp_path):
    """Fill the store, search it as a run would, change the corpus, and search again."""
    with IndexWriter(tmp_path / "corpus") as writer:
        facts = ("The Elisabeth Bridge is white.", "清源石桥建于1623年。", "Zebras graze on the far bank.")
        writer.apply(Changes(put=[document(f"{n}.md", fact, date="2024-03-05") for n, fact in enumerate(facts)]))
        assert sync_vector_store(writer, ENTRY, open_external(ENTRY).inner) == _SyncReport(3, 0, 3)
        settings = Settings(home=str(tmp_path / "home"), telemetry=False)
        corpus = await load_corpus([ENTRY], settings=settings)
        found = await corpus.search("zebras graze far bank", 2)
        assert (found[0].text, found[0].source, found[0].locator, found[0].date) == (
            "Zebras graze on the far bank.",
            "2.md",
            "line 1",
            "2024-03-05",
        )
        assert len(found) == 2
        assert [one.text for one in await corpus.open("2.md", "zebra")] == [found[0].text]
        assert "清源石桥建于1623年。" in {one.text for one in await corpus.search("清源石桥", 3)}
        writer.apply(Changes(removed=["/docs/2.md"]))
        assert sync_vector_store(writer, ENTRY, open_external(ENTRY).inner) == _SyncReport(0, 1, 2)
        assert {one.source for one in await corpus.search("zebras graze far bank")} == {"0.md", "1.md"}


async def test_postgres_with_pgvector(postgres_url, stores, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what it imports warns
        postgres = pytest.importorskip("langchain_postgres")
    made = []

    def papers() -> postgres.PGVector:
        url = postgres_url.replace("postgresql://", "postgresql+psycopg://", 1)
        made.append(postgres.PGVector(LetterEmbeddings(), connection=url, collection_name="papers"))
        return made[-1]

    stores.papers = papers
    try:
        await assert_filled_and_searched(tmp_path)
        with psycopg.connect(postgres_url) as connection:
            rows = connection.execute("SELECT document, vector_dims(embedding) FROM langchain_pg_embedding").fetchall()
        assert sorted(rows) == [("The Elisabeth Bridge is white.", 26), ("清源石桥建于1623年。", 26)]
    finally:
        for one in made:
            one.session_maker.remove()
            one._engine.dispose()


async def test_qdrant(stores, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        qdrant = pytest.importorskip("langchain_qdrant")
        client = pytest.importorskip("qdrant_client").QdrantClient(":memory:")
        models = pytest.importorskip("qdrant_client.models")
    client.create_collection("papers", models.VectorParams(size=26, distance=models.Distance.COSINE))
    stores.papers = qdrant.QdrantVectorStore(client, "papers", LetterEmbeddings())
    await assert_filled_and_searched(tmp_path)
    kept = [point.payload["page_content"] for point in client.scroll("papers")[0]]
    assert sorted(kept) == ["The Elisabeth Bridge is white.", "清源石桥建于1623年。"]
    client.close()
