"""Upper estimates of tokens: what is set aside for a call before anybody knows what it takes.

They err upwards on whatever a search brings: prose in any script, code, tables, figures, keys, emoji. Weights are by
character, measured against five byte-pair tokenizers (cl100k and o200k of OpenAI, Qwen, DeepSeek, Claude 2): English
prose and code are overestimated by about 1.6, Chinese by 1.4 (older tokenizers) to 2.5, figures by 1 to 2. Not covered
are long runs of random letters, and of rare Han characters, which older tokenizers spell out byte by byte.
"""

import json
import math
import string
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from weiwo.models.reply import message_text

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

_CLASSES = (
    (string.ascii_lowercase.encode(), 0.3),
    (b" ", 0.3),
    (string.ascii_uppercase.encode(), 0.85),  # keys and base64; they are few in prose
    (string.digits.encode(), 1.15),  # one token each to Qwen and Llama, one for three to OpenAI
    (string.punctuation.encode(), 0.8),
)
"""Tokens of an ASCII character."""
_OTHER_ASCII = 1.0
_PER_BYTE = 0.55
"""Tokens of a byte of UTF-8 outside ASCII: Han has three a character, Cyrillic, Greek and Arabic have two."""
_PER_ASTRAL = 2.2
"""What one of four bytes has more: emoji, rare Han."""
PER_MESSAGE = 8
"""Tokens that wrap a message: its role and separators."""
OUTPUT_RESERVE = 1_000
"""Tokens set aside for a reply until this run has seen a longer one for the same purpose."""

_BOUNDS = ("max_tokens", "max_completion_tokens", "max_output_tokens", "num_predict")


def text_tokens(text: str) -> int:
    """Tokens of a text, at most, as a rule."""
    plain = text.encode("ascii", "ignore")
    tokens = 0.0
    for characters, weight in _CLASSES:
        if not plain:
            break
        others = plain.translate(None, characters)
        tokens += (len(plain) - len(others)) * weight
        plain = others
    tokens += len(plain) * _OTHER_ASCII
    if not text.isascii():
        encoded = text.encode("utf-8", "surrogatepass")
        astral = len(text.encode("utf-16-le", "surrogatepass")) // 2 - len(text)
        ascii_ = len(text.encode("ascii", "ignore"))
        tokens += (len(encoded) - ascii_) * _PER_BYTE + astral * _PER_ASTRAL
    return math.ceil(tokens)


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
