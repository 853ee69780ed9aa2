"""Tests of clients open sockets on loopback only and read no configuration of the machine."""

import os

import pytest

from tests.support.foreign import FOREIGN


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch, tmp_path):
    for name in list(os.environ):
        if name.startswith(FOREIGN):
            monkeypatch.delenv(name)
    monkeypatch.setenv("WEIWO_HOME", str(tmp_path / "home"))


@pytest.fixture
def indexed_home(clean_environment, index_sample, tmp_path):  # noqa: ARG001 - it sets the home
    """The sample corpus is indexed in the test's home already."""
    index_sample(tmp_path / "home")
