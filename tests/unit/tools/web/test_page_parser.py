"""Pages as text: main content, title, date and charset; what is shown instead of a page is never its text."""

import sys

import pytest

from tests.support import documents
from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.web.fetching import page_parser as pages
from weiwo.tools.web.fetching.fetch import FetchedPage
from weiwo.tools.web.fetching.page_cache import PAGE_END
from weiwo.tools.web.fetching.page_parser import _decode_page, parse_page

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


def fetched(body: str | bytes, kind: str = "text/html", charset: str = "", url: str = URL) -> FetchedPage:
    return FetchedPage(url, body.encode() if isinstance(body, str) else body, kind, charset)


def test_the_main_content_comes_with_what_the_page_says_of_itself() -> None:
    page = parse_page(fetched(ARTICLE))
    assert (page.url, page.title, page.date) == ("https://www.example.com/turtle", "Great Turtle", "2021-05-03")
    assert "## History" in page.text
    assert "1901 | 340" in page.text
    assert "About Contact" not in page.text


def test_a_page_may_not_call_itself_another_site() -> None:
    page = parse_page(fetched(ARTICLE.replace('href="https://www.example.com', 'href="https://bank.example.org')))
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
        # what servers say that were never told, and what is simply wrong
        ("utf-8", "iso-8859-1", ""),
        ("utf-8", "gb2312", "gbk"),
        ("gbk", "iso-8859-1", ""),
        ("gbk", "iso-8859-1", "gbk"),
        ("gbk", "utf-8", "gb2312"),
        ("gbk", "windows-1252", "utf-8"),
        ("big5", "iso-8859-1", ""),
        ("utf-16-le", "utf-16le", ""),
        ("utf-16-be", "", ""),
        ("gbk", "x-gbk", ""),
        ("hz", "hz-gb-2312", ""),
        # Python's own codecs are no charsets
        ("gbk", "punycode", ""),
        ("utf-8", "unicode_escape", ""),
        ("utf-8", "idna", "hex"),
    ],
)
def test_any_charset_is_read(encoding: str, header: str, meta: str) -> None:
    text = CHINESE.format(meta)
    if encoding == "big5":
        text = text.translate(str.maketrans("汉刘彻于号", "漢劉徹於號"))
    page = parse_page(fetched(text.encode(encoding), charset=header))
    assert "公元前156年" in page.text
    assert page.title in {"汉武帝", "漢武帝"}


TEXTS = {
    "ru": "Архив порта хранит четыре тысячи карт и открыт по понедельникам.",
    "ja": "港の資料館には四千枚の地図があり、月曜日に開いている。",
    "ko": "항구 기록관은 지도 사천 장을 보관하며 월요일에 연다.",
    "fr": "L’été dernier à Besançon, le café coûtait 3 € — déjà trop.",
    "pl": "Zażółć gęślą jaźń: archiwum portu w Łodzi jest otwarte w poniedziałki.",
    "el": "Το αρχείο του λιμανιού φυλάσσει χάρτες και ανοίγει τη Δευτέρα.",
    "tr": "Limanın arşivi dört bin haritayı saklar ve pazartesi günü açılır.",
}


@pytest.mark.parametrize(
    ("language", "encoding", "header", "meta"),
    [
        ("ru", "cp1251", "windows-1251", ""),
        ("ru", "cp1251", "", "windows-1251"),
        ("ru", "koi8-r", "koi8-r", ""),
        ("ru", "cp1251", "", ""),
        ("ja", "cp932", "", "Shift_JIS"),
        ("ja", "cp932", "x-sjis", ""),
        ("ja", "euc-jp", "", ""),
        ("ko", "cp949", "euc-kr", ""),
        ("fr", "cp1252", "iso-8859-1", ""),
        ("fr", "cp1252", "utf-8", ""),  # a server that says what is not so
        ("pl", "iso-8859-2", "iso-8859-2", ""),
        ("el", "cp1253", "", "windows-1253"),
        ("tr", "cp1254", "windows-1254", ""),
    ],
)
def test_pages_of_other_languages_are_read_by_what_they_are(
    language: str, encoding: str, header: str, meta: str
) -> None:
    text, head = TEXTS[language], f'<meta charset="{meta}">' if meta else ""
    page = parse_page(
        fetched(
            f"<html><head>{head}<title>T</title></head><body><p>{text}</p></body></html>".encode(encoding),
            charset=header,
        )
    )
    assert text in page.text


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
        ("Pardon Our Interruption", "Something about your browser made us think you were a bot.", "a challenge"),
        ("百度安全验证", "网络不给力，请稍后重试，返回首页，问题反馈。", "a challenge"),
        ("登录", "欢迎来到本站，输入手机号码即可继续浏览。", "a login"),
        ("Attention Required! | Cloudflare", "Ray ID and so on. " * 60, "a challenge"),
    ],
)
def test_what_is_shown_instead_of_a_page_is_a_failure(title: str, body: str, what: str) -> None:
    html = f"<html><head><title>{title}</title></head><body><p>{body}</p></body></html>"
    with pytest.raises(ToolCallError, match=what) as failure:
        parse_page(fetched(html))
    assert failure.value.kind == "blocked"
    assert not failure.value.transient


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("404 Not Found", "nginx and some more words here"),
        ("Shop", "Sorry, this page does not exist any more."),
        ("页面不存在", "您访问的内容可能已经移走，请返回首页。"),
        ("Error 404", "The requested thing is no longer with us today."),
    ],
)
def test_a_page_that_says_it_is_not_there_is_not_found(title: str, body: str) -> None:
    with pytest.raises(ToolCallError, match="a not-found page was shown") as failure:
        parse_page(fetched(f"<html><head><title>{title}</title></head><body><p>{body}</p></body></html>"))
    assert failure.value.kind == "not_found"


def test_an_article_about_captchas_is_an_article() -> None:
    words = "A captcha is a test that tells people from machines, and this is its long history. " * 15
    assert "captcha" in parse_page(fetched(f"<html><body><article><p>{words}</p></article></body></html>")).text


@pytest.mark.parametrize("body", ["", "   ", "<html></html>", "<html><body><img src=x></body></html>", "<!-- -->"])
def test_an_empty_page_is_a_failure(body: str) -> None:
    with pytest.raises(ToolCallError) as failure:
        parse_page(fetched(body))
    assert failure.value.kind == "empty"


def test_plain_text_is_taken_as_it_is() -> None:
    assert parse_page(fetched("One two three four five.\n\x1b[31mSix.", "text/plain")).text == (
        "One two three four five.\n[31mSix."
    )


def test_binary_data_is_no_page() -> None:
    with pytest.raises(ToolCallError, match="binary") as failure:
        parse_page(fetched(bytes(range(256)) * 20, "text/plain"))
    assert failure.value.kind == "bad_arguments"


def test_a_pdf_tells_its_pages() -> None:
    pypdf = pytest.importorskip("pypdf")
    from io import BytesIO  # noqa: PLC0415

    writer, buffer = pypdf.PdfWriter(), BytesIO()
    writer.add_blank_page(100, 100)
    writer.write(buffer)
    with pytest.raises(ToolCallError) as failure:
        parse_page(fetched(buffer.getvalue(), "application/pdf"))
    assert failure.value.kind == "empty"
    with pytest.raises(ToolCallError, match="damaged PDF") as failure:
        parse_page(fetched(b"%PDF-1.4 broken", "application/pdf"))
    assert failure.value.kind == "bad_arguments"
    with pytest.raises(ToolCallError, match="encrypted") as failure:
        parse_page(fetched(documents.encrypted_pdf("secret"), "application/pdf"))
    assert failure.value.kind == "blocked"
    page = parse_page(
        fetched(documents.pdf("The bridge opened.", "", "It is very long.", title="Bridges"), "text/html")
    )
    assert (page.title, page.paged, page.note) == ("Bridges", True, "")
    assert [text.strip() for text in page.text.split(PAGE_END)] == ["The bridge opened.", "", "It is very long."]


def test_without_a_parser_a_pdf_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    with pytest.raises(ToolCallError, match=r"pip install 'weiwo\[documents\]'") as failure:
        parse_page(fetched(b"%PDF-1.4", "application/pdf"))
    assert failure.value.kind == "bad_arguments"


def test_a_long_pdf_is_read_as_far_as_there_is_time(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pypdf")
    body = documents.pdf(*(f"This is page number {number} of many." for number in range(1, 9)))
    monkeypatch.setattr(pages, "_MOST_PDF_PAGES", 3)
    assert parse_page(fetched(body, "application/pdf")).note == "only the first 3 of 8 pages were read"
    monkeypatch.setattr(pages, "_PDF_SECONDS", -1.0)
    assert parse_page(fetched(body, "application/pdf")).note == "only the first 1 of 8 pages were read"


@pytest.mark.parametrize(
    ("encoding", "header", "text"),
    [
        ("cp1252", "iso-8859-1", "Die Größe der Häuser in München überrascht. Straße, Öl, Übung, schön."),
        ("cp1252", "windows-1252", "Le Québec est à l'été très chaud; où l'on parle français, naïve, cœur."),
        ("utf-8", "iso-8859-1", "El niño comió en la montaña; ¿qué pasó después? Años de investigación."),
        ("shift_jis", "shift_jis", "東京は日本の首都であり、世界最大の都市圏を形成している。人口は約1400万人です。"),
        ("euc_jp", "euc-jp", "東京は日本の首都であり、世界最大の都市圏を形成している。人口は約1400万人です。"),
        ("iso2022_jp", "iso-2022-jp", "東京は日本の首都であり、世界最大の都市圏を形成している。人口は約1400万人です。"),
        ("euc_kr", "ks_c_5601-1987", "서울은 대한민국의 수도이자 최대 도시이다. 인구는 약 940만 명이다."),
        ("cp1251", "windows-1251", "Москва — столица России, город федерального значения."),
    ],
)
def test_other_scripts_are_read_as_they_are_named(encoding: str, header: str, text: str) -> None:
    assert text in _decode_page(f"<html><body><p>{text}</p></body></html>".encode(encoding), header)


@pytest.mark.parametrize(
    "named",
    [
        "http://[bad", "javascript:alert(1)", "https://user@www.example.com/turtle", "https://www.example.com:8443/turtle",
        "ftp://www.example.com/turtle", "//evil.example.org/turtle", "",
    ],
)  # fmt: skip
def test_no_other_address_is_believed(named: str) -> None:
    assert parse_page(fetched(ARTICLE.replace("https://www.example.com/turtle", named))).url == URL


@pytest.mark.parametrize(
    ("markup", "leads"),
    [
        ('<meta http-equiv="refresh" content="0; url=/next">', "https://www.example.com/next"),
        ("<META HTTP-EQUIV=Refresh CONTENT=\"0;URL='https://b.org/?a=1&amp;b=2'\">", "https://b.org/?a=1&b=2"),
        ('<meta http-equiv="refresh" content="3,url=next">', "https://www.example.com/next"),
        ('<meta http-equiv="refresh" content="300">', ""),
        ('<meta http-equiv="refresh" content="300; url=/">', ""),
        ("<p>nothing</p>", ""),
    ],
)
def test_where_a_page_leads_on_to(markup: str, leads: str) -> None:
    assert pages.refresh_target(fetched(f"<html><head>{markup}</head></html>")) == leads
    assert not pages.refresh_target(fetched(markup, "text/plain"))


@pytest.mark.parametrize(
    "body",
    [
        "<p " + " ".join(f"a{n}=1" for n in range(50_000)) + ">The turtle is old and slow.</p>",
        "<p>The turtle is old and slow.</p><img src='data:image/png;base64," + "A" * 100_000 + "'>",
        "<div>" * 500 + "The turtle is old and slow." + "</div>" * 500,
        "<p>The turtle is old and slow.</p><script type='application/ld+json'>" + "[" * 20_000 + "</script>",
        "<p>The turtle is old and slow.</p><title>" + "t - " * 50_000,
    ],
)  # fmt: skip
def test_markup_that_no_parser_likes_is_read_all_the_same(body: str) -> None:
    assert "turtle is old" in parse_page(fetched(f"<html><body>{body}</body></html>")).text


def test_of_more_markup_than_can_be_parsed_the_beginning_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    body = "<html><body>" + "".join(f"<p>This is paragraph number {n}.</p>" for n in range(100)) + "</body></html>"
    monkeypatch.setattr(pages, "_MOST_TAGS", 50)
    page = parse_page(fetched(body))
    assert page.note == "only the beginning of the page was read"
    assert "number 5." in page.text
    assert "number 50." not in page.text


def test_a_feed_is_read_by_its_words() -> None:
    item = "<item><title>Turtle found</title><description>A great turtle was found.</description></item>"
    page = parse_page(fetched(f'<?xml version="1.0"?><rss><channel>{item}</channel></rss>', "application/rss+xml"))
    assert "A great turtle was found." in page.text
    assert "<" not in page.text


def test_no_entity_of_a_page_is_a_file() -> None:
    body = (
        '<!DOCTYPE l [<!ENTITY a SYSTEM "file:///etc/passwd">]><html><body><p>One two three four &a;</p></body></html>'
    )
    assert "root:" not in parse_page(fetched(f'<?xml version="1.0"?>{body}', "application/xhtml+xml")).text
