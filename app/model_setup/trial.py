"""Trial of settings in a separate process: a single use of a model, embedding model or web search.

The process has the settings in its environment, so that no run of the server sees settings that are not saved yet.
"""

import asyncio
import json
import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import httpx

import weiwo
from weiwo.app.model_setup.model_probe import probe_model
from weiwo.models.local_servers import Client, ServerError, open_client
from weiwo.state.errors import WeiwoError
from weiwo.state.settings import Settings
from weiwo.text.printable import is_secret, one_line, redact_secrets
from weiwo.tools.corpus.index.embedding_models import load_embedder
from weiwo.tools.web.web_search import WebSearch

SECONDS: Final = 200.0
_KEY_SECONDS: Final = 4.0
"""Timeout in seconds for the check of a key at an endpoint."""
_QUERY: Final = "Danube"


async def try_settings(kind: str, settings: Mapping[str, str]) -> dict[str, Any]:
    """Try the given settings once.

    Args:
        kind: `model`, `embeddings` or `search`.
        settings: Variables, in place of those in force. An empty variable counts as not set.

    Returns:
        `works`, `said` (the reply, or the reason for the failure) and `seconds`.
    """
    if kind == "model" and await refuses_key({**os.environ, **settings}):
        return {"works": False, "said": "HTTP 401, key refused; check the API key", "seconds": 0.0}
    env = {name: value for name, value in {**os.environ, **settings}.items() if value}
    env["PYTHONPATH"] = os.pathsep.join(filter(None, [str(Path(weiwo.__path__[0]).parent), env.get("PYTHONPATH", "")]))
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", __name__, kind, env=env, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
    )
    try:
        out, _ = await asyncio.wait_for(process.communicate(), SECONDS)
        found = json.loads(out.splitlines()[-1])
    except TimeoutError:
        return {"works": False, "said": "no response in time", "seconds": SECONDS}
    except (ValueError, IndexError):
        return {"works": False, "said": f"the test ended with exit code {process.returncode}", "seconds": 0.0}
    finally:
        if process.returncode is None:
            process.kill()
    secrets = [value for name, value in settings.items() if is_secret(name) and value]
    return {**found, "said": one_line(redact_secrets(str(found["said"]), secrets), 300)}


async def refuses_key(env: Mapping[str, str], transport: httpx.AsyncBaseTransport | None = None) -> bool:
    """Report whether an OpenAI-compatible endpoint refuses the key.

    The list of models is requested, because it costs nothing and comes quickly. If there is no key, or no other clear
    reply from the endpoint, the result is False.
    """
    key, provider = env.get("OPENAI_API_KEY", "").strip(), env.get("WEIWO_MODEL", "").partition(":")[0]
    if not key or provider != "openai":
        return False
    root = (env.get("OPENAI_BASE_URL", "").strip() or "https://api.openai.com/v1").rstrip("/")
    async with open_client(transport, _KEY_SECONDS) as http:
        try:
            await Client(http, root, {"Authorization": f"Bearer {key}"}).ask("/models")
        except ServerError as error:
            return error.status == httpx.codes.UNAUTHORIZED
        except (httpx.HTTPError, httpx.InvalidURL, OSError):
            return False  # the trial that follows reports the problem
    return False


async def _try_model() -> tuple[bool, str]:
    probe = await probe_model({})
    return probe.works, probe.answer if probe.works else probe.error


async def _try_embeddings() -> tuple[bool, str]:
    embedder = load_embedder(Settings.resolve().embeddings or "")
    vector = await asyncio.to_thread(embedder.embed_question, _QUERY)
    return True, f"{vector.shape[-1]} dimensions"


async def _try_search() -> tuple[bool, str]:
    search = WebSearch.from_settings(Settings.resolve())
    if search is None:
        return False, "no search provider is configured"
    found = await search.ainvoke({"query": _QUERY, "k": 3})
    return not str(found).startswith("The web search found nothing"), str(found)


async def _run(kind: str) -> dict[str, Any]:
    began = time.monotonic()
    tries = {"model": _try_model, "embeddings": _try_embeddings, "search": _try_search}
    try:
        works, said = await tries[kind]()
    except Exception as error:  # noqa: BLE001 - whatever it is, it is why nothing was kept
        ours = isinstance(error, WeiwoError)
        works, said = False, str(error) if ours else f"{type(error).__name__}: {error}".removesuffix(": ")
    return {"works": works, "said": said, "seconds": round(time.monotonic() - began, 1)}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asyncio.run(_run(sys.argv[1]))) + "\n")
