"""Document loaders as a source: what becomes of their documents, what is read again, how they fail."""

import json
import sys
import threading
import time
import warnings
from types import ModuleType, SimpleNamespace

import pytest
import typer
from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document

from weiwo.app.cli.documents.corpus import _as_json, _line
from weiwo.app.cli.documents.index import _IndexRun, index
from weiwo.tools.corpus.base import CorpusError
from weiwo.tools.corpus.index.catalog import list_corpora, locate_by_name, read_note, summarize_corpus
from weiwo.tools.corpus.index.writer import IndexWriter
from weiwo.tools.corpus.ingestion import langchain_loader
from weiwo.tools.corpus.ingestion.ingest import ingest_files
from weiwo.tools.corpus.ingestion.langchain_loader import (
    LoaderSpec,
    import_loader,
    ingest_loaded,
    load_documents,
    parse_loader,
    read_states,
    write_states,
)
from weiwo.tools.corpus.loading import load_corpus
from weiwo.tools.corpus.records import ChangeBatch
from weiwo.tools.corpus.retrieval.indexed_corpus import IndexedCorpus

COMMUNITY = "langchain_community.document_loaders"
PEOPLE = "name,role,since\nMarta Quill,architect,1931-02-03\nJonas Brenn,mason,1929-01-01\n"
PROGRAM = '"""The tide table."""\n\n\ndef tide(hour):\n    return 3.5 if hour % 12 < 6 else 0.5\n'


class Given(BaseLoader):
    """Gives what a test put there."""

    documents: list[object] = []  # noqa: RUF012  # set by each test
    held = threading.Event()

    def waiting(self) -> None:
        """Called before each wait."""

    def __init__(self, key: str = "", wait: float = 0.0, fail_after: int = -1) -> None:
        del key
        self.wait, self.fail_after = wait, fail_after

    def lazy_load(self):
        warnings.warn("loaders warn a lot", DeprecationWarning, stacklevel=2)
        print("and they print")  # noqa: T201
        for number, document in enumerate(self.documents):
            if number == self.fail_after:
                raise ConnectionError("the wiki does not answer; key=sk-abcdefghijklmnopqrstuvwx")
            yield document
            self.waiting()
            self.held.wait(self.wait)


@pytest.fixture
def loaders(monkeypatch):
    module = ModuleType("my_loaders")
    module.Given = Given
    module.function = lambda: None
    monkeypatch.setitem(sys.modules, "my_loaders", module)
    Given.documents = []
    Given.held.clear()
    yield module
    Given.held.set()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home" / "corpora" / "work"


def page(text, **metadata):
    return Document(page_content=text, metadata=metadata)


async def take(folder, spec):
    loaded = await load_documents(spec, import_loader(spec))
    with IndexWriter(folder) as writer:
        return ingest_loaded(spec, loaded, writer)


def counts(report):
    return report.added, report.changed, report.removed, report.unchanged, report.documents


async def test_rows_of_a_real_loader_are_passages_with_their_places(folder, tmp_path):
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    spec = parse_loader(f"{COMMUNITY}:CSVLoader", '{"file_path": "people.csv"}')
    assert counts(await take(folder, spec)) == (1, 0, 0, 0, 1)
    hits = await IndexedCorpus(folder).search("Marta Quill architect")
    assert [(hit.source, hit.title, hit.locator) for hit in hits[:1]] == [("people.csv", "people", "row 1")]
    assert hits[0].text == "name: Marta Quill\nrole: architect\nsince: 1931-02-03"
    assert counts(await take(folder, spec)) == (0, 0, 0, 1, 1)
    (tmp_path / "people.csv").write_text(PEOPLE + "Ada Fell,clerk,1940-05-06\n", encoding="utf-8")
    assert counts(await take(folder, spec)) == (0, 1, 0, 0, 1)
    assert IndexedCorpus(folder).size == 3


@pytest.mark.parametrize("name", ["TextLoader", "PythonLoader"])
async def test_texts_of_real_loaders_are_found(folder, tmp_path, name):
    (tmp_path / "tide.py").write_text(PROGRAM, encoding="utf-8")
    await take(folder, LoaderSpec(COMMUNITY, name, {"file_path": "tide.py"}))
    (hit,) = await IndexedCorpus(folder).search("tide table")
    assert (hit.source, hit.title, hit.text) == ("tide.py", "tide", PROGRAM.strip())


@pytest.mark.usefixtures("loaders")
async def test_metadata_are_in_citations(folder):
    long = "\n\n".join(
        f"Paragraph {n} of the charter. " + "It is about the harbour and its dues. " * 20 for n in range(3)
    )
    Given.documents = [
        page("The bridge opened in 1849.", url="https://a.example/x//y", title="Chain Bridge", date="2024-05-06T07:08"),
        page("Page one of the ledger.", source="ledger.pdf", page=0, total_pages=2, title="Ledger"),
        page("Page two of the ledger.", source="ledger.pdf", page=1, total_pages=2, title="Ledger"),
        page("A clause.", source="law", title="Law", **{"Header 1": "Part I", "Header 2": "Section 2"}),
        page(long, source="charter"),
    ]
    report = await take(folder, LoaderSpec("my_loaders", "Given"))
    assert counts(report) == (4, 0, 0, 0, 4)
    corpus = IndexedCorpus(folder)
    assert corpus.documents == ("charter", "https://a.example/x//y", "law", "ledger.pdf")
    (bridge,) = await corpus.open("https://a.example/x//y")
    assert (bridge.title, bridge.date, bridge.locator) == ("Chain Bridge", "2024-05-06", "")
    assert [hit.locator for hit in await corpus.open("ledger.pdf")] == ["page 1", "page 2"]
    assert [hit.locator for hit in await corpus.open("charter")][:2] == ["part 1 of 3", "part 2 of 3"]
    (clause,) = await corpus.search("section clause")
    assert clause.source == "law"


@pytest.mark.usefixtures("loaders")
async def test_only_what_changed_is_written_and_what_is_gone_leaves(folder):
    spec = LoaderSpec("my_loaders", "Given")
    Given.documents = [page("One.", source="a"), page("Two.", source="b"), page("Without a source.")]
    assert counts(await take(folder, spec)) == (3, 0, 0, 0, 3)
    Given.documents = [page("One.", source="a"), page("Without a source."), page("Three!", source="c")]
    assert counts(await take(folder, spec)) == (1, 0, 1, 2, 3)
    Given.documents = [page("One, but longer.", source="a"), page("Without a source."), page("Three!", source="c")]
    assert counts(await take(folder, spec)) == (0, 1, 0, 2, 3)
    assert [hit.source for hit in await IndexedCorpus(folder).search("longer")] == ["a"]


@pytest.mark.usefixtures("loaders")
async def test_other_arguments_take_over_the_same_source_and_leave_others(folder):
    Given.documents = [page("One.", source="a"), page("Two.", source="b")]
    await take(folder, LoaderSpec("my_loaders", "Given", {"key": "old"}))
    Given.documents = [page("One.", source="a")]
    assert counts(await take(folder, LoaderSpec("my_loaders", "Given", {"key": "new"}))) == (0, 1, 0, 0, 2)
    assert IndexedCorpus(folder).documents == ("a", "b")


@pytest.mark.processes
async def test_files_and_loaders_share_a_corpus_and_leave_each_other_alone(folder, tmp_path):
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    spec = LoaderSpec(COMMUNITY, "CSVLoader", {"file_path": "people.csv"})
    await _IndexRun(["people.csv"], folder, None, as_json=True).once()
    await take(folder, spec)
    assert IndexedCorpus(folder).documents == ("people.csv", "people.csv (CSVLoader)")
    with IndexWriter(folder) as writer:
        report = await ingest_files([tmp_path], writer)
    assert (report.unchanged, report.removed, report.documents) == (1, 0, 2)


@pytest.mark.processes
async def test_a_file_that_comes_later_is_told_from_what_was_loaded(folder, tmp_path):
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    spec = LoaderSpec(COMMUNITY, "CSVLoader", {"file_path": "people.csv"})
    assert await _IndexRun([], folder, None, loader=spec, as_json=True).once() == 0
    assert await _IndexRun(["people.csv"], folder, None, as_json=True).once() == 0
    corpus = IndexedCorpus(folder)
    assert sorted(corpus.documents) == sorted([str(tmp_path / "people.csv"), "people.csv"])
    assert {hit.source for hit in await corpus.search("Marta Quill")} == set(corpus.documents)


@pytest.mark.processes
async def test_a_corpus_with_a_loader_is_named_not_met_by_its_files(folder, tmp_path):
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("The harbour.", encoding="utf-8")
    await _IndexRun(["docs"], folder, None, as_json=True).once()
    spec = LoaderSpec(COMMUNITY, "CSVLoader", {"file_path": "people.csv"})
    await _IndexRun([], folder, None, loader=spec, as_json=True).once()
    assert read_note(folder).loaders == (f"{COMMUNITY}:CSVLoader",)
    summary = summarize_corpus(folder)
    assert summary.roots == (str(tmp_path / "docs"),)
    assert f"from docs, {COMMUNITY}:CSVLoader" in _line(summary)
    assert _as_json(summary)["loaders"] == [f"{COMMUNITY}:CSVLoader"]
    assert (await load_corpus(["work"])).size == 3
    assert (await load_corpus(["docs"])).size == 1
    assert len(list(list_corpora(tmp_path / "home"))) == 2
    assert locate_by_name(tmp_path / "home", "work") == folder


@pytest.mark.usefixtures("loaders", "folder")
def test_warnings_and_prints_of_loaders_reach_nobody(capsys):
    Given.documents = [page("One.", source="a")]
    with pytest.raises(typer.Exit) as ended:
        index(corpus="work", json=True, loader="my_loaders:Given")
    assert ended.value.exit_code == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["added"] == 1
    assert "warn" not in err


@pytest.mark.parametrize(
    ("named", "arguments", "says"),
    [
        ("CSVLoader", "", "not MODULE:NAME; use the form"),
        ("os.path:join()", "", "not MODULE:NAME; use the form"),
        ("my_loaders:Given", "{", "--loader-args: not valid JSON"),
        ("my_loaders:Given", "[1]", "--loader-args: not a JSON object"),
        ("my_loaders:Given", "[" * 100_000, "--loader-args: not valid JSON"),
        ("no_such_package.loaders:Given", "", "the module no_such_package was not found; install its package"),
        (f"{COMMUNITY}:CsvLoader", "", "did you mean CSVLoader"),
        ("my_loaders:Given2", "", "Given2 was not found in my_loaders"),
        ("my_loaders:function", "", "a function, not a LangChain document loader"),
        ("json:JSONDecoder", "", "the class JSONDecoder, not a LangChain document loader"),
        (
            f"{COMMUNITY}:CSVLoader",
            "",
            "missing a required argument: 'file_path'; its --loader-args are: file_path,",
        ),
        (f"{COMMUNITY}:CSVLoader", '{"file_path": "a", "x": 1}', "unexpected keyword argument 'x'"),
    ],
)
@pytest.mark.usefixtures("loaders")
def test_what_cannot_be_a_loader_is_said_in_one_line(named, arguments, says):
    with pytest.raises(CorpusError) as caught:
        import_loader(parse_loader(named, arguments))
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


async def test_a_package_that_a_loader_lacks_is_named(folder, tmp_path, monkeypatch):
    (tmp_path / "a.html").write_text("<p>Harbour</p>", encoding="utf-8")
    monkeypatch.setitem(sys.modules, "bs4", None)
    with pytest.raises(CorpusError, match=r"BSHTMLLoader: .*beautifulsoup4.*nothing was changed"):
        await take(folder, LoaderSpec(COMMUNITY, "BSHTMLLoader", {"file_path": "a.html"}))
    assert not folder.exists()


async def test_a_module_that_needs_another_package_names_it(tmp_path, monkeypatch):
    (tmp_path / "needy_loaders.py").write_text("import not_there_at_all", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(CorpusError, match="it needs the package not_there_at_all; install it"):
        import_loader(LoaderSpec("needy_loaders", "Given"))


@pytest.mark.usefixtures("loaders")
async def test_a_loader_that_fails_on_the_way_keeps_what_came_and_removes_nothing(folder):
    Given.documents = [page("One.", source="a"), page("Two.", source="b")]
    await take(folder, LoaderSpec("my_loaders", "Given", {"fail_after": 9}))
    Given.documents = [page("One, changed.", source="a"), page("Two.", source="b")]
    report = await take(folder, LoaderSpec("my_loaders", "Given", {"fail_after": 1}))
    (problem,) = report.left_out
    assert counts(report) == (0, 1, 0, 0, 2)
    assert "the wiki does not answer" in problem.reason
    assert "sk-abc" not in problem.reason
    with pytest.raises(CorpusError, match="the wiki does not answer"):
        await take(folder, LoaderSpec("my_loaders", "Given", {"fail_after": 0}))
    assert IndexedCorpus(folder).documents == ("a", "b")


@pytest.mark.parametrize(
    ("limit", "most", "reason"),
    [("_MOST_DOCUMENTS", 2, "it returned more than 2 documents"), ("_MOST_CHARACTERS", 8, "or 8 characters")],
)
@pytest.mark.usefixtures("loaders")
async def test_number_and_size_are_bounded(folder, monkeypatch, limit, most, reason):
    monkeypatch.setattr(langchain_loader, limit, most)
    Given.documents = [page("One.", source="a"), page("Two.", source="b"), page("Three", source="c")]
    report = await take(folder, LoaderSpec("my_loaders", "Given"))
    assert report.documents == 2
    assert [reason in problem.reason for problem in report.left_out] == [True]


@pytest.mark.usefixtures("loaders")
async def test_a_loader_that_hangs_is_left_behind(folder, monkeypatch):
    hangs = threading.Event()
    late = SimpleNamespace(monotonic=lambda: time.monotonic() + 3_600 * hangs.is_set())
    monkeypatch.setattr(langchain_loader, "time", late)
    monkeypatch.setattr(Given, "waiting", lambda _: hangs.set())
    Given.documents = [page("One.", source="a"), page("Two.", source="b")]
    report = await take(folder, LoaderSpec("my_loaders", "Given", {"wait": 600}))
    assert report.documents == 1
    assert ["no document arrived within" in problem.reason for problem in report.left_out] == [True]


@pytest.mark.usefixtures("loaders")
async def test_nothing_given_changes_nothing(folder):
    Given.documents = [page("One.", source="a")]
    spec = LoaderSpec("my_loaders", "Given")
    await take(folder, spec)
    Given.documents = []
    with pytest.raises(CorpusError, match="it returned no document; nothing was changed"):
        await take(folder, spec)
    Given.documents = ["no document"]
    with pytest.raises(CorpusError, match="a str, not a LangChain document; nothing was changed"):
        await take(folder, spec)
    assert IndexedCorpus(folder).size == 1


@pytest.mark.usefixtures("loaders")
async def test_text_from_a_loader_is_data(folder):
    Given.documents = [
        page("The pier\x1b[2J\u202e is old. \ud800", source="a\nb", title="\x07 Pier"),
        page(" ", source="e"),
    ]
    report = await take(folder, LoaderSpec("my_loaders", "Given"))
    assert [(one.source, one.reason) for one in report.left_out] == [("e", "empty")]
    (hit,) = await IndexedCorpus(folder).search("pier")
    assert (hit.source, hit.title, hit.text) == ("a b", "Pier", "The pier[2J is old.")


@pytest.mark.usefixtures("loaders")
async def test_progress_is_told(folder):
    told = []
    Given.documents = [page("One.", source="a"), page("Two.", source="b")]
    spec = LoaderSpec("my_loaders", "Given", {"wait": 0.2})
    await load_documents(spec, import_loader(spec), report=told.append)
    assert told[-1] == 2
    assert told == sorted(told)
    assert not folder.exists()


class Telling(BaseLoader):
    """A loader that tells the state of each of its sources, and notes which it was asked for."""

    held: dict[str, tuple[str, str]] = {}  # noqa: RUF012  # state and text by source, set by each test
    read: list[str] = []  # noqa: RUF012  # the same

    def list_states(self):
        return {source: state for source, (state, _) in self.held.items()}

    def load_source(self, source):
        self.read.append(source)
        if not self.held[source][1]:
            raise ConnectionError("the wiki went away")
        yield page(self.held[source][1], title=source)


@pytest.fixture
def telling(loaders):
    loaders.Telling = Telling
    Telling.held, Telling.read = {}, []
    return Telling


async def take_changed(folder, spec):
    loaded = await load_documents(spec, import_loader(spec), known=read_states(folder, spec))
    with IndexWriter(folder) as writer:
        report = ingest_loaded(spec, loaded, writer)
        writer.flush()
    write_states(folder, spec, loaded)
    return report


async def test_a_loader_that_tells_states_is_asked_for_what_changed_alone(folder, telling):
    spec = LoaderSpec("my_loaders", "Telling")
    telling.held = {"a": ("1", "The first page."), "b": ("1", "The second page.")}
    assert counts(await take_changed(folder, spec)) == (2, 0, 0, 0, 2)
    assert telling.read == ["a", "b"]
    telling.held = {"b": ("1", "The second page."), "a": ("2", "The first page, newly."), "c": ("1", "A third page.")}
    assert counts(await take_changed(folder, spec)) == (1, 1, 0, 1, 3)
    assert telling.read[2:] == ["a", "c"]
    telling.held = {"b": ("1", "The second page.")}
    assert counts(await take_changed(folder, spec)) == (0, 0, 2, 1, 1)
    assert telling.read[4:] == []


async def test_a_run_that_failed_midway_keeps_states_and_documents(folder, telling):
    spec = LoaderSpec("my_loaders", "Telling")
    telling.held = {"a": ("1", "The first page."), "b": ("1", "The second page.")}
    await take_changed(folder, spec)
    telling.held = {"a": ("2", "The first page, newly."), "c": ("1", "")}
    report = await take_changed(folder, spec)
    assert counts(report) == (0, 1, 0, 0, 2)
    assert "the wiki went away" in report.left_out[0].reason
    telling.held = {"a": ("2", "The first page, newly."), "b": ("1", "The second page.")}
    telling.read = []
    assert counts(await take_changed(folder, spec)) == (0, 0, 0, 2, 2)
    assert telling.read == ["a"]  # its state was not kept, its text is the same


async def test_states_without_their_documents_count_for_nothing(folder, telling):
    spec = LoaderSpec("my_loaders", "Telling")
    telling.held = {"a": ("1", "The first page.")}
    await take_changed(folder, spec)
    with IndexWriter(folder) as writer:
        batch = ChangeBatch()
        for path in writer.read_known():
            batch.remove(path)
        writer.apply(batch.take())
        writer.flush()
    assert read_states(folder, spec) == {}
    assert counts(await take_changed(folder, spec)) == (1, 0, 0, 0, 1)
