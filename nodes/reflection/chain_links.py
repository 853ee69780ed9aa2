"""Links of a chain of look-ups: each step's passages have to name what the step before it found.

Where none does, the value may be that of a namesake, or of something that the question did not lead to.
"""

from collections.abc import Iterable

from weiwo.nodes.shared.ledger import CONCLUDED
from weiwo.nodes.shared.planning.rule_plan import frame_task
from weiwo.state import Evidence, Language, Outcome, Task
from weiwo.text.language import HAN
from weiwo.text.patterns import lazy
from weiwo.text.terms import terms

_HAN = lazy(f"[{HAN}]")


def find_missing_link(task: Task, outcome: Outcome, passages: Iterable[Evidence], language: Language) -> str:
    """Find what a chain builds on and the passages of the step that follows do not name; empty where all is named.

    The first step has to name what the question names, of which parsing may have taken too many words: one is enough.
    Any other name counts as told by half of its words, in text, title or headings. In another script no code can tell.

    Args:
        task: The task, whose description is the chain.
        outcome: Its value, with what was found on the way.
        passages: The passages of the run.
        language: The language of the task.
    """
    hops, frame = outcome.detail.hops, frame_task(task, language)
    side_by_side = frame.shape in {*CONCLUDED, "several"}  # whose steps do not build on one another
    if outcome.decided_by != "model" or side_by_side or (not hops and frame.shape != "chain"):
        return ""
    known = {passage.id: passage for passage in passages}
    on_the_way = {key for hop in hops for key in hop.evidence_ids}
    own = [key for key in outcome.evidence_ids if key not in on_the_way] or list(outcome.evidence_ids)
    steps = [*(hop.evidence_ids for hop in hops), own]
    for n, (name, keys) in enumerate(zip((frame.subject, *(hop.value for hop in hops)), steps, strict=True)):
        shown = [known[key] for key in keys if key in known]
        if shown and not any(_names(passage, name, least=0.5 if n else 0.0) for passage in shown):
            return name
    return ""


def _names(passage: Evidence, name: str, *, least: float) -> bool:
    """Whether a passage has a word of a name, and at least this share of its words."""
    text = " ".join((passage.title, passage.source, *passage.headings, passage.text))
    if bool(_HAN.search(name)) != bool(_HAN.search(text)):
        return True
    wanted = set(terms(name))
    found = wanted & set(terms(text))
    return not wanted or (bool(found) and len(found) >= least * len(wanted))
