"""Documents kept elsewhere: LangChain vector stores and retrievers as corpora, and corpora put into them."""

import sys
import threading
from io import StringIO
from types import ModuleType

import pytest
import typer
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.vectorstores import InMemoryVectorStore
from rich.console import Console

from tests.support.corpora import LetterEmbeddings, document
from weiwo.app.cli.documents.index import index
from weiwo.app.render.search_results import print_results
from weiwo.graph import build_graph
from weiwo.state.evidence import UNSCORED
from weiwo.state.settings import Context, Settings
from weiwo.text.localization import localize_message
from weiwo.tools.corpus.base import CorpusError, DocumentNotFoundError
from weiwo.tools.corpus.index.vector_store_sync import _ATTEMPTS, _SyncReport, sync_vector_store
from weiwo.tools.corpus.index.writer import IndexWriter
from weiwo.tools.corpus.loading import load_corpus
from weiwo.tools.corpus.records import Changes
from weiwo.tools.corpus.retrieval import external_store
from weiwo.tools.corpus.retrieval.external_store import ExternalCorpus, _convert_document, open_external

ANSWERS = threading.Event()
"""Set once a question for something slow is to be answered."""


class Words(BaseRetriever):
    """Finds every document that shares a word with the question."""

    documents: list[Document]

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:  # noqa: ARG002
        if "broken" in query:
            raise ConnectionError("refused, key sk-secret123456789")
        if "slow" in query:
            ANSWERS.wait()
        return [
            one for one in self.documents if set(query.casefold().split()) & set(one.page_content.casefold().split())
        ]


UNSCORED_WORDS = {name: localize_message("writer.rule_answer.leads", "unscored")[name] for name in ("en", "zh")}
BRIDGE = Document("The bridge opened in 1849.", metadata={"source": "bridge.pdf", "page": 2, "total_pages": 3})
TOWER = Document("The tower is tall.", metadata={"source": "https://a.b/tower.html", "title": "Tower", "h2": "Size"})


@pytest.fixture
def module(monkeypatch):
    """A module of the user's, `my_stores`."""
    made = ModuleType("my_stores")
    monkeypatch.setitem(sys.modules, "my_stores", made)
    open_external.cache_clear()
    yield made
    open_external.cache_clear()


@pytest.fixture
def settings(tmp_path):
    return Settings(home=str(tmp_path / "home"), telemetry=False)


@pytest.fixture
def store(module):
    module.papers = InMemoryVectorStore(LetterEmbeddings())
    return module.papers


@pytest.mark.parametrize(
    ("metadata", "source", "title", "locator", "date"),
    [
        ({"source": "a/report.pdf", "page": 0, "total_pages": 9}, "a/report.pdf", "report", "page 1", None),
        ({"file_path": "a.pdf", "page": 3, "page_label": "iv"}, "a.pdf", "a", "page iv", None),
        (
            {"url": "https://x/y.html", "title": "Y", "Header 2": "B", "Header 1": "A"},
            "https://x/y.html",
            "Y",
            "A › B",
            None,
        ),
        ({"source": "n.md", "loc": {"lines": {"from": 3, "to": 9}}}, "n.md", "n", "lines 3-9", None),
        ({"source": "n.md", "locator": "page 2, line 4", "page": 7}, "n.md", "n", "page 2, line 4", None),
        ({"source": "n.md", "published_at": "2024-03-05T10:00:00Z"}, "n.md", "n", "", "2024-03-05"),
        ({"source": ["odd"], "title": None, "file_name": "笔记.txt", "date": 7}, "笔记.txt", "笔记", "", None),
    ],
)
def test_metadata_by_their_usual_names_lead_to_the_place(metadata, source, title, locator, date):
    one = _convert_document("@m.x", Document("Words.", metadata=metadata))
    assert (one.source, one.title, one.locator, one.date) == (source, title, locator, date)


def test_without_metadata_a_passage_still_has_a_source_of_its_own():
    one, other = (
        _convert_document("@m.x", Document(text, id=name)) for text, name in (("Words.", "7"), ("More.", None))
    )
    assert one.source == "@m.x#7"
    assert other.source == f"@m.x#{other.id}"
    assert _convert_document("@m.x", Document("a\x1b[31m\u202eb" + "c" * 9_000)).text == "a[31mb" + "c" * 7_994


async def test_a_retriever_is_a_corpus(module, settings):
    def papers() -> Words:
        return Words(documents=[BRIDGE, TOWER, BRIDGE])

    module.papers = papers
    corpus = await load_corpus(["@my_stores.papers"], settings=settings)
    assert corpus is await load_corpus(["@my_stores.papers"], settings=settings)  # made once
    assert (corpus.size, corpus.documents, corpus.problems) == (1, (), ())
    found = await corpus.search("the bridge")
    assert [(one.source, one.locator, one.rank, one.score) for one in found] == [
        ("bridge.pdf", "page 3", 1, 1.0),
        ("https://a.b/tower.html", "Size", 2, 0.5),
    ]
    assert await corpus.search("the bridge", 1) == found[:1]
    assert await corpus.search("zebra") == await corpus.search(" ") == []
    assert corpus.documents == ("https://a.b/tower.html", "bridge.pdf")
    (opened,) = await corpus.open("bridge.pdf", "tower")
    assert opened.text == BRIDGE.page_content
    with pytest.raises(DocumentNotFoundError, match="search first"):
        await corpus.open("/etc/passwd")


@pytest.mark.processes
async def test_it_is_searched_beside_ones_own_files(store, settings, tmp_path):
    (tmp_path / "note.md").write_text("The bridge was painted green.", encoding="utf-8")
    store.add_documents([BRIDGE])
    corpus = await load_corpus([tmp_path / "note.md", "@my_stores.papers"], settings=settings)
    assert {one.source for one in await corpus.search("bridge")} == {str(tmp_path / "note.md"), "bridge.pdf"}


async def test_one_that_does_not_answer_is_one_line_without_secrets(monkeypatch):
    corpus = ExternalCorpus("@my_stores.papers", Words(documents=[]))
    with pytest.raises(CorpusError, match=r"@my_stores.papers: ConnectionError.*check that it is running") as caught:
        await corpus.search("broken")
    assert "sk-secret" not in str(caught.value)
    monkeypatch.setattr(external_store, "_SECONDS", 0.05)
    with pytest.raises(CorpusError, match="no reply within"):
        await corpus.search("slow")
    ANSWERS.set()


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("@nothing", "use the form"),
        ("@my_stores.absent", "cannot be loaded"),
        ("@no.such.module", "cannot be loaded"),
        ("@my_stores.number", "a int; it must be a LangChain vector store, a retriever, or a function annotated"),
    ],
)
async def test_what_is_none_is_said_in_one_line(module, settings, entry, said):
    module.number = 7
    with pytest.raises(CorpusError, match=said) as caught:
        await load_corpus([entry], settings=settings)
    assert "\n" not in str(caught.value)


def held(store):
    return sorted((one["text"], one["metadata"]["source"]) for one in store.store.values())


def test_a_store_is_kept_up_to_a_corpus_and_what_others_put_there_stays(store, tmp_path):
    store.add_documents([TOWER])
    target = open_external("@my_stores.papers")
    with IndexWriter(tmp_path) as writer:
        writer.apply(
            Changes(put=[document(f"{n}.md", f"Passage {n}.", f"More of {n}.", date="2024-01-01") for n in range(70)])
        )
        assert sync_vector_store(writer, target.name, target.inner) == _SyncReport(140, 0, 140)
        assert sync_vector_store(writer, target.name, target.inner) == _SyncReport(0, 0, 140)
        writer.apply(Changes(put=[document("0.md", "Passage 0.", "Another.")], removed=["/docs/1.md"]))
        assert sync_vector_store(writer, target.name, target.inner) == _SyncReport(1, 3, 138)
    assert len(store.store) == 139
    assert [text for text, source in held(store) if source in {"0.md", "1.md"}] == ["Another.", "Passage 0."]
    (one,) = [found for found in store.store.values() if found["text"] == "More of 7."]
    assert one["metadata"] == {
        "source": "7.md",
        "title": "7.md",
        "locator": "line 2",
        "date": "2024-01-01",
        "type": "markdown",
        "language": "en",
    }


def test_a_store_that_goes_down_is_gone_on_with(store, tmp_path, monkeypatch):
    target, slept, put = open_external("@my_stores.papers"), [], store.add_documents
    calls = iter([True, *[False] * _ATTEMPTS])

    def failing(documents, **more):
        if next(calls, True):
            return put(documents, **more)
        raise ConnectionError("refused")

    monkeypatch.setattr(store, "add_documents", failing)
    with IndexWriter(tmp_path) as writer:
        writer.apply(Changes(put=[document(f"{n}.md", f"Passage {n}.") for n in range(100)]))
        with pytest.raises(CorpusError, match="run the command again to continue"):
            sync_vector_store(writer, target.name, target.inner, sleep=slept.append)
        assert (slept, len(store.store)) == ([1, 4], 64)
        assert sync_vector_store(writer, target.name, target.inner).added == 36


def test_a_retriever_takes_no_documents(tmp_path):
    with IndexWriter(tmp_path) as writer, pytest.raises(CorpusError, match="accepts no documents"):
        sync_vector_store(writer, "@a.b", Words(documents=[]))


@pytest.mark.processes
def test_the_command_fills_a_store(store, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "note.md").write_text("The bridge was painted green.", encoding="utf-8")
    with pytest.raises(typer.Exit) as ended:
        index(["note.md"], into="@my_stores.papers")
    assert ended.value.exit_code == 0
    assert held(store) == [("The bridge was painted green.", "note.md")]
    assert "@my_stores.papers: 1 passage added, 0 removed; it has 1 of this corpus" in capsys.readouterr().err


class BM25Retriever(BaseRetriever):
    """Returns all documents, as that of langchain-community does with a `k` as large."""

    documents: list[Document]

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:  # noqa: ARG002
        return self.documents


async def test_a_retriever_by_words_finds_only_documents_that_hold_one():
    corpus = ExternalCorpus("@my_stores.words", BM25Retriever(documents=[BRIDGE, TOWER]))
    assert [one.title for one in await corpus.search("When did the bridge open?")] == ["bridge"]
    assert await corpus.search("Who won the chess cup of Tarsk?") == []


class Unscored(BaseRetriever):
    """Is asked for scores that its store does not tell."""

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        raise NotImplementedError


async def test_what_a_store_returns_for_any_question_is_marked_as_unscored():
    words = ExternalCorpus("@my_stores.words", BM25Retriever(documents=[BRIDGE, TOWER]))
    assert {one.flags for one in await words.search("When did the bridge open?")} == {()}
    vectors = ExternalCorpus(
        "@my_stores.vectors", InMemoryVectorStore.from_documents([BRIDGE, TOWER], LetterEmbeddings())
    )
    found = await vectors.search("Who won the chess cup of Tarsk?")
    assert len(found) == 2
    assert {one.flags for one in found} == {(UNSCORED,)}
    shown = Console(file=StringIO(), width=100)
    print_results(shown, found, [])
    assert shown.file.getvalue().count("no score") == 2


async def test_nothing_of_an_unscored_store_is_called_close(module, tmp_path, monkeypatch):
    monkeypatch.setenv("WEIWO_HOME", str(tmp_path))
    module.papers = InMemoryVectorStore.from_documents([BRIDGE, TOWER], LetterEmbeddings())
    for language, question in (("en", "Who won the chess cup of Tarsk?"), ("zh", "谁赢得了塔斯克杯？")):
        given = Context(corpus=["@my_stores.papers"], web=False, language=language)
        result = (await build_graph().ainvoke({"question": question}, context=given))["result"]
        assert result["extracts"]
        (notice,) = (one for one in result["notices"] if one in UNSCORED_WORDS.values())
        assert notice == UNSCORED_WORDS[language]
        assert not any(words in str(result["notices"]) for words in ("Closest", "最接近"))


async def test_a_store_that_tells_no_scores_is_said_to_be_one():
    with pytest.raises(CorpusError, match="it gives no scores; use a retriever"):
        await ExternalCorpus("@my_stores.unscored", Unscored()).search("bridge")


@pytest.mark.parametrize(
    ("metadata", "title"),
    [
        ({}, "Minutes of the quay"),
        ({"id": "8f14e45fceea167a5a36dedd4bea2543"}, "Minutes of the quay"),
        ({"doc_id": "c56a4180-65aa-42ec-a945-5fd21dec0538"}, "Minutes of the quay"),
        ({"id": 4711}, "Minutes of the quay"),
        ({"id": "minutes-2026"}, "minutes-2026"),
        ({"source_url": "https://a.org/minutes.html"}, "minutes"),
        ({"id": "8f14e45fceea167a5a36dedd4bea2543", "page_title": "Quay"}, "Quay"),
    ],
)
def test_a_title_is_never_a_hash(metadata, title):
    text = "# Minutes of the quay\n\nThe fee rises to 14 crowns."
    assert _convert_document("@my_stores.notes", Document(text, metadata=metadata)).title == title
