"""Thinking is switched off for the roles that are not to think, in every mode of asking."""

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_openai import ChatOpenAI
from pydantic import BaseModel

from weiwo.models.request_form import bind_mode, set_thinking
from weiwo.state.settings import Context, Settings, SettingsError

OFF = {"chat_template_kwargs": {"enable_thinking": False}}


class Verdict(BaseModel):
    """A judgement."""

    level: str


@pytest.fixture
def model() -> ChatOpenAI:
    return ChatOpenAI(model="m", api_key="k", base_url="http://127.0.0.1:1/v1", extra_body={"mine": 1})


def test_by_role(model):
    assert set_thinking(model, "enable_thinking:planner,writer", "executor").extra_body == {"mine": 1, **OFF}
    assert set_thinking(model, "enable_thinking:planner,writer", "planner") is model
    assert set_thinking(model, "reasoning_effort", "planner").extra_body == {"mine": 1, "reasoning_effort": "none"}
    assert set_thinking(model, "", "executor") is model
    assert model.extra_body == {"mine": 1}


def test_another_providers_model_is_left_alone():
    other = FakeListChatModel(responses=["x"])
    assert set_thinking(other, "enable_thinking", "executor") is other


def test_a_response_format_does_not_drop_it(model):
    bound = bind_mode(set_thinking(model, "enable_thinking", "executor"), "json_schema", Verdict)
    body = bound.kwargs["extra_body"]
    assert (body["chat_template_kwargs"], "response_format" in body) == (OFF["chat_template_kwargs"], True)


def test_the_setting(monkeypatch):
    monkeypatch.setenv("WEIWO_THINKING", "enable_thinking:planner")
    assert Settings.resolve().thinking == "enable_thinking:planner"
    assert Settings.resolve(Context(thinking="reasoning_effort")).thinking == "reasoning_effort"
    monkeypatch.setenv("WEIWO_THINKING", "off")
    with pytest.raises(SettingsError, match="WEIWO_THINKING"):
        Settings.resolve()
