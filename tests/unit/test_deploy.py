"""The kit in `deploy/`, as far as it can be read: no container engine runs here."""

import re
import sqlite3
from contextlib import closing
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, cast

import pytest
import yaml

DEPLOY = Path(__file__).parents[2] / "deploy"
FILES = ("compose.yaml", "compose.aegra.yaml")


def services(name: str) -> dict[str, Any]:
    return dict(yaml.safe_load((DEPLOY / name).read_text())["services"])


@pytest.mark.parametrize("name", FILES)
def test_every_service_is_hardened(name):
    for service in services(name).values():
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert "no-new-privileges:true" in service["security_opt"]
        assert {"mem_limit", "pids_limit", "restart"} <= service.keys()


@pytest.mark.parametrize("name", FILES)
def test_no_password_has_a_default(name):
    text = (DEPLOY / name).read_text()
    assert not re.findall(r"\$\{\w*(?:PASSWORD|SECRET)\w*:?-[^}]*\}", text)
    for found in re.findall(r"\$\{\w*PASSWORD\w*[^}]*\}", text):
        assert ":?" in found
    assert not re.findall(r"://\w*:\w+@", text)


def test_the_databases_are_reached_by_workers_alone():
    whole = yaml.safe_load((DEPLOY / "compose.aegra.yaml").read_text())
    assert whole["networks"]["inside"]["internal"] is True
    for name in ("postgres", "redis"):
        assert whole["services"][name]["networks"] == ["inside"]
        assert "ports" not in whole["services"][name]
    assert "--requirepass" in whole["services"]["redis"]["command"]


def test_ports_are_open_on_this_machine_alone():
    for name in FILES:
        for service in services(name).values():
            assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ()))


def test_the_proxy_passes_on_no_metrics():
    refused = re.search(r"@internal path (.*)", (DEPLOY / "Caddyfile").read_text())
    assert refused is not None
    assert {"/metrics", "/health"} <= set(refused[1].split())


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-aegra.lock"])
def test_every_locked_package_has_hashes(name):
    text = (DEPLOY / name).read_text()
    packages = re.findall(
        r"^([a-z0-9][a-z0-9._-]*)(?:\[[^]]*\])?==(\S+)((?:\s*\\\n\s+--hash=sha256:[0-9a-f]{64})+)", text, re.MULTILINE
    )
    assert len(packages) == len(re.findall(r"^[a-z0-9]", text, re.MULTILINE)) > 100
    dockerfile = (DEPLOY / "Dockerfile").read_text()
    assert f"--require-hashes --no-deps -r /{name}" in dockerfile


def back_up(home: Path, target: Path) -> tuple[int, list[str]]:
    spec = spec_from_file_location("backup", DEPLOY / "backup.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return cast("tuple[int, list[str]]", module.back_up(home, target))


def test_names_that_look_like_locks_and_logs_are_copied(tmp_path):
    home, copy = tmp_path / "home", tmp_path / "copy"
    names = ["corpora/x.lock/corpus.sqlite", "corpora/y-wal/note.json", "notes-wal", "uv.lock", "a-journal"]
    for name in names:
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        if name.endswith(".sqlite"):
            with closing(sqlite3.connect(home / name)) as database:
                database.execute("CREATE TABLE kept (one)")
        else:
            (home / name).write_text("kept")
    (home / "locks").mkdir()
    for name in ("locks/0123", "server.lock", "corpora/x.lock/writer.lock"):
        (home / name).write_text("")
    number, left_out = back_up(home, copy)
    assert number == len(names)
    assert {str(one.relative_to(copy)) for one in copy.rglob("*") if one.is_file()} == set(names)
    assert set(left_out) == {"locks/0123", "server.lock", "corpora/x.lock/writer.lock"}


def test_what_sqlite_keeps_beside_a_database_is_in_the_copy_of_it(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    with closing(sqlite3.connect(home / "threads.sqlite")) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("CREATE TABLE kept (one)")
        database.execute("INSERT INTO kept VALUES (7)")
        database.commit()
        _, left_out = back_up(home, tmp_path / "copy")
    assert "threads.sqlite-wal" in left_out
    with closing(sqlite3.connect(tmp_path / "copy" / "threads.sqlite")) as copied:
        assert copied.execute("SELECT one FROM kept").fetchall() == [(7,)]
