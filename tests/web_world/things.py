"""The invented country: its people, towns, rivers, books, companies and bridges, and what is true of them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Literal

Language = Literal["en", "zh"]
Kind = Literal["town", "river", "person", "book", "company", "bridge"]
Fact = tuple[str, str]
"""What is told of what: the name of a thing, and an attribute such as "founded"."""


@dataclass
class Thing:
    """Something that pages are about."""

    name: str  # its name
    kind: Kind  # what it is
    language: Language  # the language of its pages
    # What is true of it, by attribute: a number, a year, an ISO date, the name of another thing, a list.
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Names:
    """The stock of names of one language."""

    towns: Sequence[str]
    rivers: Sequence[str]
    writers: Sequence[str]
    engineers: Sequence[str]
    architects: Sequence[str]
    books: Sequence[str]
    companies: Sequence[str]
    bridges: Sequence[str]
    mountains: Sequence[str]
    seas: Sequence[str]


def _names(language: Language) -> Names:
    """The stock of a language, from `tests/data/web_world/names.json`."""
    stock = Path(__file__).parents[1] / "data" / "web_world" / "names.json"
    return Names(**json.loads(stock.read_text(encoding="utf-8"))[language])


class Country:
    """All things of one language, tied together by facts.

    Attributes:
        things: Everything, by name.
    """

    def __init__(self, language: Language, random: Random) -> None:
        names = _names(language)
        self.language = language
        self.things: dict[str, Thing] = {}
        self._random = random
        rivers = [self._river(name, names, n) for n, name in enumerate(names.rivers)]
        towns = [self._town(name, rivers[n % len(rivers)].name) for n, name in enumerate(names.towns)]
        for river in rivers:
            river.facts["towns"] = [town.name for town in towns if town.facts["river"] == river.name]
        for role, group in (("writer", names.writers), ("engineer", names.engineers), ("architect", names.architects)):
            for name in group:
                self._person(name, role, towns)
        for n, name in enumerate(names.books):
            self._book(name, names.writers[n % len(names.writers)])
        for n, name in enumerate(names.companies):
            self._company(name, names.engineers[n % len(names.engineers)], towns)
        for n, name in enumerate(names.bridges):
            self._bridge(name, names.architects[n % len(names.architects)], random.choice(towns))

    def of_kind(self, kind: Kind) -> list[Thing]:
        """All things of a kind, in order."""
        return [thing for thing in self.things.values() if thing.kind == kind]

    def fact(self, name: str, attribute: str) -> Any:
        """What is true."""
        return self.things[name].facts[attribute]

    def _add(self, name: str, kind: Kind, **facts: Any) -> Thing:
        thing = Thing(name, kind, self.language, facts)
        self.things[name] = thing
        return thing

    def _day(self, first: int, last: int) -> str:
        draw = self._random
        return f"{draw.randint(first, last)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"

    def _river(self, name: str, names: Names, n: int) -> Thing:
        length = 137 + 61 * n + self._random.randint(3, 48)
        return self._add(name, "river", length=length, source=names.mountains[n], mouth=names.seas[n % len(names.seas)])

    def _town(self, name: str, river: str) -> Thing:
        people = self._random.randint(11_200, 486_000)
        return self._add(name, "town", founded=self._random.randint(1080, 1490), population=people, river=river)

    def _person(self, name: str, role: str, towns: Sequence[Thing]) -> None:
        born = self._day(1822, 1894)
        died = self._day(int(born[:4]) + 48, int(born[:4]) + 83)
        birthplace, deathplace = self._random.sample([town.name for town in towns], 2)
        self._add(name, "person", role=role, born=born, died=died, birthplace=birthplace, deathplace=deathplace)

    def _book(self, name: str, author: str) -> None:
        born = int(self.fact(author, "born")[:4])
        self._add(name, "book", author=author, published=born + self._random.randint(26, 45))

    def _company(self, name: str, founder: str, towns: Sequence[Thing]) -> None:
        born = int(self.fact(founder, "born")[:4])
        founded = born + self._random.randint(24, 44)
        employees = self._random.randint(310, 9_800)
        town = self._random.choice(towns).name
        self._add(name, "company", founder=founder, founded=founded, employees=employees, headquarters=town)

    def _bridge(self, name: str, architect: str, town: Thing) -> None:
        born = int(self.fact(architect, "born")[:4])
        opened = born + self._random.randint(28, 46)
        length = self._random.randint(112, 934)
        self._add(
            name, "bridge", architect=architect, opened=opened, span=length, crosses=town.facts["river"], town=town.name
        )
