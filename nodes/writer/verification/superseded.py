"""Superseded sources: claims based on an outdated document and contradicted by the current document."""

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
"""Least overlap of a claim and a sentence of the current document about the same thing."""


def find_current_source(statement: str, cited: Sequence[Evidence], at_hand: Iterable[Evidence]) -> Evidence | None:
    """Return a passage of a current document that contradicts a claim, if the claim cites superseded documents only.

    Args:
        statement: The claim.
        cited: The passages it cites.
        at_hand: All passages of the run.

    Returns:
        The passage. None if nothing is cited, a cited passage is current, the claim is about the past, or no current
            passage gives a different value.
    """
    if not cited or not all(map(is_superseded, cited)) or _PAST.search(statement):
        return None
    claim = Clause(fold_script(statement))
    current = [evidence for evidence in at_hand if evidence not in cited and not is_superseded(evidence)]
    return next((item for item in current if _says_otherwise(claim, item)), None)


def is_superseded(passage: Evidence) -> bool:
    """Report whether the document of a passage has a newer version, or says so in its title, path or beginning."""
    named = _SUPERSEDED.search(f"{passage.heading}\n{passage.source}")
    return bool(passage.is_outdated or named or _SAYS_SO.search(passage.text[:_HEAD]))


def _says_otherwise(claim: Clause, passage: Evidence) -> bool:
    """Report whether the sentence closest to a claim gives another date, or another quantity of the same kind.

    False if no sentence is similar enough, or if its dates and quantities agree.
    """
    near, clause = max(
        ((overlap(claim, item), item) for item in source_clauses(fold_script(passage.text))[0]),
        key=lambda scored: scored[0],
        default=(0.0, claim),
    )
    if near < _CLOSE:
        return False
    dates = [span.date for span in clause.dates]
    other_date = bool(dates) and any(
        not any(span.date.contains(date) or date.contains(span.date) for date in dates) for span in claim.dates
    )
    alike = [
        (quantity, [known for known in clause.quantities if known.kind == quantity.kind])
        for quantity in claim.quantities
    ]
    return other_date or any(known and not any(same_quantity(item, other) for other in known) for item, known in alike)
