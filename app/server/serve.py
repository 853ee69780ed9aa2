"""Server process: listening address, login method and shutdown."""

import asyncio
import faulthandler
import gc
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import uvicorn
from starlette.applications import Starlette

from weiwo.app.records import Records
from weiwo.app.server.access.auth import Auth, new_token
from weiwo.app.server.access.connections import ConnectionLimits, limited_protocol
from weiwo.app.server.access.guard import Guard, Rules, read_origins
from weiwo.app.server.access.oidc import Oidc, OidcError, OidcSettings
from weiwo.app.server.access.profiles import LOOPBACK, is_loopback, read_profiles
from weiwo.app.server.application import create_app
from weiwo.app.server.metrics import LOOP_LAG
from weiwo.state.errors import WeiwoError
from weiwo.state.settings import CLIENT_FIELDS, Settings

_STOP_SECONDS: Final = 3
_GRACE_SECONDS: Final = 10
"""Seconds after a signal to stop; the process then ends whatever still holds it."""
_STANDSTILL_SECONDS: Final = 20
"""Seconds for which the event loop may be blocked. Then the process prints a traceback and ends."""
_KEEP_ALIVE_SECONDS: Final = 30
"""Seconds for which an idle connection is kept: longer than clients keep theirs (httpx 5, undici 4), since a request
on one that is just being closed is lost."""
_COLLECT_AFTER: Final = (700, 10, 10)
"""Python's default thresholds for garbage collection."""
_PROXIES: Final = "FORWARDED_ALLOW_IPS"
"""Where uvicorn reads which proxies it may believe."""
_ORIGINS: Final = "WEIWO_ORIGINS"
_AUTH: Final = "WEIWO_AUTH"


class ServeError(WeiwoError):
    """The server cannot start. The message is a line with problem, reason and remedy."""


def _choose_auth(host: str, named: str) -> Auth | None:
    """Choose the login method by listening address and `WEIWO_AUTH`. Returns None for a server without logins.

    Raises:
        ServeError: Others can reach the address and nobody would have to log in, or there is no such method.
    """
    if named not in {"", "none", "token", "oidc"}:
        raise ServeError(
            f"{_AUTH}: {named[:40]!a} is not a login method; use token or oidc, or leave it unset on loopback"
        )
    if named == "token":
        return Auth()
    if named == "oidc":
        try:
            return Auth(Oidc(OidcSettings.of()))
        except OidcError as error:
            raise ServeError(str(error)) from None
    if not is_loopback(host):
        raise ServeError(
            f"--host {host} lets others reach this server without a login; set {_AUTH}=token or oidc, or "
            "listen on 127.0.0.1"
        )
    return None


class _Server(uvicorn.Server):
    """Uvicorn server with an early end of watchers' streams on a signal.

    Otherwise the shutdown would wait for the streams. Once the server listens, `announce` is called with the address.
    """

    def __init__(self, config: uvicorn.Config, app: Starlette, announce: Callable[[str], None]) -> None:
        super().__init__(config)
        self._app, self._announce = app, announce

    def handle_exit(self, sig: int, frame: Any) -> None:
        _end_hard_later(sig)
        if engine := getattr(self._app.state, "engine", None):
            engine.runs.stop_watching()
        super().handle_exit(sig, frame)

    async def startup(self, *args: Any, **kwargs: Any) -> None:
        await super().startup(*args, **kwargs)
        if self.started:
            _collect_often()
            place = self.servers[0].sockets[0].getsockname()
            name = f"[{place[0]}]" if ":" in place[0] else place[0]
            self._announce(f"http://{name}:{place[1]}/")


async def serve(host: str, port: int, *, started: Callable[[str, str], None]) -> None:
    """Serve until a signal comes.

    `started` is called with the page's address, and with the operator's token if it is new.

    Raises:
        ServeError: The server cannot start.
        RequestError: `WEIWO_ORIGINS` names something other than an origin.
        SettingsError: A setting cannot be used.
        StorageError: A database cannot be used.
    """
    auth = _choose_auth(host, os.environ.get(_AUTH, "").strip().lower())
    settings = Settings.resolve()
    read_profiles(Path(settings.home))
    token = ""
    async with Records.open(settings.home) as records:  # what is wrong with it is said before anybody waits
        if auth is not None and auth.oidc is None and not await records.has_tokens():
            token = await new_token(records)
    if auth is None:
        # The one user is the operator, who may choose among their corpora and models.
        os.environ.setdefault(CLIENT_FIELDS, "corpus,model")
    hosts = LOOPBACK | {host.strip("[]").lower()} if is_loopback(host) else frozenset()
    app = create_app(auth=auth)
    guarded = Guard(app, Rules(hosts, read_origins(os.environ.get(_ORIGINS, ""))), auth)

    limits = ConnectionLimits(proxies=os.environ.get(_PROXIES, ""))
    config = uvicorn.Config(
        guarded,
        host=host,
        port=port,
        log_level="critical",
        access_log=False,
        lifespan="on",
        server_header=False,
        ws="none",
        http=limited_protocol(limits),
        limit_concurrency=limits.most,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=_STOP_SECONDS,
    )
    server = _Server(config, app, lambda address: started(address, token))
    watchdog = asyncio.create_task(_watch_loop())
    with suppress(SystemExit):  # uvicorn's way to say that the port is taken
        await server.serve()
    watchdog.cancel()
    if (failure := getattr(app.state, "failure", None)) is not None:
        raise ServeError(str(failure))
    if not server.started:
        raise ServeError(f"weiwo serve cannot use port {port} of {host}; choose another with --port")


async def _watch_loop() -> None:
    """Watchdog: ends the process if the event loop is stuck, for a restart by the supervisor.

    A process with a stuck loop answers nobody and hears no signal. The timer is a thread of C code, so it also fires
    when Python code cannot run, as in a regular expression that never ends.
    """
    try:
        while True:
            faulthandler.dump_traceback_later(_STANDSTILL_SECONDS, exit=True, file=sys.__stderr__ or 2)
            due = time.monotonic() + _STANDSTILL_SECONDS / 10
            await asyncio.sleep(_STANDSTILL_SECONDS / 10)
            LOOP_LAG.set(max(0.0, time.monotonic() - due))
    finally:
        faulthandler.cancel_dump_traceback_later()


def _end_hard_later(sig: int) -> None:
    """End the process after the grace period of a signal, if still running."""

    def end() -> None:
        os.write(2, f"weiwo: the server did not stop within {_GRACE_SECONDS} s and was terminated\n".encode())
        os._exit(128 + sig)

    timer = threading.Timer(_GRACE_SECONDS, end)
    timer.daemon = True
    timer.start()


def _collect_often() -> None:
    """Make garbage collection frequent for the objects of runs, and skip imported objects.

    The command makes collections rare, which suits a short process. A server would grow by garbage.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_COLLECT_AFTER)
