"""Fill the ledger of a question from the parsed question, plan revisions and outcomes.

Reflection fills it to check for missing parts before it finishes. The graph fills it once more before the answer is
written, and the writer closes it with the claims that answer each part (`nodes.writer.closing`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from weiwo.nodes.shared.gaps import describe_coverage, describe_languages, find_gaps
from weiwo.nodes.shared.planning.references import fill_text
from weiwo.nodes.shared.planning.rule_plan import frame_task
from weiwo.nodes.shared.question.parser import parse_question
from weiwo.nodes.shared.run_context import RunContext
from weiwo.state import REFERENCE, Language, Outcome, Plan, Task
from weiwo.state.answer import Gap
from weiwo.state.kinds import message_locale
from weiwo.state.ledger import PERSON, Ledger, PartOutcome, QuestionPart, Severity
from weiwo.state.query import QueryFrame
from weiwo.state.search import SearchState
from weiwo.text.language import fold
from weiwo.text.lists import join_names
from weiwo.text.localization import localize_message, localized_section
from weiwo.text.patterns import lazy
from weiwo.text.printable import one_line
from weiwo.text.relations import relations
from weiwo.text.terms import terms

_WORDS: Final = localized_section("shared.ledger")
_UNCOVERED: Final = localize_message("shared.gaps", "uncovered")
_UNSEARCHED: Final = frozenset({"small_talk", "writing"})
CONCLUDED: Final = frozenset({"comparison", "difference", "same"})
"""Shapes of questions answered by a conclusion from several values, not by the values themselves."""
_NOT_RUN: Final = frozenset({"limit", "incomplete"})
_LONGEST: Final = 200
_MOST_WHERE: Final = 6
_ERROR_CLASS: Final = lazy(r"^(?:[A-Za-z_.]+(?:Error|Exception|Timeout)): ")
_WORD: Final = lazy(r"[^\W_]+(?:[.'’-][^\W_]+)*")


class _Asked(NamedTuple):
    """A part of the question, before its outcome is known.

    Attributes:
        subject: The subject of the part.
        attribute: The requested attribute.
        question: The part as a question of its own.
        keys: The ids of the tasks for the part.
    """

    subject: str
    attribute: str
    question: str
    keys: tuple[str, ...] = ()


def fill_ledger(state: SearchState, services: RunContext) -> Ledger:
    """Return the ledger of a question with all that is known before the answer is written.

    It has the parts of the question with their outcomes, words that no task uses, and gaps. For small talk it is empty.

    Args:
        state: The question, every revision of its plan, and the outcomes.
        services: The language, the restriction of the sources, and whether a model reads.
    """
    language = services.language
    frame, outcomes = state["assessment"].frame, state.get("outcomes", {})
    if frame.shape in _UNSEARCHED or state["assessment"].level == "simple":
        return Ledger(basis="none")
    history = _PlanHistory(state)
    asked = _list_asked(state, history, language)
    parts = [_enter_part(item, history, outcomes, language) for item in asked]
    unused = _find_unused_words(state, asked, history)
    if unused and state["assessment"].decided_by == "rule" and frame.parts and frame.shape not in CONCLUDED:
        phrase = _join_phrase(unused, frame.question)
        parts.append(QuestionPart(attribute=phrase, outcome="not_asked", cause=_WORDS[language]["no_task"]))
    parts += _list_unread_words(outcomes, history, language)
    gaps = list(find_gaps(state, language))
    current = [outcomes[key] for key in history.current.ids if key in outcomes] if history.current else []
    gaps += describe_coverage(current, services.settings.filter, language)
    gaps += () if services.with_model else describe_languages(state, language)
    ledger = Ledger(parts=tuple(parts), unused=unused, gaps=tuple(gaps))
    # The parts without any task, as named by the last reflection.
    looks = state.get("reflections", [])
    uncovered = looks[-1].missing if looks and looks[-1].decision in {"finish", "abort"} else ()
    return enter_missing(ledger, uncovered, language)


def enter_missing(ledger: Ledger, missing: Iterable[str], language: Language) -> Ledger:
    """Return the ledger with parts of the question added that have no answer, as a reflection or a draft names them.

    Args:
        ledger: The ledger.
        missing: The parts, a line each.
        language: The language of the gaps.
    """
    lines = tuple(dict.fromkeys(missing))
    known = {fold(part.attribute) for part in ledger.parts}
    parts = [QuestionPart(attribute=text, outcome="not_found") for text in lines if fold(text) not in known]
    gaps = [Gap(kind="uncovered", text=_UNCOVERED[language].format(text)) for text in lines]
    by_text = {gap.text: gap for gap in (*gaps, *ledger.gaps)}
    return ledger.model_copy(update={"parts": (*ledger.parts, *parts), "gaps": tuple(by_text.values())})


def list_asked_parts(question: str, language: Language) -> list[tuple[str, str]]:
    """Return subject and attribute of each part of a question, from its wording alone.

    "How tall is the Acme Tower?" gives [("Acme Tower", "height")].
    """
    frame = parse_question(question, language)
    leaves = list(_leaves(frame)) or [frame]
    return [(part.subject, part.attribute) for part in (_describe_frame(leaf, language) for leaf in leaves)]


def name_part(part: QuestionPart, language: Language) -> str:
    """Return the name of a part in a few words for people: "height of the Burj Khalifa"."""
    of = part.subject and fold(part.subject) not in fold(part.attribute)
    return _WORDS[language]["part"].format(attribute=part.attribute, subject=part.subject) if of else part.attribute


def describe_failure(part: QuestionPart, language: Language) -> str:
    """Return a line for people on a failed part: the component and the reason."""
    key = "failed" if part.component else "failed_unnamed"
    return _WORDS[language][key].format(component=part.component, cause=part.cause)


class _PlanHistory:
    """Tasks of all plan revisions of a question.

    Attributes:
        current: The current plan. None if there is no plan.
        tasks: Tasks by id. If several revisions have an id, the latest revision's task.
        finals: Ids of the current plan's last tasks, and of earlier last tasks that no current task replaces.
        replaced: Ids of earlier last tasks that are gone, each with the id of the task in its place.
    """

    def __init__(self, state: SearchState) -> None:
        self.current: Plan | None = state.get("plan")
        plans = [*state.get("revisions", []), *([self.current] if self.current is not None else [])]
        self.tasks: dict[str, Task] = {task.id: task for plan in plans for task in plan.tasks}
        self.finals: list[str] = list(self.current.final_ids) if self.current is not None else []
        taken: set[str] = set()
        present = set(self.current.ids) if self.current is not None else set()
        self.replaced: dict[str, str] = {}
        for plan in reversed(plans[:-1]):
            for name in plan.final_ids:
                if name in present or name in self.replaced or name in self.finals:
                    continue
                successor = self._find_successor(name, set(self.finals) - set(plan.ids) - taken)
                if successor:
                    taken.add(successor)
                    self.replaced[name] = successor
                else:
                    self.finals.append(name)

    def _find_successor(self, name: str, candidates: set[str]) -> str:
        """Return the id of the candidate that shares most words with a task that is gone. Empty if none shares any."""
        lost = set(terms(REFERENCE.sub(" ", self.tasks[name].description)))
        shared = {key: len(lost & set(terms(REFERENCE.sub(" ", self.tasks[key].description)))) for key in candidates}
        best = max(sorted(shared), key=lambda key: shared[key], default="")
        return best if best and (shared[best] or not lost) else ""

    def predecessors(self, name: str) -> list[str]:
        """Return the ids of earlier tasks that the given task replaces."""
        return [lost for lost, successor in self.replaced.items() if successor == name]


def _list_asked(state: SearchState, history: _PlanHistory, language: Language) -> list[_Asked]:
    """Return the parts of the question, each with the ids of its tasks.

    Without known parts, these are the last tasks.
    """
    frame, listed = state["assessment"].frame, state["assessment"].parts
    if frame.parts:
        asked = [_describe_frame(leaf, language) for leaf in _leaves(frame)]
    elif len(listed) > 1:
        asked = [_describe_text(line, language) for line in listed]
    else:
        asked = []
    if not asked:
        if len(history.finals) <= 1:
            return [_describe_frame(frame, language)._replace(keys=tuple(history.tasks))]
        return [_describe_task(history, name, state, language) for name in history.finals]
    words = [frozenset(terms(item.question)) for item in asked]
    found = [_find_tasks(item, own, history) for item, own in zip(asked, words, strict=True)]
    asked = [item._replace(keys=tuple(keys)) for item, keys in zip(asked, found, strict=True)]
    whole = [key for key in history.finals if fold(history.tasks[key].description) == fold(frame.question)]
    if whole and not any(item.keys for item in asked):
        return [item._replace(keys=tuple(whole)) for item in asked]
    asked = _pair_rephrased(asked, history)
    matched = {key for item in asked for key in item.keys}
    if not matched:
        return [item._replace(keys=tuple(history.finals)) for item in asked]
    own = frame.parts or all(item.keys for item in asked)
    rest = [name for name in history.finals if name not in matched] if own else []
    return [*asked, *(_describe_task(history, name, state, language) for name in rest)]


def _leaves(frame: QueryFrame) -> Iterator[QueryFrame]:
    """Yield the single look-ups of a question, also those of its parts' parts. Nothing without parts."""
    for part in frame.parts:
        yield from _leaves(part) if part.parts else (part,)


def _describe_frame(frame: QueryFrame, language: Language) -> _Asked:
    relation = relations().get(frame.relation)
    subject = join_names(frame.subjects, language) if frame.shape in CONCLUDED else frame.subject
    question = one_line(REFERENCE.sub("…", frame.question), _LONGEST).rstrip("?？ ")
    return _Asked(
        REFERENCE.sub("…", subject), relation.noun[message_locale(language)] if relation else question, frame.question
    )


def _describe_text(line: str, language: Language) -> _Asked:
    frame = parse_question(line, language)
    return _Asked(frame.subject if fold(frame.subject) != fold(line) else "", line, line)


def _describe_task(history: _PlanHistory, name: str, state: SearchState, language: Language) -> _Asked:
    """Return a task as a part of the question, with references filled."""
    task = history.tasks[name]
    usable = {key: value for key, value in state.get("outcomes", {}).items() if value.usable}
    text = one_line(REFERENCE.sub("…", fill_text(task.description, usable, language)), _LONGEST).rstrip("?？ ")
    frame = frame_task(task, language)
    described = _describe_frame(frame, language)
    attribute = described.attribute if frame.relation and frame.shape not in CONCLUDED else text
    return _Asked(described.subject, attribute or task.id, task.description, (name, *history.predecessors(name)))


def _find_tasks(asked: _Asked, words: frozenset[str], history: _PlanHistory) -> list[str]:
    """Return the ids of the tasks for a part: those with the same question, else those with all words of the part.

    Args:
        asked: The part.
        words: The content words of the part.
        history: The tasks of all revisions.
    """
    same = [key for key, task in history.tasks.items() if fold(task.description) == fold(asked.question)]
    if not same:
        plain = [(key, task) for key, task in history.tasks.items() if not task.references]
        same = [key for key, task in plain if words and words <= frozenset(terms(task.description))]
    return [*same, *(lost for key in same for lost in history.predecessors(key) if lost not in same)]


def _pair_rephrased(asked: Sequence[_Asked], history: _PlanHistory) -> list[_Asked]:
    """Return the parts, each without a task paired with a last task that has at least half of its words."""
    taken = {key for item in asked for key in item.keys}
    paired = []
    for entry in asked:
        words = set(terms(entry.question))
        loose = [key for key in history.finals if key not in taken] if not entry.keys else []
        shared = {key: len(words & set(terms(history.tasks[key].description))) for key in loose}
        best = max(loose, key=lambda key: shared[key], default="")
        if best and shared[best] * 2 >= len(words) > 0:
            taken.add(best)
            paired.append(entry._replace(keys=(best, *history.predecessors(best))))
        else:
            paired.append(entry)
    return paired


def _enter_part(
    asked: _Asked, history: _PlanHistory, outcomes: Mapping[str, Outcome], language: Language
) -> QuestionPart:
    """Return the ledger entry of a part: whether the part is answered, and else why not."""
    present = set(history.current.ids) if history.current is not None else set()
    known = [outcomes[key] for key in asked.keys if key in outcomes]
    causes = _find_roots(known, outcomes)
    broken = next((item for item in causes if _is_failure(item)), None)
    held = next((item.failure for item in causes if item.failure is not None and item.failure.kind == "limit"), None)
    found = [item for item in known if item.answers and (item.task_id in present or not present)]
    # A task that waits for a value that a source denies is answered by the correction.
    found += [item for item in causes if item.premise]
    unheard = next((why for item in known for why in item.trace.unanswered), "")
    component, cause = "", ""
    severity: Severity = ""
    if broken is not None and broken.failure is not None:
        component, cause = _read_failure(broken.tool, broken.failure.message)
    elif unheard:
        component, cause = _read_failure("", unheard)
    assumed = any(_is_set(item, history, outcomes) for item in found)
    outcome: PartOutcome
    if found and (len(asked.keys) == 1 or not _lacks_some(asked, history, outcomes)):
        outcome = "assumed" if assumed else "answered"
        severity = "warning" if component else ""
    elif broken is not None:
        outcome, severity = "failed", "error"
    elif any(item.status in {"empty", "succeeded"} for item in known) and held is None:
        outcome, severity = "not_found", "warning" if component else ""
    else:
        outcome = "not_asked"
        waits = next((item.trace.blocked_by for item in known if item.trace.blocked_by), "")
        cause = held.message if held is not None else _WORDS[language]["waits" if waits else "not_run"].format(waits)
    by = PERSON if outcome == "assumed" else ""
    return QuestionPart(
        subject=asked.subject,
        attribute=asked.attribute,
        outcome=outcome,
        component=component,
        cause=cause,
        severity=severity,
        where=() if outcome == "answered" else _list_where(known),
        by=by,
        task_ids=asked.keys,
    )


def _is_failure(outcome: Outcome) -> bool:
    """Report whether a task failed. False for a task that a limit stopped."""
    return outcome.status == "failed" and outcome.failure is not None and outcome.failure.kind not in _NOT_RUN


def _list_where(known: Iterable[Outcome]) -> tuple[str, ...]:
    """Return the searches for a part as "tool: query", at most six."""
    searched = (f"{tool}: {query}" for outcome in known for tool, query in outcome.trace.searches)
    return tuple(dict.fromkeys(one_line(search, _LONGEST) for search in searched))[:_MOST_WHERE]


def _lacks_some(asked: _Asked, history: _PlanHistory, outcomes: Mapping[str, Outcome]) -> bool:
    """Report whether any of the plan's last tasks for a part has no answer. They answer the part only together."""
    finals = [key for key in asked.keys if history.current is not None and key in history.current.final_ids]
    roots = [_find_roots([outcomes[key]], outcomes)[0] if key in outcomes else None for key in finals]
    return any(root is None or not root.answers for root in roots)


def _find_roots(known: Iterable[Outcome], outcomes: Mapping[str, Outcome]) -> list[Outcome]:
    """Return, for each outcome, the outcome behind it: that of the task it waited for if it is blocked, else itself."""
    roots: list[Outcome] = []
    for outcome in known:
        seen: set[str] = set()
        while outcome.status == "blocked" and outcome.trace.blocked_by in outcomes and outcome.task_id not in seen:
            seen.add(outcome.task_id)
            outcome = outcomes[outcome.trace.blocked_by]  # noqa: PLW2901 - followed up to its root
        roots.append(outcome)
    return roots


def _is_set(outcome: Outcome, history: _PlanHistory, outcomes: Mapping[str, Outcome]) -> bool:
    """Report whether a person set the value of a task, or of a task that it builds on."""
    waiting, seen = [outcome.task_id], set[str]()
    while waiting:
        key = waiting.pop()
        if key in seen or key not in outcomes:
            continue
        seen.add(key)
        if outcomes[key].detail.set_by_person:
            return True
        waiting += history.tasks[key].references if key in history.tasks else ()
    return False


def _read_failure(tool: str, message: str) -> tuple[str, str]:
    """Return component and cause of a failure.

    "web_search: TimeoutError: no answer" gives "web_search" and "no answer".

    Args:
        tool: The tool that failed. Empty if the message may name it.
        message: The message.
    """
    head, colon, rest = message.partition(": ")
    named = bool(colon) and " " not in head and (not tool or head == tool or bool(rest))
    component, cause = (head, rest) if named and (not tool or head == tool) else (tool, message)
    return component, one_line(_ERROR_CLASS.sub("", cause), _LONGEST).rstrip(".")


def _find_unused_words(state: SearchState, asked: Sequence[_Asked], history: _PlanHistory) -> tuple[str, ...]:
    """Return the content words of the question that neither a part nor a task uses. Always empty for Chinese."""
    frame = state["assessment"].frame
    used = {term for item in asked for text in (item.subject, item.attribute, item.question) for term in terms(text)}
    asks = (relations()[leaf.relation].asks for leaf in _leaves(frame) if leaf.relation in relations())
    used |= {term for by_language in asks for words in by_language.values() for word in words for term in terms(word)}
    for task in history.tasks.values():
        used |= {*terms(task.description), *terms(" ".join(map(str, task.args.values())))}
    if frame.language == "zh":
        return ()  # Chinese terms are pairs of characters, not words
    # The first word is left out, since it may be an imperative.
    words = (found[0] for found in _WORD.finditer(frame.question) if found.start())
    return tuple(dict.fromkeys(word for word in words if (own := set(terms(word))) and not own & used))


def _list_unread_words(
    outcomes: Mapping[str, Outcome], history: _PlanHistory, language: Language
) -> list[QuestionPart]:
    """Return a part for each word that a table calculation ignored because no column or value matches it."""
    present = history.current.ids if history.current is not None else ()
    made = [outcomes[key].detail.computation or {} for key in present if key in outcomes and outcomes[key].usable]
    unused = [found for item in made if isinstance(found := item.get("unused"), list)]
    words = [str(word) for found in unused for word in found]
    cause = _WORDS[language]["no_column"]
    return [QuestionPart(attribute=word, outcome="not_asked", cause=cause) for word in dict.fromkeys(words)]


def _join_phrase(words: Sequence[str], question: str) -> str:
    """Return the text of the question from the first to the last of the given words."""
    start, end = question.find(words[0]), question.rfind(words[-1]) + len(words[-1])
    return question[start:end]
