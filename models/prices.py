"""Prices of a model's tokens: as configured, else the list price from `genai-prices`.

List prices are those of short prompts, without batch discounts. Prompt tokens that the provider read from its cache
have a price of their own if the list gives one. List prices are used for the provider's own host only, because
elsewhere the same model may cost anything. The data are those of the installed release, and nothing is downloaded.
"""

import os
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from importlib.metadata import version
from typing import Final
from urllib.parse import urlsplit

from weiwo.state.settings import Settings, SettingsError

Price = tuple[float, float]
"""US dollars per million input and output tokens."""

_PACKAGE: Final = "genai-prices"
_PROVIDERS: Final = {"google_genai": "google", "google_vertexai": "google", "mistralai": "mistral", "xai": "x-ai"}
"""Names in `genai-prices` of providers that LangChain names differently."""


def price_of(settings: Settings, name: str) -> Price | None:
    """Return the price of a model by its name in the trace, `provider:model`, or None if unknown.

    A configured price takes precedence over the list price, which counts only for models at the provider's own host.
    For a model object passed in (`given:model`), a configured price of the same model of any provider counts.
    """
    if (price := _find_configured_price(settings, name)) is not None:
        return price
    return _list_price(name) if _is_of_provider(name) else None


def list_price_source(settings: Settings, names: Iterable[str]) -> str:
    """Return the source of list prices with its version, or an empty string if no model has a list price in use."""
    listed = any(
        _find_configured_price(settings, name) is None and _is_of_provider(name) and _list_price(name) is not None
        for name in names
    )
    return f"{_PACKAGE} {version(_PACKAGE)}" if listed else ""


_HOSTS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "openai": ("openai.com", ("OPENAI_BASE_URL", "OPENAI_API_BASE")),
    "anthropic": ("anthropic.com", ("ANTHROPIC_API_URL", "ANTHROPIC_BASE_URL")),
    "google_genai": ("googleapis.com", ("GOOGLE_GEMINI_BASE_URL",)),
    "google_vertexai": ("googleapis.com", ("GOOGLE_VERTEX_BASE_URL",)),
    "mistralai": ("mistral.ai", ("MISTRAL_BASE_URL",)),
    "deepseek": ("deepseek.com", ("DEEPSEEK_API_BASE",)),
    "groq": ("groq.com", ("GROQ_API_BASE", "GROQ_BASE_URL")),
    "xai": ("x.ai", ("XAI_API_BASE",)),
}
"""Domain of each provider, and the variables that set another base URL, in order of precedence."""


def _is_of_provider(name: str) -> bool:
    """Report whether a model is called at the provider's own host, judged by the environment."""
    domain, variables = _HOSTS.get(name.partition(":")[0], ("", ()))
    url = next((value for variable in variables if (value := os.environ.get(variable, "").strip())), "")
    if not url:
        return True
    try:
        host = urlsplit(url if "//" in url else f"//{url}").hostname or ""
    except ValueError:
        return False
    return host == domain or host.endswith(f".{domain}")


def cached_price_of(settings: Settings, name: str) -> float | None:
    """Return the list price of cached input tokens in US dollars per million.

    Returns None if the model has a configured price, the list gives none, or a base URL variable points to another host
    than the provider's.
    """
    if _find_configured_price(settings, name) is not None or not _is_of_provider(name):
        return None
    listed = _list_prices(name)
    return listed[2] if listed else None


def _list_price(name: str) -> Price | None:
    """Return the list price of `provider:model`, or None if the data lack the model or its price per token."""
    listed = _list_prices(name)
    return listed[:2] if listed else None


@lru_cache(maxsize=256)
def _list_prices(name: str) -> tuple[float, float, float | None] | None:
    """Return the list prices of input, output and cached input tokens in US dollars per million.

    The last is None if the list gives none. Returns None if the data lack the model or its price per token.
    """
    from genai_prices.data_snapshot import get_snapshot
    from genai_prices.types import TieredPrices

    provider, _, model = name.partition(":")
    try:
        _, found = get_snapshot().find_provider_model(model, None, _PROVIDERS.get(provider, provider), None)
    except LookupError:
        return None
    prices = found.get_prices(datetime.now(UTC))
    sent, received, cached = (
        None if price is None else float(price.base if isinstance(price, TieredPrices) else price)
        for price in (prices.input_mtok, prices.output_mtok, prices.cache_read_mtok)
    )
    return None if sent is None or received is None else (sent, received, cached)


def _find_configured_price(settings: Settings, name: str) -> Price | None:
    if (price := settings.prices.get(name)) is not None:
        return price
    provider, _, model = name.partition(":")
    same = {price for known, price in settings.prices.items() if known.partition(":")[2] == model}
    return same.pop() if provider == "given" and len(same) == 1 else None


def require_prices(settings: Settings, names: Iterable[str] | None = None) -> None:
    """Raise an error if `max_cost` is set and the price of a model is unknown.

    Args:
        settings: The settings of the run.
        names: Models as `provider:model`. None for those of the settings.

    Raises:
        SettingsError: A limit on cost is set, and the price of a model is not known.
    """
    limit = settings.limits.max_cost
    if limit is None:
        return
    for name in dict.fromkeys(settings.models.values() if names is None else names):
        if price_of(settings, name) is None:
            raise SettingsError(
                f"max_cost: a limit of {limit:g} US dollars cannot be enforced, because the price of {name} "
                f"is unknown; set WEIWO_PRICES to {name}=INPUT/OUTPUT in US dollars per million tokens, or "
                "unset max_cost"
            )


def cost_of(
    price: Price | None,
    input_tokens: int,
    output_tokens: int,
    cached_tokens: int = 0,
    cached_price: float | None = None,
) -> float:
    """Return the cost in US dollars, or 0 for an unknown price.

    Cached tokens are included in the input tokens. Without a price of their own they cost as much as the others.

    Args:
        price: Price of the model.
        input_tokens: Tokens of the prompt.
        output_tokens: Tokens of the reply.
        cached_tokens: Tokens of the prompt that the provider had cached.
        cached_price: US dollars per million cached tokens, if known.
    """
    if price is None:
        return 0.0
    kept = 0 if cached_price is None else min(cached_tokens, input_tokens)
    return ((input_tokens - kept) * price[0] + kept * (cached_price or 0.0) + output_tokens * price[1]) / 1_000_000


def cost_of_call(
    settings: Settings, model: str, input_tokens: int, output_tokens: int, cached_tokens: int = 0
) -> float:
    """Return the cost of a model call in US dollars, by the model's name in the trace.

    The cost is 0 if the price is unknown.
    """
    price = price_of(settings, model)
    return cost_of(price, input_tokens, output_tokens, cached_tokens, cached_price_of(settings, model))
