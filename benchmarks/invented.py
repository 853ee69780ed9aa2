"""An invented world: documents about towns, people, operas and firms whose names nobody knows by heart, and questions.

Each document is one paragraph of some 110 tokens, as long as one of an encyclopaedia. A question comes as a `Case`: the
look-ups that lead to its answer, each with the sentence that carries its value. Names and facts are made
from a seed. `from_folder` makes cases of a public set whose questions come with their decomposition.
"""

import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from weiwo.tools.corpus.evaluation.answer_matching import AnswerText, _normalize_answer

STARTS: Final = [
    "Vel",
    "Tar",
    "Osi",
    "Mur",
    "Ked",
    "Bal",
    "Quen",
    "Ron",
    "Sil",
    "Dor",
    "Fen",
    "Gal",
    "Hul",
    "Ist",
    "Jor",
    "Lam",
    "Nev",
    "Pol",
    "Rus",
    "Ulm",
    "Wes",
    "Yar",
    "Zub",
    "Cor",
    "Eth",
]
MIDDLES: Final = ["a", "e", "i", "o", "u", "ami", "eri", "olo", "uni", "ado"]
ENDS: Final = [
    "mora",
    "qen",
    "silu",
    "dahl",
    "vane",
    "rith",
    "nos",
    "beck",
    "tova",
    "lund",
    "grim",
    "pesh",
    "zar",
    "wick",
    "hamn",
]
FILLER: Final = (
    "Records from the period are incomplete, and later accounts differ in detail.",
    "A short description appears in the regional survey, which was revised several times.",
    "Visitors of the following century mention it in letters and travel notes.",
    "The archive holds drawings, ledgers and a number of photographs of uneven quality.",
    "Local custom attaches a festival to it, held in the second week of the harvest.",
    "Scholars have discussed its name at length without coming to an agreement.",
    "Restoration work was paid for by subscription and took longer than was planned.",
    "A commemorative plaque was put up and later moved to the municipal museum.",
)

_BUILDINGS: Final = (
    "hall",
    "mill",
    "harbour",
    "bridge",
    "school",
    "granary",
    "market",
    "hospital",
    "chapel",
    "inn",
    "spa",
)

HINTS: Final = (
    (r"(\w+) was founded in .*", r"\1 was already old when its neighbours were given their charters."),
    (r"(\w+) was born in .*", r"\1 wrote of the tar and the ropes of a childhood by the boats, and never said where."),
    (r"(\w+) was taught by .*", r"\1 kept a lock of white hair in the case of the first violin."),
    (r"(\w+) lies on the river .*", r"Barges carried the timber of \1 down to the sea."),
    (r"(\w+) was composed by .*", r"The score of \1 is not signed, but the hand is that of a court organist."),
)
"""What a document says instead of a fact that it only hints at."""


@dataclass(frozen=True)
class Step:
    """One look-up.

    Attributes:
        question: What is asked; `#1` stands for the value of the first look-up.
        query: The search for it, likewise.
        value: What it comes to.
        sentence: The words of a document that carry it.
        ret: The type of the value.
        needs: The look-ups it waits for, from 0.
    """

    question: str
    query: str
    value: str
    sentence: str
    ret: str = "text"
    needs: tuple[int, ...] = ()


@dataclass(frozen=True)
class Case:
    """A question.

    Attributes:
        kind: `chain`, `comparison`, `fan-out`, `linked` (a fan-out whose documents are titled as the list names
            them, so that one search brings several) or `fact`.
        question: The question.
        steps: Its look-ups.
        answers: What a right answer says, each in one of its wordings.
        sentence: The answer in a sentence; the sentences of the look-ups before the last are no part of it.
        size: Hops, things or items.
        hidden: The look-up whose value the documents hint at and never say, from 0; None where they say all.
    """

    kind: str
    question: str
    steps: tuple[Step, ...]
    answers: tuple[tuple[str, ...], ...]
    sentence: str
    size: int
    hidden: int | None = None

    def filled(self, text: str) -> str:
        """A question or query with the values of the look-ups it builds on."""
        for n, step in reversed([*enumerate(self.steps, 1)]):
            text = text.replace(f"#{n}", step.value)
        return text

    def right(self, answer: str) -> bool:
        """Whether an answer says all that a right one says, and nothing that no document does."""
        said = AnswerText(answer)
        if self.hidden is not None and (not answer or said.says(self.steps[self.hidden].value)):
            return False
        return all(any(said.says(one) for one in ways) for ways in self.answers)


@dataclass
class World:
    """Documents by title, and what they say."""

    documents: dict[str, str] = field(default_factory=dict)
    cases: list[Case] = field(default_factory=list)


def invent(seed: int, each: int) -> World:
    """A world with so many cases of each kind and size."""
    return _Inventor(seed).world(each)


def invent_hard(seed: int) -> World:
    """A world with ten questions whose answers its documents hint at and never say."""
    return _Inventor(seed).hard_world()


def invent_folder(seed: int) -> World:
    """Ten documents of some 360 tokens, of which a table of 18 cells and a report of 1,300 words are asked."""
    return _Inventor(seed).folder_world()


class _Inventor:
    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 - questions, not secrets
        self._names: set[str] = set()
        self._world = World()

    def world(self, each: int) -> World:
        for _ in range(each):
            for hops in (2, 3, 4):
                self._world.cases.append(self._chain(hops))
            for things in (2, 3, 4, 5, 6):
                self._world.cases.append(self._comparison(things))
            for items in (8, 12, 16, 20):
                self._world.cases.append(self._fan_out(items, linked=False))
            for items in (8, 16):
                self._world.cases.append(self._fan_out(items, linked=True))
            for n in range(4):
                self._world.cases.append(self._fact(n))
        return self._filled_up()

    def hard_world(self) -> World:
        facts = [(self._fact(n), 0) for n in (1, 3)]
        chains = [(self._chain(hops), hidden) for hops, hidden in ((2, 1), (3, 1), (3, 2), (4, 1))]
        compared = [(self._comparison(things), hidden) for things, hidden in ((2, 1), (3, 0))]
        lists = [(self._fan_out(items, linked=linked), 3) for items, linked in ((8, False), (8, True))]
        self._world.cases = [self._hidden(case, step) for case, step in (*facts, *chains, *compared, *lists)]
        return self._filled_up()

    def folder_world(self) -> World:
        steps = []
        for n in range(10):
            name, river, mayor, year = self._name(), self._name(), self._name(), self._random.randint(1100, 1850)
            told = (
                (f"In which year was {name} founded?", str(year), f"{name} was founded in {year}.", "date"),
                (f"On which river does {name} lie?", river, f"{name} lies on the river {river}.", "text"),
                (f"Who is the mayor of {name}?", mayor, f"The mayor of {name} is {mayor}.", "text"),
            )
            work = [f"The {what} of {name} was rebuilt in {year + 9 * n + k}." for k, what in enumerate(_BUILDINGS)]
            facts = [sentence for _, _, sentence, _ in told]
            filler = [FILLER[k % len(FILLER)] for k in range(len(work))]
            self._world.documents[name] = " ".join(
                [*facts, *(part for both in zip(work, filler, strict=True) for part in both)]
            )
            steps += [Step(asked, f"{name} {ret}", value, sentence, ret) for asked, value, sentence, ret in told]
        towns = [*self._world.documents][:6]
        table = f"Make a table of {', '.join(towns[:-1])} and {towns[-1]}: year of foundation, river and mayor."
        cells = tuple(steps[:18])
        report = "Write a report of 1,300 words on the towns in these documents: foundation, river, mayor, buildings."
        values = tuple((step.value,) for step in cells)
        self._world.cases = [Case("table", table, cells, values, "", 18), Case("report", report, cells, values, "", 10)]
        return self._world

    def _hidden(self, case: Case, hidden: int) -> Case:
        """The case with one look-up whose value is only hinted at; a right answer tells the values of the others."""
        told, documents = case.steps[hidden].sentence, self._world.documents
        hint = next(re.sub(pattern, words, told) for pattern, words in HINTS if re.match(pattern, told))
        for title, text in documents.items():
            documents[title] = text.replace(told, hint)
        chained = case.kind in {"chain", "fact"}
        others = [step for n, step in enumerate(case.steps) if (n < hidden if chained else n != hidden)]
        values = tuple((step.value,) for step in others if not step.ret.startswith("list"))
        return replace(case, hidden=hidden, answers=values)

    def _filled_up(self) -> World:
        for _ in range(250):  # what is alike and not asked about
            self._town(self._name(), self._name())
            self._person(self._name())
        return self._world

    def _name(self) -> str:
        """A name that nothing has yet; longer ones once few short ones are left."""
        while True:
            middles = 1 if len(self._names) < 0.9 * len(STARTS) * len(MIDDLES) * len(ENDS) else 2
            inner = (self._random.choice(MIDDLES) for _ in range(middles))
            name = "".join((self._random.choice(STARTS), *inner, self._random.choice(ENDS)))
            if name not in self._names:
                self._names.add(name)
                return name

    def _document(self, title: str, *facts: str) -> None:
        """A document; a corpus search follows names to documents that are titled so."""
        filler = self._random.sample(FILLER, 5)
        self._world.documents[title] = " ".join([*facts[:1], filler[0], *facts[1:], *filler[1:]])

    def _town(self, name: str, river: str, title: str = "") -> tuple[int, str, str]:
        year = self._random.randint(1100, 1850)
        founded, lies = f"{name} was founded in {year}.", f"{name} lies on the river {river}."
        self._document(title or name, f"{name} is a market town with a harbour and two parish churches.", founded, lies)
        return year, founded, lies

    def _person(self, name: str, town: str = "", teacher: str = "") -> tuple[str, str]:
        born = f"{name} was born in {town or self._name()}."
        taught = f"{name} was taught by {teacher or self._name()}."
        self._document(name, f"{name} was a composer and organist of the court chapel.", born, taught)
        return born, taught

    def _opera(self, name: str, composer: str) -> str:
        made = f"{name} was composed by {composer}."
        self._document(name, f"{name} is an opera in three acts, first given at the old theatre.", made)
        return made

    def _chain(self, hops: int) -> Case:
        opera, composer, teacher, town, river = (self._name() for _ in range(5))
        taught = hops == 4
        made = self._opera(opera, composer)
        born, by = self._person(composer, "" if taught else town, teacher)
        steps = [Step(f"Who composed the opera {opera}?", f"{opera} opera composed", composer, made)]
        words = f"the composer of the opera {opera}"
        if taught:
            born, _ = self._person(teacher, town)
            steps.append(Step("Who taught #1?", "#1 taught by", teacher, by, needs=(0,)))
            words = f"the teacher of {words}"
        last = len(steps)
        steps.append(Step(f"In which town was #{last} born?", f"#{last} born", town, born, needs=(last - 1,)))
        _, _, lies = self._town(town, river)
        question = f"In which town was {words} born?"
        if hops > 2:
            last = len(steps)
            on = Step(f"On which river does #{last} lie?", f"#{last} river", river, lies, needs=(last - 1,))
            steps.append(on)
            question = f"On which river lies the town where {words} was born?"
        return Case("chain", question, tuple(steps), ((steps[-1].value,),), steps[-1].sentence, hops)

    def _comparison(self, things: int) -> Case:
        towns = [self._name() for _ in range(things)]
        years: dict[int, str] = {}
        steps = []
        for town in towns:
            year, founded, _ = self._town(town, self._name())
            while year in years:
                year, founded, _ = self._town(town, self._name())
            years[year] = town
            asked = f"In which year was {town} founded?"
            steps.append(Step(asked, f"{town} founded", str(year), founded, "date"))
        first = years[min(years)]
        question = f"Which town was founded first, {', '.join(towns[:-1])} or {towns[-1]}?"
        sentence = f"{first} was founded first, in {min(years)}."
        return Case("comparison", question, tuple(steps), ((first,), (str(min(years)),)), sentence, things)

    def _fan_out(self, items: int, *, linked: bool) -> Case:
        league = self._name()
        towns = [self._name() for _ in range(items)]
        listed = f"The towns of the {league} League are {', '.join(towns[:-1])} and {towns[-1]}."
        self._document(f"{league} League", f"The {league} League was a union of trading towns.", listed)
        asked = f"Which towns belonged to the {league} League?"
        steps = [Step(asked, f"{league} League towns", "; ".join(towns), listed, "list[text]")]
        values = []
        for town in towns:
            year, founded, _ = self._town(
                town, self._name(), "" if linked else f"Sheet {self._random.randint(1000, 999999)}"
            )
            asked = f"In which year was {town} founded?"
            steps.append(Step(asked, f"{town} founded", str(year), founded, "date", needs=(0,)))
            values.append((str(year),))
        question = f"List every town of the {league} League and the year in which it was founded."
        return Case("linked" if linked else "fan-out", question, tuple(steps), tuple(values), "", items)

    def _fact(self, n: int) -> Case:
        name, other = self._name(), self._name()
        if n == 0:
            sentence = self._opera(name, other)
            step = Step(f"Who composed the opera {name}?", f"{name} opera composed", other, sentence)
        elif n == 1:
            year, sentence, _ = self._town(name, other)
            step = Step(f"In which year was {name} founded?", f"{name} founded", str(year), sentence, "date")
        elif n == 2:
            _, _, sentence = self._town(name, other)
            step = Step(f"On which river does {name} lie?", f"{name} river", other, sentence)
        else:
            sentence, _ = self._person(name, other)
            step = Step(f"In which town was {name} born?", f"{name} born", other, sentence)
        return Case("fact", step.question, (step,), ((step.value,),), sentence, 1)


def from_folder(folder: Path, most: int) -> tuple[World, Path]:
    """Chains out of a public set, and its corpus: the questions all of whose look-ups stand in a gold passage."""
    passages = {one["_id"]: one["text"] for one in _lines(folder / "corpus.jsonl")}
    gold: dict[str, list[str]] = {}
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        asked, passage, *_ = line.split("\t")
        gold.setdefault(asked, []).append(passages[passage])
    world = World()
    for query in _lines(folder / "queries.jsonl"):
        steps = [*_steps(query.get("decomposition") or [], gold.get(query["_id"], []))]
        if steps and len(steps) == len(query["decomposition"]) and len(world.cases) < most:
            answers = tuple(query["answers"])
            case = Case("chain", query["text"], tuple(steps), (answers,), steps[-1].sentence, len(steps))
            world.cases.append(case)
    return world, folder / "corpus.jsonl"


def _steps(decomposition: Sequence[dict[str, str]], passages: Sequence[str]) -> Iterator[Step]:
    """The look-ups of a question, each with the sentence that tells its answer, of the gold passage that fits best."""
    answers = {f"#{n}": part["answer"] for n, part in enumerate(decomposition, 1)}
    for n, part in enumerate(decomposition):
        asked = part["question"]
        for name, answer in answers.items():
            asked = asked.replace(name, answer)
        words = set(_normalize_answer(asked).split())
        telling = [text for text in passages if AnswerText(text).says(part["answer"])]
        for text in sorted(telling, key=lambda one: -len(words & set(_normalize_answer(one).split()))):
            sentences = (s for s in text.replace(". ", ".|").split("|") if AnswerText(s).says(part["answer"]))
            needs = tuple(k for k in range(n) if f"#{k + 1}" in part["question"])
            query = part["question"].replace(" >> ", " ")
            yield Step(part["question"], query, part["answer"], next(sentences, text), needs=needs)
            break


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)
