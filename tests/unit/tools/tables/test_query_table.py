"""The tool over a real corpus: files indexed, tables found, a worker asked."""

import os
import signal
from typing import Any

import pytest

from tests.support.plan_runs import run_plan
from tests.support.run import services, work
from weiwo.state import Plan, Task
from weiwo.state.settings import Settings
from weiwo.state.source_filter import SourceFilter
from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.calling.invoke import run_tool
from weiwo.tools.registry import build_registry
from weiwo.tools.tables import engine_pool
from weiwo.tools.tables.catalog import describe_tables
from weiwo.tools.tables.notes import describe_notes

pytestmark = pytest.mark.processes

COUNT = {"measures": [{"function": "count"}]}


@pytest.fixture
async def registry(tmp_path):
    files = tmp_path / "files"
    files.mkdir()
    (files / "big.csv").write_text("name,n\n" + "".join(f"item {n % 7},{n}\n" for n in range(3_000)))
    (files / "销售.csv").write_text("区域,金额\n华东,5元\n华北,7元\n", encoding="gbk")
    (files / "notes.md").write_text("# Prices\n\n| item | price |\n|---|---|\n| tea | 3 |\n| cake | 4 |\n")
    (files / "people.json").write_text('[{"who": "Ann", "age": 30}, {"who": "Bob", "age": 40}]')
    (files / "runs.csv").write_text("who,start,took\nAda,8:45 AM,30:15:00\nBo,1:10 PM,26:30:00\n")
    made = await build_registry(Settings(home=str(tmp_path / "home"), corpus=(str(files),)))
    yield made
    engine_pool.close_pool()


async def ask(registry, **request):
    return await run_tool(registry.get("query_table"), request, seconds=60, max_bytes=100_000)


async def test_every_kind_of_file_is_asked(registry):
    assert (await ask(registry, table="big", **COUNT)).value == 3_000
    total = await ask(registry, table="销售", measures=[{"function": "sum", "column": "金额"}])
    assert (total.value, total.type, total.detail["unit"]) == (12, "number", "元")
    dear = await ask(registry, table="notes", columns=["item"], order_by="price", top=1)
    assert (dear.value, dear.type) == ("cake", "text")
    mean = await ask(registry, table="people", measures=[{"function": "mean", "column": "age"}])
    assert mean.value == 35
    assert [passage.text for passage in mean.passages] == ["who: Ann; age: 30", "who: Bob; age: 40"]


async def test_times_and_durations_are_given_as_texts(registry):
    last = await ask(registry, table="runs", measures=[{"function": "max", "column": "start"}])
    assert (last.value, last.type, last.detail["kind"]) == ("1:10 PM", "text", "time")
    long = await ask(registry, table="runs", measures=[{"function": "sum", "column": "took"}])
    assert (long.value, long.type) == ("56:45:00", "text")


async def test_groups_are_a_list_that_a_task_can_go_through(registry):
    found = await ask(registry, table="people", group_by=["who"])
    assert (found.value, found.type) == (["Ann – 1", "Bob – 1"], "list[text]")
    assert found.detail["table"] == [["Ann", 1], ["Bob", 1]]


async def test_a_plan_goes_through_the_rows_and_fills_a_request_with_what_came_of_others(registry):
    def query(name: str, ret: str, for_each: str = "", **args: Any) -> Task:
        return Task(id=name, description="?", tool="query_table", args=args, ret=ret, for_each=for_each or None)

    def where(op: str, column: str, value: str) -> dict[str, Any]:
        return {"filters": [{"column": column, "op": op, "value": value}]}

    plan = Plan(
        tasks=(
            query("who", "list[text]", table="people", columns=["who"]),
            query(
                "ages", "list[number]", "{{who.ret}}", table="people", columns=["age"], **where("=", "who", "{{item}}")
            ),
            Task(
                id="mean", description="?", tool="calculator", args={"expression": "sum({{ages.ret}})/2"}, ret="number"
            ),
            query("older", "text", table="people", columns=["who"], **where(">", "age", "{{mean.ret}}")),
        )
    )
    done = (await run_plan(plan, {}, work(services(registry.get("query_table"))), {}))["outcomes"]
    assert [done[task.id].value for task in plan.tasks] == [["Ann", "Bob"], [30, 40], 35, "Bob"]


async def test_a_version_is_told_as_it_stands_in_the_table(tmp_path):
    (tmp_path / "tools.csv").write_text("tool,version\nlathe,2.9\nplane,2.10\nsaw,2.2\n")
    made = await build_registry(Settings(home=str(tmp_path / "home"), corpus=(str(tmp_path / "tools.csv"),)))
    args = {"table": "tools", "measures": [{"function": "max", "column": "version"}]}
    plan = Plan(tasks=(Task(id="newest", description="?", tool="query_table", args=args, ret="number"),))
    done = (await run_plan(plan, {}, work(services(made.get("query_table"))), {}))["outcomes"]["newest"]
    assert (done.value, done.type) == ("2.10", "text")
    engine_pool.close_pool()


async def test_a_wrong_name_is_told_with_the_nearest(registry):
    with pytest.raises(ToolCallError, match="no column `ages`; the nearest is `age`") as failure:
        await ask(registry, table="people", group_by=["ages"])
    assert failure.value.kind == "bad_arguments"


async def test_rows_of_a_large_file_have_the_lines_of_the_file(registry):
    found = await ask(registry, table="big", filters=[{"column": "n", "value": 2_999}])
    assert found.passages[0].locator == "line 3001"


async def test_a_row_that_is_longer_than_a_passage_is_one_row(tmp_path):
    long = "one, two and three. " * 400
    (tmp_path / "long.csv").write_text(f'name,note,n\nann,"{long}",1\nbob,short,2\n')
    registry = await build_registry(Settings(home=str(tmp_path / "home"), corpus=(str(tmp_path / "long.csv"),)))
    found = await ask(registry, table="long", measures=[{"function": "sum", "column": "n"}])
    assert (found.value, found.detail["of"]) == (3, 2)
    assert describe_notes(found.detail["notes"]) == ["line 2: a cell of more than 2,000 characters, truncated"]
    engine_pool.close_pool()


async def test_a_file_that_has_changed_is_asked_as_it_is_now(tmp_path):
    path = tmp_path / "few.csv"
    settings = Settings(home=str(tmp_path / "home"), corpus=(str(path),))
    for rows in (2, 5):
        path.write_text("name,n\n" + "".join(f"a{n},{n}\n" for n in range(rows)))
        registry = await build_registry(settings)
        assert (await ask(registry, table="few", **COUNT)).value == rows
    engine_pool.close_pool()


async def test_an_engine_that_does_not_answer_is_replaced_and_reported(registry, monkeypatch):
    assert (await ask(registry, table="people", **COUNT)).value == 2
    (process,) = [one._process for one in engine_pool.open_pool()._engines]
    os.kill(process._process.pid, signal.SIGSTOP)
    monkeypatch.setattr(engine_pool, "_GRACE_SECONDS", -9.9)
    with pytest.raises(ToolCallError, match="timed out") as failure:
        await ask(registry, table="people", **COUNT)
    assert failure.value.kind == "crash"
    monkeypatch.undo()
    assert (await ask(registry, table="people", **COUNT)).value == 2


async def test_documents_that_are_left_out_are_not_asked(registry):
    known = describe_tables(registry.corpus, SourceFilter())
    assert {table["name"] for table in known} == {"big", "销售", "notes", "people", "runs"}
    assert describe_tables(registry.corpus, SourceFilter(folders=("elsewhere",))) == []


async def test_where_no_document_has_a_table_there_is_no_tool(tmp_path):
    (tmp_path / "a.md").write_text("# A\n\nNothing in rows.\n")
    registry = await build_registry(Settings(home=str(tmp_path / "home"), corpus=(str(tmp_path / "a.md"),)))
    assert "query_table" not in registry.names()


async def test_a_column_is_computed_from_two_also_across_a_join(tmp_path):
    files = tmp_path / "files"
    files.mkdir()
    (files / "sold.csv").write_text("item,units,returned\ntea,10,1\ncake,4,0\ntea,5,2\n")
    (files / "prices.csv").write_text("item,price,margin\ntea,$2.50,40%\ncake,$6,50%\n")
    made = await build_registry(Settings(home=str(tmp_path / "home"), corpus=(str(files),)))
    join = {"table": "prices", "left": "item", "right": "item"}
    revenue = {"name": "revenue", "left": "units", "op": "*", "right": "price"}
    total = {"function": "sum", "column": "revenue"}
    found = await ask(made, table="sold", join=join, computed=[revenue], measures=[total])
    assert (found.value, found.detail["unit"]) == (61.5, "USD")
    by_item = await ask(made, table="sold", join=join, computed=[revenue], measures=[total], group_by=["item"])
    assert by_item.detail["table"] == [["tea", 37.5], ["cake", 24]]
    kept = {"name": "kept", "left": "units", "op": "-", "right": "returned"}
    assert (await ask(made, table="sold", computed=[kept], columns=["item"], order_by="kept", top=1)).value == "tea"
    share = {"name": "share", "left": "returned", "op": "/", "right": "units"}
    most = await ask(made, table="sold", computed=[share], measures=[{"function": "max", "column": "share"}])
    assert most.value == 0.4
    profit = {"name": "profit", "left": "price", "op": "*", "right": "margin"}
    made_of = await ask(made, table="prices", computed=[profit], measures=[{"function": "sum", "column": "profit"}])
    assert made_of.value == 4
    with pytest.raises(ToolCallError, match=r"`item` is text, not a number .*, so `units` - `item` is not possible"):
        await ask(made, table="sold", computed=[{**kept, "right": "item"}], columns=["kept"])
    with pytest.raises(ToolCallError, match=r"`units` has no unit and `price` is in \$, so - is not possible"):
        await ask(made, table="sold", join=join, computed=[{**revenue, "op": "-"}], measures=[total])
    engine_pool.close_pool()


async def test_wrong_names_come_back_together_with_their_arguments(registry):
    with pytest.raises(ToolCallError) as told:
        await ask(
            registry,
            table="peeple",
            filters=[{"column": "whoo", "value": "Ann"}],
            measures=[{"function": "mean", "column": "agee"}],
        )
    for part in (
        "table: no table `peeple`; the nearest is `people`",
        "filters[0].column",
        "measures[0].column",
        "`age`",
    ):
        assert part in str(told.value)


async def test_a_title_that_names_one_table_is_its_name(registry):
    assert (await ask(registry, table="Prices", **COUNT)).value == 2
