"""Unit tests open no socket and read no configuration of the machine they run on."""

import os

import pytest
from pytest_socket import disable_socket

from tests.support.foreign import FOREIGN


@pytest.fixture(autouse=True)
def no_sockets():
    disable_socket(allow_unix_socket=True)  # asyncio's own wake-up pair is a unix socket


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch, tmp_path):
    for name in list(os.environ):
        if name.startswith(FOREIGN):
            monkeypatch.delenv(name)
    monkeypatch.setenv("WEIWO_HOME", str(tmp_path / "home"))
