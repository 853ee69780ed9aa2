"""Assessment of a question by the master, and the team configured for the question."""

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
"""The tasks that search. `nobody`: none. `one`: a single look-up. `chain`: a task that goes from hop to hop.
`comparison`: a task that looks up every subject compared. `folder`: a task that opens all documents. `tasks`: the tasks
of a plan."""
Answerer = Literal["conversation", "reader", "draft"]
"""The origin of the answer's words. `conversation`: a model, without a search. `reader`: the sentence in which the
model or rule that read the passages of the only task gave the value, else a draft. `draft`: a draft by the writer.
"""


class Strategy(Value):
    """Strategy for a question: the row chosen by the master in `nodes.shared.strategy`.

    That module explains each field.
    """

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
    """A clarifying question to the user, asked before any search.

    The search depends on what the user means.

    Attributes:
        question: One line, in the language of the user's question.
        choices: Two to four possible meanings. Users may also answer in their own words.
    """

    question: str
    choices: tuple[str, ...]


class Assessment(Value):
    """Assessment of a question: complexity, and the effort needed for an answer.

    Attributes:
        frame: The parsed question: standalone, follow-ups resolved, in the user's language.
        features: Static features of the question, each 0 to 1.
        static_score: Complexity by the features, 0 to 1.
        semantic_score: Complexity by a model, 0 to 1. None if no model judged.
        score: 0.4 static + 0.6 semantic, or the static score alone, raised if features or the strategy require it.
        level: `simple` below a score of 0.3, `moderate` below 0.7, else `complex`. The plan of the strategy takes
            precedence.
        reason: The reason, in one line.
        decided_by: `model` if a model took part, else `rule`.
        parts: The parts of the question as listed by a model, one line each. Empty without a model.
        clarification: The question still to be asked of the user, or None.
        needs_sources: Whether the answer needs more than a model's own knowledge. A model may decide that it does not.
        assumed: The meaning assumed for an ambiguous question about which the user was not asked. The answer states
            the assumption. Empty if the question is clear.
        strategy: The search strategy chosen for the question. None in threads of version 0.1.
        answer_language: The language to answer in, if a person set one. Empty for the language of the question.
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
        """Return the standalone question."""
        return self.frame.question

    @property
    def language(self) -> Language:
        """The language to answer in."""
        return self.answer_language or self.frame.language


class TeamConfig(Value):
    """Team for a question: agents, tools and limits.

    Attributes:
        name: The configuration.
        agents: Names of the nodes that take part, in order.
        tools: Names of the tools that tasks may bind to.
        limits: The limits in force.
        expected_model_calls: Usual number of model calls for a question of this kind, or 0 without a model.
    """

    name: TeamName
    agents: tuple[str, ...]
    tools: tuple[str, ...]
    limits: Limits
    expected_model_calls: int = Field(ge=0)
