"""The groups of commands."""

import pytest

from weiwo.app.cli.command_group import CommandGroup
from weiwo.app.cli.evaluation.commands import _EvaluationGroup

PLACES = [*CommandGroup.places.items(), *_EvaluationGroup.places.items()]


@pytest.mark.parametrize(("name", "place"), PLACES, ids=[f"{name} of {place.module}" for name, place in PLACES])
def test_each_command_is_listed_as_it_is_declared(name, place):
    declared = place.load().commands
    assert [*declared] == [name]
    assert declared[name].help == place.help
