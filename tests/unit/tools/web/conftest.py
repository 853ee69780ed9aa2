"""Unit tests start no process: pages are parsed where the test is."""

import asyncio

import pytest

from weiwo.tools.web.fetching.page_parser import parse_page
from weiwo.tools.web.fetching.parser_process import _PageParsers


@pytest.fixture(autouse=True)
def parsed_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parse pages in a thread of this process."""

    async def parse(_: _PageParsers, fetched):
        return await asyncio.to_thread(parse_page, fetched)

    monkeypatch.setattr(_PageParsers, "parse", parse)
    monkeypatch.setattr(_PageParsers, "warm", lambda _: None)
