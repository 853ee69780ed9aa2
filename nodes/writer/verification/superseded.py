"""Superseded sources: a claim that rests on a document that no longer holds, while the current one says otherwise."""

from collections.abc import Iterable, Sequence
from typing import Final

from weiwo.nodes.writer.verification.clauses import Clause, overlap, source_clauses
from weiwo.nodes.writer.verification.particulars import fold_script
from weiwo.nodes.writer.verification.quantities import same_quantity
from weiwo.state import Evidence
from weiwo.text.data_files import data_pattern

_SUPERSEDED: Final = data_pattern("claims", "check", "superseded")
_SAYS_SO: Final = data_pattern("claims", "check", "superseded_here")
_PAST: Final = data_pattern("claims", "check", "past")
_HEAD: Final = 300
"""Characters at the head of a document in which it says that it no longer holds."""
_CLOSE: Final = 0.5
"""Overlap from which a sentence of the current document speaks of what the claim speaks of."""


def find_current_source(statement: str, cited: Sequence[Evidence], at_hand: Iterable[Evidence]) -> Evidence | None:
    """Find the current document that gives another value than a claim whose cited documents are all superseded.

    Args:
        statement: The claim. One that tells what held before needs no current document.
        cited: The passages it cites.
        at_hand: All passages of the run.

    Returns:
        A passage of the current document, or None if a cited document is current or nothing speaks against the claim.
    """
    if not cited or not all(map(is_superseded, cited)) or _PAST.search(statement):
        return None
    claim = Clause(fold_script(statement))
    current = [one for one in at_hand if one not in cited and not is_superseded(one)]
    return next((one for one in current if _says_otherwise(claim, one)), None)


def is_superseded(passage: Evidence) -> bool:
    """Whether a newer version of a document is known, or it says itself that it no longer holds."""
    named = _SUPERSEDED.search(f"{passage.heading}\n{passage.source}")
    return bool(passage.superseded or named or _SAYS_SO.search(passage.text[:_HEAD]))


def _says_otherwise(claim: Clause, passage: Evidence) -> bool:
    """Whether the sentence of a passage that is closest to a claim gives other values of the claim's kinds."""
    near, clause = max(
        ((overlap(claim, one), one) for one in source_clauses(fold_script(passage.text))[0]),
        key=lambda scored: scored[0],
        default=(0.0, claim),
    )
    if near < _CLOSE:
        return False
    dates = [span.date for span in clause.dates]
    other_date = bool(dates) and any(
        not any(span.date.contains(date) or date.contains(span.date) for date in dates) for span in claim.dates
    )
    alike = [(one, [known for known in clause.quantities if known.kind == one.kind]) for one in claim.quantities]
    return other_date or any(known and not any(same_quantity(one, other) for other in known) for one, known in alike)
