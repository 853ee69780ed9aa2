"""The gateway over a model that is no OpenAI client, without any socket."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import pytest
from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable, RunnableLambda
from pydantic import BaseModel, Field

from tests.support.virtual_time import virtual_time
from weiwo.models import session as line_module
from weiwo.models.budget import Budget
from weiwo.models.endpoint import Endpoint
from weiwo.models.errors import BudgetExhaustedError, ModelCallError, ModelUnavailableError
from weiwo.models.gateway import ChatModels
from weiwo.state import Limits, Usage
from weiwo.state.settings import Settings, SettingsError


class Verdict(BaseModel):
    """A judgement."""

    level: str
    score: float = Field(ge=0, le=1)


GOOD = {"level": "simple", "score": 0.25}
ASK = [("system", "Be brief."), ("human", "Well?")]
Script = Callable[[list[BaseMessage], bool], Any]


class Watch(AsyncCallbackHandler):
    """Sees a request as LangGraph's streaming and LangSmith's tracing do."""

    def __init__(self) -> None:
        self.tags: list[str] = []
        self.name = ""

    async def on_chat_model_start(self, *_: Any, tags: list[str] | None = None, name: str = "", **__: Any) -> None:
        self.tags, self.name = tags or [], name


class Scripted(BaseChatModel):
    """A chat model played by a function from messages, and whether a tool is bound, to a reply or an error."""

    script: Any
    seen: list[list[BaseMessage]] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[Any, Any]:
        return self.bind(tools=tools, **kwargs)

    def _generate(self, *_: Any, **__: Any) -> ChatResult:
        raise AssertionError("the gateway is asynchronous")

    async def _agenerate(self, messages: list[BaseMessage], *_: Any, **kwargs: Any) -> ChatResult:
        self.seen.append(messages)
        reply = self.script(messages, "tools" in kwargs)
        if isinstance(reply, Awaitable):
            reply = await reply
        if isinstance(reply, Exception):
            raise reply
        if isinstance(reply, dict):
            reply = AIMessage(content="", tool_calls=[{"name": "Verdict", "args": reply, "id": "1"}])
        if isinstance(reply, str):
            reply = AIMessage(content=reply, usage_metadata={"input_tokens": 3, "output_tokens": 2, "total_tokens": 5})
        return ChatResult(generations=[ChatGeneration(message=reply)])

    async def _astream(self, messages: list[BaseMessage], *_: Any, **__: Any) -> AsyncIterator[ChatGenerationChunk]:
        self.seen.append(messages)
        for piece in self.script(messages, None):
            if isinstance(piece, float):
                await asyncio.sleep(piece)
            elif isinstance(piece, Exception):
                raise piece
            else:
                usage = {"input_tokens": 3, "output_tokens": 1, "total_tokens": 4}
                yield ChatGenerationChunk(message=AIMessageChunk(content=piece, usage_metadata=usage))


class Refusal(Exception):  # noqa: N818 - it plays a provider's
    status_code = 400


class Unreachable(ConnectionError):  # noqa: N818 - it plays a provider's
    pass


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_module, "_PAUSE_SECONDS", 0.001)


def gateway(
    script: Script,
    limits: Limits | None = None,
    seconds: float = 120,
    prices: dict[str, tuple[float, float]] | None = None,
    **more: Any,
) -> tuple[ChatModels, Scripted]:
    model = Scripted(script=script)

    async def make(_: Endpoint, __: float) -> BaseChatModel:
        return model

    settings = Settings(
        home="unused",
        models={"master": "fake:m", "writer": "fake:m"},
        model_seconds=seconds,
        prices=prices or {},
        limits=limits or Limits(),
    )
    return ChatModels(settings, Budget(limits or Limits(), **more), make=make), model


def says(reply: Any) -> Script:
    return lambda _messages, _tools: reply


def booked(models: ChatModels) -> list[tuple[str, str | None]]:
    return [(call.mode, call.error) for call in models.budget.delta().calls]


async def test_a_function_call_is_a_judgement() -> None:
    models, model = gateway(says(GOOD))
    model.callbacks = [watch := Watch()]
    assert await models.request_structured_reply("master", "assess", ASK, Verdict) == Verdict(**GOOD)
    assert booked(models) == [("function_call", None)]
    assert {"nostream", "langsmith:nostream"} <= set(watch.tags)


async def test_a_reply_in_text_is_accepted_where_a_call_was_asked_for() -> None:
    models, _ = gateway(says('Here: {"level": "simple", "score": 0.25}'))
    assert await models.request_structured_reply("master", "assess", ASK, Verdict) == Verdict(**GOOD)
    assert booked(models) == [("function_call", None)]


async def test_a_refused_form_steps_down_and_is_remembered() -> None:
    models, model = gateway(lambda _, tools: Refusal("no tools") if tools else '{"level": "simple", "score": 0.25}')
    await models.request_structured_reply("master", "assess", ASK, Verdict)
    await models.request_structured_reply("master", "assess", ASK, Verdict)
    assert booked(models) == [
        ("function_call", "HTTP 400, request refused"),
        ("json_text", None),
        ("json_text", None),
    ]
    asked = model.seen[1]
    assert [message.type for message in asked] == ["system", "human"]
    assert 'JSON schema "Verdict"' in asked[-1].content
    assert [message.content for message in model.seen[0]] == ["Be brief.", "Well?"]


async def test_a_model_without_tools_is_asked_in_text() -> None:
    class Plain(Scripted):
        bind_tools = BaseChatModel.bind_tools  # type: ignore[assignment]

    models, _ = gateway(says(""))
    plain = Plain(script=says('{"level": "simple", "score": 0.25}'))

    async def make(_: Endpoint, __: float) -> BaseChatModel:
        return plain

    models._make = make
    await models.request_structured_reply("master", "assess", ASK, Verdict)
    assert booked(models) == [("json_text", None)]


async def test_a_wrong_value_is_sent_back_once_with_the_validators_words() -> None:
    def script(messages: list[BaseMessage], _: object) -> Any:
        return GOOD if "less than or equal to 1" in messages[-1].content else GOOD | {"score": 7}

    models, model = gateway(script)
    assert await models.request_structured_reply("master", "assess", ASK, Verdict) == Verdict(**GOOD)
    assert booked(models) == [("function_call", None), ("repair", None)]
    assert [message.type for message in model.seen[1]] == ["system", "human", "ai", "human"]
    assert '"score": 7' in model.seen[1][2].content


async def test_what_check_returns_is_sent_back_too() -> None:
    def script(messages: list[BaseMessage], _: object) -> Any:
        return GOOD if "level must not be odd" in messages[-1].content else GOOD | {"level": "odd"}

    def check(verdict: Verdict) -> str | None:
        return "level must not be odd" if verdict.level == "odd" else None

    models, _ = gateway(script)
    assert (await models.request_structured_reply("master", "assess", ASK, Verdict, check)).level == "simple"


async def test_one_repair_and_no_more() -> None:
    models, _ = gateway(says(GOOD | {"score": 7}))
    with pytest.raises(ModelCallError, match=r"not a valid Verdict, even after a repair: score: .*less than"):
        await models.request_structured_reply("master", "assess", ASK, Verdict)
    assert booked(models) == [("function_call", None), ("repair", None)]


@pytest.mark.parametrize("key", ["finish_reason", "stop_reason", "done_reason"])
async def test_a_reply_cut_at_the_limit_is_asked_for_again(key: str) -> None:
    cut = AIMessage(content='{"level": "simple", "score": 0.5, "x": "lo', response_metadata={key: "length"})
    models, _ = gateway(lambda messages, _: GOOD if "cut off" in messages[-1].content else cut)
    assert await models.request_structured_reply("master", "assess", ASK, Verdict) == Verdict(**GOOD)
    models, _ = gateway(says(cut))
    assert (
        await models.request_structured_reply("master", "assess", ASK, Verdict)
    ).score == 0.5  # as far as it goes, it is valid


@pytest.mark.parametrize(
    "reply",
    [
        AIMessage(content="", additional_kwargs={"refusal": "I will not"}),
        AIMessage(content="", response_metadata={"finish_reason": "content_filter"}),
        AIMessage(content="", response_metadata={"stop_reason": "refusal"}),
    ],
)
async def test_a_refusal_is_final(reply: AIMessage) -> None:
    models, model = gateway(says(reply))
    with pytest.raises(ModelCallError, match="declined"):
        await models.request_structured_reply("master", "assess", ASK, Verdict)
    assert len(model.seen) == 1


async def test_a_call_whose_arguments_are_broken_is_mended() -> None:
    broken = {"name": "Verdict", "args": '{"level": "simple", "score": 0.25,}', "id": "1", "error": None}
    models, _ = gateway(says(AIMessage(content="", invalid_tool_calls=[broken])))
    assert await models.request_structured_reply("master", "assess", ASK, Verdict) == Verdict(**GOOD)


async def test_content_blocks_are_read() -> None:
    blocks = [{"type": "reasoning", "reasoning": "{}"}, {"type": "text", "text": '{"level": "simple", "score": 0.25}'}]
    models, _ = gateway(says(AIMessage(content=blocks)))
    assert await models.request_structured_reply("master", "assess", ASK, Verdict) == Verdict(**GOOD)


async def test_two_failures_in_a_row_end_the_asking() -> None:
    models, model = gateway(says(Unreachable("secret prompt")))
    for _ in range(2):
        with pytest.raises(ModelCallError, match="no connection"):
            await models.request_structured_reply("master", "assess", ASK, Verdict)
    with pytest.raises(ModelCallError, match=r"does not answer \(no connection"):
        await models.text("writer", "draft", ASK)
    assert len(model.seen) == 6  # three attempts each
    assert all("secret" not in (error or "") for _, error in booked(models))


async def test_a_call_that_is_under_way_may_still_succeed_when_others_failed() -> None:
    others_failed = asyncio.Event()

    async def succeed() -> dict[str, Any]:
        await others_failed.wait()
        return GOOD

    async def fail(*, last: bool) -> Exception:
        await asyncio.sleep(0.01)
        if last:
            others_failed.set()
        return Unreachable()

    turns = iter([succeed(), *(fail(last=n == 5) for n in range(6))])
    models, _ = gateway(lambda _, __: next(turns, GOOD))
    results = await asyncio.gather(
        *(models.request_structured_reply("master", "assess", ASK, Verdict) for _ in range(3)), return_exceptions=True
    )
    assert [type(result).__name__ for result in results] == ["Verdict", "ModelRequestError", "ModelRequestError"]
    assert await models.request_structured_reply("master", "assess", ASK, Verdict) == Verdict(**GOOD)


async def test_a_run_id_carries_the_breaker_to_the_next_node() -> None:
    async def make(_: Endpoint, __: float) -> BaseChatModel:
        return Scripted(script=says(Unreachable()))

    settings = Settings(home="unused", models={"master": "fake:m"})
    for words in ("no connection", "no connection", "does not answer"):
        models = ChatModels(settings, Budget(Limits()), "one run", make=make)
        with pytest.raises(ModelCallError, match=words):
            await models.text("master", "x", ASK)


async def test_a_timeout_is_bounded_by_half_of_what_is_left() -> None:
    left = {"spent": Usage(seconds=0.7), "clock": lambda: 0.0}
    models, _ = gateway(lambda _, __: asyncio.sleep(30), Limits(max_seconds=1), seconds=60, **left)
    with pytest.raises(ModelCallError, match=r"no reply within 0\.15 s"):
        await models.text("master", "x", ASK)


async def test_the_last_call_goes_to_one_of_two() -> None:
    models, model = gateway(says("fine"), Limits(max_model_calls=1))
    results = await asyncio.gather(
        models.text("master", "x", ASK), models.text("writer", "y", ASK), return_exceptions=True
    )
    assert results[0] == "fine"
    assert isinstance(results[1], BudgetExhaustedError)
    assert isinstance(results[1], ModelCallError)
    assert results[1].limit == models.budget.reached == "max_model_calls"
    assert len(model.seen) == 1


async def test_a_role_without_a_model_is_said_so() -> None:
    models, _ = gateway(says("x"))
    assert models.has_decision_model("master")
    assert not models.has_decision_model("planner")
    with pytest.raises(ModelUnavailableError, match="WEIWO_MODEL"):
        await models.text("planner", "plan", ASK)
    assert booked(models) == []


async def test_tokens_seconds_and_price_are_booked() -> None:
    models, _ = gateway(says("fine"), prices={"fake:m": (2e6, 0.0)})
    await models.text("master", "greet", ASK)
    usage = models.budget.delta()
    assert (usage.input_tokens, usage.output_tokens, usage.cost) == (3, 2, 6.0)
    (call,) = usage.calls
    assert (call.role, call.purpose, call.model, call.mode, call.error) == ("master", "greet", "fake:m", "text", None)
    assert call.seconds > 0


async def test_a_limit_on_cost_needs_the_prices_of_the_models_in_use() -> None:
    with pytest.raises(SettingsError, match=r"the price of fake:m is unknown; set WEIWO_PRICES to fake:m=") as error:
        gateway(says("x"), Limits(max_cost=1))
    assert "\n" not in str(error.value)
    gateway(says("x"), Limits(max_cost=1), prices={"fake:m": (0, 0)})
    settings = Settings(home="unused", models={"master": "fake:m"}, limits=Limits(max_cost=1))
    scripted = Scripted(script=says("x"))
    with pytest.raises(SettingsError, match="given:Scripted"):
        ChatModels(settings, Budget(Limits()), given={"master": scripted})
    known = replace(settings, prices={"fake:Scripted": (1.0, 2.0)})
    models = ChatModels(known, Budget(Limits()), given={"master": scripted})  # in place of the one without a price
    await models.text("master", "x", ASK)
    assert models.budget.delta().cost == pytest.approx((3 * 1 + 2 * 2) / 1e6)


async def test_a_model_made_in_code_has_retries_of_its_own() -> None:
    models, _ = gateway(says("x"))
    broken = Scripted(script=says(Unreachable()))
    given = ChatModels(models.settings, models.budget, given={"planner": broken})
    with pytest.raises(ModelCallError, match="no connection"):
        await given.text("planner", "plan", ASK)
    assert len(broken.seen) == 1


async def test_eight_prompts_of_many_passages_fit_the_default_limits_at_once() -> None:
    arrived: list[int] = []
    all_there = asyncio.Event()

    async def wait() -> str:
        arrived.append(1)
        if len(arrived) == 8:
            all_there.set()
        await all_there.wait()
        return "fine"

    models, _ = gateway(lambda _, __: wait())
    prompt = [("human", "Ein Absatz mit ganz gewöhnlichem Text. 汉武帝生于公元前156年。" * 400)]
    assert await asyncio.gather(*(models.text("master", "read", prompt) for _ in range(8))) == ["fine"] * 8


async def test_a_cancelled_call_is_booked() -> None:
    asked = asyncio.Event()

    async def never() -> str:
        asked.set()
        await asyncio.Event().wait()
        return ""

    models, _ = gateway(lambda _, __: never())
    task = asyncio.create_task(models.text("master", "x", ASK))
    await asked.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert booked(models) == [("text", "cancelled before it finished")]


async def collect(stream: AsyncIterator[str], into: list[str]) -> None:
    async for delta in stream:
        into.append(delta)  # noqa: PERF401 - what came must be there when the stream then fails


async def test_a_stream_comes_in_pieces_without_reasoning() -> None:
    models, model = gateway(says(["<think>hm", "m</think>", "\nGood", " day"]))
    model.callbacks = [watch := Watch()]
    got: list[str] = []
    await collect(models.stream("writer", "draft", ASK), got)
    assert got == ["Good", " day"]
    assert (watch.tags, watch.name) == (["nostream", "langsmith:nostream", "role:writer"], "writer.draft")
    assert booked(models) == [("text", None)]
    assert models.budget.delta().output_tokens == 4


@pytest.mark.parametrize(
    ("pieces", "words"),
    [
        ([], "not a chat completion"),
        (["", ""], "empty"),
        (["<think>only thought</think>"], "empty"),
        (["a", Unreachable("secret")], "no connection"),
        (["a", KeyError("delta")], "not a chat completion"),
        (["a", 30.0], "no whole reply within"),
    ],
)
@virtual_time
async def test_a_stream_that_fails_gives_what_came(pieces: list[Any], words: str) -> None:
    models, _ = gateway(says(pieces), seconds=0.2)
    got: list[str] = []
    with pytest.raises(ModelCallError, match=words):
        await collect(models.stream("writer", "draft", ASK), got)
    assert got == [piece for piece in pieces if piece == "a"]
    assert booked(models)[0][1]


@virtual_time
async def test_a_stream_that_stalls_is_left() -> None:
    models, _ = gateway(says([30.0, "a", 1_000.0]), seconds=100)
    got: list[str] = []
    with pytest.raises(ModelCallError, match="stalled for 20 s"):
        await collect(models.stream("writer", "draft", ASK), got)
    assert got == ["a"]  # the first piece may take longer


async def test_a_reader_may_leave_a_stream() -> None:
    models, _ = gateway(says(["a", "b", "c"]))
    async with aclosing(models.stream("writer", "draft", ASK)) as stream:
        async for delta in stream:
            assert delta == "a"
            break
    assert booked(models) == [("text", "the reply was invalid and was not read to its end")]


async def test_a_model_given_in_code_wins_over_the_settings() -> None:
    models, model = gateway(says("from the settings"))
    given = ChatModels(models.settings, models.budget, given={"planner": Scripted(script=says("given"))})
    assert given.has_decision_model("planner")
    assert await given.text("planner", "plan", ASK) == "given"
    assert models.budget.delta().calls[-1].model == "given:Scripted"
    assert model.seen == []


async def test_models_that_spend_from_a_child_budget() -> None:
    models, _ = gateway(lambda _, __: Unreachable(), Limits(max_model_calls=9))
    children = [models.budget.child() for _ in range(2)]
    for child in children:
        with pytest.raises(ModelCallError, match="no connection"):
            await models.with_budget(child).text("master", "x", ASK)
    assert [child.delta().model_calls for child in children] == [3, 3]
    assert models.budget.delta().model_calls == 6
    with pytest.raises(ModelCallError, match="does not answer"):  # the breaker is shared
        await models.with_budget(models.budget.child()).text("master", "x", ASK)


async def test_another_providers_own_schema_mode_is_used_where_it_has_one() -> None:
    methods: list[str] = []

    class Native(Scripted):
        def with_structured_output(
            self, schema: Any, *, include_raw: bool = False, **kwargs: Any
        ) -> Runnable[Any, Any]:
            assert schema["title"] == "Verdict"
            assert include_raw
            methods.append(kwargs["method"])
            return self | RunnableLambda(lambda message: {"raw": message, "parsed": None, "parsing_error": None})

    model = Native(script=says('{"level": "simple", "score": 0.25}'))
    models = ChatModels(gateway(says(""))[0].settings, Budget(Limits()), given={"master": model})
    assert await models.request_structured_reply("master", "assess", ASK, Verdict) == Verdict(**GOOD)
    assert methods == ["json_schema"]
    assert booked(models) == [("json_schema", None)]


@pytest.mark.processes
def test_the_package_loads_no_provider() -> None:
    code = "import sys, models; print([n for n in ('langchain', 'langchain_core', 'openai') if n in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
