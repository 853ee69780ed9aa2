"""Compression of stored values. Uncompressed values of earlier versions can still be read.

State is repetitive: each object names its class, and each checkpoint lists all channels with their versions. Level 1
saves half of what level 9 would, in a fraction of the time. Short values are not compressed.
"""

import zlib
from typing import Final

_COMPRESSED: Final = "msgpack_zlib"  # without a plus sign, behind which an encrypting serializer names its cipher
_PLAIN: Final = "msgpack"
_LEAST: Final = 512
"""Least size in bytes of a value that is compressed."""
_LEVEL: Final = 1


def compress_value(kind: str, packed: bytes) -> tuple[str, bytes]:
    """Compress a serialized value, unless it is short or not MessagePack. Returns the new kind and the bytes."""
    if kind != _PLAIN or len(packed) < _LEAST:
        return kind, packed
    return _COMPRESSED, zlib.compress(packed, _LEVEL)


def expand_value(kind: str, stored: bytes, most: int | None = None) -> tuple[str, bytes]:
    """Decompress a stored value, if it is compressed. Returns the original kind and the bytes.

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
