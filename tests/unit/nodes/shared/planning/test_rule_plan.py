"""Plans by rule: parts become tasks, a calculation ends a comparison, and a failed search is asked another way once."""

import pytest

from weiwo.nodes.planner.validator import check_plan
from weiwo.nodes.shared.planning.replanning import _replan_by_rule
from weiwo.nodes.shared.planning.rule_plan import (
    build_rule_plan,
    build_single_task_plan,
    choose_search_tool,
    frame_task,
    search_query,
)
from weiwo.nodes.shared.question.parser import parse_question
from weiwo.state import VALUE_TYPES, Failure, Limits, Outcome, Plan, Task
from weiwo.state.query import QueryFrame
from weiwo.text.language_detection import detect_language
from weiwo.tools.registry import ToolInfo

TOOLS = ("calculator", "corpus_search", "date_difference", "open_document", "web_search")


def look_up(subject: str, relation: str = "birth", answer_type: str = "date") -> QueryFrame:
    return QueryFrame(
        question=f"{relation} of {subject}?",
        language="en",
        subjects=(subject,),
        relation=relation,
        answer_type=answer_type,  # type: ignore[arg-type]
        search=f"{subject} {relation}",
    )


def compared(*subjects: str, relation: str = "birth", answer_type: str = "date", **more: object) -> QueryFrame:
    parts = tuple(look_up(subject, relation, answer_type) for subject in subjects)
    return QueryFrame(
        question="which?",
        language="en",
        subjects=subjects,
        relation=relation,
        parts=parts,
        **{"shape": "comparison", **more},
    )  # type: ignore[arg-type]


def calls(plan: Plan) -> list[tuple[str, dict[str, object], str]]:
    return [(task.tool, dict(task.args), task.ret) for task in plan.tasks]


def test_a_comparison_of_dates_ends_in_a_date_difference() -> None:
    plan = build_rule_plan(compared("Ada", "Alan", wants_difference=True, direction="least"), TOOLS, max_tasks=9)
    assert calls(plan) == [
        ("corpus_search", {"query": "birth of Ada?"}, "date"),
        ("corpus_search", {"query": "birth of Alan?"}, "date"),
        ("date_difference", {"start": "{{task_1.ret}}", "end": "{{task_2.ret}}", "unit": "years"}, "number"),
    ]
    assert plan.final_ids == ("task_3",)


@pytest.mark.parametrize(
    ("frame", "expression", "ret"),
    [
        (compared("A", "B", relation="height", answer_type="quantity"), "{{task_1.ret}} - {{task_2.ret}}", "number"),
        (
            compared("A", "B", "C", relation="height", answer_type="quantity", direction="greatest"),
            "max({{task_1.ret}}, {{task_2.ret}}, {{task_3.ret}})",
            "number",
        ),
        (compared("A", "B", "C", direction="least"), "min({{task_1.ret}}, {{task_2.ret}}, {{task_3.ret}})", "date"),
    ],
)
def test_numbers_are_compared_by_the_calculator(frame: QueryFrame, expression: str, ret: str) -> None:
    last = build_rule_plan(frame, TOOLS, max_tasks=9).tasks[-1]
    assert (last.tool, last.args["expression"], last.ret) == ("calculator", expression, ret)


def test_lives_are_compared_by_their_ages() -> None:
    lives = tuple(
        QueryFrame(
            question=f"age of {name}",
            language="en",
            shape="difference",
            relation="lifespan",
            subjects=(name,),
            parts=(look_up(name), look_up(name, "death")),
        )
        for name in ("Ada", "Alan")
    )
    frame = QueryFrame(question="?", language="en", shape="comparison", relation="lifespan", parts=lives)
    plan = build_rule_plan(frame, TOOLS, max_tasks=9)
    assert [task.tool for task in plan.tasks].count("date_difference") == 2
    assert plan.tasks[-1].args["expression"] == "{{task_3.ret}} - {{task_6.ret}}"


def test_several_things_are_looked_up_one_by_one() -> None:
    plan = build_rule_plan(compared("Ada", "Alan", shape="several"), TOOLS, max_tasks=9)
    assert [call[1] for call in calls(plan)] == [{"query": "birth of Ada?"}, {"query": "birth of Alan?"}]


def test_what_was_not_taken_apart_is_one_search() -> None:
    frame = QueryFrame(question="Why is the sky blue?", language="en", shape="open", search="sky blue why")
    assert calls(build_rule_plan(frame, TOOLS, max_tasks=9)) == [
        ("corpus_search", {"query": "Why is the sky blue?"}, "text")
    ]
    assert build_rule_plan(frame, TOOLS, max_tasks=9) == build_single_task_plan(frame, TOOLS)


@pytest.mark.parametrize(
    "question", ["How many robots are deployed today?", "现在有多少员工？", "最新的版本号是多少？"]
)
def test_where_the_newest_is_asked_for_more_passages_are_looked_at(question: str) -> None:
    (task,) = build_rule_plan(parse_question(question, detect_language(question)), TOOLS, max_tasks=9).tasks
    assert (task.tool, task.args["k"]) == ("corpus_search", 24)


def test_arithmetic_is_calculated() -> None:
    frame = QueryFrame(question="6*7?", language="en", shape="calculation", expression="6 * 7")
    assert calls(build_single_task_plan(frame, TOOLS)) == [("calculator", {"expression": "6 * 7"}, "number")]
    assert build_single_task_plan(frame, ("corpus_search",)).tasks[0].tool == "corpus_search"


def test_a_plan_of_too_many_tasks_is_one_search_and_says_so() -> None:
    plan = build_rule_plan(compared("A", "B", "C", "D"), TOOLS, max_tasks=3)
    assert len(plan.tasks) == 1
    assert plan.curtailed


@pytest.mark.parametrize(
    ("tools", "name"),
    [
        (TOOLS, "corpus_search"),
        (("web_search",), "web_search"),
        (("my_search", "x"), "my_search"),
        ((), "corpus_search"),
    ],
)
def test_the_search_tool(tools: tuple[str, ...], name: str) -> None:
    assert choose_search_tool(tools) == name


def test_a_task_without_a_frame_is_parsed_when_it_runs() -> None:
    task = Task(id="a", description="When was Ada Lovelace born?", tool="corpus_search", ret="date")
    assert frame_task(task, "en") == parse_question("When was Ada Lovelace born?", "en")
    framed = task.model_copy(update={"frame": look_up("Ada")})
    assert frame_task(framed, "en") == look_up("Ada")
    assert framed.key({}) == task.key({})


def failed(task_id: str, kind: str = "empty") -> Outcome:
    failure = Failure(task_id=task_id, kind=kind, message="nothing")  # type: ignore[arg-type]
    return Outcome(task_id=task_id, status="empty", failure=failure)


def test_a_failed_search_goes_to_the_other_tool_and_then_by_its_subject() -> None:
    plan = build_rule_plan(compared("Ada", "Alan"), TOOLS, max_tasks=9)
    done = Outcome(task_id="task_2", status="succeeded", value="1912", type="date")
    outcomes = {"task_1": failed("task_1"), "task_2": done}
    second = _replan_by_rule(plan, ("task_1",), outcomes, "en", TOOLS)
    assert second is not None
    other = second.tasks[0]
    assert (other.id, other.tool, other.args["query"]) == ("task_1b", "web_search", "birth of Ada?")
    assert second.tasks[1] == plan.tasks[1]
    past, now = [plan], second
    asked = {(plan.tasks[0].tool, plan.tasks[0].args["query"]), (other.tool, other.args["query"])}
    while following := _replan_by_rule(now, now.ids[:1], {now.ids[0]: failed(now.ids[0])}, "en", TOOLS, earlier=past):
        past, now = [*past, now], following
        asked.add((now.tasks[0].tool, now.tasks[0].args["query"]))
    queries = ("birth of Ada?", "Ada birth", "Ada")
    assert {query for _, query in asked} == set(queries)
    assert {tool for tool, _ in asked} == {"corpus_search", "web_search"}


def test_what_only_waited_is_not_asked_otherwise() -> None:
    plan = build_rule_plan(compared("Ada", "Alan"), TOOLS, max_tasks=9)
    blocked = Outcome(task_id="task_3", status="blocked")
    assert _replan_by_rule(plan, ("task_3", "nobody"), {"task_3": blocked}, "en", TOOLS) is None


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Who was older, Ada Lovelace or Alan Turing, and by how many years?", "en"),
        ("珠穆朗玛峰和富士山哪个更高？", "zh"),
        ("Which is longer, the Danube or the Rhine?", "en"),
    ],
)
def test_plans_of_questions_are_valid(question: str, language: str) -> None:
    schema = {"type": "object", "properties": {}, "additionalProperties": True}
    infos = {
        name: ToolInfo(name, name, schema, "search", available=True, why_not="", returns=VALUE_TYPES) for name in TOOLS
    }
    plan = build_rule_plan(parse_question(question, language), TOOLS, max_tasks=12)  # type: ignore[arg-type]
    assert check_plan(plan, infos, Limits()) == []
    assert len(plan.tasks) == 3


BRIEF = (
    "We are a small yard on the coast and have built wooden boats for ninety years, most of them for fishermen. " * 4
)


@pytest.mark.parametrize(
    ("brief", "searched"),
    [
        (f"{BRIEF}What does larch cost per cubic metre? Thanks.", "What does larch cost per cubic metre?"),
        (f"Write about the price of larch. {BRIEF}", "Write about the price of larch."),
        (
            "我们是一家小船厂，已经造了九十年木船，大多卖给渔民。" * 15 + "落叶松每立方米多少钱？",
            "落叶松每立方米多少钱？",
        ),
    ],
)
def test_a_long_brief_is_searched_by_what_it_asks(brief: str, searched: str) -> None:
    frame = parse_question(brief, detect_language(brief)).model_copy(update={"search": ""})
    assert search_query(frame) == searched
