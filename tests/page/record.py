"""Records runs of the graph as the streams that the page's tests replay: `python -m tests.page.record`.

Each recording is one JSON object: the events of the stream as a server would send them, the state the thread ends
in, and what `weiwo show --json` prints of it.
"""

import asyncio
import json
import os
import tempfile
from pathlib import Path
from typing import Any, Final

from langchain_core.messages import BaseMessage
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel

FOLDER: Final = Path(__file__).parent.parent / "data" / "page"
_KEPT: Final = ("question", "result", "messages", "__interrupt__")


def _plain(value: Any) -> Any:
    """A value as a server sends it."""
    if isinstance(value, BaseMessage):
        return {"type": value.type, "content": value.content, "id": value.id, "additional_kwargs": {}}
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if hasattr(value, "value") and hasattr(value, "id"):
        return {"id": value.id, "value": _plain(value.value)}
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value


async def _record(name: str, question: str, context: dict[str, Any], answers: tuple[Any, ...] = ()) -> None:
    from langgraph.types import Command  # noqa: PLC0415 - heavy

    from weiwo.graph import build_graph  # noqa: PLC0415 - after the environment is set
    from weiwo.state.settings import Context  # noqa: PLC0415 - likewise

    graph = build_graph(InMemorySaver())
    config: Any = {"configurable": {"thread_id": name}}
    runs = []
    for given in ({"question": question}, *(Command(resume=answer) for answer in answers)):
        events: list[dict[str, Any]] = []
        last: dict[str, Any] = {}
        modes = ["custom", "messages", "values"]
        async for mode, chunk in graph.astream(given, config, context=Context(**context), stream_mode=modes):
            if mode == "values":
                last = {key: _plain(chunk[key]) for key in _KEPT if key in chunk}
            elif mode == "messages":
                message, metadata = chunk
                if metadata.get("langgraph_node") == "writer" and message.type == "AIMessageChunk":
                    data = [{**_plain(message), "type": message.type}, {"langgraph_node": "writer"}]
                    events.append({"event": "messages", "data": data})
            else:
                events.append({"event": "custom", "data": chunk})
        events.append({"event": "values", "data": last})
        runs.append(events)
    target = FOLDER / f"{name}.json"
    target.write_text(json.dumps({"question": question, "runs": runs}, ensure_ascii=False, indent=1) + "\n")
    print(target, target.stat().st_size)  # noqa: T201 - a script


async def _main() -> None:
    from tests.support.openai_server import OpenAIServer  # noqa: PLC0415 - a script
    from tests.support.personas import WU_OR_CAESAR, WU_OR_CAESAR_ZH, good  # noqa: PLC0415

    await _record("extracts", "What is the Great Wall made of?", {})
    await _record("unknown", "Who was older, Ada Lovelace or Charles Babbage?", {})
    with OpenAIServer(good) as server:
        os.environ |= {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": server.key, "WEIWO_MODEL": "openai:gpt-x"}
        await _record("planned", WU_OR_CAESAR, {})
        await _record("chinese", WU_OR_CAESAR_ZH, {})
        await _record("approval", WU_OR_CAESAR, {"approve_plan": True}, ("approve",))


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {"WEIWO_HOME": home, "WEIWO_WEB": "off"}
        asyncio.run(_main())
