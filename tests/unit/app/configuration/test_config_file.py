"""The user's own configuration file."""

import os
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weiwo.app.configuration.config_file import apply_config, config_path, read_config, write_config
from weiwo.app.errors import MisuseError


def test_what_is_written_is_read_and_kept(tmp_path):
    env = {"WEIWO_HOME": str(tmp_path)}
    write_config({"WEIWO_MODEL": "openai:a", "OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}, env)
    write_config({"WEIWO_MODEL": 'openai:"b"\\'}, env)
    assert read_config(env) == {"WEIWO_MODEL": 'openai:"b"\\', "OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}
    assert config_path(env).stat().st_mode & 0o077 == 0


def test_the_environment_wins(tmp_path, monkeypatch):
    monkeypatch.setenv("WEIWO_HOME", str(tmp_path))
    monkeypatch.setenv("WEIWO_MODEL", "openai:mine")
    monkeypatch.setenv("WEIWO_WORDS", "1")
    monkeypatch.delenv("WEIWO_WORDS")
    monkeypatch.setenv("OPENAI_BASE_URL", "")
    monkeypatch.delenv("OPENAI_BASE_URL")
    write_config({"WEIWO_MODEL": "openai:a", "OPENAI_BASE_URL": "http://127.0.0.1:1/v1", "WEIWO_WORDS": "50"})
    apply_config()
    assert "OPENAI_BASE_URL" not in os.environ
    assert (os.environ["WEIWO_MODEL"], os.environ["WEIWO_WORDS"]) == ("openai:mine", "50")


@pytest.mark.parametrize(
    "text", ["[env", "[env]\nweiwo = 'x'", "[env]\nWEIWO_WORDS = 5", "env = 3", "\udcff", "x" * 200_000]
)
def test_a_file_that_is_none_is_one_line(tmp_path, text):
    env = {"WEIWO_HOME": str(tmp_path)}
    config_path(env).write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(MisuseError, match=r"config\.toml\b.*; ") as told:
        read_config(env)
    assert "\n" not in str(told.value)


def test_a_file_without_the_table_sets_nothing(tmp_path):
    env = {"WEIWO_HOME": str(tmp_path)}
    assert read_config(env) == {}
    config_path(env).write_text("title = 'x'\n")
    assert read_config(env) == {}


@given(st.text(max_size=30).filter(lambda text: not any(0xD800 <= ord(c) < 0xE000 for c in text)))
def test_any_value_comes_back(value):
    with TemporaryDirectory() as folder:
        env = {"WEIWO_HOME": folder}
        write_config({"WEIWO_MODEL": value}, env)
        assert read_config(env) == {"WEIWO_MODEL": value}
