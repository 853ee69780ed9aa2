"""LangSmith: a question set as a dataset, and the rows of an experiment as experiments upon it, one a system."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from weiwo.app.evaluation.question_set import Question

if TYPE_CHECKING:
    from langsmith import Client

SCORES: Final = ("right", "f1", "wrong_asserted", "on_screen", "gold_cited", "citation_precision", "judged")
SPENT: Final = ("calls", "tool_calls", "input_tokens", "output_tokens", "cost", "seconds")


def upload_experiment(
    client: "Client", name: str, questions: Sequence[Question], rows: Sequence[Mapping[str, Any]]
) -> list[str]:
    """Send a set and its results. The dataset is made where there is none of that name.

    Args:
        client: LangSmith's client.
        name: The name of the dataset.
        questions: The questions that were asked.
        rows: The rows of results.

    Returns:
        The names of the experiments.
    """
    if not client.has_dataset(dataset_name=name):
        client.create_dataset(name, description="Questions with known answers, from weiwo eval answers.")
    known = {str((one.inputs or {}).get("question_id")) for one in client.list_examples(dataset_name=name)}
    new = [
        {
            "inputs": {"question_id": one.id, "question": one.text},
            "outputs": {"answers": [list(g) for g in one.answers]},
        }
        for one in questions
        if one.id not in known
    ]
    if new:
        client.create_examples(dataset_name=name, examples=new)
    asked = {one.id for one in questions}
    sent = []
    for system in dict.fromkeys(row["system"] for row in rows):
        by_question = {row["question"]: row for row in rows if row["system"] == system}
        examples = [one for one in client.list_examples(dataset_name=name) if _id_of(one) in by_question.keys() & asked]
        replay = _Replay(by_question)
        client.evaluate(
            replay.target,
            data=examples,
            evaluators=[replay.evaluate],
            experiment_prefix=f"{name}-{system}",
            max_concurrency=0,
        )
        sent.append(f"{name}-{system}")
    return sent


def _id_of(example: Any) -> str:
    return str((example.inputs or {}).get("question_id"))


class _Replay:
    """Answers examples with the rows there are: nothing is asked again."""

    def __init__(self, rows: Mapping[str, Mapping[str, Any]]) -> None:
        self._rows = rows

    def target(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """What the system answered."""
        row = self._rows[str(inputs["question_id"])]
        return {
            "answer": row["text"],
            "outcome": row["outcome"],
            "cited": row["cited"],
            **{key: row[key] for key in SPENT},
        }

    def evaluate(self, inputs: dict[str, Any], outputs: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG002 - LangSmith names them
        """The scores of that."""
        row = self._rows[str(inputs["question_id"])]
        found = [{"key": key, "score": float(row[key])} for key in SCORES if row.get(key) is not None]
        return {"results": found}
