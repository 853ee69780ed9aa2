"""Attacks by what a corpus is kept in step with: hostile addresses, repositories, file names, and secrets in a note."""

import asyncio
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

from tests.attack.report import Attack, Report
from weiwo.app.cli.documents.connectors import parse_connector
from weiwo.app.cli.errors import UsageError
from weiwo.tools.corpus.base import CorpusError
from weiwo.tools.corpus.index.connectors import note_connector
from weiwo.tools.corpus.ingestion.git_loader import GitLoader
from weiwo.tools.corpus.ingestion.langchain_loader import LoaderSpec

_GIT = "weiwo.tools.corpus.ingestion.git_loader:GitLoader"
_PAYLOAD = "safe-4711"


def _git(place: Path, *arguments: str) -> None:
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b.example", *arguments], cwd=place, check=True)


def _hostile_repository(folder: Path) -> Path:
    """A repository with links outside, a submodule, filters, hooks, a bomb of a file and names that are commands."""
    work = folder / "work"
    (folder / "secret.md").write_text(f"The code is {_PAYLOAD}.", encoding="utf-8")
    work.mkdir(parents=True)
    _git(work, "init", "--quiet", "--initial-branch=main")
    (work / "good.md").write_text("# Good\n\nThe ferry sails at noon.\n", encoding="utf-8")
    (work / "link.md").symlink_to(folder / "secret.md")
    (work / "folder").symlink_to(folder)
    (work / ".gitattributes").write_text("*.md filter=run\n", encoding="utf-8")
    (work / ".gitmodules").write_text(
        '[submodule "x"]\n\tpath = x\n\turl = ext::sh -c "touch pwned"\n', encoding="utf-8"
    )
    (work / "huge.md").write_text("ha " * 2_000_000, encoding="utf-8")
    (work / "-upload-pack=touch pwned.md").write_text("# Named\n\nA name that is an option.\n", encoding="utf-8")
    (work / "\x1b]0;title\x07.md").write_text("# Escape\n\nA name for terminals.\n", encoding="utf-8")
    _git(work, "add", "--all")
    _git(work, "commit", "--quiet", "-m", "all of it")
    for hook in ("post-checkout", "post-merge", "reference-transaction"):
        (work / ".git/hooks" / hook).write_text("#!/bin/sh\ntouch pwned\n", encoding="utf-8")
        (work / ".git/hooks" / hook).chmod(0o755)
    return work


def _fails(make: Callable[[], object]) -> bool:
    try:
        made = make()
        if isinstance(made, GitLoader):
            made.list_states()
    except CorpusError:
        return True
    return False


def _attack_addresses(report: Report, folder: Path) -> None:
    copies = str(folder / "copies")
    for url in (
        "ext::sh -c touch% pwned",
        "--upload-pack=touch pwned",
        "fd::7",
        "https://ann:abc123@git.example/a.git",
        "file:///nowhere/--upload-pack=touch",
        "transport::address",
    ):
        report.check(url, _fails(lambda url=url: GitLoader(url, folder=copies)))  # type: ignore[misc]
    work = f"file://{folder / 'work'}"
    for branch in ("--upload-pack=touch pwned", "-o x", "main:../../etc", "refs/../x"):
        report.check(branch, _fails(lambda branch=branch: GitLoader(work, branch=branch, folder=copies)))  # type: ignore[misc]
    report.check("a token by http", _fails(lambda: GitLoader("http://git.example/a", token="abc", folder=copies)))  # noqa: S106 - none


def _attack_contents(report: Report, folder: Path) -> None:
    elsewhere = {"GIT_DIR": str(folder / "work/.git"), "GIT_WORK_TREE": str(folder), "GIT_EXTERNAL_DIFF": "touch pwned"}
    with patch.dict(os.environ, elsewhere):
        loader = GitLoader(f"file://{folder / 'work'}", folder=str(folder / "copies"))
        read = {one.metadata["source"].rpartition("/")[2]: one.page_content for one in loader.lazy_load()}
    report.check("links, submodules, a bomb", {"link.md", "huge.md", "x", "folder"}.isdisjoint(read))
    report.check("what a link points at", not any(_PAYLOAD in said for said in read.values()))
    report.check("good.md is read all the same", "good.md" in read, "it is missing")
    report.check("hooks, filters and options", not list(folder.rglob("pwned")))


def _attack_notes(report: Report, folder: Path) -> None:
    corpus = folder / "corpora" / "c"
    corpus.mkdir(parents=True)
    module, _, name = _GIT.partition(":")
    for arguments in (
        {"url": "https://git.example/a", "token": _PAYLOAD},
        {"url": f"https://x:{_PAYLOAD}@git.example/a"},
        {"headers": {"authorization": f"Bearer {_PAYLOAD}"}},
        {"connection": f"postgres://u:{_PAYLOAD}@db/x"},
    ):
        try:
            connector = parse_connector(LoaderSpec(module, name, arguments), "1h")
            assert connector is not None
            note_connector(corpus, connector)
        except UsageError:
            pass
        kept = "".join(file.read_text(encoding="utf-8") for file in corpus.iterdir())
        report.check(f"a secret in {sorted(arguments)}", _PAYLOAD not in kept)


async def _connectors(report: Report, folder: Path) -> None:
    if not shutil.which("git"):
        return
    await asyncio.to_thread(_hostile_repository, folder)
    for attack in (_attack_addresses, _attack_contents, _attack_notes):
        await asyncio.to_thread(attack, report, folder)


ATTACKS = (Attack("connectors: hostile repositories, secrets in notes", _connectors),)
