"""Plan templates: a plan that answered a question, with the question's names and numbers taken out.

Names and numbers of the question become slots, ⟨n1⟩ and ⟨d1⟩, in its wording and in the plan. Another question has the
same wording if it comes to the same words with slots in the same places; the template filled with its names is then
its plan. A plan that knows anything the question does not say (a name, a number) makes no template.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from weiwo.state import REFERENCE, JsonValue, Language, Plan
from weiwo.state.query import QueryFrame, Shape
from weiwo.state.values import Value
from weiwo.text.names import names
from weiwo.text.patterns import lazy
from weiwo.text.terms import terms

LONGEST_QUESTION: Final = 400
"""Characters of a question that makes a template."""
MOST_SLOTS: Final = 8
FEWEST_WORDS: Final = 2
"""Content words that a wording has besides its slots."""
MOST_RUNS: Final = 20
"""Runs that are remembered of a template, so that feedback on one finds it."""

_NUMBER: Final = lazy(r"(?<![\w.])\d[\d,.]*(?<=\d)(?!\w)|(?<=[^\x00-\x7f])\d+(?:\.\d+)?|\d+(?:\.\d+)?(?=[^\x00-\x7f])")
_SLOT: Final = lazy(r"⟨[nd]\d⟩")
_DIGIT: Final = lazy(r"\d")
_END: Final = " ?？.。!！"


class SlottedQuestion(NamedTuple):
    """A question with its names and numbers taken out.

    Attributes:
        wording: Its words, with slots.
        slots: What stood there, by slot.
    """

    wording: str
    slots: Mapping[str, str]


class PlanTemplate(Value):
    """A plan with slots, and how it fared.

    Attributes:
        wording: The wording of the questions that it answers, with slots.
        language: Their language.
        shape: The kind of question they are.
        plan: The plan in its interchange form, with slots.
        context: Identity of what else its planner was told, such as procedures; "" where nothing was.
        wins: How often it led to a complete answer.
        losses: How often it was filled and did not.
        model_calls: Model calls of the last run that it answered.
        seconds: How long that took.
        runs: The runs it answered, the latest last.
        at: When it last answered, in seconds since 1970.
        pinned: Whether a person wants it kept and used.
        bad: Whether a person said that an answer of it was bad.
    """

    wording: str
    language: Language
    shape: Shape
    plan: dict[str, JsonValue]
    context: str = ""
    wins: int = 1
    losses: int = 0
    model_calls: int = 0
    seconds: float = 0.0
    runs: tuple[str, ...] = ()
    at: float = 0.0
    pinned: bool = False
    bad: bool = False

    @property
    def key(self) -> str:
        """The identity of its wording."""
        return wording_key(self.wording, self.language)

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools of its tasks."""
        vertices = self.plan.get("vertices")
        named = [vertex.get("tool_binding") for vertex in (vertices if isinstance(vertices, list) else ())]  # type: ignore[union-attr]
        return tuple(dict.fromkeys(str(name) for name in named))

    @property
    def trusted(self) -> bool:
        """Whether it may be filled without asking a planner: it was never bad, and does not fail as often as not."""
        return not self.bad and (self.pinned or self.wins > 2 * self.losses)


def wording_key(wording: str, language: Language) -> str:
    """The identity of a wording."""
    return hashlib.sha256(f"{language}:{wording}".encode()).hexdigest()[:12]


def take_out_slots(question: str) -> SlottedQuestion:
    """A question without its names and numbers."""
    text = " ".join(question.split()).strip(_END)
    spans = [(one.start, one.end, "n") for one in names(text)]
    taken = [(start, end) for start, end, _ in spans]
    spans += [
        (found.start(), found.end(), "d")
        for found in _NUMBER.finditer(text)
        if all(found.end() <= start or found.start() >= end for start, end in taken)
    ]
    slots: dict[str, str] = {}
    known: dict[str, str] = {}
    parts: list[str] = []
    at = 0
    for start, end, kind in sorted(spans):
        if start < at:
            continue
        value = text[start:end]
        if value not in known:
            known[value] = f"⟨{kind}{sum(slot[1] == kind for slot in slots) + 1}⟩"
            slots[known[value]] = value
        parts += [text[at:start].casefold(), known[value]]
        at = end
    return SlottedQuestion("".join([*parts, text[at:].casefold()]), slots)


def make_template(frame: QueryFrame, plan: Plan, **more: Any) -> PlanTemplate | None:
    """The template of a plan that answered a question; None where it holds for this question alone."""
    if len(frame.question) > LONGEST_QUESTION:
        return None
    wording, slots = take_out_slots(frame.question)
    if not 0 < len(slots) <= MOST_SLOTS or len(set(terms(_SLOT.sub(" ", wording)))) < FEWEST_WORDS:
        return None
    values = sorted(((value, slot) for slot, value in slots.items()), key=lambda pair: -len(pair[0]))

    def take_out(text: str) -> str:
        for value, slot in values:
            text = _replace(text, value, slot)
        return text

    form = _mapped(_plan_form(plan), take_out)
    said = json.dumps(form, ensure_ascii=False)
    if any(slot not in said for slot in slots) or any(map(_knows_more, form["vertices"])):
        return None
    return PlanTemplate(wording=wording, language=frame.language, shape=frame.shape, plan=form, **more)


def fill_template(template: PlanTemplate, slots: Mapping[str, str]) -> Plan:
    """The plan of a question of a template's wording.

    Raises:
        PlanFormatError: What is kept is no plan.
    """

    def fill(text: str) -> str:
        return _SLOT.sub(lambda found: slots.get(found[0], found[0]), text)

    return Plan.from_json(_mapped(template.plan, fill)).model_copy(update={"decided_by": "memory"})


def _plan_form(plan: Plan) -> dict[str, Any]:
    """What of a plan is kept: its tasks and edges, without anybody's thoughts."""
    form = plan.to_json()
    vertices = [{name: value for name, value in one.items() if name != "thought"} for one in form["vertices"]]
    return {"vertices": vertices, "edges": form["edges"]}


def _replace(text: str, value: str, slot: str) -> str:
    """A text with a slot for a name or number, where it stands as a word of its own."""
    parts: list[str] = []
    low, sought, at = text.casefold(), value.casefold(), 0
    if len(low) != len(text):  # a letter that folds to two
        low, sought = text, value
    while (found := low.find(sought, at)) >= 0:
        end = found + len(sought)
        alone = not (_joins(low[:found][-1:], sought[0]) or _joins(sought[-1], low[end : end + 1]))
        parts += [text[at:found], slot if alone else text[found:end]]
        at = end
    return "".join([*parts, text[at:]])


def _joins(left: str, right: str) -> bool:
    """Whether two characters side by side are one word: of Han nobody can tell, so that they are not."""
    return bool(left and right) and left.isascii() and right.isascii() and left.isalnum() and right.isalnum()


def _knows_more(vertex: Mapping[str, Any]) -> bool:
    """Whether a task names or counts what no slot stands for; formulas may hold numbers."""
    args = vertex.get("args")
    texts = [str(vertex.get("description") or "")]
    for name, value in args.items() if isinstance(args, Mapping) else ():
        plain = REFERENCE.sub(" ", value) if isinstance(value, str) else ""
        texts += [plain] if name != "expression" else [_NUMBER.sub(" ", plain)]
    bare = [_SLOT.sub(" ", REFERENCE.sub(" ", text)) for text in texts]
    return any(_DIGIT.search(text) or names(text) for text in bare)


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    """A plan's form with every text that is asked or sent changed; ids, tools, types and references stay."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        fixed = {"id", "tool_binding", "ret", "for_each", "edges"}
        return {key: inner if key in fixed else _mapped(inner, change) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_mapped(inner, change) for inner in value]
    return value
