"""Parquet writer for flat columns of numbers and texts.

The files are readable by DuckDB, Arrow and every other Parquet reader. A writer of our own replaces pyarrow (45 MB) and
DuckDB, so that documents are indexed without either. It covers the needs of tables: format version 1, optional DOUBLE,
INT32 and UTF-8 columns, data pages version 1, dictionary encoding for repeated values, gzip. Format:
https://parquet.apache.org/docs/file-format/, metadata in Thrift's compact protocol.
"""

import struct
import zlib
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any, Final, Literal, cast

ColumnKind = Literal["double", "int", "text"]

ROW_GROUP: Final = 122_880
"""Rows of a group, as many as DuckDB writes: a thread of a reader takes one group at a time."""
FIRST_GROUP: Final = 2_048
"""Rows of the first group of a table of several groups: the rows that answers cite are read without the others."""
_MAGIC: Final = b"PAR1"
_LENGTH: Final = struct.Struct("<I")
_TYPES: Final[dict[ColumnKind, int]] = {"int": 1, "double": 5, "text": 6}
_UTF8: Final = 0
_GZIP: Final = 2
_PLAIN, _RLE, _RLE_DICTIONARY = 0, 3, 8
_LEVEL: Final = 1
"""Level of zlib: twice as fast as its usual one, for a tenth more bytes."""
_MOST_DISTINCT: Final = 65_536
_SAMPLE: Final = 4_000
_UNLIKE: Final = 0.98
"""Share of distinct values in a sample above which no dictionary is made."""


@dataclass(frozen=True, slots=True)
class ParquetColumn:
    """Column with a name, a kind and values. A missing value is None."""

    name: str
    kind: ColumnKind
    values: Sequence[float | int | str | None]


def write_parquet(columns: Sequence[ParquetColumn], rows: int) -> bytes:
    """Encode columns of equal length as a Parquet file."""
    body = bytearray(_MAGIC)
    groups = []
    starts = [0, *range(FIRST_GROUP, rows, ROW_GROUP)] if rows > 4 * FIRST_GROUP else [0] if rows else []
    for start, end in pairwise([*starts, rows]):
        size = end - start
        first = len(body)
        chunks = [_write_chunk(body, column, column.values[start:end]) for column in columns]
        groups.append(_struct((1, chunks), (2, _I64(len(body) - first)), (3, _I64(size))))
    schema = [_struct((4, "schema"), (5, len(columns)))]
    for column in columns:
        converted = ((6, _UTF8),) if column.kind == "text" else ()
        schema.append(_struct((1, _TYPES[column.kind]), (3, 1), (4, column.name), *converted))
    footer = _struct((1, 1), (2, schema), (3, _I64(rows)), (4, groups), (6, "weiwo"))
    return bytes(body + footer + struct.pack("<I", len(footer)) + _MAGIC)


def _write_chunk(body: bytearray, column: ParquetColumn, values: Sequence[Any]) -> bytes:
    """Append the pages of a column to the file and return the column metadata."""
    present = [value for value in values if value is not None]
    levels = _encode_levels(values, len(present))
    distinct = _number_distinct(present)
    start, raw_size = len(body), 0
    dictionary_offset = None
    if distinct is None:
        encoding, data = _PLAIN, _encode_plain(column.kind, present)
    else:
        dictionary_offset = len(body)
        page = _encode_plain(column.kind, list(distinct))
        header = ((7, _struct((1, len(distinct)), (2, _PLAIN))),)
        raw_size += _write_page(body, 2, page, header)
        encoding, data = _RLE_DICTIONARY, _encode_indexes(distinct, present)
    data_offset = len(body)
    raw_size += _write_page(
        body, 0, levels + data, ((5, _struct((1, len(values)), (2, encoding), (3, _RLE), (4, _RLE))),)
    )
    encodings = [_PLAIN, _RLE] if distinct is None else [_PLAIN, _RLE, _RLE_DICTIONARY]
    offset = () if dictionary_offset is None else ((11, _I64(dictionary_offset)),)
    metadata = _struct(
        (1, _TYPES[column.kind]), (2, encodings), (3, [column.name]), (4, _GZIP), (5, _I64(len(values))),
        (6, _I64(raw_size)), (7, _I64(len(body) - start)), (9, _I64(data_offset)), *offset,
    )  # fmt: skip
    return _struct((2, _I64(start)), (3, metadata))


def _write_page(body: bytearray, kind: int, data: bytes, fields: tuple[tuple[int, Any], ...]) -> int:
    """Append a page and return the uncompressed size, including the header."""
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, 31)
    packed = packer.compress(data) + packer.flush()
    header = _struct((1, kind), (2, len(data)), (3, len(packed)), *fields)
    body += header + packed
    return len(header) + len(data)


def _encode_levels(values: Sequence[Any], present: int) -> bytes:
    """Encode which values are present (definition levels): one run if all or none are, else one bit for each value.

    `present` is the number of values that are not None.
    """
    if present in {0, len(values)}:
        data = _varint(len(values) << 1) + (b"\x01" if present else b"\x00")
    else:
        groups = -(-len(values) // 8)
        bits = "".join("0" if value is None else "1" for value in reversed(values))
        data = _varint(groups << 1 | 1) + int(bits, 2).to_bytes(groups, "little")
    return _LENGTH.pack(len(data)) + data


def _number_distinct(present: Sequence[Any]) -> dict[Any, int] | None:
    """Number the distinct values for a dictionary, in order of first occurrence.

    Returns None if a dictionary does not pay: for fewer than 8 values, or if values hardly repeat.
    """
    if len(present) < 8:
        return None
    sample = present[:: max(1, len(present) // _SAMPLE)]
    if len(present) > _SAMPLE and len(set(sample)) > _UNLIKE * len(sample):
        return None
    found = dict.fromkeys(present)
    if len(found) > min(_MOST_DISTINCT, len(present) // 2):
        return None
    return {value: number for number, value in enumerate(found)}


def _encode_indexes(distinct: dict[Any, int], present: Sequence[Any]) -> bytes:
    """Encode values as dictionary indexes of one or two bytes each.

    Returns a byte with the width in bits, followed by one bit-packed run.
    """
    width, code = (8, "B") if len(distinct) <= 256 else (16, "H")
    numbers = array(code, [*map(distinct.__getitem__, present)])
    numbers.extend([0] * (-len(numbers) % 8))
    return bytes([width]) + _varint(len(numbers) // 8 << 1 | 1) + _little(numbers)


def _encode_plain(kind: ColumnKind, values: Sequence[Any]) -> bytes:
    if kind != "text":
        return _little(array("d" if kind == "double" else "i", values))
    encoded = [text.encode("utf-8", "replace") for text in cast("Sequence[str]", values)]
    return b"".join(chain.from_iterable(zip(map(_LENGTH.pack, map(len, encoded)), encoded, strict=True)))


def _little(numbers: "array[Any]") -> bytes:
    if struct.pack("=H", 1) != struct.pack("<H", 1):  # a machine of the other byte order
        numbers.byteswap()
    return numbers.tobytes()


class _I64(int):
    """Integer written by Thrift as 64 bits."""


def _struct(*fields: tuple[int, Any]) -> bytes:
    """Encode a struct in Thrift's compact protocol. Nested structs are passed already encoded."""
    out, last = bytearray(), 0
    for number, value in fields:
        out.append((number - last) << 4 | _thrift_type(value))
        out += _thrift_value(value)
        last = number
    return bytes(out + b"\0")


def _thrift_type(value: Any) -> int:
    if isinstance(value, int):
        return 6 if isinstance(value, _I64) else 5
    return 8 if isinstance(value, str) else 9 if isinstance(value, list) else 12


def _thrift_value(value: Any) -> bytes:
    if isinstance(value, int):
        return _varint((value << 1) ^ (value >> 63))
    if isinstance(value, str):
        data = value.encode()
        return _varint(len(data)) + data
    if isinstance(value, list):
        kind = _thrift_type(value[0]) if value else 12
        head = bytes([len(value) << 4 | kind]) if len(value) < 15 else bytes([0xF0 | kind]) + _varint(len(value))
        return head + b"".join(map(_thrift_value, value))
    return bytes(value)


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)
