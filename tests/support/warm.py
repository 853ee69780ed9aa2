"""What a run imports and makes at first use, imported and made: no process forked from here spends a second on it.

Preloaded by the servers that tests fork processes from. Nothing is asked here and no thread starts. What a start costs,
and what it imports, is tested in processes of the usual kind.
"""

import sys
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Final

from pydantic import BaseModel

from weiwo.nodes.shared.question.parser import parse_question
from weiwo.text.patterns import _Lazy

_USED: Final = (
    "langchain_openai",
    "weiwo.app.cli.documents.index",
    "weiwo.app.cli.documents.search",
    "weiwo.app.cli.evaluation.answers",
    "weiwo.app.cli.questions.ask",
    "weiwo.app.cli.setup.doctor",
    "weiwo.app.cli.threads.checkpoints",
    "weiwo.app.cli.threads.show",
    "weiwo.app.session.runs",
    "weiwo.graph.builder",
    "weiwo.graph.persistence.checkpoint_reader",
    "weiwo.graph.persistence.sqlite_store",
    "weiwo.graph.persistence.postgres_saver",
    "weiwo.graph.persistence.sqlite_saver",
    "weiwo.graph.persistence.store",
    "weiwo.graph.persistence.thread_lock",
    "weiwo.nodes.writer.extracts",
    "weiwo.tools.compute.calculator",
    "weiwo.tools.compute.date_difference",
    "weiwo.tools.corpus.ingestion.ingest",
    "weiwo.tools.corpus.retrieval.routed_corpus",
    "weiwo.tools.corpus.tools",
    "weiwo.tools.registry",
    "weiwo.tools.async_tool",
    "weiwo.tools.web.web_search",
)
"""What a command imports when it needs it."""

_QUESTIONS: Final = (
    ("Who was older, Ada Lovelace or Charles Babbage?", "en"),
    ("How long is the Danube?", "en"),
    ("李白和杜甫谁更早出生？", "zh"),
)


def _held(values: Iterable[object]) -> Iterator[object]:
    for value in values:
        if isinstance(value, tuple | list):
            yield from _held(value)
        elif isinstance(value, dict):
            yield from _held(value.values())
        else:
            yield value


def _warm() -> None:
    """Import what is used, compile its patterns and build its schemas; parse a question of each kind."""
    for name in _USED:
        import_module(name)
    modules = [module for name, module in sys.modules.items() if name.startswith("weiwo.")]
    for value in [one for module in modules for one in _held(vars(module).values())]:
        if isinstance(value, _Lazy):
            value.compiled_pattern  # noqa: B018 - which compiles it
        elif isinstance(value, type) and issubclass(value, BaseModel) and value.__module__.startswith("weiwo."):
            value.model_rebuild()
    for question, language in _QUESTIONS:
        parse_question(question, language)


_warm()
