"""An embedding model that does not know the language of the documents is noticed, told of, and not used for them."""

from dataclasses import replace

import pytest
from langchain_core.embeddings import Embeddings

from tests.support.corpora import LetterEmbeddings, document
from weiwo.app.cli.documents.corpus import _as_json, _line, open_corpus
from weiwo.app.cli.documents.index import _IndexRun
from weiwo.app.cli.setup.doctor import _describe_corpora, _describe_embeddings
from weiwo.state.settings import Settings
from weiwo.tools.corpus.index import embedding_models
from weiwo.tools.corpus.index.catalog import locate_by_name, summarize_corpus
from weiwo.tools.corpus.index.embedding_models import Embedder
from weiwo.tools.corpus.index.language_fit import _PAIRS, LanguageFit, assess_fit, measure_languages, read_fit
from weiwo.tools.corpus.index.writer import IndexWriter
from weiwo.tools.corpus.loading import load_corpus
from weiwo.tools.corpus.records import Changes

MODEL = "fake:english"


class Knowing(Embeddings):
    """Knows what says the same in some languages; everything else is alike to it."""

    def __init__(self, *languages: str) -> None:
        self.asked: list[str] = []
        self._meaning = {
            text: (which, pair)
            for which, language in enumerate(languages)
            for pair, texts in enumerate(_PAIRS[language])
            for text in texts
        }

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.asked += texts
        return [self._vector(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]

    def _vector(self, text: str) -> list[float]:
        vector = [0.01] * 40
        which, pair = self._meaning.get(text, (2, 0))
        vector[which * 12 + pair] = 1.0
        return vector


def embedding(*languages):
    return Embedder(MODEL, Knowing(*languages), sleep=lambda _: None)


@pytest.fixture
def model(monkeypatch):
    made = Knowing("en")
    monkeypatch.setattr(embedding_models, "load_embedder", lambda name: Embedder(name, made, sleep=lambda _: None))
    return made


@pytest.fixture
def docs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    for name, text in (("石桥", "清源石桥建于1623年。"), ("港口", "塞林港挖掘于1764年。")):
        (tmp_path / "docs" / f"{name}.md").write_text(text, encoding="utf-8")
    return tmp_path / "docs"


def test_a_model_is_asked_what_says_the_same():
    assert measure_languages(embedding("en", "zh")) == {"en": 100, "zh": 100}
    known = measure_languages(embedding("en"))
    assert known["en"] == 100
    assert known["zh"] < 20
    assert max(measure_languages(Embedder("fake:letters", LetterEmbeddings())).values()) < 75


@pytest.mark.parametrize(
    ("found", "passages", "trusted", "said"),
    [
        ({"en": 100, "zh": 42}, {"zh": 10}, False, "does not support Chinese, the language of the documents; n-grams"),
        ({"en": 100, "zh": 42}, {"zh": 6, "en": 4}, False, "the language of 60% of the passages; n-grams"),
        (
            {"en": 100, "zh": 42},
            {"zh": 3, "en": 7},
            True,
            "the language of 30% of the passages; such passages are hardly found",
        ),
        ({"en": 30, "zh": 96}, {"en": 9, "zh": 1}, False, "does not support English"),
        ({"en": 100, "zh": 42}, {"zh": 1, "en": 99}, True, ""),
        ({"en": 100, "zh": 42}, {}, True, ""),
        ({"en": 100, "zh": 42}, {"fr": 9}, True, ""),
        ({"en": 100, "zh": 96}, {"zh": 10}, True, ""),
        ({"en": 20, "zh": 42}, {"zh": 10}, True, ""),
    ],
)
def test_what_follows_from_it(found, passages, trusted, said):
    known = LanguageFit("m:x", found, passages)
    assert (known.is_trusted, said in known.warning, bool(known.warning)) == (trusted, True, bool(said))


def test_it_is_measured_once_and_for_the_model_at_hand(tmp_path):
    with IndexWriter(tmp_path) as writer:
        writer.apply(Changes(put=[document("a.md", "一", "二", language="zh"), document("b.md", "Words.")]))
        assert read_fit(writer.store) is None
        english = embedding("en")
        known = assess_fit(writer.store, english)
        assert (known.foreign, known.passages, known.is_trusted) == (("zh",), {"zh": 2, "en": 1}, False)
        asked = len(english._model.asked)
        writer.apply(Changes(removed=["/docs/a.md"]))
        assert assess_fit(writer.store, english).is_trusted  # what is in the corpus is counted anew
        assert len(english._model.asked) == asked
        assert assess_fit(writer.store, Embedder("fake:both", Knowing("en", "zh"))).foreign == ()
        assert (read_fit(writer.store, MODEL), read_fit(writer.store).model) == (None, "fake:both")


@pytest.mark.processes
async def test_indexing_says_so_and_makes_no_vectors(docs, model, tmp_path, capsys):
    folder = locate_by_name(tmp_path / "home")
    assert await _IndexRun(["docs"], folder, MODEL, as_json=False).once() == 0
    (line,) = (line for line in capsys.readouterr().err.splitlines() if "fake:english" in line)
    assert "fake:english: the model does not support Chinese" in line
    assert not set(model.asked) & {path.read_text(encoding="utf-8") for path in docs.iterdir()}
    one = summarize_corpus(folder)
    assert (one.vectors, one.note) == ({}, line)
    assert line in _line(one)
    assert _as_json(one)["note"] == line
    assert _describe_corpora(tmp_path / "home", "en")[0] == "note"
    settings = Settings(home=str(tmp_path / "home"), corpus=("default",), embeddings=MODEL, telemetry=False)
    corpus = await open_corpus(settings)
    found = await corpus.find("石桥建于哪一年")
    assert (found.passages[0].source, found.trace.notes) == ("docs/石桥.md", [])
    assert set(found.trace.arms) == {"keyword", "grams"}
    assert _describe_embeddings(corpus, MODEL, "en") == ("note", line)


@pytest.mark.usefixtures("model")
@pytest.mark.processes
async def test_a_question_over_files_is_answered_without_them_too(docs, tmp_path):
    settings = Settings(home=str(tmp_path / "home"), embeddings=MODEL, telemetry=False)
    said = []
    for _ in range(2):
        corpus = await load_corpus([docs], settings=settings, tell=said.append)
        found = await corpus.find("石桥建于哪一年")
        assert (found.trace.notes, set(found.trace.arms)) == ([], {"keyword", "grams"})
    assert sum("does not support Chinese" in line for line in said) == 1
    (docs / "bridge.md").write_text(
        "\n\n".join(f"# Bridge {n}\n\n{'The bridge is tall. ' * 60}" for n in range(9)), "utf-8"
    )
    await _IndexRun([str(docs)], locate_by_name(tmp_path / "home"), MODEL, as_json=True).once()
    settings = replace(settings, corpus=("default",))
    assert set((await (await open_corpus(settings)).find("the tall bridge")).trace.arms) == {"keyword", "vectors"}
