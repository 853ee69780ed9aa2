"""A probe of an embedding model: what it brings where question and documents are in different languages."""

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
"""Chinese questions, each with the English document of the sample that answers it; none in Chinese does."""
_FIRST: Final = 5


class _EmbeddingGain(NamedTuple):
    """How many of the questions found their document: with the model, without, and of how many."""

    found: int
    before: int
    asked: int


def find_embeddings(server: FoundServer | None, env: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The settings of an embedding model at a server; none where there is none, or the user has set one.

    Args:
        server: The server of the chat model.
        env: What is set.
    """
    if server is None or env.get("WEIWO_EMBEDDINGS"):
        return {}
    named = next((model.name for model in server.models if model.embeds), "")
    return {"WEIWO_EMBEDDINGS": f"openai:{named}"} if named else {}


async def probe_embeddings(name: str, settings: Mapping[str, str]) -> _EmbeddingGain | None:
    """Search the sample with and without an embedding model; None where it does not answer.

    Args:
        name: The model, as `WEIWO_EMBEDDINGS` names it.
        settings: The variables to try, over those in force.
    """
    try:
        with environment(settings):
            await asyncio.to_thread(_require_answer, name)
            without, found = await _count_found(""), await _count_found(name)
    except (CommandError, CorpusError, ImportError):
        return None
    return _EmbeddingGain(found, without, len(_QUESTIONS))


def _require_answer(name: str) -> None:
    """Ask for one vector: a search goes on without them where a model fails.

    Raises:
        EmbeddingError: There is none.
    """
    load_embedder(name).embed_question(next(iter(_QUESTIONS)))


async def _count_found(name: str) -> int:
    """How many questions have their document among the first passages."""
    context = Context(corpus=[str(find_sample_corpus())], web=False, telemetry=False, embeddings=name)
    corpus = await open_corpus(Settings.resolve(context))
    found = 0
    for question, document in _QUESTIONS.items():
        passages = await corpus.search(question, _FIRST)
        found += any(document in passage.source for passage in passages)
    return found
