"""Probe of an embedding model: the benefit for questions and documents in different languages."""

import asyncio
import os
from collections.abc import Mapping
from typing import Final, NamedTuple

from weiwo.app.cli.documents.corpus import open_corpus
from weiwo.app.cli.errors import CommandError
from weiwo.app.model_setup.model_probe import environment
from weiwo.models.local_servers import FoundServer
from weiwo.state.settings import Context, Settings
from weiwo.tools.corpus.base import CorpusError
from weiwo.tools.corpus.index.embedding_models import load_embedder
from weiwo.tools.corpus.source_names import find_sample_corpus

_QUESTIONS: Final = {"谁发现了青霉素？": "penicillin", "悉尼歌剧院是谁设计的？": "sydney-opera-house"}
"""Chinese questions, each with the English document of the sample that answers it.

No Chinese document does, so the model has to match the two languages.
"""
_FIRST: Final = 5


class _EmbeddingGain(NamedTuple):
    """Questions with the right document found: with the model (`found`) and without (`before`), of all `asked`."""

    found: int
    before: int
    asked: int


def find_embeddings(server: FoundServer | None, env: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the setting of the first embedding model at a server.

    The result is empty if there is no such model, or if the user has already set one.

    Args:
        server: The server of the chat model.
        env: The variables that are set.
    """
    if server is None or env.get("WEIWO_EMBEDDINGS"):
        return {}
    named = next((model.name for model in server.models if model.embeds), "")
    return {"WEIWO_EMBEDDINGS": f"openai:{named}"} if named else {}


async def probe_embeddings(name: str, settings: Mapping[str, str]) -> _EmbeddingGain | None:
    """Search the sample with and without an embedding model.

    Returns None if the model does not answer.

    Args:
        name: The model, as `WEIWO_EMBEDDINGS` names it.
        settings: The variables to try, which override those in force.
    """
    try:
        with environment(settings):
            await asyncio.to_thread(_require_answer, name)
            without, found = await _count_found(""), await _count_found(name)
    except (CommandError, CorpusError, ImportError):
        return None
    return _EmbeddingGain(found, without, len(_QUESTIONS))


def _require_answer(name: str) -> None:
    """Ask the model for a vector, because a search would go on silently without a failing model.

    Raises:
        EmbeddingError: The model returns no vector.
    """
    load_embedder(name).embed_question(next(iter(_QUESTIONS)))


async def _count_found(name: str) -> int:
    """Count the questions with the expected document among the first passages."""
    context = Context(corpus=[str(find_sample_corpus())], web=False, telemetry=False, embeddings=name)
    corpus = await open_corpus(Settings.resolve(context))
    found = 0
    for question, document in _QUESTIONS.items():
        passages = await corpus.search(question, _FIRST)
        found += any(document in passage.source for passage in passages)
    return found
