"""Scripted chat model behind OpenAI's protocol, with documents, for servers under load.

    python benchmarks/scripted_model.py FOLDER [--port N] [--seconds S] [--log FILE]

Writes a document on each of 276 invented people into the folder, and serves `openai:scripted`, which reads its prompts
as a good model would, `S` seconds a call, and embeds words by their hashes. Prints its address. The log has two lines a
call, when it comes and when it has been answered: seconds since 1970, `asked` or `ended`, the schema asked for, and a
hash of the prompt.
"""

import argparse
import asyncio
import hashlib
import json
import math
import re
import socket
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import uvicorn
from load import BORN, plan_births, read_birth, write_draft
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

Json = dict[str, Any]


def write_documents(folder: Path) -> None:
    """Write the document of each person."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, year in BORN.items():
        text = f"# {name}\n\n{name} was born in {year} in a small town by the river, the second of five children. "
        text += "The family kept a mill, and what is known of these years comes from the registers of the parish. " * 5
        (folder / f"{name.replace(' ', '-').lower()}.md").write_text(text + "\n", encoding="utf-8")


def _read_batch(said: str) -> Json:
    answers = []
    for n, asked in re.findall(r"^Task (\d+): (.*)$", said, re.MULTILINE):
        found = read_birth(f"Task: {asked}\n{said}")
        if found["next"] == "answer":
            answers.append({"task": int(n), **{key: found[key] for key in ("value", "quotes", "confidence")}})
    return {"answers": answers}


def _judge(said: str) -> Json:
    claims = said.rpartition("\nClaims:\n")[2]
    return {"verdicts": [{"n": int(n), "verdict": "supported"} for n in re.findall(r"^(\d+)\. ", claims, re.MULTILINE)]}


def _assess(said: str) -> Json:
    asked = said.rpartition("Question: ")[2].partition("\n")[0]
    compares = float(_COMPARISON.search(asked) is not None)
    return {
        "standalone_question": asked,
        "multi_step": compares,
        "external_information": 1.0,
        "tool_use": 1.0,
        "comparison_or_calculation": compares,
        "reason": "two births are compared" if compares else "one birth",
    }


def _reflect(_: str) -> Json:
    return {"decision": "finish", "reason": "every task has its value", "missing": []}


def _write(said: str) -> str:
    if _COMPARISON.search(said):
        return write_draft(said)
    asked = re.search(r"When was (.+) born\?", said)
    for n, name, year in re.findall(r'n="(\d+)"[^>]*>\n.*?(\w+ \w+) was born in (\d+)', said):
        if asked and name == asked[1]:
            return f"{name} was born in {year} [{n}]."
    raise ValueError("no passage tells")


_COMPARISON = re.compile(r"Who was older, .+ or .+, and by")
_SCRIPT = {
    "AssessmentReply": _assess,
    "ReflectionReply": _reflect,
    "PlanReply": plan_births,
    "ReadReply": read_birth,
    "BatchReadReply": _read_batch,
    "EntailmentReply": _judge,
}


def answer(body: Json) -> tuple[str, str]:
    """Return the name of the requested schema and the model's reply. The name is empty for plain text."""
    said = str(body["messages"][-1]["content"])
    name = ((body.get("response_format") or {}).get("json_schema") or {}).get("name", "")
    if not name and body.get("tools"):
        raise ValueError("the script knows response formats, not tools")
    return name, json.dumps(_SCRIPT[name](said)) if name else _write(said)


def vector(text: str) -> list[float]:
    """A bag of words, hashed into 256 places."""
    places = [0.01] * 256
    for word in re.findall(r"\w+", text.lower()):
        places[hashlib.sha256(word.encode()).digest()[0]] += 1.0
    length = math.hypot(*places)
    return [place / length for place in places]


def _usage(body: Json, said: str) -> Json:
    sent, received = len(json.dumps(body)) // 4, len(said) // 4
    return {"prompt_tokens": sent, "completion_tokens": received, "total_tokens": sent + received}


def create_app(seconds: float, log: Path | None) -> Starlette:
    """Create the application: a list of a single model, and completions."""
    file = log.open("a", encoding="utf-8", buffering=1) if log else None

    def note(state: str, name: str, body: Json) -> None:
        if file:
            digest = hashlib.sha256(json.dumps(body["messages"]).encode()).hexdigest()[:16]
            file.write(f"{time.time():.3f} {state} {name or 'text'} {digest}\n")

    async def complete(request: Request) -> Response:
        body = await request.json()
        try:
            name, said = answer(body)
        except (KeyError, TypeError, ValueError) as error:
            print(f"no script for this: {error!r}\n{body['messages'][-1]['content']}", file=sys.stderr, flush=True)
            return JSONResponse({"error": {"message": repr(error), "type": "scripted"}}, 500)
        note("asked", name, body)
        await asyncio.sleep(seconds)
        head = {"id": "1", "created": 1, "model": body["model"]}
        if not body.get("stream"):
            note("ended", name, body)
            choice = {"index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": "stop"}
            return JSONResponse({**head, "object": "chat.completion", "choices": [choice], "usage": _usage(body, said)})

        async def stream() -> AsyncIterator[str]:
            chunk = {**head, "object": "chat.completion.chunk"}
            delta = {"role": "assistant", "content": said}
            for part in (
                {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
                {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
                {"choices": [], "usage": _usage(body, said)},
            ):
                yield f"data: {json.dumps({**chunk, **part})}\n\n"
            note("ended", name, body)
            yield "data: [DONE]\n\n"

        return StreamingResponse(stream(), media_type="text/event-stream")

    async def embed(request: Request) -> Response:
        body = await request.json()
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        data = [{"object": "embedding", "index": n, "embedding": vector(text)} for n, text in enumerate(texts)]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        return JSONResponse({"object": "list", "data": data, "model": body["model"], "usage": usage})

    async def models(_: Request) -> Response:
        return JSONResponse({"object": "list", "data": [{"id": "scripted", "object": "model"}]})

    return Starlette(
        routes=[
            Route("/v1/chat/completions", complete, methods=["POST"]),
            Route("/v1/embeddings", embed, methods=["POST"]),
            Route("/v1/models", models),
        ]
    )


def main() -> None:
    """Serve until a signal comes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where the documents go")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=0.3, help="what a call takes")
    parser.add_argument("--log", type=Path, help="a line a call")
    given = parser.parse_args()
    write_documents(given.folder)
    with socket.create_server(("127.0.0.1", given.port)) as listener:
        print(f"http://127.0.0.1:{listener.getsockname()[1]}/v1", flush=True)
        config = uvicorn.Config(create_app(given.seconds, given.log), log_level="critical", timeout_keep_alive=60)
        uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
