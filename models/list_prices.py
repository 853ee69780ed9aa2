"""List prices of common hosted models, as found published in `AS_OF`. `WEIWO_PRICES` wins over them.

Each row was found in public copies of the provider's price list or in lists that cite it; those of DeepSeek are of
2026-05. A model whose published prices disagree has no row. A table grows old: whoever shows a figure made with it says
the date. Batch, cached and long-context prices are others.
"""

from collections.abc import Mapping
from typing import Final

AS_OF: Final = "2026-03"
"""The month of the table."""

LIST_PRICES: Final[Mapping[str, tuple[float, float]]] = {
    "openai:gpt-5": (1.25, 10),
    "openai:gpt-5-mini": (0.25, 2),
    "openai:gpt-5-nano": (0.05, 0.4),
    "openai:gpt-4.1": (2, 8),
    "openai:gpt-4.1-mini": (0.4, 1.6),
    "openai:gpt-4.1-nano": (0.1, 0.4),
    "openai:gpt-4o": (2.5, 10),
    "openai:gpt-4o-mini": (0.15, 0.6),
    "openai:o4-mini": (1.1, 4.4),
    "anthropic:claude-haiku-4-5": (1, 5),
    "anthropic:claude-sonnet-4-5": (3, 15),
    "anthropic:claude-opus-4-5": (5, 25),
    "google_genai:gemini-2.5-flash": (0.3, 2.5),
    "google_genai:gemini-2.5-flash-lite": (0.1, 0.4),
    "google_genai:gemini-2.5-pro": (1.25, 10),
    "deepseek:deepseek-v4-flash": (0.14, 0.28),
    "deepseek:deepseek-v4-pro": (0.435, 0.87),
}
"""US dollars per million input and output tokens, by provider:model."""
