"""All pages of the web: an encyclopedia, almanacs, newspapers and their copies, gossip, and pages with something wrong."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, Final

from tests.web_world import prose
from tests.web_world.article import Article
from tests.web_world.pages import UTF8, Coding, Page, Trouble
from tests.web_world.things import Country, Fact, Language, Thing

TROUBLES: Final[tuple[Trouble, ...]] = (
    "not_found", "gone", "forbidden", "challenge", "login", "consent", "slow", "empty", "image", "huge", "endless",
    "moved", "loop", "private", "robots",
)  # fmt: skip
"""What is wrong with pages, each twice in English and once in Chinese."""

_HOSTS: Final[dict[str, str]] = {
    "not_found": "old.deadlinks.test",
    "gone": "old.deadlinks.test",
    "forbidden": "www.guardedpages.test",
    "challenge": "www.guardedpages.test",
    "login": "www.paidreading.test",
    "consent": "www.paidreading.test",
    "slow": "slow.molasses.test",
    "empty": "www.unfinished.test",
    "image": "files.bulk.test",
    "huge": "files.bulk.test",
    "endless": "files.bulk.test",
    "moved": "go.shortlinks.test",
    "loop": "go.shortlinks.test",
    "private": "go.shortlinks.test",
    "robots": "www.recordoffice.test",
}
ROBOTS_HOST: Final = _HOSTS["robots"]
"""The host whose robots.txt forbids a folder."""
FORBIDDEN_FOLDER: Final = "/archive/"
"""The folder that it forbids."""

CODINGS: Final = (
    UTF8,
    Coding("gb18030", "gb2312", "gb2312"),
    Coding("gb18030", "utf-8", "utf-8"),
    Coding("gb18030", "", ""),
    Coding("utf-8", "", ""),
    Coding("big5", "big5", "big5"),
    Coding("big5", "", "big5"),
)
"""How Chinese sites send their text, rightly and wrongly labelled."""


@dataclass
class Site:
    """All pages, and what can be learned from them."""

    countries: dict[Language, Country]  # the invented country of each language
    pages: dict[str, Page] = field(default_factory=dict)  # every page, by its address
    # The values that independent pages give of a fact, the encyclopedia's first.
    disputed: dict[Fact, tuple[Any, ...]] = field(default_factory=dict)

    def carriers(self, fact: Fact) -> frozenset[str]:
        """The addresses of the pages that tell a fact to whoever opens them."""
        return frozenset(address for address, page in self.pages.items() if fact in page.tells)

    def add(self, page: Page) -> None:
        """Put a page at its address."""
        if page.address in self.pages:
            raise ValueError(f"{page.address} is taken")
        self.pages[page.address] = page


def build(seed: int) -> Site:
    """Make the web of a seed."""
    random = Random(seed)  # noqa: S311 - a generator's
    site = Site({"en": Country("en", random), "zh": Country("zh", random)})
    for language, country in site.countries.items():
        things = list(country.things.values())
        for n, thing in enumerate(things):
            for page in _encyclopedia(thing, n, random):
                site.add(page)
            if n % 2:
                site.add(_gossip(thing, n, random))
        towns = country.of_kind("town")
        for n, town in enumerate(towns):
            site.add(_almanac(town, site, n, random))
        for n, town in enumerate(towns[: 8 if language == "en" else 4]):
            for page in _story(town, site, n, random):
                site.add(page)
        times = 2 if language == "en" else 1
        wrong = random.sample(things, times * len(TROUBLES))
        for n, thing in enumerate(wrong):
            for page in _trouble(thing, TROUBLES[n % len(TROUBLES)], n, random):
                site.add(page)
    return site


def slug(thing: Thing) -> str:
    """A thing's name in an address, in ASCII."""
    if thing.language == "en":
        return thing.name.lower().replace(" ", "-")
    return "".join(f"{ord(char):x}" for char in thing.name)


def _encyclopedia(thing: Thing, n: int, random: Random) -> Iterator[Page]:
    """The main page of a thing. Some are PDFs, some are lost and left only at an archive that kept them."""
    article = prose.article(thing, random)
    page = Page(f"{thing.language}.openlore.test", f"/wiki/{slug(thing)}", article, thing.name)
    if thing.language == "zh":
        page = replace(page, coding=CODINGS[n % len(CODINGS)])
    elif n % 9 == 5:
        page = replace(page, kind="pdf", path=page.path + ".pdf")
    if n % 7 == 3:
        yield replace(page, trouble="not_found")
        page = replace(page, host="wiki.backup.test")
    yield page


def _gossip(thing: Thing, n: int, random: Random) -> Page:
    article = prose.gossip(thing, random, n)
    return Page("blog.dayouting.test", f"/{thing.language}/{slug(thing)}-{n}", article, thing.name)


_OFF: Final = {0: ("founded", 4), 1: ("population", 2_310), 2: ("founded", 9), 3: ("population", -1_870)}
"""The towns, by their number, of which the almanac says something else than the encyclopedia, and by how much."""
_OFF_ZH: Final = {0: ("founded", 6), 1: ("population", 1_540)}


def _almanac(town: Thing, site: Site, n: int, random: Random) -> Page:
    """A second, independent page about a town."""
    off = (_OFF if town.language == "en" else _OFF_ZH).get(n)
    other = Thing(town.name, "town", town.language, dict(town.facts))
    if off:
        attribute, by = off
        other.facts[attribute] += by
        site.disputed[town.name, attribute] = (town.facts[attribute], other.facts[attribute])
    title = f"{town.name} – Town Almanac" if town.language == "en" else f"{town.name}概况"
    host = "www.townalmanac.test" if town.language == "en" else "www.difangzhi.test"
    article = prose.article(other, random, title=title)
    return Page(host, f"/{slug(town)}.html", article, town.name, date=f"20{random.randint(11, 24)}-03-01")


def _story(town: Thing, site: Site, n: int, random: Random) -> Iterator[Page]:
    """A newspaper's story that others took over: five addresses of one source. It has its year from the almanac."""
    year = site.disputed.get((town.name, "founded"), (town.facts["founded"],))[-1]
    article = _celebration(town, year, random)
    path, date = f"/2025/{n + 1:02}/{slug(town)}", f"2025-{n + 1:02}-11"
    paper = "harbourpost.test" if town.language == "en" else "qingchuan.test"
    first = Page(f"www.{paper}", path, article, town.name, date=date)
    yield first
    yield replace(first, host=f"m.{paper}", copy_of=first.address)
    yield replace(first, host=f"amp.{paper}", path=f"{path}/amp", copy_of=first.address)
    yield replace(first, path=f"{path}?utm_source=feed&utm_medium=rss", copy_of=first.address)
    sections = [*article.sections]
    sections[-1] = (sections[-1][0], [*sections[-1][1], _AGENCY[town.language]])
    taken = replace(article, sections=sections)
    yield Page("www.valleyecho.test", f"/agency{path}", taken, town.name, date=date, copy_of=first.address)


_AGENCY: Final = {
    "en": "This report was supplied by an agency and has been shortened.",
    "zh": "本文由通讯社提供，略有删节。",
}


def _celebration(town: Thing, year: int, random: Random) -> Article:
    name = town.name
    if town.language == "zh":
        page = Article(f"{name}筹备城庆", "zh", random)
        page.say(
            f"{name}的市民正在为一场拖延已久的庆典做准备，灯笼已经挂上了老街。", "组织者说，今年的游行会比往年都长。"
        )
        page.say(
            "上个月的筹备会开到深夜，争论的焦点是由谁来付烟火的钱。",
            page.fact(name, "founded", f"据组织者介绍，{name}始建于{year}年。"),
            f"预计将有{random.randint(3, 30)}支乐队参加。",
        )
        return page
    page = Article(f"{name} prepares for its great feast", "en", random)
    page.say(
        f"The people of {name} are preparing for a feast that has been put off for years, and lanterns hang in every lane.",
        "The organisers promise a longer parade than ever.",
    )
    page.say(
        "The last meeting of the committee went on past midnight, over who is to pay for the fireworks.",
        page.fact(name, "founded", f"{name}, the organisers say, was founded in {year}."),
        f"Some {random.randint(12, 60)} bands have been invited, and {random.randint(200, 900)} loaves will be baked.",
    )
    page.say(
        f"Hotels in {name} are booked out, and the mayor has asked residents to take in guests.",
        "Rain is forecast for the second day, when the rowing races are held.",
    )
    return page


def _trouble(thing: Thing, trouble: Trouble, n: int, random: Random) -> Iterator[Page]:
    """A page that the search engine holds for one about a thing, and what comes instead of it."""
    title = f"{thing.name}: facts and history" if thing.language == "en" else f"{thing.name}：历史与概况"
    article = prose.article(thing, random, title=title)
    path = f"/{thing.language}/{slug(thing)}-{n}"
    if trouble == "robots":
        path = f"{FORBIDDEN_FOLDER}{slug(thing)}-{n}"
    page = Page(_HOSTS[trouble], path, article, thing.name, trouble=trouble)
    if trouble != "moved":
        yield page
        return
    home = Page(f"{thing.language}.reference.test", f"/{slug(thing)}-{n}", article, thing.name)
    steps = [replace(page, path=f"{path}/{step}") for step in (1, 2, 3)]
    yield replace(page, to=steps[0].address)
    for step, following in zip(steps, [*(step.address for step in steps[1:]), home.address], strict=True):
        yield replace(step, to=following)
    yield home
