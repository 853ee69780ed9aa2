"""The scripted model of `oracle.py` behind a provider's wire form on loopback, asked through the provider's package.

Wall time is not measured: the calls of both ways take none here.
"""

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from invented import Case
from langchain_core.messages import AIMessage, convert_to_messages
from oracle import Ledger, Oracle

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.support.openai_server import Reply, call, structured, text
from tests.support.providers.catalog import DIALECTS, provider_server
from tests.support.virtual_time import VirtualTimeLoop
from weiwo.graph import build_graph
from weiwo.state.settings import Context


def _tools_of(request: dict[str, Any]) -> list[Any]:
    wanted = (request.get("response_format") or {}).get("json_schema")
    if wanted:
        return [{"type": "function", "function": {"name": wanted["name"], "parameters": wanted["schema"]}}]
    return list(request.get("tools") or ())


def _handler(oracle: Oracle) -> Any:
    def reply(request: dict[str, Any]) -> Reply:
        messages, tools = convert_to_messages(request["messages"]), _tools_of(request)
        with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
            result = runner.run(oracle._agenerate(messages, tools=tools))  # noqa: SLF001 - as LangChain calls it
        message = result.generations[0].message
        if not isinstance(message, AIMessage) or (used := message.usage_metadata) is None:
            raise TypeError("the oracle gives messages with usage")
        more: dict[str, Any] = {"usage": (used["input_tokens"], used["output_tokens"]), "piece": 80}
        if not message.tool_calls:
            return text(str(message.text), **more)
        asked = message.tool_calls[0]
        if "response_format" in request:
            return structured(request, asked["args"], **more)
        return call(asked["name"], json.dumps(asked["args"], ensure_ascii=False), **more)

    return reply


@contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


async def _ask(question: str, folder: Path, provider: str) -> dict[str, Any]:
    context = Context(
        model=f"{provider}:{DIALECTS[provider].model}",
        corpus=[str(folder)],
        web=False,
        telemetry=False,
        answer_memory=False,
    )
    result: dict[str, Any] = (await build_graph().ainvoke({"question": question}, context=context))["result"]
    return result


def measure_provider(cases: list[Case], folder: Path, provider: str) -> None:
    """Ask Weiwo each question through a provider's API format, and print the figures.

    The figures are right answers, sent and booked tokens, and failures.
    """
    right = sent = booked = failed = calls = bounded = 0
    with tempfile.TemporaryDirectory() as home:
        for case in cases:
            ledger = Ledger()
            with (
                provider_server(provider, _handler(Oracle(case=case, ledger=ledger))) as server,
                _environment({**server.environment, "WEIWO_HOME": home}),
            ):
                result = asyncio.run(_ask(case.question, folder, provider))
            usage = result["usage"]
            answer = result["answer"] if result["status"] in {"complete", "partial"} else ""
            right += case.right(answer)
            sent, calls = sent + ledger.prompt, calls + len(server.requests)
            booked += usage["input_tokens"]
            failed += sum(bool(item.get("error")) for item in usage["calls"])
            bounded += sum(_is_bounded(request.body) for request in server.requests)
    print(
        f"{provider:16} right {right} of {len(cases)}, calls {calls}, failed {failed}, prompt tokens {sent},"
        f" booked {booked}, requests with a bound {bounded}"
    )


def _is_bounded(body: dict[str, Any]) -> bool:
    places = (body, body.get("generationConfig") or {}, body.get("options") or {})
    names = ("max_tokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens", "num_predict")
    return any(name in place for place in places for name in names)
