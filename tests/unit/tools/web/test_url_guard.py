"""Which URLs are fetched: hostile ones are refused with the reason, public and allowed ones pass."""

import asyncio
import ipaddress
import socket

import httpcore
import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weiwo.tools.web.fetching import url_guard as guards
from weiwo.tools.web.fetching.guarded_transport import GuardedBackend, UnknownHostError
from weiwo.tools.web.fetching.url_guard import UrlGuard, UrlRefusedError

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
    "http://[2001:470:1f0b::5efe:7f00:1]/", "http://[2001:470:1f0b::200:5efe:10.0.0.1]/",
    # read in two ways: by one parser as this, by another as that
    "http://[::ffff:93.184.216.34]x/", "http://x[::1]/", "http://[v1.x]/", "http://example.com:+80/",
    "http://example.com:８０/", "http://example.com:8_0/", "http://example.com:80:90/", "http://[::1]:80x/",
    "http://١٢٧.٠.٠.١/", "http://𝟏𝟐𝟕.𝟎.𝟎.𝟏/", "http://127.0.0.1\u3002/", "http://０x7f.1/", "http://ⅼocalhost/",
    "http://localhoſt/", "http://[::ffff:7f00:0001%25lo]/", "http://::1/", "http:example.com", "http:/example.com",
    "http:///example.com", "https:\\\\example.com", "http://example.com;@127.0.0.1", "http://127.0.0.1:80\\@example.com/",
    "http://a\xad.example.com/", "http://example.com\u2028.evil/", "http://[fe80::1%25]/", "http://[::1%00]/",
    "http://example.com:65536/", "http://example.com:000000080/", "http://a..example.com/", "http://.example.com/",
    "http://100.100.100.200/latest/meta-data/", "http://[::ffff:100.100.100.200]/", "http://169.254.170.2/v2/credentials",
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
        UrlGuard().check_url(url)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 400


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com", "http://example.com:8080/a?b=c#d", "https://zh.wikipedia.org/wiki/汉武帝",
        "https://例子.测试/", "https://münchen.de/", "http://93.184.216.34/", "https://EXAMPLE.com./x",
        "http://[2606:2800:220:1:248:1893:25c8:1946]/", "https://fa.wikipedia.org/wiki/می\u200cخواهم", "https://faß.de/", "http://[64:ff9b::5db8:d822]/", "https://a_b.example.com/",
    ],
)  # fmt: skip
def test_a_public_url_passes(url: str) -> None:
    assert UrlGuard().check_url(url).scheme in {"http", "https"}


@pytest.mark.parametrize(
    "addresses",
    [
        ["127.0.0.1"], ["10.0.0.5"], ["::1"], ["::ffff:10.0.0.5"], ["fe80::1%eth0"], ["169.254.169.254"],
        [*PUBLIC, "192.168.0.1"], ["64:ff9b::7f00:1"], ["100.100.100.200"],
    ],
)  # fmt: skip
async def test_a_public_name_with_a_private_address_is_refused(addresses: list[str]) -> None:
    with pytest.raises(UrlRefusedError, match="it resolves to"):
        await UrlGuard(resolver=answering(*addresses)).addresses("rebind.example.com", 443)


def test_the_table_is_long_enough() -> None:
    assert len(set(HOSTILE)) == len(HOSTILE) >= 60


@pytest.mark.parametrize(
    ("url", "asked"),
    [
        ("HTTPS://EXAMPLE.com.:443/a?b#c", "https://example.com/a?b"),
        ("http://example.com:00080/", "http://example.com/"),
        ("https://münchen.de:8443/ü", "https://xn--mnchen-3ya.de:8443/ü"),
        ("https://faß.de/", "https://xn--fa-hia.de/"),
        ("http://ⓔxample。com/", "http://example.com/"),
        ("http://[2606:2800:220:1:248:1893:25C8:1946]:80/", "http://[2606:2800:220:1:248:1893:25c8:1946]/"),
        ("http://example.com#@127.0.0.1/", "http://example.com"),
        ("http://example.com?@127.0.0.1/", "http://example.com?@127.0.0.1/"),
    ],
)
def test_what_is_asked_for_is_written_anew_from_what_was_checked(url: str, asked: str) -> None:
    assert UrlGuard().check_url(url).geturl() == asked


@given(st.text(alphabet="aA1.0x:/@#?[]%;+_-\\。ß１²①ⓛ\u200d汉", max_size=24))
def test_the_client_reads_the_host_and_port_that_were_checked(text: str) -> None:
    for url in (f"http://{text}", f"http://example.com{text}", f"http://{text}.com/", f"https://[{text}]/"):
        try:
            parts = UrlGuard().check_url(url)
        except UrlRefusedError:
            continue
        read = httpx.URL(parts.geturl())
        assert (read.scheme, read.raw_host.decode(), read.port) == (parts.scheme, parts.hostname, parts.port)
        assert not read.userinfo


async def test_a_resolver_that_does_not_answer_is_not_waited_for(monkeypatch) -> None:
    monkeypatch.setattr(guards, "_RESOLVE_SECONDS", 0.01)

    async def silent(host: str, port: int) -> list[str]:  # noqa: ARG001 - the interface has it
        await asyncio.Event().wait()
        return []

    with pytest.raises(OSError, match=r"the address of example\.com was not found within 0\.01 s"):
        await UrlGuard(resolver=silent).addresses("example.com", 80)


class Line(httpcore.AsyncNetworkStream):
    """A connection between two addresses, of which nothing is sent."""

    def __init__(self, ours: str, theirs: str) -> None:
        self.ends = {"client_addr": (ours, 50_000), "server_addr": (theirs, 80)}
        self.closed = False

    async def aclose(self) -> None:
        self.closed = True

    def get_extra_info(self, info: str):
        return self.ends[info]


class Lines(httpcore.AsyncNetworkBackend):
    """Plays the network: which addresses can be reached, and from where."""

    def __init__(self, *reached: str, ours: str = "198.51.100.7") -> None:
        self.reached = reached
        self.ours = ours
        self.tried: list[str] = []
        self.lines: list[Line] = []

    async def connect_tcp(self, host, port, timeout=None, local_address=None, socket_options=None):  # noqa: ARG002, ASYNC109
        self.tried.append(host)
        if host not in self.reached:
            raise httpcore.ConnectError("refused")
        self.lines.append(Line(self.ours, host))
        return self.lines[-1]


async def test_each_checked_address_is_tried_until_one_can_be_reached() -> None:
    lines = Lines(PUBLIC[1])
    assert await GuardedBackend(UrlGuard(resolver=answering(*PUBLIC)), lines).connect_tcp("example.com", 80)
    assert lines.tried == PUBLIC


async def test_nothing_is_connected_to_if_one_of_the_addresses_is_private() -> None:
    lines = Lines(*PUBLIC, "10.0.0.1")
    with pytest.raises(UrlRefusedError, match=r"10\.0\.0\.1, a private address"):
        await GuardedBackend(UrlGuard(resolver=answering(*PUBLIC, "10.0.0.1")), lines).connect_tcp("example.com", 80)
    assert lines.tried == []


async def test_a_public_address_of_this_machine_is_not_talked_to() -> None:
    lines = Lines(PUBLIC[0], ours=PUBLIC[0])
    guard = UrlGuard(resolver=answering(PUBLIC[0]))
    with pytest.raises(UrlRefusedError, match="this machine itself"):
        await GuardedBackend(guard, lines).connect_tcp("me.example.com", 80)
    assert lines.lines[0].closed
    allowing = UrlGuard(["me.example.com"], answering(PUBLIC[0]))
    assert await GuardedBackend(allowing, lines).connect_tcp("me.example.com", 80)


@pytest.mark.parametrize(
    ("code", "error"), [(socket.EAI_NONAME, UnknownHostError), (socket.EAI_AGAIN, httpcore.ConnectError)]
)
async def test_no_host_of_that_name_is_told_from_no_reply_of_the_resolver(code: int, error: type[Exception]) -> None:
    async def failing(host: str, port: int) -> list[str]:  # noqa: ARG001 - the interface has it
        raise socket.gaierror(code, "so it goes")

    with pytest.raises(error):
        await GuardedBackend(UrlGuard(resolver=failing), Lines()).connect_tcp("example.com", 80)


async def test_what_was_checked_is_what_is_handed_out() -> None:
    found = await UrlGuard(resolver=answering(*PUBLIC, PUBLIC[0])).addresses("example.com", 443)
    assert [str(address) for address in found] == PUBLIC


async def test_a_name_without_an_address_is_no_refusal() -> None:
    with pytest.raises(OSError, match="no address"):
        await UrlGuard(resolver=answering()).addresses("example.com", 80)


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
        ("::1", "http://[::1]:9000/"),
        (" WIKI.corp. ", "http://wiki.corp/"),
        ("例子.corp", "http://xn--fsqu00a.corp/"),
        (".例子.corp", "http://a.例子.corp/"),
        ("0.0.0.0/0", "http://10.1.2.3/"),
        ("::/0", "http://[fd00::5]/"),
        ("10.1.0.0/16:8080", "http://10.1.9.9:8080/"),
    ],
)
def test_what_is_allowed_passes(entry: str, url: str) -> None:
    with pytest.raises(UrlRefusedError):
        UrlGuard().check_url(url)
    assert UrlGuard([entry]).check_url(url)


@pytest.mark.parametrize(
    ("entry", "url"),
    [
        ("wiki.corp", "http://evil.wiki.corp/"),
        ("wiki.corp", "http://xwiki.corp/"),
        (".corp", "http://xcorp/"),
        ("10.1.0.0/16", "http://10.2.0.1/"),
        ("localhost:8000", "http://localhost:8001/"),
        ("localhost:8000", "http://localhost/"),
        ("10.1.0.0/16:8080", "http://10.1.2.3/"),
        ("10.1.0.0/16", "http://10.1.2.3:22/"),
        ("wiki.corp", "http://wiki.corp:25/"),
        ("wiki.corp", "http://wiki.corp.evil.local/"),
        (".corp", "http://corp/"),
        ("10.0.0.1", "http://[::ffff:10.0.0.1]/"),
        ("10.0.0.1", "http://167772161/"),
        ("127.0.0.1", "http://127.1/"),
        ("localhost", "http://127.0.0.1/"),
        ("127.0.0.1", "http://localhost/"),
        ("wiki.corp", "http://user@wiki.corp/"),
        ("wiki.corp", "file://wiki.corp/etc/passwd"),
    ],
)
def test_no_more_than_that_is_allowed(entry: str, url: str) -> None:
    with pytest.raises(UrlRefusedError):
        UrlGuard([entry]).check_url(url)


async def test_an_allowed_name_may_have_a_private_address() -> None:
    guard = UrlGuard(allow=("wiki.corp",), resolver=answering("10.0.0.5"))
    assert [str(one) for one in await guard.addresses("wiki.corp", 80)] == ["10.0.0.5"]


async def test_an_allowed_network_may_be_reached_by_name() -> None:
    guard = UrlGuard(allow=("10.0.0.0/8",), resolver=answering("10.0.0.5"))
    assert [str(one) for one in await guard.addresses("wiki.example.com", 80)] == ["10.0.0.5"]


@pytest.mark.parametrize("address", ["169.254.169.254", "0.0.0.0", "224.0.0.1", "fd00:ec2::254", "100.100.100.200"])  # noqa: S104
async def test_a_name_that_is_allowed_may_not_lead_to_metadata(address: str) -> None:
    with pytest.raises(UrlRefusedError, match="it resolves to"):
        await UrlGuard(["wiki.corp", ".corp"], answering(address)).addresses("wiki.corp", 80)
    with pytest.raises(UrlRefusedError, match="no setting allows it"):
        await UrlGuard(["0.0.0.0/0", "::/0"], answering(address)).addresses("wiki.corp", 80)


FAR_AND_WIDE = (
    "0.0.0.0/0",
    "::/0",
    "168.0.0.0/6",
    "100.64.0.0/10",
    "192.0.0.0/24",
    "fc00::/7",
    "::ffff:0:0/96",
    "2001::/23",
)


@pytest.mark.parametrize(
    "host",
    [
        *("169.254.169.254", "169.254.0.1", "169.254.170.2", "100.100.100.200", "168.63.129.16", "192.0.0.192"),
        *("0.0.0.0", "224.0.0.1", "[::]", "[fe80::1]", "[fd00:ec2::254]", "[fd20:ce::254]", "[ff02::1]"),  # noqa: S104
        *("[::ffff:169.254.169.254]", "[::ffff:a9fe:a9fe]", "[::ffff:0:169.254.169.254]", "[::169.254.169.254]"),
        *("[64:ff9b::a9fe:a9fe]", "[64:ff9b:1::a9fe:a9fe]", "[64:ff9b:1:a9fe:a9:fe00::]", "[2002:a9fe:a9fe::1]"),
        *("[2001:0:1:2:3:4:5601:5601]", "[fd00::5efe:a9fe:a9fe]", "0xa9fea9fe", "2852039166", "0251.0376.0251.0376"),
    ],
)
def test_no_allow_list_opens_metadata_or_link_local_addresses(host: str) -> None:
    with pytest.raises(UrlRefusedError):
        UrlGuard(FAR_AND_WIDE).check_url(f"http://{host}/")
    try:
        guard = UrlGuard([host, *FAR_AND_WIDE])
    except ValueError:
        return  # named as what it is
    with pytest.raises(UrlRefusedError):
        guard.check_url(f"http://{host}/")


@pytest.mark.parametrize("entry", ["169.254.0.0/16", "169.254.169.254:80", "fe80::/10", "100.100.100.200", "0.0.0.0"])  # noqa: S104
def test_an_entry_that_can_open_nothing_is_one_line(entry: str) -> None:
    with pytest.raises(ValueError, match="which is never fetched"):
        UrlGuard([entry])


@pytest.mark.parametrize(
    "entry",
    [
        *("http://x", "a b", "10.0.0.0/99", "*", "*.corp", "a/b", "wiki.corp:", "wiki.corp:0", "wiki.corp:99999", "."),
        *("0x7f.1", "2130706433", "127.1", "fd00::g/8", "[wiki.corp]", "[::1", "user@wiki.corp", "wiki.corp/x"),
        *("\x1b[31m", "-a", "a..b", ":80", "wiki.corp:http", "10.1.2.3/16", "☃☃" * 90),
    ],
)
def test_what_cannot_be_allowed_is_named_in_one_line(entry: str) -> None:
    with pytest.raises(ValueError, match=r"is not a host name|is not a network; .* use 10\.1\.0\.0/16") as error:
        UrlGuard(["wiki.corp", entry])
    message = str(error.value)
    assert message.isprintable()
    assert len(message) < 200
    assert "wiki.corp or" in message or "10.1.2.3/16" in message


def test_nothing_between_commas_allows_nothing() -> None:
    assert UrlGuard(["", " "]).identity == UrlGuard().identity == ""


@given(st.ip_addresses(v=4))
def test_no_form_of_an_address_that_is_not_public_passes(address: ipaddress.IPv4Address) -> None:
    forms = [str(address), f"[::ffff:{address}]", f"[64:ff9b::{address}]"]
    if address.is_global and not address.is_multicast:
        return
    for form in forms:
        with pytest.raises(UrlRefusedError):
            UrlGuard().check_url(f"http://{form}/")


@given(st.text(max_size=60))
def test_any_text_passes_or_is_refused(text: str) -> None:
    for url in (text, f"http://{text}/", f"http://{text}.example.com/", f"http://example.com{text}"):
        try:
            parts = UrlGuard().check_url(url)
        except UrlRefusedError:
            continue
        assert parts.hostname
