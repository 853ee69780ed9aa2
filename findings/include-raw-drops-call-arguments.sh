#!/usr/bin/env bash
# With `with_structured_output(..., include_raw=True)` the arguments of a call never reach the model, without a word.
#
# Input: the same structured model with and without `include_raw`, called with `max_tokens=5`. Expected: both requests
# carry `max_tokens: 5`. Seen: with `include_raw=True` the request has the model's own default, 64,000 tokens. The raw
# form is `RunnableMap(raw=llm) | parser`, and RunnableParallel (langchain-core) takes `**kwargs` in `invoke` and passes
# them to none of its steps.
#
# Versions: langchain-anthropic 1.7.10 with langchain-core 1.7 as it resolves. Fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
python3 -m pip install --quiet --disable-pip-version-check --target "$folder" langchain-anthropic==1.7.10
PYTHONPATH="$folder" python3 -W ignore - <<'PYTHON'
import json, threading
from http.server import BaseHTTPRequestHandler, HTTPServer

sent = []

class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        sent.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        reply = {"id": "1", "type": "message", "role": "assistant", "model": "claude-haiku-4-5", "stop_reason": "end_turn",
                 "stop_sequence": None, "content": [{"type": "text", "text": '{"value": "Ada"}'}],
                 "usage": {"input_tokens": 1, "output_tokens": 1}}
        body = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_): pass

server = HTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()

from langchain_anthropic import ChatAnthropic

schema = {"title": "Found", "type": "object", "properties": {"value": {"type": "string"}}, "required": ["value"]}
model = ChatAnthropic(model="claude-haiku-4-5", api_key="k", base_url=f"http://127.0.0.1:{server.server_port}")
for raw in (False, True):
    model.with_structured_output(schema, method="json_schema", include_raw=raw).invoke("Who?", max_tokens=5)
bounds = [request["max_tokens"] for request in sent]
print("max_tokens sent without and with include_raw:", bounds)
assert bounds == [5, 64000], "the behaviour has changed"
PYTHON
