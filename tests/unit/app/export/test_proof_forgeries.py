"""Forged proofs, one of each kind, made to fit as far as their maker can: none is accepted. Genuine ones are."""

import asyncio
import json
from copy import deepcopy
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from tests.support.examples import examples
from tests.support.forgeries import FORGERIES, Answer, add_claim, change_value_and_claim
from weiwo.app.cli.main import app
from weiwo.app.export import render
from weiwo.app.export.document_check import check_documents
from weiwo.app.export.proof import OLDER_FORMAT, Proof, fold_words
from weiwo.app.export.proof_check import ProofReport, check_proof
from weiwo.graph import build_graph
from weiwo.state.settings import Context

pytestmark = [pytest.mark.processes, pytest.mark.usefixtures("shared_check_home")]

DOCUMENTS = {
    "bridge.md": """# Otter Bridge
The Otter Bridge is 812 metres long. The Otter Bridge was opened on 3 May 1987 by Mayor Elin Strand.

## Traffic
About 21,000 vehicles cross the Otter Bridge each day. The toll gate is not closed at night.
""",
    "heron.md": """# Heron Bridge
The Heron Bridge is 640 metres long. The Heron Bridge was opened on 7 June 1992 by Mayor Olaf Dahl.
""",
    "stores.csv": """Store,City,Revenue (EUR),Opened
Otter,Lyon,1200,2019-05-03
Heron,Nantes,3400,2020-01-10
Finch,Lyon,2100,2021-07-21
""",
    "qiao.md": "# 白鹭桥\n\n白鹭桥全长812米。它于1987年5月3日通车，由市长李明剪彩。\n",
}
QUESTIONS = {
    "value": "How long is the Otter Bridge?",
    "date": "When was the Heron Bridge opened?",
    "chinese": "白鹭桥有多长？",
    "table": "What is the total revenue of the stores in Lyon?",
    "count": "How many stores are in Lyon?",
    "groups": "What is the total revenue per city?",
    "top": "Which store has the highest revenue?",
    "values": "How long is the Otter Bridge and when was it opened?",
    "comparison": "Which is longer, the Otter Bridge or the Heron Bridge?",
    "days": "How many days lie between the opening of the Otter Bridge and the opening of the Heron Bridge?",
    "extracts": "How many vehicles cross the Otter Bridge each day?",
    "rows": "List the stores in Lyon.",
    "none": "Who designed the Otter Bridge?",
    "calculation": "What is 17 * 23?",
    "dates": "How many days are between 2020-01-01 and 2021-03-04?",
}
OTHERS = {"two": "How long is the Otter Bridge and what did it cost?"}


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("documents")
    for name, text in DOCUMENTS.items():
        (folder / name).write_text(text, "utf-8")
    return folder


class _Answers(dict[str, Answer]):
    """Answers by form, with a short `repr`: Hypothesis writes the arguments of each example."""

    def __repr__(self) -> str:
        return f"answers of {', '.join(self)}"


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory, documents: Path) -> dict[str, Answer]:
    async def ask(question: str) -> Answer:
        context = Context(corpus=[str(documents)], web=False)
        result = (await build_graph().ainvoke({"question": question}, context=context))["result"]
        proof: Answer = json.loads(render(result, "weiwo"))
        return proof

    async def ask_all() -> dict[str, Answer]:
        return _Answers({name: await ask(question) for name, question in (QUESTIONS | OTHERS).items()})

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WEIWO_HOME", str(tmp_path_factory.mktemp("home")))
        return asyncio.run(ask_all())


async def checked(answer: Answer, documents: Path) -> ProofReport:
    report = check_proof(Proof.model_validate(answer))
    await check_documents(report, documents)
    return report


def sealed(answer: Answer) -> Answer:
    """The file with its hashes made anew."""
    answer["hash"] = Proof.model_validate(answer).content_hash()
    return answer


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


@examples(150)
@given(place=st.tuples(st.integers(0), st.integers(0)), new=st.characters(codec="utf-8"))
def test_a_changed_character_of_the_answer_is_found(answers, place, new):
    """Under the hash, any; with a hash made anew, any that changes a word, a figure, a sign or a mark."""
    answer = deepcopy(list(answers.values())[place[0] % len(answers)])
    text = answer["answer"]
    at = place[1] % len(text)
    answer["answer"] = text[:at] + new + text[at + 1 :]
    changed = fold_words(answer["answer"]) != fold_words(text)
    report = check_proof(Proof.model_validate(answer))
    assert ("answer", "hash") in {one[:2] for one in report.findings} or answer["answer"] == text
    report = check_proof(Proof.model_validate(sealed(answer)))
    assert report.findings or report.unchecked_items or not changed


def test_a_doubtful_claim_that_is_marked_is_told_and_not_checked(answers):
    answer = deepcopy(answers["value"])
    add_claim("The Otter Bridge has 3 towers of gold.", "unsupported", [1])(answer)
    answer["answer"] = answer["answer"].replace("of gold.", "of gold (unverified).")
    answer |= {"status": "partial", "stop_reason": "unsupported_claims"}
    report = check_proof(Proof.model_validate(sealed(answer)))
    assert (report.findings, report.code) == ([], 3)
    assert [kind for kind, _, _ in report.unchecked_items] == ["doubtful"]


@examples(150)
@given(data=st.data())
def test_no_file_breaks_the_check(answers, data):
    """Any value of a file may be another: the check says so or the file is refused, and nothing else is raised."""
    answer = deepcopy(answers[data.draw(st.sampled_from(sorted(answers)))])
    at = answer
    while isinstance(at, dict | list) and at:
        key = data.draw(st.sampled_from(sorted(at) if isinstance(at, dict) else range(len(at))))
        if not isinstance(at[key], dict | list) or not at[key] or data.draw(st.booleans()):
            at[key] = data.draw(st.sampled_from([None, "", "x", -1, 1e300, True, [], {}, ["x"], {"x": 1}]))
            break
        at = at[key]
    try:
        proof = Proof.model_validate(answer)
    except ValueError:
        return
    check_proof(proof)


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
    assert (code, "not compared with any document" in said) == (3, True)
    older = deepcopy(answers["value"]) | {"format": OLDER_FORMAT, "hash": ""}
    code, said = run(older, *compared)
    assert (code, "older format; only checked for consistency" in said) == (3, True)
    wrong = deepcopy(answers["value"])
    change_value_and_claim(wrong)
    assert run(sealed(wrong), *compared)[0] == 1
    (tmp_path / "empty").mkdir()
    code, said = run(answers["value"], "--documents", str(tmp_path / "empty"))
    assert (code, "not checked: 1 sources" in said) == (3, True)


async def test_without_duckdb_a_table_is_not_checked(answers, documents, monkeypatch):
    monkeypatch.setattr("weiwo.app.export.document_check.explain_no_tables", lambda: "duckdb is not installed")
    report = await checked(answers["table"], documents)
    assert (report.findings, report.code) == ([], 3)
    assert ("calculation", "task_1") in {one[:2] for one in report.unchecked}


async def test_a_superseded_document_is_named(answers, documents):
    answer = deepcopy(answers["value"])
    answer["sources"][0]["passage"]["superseded_by"] = "docs/bridge-2026.md"
    report = await checked(sealed(answer), documents)
    assert [text for _, text in report.notes] == ["docs/bridge-2026.md is a newer version of it"]


@pytest.mark.parametrize("title", ["鹭桥", "鹭桥…", "… › 鹭桥", "…鹭桥", "白鹭桥 › 鹭桥…"])
def test_a_title_below_a_quotation_is_whole(answers, title):
    answer = deepcopy(answers["chinese"])
    answer["answer"] = answer["answer"].replace("— 白鹭桥", f"— {title}")
    assert check_proof(Proof.model_validate(sealed(answer))).unchecked_items


@pytest.mark.parametrize("title", ["白鹭…", "…", "qiao.md: 白鹭桥", "qiao.md: …", "qiao.md: … › 白鹭桥"])
def test_a_title_below_a_quotation_may_be_shortened(answers, title):
    answer = deepcopy(answers["chinese"])
    answer["answer"] = answer["answer"].replace("— 白鹭桥", f"— {title}")
    assert not check_proof(Proof.model_validate(sealed(answer))).unchecked_items
