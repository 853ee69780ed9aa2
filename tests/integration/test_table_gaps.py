"""A table that could not be asked is a gap of the answer: its engine failed, or its index is of an earlier version."""

import json
import os
import shutil
from functools import partial
from pathlib import Path

import pytest

from tests.support.broken_engine import ask
from tests.support.command import run_command, run_together
from tests.support.schema import check_result
from weiwo.app.cli.errors import COMPLETE, PARTIAL

pytestmark = pytest.mark.integration
BEFORE_TABLES = Path(__file__).parents[1] / "data" / "home_before_tables"
SALES = "region,amount\nNorth,100\nSouth,250\nNorth,75\n"


@pytest.fixture
def settings(weiwo_home, tmp_path):  # noqa: ARG001 - a home of its own
    (tmp_path / "sales.csv").write_text(SALES)
    return {**os.environ, "LANG": "C.UTF-8"}


@pytest.mark.parametrize(
    ("failure", "kind", "line"),
    [
        ("killed", "failed", "query_table could not be queried: the table engine crashed"),
        ("silent", "failed", "query_table could not be queried: the table engine timed out"),
        ("raising", "failed", "query_table could not be queried: the table engine crashed"),
        (
            "absent",
            "in_part",
            "Rows of sales.csv were not counted or added up: to query tables, install DuckDB: pip install",
        ),
    ],
)
def test_an_engine_that_failed_is_a_gap_beside_the_rows(settings, tmp_path, failure, kind, line):
    assert run_command("index", "sales.csv", cwd=tmp_path, env=settings)[0] == COMPLETE
    call = partial(ask, failure, "--json", "--no-web", "What is the total amount of North?")
    ((code, out, err),) = run_together([call], cwd=tmp_path, env=settings)
    assert code == PARTIAL, err
    check_result(result := json.loads(out))
    assert result["status"] == "partial"
    assert line in result["answer"]
    assert kind in {gap["kind"] for gap in result["gaps"] if line in gap["text"]}
    assert "region: North · amount: 75" in result["answer"]
    assert "No passage" not in result["answer"]
    assert result["asserted"] == []


def test_tables_of_an_earlier_index_ask_to_be_indexed_anew(settings, weiwo_home, tmp_path):
    shutil.copytree(BEFORE_TABLES, weiwo_home)

    def weiwo(*words):
        return run_command(*words, cwd=tmp_path, env=settings)

    line = "was indexed by an earlier version; run `weiwo index` to use tables."
    code, out, _ = weiwo("ask", "--json", "--no-web", "What is the highest wage?")
    result = json.loads(out)
    assert (code, result["status"]) == (PARTIAL, "partial")
    assert f"wages.xlsx {line}" in result["answer"]
    assert [gap["kind"] for gap in result["gaps"] if gap["text"].endswith(line)] == ["in_part"]
    assert "ask in the words of the table" not in str(result["notices"])
    code, out, _ = weiwo("ask", "--no-web", "工资总额是多少？")
    assert code == PARTIAL
    assert "的索引由旧版本建立；请运行 `weiwo index` 后再查询表格。" in out
    code, out, _ = weiwo("ask", "--no-web", "When does the warehouse open?")
    assert code == COMPLETE
    assert "The warehouse opens at 9:00 every day." in out
    assert "weiwo index" not in out
    assert weiwo("index", "sales.csv")[0] == COMPLETE
    code, out, _ = weiwo("ask", "--no-web", "total amount")
    assert (code, "425" in out) == (COMPLETE, True)
