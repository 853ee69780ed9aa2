"""Vectors of tools and past questions: made once, kept across processes, never waited for by a run."""

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from weiwo.tools.selection import vector_cache
from weiwo.tools.selection.sparse_index import Matrix
from weiwo.tools.selection.tool_index import ToolDocument
from weiwo.tools.selection.tool_retriever import build_retriever
from weiwo.tools.selection.tool_scenes import ToolUse
from weiwo.tools.selection.vector_cache import VectorCache, VectorsMissingError


class Model:
    """Embeds a text by its length, when it is let."""

    def __init__(self) -> None:
        self.embedded: list[str] = []
        self.go = threading.Event()

    def __call__(self, wanted: Iterator[tuple[bytes, str]]) -> Iterator[tuple[list[bytes], Matrix]]:
        for key, text in wanted:
            self.go.wait()
            self.embedded.append(text)
            yield [key], np.array([[len(text), 1]], np.float32)


@pytest.fixture
def model() -> Model:
    return Model()


def test_a_vector_is_made_once_for_all_processes(tmp_path: Path, model: Model):
    model.go.set()
    told: list[tuple[int, int]] = []
    path = tmp_path / "vectors.sqlite"
    made = VectorCache(path, "m", model).fill(["a", "bb", "a"], lambda *now: told.append(now))
    assert made.tolist() == [[1, 1], [2, 1], [1, 1]]
    assert told == [(1, 2), (2, 2)]
    assert VectorCache(path, "m", model).ready(["bb"]).tolist() == [[2, 1]]
    assert model.embedded == ["a", "bb"]
    VectorCache(path, "another", model).fill(["a"])
    assert model.embedded == ["a", "bb", "a"]


def test_a_run_does_not_wait_for_vectors_and_has_them_later(tmp_path: Path, model: Model):
    cache = VectorCache(tmp_path / "vectors.sqlite", "m", model)
    tools = (ToolDocument("x", "x", "Longer."), ToolDocument("y", "y", "Much longer than that."))
    history = (ToolUse("What?", frozenset({"x"})),)
    cache.keep("What?", np.array([5, 1], np.float32))
    for _ in range(2):
        with pytest.raises(VectorsMissingError):
            build_retriever(tools, history, cache.ready)
    model.go.set()
    for thread in threading.enumerate():
        if thread.name == "tool-vectors":
            thread.join()
    retriever = build_retriever(tools, history, cache.ready)
    assert model.embedded == [tool.text() for tool in tools]
    assert sorted(retriever.rank("What?", np.array([1, 0], np.float32))) == ["x", "y"]


def test_a_model_that_is_down_is_told_in_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    def down(_: object) -> Iterator[tuple[list[bytes], Matrix]]:
        raise OSError("connection refused")

    cache = VectorCache(tmp_path / "vectors.sqlite", "m", down)
    with pytest.raises(VectorsMissingError):
        cache.ready(["a"])
    for thread in threading.enumerate():
        if thread.name == "tool-vectors":
            thread.join()
    assert "ranked without m, which cannot embed them: OSError: connection refused" in caplog.text


def test_vectors_are_bounded_and_a_file_that_cannot_be_made_keeps_none(tmp_path: Path, model: Model, monkeypatch):
    model.go.set()
    monkeypatch.setattr(vector_cache, "_MOST_VECTORS", 3)
    cache = VectorCache(tmp_path / "vectors.sqlite", "m", model)
    cache.fill(["a", "b", "c", "d"])
    assert cache.ready(["c", "d"]).shape == (2, 2)
    with pytest.raises(VectorsMissingError):
        cache.ready(["a"])
    assert VectorCache(tmp_path / "no" / "where", "m", model).fill(["a"]).shape == (1, 2)
