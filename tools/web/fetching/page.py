"""A page as it is cited."""

from dataclasses import dataclass
from typing import Final

PAGE_END: Final = "\f"
"""Stands between the pages of a paged document; the text of none holds it."""


@dataclass(frozen=True, slots=True)
class WebPage:
    """A page as it is cited.

    Attributes:
        url: Its canonical address where it names one on its own host, else where it came from.
        title: Its title; empty where it has none.
        author: Who wrote it, where it says so.
        date: ISO date of publication, where it says so.
        text: Its main content, as Markdown; that of a PDF as plain text with `PAGE_END` between its pages.
        paged: Whether it is a PDF.
        note: What of it could not be read; empty where all could.
    """

    url: str
    title: str
    author: str
    date: str | None
    text: str
    paged: bool = False
    note: str = ""
