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
    """A subject and the documents about it."""

    question: str  # what is asked
    says: str  # the sentence that tells, with `{}` in the place of the value
    # The documents by name: the value that each tells, and whether it is current.
    files: Sequence[tuple[str, str, bool]]
    title: str  # the heading of the documents
    filler: str  # what else they say


_ROWS: Final = Path(__file__).parents[1] / "data" / "private_documents.jsonl"
SUBJECTS: Final = [Subject(**json.loads(row)) for row in _ROWS.read_text(encoding="utf-8").splitlines()]


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
