"""The parsed question: relation, subjects, and desired form of the answer.

A question's text is parsed once, into a `QueryFrame`. Complexity, rule plan, search terms, extraction, composing and
status read frames, and none of them parses the text again. A model may fill the frame. Without a model, rules do.
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
"""Kind of question.

`small_talk` and `writing` need no search. `look_up` asks for one value, `list` for several values of one kind that
stand together ("Which countries border Austria?"), `open` for an account or an explanation, `calculation` for pure
arithmetic. `comparison` asks which of several subjects has more of something, or whether one has ("Is the Nile longer
than the Amazon?"), `difference` asks, also or only, by how much they differ, and `same` whether they agree in
something. `several` asks the same of several subjects ("When were Liszt and Chopin born?"), or several questions at
once. `chain` asks about a subject that has to be found first ("How old is the mayor of Rome?").
"""

AnswerType = Literal["text", "date", "year", "number", "quantity", "person", "place", "name", "boolean", "list"]
"""Type of the value that answers. A `quantity` is a number with a unit, and `text` may be anything."""

Direction = Literal["", "greatest", "least"]
"""The value that a comparison looks for. Of dates, `least` is the earliest."""

Talk = Literal["greeting", "thanks", "farewell", "identity", "ability", "remark", "writing"]
"""Kind of a message that asks for no facts. `identity` and `ability` ask about the assistant."""

Form = Literal["", "sentence", "list", "table", "report", "code"]
"""The desired form of the answer. Empty if the question does not say."""


class QueryFrame(Value):
    """A parsed question.

    Attributes:
        question: The standalone question, in the user's words.
        language: The language of the question.
        shape: The kind of question.
        subjects: The things asked about, in the user's spelling. May hold references such as `{{task_1.ret}}`.
        relation: Name of the relation asked for (a row of `weiwo.text.relations`). Empty if none is known.
        answer_type: The type of value that answers the question.
        dimension: For a quantity: `length`, `area`, `people`, `mass`, `duration`, `money`, `speed`, `temperature` or
            `count`. Empty if unknown.
        direction: For a comparison: which value wins, the greatest or the least. Empty if the question does not say.
        wants_difference: For a comparison: whether the question also asks by how much.
        unit: The unit wanted for a difference, such as `years`. Empty if the question names none.
        expression: The formula of pure arithmetic.
        terms: Content words in a form that matches across inflections, function words left out.
        search: The search query: the words worth sending to a search engine.
        queries: The queries that a model would search for first, best first. Empty if no model was asked.
        parts: Frames of the look-ups that the answer is assembled from. Empty for one look-up.
        form: The desired form of the answer.
        words: Desired length, in words (English) or characters (Chinese). 0 if the question gives none.
        since: Earliest date asked for, ISO. Empty if the question sets none.
        until: Latest date asked for, ISO. Empty if the question sets none.
        sources: Sites or documents that the question restricts itself to.
        talk: For `small_talk` and `writing`: the kind of conversation.
        fresh: Whether the answer changes from day to day, so that it must be looked up.
        local: Whether the question is about the user's own documents.
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
        """Return the first subject of the question, or an empty string if no subject was recognised."""
        return self.subjects[0] if self.subjects else ""
