"""A set and its rows become a dataset and an experiment a system, without asking anything again."""

from types import SimpleNamespace
from typing import Any

from weiwo.app.evaluation.answer import SystemAnswer, score_answer
from weiwo.app.evaluation.langsmith_upload import upload_experiment
from weiwo.app.evaluation.question_set import Question

QUESTIONS = [Question("1", "Which river?", (("Danube",),)), Question("2", "Which town?", (("Linz",),))]


class Client:
    """LangSmith's client, as far as it is used: it keeps examples and runs what it is to evaluate."""

    def __init__(self) -> None:
        self.examples: dict[str, list[Any]] = {}
        self.experiments: dict[str, list[tuple[dict[str, Any], dict[str, Any]]]] = {}

    def has_dataset(self, *, dataset_name: str) -> bool:
        return dataset_name in self.examples

    def create_dataset(self, name: str, *, description: str) -> None:
        assert description
        self.examples[name] = []

    def list_examples(self, *, dataset_name: str) -> list[Any]:
        return list(self.examples[dataset_name])

    def create_examples(self, *, dataset_name: str, examples: list[dict[str, Any]]) -> None:
        self.examples[dataset_name] += [SimpleNamespace(**one) for one in examples]

    def evaluate(self, target, /, *, data, evaluators, experiment_prefix, max_concurrency) -> None:
        assert max_concurrency == 0
        outputs = [(one.inputs, target(one.inputs)) for one in data]
        self.experiments[experiment_prefix] = [
            (said, {one["key"]: one["score"] for one in evaluators[0](inputs, said)["results"]})
            for inputs, said in outputs
        ]


def row(question: Question, system: str, text: str) -> dict[str, Any]:
    return {"question": question.id, "system": system, **score_answer(question, SystemAnswer(text, "asserted"))}


def test_set_and_results_are_sent_once():
    client = Client()
    rows = [row(QUESTIONS[0], "weiwo", "The Danube"), row(QUESTIONS[0], "rag", "The Rhine")]
    assert upload_experiment(client, "rivers", QUESTIONS[:1], rows) == ["rivers-weiwo", "rivers-rag"]
    ((said, scores),) = client.experiments["rivers-weiwo"]
    assert (said["answer"], scores["right"], scores["on_screen"]) == ("The Danube", 1.0, 1.0)
    assert client.experiments["rivers-rag"][0][1]["wrong_asserted"] == 1.0
    assert client.examples["rivers"][0].outputs == {"answers": [["Danube"]]}

    upload_experiment(client, "rivers", QUESTIONS, rows)  # a larger part of the set, later
    assert [one.inputs["question_id"] for one in client.examples["rivers"]] == ["1", "2"]
    assert len(client.experiments["rivers-weiwo"]) == 1  # nobody was asked about the other yet
