"""The parsed question: what is asked, of what, and in which form the answer is wanted.

A question's text is parsed once, into a `QueryFrame`. Complexity, rule plan, search terms, extraction, composing and
status read frames; none of them reads the text again. A model may fill the frame; without one the rules do.
"""

from typing import Literal

from weiwo.state.kinds import Language
from weiwo.state.values import Value

Shape = Literal[
    "small_talk",
    "writing",
    "look_up",
    "list",
    "open",
    "calculation",
    "comparison",
    "difference",
    "same",
    "several",
    "chain",
]
"""What kind of question it is.

`small_talk` and `writing` need no search. `look_up` asks for one value, `list` for several of one kind in one place,
`open` for an account or an explanation, `calculation` for pure arithmetic. `comparison` asks which of several things
is more (or whether one is), `difference` also or only by how much, `same` whether several things agree in something,
`several` the same of several things or several things at once, `chain` for something about a thing that has
to be found first.
"""

AnswerType = Literal["text", "date", "year", "number", "quantity", "person", "place", "name", "boolean", "list"]
"""What kind of value answers: a `quantity` is a number with a unit; `text` is anything."""

Direction = Literal["", "greatest", "least"]
"""Which of the compared values wins; of dates `least` is the earliest."""

Talk = Literal["greeting", "thanks", "farewell", "identity", "ability", "remark", "writing"]
"""What kind of conversation a message is that asks for no facts: `identity` and `ability` are about the assistant."""

Form = Literal["", "sentence", "list", "table", "report", "code"]
"""The form the answer is wanted in; empty where the question does not say."""


class QueryFrame(Value):
    """A parsed question.

    Attributes:
        question: The standalone question, in the user's words.
        language: The language it is asked in.
        shape: What kind of question it is.
        subjects: The things it asks about, in the user's spelling; may hold references such as `{{t1.ret}}`.
        relation: Name of the relation it asks for (a row of `weiwo.text.relations`); empty where none is known.
        answer_type: What kind of value answers.
        dimension: Of a quantity: `length`, `area`, `people`, `mass`, `duration`, `money`; empty where unknown.
        direction: Of a comparison: which value wins.
        wants_difference: Of a comparison: whether it also asks by how much.
        unit: The unit a difference is wanted in, such as `years`; empty where the question does not say.
        expression: The formula of pure arithmetic.
        terms: Content words in a form that matches across inflections, function words left out.
        search: The search query: the words worth sending to a search engine.
        queries: What a model would search for first, best first; empty where none was asked.
        parts: Frames of the look-ups that the answer is put together from; empty for one look-up.
        form: The form the answer is wanted in.
        words: Length wanted, in words (English) or characters (Chinese); 0 where the question does not say.
        since: Earliest date asked for, ISO; empty where the question sets none.
        until: Latest date asked for, ISO; empty where the question sets none.
        sources: Sites or documents the question restricts itself to.
        talk: Of `small_talk` and `writing`: what kind of conversation it is.
        fresh: Whether the answer changes from day to day, so that it must be looked up.
        local: Whether it asks about the user's own documents.
    """

    question: str
    language: Language
    shape: Shape = "look_up"
    subjects: tuple[str, ...] = ()
    relation: str = ""
    answer_type: AnswerType = "text"
    dimension: str = ""
    direction: Direction = ""
    wants_difference: bool = False
    unit: str = ""
    expression: str = ""
    terms: tuple[str, ...] = ()
    search: str = ""
    queries: tuple[str, ...] = ()
    parts: tuple["QueryFrame", ...] = ()
    form: Form = ""
    words: int = 0
    since: str = ""
    until: str = ""
    sources: tuple[str, ...] = ()
    talk: Talk | None = None
    fresh: bool = False
    local: bool = False

    @property
    def subject(self) -> str:
        """The thing it asks about first; empty where none was made out."""
        return self.subjects[0] if self.subjects else ""
