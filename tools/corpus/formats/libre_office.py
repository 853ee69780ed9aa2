"""LibreOffice as a converter of old Office files to supported formats, if `soffice` is on the PATH.

Each call has a profile of its own, in which links are never updated, active content is off and macros are at the
highest security. If the system allows it, it runs in a network namespace without a network. Time and memory are
bounded.
"""

import os
import shutil
import signal
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Final

from weiwo.tools.corpus.formats.encodings import UnreadableError

_SECONDS: Final = 100.0
_RESTART: Final = 81
"""Exit status of a first start that only set up the profile. The command must then be run again."""
_FILTERS: Final = {
    "docx": "MS Word 2007 XML",
    "pptx": "Impress MS PowerPoint 2007 XML",
    "xlsx": "Calc MS Excel 2007 XML",
}
_SETTINGS: Final = (
    ("Common/Security/Scripting", "MacroSecurityLevel", "3"),
    ("Common/Security/Scripting", "DisableMacrosExecution", "true"),
    ("Common/Security/Scripting", "DisableActiveContent", "true"),
    ("Common/Security/Scripting", "BlockUntrustedRefererLinks", "true"),
    ("Common/Security/Scripting", "DisableOLEAutomation", "true"),
    ("Writer/Content/Update", "Link", "0"),
    ("Calc/Content/Update", "Link", "2"),
    ("Inet/Settings", "ooInetProxyType", "2"),
    ("Inet/Settings", "ooInetHTTPProxyName", "192.0.2.1"),
    ("Inet/Settings", "ooInetHTTPProxyPort", "9"),
    ("Inet/Settings", "ooInetHTTPSProxyName", "192.0.2.1"),
    ("Inet/Settings", "ooInetHTTPSProxyPort", "9"),
    ("Inet/Settings", "ooInetNoProxy", ""),
)
"""Security settings. Without a network namespace, web requests go to a proxy address that leads nowhere (RFC 5737)."""


def find_soffice() -> str | None:
    """Return the path of LibreOffice's command, or None if not installed."""
    return shutil.which("soffice") or shutil.which("libreoffice")


def convert(data: bytes, ending: str, target: str) -> bytes:
    """Convert a document.

    Args:
        data: The bytes of the document.
        ending: The file ending of its format, with the dot.
        target: `docx`, `pptx` or `xlsx`.

    Returns:
        The bytes of the converted document.

    Raises:
        UnreadableError: LibreOffice is not installed, takes too long or cannot convert the document.
    """
    command = find_soffice()
    if command is None:
        raise UnreadableError("LibreOffice is not installed")
    with tempfile.TemporaryDirectory(prefix="weiwo-office-") as folder:
        base = Path(folder)
        _write_profile(base / "profile")
        source = base / f"document{ending}"
        source.write_bytes(data)
        arguments = [
            *_isolate(), command, "--headless", "--norestore", "--nolockcheck", "--nodefault", "--nologo",
            f"-env:UserInstallation={(base / 'profile').as_uri()}", "--convert-to", f"{target}:{_FILTERS[target]}",
            "--outdir", str(base / "out"), str(source),
        ]  # fmt: skip
        if _run(arguments, base) == _RESTART:
            _run(arguments, base)
        made = base / "out" / f"document.{target}"
        if not made.is_file():
            raise UnreadableError("LibreOffice cannot convert it")
        return made.read_bytes()


def _run(arguments: list[str], folder: Path) -> int:
    """Run a command in a process group, end the group on timeout, and return the exit status.

    Raises:
        UnreadableError: The command took too long.
    """
    environment = {**os.environ, "HOME": str(folder), "TMPDIR": str(folder), "SAL_USE_VCLPLUGIN": "svp"}
    with subprocess.Popen(  # noqa: S603 - the command is found on the PATH, the rest is ours
        arguments,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
        cwd=folder,
        start_new_session=True,
    ) as process:
        try:
            return process.wait(_SECONDS)
        except subprocess.TimeoutExpired:
            raise UnreadableError(f"LibreOffice took more than {_SECONDS:.0f} seconds", passing=True) from None
        finally:
            _end_group(process.pid)


def _end_group(leader: int) -> None:
    if hasattr(os, "killpg"):
        try:
            os.killpg(leader, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            return


@cache
def _isolate() -> tuple[str, ...]:
    """Return the command prefix for running without a network, or an empty tuple if unsupported."""
    unshare = shutil.which("unshare")
    if unshare is None:
        return ()
    wrapped = (unshare, "--map-root-user", "--net")
    tried = subprocess.run([*wrapped, "true"], capture_output=True, timeout=10, check=False)  # noqa: S603 - the same
    return wrapped if tried.returncode == 0 else ()


def _write_profile(folder: Path) -> None:
    user = folder / "user"
    user.mkdir(parents=True)
    items = "".join(
        f'<item oor:path="/org.openoffice.{"Office." if not path.startswith("Inet") else ""}{path}">'
        f'<prop oor:name="{name}" oor:op="fuse"><value>{value}</value></prop></item>'
        for path, name, value in _SETTINGS
    )
    head = (
        '<?xml version="1.0" encoding="UTF-8"?><oor:items xmlns:oor="http://openoffice.org/2001/registry"'
        ' xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
    )
    (user / "registrymodifications.xcu").write_text(f"{head}{items}</oor:items>", encoding="utf-8")
