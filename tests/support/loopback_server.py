"""An ASGI application on a port of loopback, in a thread of the test's own process."""

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn


@contextmanager
def on_loopback(
    make: Callable[[str], Any], began: Callable[[], None] = lambda: None, *, lifespan: bool = False
) -> Iterator[str]:
    """Serve an application, and end it.

    Args:
        make: Makes the application, of the address that it will have.
        began: Called in the server's event loop before it serves.
        lifespan: Whether the application has one.

    Yields:
        Its address; calls are taken at once, and answered once it serves.
    """
    listening = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    config = uvicorn.Config(
        make(url),
        log_level="error",
        lifespan="on" if lifespan else "off",
        timeout_graceful_shutdown=1,
        interface="asgi3",
    )
    server, ready = uvicorn.Server(config), threading.Event()

    async def serve() -> None:
        began()
        ready.set()
        await server.serve(sockets=[listening])

    serving = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    serving.start()
    assert ready.wait(120)
    try:
        yield url
    finally:
        server.should_exit = True
        serving.join(120)
