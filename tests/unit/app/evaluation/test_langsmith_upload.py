"""A set and its rows become a dataset and an experiment a system, without asking anything again."""

from typing import Any

from tests.support.langsmith_client import FakeClient
from weiwo.app.evaluation.answer import SystemAnswer, score_answer
from weiwo.app.evaluation.langsmith_upload import upload_experiment
from weiwo.app.evaluation.question_set import Question

QUESTIONS = [Question("1", "Which river?", (("Danube",),)), Question("2", "Which town?", (("Linz",),))]


def row(question: Question, system: str, text: str) -> dict[str, Any]:
    return {"question": question.id, "system": system, **score_answer(question, SystemAnswer(text, "asserted"))}


def test_set_and_results_are_sent_once():
    client = FakeClient()
    rows = [row(QUESTIONS[0], "weiwo", "The Danube"), row(QUESTIONS[0], "rag", "The Rhine")]
    assert upload_experiment(client, "rivers", QUESTIONS[:1], rows) == ["rivers-weiwo", "rivers-rag"]
    ((said, scores),) = client.experiments["rivers-weiwo"]
    assert (said["answer"], scores["right"], scores["on_screen"]) == ("The Danube", 1.0, 1.0)
    assert client.experiments["rivers-rag"][0][1]["wrong_asserted"] == 1.0
    assert client.examples["rivers"][0].outputs == {"answers": [["Danube"]]}

    upload_experiment(client, "rivers", QUESTIONS, rows)  # a larger part of the set, later
    assert [one.inputs["question_id"] for one in client.examples["rivers"]] == ["1", "2"]
    assert len(client.experiments["rivers-weiwo"]) == 1  # nobody was asked about the other yet
