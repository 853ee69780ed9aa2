"""Superseded documents: versions of one document are told from each other, and what comes out again and again is not."""

from pathlib import Path

import pytest

from weiwo.state import Evidence
from weiwo.tools.corpus.index.writer import IndexWriter
from weiwo.tools.corpus.records import Changes, Document, Passage
from weiwo.tools.corpus.retrieval.indexed_corpus import IndexedCorpus


def document(source: str, date: str | None) -> tuple[Document, list[Passage]]:
    text = f"zebra leave of {source}"
    made = Document(source, f"/c/{source}", source, len(text), 1_700_000_000 * 10**9, source, "markdown", "en", date)
    return made, [Passage(text, (), "line 1", 1, 1)]


async def found(tmp_path: Path, *files: tuple[str, str | None]) -> list[Evidence]:
    with IndexWriter(tmp_path) as writer:
        writer.apply(Changes(put=[document(source, date) for source, date in files]))
    return await IndexedCorpus(tmp_path).search("zebra", len(files))


@pytest.mark.parametrize(
    ("files", "superseded"),
    [
        ([("hr/leave-v1.md", None), ("hr/leave-v2.md", None)], {"hr/leave-v1.md": "leave-v2.md"}),
        ([("leave_v9.md", None), ("leave_v10.md", None)], {"leave_v9.md": "leave_v10.md"}),
        ([("leave 2023.docx", None), ("leave 2024.docx", None)], {"leave 2023.docx": "leave 2024.docx"}),
        ([("leave.md", "2024-05-01"), ("leave-old.md", "2025-01-01")], {"leave-old.md": "leave.md"}),
        ([("leave.md", "2023-05-01"), ("leave-v2.md", "2024-01-01")], {"leave.md": "leave-v2.md"}),
        ([("请假制度第1版.md", None), ("请假制度第2版.md", None)], {"请假制度第1版.md": "请假制度第2版.md"}),
        ([("minutes-2024-03-01.md", None), ("minutes-2024-04-01.md", None)], {}),
        ([("周报2024-03-01.md", None), ("周报2024-03-08.md", None)], {}),
        ([("a/leave-v1.md", None), ("b/leave-v2.md", None)], {}),
        ([("leave-v1.md", None), ("travel-v2.md", None)], {}),
        ([("bridge.md", "2020-01-01"), ("tower.md", "2024-01-01")], {}),
        ([("v1.md", None), ("v2.md", None)], {}),
    ],
)
async def test_versions_of_a_document_are_told_apart(
    tmp_path: Path, files: list[tuple[str, str | None]], superseded: dict[str, str]
) -> None:
    passages = await found(tmp_path, *files)
    assert len(passages) == len(files)
    assert {one.source: one.superseded_by for one in passages if one.superseded_by} == superseded


async def test_a_newer_version_is_known_though_it_was_not_found(tmp_path: Path) -> None:
    with IndexWriter(tmp_path) as writer:
        other = document("leave-v2.md", None)[0], [Passage("nothing alike", (), "line 1", 1, 1)]
        writer.apply(Changes(put=[document("leave-v1.md", None), other]))
    (passage,) = await IndexedCorpus(tmp_path).search("zebra", 5)
    assert passage.superseded_by == "leave-v2.md"


async def test_without_a_date_of_its_own_a_passage_has_that_of_its_file(tmp_path: Path) -> None:
    dated, undated = await found(tmp_path, ("a.md", "2024-05-01"), ("b.md", None))
    assert {(one.date, one.flags) for one in (dated, undated)} == {
        ("2024-05-01", ()),
        ("2023-11-14", ("file_date",)),
    }
