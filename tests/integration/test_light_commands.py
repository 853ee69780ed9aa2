"""Light commands start without LangGraph: what a fresh process has imported at its end, and that words are enough."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration

HEAVY = ("langgraph", "langsmith", "langchain_core")
SCRIPT = f"""
import json, sys
sys.argv = ["weiwo", *sys.argv[1:]]
from weiwo.app.cli.main import main
try:
    main()
except SystemExit as ended:
    print(json.dumps([ended.code, [name for name in {HEAVY!r} if name in sys.modules]]), file=sys.stderr)
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A home with an indexed corpus and an answered thread."""
    folder = tmp_path_factory.mktemp("light")
    (folder / "notes").mkdir()
    (folder / "notes" / "danube.md").write_text("# Danube\n\nThe Danube is about 2,850 kilometres long.\n")
    code, heavy, out = start(folder, "ask", "--thread", "first", "how", "long", "is", "the", "danube")
    assert (code, heavy) == (0, list(HEAVY))
    assert "2,850" in out
    return folder


def start(folder: Path, *arguments: str, first: str = "", env: Mapping[str, str] | None = None):
    """Run a command in a fresh process; returns its exit code, what heavy it imported, and its output."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(("WEIWO_", "OPENAI_"))}
    given = {**own, "WEIWO_HOME": str(folder / "home"), "WEIWO_CORPUS": str(folder / "notes"), **(env or {})}
    ran = subprocess.run(
        [sys.executable, "-c", first + SCRIPT, *arguments],
        cwd=folder,
        env=given,
        capture_output=True,
        text=True,
        check=False,
    )
    *said, last = ran.stderr.splitlines()
    code, heavy = json.loads(last)
    return code, heavy, ran.stdout + "\n".join(said)


@pytest.mark.parametrize(
    "arguments",
    [
        ("search", "how", "long", "is", "the", "danube", "-n", "2"),
        ("search", "--json", "danube"),
        ("threads",),
        ("threads", "--json"),
        ("corpus",),
        ("show", "first"),
        ("show", "first", "--json"),
        ("show", "first", "--mermaid"),
        ("doctor",),
        ("index", "notes"),
        ("--help",),
    ],
    ids=" ".join,
)
def test_light_commands_import_no_langgraph(home, arguments):
    code, heavy, out = start(home, *arguments)
    assert (code, heavy) == (0, [])
    assert out.strip()


def test_words_without_quotes_are_one_question(home):
    found = json.loads(start(home, "search", "--json", "how", "long", "is", "the", "danube", "-n", "1")[2])
    assert found["query"] == "how long is the danube"
    assert found["results"][0]["title"] == "Danube"
    (extract,) = found["extracts"]
    ((begin, end),) = extract["highlights"]
    assert "2,850 kilometres" in extract["text"][begin:end]
    listed = json.loads(start(home, "threads", "--json")[2])["threads"]
    assert [(one["thread_id"], one["question"]) for one in listed] == [("first", "how long is the danube")]
    shown = json.loads(start(home, "show", "first", "--json")[2])
    assert (shown["question"], shown["thread_id"], shown["revisions"]) == ("how long is the danube", "first", [])


def test_the_first_line_is_on_the_screen_before_the_heavy_imports_begin(home):
    watched = """
import sys

class Told:
    def find_spec(self, name, path=None, target=None):
        if name in ("langgraph", "langchain_core", "langsmith"):
            print("imports", name, file=sys.stderr, flush=True)

sys.meta_path.insert(0, Told())
"""
    said = start(home, "ask", "how", "long", "is", "the", "danube", first=watched)[2].splitlines()
    lines = [line for line in said if line.startswith(("reading ", "imports "))]
    assert lines[0] == "reading the question"
    assert "imports langgraph" in lines[1:]


def test_the_hint_about_models_is_given_once_on_a_machine(home, tmp_path):
    env = {"WEIWO_HOME": str(tmp_path / "new")}
    told = [start(home, "ask", "Hello", env=env)[2].count("no model is configured") for _ in range(2)]
    assert told == [1, 0]


def test_a_thread_that_is_not_there(home):
    code, heavy, said = start(home, "show", "second")
    assert (code, heavy) == (2, [])
    assert "does not exist in the database" in said
