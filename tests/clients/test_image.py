"""The image that `langgraph build` makes: what goes in, what stays out."""

import json
import os
import re
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pathspec
import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


@pytest.fixture(scope="module")
def dockerfile(tmp_path_factory):
    file = tmp_path_factory.mktemp("image") / "Dockerfile"
    command = [sys.executable, "-m", "langgraph_cli", "dockerfile", "--config", str(ROOT / "langgraph.json"), str(file)]
    env = {**os.environ, "LANGGRAPH_CLI_NO_ANALYTICS": "1", "LANGGRAPH_NO_VERSION_CHECK": "true"}
    subprocess.run(command, check=True, capture_output=True, env=env)
    return file.read_text()


def test_the_image_has_the_extras_that_its_users_need(dockerfile, tmp_path):
    extras = PROJECT["project"]["optional-dependencies"]
    wanted = [re.split(r"[<>=~!]", one)[0] for name in ("documents", "tables") for one in extras[name]]
    base = [re.split(r"[<>=~!\[]", one)[0] for one in PROJECT["project"]["dependencies"]]
    wanted = [name for name in wanted if name not in base]  # a local folder has no extras there
    (line,) = (line for line in dockerfile.splitlines() if line.startswith("RUN") and "xberg" in line)
    (tmp_path / "uv").write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    (tmp_path / "uv").chmod(0o755)
    ran = subprocess.run(  # as the shell of the image reads it: `>=` would send the output to a file
        ["sh", "-c", line.removeprefix("RUN ")],
        check=True, capture_output=True, text=True, cwd=tmp_path, env={"PATH": f"{tmp_path}:{os.environ['PATH']}"},
    )  # fmt: skip
    assert ran.stdout.split()[-len(wanted) :] == wanted
    assert [path.name for path in tmp_path.iterdir()] == ["uv"]


def test_the_image_reads_checkpoints_as_the_server_here_does(dockerfile):
    settings = json.loads((ROOT / "langgraph.json").read_text())["env"]
    assert {f"ENV {name}={value}" for name, value in settings.items()} <= {*dockerfile.splitlines()}


def test_the_image_serves_the_graph(dockerfile):
    (line,) = (line for line in dockerfile.splitlines() if line.startswith("ENV LANGSERVE_GRAPHS="))
    served = json.loads(line.partition("=")[2].strip("'"))
    path, _, name = served["weiwo"].partition(":")
    file = Path(*Path(path).parts[3:])  # behind /deps and the folder's name
    module = import_module("weiwo." + ".".join(file.with_suffix("").parts))
    assert (Path(module.__file__).resolve(), hasattr(module, name)) == (ROOT / file, True)
    assert "ADD . /deps/" in dockerfile


def test_secrets_and_history_stay_out_and_the_program_goes_in():
    ignored = pathspec.GitIgnoreSpec.from_lines((ROOT / ".dockerignore").read_text().splitlines())
    for left_out in (".env", ".env.local", "sub/.env", ".git/config", ".venv/bin/python", ".langgraph_api/x.pckl"):
        assert ignored.match_file(left_out), left_out
    build = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = [*build["only-include"], *build["force-include"], "README.md", "LICENSE", "NOTICE", "hatch_build.py"]
    for one in (*needed, "pyproject.toml", "langgraph.json", "graph/builder.py", "examples/corpus/en/k2.md"):
        assert not ignored.match_file(one), one
