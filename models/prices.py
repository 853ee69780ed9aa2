"""Prices of a model's tokens: as configured, else the provider's list price, which has a date."""

import os
from collections.abc import Iterable

from weiwo.models.list_prices import AS_OF, LIST_PRICES
from weiwo.state.settings import Settings, SettingsError

Price = tuple[float, float]
"""US dollars per million input and output tokens."""


def price_of(settings: Settings, name: str) -> Price | None:
    """The price of a model by its name in the trace; one that was made in code also goes by its name alone."""
    if (price := _configured(settings, name)) is not None:
        return price
    return LIST_PRICES.get(name) if has_list_price(name) else None


def has_list_price(name: str) -> bool:
    """Whether a model is the provider's own, and in the list: another endpoint's `openai:gpt-5` may cost anything."""
    elsewhere = os.environ.get("OPENAI_BASE_URL") or os.environ.get("OPENAI_API_BASE")
    return name in LIST_PRICES and not (name.startswith("openai:") and elsewhere)


def list_price_date(settings: Settings, names: Iterable[str]) -> str:
    """The date of the list prices that count for some models; empty where all are configured."""
    listed = any(_configured(settings, name) is None and has_list_price(name) for name in names)
    return str(AS_OF) if listed else ""


def _configured(settings: Settings, name: str) -> Price | None:
    if (price := settings.prices.get(name)) is not None:
        return price
    provider, _, model = name.partition(":")
    same = {price for known, price in settings.prices.items() if known.partition(":")[2] == model}
    return same.pop() if provider == "given" and len(same) == 1 else None


def require_prices(settings: Settings, names: Iterable[str] | None = None) -> None:
    """See that `max_cost` can be kept.

    Args:
        settings: The settings of a run.
        names: The models in use; without them, those of the settings.

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
