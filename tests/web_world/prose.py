"""Articles by template: the fact deep in the page, beside other numbers and names about the same thing.

The templates are `tests/data/web_world/en.txt` and `zh.txt`: a section `# kind` for each kind of thing, `== heading`, a
line a sentence with its wordings between ` | `, `attribute: ` before one that tells a fact, a blank line between
paragraphs. `{length}` is a fact, `{born-9}` a year off one, `{40-160}` a number drawn.
"""

import re
from datetime import date
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Final

from tests.web_world.article import Article
from tests.web_world.things import Language, Thing

MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_HEADING: Final = {"en": "Legacy", "zh": "影响"}
_ROLES: Final = {
    "en": {"writer": "a writer of novels", "engineer": "an engineer", "architect": "an architect"},
    "zh": {"writer": "小说家", "engineer": "工程师", "architect": "建筑师"},
}
_WOMEN: Final = ("Elsa", "Ida", "Livia", "Nerys", "Greta", "Odile", "Sabine", "Tilda", "Petra", "Yrsa", "Lotte")
_FIELD: Final = re.compile(r"\{(?:(\d+)-(\d+)|(\w+?)([+-]\d+)?)(,?)\}")
_FACT: Final = re.compile(r"([a-z]+): (?=\S)")


def article(thing: Thing, random: Random, *, title: str = "") -> Article:
    """The article about a thing, as an encyclopedia would have it."""
    language = thing.language
    page = Article(title or _shown(thing), language, random)
    known = _known(thing, random)
    for line in _sections(language)[thing.kind]:
        if line.startswith("== "):
            page.heading(line.removeprefix("== "))
        if line.startswith("== ") or not line:
            page.begin()
            continue
        told = _FACT.match(line)
        sentence = _filled(random.choice(line[told.end() if told else 0 :].split(" | ")), known, random)
        page.add(sentence)
        for attribute in ("born", "birthplace") if told and told[1] == "born" else (told[1],) if told else ():
            page.told[thing.name, attribute] = sentence
    page.heading(_HEADING[language])
    sentences = page.some(_sections(language)["chatter"], 6 if language == "zh" or thing.kind == "person" else 8)
    for start in range(0, len(sentences), 2):
        page.say(*(one.format(it=known["it"]) for one in sentences[start : start + 2]))
    return page


def gossip(thing: Thing, random: Random, n: int) -> Article:
    """An article that is about a thing and tells nothing that is asked for."""
    language, known = thing.language, _known(thing, random)
    titles, opening, more, days, left, asked = _sections(language)["gossip"]
    headed = [_filled(one, known, random) for one in titles.split(" | ")]
    page = Article(headed[n % len(headed)], language, random)
    page.say(_filled(opening, known, random), more)
    for day in days.split(" | "):
        page.heading(day)
        chatter = (one.format(it=known["name"]) for one in page.some(_sections(language)["chatter"], 2))
        page.say(_filled(left, known, random), _filled(asked, known, random), *chatter)
    return page


@cache
def _sections(language: Language) -> dict[str, tuple[str, ...]]:
    text = (Path(__file__).parents[1] / "data" / "web_world" / f"{language}.txt").read_text(encoding="utf-8")
    parts = (part.partition("\n") for part in text.removeprefix("# ").split("\n# "))
    return {kind: tuple(lines.strip("\n").split("\n")) for kind, _, lines in parts}


def _shown(thing: Thing) -> str:
    return f"《{thing.name}》" if thing.language == "zh" and thing.kind == "book" else thing.name


def _known(thing: Thing, random: Random) -> dict[str, Any]:
    """What templates may name of a thing."""
    english, shown = thing.language == "en", _shown(thing)
    pronoun = "She" if thing.name.split()[0] in _WOMEN else "He"
    last = thing.name.rpartition(" ")[2]
    known = {**thing.facts, "name": shown, "last": last, "pronoun": pronoun, "pronoun_in": pronoun.lower()}
    known["trade"] = random.choice(_sections(thing.language)["trades"])
    known["role"] = _ROLES[thing.language].get(thing.facts.get("role", ""), "")
    known["it"] = last if thing.kind == "person" else f"the {shown}" if english and thing.kind == "river" else shown
    towns = thing.facts.get("towns", [])
    english_list = towns[0] if len(towns) == 1 else f"{', '.join(towns[:-1])} and {''.join(towns[-1:])}"
    return {**known, "towns": english_list if english else "、".join(towns), "english": english}


def _filled(template: str, known: dict[str, Any], random: Random) -> str:
    def fill(found: re.Match[str]) -> str:
        low, high, name, offset, thousands = found.groups()
        value = random.randint(int(low), int(high)) if low else known[name]
        if offset:
            return str(int(str(value)[:4]) + int(offset))
        if name in {"born", "died"}:
            return _day(value, english=known["english"])
        return f"{value:,}" if thousands else str(value)

    return _FIELD.sub(fill, template)


def _day(iso: str, *, english: bool) -> str:
    """A date as prose has it."""
    when = date.fromisoformat(iso)
    return f"{when.day} {MONTHS[when.month - 1]} {when.year}" if english else f"{when.year}年{when.month}月{when.day}日"
