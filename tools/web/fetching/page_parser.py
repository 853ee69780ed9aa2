"""Parsing of a fetched page into main text, title and date, or a failure.

Runs in a worker. What a site shows instead of the page (a challenge, a login, a question about cookies, a refusal) is
never text to cite: such a page is a failure, as is a page without content.
"""

import codecs
import re
import time
from html import unescape
from importlib import import_module
from io import BytesIO
from itertools import islice
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

from weiwo.text.dates import iso_date
from weiwo.text.language import word_count
from weiwo.text.patterns import lazy
from weiwo.text.printable import one_line, printable
from weiwo.text.typeset import raise_figures
from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.corpus.formats.encodings import SAMPLE_BYTES, UnreadableError, decode
from weiwo.tools.corpus.formats.html_document import parse_html
from weiwo.tools.corpus.formats.pdf import Pdf
from weiwo.tools.web.fetching.fetch import FetchedPage, detect_interstitial
from weiwo.tools.web.fetching.page_cache import PAGE_END, WebPage

_PRESCAN: Final = 4_096
_META: Final = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{2,40})", re.IGNORECASE)
_XML: Final = re.compile(rb"<\?xml[^>]{0,100}?encoding\s*=\s*[\"']([\w.:-]{2,40})", re.IGNORECASE)
_HIGH_RUN: Final = re.compile(rb"[\x80-\xff]+")
_MOST: Final = 1_000_000
_MARKS: Final = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

_WESTERN: Final = frozenset({"ascii", "iso8859-1", "cp1252"})
"""Charsets that servers name by default. Believed only if the bytes do not look like another script."""
_WIDER: Final = {"gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949", "big5": "big5hkscs"}
"""Supersets used in place of the named charsets, as in the WHATWG's table of encodings."""
_LABELS: Final = {"windows-874": "cp874", "windows-31j": "cp932", "unicode": "utf-16", "cn-gb": "gbk"}
_CJK: Final = frozenset({"gb18030", "big5hkscs", "cp932", "cp949", "euc_jp", "iso2022_jp", "hz"})
_OTHERS: Final = frozenset(
    {
        "utf-8", "utf-16", "utf-16-le", "utf-16-be", "koi8-r", "koi8-u", "mac-roman", "tis-620", "johab",
        *(f"cp{number}" for number in (866, 874, 1250, 1251, 1253, 1254, 1255, 1256, 1257, 1258)),
        *(f"iso8859-{number}" for number in range(2, 17)),
    }
)  # fmt: skip


def _decode_page(body: bytes, named: str = "") -> str:
    """Decode the text of a page.

    A byte order mark is trusted first. UTF-8 comes next if the bytes are valid, because hardly anything else looks like
    UTF-8. Then follow the charset that the server names (`named`) and the charset that the page names, if the bytes
    fit. Otherwise the charset is guessed from the bytes.

    Raises:
        UnreadableError: The page is not text.
    """
    if body.startswith(_MARKS):
        return decode(body)
    if not body.isascii() and b"\0" not in body[:SAMPLE_BYTES]:
        try:
            return body.decode()
        except UnicodeDecodeError:
            pass
    for name in _candidates(body, named):
        try:
            text = body.decode(name)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text
    return decode(body)


def _candidates(body: bytes, named: str) -> list[str]:
    """Return the codecs to try, from the charsets named by the server and the page."""
    head = body[:_PRESCAN]
    given = [named, *(found[1].decode("ascii") for found in (_META.search(head), _XML.search(head)) if found)]
    names = list(dict.fromkeys(filter(None, map(_codec_of_label, given))))
    if not _WESTERN.isdisjoint(names) and not body.isascii():
        others = [name for name in names if name not in _WESTERN]
        # Accented letters are isolated, while letters of other scripts stand in runs.
        runs = [len(run) for run in _HIGH_RUN.findall(body[:_MOST])]
        return [*others, "cp1252"] if sum(runs) < 2 * len(runs) else others
    return names


def _codec_of_label(label: str) -> str:
    """Return the name of Python's codec for a web charset label: "GB2312" → "gb18030", which is a superset.

    Returns an empty string for an unknown label, and for Python codecs that are not charsets.
    """
    plain = label.lower().removeprefix("x-")
    try:
        name = codecs.lookup(_LABELS.get(plain, plain)).name
    except (LookupError, ValueError):
        return ""
    name = _WIDER.get(name, name)
    return name if name in _WESTERN | _CJK | _OTHERS else ""


_FEW_WORDS: Final = 4
_MOST_PDF_PAGES: Final = 500
_PDF_SECONDS: Final = 10.0
_LONGEST_MARKUP: Final = 2_000_000
"""Limit of the parsed markup, in characters."""
_MOST_TAGS: Final = 60_000
"""Limit of the parsed tags: enough for the largest articles, and about two seconds of work."""

_HTML: Final = frozenset(
    {"text/html", "application/xhtml+xml", "application/xml", "text/xml", "application/rss+xml", "application/atom+xml"}
)
_RAISED: Final = lazy(r"(?i)<sup(?:\s[^<>]{0,200})?>([^<>]{1,40})</sup>")
_LONG_TAG: Final = lazy(r"<[^<>]{4000,}")  # a picture inside, or a thousand attributes, each compared with each
_CONTROL: Final = lazy(
    r"<(?:button|select|dialog)\b|<input\b(?![^<>]{0,300}\btype\s{0,3}=\s{0,3}[\"']?(?:hidden|search)\b)"
    r"|<[a-z]{1,8}\b[^<>]{0,300}\b(?:role\s{0,3}=\s{0,3}[\"']?button\b|class\s{0,3}=\s{0,3}[\"'][^\"'<>]{0,200}\b(?:btn|button)\b)",
    re.IGNORECASE,
)
_REFRESH: Final = lazy(
    r"<meta[^>]{0,100}http-equiv\s*=\s*[\"']?refresh[\"']?[^>]{0,100}content\s*=\s*+[\"']?+\s*+[0-5](?:\.\d+)?\s*[;,]"
    r"\s*url\s*=\s*['\"]?(?P<url>[^'\">\s]{1,2000})",
    re.IGNORECASE,
)


def parse_page(fetched: FetchedPage) -> WebPage:
    """Parse the main content of a page. Blocking: parsing takes a while.

    Raises:
        ToolCallError: `blocked` if a login, a challenge or the like was shown instead, `not_found` for a not-found
            page, `empty` if the page has no content, `bad_arguments` if it is not readable text.
    """
    if fetched.type in {"application/pdf", "application/x-pdf"} or fetched.body[:5] == b"%PDF-":
        return _parse_pdf(fetched)
    try:
        text = _decode_page(fetched.body, fetched.charset)
    except UnreadableError as error:
        raise ToolCallError("bad_arguments", f"{one_line(fetched.url, 200)}: {error}") from None
    if fetched.type in _HTML or re.match(r"\s*<(?:!doctype html|html)", text[:500], re.IGNORECASE):
        return _parse_html(text, fetched.url)
    return text_page(fetched.url, text)


def import_parser() -> None:
    """Import the parsing libraries ahead of the first page."""
    _ = import_module("trafilatura.metadata")


def text_page(url: str, text: str) -> WebPage:
    """Build a page from text already read elsewhere.

    Raises:
        ToolCallError: `blocked`, `not_found` or `empty`, as in `parse_page`.
    """
    return _require_content(WebPage(url, "", None, printable(text).strip()))


def refresh_target(fetched: FetchedPage) -> str:
    """Return the URL to which an HTML page forwards by a meta refresh within a few seconds, or an empty string."""
    if fetched.type not in _HTML:
        return ""
    found = _REFRESH.search(fetched.body[:20_000].decode("utf-8", "replace"))
    return urljoin(fetched.url, unescape(found["url"])) if found else ""


def _parse_html(text: str, url: str) -> WebPage:
    # Only so much markup, and so many tags, can be parsed in a few seconds.
    begun = text[:_LONGEST_MARKUP]
    last = next(islice(re.finditer("<", begun), _MOST_TAGS, None), None)
    begun = begun[: last.start()] if last else begun
    try:
        metadata, content = _extract(begun, url)
    except Exception as error:  # noqa: BLE001 - whatever a page makes the parser raise
        said = f"{one_line(url, 200)}: the page cannot be read: {type(error).__name__}"
        raise ToolCallError("bad_arguments", said) from None
    return _require_content(
        WebPage(
            url=_canonical_url(metadata.url, url),
            title=one_line(printable(metadata.title or ""), 200),
            date=iso_date(metadata.date),
            text=printable(content).strip(),
            note="" if len(begun) == len(text) else "only the beginning of the page was read",
            controls=bool(_CONTROL.search(begun)),
        ),
        url,
        begun,
    )


def _extract(text: str, url: str) -> tuple[Any, str]:
    """Extract the metadata and the main content of a page.

    The content is Markdown, or plain text if the extracted content has too few words.
    """
    import trafilatura  # noqa: PLC0415 - heavy, and only for pages
    from trafilatura.metadata import extract_metadata  # noqa: PLC0415 - the same
    from trafilatura.settings import Document  # noqa: PLC0415 - the same

    text = _RAISED.sub(lambda found: raise_figures(found[1]), text)  # trafilatura glues them: 10<sup>6</sup> to 106
    tree = trafilatura.load_html(_LONG_TAG.sub("<i", text))
    if tree is None:
        return Document(), _plain_text(text)
    metadata = extract_metadata(tree, default_url=url, extensive=False)  # a guessed date is worse than none
    content = trafilatura.extract(
        tree, url=url, include_comments=False, include_tables=True, favor_recall=True, output_format="markdown"
    )
    if content is None or word_count(content) < _FEW_WORDS:
        content = trafilatura.html2txt(tree)
    return metadata, content if word_count(content) >= _FEW_WORDS else _plain_text(text)


def _plain_text(text: str) -> str:
    """Return the text of a page that the main parser cannot read, like a feed or tags nested too deeply."""
    return "\n\n".join(piece.words for piece in parse_html(text).body.cut_chunks()[1])


def _canonical_url(named: str | None, url: str) -> str:
    """Return the canonical URL that a page names, if it is on the page's own host, else the page's URL."""
    try:
        absolute = urljoin(url, (named or "").strip())
        here, there = urlsplit(url), urlsplit(absolute)
    except ValueError:
        return url
    same = there.netloc.lower() == here.netloc.lower() and there.scheme in {"http", "https"}
    return absolute if named and same and absolute.isprintable() and " " not in absolute else url


def _require_content(page: WebPage, url: str = "", markup: str = "") -> WebPage:
    """Return a page unchanged if it has content of its own.

    `url` is the final URL, and `markup` the whole markup.

    Raises:
        ToolCallError: `blocked` or `not_found` if another page was shown instead, or `empty`.
    """
    shown = one_line(page.url, 200)
    if what := detect_interstitial(page.title, page.text, url, markup):
        kind, words = what
        raise ToolCallError(kind, f"{shown}: {words} was shown instead of the page")
    if word_count(page.text) < _FEW_WORDS:
        raise ToolCallError("empty", f"{shown}: the page contains no text")
    return page


def _parse_pdf(fetched: FetchedPage) -> WebPage:
    """Read the text of a PDF page by page within the time limit."""
    shown = one_line(fetched.url, 200)
    try:
        pdf = Pdf(BytesIO(fetched.body))
    except UnreadableError as error:
        raise ToolCallError("bad_arguments", f"{shown}: {error}") from None
    if pdf.locked:
        raise ToolCallError("blocked", f"{shown}: the PDF is encrypted")
    until = time.monotonic() + _PDF_SECONDS
    texts: list[str] = []
    for number, text in pdf.read_pages(_MOST_PDF_PAGES):
        texts += [""] * (number - 1 - len(texts))  # those that cannot be read keep their number
        texts.append(text.replace(PAGE_END, " "))
        if time.monotonic() > until:
            break
    if pdf.bad and not any(map(str.strip, texts)):
        raise ToolCallError("bad_arguments", f"{shown}: damaged PDF: none of its {pdf.count} pages can be read")
    title, date = pdf.read_metadata()
    read = len(texts)
    note = f"only the first {read} of {pdf.count} pages were read" if read < pdf.count and read not in pdf.bad else ""
    return _require_content(WebPage(fetched.url, title, date, PAGE_END.join(texts), paged=True, note=note))
