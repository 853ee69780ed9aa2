"""Upper estimates of tokens: what is set aside for a call before anybody knows what it takes.

They are meant to err upwards on ordinary text, and a little: English comes to about 4.5 characters a token, code and
JSON to 3, Chinese to 0.7 tokens a character with recent tokenizers and 1.3 with older ones.
"""

import json
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from models.reply import message_text

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

ASCII_PER_TOKEN = 3.0
TOKENS_PER_OTHER = 1.5
"""Tokens of a character outside ASCII."""
PER_MESSAGE = 8
"""Tokens that wrap a message: its role and separators."""
OUTPUT_RESERVE = 1_000
"""Tokens set aside for a reply until this run has seen a longer one for the same purpose."""

_BOUNDS = ("max_tokens", "max_completion_tokens", "max_output_tokens", "num_predict")


def text_tokens(text: str) -> int:
    """Tokens of a text, at most, as a rule."""
    plain = len(text.encode("ascii", "ignore"))
    return math.ceil(plain / ASCII_PER_TOKEN + (len(text) - plain) * TOKENS_PER_OTHER)


def prompt_tokens(messages: "Iterable[BaseMessage]", runnable: Any) -> int:
    """Tokens of a request: its messages, and the schema or function that is bound to the model.

    Args:
        messages: The conversation.
        runnable: The model as it is asked.
    """
    words = sum(PER_MESSAGE + text_tokens(message_text(message)) for message in messages)
    bound = getattr(getattr(runnable, "first", runnable), "kwargs", None)  # a sequence opens with the model
    return words + (text_tokens(json.dumps(bound, default=str, ensure_ascii=False)) if bound else 0)


def reply_tokens(model: Any, longest: int) -> int:
    """Tokens to set aside for a reply.

    Args:
        model: The model; its own bound on replies is never exceeded.
        longest: The longest reply this run has had for the same purpose.
    """
    bounds = (getattr(model, name, None) for name in _BOUNDS)
    own = [bound for bound in bounds if isinstance(bound, int) and bound > 0]
    return min([max(OUTPUT_RESERVE, longest), *own])
