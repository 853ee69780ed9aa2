"""Worker process driving Chromium through Playwright.

Loads a page with its scripts and returns the markup. Chromium keeps its sandbox. If the sandbox does not start, the
page is refused. Chromium reaches nothing but the given proxy: it resolves no name, loopback included, and WebRTC, QUIC,
downloads and service workers are off.
"""

import json
import os
import signal
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, Final, Self

from weiwo.text.printable import one_line
from weiwo.tools.worker_process import read_frame, serve_requests, write_frame

_FLAGS: Final = (
    "--disable-quic",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--disable-gpu",
    "--disable-file-system",
    "--renderer-process-limit=2",
    "--js-flags=--max-old-space-size=256",
)
_MEMORY_BYTES: Final = 1_500_000_000
"""Resident memory of all processes of the browser together."""
_LOOK_SECONDS: Final = 0.25
_PROC: Final = Path("/proc")
_NO_RTC: Final = (
    "for (const n of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport']) delete globalThis[n]"
)
_LOADED: Final = frozenset({"document", "script", "xhr", "fetch", "stylesheet"})
"""Kinds of resources that text may depend on; pictures, fonts, media and frames' own kinds are not loaded."""
_READ_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_QUIET_MILLISECONDS: Final = 4_000
"""Time for scripts after the document is there."""


def main() -> None:
    """Render pages requested on standard input until end of input. Runs in a worker."""
    serve_requests(_answer)


class _MemoryWatch:
    """Context manager for ending the browser above a memory limit. Linux only.

    The limit counts the memory of all its processes. A limit on the address space does not work for Chromium, which
    reserves far more than it ever uses, and a limit on V8's heap leaves out what scripts keep in buffers.
    """

    def __init__(self, most: int = _MEMORY_BYTES) -> None:
        self.exceeded = False
        self._most = most
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        if _PROC.is_dir():
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()

    def _watch(self) -> None:
        while not self._done.wait(_LOOK_SECONDS):
            processes = _find_descendants(os.getpid())
            if sum(processes.values()) > self._most:
                self.exceeded = True
                for process in processes:
                    with suppress(OSError):
                        os.kill(process, signal.SIGKILL)
                return


def _find_descendants(root: int) -> dict[int, int]:
    """Return the resident memory in bytes of each descendant of a process, by process id."""
    parents: dict[int, int] = {}
    sizes: dict[int, int] = {}
    for entry in _PROC.iterdir():
        if entry.name.isdecimal():
            with suppress(OSError, ValueError, IndexError):  # it ended while it was looked at
                state = (entry / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
                parents[int(entry.name)], sizes[int(entry.name)] = int(state[1]), int(state[21])
    page = os.sysconf("SC_PAGE_SIZE")
    found: dict[int, int] = {}
    waiting = [root]
    while waiting:
        parent = waiting.pop()
        children = [process for process, of in parents.items() if of == parent and process not in found]
        found |= {process: sizes[process] * page for process in children}
        waiting += children
    return found


def _answer(requests: BinaryIO, replies: BinaryIO) -> None:
    order = json.loads(read_frame(requests))
    with _MemoryWatch() as memory:
        try:
            reply = _render(order)
        except Exception as error:  # noqa: BLE001 - whatever a page makes the browser raise
            reply = {
                "error": _explain(str(error)),
                "kind": "timeout" if "Timeout" in type(error).__name__ else "blocked",
            }
            if memory.exceeded:
                reply = {"error": f"it needs more than {_MEMORY_BYTES:,} bytes of memory", "kind": "oversized"}
    write_frame(replies, json.dumps(reply).encode("ascii"))


def _explain(said: str) -> str:
    """Turn the message of a Playwright error into a line for the user."""
    if "sandbox" in said.lower():
        who = "as root" if hasattr(os, "geteuid") and os.geteuid() == 0 else "here"
        return f"Chromium's sandbox does not start {who}, and no page is opened without it; run Weiwo as another user"
    return one_line(said.partition("\n")[0], 200)


def _render(order: dict[str, Any]) -> dict[str, str]:
    from playwright.sync_api import Error, Route, sync_playwright  # noqa: PLC0415 - of the extra `browser`

    def pass_on(route: Route) -> None:
        asked = route.request
        allowed = asked.resource_type in _LOADED and asked.method in _READ_METHODS
        (route.continue_ if allowed else route.abort)()

    bound, proxy = order["seconds"] * 1000, order["proxy"]
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=order["executable"],
            chromium_sandbox=True,
            args=[*_FLAGS],
            proxy={
                "server": proxy,
                "username": order["username"],
                "password": order["password"],
                "bypass": "<-loopback>",
            },
            timeout=bound,
        )
        try:
            context = browser.new_context(service_workers="block", accept_downloads=False, permissions=[])
            context.add_init_script(_NO_RTC)
            context.route("**/*", pass_on)
            page = context.new_page()
            page.goto(order["url"], wait_until="domcontentloaded", timeout=bound)
            with suppress(Error):  # a page that is never quiet is read as it stands
                page.wait_for_load_state("networkidle", timeout=min(bound, _QUIET_MILLISECONDS))
            return {"url": page.url, "html": page.content()[: order["max_bytes"]]}
        finally:
            browser.close()
