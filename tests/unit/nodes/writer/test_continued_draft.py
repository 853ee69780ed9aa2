"""A draft that is cut off at the model's limit of length goes on once."""

from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any, cast

import pytest
from langchain_core.messages import BaseMessage, HumanMessage

from weiwo.models.errors import Fault, ModelRequestError
from weiwo.nodes.shared.run_context import RunContext
from weiwo.nodes.writer.generate import DraftPrompt, DraftRequest, draft_answer
from weiwo.nodes.writer.sources import CitableSources

FIRST = "The mill of Orla was opened in 1874 [1]. It has 3 wheels [1]. Its wa"
REST = "Its wall is of stone [1]."


class _Model:
    """A writer whose replies are cut off as often as it is told."""

    def __init__(self, cuts: int, fault: Fault) -> None:
        self.cuts, self.fault = cuts, fault
        self.prompts: list[list[BaseMessage]] = []

    async def stream(self, _role: str, _purpose: str, messages: list[BaseMessage], most: int) -> AsyncIterator[str]:
        assert most > 0
        self.prompts.append(messages)
        yield FIRST if len(self.prompts) == 1 else REST
        if len(self.prompts) <= self.cuts:
            raise ModelRequestError(self.fault)


async def _drafted(model: _Model) -> str:
    services = SimpleNamespace(
        models=model,
        settings=SimpleNamespace(depth="normal", words=0),
        language="en",
        budget=SimpleNamespace(find_exhausted_limit=lambda: ""),
    )
    prompt = DraftPrompt(CitableSources((), "en"), (HumanMessage("Tell of the mill."),))

    async def shorten() -> DraftPrompt:
        raise AssertionError("the prompt is not too long")

    say: Any = str
    pieces = draft_answer(cast("RunContext", services), DraftRequest(prompt, shorten), say)
    return "".join([piece async for piece in pieces])


LENGTH = Fault("incomplete", "the reply was cut off at the model's length limit", cut=True)


async def test_it_goes_on_behind_its_last_whole_sentence() -> None:
    model = _Model(1, LENGTH)
    answer = await _drafted(model)
    assert answer.count("1874") == 1
    assert "3 wheels [1]." in answer
    assert answer.rstrip().endswith(REST)
    assert "Its wa " not in answer
    (_, before, _) = model.prompts[1]
    assert "1874" in before.text


async def test_a_second_cut_ends_it() -> None:
    with pytest.raises(ModelRequestError):
        await _drafted(_Model(2, LENGTH))


async def test_what_broke_off_otherwise_is_not_continued() -> None:
    model = _Model(1, Fault("incomplete", "the reply broke off"))
    with pytest.raises(ModelRequestError):
        await _drafted(model)
    assert len(model.prompts) == 1
