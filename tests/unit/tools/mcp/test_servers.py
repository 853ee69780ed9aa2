import json
from pathlib import Path
from typing import Any

import pytest

from weiwo.state.settings import Context, Settings, SettingsError
from weiwo.tools.mcp.servers import read_servers


def write(tmp_path: Path, data: Any) -> str:
    file = tmp_path / "servers.json"
    file.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return str(file)


def test_the_forms_of_editors_are_read(tmp_path):
    file = tmp_path / "mcp.json"
    file.write_text(
        '{"servers": {"a": {"type": "http", "url": "http://x/${env:PATH_OF_A}"}, "b": {"serverUrl": "http://y"}}}'
    )
    found = read_servers(str(file), {"PATH_OF_A": "mcp"})
    assert [(server.name, server.transport, server.url) for server in found] == [
        ("a", "http", "http://x/mcp"),
        ("b", "http", "http://y"),
    ]


def test_the_form_of_desktop_clients_is_read(tmp_path):
    path = write(
        tmp_path,
        {
            "mcpServers": {
                "files": {"command": "npx", "args": ["-y", "${PKG}"], "env": {"KEY": "${SECRET:-none}"}, "cwd": "/srv"},
                "desk": {
                    "url": "https://desk.example.org/${TEAM}/mcp",
                    "headers": {"Authorization": "Bearer ${SECRET}"},
                },
                "old": {"type": "sse", "url": "http://127.0.0.1:1/sse", "trusted": False},
                "off": {"command": "x", "disabled": True},
            }
        },
    )
    files, desk, old = read_servers(path, {"PKG": "server-filesystem", "TEAM": "a", "SECRET": "s3cret-value"})
    assert (files.transport, files.command, files.args, files.cwd) == (
        "stdio",
        "npx",
        ("-y", "server-filesystem"),
        "/srv",
    )
    assert dict(files.env) == {"KEY": "s3cret-value"}
    assert (desk.transport, desk.url) == ("http", "https://desk.example.org/a/mcp")
    assert dict(desk.headers) == {"Authorization": "Bearer s3cret-value"}
    assert (old.transport, old.trusted) == ("sse", False)
    assert "s3cret" not in repr((files, desk)) + desk.address
    assert len({files.identity, desk.identity, old.identity}) == 3


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("{", "not valid JSON (line 1"),
        ("[" * 100_000, "not valid JSON"),
        ([], 'has no "mcpServers"'),
        ({"mcpServers": {"a b": {"command": "x"}}}, "is not a valid server name"),
        ({"mcpServers": {"a": "x"}}, "it is not an object"),
        ({"mcpServers": {"a": {}}}, "it has no url"),
        ({"mcpServers": {"a": {"type": "stdio", "url": "http://x"}}}, "it has no command"),
        ({"mcpServers": {"a": {"type": "carrier-pigeon", "url": "http://x"}}}, "transport 'carrier-pigeon' is unknown"),
        ({"mcpServers": {"a": {"url": "ftp://x"}}}, "not an http(s) address"),
        ({"mcpServers": {"a": {"command": "x", "args": "y"}}}, "args is not a list"),
        ({"mcpServers": {"a": {"url": "http://x", "auth": "basic"}}}, "auth 'basic' is unknown"),
        ({"mcpServers": {"a": {"url": "http://x", "oauth": {"client": "y"}}}}, "oauth.client is unknown"),
        ({"mcpServers": {"a": {"command": "x", "env": {"A": 1}}}}, "env.A is not a string"),
        ({"mcpServers": {"a": {"command": "${NOWHERE}"}}}, "${NOWHERE}, which is not set or empty"),
        ('{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}', "'a' is used twice"),
        ({"mcpServers": {str(n): {"command": "x"} for n in range(51)}}, "names 51 servers"),
    ],
)
def test_a_file_that_cannot_be_used_is_one_line(tmp_path, data, said):
    with pytest.raises(SettingsError) as caught:
        read_servers(write(tmp_path, data), {})
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_one_line(tmp_path):
    with pytest.raises(SettingsError, match="cannot be read"):
        read_servers(str(tmp_path / "none.json"))


@pytest.mark.parametrize("given", [{"mcp": "x.json"}, {"allow_tools": ["a"]}, {"allow_acting": True}])
def test_no_client_of_a_server_sets_what_runs_code_or_speaks_for_a_person(given):
    with pytest.raises(SettingsError, match="cannot be set by clients"):
        Settings.resolve(Context(**given), {"WEIWO_HOME": "/nowhere"}, from_client=True)


def test_a_server_may_want_a_login_and_its_secret_is_not_shown(tmp_path):
    oauth = {"clientId": "weiwo", "clientSecret": "${CLIENT}", "scopes": "read"}
    entries = {"plain": {"url": "http://x", "auth": "oauth"}, "known": {"url": "http://y", "oauth": oauth}}
    plain, known = read_servers(write(tmp_path, {"mcpServers": entries}), {"CLIENT": "s3cret-value"})
    assert plain.oauth == {}
    assert known.oauth == {"clientId": "weiwo", "clientSecret": "s3cret-value", "scopes": "read"}
    assert "s3cret" not in repr(known)
    assert "s3cret-value" in known.secrets
