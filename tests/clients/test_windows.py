"""Weiwo as Windows would load it: without the modules, calls and signals that only POSIX has."""

import subprocess
import sys

PROGRAM = """
import importlib, os, pkgutil, signal, sys

EXTRAS = ("fastmcp", "mcp", "mcp_types", "httpx2")  # which know Windows by themselves
for name in ("fcntl", "resource", "pwd", "grp", "termios", "tty", "readline", *EXTRAS):
    sys.modules[name] = None
for name in ("O_CLOEXEC", "O_NONBLOCK", "O_NOFOLLOW", "O_DIRECTORY", "pread", "pwrite", "fork", "killpg", "getuid", "geteuid", "setsid"):
    if hasattr(os, name):
        delattr(os, name)
for name in ("SIGHUP", "SIGKILL", "SIGALRM", "SIGUSR1", "SIGPIPE"):
    if hasattr(signal, name):
        delattr(signal, name)
import weiwo

for module in pkgutil.walk_packages(weiwo.__path__, "weiwo."):
    if module.name.split(".")[1] in ("state", "text", "models", "tools", "nodes", "graph", "app"):
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as missing:
            if missing.name.partition(".")[0] not in EXTRAS:
                raise
        print(module.name)
"""


def test_every_module_loads_without_what_only_posix_has():
    ran = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert len(ran.stdout.split()) > 250


def test_a_draft_has_a_name_that_every_file_system_takes(monkeypatch, tmp_path):
    from weiwo.app.cli.questions.approval import draft_of  # noqa: PLC0415 - beside its only use
    from weiwo.app.session.session import RunEnd  # noqa: PLC0415 - the same

    monkeypatch.setenv("WEIWO_HOME", str(tmp_path))
    ended = RunEnd("a:b.c", None, {"plan": {"revision": 2}})
    assert draft_of(ended).name == "a_b.c-2.json"
