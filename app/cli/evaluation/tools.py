"""`weiwo eval tools`: evaluation of the search for tools, with and without a history of tool use."""

from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final

import numpy as np
import typer

from weiwo.app.cli.errors import CommandError, UsageError
from weiwo.app.cli.options import Json
from weiwo.app.cli.output import hint, screen, write_json
from weiwo.app.cli.progress_line import tell_stages
from weiwo.app.render.labels import in_system_language
from weiwo.app.render.search_results import figures_table
from weiwo.nodes.shared.planning.tool_choice import open_vectors
from weiwo.state.settings import Settings
from weiwo.text.localization import localized_section
from weiwo.tools.corpus.base import CorpusError
from weiwo.tools.corpus.evaluation.dataset import Dataset, DatasetError
from weiwo.tools.corpus.index.embedding_models import load_embedder
from weiwo.tools.private_files import make_private_folder
from weiwo.tools.selection.evaluation import LabelledQuestion, evaluate_tools
from weiwo.tools.selection.tool_index import ToolDocument, ToolIndex
from weiwo.tools.selection.tool_scenes import ToolUse

app = typer.Typer()

_word: Final = in_system_language(localized_section("cli.evaluation"))

_HEADS: Final = ("recall@3", "recall@5", "complete@3", "complete@5", "NDCG@5")
_GROUPS: Final = ("all", "known", "new")


@app.command()
def tools(
    folder: Annotated[
        str, typer.Argument(metavar="DATASET_DIR", help="A BEIR-shaped folder whose documents are tools.")
    ],
    *,
    history: Annotated[
        str | None,
        typer.Option("--history", metavar="DATASET_DIR", help="Learn from this set which tools are used together."),
    ] = None,
    json: Json = False,
) -> None:
    """Evaluate the search for the tools needed by a question."""
    try:
        dataset = Dataset(Path(folder).expanduser())
        documents = [ToolDocument(document.id, document.title, document.text) for document in dataset.documents()]
        known = {tool.id for tool in documents}
        _check_tools(dataset, known)
        uses = _read_uses(history, dataset, known) if history else []
        found = _evaluate(dataset, documents, uses)
    except DatasetError as error:
        raise UsageError(str(error)) from error
    except CorpusError as error:
        raise CommandError(str(error)) from error
    if json:
        write_json({"dataset": dataset.name, **found})
    else:
        _print(dataset.name, found)


def _check_tools(dataset: Dataset, known: set[str]) -> None:
    lacking = next((question for question in dataset.questions if not known.issuperset(question.relevant)), None)
    if lacking is not None:
        raise DatasetError(
            f"{dataset.folder}: question {lacking.id} names a tool that is not among the documents; add or correct it"
        )


def _read_uses(folder: str, dataset: Dataset, known: set[str]) -> list[ToolUse]:
    """Read which tools were used together in the questions of another set.

    Questions that are also in the evaluated set are left out, since their answers would be known in advance.

    Raises:
        DatasetError: No other question with these tools is left.
    """
    past = Dataset(Path(folder).expanduser())
    asked = {question.text for question in dataset.questions}
    other = [question for question in past.questions if question.text not in asked]
    if len(other) < len(past.questions):
        same = len(past.questions) - len(other)
        hint(_word("both", same))
    uses = [ToolUse(item.text, frozenset(item.relevant)) for item in other if known.issuperset(item.relevant)]
    if not uses:
        raise DatasetError(
            f"{folder} has no other question with tools of {dataset.name}; give a set with the same tools"
        )
    return uses


def _evaluate(dataset: Dataset, tools: list[ToolDocument], uses: list[ToolUse]) -> dict[str, Any]:
    questions = [LabelledQuestion(question.text, question.relevant) for question in dataset.questions]
    settings = Settings.resolve()
    name = settings.embeddings
    if name is None:
        return evaluate_tools(ToolIndex(tools), questions, uses)
    texts = [
        *(tool.text() for tool in tools),
        *(question.text for question in questions),
        *(use.question for use in uses),
    ]
    folder = Path(settings.home) / "evaluation"
    make_private_folder(folder)
    model = load_embedder(name)
    cache = open_vectors(folder, model, model.embed_texts(["?"]).shape[1])
    vectors = cache.fill(texts, partial(tell_stages(), "embedding"))
    of_tools, asked, past = np.split(vectors, [len(tools), len(tools) + len(questions)])
    questions = [question._replace(vector=vector) for question, vector in zip(questions, asked, strict=True)]
    uses = [use._replace(vector=vector) for use, vector in zip(uses, past, strict=True)]
    return evaluate_tools(ToolIndex(tools, of_tools), questions, uses)


def _print(name: str, found: dict[str, Any]) -> None:
    console = screen()
    table = figures_table(_word("questions"), _word("ranking"), *_HEADS, "p50 ms", texts=2)
    for group in _GROUPS:
        for ranking in ("hybrid", "history"):
            figures = found.get(group, {}).get(ranking)
            if figures:
                *shares, milliseconds = figures.values()
                shown = [f"{share:.3f}" for share in shares]
                table.add_row(_word(group, found[group]["questions"]), ranking, *shown, f"{milliseconds:.2f}")
    past = _word("head_history", found["history"], found["scenes"]) if found["history"] else ""
    console.print(_word("head_tools", name, found["questions"], found["tools"]) + past)
    console.print(table)
