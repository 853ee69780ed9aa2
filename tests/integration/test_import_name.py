"""One import name: the wheel holds `weiwo` alone, and a user's own `tools/`, `state/`, … stay theirs beside it."""

import json
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration

pytest.importorskip("hatchling", reason="the wheel is built with it; it is in the dependency group dev")

ROOT = Path(__file__).parents[2]
FOLDERS = ("state", "text", "models", "tools", "nodes", "graph", "app")
TOOLS = '''
from langchain_core.tools import tool

NAME = "mine"

@tool
def mine(query: str) -> str:
    """Find a thing of my own."""
    return query
'''
TYPED = """
from weiwo import Settings, build_graph, graph, open_checkpointer

reveal_type(build_graph)
reveal_type(graph)
reveal_type(open_checkpointer)
reveal_type(graph.invoke({"question": "?"})["result"]["answer"])
planted: int = Settings(home="h").home
"""
OURS_ALONE = "[mypy]\nfollow_imports = skip\n[mypy-weiwo,weiwo.*]\nfollow_imports = normal\n"
"""What others wrote says nothing of our types, and checking it takes most of the time."""
ORDERS = (
    "from weiwo import build_graph, graph, open_checkpointer, Settings",
    "from weiwo import graph, Settings, open_checkpointer, build_graph",
    "import weiwo.graph.builder\nfrom weiwo import Settings, build_graph, graph, open_checkpointer",
    "from weiwo.graph import build_graph, graph\nfrom weiwo import Settings, open_checkpointer",
)
EACH_ORDER = """
import json, os, sys
import langchain_core.language_models, langchain_core.tools, langgraph.graph, langgraph.types, pydantic
assert not [name for name in sys.modules if name.startswith("weiwo")]
for lines in json.loads(sys.argv[1]):
    sys.stdout.flush()
    child = os.fork()
    if not child:
        exec(lines)
        names = (type(graph).__name__, build_graph.__name__, open_checkpointer.__name__, Settings.__name__)
        print(json.dumps([lines, names]), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
"""
"""Imports what others wrote once; each order of our own imports then has a process that has none of them yet."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    build = "import sys; from hatchling.build import build_wheel; build_wheel(sys.argv[1])"
    subprocess.run([sys.executable, "-c", build, str(folder)], cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("weiwo-*.whl")
    return built


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment with the wheel in it; what the wheel depends on is that of the tests' own environment."""
    folder = tmp_path_factory.mktemp("fresh")
    venv.create(folder, with_pip=False)
    executable = folder / "bin" / "python"
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = Path(
        subprocess.run([executable, "-c", where], check=True, capture_output=True, text=True).stdout.strip()
    )
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(packages)
    own = dict.fromkeys((sysconfig.get_path("purelib"), sysconfig.get_path("platlib")))
    (packages / "dependencies.pth").write_text(
        "".join(f"{path}\n" for path in own)
    )  # their own .pth files do not count
    return executable


@pytest.fixture
def user(tmp_path: Path) -> Path:
    """A folder of a user's, with packages of the names that ours have inside `weiwo`."""
    folder = tmp_path / "project"
    for name in FOLDERS:
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").write_text(TOOLS if name == "tools" else 'NAME = "mine"\n')
    return folder


def run(python: Path, folder: Path, *arguments: str, env: Mapping[str, str] | None = None) -> str:
    """What a process of the fresh environment prints; it must succeed."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(("WEIWO_", "PYTHON", "OPENAI_"))}
    given = {**own, "WEIWO_HOME": str(folder / "home"), **(env or {})}
    ran = subprocess.run([python, *arguments], cwd=folder, env=given, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_the_wheel_holds_the_package_and_nothing_beside_it(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0] for name in names if ".dist-info/" not in name} == {"weiwo"}
    assert {
        "weiwo/__init__.py",
        "weiwo/__main__.py",
        "weiwo/py.typed",
        "weiwo/app/result.schema.json",
        "weiwo/tools/sample_corpus/en/danube.md",
    } <= set(names)
    assert {name.split("/")[1] for name in names if name.count("/") > 1 and ".dist-info/" not in name} == set(FOLDERS)
    assert not [name for name in names if "test" in name.rpartition("/")[2] or "__pycache__" in name]


def test_each_has_its_own_packages(python: Path, user: Path) -> None:
    said = run(
        python,
        user,
        "-c",
        f"import {', '.join(FOLDERS)}, weiwo\n"
        f"print([one.NAME for one in ({', '.join(FOLDERS)})])\n"
        "from weiwo.text.printable import one_line\n"
        "print(weiwo.__file__)",
    )
    names, place = said.splitlines()
    assert names == str(["mine"] * len(FOLDERS))
    assert Path(place).is_relative_to(python.parents[1])


@pytest.fixture(scope="module")
def names_by_order(python: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    said = run(python, tmp_path_factory.mktemp("orders"), "-c", EACH_ORDER, json.dumps(ORDERS))
    return dict(map(json.loads, said.splitlines()))


@pytest.mark.parametrize("lines", ORDERS)
def test_the_public_names_are_what_they_say_in_any_order(names_by_order: dict[str, list[str]], lines: str) -> None:
    assert names_by_order[lines] == ["SearchGraph", "build_graph", "open_checkpointer", "Settings"]


def test_the_command_runs_and_finds_the_users_tools(python: Path, user: Path) -> None:
    assert "AI search that plans" in run(python, user, "-m", "weiwo", "--help")
    report = json.loads(run(python, user, "-m", "weiwo", "doctor", "--json", env={"WEIWO_TOOLS": "tools:mine"}))
    checks = {check["name"]: check["verdict"] for check in report["checks"]}
    assert checks["tool mine"] == "ok"
    assert checks["corpus"] == "ok"


def test_the_sample_travels_with_the_wheel(python: Path, user: Path) -> None:
    found = json.loads(
        run(python, user, "-m", "weiwo", "search", "--json", "-n", "1", "how", "long", "is", "the", "danube")
    )
    assert [one["title"] for one in found["results"]] == ["Danube"]


def test_mypy_sees_our_types_in_a_users_script(python: Path, user: Path) -> None:
    pytest.importorskip("mypy")
    (user / "script.py").write_text(TYPED)
    (user / "mypy.ini").write_text(OURS_ALONE)
    arguments = (
        "--strict",
        "--no-error-summary",
        "--cache-dir",
        os.devnull,  # nothing is asked a second time
        "--python-executable",
        str(python),
    )
    own = {name: value for name, value in os.environ.items() if not name.startswith(("MYPY", "PYTHON"))}
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", *arguments, "script.py"],
        cwd=user,
        env=own,
        capture_output=True,
        text=True,
        check=False,
    )
    said = ran.stdout.splitlines()
    revealed = [line for line in said if "Revealed type" in line]
    assert len(revealed) == 4, ran.stdout + ran.stderr
    assert not [line for line in revealed if 'is "Any"' in line]
    assert "weiwo.graph" in revealed[0]
    assert '"str"' in revealed[3]
    errors = [line for line in said if "error:" in line]
    assert len(errors) == 1, errors
    assert 'expression has type "str", variable has type "int"' in errors[0]
