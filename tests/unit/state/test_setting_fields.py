"""Metadata of the fields of `Context`: every list of settings is derived from it."""

from dataclasses import fields
from typing import get_args

import pytest

from weiwo.app.cli.options import RUN_OPTIONS
from weiwo.state.context import Context, Setting, field_settings
from weiwo.state.environment import SettingsError, read_environment
from weiwo.state.kinds import ROLES
from weiwo.state.run_limits import Limits
from weiwo.state.settings import MODEL_FIELDS, Settings, answer_settings, check_client_fields
from weiwo.state.source_filter import FILTER_FIELDS

SETTINGS = field_settings()
TEXTS = {"text": "x", "flag": "on", "list": "a.org, b.org", "paths": "a", "prices": "openai:m=1/2"}


def test_every_field_has_metadata():
    assert SETTINGS.keys() == Context.model_fields.keys()
    assert all(info.description for info in Context.model_fields.values())


def test_every_field_reaches_the_settings():
    grouped = {*MODEL_FIELDS, *FILTER_FIELDS, *(limit.name for limit in fields(Limits))}
    assert SETTINGS.keys() - grouped <= {entry.name for entry in fields(Settings)}
    assert grouped <= SETTINGS.keys()
    assert {f"{role}_model" for role in ROLES} < MODEL_FIELDS


def test_the_form_of_a_variable_fits_the_type_of_its_field():
    for name, setting in SETTINGS.items():
        types = [str(kind) for kind in get_args(Context.model_fields[name].annotation)]
        assert (setting.read in {"list", "paths"}) == any(kind.startswith("list[") for kind in types), name
        assert (setting.read == "flag") == ("<class 'bool'>" in types), name
        assert (setting.read == "prices") == any(kind.startswith("dict") for kind in types), name


def test_every_flag_list_and_price_is_read_from_its_variable():
    for name, setting in SETTINGS.items():
        if setting.read != "text":
            text = "web, scholarly" if name == "sources" else TEXTS[setting.read]
            assert name in read_environment({f"WEIWO_{name.upper()}": text})


@pytest.mark.parametrize("name", [name for name, setting in SETTINGS.items() if setting.client == "never"])
def test_no_operator_can_hand_over_what_runs_code_or_acts(name):
    with pytest.raises(SettingsError, match=f"context.{name} cannot be set by clients, because it runs code"):
        check_client_fields({name: True}, {})
    with pytest.raises(SettingsError, match="is not a field that clients can set"):
        check_client_fields({}, {"WEIWO_CLIENT_FIELDS": name})


def test_a_new_field_is_closed_to_clients_and_to_untrusted_folders():
    assert Setting().client == "named"
    with pytest.raises(SettingsError, match="cannot be set by clients of this server"):
        check_client_fields({"of_another_version": 1}, {})
    assert {name for name, setting in SETTINGS.items() if setting.client == "never"} < {
        name for name, setting in SETTINGS.items() if setting.needs_trust
    }


def test_options_of_the_command_set_fields():
    assert {*RUN_OPTIONS} <= SETTINGS.keys()


def test_settings_that_shape_an_answer():
    assert {"models", "limits", "filter", "tools", "form"} < {*answer_settings()}
    assert {"telemetry", "fresh", "prices", "home", "database_url"}.isdisjoint(answer_settings())
