"""Source filters: restrict a search to sites, folders and dates.

A user, a server's operator or a task may set a filter.
"""

import os
import re
from dataclasses import dataclass, replace
from datetime import date
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import urlsplit

FILTER_FIELDS: Final = {"site": "sites", "not_site": "not_sites", "since": "since", "folder": "folders"}
"""Fields of `Context` that restrict sources, and the attributes of `SourceFilter` that they set."""
_HOST: Final = r"(?=.{1,253}\Z)[^\W_](?:[\w-]{0,61}[^\W_])?(?:\.[^\W_](?:[\w-]{0,61}[^\W_])?)+"
_SINCE: Final = r"[0-9]{4}(?:-[0-9]{2}){0,2}"


@dataclass(frozen=True, slots=True)
class SourceFilter:
    """A source filter. Unset fields exclude nothing."""

    sites: tuple[str, ...] = ()  # hosts whose pages count, their subdomains included; others do not
    not_sites: tuple[str, ...] = ()  # hosts whose pages do not
    since: str = ""  # ISO date, month or year before which a source is too old; one without a date is not
    folders: tuple[str, ...] = ()  # folders whose documents count, those below them included
    outer: "SourceFilter | None" = None  # a restriction that holds as well

    def __bool__(self) -> bool:
        return bool(self.sites or self.not_sites or self.since or self.folders or self.outer)

    def add_restriction(self, inner: "SourceFilter") -> "SourceFilter":
        """Return a filter that allows only sources allowed by both this filter and another.

        Args:
            inner: The other filter. Its sites are requested from search providers, and the sites of this filter only if
                it has none.
        """
        return replace(inner, outer=self) if inner and self else inner or self

    def layers(self) -> "tuple[SourceFilter, ...]":
        """Return this filter and all filters in which it is nested, the innermost first."""
        return (self, *(self.outer.layers() if self.outer else ()))

    @property
    def asked_sites(self) -> tuple[str, ...]:
        """Return the sites to request from a search provider: those of the innermost filter with sites."""
        return next((layer.sites for layer in self.layers() if layer.sites), ())

    @property
    def left_out(self) -> tuple[str, ...]:
        """The sites to leave out, of all restrictions."""
        return tuple(dict.fromkeys(site for layer in self.layers() for site in layer.not_sites))

    @property
    def earliest(self) -> str:
        """Return the latest `since` of all filters, or an empty string. Sources before this date are too old."""
        return max(layer.since for layer in self.layers())

    def allows_page(self, url: str) -> bool:
        """Report whether a web page is on an allowed site. False for a URL that cannot be parsed."""
        try:
            host = (urlsplit(url).hostname or "").removeprefix("www.")
            host = host if host.isascii() else host.encode("idna").decode()
        except ValueError:
            return False
        return all(
            (not layer.sites or any(_is_of(host, site) for site in layer.sites))
            and not any(_is_of(host, site) for site in layer.not_sites)
            for layer in self.layers()
        )

    def allows_date(self, day: str | None) -> bool:
        """Report whether a source of an ISO date is recent enough. Undated sources are allowed.

        Dates are compared as far as both are given: since 2025-03, both "2025" and "2025-03-01" are allowed, "2025-02"
        is not.
        """
        earliest = self.earliest
        return not (day and earliest) or day[: len(earliest)] >= earliest[: len(day)]

    def allows_document(self, source: str, path: str = "") -> bool:
        """Report whether a document lies in an allowed folder.

        Args:
            source: The name of the document, as passages give it.
            path: The absolute path, if the document has a path.
        """
        return all(
            not layer.folders or any(_lies_in(source, path, folder) for folder in layer.folders)
            for layer in self.layers()
        )

    def allows_passage(self, source: str, day: str | None) -> bool:
        """Report whether a passage of a document is allowed, by source and date.

        Do not call it from an event loop, because it accesses the disk.
        """
        path = "" if "://" in source else os.path.abspath(source)  # noqa: PTH100 - links stay
        return self.allows_document(source, path) and self.allows_date(day)


ANY_SOURCE: Final = SourceFilter()
"""No restriction."""


def read_site(text: str) -> str:
    """Parse a site given by a user and return the host.

    The site may be `a.org`, `www.a.org` or the URL of one of its pages.

    Raises:
        ValueError: The text names no site.
    """
    given = text.strip().lower()
    try:
        host = (urlsplit(given if "://" in given else f"//{given}").hostname or "").removeprefix("*.")
        host = host.removeprefix("www.").encode("idna").decode()
    except ValueError:
        host = ""
    if not re.fullmatch(_HOST, host):
        raise ValueError("not a site; use a host, such as who.int")
    return host


def read_since(text: str) -> str:
    """Check a date given by a user, an ISO date, month or year, and return it stripped.

    Raises:
        ValueError: The text has another form, or there is no such date.
    """
    given = text.strip()
    try:
        date.fromisoformat(given + "-01-01"[len(given) - 4 :] if re.fullmatch(_SINCE, given) else "")
    except ValueError:
        raise ValueError("not a date; use a year, a month or a day, such as 2025, 2025-01 or 2025-01-31") from None
    return given


def read_folder(text: str) -> str:
    """Normalize the path of a folder: `docs//2025/` gives `docs/2025`, and `~` the user's home folder.

    Raises:
        ValueError: The path is empty or holds a null character.
    """
    if not text.strip() or "\x00" in text:
        raise ValueError("the folder path is empty or invalid; use a path, such as docs/2025")
    return os.path.normpath(os.path.expanduser(text.strip())).replace(os.sep, "/")  # noqa: PTH111 - it need not exist


def _is_of(host: str, site: str) -> bool:
    return host == site or host.endswith(f".{site}")


def _lies_in(source: str, path: str, folder: str) -> bool:
    """Report whether a document lies below a folder.

    The folder is relative to the working directory, absolute, or the end of a path: `2025` matches `docs/2025/a.pdf`.

    Args:
        source: The name of the document, as passages give it.
        path: The absolute path of the document. Empty if it has none.
        folder: The folder.
    """
    if path and PurePosixPath(path.replace(os.sep, "/")).is_relative_to(os.path.abspath(folder).replace(os.sep, "/")):  # noqa: PTH100 - links stay
        return True
    return f"/{folder.strip('/')}/" in f"/{source}" if not folder.startswith(("/", "..")) else False
