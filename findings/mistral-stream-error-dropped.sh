#!/usr/bin/env bash
# langchain-mistralai 1.1.6 drops an error that is told inside a stream: what came before it passes for the whole reply.
#
# Input: a stream of server-sent events with one word, then an error object as Mistral's API sends it (no `choices`),
# then [DONE]. Expected: an exception, or a finish reason by which the caller can tell. Seen: `astream` ends normally
# with the words that came, and no chunk has a finish reason. `_astream` skips every event without choices.
#
# Versions: langchain-mistralai 1.1.6, httpx-sse as it pins it. Fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
python3 -m pip install --quiet --disable-pip-version-check --target "$folder" langchain-mistralai==1.1.6
PYTHONPATH="$folder" python3 -W ignore - <<'PYTHON'
import asyncio, json, threading
from http.server import BaseHTTPRequestHandler, HTTPServer

WORD = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m",
        "choices": [{"index": 0, "delta": {"role": "assistant", "content": "It cost 4,200 pounds, and"}, "finish_reason": None}]}
ERROR = {"object": "error", "message": "Service tier capacity exceeded for this model.",
         "type": "service_tier_capacity_exceeded", "code": "3505"}

class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for event in (json.dumps(WORD), json.dumps(ERROR), "[DONE]"):
            self.wfile.write(f"data: {event}\n\n".encode())
    def log_message(self, *_): pass

server = HTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()

from langchain_mistralai import ChatMistralAI

async def main():
    model = ChatMistralAI(model="m", api_key="k", base_url=f"http://127.0.0.1:{server.server_port}")
    chunks = [chunk async for chunk in model.astream("What did it cost?")]
    text = "".join(chunk.text for chunk in chunks)
    reasons = [chunk.response_metadata.get("finish_reason") for chunk in chunks]
    print(repr(text), "finish reasons:", set(reasons))
    assert text == "It cost 4,200 pounds, and" and set(reasons) == {None}, "the behaviour has changed"

asyncio.run(main())
PYTHON
