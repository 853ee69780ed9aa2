"""Plans made by rule: valid for every shape, and what each must look like."""

from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nodes.plan_check import check_plan
from nodes.rules.plan import repair, rule_plan, single_task_plan
from state import Failure, Language, Limits, Outcome, Plan


@dataclass
class Interface:
    args_schema: dict[str, Any] = field(default_factory=dict)


def schema(*required: str, **optional: dict[str, Any]) -> Interface:
    properties = {name: {"type": "string"} for name in required} | optional
    return Interface({"type": "object", "properties": properties, "required": list(required)})


SEARCH = schema("query", limit={"type": "integer"})
TOOLS = {
    "corpus_search": SEARCH,
    "web_search": SEARCH,
    "open_document": schema("source", "query"),
    "calculator": schema("expression"),
    "date_difference": schema("start", "end", unit={"enum": ["years", "age", "months", "days"], "type": "string"}),
}
CORPUS_ONLY = ("corpus_search",)


def plan(question: str, language: Language = "en", tools: tuple[str, ...] = tuple(TOOLS)) -> Plan:
    made = rule_plan(question, language, tools)
    assert check_plan(made, {name: TOOLS[name] for name in tools}, Limits()) == []
    return made


@pytest.mark.parametrize(
    ("question", "language", "asked"),
    [
        (
            "Who was older, Emperor Wu of Han or Julius Caesar, and by how many years?",
            "en",
            ["When was Emperor Wu of Han born?", "When was Julius Caesar born?"],
        ),
        ("汉武帝和凯撒谁年长?大多少岁?", "zh", ["汉武帝是哪一年出生的？", "凯撒是哪一年出生的？"]),
    ],
)
def test_the_headline_question(question: str, language: Language, asked: list[str]) -> None:
    made = plan(question, language)
    assert [task.description for task in made.tasks[:2]] == asked
    assert [(task.tool, task.ret) for task in made.tasks] == [
        ("corpus_search", "date"),
        ("corpus_search", "date"),
        ("date_difference", "number"),
    ]
    assert made.tasks[2].args == {"start": "{{task_1.ret}}", "end": "{{task_2.ret}}", "unit": "years"}
    assert set(made.edges) == {("task_1", "task_3"), ("task_2", "task_3")}


def test_values_flow_along_a_chain() -> None:
    made = plan("What is the capital of the country where the author of Ulysses was born?")
    assert [task.description for task in made.tasks] == [
        "Who is the author of Ulysses?",
        "In which country was {{task_1.ret}} born?",
        "What is the capital of {{task_2.ret}}?",
    ]
    assert "{{task_1.ret}}" in str(made.tasks[1].args["query"])
    assert "{{task_2.ret}}" in str(made.tasks[2].args["query"])
    assert made.final_ids == ("task_3",)


def test_queries_are_keywords() -> None:
    query = str(plan("Could you please tell me when Emperor Wu of Han was born?").tasks[0].args["query"])
    assert {"Emperor", "Wu", "Han", "born", "birth"} <= set(query.split())
    assert not {"when", "was", "please", "tell"} & set(query.lower().split())
    assert plan("凯撒是哪一年出生的？", "zh").tasks[0].args["query"] == "凯撒 出生"


@pytest.mark.parametrize(
    ("question", "language", "tool", "args", "ret"),
    [
        ("Which is taller, Big Ben or the Shard?", "en", "calculator", {"expression": "max({{task_1.ret}}, {{task_2.ret}})"}, "number"),
        ("How much taller is the Shard than Big Ben?", "en", "calculator", {"expression": "{{task_1.ret}} - {{task_2.ret}}"}, "number"),
        ("Who died first, Goethe or Schiller?", "en", "date_difference", {"start": "{{task_1.ret}}", "end": "{{task_2.ret}}", "unit": "years"}, "number"),
        ("Who is the youngest of Adele, Dua Lipa and Rihanna?", "en", "calculator", {"expression": "max({{task_1.ret}}, {{task_2.ret}}, {{task_3.ret}})"}, "date"),
        ("How old was Augustus when he died?", "en", "date_difference", {"start": "{{task_1.ret}}", "end": "{{task_2.ret}}", "unit": "age"}, "number"),
        ("How many days passed between the launch of Apollo 11 and the launch of Apollo 12?", "en", "date_difference", {"start": "{{task_1.ret}}", "end": "{{task_2.ret}}", "unit": "days"}, "number"),
        ("Were Mozart and Haydn born in the same year?", "en", "calculator", {"expression": "{{task_1.ret}} - {{task_2.ret}} == 0"}, "boolean"),
        ("what is 17*23", "en", "calculator", {"expression": "17 * 23"}, "number"),
        ("泰山、华山、黄山中最高的是哪个？", "zh", "calculator", {"expression": "max({{task_1.ret}}, {{task_2.ret}}, {{task_3.ret}})"}, "number"),
        ("How many times as tall as Big Ben is the Shard?", "en", "calculator", {"expression": "round({{task_1.ret}} / {{task_2.ret}}, 2)"}, "number"),
        ("What percentage of the height of the Shard is Big Ben?", "en", "calculator", {"expression": "round({{task_1.ret}} / {{task_2.ret}} * 100, 2)"}, "number"),
        ("What is the combined height of K2 and Lhotse?", "en", "calculator", {"expression": "{{task_1.ret}} + {{task_2.ret}}"}, "number"),
        ("北京、上海和广州的平均人口是多少", "zh", "calculator", {"expression": "({{task_1.ret}} + {{task_2.ret}} + {{task_3.ret}}) / 3"}, "number"),
        ("李白去世时多少岁", "zh", "date_difference", {"start": "{{task_1.ret}}", "end": "{{task_2.ret}}", "unit": "age"}, "number"),
    ],
)  # fmt: skip
def test_what_is_compared_is_computed(
    question: str, language: Language, tool: str, args: dict[str, str], ret: str
) -> None:
    last = plan(question, language).tasks[-1]
    assert (last.tool, last.args, last.ret) == (tool, args, ret)


def test_life_spans_are_births_and_deaths() -> None:
    made = plan("Who lived longer, Goethe or the author of Emma, and by how many years?")
    assert [task.tool for task in made.tasks] == [
        "corpus_search", "corpus_search", "date_difference",
        "corpus_search", "corpus_search", "corpus_search", "date_difference", "calculator",
    ]  # fmt: skip
    assert made.tasks[2].args == {"start": "{{task_1.ret}}", "end": "{{task_2.ret}}", "unit": "age"}
    assert made.tasks[2].description == "How long did Goethe live?"
    assert made.tasks[6].description == "How long did {{task_4.ret}} live?"
    assert made.tasks[7].args == {"expression": "{{task_3.ret}} - {{task_7.ret}}"}
    assert made.final_ids == ("task_8",)


def test_without_its_tool_a_life_span_is_looked_up() -> None:
    made = plan("Who lived longer, Goethe or Schiller?", tools=(*CORPUS_ONLY, "calculator"))
    assert [task.description for task in made.tasks[:2]] == ["How long did Goethe live?", "How long did Schiller live?"]
    many = plan("Who lived longest, Bach, Haydn, Mozart, Liszt, Chopin, Verdi or Wagner?")
    assert [task.tool for task in many.tasks] == ["corpus_search"] * 7 + ["calculator"]


@pytest.mark.parametrize(
    ("question", "language", "end"),
    [
        ("How old was Julius Caesar on 15 March 44 BC?", "en", "-44-03-15"),
        ("1921年鲁迅多少岁？", "zh", "1921"),
    ],
)
def test_an_age_at_a_date_needs_the_birth_alone(question: str, language: Language, end: str) -> None:
    made = plan(question, language)
    assert [task.tool for task in made.tasks] == ["corpus_search", "date_difference"]
    assert made.tasks[1].args == {"start": "{{task_1.ret}}", "end": end, "unit": "age"}


@pytest.mark.parametrize(
    ("question", "language", "task"),
    [
        ("What is the height difference between K2 and Lhotse?", "en", "By how much do the heights of K2 and Lhotse differ?"),
        ("How many years older is Clooney than Pitt?", "en", "How many years lie between the births of Clooney and Pitt?"),
        ("How long after Mozart died was Schubert born?", "en", "How many years lie between the death of Mozart and the birth of Schubert?"),
        ("How many more students does Yale have than MIT?", "en", "By how much do Yale and MIT differ in students?"),
        ("How old was Augustus when he died?", "en", "How old was Augustus when he died?"),
        ("Who lived longer, Bach or Liszt?", "en", "Who lived longer, Bach or Liszt?"),
        ("汉武帝和凯撒的出生相差多少年？", "zh", "汉武帝和凯撒的出生相差多少年？"),
        ("泰山与黄山哪个更高、高多少", "zh", "泰山和黄山的高度相差多少？"),
        ("李白去世多少年后苏轼出生", "zh", "李白的去世和苏轼的出生相差多少年？"),
        ("杜甫去世时多大年纪", "zh", "杜甫去世时多少岁？"),
    ],
)  # fmt: skip
def test_a_calculation_says_what_it_is_for(question: str, language: Language, task: str) -> None:
    assert plan(question, language).tasks[-1].description == task


def test_queries_of_who_did_it_name_the_thing_first() -> None:
    for question, query in (
        ("谁发现了青霉素？", "青霉素 发现"),
        ("青霉素是谁发现的？", "青霉素 发现"),
        ("是谁最先提出了相对论", "相对论 提出"),
        ("谁写了《静夜思》", "《静夜思》 写"),
    ):
        assert plan(question, "zh").tasks[0].args["query"] == query


def test_compared_things_may_be_chains() -> None:
    made = plan("Who was born earlier, the director of Jaws or the author of Ulysses?")
    assert [task.tool for task in made.tasks] == ["corpus_search"] * 4 + ["date_difference"]
    assert made.tasks[-1].args["start"] == "{{task_2.ret}}"
    assert made.tasks[-1].args["end"] == "{{task_4.ret}}"


def test_a_list_known_only_at_run_time_is_iterated() -> None:
    made = plan("What is the population of each of the cities that hosted the Olympics?")
    first, second = made.tasks
    assert (first.ret, second.for_each, second.ret) == ("list[text]", "{{task_1.ret}}", "number")
    assert "{{item}}" in second.description
    assert "{{item}}" in str(second.args["query"])


def test_the_same_look_up_is_one_task() -> None:
    made = plan("How old was the director of Jaws when the film was released?")
    assert [task.description for task in made.tasks[:3]] == [
        "Who is the director of Jaws?",
        "When was {{task_1.ret}} born?",
        "When was Jaws released?",
    ]


def test_tools_that_are_missing_are_left_out() -> None:
    assert [task.tool for task in plan("Who was older, Bach or Liszt?", tools=CORPUS_ONLY).tasks] == [
        "corpus_search"
    ] * 2
    assert plan("Who was older, Bach or Liszt?", tools=("web_search",)).tasks[0].tool == "web_search"
    assert plan("what is 17*23", tools=CORPUS_ONLY).tasks[0].tool == "corpus_search"


def test_the_revision_is_kept() -> None:
    assert rule_plan("Who wrote Emma?", "en", CORPUS_ONLY, revision=3).revision == 3


def test_single_task_plan() -> None:
    made = single_task_plan("Please tell me how tall the Eiffel Tower is", "en", tuple(TOOLS))
    assert [(task.description, task.ret) for task in made.tasks] == [("How tall is the Eiffel Tower?", "number")]
    assert len(single_task_plan("Who was older, Bach or Liszt?", "en", tuple(TOOLS)).tasks) == 1
    assert single_task_plan("what is 2 + 2", "en", tuple(TOOLS)).tasks[0].tool == "calculator"


def outcome(task_id: str, status: str = "succeeded", value: Any = "x") -> Outcome:
    usable = status == "succeeded"
    failure = None if usable else Failure(task_id=task_id, kind="empty", message="nothing found")
    return Outcome(task_id=task_id, status=status, value=value if usable else None, failure=failure)  # type: ignore[arg-type]  # the statuses are literals at the call


def test_repair_changes_only_what_failed() -> None:
    made = plan("Who was older, Bach or Liszt, and by how many years?", tools=(*CORPUS_ONLY, "date_difference"))
    outcomes = {
        "task_1": outcome("task_1", value="1685"),
        "task_2": outcome("task_2", "empty"),
        "task_3": outcome("task_3", "blocked"),
    }
    tools = (*CORPUS_ONLY, "date_difference")
    mended = repair(made, ("task_2", "task_3"), outcomes, "en", tools)
    assert mended is not None
    assert mended.revision == 1
    assert mended.ids == ("task_1", "task_2b", "task_3b")
    assert mended.task("task_1") == made.task("task_1")
    assert mended.task("task_2b").args != made.task("task_2").args
    assert mended.task("task_3b").args == {"start": "{{task_1.ret}}", "end": "{{task_2b.ret}}", "unit": "years"}
    assert check_plan(mended, TOOLS, Limits()) == []


def test_repair_ends() -> None:
    current: Plan | None = plan("When was the author of Ulysses born?", tools=CORPUS_ONLY)
    seen: set[str] = set()
    earlier: list[Plan] = []
    for _ in range(6):
        assert current is not None
        first, last = current.tasks
        assert str(first.args["query"]) not in seen
        seen.add(str(first.args["query"]))
        following = repair(
            current,
            (first.id, last.id),
            {first.id: outcome(first.id, "empty"), last.id: outcome(last.id, "blocked")},
            "en",
            CORPUS_ONLY,
            earlier=earlier,
        )
        if following is None:
            break
        earlier.append(current)
        current = following
    else:
        pytest.fail("repair never gives up")
    assert len(seen) >= 2


def test_repair_tries_the_other_search_tool() -> None:
    made = plan("Who wrote Emma?")
    mended = repair(made, ("task_1",), {"task_1": outcome("task_1", "empty")}, "en", tuple(TOOLS))
    assert mended is not None
    assert mended.tasks[0].tool == "web_search"


def test_repair_skips_a_hop_that_misleads() -> None:
    made = plan("When was the author of Ulysses born?", tools=CORPUS_ONLY)
    outcomes = {"task_1": outcome("task_1", value="J. Jones"), "task_2": outcome("task_2", "empty")}
    once = repair(made, ("task_2",), outcomes, "en", CORPUS_ONLY)
    assert once is not None
    tried = {**outcomes, "task_2b": outcome("task_2b", "empty")}
    again = repair(once, ("task_2b",), tried, "en", CORPUS_ONLY, earlier=(made,))
    assert again is not None
    assert again.task("task_2c").description == "When was the author of Ulysses born?"
    assert again.task("task_1") == made.task("task_1")


def test_repair_renews_what_was_built_on_a_replaced_value() -> None:
    made = plan("When was the author of Ulysses born?", tools=CORPUS_ONLY)
    outcomes = {"task_1": outcome("task_1", "failed"), "task_2": outcome("task_2", value="1900")}
    mended = repair(made, ("task_1",), outcomes, "en", CORPUS_ONLY)
    assert mended is not None
    assert mended.ids == ("task_1b", "task_2b")
    assert "{{task_1b.ret}}" in mended.task("task_2b").description


def test_repair_has_nothing_for_calculations_and_unknown_tasks() -> None:
    made = plan("what is 17*23")
    assert repair(made, ("task_1", "ghost"), {"task_1": outcome("task_1", "failed")}, "en", tuple(TOOLS)) is None
    assert repair(made, (), {}, "en", tuple(TOOLS)) is None


_ALL_PIECES = (
    "who what when which was born lived longer times percentage combined height 1900 live older the author of capital Hamlet Newton or and than taller each both same same year by how many , ? "
    "{{task_1.ret}} {{item}} 谁 的 和 比 哪个 更 高 大 多少 岁 作者 出生 北京 《红楼梦》 、 是 吗 相差 时 每个 分别 1+1 17 * ( )"
)
_PIECES = st.sampled_from(_ALL_PIECES.split())


@settings(max_examples=200, deadline=None)
@given(
    text=st.one_of(
        st.text(max_size=60), st.lists(_PIECES, max_size=14).map(" ".join), st.lists(_PIECES, max_size=14).map("".join)
    ),
    language=st.sampled_from(["en", "zh"]),
    tools=st.sampled_from([tuple(TOOLS), CORPUS_ONLY, ("web_search", "calculator")]),
)
def test_every_text_gets_a_valid_plan(text: str, language: Language, tools: tuple[str, ...]) -> None:
    made = rule_plan(text, language, tools)
    available = {name: TOOLS[name] for name in tools}
    assert check_plan(made, available, Limits()) == []
    assert check_plan(single_task_plan(text, language, tools), available, Limits()) == []
    first = made.tasks[0]
    mended = repair(made, (first.id,), {first.id: outcome(first.id, "empty")}, language, tools)
    assert mended is None or check_plan(mended, available, Limits()) == []
