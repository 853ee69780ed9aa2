"""Validation of a question: cleaned, not empty, not too long. Imports no LangChain, for light commands."""

from weiwo.state.errors import WeiwoError
from weiwo.text.language import clean

_MAX_QUESTION_CHARS = 8_000


class QuestionError(WeiwoError, ValueError):
    """Error raised if a question cannot be asked.

    The message is one line with the fault, the reason and the remedy.
    """


def check_question(text: str) -> str:
    """Return the question without control characters and surplus blanks.

    Raises:
        QuestionError: It is empty or too long.
    """
    question = clean(text)
    if not any(character.isalnum() for character in question):
        raise QuestionError("the question is empty; enter a question")
    if len(question) > _MAX_QUESTION_CHARS:
        raise QuestionError(
            f"the question has {len(question):,} characters, but at most {_MAX_QUESTION_CHARS:,} are "
            "allowed; shorten it, or put long material into a document and search that"
        )
    return question
