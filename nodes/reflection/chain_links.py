"""Links of a chain of look-ups: each step's passages have to name what the step before it found.

Where none does, the value may be that of a namesake, or of something that the question did not lead to.
"""

from collections.abc import Iterable, Iterator, Mapping

from weiwo.nodes.shared.planning.rule_plan import frame_task
from weiwo.state import Evidence, Language, Outcome, Task
from weiwo.text.language import HAN
from weiwo.text.patterns import lazy
from weiwo.text.terms import terms

_HAN = lazy(f"[{HAN}]")


def find_missing_link(task: Task, outcome: Outcome, passages: Iterable[Evidence], language: Language) -> str:
    """Find what a chain builds on and the passages of the step that follows do not name; empty where all is named.

    The first step has to name what the question names. A name counts as told by half of its words, in text, title or
    headings; in another script no code can tell.

    Args:
        task: The task, whose description is the chain.
        outcome: Its value, with what was found on the way.
        passages: The passages of the run.
        language: The language of the task.
    """
    hops, frame = outcome.detail.hops, frame_task(task, language)
    if outcome.decided_by != "model" or (not hops and frame.shape != "chain"):
        return ""
    known = {passage.id: passage for passage in passages}
    on_the_way = {key for hop in hops for key in hop.evidence_ids}
    own = [key for key in outcome.evidence_ids if key not in on_the_way] or list(outcome.evidence_ids)
    names = [*frame.subjects[:1], *(hop.value for hop in hops)]
    steps = [*(list(hop.evidence_ids) for hop in hops), own]
    return next(_list_unnamed(names[-len(steps) :], steps, known), "")


def _list_unnamed(names: list[str], steps: list[list[str]], known: Mapping[str, Evidence]) -> Iterator[str]:
    """Yield each name that no passage of its step tells; the steps are the latest where there are fewer names."""
    for name, keys in zip(names, steps[-len(names) :], strict=True):
        shown = [known[key] for key in keys if key in known]
        if shown and not any(_names(passage, name) for passage in shown):
            yield name


def _names(passage: Evidence, name: str) -> bool:
    text = " ".join((passage.title, passage.source, *passage.headings, passage.text))
    if bool(_HAN.search(name)) != bool(_HAN.search(text)):
        return True
    wanted = set(terms(name))
    return 2 * len(wanted & set(terms(text))) >= len(wanted)
