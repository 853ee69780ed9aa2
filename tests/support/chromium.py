"""An installed Chromium that starts with its sandbox, as another user where the tests run as root."""

import os
import shutil
from pathlib import Path
from typing import Final

INSTALLED: Final = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome") or ""
_AS_NOBODY: Final = """#!/bin/sh
for argument in "$@"; do
  case "$argument" in --user-data-dir=*) chown -R 65534:65534 "${argument#--user-data-dir=}" ;; esac
done
HOME=/tmp exec setpriv --reuid=65534 --regid=65534 --clear-groups BROWSER "$@"
"""


def sandboxed_chromium(folder: Path) -> str:
    """Its path, or that of a script in a folder; empty where none can be started so."""
    if os.geteuid() != 0 or not INSTALLED:
        return INSTALLED
    if not shutil.which("setpriv"):
        return ""
    script = folder / "chromium-as-nobody"
    script.write_text(_AS_NOBODY.replace("BROWSER", INSTALLED), encoding="utf-8")
    script.chmod(0o755)
    return str(script)
