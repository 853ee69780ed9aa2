"""The claims of an answer that is given whole, checked as those of a stream are."""

from collections.abc import Mapping, Sequence

from weiwo.nodes.writer.claims import ClaimSources, check_piece
from weiwo.state import Claim, Evidence, Language, Outcome


def check_claims(
    text: str,
    sources: Mapping[int, Sequence[Evidence]],
    computed: Mapping[int, Outcome] | None = None,
    *,
    language: Language = "en",
    question: str = "",
) -> list[Claim]:
    """Check every sentence, item and cell of an answer against what it cites.

    Args:
        text: The answer as Markdown, or a piece of it, with citation marks.
        sources: The passages behind each number.
        computed: The calculations behind each number.
        language: The answer's language.
        question: The user's question.

    Returns:
        The claims in order, marks taken out. `citations` holds the numbers that exist; a claim that cites another
        number is `unsupported`.
    """
    given = ClaimSources(sources, computed or {}, language, question)
    return [checked.claim for checked in check_piece(text, given)]
