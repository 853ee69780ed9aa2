"""The page's modules under Node, and what is committed of the page; skipped where Node or its packages are missing."""

import filecmp
import re
import shutil
import subprocess
from pathlib import Path
from typing import get_args

import pytest

from tests.page.player import STATIC
from weiwo.state import FailureKind
from weiwo.state.answer import GapKind, Status, Verdict

PAGE = STATIC.parent
ESBUILD = PAGE / "node_modules" / ".bin" / "esbuild"
needs_node = pytest.mark.skipif(
    shutil.which("node") is None or not ESBUILD.exists(),
    reason="node or the page's packages are not installed: make page",
)


def run(*command: str | Path, folder: Path = PAGE) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


@needs_node
def test_modules_of_the_page_do_what_they_say(tmp_path):
    bundle = tmp_path / "modules.test.mjs"
    source = Path(__file__).parent / "ts" / "modules.test.ts"
    run(ESBUILD, source, "--bundle", "--platform=node", "--format=esm", "--log-level=warning", f"--outfile={bundle}")
    told = run("node", "--test", "--test-reporter=tap", bundle)
    assert re.search(r"^# pass [1-9]", told, re.MULTILINE), told[-2000:]


@needs_node
def test_what_is_committed_is_what_make_page_makes(tmp_path):
    run("node", "build.mjs", tmp_path)
    made = sorted(one.name for one in tmp_path.iterdir())
    assert made == sorted(one.name for one in STATIC.iterdir())
    _, different, missing = filecmp.cmpfiles(tmp_path, STATIC, made, shallow=False)
    assert (different, missing) == ([], []), "run make page and commit app/page/static"


@needs_node
def test_the_sources_are_strictly_typed():
    run(PAGE / "node_modules" / ".bin" / "tsc", "--noEmit", "-p", ".")


_FAILURES = tuple(kind for kind in get_args(FailureKind) if kind != "empty")  # that nothing was found is its state


@pytest.mark.parametrize(
    ("prefix", "names"),
    [("gap", get_args(GapKind)), ("verdict", get_args(Verdict)), ("status", get_args(Status)), ("failure", _FAILURES)],
)
def test_the_page_has_words_in_both_languages_for_what_an_answer_may_hold(prefix, names):
    words = (PAGE / "src" / "words.ts").read_text()
    missing = [name for name in names if len(re.findall(rf"^  {prefix}_{name}: ", words, re.MULTILINE)) != 2]
    assert missing == []


def test_the_page_asks_nobody_else_and_sets_no_markup():
    for source in (PAGE / "src").iterdir():
        text = source.read_text()
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", text), (
            source
        )
        assert not re.search(r"[\"'(]https?://", text), source
