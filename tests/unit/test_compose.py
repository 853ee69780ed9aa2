"""The rule writer: sentences from outcomes, in both languages."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nodes.rules.compose import Sentence, compose, small_talk
from nodes.rules.plan import rule_plan
from nodes.rules.statements_en import indirect, state
from nodes.rules.statements_zh import state as state_zh
from state import Evidence, Failure, Language, Outcome, Plan, Quote, Rival, Task, ValueType

TOOLS = ("corpus_search", "calculator", "date_difference")
METRES: dict[str, Any] = {"unit": "m"}


def ran(
    plan: Plan, values: list[Any], details: dict[str, dict[str, Any]]
) -> tuple[dict[str, Outcome], dict[str, Evidence]]:
    """Outcomes of a plan's tasks: None stands for not found, "blocked" for blocked."""
    outcomes, evidence = {}, {}
    for task, value in zip(plan.tasks, values, strict=True):
        passage = Evidence(
            id=f"e_{task.id}", text="Its text.", source="a.md", title=f"Page {task.id}", task_ids=(task.id,)
        )
        computed = task.tool in {"calculator", "date_difference"}
        if value in (None, "blocked"):
            status = "empty" if value is None else "blocked"
            failure = Failure(task_id=task.id, kind="empty", message="nothing")
            outcomes[task.id] = Outcome(task_id=task.id, status=status, type=task.value_type, failure=failure)
            continue
        detail = (
            {"computed": True, "unit": task.args.get("unit"), "expression": task.args.get("expression")}
            if computed
            else {}
        )
        detail = {key: part for key, part in detail.items() if part is not None} | details.get(task.id, {})
        if not computed:
            evidence[passage.id] = passage
        outcomes[task.id] = Outcome(
            task_id=task.id,
            status="succeeded",
            value=value,
            type=task.value_type,
            tool=task.tool,
            evidence_ids=() if computed else (passage.id,),
            quotes=() if computed else (Quote(evidence_id=passage.id, text="The very words."),),
            detail=detail,
        )
    return outcomes, evidence


def told(
    question: str, language: Language, values: list[Any], *, tools: tuple[str, ...] = TOOLS, **details: dict[str, Any]
) -> list[Sentence]:
    plan = rule_plan(question, language, tools)
    return compose(question, language, plan, *ran(plan, values, details))


def texts(*args: Any, **more: Any) -> list[str]:
    return [sentence.text for sentence in told(*args, **more)]


def test_the_headline_answer() -> None:
    answer, *facts = told(
        "Who was older, Emperor Wu of Han or Julius Caesar, and by how many years?", "en", ["-156", "-100-07-12", 56]
    )
    assert answer == Sentence(
        "Emperor Wu of Han was older than Julius Caesar, by 56 years.", ("e_task_1", "e_task_2"), ("task_3",)
    )
    assert facts == [
        Sentence("Emperor Wu of Han was born in 156 BC.", ("e_task_1",)),
        Sentence("Julius Caesar was born on 12 July 100 BC.", ("e_task_2",)),
    ]
    assert texts("汉武帝和凯撒谁年长?大多少岁?", "zh", ["-156", "-100-07-12", 56]) == [
        "汉武帝比凯撒年长，大56岁。",
        "汉武帝生于公元前156年。",
        "凯撒生于公元前100年7月12日。",
    ]


FIRST: list[tuple[str, Language, list[Any], dict[str, dict[str, Any]], str]] = [
    ("Which is taller, Big Ben or the Shard?", "en", [96, 310, 310], {"task_1": METRES, "task_2": METRES}, "The Shard is taller than Big Ben."),
    ("Is Big Ben taller than the Shard?", "en", [96, 310, 310], {"task_1": METRES, "task_2": METRES}, "No, the Shard is taller than Big Ben."),
    ("Is the Shard taller than Big Ben?", "en", [310, 96, 310], {"task_1": METRES, "task_2": METRES}, "Yes, the Shard is taller than Big Ben."),
    ("How much taller is the Shard than Big Ben?", "en", [310, 96, 214], {"task_1": METRES, "task_2": METRES}, "The Shard is taller than Big Ben, by 214 metres."),
    ("Which has more employees, Siemens or Bosch?", "en", [320000, 420000, 420000], {}, "Bosch has more employees than Siemens."),
    ("Who is the youngest of Adele, Dua Lipa and Rihanna?", "en", ["1988-05-05", "1995-08-22", "1988-02-20", "1995-08-22"], {}, "Of Adele, Dua Lipa and Rihanna, Dua Lipa is the youngest."),
    ("How old was Augustus when he died?", "en", ["-63-09-23", "14-08-19", 75], {}, "Augustus was 75 years old when he died."),
    ("How long after Mozart died was Schubert born?", "en", ["1791-12-05", "1797-01-31", 6], {}, "There are 6 years between the death of Mozart and the birth of Schubert."),
    ("Were Einstein and Bohr both physicists?", "en", [True, True], {}, "Yes, it is true of both Einstein and Bohr."),
    ("Were Einstein and Bohr both born in Germany?", "en", [True, False], {}, "No, not both of them."),
    ("Are Toyota and Honda from the same country?", "en", ["Japan", "Japan"], {}, "Yes, it is the same country for Toyota and Honda: Japan."),
    ("Did Goethe and Schiller die in the same city?", "en", ["Weimar", "Jena"], {}, "No, they differ: Weimar for Goethe; Jena for Schiller."),
    ("what is 17*23", "en", [391], {}, "17 * 23 = 391."),
    ("Who is the author of Emma?", "en", ["Jane Austen"], {}, "The author of Emma is Jane Austen."),
    ("When was the author of Emma born?", "en", ["Jane Austen", "1775-12-16"], {}, "Jane Austen was born on 16 December 1775."),
    ("泰山和华山哪座更高", "zh", [1533, 2155, 2155], {"task_1": METRES, "task_2": METRES}, "华山比泰山高。"),
    ("珠峰比乔戈里峰高多少米", "zh", [8848.86, 8611, 237.86], {"task_1": METRES, "task_2": METRES}, "珠峰比乔戈里峰高，高237.86米。"),
    ("黄山比泰山高吗", "zh", [1864, 1533, 1864], {"task_1": METRES, "task_2": METRES}, "是的，黄山比泰山高。"),
    ("复旦大学和南京大学哪个成立得更早", "zh", ["1905", "1902", 3], {}, "南京大学比复旦大学更早成立，早3年。"),
    ("李白、杜甫和苏轼谁最晚去世", "zh", ["762", "770", "1101", "1101"], {}, "三者之中，苏轼最晚去世。"),
    ("李白去世时多少岁", "zh", ["701", "762", 61], {"task_3": {"exact": False}}, "李白去世时大约61岁。"),
    ("How old was Augustus at death?", "en", ["-63-09-23", "14-08-19", 75], {}, "Augustus was 75 years old at death."),
    ("At what age did Bach die?", "en", ["1685", "1750", 65], {"task_3": {"exact": False}}, "Bach died at the age of about 65."),
    ("How long did Bach live?", "en", ["1685-03-31", "1750-07-28", 65], {}, "Bach lived for 65 years."),
    ("鲁迅享年多少岁", "zh", ["1881-09-25", "1936-10-19", 55], {}, "鲁迅享年55岁。"),
    ("Who lived longer, Bach or Liszt, and by how many years?", "en", ["1685-03-31", "1750-07-28", 65, "1811-10-22", "1886-07-31", 74, -9], {}, "Liszt lived longer than Bach, by 9 years."),
    ("鲁迅和李白谁活得更久？多活几年", "zh", ["1881-09-25", "1936-10-19", 55, "701", "762", 61, -6], {"task_6": {"exact": False}}, "李白比鲁迅更长寿，多活6年。"),
    ("How old was Bach in 1700?", "en", ["1685", 15], {"task_2": {"exact": False, "earlier": "start"}}, "Bach was about 15 years old in 1700."),
    ("How old was Bach on 1 April 1686?", "en", ["1685-03-31", 1], {}, "Bach was 1 year old on 1 April 1686."),
    ("How old was Bach in 1600?", "en", ["1685", 85], {"task_2": {"earlier": "end"}}, "In 1600, the birth of Bach was still about 85 years away."),
    ("How old was Bach in 1900?", "en", ["1685", 215], {"task_2": {"exact": False}}, "Bach would have been about 215 years old in 1900."),
    ("1921年鲁迅多少岁", "zh", ["1881-09-25", 40], {"task_2": {"exact": False}}, "1921年，鲁迅大约40岁。"),
    ("What is the height difference between K2 and Lhotse?", "en", [8611, 8516, 95], {"task_1": METRES, "task_2": METRES}, "The height difference between K2 and Lhotse is 95 metres."),
    ("How many times as tall as Big Ben is the Shard?", "en", [310, 96, 3.23], {"task_1": METRES, "task_2": METRES}, "The Shard is about 3.23 times as tall as Big Ben."),
    ("What percentage of the height of the Shard is Big Ben?", "en", [150, 300, 50], {"task_1": METRES, "task_2": METRES}, "The height of Big Ben is 50% of that of the Shard."),
    ("珠峰的高度是泰山的几倍", "zh", [8848.86, 1533, 5.77], {"task_1": METRES, "task_2": METRES}, "珠峰的高度是泰山的约5.77倍。"),
    ("What is the combined height of K2, Lhotse and Mont Blanc?", "en", [8611, 8516, 4806, 21933], {"task_1": METRES, "task_2": METRES, "task_3": METRES}, "The combined height of K2, Lhotse and Mont Blanc is 21,933 metres."),
    ("泰山和黄山的平均高度是多少", "zh", [1533, 1864, 1698.5], {"task_1": METRES, "task_2": METRES}, "泰山和黄山的平均高度是1698.5米。"),
    ("What is 17% of 2400?", "en", [408], {}, "17% of 2400 is 408."),
    ("Calculate (3 + 4) times 12", "en", [84], {}, "(3 + 4) times 12 is 84."),
    ("what is 17*23", "en", [391], {}, "17 * 23 = 391."),
    ("2的5次方是多少", "zh", [32], {}, "2的5次方等于32。"),
    ("李白和杜甫都出生在四川吗", "zh", [True, False], {}, "不，并非都是这样。"),
    ("丰田和本田来自同一个国家吗", "zh", ["日本", "日本"], {}, "是的，丰田和本田的国家相同，都是日本。"),
    ("《三体》的作者是谁", "zh", ["刘慈欣"], {}, "《三体》的作者是刘慈欣。"),
    ("长城有多长", "zh", [21196], {"task_1": {"unit": "km"}}, "长城全长21196公里。"),
]  # fmt: skip


@pytest.mark.parametrize(("question", "language", "values", "details", "first"), FIRST)
def test_the_answer_comes_first(
    question: str, language: Language, values: list[Any], details: dict[str, Any], first: str
) -> None:
    assert told(question, language, values, **details)[0].text == first


def test_what_was_not_found_is_said_and_nothing_is_invented() -> None:
    assert texts("When was the author of Emma born?", "en", [None, "blocked"]) == [
        "I could not find who the author of Emma is.",
        "Without that, I could not find when the author of Emma was born.",
    ]
    assert texts("Who was older, Bach or Liszt, and by how many years?", "en", ["1685", None, "blocked"]) == [
        "Bach was born in 1685.",
        "I could not find when Liszt was born.",
        "Without that, I cannot say how Bach and Liszt compare.",
    ]
    assert texts("汉武帝和凯撒谁年长?大多少岁?", "zh", ["-156", None, "blocked"]) == [
        "汉武帝生于公元前156年。",
        "没有找到凯撒的出生时间。",
        "因此无法得知汉武帝和凯撒的比较结果。",
    ]
    assert texts("《三体》的作者出生在哪里", "zh", [None, "blocked"]) == [
        "没有找到《三体》的作者是谁。",
        "因此也没有找到《三体》的作者出生在哪里。",
    ]
    assert compose("Who wrote Emma?", "en", rule_plan("Who wrote Emma?", "en", TOOLS), {}, {}) == [
        Sentence("I could not find who wrote Emma.")
    ]


def test_an_age_that_could_not_be_computed_is_named() -> None:
    assert texts("How long did Bach live?", "en", ["1685", None, "blocked"]) == [
        "Bach was born in 1685.",
        "I could not find when Bach died.",
        "Without that, I cannot say how long Bach lived.",
    ]
    assert texts("How old was Bach in 1700?", "en", [None, "blocked"])[-1] == (
        "Without that, I cannot say how old Bach was in 1700."
    )
    assert texts("鲁迅享年多少岁", "zh", ["1881", None, "blocked"])[-1] == "因此无法得知鲁迅享年多少岁。"


def test_lives_too_close_to_tell_have_no_winner() -> None:
    lines = texts(
        "Who lived longer, Bach or Handel?", "en", ["1685", "1750", 65, "1685", "1759", 64, 65], task_3={"exact": False}
    )
    assert not any("longer than" in line for line in lines)
    assert "Bach lived for about 65 years." in lines


def test_an_account_is_told_in_the_words_of_the_passage() -> None:
    lines = told("Tell me about the Danube", "en", ["The Danube is a river. It is long."])
    assert lines == [Sentence("The very words.", ("e_task_1",))]


def test_what_hangs_on_something_without_a_name_is_said_simply() -> None:
    assert texts("Who founded the company that makes the iPhone?", "en", [None, "blocked"]) == [
        "I could not find which company makes the iPhone.",
        "Without that, I could not find the rest.",
    ]
    assert texts("埃菲尔铁塔所在的城市位于哪条河畔，这条河有多长？", "zh", ["巴黎", None, "blocked"])[1:] == [
        "没有找到巴黎位于哪条河畔。",
        "因此无法得知后面的结果。",
    ]


def test_a_denial_is_left_to_the_passage() -> None:
    lines = told("Were Einstein and Bohr both born in Germany?", "en", [True, False])
    assert lines[0] == Sentence("No, not both of them.")
    assert lines[1].text == "Einstein was born in Germany."
    assert lines[2] == Sentence("According to “Page task_2”: “The very words”.", ("e_task_2",))


def test_dates_too_vague_to_order_name_no_winner() -> None:
    for line in texts("Who was older, Bach or Handel?", "en", ["1685", "1685-02-23", 0]):
        assert "older than" not in line


def test_figures_in_different_units_are_not_ranked() -> None:
    lines = texts("尼罗河和长江哪个更长", "zh", [6650, 6300000, 6300000], task_1={"unit": "km"}, task_2={"unit": "m"})
    assert lines == ["尼罗河全长6650公里。", "长江全长6300000米。"]


def test_without_a_calculation_the_ranking_rests_on_the_passages() -> None:
    first = told(
        "Who was older, Bach or Liszt, and by how many years?",
        "en",
        ["1685-03-31", "1811-10-22"],
        tools=("corpus_search",),
    )[0]
    assert first == Sentence("Bach was older than Liszt.", ("e_task_1", "e_task_2"))


def test_a_text_that_fits_no_sentence_is_quoted() -> None:
    lines = told("Why is the sky blue?", "en", ["Because light is scattered. Blue most."])
    assert lines == [Sentence("According to “Page task_1”: “The very words”.", ("e_task_1",))]
    assert texts("天空为什么是蓝色的？", "zh", ["因为散射。"]) == ["据《Page task_1》：“The very words.”。"]


def test_roughly_known_values() -> None:
    assert texts("When was Bach born?", "en", ["1685"], task_1={"approximate": True}) == ["Bach was born around 1685."]
    assert texts("李白是哪一年出生的", "zh", ["701"], task_1={"approximate": True}) == ["李白生于约公元701年。"]


def disagreeing(question: str, language: Language, value: Any, others: list[Any], **more: Any) -> list[Sentence]:
    plan = rule_plan(question, language, TOOLS)
    outcomes, evidence = ran(plan, [value], {"task_1": more.pop("detail", {})})
    rivals = []
    for n, (other, title) in enumerate(others):
        passage = Evidence(id=f"r{n}", text=f"{n}", source=f"r{n}.md", title=title)
        evidence[passage.id] = passage
        quotes = (Quote(evidence_id=passage.id, text="Other words."),)
        rivals.append(Rival(value=other, evidence_ids=(passage.id,), quotes=quotes))
    outcomes["task_1"] = outcomes["task_1"].model_copy(update={"rivals": tuple(rivals), **more})
    return compose(question, language, plan, outcomes, evidence)


def test_sources_that_disagree_are_told_with_what_each_gives() -> None:
    fact, *halves = disagreeing("When was Bach born?", "en", "1685-03-21", [("1684", "Bach in Leipzig")])
    assert fact.text == "Bach was born on 21 March 1685."
    assert halves == [
        Sentence("Sources disagree: “Page task_1” gives 21 March 1685;", ("e_task_1",)),
        Sentence("“Bach in Leipzig” gives 1684.", ("r0",)),
    ]
    _, *halves = disagreeing("黄河全长多少公里？", "zh", 5464, [(5500, "大河志")], detail={"unit": "km"})
    assert halves == [
        Sentence("资料说法不一：《Page task_1》给出的是5464公里；", ("e_task_1",)),
        Sentence("《大河志》给出的是5500公里。", ("r0",)),
    ]


def test_sources_without_a_telling_title_are_one_and_another() -> None:
    for title in ("Page task_1", "", "Who was Bach? A life."):
        lines = [one.text for one in disagreeing("When was Bach born?", "en", "1685", [("1684", title)])[1:]]
        assert lines == ["Sources disagree: one gives 1685;", "another gives 1684."]
    lines = [one.text for one in disagreeing("李白是哪一年出生的", "zh", "1685", [("1684", "")])[1:]]
    assert lines == ["资料说法不一：一份资料给出的是1685年；", "另一份给出的是1684年。"]


def test_several_sources_are_told_as_several() -> None:
    lines = [
        one.text
        for one in disagreeing("When was Bach born?", "en", "1685", [("1684", "A"), ("1690", "B")], support=3)[1:]
    ]
    assert lines == ["Sources disagree: several give 1685;", "“A” gives 1684;", "“B” gives 1690."]


def test_every_item_is_told() -> None:
    lines = texts(
        "What is the capital of each of the countries that border Germany?",
        "en",
        [["France", "Poland"], ["Paris", "Warsaw"]],
        task_2={"items": ["France", "Poland"], "missing": ["Denmark"]},
    )
    assert lines == [
        "The capital of France is Paris.",
        "The capital of Poland is Warsaw.",
        "I could not find what the capital of Denmark is.",
        "The countries that border Germany are France and Poland.",
    ]


def test_names_typed_in_lower_case_are_written_as_the_passages_write_them() -> None:
    plan = rule_plan("who was born first, beethoven or liszt", "en", TOOLS)
    outcomes, evidence = ran(plan, ["1770-12-17", "1811-10-22", 41], {})
    evidence["e_task_2"] = evidence["e_task_2"].model_copy(update={"title": "Franz Liszt"})
    evidence["e_task_1"] = evidence["e_task_1"].model_copy(update={"title": "Ludwig van Beethoven"})
    lines = [
        sentence.text for sentence in compose("who was born first, beethoven or liszt", "en", plan, outcomes, evidence)
    ]
    assert lines[0] == "Beethoven was born earlier than Liszt, by 41 years."


def test_a_plan_of_a_model_is_told_too() -> None:
    plan = Plan(
        tasks=(
            Task(
                id="a",
                description="When was Ada Lovelace born?",
                tool="corpus_search",
                args={"query": "Ada"},
                ret="date",
            ),
            Task(
                id="b",
                description="Birth date of Alan Turing",
                tool="corpus_search",
                args={"query": "Alan"},
                ret="date",
            ),
            Task(
                id="c",
                description="gap",
                tool="date_difference",
                args={"start": "{{a.ret}}", "end": "{{b.ret}}", "unit": "years"},
                ret="number",
            ),
        )
    )
    outcomes, evidence = ran(plan, ["1815-12-10", "1912-06-23", 97], {})
    lines = [s.text for s in compose("Was Ada Lovelace older than Alan Turing?", "en", plan, outcomes, evidence)]
    assert lines[0] == "Yes, Ada Lovelace was older than Alan Turing, by 97 years."
    assert lines[1] == "Ada Lovelace was born on 10 December 1815."


@pytest.mark.parametrize(
    ("question", "value", "type_", "unit", "sentence"),
    [
        ("Where did Pliny the Elder die?", "Stabiae", "text", False, "Pliny the Elder died in Stabiae."),
        ("Where was Fleming born?", "near Darvel", "text", False, "Fleming was born near Darvel."),
        ("Which river is crossed by Tower Bridge?", "the Thames", "text", False, "The Thames is crossed by Tower Bridge."),
        ("On which river does Nanjing stand?", "the Yangtze", "text", False, "Nanjing stands on the Yangtze."),
        ("Which university did Obama attend?", "Harvard", "text", False, "Obama attended Harvard."),
        ("In what year did Curie win the prize?", "1911", "date", False, "Curie won the prize in 1911."),
        ("Which capitals stand on the Danube?", "Vienna and Belgrade", "list[text]", False, "Vienna and Belgrade stand on the Danube."),
        ("How many bridges are there in Paris?", "37", "number", False, "There are 37 bridges in Paris."),
        ("How deep is Lake Baikal?", "1,642 metres", "number", True, "Lake Baikal is 1,642 metres deep."),
        ("How high is K2?", "8,611", "number", False, "The height of K2 is 8,611."),
        ("What is the population of Peru?", "34,000,000", "number", False, "The population of Peru is 34,000,000."),
        ("Was Curie born in Warsaw?", "no", "boolean", False, "Curie was not born in Warsaw."),
        ("Did Goethe die in Weimar?", "yes", "boolean", False, "Goethe died in Weimar."),
    ],
)  # fmt: skip
def test_english_statements(question: str, value: str, type_: ValueType, unit, sentence: str) -> None:
    assert state(question, value, type_, unit=unit) == sentence


@pytest.mark.parametrize(
    "question", ["Why is the sky blue?", "Explain the French Revolution", "What country was Brand a citizen of?"]
)
def test_no_statement_where_none_is_safe(question: str) -> None:
    assert state(question, "some value", "text") is None
    assert state("Who wrote Emma?", "She did. Long ago. " * 20, "text") is None


@pytest.mark.parametrize(
    ("question", "value", "type_", "unit", "sentence"),
    [
        ("故宫是什么时候建成的？", "1420年", "date", False, "故宫是1420年建成的。"),
        ("屠呦呦哪年获得诺贝尔奖？", "2015年", "date", False, "屠呦呦于2015年获得诺贝尔奖。"),
        ("北京大学创办于哪一年？", "1898年", "date", False, "北京大学创办于1898年。"),
        ("谁发明了地动仪？", "张衡", "text", False, "张衡发明了地动仪。"),
        ("南京位于哪条河的下游？", "长江", "text", False, "南京位于长江的下游。"),
        ("黄河全长多少公里？", "5464公里", "number", True, "黄河全长5464公里。"),
        ("清华大学有多少个食堂？", "20", "number", False, "清华大学有20个食堂。"),
        ("李白是唐代诗人吗？", "否", "boolean", False, "李白不是唐代诗人。"),
    ],
)
def test_chinese_statements(question: str, value: str, type_: ValueType, unit, sentence: str) -> None:
    assert state_zh(question, value, type_, unit=unit) == sentence


@pytest.mark.parametrize(
    ("question", "clause"),
    [
        ("When was Bach born?", "when Bach was born"),
        ("Where did Bach die?", "where Bach died"),
        ("How tall is the Shard?", "how tall the Shard is"),
        ("What is the capital of Peru?", "what the capital of Peru is"),
        ("Who wrote Emma?", "who wrote Emma"),
        ("Was Bach born in Rome?", "whether Bach was born in Rome"),
    ],
)
def test_indirect_questions(question: str, clause: str) -> None:
    assert indirect(question) == clause


@pytest.mark.parametrize(
    ("question", "language", "said"),
    [
        ("Hello, who are you?", "en", "Weiwo"),
        ("what can you do?", "en", "WEIWO_MODEL=openai:gpt-5-mini"),
        ("Write a poem about spring", "en", "OPENAI_BASE_URL"),
        ("thanks!", "en", "welcome"),
        ("", "en", "No model is configured"),
        ("你是谁？", "zh", "帷幄"),
        ("你能做什么？", "zh", "没有配置模型"),
        ("帮我写一封信", "zh", "WEIWO_MODEL"),
        ("", "zh", "帷幄"),
    ],
)
def test_small_talk(question: str, language: Language, said: str) -> None:
    assert said in (small_talk(question, language) or "")


@pytest.mark.parametrize(
    "question", ["Who wrote Emma?", "What is the capital of Peru?", "谁写了《静夜思》", "help wanted signs history"]
)
def test_questions_about_the_world_are_no_small_talk(question: str) -> None:
    assert small_talk(question, "en") is None


_VALUES = st.one_of(
    st.none(),
    st.just("blocked"),
    st.text(max_size=30),
    st.integers(-5000, 10**9),
    st.booleans(),
    st.floats(allow_nan=False, allow_infinity=False),
)


@settings(max_examples=150, deadline=None)
@given(
    question=st.one_of(st.sampled_from([row[0] for row in FIRST]), st.text(max_size=40)),
    language=st.sampled_from(["en", "zh"]),
    values=st.lists(_VALUES, min_size=8, max_size=8),
)
def test_whatever_came_out_something_is_said(question: str, language: Language, values: list[Any]) -> None:
    plan = rule_plan(question, language, TOOLS)
    outcomes, evidence = ran(plan, values[: len(plan.tasks)], {})
    sentences = compose(question, language, plan, outcomes, evidence)
    assert sentences
    for sentence in sentences:
        assert sentence.text.strip()
        assert "{{" not in sentence.text
        assert set(sentence.evidence_ids) <= set(evidence)
        assert set(sentence.computed_by) <= set(outcomes)


@pytest.mark.parametrize(
    ("question", "language", "text", "wanted"),
    [
        (
            "How many days can a trainee carry over?",
            "en",
            "Up to 5 unused days may be carried over.",
            "The nearest I found, in “Page task_1”: “Up to 5 unused days may be carried over”.",
        ),
        ("年假的申请流程是什么？", "zh", "年假须提前申请。", "最接近的内容出自“Page task_1”：“年假须提前申请”。"),
    ],
)
def test_a_single_look_up_without_an_answer_quotes_what_is_nearest(
    question: str, language: Language, text: str, wanted: str
) -> None:
    plan = rule_plan(question, language, TOOLS)
    outcomes, _ = ran(plan, [None], {})
    passage = Evidence(id="e", text=text, source="a.md", title="Page task_1", task_ids=("task_1",))
    sentences = compose(question, language, plan, outcomes, {"e": passage})
    assert len(sentences) == 2
    assert sentences[1] == Sentence(wanted, ("e",))
