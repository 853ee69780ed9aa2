"""Questions read as requests over a table, and those that are not."""

import pytest

from weiwo.nodes.shared.question.table_question import asks_table, explain_refusal, read_table_question


def column(name, type_="text", values=(), unit=""):
    distinct = len(values) or 9
    return {
        "name": name,
        "type": type_,
        "values": list(values),
        "unit": unit,
        "mixed": [],
        "unread": 0,
        "distinct": distinct,
    }


SALES = {
    "name": "sales",
    "torn": 0,
    "rows": 9,
    "columns": [
        column("Region", values=["North", "South"]),
        column("Product", values=["Green tea", "Coffee"]),
        column("Amount", "number", unit="$"),
        column("Day", "date"),
        column("Since", values=["ever"]),
    ],
}
STAFF = {
    "name": "员工",
    "torn": 0,
    "rows": 9,
    "columns": [
        column("姓名", values=["张三", "李四"]),
        column("部门", values=["销售部", "研发部"]),
        column("工资", "number", unit="¥"),
        column("入职日期", "date"),
    ],
}
TABLES = [SALES, STAFF]


def read(question):
    found = read_table_question(question, TABLES)
    if found is None:
        return None
    said = [f"{one['column']} {one['op']} {one['value']}" for one in found.pop("filters")]
    return found, said


@pytest.mark.parametrize(
    ("question", "request_", "filters"),
    [
        ("How many sales in the South?", {"measures": [{"function": "count"}]}, ["Region = South"]),
        (
            "What is the total amount of green tea?",
            {"measures": [{"function": "sum", "column": "Amount"}]},
            ["Product = Green tea"],
        ),
        (
            "how many sales of coffee have an amount over $1,000?",
            {"measures": [{"function": "count"}]},
            ["Product = Coffee", "Amount > 1000.0"],
        ),
        (
            "What is the average amount since March 2024?",
            {"measures": [{"function": "mean", "column": "Amount"}]},
            ["Day >= 2024-03"],
        ),
        ("What is the highest amount?", {"measures": [{"function": "max", "column": "Amount"}]}, []),
        (
            "Which product has the lowest amount?",
            {"columns": ["Product"], "order_by": "Amount", "descending": False, "top": 1},
            [],
        ),
        (
            "What is the total amount per region?",
            {"measures": [{"function": "sum", "column": "Amount"}], "group_by": ["Region"], "top": 200},
            [],
        ),
    ],
)
def test_a_question_whose_every_word_is_known_is_a_request(question, request_, filters):
    assert read(question) == ({"table": "sales", **request_}, filters)


@pytest.mark.parametrize(
    ("question", "request_", "filters"),
    [
        ("研发部有多少员工？", {"measures": [{"function": "count"}]}, ["部门 = 研发部"]),
        ("销售部的平均工资是多少？", {"measures": [{"function": "mean", "column": "工资"}]}, ["部门 = 销售部"]),
        ("销售部和研发部一共有多少员工？", {"measures": [{"function": "count"}]}, ["部门 in ['销售部', '研发部']"]),
        ("谁的工资最高？", {"columns": ["姓名"], "order_by": "工资", "descending": True, "top": 1}, []),
        ("工资不低于8000元的员工有多少人？", {"measures": [{"function": "count"}]}, ["工资 >= 8000.0"]),
        (
            "2023年以后入职的员工有多少？",
            {
                "measures": [{"function": "count"}],
                "assumed": [{"words": "入职", "column": "入职日期", "value": ""}],
            },
            ["入职日期 > 2023"],
        ),
        (
            "各部门的最高工资是多少？",
            {"measures": [{"function": "max", "column": "工资"}], "group_by": ["部门"], "top": 200},
            [],
        ),
    ],
)
def test_chinese_is_read_alike(question, request_, filters):
    assert read(question) == (request_ and ({"table": "员工", **request_}, filters))


@pytest.mark.parametrize(
    "question",
    [
        "How many sales are not in the South?",
        "What share of the total amount is coffee?",
        "What is the total amount in the West?",
        "How many people live in the South?",
        "How much more is the average amount in the North than in the South?",
        "What is the total profit of coffee?",
        "Who founded the South?",
        "How many sales since ever?",
        "What is the highest and the lowest amount?",
        "研发部以外有多少员工？",
        "工资的增长是多少？",
        "销售部和研发部的平均工资差多少？",
        "最好的员工是谁？",
        "多少？",
    ],
)
def test_one_word_too_many_and_there_is_no_request(question):
    assert read(question) is None


def test_a_bare_number_is_no_part_of_a_name_and_what_is_asked_for_is_not_left_aside():
    rates = table("rates", column("Country", values=["Land 9", "Land 10"]), column("Postage", "number"))
    found = read_table_question("How many countries have a postage of at least 10?", [rates])
    assert found is not None
    assert found["filters"] == [{"column": "Postage", "op": ">=", "value": 10.0}]
    marks = table("学生", column("班级", values=["一班", "二班"]), column("成绩", "number"))
    assert read_table_question("哪个班的成绩进步最大？", [marks]) is None


def test_whoever_names_the_table_means_its_rows_and_not_a_column_of_that_name():
    numbered = {**SALES, "columns": [column("Sale", "number"), *SALES["columns"]]}
    assert read_table_question("total sales", [numbered]) is None
    assert read_table_question("Which region has the most sales?", [numbered]) == {
        "table": "sales",
        "filters": [],
        "measures": [{"function": "count"}],
        "group_by": ["Region"],
        "descending": True,
        "top": 1,
    }


def test_of_things_with_a_row_each_the_most_is_of_the_column_and_not_of_the_rows():
    table = {**SALES, "rows": 2, "columns": [*SALES["columns"][:1], column("Sales", "number")]}
    found = read_table_question("Which region has the most sales?", [table])
    assert (found["columns"], found["order_by"], found["top"]) == (["Region"], "Sales", 1)
    assert read_table_question("Which region has the most sales?", [{**table, "columns": table["columns"][:1]}]) is None


def test_a_table_that_was_not_read_whole_is_not_asked():
    assert read_table_question("How many sales in the South?", [{**SALES, "torn": 1}]) is None


def test_of_columns_that_one_name_may_mean_each_figure_is_given_and_none_is_guessed():
    table = {
        **SALES,
        "columns": [column("Amount (net)", "number"), column("Amount (gross)", "number"), *TABLES[0]["columns"][:1]],
    }
    both = read_table_question("What is the total amount in the South?", [table])
    assert [one["column"] for one in both["measures"]] == ["Amount (net)", "Amount (gross)"]
    assert read_table_question("total gross amount", [table])["measures"] == [
        {"function": "sum", "column": "Amount (gross)"}
    ]
    for doubtful in ("Which region has the highest amount?", "How many sales have an amount over 5?"):
        assert read_table_question(doubtful, [table]) is None


def test_a_value_of_several_columns_is_a_doubt_that_is_named():
    routes = column("From", values=["Kiel", "Emden"]), column("To", values=["Kiel", "Bremen"])
    table = {**SALES, "name": "trips", "columns": [*routes, column("Price", "number")]}
    assert read_table_question("How many trips are there in Kiel?", [table]) is None
    assert explain_refusal("How many trips are there in Kiel?", [table]) == ("several", "Kiel", ("From", "To"))


def test_two_tables_that_fit_alike_are_a_doubt():
    other = {**SALES, "name": "older"}
    assert read_table_question("What is the total amount in the South?", [SALES, other]) is None
    assert read_table_question("How many sales in the South?", [SALES, other])["table"] == "sales"


def test_most_questions_are_none():
    assert not asks_table("Who wrote Hamlet?")
    assert not asks_table("茶是什么时候传到日本的？")


CLUBS = {
    "name": "clubs",
    "torn": 0,
    "rows": 4,
    "columns": [
        {**column("Club", values=["Iron", "Flex", "Pulse", "Tide"]), "distinct": 4},
        column("Monthly fee", "number", unit="€"),
        column("Manager", values=["Noor Haddad", "Sam Ode"]),
        {**column("Opened", "date"), "range": ["2024-01-09", "2024-11-30"]},
    ],
}
GOODS = {
    "name": "商品",
    "torn": 0,
    "rows": 4,
    "columns": [
        column("名称", values=["苹果", "香蕉"]),
        column("零售价", "number", unit="¥"),
        column("存放仓库", values=["东部仓库", "西部仓库"]),
        {**column("进货日期", "date"), "range": ["2023-12-01", "2024-06-30"]},
    ],
}


def assume(question, table):
    found = read_table_question(question, [table])
    if found is None:
        return None
    pairs = [(one["words"], one["column"], one["value"]) for one in found.pop("assumed", [])]
    return found, pairs


@pytest.mark.parametrize(
    ("question", "expected", "pairs"),
    [
        ("cheapest club", {"columns": ["Club"], "order_by": "Monthly fee"}, [("cheapest", "Monthly fee", "")]),
        ("which club costs the least by price", None, None),
        ("What is the average cost?", {"measures": [{"function": "mean", "column": "Monthly fee"}]}, None),
        ("how many clubs does Noor run?", {"unused": ["run"]}, [("noor", "Manager", "Noor Haddad")]),
        ("newest club", {"columns": ["Club"], "order_by": "Opened", "descending": True}, []),
        (
            "How many clubs opened in Q1?",
            {"measures": [{"function": "count"}]},
            [("q1", "Opened", "2024-01 – 2024-03")],
        ),
    ],
)
def test_other_words_for_columns_and_values_are_assumed(question, expected, pairs):
    found = assume(question, CLUBS)
    if expected is None:
        assert found is None
        return
    assert {name: found[0].get(name) for name in expected} == expected
    assert pairs is None or found[1] == pairs


@pytest.mark.parametrize(
    ("question", "expected", "pairs"),
    [
        ("最贵的商品是哪个？", {"order_by": "零售价", "descending": True}, [("最贵", "零售价", "")]),
        ("平均价格是多少？", {"measures": [{"function": "mean", "column": "零售价"}]}, [("价格", "零售价", "")]),
        ("东部的商品有多少种？", None, None),
    ],
)
def test_chinese_words_are_assumed_alike(question, expected, pairs):
    found = assume(question, GOODS)
    if expected is None:
        assert found is None
        return
    assert ({name: found[0].get(name) for name in expected}, found[1]) == (expected, pairs)


def test_a_word_that_nothing_explains_is_told_as_not_used():
    found = read_table_question("What is the total amount of returned sales?", [SALES])
    assert (found["measures"], found["unused"]) == ([{"function": "sum", "column": "Amount"}], ["returned"])
    exact = {**SALES, "name": "returned sales"}
    assert "unused" not in read_table_question("What is the total amount of returned sales?", [SALES, exact])


@pytest.mark.parametrize(
    ("question", "table", "kind", "word"),
    [
        ("What is the total amount in the West?", SALES, "unknown", "west"),
        (
            "What is the total fee in Q1?",
            {**CLUBS, "columns": [*CLUBS["columns"][:3], GOODS["columns"][3]]},
            "year",
            "q1",
        ),
        (
            "What is the total amount of Haddad?",
            {**SALES, "columns": [*SALES["columns"], column("Rep", values=["Noor Haddad", "Ali Haddad"])]},
            "several",
            "haddad",
        ),
    ],
)
def test_a_refusal_names_the_word_and_what_it_may_mean(question, table, kind, word):
    assert read_table_question(question, [table]) is None
    refusal = explain_refusal(question, [table])
    assert (refusal.kind, refusal.word) == (kind, word)
    assert refusal.names


@pytest.mark.parametrize("word", ["not", "except", "share", "growth", "difference", "without"])
def test_a_word_that_turns_the_question_is_never_left_aside(word):
    assert read_table_question(f"What is the total amount {word} sales?", [SALES]) is None


def test_quarters_with_their_year_are_no_assumption():
    found = read_table_question("How many clubs opened in the second quarter of 2024?", [CLUBS])
    assert found["filters"] == [{"column": "Opened", "op": "between", "value": ["2024-04", "2024-06"]}]
    assert "assumed" not in found


TURNS = {
    "name": "boats",
    "torn": 0,
    "rows": 4,
    "columns": [
        column("Quay", values=["Vell", "Harn", "Oske", "Brade"]),
        column("2031 Q1", "number"),
        column("2031 Q2", "number"),
        column("2032 Q1", "number"),
    ],
}


@pytest.mark.parametrize(
    ("question", "column_", "filters"),
    [
        ("How many boats came to Harn in Q1 2031?", "2031 Q1", ["Quay"]),
        ("How many boats came in Q2 2031 in total?", "2031 Q2", []),
        ("What is the total of Q1 of 2032?", "2032 Q1", []),
        ("What is the total of 2032 Q1?", "2032 Q1", []),
    ],
)
def test_a_column_named_after_a_time_holds_what_is_counted(question, column_, filters):
    found = read_table_question(question, [TURNS])
    assert found is not None
    assert found["measures"] == [{"function": "sum", "column": column_}]
    assert [one["column"] for one in found["filters"]] == filters


def table(name, *columns, rows=4):
    return {"name": name, "torn": 0, "rows": rows, "columns": [*columns]}


def numbers(name, low, high):
    return {**column(name, "number"), "distinct": 4, "range": [low, high]}


LAKES = table("lakes", column("Lake", values=["Orva", "Pell", "Quim", "Rill"]), numbers("Boats", 70, 200))
ORDERS = table("orders", numbers("Order", 1001, 1004), numbers("Amount", 3, 90))
SITES = table("Sites", column("Site", values=["Ulm", "Bonn", "Kiel", "Hof"]), numbers("Staff", 21, 148))
PEOPLE = table("people", column("name", values=["Ann", "Ben", "Cas", "Dee"]), column("office", values=["Ulm", "Bonn"]))


@pytest.mark.parametrize(
    ("question", "known", "measure"),
    [
        ("What is the total number of boats?", LAKES, {"function": "sum", "column": "Boats"}),
        ("How many boats are there?", LAKES, {"function": "sum", "column": "Boats"}),
        ("How many lakes are there?", LAKES, {"function": "count"}),
        ("How many orders are there?", ORDERS, {"function": "count"}),
    ],
)
def test_things_that_a_column_counts_are_added_up_and_those_it_numbers_are_counted(question, known, measure):
    request = read_table_question(question, [known])
    assert request is not None
    assert request["measures"] == [measure]


def test_a_column_that_counts_people_goes_before_rows_that_name_some():
    request = read_table_question("How many people work at the Ulm site?", [SITES, PEOPLE])
    assert request is not None
    assert (request["table"], request["measures"]) == ("Sites", [{"function": "sum", "column": "Staff"}])


STATES = column("state", values=["Not paid", "Settled"])
TASKS = table("tasks", column("task", values=["a1", "a2", "a3", "a4"]), numbers("hours", 1.5, 9), STATES)
BILLS = table("bills", column("bill", values=["b1", "b2"]), numbers("gross", 5, 9), column("status", values=["paid"]))
ZHANG = table(
    "账单", column("客户", values=["甲公司"]), numbers("金额", 10, 90), column("状态", values=["未付款", "已结清"])
)


@pytest.mark.parametrize(
    ("question", "known"),
    [
        ("total hours of paid tasks", TASKS),
        ("total gross of unpaid bills", BILLS),
        ("total gross of bills that are not paid", BILLS),
        ("付款的账单金额总共是多少？", ZHANG),
    ],
)
def test_words_that_deny_a_value_are_no_value(question, known):
    assert read_table_question(question, [known]) is None


def test_a_value_that_denies_is_one_where_it_is_named_whole():
    request = read_table_question("total hours of not paid tasks", [TASKS])
    assert request is not None
    assert request["filters"] == [{"column": "state", "op": "=", "value": "Not paid"}]


def test_a_short_word_with_a_digit_is_part_of_a_header():
    growth = table("growth", column("sample", values=["G1"]), numbers("od600_4h", 1, 2), numbers("od600_24h", 3, 8))
    request = read_table_question("average od600 after 4h", [growth])
    assert request is not None
    assert request["measures"] == [{"function": "mean", "column": "od600_4h"}]


def test_a_chinese_noun_may_be_the_beginning_of_a_header():
    drugs = table("药品", column("药品名称", values=["甘草片", "维C片"]), numbers("零售价（元）", 3, 18))
    request = read_table_question("最便宜的药是什么？", [drugs])
    assert request is not None
    assert (request["columns"], request["order_by"]) == (["药品名称"], "零售价（元）")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("工资最高的是谁？", {"columns": ["姓名"], "order_by": "月薪", "descending": True, "top": 1}),
        ("平均工资是多少？", {"measures": [{"function": "mean", "column": "月薪"}]}),
        ("研发部门一共有多少人？", {"measures": [{"function": "count"}]}),
        ("谁挣得最多？", {"columns": ["姓名"], "order_by": "月薪", "descending": True, "top": 1}),
    ],
)
def test_a_table_may_be_called_like_a_synonym_of_its_column(question, expected):
    names = column("姓名", values=["张三", "李四", "王五"])
    pay = table("工资", names, column("部门", values=["研发", "销售"]), column("月薪", "number"), rows=3)
    found = read_table_question(question, [pay])
    assert found is not None
    assert expected.items() <= found.items()


@pytest.mark.parametrize(
    ("question", "by", "descending"),
    [("Who is the newest employee?", "start date", True), ("Who earns the least?", "salary", False)],
)
def test_who_is_asked_of_the_column_that_names_people(question, by, descending):
    people = column("employee", values=["Ana", "Ben", "Cleo"])
    staff = table("list", people, column("salary", "number"), column("start date", "date"), rows=3)
    found = read_table_question(question, [staff])
    assert found is not None
    expected = {"columns": ["employee"], "order_by": by, "descending": descending, "top": 1}
    assert expected.items() <= found.items()
