"""One address for one page: what differs between links to the same page, taken away."""

import re
from typing import Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

_TRACKING: Final = re.compile(
    r"utm_\w+|fbclid|gclid|dclid|gbraid|wbraid|msclkid|yclid|twclid|igshid|mc_[ce]id|_hs(?:enc|mi)|mkt_tok|spm|scm|"
    r"from_?source|share_(?:token|source|from)|ref(?:errer|_src|_url)?|cmpid|ncid|_ga|_gl|oly_\w+_id|vero_id|srsltid",
    re.IGNORECASE,
)
_MOBILE: Final = re.compile(r"^(?:www|m|mobile|wap|amp|touch)\.(?=[^.]+\.[^.])")
_MOBILE_INNER: Final = re.compile(r"^([a-z-]{2,12})\.m\.(?=[^.]+\.)")
_AMP_PATH: Final = re.compile(r"(?:/amp)?/?$|^/amp(?=/)|\.amp(?=\.html$)")
_INDEX: Final = re.compile(r"/(?:index|default)\.(?:html?|php|aspx?|jsp)$", re.IGNORECASE)
_PORTS: Final = {"http": 80, "https": 443}


def canonical_url(url: str) -> str:
    """The address under which a page is known as one, whichever way it is linked.

    Scheme, "www", mobile and AMP hosts and paths, tracking parameters, their order, the fragment, a default port and a
    slash at the end do not count. Good for telling pages apart, not for fetching.

    Args:
        url: An absolute URL; anything else comes back as it is.
    """
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        return url
    if parts.scheme not in _PORTS or not parts.hostname:
        return url
    host = _MOBILE_INNER.sub(r"\1.", _MOBILE.sub("", parts.hostname.rstrip(".")))
    if port is not None and port not in _PORTS.values():
        host = f"{host}:{port}"
    path = _INDEX.sub("/", _AMP_PATH.sub("", parts.path)) if parts.path else ""
    pairs = sorted(
        (name, value)
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
        if not _TRACKING.fullmatch(name) and (name, value) not in {("amp", "1"), ("amp", ""), ("outputType", "amp")}
    )
    return urlunsplit(("https", host, path.rstrip("/"), urlencode(pairs), ""))
