"""Context windows: prompt size of a model, room for the reply, and token counting.

Counts are exact if the model's tokenizer is available: OpenAI's encodings are read by tiktoken, if one lies whole in
its cache already. Counting never touches the network. Otherwise counts are upper estimates, even on unusual search
results. Weights are by character, measured against five byte-pair tokenizers (cl100k and o200k of OpenAI, Qwen,
DeepSeek, Claude 2): English prose and code are overestimated by about 1.6, Chinese by 1.4 to 2.5, figures by 1 to 2.
Not covered are long runs of random letters and of rare Han characters.
"""

import hashlib
import json
import math
import os
import string
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from weiwo.models.endpoint import EndpointMemory
from weiwo.models.reply import message_text

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage


_BASE: Final = "https://openaipublic.blob.core.windows.net/encodings/"
_ENCODINGS: Final = {
    "o200k_base": ("o200k_base", "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"),
    "o200k_harmony": ("o200k_base", "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"),
    "cl100k_base": ("cl100k_base", "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"),
}
"""File and SHA-256 of each encoding, as tiktoken has them (`tiktoken_ext.openai_public`)."""
_PIECE: Final = 50_000
"""Characters encoded at once: the work on one word without blanks grows faster than its length."""


def _find_tokenizer(name: str) -> Callable[[str], int] | None:
    """Return a token counter for a model, if the tokenizer is known and available.

    This call blocks, because it reads megabytes from disk.
    """
    provider, _, model = name.partition(":")
    if provider not in {"openai", "azure_openai", "given"}:
        return None
    try:
        import tiktoken  # noqa: PLC0415 - heavy
        from tiktoken.model import encoding_name_for_model  # noqa: PLC0415 - the same

        encoding = encoding_name_for_model(model)
    except (ImportError, KeyError):
        return None
    return _counter(tiktoken, encoding) if _is_cached(encoding) else None


@lru_cache(maxsize=len(_ENCODINGS))
def _counter(tiktoken: Any, encoding: str) -> Callable[[str], int]:
    encode = tiktoken.get_encoding(encoding).encode_ordinary

    def count(text: str) -> int:
        if len(text) <= _PIECE:
            return len(encode(text))
        return sum(len(encode(text[start : start + _PIECE])) for start in range(0, len(text), _PIECE))

    return count


def _is_cached(encoding: str) -> bool:
    """Report whether tiktoken would find an encoding without the network.

    A file that fails its check is downloaded again.
    """
    if encoding not in _ENCODINGS:
        return False
    file, digest = _ENCODINGS[encoding]
    default = str(Path(tempfile.gettempdir()) / "data-gym-cache")
    folder = os.environ.get("TIKTOKEN_CACHE_DIR", os.environ.get("DATA_GYM_CACHE_DIR", default))
    key = hashlib.sha1(f"{_BASE}{file}.tiktoken".encode(), usedforsecurity=False).hexdigest()
    try:
        return bool(folder) and hashlib.sha256((Path(folder) / key).read_bytes()).hexdigest() == digest
    except OSError:
        return False


_CLASSES = (
    (string.ascii_lowercase.encode(), 30),
    (b" ", 30),
    # Runs of capitals are keys and base64. They are rare in prose.
    (string.ascii_uppercase.encode(), 85),
    # Qwen and Llama count one token per digit, OpenAI one token per three digits.
    (string.digits.encode(), 115),
    (string.punctuation.encode(), 80),
)
"""Hundredths of a token of an ASCII character: whole numbers, so that parts of a text never count less than it."""
_OTHER_ASCII = 100
_PER_BYTE = 55
"""Those of a byte of UTF-8 outside ASCII: Han has three a character, Cyrillic, Greek and Arabic have two."""
_PER_ASTRAL = 220
"""What one of four bytes has more: emoji, rare Han."""
PER_MESSAGE = 8
"""Tokens that wrap a message: its role and separators."""
_OUTPUT_RESERVE = 1_000
"""Tokens set aside for a reply until this run has seen a longer one for the same purpose."""

_BOUNDS = ("max_tokens", "max_completion_tokens", "max_output_tokens", "num_predict")


def text_tokens(text: str) -> int:
    """Tokens of a text, at most, as a rule."""
    plain = text.encode("ascii", "ignore")
    tokens = 0
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
    return math.ceil(tokens / 100)


def prompt_tokens(messages: "Iterable[BaseMessage]", runnable: Any) -> int:
    """Return the tokens of a request: messages, and any schema or function bound to the model."""
    words = sum(PER_MESSAGE + text_tokens(message_text(message)) for message in messages)
    bound = getattr(getattr(runnable, "first", runnable), "kwargs", None)  # a sequence opens with the model
    return words + (text_tokens(json.dumps(bound, default=str, ensure_ascii=False)) if bound else 0)


def reply_tokens(model: Any, longest: int) -> int:
    """Return the tokens to reserve for a reply, by the longest so far and the model's own bound."""
    bounds = (getattr(model, name, None) for name in _BOUNDS)
    own = [bound for bound in bounds if isinstance(bound, int) and bound > 0]
    return min([max(_OUTPUT_RESERVE, longest), *own])


_DEFAULT_WINDOW: Final = 32_000
"""Tokens taken for the window of a model of which nothing is known. Most hold more; one that holds less says so in its
first refusal, and that is remembered."""
_WINDOW_SHARE: Final = 0.8
"""The share of the window that a prompt may take: beyond it models overlook what they read, counts err, and models that
reason need room (JoyAgent's deep search keeps to the same)."""
_FORM_RESERVE: Final = 800
"""Tokens kept for what a request holds besides its prompt and reply: a schema, the wrapping of messages."""
_LEAST_WINDOW: Final = 1_000
"""A refusal that names a smaller window than this speaks of something else."""
_SHRINK: Final = 2 / 3
"""What is left of a window, against a prompt that was too long for it, where the refusal names no number."""


@dataclass(frozen=True)
class ModelSize:
    """Known sizes of a model: window, reply reserve and token counter."""

    # Tokens of its context window as it is known by its name or its own settings; None: not known.
    window: int | None = None
    reply: int = _OUTPUT_RESERVE  # tokens to keep for its reply
    count: Callable[[str], int] = text_tokens  # counts the tokens of a text: with its tokenizer, or an upper estimate


def measure_model(model: "BaseChatModel", name: str) -> ModelSize:
    """Measure a model: window from the profile or the settings, reply size and token counter.

    This call blocks, because it may read a tokenizer.
    """
    return ModelSize(own_window(model), reply_tokens(model, 0), _find_tokenizer(name) or text_tokens)


def own_window(model: "BaseChatModel") -> int | None:
    """Return the context window from a model's own settings or LangChain's profile."""
    set_on_it = (getattr(model, name, None) for name in ("num_ctx", "n_ctx"))
    told = (*set_on_it, (getattr(model, "profile", None) or {}).get("max_input_tokens"))
    return next((n for n in told if isinstance(n, int) and n >= _LEAST_WINDOW), None)


class _WindowMemory:
    """Known window sizes of endpoints, including sizes learned from refusals."""

    def __init__(self) -> None:
        self.sizes = EndpointMemory[ModelSize]()
        self._learned = EndpointMemory[int]()

    def size(self, endpoint: str) -> ModelSize:
        """Return the known sizes of an endpoint's model, or estimates for a model not yet created."""
        return self.sizes.get(endpoint) or ModelSize()

    def learn(self, endpoint: str, window: int | None, prompt: int) -> None:
        """Record the window named in a refusal, else a size smaller than the refused prompt."""
        told = window if window is not None and window >= _LEAST_WINDOW else math.floor(prompt * _SHRINK)
        self._learned.remember_fact(endpoint, max(_LEAST_WINDOW, min(told, self._learned.get(endpoint) or told)))

    def window(self, endpoint: str, configured: int | None) -> int:
        """Return the tokens of an endpoint's window, never more than a refusal allowed.

        The window is as configured, else as given by the model, else a conservative default.
        """
        window = configured or self.size(endpoint).window or _DEFAULT_WINDOW
        return min(window, self._learned.get(endpoint) or window)


def prompt_bound(window: int, reply: int) -> int:
    """Return the maximum tokens of a whole prompt.

    This is a share of the window that leaves room for the reply.
    """
    return max(0, min(math.floor(window * _WINDOW_SHARE), window - reply - _FORM_RESERVE))


window_memory: Final = _WindowMemory()
"""The memory of this process."""
