"""What a restriction of sources leaves out, and what it reads."""

import pytest

from weiwo.state.settings import Context, Settings, SettingsError
from weiwo.state.source_filter import SourceFilter, read_since, read_site


@pytest.mark.parametrize(
    ("given", "host"),
    [("a.org", "a.org"), ("https://www.A.org/x?y", "a.org"), ("*.a.org", "a.org"), ("例え.jp", "xn--r8jz45g.jp")],
)
def test_a_site_is_a_host(given: str, host: str) -> None:
    assert read_site(given) == host


@pytest.mark.parametrize("given", ["", "x", "a b.org", "http://", "-a.org", "a..org", "x" * 300 + ".org", "a.org)"])
def test_what_is_no_site(given: str) -> None:
    with pytest.raises(ValueError, match="not a site"):
        read_site(given)


@pytest.mark.parametrize("given", ["", "2025-13", "2025-02-30", "25", "2025-1", "soon", "２０２５"])
def test_what_is_no_date(given: str) -> None:
    with pytest.raises(ValueError, match="not a date"):
        read_since(given)


@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        ("https://a.org/x", True),
        ("https://www.a.org/", True),
        ("http://docs.a.org:8080/", True),
        ("https://ads.a.org/", False),
        ("https://x.ads.a.org/", False),
        ("https://b.org/?a.org", False),
        ("https://nota.org/", False),
        ("https://a.org.evil.test/", False),
        ("https://a.org@evil.test/", False),
        ("docs/a.md", False),
        ("http://[", False),
    ],
)
def test_pages_of_a_site(url: str, allowed: bool) -> None:  # noqa: FBT001 - a row
    assert SourceFilter(sites=("a.org",), not_sites=("ads.a.org",)).allows_page(url) is allowed


@pytest.mark.parametrize(
    ("since", "day", "allowed"),
    [
        ("2025-01", "2025-01-01", True),
        ("2025-01", "2024-12-31", False),
        ("2025-01", "2025", True),
        ("2025", "2024-12", False),
        ("2025-01-15", "2025-01", True),
        ("2025-01", None, True),
        ("", "1999", True),
    ],
)
def test_dates(since: str, day: str | None, allowed: bool) -> None:  # noqa: FBT001 - a row
    assert SourceFilter(since=since).allows_date(day) is allowed


@pytest.mark.parametrize(
    ("folder", "source", "allowed"),
    [
        ("docs/2025", "docs/2025/a/x.md", True),
        ("2025", "docs/2025/x.md", True),
        ("docs/2025", "docs/20251/x.md", False),
        ("2025", "docs/2024/2025.md", False),
        ("/srv/docs", "x.md", True),
        ("/srv", "elsewhere/srv/x.md", False),
    ],
)
def test_folders(folder: str, source: str, allowed: bool) -> None:  # noqa: FBT001 - a row
    path = f"/srv/docs/{source}" if folder == "/srv/docs" else ""
    assert SourceFilter(folders=(folder,)).allows_document(source, path) is allowed


def test_a_restriction_is_narrowed_and_never_widened() -> None:
    outer = SourceFilter(sites=("a.org",), since="2024")
    both = outer.add_restriction(SourceFilter(sites=("b.org", "x.a.org"), since="2020", not_sites=("y.org",)))
    assert [both.allows_page(f"https://{host}/") for host in ("a.org", "x.a.org", "b.org")] == [False, True, False]
    assert (both.earliest, both.left_out) == ("2024", ("y.org",))
    assert outer.add_restriction(SourceFilter()) == outer == SourceFilter().add_restriction(outer)


def test_the_environment_and_a_run_set_it() -> None:
    env = {"WEIWO_SITE": "a.org, b.org", "WEIWO_SINCE": "2024-05"}
    within = Settings.resolve(Context(site=["c.org"], folder=["./docs/"]), env).filter
    assert within == SourceFilter(sites=("c.org",), since="2024-05", folders=("docs",))
    with pytest.raises(SettingsError, match=r"WEIWO_SINCE: .*not a date"):
        Settings.resolve(None, {"WEIWO_SINCE": "lately"})
