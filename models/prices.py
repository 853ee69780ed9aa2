"""Prices of a model's tokens: as configured, else the provider's list price, out of the data of `genai-prices`.

A list price is that of the shortest prompt, without caches and batches. The data are those of the installed release;
nothing is looked up elsewhere.
"""

import os
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import lru_cache
from importlib.metadata import version
from typing import Final

from weiwo.state.settings import Settings, SettingsError

Price = tuple[float, float]
"""US dollars per million input and output tokens."""

_PACKAGE: Final = "genai-prices"
_PROVIDERS: Final = {"google_genai": "google", "google_vertexai": "google", "mistralai": "mistral", "xai": "x-ai"}
"""Providers whose name in LangChain is not that in the data."""


def price_of(settings: Settings, name: str) -> Price | None:
    """The price of a model by its name in the trace; one that was made in code also goes by its name alone."""
    if (price := _configured(settings, name)) is not None:
        return price
    return _list_price(name) if _is_of_provider(name) else None


def list_price_source(settings: Settings, names: Iterable[str]) -> str:
    """Where the list prices come from that count for some models; empty where all prices are configured."""
    listed = any(
        _configured(settings, name) is None and _is_of_provider(name) and _list_price(name) is not None
        for name in names
    )
    return f"{_PACKAGE} {version(_PACKAGE)}" if listed else ""


def _is_of_provider(name: str) -> bool:
    """Whether a model is the provider's own: another endpoint's `openai:gpt-5` may cost anything."""
    elsewhere = os.environ.get("OPENAI_BASE_URL") or os.environ.get("OPENAI_API_BASE")
    return not (name.startswith("openai:") and elsewhere)


@lru_cache(maxsize=256)
def _list_price(name: str) -> Price | None:
    """The list price of `provider:model`; None where the data have no such model, or no price a token."""
    from genai_prices.data_snapshot import get_snapshot
    from genai_prices.types import TieredPrices

    provider, _, model = name.partition(":")
    try:
        _, found = get_snapshot().find_provider_model(model, None, _PROVIDERS.get(provider, provider), None)
    except LookupError:
        return None
    prices = found.get_prices(datetime.now(UTC))
    each = [
        float(price.base if isinstance(price, TieredPrices) else price)
        for price in (prices.input_mtok, prices.output_mtok)
        if price is not None
    ]
    return (each[0], each[1]) if len(each) == 2 else None


def _configured(settings: Settings, name: str) -> Price | None:
    if (price := settings.prices.get(name)) is not None:
        return price
    provider, _, model = name.partition(":")
    same = {price for known, price in settings.prices.items() if known.partition(":")[2] == model}
    return same.pop() if provider == "given" and len(same) == 1 else None


def require_prices(settings: Settings, names: Iterable[str] | None = None) -> None:
    """See that `max_cost` can be kept with models of these names, or else those of the settings.

    Raises:
        SettingsError: A limit on cost is set, and the price of a model is not known.
    """
    limit = settings.limits.max_cost
    if limit is None:
        return
    for name in dict.fromkeys(settings.models.values() if names is None else names):
        if price_of(settings, name) is None:
            raise SettingsError(
                f"max_cost: {limit:g} US dollars cannot be kept, since the price of {name} is not known; set"
                f" WEIWO_PRICES to {name}=INPUT/OUTPUT in US dollars per million tokens, or unset max_cost"
            )


def cost_of(price: Price | None, input_tokens: int, output_tokens: int) -> float:
    """US dollars; 0 where the price is not known."""
    return (input_tokens * price[0] + output_tokens * price[1]) / 1_000_000 if price else 0.0
