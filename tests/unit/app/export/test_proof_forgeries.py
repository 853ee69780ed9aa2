"""Forged proofs, one of each kind, made to fit as far as their maker can: none is accepted. Genuine ones are."""

import asyncio
import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import pytest
from typer.testing import CliRunner

from weiwo.app.cli.main import app
from weiwo.app.export import render
from weiwo.app.export.proof import OLDER_FORMAT, Proof, hash_text
from weiwo.app.export.proof_check import ProofReport, check_documents, check_proof
from weiwo.graph import build_graph
from weiwo.state.settings import Context

pytestmark = pytest.mark.processes
Answer = dict[str, Any]

BRIDGE = """# Otter Bridge
The Otter Bridge is 812 metres long. It was opened on 3 May 1987 by Mayor Elin Strand.

## Traffic
About 21,000 vehicles cross the Otter Bridge each day.
"""
STORES = """Store,City,Revenue (EUR),Opened
Otter,Lyon,1200,2019-05-03
Heron,Nantes,3400,2020-01-10
Finch,Lyon,2100,2021-07-21
"""
QUESTIONS = {
    "value": "How long is the Otter Bridge?",
    "table": "What is the total revenue of the stores in Lyon?",
    "extracts": "How long is the Otter Bridge and when was it opened?",
    "calculation": "What is 17 * 23?",
}


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("documents")
    (folder / "bridge.md").write_text(BRIDGE)
    (folder / "stores.csv").write_text(STORES)
    return folder


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory, documents: Path) -> dict[str, Answer]:
    async def ask(question: str) -> Answer:
        given = Context(corpus=[str(documents)], web=False)
        result = (await build_graph().ainvoke({"question": question}, context=given))["result"]
        proof: Answer = json.loads(render(result, "weiwo"))
        return proof

    async def ask_all() -> dict[str, Answer]:
        return {name: await ask(question) for name, question in QUESTIONS.items()}

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WEIWO_HOME", str(tmp_path_factory.mktemp("home")))
        return asyncio.run(ask_all())


async def checked(answer: Answer, documents: Path) -> ProofReport:
    report = check_proof(Proof.model_validate(answer))
    await check_documents(report, documents)
    return report


def sealed(answer: Answer) -> Answer:
    """The file with its hashes made anew."""
    for source in answer["sources"]:
        source["sha256"] = hash_text(source["passage"]["text"])
    answer["hash"] = Proof.model_validate(answer).content_hash()
    return answer


def say(answer: Answer, old: str, new: str) -> None:
    """Put other words in the place of some, in the answer and in its claims."""
    answer["answer"] = answer["answer"].replace(old, new)
    for claim in answer["claims"]:
        claim["text"] = claim["text"].replace(old, new)


def extend_passage(answer: Answer) -> None:
    answer["sources"][0]["passage"]["text"] += " It is unsafe and was closed in 2024."


def move_passage(answer: Answer) -> None:
    answer["sources"][0]["passage"]["locator"] = "line 9"


def rename_document(answer: Answer) -> None:
    answer["sources"][0]["passage"]["title"] = "Otter Bridge is closed"
    answer["answer"] = "# Otter Bridge is closed\n\n" + answer["answer"]


def change_value(answer: Answer) -> None:
    answer["values"]["task_1"]["value"] = 912


def change_value_and_claim(answer: Answer) -> None:
    change_value(answer)
    say(answer, "812", "912")


def change_value_quote_and_passage(answer: Answer) -> None:
    change_value_and_claim(answer)
    for quote in answer["values"]["task_1"]["quotes"]:
        quote["text"] = quote["text"].replace("812", "912")
    for source in answer["sources"]:
        source["quotes"] = [one.replace("812", "912") for one in source["quotes"]]
        source["passage"]["text"] = source["passage"]["text"].replace("812", "912")


def change_sum(answer: Answer) -> None:
    answer["values"]["task_1"]["value"] = 9300
    answer["calculations"][0]["value"] = 9300
    answer["calculations"][0]["told"] = answer["calculations"][0]["told"].replace("3,300", "9,300")
    say(answer, "3,300", "9,300")


def change_row(answer: Answer) -> None:
    for source in answer["sources"]:
        source["passage"]["text"] = source["passage"]["text"].replace("1200", "7200")


def drop_filter(answer: Answer) -> None:
    answer["calculations"][0]["arguments"]["filters"] = []


def add(text: str, *, first: bool = False) -> Callable[[Answer], None]:
    def change(answer: Answer) -> None:
        answer["answer"] = f"{text}\n\n{answer['answer']}" if first else f"{answer['answer']}\n\n{text}"

    return change


def add_unsupported_claims(answer: Answer) -> None:
    for n in range(5):
        text = f"The Otter Bridge has {n + 3} towers of gold."
        answer["answer"] += f"\n\n{text} [1]"
        claim = deepcopy(answer["claims"][0])
        answer["claims"].append(claim | {"text": text, "citations": [1], "verdict": "unsupported"})


def judge_by_model(answer: Answer) -> None:
    answer["claims"][0] |= {"verdict": "supported", "judged_by": "model"}
    say(answer, "812", "912")


def move_mark(answer: Answer) -> None:
    answer["answer"] = answer["answer"].replace("[1]", "[7]", 1)


FORGERIES: dict[str, tuple[str, Callable[[Answer], None]]] = {
    "a passage extended": ("value", extend_passage),
    "a passage moved": ("value", move_passage),
    "a document renamed, and a heading of its name": ("value", rename_document),
    "a value alone": ("value", change_value),
    "a value with its claim": ("value", change_value_and_claim),
    "a value with claim, quote and passage": ("value", change_value_quote_and_passage),
    "a figure of a table": ("table", change_sum),
    "a row of a table": ("table", change_row),
    "a request to a table": ("table", drop_filter),
    "a sentence": ("value", add("The Otter Bridge was closed for good.")),
    "a heading": ("value", add("## The Otter Bridge is closed", first=True)),
    "a heading of the claim's words and a not": ("value", add("## Otter Bridge not 812 metres", first=True)),
    "a lead-in": ("value", add("The Otter Bridge will collapse:", first=True)),
    "a formula": ("value", add("$$ length = 912 $$")),
    "a comment": ("value", add("<!-- The Otter Bridge is unsafe. -->")),
    "code": ("value", add("```\nlength = 912\n```")),
    "a table's header": ("value", add("| Unsafe bridges | Deaths |\n| --- | --- |\n| Otter | many |")),
    "a quotation that is none": ("extracts", add("> The Otter Bridge was closed in 2024.")),
    "a link": ("value", add("[The bridge is unsafe](https://example.org/closed)")),
    "five unsupported claims": ("value", add_unsupported_claims),
    "a judgement of a model": ("value", judge_by_model),
    "a mark that leads nowhere": ("value", move_mark),
}


@pytest.mark.parametrize("kind", QUESTIONS)
async def test_a_genuine_answer_is_accepted(answers, documents, kind):
    report = await checked(answers[kind], documents)
    assert report.findings == []
    assert report.unchecked == []
    assert report.code == 0


@pytest.mark.parametrize("name", FORGERIES)
async def test_a_forgery_is_not_accepted(answers, documents, name):
    form, forge = FORGERIES[name]
    answer = deepcopy(answers[form])
    forge(answer)
    assert answer != answers[form]
    report = await checked(sealed(answer), documents)
    assert report.code in {1, 3}, report.closing


@pytest.mark.parametrize("field", ["question", "answer", "status", "stop_reason"])
def test_a_changed_character_is_found(answers, field):
    random = Random(7)  # noqa: S311 - the same places each time
    for answer in answers.values():
        text = answer[field]
        for at in random.sample(range(len(text)), min(20, len(text))):
            changed = deepcopy(answer)
            changed[field] = text[:at] + ("x" if text[at] != "x" else "y") + text[at + 1 :]
            assert ("answer", "hash") in {one[:2] for one in check_proof(Proof.model_validate(changed)).findings}


def test_gaps_and_citations_are_under_the_hash(answers):
    answer = deepcopy(answers["value"])
    answer["gaps"] = [{"kind": "unread", "text": "none"}]
    answer["claims"][0]["citations"] = []
    assert check_proof(Proof.model_validate(answer)).findings


def test_the_exit_code_says_what_was_checked(answers, documents, tmp_path):
    file = tmp_path / "answer.weiwo"

    def run(answer: Answer, *options: str) -> tuple[int, str]:
        file.write_text(json.dumps(answer))
        ran = CliRunner().invoke(app, ["check", str(file), *options])
        return ran.exit_code, ran.output

    compared = ("--documents", str(documents))
    assert run(answers["value"], *compared)[0] == 0
    code, said = run(answers["value"])
    assert (code, "nothing was compared with a document" in said) == (3, True)
    older = deepcopy(answers["value"]) | {"format": OLDER_FORMAT, "hash": ""}
    code, said = run(older, *compared)
    assert (code, "older format; consistent only" in said) == (3, True)
    wrong = deepcopy(answers["value"])
    change_value_and_claim(wrong)
    assert run(sealed(wrong), *compared)[0] == 1
    (tmp_path / "empty").mkdir()
    code, said = run(answers["value"], "--documents", str(tmp_path / "empty"))
    assert (code, "not checked: 1 sources" in said) == (3, True)


async def test_without_duckdb_a_table_is_not_checked(answers, documents, monkeypatch):
    monkeypatch.setattr("weiwo.app.export.proof_check.explain_no_tables", lambda: "duckdb is not installed")
    report = await checked(answers["table"], documents)
    assert (report.findings, report.code) == ([], 3)
    assert ("calculation", "task_1") in {one[:2] for one in report.unchecked}


async def test_a_superseded_document_is_named(answers, documents):
    answer = deepcopy(answers["value"])
    answer["sources"][0]["passage"]["superseded_by"] = "docs/bridge-2026.md"
    report = await checked(sealed(answer), documents)
    assert [text for _, text in report.notes] == ["docs/bridge-2026.md is a newer version of it"]
