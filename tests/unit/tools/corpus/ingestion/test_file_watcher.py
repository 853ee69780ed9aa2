"""Weiwo's own files, kept among the documents: they are neither listed nor do they wake whoever watches."""

import asyncio

import pytest

from weiwo.tools.corpus.ingestion import file_walk
from weiwo.tools.corpus.ingestion.file_walk import list_files, watch_files


@pytest.fixture
def docs(tmp_path, monkeypatch):
    root = tmp_path / "docs"
    (root / "state" / "corpora" / "default").mkdir(parents=True)
    (root / "a.md").write_text("Words.", encoding="utf-8")
    monkeypatch.setenv("WEIWO_HOME", str(root / "state"))
    return root


def write_ours(home, words):
    for name in ("retrieval-policy.json", "corpora/default/roots.json", "corpora/default/corpus.sqlite", "notes.md"):
        (home / name).write_text(words, encoding="utf-8")


def test_a_home_among_the_documents_is_not_listed(docs, tmp_path):
    write_ours(docs / "state", "{}")
    (tmp_path / "link").symlink_to(docs, target_is_directory=True)
    for top in (docs, tmp_path / "link"):
        listing = list_files([str(top)])
        assert (set(listing.files), listing.problems) == ({str(top / "a.md")}, {})


def test_documents_kept_in_the_home_are_listed_without_what_we_write(docs):
    write_ours(docs / "state", "{}")
    (docs / "state" / "manuals").mkdir()
    (docs / "state" / "manuals" / "b.md").write_text("Words.", encoding="utf-8")
    found = {path.removeprefix(f"{docs}/") for path in list_files([str(docs / "state")]).files}
    assert found == {"state/notes.md", "state/manuals/b.md"}
    assert list(list_files([str(docs / "state" / "manuals")]).files) == [str(docs / "state" / "manuals" / "b.md")]


async def test_our_own_writing_wakes_nobody(docs, monkeypatch):
    monkeypatch.setattr(file_walk, "_SETTLE_MILLISECONDS", 100)
    take, changed = file_walk._take_next, set[str]()

    async def noted(*given):
        found = await take(*given)
        changed.update(path for _, path in found)
        return found

    monkeypatch.setattr(file_walk, "_take_next", noted)
    changes = watch_files([docs])
    first = asyncio.ensure_future(anext(changes))
    while not first.done():  # it may not have begun to watch
        (docs / "a.md").write_text(f"Words at {asyncio.get_running_loop().time()}.", encoding="utf-8")
        await asyncio.wait([first], timeout=0.2)
    write_ours(docs / "state", "after")
    (docs / "new.md").write_text("Words.", encoding="utf-8")
    while str(docs / "new.md") not in changed:  # what was written before it has been told by then
        await anext(changes)
    assert changed == {str(docs / "a.md"), str(docs / "new.md")}
    await changes.aclose()
