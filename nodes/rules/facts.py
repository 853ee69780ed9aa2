"""What each task of a plan came to, in sentences: facts found, quotes where none is safe, and what is missing."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from nodes.rules import statements_en, statements_zh
from nodes.rules.amounts import approximate, shown, unit_of
from nodes.rules.reading.wants import is_definition
from state import ITEM, REFERENCE, Evidence, Language, Outcome, Plan, Task, item_type

UNNAMED: Final = "\ufffd"
"""Stands in a question for something that was not found and has no name."""
_MOST_CITED: Final = 2
_LONGEST_QUOTE: Final = 400
_MOST_QUOTED: Final = 3


@dataclass(frozen=True)
class Sentence:
    """A sentence of the answer and what it rests on.

    Attributes:
        text: The sentence, without citation marks.
        evidence_ids: Passages it cites, best first.
        computed_by: Ids of the calculation tasks it follows from.
    """

    text: str
    evidence_ids: tuple[str, ...] = ()
    computed_by: tuple[str, ...] = ()


@dataclass(frozen=True)
class Book:
    """A plan that ran, to be told from."""

    plan: Plan
    outcomes: Mapping[str, Outcome]
    evidence: Mapping[str, Evidence]
    language: Language

    def usable(self, task_id: str) -> Outcome | None:
        """The outcome of a task, if another can build on it."""
        outcome = self.outcomes.get(task_id)
        return outcome if outcome is not None and outcome.usable and outcome.value is not None else None

    def asked(self, task: Task, item: str | None = None) -> str:
        """A task's question with every reference written out; what was not found is described instead."""
        over = REFERENCE.fullmatch(task.for_each.strip()) if task.for_each else None

        def fill(match: re.Match[str]) -> str:
            name = match[1]
            if name == ITEM or (over and over[1] == name):
                return item or ("each of them" if self.language == "en" else "各项")
            outcome = self.usable(name)
            return shown(outcome, self.language) if outcome else self.described(name, task.id)

        return proper(REFERENCE.sub(fill, task.description), self.evidence)

    def described(self, task_id: str, asked_by: str) -> str:
        """What a task was to find, as a noun phrase: "the author of Hamlet"."""
        if task_id == asked_by or task_id not in self.plan.ids or asked_by not in self.plan.descendants([task_id]):
            return UNNAMED
        question = self.asked(self.plan.task(task_id)).rstrip("?？ ")
        if self.language == "en":
            match = re.fullmatch(r"(?:who|what) (?:is|was|are|were) (?P<np>the .+)", question, re.IGNORECASE)
        else:
            match = re.fullmatch(r"(?P<np>.+?)是(?:谁|什么|哪里|哪.{1,5})", question)
        return match["np"] if match else UNNAMED

    def cited(self, outcome: Outcome) -> tuple[str, ...]:
        """The passages an outcome rests on: those that are quoted, else the best."""
        quoted = tuple(dict.fromkeys(quote.evidence_id for quote in outcome.quotes))
        ids = quoted or outcome.evidence_ids
        return tuple(key for key in ids if key in self.evidence or not self.evidence)[:_MOST_CITED]


def proper(text: str, evidence: Mapping[str, Evidence]) -> str:
    """A text typed in lower case with its names as the titles of the passages write them."""
    if any(character.isupper() for character in text[1:]) or not text.isascii():
        return text
    for passage in evidence.values():
        title = passage.title.strip()
        if not title or len(title) > 60 or not title[0].isupper():
            continue
        for name in (title, title.rsplit(" ", 1)[-1]):
            if len(name) > 3 and any(c.isupper() for c in name):
                text = re.sub(rf"\b{re.escape(name.lower())}\b", partial(_return, name), text)
    return text


def _return(name: str, _: re.Match[str]) -> str:
    return name


def fact(book: Book, task: Task) -> Iterator[Sentence]:
    """The sentences that tell what a look-up found."""
    outcome = book.usable(task.id)
    if outcome is None:
        return
    if task.for_each:
        yield from _of_items(book, task, outcome)
        return
    question = book.asked(task)
    stated = _stated(book, task, outcome, question)
    if stated is None and outcome.type == "text" and is_definition(question) and outcome.quotes:
        yield from _verbatim(book, outcome)
    else:
        yield stated or _quoted(book, task, outcome)


def _stated(book: Book, task: Task, outcome: Outcome, question: str) -> Sentence | None:
    statements = statements_en if book.language == "en" else statements_zh
    if outcome.type == "passages" or (outcome.value is False and outcome.quotes):
        return None  # a denial is not in the passages word for word: they are quoted instead
    text = statements.state(
        question, shown(outcome, book.language), outcome.type, circa=approximate(outcome), unit=bool(unit_of(outcome))
    )
    computed = (task.id,) if is_computation(task) else ()
    return Sentence(text, book.cited(outcome), computed) if text else None


def _verbatim(book: Book, outcome: Outcome) -> Iterator[Sentence]:
    """What something is, in the passages' own sentences."""
    for quote in outcome.quotes[:_MOST_QUOTED]:
        words = " ".join(quote.text.split()) if book.language == "en" else quote.text.strip()
        if not words or len(words) > _LONGEST_QUOTE:
            continue
        end = "" if words[-1] in '.!?。！？”"' else ("." if book.language == "en" else "。")
        yield Sentence(words + end, (quote.evidence_id,))


def is_computation(task: Task) -> bool:
    """Whether a task calculates instead of looking up."""
    return "query" not in task.args and ("expression" in task.args or {"start", "end"} <= task.args.keys())


def _quoted(book: Book, task: Task, outcome: Outcome) -> Sentence:
    """The value with the words that carry it, where no sentence can be built from the question."""
    quote = next((quote for quote in outcome.quotes if quote.text.strip()), None)
    cites = (quote.evidence_id,) if quote else book.cited(outcome)
    english = book.language == "en"
    if quote:
        words = (
            " ".join(quote.text.split())[:_LONGEST_QUOTE].rstrip("。.")
            if english
            else quote.text.strip()[:_LONGEST_QUOTE]
        )
        title = book.evidence[quote.evidence_id].title if quote.evidence_id in book.evidence else ""
        if english:
            return Sentence(f"According to “{title}”: “{words}”." if title else f"A source says: “{words}”.", cites)
        words = words.rstrip("。")
        return Sentence(f"据《{title.strip('《》')}》：“{words}”。" if title else f"资料写道：“{words}”。", cites)
    value = " ".join(shown(outcome, book.language).split())[:_LONGEST_QUOTE].rstrip("。.")
    question = book.asked(task).rstrip("?？")
    text = f"The answer found to “{question}?” is: {value}." if english else f"“{question}？”的查找结果是：{value}。"
    return Sentence(text, cites)


def _of_items(book: Book, task: Task, outcome: Outcome) -> Iterator[Sentence]:
    """One sentence for each item of a list that a task ran over, then what is missing."""
    items = outcome.detail.get("items")
    values = outcome.value if isinstance(outcome.value, list) else [outcome.value]
    if not isinstance(items, list) or len(items) != len(values):
        yield _quoted(book, task, outcome)
    else:
        for item, value in zip(items, values, strict=True):
            one = outcome.model_copy(update={"value": value, "type": item_type(outcome.type)})
            cites = tuple(
                key for key in outcome.evidence_ids if key in book.evidence and str(item) in book.evidence[key].text
            )
            question = book.asked(task, str(item))
            told = _stated(book, task, one, question)
            mark = ": " if book.language == "en" else "："
            end = "." if book.language == "en" else "。"
            text = told.text if told else f"{item}{mark}{shown(one, book.language)}{end}"
            yield Sentence(text, cites[:_MOST_CITED] or book.cited(outcome))
    missing = outcome.detail.get("missing")
    for item in missing if isinstance(missing, list) else []:
        yield Sentence(not_found(book.asked(task, str(item)), book.language))


def indirect(question: str, language: Language) -> str | None:
    """A question as a clause: "when X was born"; None where its order is not known."""
    if language == "zh":
        return statements_zh.indirect(question)
    age = re.fullmatch(r"How old was (?P<who>.+?) (?P<when>(?:when|in|on|by|at|upon|during|as of) .+?)\??", question)
    return f"how old {age['who']} was {age['when']}" if age else statements_en.indirect(question)


def not_found(question: str, language: Language) -> str:
    """The sentence that says what was not found."""
    asked = question.strip().rstrip("?？ ")
    if language == "en":
        clause = statements_en.indirect(question)
        return f"I could not find {clause}." if clause else f"I could not find an answer to “{asked}?”."
    clause = statements_zh.indirect(question)
    return f"没有找到{clause}。" if clause else f"没有找到“{asked}？”的答案。"
