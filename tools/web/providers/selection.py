"""Selection of search providers: the providers named by a run, else the configured providers.

An entry of `Settings.search` is a provider's name, optionally with `+raw` (passages from the whole text of pages, if
the provider returns it), with `@` and a limit of requests per second, and with `/` and a limit of requests per day:
`searxng`, `tavily+raw`, `brave@5`, `brave@5/1000`, `tavily/200`. Limits count all runs of this process together.

If a run names no provider, the providers with a key (for SearXNG, an address) in the environment are used. Without any,
the keyless providers are used if the user asked for the web (`Settings.web_asked_for`): the first command after a clone
answers from documents, and does not wait for a network that may be missing.
"""

import os
import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from weiwo.state.kinds import WEB_SOURCES, Language
from weiwo.state.settings import Settings, SettingsError
from weiwo.text.patterns import lazy
from weiwo.text.printable import one_line
from weiwo.tools.web.providers.catalog import PROVIDERS
from weiwo.tools.web.providers.health import ConfiguredProvider
from weiwo.tools.web.providers.provider import Provider

_KEYLESS: Final = ("ddgs", "wikipedia")
"""Providers used if none is configured. The scholarly ones need no key either, but are used only on request."""
SCHOLARLY: Final = ("openalex", "crossref", "pubmed", "semanticscholar", "arxiv")
"""Providers of papers. The entry `scholarly` stands for all of them."""
_ENTRY: Final = lazy(r"(?P<name>[a-z]+)(?P<whole>\+raw)?(?:@(?P<rate>\d+(?:\.\d+)?))?(?:/(?P<day>\d+))?", re.IGNORECASE)


def select_providers(settings: Settings, env: Mapping[str, str] | None = None) -> tuple[ConfiguredProvider, ...]:
    """Select the providers of a run, in the order to ask.

    Returns an empty tuple if the run has no web search.

    Raises:
        SettingsError: An entry of `settings.search` names no provider, or a provider without its key or address, or is
            malformed.
    """
    env = os.environ if env is None else env
    if not settings.web:
        return ()
    papers = tuple(_parse_entry(name, env) for name in SCHOLARLY) if "scholarly" in settings.sources else ()
    pages = _select_pages(settings, env) if not settings.sources or "web" in settings.sources else ()
    return (*papers, *(source for source in pages if source.name not in {paper.name for paper in papers}))


def _select_pages(settings: Settings, env: Mapping[str, str]) -> tuple[ConfiguredProvider, ...]:
    """Return the providers named in `settings.search`, else those configured in the environment.

    If none are configured, returns the keyless providers if the user asked for the web, else nothing.
    """
    if settings.search:
        first: dict[str, ConfiguredProvider] = {}
        named = (
            item for entry in settings.search for item in (SCHOLARLY if entry.strip() == "scholarly" else (entry,))
        )
        for entry in named:
            source = _parse_entry(entry, env)
            first.setdefault(source.name, source)
        return tuple(first.values())
    needing = {name: provider for name, provider in PROVIDERS.items() if provider.key or not provider.base}
    ready = [name for name, provider in needing.items() if not missing_variables(provider, env)]
    return tuple(_parse_entry(name, env) for name in ready or (_KEYLESS if settings.web_asked_for else ()))


def select_scholarly(settings: Settings, env: Mapping[str, str] | None = None) -> tuple[ConfiguredProvider, ...]:
    """Return the scholarly providers, to be asked first if a question is about studies or papers.

    Returns an empty tuple if the web is off, or the user has chosen providers or sources.
    """
    env = os.environ if env is None else env
    if not settings.web or settings.search or settings.sources:
        return ()
    return tuple(_parse_entry(name, env) for name in SCHOLARLY)


def explain_none(settings: Settings, language: Language = "en") -> str:
    """Explain why a run has no search provider, and how to get one."""
    if settings.sources and WEB_SOURCES.isdisjoint(settings.sources):
        return "sources 里没有 web 或 scholarly" if language == "zh" else "sources names neither web nor scholarly"
    if not settings.web:
        return "这次运行不使用网络" if language == "zh" else "the web is switched off for this run"
    names = [needs[0] for provider in PROVIDERS.values() if len(needs := missing_variables(provider, {})) == 1]
    keyless = ",".join(_KEYLESS)
    if language == "zh":
        return f"没有设置网络搜索服务；请设置 {'、'.join(names)} 之一，或不需要密钥的 WEIWO_SEARCH={keyless}"
    return (
        f"no search provider is configured; set one of {', '.join(names)}, or WEIWO_SEARCH={keyless}, "
        "which needs no key"
    )


def missing_variables(provider: Provider, env: Mapping[str, str]) -> tuple[str, ...]:
    """Return the environment variables required by a provider and not set."""
    needs = (provider.key, "" if provider.base else provider.base_variable)
    return tuple(name for name in needs if name and not env.get(name, "").strip())


def _parse_entry(entry: str, env: Mapping[str, str]) -> ConfiguredProvider:
    read = _ENTRY.fullmatch(entry.strip())
    if read is None or (read["rate"] and float(read["rate"]) <= 0):
        raise SettingsError(
            f"search: {one_line(entry, 60)!r} is invalid; give a provider, requests per second and "
            "requests per day, such as brave, brave@5 or brave@5/1000"
        )
    name = read["name"].lower()
    provider = PROVIDERS.get(name)
    if provider is None:
        raise SettingsError(f"search: unknown provider {one_line(name, 60)!r}; use {', '.join(PROVIDERS)}")
    if missing := missing_variables(provider, env):
        ready = ", ".join(other.name for other in PROVIDERS.values() if not missing_variables(other, env))
        raise SettingsError(f"search: {name} needs {' and '.join(missing)}; set it, or use a ready provider: {ready}")
    if read["whole"] and not provider.whole:
        able = ", ".join(other.name for other in PROVIDERS.values() if other.whole)
        raise SettingsError(f"search: {name} returns no whole pages; +raw is only for {able}")
    base = env.get(provider.base_variable, "").strip().rstrip("/") or provider.base
    if provider.base != base and provider.name != "ddgs" and not _is_address(base):
        raise SettingsError(
            f"{provider.base_variable} is not a server address; use, for example, http://localhost:8080"
        )
    return ConfiguredProvider(
        provider,
        base,
        env.get(provider.key or provider.optional_key, "").strip(),
        float(read["rate"] or provider.per_second),
        int(read["day"]) if read["day"] else None,
        bool(read["whole"]),
    )


def _is_address(base: str) -> bool:
    try:
        parts = urlsplit(base)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        return False
