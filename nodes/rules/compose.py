"""The rule writer: an answer composed of sentences from typed outcomes and quotes.

Answers come first, then the facts they follow from, then what was not found. A sentence is only built where its
grammar is certain; elsewhere the passage speaks for itself. Nothing is said that no outcome carries.
"""

from collections.abc import Iterator, Mapping

from nodes.rules.agreements import agreement, ranking
from nodes.rules.disagreements import disagreement
from nodes.rules.facts import UNNAMED, Book, Sentence, fact, indirect, is_computation, not_found
from nodes.rules.forms import Shape
from nodes.rules.reading.nearest import nearest
from nodes.rules.shapes import read_question
from nodes.rules.small_talk import small_talk
from nodes.rules.verdicts import verdict
from state import Evidence, Language, Outcome, Plan, Task

__all__ = ["Sentence", "compose", "small_talk"]


def compose(
    question: str,
    language: Language,
    plan: Plan,
    outcomes: Mapping[str, Outcome],
    evidence: Mapping[str, Evidence],
) -> list[Sentence]:
    """Tell what a plan came to.

    Args:
        question: The user's question.
        language: The language to answer in.
        plan: The plan that ran, made by a rule or by a model.
        outcomes: What each task came to.
        evidence: The passages, by id.

    Returns:
        The sentences in order; at least one for every plan, if only to say what was not found.
    """
    shape = read_question(question, language)
    book = Book(plan, outcomes, evidence, language)
    sentences = [*_answers(book, shape), *_facts(book), *_gaps(book, shape), *_nearest(book)]
    if not sentences:
        sentences = [Sentence(not_found(question, language))]
    return list({sentence.text: sentence for sentence in reversed(sentences)}.values())[::-1]


def _answers(book: Book, shape: Shape) -> Iterator[Sentence]:
    """The results of calculations; where the plan has none, what the values of the compared things tell."""
    finals = set(book.plan.final_ids)
    computations = [task for task in book.plan.tasks if is_computation(task)]
    for task in sorted(computations, key=lambda task: task.id not in finals):
        if told := verdict(book, task, shape):
            yield told
    asked = _compared(book.plan, shape)
    if shape.kind in {"both", "same"} and not computations and (told := agreement(book, asked, shape)):
        yield told
    if shape.kind in {"comparison", "superlative", "difference"} and not computations and shape.than:
        told = ranking(book, asked, shape)
        if told:
            yield told


def _compared(plan: Plan, shape: Shape) -> list[str]:
    """The look-ups whose values are compared: the last ones of the plan, as many as there are subjects."""
    finals = [task_id for task_id in plan.final_ids if not is_computation(plan.task(task_id))]
    return finals if len(finals) == len(shape.lookups) else []


def _facts(book: Book) -> Iterator[Sentence]:
    """What the look-ups found, those that the answer rests on first, and what sources say otherwise."""
    lookups = [task for task in book.plan.tasks if not is_computation(task)]
    finals = set(book.plan.final_ids)
    for task in (*[t for t in lookups if t.id in finals], *[t for t in lookups if t.id not in finals]):
        yield from fact(book, task)
        yield from disagreement(book, task)


def _gaps(book: Book, shape: Shape) -> Iterator[Sentence]:
    """What was not found, and what could not be done for want of it."""
    for task in book.plan.tasks:
        outcome = book.outcomes.get(task.id)
        if book.usable(task.id) is not None:
            continue
        if is_computation(task):
            if task.id not in book.plan.final_ids and outcome is not None and outcome.status == "blocked":
                continue  # what ends the plan for want of it says so
            yield Sentence(_not_computed(book, task, outcome, shape))
        elif outcome is None or outcome.status != "blocked" or not _explained(book, task):
            yield Sentence(not_found(book.asked(task), book.language))
        else:
            yield Sentence(_hanging(book, task))


def _nearest(book: Book) -> Iterator[Sentence]:
    """For one look-up that found nothing: the sentence that comes nearest, told as no more than that."""
    if len(book.plan.tasks) != 1:
        return
    task = book.plan.tasks[0]
    outcome = book.outcomes.get(task.id)
    if is_computation(task) or task.for_each or outcome is None or outcome.status != "empty":
        return
    searched = [passage for passage in book.evidence.values() if task.id in passage.task_ids]
    quote = nearest(book.asked(task), searched, book.language)
    if quote is None:
        return
    words = " ".join(quote.text.split()).strip("|").strip()
    title = book.evidence[quote.evidence_id].title.strip("《》")
    if book.language == "zh":
        words = words.rstrip("。")
        origin = f"出自“{title}”：" if title else "是："
        yield Sentence(f"最接近的内容{origin}“{words}”。", (quote.evidence_id,))
    else:
        origin = f", in “{title}”" if title else ""
        yield Sentence(f"The nearest I found{origin}: “{words.rstrip('.')}”.", (quote.evidence_id,))


def _explained(book: Book, task: Task) -> bool:
    """Whether something upstream is missing, which is said of its own accord."""
    return any(book.usable(name) is None for name in book.plan.upstream(task.id))


def _hanging(book: Book, task: Task) -> str:
    """What could not be asked, because what it is about was not found."""
    question = book.asked(task)
    if UNNAMED in question:
        return "因此无法得知后面的结果。" if book.language == "zh" else "Without that, I could not find the rest."
    missing = not_found(question, book.language)
    return f"因此也{missing}" if book.language == "zh" else f"Without that, {missing}"


def _not_computed(book: Book, task: Task, outcome: Outcome | None, shape: Shape) -> str:
    """What a calculation could not come to, as a consequence of what is missing or by its own failure."""
    missing = any(book.usable(name) is None for name in book.plan.upstream(task.id))
    reason = outcome.failure.message if outcome and outcome.failure and not missing else ""
    names = shape.subjects if len(shape.subjects) > 1 and shape.kind != "age_at" else ()
    if shape.task and missing and (clause := indirect(book.asked(task), book.language)):
        return f"因此无法得知{clause}。" if book.language == "zh" else f"Without that, I cannot say {clause}."
    if book.language == "zh":
        what = f"{'和'.join(names)}的比较结果" if names else "计算结果"
        return f"因此无法得知{what}。" if missing else f"无法得知{what}{f'：{reason}' if reason else ''}。"
    listed = " and ".join([", ".join(names[:-1]), names[-1]]) if names else ""
    what = f"say how {listed} compare" if names else "give the result of the calculation"
    if missing:
        return f"Without that, I cannot {what}."
    return f"I cannot {what}{f': {reason}' if reason else ''}.".replace("..", ".")
