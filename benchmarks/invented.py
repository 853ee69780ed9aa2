"""Invented world: documents about towns, people, operas and firms with made-up names, and questions.

No model knows these names by heart. Each document is one paragraph of some 110 tokens, as long as one of an
encyclopaedia. A question comes as a `Case`: the look-ups that lead to its answer, each with the sentence that contains
its value and with another that says the same in the words of a reader. Names, facts and wordings are made from a seed.
`from_folder` makes cases of a public set whose questions come with their decomposition.
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

_TOLD: Final = {
    "founded": (
        "{a} was founded in {b}.",
        "{a} was founded in {b} by settlers from the coast, after a dispute of eleven years.",
        "In {b} the monks of the abbey founded {a}, on land that they had drained.",
        "{a} goes back to {b}, when the bishop gave the fishermen of the bay their charter.",
    ),
    "lies": (
        "{a} lies on the river {b}.",
        "{a}, a port with long quays, lies on the river {b}.",
        "At {a} the river {b} is crossed by a bridge of nine arches.",
    ),
    "born": (
        "{a} was born in {b}.",
        "{a}, whose father kept an inn, was born in {b} and grew up with an aunt.",
        "A plaque in {b} marks the house where {a} was born.",
    ),
    "taught": (
        "{a} was taught by {b}.",
        "{a} learned counterpoint from {b}, who taught at the cathedral school.",
        "{b} was the teacher of {a} for six years.",
    ),
    "composed": (
        "{a} was composed by {b}.",
        "{a}, composed by {b} in a single winter, was a success from the first night.",
        "The composer {b} wrote {a} for the reopening of the theatre.",
    ),
    "mayor": (
        "The mayor of {a} is {b}.",
        "{b} is mayor of {a} since the last election.",
        "The mayor of {a}, {b}, has an office in the old hall.",
    ),
}
"""How documents say that something (`a`) has a value (`b`), by relation."""
_SAID: Final = {
    "founded": ("{a} was founded in {b}.", "The year when {a} was founded is {b}.", "The founding of {a} was in {b}."),
    "lies": ("{a} lies on the river {b}.", "{a} is a town on the river {b}.", "The river at {a} is the {b}."),
    "born": ("{a} was born in {b}.", "{b} is where {a} was born.", "The birthplace of {a} is {b}."),
    "taught": ("{a} was taught by {b}.", "{b} taught {a}.", "{a} was a pupil of {b}."),
    "composed": ("{b} composed {a}.", "{a} was composed by {b}.", "{a} is a work by {b}."),
    "mayor": ("The mayor of {a} is {b}.", "{b} is the mayor of {a}.", "{a} has {b} as its mayor."),
}  # fmt: skip
"""How a reader says the same: in the words of the question, turned round, or otherwise."""
_VALUES: Final = {"lies": ("{b}", "the {b}", "the river {b}"), "born": ("{b}", "the town of {b}")}
"""How a reader gives the value alone, where not as it is."""
_HINTS: Final = {
    "founded": "{a} was already old when its neighbours were given their charters.",
    "born": "{a} wrote of the tar and the ropes of a childhood by the boats, and never said where.",
    "taught": "{a} kept a lock of white hair in the case of the first violin.",
    "lies": "Barges carried the timber of {a} down to the sea.",
    "composed": "The score of {a} is not signed, but the hand is that of a court organist.",
}
"""What a document says instead of a fact that it only hints at."""


@dataclass(frozen=True)
class Step:
    """A look-up.

    Attributes:
        question: The question. `#1` stands for the value of the first look-up.
        query: The search for it, likewise.
        value: The value found.
        sentence: The words of a document that contain it.
        said: A sentence with the same content, in a reader's words.
        quote: The clauses of the document's sentence that a reader copies.
        given: The value in a reader's words. Empty for the value itself.
        hint: The text of the document if it only hinted at the value.
        ret: The type of the value.
        needs: The look-ups it waits for, from 0.
    """

    question: str
    query: str
    value: str
    sentence: str
    said: str
    quote: str
    given: str = ""
    hint: str = ""
    ret: str = "text"
    needs: tuple[int, ...] = ()


@dataclass(frozen=True)
class Fact:
    """A relation of a thing to a value, with the sentence of a document."""

    relation: str
    thing: str
    value: str
    sentence: str

    def step(
        self, question: str, query: str, *, thing: str = "", ret: str = "text", needs: tuple[int, ...] = ()
    ) -> Step:
        """Return the look-up of the fact.

        `thing` replaces the name in question and query, for example by `#1`.
        """
        ways = [way.format(a=self.thing, b=self.value) for way in _SAID[self.relation]]
        own = [way for way in ways if way != self.sentence]
        said = own[len(self.thing + self.value) % len(own)]
        given = _VALUES.get(self.relation, ("{b}",))
        clauses = self.sentence.rstrip(".").split(", ")
        needed = [n for n, clause in enumerate(clauses) if self.thing in clause or self.value in clause]
        return Step(
            question=question.format(thing or self.thing),
            query=query.format(thing or self.thing),
            value=self.value,
            sentence=self.sentence,
            said=said,
            quote=", ".join(clauses[needed[0] : needed[-1] + 1]),
            given=given[len(self.value) % len(given)].format(b=self.value),
            hint=_HINTS.get(self.relation, "").format(a=self.thing),
            ret=ret,
            needs=needs,
        )


@dataclass(frozen=True)
class Case:
    """A question with look-ups and answers.

    Attributes:
        kind: `chain`, `comparison`, `fan-out`, `linked` (a fan-out whose documents are titled as the list names
            them, so that one search brings several) or `fact`.
        question: The question.
        steps: Its look-ups.
        answers: The contents of a right answer, each in one of its wordings.
        sentence: The answer in a sentence, in a reader's words. The look-ups before the last are no part of it.
        size: Hops, things or items.
        hidden: The look-up whose value the documents hint at and never say, from 0. None if they say all.
    """

    kind: str
    question: str
    steps: tuple[Step, ...]
    answers: tuple[tuple[str, ...], ...]
    sentence: str
    size: int
    hidden: int | None = None

    def fill_references(self, text: str) -> str:
        """Fill a question or query with the values of earlier look-ups."""
        for n, step in reversed([*enumerate(self.steps, 1)]):
            text = text.replace(f"#{n}", step.value)
        return text

    def asks(self, step: Step, text: str) -> bool:
        """Report whether a text is the question of a step, filled with values in a reader's words."""
        return bare(self.fill_references(step.question)) == bare(text)

    def right(self, answer: str) -> bool:
        """Report whether an answer is complete and says nothing beyond the documents."""
        said = AnswerText(answer)
        if self.hidden is not None and (not answer or said.says(self.steps[self.hidden].value)):
            return False
        return all(any(said.says(way) for way in ways) for ways in self.answers)


def bare(text: str) -> str:
    """Remove the words a reader puts before names."""
    return re.sub(r"\b(?:the town of|the river|the) (?=[A-Z])", "", text)


@dataclass
class World:
    """Documents by title, and the cases about the documents."""

    documents: dict[str, str] = field(default_factory=dict)
    cases: list[Case] = field(default_factory=list)


def invent(seed: int, each: int) -> World:
    """A world with so many cases of each kind and size."""
    return _Inventor(seed).world(each)


def invent_hard(seed: int) -> World:
    """Invent a world with ten questions only hinted at by the documents."""
    return _Inventor(seed).hard_world()


def invent_folder(seed: int) -> World:
    """Invent ten documents of about 360 tokens, for a table of 18 cells and a report of 1,300 words."""
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
            name, year = self._name(), self._random.randint(1100, 1850)
            founded = self._fact_of("founded", name, str(year))
            lies, mayor = self._fact_of("lies", name, self._name()), self._fact_of("mayor", name, self._name())
            work = [f"The {what} of {name} was rebuilt in {year + 9 * n + k}." for k, what in enumerate(_BUILDINGS)]
            filler = [FILLER[k % len(FILLER)] for k in range(len(work))]
            facts = [fact.sentence for fact in (founded, lies, mayor)]
            self._world.documents[name] = " ".join(
                [*facts, *(part for both in zip(work, filler, strict=True) for part in both)]
            )
            steps += [
                founded.step("In which year was {} founded?", "{} founded", ret="date"),
                lies.step("On which river does {} lie?", "{} river"),
                mayor.step("Who is the mayor of {}?", "{} mayor"),
            ]
        towns = [*self._world.documents][:6]
        table = f"Make a table of {', '.join(towns[:-1])} and {towns[-1]}: year of foundation, river and mayor."
        cells = tuple(steps[:18])
        report = "Write a report of 1,300 words on the towns in these documents: foundation, river, mayor, buildings."
        values = tuple((step.value,) for step in cells)
        self._world.cases = [
            Case("table", table, cells, values, "", 18),
            Case("report", report, tuple(steps), tuple((step.value,) for step in steps), "", 10),
        ]
        return self._world

    def _hidden(self, case: Case, hidden: int) -> Case:
        """Return a case with a single look-up value only hinted at.

        A right answer tells the values of the other look-ups.
        """
        step, documents = case.steps[hidden], self._world.documents
        for title, text in documents.items():
            documents[title] = text.replace(step.sentence, step.hint)
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
        """Return an unused name. Longer names are used if few short names are left."""
        while True:
            middles = 1 if len(self._names) < 0.9 * len(STARTS) * len(MIDDLES) * len(ENDS) else 2
            inner = (self._random.choice(MIDDLES) for _ in range(middles))
            name = "".join((self._random.choice(STARTS), *inner, self._random.choice(ENDS)))
            if name not in self._names:
                self._names.add(name)
                return name

    def _document(self, title: str, *facts: str) -> None:
        """Add a document. A corpus search follows names to documents with the name as title."""
        filler = self._random.sample(FILLER, 5)
        self._world.documents[title] = " ".join([*facts[:1], filler[0], *facts[1:], *filler[1:]])

    def _fact_of(self, relation: str, thing: str, value: str) -> Fact:
        sentence = self._random.choice(_TOLD[relation]).format(a=thing, b=value)
        return Fact(relation, thing, value, sentence[0].upper() + sentence[1:])

    def _town(self, name: str, river: str, title: str = "") -> tuple[Fact, Fact]:
        founded = self._fact_of("founded", name, str(self._random.randint(1100, 1850)))
        lies = self._fact_of("lies", name, river)
        opening = f"{name} is a market town with a harbour and two parish churches."
        self._document(title or name, opening, founded.sentence, lies.sentence)
        return founded, lies

    def _person(self, name: str, town: str = "", teacher: str = "") -> tuple[Fact, Fact]:
        born = self._fact_of("born", name, town or self._name())
        taught = self._fact_of("taught", name, teacher or self._name())
        opening = f"{name} was a composer and organist of the court chapel."
        self._document(name, opening, born.sentence, taught.sentence)
        return born, taught

    def _opera(self, name: str, composer: str) -> Fact:
        made = self._fact_of("composed", name, composer)
        self._document(name, f"{name} is an opera in three acts, first given at the old theatre.", made.sentence)
        return made

    def _chain(self, hops: int) -> Case:
        opera, composer, teacher, town, river = (self._name() for _ in range(5))
        taught = hops == 4
        made = self._opera(opera, composer)
        born, by = self._person(composer, "" if taught else town, teacher)
        steps = [made.step("Who composed the opera {}?", "{} opera composer")]
        words = f"the composer of the opera {opera}"
        if taught:
            born, _ = self._person(teacher, town)
            steps.append(by.step("Who taught {}?", "{} teacher", thing="#1", needs=(0,)))
            words = f"the teacher of {words}"
        last = len(steps)
        steps.append(born.step("In which town was {} born?", "{} birthplace", thing=f"#{last}", needs=(last - 1,)))
        _, lies = self._town(town, river)
        question = f"In which town was {words} born?"
        if hops > 2:
            last = len(steps)
            steps.append(lies.step("On which river does {} lie?", "{} river", thing=f"#{last}", needs=(last - 1,)))
            question = f"On which river lies the town where {words} was born?"
        return Case("chain", question, tuple(steps), ((steps[-1].value,),), steps[-1].said, hops)

    def _comparison(self, things: int) -> Case:
        steps: list[Step] = []
        for town in [self._name() for _ in range(things)]:
            founded, _ = self._town(town, self._name())
            while founded.value in {step.value for step in steps}:
                founded, _ = self._town(town, self._name())
            steps.append(founded.step("In which year was {} founded?", "{} founded", ret="date"))
        towns = [step.query.split()[0] for step in steps]
        (year, first), *others = sorted((step.value, town) for step, town in zip(steps, towns, strict=True))
        question = f"Which town was founded first, {', '.join(towns[:-1])} or {towns[-1]}?"
        later = ", ".join(f"{town} followed in {founded}" for founded, town in others)
        return Case("comparison", question, tuple(steps), ((first,), (year,)),
                    f"{first} is the oldest of them, founded in {year}; {later}.", things)  # fmt: skip

    def _fan_out(self, items: int, *, linked: bool) -> Case:
        league = self._name()
        towns = [self._name() for _ in range(items)]
        listed = f"The towns of the {league} League are {', '.join(towns[:-1])} and {towns[-1]}."
        self._document(f"{league} League", f"The {league} League was a union of trading towns.", listed)
        asked = f"Which towns belonged to the {league} League?"
        said = f"The {league} League had {items} towns: {', '.join(towns)}."
        steps = [Step(asked, f"{league} League towns", "; ".join(towns), listed, said, listed, ret="list[text]")]
        for town in towns:
            title = "" if linked else f"Sheet {self._random.randint(1000, 999999)}"
            founded, _ = self._town(town, self._name(), title)
            steps.append(founded.step("In which year was {} founded?", "{} founded", ret="date", needs=(0,)))
        values = tuple((step.value,) for step in steps[1:])
        question = f"List every town of the {league} League and the year in which it was founded."
        return Case("linked" if linked else "fan-out", question, tuple(steps), values, "", items)

    def _fact(self, n: int) -> Case:
        name, other = self._name(), self._name()
        if n == 0:
            step = self._opera(name, other).step("Who composed the opera {}?", "{} opera composer")
        elif n == 1:
            step = self._town(name, other)[0].step("In which year was {} founded?", "{} founded", ret="date")
        elif n == 2:
            step = self._town(name, other)[1].step("On which river does {} lie?", "{} river")
        else:
            step = self._person(name, other)[0].step("In which town was {} born?", "{} birthplace")
        return Case("fact", step.question, (step,), ((step.value,),), step.said, 1)


def from_folder(folder: Path, most: int) -> tuple[World, Path]:
    """Read chains from a public set, and return the world with the path of the corpus.

    Only questions with all look-ups in a gold passage are used.
    """
    passages = {item["_id"]: item["text"] for item in _lines(folder / "corpus.jsonl")}
    gold: dict[str, list[str]] = {}
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        asked, passage, *_ = line.split("\t")
        gold.setdefault(asked, []).append(passages[passage])
    world = World()
    for query in _lines(folder / "queries.jsonl"):
        steps = [*_steps(query.get("decomposition") or [], gold.get(query["_id"], []))]
        if steps and len(steps) == len(query["decomposition"]) and len(world.cases) < most:
            answers = tuple(query["answers"])
            case = Case("chain", query["text"], tuple(steps), (answers,), steps[-1].said, len(steps))
            world.cases.append(case)
    return world, folder / "corpus.jsonl"


def _steps(decomposition: Sequence[dict[str, str]], passages: Sequence[str]) -> Iterator[Step]:
    """Yield the look-ups of a question, each with the answering sentence of the best gold passage."""
    answers = {f"#{n}": part["answer"] for n, part in enumerate(decomposition, 1)}
    for n, part in enumerate(decomposition):
        asked = part["question"]
        for name, answer in answers.items():
            asked = asked.replace(name, answer)
        words = set(_normalize_answer(asked).split())
        telling = [text for text in passages if AnswerText(text).says(part["answer"])]
        for text in sorted(telling, key=lambda item: -len(words & set(_normalize_answer(item).split()))):
            sentences = (s for s in text.replace(". ", ".|").split("|") if AnswerText(s).says(part["answer"]))
            needs = tuple(k for k in range(n) if f"#{k + 1}" in part["question"])
            query = part["question"].replace(" >> ", " ")
            said = f"{asked.rstrip('?').replace(' >> ', ', ')}: {part['answer']}."
            told = next(sentences, text)
            yield Step(part["question"], query, part["answer"], told, said, told, needs=needs)
            break


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)
