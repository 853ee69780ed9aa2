"""A stand-in for LangSmith's client."""

from types import SimpleNamespace
from typing import Any


class FakeClient:
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
        print("View the evaluation results …")  # noqa: T201 - as LangSmith's own does
        outputs = [(one.inputs, target(one.inputs)) for one in data]
        self.experiments[experiment_prefix] = [
            (said, {one["key"]: one["score"] for one in evaluators[0](inputs, said)["results"]})
            for inputs, said in outputs
        ]
