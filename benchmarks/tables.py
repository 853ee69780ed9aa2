"""Questions over tables: 60 over 12 tables, answered by rule, by a scripted model's requests, and by passages alone.

`python -m benchmarks.tables` makes the tables (two of 100,000 rows, one in GBK, merged cells, dates in three forms,
money with units; half Chinese), indexes them, and prints what is right and what is wrong. Gold is computed here from
the rows that were made, by plain Python, never by the engine.
"""

import asyncio
import statistics
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

from made_tables import Rows, make_rows, write_tables

from weiwo.nodes.shared.question.table_question import read_table_question
from weiwo.state.settings import Settings
from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.calling.invoke import run_tool
from weiwo.tools.registry import build_registry
from weiwo.tools.tables.catalog import describe_tables

GOALS: Final = {"rules": 0.5, "model": 0.95, "first_seconds": 1.0, "seconds": 0.3}
"""Shares of right answers, and the most seconds of a query. The first query starts the engine's process."""


class Case(NamedTuple):
    """A question, the gold answer, and a good model's request. None if no request answers the question."""

    question: str
    gold: Any
    request: dict[str, Any] | None


def where(rows: Rows, **wanted: Any) -> Rows:
    """Return the rows with the given values."""
    return [row for row in rows if all(row[key.replace("_", " ")] == value for key, value in wanted.items())]


def best(rows: Rows, by: str, name: str, n: int = 1, *, low: bool = False) -> list[Any]:
    """The names of the rows with the highest or lowest values."""
    edge = sorted((row[by] for row in rows), reverse=not low)[n - 1]
    return [row[name] for row in rows if (row[by] <= edge if low else row[by] >= edge)]


def tops(counts: Mapping[str, float]) -> list[str]:
    """The names with the highest count."""
    return [name for name, count in counts.items() if count == max(counts.values())]


def request(table: str, function: str = "", column: str = "", **more: Any) -> dict[str, Any]:
    """Build a request with a single measure, and filters given as `where=[(column, op, value)]`."""
    filters = [{"column": name, "op": op, "value": value} for name, op, value in more.pop("where", ())]
    measures = {"measures": [{"function": function, "column": column}]} if function else {}
    return {"table": table, "filters": filters, **measures, **more}


def add(rows: Rows, key: str) -> Any:
    """The sum of a column."""
    return sum(row[key] for row in rows)


def mean(rows: Rows, key: str) -> Any:
    """The mean of a column."""
    return add(rows, key) / len(rows)


def _ask_customers(c: Rows) -> list[Case]:
    return [
        Case(
            "How many customers are on the pro plan?",
            len(where(c, Plan="Pro")),
            request("customers", "count", where=[("plan", "=", "pro")]),
        ),
        Case(
            "What is the total monthly fee of team customers in Oslo?",
            add(where(c, Plan="Team", City="Oslo"), "Monthly fee"),
            request("customers", "sum", "monthly fee", where=[("Plan", "=", "team"), ("city", "=", "oslo")]),
        ),
        Case(
            "Which customer has the highest monthly fee?",
            best(c, "Monthly fee", "Name"),
            request("customers", columns=["name"], order_by="monthly fee", top=1),
        ),
        Case(
            "How many customers signed after 2023?",
            sum(row["Signed"] > "2024" for row in c),
            request("customers", "count", where=[("signed", ">", "2023")]),
        ),
        Case(
            "How many customers are not on the free plan?",
            sum(row["Plan"] != "Free" for row in c),
            request("customers", "count", where=[("plan", "!=", "free")]),
        ),
    ]


def _ask_orders(o: Rows) -> list[Case]:
    sums: dict[str, float] = defaultdict(float)
    for row in o:
        sums[row["region"]] += row["amount"]
    return [
        Case(
            "How many orders are refunded?",
            len(where(o, status="refunded")),
            request("orders", "count", where=[("status", "=", "refunded")]),
        ),
        Case(
            "What is the average amount of paid orders in the South region?",
            mean(where(o, status="paid", region="South"), "amount"),
            request("orders", "mean", "amount", where=[("status", "=", "paid"), ("region", "=", "south")]),
        ),
        Case(
            "How many orders have an amount over 800?",
            sum(row["amount"] > 800 for row in o),
            request("orders", "count", where=[("amount", ">", 800)]),
        ),
        Case(
            "Which region has the highest total amount?",
            tops(sums),
            request("orders", "sum", "amount", group_by=["region"], top=1, columns=[]),
        ),
        Case("What share of orders is refunded?", None, None),
        Case(
            "What is the total amount of orders between March 2023 and May 2023?",
            add([row for row in o if "2023-03" <= row["date"] < "2023-06"], "amount"),
            request("orders", "sum", "amount", where=[("date", "between", ["2023-03", "2023-05"])]),
        ),
    ]


def _ask_products(p: Rows) -> list[Case]:
    return [
        Case(
            "How many products are in category Class 3?",
            len(where(p, Category="Class 3")),
            request("products", "count", where=[("category", "=", "class 3")]),
        ),
        Case(
            "Which product has the lowest price?",
            best(p, "Price (EUR)", "Product", low=True),
            request("products", columns=["product"], order_by="price (eur)", descending=False, top=1),
        ),
        Case(
            "What is the total stock of Class 2?",
            add(where(p, Category="Class 2"), "Stock"),
            request("products / Sheet", "sum", "stock", where=[("category", "=", "Class 2")]),
        ),
        Case(
            "What is the median price?",
            statistics.median(row["Price (EUR)"] for row in p),
            request("products", "median", "Price (EUR)"),
        ),
        Case(
            "How many products cost more than twice the average?",
            sum(row["Price (EUR)"] > 2 * mean(p, "Price (EUR)") for row in p),
            request("products", "count", where=[("price (eur)", ">", 2 * mean(p, "Price (EUR)"))]),
        ),
    ]


def _ask_employees(e: Rows) -> list[Case]:
    return [
        Case(
            "How many employees are in Research?",
            len(where(e, department="Research")),
            request("employees", "count", where=[("department", "=", "research")]),
        ),
        Case(
            "Who has the highest salary?",
            best(e, "salary", "employee"),
            request("employees", columns=["employee"], order_by="salary", top=1),
        ),
        Case(
            "What is the average salary by department?",
            {key: mean(where(e, department=key), "salary") for key in ("Sales", "Research", "Support")},
            request("employees", "mean", "salary", group_by=["department"]),
        ),
        Case(
            "Which employee was hired last?",
            best(e, "hired", "employee"),
            request("employees", columns=["employee"], order_by="hired", top=1),
        ),
        Case("How many different departments are there?", 3, request("employees", "distinct", "department")),
    ]


def _ask_sensors(s: Rows) -> list[Case]:
    return [
        Case(
            "How many sensors are in Turin?",
            len(where(s, site="Turin")),
            request("sensors", "count", where=[("site", "=", "turin")]),
        ),
        Case(
            "What is the highest temperature?",
            max(row["temperature"] for row in s),
            request("sensors", "max", "temperature"),
        ),
        Case(
            "Which sensor has the lowest temperature?",
            best(s, "temperature", "sensor", low=True),
            request("sensors", columns=["sensor"], order_by="temperature", descending=False, top=1),
        ),
        Case(
            "How many sensors have a temperature below 0?",
            sum(row["temperature"] < 0 for row in s),
            request("sensors", "count", where=[("temperature", "<", 0)]),
        ),
        Case("How many degrees warmer is Oslo than Lyon?", None, None),
    ]


def _ask_rates(r: Rows) -> list[Case]:
    return [
        Case(
            "What is the average postage in zone A?",
            mean(where(r, Zone="A"), "Postage"),
            request("rates", "mean", "postage", where=[("zone", "=", "a")]),
        ),
        Case(
            "Which country has the highest postage?",
            best(r, "Postage", "Country"),
            request("rates", columns=["country"], order_by="postage", top=1),
        ),
        Case(
            "How many countries have a postage of at least 10?",
            sum(row["Postage"] >= 10 for row in r),
            request("rates", "count", where=[("postage", ">=", 10)]),
        ),
        Case("What is the total weight of all parcels?", None, None),
    ]


def _ask_sales_zh(x: Rows) -> list[Case]:
    return [
        Case(
            "华东的销售额总共是多少？",
            add(where(x, 区域="华东"), "销售额"),
            request("销售", "sum", "销售额", where=[("区域", "=", "华东")]),
        ),
        Case(
            "茶叶的平均销售额是多少？",
            mean(where(x, 产品="茶叶"), "销售额"),
            request("销售", "mean", "销售额", where=[("产品", "=", "茶叶")]),
        ),
        Case(
            "2023年的总销售额是多少？",
            add([row for row in x if row["日期"] < "2024" and row["日期"] >= "2023"], "销售额"),
            request("销售", "sum", "销售额", where=[("日期", "=", "2023")]),
        ),
        Case(
            "销售额超过5万元的记录有多少条？",
            sum(row["销售额"] > 50_000 for row in x),
            request("销售", "count", where=[("销售额", ">", "5万元")]),
        ),
        Case(
            "华东以外的销售额总共是多少？",
            add([row for row in x if row["区域"] != "华东"], "销售额"),
            request("销售", "sum", "销售额", where=[("区域", "!=", "华东")]),
        ),
    ]


def _ask_orders_zh(d: Rows) -> list[Case]:
    return [
        Case(
            "有多少订单已付款？",
            len(where(d, 状态="已付款")),
            request("订单", "count", where=[("状态", "=", "已付款")]),
        ),
        Case(
            "北京的订单金额总计是多少？",
            add(where(d, 城市="北京"), "金额"),
            request("订单", "sum", "金额", where=[("城市", "=", "北京")]),
        ),
        Case(
            "哪个城市的订单最多？",
            tops(Counter(row["城市"] for row in d)),
            request("订单", "count", group_by=["城市"], top=1),
        ),
        Case(
            "金额不少于800元的订单有多少？",
            sum(row["金额"] >= 800 for row in d),
            request("订单", "count", where=[("金额", ">=", 800)]),
        ),
        Case("退款的订单比未付款的多多少？", None, None),
        Case(
            "2024年3月的订单平均金额是多少？",
            mean([row for row in d if row["下单日期"][:7] == "2024-03"], "金额"),
            request("订单", "mean", "金额", where=[("下单日期", "=", "2024-03")]),
        ),
    ]


def _ask_staff_zh(w: Rows) -> list[Case]:
    return [
        Case(
            "第2部有多少员工？", len(where(w, 部门="第2部")), request("员工", "count", where=[("部门", "=", "第2部")])
        ),
        Case("谁的工资最高？", best(w, "工资", "姓名"), request("员工", columns=["姓名"], order_by="工资", top=1)),
        Case(
            "第3部的平均工资是多少？",
            mean(where(w, 部门="第3部"), "工资"),
            request("员工", "mean", "工资", where=[("部门", "=", "第3部")]),
        ),
        Case(
            "年龄大于50的员工有多少人？",
            sum(row["年龄"] > 50 for row in w),
            request("员工", "count", where=[("年龄", ">", 50)]),
        ),
        Case("有几个部门？", 4, request("员工", "distinct", "部门")),
    ]


def _ask_stock_zh(k: Rows) -> list[Case]:
    return [
        Case(
            "东仓的库存量总共有多少？",
            add(where(k, 仓库="东仓"), "库存量"),
            request("库存", "sum", "库存量", where=[("仓库", "=", "东仓")]),
        ),
        Case(
            "库存量最高的商品是哪个？",
            best(k, "库存量", "商品"),
            request("库存", columns=["商品"], order_by="库存量", top=1),
        ),
        Case(
            "西仓有多少种商品？",
            len(where(k, 仓库="西仓")),
            request("库存", "distinct", "商品", where=[("仓库", "=", "西仓")]),
        ),
        Case("哪些商品快要卖完了？", None, None),
    ]


def _ask_students_zh(u: Rows) -> list[Case]:
    return [
        Case("一班有多少学生？", len(where(u, 班级="一班")), request("学生", "count", where=[("班级", "=", "一班")])),
        Case(
            "二班的平均成绩是多少？",
            mean(where(u, 班级="二班"), "成绩"),
            request("学生", "mean", "成绩", where=[("班级", "=", "二班")]),
        ),
        Case(
            "各班级的最高成绩是多少？",
            {key: max(row["成绩"] for row in where(u, 班级=key)) for key in ("一班", "二班", "三班")},
            request("学生", "max", "成绩", group_by=["班级"]),
        ),
        Case(
            "成绩低于60的学生有多少？",
            sum(row["成绩"] < 60 for row in u),
            request("学生", "count", where=[("成绩", "<", 60)]),
        ),
        Case("哪个班的成绩进步最大？", None, None),
    ]


def _ask_projects_zh(j: Rows) -> list[Case]:
    return [
        Case(
            "科研处的预算总和是多少？",
            add(where(j, 负责部门="科研处"), "预算"),
            request("项目", "sum", "预算", where=[("负责部门", "=", "科研处")]),
        ),
        Case(
            "预算最低的项目是哪个？",
            best(j, "预算", "项目名称", low=True),
            request("项目", columns=["项目名称"], order_by="预算", descending=False, top=1),
        ),
        Case(
            "2023年以后开工的项目有多少个？",
            sum(row["开工日期"] > "2024" for row in j),
            request("项目", "count", where=[("开工日期", ">", "2023")]),
        ),
        Case(
            "每个负责部门的平均预算是多少？",
            {key: mean(where(j, 负责部门=key), "预算") for key in ("基建处", "科研处")},
            request("项目", "mean", "预算", group_by=["负责部门"]),
        ),
        Case("预算的中位数是多少？", statistics.median(row["预算"] for row in j), request("项目", "median", "预算")),
    ]


_ASKED: Final[Mapping[str, Callable[[Rows], list[Case]]]] = {
    "customers": _ask_customers,
    "orders": _ask_orders,
    "products": _ask_products,
    "employees": _ask_employees,
    "sensors": _ask_sensors,
    "rates": _ask_rates,
    "销售": _ask_sales_zh,
    "订单": _ask_orders_zh,
    "员工": _ask_staff_zh,
    "库存": _ask_stock_zh,
    "学生": _ask_students_zh,
    "项目": _ask_projects_zh,
}
"""What is asked of each table."""


def make_cases(made: Mapping[str, Rows]) -> list[Case]:
    """The questions, with gold out of the rows."""
    return [case for name, ask in _ASKED.items() for case in ask(made[name])]


def is_right(value: Any, gold: Any) -> bool:
    """Report whether a result equals the gold answer.

    A figure must agree to a millionth, names as a set, groups each with its figure.
    """
    if isinstance(gold, dict):
        said = dict(str(line).rsplit(" – ", 1) for line in value) if isinstance(value, list) else {}
        return said.keys() == gold.keys() and all(
            is_right(float(said[key].replace(",", "")), gold[key]) for key in gold
        )
    if isinstance(gold, list):
        found = value if isinstance(value, list) else [value]
        return {str(item).rsplit(" – ", 1)[0] for item in found} == set(map(str, gold))
    return isinstance(value, int | float) and abs(value - gold) <= 1e-6 * max(1.0, abs(gold))


async def measure() -> int:
    """Run all cases, print the figures and return the exit code, 1 if a goal is missed."""
    made = make_rows()
    cases = make_cases(made)
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home, "tables")
        await asyncio.to_thread(write_tables, folder, made)
        settings = replace(Settings.resolve(), corpus=(str(folder),), home=str(Path(home, "home")))
        registry = await build_registry(settings)
        if registry.corpus is None:
            raise SystemExit("no corpus was loaded")
        began = time.perf_counter()
        tables = await asyncio.to_thread(describe_tables, registry.corpus)
        print(f"{len(tables)} tables, {len(cases)} questions; read in {time.perf_counter() - began:.1f} s")
        tool = registry.get("query_table")
        counts, took = Counter[str](), list[float]()
        for case in cases:
            for who, asked in (("rules", read_table_question(case.question, tables)), ("model", case.request)):
                if asked is None:
                    continue
                since = time.perf_counter()
                try:
                    result = await run_tool(tool, asked, seconds=30, max_bytes=1_000_000)
                except ToolCallError as error:
                    print(f"  {who} refused: {case.question} {error}")
                    continue
                took.append(time.perf_counter() - since)
                right = is_right(result.value, case.gold)
                counts[f"{who} {'right' if right else 'wrong'}"] += 1
                if not right:
                    print(f"  {who} wrong: {case.question} {result.detail['expression']} = {result.value}; {case.gold}")
            found = await registry.corpus.search(case.question, 5)
            shown = str(case.gold) if not isinstance(case.gold, list | dict) else str(next(iter(case.gold)))
            counts["passages hold it"] += case.gold is not None and any(shown in item.text for item in found)
    total, asked_of = len(cases), sum(case.request is not None for case in cases)
    for name in ("rules right", "rules wrong", "model right", "model wrong", "passages hold it"):
        print(f"{name}: {counts[name]} of {asked_of if name == 'model right' else total}")
    first, slow = max(took[:1], default=0.0), max(took[1:], default=0.0)
    print(f"first query, which starts the engine: {first:.2f} s; slowest of the others: {slow:.2f} s")
    met = counts["rules right"] >= GOALS["rules"] * total and counts["model right"] >= GOALS["model"] * asked_of
    fast = first <= GOALS["first_seconds"] and slow <= GOALS["seconds"]
    return int(not (met and fast and not counts["rules wrong"] + counts["model wrong"]))


if __name__ == "__main__":
    sys.exit(asyncio.run(measure()))
