"""Which URLs are fetched: hostile ones are refused with the reason, public and allowed ones pass."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.web.guard import Guard, UrlRefusedError, check_allowed

HOSTILE = [
    # loopback, in every spelling
    "http://127.0.0.1/", "http://127.1/", "http://127.0.1/", "http://2130706433/", "http://0x7f000001/",
    "http://0x7f.0.0.1/", "http://0177.0.0.1/", "http://017700000001/", "http://127.0.0.1./", "http://0/",
    "http://0.0.0.0/", "http://127.255.255.254:8080/", "http://[::1]/", "http://[0:0:0:0:0:0:0:1]/", "http://[::]/",
    "http://localhost/", "http://LOCALHOST:11434/api", "http://localhost./", "http://foo.localhost/",
    "http://１２７.０.０.１/", "http://127。0。0。1/", "http://①②⑦.⓪.⓪.①/", "http://ⓛocalhost/",
    # private, link-local, shared, metadata
    "http://10.0.0.1/", "http://172.16.0.1/", "http://172.31.255.255/", "http://192.168.1.1/admin",
    "http://169.254.169.254/latest/meta-data/", "http://0xa9fea9fe/", "http://2852039166/", "http://100.64.0.1/",
    "http://168.63.129.16/", "http://192.0.0.192/", "http://metadata.google.internal/computeMetadata/v1/",
    "http://198.18.0.1/", "http://[fe80::1]/", "http://[fe80::1%25eth0]/", "http://[fd00:ec2::254]/",
    "http://[fc00::1]/", "http://[fec0::1]/",
    # IPv4 inside IPv6
    "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/", "http://[::ffff:169.254.169.254]/",
    "http://[::127.0.0.1]/", "http://[64:ff9b::127.0.0.1]/", "http://[64:ff9b::a9fe:a9fe]/",
    "http://[64:ff9b:1::a00:1]/", "http://[2002:7f00:1::]/", "http://[2002:c0a8:101::1]/",
    "http://[2001:0:7f00:1::]/", "http://[::ffff:0:127.0.0.1]/",
    # multicast, broadcast, reserved, documentation
    "http://224.0.0.1/", "http://239.255.255.250:1900/", "http://255.255.255.255/", "http://240.0.0.1/",
    "http://192.0.2.1/", "http://[ff02::1]/", "http://[2001:db8::1]/", "http://[100::1]/",
    # tricks with users, parsers and ports
    "http://example.com@127.0.0.1/", "http://127.0.0.1@example.com/", "http://user:pass@example.com/",
    "http://example.com\\@127.0.0.1/", "http://127.0.0.1\\.example.com/", "http://exam ple.com/",
    "http://example.com\t.evil.com/", "http://example.com\r\nHost: 127.0.0.1/", " http://example.com/",
    "http://example.com:22/", "http://example.com:25/", "http://example.com:0/", "http://example.com:99999/",
    "http://example.com:port/", "http://[::1/", "http://]/", "http:///etc/passwd", "http://", "http://./",
    "http://1.2.3.4.5/", "http://256.1.1.1/", "http://0x/", "http://example.127/", "http://-example.com/",
    "http://exa%6dple.com/", "http://127.0.0.1%2f.example.com/", "http://exam\u200bple.com/",
    # other schemes, and names without a public place
    "file:///etc/passwd", "ftp://example.com/", "gopher://127.0.0.1:6379/_INFO", "data:text/html,x", "javascript:1",
    "dict://127.0.0.1:11211/", "//example.com/", "example.com", "", "http://intranet/", "http://router.local/",
    "http://printer.lan/", "http://db.corp/", "http://x.home.arpa/", "http://" + "a" * 300 + ".com/",
    "http://example.com/" + "a" * 3000,
]  # fmt: skip
PUBLIC = ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"]


def answering(*addresses: str):
    async def resolver(host: str, port: int) -> list[str]:  # noqa: ARG001 - the interface has it
        return list(addresses)

    return resolver


@pytest.mark.parametrize("url", HOSTILE)
def test_a_hostile_url_is_refused_with_the_reason(url: str) -> None:
    with pytest.raises(UrlRefusedError, match=r"is not fetched: \S") as refused:
        Guard().check_url(url)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 400


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com", "http://example.com:8080/a?b=c#d", "https://zh.wikipedia.org/wiki/汉武帝",
        "https://例子.测试/", "https://münchen.de/", "http://93.184.216.34/", "https://EXAMPLE.com./x",
        "http://[2606:2800:220:1:248:1893:25c8:1946]/", "http://[64:ff9b::5db8:d822]/", "https://a_b.example.com/",
    ],
)  # fmt: skip
def test_a_public_url_passes(url: str) -> None:
    assert Guard().check_url(url).scheme in {"http", "https"}


@pytest.mark.parametrize(
    "addresses",
    [
        ["127.0.0.1"], ["10.0.0.5"], ["::1"], ["::ffff:10.0.0.5"], ["fe80::1%eth0"], ["169.254.169.254"],
        [*PUBLIC, "192.168.0.1"], ["64:ff9b::7f00:1"], ["100.100.100.200"],
    ],
)  # fmt: skip
async def test_a_public_name_with_a_private_address_is_refused(addresses: list[str]) -> None:
    with pytest.raises(UrlRefusedError, match="it leads to"):
        await Guard(resolver=answering(*addresses)).addresses("rebind.example.com", 443)


async def test_what_was_checked_is_what_is_handed_out() -> None:
    found = await Guard(resolver=answering(*PUBLIC, PUBLIC[0])).addresses("example.com", 443)
    assert [str(address) for address in found] == PUBLIC


async def test_a_name_without_an_address_is_no_refusal() -> None:
    with pytest.raises(OSError, match="no address"):
        await Guard(resolver=answering()).addresses("example.com", 80)


@pytest.mark.parametrize(
    ("entry", "url"),
    [
        ("wiki.corp", "http://wiki.corp/page"),
        (".corp", "https://a.b.corp/"),
        ("10.1.0.0/16", "http://10.1.2.3/"),
        ("localhost:8000", "http://localhost:8000/"),
        ("127.0.0.1", "http://127.0.0.1:9999/"),
        ("[::1]:8080", "http://[::1]:8080/"),
        ("fd00::/8", "http://[fd00::5]/"),
        ("localhost:25", "http://localhost:25/"),
    ],
)
def test_what_is_allowed_passes(entry: str, url: str) -> None:
    with pytest.raises(UrlRefusedError):
        Guard().check_url(url)
    assert Guard(allowed=check_allowed([entry])).check_url(url)


@pytest.mark.parametrize(
    ("entry", "url"),
    [
        ("wiki.corp", "http://evil.wiki.corp/"),
        ("wiki.corp", "http://xwiki.corp/"),
        (".corp", "http://xcorp/"),
        ("10.1.0.0/16", "http://10.2.0.1/"),
        ("localhost:8000", "http://localhost:8001/"),
        ("localhost:8000", "http://localhost/"),
    ],
)
def test_no_more_than_that_is_allowed(entry: str, url: str) -> None:
    with pytest.raises(UrlRefusedError):
        Guard(allowed=(entry,)).check_url(url)


async def test_an_allowed_name_may_have_a_private_address() -> None:
    guard = Guard(allowed=("wiki.corp",), resolver=answering("10.0.0.5"))
    assert [str(one) for one in await guard.addresses("wiki.corp", 80)] == ["10.0.0.5"]


async def test_an_allowed_network_may_be_reached_by_name() -> None:
    guard = Guard(allowed=("10.0.0.0/8",), resolver=answering("10.0.0.5"))
    assert [str(one) for one in await guard.addresses("wiki.example.com", 80)] == ["10.0.0.5"]


@pytest.mark.parametrize("entry", ["http://x", "a b", "10.0.0.0/99", "*", "a/b"])
def test_what_cannot_be_allowed_is_named(entry: str) -> None:
    with pytest.raises(ValueError, match="is not a host name"):
        check_allowed([entry])


@given(st.ip_addresses(v=4))
def test_no_form_of_an_address_that_is_not_public_passes(address: ipaddress.IPv4Address) -> None:
    forms = [str(address), f"[::ffff:{address}]", f"[64:ff9b::{address}]"]
    if address.is_global and not address.is_multicast:
        return
    for form in forms:
        with pytest.raises(UrlRefusedError):
            Guard().check_url(f"http://{form}/")


@given(st.text(max_size=60))
def test_any_text_passes_or_is_refused(text: str) -> None:
    for url in (text, f"http://{text}/", f"http://{text}.example.com/", f"http://example.com{text}"):
        try:
            parts = Guard().check_url(url)
        except UrlRefusedError:
            continue
        assert parts.hostname
