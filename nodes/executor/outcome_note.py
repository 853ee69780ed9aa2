"""The note of an outcome for people: what its task came to, and what took far too long on the way."""

from typing import Final

from weiwo.state import Language, Outcome

_TOOK: Final[dict[Language, str]] = {
    "en": "{} took far longer than it usually does, so a second call was made",
    "zh": "{} 所用时间远超平常，因此另发了一次调用",
}


def note_for_people(outcome: Outcome, language: Language) -> str:
    """An outcome's note, with a line on each tool that was overdue, so that a second call was made; may be empty."""
    slow = _TOOK[language].format(", ".join(outcome.detail.slow)) if outcome.detail.slow else ""
    return "; ".join(filter(None, [outcome.note, slow]))
