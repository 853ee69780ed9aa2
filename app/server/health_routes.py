"""Readiness probe and metrics endpoint, for an orchestrator and Prometheus."""

import asyncio
import logging
import time
from collections.abc import Awaitable
from pathlib import Path
from typing import Any, Final

import httpx
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.requests import Request
from starlette.responses import Response

from weiwo.app.server.access.profiles import require_operator
from weiwo.app.server.engine import Engine, engine_of
from weiwo.app.server.wire import reply
from weiwo.models.endpoint import resolve_endpoint
from weiwo.state.settings import Settings
from weiwo.text.printable import one_line, redact_secrets
from weiwo.tools.corpus.index.catalog import list_corpora

_CHECK_SECONDS: Final = 3.0
_KEPT_SECONDS: Final = 5.0
"""Seconds for which a result is reused, since the probe needs no login and must not multiply requests to others."""
_THREAD: Final = "weiwo-ready"
_log: Final = logging.getLogger(__name__)


async def ready(request: Request) -> Response:
    """Report the readiness of the server: 200, or 503 if a part is unusable."""
    state = request.app.state
    if not hasattr(state, "ready_lock"):
        state.ready_lock, state.ready_checks = asyncio.Lock(), (-_KEPT_SECONDS, {})
    async with state.ready_lock:
        at, checks = state.ready_checks
        if time.monotonic() - at >= _KEPT_SECONDS:
            checks = await _check(engine_of(request))
            state.ready_checks = time.monotonic(), checks
    is_ready = "failed" not in checks.values() and not engine_of(request).runs.closing
    return reply({"ready": is_ready, **checks}, 200 if is_ready else 503)


async def metrics(request: Request) -> Response:
    """The metrics in Prometheus' text format, for the operator."""
    require_operator(request)
    engine_of(request).runs.measure()
    return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)


async def _check(engine: Engine) -> dict[str, str]:
    """Check all parts concurrently, and return `ok` or `failed` for each by name. Failures are logged.

    `store` may also be `none`, and `model` may be `none` or `not asked`.
    """
    store = engine.graph.store
    parts: dict[str, Awaitable[Any]] = {
        "records": engine.records.has_tokens(),
        "database": engine.threads.saver.aget_tuple({"configurable": {"thread_id": _THREAD, "checkpoint_ns": ""}}),
        "index": asyncio.to_thread(lambda: [*list_corpora(Path(engine.settings.home))]),
        "model": _reach_models(Settings.resolve()),
    }
    if store is not None:
        parts["store"] = store.aget((_THREAD,), _THREAD)
    told = await asyncio.gather(*(_judge(name, part) for name, part in parts.items()))
    return {"store": "none", **dict(zip(parts, told, strict=True))}


async def _judge(name: str, work: Awaitable[Any]) -> str:
    try:
        found = await asyncio.wait_for(work, _CHECK_SECONDS)
    except Exception as error:  # noqa: BLE001 - of any database or endpoint
        _log.warning("not ready: %s: %s", name, redact_secrets(one_line(f"{type(error).__name__}: {error}", 300)))
        return "failed"
    return found if isinstance(found, str) else "ok"


async def _reach_models(settings: Settings) -> str:
    """Check that the model endpoints respond to HTTP. No model is called and no key is sent.

    Returns:
        `ok`, `not asked` if no model has an endpoint of OpenAI's API, or `none` without models.

    Raises:
        httpx.HTTPError: An endpoint gives no response.
    """
    places = [resolve_endpoint(name) for name in sorted(set(settings.models.values()))]
    urls = {place.base_url or "https://api.openai.com/v1" for place in places if place.provider == "openai"}
    async with httpx.AsyncClient(timeout=_CHECK_SECONDS) as client:
        for url in sorted(urls):
            async with client.stream("GET", f"{url.rstrip('/')}/models"):
                pass  # a refusal is an answer; its body is not read
    return "ok" if urls else ("not asked" if places else "none")
