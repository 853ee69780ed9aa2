"""English questions that ask for no value but for an account: "Tell me about the Danube"."""

import re
from typing import Final

from nodes.rules.answer_types_en import type_of
from nodes.rules.chains_en import describe
from nodes.rules.forms import SLOT, Lookup, Shape, word_set
from nodes.rules.lexicon_en import PEOPLE, PERSON_CLASSES
from nodes.rules.nouns_en import name
from text.patterns import lazy

_ABOUT: Final = lazy(
    r"(?:(?:hi|hello|hey|please|so|ok|okay)[,! ]+)*"
    r"(?:(?:can|could|would|will) you (?:please )?|i(?:'d| would) like you to |i want you to )?(?:please )?"
    r"(?:tell (?:me|us)(?: (?:a (?:bit|little)|something|more|some more|a bit more|everything|what you know"
    r"|briefly))* about"
    r"|(?:give|show) (?:me|us) (?:an? |some |the )?(?:brief |short |quick |general |basic )*"
    r"(?:introduction|intro|overview|information|info|summary|description|facts|account) (?:to|about|on|of)"
    r"|i(?:'d| would) like to (?:know|learn|hear) (?:more |something |a bit )?about"
    r"|i want to (?:know|learn|hear) (?:more |something )?about|what (?:do|can) you (?:know|tell me|tell us) about"
    r"|introduce(?: (?:me|us) to)?) (?P<thing>.+)",
    re.IGNORECASE,
)
_NOBODY: Final = word_set("yourself you me us it him her them this that these those weiwo")
_TITLES: Final = word_set(
    "emperor empress king queen prince princess pope saint st st. sir dame lord lady dr dr. mr mr. mrs mrs. ms ms. "
    "president general admiral captain chancellor tsar czar sultan professor prof. marshal count duke"
)
_GIVEN: Final = word_set(
    "ada adam adele agatha akira alan albert alexander alfred alice amelia amy andrew andy angela anna anne anthony "
    "antonio aristotle arthur audrey barack beatrice benjamin bernard bill blaise bob bruce carl caroline catherine "
    "cecilia charles charlie charlotte che christopher claude claudia daniel dante david diana dmitri dorothy douglas "
    "edgar edmund edward edwin elizabeth ella elon emily emma enrico eric ernest erwin eva fidel florence francis "
    "francisco franz frank franklin frederick frida friedrich fyodor gabriel galileo gaius george giacomo giuseppe "
    "grace greta gustav gustave hannah hans harriet harry helen henri henry herbert herman hillary homer howard hugo "
    "ian igor immanuel indira ingrid irene irène isaac isabella ivan jack jacob jacques james jan jane janet jean jeff "
    "jennifer jimmy joan joe johann johannes john joseph josephine jorn jørn juan judith jules julia julius karl "
    "katherine kate konrad kurt lena leo leon leonardo leonhard lewis linda lionel lise louis louise lucy ludwig "
    "mahatma malala marco margaret maria marie marilyn mark martin mary max maya michael michelangelo miguel mike "
    "mohandas muhammad napoleon nelson nicolas niels nikola noam oliver oscar otto pablo patricia paul peter philip "
    "pierre pliny rachel ralph ray rené richard robert roger ronald rosa rosalind rudolf ruth salvador samuel sarah "
    "sergei sigmund simone sofia sophie stephen steve steven susan sylvia thomas tim tom vera victor victoria vincent "
    "virginia vladimir voltaire walt walter warren werner wilhelm william winston wolfgang yuri"
)


def about(text: str) -> Shape | None:
    """Tell me about X: asked as "What is X?" or, of a person, "Who is X?"."""
    match = _ABOUT.fullmatch(text.strip(" ?.!,;:"))
    if match is None:
        return None
    thing = re.sub(r"[,;.! ]+(?:please|thanks?(?: you)?)$", "", match["thing"], flags=re.IGNORECASE)
    found = describe(thing)
    if found is not None:
        if found.ret == "text" and (person := _is_kind_of_person(found.relation)) is not None:
            wording = f"{'Who' if person else 'What'} is {SLOT}?"
            return Shape("chain", "en", (Lookup(wording, "text", found),), (thing,))
        return Shape("chain" if found.depth > 1 else "single", "en", (found,), (thing,))
    named = name(thing)
    if named is None or named.lower() in _NOBODY or len(named.split()) > 8:
        return None
    lookup = Lookup(f"{'Who' if is_person(named) else 'What'} is {SLOT}?", "text", named)
    return Shape("single", "en", (lookup,), (named,))


def _is_kind_of_person(relation: str) -> bool | None:
    head = relation.rsplit(maxsplit=1)[-1] if relation else ""
    if head in PEOPLE | PERSON_CLASSES:
        return True
    return None if not head or type_of(f"What is the {head} of X?") != "text" else False


def is_person(named: str) -> bool:
    """Whether a name is a person's beyond doubt: by a title before it or a common given name."""
    words = named.lower().split()
    return words[0] in _TITLES | _GIVEN and words[-1] not in _PLACES and (len(words) > 1 or words[0] in _GIVEN)


_PLACES: Final = word_set(
    "university college bridge tower river street square island islands city museum airport palace cathedral church "
    "prize hospital library park mountain peak dam lake bay day company"
)
