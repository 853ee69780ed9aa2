#!/usr/bin/env bash
# langchain-openai 1.7.4 drops a refusal that is streamed by chat completions: the reply is empty and ends with `stop`.
#
# Input: one model reply with the field `refusal`, once whole and once as a stream of `delta.refusal` (OpenAI's API
# reference: chat.completion.chunk, `choices[].delta.refusal`). Expected: `additional_kwargs["refusal"]` both times.
# Seen: it is there of the whole reply; the chunks of the stream hold nothing, so that a refusal looks like an empty
# reply that ended well.
#
# Versions: langchain-openai 1.7.4. Fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
python3 -m pip install --quiet --disable-pip-version-check --target "$folder" langchain-openai==1.7.4
PYTHONPATH="$folder" python3 -W ignore - <<'PYTHON'
import json, threading
from http.server import BaseHTTPRequestHandler, HTTPServer

WORDS = "I cannot help with that."

class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        head = {"id": "1", "created": 1, "model": "m"}
        if asked.get("stream"):
            parts = [{"role": "assistant", "content": "", "refusal": None}, {"refusal": WORDS}]
            events = [{**head, "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": part, "finish_reason": None}]} for part in parts]
            events.append({**head, "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
            body = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
            kind = "text/event-stream"
        else:
            message = {"role": "assistant", "content": None, "refusal": WORDS}
            body = json.dumps({**head, "object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})
            kind = "application/json"
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())
    def log_message(self, *_): pass

server = HTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()

from langchain_openai import ChatOpenAI

model = ChatOpenAI(model="m", api_key="k", base_url=f"http://127.0.0.1:{server.server_port}/v1")
whole = model.invoke("Well?")
chunks = list(model.stream("Well?"))
streamed = [chunk.additional_kwargs.get("refusal") for chunk in chunks]
reasons = [chunk.response_metadata.get("finish_reason") for chunk in chunks if chunk.response_metadata.get("finish_reason")]
print("whole:", whole.additional_kwargs.get("refusal"), "| streamed:", set(streamed), "text", repr("".join(c.text for c in chunks)), reasons)
assert whole.additional_kwargs.get("refusal") == WORDS and set(streamed) == {None} and reasons == ["stop"], "the behaviour has changed"
PYTHON
