"""A fetched page as text: the main content with its title and date, or why there is none.

What a site shows instead of the page (a challenge, a login, a question about cookies, a refusal) is never text to
cite: such a page is a failure, as is one without content.
"""

import re
from dataclasses import dataclass
from io import BytesIO
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

from text.language import word_count
from tools.corpus.encodings import UnreadableError, decode
from tools.failures import ToolFailure
from tools.printable import one_line, printable
from tools.results import iso_date
from tools.web.fetch import Fetched
from tools.web.instead import shown_instead

SHORT_WORDS: Final = 150
"""A page with more words than this is an article, even if it speaks of captchas or cookies."""
FEW_WORDS: Final = 4
MOST_PDF_PAGES: Final = 500

_META_CHARSET: Final = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{2,40})", re.IGNORECASE)
_XML_CHARSET: Final = re.compile(rb"<\?xml[^>]{0,100}?encoding\s*=\s*[\"']([\w.:-]{2,40})", re.IGNORECASE)
_HTML: Final = frozenset({"text/html", "application/xhtml+xml", "application/xml", "text/xml"})
_WIDER: Final = {"gb2312": "gb18030", "gbk": "gb18030", "x-gbk": "gb18030", "iso-8859-1": "cp1252", "ascii": "cp1252"}
"""What is read for a charset that pages name and go beyond."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it is cited.

    Attributes:
        url: Its canonical address where it names one on its own host, else where it came from.
        title: Its title; empty where it has none.
        author: Who wrote it, where it says so.
        date: ISO date of publication, where it says so.
        text: Its main content, as Markdown.
    """

    url: str
    title: str
    author: str
    date: str | None
    text: str


def read_page(fetched: Fetched) -> Page:
    """Read the main content of a page. Blocking: parsing takes a while.

    Raises:
        ToolFailure: `blocked`, something else was shown instead of the page; `empty`, it has no content;
            `bad_arguments`, it is not text we can read.
    """
    if fetched.type == "application/pdf" or fetched.body[:5] == b"%PDF-":
        return _pdf(fetched)
    text = _decoded(fetched)
    if fetched.type in _HTML or re.match(r"\s*<(?:!doctype html|html)", text[:500], re.IGNORECASE):
        return _html(text, fetched.url)
    plain = printable(text).strip()
    return _checked(Page(fetched.url, "", "", None, plain))


def _decoded(fetched: Fetched) -> str:
    """The text of a page: in the charset it names, if that can be, else in the one its bytes look like."""
    head = fetched.body[:4_096]
    named = [fetched.charset]
    named += [found[1].decode("ascii") for found in (_META_CHARSET.search(head), _XML_CHARSET.search(head)) if found]
    if not head.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        for name in filter(None, named):
            try:
                return fetched.body.decode(_WIDER.get(name.lower(), name))
            except (LookupError, UnicodeDecodeError):
                continue
    try:
        return decode(fetched.body)
    except UnreadableError as error:
        raise ToolFailure("bad_arguments", f"{one_line(fetched.url, 200)}: {error}") from None


def _html(text: str, url: str) -> Page:
    import trafilatura  # noqa: PLC0415 - heavy, and only for pages
    from trafilatura.metadata import extract_metadata  # noqa: PLC0415 - the same

    tree = trafilatura.load_html(text)
    if tree is None:
        raise ToolFailure("empty", f"{one_line(url, 200)}: the page holds no text")
    metadata: Any = extract_metadata(tree, default_url=url)
    title = one_line(printable(metadata.title or ""), 200)
    content = trafilatura.extract(
        tree, url=url, include_comments=False, include_tables=True, favor_recall=True, output_format="markdown"
    )
    if word_count(content or "") < FEW_WORDS:
        content = trafilatura.html2txt(tree)
    return _checked(
        Page(
            url=_canonical(metadata.url, url),
            title=title,
            author=one_line(printable(metadata.author or ""), 100),
            date=iso_date(metadata.date),
            text=printable(content or "").strip(),
        )
    )


def _canonical(named: str | None, url: str) -> str:
    """The address that a page gives itself, believed only on its own host."""
    if not named:
        return url
    absolute = urljoin(url, named)
    return absolute if urlsplit(absolute).hostname == urlsplit(url).hostname else url


def _checked(page: Page) -> Page:
    """The page, if it is one.

    Raises:
        ToolFailure: Something else was shown instead of it, or nothing.
    """
    shown, words = one_line(page.url, 200), word_count(page.text)
    if words <= SHORT_WORDS and (what := shown_instead(f"{page.title}\n{page.text}")):
        raise ToolFailure("blocked", f"{shown}: {what} was shown instead of the page")
    if words < FEW_WORDS:
        raise ToolFailure("empty", f"{shown}: the page holds no text")
    return page


def _pdf(fetched: Fetched) -> Page:
    """The text of a PDF, one heading a page, so that a passage tells its page."""
    shown = one_line(fetched.url, 200)
    try:
        import pypdf  # noqa: PLC0415 - heavy, and an extra
    except ImportError:
        raise ToolFailure("bad_arguments", f"{shown}: a PDF is read with pip install 'weiwo[documents]'") from None
    try:
        reader = pypdf.PdfReader(BytesIO(fetched.body))
        readable = not reader.is_encrypted or bool(reader.decrypt(""))
        pages = [page.extract_text() for page in reader.pages[:MOST_PDF_PAGES]] if readable else []
        title = str(reader.metadata.title or "") if readable and reader.metadata else ""
    except Exception as error:  # noqa: BLE001 - whatever a malformed file makes the parser raise
        raise ToolFailure("bad_arguments", f"{shown}: the PDF cannot be read: {one_line(str(error), 100)}") from None
    if not readable:
        raise ToolFailure("blocked", f"{shown}: the PDF is encrypted")
    text = "\n\n".join(f"## Page {number}\n\n{printable(page)}" for number, page in enumerate(pages, 1) if page.strip())
    return _checked(Page(fetched.url, one_line(printable(title), 200), "", None, text))
