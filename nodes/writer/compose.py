"""Statements made by rule from the outcomes of tasks, in neutral words, in English and Chinese.

A statement is only made of computed or proven facts: a value with its subject and relation, a comparison of such
values, a calculation. Everything else is left to extracts, the sources' own words.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from weiwo.nodes.shared.planning.rule_plan import frame_task
from weiwo.nodes.writer.sources import append_unit, outcome_unit, render_value
from weiwo.nodes.writer.table_statement import tell_table_result
from weiwo.state import REFERENCE, JsonValue, Language, Outcome, Plan, Task
from weiwo.state.query import QueryFrame
from weiwo.text.dates import PartialDate
from weiwo.text.lists import join_names
from weiwo.text.localization import localized_section
from weiwo.text.mentions import title_key
from weiwo.text.numbers import format_number
from weiwo.text.printable import one_line
from weiwo.text.relations import relations
from weiwo.text.terms import terms

DISPUTED: Final = "disputed"
"""Mechanism of a statement that only says that sources disagree. It asserts none of their values."""

_WORDS: Final = localized_section("writer.compose")
_MOST_CITED: Final = 2


@dataclass(frozen=True)
class Statement:
    """A sentence of an answer, with the passages or calculations behind it.

    Attributes:
        text: The sentence, without citation marks.
        mechanism: The rule that asserts it, such as `comparison:date`.
        evidence_ids: Cited passages, best first.
        computed_by: Ids of the calculation tasks it follows from.
        verdict: "Yes. " or "No. " before it, which a calculation decides and no passage states. Else empty.
        task_id: The task behind it.
        table: The content as a Markdown table. Empty for a single value.
    """

    text: str
    mechanism: str
    evidence_ids: tuple[str, ...] = ()
    computed_by: tuple[str, ...] = ()
    verdict: str = ""
    task_id: str = ""
    table: str = ""


@dataclass(frozen=True)
class _Operand:
    """Operand of a comparison, with a name and an outcome."""

    name: str
    outcome: Outcome

    @property
    def key(self) -> PartialDate | float | None:
        """Sort key. None if the operand cannot be ordered."""
        value = self.outcome.value
        if self.outcome.type == "date" and isinstance(value, str):
            return PartialDate.from_iso(value)
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def compose_statements(
    plan: Plan, outcomes: Mapping[str, Outcome], language: Language, titles: Iterable[str] = ()
) -> list[Statement]:
    """Return the statements of a plan's outcomes: first those of the plan's last tasks, then those of the tasks before.

    Tasks without a result, or of which nothing safe can be said, give none. Equal statements are returned once.

    Args:
        plan: The executed plan, made by a rule or by a model.
        outcomes: The outcome of each task.
        language: The language to answer in.
        titles: Titles of the passages. A name typed in lower case is spelled as in a title.
    """
    composer = _Composer(plan, outcomes, language, titles)
    finals = [task for task in plan.tasks if task.id in plan.final_ids]
    others = [task for task in plan.tasks if task.id not in plan.final_ids]
    told = ((task, composer.tell(task)) for task in (*finals, *others))
    found = [replace(statement, task_id=task.id) for task, statement in told if statement is not None]
    return list({statement.text: statement for statement in reversed(found)}.values())[::-1]


class _Composer:
    """Composer of the statements of a plan's tasks."""

    def __init__(self, plan: Plan, outcomes: Mapping[str, Outcome], language: Language, titles: Iterable[str]) -> None:
        self._plan = plan
        self._outcomes = {key: outcome for key, outcome in outcomes.items() if outcome.usable}
        self._language = language
        self._words = _WORDS[language]
        self._spelling = {title_key(title): title.strip("《》") for title in titles}

    def tell(self, task: Task) -> Statement | None:
        """Return the statement of a task. None if the task has no result or nothing safe can be said.

        No statement is made of passages, of code in several lines, or of a task that runs for each item of a list.
        """
        outcome, frame = self._outcomes.get(task.id), frame_task(task, self._language)
        if outcome is None or outcome.type == "passages":
            return None
        if isinstance(outcome.value, str) and "\n" in outcome.value:
            return None  # code, which its source shows as it is
        if outcome.is_computed:
            return self._tell_computed(task, frame, outcome)
        return None if task.for_each else self._value(task, frame, outcome)

    def _value(self, task: Task, frame: QueryFrame, outcome: Outcome) -> Statement:
        """Return the statement of a looked-up value: "The height of the tower is 828 metres.", or "question: value".

        A value that the sources dispute is given with its rivals.
        """
        value = outcome.detail.shown if outcome.decided_by == "rule" else ""
        value = value or render_value(outcome, self._language)
        if outcome.detail.approximate and outcome.decided_by == "rule":
            value = self._words["about"].format(v=value)
        noun = self._noun(frame)
        subject = self._spell_subject(frame.subject)
        disputed = bool(outcome.rivals) and outcome.decided_by == "rule"
        told = bool(noun and subject)
        if outcome.detail.label and outcome.decided_by == "rule" and not disputed:
            text = f"{outcome.detail.label}: {value}"
        elif told:
            text = self._words["disputed" if disputed else "value"].format(s=subject, noun=noun, v=value)
        else:
            asked = self._words["asked"].format(q=self._fill_references(task.description), v=value)
            text = _find_own_words(outcome, frame, value) or asked
        for rival in outcome.rivals:
            other = render_value(outcome.model_copy(update={"value": rival.value}), self._language)
            text += self._words["or" if disputed and told else "rival"].format(v=other)
        against = tuple(key for rival in outcome.rivals for key in rival.evidence_ids[:1])
        mechanism = DISPUTED if disputed else outcome.detail.mechanism or f"look_up:{outcome.type}"
        return Statement(self._end_sentence(text), mechanism, (*self._list_cited(outcome), *against))

    def _tell_computed(self, task: Task, frame: QueryFrame, result: Outcome) -> Statement | None:
        """Return the statement of a calculation with its inputs. None if nothing safe can be said."""
        operands = self._operands(task)
        if not operands:
            made = result.detail.computation or {}
            if "rows" in made:
                text = tell_table_result(result, self._language)
                drawn = _draw_table(made.get("header"), made.get("table"))
                return Statement(self._end_sentence(text), "table", self._list_cited(result), (task.id,), table=drawn)
            if made.get("start") and not task.references:
                told = f"{made['start']} – {made['end']}: {self._difference(result, (_Operand('', result),))}"
                return Statement(self._end_sentence(told), "calculation", (), (task.id,))
            expression = str(task.args.get("expression", ""))
            if not expression or REFERENCE.search(expression):
                return None
            text = self._words["result"].format(e=expression, v=render_value(result, self._language))
            return Statement(self._end_sentence(text), "calculation", (), (task.id,))
        if len(operands) == 1:
            asked = self._fill_references(task.description).rstrip("?？ ")
            text = self._words["asked"].format(q=asked[:1].upper() + asked[1:], v=self._difference(result, operands))
            return Statement(
                self._end_sentence(text), "calculation", self._list_cited(operands[0].outcome)[:1], (task.id,)
            )
        if len({outcome_unit(operand.outcome) for operand in operands}) > 1:
            return None  # what numbers of different units come to means nothing
        text, mechanism = self._relate_operands(frame, operands, result)
        if not text:
            return None
        cites = tuple(dict.fromkeys(key for operand in operands for key in self._list_cited(operand.outcome)[:1]))
        verdict = next((self._words[item] for item in ("yes", "no") if text.startswith(self._words[item])), "")
        return Statement(self._end_sentence(text.removeprefix(verdict)), mechanism, cites, (task.id,), verdict)

    def _relate_operands(self, frame: QueryFrame, operands: Sequence[_Operand], result: Outcome) -> tuple[str, str]:
        """Return the sentence about the operands of a calculation, and its mechanism, like `span:date`.

        The sentence is empty if nothing safe can be said.
        """
        kind = "date" if operands[0].outcome.type == "date" else "number"
        noun = self._noun(frame) or self._noun(frame_task(self._plan.task(operands[0].outcome.task_id), self._language))
        if len({operand.name for operand in operands}) == 1:
            difference = self._difference(result, operands)
            first, last = sorted(operands, key=lambda operand: operand.key or 0)[:2] if kind == "date" else operands[:2]
            values = {
                "va": render_value(first.outcome, self._language),
                "vb": render_value(last.outcome, self._language),
            }
            noun = self._noun(frame) or self._words["age"]
            return self._words["span"].format(s=operands[0].name, noun=noun, d=difference, **values), f"span:{kind}"
        return self._state_comparison(frame, operands, result, kind, noun)

    def _state_comparison(
        self, frame: QueryFrame, operands: Sequence[_Operand], result: Outcome, kind: str, noun: str
    ) -> tuple[str, str]:
        mechanism = f"{frame.shape}:{kind}"
        ordered = _order(operands, frame.direction or ("least" if kind == "date" else "greatest"))
        difference = self._difference(result, operands)
        if not frame.direction and len(operands) == 2:
            names = join_names([operand.name for operand in operands], self._language)
            return self._words["apart"].format(names=names, noun=noun, d=difference), mechanism
        if ordered is None:
            return "", mechanism
        best, other = ordered[0], ordered[1]
        direction = frame.direction or "greatest"
        values = {"va": render_value(best.outcome, self._language), "vb": render_value(other.outcome, self._language)}
        if len(ordered) > 2:
            return self._words[f"{kind}_{direction}_of_all"].format(a=best.name, noun=noun, **values), mechanism
        template = self._words.get(f"{frame.relation}_{direction}") or self._words[f"{kind}_{direction}"]
        text = template.format(a=best.name, b=other.name, d=difference, noun=noun, **values)
        if frame.answer_type == "boolean":
            text = self._words["yes" if best is operands[0] else "no"] + text
        return text, mechanism

    def _difference(self, result: Outcome, operands: Sequence[_Operand]) -> str:
        value = result.value
        if isinstance(value, bool) or not isinstance(value, int | float):
            return render_value(result, self._language)
        unit = outcome_unit(result) or outcome_unit(operands[0].outcome)
        unit = "years" if unit == "age" and len({operand.name for operand in operands}) > 1 else unit
        size = round(abs(value), 6)
        told = append_unit(format_number(size, self._language), size, unit, self._language)
        exact = (result.detail.computation or {}).get("exact") is not False
        return told if exact else self._words["about"].format(v=told)

    def _operands(self, task: Task) -> list[_Operand]:
        """Return the operands of a calculation: the tasks it refers to, each with a name.

        Empty if there are none, or if any has no value or a list of values.
        """
        found = []
        for name in task.references:
            outcome = self._outcomes.get(name)
            if outcome is None or name not in self._plan.ids or isinstance(outcome.value, list):
                return []
            frame = frame_task(self._plan.task(name), self._language)
            found.append(_Operand(self._spell_subject(frame.subject) or self._fill_references(frame.question), outcome))
        return found

    def _noun(self, frame: QueryFrame) -> str:
        relation = relations().get(frame.relation)
        return relation.noun[self._language] if relation else ""

    def _fill_references(self, text: str) -> str:
        """Replace references to tasks in a text by the tasks' values. A reference without a value stays."""
        return REFERENCE.sub(
            lambda m: render_value(self._outcomes[m[1]], self._language) if m[1] in self._outcomes else m[0], text
        )

    def _spell_subject(self, subject: str) -> str:
        """Return a subject with references filled in. A subject in lower case is spelled like a title of that name."""
        name = self._fill_references(subject)
        return self._spelling.get(title_key(name), name) if name.islower() else name

    def _end_sentence(self, text: str) -> str:
        return text if text.endswith(tuple(".。!?！？")) else text + self._words["end"]

    def _list_cited(self, outcome: Outcome) -> tuple[str, ...]:
        """Return the ids of at most two passages to cite: those quoted, or the best if none is quoted."""
        quoted = tuple(dict.fromkeys(quote.evidence_id for quote in outcome.quotes))
        return (quoted or outcome.evidence_ids)[:_MOST_CITED]


def _order(operands: Sequence[_Operand], direction: str) -> list[_Operand] | None:
    """Return the operands ordered by value, the winner first. None if the order of the first two is open.

    It is open if a value cannot be compared, if one date contains the other (1900 and May 1900), or if two figures are
    equal or too close for inexact calculations.

    Args:
        operands: The operands, at least two.
        direction: "greatest" or "least", the value that wins.
    """
    keys = [operand.key for operand in operands]
    if any(key is None for key in keys) or len({type(key) for key in keys}) != 1:
        return None
    ordered = sorted(operands, key=lambda operand: operand.key, reverse=direction == "greatest")  # type: ignore[arg-type,return-value]  # of one ordered type
    first, second = ordered[0].key, ordered[1].key
    if isinstance(first, PartialDate) and isinstance(second, PartialDate):
        return None if first.contains(second) or second.contains(first) else ordered
    computations = [operand.outcome.detail.computation or {} for operand in ordered[:2]]
    doubt = float(any(computation.get("exact") is False for computation in computations))
    if isinstance(first, float) and isinstance(second, float) and abs(first - second) <= doubt:
        return None
    return ordered


_LONGEST_QUOTE: Final = 160


def _find_own_words(outcome: Outcome, frame: QueryFrame, value: str) -> str:
    """Return the quoted source sentence with a value, or "" if the value has to be put into other words.

    The sentence must have the words of the subject. A value that a model read, a disputed value and a sentence of more
    than 160 characters give "".
    """
    quotes = [quote.text for quote in outcome.quotes if value in quote.text and "\n" not in quote.text]
    if outcome.decided_by != "rule" or outcome.rivals or not quotes or len(quotes[0]) > _LONGEST_QUOTE:
        return ""
    return quotes[0] if set(terms(frame.subject)) <= set(terms(quotes[0])) else ""


_MOST_ROWS: Final = 20


def _draw_table(header: JsonValue, rows: JsonValue) -> str:
    """Return a result with two or more columns and 2 to 20 rows as a Markdown table, or "" for any other result."""
    if not isinstance(header, list) or not isinstance(rows, list):
        return ""
    lines = [header, ["---"] * len(header), *rows]
    if len(header) < 2 or not 2 <= len(rows) <= _MOST_ROWS:
        return ""
    cells = [
        ["" if cell is None else one_line(str(cell), 200).replace("|", "\\|") for cell in line]
        for line in lines
        if isinstance(line, list)
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)
