"""Scripts of `tests/clients/js` under Node, with the packages that the folder of `WEIWO_TEST_NODE` has."""

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

_NODE = Path(os.environ.get("WEIWO_TEST_NODE", "/nowhere"))
_SCRIPTS = Path(__file__).parents[1] / "clients" / "js"


def needs_package(name: str) -> pytest.MarkDecorator:
    """Leaves a test out where there is no Node, or its folder lacks a package."""
    there = shutil.which("node") and (_NODE / "node_modules" / name).is_dir()
    return pytest.mark.skipif(not there, reason=f"WEIWO_TEST_NODE names no folder with {name}")


def run_script(name: str, *arguments: str, environment: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The object that a script prints last."""
    script = _NODE / f"weiwo-{os.getpid()}-{name}"  # Node looks for packages beside the script
    shutil.copy(_SCRIPTS / name, script)
    try:
        command = ["node", str(script), *arguments]
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    finally:
        script.unlink()
    assert ran.returncode == 0, ran.stderr
    return dict(json.loads(ran.stdout.splitlines()[-1]))
