"""Ranking a pool with embeddings: used once they are there, kept, and never a reason to fail."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest
from langchain_core.embeddings import Embeddings
from langchain_core.tools import BaseTool, StructuredTool

from tests.support.run import services
from weiwo.nodes.shared.planning import tool_choice as tool_ranking
from weiwo.nodes.shared.planning.tool_choice import rank_tools
from weiwo.tools.corpus.index.embedding_models import Embedder

TEXTS = {"a_tool": "Lists shares.", "b_tool": "Lists rooms.", "c_tool": "Lists depths."}


def remote(name: str) -> BaseTool:
    async def run(place: str) -> str:
        return place

    schema = {"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]}
    return StructuredTool(name=name, description=TEXTS[name], args_schema=schema, coroutine=run)


class Meanings(Embeddings):
    """What is about water is alike."""

    def __init__(self) -> None:
        self.down = False
        self.embedded: list[str] = []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        if self.down:
            raise OSError("no route")
        self.embedded += texts
        return [[float("depth" in text or "water" in text), 0.1] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


@pytest.fixture
def meanings(monkeypatch):
    made = Meanings()
    model = Embedder("own:water", made)
    monkeypatch.setattr(tool_ranking, "_load_model", lambda _: model)
    return made


def test_embeddings_rank_once_they_are_made_and_are_made_once(meanings, tmp_path: Path):
    run = services(*map(remote, TEXTS))
    run = replace(run, settings=replace(run.settings, embeddings="own:water", home=str(tmp_path)))

    def rank(question: str = "How much water is there?") -> list[str]:
        return rank_tools(tuple(TEXTS), [question], run)

    assert rank() == list(TEXTS)
    for thread in threading.enumerate():
        if thread.name == "tool-vectors":
            thread.join()
    assert rank()[0] == "c_tool"
    assert rank()[0] == "c_tool"
    assert len([text for text in meanings.embedded if "Lists" in text]) == len(TEXTS)
    meanings.down = True
    assert rank("How much water is here?") == list(TEXTS)
