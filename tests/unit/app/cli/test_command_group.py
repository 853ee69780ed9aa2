"""The group of all commands."""

from importlib import import_module

import pytest
from typer.main import get_group

from weiwo.app.cli.command_group import _DECLARED_IN


@pytest.mark.parametrize("place", _DECLARED_IN)
def test_each_command_is_listed_where_it_is_declared(place):
    module, _, declared = place.rpartition(".")
    assert tuple(get_group(getattr(import_module(f"weiwo.app.cli.{module}"), declared)).commands) == _DECLARED_IN[place]
