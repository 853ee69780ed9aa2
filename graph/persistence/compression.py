"""Compression of stored values. Values of earlier versions are stored uncompressed and read all the same.

State repeats itself: each object names its class, and each checkpoint lists all channels with their versions. Level 1
brings half of what level 9 would at a fraction of the time, and a short value is not worth a call.
"""

import zlib
from typing import Final

_COMPRESSED: Final = "msgpack_zlib"  # without a plus sign, behind which an encrypting serializer names its cipher
_PLAIN: Final = "msgpack"
_LEAST: Final = 512
"""Bytes of a value that is compressed."""
_LEVEL: Final = 1


def compress_value(kind: str, packed: bytes) -> tuple[str, bytes]:
    """Compress a serialised value, unless short or of another kind than MessagePack."""
    if kind != _PLAIN or len(packed) < _LEAST:
        return kind, packed
    return _COMPRESSED, zlib.compress(packed, _LEVEL)


def expand_value(kind: str, stored: bytes, most: int | None = None) -> tuple[str, bytes]:
    """Return a stored value as it was serialised.

    Args:
        kind: The kind under which it is stored.
        stored: The stored bytes.
        most: Maximum bytes of the value. None for no limit.

    Raises:
        ValueError: The value is damaged, or longer than `most`.
    """
    if kind != _COMPRESSED:
        return kind, stored
    reader = zlib.decompressobj()
    try:
        packed = reader.decompress(stored, 0 if most is None else most)
    except zlib.error as error:
        raise ValueError(f"not compressed: {error}") from None
    if not reader.eof:
        raise ValueError("cut off, or too long")
    return _PLAIN, packed
