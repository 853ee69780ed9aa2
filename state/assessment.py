"""The master's judgement of a question, and the team it sets up for it."""

from typing import Literal

from pydantic import Field

from weiwo.state.kinds import DecidedBy, Language
from weiwo.state.query import QueryFrame
from weiwo.state.run_limits import Depth, Limits
from weiwo.state.values import Value

Level = Literal["simple", "moderate", "complex"]
TeamName = Literal["writer_only", "executor_inclusive", "planner_enhanced"]
"""The three team configurations of the AI Search Paradigm (arXiv 2506.17188, section 3)."""


Searcher = Literal["nobody", "one", "chain", "comparison", "folder", "tasks"]
"""Who searches: one task; one that goes from hop to hop, looks up all that is compared, or opens all; or a plan's."""
Answerer = Literal["conversation", "reader", "draft"]
"""Who words the answer: a model from the conversation, the reader of the one task if its sentence will do, a draft."""


class Strategy(Value):
    """How a question is gone about: the row that the master chose of `nodes.shared.strategy`, which explains each."""

    searcher: Searcher
    plan: Literal["none", "one_task", "graph"]
    passages: int
    reads_together: bool
    reader: DecidedBy
    check: bool
    deepens: bool
    judges: bool
    answerer: Answerer
    depth: Depth = "normal"


class Clarification(Value):
    """A question back to the person, asked before anything is searched: what they mean decides what is looked for.

    Attributes:
        question: One line, in the language of their question.
        choices: What they may mean, two to four; they may also say it in words of their own.
    """

    question: str
    choices: tuple[str, ...]


class Assessment(Value):
    """How much machinery a question deserves.

    Attributes:
        frame: The parsed question: standalone, follow-ups resolved, in the user's language.
        features: Static features of the question, each 0 to 1.
        static_score: Complexity by the features, 0 to 1.
        semantic_score: Complexity by a model, 0 to 1; None where no model judged.
        score: 0.4 static + 0.6 semantic, or the static score alone.
        level: `simple` below 0.3, `moderate` below 0.7, else `complex`.
        reason: Why, in one line.
        decided_by: Whether a model took part.
        parts: What the question asks for, one line each, as a model listed it; empty where none did.
        clarification: What is still to be asked of the person; None where nothing is.
        needs_sources: Whether the answer needs more than a model's own knowledge; a model may judge that it does not.
        assumed: What the question was taken to mean where it may mean several things and nobody was asked; the answer
            says so. Empty where it is clear.
        answer_language: The language to answer in, where a person set one; empty: that of the question.
    """

    frame: QueryFrame
    features: dict[str, float]
    static_score: float = Field(ge=0, le=1)
    semantic_score: float | None = Field(None, ge=0, le=1)
    score: float = Field(ge=0, le=1)
    level: Level
    reason: str
    decided_by: DecidedBy
    parts: tuple[str, ...] = ()
    clarification: Clarification | None = None
    assumed: str = ""
    needs_sources: bool = True
    strategy: Strategy | None = None
    answer_language: Language = ""

    @property
    def question(self) -> str:
        """The question as it stands on its own."""
        return self.frame.question

    @property
    def language(self) -> Language:
        """The language to answer in."""
        return self.answer_language or self.frame.language


class TeamConfig(Value):
    """Who works on a question, with what, and within which bounds.

    Attributes:
        name: The configuration.
        agents: Node names that take part, in order.
        tools: Names of the tools that tasks may bind to.
        limits: The bounds in force.
        expected_model_calls: Model calls such a question usually takes; 0 without a model.
    """

    name: TeamName
    agents: tuple[str, ...]
    tools: tuple[str, ...]
    limits: Limits
    expected_model_calls: int = Field(ge=0)
