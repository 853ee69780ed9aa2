"""Questions over the web, with what is right and on which pages it can be read."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any, Final, Literal

from tests.web_world.site import Site
from tests.web_world.things import Country, Fact, Kind, Language, Thing

Shape = Literal["single", "two hops", "three hops", "comparison", "difference", "list", "disputed", "unanswerable"]


@dataclass(frozen=True)
class Question:
    """A question with its gold."""

    text: str  # the question
    language: Language  # its language
    shape: Shape  # what it takes to answer it
    answers: tuple[str, ...]  # what an answer must say, every one of them; none where nobody can know
    needs: tuple[Fact, ...] = ()  # the facts it rests on, each of which some pages tell
    instead: str = ""  # what the answer is not, where it is one of two


class Asker:
    """Makes the questions about one country.

    Args:
        site: The web.
        language: The country's language.
    """

    def __init__(self, site: Site, language: Language) -> None:
        self.land: Country = site.countries[language]
        self.language: Language = language
        self.loud = {name for name, _ in site.disputed}
        """Names of things that pages disagree about."""

    def things(self, kind: Kind) -> list[Thing]:
        """All things of a kind that pages agree about."""
        return [thing for thing in self.land.of_kind(kind) if thing.name not in self.loud]

    def other(self, thing: Thing, attribute: str) -> Thing:
        """The thing that a fact names."""
        return self.land.things[thing.facts[attribute]]

    def settled(self, thing: Thing, *path: str) -> bool:
        """Whether what a path of facts leads to is not disputed."""
        for attribute in path:
            thing = self.other(thing, attribute)
        return thing.name not in self.loud

    def ask(self, text: str, shape: Shape, answer: Any, *needs: tuple[Thing, str], instead: str = "") -> Question:
        """A question whose answer is one value, or all of a list."""
        answers = answer if isinstance(answer, list) else [answer]
        facts = tuple((thing.name, attribute) for thing, attribute in needs)
        return Question(text, self.language, shape, tuple(map(str, answers)), facts, instead)

    def of(self, wording: str, thing: Thing, attribute: str) -> Question:
        """A question about one fact."""
        value = thing.facts[attribute]
        said = _year(value) if attribute == "born" else value
        shape: Shape = "list" if isinstance(value, list) else "single"
        return self.ask(wording.format(thing.name), shape, said, (thing, attribute))

    def along(self, wording: str, thing: Thing, *path: str) -> Question:
        """A question whose answer several facts lead to, each about what the one before it names."""
        needs = []
        name = thing.name
        for attribute in path:
            needs.append((thing, attribute))
            value = thing.facts[attribute]
            thing = self.land.things.get(str(value), thing)
        shape: Shape = "two hops" if len(path) == 2 else "three hops"
        return self.ask(wording.format(name), shape, _year(value) if path[-1] == "born" else value, *needs)

    def longer(self, wording: str, one: Thing, other: Thing) -> Question:
        """Which of two rivers is longer."""
        more, less = sorted((one, other), key=lambda river: -river.facts["length"])
        text, needs = wording.format(one.name, other.name), ((one, "length"), (other, "length"))
        return self.ask(text, "comparison", more.name, *needs, instead=less.name)

    def apart(self, wording: str, one: Thing, other: Thing) -> Question:
        """By how much one river is longer than another."""
        by = abs(one.facts["length"] - other.facts["length"])
        return self.ask(wording.format(one.name, other.name), "difference", by, (one, "length"), (other, "length"))


def questions(site: Site, seed: int) -> list[Question]:
    """All questions of a web, in an order in which every beginning is a mixture."""
    makers = {"en": (_single, _hops, _compared, _listed), "zh": (_single_zh, _hops_zh, _compared_zh)}
    made: list[Question] = []
    for language in site.countries:
        asker = Asker(site, language)
        made += [question for make in makers[language] for question in make(asker)]
        made += [*_disputed(site, asker), *_unknown(asker)]
    Random(seed).shuffle(made)  # noqa: S311 - a shuffle
    return made


def _year(value: Any) -> str:
    return str(value)[:4]


def _single(of: Asker) -> Iterator[Question]:
    bridges = of.things("bridge")
    yield from (of.of("Who wrote {}?", book, "author") for book in of.things("book")[:3])
    yield from (of.of("When was {} born?", person, "born") for person in of.things("person")[5:8])
    yield from (of.of("What is the population of {}?", town, "population") for town in of.things("town")[3:5])
    yield from (of.of("How long is the {}?", river, "length") for river in of.things("river")[1:3])
    yield from (of.of("How many employees does {} have?", firm, "employees") for firm in of.things("company")[2:4])
    yield of.of("When did {} open?", bridges[0], "opened")
    yield of.of("Who designed {}?", bridges[1], "architect")


def _hops(of: Asker) -> Iterator[Question]:
    books, people, firms = of.things("book"), of.things("person"), of.things("company")
    for book in books[3:6]:
        yield of.along("When was the author of {} born?", book, "author", "born")
    for firm in firms[:2]:
        yield of.along("In which town was the founder of {} born?", firm, "founder", "birthplace")
    for bridge in of.things("bridge")[2:4]:
        yield of.along("How long is the river crossed by {}?", bridge, "crosses", "length")
    for firm in [firm for firm in firms if of.settled(firm, "headquarters")][:2]:
        asked = "What is the population of the town where {} has its headquarters?"
        yield of.along(asked, firm, "headquarters", "population")
    for book in [book for book in books if of.settled(book, "author", "birthplace")][:3]:
        asked = "When was the town where the author of {} was born founded?"
        yield of.along(asked, book, "author", "birthplace", "founded")
    for person in people[9:11]:
        asked = "How long is the river that flows through the town where {} was born?"
        yield of.along(asked, person, "birthplace", "river", "length")


def _compared(of: Asker) -> Iterator[Question]:
    rivers, people = of.things("river"), of.things("person")
    yield of.longer("Which is longer, the {} or the {}?", rivers[0], rivers[3])
    yield of.longer("Which is longer, the {} or the {}?", rivers[4], rivers[2])
    for one, other in ((people[0], people[9]), (people[3], people[12])):
        first, second = sorted((one, other), key=lambda person: person.facts["born"])
        text, needs = f"Who was born first, {one.name} or {other.name}?", ((one, "born"), (other, "born"))
        yield of.ask(text, "comparison", first.name, *needs, instead=second.name)
    yield of.apart("By how many kilometres is the {} longer than the {}?", rivers[5], rivers[0])
    yield of.apart("By how many kilometres is the {} longer than the {}?", rivers[3], rivers[1])
    for book in of.things("book")[6:8]:
        author = of.other(book, "author")
        years = book.facts["published"] - int(_year(author.facts["born"]))
        text = f"How many years after the birth of {author.name} was {book.name} published?"
        yield of.ask(text, "difference", years, (author, "born"), (book, "published"))


def _listed(of: Asker) -> Iterator[Question]:
    for one, two, three in (of.things("person")[1:4], of.things("person")[12:15]):
        text = f"List the birth years of {one.name}, {two.name} and {three.name}."
        people = (one, two, three)
        yield of.ask(text, "list", [_year(each.facts["born"]) for each in people], *((each, "born") for each in people))
    for river in (of.things("river")[0], of.things("river")[4]):
        yield of.of("Which towns does the {} flow through?", river, "towns")


def _single_zh(of: Asker) -> Iterator[Question]:
    yield from (of.of("《{}》的作者是谁？", book, "author") for book in of.things("book")[:2])
    yield from (of.of("{}是哪一年出生的？", person, "born") for person in of.things("person")[1:4])
    yield from (of.of("{}有多少人口？", town, "population") for town in of.things("town")[1:3])
    yield of.of("{}全长多少公里？", of.things("river")[0], "length")
    yield of.of("{}有多少员工？", of.things("company")[1], "employees")


def _hops_zh(of: Asker) -> Iterator[Question]:
    books = of.things("book")
    yield from (of.along("《{}》的作者是哪一年出生的？", book, "author", "born") for book in books[2:4])
    for firm in of.things("company")[2:4]:
        yield of.along("{}的创始人是哪一年出生的？", firm, "founder", "born")
    yield of.along("{}横跨的河流全长多少公里？", of.things("bridge")[0], "crosses", "length")
    for book in [book for book in books if of.settled(book, "author", "birthplace")][:2]:
        yield of.along("《{}》的作者出生的城市有多少人口？", book, "author", "birthplace", "population")


def _compared_zh(of: Asker) -> Iterator[Question]:
    rivers, people = of.things("river"), of.things("person")[6:9]
    yield of.longer("{}和{}哪条更长？", rivers[0], rivers[1])
    yield of.apart("{}比{}长多少公里？", rivers[3], rivers[2])
    text = f"请列出{people[0].name}、{people[1].name}和{people[2].name}的出生年份。"
    yield of.ask(text, "list", [_year(one.facts["born"]) for one in people], *((one, "born") for one in people))


_WORDING: Final = {
    ("en", "founded"): "When was {} founded?",
    ("en", "population"): "What is the population of {}?",
    ("zh", "founded"): "{}始建于哪一年？",
    ("zh", "population"): "{}有多少人口？",
}


def _disputed(site: Site, of: Asker) -> Iterator[Question]:
    for (name, attribute), values in site.disputed.items():
        if thing := of.land.things.get(name):
            text = _WORDING[of.language, attribute].format(name)
            yield of.ask(text, "disputed", list(values), (thing, attribute))


def _unknown(of: Asker) -> Iterator[Question]:
    people, bridges = of.things("person"), of.things("bridge")
    asked = {
        "en": (
            f"What was the shoe size of {people[0].name}?",
            f"How many windows does {bridges[0].name} have?",
            f"What was the name of the dog of {people[11].name}?",
            "When was Ottoline Brammersdorf born?",
            "What is the population of Zellenbruck?",
            f"Who is the chief executive of {of.things('company')[-1].name}?",
        ),
        "zh": (f"{people[0].name}的身高是多少？", "柳渡市有多少人口？", f"{bridges[1].name}用了多少颗铆钉？"),
    }
    yield from (Question(text, of.language, "unanswerable", ()) for text in asked[of.language])
