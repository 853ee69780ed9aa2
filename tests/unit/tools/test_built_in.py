"""What is told of the built-in tools without importing them is what the registry has."""

import pytest

from weiwo.state.settings import Context, Settings, SettingsError
from weiwo.tools.built_in import explain_empty_corpus, list_built_in
from weiwo.tools.registry import build_registry


@pytest.fixture(autouse=True)
def no_keys(monkeypatch):
    for name in ("TAVILY_API_KEY", "BRAVE_API_KEY", "SERPER_API_KEY", "JINA_API_KEY", "SEARXNG_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("indexed_home")
@pytest.mark.parametrize(
    ("options", "keys"),
    [
        ({}, {}),
        ({"web": False}, {}),
        ({"web": True}, {}),
        ({"allow_hosts": ["wiki.corp"]}, {}),
        ({"web": False, "allow_hosts": ["wiki.corp"]}, {}),
        ({"search": ["tavily", "wikipedia"]}, {"TAVILY_API_KEY": "k"}),
    ],
    ids=str,
)
async def test_it_is_what_the_registry_has(monkeypatch, options, keys):
    for name, value in keys.items():
        monkeypatch.setenv(name, value)
    settings = Settings.resolve(Context(**options))
    registry = await build_registry(settings)
    known = [(info.name, info.cluster, info.why_not) for info in registry.infos()]
    assert [tuple(tool) for tool in list_built_in(settings, registry.corpus.size)] == known


@pytest.mark.processes
@pytest.mark.parametrize(("text", "tables"), [("", False), ("name,n\na,1\nb,2\n", True)])
async def test_it_is_so_of_an_empty_corpus_and_of_one_with_a_table(tmp_path, monkeypatch, text, tables):
    monkeypatch.setenv("WEIWO_HOME", str(tmp_path / "home"))
    (tmp_path / "few.csv").write_text(text)
    settings = Settings.resolve(Context(corpus=[str(tmp_path / "few.csv")]))
    registry = await build_registry(settings)
    known = {(info.name, info.cluster, info.why_not) for info in registry.infos()}
    assert {tuple(tool) for tool in list_built_in(settings, registry.corpus.size, tables=tables)} == known


def test_hosts_that_cannot_be_read():
    with pytest.raises(SettingsError, match="allow_hosts"):
        list_built_in(Settings.resolve(Context(allow_hosts=["a b"])), 1)


@pytest.mark.parametrize(
    ("language", "told"), [("en", "sources does not include documents"), ("zh", "sources 中没有 documents")]
)
def test_documents_that_are_not_asked_for_are_told_in_the_language(language, told):
    assert explain_empty_corpus(Settings(home="", sources=("web",)), language) == told
