"""Context windows: prompt size of a model, room for the reply, and token counting.

Counts are exact if the model's tokenizer is available: tiktoken reads OpenAI's encodings, if they are in its cache
already. Counting never touches the network. Otherwise counts are upper estimates, by a weight for each character.
Against five byte-pair tokenizers (cl100k and o200k of OpenAI, Qwen, DeepSeek, Claude 2), English prose and code are
overestimated by a factor of about 1.6, Chinese by 1.4 to 2.5, figures by 1 to 2. Long runs of random letters and of
rare Han characters may be underestimated.
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
"""Characters encoded at once, because the time for a long word without blanks grows faster than its length."""


def _find_tokenizer(name: str) -> Callable[[str], int] | None:
    """Return a function that counts tokens exactly, or None if the model's tokenizer is unknown or not cached.

    This call blocks, because it reads megabytes from disk.

    Args:
        name: Name of the model, `provider:model`.
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
    """Report whether an encoding is in tiktoken's cache, with the right checksum.

    tiktoken would download a missing or damaged file.
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
"""Weights of ASCII characters in hundredths of a token: whole numbers, so that sums are exact."""
_OTHER_ASCII = 100
"""Weight of any other ASCII character."""
_PER_BYTE = 55
"""Weight of a UTF-8 byte of characters outside ASCII: Han has three bytes, Cyrillic, Greek and Arabic have two."""
_PER_ASTRAL = 220
"""Additional weight of a character with four bytes, such as emoji and rare Han."""
PER_MESSAGE = 8
"""Tokens for the role and the separators of a message."""
_OUTPUT_RESERVE = 1_000
"""Tokens reserved for a reply until the run has seen a longer one for the same purpose."""

_BOUNDS = ("max_tokens", "max_completion_tokens", "max_output_tokens", "num_predict")


def text_tokens(text: str) -> int:
    """Return an upper estimate of the number of tokens in a text."""
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
    """Return an upper estimate of a request's tokens: messages, and any schema or function bound to the model."""
    words = sum(PER_MESSAGE + text_tokens(message_text(message)) for message in messages)
    bound = getattr(getattr(runnable, "first", runnable), "kwargs", None)  # a sequence opens with the model
    return words + (text_tokens(json.dumps(bound, default=str, ensure_ascii=False)) if bound else 0)


def reply_tokens(model: Any, longest: int) -> int:
    """Return the number of tokens to reserve for a reply.

    Args:
        model: The chat model. Its own limit of a reply, if set, is an upper bound.
        longest: Tokens of the longest reply so far for the same purpose.
    """
    bounds = (getattr(model, name, None) for name in _BOUNDS)
    own = [bound for bound in bounds if isinstance(bound, int) and bound > 0]
    return min([max(_OUTPUT_RESERVE, longest), *own])


_DEFAULT_WINDOW: Final = 32_000
"""Context window assumed for an unknown model, in tokens. A smaller window is learned from the first refusal."""
_WINDOW_SHARE: Final = 0.8
"""Share of the window that a prompt may fill: beyond it models overlook content, counts may err, and reasoning needs
room (JoyAgent's deep search has the same limit)."""
_FORM_RESERVE: Final = 800
"""Tokens reserved for the other parts of a request: a schema, the wrapping of messages."""
_LEAST_WINDOW: Final = 1_000
"""Smallest plausible window. A smaller number in a refusal means something else."""
_SHRINK: Final = 2 / 3
"""Assumed window as a share of a prompt that was too long, if the refusal names no number."""


@dataclass(frozen=True)
class ModelSize:
    """Known sizes of a model: window, reply reserve and token counter."""

    # Context window in tokens, from the model's profile or settings. None if unknown.
    window: int | None = None
    reply: int = _OUTPUT_RESERVE  # tokens to reserve for a reply
    count: Callable[[str], int] = text_tokens  # counts the tokens of a text, exactly or as an upper estimate


def measure_model(model: "BaseChatModel", name: str) -> ModelSize:
    """Determine the sizes of a model. This call blocks, because it may read a tokenizer.

    Args:
        model: The chat model.
        name: Name of the model, `provider:model`, by which the tokenizer is found.
    """
    return ModelSize(own_window(model), reply_tokens(model, 0), _find_tokenizer(name) or text_tokens)


def own_window(model: "BaseChatModel") -> int | None:
    """Return the context window in tokens from a model's own settings or LangChain's profile, or None."""
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
        """Record the window learned from a refusal. It never grows again.

        Args:
            endpoint: Identity of the endpoint.
            window: Tokens named in the refusal, or None. Then two thirds of the prompt are assumed.
            prompt: Tokens of the refused prompt.
        """
        told = window if window is not None and window >= _LEAST_WINDOW else math.floor(prompt * _SHRINK)
        self._learned.remember_fact(endpoint, max(_LEAST_WINDOW, min(told, self._learned.get(endpoint) or told)))

    def window(self, endpoint: str, configured: int | None) -> int:
        """Return an endpoint's context window in tokens: as configured, else from the model, else the default.

        A smaller window learned from a refusal takes precedence.
        """
        window = configured or self.size(endpoint).window or _DEFAULT_WINDOW
        return min(window, self._learned.get(endpoint) or window)


def prompt_bound(window: int, reply: int) -> int:
    """Return the largest prompt in tokens that leaves room for the reply: at most 80% of the window.

    Args:
        window: Context window in tokens.
        reply: Tokens reserved for the reply.
    """
    return max(0, min(math.floor(window * _WINDOW_SHARE), window - reply - _FORM_RESERVE))


window_memory: Final = _WindowMemory()
"""Window sizes known to this process."""
