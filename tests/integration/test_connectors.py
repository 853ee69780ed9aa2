"""Corpora that are kept in step with a loader: a repository served by `git daemon`, and a loader that tells no states."""

import asyncio
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import Ended, run_command, search_path
from tests.support.ports import free_port
from tests.support.waiting import until
from weiwo.app.cli.documents import connectors
from weiwo.app.cli.documents.connectors import keep_in_step
from weiwo.tools.corpus.index.catalog import summarize_corpus
from weiwo.tools.corpus.index.connectors import note_connector, read_connectors
from weiwo.tools.corpus.ingestion.git_loader import GitLoader

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(not shutil.which("git"), reason="needs git with its daemon"),
]
GIT = "weiwo.tools.corpus.ingestion.git_loader:GitLoader"


class Repository:
    """A repository behind `git daemon` on loopback, and a working copy to push from."""

    def __init__(self, folder: Path) -> None:
        self.work, self._served, self.port = folder / "work", folder / "served", free_port()
        self.url = f"git://127.0.0.1:{self.port}/almanac.git"
        bare = self._served / "almanac.git"
        self._git(folder, "init", "--quiet", "--bare", "--initial-branch=main", str(bare))
        self._git(folder, "init", "--quiet", "--initial-branch=main", str(self.work))
        self._git(self.work, "remote", "add", "origin", str(bare))
        self._daemon: subprocess.Popen[bytes] | None = None

    def write(self, **files: str | None) -> None:
        """Write, or remove, files and push them."""
        for name, said in files.items():
            file = self.work / f"{name}.md"
            if said is None:
                file.unlink()
            else:
                file.write_text(f"# {name.title()}\n\n{said}\n", encoding="utf-8")
        self.push()

    def push(self) -> None:
        self._git(self.work, "add", "--all")
        self._git(self.work, "-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "--quiet", "-m", "more")
        self._git(self.work, "push", "--quiet", "origin", "main")

    def start(self) -> None:
        listening = ("--export-all", "--reuseaddr", "--listen=127.0.0.1", f"--port={self.port}")
        self._daemon = subprocess.Popen(["git", "daemon", f"--base-path={self._served}", *listening])
        for _ in range(200):
            if subprocess.run(["git", "ls-remote", self.url], capture_output=True, check=False).returncode == 0:
                return
        raise AssertionError("git daemon does not answer")

    def stop(self) -> None:
        if self._daemon is not None:
            self._daemon.terminate()
            self._daemon.wait()
            subprocess.run(["git", "ls-remote", self.url], capture_output=True, check=False)
            self._daemon = None

    @staticmethod
    def _git(place: Path, *arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=place, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Repository]:
    served = Repository(tmp_path)
    served.write(tides="High water at Brade is at 07:15.", locks="The lock of Corvin is kept by Tam Weir.")
    served.start()
    yield served
    served.stop()


@pytest.fixture
def weiwo(weiwo_home: Path, tmp_path: Path) -> Callable[..., Ended]:
    def run(*arguments: str) -> Ended:
        env = {**os.environ, "PYTHONPATH": search_path(), "WEIWO_HOME": str(weiwo_home), "WEIWO_WEB": "off"}
        return run_command(*arguments, cwd=tmp_path, env=env)

    return run


def make_due(folder: Path) -> None:
    for one in read_connectors(folder):
        note_connector(folder, replace(one, tried_at=one.tried_at - 2 * one.seconds))


def test_a_repository_is_kept_in_step_and_a_failed_run_leaves_the_old_state(weiwo, weiwo_home, repository) -> None:
    folder = weiwo_home / "corpora" / "almanac"
    named = ("--corpus", "almanac", "--loader", GIT, "--loader-args", json.dumps({"url": repository.url}))
    code, out, err = weiwo("index", *named, "--every", "1h")
    assert (code, out.splitlines()[0]) == (0, "almanac: 2 documents, 2 passages"), err
    assert weiwo("index", "--due")[:2] == (0, "")  # nothing is due

    repository.write(tides="High water at Brade is at 08:40.", locks=None, ferries="The ferry holds 90 people.")
    make_due(folder)
    code, out, err = weiwo("index", "--due", "--json")
    done: dict[str, Any] = json.loads(out)
    assert (code, done["added"], done["changed"], done["removed"]) == (0, 1, 1, 1), err

    make_due(folder)
    repository.stop()
    code, _, err = weiwo("index", "--due")
    assert (code, len(err.splitlines())) == (3, 1)
    assert "git fetch" in err
    (one,) = read_connectors(folder)
    assert "git fetch" in one.problem
    assert 0 < one.done_at < one.tried_at
    assert summarize_corpus(folder).documents == 2
    assert "08:40" in weiwo("search", "--corpus", "almanac", "high water at Brade")[1]
    assert "GitLoader could not be run: " in weiwo("doctor")[1]
    assert "every 1 hour; it failed: " in weiwo("corpus")[1]

    code, out, _ = weiwo("index", *named, "--every", "0")
    assert (code, out) == (0, f"{GIT} is no longer kept in step with almanac\n")
    assert read_connectors(folder) == ()


def test_only_what_has_changed_is_read(repository, tmp_path) -> None:
    loader = GitLoader(repository.url, folder=str(tmp_path / "copies"))
    before = loader.list_states()
    assert sorted(name.rpartition("/")[2] for name in before) == ["locks.md", "tides.md"]
    repository.write(tides="High water at Brade is at 09:05.")
    after = loader.list_states()
    (changed,) = [name for name in after if after[name] != before[name]]
    (document,) = loader.load_source(changed)
    assert "09:05" in document.page_content
    assert document.metadata == {"source": f"git://127.0.0.1:{repository.port}/almanac/tides.md"}


def test_links_binaries_and_other_files_of_a_repository_are_left_out(repository, tmp_path) -> None:
    (repository.work / "passwords.md").symlink_to("/etc/passwd")
    (repository.work / "noise.txt").write_bytes(b"\0\1\2" * 50)
    (repository.work / "run.sh").write_text("rm -rf /", encoding="utf-8")
    repository.push()
    loader = GitLoader(repository.url, folder=str(tmp_path / "copies"))
    read = {one.metadata["source"].rpartition("/")[2] for one in loader.lazy_load()}
    assert read == {"locks.md", "tides.md"}


async def test_a_server_runs_what_is_due(weiwo, weiwo_home, tmp_path, monkeypatch) -> None:
    """A loader of langchain-community, which tells no states: all is loaded, what changed is indexed."""
    folder, file = weiwo_home / "corpora" / "crew", tmp_path / "crew.csv"
    file.write_text("name,role\nNell Oakes,pilot\n", encoding="utf-8")
    loader = ("--loader", "langchain_community.document_loaders:CSVLoader")
    arguments = ("--loader-args", '{"file_path": "crew.csv"}', "--every", "30m")
    code, _, err = await asyncio.to_thread(weiwo, "index", "--corpus", "crew", *loader, *arguments)
    assert code == 0, err
    file.write_text("name,role\nNell Oakes,pilot\nTam Weir,cook\n", encoding="utf-8")
    make_due(folder)
    monkeypatch.chdir(weiwo_home)  # paths mean what they meant when they were typed
    monkeypatch.setattr(connectors, "_LOOK_SECONDS", 0.1)
    keeping = asyncio.ensure_future(keep_in_step(weiwo_home))
    try:
        await until(lambda: summarize_corpus(folder).passages == 2)
    finally:
        keeping.cancel()
    assert not read_connectors(folder)[0].problem
