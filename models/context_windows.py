"""Context windows: how much a model can be given, the reply it is left room for, and how its text is counted."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from weiwo.models.endpoint import EndpointMemory
from weiwo.models.token_estimate import OUTPUT_RESERVE, find_tokenizer, reply_tokens, text_tokens

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

DEFAULT_WINDOW: Final = 32_000
"""Tokens taken for the window of a model of which nothing is known. Most hold more; one that holds less says so in its
first refusal, and that is remembered."""
WINDOW_SHARE: Final = 0.8
"""The share of the window that a prompt may take: beyond it models overlook what they read, counts err, and models that
reason need room (JoyAgent's deep search keeps to the same)."""
FORM_RESERVE: Final = 800
"""Tokens kept for what a request holds besides its prompt and reply: a schema, the wrapping of messages."""
LEAST_WINDOW: Final = 1_000
"""A refusal that names a smaller window than this speaks of something else."""
_SHRINK: Final = 2 / 3
"""What is left of a window, against a prompt that was too long for it, where the refusal names no number."""


@dataclass(frozen=True)
class ModelSize:
    """What is known of a model.

    Attributes:
        window: Tokens of its context window as it is known by its name or its own settings; None: not known.
        reply: Tokens to keep for its reply.
        count: Counts the tokens of a text: with its tokenizer, or an upper estimate.
    """

    window: int | None = None
    reply: int = OUTPUT_RESERVE
    count: Callable[[str], int] = text_tokens


def measure_model(model: "BaseChatModel", name: str) -> ModelSize:
    """Look at a model. May read a tokenizer from disk, so it belongs in a thread.

    Args:
        model: The model; LangChain's profile of it tells its window, as a context size set on the model itself does.
        name: The model as configured, `provider:model`.
    """
    return ModelSize(own_window(model), reply_tokens(model, 0), find_tokenizer(name) or text_tokens)


def own_window(model: "BaseChatModel") -> int | None:
    """The window that a model has by its own settings, or by LangChain's profile of its name."""
    set_on_it = (getattr(model, name, None) for name in ("num_ctx", "n_ctx"))
    told = (*set_on_it, (getattr(model, "profile", None) or {}).get("max_input_tokens"))
    return next((n for n in told if isinstance(n, int) and n >= LEAST_WINDOW), None)


class WindowMemory:
    """What is known of endpoints: their sizes, and what their refusals taught."""

    def __init__(self) -> None:
        self._sizes = EndpointMemory[ModelSize]()
        self._learned = EndpointMemory[int]()

    def size(self, endpoint: str) -> ModelSize:
        """What is known of an endpoint's model; estimates where it has not been made yet."""
        return self._sizes.get(endpoint) or ModelSize()

    def has(self, endpoint: str) -> bool:
        """Whether the endpoint's model was looked at."""
        return endpoint in self._sizes

    def remember_size(self, endpoint: str, size: ModelSize) -> None:
        """Remember a size."""
        self._sizes.put(endpoint, size)

    def learn(self, endpoint: str, window: int | None, prompt: int) -> None:
        """Remember what a refusal taught.

        Args:
            endpoint: Who refused.
            window: The tokens it says it holds, if it does.
            prompt: Tokens of the prompt that was too long, estimated.
        """
        told = window if window is not None and window >= LEAST_WINDOW else math.floor(prompt * _SHRINK)
        self._learned.put(endpoint, max(LEAST_WINDOW, min(told, self._learned.get(endpoint) or told)))

    def window(self, endpoint: str, configured: int | None) -> int:
        """Tokens of an endpoint's window: as configured, else as its model has them, else a careful guess.

        It is never more than a refusal said.

        Args:
            endpoint: The endpoint.
            configured: What the settings say.
        """
        window = configured or self.size(endpoint).window or DEFAULT_WINDOW
        return min(window, self._learned.get(endpoint) or window)


def prompt_bound(window: int, reply: int) -> int:
    """Tokens that a whole prompt may take: a share of the window, and never what the reply needs."""
    return max(0, min(math.floor(window * WINDOW_SHARE), window - reply - FORM_RESERVE))


window_memory: Final = WindowMemory()
"""The memory of this process."""
