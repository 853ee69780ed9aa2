"""The forms a question can be read into: look-ups that may hang on each other, and what is done with their values."""

import re
import unicodedata
from dataclasses import dataclass, replace
from typing import Final, Literal

from state import Language, ValueType
from text.language import clean
from text.patterns import lazy

SLOT: Final = "{}"
"""Stands in a wording for the subject; braces of the user's own are taken out before a question is read."""

LONGEST: Final = 600
"""Characters up to which a question is taken apart; a longer one is looked up as it stands."""

Kind = Literal[
    "single",
    "chain",
    "comparison",
    "difference",
    "superlative",
    "list",
    "each",
    "both",
    "same",
    "age_at",
    "ratio",
    "percentage",
    "sum",
    "average",
    "arithmetic",
    "small_talk",
    "writing_help",
]
"""What a question asks for.

`single` is one look-up and `chain` look-ups that hang on each other; `comparison` asks which of two is more,
`difference` also by how much, `superlative` which of several is most; `list` asks the same of several subjects and
`each` of every item of a list that has to be found first; `both` whether something holds for all, `same` whether
all agree; `age_at` how long after its beginning something happened. `ratio` asks how many times the second the first
is, `percentage` how many per cent of it; `sum` and `average` what several come to together.
"""


@dataclass(frozen=True)
class Lookup:
    """One thing to be looked up.

    Attributes:
        question: A natural question in the user's language; `{}` stands for the subject.
        ret: The type of its answer.
        subject: What it is asked about: a name, or the look-up that has to find it first; "" where the question
            stands whole.
        relation: Canonical name of what is asked (born, died, height …), "" where it has none.
    """

    question: str
    ret: ValueType = "text"
    subject: "str | Lookup" = ""
    relation: str = ""

    @property
    def hops(self) -> tuple["Lookup", ...]:
        """The look-ups of the chain that ends here, innermost first."""
        inner = self.subject.hops if isinstance(self.subject, Lookup) else ()
        return (*inner, self)

    @property
    def depth(self) -> int:
        """How many look-ups hang on each other."""
        return len(self.hops)

    def about(self, subject: "str | Lookup") -> "Lookup":
        """The same look-up about another subject."""
        return replace(self, subject=subject)


@dataclass(frozen=True)
class Shape:
    """A question, read.

    Attributes:
        kind: What it asks for.
        language: The language it is asked in.
        lookups: What has to be looked up: one per subject, in the order they were named; for `each` the list, then
            what is asked of every item; for `age_at` the beginning, then the event unless `date` tells it.
        subjects: The compared or listed things, as the user named them.
        attribute: Canonical relation asked of the subjects, or their own words; None where there is none.
        direction: Which wins a comparison: the `less` (earlier, smaller) or the `greater`.
        difference: Whether it also asks by how much.
        unit: The unit a difference is wanted in; for dates `years`, `months` or `days`, "" where it is not said.
        asks: `which` of them, `whether` the first beats the second, or only by `how_much`.
        than: How the winner is said to beat the other: "is taller than"; in Chinese a sentence, 〈a〉比〈b〉高.
        most: How the winner of several is said to lead: "is the tallest"; in Chinese a sentence, 〈a〉最高.
        by: The Chinese verb of the difference: 大, 高, 早.
        expression: The formula of pure arithmetic.
        date: The day, month or year an age is asked at, in ISO form.
        told: How a calculation is told: a sentence about 〈a〉 and 〈b〉, or all of them 〈l〉, with the figure 〈n〉.
        task: What the calculation is to find, as a question about 〈a〉, 〈b〉 or 〈l〉; "" where other words do.
    """

    kind: Kind
    language: Language
    lookups: tuple[Lookup, ...] = ()
    subjects: tuple[str, ...] = ()
    attribute: str | None = None
    direction: Literal["less", "greater"] | None = None
    difference: bool = False
    unit: str = ""
    asks: Literal["which", "whether", "how_much"] = "which"
    than: str = ""
    most: str = ""
    by: str = ""
    expression: str = ""
    date: str = ""
    told: str = ""
    task: str = ""


LIFESPAN: Final = "lifespan"
"""The relation of a look-up that is found as the time between a birth and a death."""


_BRACES: Final = str.maketrans({"{": "(", "}": ")"})
_TITLES: Final = lazy(r"《[^《》]{1,80}》|“[^“”]{1,80}”|\"[^\"]{1,80}\"|「[^「」]{1,80}」")


def word_set(joined: str) -> frozenset[str]:
    """The words of a blank-separated list, as a set."""
    return frozenset(joined.split())


def normalize(question: str) -> str:
    """A question in one shape: control characters, full-width letters and double blanks gone, braces made round."""
    text = unicodedata.normalize("NFKC", clean(question))
    return " ".join(text.translate(_BRACES).split())


@dataclass(frozen=True)
class Masked:
    """Text whose quoted titles stand as single private characters, so that no rule looks inside them."""

    text: str
    titles: tuple[str, ...]

    def restore(self, part: str) -> str:
        """A part of the text with its titles back in place."""
        for position, title in enumerate(self.titles):
            part = part.replace(chr(_PRIVATE + position), title)
        return part


_PRIVATE: Final = 0xE000
_PRIVATE_USE: Final = lazy("[\ue000-\uf8ff]")


def mask(text: str) -> Masked:
    """Put quoted titles out of sight; see `Masked`."""
    titles: list[str] = []

    def hide(match: re.Match[str]) -> str:
        titles.append(match[0])
        return chr(_PRIVATE + len(titles) - 1)

    hidden = _TITLES.sub(hide, _PRIVATE_USE.sub("", text))
    return Masked(hidden, tuple(titles))


def unmask(lookup: Lookup, masked: Masked) -> Lookup:
    """A look-up with titles back in place, all the way down."""
    subject = lookup.subject
    return replace(
        lookup,
        question=masked.restore(lookup.question),
        subject=unmask(subject, masked) if isinstance(subject, Lookup) else masked.restore(subject),
    )
