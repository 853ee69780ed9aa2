"""Indexing with an embedding model, and what is said of corpora and vectors."""

import pytest

from app.corpora import corpora_there, embeddings_there, open_corpus, unnamed
from app.errors import UsageError
from app.index import _once
from state.settings import Settings
from tests.support.corpora import LetterEmbeddings
from tools.corpus import embeddings
from tools.corpus.embeddings import Embedder
from tools.corpus.shelf import DEFAULT_NAME, folder_of, look_at

MODEL = "fake:letters"


@pytest.fixture
def model(monkeypatch):
    made = LetterEmbeddings()
    monkeypatch.setattr(embeddings, "embedder", lambda name: Embedder(name, made, sleep=lambda _: None))
    return made


@pytest.fixture
def docs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    for name in ("bridge", "tower"):
        (tmp_path / "docs" / f"{name}.md").write_text(f"The {name} is tall.", encoding="utf-8")
    return tmp_path / "docs"


@pytest.mark.usefixtures("docs")
async def test_indexing_embeds_and_says_so(model, tmp_path, capsys):
    folder = folder_of(tmp_path / "home")
    assert await _once(["docs"], folder, MODEL, as_json=False) == 0
    assert look_at(folder).vectors == {MODEL: (2, 2)}
    assert "2 passages have vectors of fake:letters" in capsys.readouterr().err
    asked = len(model.asked())
    await _once(["docs"], folder, MODEL, as_json=False, quiet=True)
    assert len(model.asked()) <= asked + 1  # to know its dimension


@pytest.mark.usefixtures("docs")
async def test_a_model_that_is_down_is_one_line_and_the_words_are_indexed(model, tmp_path, capsys):
    model.down = True
    folder = folder_of(tmp_path / "home")
    assert await _once(["docs"], folder, MODEL, as_json=False) == 0
    lines = capsys.readouterr().err.splitlines()
    assert ["connection refused" in line and "without vectors" in line for line in lines] == [True]
    assert (look_at(folder).documents, look_at(folder).vectors) == (2, {MODEL: (0, 2)}) or not look_at(folder).vectors


async def test_how_documents_stand_is_told(docs, model, tmp_path):
    plain = Settings(home=str(tmp_path / "home"), corpus=(str(docs),), telemetry=False)
    where = plain.model_copy(update={"embeddings": MODEL})
    assert unnamed(plain) == "the bundled sample"
    assert corpora_there(tmp_path / "home") == ("ok", "none yet")
    verdict, text = embeddings_there(await open_corpus(plain), None)
    assert (verdict, "n-grams" in text) == ("note", True)
    assert embeddings_there(await open_corpus(where), MODEL) == ("ok", "fake:letters: all 2 passages have vectors")
    (docs / "new.md").write_text("A third.", encoding="utf-8")
    await open_corpus(plain)
    assert embeddings_there(await open_corpus(where), MODEL)[0] == "ok"  # embedded when it was opened
    verdict, text = corpora_there(tmp_path / "home")
    assert (verdict, text.startswith("docs-"), "(3 documents, " in text) == ("ok", True, True)
    await _once(["docs"], folder_of(tmp_path / "home"), None, as_json=True)
    assert DEFAULT_NAME in unnamed(plain)
    model.down = True
    fresh = Settings(home=str(tmp_path / "other"), corpus=(str(docs),), embeddings=MODEL, telemetry=False)
    verdict, text = embeddings_there(await open_corpus(fresh), MODEL)
    assert (verdict, "connection refused" in text or "failed" in text) == ("problem", True)


async def test_a_corpus_that_is_not_there_is_one_line(tmp_path):
    with pytest.raises(UsageError, match=r"corpus nowhere: no such file.*weiwo corpora lists"):
        await open_corpus(Settings(home=str(tmp_path), corpus=("nowhere",)))
