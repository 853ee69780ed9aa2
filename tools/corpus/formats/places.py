"""Readers of geographic data: GPX waypoints, routes and tracks, and GeoJSON features."""

import json
from collections.abc import Iterator
from typing import Any, BinaryIO, Final
from xml.etree import ElementTree as ET

from weiwo.tools.corpus.formats.encodings import UnreadableError
from weiwo.tools.corpus.formats.ooxml import Element, drop_namespaces
from weiwo.tools.corpus.formats.parts import Part, choose_title, clean_text, find_date, read_text, split_parts
from weiwo.tools.corpus.records import Passage

_FIELDS: Final = ("name", "desc", "cmt", "type", "sym", "ele", "time")
_MOST_POINTS: Final = 1_000_000


def read_gpx(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read the waypoints, routes and tracks of a GPX file.

    A track states where and when it begins and ends.

    Raises:
        UnreadableError: The file is no GPX.
    """
    try:
        root = drop_namespaces(ET.parse(file).getroot())  # noqa: S314 - expat bounds entities itself
    except ET.ParseError as error:
        raise UnreadableError(f"damaged: it contains no GPX ({error})") from None
    meta = root.find("metadata")
    head = root if meta is None else meta
    title = choose_title(head.findtext("name")) or name
    kinds = {"wpt": "waypoint", "rte": "route", "trk": "track"}
    passages = []
    for number, place in enumerate((item for item in root if item.tag in kinds), 1):
        lines = [f"{field}: {text.strip()}" for field in _FIELDS if (text := place.findtext(field)) and text.strip()]
        points = [place] if place.tag == "wpt" else [*place.iter("trkpt"), *place.iter("rtept")][:_MOST_POINTS]
        passages.append(_make_passage([*lines, *_describe_points(points)], f"{kinds[place.tag]} {number}", number))
    parts = split_parts(passages, title)
    date = find_date(head.findtext("time"))
    for part in parts:
        part.date = date
        yield part


def _describe_points(points: list[Element]) -> Iterator[str]:
    located = [(f"{point.get('lat', '')}, {point.get('lon', '')}", point.findtext("time") or "") for point in points]
    if not located:
        return
    if len(located) == 1:
        yield f"position: {located[0][0]}"
        return
    for label, (position, time) in (("from", located[0]), ("to", located[-1])):
        yield f"{label}: {position}{f' at {time}' if time else ''}"
    yield f"points: {len(located)}"


def read_geojson(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read the features of a GeoJSON file, with properties and positions.

    Raises:
        UnreadableError: The file is no GeoJSON.
    """
    try:
        found = json.loads(read_text(file))
    except ValueError as error:
        raise UnreadableError(f"damaged: it contains no JSON ({error})") from None
    features = found.get("features", [found]) if isinstance(found, dict) else found
    if not isinstance(features, list):
        raise UnreadableError("it contains no features")
    title = choose_title(found.get("name")) if isinstance(found, dict) else ""
    described = (_describe_feature(feature) for feature in features if isinstance(feature, dict))
    passages = (_make_passage(lines, f"feature {n}", n) for n, lines in enumerate(described, 1) if lines)
    return split_parts(passages, title or name)


def _describe_feature(feature: dict[str, Any]) -> list[str]:
    properties = feature.get("properties")
    fields = properties.items() if isinstance(properties, dict) else ()
    lines: list[str] = []
    for key, value in fields:
        if value not in (None, ""):
            shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            lines.append(f"{key}: {clean_text(shown)}")
    geometry = feature.get("geometry", feature if "coordinates" in feature else None)
    if isinstance(geometry, dict) and "coordinates" in geometry:
        positions = list(_list_positions(geometry["coordinates"]))
        kind = geometry.get("type", "geometry")
        if len(positions) == 1:
            lines.append(f"position: {positions[0][1]}, {positions[0][0]}")
        elif positions:
            south, north = min(position[1] for position in positions), max(position[1] for position in positions)
            west, east = min(position[0] for position in positions), max(position[0] for position in positions)
            lines.append(f"{kind} of {len(positions)} positions, {south}, {west} to {north}, {east}")
    return lines


def _list_positions(coordinates: Any) -> Iterator[tuple[float, float]]:
    """Yield the positions in nested GeoJSON coordinates, as (longitude, latitude)."""
    waiting = [coordinates]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list) and len(node) >= 2 and all(isinstance(x, int | float) for x in node[:2]):
            yield float(node[0]), float(node[1])
        elif isinstance(node, list):
            waiting.extend(reversed(node))


def _make_passage(lines: list[str], place: str, number: int) -> Passage:
    return Passage("\n".join(" ".join(line.split()) for line in lines), (), place, number, number)
