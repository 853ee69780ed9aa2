"""Twelve realistic tables, reproducible: two of 100,000 rows, GBK, merged cells, three date formats."""

import csv
import json
import random
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import openpyxl

Rows = list[dict[str, Any]]


def make_rows() -> dict[str, Rows]:
    """Generate the rows of the twelve tables, identical in every run."""
    draw = random.Random(38)  # noqa: S311 - rows of a benchmark
    return {**_make_english(draw), **_make_chinese(draw)}


def _day(draw: random.Random) -> str:
    return f"{draw.randint(2021, 2025)}-{draw.randint(1, 12):02d}-{draw.randint(1, 28):02d}"


def _make_english(draw: random.Random) -> dict[str, Rows]:
    cities = ["Berlin", "Oslo", "Lyon", "Turin"]
    made: dict[str, Rows] = {}
    made["customers"] = [
        {
            "Name": f"Client {n}",
            "Plan": draw.choice(["Free", "Pro", "Team"]),
            "Monthly fee": n * 3.5,
            "City": draw.choice(cities),
            "Signed": _day(draw),
        }
        for n in range(1, 241)
    ]
    made["orders"] = [
        {
            "order_id": n,
            "region": draw.choice(["North", "South", "East", "West"]),
            "status": draw.choice(["paid", "open", "refunded"]),
            "amount": round(draw.uniform(5, 900), 2),
            "date": _day(draw),
        }
        for n in range(100_000)
    ]
    made["products"] = [
        {
            "Product": f"Item {n}",
            "Category": f"Class {n // 10}",
            "Price (EUR)": 10 + (n * 37) % 991,
            "Stock": (n * 13) % 57,
        }
        for n in range(60)
    ]
    made["employees"] = [
        {
            "employee": f"Person {n}",
            "department": draw.choice(["Sales", "Research", "Support"]),
            "salary": 30_000 + n * 111,
            "hired": _day(draw),
        }
        for n in range(90)
    ]
    made["sensors"] = [
        {"sensor": f"s{n}", "site": draw.choice(cities), "temperature": round(draw.uniform(-9, 35), 1)}
        for n in range(120)
    ]
    made["rates"] = [
        {"Country": f"Land {n}", "Zone": draw.choice(["A", "B"]), "Postage": 2 + n * 0.45} for n in range(40)
    ]
    return made


def _make_chinese(draw: random.Random) -> dict[str, Rows]:
    zh_cities = ["北京", "上海", "成都", "西安"]
    made: dict[str, Rows] = {}
    made["销售"] = [
        {
            "区域": draw.choice(["华东", "华北", "华南"]),
            "产品": draw.choice(["茶叶", "咖啡", "果汁"]),
            "销售额": (n + 1) * 1000,
            "日期": _day(draw),
        }
        for n in range(150)
    ]
    made["订单"] = [
        {
            "编号": f"D{n}",
            "城市": draw.choice(zh_cities),
            "状态": draw.choice(["已付款", "未付款", "退款"]),
            "金额": round(draw.uniform(5, 900), 2),
            "下单日期": _day(draw),
        }
        for n in range(100_000)
    ]
    made["员工"] = [
        {"姓名": f"员工{n}号", "部门": f"第{n // 20 + 1}部", "工资": 5000 + n * 37, "年龄": 22 + n % 40}
        for n in range(80)
    ]
    made["库存"] = [
        {"商品": f"货物{n}", "仓库": draw.choice(["东仓", "西仓"]), "库存量": (n * 29) % 211} for n in range(50)
    ]
    made["学生"] = [
        {"名字": f"学生{n}", "班级": draw.choice(["一班", "二班", "三班"]), "成绩": round(draw.uniform(40, 99), 1)}
        for n in range(110)
    ]
    made["项目"] = [
        {
            "项目名称": f"工程{n}",
            "负责部门": draw.choice(["基建处", "科研处"]),
            "预算": 10 + n * 3,
            "开工日期": _day(draw),
        }
        for n in range(45)
    ]
    return made


def write_tables(folder: Path, made: dict[str, Rows]) -> None:
    """Write the tables in realistic file formats."""
    folder.mkdir()
    write_lines(
        folder / "customers.csv",
        made["customers"],
        above=["Customers as of today", ""],
        show={"Monthly fee": lambda v: f"${v:,.2f}"},
    )
    write_lines(folder / "orders.csv", made["orders"], show={"amount": lambda v: f"{v:,.2f}"})
    write_sheet(folder / "products.xlsx", made["products"], "Category", "Price list")
    write_lines(
        folder / "employees.tsv",
        made["employees"],
        mark="\t",
        show={"hired": lambda v: "{2}/{1}/{0}".format(*v.split("-"))},
    )
    (folder / "sensors.jsonl").write_text(
        "\n".join(json.dumps({"id": n, **row}) for n, row in enumerate(made["sensors"])), "utf-8"
    )
    write_marked(folder / "rates.md", made["rates"], "Postal rates")
    forms: list[Callable[[str], str]] = [
        str,
        lambda v: v.replace("-", "/"),
        lambda v: "{}年{}月{}日".format(*map(int, v.split("-"))),
    ]
    shown = iter(range(10_000))
    total = {
        "区域": "合计",
        "产品": "",
        "销售额": f"{sum(r['销售额'] for r in made['销售']) / 10_000:g}万元",
        "日期": "",
    }
    money = lambda v: v if isinstance(v, str) else f"{v / 10_000:g}万元" if v >= 10_000 else f"{v}元"  # noqa: E731
    dated = lambda v: forms[next(shown) % 3](v) if v else ""  # noqa: E731
    write_lines(folder / "销售.csv", [*made["销售"], total], encoding="gbk", show={"销售额": money, "日期": dated})
    write_lines(folder / "订单.csv", made["订单"], show={"金额": lambda v: f"¥{v:,.2f}"})
    write_sheet(folder / "员工.xlsx", made["员工"], "部门", "员工名册")
    cells = lambda row, tag: "".join(f"<{tag}>{value}</{tag}>" for value in row)  # noqa: E731
    body = "".join(f"<tr>{cells(row.values(), 'td')}</tr>" for row in made["库存"])
    (folder / "库存.html").write_text(
        f"<h1>库存</h1><table><tr>{cells(made['库存'][0], 'th')}</tr>{body}</table>", "utf-8"
    )
    (folder / "学生.json").write_text(json.dumps(made["学生"], ensure_ascii=False), "utf-8")
    write_marked(folder / "项目.md", made["项目"], "项目")


def write_lines(
    path: Path,
    rows: Rows,
    *,
    mark: str = ",",
    above: Iterable[str] = (),
    encoding: str = "utf-8",
    show: dict[str, Callable[[Any], str]] | None = None,
) -> None:
    """Write delimited text, with selected cells formatted for people."""
    with path.open("w", encoding=encoding, newline="") as file:
        file.writelines(f"{line}\n" for line in above)
        writer = csv.writer(file, delimiter=mark)
        writer.writerow(rows[0])
        for row in rows:
            writer.writerow([(show or {}).get(key, str)(value) for key, value in row.items()])


def write_sheet(path: Path, rows: Rows, merged: str, title: str) -> None:
    """Write a sheet with a title above the header row, and a column with equal cells merged."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append([title])
    sheet.append(list(rows[0]))
    for row in rows:
        sheet.append(list(row.values()))
    column = list(rows[0]).index(merged) + 1
    start = 0
    for at in range(1, len(rows) + 1):
        if at == len(rows) or rows[at][merged] != rows[start][merged]:
            sheet.merge_cells(start_row=start + 3, end_row=at + 2, start_column=column, end_column=column)
            start = at
    book.save(path)


def write_marked(path: Path, rows: Rows, title: str) -> None:
    """Write a document with a table of Markdown."""
    lines = [f"# {title}", "", "| " + " | ".join(rows[0]) + " |", "|" + "---|" * len(rows[0])]
    lines += ["| " + " | ".join(map(str, row.values())) + " |" for row in rows]
    path.write_text("\n".join(lines), "utf-8")
