"""Models as they are set up."""

import pytest

from weiwo.models.model_cache import find_setup_trouble


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("openai:gpt-5-mini", "OPENAI_API_KEY is not set"),
        ("gpt-5-mini", "has no provider"),
        ("nobody:large", "the provider 'nobody' is unknown"),
    ],
)
def test_why_a_model_cannot_be_set_up_is_known_before_it_is_called(monkeypatch, name, says):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    assert says in find_setup_trouble([name])
    monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
    assert find_setup_trouble(["openai:gpt-5-mini"]) == ""
