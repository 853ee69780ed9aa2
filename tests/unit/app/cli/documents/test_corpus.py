"""Indexing with an embedding model, and what is said of corpora and vectors."""

from dataclasses import replace

import pytest

from tests.support.corpora import LetterEmbeddings
from weiwo.app.cli.documents.corpus import open_corpus, remove
from weiwo.app.cli.documents.index import _IndexRun
from weiwo.app.cli.errors import UsageError
from weiwo.app.cli.setup.doctor import _describe_corpora, _describe_default_corpus, _describe_embeddings
from weiwo.state.settings import Settings
from weiwo.tools.corpus.index import embedding_models
from weiwo.tools.corpus.index.catalog import DEFAULT_NAME, locate_by_name, summarize_corpus
from weiwo.tools.corpus.index.embedding_models import Embedder
from weiwo.tools.corpus.index.writer import IndexWriter

MODEL = "fake:letters"


@pytest.fixture
def model(monkeypatch):
    made = LetterEmbeddings()
    monkeypatch.setattr(embedding_models, "load_embedder", lambda name: Embedder(name, made, sleep=lambda _: None))
    return made


@pytest.fixture
def docs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    for name in ("bridge", "tower"):
        (tmp_path / "docs" / f"{name}.md").write_text(f"The {name} is tall.", encoding="utf-8")
    return tmp_path / "docs"


@pytest.mark.usefixtures("docs")
@pytest.mark.processes
async def test_indexing_embeds_and_says_so(model, tmp_path, capsys):
    folder = locate_by_name(tmp_path / "home")
    assert await _IndexRun(["docs"], folder, MODEL, as_json=False).once() == 0
    assert summarize_corpus(folder).vectors == {MODEL: (2, 2)}
    assert "2 passages have vectors of fake:letters" in capsys.readouterr().err
    asked = len(model.asked())
    await _IndexRun(["docs"], folder, MODEL, as_json=False).once(quiet=True)
    assert len(model.asked()) <= asked + 1  # to know its dimension


@pytest.mark.usefixtures("docs")
@pytest.mark.processes
async def test_a_model_that_is_down_is_one_line_and_the_words_are_indexed(model, tmp_path, capsys):
    model.down = True
    folder = locate_by_name(tmp_path / "home")
    assert await _IndexRun(["docs"], folder, MODEL, as_json=False).once() == 0
    (line,) = (line for line in capsys.readouterr().err.splitlines() if "vectors" in line)
    assert "connection refused" in line
    assert "without vectors" in line
    assert (summarize_corpus(folder).documents, summarize_corpus(folder).vectors) == (
        2,
        {MODEL: (0, 2)},
    ) or not summarize_corpus(folder).vectors


@pytest.mark.processes
async def test_how_documents_stand_is_told(docs, model, tmp_path):
    plain = Settings(home=str(tmp_path / "home"), corpus=(str(docs),), telemetry=False)
    where = replace(plain, embeddings=MODEL)
    assert _describe_default_corpus(plain, "en") == "the bundled sample"
    assert _describe_corpora(tmp_path / "home", "en") == ("ok", "none yet")
    verdict, text = _describe_embeddings(await open_corpus(plain), None, "en")
    assert (verdict, "n-grams" in text) == ("note", True)
    assert _describe_embeddings(await open_corpus(where), MODEL, "en") == (
        "ok",
        "fake:letters: all 2 passages have vectors of this model",
    )
    (docs / "new.md").write_text("A third.", encoding="utf-8")
    await open_corpus(plain)
    assert _describe_embeddings(await open_corpus(where), MODEL, "en")[0] == "ok"  # embedded when it was opened
    verdict, text = _describe_corpora(tmp_path / "home", "en")
    assert (verdict, text.startswith("docs-"), "(3 documents, " in text) == ("ok", True, True)
    verdict, text = _describe_corpora(tmp_path / "home", "zh")
    assert (verdict, "（3 个文档，" in text, text.endswith("前建立）")) == ("ok", True, True)
    await _IndexRun(["docs"], locate_by_name(tmp_path / "home"), None, as_json=True).once()
    assert DEFAULT_NAME in _describe_default_corpus(plain, "en")
    model.down = True
    fresh = Settings(home=str(tmp_path / "other"), corpus=(str(docs),), embeddings=MODEL, telemetry=False)
    verdict, text = _describe_embeddings(await open_corpus(fresh), MODEL, "en")
    assert (verdict, "connection refused" in text or "failed" in text) == ("problem", True)


async def test_a_corpus_that_is_not_there_is_one_line(tmp_path):
    with pytest.raises(UsageError, match=r"corpus nowhere: no such file.*, or a corpus listed by weiwo corpus$"):
        await open_corpus(Settings(home=str(tmp_path), corpus=("nowhere",)))


@pytest.mark.processes
async def test_a_corpus_is_removed_and_its_documents_are_not(docs, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("WEIWO_HOME", str(tmp_path / "home"))
    folder = locate_by_name(tmp_path / "home", "notes")
    await _IndexRun(["docs"], folder, None, as_json=False).once()
    with IndexWriter(folder), pytest.raises(UsageError, match="corpus notes: "):
        remove("notes")
    assert folder.exists()
    remove("notes")
    assert "removed the corpus notes; its documents are unchanged" in capsys.readouterr().err
    assert not folder.exists()
    assert len(list(docs.iterdir())) == 2
    for name in ("notes", "../home"):
        with pytest.raises(UsageError, match="weiwo corpus lists the available corpora"):
            remove(name)
