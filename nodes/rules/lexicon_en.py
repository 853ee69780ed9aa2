"""English nouns and adjectives that a question can be asked by."""

import re
from typing import Final

from nodes.rules.forms import SLOT, word_set

_PERSON: Final = (
    "author writer novelist poet playwright director producer composer architect designer engineer painter sculptor "
    "artist singer performer lyricist songwriter screenwriter creator inventor discoverer founder co-founder builder "
    "owner publisher editor translator narrator conductor developer "
    "father mother wife husband spouse partner son daughter child brother sister sibling uncle aunt nephew "
    "niece cousin "
    "grandfather grandmother grandson granddaughter parent mentor teacher student successor predecessor heir tutor "
    "lead instructor organizer maintainer supervisor "
    "president king queen emperor empress ruler monarch chancellor governor mayor leader head chairman chairwoman "
    "chairperson ceo captain coach manager commander prime-minister vice-president dean principal rector patron "
    "winner runner-up namesake protagonist hero heroine villain drummer guitarist vocalist bassist frontman star actor "
    "actress host presenter rival assassin killer discoverers"
)
_PLACE: Final = (
    "capital birthplace hometown headquarters seat location country continent source mouth homeland venue setting "
    "residence site epicentre epicenter"
)
_THING: Final = (
    "currency language religion alma-mater employer label genre occupation profession nationality dynasty family "
    "anthem flag newspaper sequel prequel cause motto symbol masterpiece manufacturer successor predecessor subject "
    "theme record-label parent-company theme-song surname nickname cause-of-death height population native-language"
)
RELATIONAL: Final = frozenset(noun.replace("-", " ") for noun in f"{_PERSON} {_PLACE} {_THING}".split())
PEOPLE: Final = frozenset(noun.replace("-", " ") for noun in _PERSON.split())
"""Nouns that name a thing by its relation to another ("the author of Hamlet"); people among them."""

_CLASS_PEOPLE: Final = (
    "person man woman people emperor king queen scientist physicist chemist mathematician astronomer philosopher "
    "politician general explorer athlete player footballer musician band group character individual astronaut "
    "president author writer poet painter architect director composer singer actor actress inventor engineer founder "
    "physician doctor nurse historian economist artist novelist journalist dynast pope saint warrior soldier "
)
_CLASS_THINGS: Final = (
    "country city state town village province county continent region place island river lake sea ocean mountain "
    "mountains peak bridge tower building museum gallery palace temple castle church cathedral university "
    "college school "
    "hospital company firm organization organisation institution association party team club league army ship plane "
    "aircraft car engine film movie novel book play poem song album opera symphony painting sculpture magazine "
    "newspaper "
    "series show game website language currency empire kingdom dynasty war battle treaty law theory element planet "
    "moon star galaxy disease drug plant animal species stadium airport station railway canal dam prize award event "
    "festival work area district street square park garden house site year date day sport"
)
CLASSES: Final = frozenset(f"{_CLASS_PEOPLE} {_CLASS_THINGS}".split())
PERSON_CLASSES: Final = frozenset(_CLASS_PEOPLE.split())
"""Nouns that a relative clause may pick something out of ("the city where …"); people among them."""

ADJECTIVES: Final = word_set(
    "first second third last current former present main original late chief lead "
    "principal official national largest "
    "biggest longest highest tallest smallest oldest youngest deepest greatest only new elder younger eldest youngest "
    "most famous best-known largest next previous international maternal paternal future second-largest "
    "populous common "
    "ancient modern legal birth native"
)

DATE_ATTRIBUTES: Final = {
    "birth date": "born",
    "birthdate": "born",
    "date of birth": "born",
    "birth year": "born",
    "year of birth": "born",
    "birthday": "born",
    "birth": "born",
    "death date": "died",
    "date of death": "died",
    "death year": "died",
    "year of death": "died",
    "death": "died",
    "founding date": "founded",
    "founding year": "founded",
    "foundation date": "founded",
    "year of foundation": "founded",
    "date of foundation": "founded",
    "founding": "founded",
    "foundation": "founded",
    "establishment": "established",
    "publication": "published",
    "publication date": "published",
    "publication year": "published",
    "release": "released",
    "release date": "released",
    "release year": "released",
    "completion": "completed",
    "completion date": "completed",
    "opening": "opened",
    "opening date": "opened",
    "premiere": "premiered",
    "premiere date": "premiered",
    "invention": "invented",
    "discovery": "discovered",
    "coronation": "crowned",
    "assassination": "assassinated",
    "outbreak": "start",
    "beginning": "start",
    "start": "start",
    "end": "end",
    "fall": "fall",
    "formation": "formed",
    "construction": "built",
    "creation": "created",
    "unification": "unified",
    "first ascent": "first climbed",
    "launch": "launched",
}
"""Nouns that ask for a date, with the relation they stand for."""

PLURALS: Final = {"births": "birth", "deaths": "death", "capitals": "capital", "heights": "height"}

MEASURES: Final = frozenset(
    "height length depth width area population weight mass speed distance size age price cost capacity altitude "
    "elevation diameter circumference volume density temperature gdp budget revenue number altitude lifespan duration "
    "surface latitude radius surface-area enrollment attendance total-area boiling-point melting-point".replace(
        "-", " "
    ).split()
) | {"surface area", "total area", "boiling point", "melting point", "life expectancy", "gross domestic product"}

_PASSIVE: Final = word_set(
    "born founded established published released completed opened premiered invented "
    "discovered crowned assassinated "
    "formed built created unified launched written painted composed designed constructed made erected elected"
)
_ACTIVE: Final = {"died": "die", "premiered": "premiere", "start": "start", "end": "end", "fall": "fall"}


def date_question(relation: str) -> str:
    """The question that asks when a relation came about: "When was {} born?"."""
    base = _ACTIVE.get(relation)
    return f"When did {SLOT} {base}?" if base else f"When was {SLOT} {relation}?"


def attribute_question(noun: str) -> tuple[str, str] | None:
    """The question a noun asks of a subject, and the relation: "birthplace" → ("Where was {} born?", "birthplace")."""
    noun = noun.lower()
    noun = PLURALS.get(noun, noun)
    for form in (noun, noun.removesuffix("s"), re.sub(r"ies$", "y", noun)):
        if form in DATE_ATTRIBUTES:
            return date_question(DATE_ATTRIBUTES[form]), DATE_ATTRIBUTES[form]
        if form in {"birthplace", "place of birth", "birth place"}:
            return f"Where was {SLOT} born?", "birthplace"
        if form in {"place of death", "death place"}:
            return f"Where did {SLOT} die?", "place of death"
        if form in MEASURES:
            return f"What is the {form} of {SLOT}?", form
    return None


# adjective: (question, relation, whether the comparative form means less)
_COMPARED: Final = {
    "tall": (f"How tall is {SLOT}?", "height"),
    "high": (f"How high is {SLOT}?", "height"),
    "long": (f"How long is {SLOT}?", "length"),
    "deep": (f"How deep is {SLOT}?", "depth"),
    "wide": (f"How wide is {SLOT}?", "width"),
    "heavy": (f"How heavy is {SLOT}?", "weight"),
    "fast": (f"How fast is {SLOT}?", "speed"),
    "large": (f"How large is {SLOT}?", "size"),
    "big": (f"How big is {SLOT}?", "size"),
    "great": (f"How large is {SLOT}?", "size"),
    "short": (f"How long is {SLOT}?", "length"),
    "low": (f"How high is {SLOT}?", "height"),
    "small": (f"How large is {SLOT}?", "size"),
    "little": (f"How large is {SLOT}?", "size"),
    "light": (f"How heavy is {SLOT}?", "weight"),
    "slow": (f"How fast is {SLOT}?", "speed"),
    "shallow": (f"How deep is {SLOT}?", "depth"),
    "narrow": (f"How wide is {SLOT}?", "width"),
    "expensive": (f"How much does {SLOT} cost?", "price"),
    "cheap": (f"How much does {SLOT} cost?", "price"),
    "populous": (f"What is the population of {SLOT}?", "population"),
    "hot": (f"How hot is {SLOT}?", "temperature"),
    "cold": (f"What is the temperature of {SLOT}?", "temperature"),
    "thick": (f"How thick is {SLOT}?", "thickness"),
    "distant": (f"How far away is {SLOT}?", "distance"),
    "far": (f"How far away is {SLOT}?", "distance"),
    "dense": (f"What is the density of {SLOT}?", "density"),
    "massive": (f"What is the mass of {SLOT}?", "mass"),
}
_LESS: Final = word_set("short low small little light slow shallow narrow cheap cold")
_AGE: Final = {
    "old": "less",
    "young": "greater",
    "new": "greater",
    "recent": "greater",
    "early": "less",
    "late": "greater",
}

_IRREGULAR_DEGREES: Final = {"elder": "old", "eldest": "old", "farther": "far", "farthest": "far", "further": "far"}


def adjective_of(word: str) -> tuple[str, str] | None:
    """The adjective and its degree: "taller" → ("tall", "er"), "biggest" → ("big", "est"); None if it is not known."""
    word = word.lower()
    if word in _IRREGULAR_DEGREES:
        return _IRREGULAR_DEGREES[word], "est" if word.endswith("est") else "er"
    for ending in ("er", "est"):
        if word.endswith(ending):
            stem = word.removesuffix(ending)
            for base in (stem, stem + "e", stem[:-1] + "y" if stem.endswith("i") else "", stem[:-1]):
                if base and (base in _COMPARED or base in _AGE):
                    return base, ending
    return None


def measure_of(adjective: str) -> tuple[str, str, str] | None:
    """Question, relation and winning direction of an adjective that measures; None for age and unknown ones."""
    if adjective not in _COMPARED:
        return None
    question, relation = _COMPARED[adjective]
    return question, relation, "less" if adjective in _LESS else "greater"


def age_direction(adjective: str) -> str | None:
    """Which beginning wins where an adjective compares ages: the less (earlier) or the greater."""
    return _AGE.get(adjective)


BEGINNINGS: Final = {
    "founded": word_set(
        "university college school academy institute company firm corporation bank club team party museum organization "
        "organisation newspaper magazine hospital city town country state republic empire dynasty band"
    ),
    "published": word_set("book novel poem play encyclopedia dictionary essay"),
    "released": word_set("film movie album song single game show series"),
    "built": word_set(
        "bridge tower building temple palace castle church cathedral mosque wall house stadium station skyscraper "
        "airport canal dam railway lighthouse monument pyramid opera"
    ),
    "painted": word_set("painting fresco portrait"),
    "composed": word_set("symphony concerto sonata waltz"),
}


def beginning_of(text: str) -> str | None:
    """The relation that says how the kind of thing named in a text began: "university" → founded."""
    present = {word.strip(".,").removesuffix("'s") for word in text.lower().split()}
    present |= {word.removesuffix("s") for word in present} | {re.sub(r"ies$", "y", word) for word in present}
    for relation, nouns in BEGINNINGS.items():
        if present & nouns:
            return relation
    return None
