"""One Chromium and one double of the server for all tests of the page; skipped, with words, where there is none.

Playwright's synchronous interface keeps an event loop running in its thread, so that it has a thread of its own: a test
that takes `page` runs there, and asyncio's own tests are left alone.
"""

import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import pytest

from tests.page.player import Player

CHROMIUM: Final = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS: Final = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
]
_MILLISECONDS: Final = 60_000


class Stage:
    """A browser in a thread of its own."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1)
        self.browser: Any = None
        self._driver: Any = None

    def call(self, work: Callable[..., Any], *args: Any, **named: Any) -> Any:
        """Do something in the thread of the browser."""
        return self._thread.submit(work, *args, **named).result()

    def start(self) -> None:
        """Start the browser."""
        from playwright.sync_api import sync_playwright  # noqa: PLC0415 - only where there is one

        self._driver = sync_playwright().start()
        self.browser = self._driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)

    def stop(self) -> None:
        """Stop it."""
        if self.browser is not None:
            self.browser.close()
        if self._driver is not None:
            self._driver.stop()


@pytest.fixture(scope="session")
def stage() -> Iterator[Stage]:
    if CHROMIUM is None:
        pytest.skip("no chromium is installed: apt-get install chromium")
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install playwright")
    stage = Stage()
    try:
        stage.call(stage.start)
        yield stage
    finally:
        stage.call(stage.stop)


@pytest.fixture
def player() -> Iterator[Player]:
    with Player() as player:
        yield player


@pytest.fixture
def new_page(stage: Stage, player: Player) -> Iterator[Callable[..., Any]]:
    """Opens the page in a browser context of its own; what a page complains of in its console fails the test."""
    contexts: list[Any] = []
    complaints: list[str] = []

    def opened(path: str = "/", **options: Any) -> Any:
        context = stage.browser.new_context(**{"viewport": {"width": 1280, "height": 860}, **options})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(_MILLISECONDS)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: complaints.append(said.text) if "Content Security" in said.text else None)
        page.goto(player.url + path)
        return page

    yield opened
    player.drop()
    stage.call(lambda: [context.close() for context in contexts])
    assert not complaints


@pytest.fixture
def page(stage: Stage, new_page: Callable[..., Any]) -> Any:
    return stage.call(new_page)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """A test that drives the browser runs in the browser's thread."""
    if "stage" not in pyfuncitem.fixturenames:
        return None
    named = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    pyfuncitem.funcargs["stage"].call(pyfuncitem.obj, **named)
    return True
