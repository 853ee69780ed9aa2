"""Canonical URLs: a single address per page regardless of the link, and the site of a page."""

import re
from functools import lru_cache
from typing import Final
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from weiwo.text.patterns import lazy

_LONGEST: Final = 4_096
"""Limit of a URL in characters. A longer URL is returned unchanged."""
_TRACKING: Final = lazy(
    r"(?:utm|pk|piwik|mtm|matomo|hsa|oly)_\w+|fbclid|fb_(?:action_ids|source|ref)|g(?:clid|clsrc|ad_source|braid)|dclid|"
    r"wbraid|msclkid|yclid|twclid|ttclid|li_fat_id|igsh(?:id)?|mibextid|mc_[ce]id|_hs(?:enc|mi)|hsctatracking|mkt_tok|"
    r"spm|scm|from_?source|share_(?:token|source|from|medium|plat|session_id)|ref(?:errer|_src|_url)|s_?cid|cmpid|ncid|"
    r"_ga|_gl|vero_id|srsltid|epik|ef_id|at_(?:medium|campaign)|wt_mc|__twitter_impression|bd_vid|isappinstalled|nsukey",
    re.IGNORECASE,
)
"""Names of parameters that say where a reader came from. "ref" is not among them: it names branches and records too."""
_EDITIONS: Final = frozenset(("from", chat) for chat in ("timeline", "singlemessage", "groupmessage"))

_EDITION: Final = lazy(r"^(?:www\d?|m|mobile|wap|amp|touch|3g)\.")
_MOBILE_INNER: Final = lazy(r"^([a-z-]{2,12})\.m\.(?=[^.]+\.)")
_AMP_END: Final = lazy(r"^((?:/[^/]++){2,}|/(?=[^/]*[-\d])[^/]++)/amp$")
"""Path of an AMP edition. A single plain word before "/amp" is not enough: /wiki/amp is an ordinary page."""
_INDEX: Final = lazy(r"/(?:index|default)\.(?:[sx]?html?|php|aspx?|jsp)$", re.IGNORECASE)
_PORTS: Final = {"http": 80, "https": 443}
_ESCAPED: Final = lazy(r"%([0-9A-Fa-f]{2})")
_PLAIN_IN_PATH: Final = frozenset("-._~!$'()*,:;@")
_ROUTE: Final = lazy(r"!?/.")
_KEPT_IN_URLS: Final = "%/:?@!$&'()*+,;=~-._"

_SHARED_LABEL: Final = lazy("com?|net?|org?|gov?|gob|gv|edu|ac|nom|mil|ltd|plc|sch|nhs")
_HOSTED: Final = lazy(
    r".+\.((?:github|gitlab|gitee|readthedocs)\.io|(?:blogspot|wordpress|substack|tumblr|medium|typepad|weebly|wixsite|"
    r"herokuapp|livejournal)\.com|blog\.163\.com|(?:netlify|vercel|web)\.app|pages\.dev)"
)
"""Hosting domains whose subdomains are separate sites."""


def canonical_url(url: str) -> str:
    """Return the address of a page in one form for all links to it.

    "http://m.example.com/a/index.html?utm_source=x#top" → "https://example.com/a". Scheme, user, "www", mobile and AMP
    hosts, index files, tracking parameters, the order of parameters, percent-encoding, the fragment (unless it is a
    route such as "#/guide"), a default port and a slash at the end do not count. Every other parameter does. The result
    is for comparing pages, not for fetching.

    Args:
        url: An absolute URL of at most `_LONGEST` characters. Anything else is returned unchanged.
    """
    if len(url) > _LONGEST:
        return url
    try:
        parts = urlsplit(url.strip())
        port = parts.port
        host = _ascii_host(parts.hostname or "")
    except ValueError:
        return url
    if parts.scheme not in _PORTS or not host:
        return url
    path = _normalize_path(parts.path)
    host = _site_host(host)
    if port is not None and port not in _PORTS.values():
        host = f"{host}:{port}"
    # AMP markers, index files and slashes at the end may follow each other.
    while (shorter := _AMP_END.sub(r"\1", _INDEX.sub("/", path).rstrip("/"))) != path:
        path = shorter
    query = urlencode(_page_parameters(parts.query), encoding="latin-1")
    fragment = quote(parts.fragment, safe=_KEPT_IN_URLS, errors="replace") if _ROUTE.match(parts.fragment) else ""
    return urlunsplit(("https", host, path, query, fragment))


@lru_cache(maxsize=4096)
def site_of(address: str) -> str:
    """Return the site of a source: "https://news.bbc.co.uk/a" → "bbc.co.uk".

    Returns:
        The registrable domain of a URL, as far as a short list of public suffixes knows it ("bbc.co.uk",
        "someone.github.io"). An IP address or a bare host name is returned with its port. Anything that is not a URL,
        such as the name of a file, is returned unchanged.
    """
    if "://" not in address:
        return address
    parts = urlsplit(canonical_url(address))
    host = parts.hostname or ""
    if parts.scheme not in _PORTS or not host:
        return address
    labels = host.split(".")
    if len(labels) == 1 or labels[-1].isdigit():
        return parts.netloc
    if hosted := _HOSTED.fullmatch(host):
        return ".".join(labels[-hosted[1].count(".") - 2 :])
    shared = len(labels) > 2 and len(labels[-1]) == 2 and _SHARED_LABEL.fullmatch(labels[-2])
    return ".".join(labels[-3 if shared else -2 :])


def _ascii_host(host: str) -> str:
    """Return a host in lower-case ASCII, with IPv6 addresses in brackets and other scripts as "xn--…".

    A name that IDNA cannot encode is returned in its own script.
    """
    host = host.replace("\u3002", ".").rstrip(".").lower()
    if ":" in host:
        return f"[{host}]"
    if host.isascii():
        return host
    try:
        return host.encode("idna").decode("ascii").lower().rstrip(".")
    except UnicodeError:
        return host


def _site_host(host: str) -> str:
    """Remove prefixes like "www.", "m." and "amp." from a host: "m.example.com" → "example.com".

    A name and a suffix always remain.
    """
    if host[0] == "[" or host.rpartition(".")[2].isdigit():
        return host
    while (edition := _EDITION.match(host)) and _is_name(host[edition.end() :]):
        host = host[edition.end() :]
    while (inner := _MOBILE_INNER.sub(r"\1.", host)) != host:
        host = inner
    return host


def _is_name(host: str) -> bool:
    labels = host.split(".")
    return len(labels) > 2 or (len(labels) == 2 and all(labels) and not _SHARED_LABEL.fullmatch(labels[0]))


def _normalize_path(path: str) -> str:
    """Return a path with percent-encoding only where it is needed, in capitals: "/%7euser/%e4" → "/~user/%E4"."""

    def unescape(found: re.Match[str]) -> str:
        character = chr(int(found[1], 16))
        plain = character in _PLAIN_IN_PATH or (character.isascii() and character.isalnum())
        return character if plain else f"%{found[1].upper()}"

    return quote(_ESCAPED.sub(unescape, path), safe="%/:@!$&'()*+,;=~-._", errors="replace")


def _page_parameters(query: str) -> list[tuple[str, str]]:
    """Return the query parameters without those for tracking, sorted by name.

    Bytes that are not UTF-8 (GBK, say) are kept unchanged.
    """
    plain = quote(query, safe=_KEPT_IN_URLS + '[]{}|^`<>"\\ ', errors="replace")
    pairs = parse_qsl(plain, keep_blank_values=True, encoding="latin-1")
    kept = ((name, value) for name, value in pairs if not _TRACKING.fullmatch(name) and (name, value) not in _EDITIONS)
    return sorted(kept, key=lambda pair: pair[0])
