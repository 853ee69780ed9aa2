"""Coverage of a question's parts by rule: whether each has a task of its own that asks for it and found it."""

from collections.abc import Mapping, Sequence

from weiwo.state import REFERENCE, Outcome, Plan
from weiwo.text.terms import terms


def covers_parts(parts: Sequence[str], plan: Plan, outcomes: Mapping[str, Outcome]) -> bool:
    """Whether each part is asked for, in all its content words, by a different task that has its whole value.

    Words are compared, not meanings: False says only that somebody has to judge. One part alone is not settled so.
    """
    done = [task for task in plan.tasks if task.id in outcomes and outcomes[task.id].usable]
    asking = [frozenset(terms(REFERENCE.sub(" ", t.description))) for t in done if not outcomes[t.id].detail.missing]
    return len(parts) > 1 and _match([frozenset(terms(part)) for part in parts], asking)


def _match(parts: Sequence[frozenset[str]], asking: Sequence[frozenset[str]]) -> bool:
    """Whether each part has a task of its own whose words hold its own."""
    if not parts:
        return True
    first, *rest = parts
    ways = [n for n, words in enumerate(asking) if first and first <= words]
    return any(_match(rest, [*asking[:n], *asking[n + 1 :]]) for n in ways)
