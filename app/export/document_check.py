"""Repeated check of an answer with proof against a folder of documents.

Passages are looked for in the documents, in full and at the stated place, and requests to tables are made again.
"""

import hashlib
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice, takewhile
from pathlib import Path, PurePath
from typing import Final

from weiwo.app.export.proof import ProvenSource, fold_words
from weiwo.app.export.proof_check import QUERY_TABLE, ProofReport, compare_artifact
from weiwo.state import Evidence
from weiwo.state.evidence import FILE_DATE
from weiwo.state.settings import Settings
from weiwo.tools.built_in import explain_no_tables
from weiwo.tools.calling.call_context import CallContext, set_current_call
from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.corpus.base import Corpus
from weiwo.tools.corpus.loading import load_corpus
from weiwo.tools.corpus.source_names import name_source

_MOST_FILES: Final = 200_000
_MOST_PASSAGES: Final = 20_000
_PART: Final = re.compile(r"#L\w+$")
"""Suffix of a source name that stands for a part of a file."""


async def check_documents(report: ProofReport, folder: Path) -> None:
    """Check the passages of an answer against documents in a folder, and repeat the table requests."""
    report.compared = True
    files = _list_files(folder)
    found: dict[Path, list[ProvenSource]] = {}
    for source in report.proof.sources:
        name = source.passage.source
        if "://" in name or name.startswith("task:"):
            report.leave("document", name, "not_a_document")
        elif (file := _locate(name, files) or _locate(name.rpartition("#")[0], files)) is not None:
            found.setdefault(file, []).append(source)
        else:
            report.leave("document", name, "document_missing", folder)
    with tempfile.TemporaryDirectory(prefix="weiwo-check-") as home:
        settings = replace(Settings.resolve(), home=home, embeddings=None, telemetry=False, corpus_by_name=False)
        corpus = await load_corpus(map(str, found), settings=settings, tell=lambda _: None) if found else None
        rows = await _ask_tables(report, corpus)
        said = await _read_passages(corpus, list(found)) if corpus is not None else {}
    for file, cited in found.items():
        report.checked["documents"] += 1
        known = next((item.passage.document for item in cited if item.passage.source.endswith(file.name)), "")
        if known and known != hashlib.sha256(file.read_bytes()).hexdigest():
            report.find("document", cited[0].passage.source, "document_changed")
        for source in cited:
            _check_passage(report, source, said[file], rows)


def _check_passage(
    report: ProofReport, source: ProvenSource, passages: Sequence[Evidence], rows: Mapping[str, set[str]] | None
) -> None:
    """Add a finding if a passage is not in the document, or has another place, title or date there.

    A passage that is a table row is compared with the rows of the repeated request instead.

    Args:
        report: The report that gets the findings.
        source: The passage of the answer.
        passages: The passages of the document as read now.
        rows: Locators by row text, as returned by `_ask_tables`.
    """
    passage = source.passage
    if passage.tool == QUERY_TABLE:
        if rows is None:
            report.leave("document", source.place, "no_duckdb")
        elif passage.locator not in rows.get(passage.text, ()):
            report.find("quote", source.place, "not_in_document", passage.text)
        return
    report.checked["passages"] += 1
    same = [item for item in passages if item.text == passage.text]
    if same:
        if passage.locator and passage.locator not in {item.locator for item in same}:
            report.find("quote", source.place, "other_place", same[0].locator)
        above = {(item.title, item.headings) for item in same} | {(item.title, ()) for item in same}
        if (passage.title, passage.headings) not in above:
            report.find("document", source.place, "other_title", same[0].title)
        dates = [FILE_DATE if FILE_DATE in item.flags else item.date for item in (passage, *same)]  # copies have others
        if dates[0] not in dates[1:]:
            report.find("document", source.place, "other_date", same[0].date, passage.date)
        return
    whole = "".join(fold_words(item.text).rstrip() for item in passages) + " "
    if fold_words(passage.text) not in whole:
        lines = [line for line in passage.text.splitlines() if fold_words(line) not in whole]
        report.find("quote", source.place, "not_in_document", lines[0] if lines else passage.text)


async def _ask_tables(report: ProofReport, corpus: Corpus | None) -> dict[str, set[str]] | None:
    """Repeat the requests to tables, and compare their results with the answer.

    Returns the locators by row text, or None if the table engine is not installed.
    """
    if corpus is None or not report.requests:
        return {}
    if why_not := explain_no_tables():
        for task_id in report.requests:
            report.leave("calculation", task_id, "not_asked", why_not)
        return None
    from weiwo.tools.tables.query_table import QueryTable  # noqa: PLC0415 - heavy

    tool, rows = QueryTable(corpus=corpus), dict[str, set[str]]()
    for task_id, arguments in report.requests.items():
        set_current_call(CallContext("check", task=task_id, tool=QUERY_TABLE))
        try:
            call = {"name": QUERY_TABLE, "args": arguments, "id": "1", "type": "tool_call"}
            artifact = (await tool.ainvoke(call)).artifact
        except (ToolCallError, ValueError) as error:
            report.find("calculation", task_id, "cannot_calculate", error)
            continue
        for row in artifact["passages"]:
            rows.setdefault(str(row["text"]), set()).add(str(row.get("locator", "")))
        compare_artifact(report, task_id, report.proof.values[task_id], artifact)
    return rows


def _list_files(folder: Path) -> dict[str, list[Path]]:
    """Return the files below a folder by name: `{"a.pdf": [Path("docs/a.pdf"), Path("old/a.pdf")]}`."""
    found: dict[str, list[Path]] = {}
    for file in islice(filter(Path.is_file, folder.rglob("*")), _MOST_FILES):
        found.setdefault(file.name, []).append(file)
    return found


def _locate(source: str, files: Mapping[str, Sequence[Path]]) -> Path | None:
    """Return the file of the same name with the longest path ending in common with a source, or None.

    For `docs/2024/a.pdf`, the file `/x/2024/a.pdf` is chosen before `/x/2023/a.pdf`.
    """
    parts = PurePath(source).parts[::-1]

    def count_shared(file: Path) -> int:
        return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(parts, file.parts[::-1], strict=False)))

    return max(files.get(parts[0], ()), key=count_shared, default=None) if parts else None


async def _read_passages(corpus: Corpus, files: Sequence[Path]) -> dict[Path, list[Evidence]]:
    """Return all passages of each file. An unreadable file has no passages."""
    said: dict[str, list[Evidence]] = {}
    for name in corpus.documents:
        file = name_source(Path(_PART.sub("", name)))
        said.setdefault(file, []).extend(await corpus.open(name, "", _MOST_PASSAGES))
    return {file: said.get(name_source(file), []) for file in files}
