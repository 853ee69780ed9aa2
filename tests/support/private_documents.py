"""Thirty documents of an invented firm, a third of them superseded, in both languages, with open questions about them.

Versions, dates and words such as "old" in their names tell which is current; two subjects are told differently by two
documents that are both current. `python -m tests.support.private_documents FOLDER` writes a set for `weiwo eval answers`.
"""

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from tests.support.openai_server import Json, Reply, asked_schema, prompt, structured, text
from tests.support.personas import good, judge_all


class Subject(NamedTuple):
    """A subject and the documents about it.

    Attributes:
        question: What is asked.
        says: The sentence that tells, with `{}` in the place of the value.
        files: The documents by name: the value that each tells, and whether it is current.
        title: The heading of the documents.
        filler: What else they say.
    """

    question: str
    says: str
    files: Sequence[tuple[str, str, bool]]
    title: str
    filler: str


EN_FILLER: Final = "This document belongs to the handbook of Halden Instruments. Questions go to the office manager."
ZH_FILLER: Final = "本文件属于海登仪器公司手册。如有疑问，请联系行政部。"
SUBJECTS: Final = (
    Subject(
        "What is the daily travel allowance?",
        "The daily travel allowance is {}.",
        (
            ("policies/travel-policy-v1.md", "45 euros", False),
            ("policies/travel-policy-v2.md", "60 euros", False),
            ("policies/travel-policy-v3.md", "72 euros", True),
        ),
        "Travel policy",
        f"Flights are booked two weeks ahead. {EN_FILLER}",
    ),
    Subject(
        "How long are backups kept?",
        "Backups are kept for {}.",
        (
            ("policies/backup-policy-2021.md", "14 days", False),
            ("policies/backup-policy-2024.md", "35 days", True),
        ),
        "Backup policy",
        f"Backups are made every night and checked on Mondays. {EN_FILLER}",
    ),
    Subject(
        "How accurate is the sensor T40?",
        "The sensor T40 has an accuracy of {}.",
        (
            ("specs/sensor-T40-spec-v1.0.md", "0.5 kelvin", False),
            ("specs/sensor-T40-spec-v1.2.md", "0.2 kelvin", True),
        ),
        "Sensor T40",
        f"The sensor T40 has a steel housing. {EN_FILLER}",
    ),
    Subject(
        "How many sensors does the gateway G7 support?",
        "The gateway G7 supports {}.",
        (
            ("specs/gateway-G7-rev-1.md", "120 sensors", False),
            ("specs/gateway-G7-rev-2.md", "400 sensors", True),
        ),
        "Gateway G7",
        f"The gateway G7 is mounted on a rail. {EN_FILLER}",
    ),
    Subject(
        "How long must a password be?",
        "A password must have at least {}.",
        (
            ("security/password-rules-draft.md", "8 characters", False),
            ("security/password-rules-final.md", "14 characters", True),
        ),
        "Password rules",
        f"Passwords are never sent by mail. {EN_FILLER}",
    ),
    Subject(
        "How long does a mentor accompany a new colleague?",
        "A mentor accompanies each new colleague for {}.",
        (
            ("hr/onboarding-guide-old.md", "2 weeks", False),
            ("hr/onboarding-guide.md", "6 weeks", True),
        ),
        "Onboarding guide",
        f"A laptop is ready on the first day. {EN_FILLER}",
    ),
    Subject(
        "Within how many minutes must the person on call respond?",
        "The person on call must respond within {}.",
        (
            ("ops/on-call-handbook-2022.md", "30 minutes", False),
            ("ops/on-call-handbook-2024.md", "12 minutes", True),
        ),
        "On-call handbook",
        f"The on-call phone is handed over on Fridays. {EN_FILLER}",
    ),
    Subject(
        "报销单应在几日内提交？",
        "报销单应在费用发生后{}内提交。",
        (
            ("财务/报销制度-v1.md", "30日", False),
            ("财务/报销制度-v2.md", "15日", True),
        ),
        "报销制度",
        f"报销时须附发票原件。{ZH_FILLER}",
    ),
    Subject(
        "访问日志保留多少天？",
        "访问日志保留{}。",
        (
            ("安全/数据保留规定-2022.md", "180天", False),
            ("安全/数据保留规定-2024.md", "365天", True),
        ),
        "数据保留规定",
        f"日志存放在内网服务器上。{ZH_FILLER}",
    ),
    Subject(
        "温度传感器H3的重量是多少？",
        "温度传感器H3的重量为{}。",
        (
            ("设备/传感器H3说明-旧版.md", "250克", False),
            ("设备/传感器H3说明-现行.md", "190克", True),
        ),
        "温度传感器H3",
        f"温度传感器H3采用不锈钢外壳。{ZH_FILLER}",
    ),
    Subject(
        "What is the payment term for invoices of Lindqvist?",
        "The payment term for invoices of Lindqvist is {}.",
        (
            ("contracts/lindqvist-terms.md", "45 days", True),
            ("finance/supplier-list.md", "30 days", True),
        ),
        "Suppliers",
        f"Lindqvist supplies the housings. {EN_FILLER}",
    ),
    Subject(
        "海登仪器的年产能是多少台？",
        "海登仪器的年产能为{}。",
        (
            ("生产/产能概况.md", "12000台", True),
            ("市场/公司介绍.md", "15000台", True),
        ),
        "海登仪器",
        f"工厂位于苏州。{ZH_FILLER}",
    ),
    Subject(
        "Where is the head office?",
        "The head office is in {}.",
        (("company/offices.md", "Trondheim", True),),
        "Offices",
        EN_FILLER,
    ),
    Subject(
        "食堂几点开门？",
        "食堂上午{}开门。",
        (("公司/食堂.md", "11点30分", True),),
        "食堂",
        ZH_FILLER,
    ),
    Subject(
        "Who won the table tennis cup in March?",
        "{} won the table tennis cup in March.",
        (("minutes/2024-03-minutes.md", "Ingrid Aas", True),),
        "Minutes",
        EN_FILLER,
    ),
    Subject(
        "Who won the table tennis cup in April?",
        "{} won the table tennis cup in April.",
        (("minutes/2024-04-minutes.md", "Ola Berg", True),),
        "Minutes",
        EN_FILLER,
    ),
    Subject(
        "Which toner does the printer on the second floor take?",
        "The printer on the second floor takes the toner {}.",
        (("it/printers.md", "K-811", True),),
        "Printers",
        EN_FILLER,
    ),
)


def write_documents(folder: Path) -> int:
    """Write the documents and the questions; returns how many documents."""
    rows = []
    for number, subject in enumerate(SUBJECTS, 1):
        facts: dict[bool, list[dict[str, Any]]] = {True: [], False: []}
        for name, value, current in subject.files:
            told = subject.says.format(value)
            facts[current].append({"text": told, "aliases": [value]})
            file = folder / "documents" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"# {subject.title}\n\n{told}\n\n{subject.filler}\n", encoding="utf-8")
        rows.append({"_id": str(number), "question": subject.question, "facts": facts[True], "stale": facts[False]})
    written = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (folder / "questions.jsonl").write_text(written, encoding="utf-8")
    return sum(len(subject.files) for subject in SUBJECTS)


def careful(request: Json) -> Reply:
    """A model that reads what is put in front of it: the first passage that answers and is not marked as superseded.

    What other such passages say it names as rival values. It knows no document, so it tells a stale value wherever
    nothing in its prompt says that the value is stale.
    """
    said = "\n".join(prompt({"messages": [one]}) for one in request["messages"] if one["role"] == "user")
    if asked_schema(request) == "ReadReply":
        return structured(request, _read(said))
    if asked_schema(request) == "EntailmentReply":
        return structured(request, judge_all(request, "supported"))
    if asked_schema(request) or "Findings:" not in said:
        return good(request)
    told = [f"{sentence[:-1]} [{n}]{sentence[-1]}" for n, sentence, _ in _current(said, said.split("Findings:")[0])]
    return text(" ".join(told) or "The sources do not say.")


def _read(said: str) -> Json:
    task = re.search(r"^Task: (.*)$", said, re.MULTILINE)
    found = _current(said, task[1] if task else "")
    if not found:
        return {"next": "give_up", "missing": "no passage tells"}
    (n, sentence, value), *more = found
    others = [
        {"value": other, "quotes": [{"passage": at, "text": words}]} for at, words, other in more if other != value
    ]
    quote = {"passage": n, "text": sentence}
    return {
        "next": "answer",
        "value": value,
        "quotes": [quote],
        "confidence": 0.9,
        "sentence": sentence,
        "others": others,
        "missing": "the passages contradict each other" if others else "",
    }


def _current(said: str, asked: str) -> list[tuple[int, str, str]]:
    """Passage, sentence and value of each passage that answers what is asked and is not marked as superseded."""
    found = []
    for subject in SUBJECTS:
        if subject.question not in asked:
            continue
        tells = re.compile(re.escape(subject.says).replace(r"\{\}", "(.{1,40}?)") + "$", re.MULTILINE)
        for n, marks, body in re.findall(r'<passage n="(\d+)"([^>]*)>\n(.*?)\n</passage>', said, re.DOTALL):
            if "superseded_by=" not in marks and (told := tells.search(body)):
                found.append((int(n), told[0], told[1]))
    return found


if __name__ == "__main__":
    sys.stdout.write(f"{write_documents(Path(sys.argv[1]))} documents, {len(SUBJECTS)} questions in {sys.argv[1]}\n")
