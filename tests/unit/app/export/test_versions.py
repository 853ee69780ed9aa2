"""Private documents, some superseded: what is exported tells the current version from the old one."""

import json

import pytest

from tests.support.results import make_result
from weiwo.app.export import render
from weiwo.tools.corpus.index.writer import IndexWriter
from weiwo.tools.corpus.records import Changes, Document, Passage
from weiwo.tools.corpus.retrieval.indexed_corpus import IndexedCorpus

FILES = {
    "hr/leave-policy-v1.md": ("Staff have 20 days of leave.", "2022-03-01"),
    "hr/leave-policy-v2.md": ("Staff have 25 days of leave.", "2025-06-01"),
    "hr/remote-work.md": ("Staff of the lab have leave to work at home on two days.", "2024-01-15"),
}


@pytest.fixture
async def brief(tmp_path):
    """A brief that cites every document of a corpus, as they were found."""
    documents = [
        (
            Document(name, f"/c/{name}", name, 9, 10**18, name, "markdown", "en", day),
            [Passage(text, (), "lines 1-2", 1, 2)],
        )
        for name, (text, day) in FILES.items()
    ]
    with IndexWriter(tmp_path) as writer:
        writer.apply(Changes(put=documents))
    found = sorted(await IndexedCorpus(tmp_path).search("leave days of staff", 5), key=lambda one: one.source)
    citations = [
        {
            "n": n,
            "source": one.source,
            "title": one.title,
            "quote": one.text,
            "evidence_id": one.id,
            "locator": one.locator,
        }
        for n, one in enumerate(found, 1)
    ]
    answer = "It was 20 days [1]; it is 25 [2]. Two are at home [3]."
    evidence = [one.model_dump(mode="json") for one in found]
    return make_result(answer, claims=[], gaps=[], plan=None, status="complete", citations=citations, evidence=evidence)


@pytest.mark.parametrize("kind", ["html", "md", "bib", "csl"])
async def test_only_the_old_version_is_marked_and_it_names_the_current_one(brief, kind):
    written = render(brief, kind).decode().replace("\\", "")
    assert written.count("superseded by leave-policy-v2.md") == 1
    assert "superseded by leave-policy-v1" not in written
    before, _, behind = written.partition("superseded by")
    assert before.rfind("leave-policy-v1.md") > before.rfind("leave-policy-v2.md"), "it stands with the old one"
    assert "remote-work.md" in behind


async def test_dates_and_versions_are_seen(brief):
    lines = render(brief, "md").decode().replace("\\", "").splitlines()
    told = [line for line in lines if line.startswith("- ") and "dated" in line]
    assert [("dated 2022-03-01" in told[0], "version 1 " in told[0]), ("dated 2025-06-01 · version 2" in told[1])] == [
        (True, True),
        True,
    ]
    assert told[2].endswith("dated 2024-01-15")
    assert "> - Source [1] is an older version of a document; the current one is leave-policy-v2.md." in lines
    items = {item["id"]: item for item in json.loads(render(brief, "csl"))}
    assert [item.get("version") for item in items.values()] == ["1", "2", None]
    assert all(item["issued"]["date-parts"] for item in items.values())
