"""The folder and the questions of `peers.py`: notes of an invented warehouse firm, made from a seed.

Notes are plain text, which every system reads. A register is a Word table, deliveries are a CSV file, incidents an
Excel sheet, rules come in a superseded and a current edition, and some notes are in Chinese. `boilerplate` puts one
shared paragraph into every note.
"""

import csv
import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from weiwo.tools.corpus.evaluation.answer_matching import AnswerText

BOILERPLATE: Final = (
    "This note belongs to the handbook of the depots and is reviewed once a year by the manager of the region. It may "
    "not replace the safety rules. Questions on capacity, on vehicles, on pallets, on opening dates or on the person "
    "who was trained or who manages a depot are answered by the office of the handbook, which keeps the register of "
    "deliveries and incidents and the fees that are in force. Printed copies are not updated."
)
_FILLER: Final = (
    "The canteen is run by a cooperative and closes at three.",
    "Two gates lead to the yard, and only the northern one is lit.",
    "A survey of the roof is planned for the dry season.",
    "Bicycles are kept in the shed behind the weighbridge.",
    "The noticeboard near the entrance lists the shifts of the week.",
    "Rain water is collected and used for washing the floor.",
)
_SYLLABLES: Final = (
    ("Vel", "Tar", "Osi", "Mur", "Ked", "Bal", "Ron", "Sil", "Dor", "Fen", "Gal", "Hul", "Jor", "Lam", "Nev", "Pol"),
    ("a", "e", "i", "o", "u", "ami", "eri", "olo", "uni", "ado"),
    ("mora", "silu", "dahl", "vane", "rith", "nos", "beck", "tova", "lund", "grim", "pesh", "wick", "hamn"),
)
_HAN: Final = ("青禾", "云岭", "白塔", "长汀", "石桥", "临浦")


@dataclass(frozen=True)
class LookUp:
    """A look-up required for a question.

    Attributes:
        question: The question for it, as a planner would word it. `#1` stands for the value of the first look-up.
        query: A search for it.
        name: The word that a search for literal text would look for.
        evidence: Texts that contain the value. All of them have to be seen.
        value: The value.
        said: A sentence for it in a reader's own words.
    """

    question: str
    query: str
    name: str
    evidence: tuple[str, ...]
    value: str
    said: str


@dataclass(frozen=True)
class TableCall:
    """A figure over the rows of a sheet: file, request to `query_table`, and counted rows."""

    file: str
    request: Mapping[str, object]
    rows: tuple[str, ...]
    counted: tuple[int, ...]


@dataclass(frozen=True)
class Question:
    """A question with the right answer.

    Attributes:
        kind: Its kind.
        text: As it is asked.
        look_ups: The required look-ups. Empty if the folder has no answer.
        answers: The contents of a right answer, each in one of its wordings. Empty if the folder has no answer.
        said: The answer in a reader's own words.
        lure: The value a careless reader takes for the answer, and the sentence that lures.
        table: The figure over a sheet that it asks for.
    """

    kind: str
    text: str
    look_ups: tuple[LookUp, ...]
    answers: tuple[str, ...]
    said: str
    lure: LookUp | None = None
    table: TableCall | None = None

    def is_right(self, answer: str) -> bool:
        """Report whether an answer is right.

        If the folder has no answer, the answer must not state the lure.
        """
        said = AnswerText(answer)
        if not self.answers:
            return self.lure is None or not said.says(self.lure.value)
        return all(map(said.says, self.answers))


@dataclass
class World:
    """The files of the folder by name, and the questions."""

    seed: int
    boilerplate: bool
    texts: dict[str, str] = field(default_factory=dict)
    sheets: dict[str, list[list[str | int]]] = field(default_factory=dict)
    questions: list[Question] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._draw = random.Random(self.seed)  # noqa: S311 - questions, not secrets
        self._names: set[str] = set()
        sites = [self._name() for _ in range(24)]
        people = [f"{self._name()} {self._name()}" for _ in sites]
        towns = [self._name() for _ in sites]
        for make in (self._depots, self._people):
            make(sites, people, towns)
        self._register()
        self._deliveries(sites[:6])
        self._incidents(sites[:5])
        self._editions()
        self._chinese()
        for n in range(8):
            self._note(f"yard-{n}.txt", f"The yard of {self._name()} has room for {n + 3} lorries.")

    def write(self, folder: Path) -> None:
        """Write all files."""
        import docx  # noqa: PLC0415 - heavy
        from openpyxl import Workbook  # noqa: PLC0415 - heavy

        for name, text in self.texts.items():
            (folder / name).write_text(text + "\n", encoding="utf-8")
        for name, rows in self.sheets.items():
            if name.endswith(".csv"):
                with (folder / name).open("w", encoding="utf-8", newline="") as file:
                    csv.writer(file).writerows(rows)
            elif name.endswith(".xlsx"):
                book = Workbook()
                for row in rows:
                    book.active.append(row)
                book.save(folder / name)
            else:
                document = docx.Document()
                document.add_heading("Register of vehicles", 1)
                table = document.add_table(0, len(rows[0]))
                for row in rows:
                    for cell, value in zip(table.add_row().cells, row, strict=True):
                        cell.text = str(value)
                document.save(str(folder / name))

    def _name(self) -> str:
        while (name := "".join(map(self._draw.choice, _SYLLABLES))) in self._names:
            pass
        self._names.add(name)
        return name

    def _note(self, name: str, *facts: str) -> None:
        filler = self._draw.sample(_FILLER, 3)
        parts = [*facts[:1], filler[0], *facts[1:], *filler[1:]]
        self.texts[name] = " ".join(parts) + (f"\n\n{BOILERPLATE}" if self.boilerplate else "")

    def _depots(self, sites: list[str], people: list[str], _: list[str]) -> None:
        opened, holds, managed = {}, {}, {}
        for site, person in zip(sites, people, strict=True):
            year, pallets = self._draw.randint(1921, 2019), self._draw.randrange(200, 9000, 7)
            opened[site] = LookUp(
                f"In which year was the depot {site} opened?", f"{site} depot opened", site,
                (f"After two years of works the depot {site} was opened in {year}.",),
                str(year), f"{site} has been in operation since {year}.",
            )  # fmt: skip
            holds[site] = LookUp(
                f"How many pallets does the depot {site} hold?", f"{site} capacity pallets", site,
                (f"Its halls hold {pallets} pallets in {site}.",),
                str(pallets), f"The capacity of {site} is {pallets} pallets.",
            )  # fmt: skip
            managed[site] = LookUp(
                f"Who manages the depot {site}?", f"{site} depot manager", site,
                (f"Since the reorganisation {person} manages the depot {site}.",),
                person, f"The manager of {site} is {person}.",
            )  # fmt: skip
            told = [fact.evidence[0] for fact in (opened[site], holds[site], managed[site])]
            if site in sites[-4:]:
                told.pop()
            if site in sites[-2:]:
                told.append(f"The deputy manager of the depot {site} is {person}.")
            self._note(f"depot-{site.lower()}.txt", *told)
        for fact in [
            *[opened[s] for s in sites[:3]],
            *[holds[s] for s in sites[3:5]],
            *[managed[s] for s in sites[5:7]],
        ]:
            self.questions.append(Question("fact", fact.question, (fact,), (fact.value,), fact.said))
        for first, other in zip(sites[7:11], sites[11:15], strict=True):
            pair = (holds[first], holds[other])
            more = first if int(pair[0].value) > int(pair[1].value) else other
            figures = " against ".join(fact.value for fact in sorted(pair, key=lambda fact: -int(fact.value)))
            text = f"Which depot holds more pallets, {first} or {other}?"
            said = f"{more} has the larger capacity: {figures} pallets."
            self.questions.append(Question("comparison", text, pair, (more,), said))
        for n, (site, person) in enumerate(zip(sites[-4:], people[-4:], strict=True)):
            near, said = f"The deputy manager of the depot {site} is {person}.", f"The depot {site} is run by {person}."
            lure = LookUp(managed[site].question, managed[site].query, site, (near,), person, said)
            self.questions.append(Question("untold", managed[site].question, (), (), "", lure if n > 1 else None))
        self._managed = managed

    def _people(self, sites: list[str], people: list[str], towns: list[str]) -> None:
        for site, person, town in zip(sites, people, towns, strict=True):
            grew = f"{person} grew up in {town}, where the family kept a mill."
            self._note(f"staff-{person.lower().replace(' ', '-')}.txt", f"{person} joined the firm as a clerk.", grew)
            if site in sites[15:20]:
                asked = "In which town did #1 grow up?"
                second = LookUp(asked, "#1 grew up town", person, (grew,), town, f"{person} was raised in {town}.")
                text = f"In which town did the manager of the depot {site} grow up?"
                said = f"The manager of {site} was raised in {town}."
                self.questions.append(Question("two hops", text, (self._managed[site], second), (town,), said))

    def _register(self) -> None:
        rows: list[list[str | int]] = [["Vehicle", "Driver", "Axle load (t)", "Garage"]]
        rows += [[self._name(), self._name(), self._draw.randint(3, 12), self._name()] for _ in range(12)]
        self.sheets["register-of-vehicles.docx"] = rows
        for n, column in ((2, 1), (5, 1), (9, 3)):
            vehicle, value = str(rows[n][0]), str(rows[n][column])
            asked = {1: f"Who drives the vehicle {vehicle}?", 3: f"In which garage is the vehicle {vehicle} kept?"}[
                column
            ]
            said = {1: f"{vehicle} has {value} as its driver.", 3: f"The garage of {vehicle} is {value}."}[column]
            look_up = LookUp(asked, f"vehicle {vehicle} {rows[0][column]}", vehicle, (_row(rows[n]),), value, said)
            self.questions.append(Question("word table", asked, (look_up,), (value,), said))

    def _deliveries(self, sites: list[str]) -> None:
        states = ("on time", "late", "refused")
        rows: list[list[str | int]] = [["Number", "Depot", "State", "Pallets"]]
        rows += [
            [f"D{n:04}", self._draw.choice(sites), self._draw.choice(states), self._draw.randint(1, 40)]
            for n in range(1, 1201)
        ]
        self.sheets["deliveries.csv"] = rows
        late = [row[2] == "late" for row in rows[1:]]
        self._count("How many deliveries were late?", "deliveries.csv", "deliveries late", {"State": "late"}, late)
        there = [row[1] == sites[0] for row in rows[1:]]
        text = f"How many deliveries went to the depot {sites[0]}?"
        self._count(text, "deliveries.csv", "deliveries depot", {"Depot": sites[0]}, there)

    def _incidents(self, sites: list[str]) -> None:
        causes = ("forklift", "spill", "fall")
        rows: list[list[str | int]] = [["Incident", "Depot", "Cause", "Days lost"]]
        rows += [
            [f"I{n:03}", self._draw.choice(sites), self._draw.choice(causes), self._draw.randint(0, 9)]
            for n in range(1, 121)
        ]
        self.sheets["incidents.xlsx"] = rows
        falls = [row[2] == "fall" for row in rows[1:]]
        self._count(
            "How many incidents had the cause fall?", "incidents.xlsx", "incidents cause", {"Cause": "fall"}, falls
        )
        there = [row[1] == sites[1] for row in rows[1:]]
        text = f"How many incidents happened at the depot {sites[1]}?"
        self._count(text, "incidents.xlsx", "incidents depot", {"Depot": sites[1]}, there)

    def _count(self, text: str, file: str, query: str, condition: dict[str, str], counted: list[bool]) -> None:
        rows = tuple(map(_row, self.sheets[file][1:]))
        filters = [{"column": column, "op": "=", "value": value} for column, value in condition.items()]
        request = {"table": file, "filters": filters, "measures": [{"function": "count"}]}
        figure = str(sum(counted))
        said = f"There are {figure} rows of this kind in {file}."
        look_up = LookUp(text, query, Path(file).stem, rows, figure, said)
        table = TableCall(file, request, rows, tuple(map(int, counted)))
        self.questions.append(Question("count", text, (look_up,), (figure,), said, table=table))

    def _editions(self) -> None:
        for what, unit in (("lost badge", "euros"), ("second locker", "euros"), ("parking permit", "euros")):
            old, new = self._draw.sample(range(11, 99), 2)
            slug = what.replace(" ", "-")
            before = f"The fee for a {what} is {old} {unit}."
            now = f"The fee for a {what} is {new} {unit}."
            self._note(f"rules-{slug}-2019.txt", f"Rules of 2019 on the {what}.", before)
            replaces = f"Rules of 2024 on the {what}. They replace the rules of 2019, which are no longer in force."
            self._note(f"rules-{slug}-2024.txt", replaces, now)
            text = f"What is the fee for a {what}?"
            stale = LookUp(text, f"fee {what}", what, (before,), str(old), f"A {what} costs {old} {unit}.")
            look_up = LookUp(text, f"fee {what}", what, (now,), str(new), f"A {what} costs {new} {unit}.")
            self.questions.append(Question("superseded", text, (look_up,), (str(new),), look_up.said, stale))

    def _chinese(self) -> None:
        for name in _HAN:
            year, person = (
                self._draw.randint(1951, 2015),
                f"{self._draw.choice('王李张刘陈')}{self._draw.choice('建国伟明华')}",
            )
            facts = (f"{name}仓库于{year}年启用。", f"{name}仓库的主管是{person}。")
            notes = ("食堂下午三点关门。", "院子有两个大门。", *((BOILERPLATE,) if self.boilerplate else ()))
            self.texts[f"{name}仓库.txt"] = "".join(facts) + "\n\n".join(notes)
            if name in _HAN[:2]:
                text = f"{name}仓库是哪一年启用的？"
                look_up = LookUp(
                    text, f"{name}仓库 启用", name, facts[:1], str(year), f"{name}仓库启用的年份是{year}年。"
                )
                self.questions.append(Question("chinese", text, (look_up,), (str(year),), look_up.said))
            elif name == _HAN[2]:
                text = f"{name}仓库的主管是谁？"
                look_up = LookUp(text, f"{name}仓库 主管", name, facts[1:], person, f"负责{name}仓库的是{person}。")
                self.questions.append(Question("chinese", text, (look_up,), (person,), look_up.said))


def fold(text: str) -> str:
    """Return the words of a text, separated by blanks.

    A row of a table is therefore recognised regardless of its marks.
    """
    words = " ".join(re.findall(r"[^\W_]+", text))
    return f" {words} "


def _row(cells: list[str | int]) -> str:
    return " ".join(map(str, cells))


def find_seen(rows: tuple[str, ...], seen: str) -> Iterator[int]:
    """Yield the indices of the rows shown in a folded text."""
    return (n for n, row in enumerate(rows) if fold(row) in seen)
