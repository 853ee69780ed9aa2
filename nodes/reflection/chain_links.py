"""Links of a look-up chain: each step's passages must name the previous step's value.

If no passage does, the value may belong to a namesake, or to something that the question did not lead to.
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
    """Return the first name of a look-up chain that no passage of its step mentions. Empty if there is none.

    The first step has to mention the question's subject, of which one word is enough, since parsing may have taken too
    many words for it. Each later step has to mention the value of the step before: half of its words, in text, title or
    headings. A name in another script than the passage counts as mentioned, since code cannot tell. Tasks that are no
    chain, or were not read by a model, have no missing link.

    Args:
        task: The task with the chain as its description.
        outcome: The task's outcome, with the intermediate values.
        passages: The passages of the run.
        language: The language of the task.
    """
    hops, frame = outcome.detail.hops, frame_task(task, language)
    side_by_side = frame.shape in {*CONCLUDED, "several"}  # their steps do not build on one another
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
    """Report whether a passage has one word or more, and at least the share `least`, of a name's words.

    True if only one of the two has Chinese characters, or if the name has no words to compare.
    """
    text = " ".join((passage.title, passage.source, *passage.headings, passage.text))
    if bool(_HAN.search(name)) != bool(_HAN.search(text)):
        return True
    wanted = set(terms(name))
    found = wanted & set(terms(text))
    return not wanted or (bool(found) and len(found) >= least * len(wanted))
