#!/usr/bin/env bash
# Install the product as users do: with the oldest pip that Python 3.11 brings, and with uv. `weiwo doctor` must then
# find every part importable. Usage: .ci/try_install.sh
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
EXTRAS="[documents,tables,mcp]"
OLDEST_PIP=22.3 # bundled with Python 3.11.0

check() { # NAME BIN
    WEIWO_HOME="$folder/home-$1" "$2/weiwo" doctor --json >"$folder/$1.json" || true
    "$2/python" - "$1" "$folder/$1.json" <<'PYTHON'
import json, sys
name, path = sys.argv[1:]
parts = {"web pages", "documents", "tables", "MCP"}
checks = [check for check in json.load(open(path))["checks"] if check["name"] in parts]
broken = [f"{check['name']}: {check['text']}" for check in checks if check["verdict"] != "ok"]
sys.exit(f"installed with {name}, broken: {'; '.join(broken) or 'parts not checked'}" if broken or len(checks) < len(parts) else 0)
PYTHON
    echo "installed with $1: every part loads"
}

git clone --quiet . "$folder/source"
python=$(command -v python3.11 || command -v python3)
"$python" -m venv "$folder/old"
"$folder/old/bin/python" -m pip install --quiet --disable-pip-version-check "pip==$OLDEST_PIP"
"$folder/old/bin/python" -m pip install --quiet --disable-pip-version-check -e "$folder/source$EXTRAS"
check "pip $OLDEST_PIP" "$folder/old/bin"

"$python" -m venv "$folder/new"
"$folder/new/bin/python" -m pip install --quiet --disable-pip-version-check uv
"$folder/new/bin/uv" venv --quiet --clear --python "$python" "$folder/uv"
"$folder/new/bin/uv" pip install --quiet --python "$folder/uv/bin/python" "$folder/source$EXTRAS"
check "uv" "$folder/uv/bin"
