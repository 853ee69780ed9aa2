"""What the scripted model knows of language: how things are asked for, and in which words texts tell them.

It knows nothing of the web. A relation has a question, a description that stands for its value ("the author of X"),
words to search with, and patterns with a group `v` that texts may tell it in.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from tests.web_world.things import Language

_NAME: Final = r"[A-Z][\w’'-]+(?: (?:of |the )?[A-Z][\w’'-]+)*"
_DAY: Final = r"(?:\d{1,2} [A-Z][a-z]+ )?\d{3,4}"
_COUNT: Final = r"\d[\d,.]*\d|\d"
_HAN: Final = r"[\u4e00-\u9fff]"


@dataclass(frozen=True)
class Relation:
    """Something that can be asked of a thing.

    Attributes:
        key: Its name.
        language: The language of its words.
        ret: The type of its value.
        question: The question, `{}` for the thing.
        described: What a question calls the value by, `{}` for the thing; empty if it does not.
        words: What to search with.
        told: Patterns of sentences that tell the value.
        also: Other questions that mean the same.
    """

    key: str
    language: Language
    ret: str
    question: str
    described: str
    words: str
    told: tuple[str, ...]
    also: tuple[str, ...] = ()

    @property
    def said(self) -> str:
        """The sentence that says it, without its stop: `{}` for the thing, then for the value."""
        return _SAID[self.language][self.key]


@dataclass(frozen=True)
class LookUp:
    """A relation of a thing that is named, or has to be found first."""

    relation: Relation
    subject: "str | LookUp"


@dataclass(frozen=True)
class Asked:
    """A question, read.

    Attributes:
        lookups: What has to be looked up.
        then: What is done with the values.
    """

    lookups: tuple[LookUp, ...]
    then: Literal["say", "longest", "first", "minus", "years"] = "say"


def _english() -> Iterator[Relation]:
    def of(
        key: str, ret: str, question: str, described: str, words: str, *told: str, also: tuple[str, ...] = ()
    ) -> Relation:
        return Relation(key, "en", ret, question, described, words, told, also)

    yield of("born", "date", "When was {} born?", "", "born birth", rf"[Bb]orn (?:in {_NAME} )?(?:on|in) (?P<v>{_DAY})")
    yield of(
        "birthplace",
        "text",
        "In which town was {} born?",
        "the town where {} was born",
        "born birthplace",
        rf"[Bb]orn (?:on {_DAY} )?in (?P<v>{_NAME})",
    )
    yield of(
        "author",
        "text",
        "Who wrote {}?",
        "the author of {}",
        "author written by",
        rf"written by (?P<v>{_NAME})",
        rf"(?P<v>{_NAME}) wrote ",
        rf"[Tt]he author of .{{3,40}} (?:is|was) (?P<v>{_NAME})",
    )
    yield of("published", "date", "When was {} published?", "", "published", rf"published in (?P<v>{_DAY})")
    yield of(
        "founder",
        "text",
        "Who founded {}?",
        "the founder of {}",
        "founder founded by",
        rf"founded by (?P<v>{_NAME})",
        rf"(?P<v>{_NAME}) founded ",
        rf"[Tt]he founder of .{{3,40}} (?:is|was) (?P<v>{_NAME})",
    )
    yield of(
        "founded",
        "date",
        "When was {} founded?",
        "",
        "founded established",
        r"(?:founded|established) in (?P<v>\d{3,4})",
    )
    yield of(
        "headquarters",
        "text",
        "In which town does {} have its headquarters?",
        "the town where {} has its headquarters",
        "headquarters",
        rf"(?:headquarters|headquartered) in (?P<v>{_NAME})",
    )
    yield of(
        "population",
        "number",
        "What is the population of {}?",
        "",
        "population inhabitants",
        rf"population of (?P<v>{_COUNT})",
        rf"(?P<v>{_COUNT}) inhabitants",
        rf"[Tt]he population of {_NAME} is (?P<v>{_COUNT})",
    )
    yield of(
        "length",
        "number",
        "How long is the {}?",
        "",
        "length kilometres",
        rf"(?P<v>{_COUNT}) (?:kilometres|km) long",
        rf"length of (?P<v>{_COUNT}) (?:kilometres|km)",
        also=("How long is {}, in kilometres?",),
    )
    yield of(
        "crosses",
        "text",
        "Which river does {} cross?",
        "the river crossed by {}",
        "crosses river",
        rf"(?:crosses|spans) the (?:river )?(?P<v>{_NAME})",
    )
    yield of(
        "river",
        "text",
        "Which river flows through {}?",
        "the river that flows through {}",
        "river flows through",
        rf"[Tt]he river (?P<v>{_NAME}) flows through",
        rf"stands on the river (?P<v>{_NAME})",
        rf"banks of the (?P<v>{_NAME})",
    )
    yield of("opened", "date", "When did {} open?", "", "opened", rf"opened in (?P<v>{_DAY})")
    yield of(
        "architect",
        "text",
        "Who designed {}?",
        "the architect of {}",
        "architect designed",
        rf"designed by (?P<v>{_NAME})",
        rf"[Tt]he architect of .{{3,40}} (?:is|was) (?P<v>{_NAME})",
    )
    yield of(
        "employees",
        "number",
        "How many employees does {} have?",
        "",
        "employees employs",
        rf"employs (?P<v>{_COUNT}) people",
        rf"has (?P<v>{_COUNT}) employees",
    )
    yield of(
        "towns", "list[text]", "Which towns does the {} flow through?", "", "towns flows through",
        rf"flows through (?P<v>{_NAME}(?:(?:, | and ){_NAME})+)", rf"towns on the {_NAME} are (?P<v>{_NAME}(?:(?:, | and ){_NAME})*)",
    )  # fmt: skip


def _chinese() -> Iterator[Relation]:
    def of(
        key: str, ret: str, question: str, described: str, words: str, *told: str, also: tuple[str, ...] = ()
    ) -> Relation:
        return Relation(key, "zh", ret, question, described, words, told, also)

    yield of(
        "born",
        "date",
        "{}是哪一年出生的？",
        "",
        "出生",
        r"(?P<v>\d{4}年\d{1,2}月\d{1,2}日|\d{4}年)(?:出生于|生于|出生)",
    )
    yield of(
        "birthplace", "text", "{}出生在哪个城市？", "{}出生的城市", "出生", rf"(?:出生于|生于)(?P<v>{_HAN}{{1,6}}市)"
    )
    yield of("author", "text", "{}的作者是谁？", "{}的作者", "作者", rf"作者是(?P<v>{_HAN}{{2,4}})")
    yield of(
        "founder",
        "text",
        "{}的创始人是谁？",
        "{}的创始人",
        "创始人 创办",
        rf"创始人是(?P<v>{_HAN}{{2,4}})",
        rf"由(?P<v>{_HAN}{{2,4}})创办",
    )
    yield of("founded", "date", "{}始建于哪一年？", "", "始建 建于", r"建于(?P<v>\d{3,4}年)", r"成立于(?P<v>\d{3,4}年)")
    yield of("population", "number", "{}有多少人口？", "", "人口", rf"人口(?:为)?(?P<v>{_COUNT})人")
    yield of(
        "length",
        "number",
        "{}全长多少公里？",
        "",
        "全长 公里",
        rf"全长(?P<v>{_COUNT})公里",
        rf"河口长(?P<v>{_COUNT})公里",
    )
    yield of("crosses", "text", "{}横跨哪条河？", "{}横跨的河流", "横跨", rf"横跨(?P<v>{_HAN}{{1,5}}[河江])")
    yield of(
        "employees", "number", "{}有多少员工？", "", "员工", rf"有(?P<v>{_COUNT})名员工", rf"员工(?P<v>{_COUNT})人"
    )  # fmt: skip


_SAID: Final[dict[Language, dict[str, str]]] = {
    "en": {
        "born": "{} was born in {}",
        "birthplace": "{} was born in {}",
        "author": "{} was written by {}",
        "published": "{} was published in {}",
        "founder": "{} was founded by {}",
        "founded": "{} was founded in {}",
        "headquarters": "{} has its headquarters in {}",
        "population": "{} has a population of {}",
        "length": "The {} is {} kilometres long",
        "crosses": "{} crosses the {}",
        "river": "{} stands on the river {}",
        "opened": "{} was opened in {}",
        "architect": "{} was designed by {}",
        "employees": "{} has {} employees",
        "towns": "The {} flows through {}",
    },
    "zh": {
        "born": "{}出生于{}",
        "birthplace": "{}出生于{}",
        "author": "{}的作者是{}",
        "founder": "{}的创始人是{}",
        "founded": "{}始建于{}",
        "population": "{}的人口为{}人",
        "length": "{}全长{}公里",
        "crosses": "{}横跨{}",
        "employees": "{}有{}名员工",
    },
}

RELATIONS: Final = (*_english(), *_chinese())
_BY_KEY: Final = {(one.language, one.key): one for one in RELATIONS}


def relation(language: Language, key: str) -> Relation:
    """The relation of a name."""
    return _BY_KEY[language, key]


def read_question(question: str) -> Asked | None:
    """A question of the user, read; None where it is not understood."""
    for pattern, then, key in _COMPOUND:
        if found := re.fullmatch(pattern, question):
            language: Language = "zh" if re.search(_HAN, question) else "en"
            if then == "years":
                born, published = relation(language, "born"), relation(language, "published")
                return Asked((LookUp(born, found[1]), LookUp(published, found[2])), "years")
            names = [name for group in found.groups() for name in re.split(r", | and |、|和", group)]
            return Asked(tuple(LookUp(relation(language, key), name) for name in names), then)
    single = read_task(question)
    return None if single is None else Asked((single,))


_COMPOUND: Final[tuple[tuple[str, Literal["say", "longest", "first", "minus", "years"], str], ...]] = (
    (r"Which is longer, the (.+) or the (.+)\?", "longest", "length"),
    (r"(.+)和(.+)哪条更长？", "longest", "length"),
    (r"Who was born first, (.+) or (.+)\?", "first", "born"),
    (r"By how many kilometres is the (.+) longer than the (.+)\?", "minus", "length"),
    (r"(.+)比(.+)长多少公里？", "minus", "length"),
    (r"How many years after the birth of (.+) was (.+) published\?", "years", ""),
    (r"List the birth years of (.+, .+ and .+)\.", "say", "born"),
    (r"请列出(.+、.+和.+)的出生年份。", "say", "born"),
)


def read_task(question: str) -> LookUp | None:
    """One look-up, of a thing that is named or described; None where the question is not understood."""
    for one in RELATIONS:
        for wording in (one.question.replace("the {}", "{}"), *one.also):
            if found := re.fullmatch(re.escape(wording).replace(r"\{\}", "(.+)"), question.strip()):
                return LookUp(one, _thing(found[1]))
    return None


def _thing(text: str) -> str | LookUp:
    for one in RELATIONS:
        if one.described and (found := re.fullmatch(re.escape(one.described).replace(r"\{\}", "(.+)"), text)):
            return LookUp(one, _thing(found[1]))
    return text.removeprefix("the ")
