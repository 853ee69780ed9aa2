"""The executor's prompts: texts for a model that reads the passages of tasks or analyses findings."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from weiwo.nodes.shared.prompting.passage_prompt import DATA_RULE, quote_as_data
from weiwo.nodes.shared.prompting.sanitizer import protect_prompt
from weiwo.nodes.shared.question.arithmetic import today
from weiwo.nodes.shared.strategy import FEW_PASSAGES
from weiwo.state import Hop, Task, ValueType
from weiwo.state.query import QueryFrame, Shape

SYSTEM = protect_prompt(
    f"""\
You are the Executor of a search system. One task of a larger plan has searched; you read what it found.
{DATA_RULE}
Reply in this order:
- `quotes`: one to three: the number of the passage and words copied from it exactly, character for character, that \
carry the value; none if no passage does.
- `sentence`: what they tell of the task and no more, in one full sentence that names its subject, in the language of \
the task; where that is theirs, keep their wording; of several values all. Else empty.
- `value`: in the wanted type, null if they give none; a bare name, date or number, since it may be filled into queries.
- `next`: the move, then only the fields that it needs:
- "answer": the passages answer the task. `confidence`; `basis`: "implied" if the quotes do not say the value and it \
only follows from them: then `sentence` says what they do say. Of an approximate date say "about" in `sentence` and \
in `missing`. If passages contradict each other, take the \
better supported value, say so in `missing`, and give in `others` each other value with a quote that carries it.
- "premise_wrong": a passage says that something the task takes for granted is not so. `value`: the correction in \
one sentence, in the language of the task; `quotes` that carry it; `missing`: what the task wrongly assumes. A \
passage that is merely silent denies nothing.
- "search": they don't, and another query may find it. `queries`: a few keywords each, unlike the ones \
tried; other words, or the other language (English, Chinese), may find what those did not.
- "open": one passage is from the right page or document, and what stands before or after it may tell. Its number in \
`passage`.
- "give_up": they don't, and nothing more is worth trying. `missing`: what is not known.
With "search" and "open" give in `keep` the numbers of passages that help already; others are shown again only if \
found again. Use only the passages, never your own memory. Beware of namesakes: the passage must speak of the very \
subject asked about; its title and source tell what a whole document is about. Of versions of a document the current \
one counts: one that is superseded only tells what was so before.
Write `missing` in the language of the task."""
)

BATCH = protect_prompt(
    f"""\
You are the Executor of a search system. Several tasks of a larger plan have searched; you read what they found.
{DATA_RULE}
Give in `answers` one for each task that the passages answer: the number of the `task`; its `value` in the wanted \
type, a bare name, date or number; one or two `quotes`: the number of the passage and words copied from it exactly, \
character for character, that carry the value; `confidence`; `basis`: "implied" if the quotes do not say the value and \
it only follows from them. Leave out a task that the passages do not answer, that they answer with an approximate \
date, that they contradict each other about, or that takes for granted what a passage denies: it is read again alone.
Use only the passages, never your own memory. Beware of namesakes: a passage must speak of the very subject that the \
task asks about. One that is superseded only tells what was so before."""
)
"""System prompt for reading several tasks in a single call."""

_CHAIN: Final = """The task is a chain of look-ups: go from one to the next. Give in `hops` each value that the \
passages tell on the way to the answer and that is not listed yet: its `question`, its `value`, a bare name, date or \
number, and the `quotes` that carry it. With "search", ask in `queries` for the next ones, by the names found. The \
passages of values that are listed need not be kept. "answer" once the last value is there; it is no hop.
"""
_COMPARISON: Final = """The task compares things: look each of them up. Give in `hops` the value of each that the \
passages tell and that is not listed yet: its `question`, its `value`, a bare name, date or number, and the `quotes` \
that carry it. With "search", ask in `queries` for the others, one each. The passages of values that are listed need \
not be kept. "answer" once every value is there: what they come to; it is "stated" if each of them is, and no hop.
"""
HOPS: Final[Mapping[Shape, str]] = {"chain": _CHAIN, "comparison": _COMPARISON, "same": _COMPARISON}
"""Text added to the prompt for a task that takes several look-ups, by the shape of its question."""

_SENTENCE = """`sentence` is the answer to the user. With "give_up" it says what was not found, and what the passages \
do tell of it, with `quotes` for that.
"""
"""Text added to the prompt for a task that is the user's whole question."""

STATEMENT = """Give also `sentence` with each value: the value in one full sentence that stands on its own, in the \
language of the task, and says no more than the quotes do, in their wording where that is its language.
"""
"""Text added to the prompt if the answer gives each value in its own sentence."""

WAITING: Final = """Other tasks wait for this value. With "answer" give in `ahead` what the passages tell of them \
already, once your value is filled in: the id of the `task`; of one that runs for each item, the `item` as you give it \
in `value`; the `value`, one or two `quotes`, `confidence`. Leave out what they do not tell or contradict each other \
about:"""
"""Text added to the prompt for a task that other tasks depend on. A line for each of these tasks follows."""

TYPE_HINTS: Final[Mapping[ValueType, str]] = {
    "text": "text: the shortest exact answer, such as a name; for an open question one or two sentences",
    "number": "number: digits only, in the unit the task asks for, else in that of the passage",
    "date": 'date: "YYYY", "YYYY-MM" or "YYYY-MM-DD"; years BC are negative, such as "-156"; of an approximate \
date the year',
    "boolean": "boolean: true or false",
    "list[text]": "list of short texts",
    "list[number]": "list of numbers",
    "list[date]": 'list of dates ("YYYY", "YYYY-MM-DD"; BC negative)',
    "list[boolean]": "list of true/false",
    "passages": "text: a summary of what the passages say on the task",
}
"""Description of the wanted value in the prompt, by type."""
ZERO_TO_ONE: Final = "0 to 1"

NO_SUCH_PASSAGE: Final = 'next is "open" but passage is {}; there are passages 1 to {}'
NO_VALUE: Final = 'next is "{}" but value is missing'
NO_QUOTE: Final = "none of the quotes occurs verbatim in the passage it names; copy the words exactly"
NO_SUPPORT: Final = (
    "no quote has {}, nor speaks of what is asked; quote words that state or imply it, else search or give up"
)
STRANGER: Final = "the quoted passage does not speak of {}; quote one that does, else search or give up"
OTHER_WINNER: Final = "by the values found it is {}; compare them again"
OF_ANOTHER_TYPE: Final = "value: {}; wanted: {}"
"""Objection to a value of another type. With each objection above, the model is asked again."""

ANALYST = protect_prompt(
    f"""\
You are a searcher's analyst. Do the task over the values and passages below, which other tasks found. {DATA_RULE}
- `findings`: what comes of it, one self-contained statement each, most important first, in the language of the task. \
A comparison names both sides; a row of a table is one finding. Each with `passages`: the numbers of all passages it \
rests on. Use only what they say; copy numbers, dates and names exactly.
- An assessment or a recommendation is a finding that says what it rests on.
- `missing`: what the task asks for and the passages do not tell, in one line; else empty.
- `confidence`: 0 to 1. Where nothing can be said, give no findings."""
)
"""System prompt for an analysis task, which calls no tool."""


@dataclass(frozen=True)
class TaskProgressNote:
    """Progress note in the reader's prompt: how far a task has come.

    Attributes:
        whole: The user's question that the task serves.
        tried: Queries already sent.
        turns_left: Number of further turns in which the task may search or open pages.
        nothing_new: Whether the last turn found no new passage.
        failed: Messages of failures, such as a page that could not be opened.
        seen: Ids of the passages shown in earlier turns.
        kept: Ids of the passages that the model wanted to see again.
        most: Number of best passages shown in a turn for a single value.
        wants_sentence: Whether the value is also wanted as a sentence for the user's answer.
        hops: Intermediate values that earlier turns of a chain or comparison found.
        latest: Number of passages found in the last turn, repeated ones included. They come first in the task's list.
        waiting: Tasks that depend on this task, and whose values its passages may already give.
        most_queries: Most queries in a turn.
    """

    whole: str
    tried: Sequence[str]
    turns_left: int
    nothing_new: bool = False
    failed: Sequence[str] = ()
    seen: Collection[str] = ()
    kept: Collection[str] = ()
    most: int = FEW_PASSAGES
    wants_sentence: bool = False
    hops: Sequence[Hop] = ()
    latest: int = 0
    waiting: Sequence[Task] = ()
    most_queries: int = 2

    def describe_turns(self) -> str:
        """Return the prompt lines on the turns left, and the failures so far."""
        if self.turns_left <= 0:
            turns = "This is the last turn: answer or give up."
        else:
            turns = f"You may search or open {'once' if self.turns_left == 1 else f'{self.turns_left} times'} more."
        if self.nothing_new and len(self.tried) > 1:
            turns = f"The last query brought nothing new. {turns}"
        return "\n".join([turns, *(f"Did not work: {message}" for message in self.failed)])

    def describe_waiting(self) -> str:
        """Return the prompt lines on the waiting tasks and the values wanted for each. Empty if none wait."""
        if not self.waiting:
            return ""
        lines = [
            f"- {task.id}{', for each item' if task.for_each else ''}: {quote_as_data(task.description, 300)}"
            f" (wanted: {task.ret})"
            for task in self.waiting
        ]
        told = STATEMENT if any(task.is_answer for task in self.waiting) else ""
        return "\n".join([WAITING, *lines, told])

    def describe_hops(self) -> str:
        """Return the prompt lines on the intermediate values found so far. Empty if there are none."""
        lines = [f"- {quote_as_data(hop.question, 200)} → {quote_as_data(hop.value, 200)}" for hop in self.hops]
        return "\n".join(["Found on the way:", *lines, ""]) if lines else ""


def describe_task(frame: QueryFrame, ret: ValueType, progress: TaskProgressNote, *, hopping: bool) -> tuple[str, str]:
    """Return the prompt's text before the passages, which describes the task, and after them, on its progress.

    Text that changes from turn to turn comes last: a provider caches the common beginning of prompts.

    Args:
        frame: The task, with references filled.
        ret: The wanted type.
        progress: How far the task has come.
        hopping: Whether the task takes several look-ups.
    """
    queries = "; ".join(query for query in progress.tried if query)
    sentence = _SENTENCE if progress.whole == frame.question else ""
    whole_question = "" if progress.whole == frame.question else f"Question of the user: {progress.whole}\n"
    task = (
        f"Today: {today()}\n{whole_question}Task: {frame.question}\nWanted: {TYPE_HINTS[ret]}\n"
        f"{HOPS.get(frame.shape, '') * hopping}{sentence * progress.wants_sentence}{progress.describe_waiting()}"
    )
    tried = f"Queries tried: {queries or 'none'} (a search may send {progress.most_queries})"
    return task, f"{progress.describe_hops()}{tried}\n{progress.describe_turns()}"
