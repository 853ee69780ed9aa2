"""Questions for several things: the type of their answer, the plan of one search, and how the answer is told."""

import pytest

from nodes.rules.answer_types_en import type_of
from nodes.rules.compose import compose
from nodes.rules.plan import rule_plan, single_task_plan
from nodes.rules.statements_en import state
from state import Evidence, Language, Outcome, Quote, ValueType

TOOLS = ("web_search", "calculator", "date_difference")


@pytest.mark.parametrize(
    ("question", "type_"),
    [
        ("Which towns does the Ostrel flow through?", "list[text]"),
        ("Which films has she directed?", "list[text]"),
        ("What languages can Ida speak?", "list[text]"),
        ("Which women have won the Merrow Prize?", "list[text]"),
        ("Which river does the bridge cross?", "text"),
        ("Which bus does she take?", "text"),
        ("Which gas does the balloon use?", "text"),
        ("Which series does he present?", "text"),
        ("What does the Ostrel flow into?", "text"),
        ("Which business does she run?", "text"),
    ],
)
def test_a_plural_noun_asks_for_a_list(question: str, type_: ValueType) -> None:
    assert type_of(question) == type_


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Which towns does the Ostrel flow through?", "en"),
        ("沐川河流经哪些城市？", "zh"),
        ("沐川河流经哪几座城市？", "zh"),
    ],
)
def test_one_search_for_several_things_returns_a_list(question: str, language: Language) -> None:
    for plan in (single_task_plan(question, language, TOOLS), rule_plan(question, language, TOOLS)):
        assert [task.ret for task in plan.tasks] == ["list[text]"]


def test_the_list_is_told_in_good_english() -> None:
    question = "Which towns does the Ostrel flow through?"
    plan = single_task_plan(question, "en", TOOLS)
    page = Evidence(id="e", text="Its text.", source="https://a.test/", title="Ostrel", task_ids=("task_1",))
    outcome = Outcome(
        task_id="task_1",
        status="succeeded",
        value=["Harnmoor", "Morvane", "Selbrook"],
        type="list[text]",
        evidence_ids=("e",),
        quotes=(Quote(evidence_id="e", text="Its text."),),
    )
    told = compose(question, "en", plan, {"task_1": outcome}, {"e": page})
    assert [sentence.text for sentence in told] == ["The Ostrel flows through Harnmoor, Morvane and Selbrook."]


@pytest.mark.parametrize(
    ("question", "value", "sentence"),
    [
        ("Where does the Ostrel flow into?", "the Gulf of Merrow", "The Ostrel flows into the Gulf of Merrow."),
        ("Where does Ida come from?", "Aldport", "Ida comes from Aldport."),
        ("Where is Ida from?", "Aldport", "Ida is from Aldport."),
        ("Where does Ida live in?", "Aldport", "Ida lives in Aldport."),
        ("Where does Ida live?", "in Aldport", "Ida lives in Aldport."),
        ("Which university did Ida study at?", "Aldport University", "Ida studied at Aldport University."),
        ("Which disease did Ida die of?", "cholera", "Ida died of cholera."),
        ("What did Ida give up?", "smoking", "Ida gave smoking up."),
    ],
)
def test_a_preposition_stays_with_its_verb(question: str, value: str, sentence: str) -> None:
    assert state(question, value, "text") == sentence
