#!/bin/sh
# The steps of deploy/compose.aegra.yaml in a fresh environment, for machines without a container
# engine: install by the lock, fill pgvector, start Redis, two workers and Caddy with TLS, open the page, ask, kill a
# worker, ask again. The URL is of a Postgres with pgvector and uuid-ossp, as a user who may create databases.
#   [PYTHON=python3.12] WEIWO_TEST_POSTGRES=URL sh deploy/try_aegra.sh [PORT]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
port=${1:-8440}
place=$(mktemp -d)
database=weiwo_$$
processes=
finish() {
    for process in $processes; do kill "$process" 2>/dev/null || true; done
    wait
    psql -q "$WEIWO_TEST_POSTGRES" -c "DROP DATABASE IF EXISTS $database WITH (FORCE)" || true
    rm -rf "$place"
}
trap finish EXIT
"${PYTHON:-python3.12}" -m venv "$place/env"
export PATH="$place/env/bin:$PATH"
pip wheel -q --no-deps -w "$place/wheels" "$root"
wheel=$(echo "$place"/wheels/weiwo-*.whl)
pip install -q --require-hashes --no-deps -r "$root/deploy/requirements-aegra.lock"
pip install -q --no-deps "$wheel"
mkdir -p "$place/srv/graph" "$place/srv/app/server/hosted"
cp "$root/langgraph.json" "$root/deploy/pgvector_store.py" "$place/srv"
cp "$root/graph/served_graph.py" "$place/srv/graph"
cp "$root/app/server/hosted/application.py" "$place/srv/app/server/hosted"

cd "$place/srv"
psql -q "$WEIWO_TEST_POSTGRES" -c "CREATE DATABASE $database"
export DATABASE_URL=$(python -c "import sys, urllib.parse as u
print(u.urlsplit(sys.argv[1])._replace(path=sys.argv[2]).geturl())" "$WEIWO_TEST_POSTGRES" "$database")
python "$root/benchmarks/scripted_model.py" "$place/people" --port $((port + 1)) >/dev/null &
processes="$processes $!"
redis-server --port $((port + 2)) --bind 127.0.0.1 --appendonly yes --dir "$place" --loglevel warning >/dev/null &
processes="$processes $!"
export OPENAI_BASE_URL="http://127.0.0.1:$((port + 1))/v1" OPENAI_API_KEY=none WEIWO_MODEL=openai:scripted
export WEIWO_EMBEDDINGS=openai:scripted WEIWO_WEB=off PYTHONPATH="$place/srv" LANGGRAPH_STRICT_MSGPACK=true
export AEGRA_CONFIG="$place/srv/langgraph.json" AEGRA_CHECKPOINT_DURABILITY=sync LOG_LEVEL=WARNING
export REDIS_URL="redis://127.0.0.1:$((port + 2))/0" REDIS_BROKER_ENABLED=true WORKER_COUNT=1 N_JOBS_PER_WORKER=16
export LEASE_DURATION_SECONDS=15 HEARTBEAT_INTERVAL_SECONDS=5 REAPER_INTERVAL_SECONDS=5
wait_for() {
    python - "$1" <<'PYTHON'
import sys, time, urllib.request

for _ in range(600):
    try:
        sys.exit(urllib.request.urlopen(sys.argv[1], timeout=4).status != 200)
    except OSError:
        time.sleep(0.2)
sys.exit(f"{sys.argv[1]} does not answer")
PYTHON
}
wait_for "$OPENAI_BASE_URL/models"
WEIWO_HOME="$place/home0" weiwo index "$place/people" --into @pgvector_store.documents
export WEIWO_CORPUS=@pgvector_store.documents
for n in 3 4; do # the first makes the tables
    WEIWO_HOME="$place/home$n" python -m uvicorn aegra_api.main:app --port $((port + n)) >"$place/log$n" 2>&1 &
    worker=$!
    processes="$processes $worker"
    wait_for "http://127.0.0.1:$((port + n))/health" || { tail -n 30 "$place/log$n"; exit 1; }
done
printf '{\n\tadmin off\n\thttp_port %s\n\tskip_install_trust\n}\n' $((port + 5)) >"$place/Caddyfile"
cat "$root/deploy/Caddyfile" >>"$place/Caddyfile"
XDG_DATA_HOME="$place" XDG_CONFIG_HOME="$place" WEIWO_SITE="localhost:$port" \
    WEIWO_WORKERS="127.0.0.1:$((port + 3)) 127.0.0.1:$((port + 4))" \
    caddy run --config "$place/Caddyfile" --adapter caddyfile 2>"$place/caddy.log" &
processes="$processes $!"
cat >"$place/ask.py" <<'PYTHON'
import ssl, sys, time, httpx

base, authority, question, expected = sys.argv[1:]
for _ in range(100):
    try:
        http = httpx.Client(base_url=base, verify=ssl.create_default_context(cafile=authority), timeout=120)
        page = http.get("/")
        break
    except (OSError, httpx.HTTPError):
        time.sleep(0.2)
assert "<title>" in page.text and page.headers["content-type"].startswith("text/html"), page.text
thread = http.post("/threads", json={}).json()["thread_id"]
values = http.post(
    f"/threads/{thread}/runs/wait", json={"assistant_id": "weiwo", "input": {"question": question}}
).json()
result = values["result"]
assert expected in result["answer"], result
print(result["status"], result["answer"])
PYTHON
authority="$place/caddy/pki/authorities/local/root.crt"
ask() { python "$place/ask.py" "https://localhost:$port" "$authority" "Who was older, $1, and by how many years?" "$2"; }
ask "Alba Amsel or Boris Amsel" "37 years"
kill -9 "$worker"
ask "Clara Amsel or Dario Amsel" "37 years"
echo "every step passed"
