"""Pages as text: main content, title, date and charset; what is shown instead of a page is never its text."""

import pytest

from tools.failures import ToolFailure
from tools.web.fetch import Fetched
from tools.web.pages import read_page

URL = "https://www.example.com/turtle?utm_source=x"
ARTICLE = """<html lang="en"><head><title>Great Turtle</title><meta name="author" content="Ann Lee">
<meta property="article:published_time" content="2021-05-03T10:00:00Z">
<link rel="canonical" href="https://www.example.com/turtle"></head><body><nav>Home About Contact</nav><article>
<h1>Great Turtle</h1><h2>History</h2><p>The great turtle was described in 1875 by a naturalist on the island.</p>
<p>It lives up to 150 years, says the field station, which has counted them since 1901.</p>
<table><tr><th>Year</th><th>Count</th></tr><tr><td>1901</td><td>340</td></tr></table></article>
<footer>All rights reserved</footer></body></html>"""
CHINESE = """<html><head><meta charset="{}"><title>汉武帝</title></head><body><article><h1>汉武帝</h1>
<p>汉武帝刘彻生于公元前156年，是西汉第七位皇帝，在位五十四年，年号建元。</p></article></body></html>"""


def fetched(body: str | bytes, kind: str = "text/html", charset: str = "", url: str = URL) -> Fetched:
    return Fetched(url, body.encode() if isinstance(body, str) else body, kind, charset, 200)


def test_the_main_content_comes_with_what_the_page_says_of_itself() -> None:
    page = read_page(fetched(ARTICLE))
    assert (page.url, page.title, page.author, page.date) == (
        "https://www.example.com/turtle",
        "Great Turtle",
        "Ann Lee",
        "2021-05-03",
    )
    assert "## History" in page.text
    assert "1901 | 340" in page.text
    assert "About Contact" not in page.text


def test_a_page_may_not_call_itself_another_site() -> None:
    page = read_page(fetched(ARTICLE.replace('href="https://www.example.com', 'href="https://bank.example.org')))
    assert page.url == URL


@pytest.mark.parametrize(
    ("encoding", "header", "meta"),
    [
        ("gb18030", "gb2312", ""),
        ("gbk", "", "gb2312"),
        ("gb18030", "", ""),
        ("big5", "", ""),
        ("big5", "big5", "utf-8"),
        ("utf-8", "utf-8", "x"),
        ("utf-16", "", ""),
        ("utf-8", "nonsense", "utf-8"),
    ],
)
def test_any_charset_is_read(encoding: str, header: str, meta: str) -> None:
    text = CHINESE.format(meta)
    if encoding == "big5":
        text = text.translate(str.maketrans("汉刘彻于号", "漢劉徹於號"))
    page = read_page(fetched(text.encode(encoding), charset=header))
    assert "公元前156年" in page.text
    assert page.title in {"汉武帝", "漢武帝"}


@pytest.mark.parametrize(
    ("title", "body", "what"),
    [
        ("Just a moment...", "Checking your browser before accessing example.com.", "a challenge"),
        ("", "Please verify you are a human to go on to the page.", "a challenge"),
        ("安全验证", "请完成验证后继续访问本网站的内容。", "a challenge"),
        ("Access Denied", "You don't have permission to access this page on this server.", "a refusal"),
        ("Sign in", "Please sign in to continue reading this article today.", "a login"),
        ("知识", "请先登录后查看全部内容，登录后可以收藏。", "a login"),
        ("Google", "Before you continue to Google Search, choose your settings.", "a question about cookies"),
        ("App", "You need to enable JavaScript to run this app.", "a request for JavaScript"),
    ],
)
def test_what_is_shown_instead_of_a_page_is_a_failure(title: str, body: str, what: str) -> None:
    html = f"<html><head><title>{title}</title></head><body><p>{body}</p></body></html>"
    with pytest.raises(ToolFailure, match=what) as failure:
        read_page(fetched(html))
    assert failure.value.kind == "blocked"
    assert not failure.value.transient


def test_an_article_about_captchas_is_an_article() -> None:
    words = "A captcha is a test that tells people from machines, and this is its long history. " * 15
    assert "captcha" in read_page(fetched(f"<html><body><article><p>{words}</p></article></body></html>")).text


@pytest.mark.parametrize("body", ["", "   ", "<html></html>", "<html><body><img src=x></body></html>", "<!-- -->"])
def test_an_empty_page_is_a_failure(body: str) -> None:
    with pytest.raises(ToolFailure) as failure:
        read_page(fetched(body))
    assert failure.value.kind == "empty"


def test_plain_text_is_taken_as_it_is() -> None:
    assert read_page(fetched("One two three four five.\n\x1b[31mSix.", "text/plain")).text == (
        "One two three four five.\n[31mSix."
    )


def test_binary_data_is_no_page() -> None:
    with pytest.raises(ToolFailure, match="binary") as failure:
        read_page(fetched(bytes(range(256)) * 20, "text/plain"))
    assert failure.value.kind == "bad_arguments"


def test_a_pdf_tells_its_pages() -> None:
    pypdf = pytest.importorskip("pypdf")
    from io import BytesIO  # noqa: PLC0415

    writer, buffer = pypdf.PdfWriter(), BytesIO()
    writer.add_blank_page(100, 100)
    writer.write(buffer)
    with pytest.raises(ToolFailure) as failure:
        read_page(fetched(buffer.getvalue(), "application/pdf"))
    assert failure.value.kind == "empty"
    with pytest.raises(ToolFailure, match="PDF cannot be read") as failure:
        read_page(fetched(b"%PDF-1.4 broken", "application/pdf"))
    assert failure.value.kind == "bad_arguments"
