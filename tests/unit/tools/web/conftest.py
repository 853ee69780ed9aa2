"""Unit tests start no process: pages are parsed where the test is."""

import asyncio

import pytest

from weiwo.tools.web.fetching.page_parser import parse_page
from weiwo.tools.web.fetching.parser_process import PageParsers


@pytest.fixture(autouse=True)
def parsed_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parse pages in a thread of this process."""

    async def parse(_: PageParsers, fetched):
        return await asyncio.to_thread(parse_page, fetched)

    monkeypatch.setattr(PageParsers, "parse", parse)
    monkeypatch.setattr(PageParsers, "warm", lambda _: None)
