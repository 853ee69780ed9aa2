"""The invented country: its people, towns, rivers, books, companies and bridges, and what is true of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Literal

Language = Literal["en", "zh"]
Kind = Literal["town", "river", "person", "book", "company", "bridge"]
Fact = tuple[str, str]
"""What is told of what: the name of a thing, and an attribute such as "founded"."""


@dataclass
class Thing:
    """Something that pages are about.

    Attributes:
        name: Its name.
        kind: What it is.
        language: The language of its pages.
        facts: What is true of it, by attribute: a number, a year, an ISO date, the name of another thing, a list.
    """

    name: str
    kind: Kind
    language: Language
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


ENGLISH = Names(
    towns=(
        "Harnmoor", "Veldwick", "Ostrelby", "Treskholm", "Brakstead", "Dunquill", "Morvane", "Kellmouth",
        "Wintrasby", "Tharcombe", "Quennock", "Lindvarre", "Selbrook", "Garrowick", "Pellmarsh", "Corvindale",
    ),
    rivers=("Ostrel", "Velmar", "Quillow", "Harrin", "Sornwater", "Dreskell"),
    writers=(
        "Elsa Varnholt", "Tomas Brakel", "Ida Mornwell", "Anselm Quist", "Livia Tarnow", "Jorin Felbeck",
        "Nerys Coldane", "Casimir Holloch",
    ),
    engineers=(
        "Greta Ashvane", "Marten Dulwich-Orr", "Odile Sternhagen", "Hakon Brevik", "Sabine Lorrick", "Ruben Tasker",
        "Tilda Vosberg", "Emeric Pallin",
    ),
    architects=("Petra Lindqvarn", "Bruno Castelane", "Yrsa Holmgard", "Oskar Dremmel", "Lotte Winzig", "Aldous Merrin"),
    books=(
        "The Salt Ledger", "A Season of Lanterns", "The Glass Orchard", "Nine Winters Inland", "The Unlit Harbour",
        "The Copper Road", "Under the Ninth Arch", "The Last Ferrywoman", "The Silent Millrace", "Letters from Tharcombe",
    ),
    companies=(
        "Velmark Instruments", "Ostrand Glassworks", "Brakton Turbines", "Harnell Clockworks", "Treskan Paper",
        "Quillon Ceramics", "Sornex Batteries", "Dresling Shipyards",
    ),
    bridges=(
        "Heronsgate Bridge", "Lanternfield Bridge", "Millrace Bridge", "Saltgate Bridge", "Foxmere Bridge",
        "Corvane Bridge",
    ),
    mountains=("Mount Harl", "Mount Veska", "Mount Orrin", "Mount Tamsel", "Mount Quern", "Mount Belvar"),
    seas=("Gulf of Merrow", "Sea of Tarsk", "Bay of Loon"),
)  # fmt: skip

CHINESE = Names(
    towns=("云洛市", "白砚市", "沧梧市", "临岚市", "丹陇市", "鹿泽市", "青棠市", "怀瓯市", "望槎市", "松澧市"),
    rivers=("沐川河", "砚水河", "棠溪河", "岚江"),
    writers=("沈砚秋", "陆闻笛", "顾青崖", "宋栖梧", "程望舒"),
    engineers=("韩牧之", "方知遥", "叶怀瑾", "苏长庚"),
    architects=("梁承岳", "秦若川", "许临渊"),
    books=("盐账", "灯火季", "琉璃园", "九冬记", "无灯港", "铜路行"),
    companies=("恒砚光学公司", "沐川造纸公司", "云洛钟表公司", "青棠陶瓷公司"),
    bridges=("鹤门大桥", "灯野大桥", "磨坊大桥"),
    mountains=("哈尔山", "维斯山", "奥林岭", "檀山"),
    seas=("墨洛湾", "塔斯海"),
)


class Country:
    """All things of one language, tied together by facts.

    Attributes:
        things: Everything, by name.
    """

    def __init__(self, names: Names, language: Language, random: Random) -> None:
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
