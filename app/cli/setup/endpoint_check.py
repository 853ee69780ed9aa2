"""Check of a model's endpoint, with advice if the endpoint does not answer."""

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Final, Literal
from urllib.parse import urlsplit

from weiwo.state.kinds import Language
from weiwo.text.localization import localized_section
from weiwo.text.printable import one_line

if TYPE_CHECKING:
    from weiwo.models.endpoint import Endpoint
    from weiwo.models.local_servers import ServerError

Verdict = Literal["ok", "note", "problem"]
"""`ok`; `note`, missing but not asked for; `problem`, configured and not working."""

_SECONDS: Final = 5
_OUTSIDE: Final = "host.docker.internal"
"""Host name under which a container reaches the machine it runs on."""
_START: Final = {
    11434: "ollama serve",
    1234: "lms server start",
    8080: "llama-server -m MODEL.gguf",
    8000: "vllm serve MODEL",
}
"""Command that starts the model server usually found at a port."""


def say(language: Language, name: str, *values: object) -> str:
    """Return a phrase of `weiwo doctor` with the values filled in."""
    return localized_section("cli.doctor")[language][name].format(*values)


def printable_place(url: str) -> str:
    """Return a URL without user, password and parameters, since these may be secrets.

    "https://me:key@host:8/v1?k=1" becomes "https://host:8/v1".
    """
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return "(not a URL)"
    return one_line(f"{parts.scheme}://{parts.hostname or ''}{port}{parts.path}", 200)


async def check_endpoint(name: str, language: Language) -> tuple[Verdict, str]:
    """Ask the endpoint of a model for its list of models, which costs nothing, and judge the reply.

    Providers other than OpenAI are only checked for their package.
    """
    import httpx

    from weiwo.models.endpoint import resolve_endpoint
    from weiwo.models.errors import ModelUnavailableError
    from weiwo.models.local_servers import Client, ServerError

    try:
        place = resolve_endpoint(name)
    except ModelUnavailableError as error:
        return "problem", str(error)
    if place.provider != "openai":
        return await asyncio.to_thread(_other_provider, place, language)
    base_url = place.base_url or "https://api.openai.com/v1"
    host = printable_place(base_url)
    if place.api_key and not place.api_key.isascii():
        return "problem", say(language, "no_key", host)
    headers = {"Authorization": f"Bearer {place.api_key}"}
    try:
        async with httpx.AsyncClient(timeout=_SECONDS) as http:
            reply = await Client(http, base_url.rstrip("/"), headers).ask("/models")
    except ServerError as error:
        return _judge_error(error, host, language)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        return "problem", say(language, "silent", host, type(error).__name__, _SECONDS, _advise(base_url, language))
    model = name.partition(":")[2]
    rows = reply.get("data") if isinstance(reply, dict) else None
    listed = rows if isinstance(rows, list) else []
    offered = [str(row["id"]) for row in listed if isinstance(row, dict) and "id" in row]
    if offered and model not in offered:
        return "note", say(language, "unlisted", host, model)
    return "ok", say(language, "answers", host)


def _judge_error(error: "ServerError", host: str, language: Language) -> tuple[Verdict, str]:
    """Judge an endpoint that answered the request for models with an error.

    Refused keys, a wrong address and server errors are problems. With other errors the endpoint may still work, because
    some have no such list.
    """
    if error.status in {401, 403}:
        return "problem", say(language, "refused_key", host, error.status)
    if error.status == 404 and not host.endswith("/v1"):
        return "problem", say(language, "no_place", host)
    if error.status >= 500:
        return "problem", say(language, "server_error", host, error.status)
    return "ok", say(language, "answers", host)


def _advise(base_url: str, language: Language) -> str:
    """Return advice about a silent endpoint.

    In a container, `localhost` is the container itself.

    Args:
        base_url: The address that was tried.
        language: The language of the advice.
    """
    from weiwo.models.local_servers import in_container

    told = partial(say, language)
    try:
        parts = urlsplit(base_url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return told("no_url")
    local = host == "localhost" or host.startswith("127.") or host == "::1"
    if in_container() and local:
        return told("inside", host, f"http://{_OUTSIDE}{f':{port}' if port else ''}{parts.path}")
    if host == _OUTSIDE:
        return told("outside" if in_container() else "containers_only", _OUTSIDE)
    known = _START.get(port or 0) if local else None
    return told("start", known) if known else told("start_any")


def _other_provider(place: "Endpoint", language: Language) -> tuple[Verdict, str]:
    """Check that the package of a provider other than OpenAI is installed. No request is sent."""
    from weiwo.models.errors import ModelUnavailableError
    from weiwo.models.model_cache import make_model

    try:
        made = make_model(place, _SECONDS, None)
    except ModelUnavailableError as error:
        return "problem", str(error)
    return "ok", say(language, "installed", type(made).__module__.partition(".")[0])
