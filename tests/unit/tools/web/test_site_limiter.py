"""How a site is treated: few requests at once, spaced, and none when it asks for none; bodies within their bound."""

import asyncio
import gzip
import zlib

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weiwo.tools.calling.errors import ToolNotCalledError
from weiwo.tools.web.fetching.fetch import _classify_http_error, _decompress
from weiwo.tools.web.rate_limiter import _AT_ONCE, _LONGEST_HOLD, _PATIENCE, SPACING, SiteLimiter


class Time:
    """A clock that goes on when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 100.0

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(0)
        self.now += seconds


@pytest.fixture
def time():
    return Time()


@pytest.fixture
def polite(time):
    return SiteLimiter(clock=time.clock, sleep=time.sleep)


async def test_requests_to_one_site_are_spaced_and_those_to_others_are_not(polite, time):
    starts = []
    for site in ("a", "a", "b", "a"):
        async with polite.turn(site):
            starts.append((site, round(time.now - 100, 3)))
    assert starts == [("a", 0), ("a", SPACING), ("b", SPACING), ("a", 2 * SPACING)]


async def test_the_users_own_hosts_need_no_spacing(polite, time):
    for _ in range(5):
        async with polite.turn("wiki.corp", spacing=0):
            assert time.now == 100


async def test_few_are_under_way_at_once_and_all_get_their_turn(polite):
    busy, most, done = 0, 0, 0

    async def visit() -> None:
        nonlocal busy, most, done
        async with polite.turn("a"):
            busy += 1
            most = max(most, busy)
            try:
                for _ in range(5):
                    await asyncio.sleep(0)
                done += 1
            finally:
                busy -= 1

    visits = [asyncio.create_task(visit()) for _ in range(12)]
    await asyncio.sleep(0)
    visits[0].cancel()  # whoever is cancelled gives its turn back
    visits[7].cancel()
    await asyncio.gather(*visits, return_exceptions=True)
    assert (most, busy, done) == (_AT_ONCE, 0, 10)


async def test_a_site_that_asked_for_it_is_left_alone(polite, time):
    polite.hold("a", _PATIENCE - 1)
    async with polite.turn("a"):
        assert time.now == 100 + _PATIENCE - 1, "a short while is waited for"
    polite.hold("a", 60)
    with pytest.raises(ToolNotCalledError, match="a accepts no requests for another 60 s") as failure:
        async with polite.turn("a"):
            raise AssertionError
    assert (failure.value.kind, failure.value.retry_after, failure.value.transient) == ("rate_limit", 60, False)
    async with polite.turn("b"):
        pass
    time.now += 60
    async with polite.turn("a"):
        pass


async def test_nobody_holds_us_for_ever_and_no_later_word_shortens_a_hold(polite, time):
    polite.hold("a", 1e9)
    polite.hold("a", 1)
    time.now += _LONGEST_HOLD - _PATIENCE
    async with polite.turn("a"):
        assert time.now == 100 + _LONGEST_HOLD, "the rest of the longest hold is waited for"


async def test_only_so_many_sites_are_remembered(time):
    polite = SiteLimiter(3, time.clock, time.sleep)
    for number in range(10):
        async with polite.turn(f"site {number}"):
            pass
    assert len(polite._next) == 3
    assert not any(map(len, polite._slots.values()))


# Bodies


@given(st.binary(max_size=2_000), st.integers(1, 3_000))
def test_what_was_packed_comes_back_as_far_as_is_wanted(body, most):
    raw = zlib.compressobj(wbits=-15)
    packed = {
        "gzip": gzip.compress(body),
        "x-gzip": gzip.compress(body[:100]) + gzip.compress(body[100:]) + b"\0\0",
        "deflate": zlib.compress(body),
        "identity": body,
        "": body,
    }
    for encoding, data in packed.items():
        assert _decompress(data, encoding, most) == body[:most]
    assert _decompress(raw.compress(body) + raw.flush(), "deflate", most) == body[:most]


@given(st.binary(max_size=500), st.sampled_from(["gzip", "deflate"]))
def test_of_any_bytes_no_more_than_that_comes_out(data, encoding):
    for body in (data, gzip.compress(b"0" * 100_000) + data, zlib.compress(b"0" * 100_000)[: len(data) or 1]):
        try:
            assert len(_decompress(body, encoding, 1_000)) <= 1_000
        except zlib.error:
            continue


def test_a_body_that_was_cut_off_gives_what_there_is():
    whole = gzip.compress(bytes(range(256)) * 50)
    assert bytes(range(256)).startswith(_decompress(whole[:-20], "gzip", 10_000)[:256])
    assert _decompress(whole[:-20], "gzip", 10_000)


def test_a_wrong_certificate_stays_wrong():
    wrong = _classify_http_error(
        httpx.ConnectError("[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed"), "https://x/"
    )
    refused = _classify_http_error(httpx.ConnectError("Connection refused"), "https://x/")
    assert (wrong.kind, wrong.transient, refused.transient) == ("crash", False, True)
