"""Answers with their proofs: twenty real ones hold, and two hundred changes of them are found."""

import asyncio
import json
import re
from collections import Counter
from copy import deepcopy
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.support.fake_model import Request, agree, fake
from weiwo.app.errors import MisuseError
from weiwo.app.export import export, render
from weiwo.app.export.document_check import check_documents
from weiwo.app.export.proof import FORMAT, Proof, fold_words
from weiwo.app.export.proof_check import ProofReport, check_by_model, check_proof, read_proof
from weiwo.graph import build_graph
from weiwo.state.settings import Context, Settings

ASSERTED = Path(__file__).parents[3] / "data" / "asserted"
DOCUMENTS = ASSERTED / "documents"
BY_RULES = (
    "en-002",
    "en-004",
    "en-005",
    "en-006",
    "en-011",
    "en-012",
    "zh-001",
    "zh-005",
    "zh-011",
    "zh-012",
    "zh-035",
)
BY_MODEL = ("en-001", "en-002", "en-005", "en-012", "zh-001", "zh-002", "zh-011", "zh-028", "zh-032")
BY_CODE = ("quoted", "computed", "matched")
KINDS = ("figure", "citation", "quote", "calculation", "verdict")
MUTATIONS = 200
_FIGURE = re.compile(r"\d[\d,]*")
_PASSAGE = re.compile(r'<passage n="(\d+)"[^>]*>(.*?)</passage>', re.DOTALL)
pytestmark = [pytest.mark.processes, pytest.mark.usefixtures("shared_check_home")]
Answer = dict[str, Any]


def draft(request: Request) -> str:
    """A model's draft: of each passage shown two sentences with a figure, the second in words of its own."""
    items = []
    for number, text in _PASSAGE.findall(request.text):
        sentences = [
            one.strip() for one in re.split(r"(?<=[.。])\s*|\n", text) if re.search(r"\d", one) and len(one) > 12
        ]
        own = "，资料如此说" if "。" in text else ", as its source says"
        said = [one.rstrip(".。") for one in sentences[:2] if "|" not in one and "<" not in one]
        items += [f"- {one}{own * n} [{number}]." for n, one in enumerate(said)]
    return "\n".join(items[:6])


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """Twenty real answers: by rules, and by a scripted model that writes and judges, in both languages."""
    rows = [json.loads(line) for line in (ASSERTED / "questions.jsonl").read_text("utf-8").splitlines()]
    questions = {row["_id"].removeprefix("asserted-"): row["text"] for row in rows}
    given = Context(corpus=[str(DOCUMENTS)], web=False)

    async def ask(name: str, *, model: bool) -> Answer:
        played = fake(draft=draft, EntailmentReply=agree)
        graph = build_graph(models={"writer": played, "verifier": played} if model else None)
        result = (await graph.ainvoke({"question": questions[name]}, context=given))["result"]
        proof = json.loads(render(result, "weiwo"))
        assert proof["claims"], f"{name} claims something"
        return proof

    async def ask_all() -> list[Answer]:
        return [
            await ask(name, model=model) for names, model in ((BY_RULES, False), (BY_MODEL, True)) for name in names
        ]

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WEIWO_HOME", str(tmp_path_factory.mktemp("home")))
        return asyncio.run(ask_all())


def checked(answer: Answer) -> ProofReport:
    return check_proof(Proof.model_validate(answer))


def other_figure(text: str, random: Random) -> str:
    """The text with one of its figures changed."""
    at = random.choice(list(_FIGURE.finditer(text)))
    digit = random.choice([n for n, one in enumerate(at[0]) if one.isdigit()])
    changed = at[0][:digit] + str((int(at[0][digit]) + random.randint(1, 8)) % 10) + at[0][digit + 1 :]
    return text[: at.start()] + changed + text[at.end() :]


def tell_instead(answer: Answer, claim: Answer, text: str) -> bool:
    """Put other words in the place of a claim, in the answer too where it stands there as it is."""
    if claim["text"] not in answer["answer"]:
        stripped, told = claim["text"].rstrip(".。"), text.rstrip(".。")
        if stripped not in answer["answer"]:
            return False
        answer["answer"] = answer["answer"].replace(stripped, told)
    answer["answer"] = answer["answer"].replace(claim["text"], text)
    claim["text"] = text
    return True


def change_figure(answer: Answer, random: Random) -> bool:
    claims = [one for one in answer["claims"] if _FIGURE.search(one["text"])]
    if not claims:
        return False
    claim = random.choice(claims)
    return tell_instead(answer, claim, other_figure(claim["text"], random))


def exchange_citation(answer: Answer, random: Random) -> bool:
    numbers = {*(one["n"] for one in answer["sources"]), *answer["calculations"].values()} - {0}
    claims = [one for one in answer["claims"] if len(one["citations"]) == 1 and len(numbers) > 1]
    if not claims:
        return False
    claim = random.choice(claims)
    (old,) = claim["citations"]
    new = random.choice(sorted(numbers - {old}))
    claim["citations"] = [new]
    if random.random() < 0.7:
        stripped = re.escape(claim["text"].rstrip(".。"))
        answer["answer"] = re.sub(rf"({stripped}[.。]?\s?)\[{old}\]", rf"\g<1>[{new}]", answer["answer"])
    return True


def invent_quote(answer: Answer, random: Random) -> bool:
    """A quote that the document does not have; the passage and its hash are made to fit at times."""
    passages = {one["passage"]["id"]: one for one in answer["sources"]}
    quotes = [quote for outcome in answer["values"].values() for quote in outcome["quotes"]]
    if not quotes:
        return False
    chosen = random.choice(quotes)
    source, old = passages[chosen["evidence_id"]], chosen["text"]
    new = other_figure(old, random) if _FIGURE.search(old) else f"{old} 1,987"
    for outcome in answer["values"].values():
        for quote in outcome["quotes"]:
            quote["text"] = quote["text"].replace(old, new)
    if random.random() < 0.4:
        source["passage"]["text"] = source["passage"]["text"].replace(old, new)
    return True


def change_calculation(answer: Answer, random: Random) -> bool:
    computed = [key for key, outcome in answer["values"].items() if "computation" in outcome["detail"]]
    if not computed:
        return False
    outcome = answer["values"][random.choice(computed)]
    wrong = outcome["value"] + random.randint(1, 9)
    outcome["value"] = wrong
    if random.random() < 0.5:
        outcome["detail"]["computation"] |= {"value": wrong}
    return True


def forge_verdict(answer: Answer, random: Random) -> bool:
    claim = random.choice([one for one in answer["claims"] if one["verdict"] in BY_CODE])
    claim["verdict"] = random.choice([one for one in BY_CODE if one != claim["verdict"]])
    return True


CHANGES = {
    "figure": change_figure,
    "citation": exchange_citation,
    "quote": invent_quote,
    "calculation": change_calculation,
    "verdict": forge_verdict,
}


async def test_all_twenty_answers_hold(answers):
    assert len(answers) == 20
    for answer in answers:
        report = checked(answer)
        await check_documents(report, DOCUMENTS)
        assert report.findings == [], answer["question"]
        assert report.checked["claims"] == len(answer["claims"])
        assert report.checked.get("documents")
    verdicts = [claim["verdict"] in BY_CODE for answer in answers for claim in answer["claims"]]
    assert min(verdicts.count(True), verdicts.count(False)) >= 10


async def test_two_hundred_changes_are_found(answers):
    random, made, missed = Random(39), Counter(), []  # noqa: S311 - the same changes each time
    places = cycle(answers)
    for kind in cycle(KINDS):
        if made.total() == MUTATIONS:
            break
        if made[kind] == MUTATIONS // len(KINDS):
            continue
        answer = deepcopy(next(places))
        if not CHANGES[kind](answer, random):
            continue
        made[kind] += 1
        report = checked(answer)
        if not report.findings:
            await check_documents(report, DOCUMENTS)
        if not report.findings:
            missed.append((kind, answer))
    assert set(made.values()) == {MUTATIONS // len(KINDS)}
    told = [(kind, answer["question"], answer["answer"]) for kind, answer in missed]
    assert len(missed) <= 0.02 * MUTATIONS, told


async def test_a_changed_document_is_told(answers, tmp_path):
    answer = answers[0]
    document = Path(answer["sources"][0]["passage"]["source"])
    (tmp_path / document.name).write_text((DOCUMENTS.parents[3] / document).read_text("utf-8") + "\nOne more line.\n")
    report = checked(answer)
    await check_documents(report, tmp_path)
    assert [kind for kind, _, _ in report.findings] == ["document"]
    missing = [place for kind, place, _ in report.unchecked if kind == "document"]
    assert len(missing) == len({one["passage"]["source"] for one in answer["sources"]}) - 1


async def test_what_a_model_judged_is_judged_again_by_a_model_that_is_given(answers, monkeypatch):
    answer = next(one for one in answers if any(claim["verdict"] == "supported" for claim in one["claims"]))
    report = checked(answer)
    left = len(report.judged)
    assert left
    with pytest.raises(MisuseError, match="no usable model is set"):
        await check_by_model(report, Settings(home="/nonexistent"))

    async def contradicts(*_: Any) -> str:
        return "contradicted"

    monkeypatch.setattr("weiwo.app.export.proof_check.judge_statement", contradicts)
    await check_by_model(report, Settings(home="/nonexistent", models={"writer": "openai:any"}))
    assert len(report.findings) == left
    assert report.judged == []


def test_what_is_no_such_file_is_told(tmp_path):
    file = export({"question": "?", "answer": "", "status": "failed", "language": "zh"}, tmp_path / "a.weiwo")
    assert check_proof(read_proof(file)).findings == []
    for content, told in (
        ("{", "is not a JSON object"),
        ("[]", f"it is not an answer of the format {FORMAT}"),
        (json.dumps({"format": FORMAT}), "a.weiwo' is invalid at question: Field required"),
    ):
        file.write_text(content)
        with pytest.raises(MisuseError, match=re.escape(told)):
            read_proof(file)


@pytest.mark.parametrize(
    ("said", "forged"), [("1.2 million", "12 million"), ("at -5 °C", "at 5 °C"), ("by 7 %", "by 7")]
)
def test_a_figure_that_lost_its_point_or_sign_is_another(said, forged):
    assert fold_words(f"It rose {said}.") != fold_words(f"It rose {forged}.")
    assert fold_words(f"It rose **{said}**, then") == fold_words(f"It rose {said} – then")
