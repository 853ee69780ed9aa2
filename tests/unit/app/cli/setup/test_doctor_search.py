"""What `weiwo doctor` says of web search, without asking anybody."""

import asyncio

import pytest

from weiwo.app.cli.setup.doctor import _check_search, _Subject
from weiwo.state.kinds import Language
from weiwo.state.settings import Settings


def said(language: Language = "en", **settings: object) -> dict[str, str]:
    subject = _Subject(language, settings=Settings(home="x", **settings))
    return {check.verdict: check.text for check in asyncio.run(_check_search(subject))}


def test_who_is_asked_and_who_could_be(monkeypatch):
    monkeypatch.setenv("TAVILY_API_KEY", "tvly-s3cret-123456")
    monkeypatch.setenv("SEARXNG_BASE_URL", "http://me:s3cret@127.0.0.1:8888/x?token=s3cret")
    told = said(search=("searxng@2/100", "tavily", "arxiv"))
    assert told["ok"].endswith(
        "searxng at http://127.0.0.1:8888/x (2 a second, 100 a day), tavily (5 a second), arxiv (0.33 a second)"
    )
    assert "brave (lacks BRAVE_API_KEY)" in told["note"]
    assert "bing (lacks BING_API_KEY and BING_BASE_URL)" in told["note"]
    assert "wikipedia" in told["note"]
    assert "tavily" not in told["note"]
    assert "s3cret" not in str(told)
    told = said("zh", search=("searxng@2/100", "tavily"))
    assert told["ok"].endswith("searxng，位于 http://127.0.0.1:8888/x（每秒 2 次，每天 100 次）、tavily（每秒 5 次）")
    assert "bing（缺少 BING_API_KEY 和 BING_BASE_URL）" in told["note"]


@pytest.mark.parametrize(
    ("settings", "verdict", "words"),
    [
        ({"web_asked_for": True}, "ok", "ddgs (1 a second), wikipedia (5 a second)"),
        ({"search": ("brave",)}, "problem", "brave needs BRAVE_API_KEY"),
        ({"search": ("goggle",)}, "problem", "unknown provider 'goggle'"),
    ],
)
def test_who_needs_no_key_and_what_is_wrong(settings, verdict, words):
    assert words in said(**settings)[verdict]


@pytest.mark.parametrize("settings", [{}, {"web": False}])
def test_without_web_search_the_line_of_the_tool_says_why(settings):
    assert said(**settings) == {}
