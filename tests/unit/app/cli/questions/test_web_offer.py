"""Who has neither documents nor a provider is asked once, on a terminal, whether the web may be searched."""

import os

import pytest

from weiwo.app.cli.questions import offers
from weiwo.app.cli.questions.offers import offer_web
from weiwo.app.configuration.config_file import apply_config, read_config
from weiwo.state.settings import Context, Settings
from weiwo.tools.web.providers.selection import select_providers

QUESTION = "Who won the cup?"


class Person:
    """Types answers, and remembers what was asked."""

    def __init__(self, *typed: str) -> None:
        self.typed, self.asked = list(typed), []

    def __call__(self, prompt: str) -> str:
        self.asked.append(prompt)
        if not self.typed:
            raise EOFError
        return self.typed.pop(0)


@pytest.fixture
def terminal(monkeypatch):
    for name in ("CI", "WEIWO_WEB", "WEIWO_WEB_OFFER"):  # set first, so that it is put back whatever a test leaves
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    monkeypatch.setattr(offers, "can_ask", lambda: True)


@pytest.fixture
def person(terminal, monkeypatch):  # noqa: ARG001 - it prepares one
    def sit_down(*typed: str) -> Person:
        there = Person(*typed)
        monkeypatch.setattr("weiwo.app.cli.questions.requests.read_line", there)
        return there

    return sit_down


def test_yes_holds_at_once_and_from_then_on(person):
    there = person("what?", "Yes")
    offer_web(QUESTION, Context(), as_json=False)
    assert len(there.asked) == 2
    assert "DuckDuckGo" in there.asked[0]
    assert [one.name for one in select_providers(Settings.resolve())] == ["ddgs", "wikipedia"]
    del os.environ["WEIWO_WEB"]
    apply_config()
    offer_web(QUESTION, Context(), as_json=False)
    assert len(there.asked) == 2


def test_no_is_kept_and_leaves_the_web_as_it_was(person, monkeypatch):
    there = person("n")
    offer_web("谁赢了比赛？", Context(), as_json=False)
    assert "维基百科" in there.asked[0]
    assert read_config() == {"WEIWO_WEB_OFFER": "declined"}
    apply_config()
    offer_web(QUESTION, Context(), as_json=False)
    assert len(there.asked) == 1
    assert "WEIWO_WEB" not in os.environ
    monkeypatch.setenv("TAVILY_API_KEY", "k")
    assert [one.name for one in select_providers(Settings.resolve())] == ["tavily"]


def test_the_end_of_input_decides_nothing(person):
    there = person()
    offer_web(QUESTION, Context(), as_json=False)
    assert (len(there.asked), read_config()) == (1, {})


@pytest.mark.parametrize(
    ("context", "env", "as_json"),
    [
        (Context(), {}, True),
        (Context(web=False), {}, False),
        (Context(corpus=["notes"]), {}, False),
        (Context(), {"CI": "true"}, False),
        (Context(), {"WEIWO_WEB": "off"}, False),
        (Context(), {"WEIWO_SEARCH": "ddgs"}, False),
        (Context(), {"TAVILY_API_KEY": "k"}, False),
    ],
)
def test_where_it_makes_no_sense_nobody_is_asked(person, monkeypatch, context, env, as_json):
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    there = person("y")
    offer_web(QUESTION, context, as_json=as_json)
    assert (there.asked, read_config()) == ([], {})


def test_in_a_pipe_nobody_is_asked(person, monkeypatch):
    there = person("y")
    monkeypatch.setattr(offers, "can_ask", lambda: False)
    offer_web(QUESTION, Context(), as_json=False)
    assert there.asked == []
