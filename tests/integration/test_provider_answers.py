"""Whole runs with a model of each provider's form: whole, cut, declined, overloaded and cold.

What the run says of itself must be what happened. A provider whose package is not installed is left out.
"""

import gc
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.support.command import run_command, search_path
from tests.support.openai_server import Handler, OpenAIServer, Reply, asked_schema, error, text
from tests.support.personas import WU_OR_CAESAR, good
from tests.support.providers.catalog import DIALECTS, provider_server
from tests.support.providers.ollama import LOADING
from weiwo.graph import build_graph
from weiwo.models.model_cache import _http_client
from weiwo.state.settings import Context

pytestmark = [
    pytest.mark.integration,
    pytest.mark.filterwarnings(
        "ignore::pytest.PytestUnraisableExceptionWarning",  # connections left open
        "ignore::ResourceWarning",
        "ignore::DeprecationWarning",
    ),
]
WORDS = {"anthropic": "refusal", "google_genai": "PROHIBITED_CONTENT", "mistralai": "error", "ollama": "unload"}
"""Each provider's word for a reply that is no answer; of the others `content_filter`."""


def is_draft(request: Any) -> bool:
    return asked_schema(request) is None


def cut_drafts(_: str) -> Handler:
    """Drafts end in the middle of their first sentence, at the limit of length."""

    def handler(request: Any) -> Reply:
        reply = good(request)
        return replace(reply, content=(reply.content or "")[:40], finish="length") if is_draft(request) else reply

    return handler


def broken_drafts(_: str) -> Handler:
    """Drafts end in the middle, without a word on why."""

    def handler(request: Any) -> Reply:
        reply = good(request)
        return replace(reply, content=(reply.content or "")[:40], finish=None) if is_draft(request) else reply

    return handler


def declined(name: str) -> Handler:
    """Each request is declined."""
    return lambda _: text("", finish=WORDS.get(name, "content_filter"))


def first(before: Callable[[str], Reply]) -> Callable[[str], Handler]:
    """Each other request gets something else first."""

    def make(name: str) -> Handler:
        seen: set[str] = set()

        def handler(request: Any) -> Reply:
            asked = str(request["messages"])
            if asked in seen:
                return good(request)
            seen.add(asked)
            return before(name)

        return handler

    return make


overloaded = first(lambda _: error(503, "The model is overloaded", retry_after="0"))
cold = first(lambda name: text("", finish=LOADING) if name == "ollama" else error(503, "Loading model"))


@pytest.fixture(autouse=True)
def _indexed(weiwo_home: Any, index_sample: Any) -> None:
    index_sample(weiwo_home)


@pytest.fixture(autouse=True, scope="module")
def _collected() -> Iterator[None]:
    """Have clients that were not closed complain before another module begins, where it is ignored."""
    yield
    gc.collect()


async def ask(name: str, make: Callable[[str], Handler], monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The result of a question, with a model of a provider's form."""
    dialect = DIALECTS[name]
    pytest.importorskip(dialect.package, reason="pip install --group providers")
    context = Context(max_seconds=120, web=False, answer_memory=False)
    with provider_server(name, make(name)) as server:
        for variable, value in server.environment.items():
            monkeypatch.setenv(variable, value)
        if name == "openai_responses":
            from langchain_openai import ChatOpenAI  # noqa: PLC0415 - heavy

            more: dict[str, Any] = {"use_responses_api": True, "http_async_client": _http_client(20)}
            graph = build_graph(models=ChatOpenAI(model=dialect.model, max_retries=2, **more))
        else:
            graph = build_graph()
            context = context.model_copy(update={"model": f"{name}:{dialect.model}"})
        result: dict[str, Any] = (await graph.ainvoke({"question": WU_OR_CAESAR}, context=context))["result"]
        assert server.requests
    return result


each = pytest.mark.parametrize("name", DIALECTS)


@each
async def test_a_whole_answer_is_complete(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    result = await ask(name, lambda _: good, monkeypatch)
    assert result["status"] == "complete"
    assert "56" in result["answer"]
    assert not [call for call in result["usage"]["calls"] if call.get("error")]


@each
@pytest.mark.parametrize("make", [cut_drafts, broken_drafts])
async def test_half_a_draft_is_never_the_whole_answer(
    name: str, make: Callable[[str], Handler], monkeypatch: pytest.MonkeyPatch
) -> None:
    result = await ask(name, make, monkeypatch)
    drafts = [call for call in result["usage"]["calls"] if call["role"] == "writer" and call["purpose"] == "draft"]
    assert all(call["fault"] == "incomplete" for call in drafts)
    assert result["status"] == "partial" or "56" in result["answer"]  # else the rules have answered


@each
async def test_a_model_that_declines_is_said_to(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    result = await ask(name, declined, monkeypatch)
    errors = [call["error"] for call in result["usage"]["calls"]]
    assert result["answer"]
    assert not [told for told in errors if told and "does not answer" in told]


@each
@pytest.mark.parametrize("make", [overloaded, cold], ids=["overloaded", "cold"])
async def test_what_passes_is_waited_for(
    name: str, make: Callable[[str], Handler], monkeypatch: pytest.MonkeyPatch
) -> None:
    result = await ask(name, make, monkeypatch)
    assert result["status"] == "complete"
    assert "56" in result["answer"]


def run_ask(name: str, make: Callable[[str], Handler], question: str, folder: Any, home: Any) -> tuple[int, str, str]:
    """Run `weiwo ask` with a model of a provider's form."""
    dialect = DIALECTS[name]
    pytest.importorskip(dialect.package, reason="pip install --group providers")
    with provider_server(name, make(name)) as server:
        env = {**os.environ, **server.environment, "WEIWO_HOME": str(home), "PYTHONPATH": search_path()}
        env |= {"WEIWO_MODEL": f"{name}:{dialect.model}", "WEIWO_WEB": "off", "WEIWO_ANSWER_MEMORY": "off"}
        return run_command("ask", question, cwd=folder, env=env)


by_command = pytest.mark.parametrize("name", [name for name in DIALECTS if name != "openai_responses"])


@by_command
def test_the_command_tells_half_an_answer_from_a_whole_one(name: str, tmp_path: Any, weiwo_home: Any) -> None:
    for make, code in ((lambda _: good, 0), (cut_drafts, 3)):
        exit_code, shown, why = run_ask(name, make, "Hello, who are you?", tmp_path, weiwo_home)
        assert shown, why
        assert exit_code == code


@by_command
@pytest.mark.parametrize("make", [declined, overloaded, cold], ids=["declined", "overloaded", "cold"])
def test_the_command_answers_after_a_refusal_or_a_delay(
    name: str, make: Callable[[str], Handler], tmp_path: Any, weiwo_home: Any
) -> None:
    exit_code, shown, why = run_ask(name, make, WU_OR_CAESAR, tmp_path, weiwo_home)
    assert (exit_code, "56" in shown) == (0, True), why  # after a refusal the rules answer
    assert "Traceback" not in why


async def test_a_deployment_of_azure_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Azure takes OpenAI's bodies at an address of its own, with its key in another header."""
    version = "2024-10-21"
    dialect = replace(DIALECTS["openai"], paths=(f"/chat/completions?api-version={version}",))
    with OpenAIServer(good, dialect) as server:
        monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", server.url.removesuffix("/v1"))
        monkeypatch.setenv("AZURE_OPENAI_API_KEY", server.key)
        monkeypatch.setenv("OPENAI_API_VERSION", version)
        context = Context(model="azure_openai:my-deployment", max_seconds=120, web=False, answer_memory=False)
        result = (await build_graph().ainvoke({"question": WU_OR_CAESAR}, context=context))["result"]
    assert result["status"] == "complete"
    assert {request.path.partition("?")[0] for request in server.requests} == {
        "/openai/deployments/my-deployment/chat/completions"
    }
    assert {request.headers["api-key"] for request in server.requests} == {server.key}
