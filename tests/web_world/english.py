"""Articles in English: the fact deep in the page, beside other numbers and names about the same thing."""

from datetime import date
from random import Random

from tests.web_world.article import Article
from tests.web_world.things import Thing

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_HERSELF = ("Elsa", "Ida", "Livia", "Nerys", "Greta", "Odile", "Sabine", "Tilda", "Petra", "Yrsa", "Lotte")


def day(iso: str) -> str:
    """A date as prose has it."""
    when = date.fromisoformat(iso)
    return f"{when.day} {MONTHS[when.month - 1]} {when.year}"


def article(thing: Thing, random: Random, *, title: str = "") -> Article:
    """The article about a thing, as an encyclopedia would have it."""
    made = Article(title or thing.name, "en", random)
    _MAKERS[thing.kind](made, thing)
    return made


def _town(page: Article, it: Thing) -> None:
    name, facts, draw = it.name, it.facts, page.random
    trade = draw.choice(("bell foundry", "covered market", "walled gardens", "horse fair", "clock tower"))
    page.say(
        draw.choice(
            (
                f"{name} is a market town in the uplands, known for its {trade} and the terraced houses along its walls.",
                f"A town of weavers and rope makers, {name} has kept its {trade} and most of its medieval street plan.",
                f"{name} calls itself the gate of the uplands; its {trade} draws day trippers from the whole coast.",
            )
        ),
        draw.choice(
            (
                "Visitors usually come by the coast road and climb the castle mound to look over the whole valley.",
                "In winter the road over the pass is closed and the town has itself to itself.",
                "Its baker's guild still fixes the weight of the loaf on the last Sunday of August.",
            )
        ),
    )
    page.heading("History")
    page.say(
        f"The early history of {name} is told in a handful of charters, most of them kept in the parish chest.",
        "None of the buildings that stood then has survived above ground.",
    )
    year = facts["founded"]
    page.say(
        page.fact(
            name,
            "founded",
            f"{name} was founded in {year} by wool merchants from the coast.",
            f"The town was founded in {year}, when the abbot granted it a market.",
            f"It was established in {year} as a toll station on the salt road.",
        ),
        "For its first two centuries the settlement had no wall, only a ditch and a hedge.",
    )
    fire = draw.randint(1610, 1690)
    page.say(
        f"A fire in {fire} destroyed most of the houses around the market of {name}.",
        f"The guildhall that replaced them was finished in {fire + 11}, and the school was opened in {fire + 60}.",
        f"The railway came in {draw.randint(1858, 1889)} and turned the wharf into a goods yard.",
    )
    page.heading("Geography")
    page.say(
        f"{name} lies in a bowl of chalk hills; the ridge above it rises to {draw.randint(310, 690)} metres.",
        page.fact(
            name,
            "river",
            f"{name} stands on the river {facts['river']}, which powered its mills until the war.",
            f"The river {facts['river']} flows through {name} from north to south.",
            f"The town lies on the banks of the {facts['river']}, below the old weir.",
        ),
    )
    page.heading("Population")
    page.say(
        f"In 1901 the parish counted {draw.randint(1_900, 6_400):,} households.",
        page.fact(
            name,
            "population",
            f"At the last census {name} had a population of {facts['population']:,}.",
            f"Today the town has {facts['population']:,} inhabitants.",
            f"The population of {name} is {facts['population']:,}, a tenth of it students.",
        ),
        f"About {draw.randint(900, 4_000):,} people travel to the coast for work every day.",
    )
    _chatter(page, name, 4)


def _river(page: Article, it: Thing) -> None:
    name, facts, draw = it.name, it.facts, page.random
    page.say(
        draw.choice(
            (
                f"The {name} is a river of the uplands, prized by anglers and painters and feared for its spring floods.",
                f"Brown after rain and green in summer, the {name} has turned mills for as long as there are records.",
                f"The {name} is a river that shifts its bed: three villages have changed banks within memory.",
            )
        ),
        draw.choice(
            (
                "Its upper valley is wild and its lower one is lined with orchards and willow beds.",
                "Otters have come back to it, and with them the quarrels about fish ponds.",
            )
        ),
    )
    page.heading("Course")
    page.say(
        page.fact(
            name,
            "source",
            f"The {name} rises on {facts['source']}, in a bog that never dries.",
            f"It rises on the slopes of {facts['source']}.",
        ),
        f"After {draw.randint(9, 40)} kilometres it leaves the moor through a gorge {draw.randint(40, 160)} metres deep.",
        page.fact(
            name,
            "towns",
            f"On its way the {name} flows through {_listed(facts['towns'])}.",
            f"The towns on the {name} are {_listed(facts['towns'])}.",
        ),
    )
    page.say(
        f"The flood of {draw.randint(1780, 1850)} raised the {name} by {draw.randint(5, 9)} metres in a night.",
        page.fact(
            name,
            "length",
            f"The {name} is {facts['length']} kilometres long.",
            f"From source to mouth the river has a length of {facts['length']} km.",
            f"It has a total length of {facts['length']} kilometres, of which 60 are navigable.",
        ),
        page.fact(
            name, "mouth", f"It flows into the {facts['mouth']}.", f"The river empties into the {facts['mouth']}."
        ),
    )
    _chatter(page, f"the {name}", 4)


def _person(page: Article, it: Thing) -> None:
    name, facts, draw = it.name, it.facts, page.random
    pronoun = "She" if name.split()[0] in _HERSELF else "He"
    last = name.rpartition(" ")[2]
    role = {"writer": "a writer of novels", "engineer": "an engineer", "architect": "an architect"}[facts["role"]]
    page.say(
        draw.choice(
            (
                f"{name} was {role} whose work was overlooked for decades and is now shown in museums.",
                f"Few people have been praised so late as {name}, {role} who worked alone and signed nothing.",
                f"{name} was {role}, a tireless walker and the author of some of the rudest letters of the age.",
            )
        ),
        draw.choice(
            (
                f"Much of what is known of {last} comes from letters to a brother abroad.",
                f"The portrait that hangs in the county hall shows {last} with a parrot.",
                f"Three biographers of {last} have disagreed about almost everything.",
            )
        ),
    )
    town, birth, other = facts["birthplace"], day(facts["born"]), facts["deathplace"]
    page.heading("Early life")
    both = page.fact(
        name,
        "born",
        f"{pronoun} was born in {town} on {birth}, the third child of a chandler.",
        f"{name} was born on {birth} in {town}, above a saddler's shop.",
        f"Born in {town} on {birth}, {last} grew up among sailors and clerks.",
    )
    page.told[name, "birthplace"] = both
    year = int(facts["born"][:4])
    page.say(
        f"The family name is found in the tax rolls of {other} from 1540 on.",
        both,
        f"In {year + 7} the family moved to {other}, where {pronoun.lower()} went to school until {year + 15}.",
    )
    page.heading("Work")
    page.say(
        f"At {draw.randint(19, 24)} {last} found a place in a draughtsman's office, and stayed for six years.",
        f"A prize won in {year + 29} paid for a journey to the south, of which {draw.randint(3, 9)} notebooks survive.",
    )
    page.heading("Last years")
    page.say(
        f"From {int(facts['died'][:4]) - 9} on {last} lived quietly and kept bees.",
        page.fact(
            name,
            "died",
            f"{pronoun} died in {other} on {day(facts['died'])}.",
            f"{name} died on {day(facts['died'])} in {other}.",
        ),
        f"A plaque was put up in {int(facts['died'][:4]) + 40}.",
    )
    _chatter(page, last, 3)


def _book(page: Article, it: Thing) -> None:
    name, facts, draw = it.name, it.facts, page.random
    page.say(
        draw.choice(
            (
                f"{name} is a novel about a family of ferrymen, a debt and a winter that does not end.",
                f"{name} is a novel told by a night watchman who may have invented every person in it.",
                f"Half comedy and half court record, {name} is a novel about a lawsuit over a well.",
            )
        ),
        draw.choice(
            (
                "It has been read in schools for three generations and was twice forbidden.",
                "Critics were puzzled, readers were not, and the lending libraries kept waiting lists.",
                "Its last sentence is cut into the harbour wall.",
            )
        ),
    )
    page.heading("Background")
    author = facts["author"]
    page.say(
        "The manuscript, in two hands, is kept in a bank vault and has been photographed only once.",
        page.fact(
            name,
            "author",
            f"{name} was written by {author} during two winters in a lighthouse.",
            f"{author} wrote {name} in the back room of a tavern.",
            f"The author of {name} is {author}, though early copies bore no name.",
        ),
        f"Of the {draw.randint(24, 48)} chapters, {draw.randint(3, 9)} were added by the printer's wife.",
    )
    page.heading("Publication")
    page.say(
        f"The first drafts go back to {facts['published'] - draw.randint(4, 9)}.",
        page.fact(
            name,
            "published",
            f"{name} was published in {facts['published']} by a small press on the quay.",
            f"The novel was first published in {facts['published']}, in six hundred copies.",
        ),
        f"A stage version followed in {facts['published'] + 12}, and a second edition in {facts['published'] + 19}.",
    )
    _chatter(page, name, 4)


def _company(page: Article, it: Thing) -> None:
    name, facts, draw = it.name, it.facts, page.random
    page.say(
        draw.choice(
            (
                f"{name} is a manufacturer with many patents and a reputation for repairing whatever it has sold.",
                f"{name} is a family firm whose yellow boxes are found in every workshop of the country.",
                f"Known for its sirens at noon, {name} is the largest private employer of its valley.",
            )
        ),
        draw.choice(
            (
                "Its catalogues are collected, and its apprentices win most of the prizes of the guild.",
                "It has never advertised, and its delivery vans carry no name.",
            )
        ),
    )
    page.heading("History")
    founder, year = facts["founder"], facts["founded"]
    page.say(
        page.fact(
            name,
            "founder",
            f"{name} was founded by {founder} in a rented boathouse.",
            f"The founder of {name} was {founder}, who had been refused a place at the academy.",
            f"{founder} founded {name} with money borrowed from an aunt.",
        ),
        page.fact(
            name,
            "founded",
            f"{name} was founded in {year}.",
            f"The company was established in {year}, a year of bank failures.",
        ),
    )
    page.say(
        f"A second works was opened in {year + draw.randint(8, 15)}, and a strike in {year + 31} lasted eleven weeks.",
        f"In {year + 52} the firm was floated, and {draw.randint(2, 9)} of its rivals were bought.",
    )
    page.heading("Company")
    page.say(
        page.fact(
            name,
            "headquarters",
            f"{name} has its headquarters in {facts['headquarters']}.",
            f"The company is headquartered in {facts['headquarters']}, in a former granary.",
        ),
        page.fact(
            name,
            "employees",
            f"{name} employs {facts['employees']:,} people.",
            f"The company has {facts['employees']:,} employees.",
        ),
        f"It trains {draw.randint(20, 90)} apprentices a year and runs a museum with {draw.randint(300, 900)} machines.",
    )
    _chatter(page, name, 4)


def _bridge(page: Article, it: Thing) -> None:
    name, facts, draw = it.name, it.facts, page.random
    page.say(
        draw.choice(
            (
                f"{name} is a road bridge whose lamps and iron lilies are on every postcard of the valley.",
                f"{name} is a bridge of iron and brick, painted every ninth year in a colour the council votes on.",
                f"Swifts nest under {name}, a road bridge that hums when the wind is in the north.",
            )
        ),
        draw.choice(
            (
                "Wedding parties cross it on foot, and no wagon may overtake another on it.",
                "The toll house at its eastern end is a café now.",
            )
        ),
    )
    page.heading("Building")
    page.say(
        f"A ferry had served the crossing since 1604, and {draw.randint(2, 5)} earlier plans had come to nothing.",
        page.fact(
            name,
            "architect",
            f"{name} was designed by {facts['architect']}, who had never built in iron before.",
            f"The architect of {name} was {facts['architect']}.",
        ),
        f"Work began in {facts['opened'] - 5} and was stopped twice by floods.",
        page.fact(
            name,
            "opened",
            f"{name} was opened in {facts['opened']}.",
            f"The bridge opened in {facts['opened']}, with a week of fireworks.",
        ),
    )
    page.heading("Structure")
    page.say(
        f"It has {draw.randint(5, 13)} arches and stands {draw.randint(14, 40)} metres above the water.",
        page.fact(
            name,
            "span",
            f"{name} is {facts['span']} metres long.",
            f"The bridge has a length of {facts['span']} metres.",
        ),
        page.fact(
            name,
            "crosses",
            f"{name} crosses the {facts['crosses']} below {facts['town']}.",
            f"The bridge spans the river {facts['crosses']}.",
        ),
    )
    _chatter(page, name, 4)


_CHATTER = (
    "Guidebooks of the last century gave {it} a page and a half, most of it borrowed from one another.",
    "A society devoted to {it} meets on the first Monday of the month and publishes a bulletin.",
    "The painter's colony that gathered nearby left some forty views of {it}, none of them for sale.",
    "Local people will say that {it} is best seen in October, when the beeches have turned.",
    "A radio play about {it} was broadcast twice and then lost.",
    "Schoolchildren learn a rhyme about {it} which nobody can explain.",
    "There have been several attempts to make a film of the story of {it}, and all of them ran out of money.",
    "Collectors pay well for old photographs of {it}, and forgeries are common.",
    "Three dissertations on {it} have been written at foreign universities.",
    "The county keeps an archive on {it}, open on two afternoons a week.",
)


def _chatter(page: Article, it: str, count: int) -> None:
    page.heading("Legacy")
    sentences = page.some(_CHATTER, count * 2)
    for start in range(0, len(sentences), 2):
        page.say(*(sentence.format(it=it) for sentence in sentences[start : start + 2]))


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def gossip(thing: Thing, random: Random, n: int) -> Article:
    """An article that is about a thing and tells nothing that is asked for."""
    name = thing.name
    titles = (f"A weekend with {name}", f"Ten photographs of {name}", f"Why we keep coming back to {name}")
    page = Article(titles[n % len(titles)], "en", random)
    page.say(
        f"There is something about {name} that no timetable explains, and we went to look for it with a camera.",
        "What follows is a diary of three days, with prices, weather and the names of the better bakeries.",
    )
    for at in range(3):
        page.heading(("Friday", "Saturday", "Sunday")[at])
        page.say(
            f"We left at {random.randint(6, 9)} and paid {random.randint(3, 19)} crowns for parking.",
            f"Nobody we asked could tell us much about {name}, but everybody had an opinion.",
            *(sentence.format(it=name) for sentence in page.some(_CHATTER, 2)),
        )
    return page


_MAKERS = {
    "town": _town, "river": _river, "person": _person, "book": _book, "company": _company, "bridge": _bridge,
}  # fmt: skip
