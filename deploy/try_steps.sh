#!/bin/sh
# The steps of the image `weiwo` of deploy/Dockerfile in a fresh environment, for machines without a container engine:
# install by the lock, serve an empty home, ask the health check and a question, stop by SIGTERM.
#   [PYTHON=python3.12] sh deploy/try_steps.sh [PORT]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
port=${1:-8399}
place=$(mktemp -d)
server=
trap 'test -z "$server" || kill "$server" 2>/dev/null || true; rm -rf "$place"' EXIT
"${PYTHON:-python3.12}" -m venv "$place/env"
"$place/env/bin/pip" wheel -q --no-deps -w "$place/wheels" "$root"
wheel=$(echo "$place"/wheels/weiwo-*.whl)
"$place/env/bin/pip" install -q --require-hashes --no-deps -r "$root/deploy/requirements.lock"
"$place/env/bin/pip" install -q --no-deps "$wheel"
mkdir "$place/home"
cd "$place"
env -i PATH="$place/env/bin:$PATH" HOME="$place" WEIWO_HOME="$place/home" WEIWO_LOG_FORMAT=json \
    weiwo serve --port "$port" 2>"$place/log" &
server=$!
"$place/env/bin/python" - "$port" <<'PYTHON'
import json, sys, time, urllib.request

base = f"http://127.0.0.1:{sys.argv[1]}"
for _ in range(300):
    try:
        print("ok", urllib.request.urlopen(f"{base}/ok", timeout=4).status)
        break
    except OSError:
        time.sleep(0.2)
print("ready", urllib.request.urlopen(f"{base}/ready", timeout=10).read().decode())
body = json.dumps({"assistant_id": "weiwo", "input": {"question": "What is 2 + 3?"}}).encode()
asked = urllib.request.Request(f"{base}/runs/wait", body, {"content-type": "application/json"})
answer = json.load(urllib.request.urlopen(asked, timeout=60))["result"]["answer"]
assert "5" in answer, answer
assert b'weiwo_runs_total{status="success"} 1.0' in urllib.request.urlopen(f"{base}/metrics", timeout=10).read()
print("answered", answer)
PYTHON
kill -TERM "$server"
wait "$server" || test $? -eq 143 || test $? -eq 130
server=
grep '"status": "success"' "$place/log"
echo "stopped; every step passed"
