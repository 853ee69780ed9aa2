"""Questions over a folder of somebody's own documents of many kinds: each citation leads to the words it quotes."""

import json
import os
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import docx
import pypdf
import pytest

from tests.support import documents
from tests.support.command import Ended, command, run_command, run_together, search_path

pytestmark = pytest.mark.integration

FILLING = "The committee met, spoke of the weather and of other things that nobody wrote down."
FILES: dict[str, bytes] = {
    "reports/viaduct.pdf": documents.pdf(
        f"The Orlow Viaduct\n{FILLING}", f"{FILLING}\nThe Orlow Viaduct was opened in 1907.", title="The Orlow Viaduct"
    ),
    "minutes.docx": documents.docx(
        [
            ("Title", "Minutes"),
            ("Heading 1", "Weather"),
            ("", FILLING),
            ("Heading 1", "Lighthouse"),
            ("", "The Brenna Lighthouse was designed by Ada Falk."),
        ]
    ),
    "site/museum.html": (
        f"<html><head><title>Tarn Museum</title></head><body><h1>Tarn Museum</h1><p>{FILLING}</p>"
        "<h2>History</h2><p>The Tarn Museum was founded in 1888.</p></body></html>"
    ).encode(),
    "notes/harbour.md": f"# Harbours\n\n{FILLING}\n\n## Selin Harbour\n\nSelin Harbour was dug in 1764.\n".encode(),
    "src/retry.py": (
        b'"""Retrying."""\n\n\ndef backoff_seconds(attempt):\n'
        b'    """The backoff_seconds function waits 17 seconds at most."""\n    return min(2**attempt, 17)\n'
    ),
    "笔记/石桥.txt": "会议记录。\n清源石桥建于1623年。\n".encode("gb18030"),
}
QUESTIONS = [
    ("When was the Orlow Viaduct opened?", "1907", "reports/viaduct.pdf", "page 2, lines 1-2"),
    ("Who designed the Brenna Lighthouse?", "Ada Falk", "minutes.docx", "paragraphs 4-5"),
    ("When was the Tarn Museum founded?", "1888", "site/museum.html", "line 1"),
    ("When was Selin Harbour dug?", "1764", "notes/harbour.md", "lines 5-7"),
    ("How many seconds does backoff_seconds wait at most?", "17", "src/retry.py", "lines 4-6"),
    ("清源石桥建于哪一年?", "1623", "笔记/石桥.txt", "lines 1-2"),
]
Weiwo = Callable[..., Any]


@pytest.fixture
def environment(weiwo_home: Path, tmp_path: Path) -> dict[str, str]:
    """What the command knows that runs in the folder of the documents."""
    for name, content in FILES.items():
        path = tmp_path / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return {**os.environ, "PYTHONPATH": search_path(), "WEIWO_HOME": str(weiwo_home)}


def printed(ended: Ended) -> Any:
    code, out, err = ended
    assert code in {0, 3}, err
    return json.loads(out)


@pytest.fixture
def weiwo(environment: dict[str, str], tmp_path: Path) -> Weiwo:
    """Run the command; returns what it printed as JSON."""

    def run(*args: str, cwd: Path = tmp_path) -> Any:
        return printed(run_command(*args, "--json", cwd=cwd, env=environment))

    return run


def shown(path: Path, locator: str) -> str:
    """What somebody sees who opens a document at a place."""
    found = re.fullmatch(r"(?:page (\d+), )?(?:lines?|paragraphs?) (\d+)(?:-(\d+))?", locator)
    assert found, locator
    first, last = int(found[2]), int(found[3] or found[2])
    if path.suffix == ".pdf":
        lines = pypdf.PdfReader(path).pages[int(found[1]) - 1].extract_text().splitlines()
    elif path.suffix == ".docx":
        lines = [paragraph.text for paragraph in docx.Document(str(path)).paragraphs]
    else:
        lines = path.read_bytes().decode("gb18030" if path.suffix == ".txt" else "utf-8").splitlines()
    return " ".join(" ".join(lines[first - 1 : last]).split())


@pytest.mark.parametrize(("question", "says", "source", "place"), QUESTIONS)
def test_a_citation_leads_to_the_words_it_quotes(
    weiwo: Weiwo, tmp_path: Path, question: str, says: str, source: str, place: str
) -> None:
    result = weiwo("ask", question, "--corpus", "docs")
    assert result["status"] in {"complete", "extracts"}
    assert says in result["answer"]
    evidence = {one["id"]: one for one in result["evidence"]}
    citation = next(one for one in result["citations"] if says in evidence[one["evidence_id"]]["text"])
    passage = evidence[citation["evidence_id"]]
    assert citation["source"] == passage["source"] == f"docs/{source}"
    assert passage["locator"] == place
    assert result["status"] == "extracts" or says in citation["quote"]  # an extract's highlights carry the words
    assert " ".join(citation["quote"].split()) in shown(tmp_path / citation["source"], place)


def test_names_are_right_from_another_folder_and_nothing_is_indexed_twice(weiwo: Weiwo, tmp_path: Path) -> None:
    weiwo("search", "viaduct", "--corpus", "docs")
    here = tmp_path / "docs" / "site"
    (hit, *_) = weiwo("search", "When was the Orlow Viaduct opened?", "--corpus", str(tmp_path / "docs"), cwd=here)[
        "results"
    ]
    assert hit["source"] == str(tmp_path / "docs" / "reports" / "viaduct.pdf")
    (hit, *_) = weiwo("search", "Tarn Museum founded", "--corpus", str(tmp_path / "docs"), cwd=here)["results"]
    assert hit["source"] == "museum.html"
    (corpus,) = weiwo("corpus")
    assert (corpus["documents"], corpus["roots"], corpus["left_out"]) == (len(FILES), [str(tmp_path / "docs")], 0)


def test_many_processes_ask_a_new_folder_at_once(environment: dict[str, str], tmp_path: Path) -> None:
    asking = partial(command, "search", "石桥", "--corpus", "docs", "--json")
    found = [printed(ended)["results"] for ended in run_together([asking] * 4, cwd=tmp_path, env=environment)]
    assert [hits[0]["source"] for hits in found] == ["docs/笔记/石桥.txt"] * 4
    assert all(hits == found[0] for hits in found)


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("When was the Orlow Viaduct of plan.psd opened?", "“plan.psd” was read: .psd is an unsupported file type."),
        ("plan.psd里写了什么？", "没有读到名为“plan.psd”的文件：不支持.psd类型的文件。"),
    ],
)
def test_a_question_that_names_a_file_of_a_kind_that_is_not_read_is_told_so(
    environment: dict[str, str], tmp_path: Path, question: str, line: str
) -> None:
    (tmp_path / "docs" / "plan.psd").write_bytes(b"8BPS\0\1")
    code, out, _ = run_command("ask", question, "--corpus", "docs", cwd=tmp_path, env=environment)
    assert code == 3
    assert line in "".join(out.splitlines())
    code, out, _ = run_command("ask", question, "--corpus", "docs", "--json", cwd=tmp_path, env=environment)
    result = json.loads(out)
    assert (code, result["status"]) == (3, "partial")
    assert [line in gap["text"] for gap in result["gaps"]].count(True) == 1  # the part that was not found is a gap, too


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("average monthly fee by country as a chart", "| Norway | 130 |"),
        ("用柱状图展示每个国家有多少客户", "| 挪威 | 2 |"),
    ],
)
def test_what_several_rows_came_to_is_a_table_and_a_chart_where_one_is_asked_for(
    weiwo: Weiwo, tmp_path: Path, question: str, row: str
) -> None:
    (tmp_path / "docs" / "customers.csv").write_text(
        "name,country,monthly fee\nA,Norway,120\nB,Sweden,0\nC,Norway,140\n"
    )
    (tmp_path / "docs" / "客户.csv").write_text("名称,国家\n甲,挪威\n乙,瑞典\n丙,挪威\n", encoding="utf-8")
    result = weiwo("ask", question, "--corpus", "docs", "--output", "answer.html")
    assert result["status"] == "complete"
    (table,) = [block for block in result["blocks"] if block["kind"] == "table"]
    assert row in table["text"]
    assert {result["claims"][at]["verdict"] for at in table["claims"]} == {"computed"}
    page = (tmp_path / "answer.html").read_text(encoding="utf-8")
    assert "<table>" in page
    assert 'class="chart"' in page
