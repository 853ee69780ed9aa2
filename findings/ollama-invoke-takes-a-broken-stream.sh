#!/usr/bin/env bash
# `ChatOllama.invoke` (langchain-ollama 1.1.0) returns half a reply as a whole one where Ollama's stream just ends.
#
# `invoke` asks for a stream and adds it up. Input: a stream of two lines, neither with `"done": true`, which ends in
# good order, as it does where a proxy in between gives up. Expected: an exception. Seen: a message with the words
# that came, without `done_reason`, `usage_metadata` or any other sign. Asked with `stream=False` as an HTTP client
# would, the same server's broken reply could not be taken for JSON.
#
# Versions: langchain-ollama 1.1.0, ollama as it resolves. Fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
python3 -m pip install --quiet --disable-pip-version-check --target "$folder" langchain-ollama==1.1.0
PYTHONPATH="$folder" python3 -W ignore - <<'PYTHON'
import json, threading
from http.server import BaseHTTPRequestHandler, HTTPServer

asked = []

class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        lines = [{"model": "m", "created_at": "2026-01-02T03:04:05Z", "message": {"role": "assistant", "content": text}, "done": False}
                 for text in ("It cost 4,200 pounds,", " and")]
        body = "".join(json.dumps(line) + "\n" for line in lines).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_): pass

server = HTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()

from langchain_ollama import ChatOllama

message = ChatOllama(model="m", base_url=f"http://127.0.0.1:{server.server_port}").invoke("What did it cost?")
print(repr(message.text), message.response_metadata, "asked with stream =", asked[0]["stream"])
assert message.text == "It cost 4,200 pounds, and", "the behaviour has changed"
assert "done_reason" not in message.response_metadata and asked[0]["stream"] is True, "the behaviour has changed"
PYTHON
