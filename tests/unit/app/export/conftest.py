"""Proofs are checked against documents that are indexed once for all tests of a module."""

from collections.abc import Iterator
from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from weiwo.app.export import document_check


@pytest.fixture(scope="module")
def shared_check_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Checks index documents in one folder instead of each in a temporary folder of its own."""
    home = str(tmp_path_factory.mktemp("check"))
    kept = SimpleNamespace(TemporaryDirectory=lambda **_: nullcontext(home))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(document_check, "tempfile", kept)
        yield
