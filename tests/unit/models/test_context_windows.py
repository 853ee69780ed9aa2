"""How much a model can be given: its window from wherever it is known, its tokens by its own tokenizer where that is at hand."""

import hashlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import tiktoken.load
from langchain_core.language_models import BaseChatModel

from tests.support.fake_model import FakeModel, fake
from weiwo.models import context_windows as tokenizer_module
from weiwo.models.budget import Budget, Reservation
from weiwo.models.context_windows import (
    _DEFAULT_WINDOW,
    _FORM_RESERVE,
    _LEAST_WINDOW,
    _OUTPUT_RESERVE,
    _WINDOW_SHARE,
    PER_MESSAGE,
    _find_tokenizer,
    _WindowMemory,
    own_window,
    prompt_bound,
    text_tokens,
)
from weiwo.models.endpoint import Endpoint
from weiwo.models.errors import ModelCallError
from weiwo.models.gateway import ChatModels
from weiwo.state import Limits, ModelCall
from weiwo.state.settings import Settings

RICH = Limits(max_tokens=100_000_000)


def models(
    model: BaseChatModel | None = None, context: int | None = None, limits: Limits = RICH, **more: Any
) -> ChatModels:
    settings = Settings(home="unused", models={"writer": "fake:m"}, context_tokens=context, limits=limits, **more)

    async def make(_: Endpoint, __: float) -> BaseChatModel:
        return model or fake(draft="Yes.")

    return ChatModels(settings, Budget(limits), make=make)


def known(window: int) -> FakeModel:
    model = fake(draft="Yes.")
    model.profile = {"max_input_tokens": window}
    return model


async def test_the_window_is_as_the_model_has_it_once_it_is_made() -> None:
    asked = models(known(1_000_000))
    assert asked.room("writer") == int(_DEFAULT_WINDOW * _WINDOW_SHARE)
    await asked.ready("writer")
    assert asked.room("writer") == 800_000


def test_a_model_given_in_code_is_known_at_once() -> None:
    settings = Settings(home="unused", limits=RICH)
    given = ChatModels(settings, Budget(RICH), given={"writer": known(200_000)})
    assert given.room("writer") == 160_000


async def test_what_is_configured_wins_over_the_name() -> None:
    asked = models(known(1_000_000), context=8_000)
    await asked.ready("writer")
    assert asked.room("writer") == prompt_bound(8_000, _OUTPUT_RESERVE) == 8_000 - _OUTPUT_RESERVE - _FORM_RESERVE


async def test_what_the_prompt_takes_is_not_left() -> None:
    asked = models(context=50_000)
    empty = asked.room("writer")
    prompt = "Answer the question. " * 100
    assert asked.room("writer", prompt, "回答问题。") == empty - (
        2 * PER_MESSAGE + text_tokens(prompt) + text_tokens("回答问题。")
    )
    assert asked.room("writer", "x" * 1_000_000) == 0


def test_a_role_without_a_model_has_an_estimate() -> None:
    assert models().room("planner") > 0
    assert models().count("planner", "four words are here") == text_tokens("four words are here")


async def test_a_model_that_cannot_be_made_stands_in_nobodys_way() -> None:
    settings = Settings(home="unused", models={"writer": "nonsense"}, limits=RICH)
    asked = ChatModels(settings, Budget(RICH))
    await asked.ready("writer")
    assert asked.room("writer") > 0


def test_passages_take_half_of_what_may_still_be_spent() -> None:
    asked = models(limits=Limits(max_tokens=20_000))
    assert asked.room("writer") == 10_000 - _OUTPUT_RESERVE
    asked.budget.reserve_call(Reservation(tokens=18_000))
    assert asked.room("writer") == 0


def test_money_is_minded_where_it_is_limited() -> None:
    limits = Limits(max_tokens=100_000_000, max_cost=0.01)
    asked = models(context=1_000_000, limits=limits, prices={"fake:m": (1.0, 2.0)})
    assert asked.room("writer") == 5_000 - _OUTPUT_RESERVE
    assert asked.with_budget(asked.budget.child()).room("writer") == 5_000 - _OUTPUT_RESERVE


def test_what_was_spent_is_not_left() -> None:
    budget = Budget(Limits(max_tokens=1_000))
    call = ModelCall(role="writer", purpose="draft", model="m", mode="text", input_tokens=300, output_tokens=100)
    budget.record(call)
    assert (budget.tokens_left(), budget.child().tokens_left()) == (600, 600)
    budget.record(call.model_copy(update={"input_tokens": 5_000}))
    assert budget.tokens_left() == 0


@pytest.mark.parametrize(
    ("model", "window"),
    [
        (SimpleNamespace(), None),
        (SimpleNamespace(profile=None), None),
        (SimpleNamespace(profile={"max_input_tokens": 128_000}), 128_000),
        (SimpleNamespace(profile={"max_input_tokens": 128_000}, num_ctx=4_096), 4_096),
        (SimpleNamespace(profile={}, n_ctx=512), None),
        (SimpleNamespace(profile={"max_input_tokens": "many"}), None),
    ],
)
def test_where_a_window_is_told(model: Any, window: int | None) -> None:
    assert own_window(model) == window


# What refusals teach


class Overflow(Exception):  # noqa: N818 - it plays a provider's
    status_code = 400


async def test_a_refusal_that_names_the_window_is_remembered_by_every_later_run() -> None:
    refusal = Overflow("This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.")
    asked = models(fake(draft=refusal))
    with pytest.raises(ModelCallError):
        await asked.text("writer", "draft", [("human", "Well?")])
    assert models().room("writer") == prompt_bound(8_192, _OUTPUT_RESERVE)
    assert models(context=100_000).room("writer") == prompt_bound(8_192, _OUTPUT_RESERVE)


def test_a_refusal_without_a_number_makes_the_window_smaller_than_the_prompt() -> None:
    memory = _WindowMemory()
    memory.learn("here", None, 30_000)
    assert memory.window("here", None) == 20_000
    memory.learn("here", 25_000, 22_000)  # never larger again
    assert memory.window("here", None) == 20_000
    memory.learn("here", 512, 600)  # no window of a chat model: half a sentence about something else
    assert memory.window("here", None) == _LEAST_WINDOW
    assert memory.window("there", None) == _DEFAULT_WINDOW


# Tokenizers


def _no_network(path: str) -> bytes:
    raise AssertionError(f"asked for {path}")


@pytest.mark.parametrize(
    "name", ["openai:gpt-4o", "openai:gpt-5-mini", "given:gpt-4", "openai:unheard-of", "fake:gpt-4o"]
)
def test_without_its_file_no_tokenizer_is_fetched(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiktoken.load, "read_file", _no_network)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    assert _find_tokenizer(name) is None
    file, _ = tokenizer_module._ENCODINGS["o200k_base"]
    key = hashlib.sha1(f"{tokenizer_module._BASE}{file}.tiktoken".encode(), usedforsecurity=False).hexdigest()
    (tmp_path / key).write_bytes(b"IQ== 0\n")  # cut off while it was written
    assert _find_tokenizer(name) is None


def test_with_its_file_a_tokenizer_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import base64  # noqa: PLC0415 - here alone

    ranks = b"".join(base64.b64encode(bytes([n])) + b" %d\n" % n for n in range(256))
    digest = hashlib.sha256(ranks).hexdigest()
    key = hashlib.sha1(f"{tokenizer_module._BASE}o200k_base.tiktoken".encode(), usedforsecurity=False).hexdigest()
    (tmp_path / key).write_bytes(ranks)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(tiktoken.load, "read_file", _no_network)
    monkeypatch.setattr(tiktoken.load, "check_hash", lambda _data, _digest: True)
    monkeypatch.setitem(tokenizer_module._ENCODINGS, "o200k_base", ("o200k_base", digest))
    tokenizer_module._counter.cache_clear()
    tiktoken.registry.ENCODINGS.pop("o200k_base", None)
    count = _find_tokenizer("openai:gpt-4o")
    assert count is not None
    assert count("Ada") == 3
    assert count("年" * 30_000) == 90_000
    assert count("<|endoftext|>") == 13
    tokenizer_module._counter.cache_clear()
    tiktoken.registry.ENCODINGS.pop("o200k_base", None)
