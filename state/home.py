"""The folder of Weiwo's own files, which light commands find without reading any other setting."""

import os
from collections.abc import Mapping
from pathlib import Path


def home(env: Mapping[str, str] | None = None) -> Path:
    """The folder of Weiwo's own files: `WEIWO_HOME`, by default `~/.weiwo`."""
    env = os.environ if env is None else env
    return Path(env.get("WEIWO_HOME") or "~/.weiwo").expanduser()
