"""Bounded decompression of bodies: a few bytes can stand for gigabytes."""

import zlib
from typing import Final

ENCODINGS: Final = frozenset({"", "identity", "gzip", "x-gzip", "deflate"})
"""Content encodings that are read, one at a time: each layer more would multiply what a byte can stand for."""

_GZIP: Final = 16 + zlib.MAX_WBITS
_RAW: Final = -zlib.MAX_WBITS


def decompress(body: bytes, encoding: str, most: int) -> bytes:
    """A body decompressed.

    Args:
        body: As it came.
        encoding: One of `ENCODINGS`.
        most: Bytes to stop after; nothing beyond is decompressed.

    Returns:
        What the body holds, of a body that was cut off what there is of it; at most `most` bytes.

    Raises:
        zlib.error: It is damaged.
    """
    if encoding in {"", "identity"}:
        return body[:most]
    if encoding != "deflate":
        return _decompress_gzip(body, most)
    try:
        return zlib.decompressobj().decompress(body, most)
    except zlib.error:  # some servers leave out the zlib header
        return zlib.decompressobj(_RAW).decompress(body, most)


def _decompress_gzip(body: bytes, most: int) -> bytes:
    """What a gzip body holds: one member, or several one after the other."""
    found = bytearray()
    while body and len(found) < most:
        member = zlib.decompressobj(_GZIP)
        try:
            found += member.decompress(body, most - len(found))
        except zlib.error:
            if not found:
                raise
            break  # what stands behind the last member is nobody's
        body = member.unused_data.lstrip(b"\0")
    return bytes(found)
