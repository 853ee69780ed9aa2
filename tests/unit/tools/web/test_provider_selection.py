"""Which providers a run asks: those it names, else those that are set up."""

import pytest

from weiwo.state.settings import Settings, SettingsError
from weiwo.tools.web.providers.selection import explain_none, select_providers

KEYS = {"TAVILY_API_KEY": "t", "BRAVE_API_KEY": "b", "SERPER_API_KEY": "s", "JINA_API_KEY": "j"}
SEARXNG = {"SEARXNG_BASE_URL": "http://127.0.0.1:8888/"}


def names(env: dict[str, str], **settings: object) -> list[str]:
    return [source.name for source in select_providers(Settings(home="x", **settings), env)]


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        ({}, []),
        ({"TAVILY_API_KEY": " "}, []),
        ({"TAVILY_API_KEY": "t"}, ["tavily"]),
        (SEARXNG, ["searxng"]),
        ({**KEYS, **SEARXNG}, ["searxng", "tavily", "brave", "serper", "jina"]),
        ({"BING_API_KEY": "b"}, []),  # whose service it is must be said
        ({"BING_API_KEY": "b", "BING_BASE_URL": "https://bing.example.org"}, ["bing"]),
        ({"WIKIPEDIA_BASE_URL": "http://localhost:1"}, []),
    ],
)
def test_unnamed_are_those_that_are_set_up(env, expected):
    assert names(env) == expected
    assert names(env, web=False) == []


def test_without_a_key_nobody_is_asked_unless_the_web_was_asked_for():
    assert names({}) == []
    assert names({}, web_asked_for=True) == ["ddgs", "wikipedia"]
    assert [source.name for source in select_providers(Settings.resolve(None, {"WEIWO_WEB": "on"}), {})] == [
        "ddgs",
        "wikipedia",
    ]
    assert select_providers(Settings.resolve(None, {}), {}) == ()
    assert names({"TAVILY_API_KEY": "t"}, web_asked_for=True) == ["tavily"]


def test_named_are_those_in_that_order_each_once():
    assert names(KEYS, search=("wikipedia", "Tavily", " arxiv ", "wikipedia")) == ["wikipedia", "tavily", "arxiv"]
    assert names(KEYS, search=("wikipedia",), web=False) == []


@pytest.mark.parametrize(
    ("entry", "rate", "day", "whole"),
    [
        ("brave", 1, None, False),
        ("brave@5", 5, None, False),
        ("brave@0.5/1000", 0.5, 1000, False),
        ("brave/20", 1, 20, False),
        ("tavily+raw", 5, None, True),
        ("jina+raw@2/9", 2, 9, True),
    ],
)
def test_an_entry_may_carry_limits(entry, rate, day, whole):
    (source,) = select_providers(Settings(home="x", search=(entry,)), KEYS)
    assert (source.per_second, source.a_day, source.whole) == (rate, day, whole)


@pytest.mark.parametrize(
    ("entry", "env", "said"),
    [
        (
            "goggle",
            {},
            "unknown provider 'goggle'; use searxng, tavily, brave, serper, bing, jina, ddgs, wikipedia, arxiv",
        ),
        ("brave", {}, "brave needs BRAVE_API_KEY; set it, or use a ready provider: ddgs, wikipedia, arxiv"),
        ("brave", {"BRAVE_API_KEY": " ", "TAVILY_API_KEY": "t"}, "a ready provider: tavily, ddgs, wikipedia, arxiv"),
        ("searxng", {}, "searxng needs SEARXNG_BASE_URL"),
        ("bing", {}, "bing needs BING_API_KEY and BING_BASE_URL"),
        ("wikipedia+raw", {}, "wikipedia returns no whole pages; [+]raw is only for tavily, jina"),
        ("searxng", {"SEARXNG_BASE_URL": "localhost:8080"}, "SEARXNG_BASE_URL is not a server address"),
        ("searxng", {"SEARXNG_BASE_URL": "http://[::1"}, "SEARXNG_BASE_URL is not a server address"),
        ("tavily", {"TAVILY_API_KEY": "t", "TAVILY_BASE_URL": "ftp://x"}, "TAVILY_BASE_URL is not a server address"),
        *(
            (entry, KEYS, "is invalid; give a provider")
            for entry in ("brave@", "brave@0", "brave@x", "brave@1/x", "", "a b")
        ),
        ("brave@\x1b[31m\n5", KEYS, "is invalid"),
    ],
)
def test_what_cannot_be_used_is_one_line_that_says_what_can(entry, env, said):
    with pytest.raises(SettingsError, match=said) as caught:
        select_providers(Settings(home="x", search=("wikipedia", entry)), env)
    assert "\n" not in str(caught.value)
    assert "\x1b" not in str(caught.value)


def test_why_there_is_nobody_says_what_to_set():
    assert "switched off" in explain_none(Settings(home="x", web=False))
    said = explain_none(Settings(home="x"))
    for name in ("TAVILY_API_KEY", "BRAVE_API_KEY", "SEARXNG_BASE_URL"):
        assert name in said
    assert "BING" not in said  # which takes two
    assert "WEIWO_SEARCH=ddgs,wikipedia" in said
