"""Thinking on or off by role: the switches by which servers let a reasoning model answer at once.

A small local model that reasons before each short typed reply costs minutes a question. Servers differ in the switch:
templates of Qwen3 and its kin read `enable_thinking` (vLLM, SGLang, llama.cpp), Ollama reads `reasoning_effort`. Which
one a server takes is asked by `weiwo setup`, not guessed here.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from weiwo.models.structured_modes import speaks_openai

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

SWITCHES: Final[Mapping[str, Mapping[str, Any]]] = {
    "enable_thinking": {"chat_template_kwargs": {"enable_thinking": False}},
    "reasoning_effort": {"reasoning_effort": "none"},
}
"""What a request holds, beside the rest, that switches thinking off; by name."""


def set_thinking(model: "BaseChatModel", setting: str, role: str) -> "BaseChatModel":
    """The model as a role asks it: the same where it may think.

    Args:
        model: The model.
        setting: `SWITCH` or `SWITCH:ROLE,ROLE`, the roles being those that may think; empty: as the model does.
        role: The role that asks.
    """
    switch, _, thinkers = setting.partition(":")
    if switch not in SWITCHES or role in thinkers.split(",") or not speaks_openai(model):
        return model
    body = {**(getattr(model, "extra_body", None) or {}), **SWITCHES[switch]}
    return model.model_copy(update={"extra_body": body})
