"""A scripted model that plans from the structure of a question and reads what its prompts show, by matching.

It stands for a careful small model: it never saw the web, so all it can say is in the passages of the prompt. It opens
a page whose title names what it is asked about where the snippet lacks the value, and searches again otherwise.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tests.support.fake_model import FakeModel, Request, assessed, fake
from tests.web_world.grammar import Asked, LookUp, Relation, read_question, read_task
from tests.web_world.prose import MONTHS
from tests.web_world.things import Language

SNIPPET = 200
"""Characters of a passage that may be no more than a search engine's snippet."""
UNKNOWN = "unknown"
"""The answer that passages do not hold one."""


def reader() -> FakeModel:
    """The model, for every role."""
    return fake(
        AssessmentReply=_assess, PlanReply=_plan, ReadReply=_read, ReflectionReply=_reflect, RewriteReply=_rewrite,
        draft=_write,
    )  # fmt: skip


@dataclass(frozen=True)
class Shown:
    """A passage as the prompt shows it."""

    n: int
    title: str
    source: str
    text: str


@dataclass(frozen=True)
class Found:
    """A value read in a passage, and the sentence that tells it."""

    value: str
    sentence: str
    passage: Shown


def passages(prompt: str) -> list[Shown]:
    """The passages of a prompt."""
    blocks = re.findall(r"<passage ([^>]*)>\n(.*?)\n</passage>", prompt, re.DOTALL)
    named = [(dict(re.findall(r'(\w+)="([^"]*)"', head)), body) for head, body in blocks]
    return [Shown(int(a["n"]), a.get("title", ""), a.get("source", ""), body) for a, body in named]


def look(lookup: LookUp, subject: str, shown: Sequence[Shown]) -> list[Found]:
    """What passages say of a thing: the value that most of them give first."""
    found = [one for passage in shown for one in _told(lookup.relation, subject, passage)]
    votes = Counter(dict.fromkeys(((one.value, one.sentence) for one in found), 1))
    often = Counter(value for value, _ in votes)
    return sorted(found, key=lambda one: -often[one.value])


def _told(relation: Relation, subject: str, passage: Shown) -> Iterator[Found]:
    if not _about(subject, passage):
        return
    text = re.sub(r"(?<=\S)\n(?=\S)", " ", passage.text)  # lines of a PDF
    for sentence in re.split(r"(?<=[.!?])\s+|(?<=[。！？])|\n+", text):
        for pattern in relation.told:
            match = re.search(pattern, sentence)
            if match and (_bare(subject) in sentence or _bare(subject) in passage.title):
                yield Found(_as_value(match["v"], relation), sentence.strip(), passage)
                break


def _about(subject: str, passage: Shown) -> bool:
    return _bare(subject) in passage.title or _bare(subject) in passage.text


def _bare(name: str) -> str:
    return name.strip("《》")


def _as_value(text: str, relation: Relation) -> str:
    if relation.ret == "date":
        if day := re.fullmatch(r"(\d{1,2}) ([A-Z][a-z]+) (\d{3,4})", text):
            return f"{day[3]}-{MONTHS.index(day[2]) + 1:02}-{int(day[1]):02}" if day[2] in MONTHS else day[3]
        if day := re.fullmatch(r"(\d{4})年(\d{1,2})月(\d{1,2})日", text):
            return f"{day[1]}-{int(day[2]):02}-{int(day[3]):02}"
        return text.removesuffix("年")
    return text.replace(",", "") if relation.ret == "number" else text


def _typed(found: Found, wanted: str) -> Any:
    if wanted.startswith("list"):
        return re.split(r", | and ", found.value)
    return float(found.value) if wanted.startswith("number") else found.value


# The roles


def _assess(request: Request) -> dict[str, Any]:
    question = str(request.messages[-1].text).split("Last message: ")[-1].strip()
    asked = read_question(question)
    steps = float(asked is not None and (len(asked.lookups) > 1 or isinstance(asked.lookups[0].subject, LookUp)))
    return assessed(question, steps=steps, reason="as far as its words tell")


def _plan(request: Request) -> dict[str, Any] | Exception:
    prompt = str(request.messages[-1].text)
    question = re.findall(r"^Question: (.*)$", prompt, re.MULTILINE)[0]
    tool = "web_search" if "- web_search(" in prompt else "corpus_search"
    asked = read_question(question)
    if asked is None or "Not finished:" in prompt:
        return ValueError("it knows no plan for this")
    tasks: list[dict[str, Any]] = []

    def look_up(lookup: LookUp) -> str:
        subject = lookup.subject if isinstance(lookup.subject, str) else f"{{{{{look_up(lookup.subject)}.ret}}}}"
        relation = lookup.relation
        tasks.append(
            {
                "id": f"task_{len(tasks) + 1}",
                "description": relation.question.format(subject),
                "tool_binding": tool,
                "args": {"query": f"{subject} {relation.words}"},
                "ret": relation.ret,
            }
        )
        return str(tasks[-1]["id"])

    ids = [look_up(lookup) for lookup in asked.lookups]
    if step := _calculation(asked, question, ids):
        tasks.append({"id": f"task_{len(tasks) + 1}", **step})
    return {"thought": "One look-up a fact, each from the one before.", "vertices": tasks, "edges": []}


def _calculation(asked: Asked, question: str, ids: list[str]) -> dict[str, Any] | None:
    refs = [f"{{{{{task_id}.ret}}}}" for task_id in ids]
    if asked.then == "minus":
        args = {"expression": f"{refs[0]} - {refs[1]}"}
        return {"description": question, "tool_binding": "calculator", "args": args, "ret": "number"}
    if asked.then == "years":
        args = {"start": refs[0], "end": refs[1], "unit": "years"}
        return {"description": question, "tool_binding": "date_difference", "args": args, "ret": "number"}
    return None


def _read(request: Request) -> dict[str, Any]:
    prompt = str(request.messages[-1].text)
    task = re.findall(r"^Task: (.*)$", prompt, re.MULTILINE)[0]
    wanted = re.findall(r"^Wanted: (.*)$", prompt, re.MULTILINE)[0]
    shown, lookup = passages(prompt), read_task(task)
    if lookup is None or not isinstance(lookup.subject, str):
        return {"next": "give_up", "missing": "this question is not understood"}
    found = look(lookup, lookup.subject, shown)
    if found:
        best = found[0].value
        same = [one for one in found if one.value == best]
        others = {one.value: one for one in found if one.value != best}
        return {
            "next": "answer",
            "value": _typed(found[0], wanted),
            "quotes": [{"passage": one.passage.n, "text": one.sentence} for one in same[:3]],
            "confidence": 0.6 if others else 0.9,
            "missing": "; ".join(f"{one.passage.title}: {value}" for value, one in others.items()),
            "others": [
                {
                    "value": _typed(one, wanted),
                    "quotes": [{"passage": one.passage.n, "text": one.sentence}],
                }
                for one in others.values()
            ],
        }
    nothing = {"missing": f"no passage tells: {task}"}
    read = {passage.source for passage in shown if len(passage.text) > SNIPPET}
    failed = "\n".join(re.findall(r"^Did not work: (.*)$", prompt, re.MULTILINE))
    for passage in shown:
        unread = passage.source not in read and f"{passage.source}:" not in failed
        if unread and _bare(lookup.subject) in passage.title:
            return {"next": "open", "open": passage.n, **nothing}
    tried = re.findall(r"^Queries tried: (.*)$", prompt, re.MULTILINE)[0]
    other = f"{_bare(lookup.subject)} {lookup.relation.words.split()[0]}"
    if other not in tried:
        return {"next": "search", "query": other, **nothing}
    return {"next": "give_up", **nothing}


def _reflect(_: Request) -> dict[str, Any]:
    return {"decision": "finish", "reason": "nothing more can be found", "missing": []}


def _rewrite(_: Request) -> dict[str, Any]:
    return {"sentences": []}


def _write(request: Request) -> str:
    """An answer from findings, the outcome of the last task first; without findings, one from passages alone."""
    prompt = str(request.messages[-1].text)
    question = re.findall(r"^Question: (.*)$", prompt, re.MULTILINE)[0]
    shown = passages(prompt)
    if "Findings:" not in prompt:
        return one_shot(question, shown) or UNKNOWN
    language: Language = "zh" if re.search(r"[\u4e00-\u9fff]", question) else "en"
    listed = re.findall(r"^- (.*?) → (.*)$", prompt.split("Sources:\n", maxsplit=1)[0], re.MULTILINE)
    sentences = [line for task, told in reversed(listed) for line in _sentences(task, told, shown, language)]
    verdict = _verdict(question, listed, language)
    return (" " if language == "en" else "").join([*verdict, *sentences])


def _sentences(task: str, told: str, shown: Sequence[Shown], language: Language) -> Iterator[str]:
    """A finding in a sentence, and in further ones what other sources say instead."""
    found = re.match(r"(?P<value>[^\[]+?) ?(?P<marks>(?:\[\d+\])+)", told)
    if found is None:
        yield _NOT_SAID[language].format(task.rstrip("?？"))
        return
    value, marks, stop = found["value"].strip(), found["marks"], "." if language == "en" else "。"
    lookup = read_task(task)
    if lookup is None or not isinstance(lookup.subject, str):
        yield (f"The difference is {value} {marks}." if language == "en" else f"相差{value}{marks}。")
        return
    gap = " " if language == "en" else ""
    yield f"{lookup.relation.said.format(lookup.subject, value.removesuffix(' km'))}{gap}{marks}{stop}"
    mine = {int(n) for n in re.findall(r"\d+", marks)}
    others: dict[str, Found] = {}
    chosen = {one.value for one in look(lookup, lookup.subject, shown) if one.passage.n in mine}
    for one in look(lookup, lookup.subject, shown):
        if one.passage.n not in mine and one.value not in chosen:
            others.setdefault(one.value, one)
    for other, one in others.items():
        also = "But another source says that " if language == "en" else "但另有资料称"
        yield f"{also}{lookup.relation.said.format(lookup.subject, other)}{gap}[{one.passage.n}]{stop}"


_NOT_SAID: dict[Language, str] = {"en": "The sources do not say: {}.", "zh": "资料中没有说明：{}。"}


def _verdict(question: str, listed: Sequence[tuple[str, str]], language: Language) -> list[str]:
    """Which of two it is, where the question asks that and both are known."""
    asked = read_question(question)
    if asked is None or asked.then not in {"longest", "first"}:
        return []
    values: dict[str, tuple[float, str]] = {}
    for task, told in listed:
        lookup, number = read_task(task), re.search(r"(?<![\d,])(?:\d{4}|\d[\d,]*)(?=\D|$)", told.split("[")[0])
        years = re.findall(r"\d{4}", told.split("[")[0])
        if lookup and isinstance(lookup.subject, str) and number and "[" in told:
            value = float(years[0]) if asked.then == "first" and years else float(number[0].replace(",", ""))
            values[lookup.subject] = (value, "".join(re.findall(r"\[\d+\]", told)))
    if len(values) < len(asked.lookups):
        return []
    pick = max if asked.then == "longest" else min
    best = pick(values, key=lambda name: values[name][0])
    marks = "".join(marks for _, marks in values.values())
    if language == "zh":
        return [f"{best}更长{marks}。"]
    return [f"The {best} is longer {marks}." if asked.then == "longest" else f"{best} was born first {marks}."]


def one_shot(question: str, shown: Sequence[Shown]) -> str:
    """The best answer that passages alone allow: every look-up of the question is made in them, one after another."""
    asked = read_question(question)
    if asked is None:
        return ""
    values = [_within(lookup, shown) for lookup in asked.lookups]
    known = [value for value in values if value]
    if len(known) < len(values):
        return ""
    if asked.then == "say":
        return "; ".join(known)
    if asked.then in {"longest", "first"}:
        sign = -1 if asked.then == "longest" else 1
        rank = {
            lookup.subject: sign * float(v[:4] if asked.then == "first" else v)
            for lookup, v in zip(asked.lookups, known, strict=True)
        }
        return str(min(rank, key=lambda name: rank[name]))
    one, other = (float(value[:4]) if asked.then == "years" else float(value) for value in known)
    return f"{abs(one - other):g}"


def _within(lookup: LookUp, shown: Sequence[Shown]) -> str:
    subject = lookup.subject if isinstance(lookup.subject, str) else _within(lookup.subject, shown)
    found = look(lookup, subject, shown) if subject else []
    return " / ".join(dict.fromkeys(one.value for one in found))
