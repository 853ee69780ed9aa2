"""Reranking: order the passages of a search with a cross-encoder or similar model.

The model reads question and passage together. `WEIWO_RERANKER` is `MODEL@ADDRESS` for an endpoint of the common form
(`POST {query, documents, top_n}`: Jina, Cohere, vLLM. TEI calls them `texts`), with its key in
`WEIWO_RERANKER_API_KEY`, or `@module.attribute` for a LangChain document compressor. Each search makes one request,
bounded in time and size. If it fails, the order is that of the search.
"""

import asyncio
import json
import logging
import math
import os
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Protocol
from urllib.parse import urlsplit

from weiwo.state import Evidence
from weiwo.text.printable import one_line, redact_secrets
from weiwo.tools.calling.call_context import find_call
from weiwo.tools.corpus.base import CorpusError
from weiwo.tools.corpus.source_names import EXTERNAL_MARK
from weiwo.tools.named_objects import import_object, make_object

if TYPE_CHECKING:
    import httpx

_SECONDS: Final = 10.0
_MOST_BYTES: Final = 1_000_000
_LONGEST: Final = 4_000
"""Characters of a passage that are sent."""
_MORE: Final = 4
_MOST: Final = 40
"""Upper limit of the passages to rank, which are otherwise `_MORE` times the wanted number."""
_REFUSED: Final = frozenset({400, 422})
_log: Final = logging.getLogger(__name__)


class Reranker(Protocol):
    """A model for ranking texts by a question."""

    name: str

    async def rank(self, query: str, texts: Sequence[str]) -> list[int]:
        """Rank texts and return their positions in `texts`, from 0, best first. Omitted texts come last.

        Any exception may be raised.
        """
        ...


class EndpointReranker:
    """An endpoint of the common `/rerank` form."""

    def __init__(
        self, model: str, url: str, key: str = "", transport: "httpx.AsyncBaseTransport | None" = None
    ) -> None:
        """Set the model and the URL. `transport` replaces the network."""
        self.name = f"{model} at {urlsplit(url).hostname}"
        self._model = model
        self._url = url
        self._key = key
        self._transport = transport
        self._field = "documents"

    async def rank(self, query: str, texts: Sequence[str]) -> list[int]:
        """Rank by a request. See `Reranker.rank`.

        If the endpoint rejects the form, the request is repeated in the form of TEI, which is then used from now on.
        """
        reply = await self._ask(query, texts)
        if reply is None:
            self._field = "texts"
            reply = await self._ask(query, texts)
        rows = reply.get("results", reply.get("data")) if isinstance(reply, Mapping) else reply
        if not isinstance(rows, list):
            raise TypeError("the reply contains no results")
        scored = [(-_score(row), int(row["index"])) for row in rows]
        return [number for _, number in sorted(scored) if 0 <= number < len(texts)]

    async def _ask(self, query: str, texts: Sequence[str]) -> Any:
        import httpx  # noqa: PLC0415 - heavy

        body: dict[str, Any] = {"query": query, self._field: list(texts)}
        if self._field == "documents":
            body |= {"model": self._model, "top_n": len(texts), "return_documents": False}
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        async with (
            httpx.AsyncClient(transport=self._transport, timeout=_SECONDS, follow_redirects=False) as http,
            http.stream("POST", self._url, json=body, headers=headers) as response,
        ):
            if response.status_code in _REFUSED and self._field == "documents":
                return None
            response.raise_for_status()
            read = bytearray()
            async for part in response.aiter_bytes():
                read += part
                if len(read) > _MOST_BYTES:
                    raise ValueError("the reply is too long")
        return json.loads(read)


def _score(row: Mapping[str, Any]) -> float:
    score = float(row.get("relevance_score", row.get("score", math.nan)))
    if not math.isfinite(score):
        raise ValueError("a score is not a number")
    return score


class CompressorReranker:
    """A LangChain document compressor, as a reranker."""

    def __init__(self, name: str, inner: Any) -> None:
        """Wrap a named compressor."""
        self.name = name
        self._inner = inner

    async def rank(self, query: str, texts: Sequence[str]) -> list[int]:
        """Rank by the order of the documents returned by the compressor."""
        from langchain_core.documents import Document  # noqa: PLC0415 - heavy

        documents = [Document(text, metadata={"number": number}) for number, text in enumerate(texts)]
        found = await self._inner.acompress_documents(documents, query)
        return [int(item.metadata["number"]) for item in found]


@lru_cache(maxsize=8)
def load_reranker(entry: str, key: str = "") -> Reranker:
    """Load the reranker named by a setting. Blocks while importing a module. `key` is the endpoint's API key.

    Raises:
        CorpusError: The setting names no reranker. The message is one line.
    """
    if entry.startswith(EXTERNAL_MARK):
        from langchain_core.documents import BaseDocumentCompressor  # noqa: PLC0415 - heavy

        module, _, attribute = entry.removeprefix(EXTERNAL_MARK).strip().rpartition(".")
        try:
            found = make_object(import_object(module, attribute), (BaseDocumentCompressor,))
        except (Exception, SystemExit) as error:  # whatever the user's module does wrong
            said = one_line(redact_secrets(f"{type(error).__name__}: {error}"), 200)
            raise CorpusError(f"reranker {one_line(entry, 100)}: cannot be loaded ({said})") from error
        if not isinstance(found, BaseDocumentCompressor):
            raise CorpusError(
                f"reranker {one_line(entry, 100)}: not a LangChain document compressor, or a function that returns one"
            )
        return CompressorReranker(entry, found)
    model, _, url = entry.partition("@")
    try:
        parts = urlsplit(url)
        sound = parts.scheme in {"http", "https"} and bool(parts.hostname)
    except ValueError:
        sound = False
    if not (model and sound):
        raise CorpusError(
            f"reranker {one_line(entry, 100)} is not valid; use MODEL@ADDRESS, such as "
            "jina-reranker-v2@http://localhost:8000/rerank, or @module.attribute"
        )
    return EndpointReranker(model, url, key)


def reranker_of(entry: str | None, env: Mapping[str, str] | None = None) -> Reranker | None:
    """Return the reranker of the settings, if any.

    Raises:
        CorpusError: The setting names no reranker. The message is one line.
    """
    env = os.environ if env is None else env
    return load_reranker(entry, env.get("WEIWO_RERANKER_API_KEY", "").strip()) if entry else None


def passages_to_rank(reranker: Reranker | None, k: int) -> int:
    """Return how many passages to search for if `k` are wanted.

    Without a reranker these are `k`, else up to `_MORE` times as many.
    """
    return k if reranker is None else max(k, min(_MORE * k, _MOST))


async def rerank(reranker: Reranker | None, query: str, passages: list[Evidence], k: int) -> tuple[list[Evidence], str]:
    """Return the best `k` passages, and a line that names the reranker or tells why it failed.

    If the reranker fails, the order is that of the search. The line is empty if there was nothing to rerank.
    """
    if reranker is None or len(passages) < 2:
        return passages[:k], ""
    texts = [f"{passage.heading}\n{passage.text}"[:_LONGEST] for passage in passages]
    try:
        async with asyncio.timeout(_SECONDS):
            order = await reranker.rank(query, texts)
    except TimeoutError:
        told = f"reranker {reranker.name}: no reply within {_SECONDS:.0f} s; the search order is kept"
    except Exception as error:  # noqa: BLE001 - each raises its own
        said = one_line(redact_secrets(f"{type(error).__name__}: {error}"), 160)
        told = f"reranker {reranker.name}: {said}; the search order is kept"
    else:
        ranked = [passages[number] for number in dict.fromkeys([*order, *range(len(passages))])]
        best = [item.model_copy(update={"rank": n, "score": round(1 / n, 4)}) for n, item in enumerate(ranked[:k], 1)]
        return best, f"ranked by {reranker.name}"
    _log.warning("%s", told)
    if (call := find_call()) is not None:
        call.notes.append(told)
    return passages[:k], told
