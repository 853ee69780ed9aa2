"""Pages: where they are, what they say, how they are sent, and what is the matter with them."""

import html
from dataclasses import dataclass, field
from typing import Literal

from tests.support.documents import pdf
from tests.web_world.article import Article
from tests.web_world.things import Fact, Language

Trouble = Literal[
    "",
    "not_found",
    "gone",
    "forbidden",
    "challenge",
    "login",
    "consent",
    "slow",
    "empty",
    "image",
    "huge",
    "endless",
    "moved",
    "loop",
    "private",
    "robots",
]
"""What is the matter with a page: it is not what the search engine once saw there."""

BODILESS: tuple[Trouble, ...] = ("challenge", "login", "consent", "empty")


@dataclass(frozen=True)
class Coding:
    """How the text of a page is sent."""

    encoding: str = "utf-8"  # what its bytes are in
    header: str = "utf-8"  # the charset that the server names; empty for none
    meta: str = "utf-8"  # the charset that the page itself names; empty for none


UTF8 = Coding()


@dataclass(frozen=True)
class Page:
    """A page of the web."""

    host: str  # its host
    path: str  # its path, with a query if it has one
    article: Article  # what it says, or said when the search engine came by
    about: str  # the name of the thing it is about
    trouble: Trouble = ""  # what is the matter with it
    coding: Coding = UTF8  # how its text is sent
    to: str = ""  # where a page that has moved leads
    kind: Literal["html", "pdf"] = "html"  # HTML or PDF
    canonical: str = ""  # the address that it names as its own
    date: str = ""  # when it was published
    copy_of: str = ""  # the first address of a story that is told at several

    @property
    def address(self) -> str:
        """Host and path, the identity of a page."""
        return self.host + self.path

    @property
    def language(self) -> Language:
        """The language of its text."""
        return self.article.language

    @property
    def tells(self) -> dict[Fact, str]:
        """The facts that whoever opens it can read there, and the sentences that tell them."""
        return {} if self.trouble not in {"", "moved"} else self.article.told


@dataclass(frozen=True)
class Sent:
    """What a server sends for a page."""

    status: int  # the HTTP status
    headers: dict[str, str] = field(default_factory=dict)  # its headers
    body: bytes = b""  # its body; what is sent beyond that, the server knows


_CHALLENGE = (
    "Just a moment...",
    (
        "<h1>Checking your browser</h1><p>Please verify that you are human. This may take a few seconds.</p>"
        "<p>Enable JavaScript and cookies to continue.</p>"
    ),
)
_LOGIN = (
    "Sign in",
    (
        "<h1>Sign in to continue reading</h1><p>This article is for subscribers only. Please log in or create an account "
        "to read.</p><form><input name=user><input name=password type=password></form>"
    ),
)
_CONSENT = (
    "Before you continue",
    (
        "<h1>We value your privacy</h1><p>Before you continue to this site, manage your cookie preferences or accept all "
        "cookies. Our 812 partners store information on your device.</p><button>Accept all cookies</button>"
    ),
)
_INSTEAD = {"challenge": _CHALLENGE, "login": _LOGIN, "consent": _CONSENT, "empty": ("", "")}


def sent(page: Page, base: str) -> Sent:
    """What is sent for a page whose trouble is in its text, or that has none.

    Args:
        page: The page.
        base: The scheme, and the port behind a host, as in `http://{host}:8080`.
    """
    if page.trouble in BODILESS:
        title, body = _INSTEAD[page.trouble]
        status = 503 if page.trouble == "challenge" and page.path.endswith("5") else 200
        text = f"<!doctype html><html><head><title>{title}</title></head><body>{body}</body></html>"
        return Sent(status, {"content-type": "text/html; charset=utf-8"}, text.encode())
    if page.kind == "pdf":
        return Sent(200, {"content-type": "application/pdf"}, as_pdf(page.article))
    charset = f"; charset={page.coding.header}" if page.coding.header else ""
    text = as_html(page, base)
    return Sent(200, {"content-type": f"text/html{charset}"}, text.encode(page.coding.encoding, "xmlcharrefreplace"))


_MENU = {
    "en": ("Home", "Towns", "Rivers", "People", "Books", "About us", "Contact", "Newsletter"),
    "zh": ("首页", "城市", "河流", "人物", "图书", "关于我们", "联系方式", "订阅"),
}
_FOOTER = {
    "en": "All rights reserved. We use cookies to improve this site; see our privacy notice. Terms of use. Imprint.",
    "zh": "版权所有。本站使用 Cookie 改善服务，详见隐私声明。使用条款。联系我们。",
}
_ASIDE = {
    "en": ("Most read", "Five walks for rainy days", "What the almanac got wrong", "Letters from our readers"),
    "zh": ("热门文章", "雨天的五条散步路线", "年鉴里的错误", "读者来信"),
}


def as_html(page: Page, base: str) -> str:
    """A page as sites write it: menu, article, sidebar, footer."""
    article, lang = page.article, page.language
    meta = f'<meta charset="{page.coding.meta}">' if page.coding.meta else ""
    canonical = f'<link rel="canonical" href="{base.format(host=page.host)}{page.path}">'
    if page.canonical:
        canonical = f'<link rel="canonical" href="{page.canonical}">'
    published = f'<meta property="article:published_time" content="{page.date}">' if page.date else ""
    menu = "".join(f'<li><a href="/{n}">{label}</a></li>' for n, label in enumerate(_MENU[lang]))
    head, *teasers = _ASIDE[lang]
    aside = "".join(f'<li><a href="/story/{n}">{text}</a></li>' for n, text in enumerate(teasers))
    body = "".join(
        (f"<h2>{html.escape(heading)}</h2>" if heading else "")
        + "".join(f"<p>{html.escape(p)}</p>" for p in paragraphs)
        for heading, paragraphs in article.sections
    )
    return (
        f'<!doctype html><html lang="{lang}"><head>{meta}<title>{html.escape(article.title)} | {page.host}</title>'
        f'<meta name="description" content="{html.escape(article.opening[:160])}">{canonical}{published}'
        f"<style>body{{font:16px serif}}</style><script>var t=0;</script></head><body>"
        f"<header><nav><ul>{menu}</ul></nav></header><main><article><h1>{html.escape(article.title)}</h1>{body}"
        f"</article></main><aside><h3>{head}</h3><ul>{aside}</ul></aside><footer><p>{_FOOTER[lang]}</p></footer>"
        f"</body></html>"
    )


def as_pdf(article: Article) -> bytes:
    """An English article as a PDF, a section a page, lines broken as a typesetter would."""
    pages = ["\n".join([heading or article.title, *_lines(paragraphs)]) for heading, paragraphs in article.sections]
    return pdf(*pages, title=article.title)


def _lines(paragraphs: list[str], width: int = 84) -> list[str]:
    lines: list[str] = []
    for paragraph in paragraphs:
        line = ""
        for word in paragraph.split():
            if len(line) + len(word) + 1 > width:
                lines.append(line)
                line = word
            else:
                line = f"{line} {word}".strip()
        lines += [line, ""]
    return lines
