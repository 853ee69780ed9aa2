"""Normalization of tool replies to a single shape: passages to read, or a value to use.

Our own tools return passages or a value as an artifact. Any other LangChain tool is accepted as it is: LangChain
documents, JSON lists of results, text. Long text is cut into passages, and if there are too many, the passages most
relevant to the call's arguments are kept. Everything is cleaned of control characters and bounded.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from langchain_core.messages import ToolMessage
from pydantic import ValidationError

from weiwo.state import VALUE_TYPES, Evidence, JsonValue, ValueType, passage_id
from weiwo.text.chunking import LARGEST, chunk_text, measure_weight
from weiwo.text.dates import iso_date
from weiwo.text.patterns import lazy
from weiwo.text.printable import clip_bytes, one_line, printable
from weiwo.tools.passages import RankedText, rank_passages

_MOST_PASSAGES: Final = 20
"""Limit of the passages from a call of a tool that is not built in."""

TOOL_SOURCE: Final = "tool:"
"""Prefix of the source of passages without a source in the reply: "tool:NAME"."""

_TEXT_KEYS: Final = ("content", "text", "page_content", "snippet", "body", "summary", "description", "abstract")
_TITLE_KEYS: Final = ("title", "name", "heading", "headline")
_SOURCE_KEYS: Final = ("url", "link", "href", "source", "uri")
_DATE_KEYS: Final = ("published_date", "publishedDate", "date", "published", "published_at")
_LIST_KEYS: Final = ("results", "items", "documents", "data", "hits", "passages", "articles", "organic", "entries")
_OTHER_SCHEME: Final = lazy(r"(?!https?:|file:)[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_LONGEST_SOURCE: Final = 2_000
_MOST_ROWS: Final = 1_000


@dataclass(frozen=True, slots=True)
class ToolResult:
    """Result of a tool call."""

    content: str  # the reply as text for a model
    # The reply as passages, best first, or the passages that a computed value is based on. Empty if nothing was found.
    passages: tuple[Evidence, ...] = ()
    value: JsonValue | None = None  # the computed value as JSON, if the tool computes
    type: ValueType | None = None  # the value's type
    # Details of a computation. `truncated` is set if the reply was cut.
    detail: dict[str, JsonValue] = field(default_factory=dict)
    seconds: float = 0.0  # wall time, retries included
    attempts: int = 1  # calls made, retries included; 0 if the result was cached or shared from another call
    cached: bool = False  # whether the result comes from an earlier call
    # Lines for the user about the result, such as an embedding model that was too slow.
    notes: tuple[str, ...] = ()


def normalize_reply(message: ToolMessage, args: Mapping[str, JsonValue], max_bytes: int) -> ToolResult:
    """Convert the reply of any LangChain tool to a `ToolResult`.

    Args:
        message: The reply.
        args: Arguments of the call. Their texts are the query by which passages are selected, if there are too many.
        max_bytes: Limit of the content, and of all passages together.
    """
    tool = message.name or "tool"
    whole = printable(_content_text(message))
    content = clip_bytes(whole, max_bytes)
    detail: dict[str, JsonValue] = {"truncated": True} if len(content) < len(whole) else {}
    artifact = message.artifact
    if isinstance(artifact, Mapping) and "value" in artifact and artifact.get("type") in VALUE_TYPES:
        given = artifact.get("detail")
        extra = (
            given if isinstance(given, Mapping) else {k: v for k, v in artifact.items() if k not in {"value", "type"}}
        )
        rests_on = _deduplicate(_own_passages(artifact.get("passages")) or (), tool, max_bytes)
        return ToolResult(content, rests_on, artifact["value"], artifact["type"], {**detail, **extra})
    ours = _own_passages(artifact)
    if ours is not None:
        passages: Sequence[Evidence] = ours
    else:
        query = " ".join(value for value in args.values() if isinstance(value, str))
        found = [*_document_passages(artifact, tool)] or [
            *_text_passages(content, tool),
            *_rows(artifact, content, tool),
        ]
        passages = _select_nearest(found, query)
    kept = _deduplicate(passages, tool, max_bytes)
    if len(kept) < len({passage.id for passage in passages}):
        detail["truncated"] = True
    return ToolResult(content, kept, detail=detail)


def read_passages(
    text: str, tool: str, query: str, *, source: str, title: str = "", plain: bool = False
) -> list[Evidence]:
    """Return the passages of a reply in JSON or text, at most the 20 nearest to a query.

    Args:
        text: The reply.
        tool: Name of the tool, for the passages.
        query: Query by which passages are selected.
        source: Source of passages that name none.
        title: Title of passages that name none.
        plain: Do not parse the text as JSON.
    """
    found = _item_passages({"content": text}, tool, source) if plain else _text_passages(text, tool, source)
    passages = _select_nearest(list(found), query)
    return [passage.model_copy(update={"title": passage.title or title, "tool": tool}) for passage in passages]


def _content_text(message: ToolMessage) -> str:
    if isinstance(message.content, str):
        return message.content
    return "\n".join(
        block if isinstance(block, str) else str(block["text"]) if "text" in block else _dump_json(block)
        for block in message.content
    )


def _own_passages(artifact: object) -> list[Evidence] | None:
    """Return the passages of an artifact in the form of our own tools: a list of `Evidence`, as objects or JSON.

    Returns None for any other artifact.
    """
    if not isinstance(artifact, list | tuple):
        return None
    try:
        return [item if isinstance(item, Evidence) else Evidence.model_validate(item) for item in artifact]
    except ValidationError:
        return None


def _document_passages(artifact: object, tool: str) -> Iterable[Evidence]:
    """Yield the passages of LangChain documents, as returned by retriever tools."""
    for item in artifact if isinstance(artifact, list | tuple) else ():
        text, metadata = getattr(item, "page_content", None), getattr(item, "metadata", None)
        if isinstance(text, str) and isinstance(metadata, Mapping):
            yield from _item_passages({**metadata, "content": text}, tool)


def _text_passages(content: str, tool: str, source: str = "") -> Iterable[Evidence]:
    """Yield the passages of a reply in JSON, or else in text. `source` is the default source."""
    if not content.strip():
        return
    data: Any = None
    if content.lstrip()[0] in "[{":
        try:
            data = json.loads(content)
        except (ValueError, RecursionError):
            data = None
    for item in [content] if data is None else _list_items(data):
        yield from _item_passages(item if isinstance(item, Mapping) else {"content": item}, tool, source)


def _rows(artifact: object, content: str, tool: str) -> Iterable[Evidence]:
    """Yield the passages of an artifact in JSON, like a list of search results.

    Yields nothing if the content is JSON too, because it then repeats the artifact.
    """
    if content.lstrip()[:1] in ("[", "{"):
        return
    for item in islice(_list_items(artifact), _MOST_ROWS):
        if isinstance(item, Mapping) and item:
            yield from _item_passages(item, tool)


def _list_items(data: object) -> list[Any]:
    """Return the results in JSON data.

    The list itself, the list under a key like "results", or else the object as one result. Empty for data that is
    neither a list nor an object.
    """
    if isinstance(data, Mapping):
        listed = next((data[key] for key in _LIST_KEYS if isinstance(data.get(key), list)), None)
        return listed if listed is not None else [data]
    return data if isinstance(data, list) else []


def _item_passages(item: Mapping[str, Any], tool: str, source: str = "") -> Iterable[Evidence]:
    """Yield the passages of a result, split if long. `source` is the default source."""
    said = next((item[key] for key in _TEXT_KEYS if isinstance(item.get(key), str) and item[key].strip()), None)
    if said is None:
        only = item.get("content") if set(item) == {"content"} else item
        said = "" if only is None else only if isinstance(only, str) else _dump_json(only)
    text = printable(said).strip()
    title = next((one_line(item[key]) for key in _TITLE_KEYS if isinstance(item.get(key), str)), "")
    source = next((s for key in _SOURCE_KEYS if (s := _safe_source(item.get(key)))), source or TOOL_SOURCE + tool)
    date = next((day for key in _DATE_KEYS if (day := iso_date(item.get(key)))), None)
    pieces = [(text, "")]
    if measure_weight(text) > LARGEST:
        pieces = [(piece.text, f"lines {piece.first}-{piece.last}") for piece in chunk_text(text, markdown=True)[1]]
    for piece, place in pieces:
        if piece:
            yield Evidence(id=passage_id(piece), text=piece, source=source, title=title, locator=place, date=date)


def _safe_source(value: object) -> str:
    """Return a source on one line, or an empty string if it is too long or a link like "javascript:"."""
    if not isinstance(value, str) or len(value) > _LONGEST_SOURCE or _OTHER_SCHEME.match(value.strip()):
        return ""
    return one_line(value, _LONGEST_SOURCE)


def _select_nearest(passages: list[Evidence], query: str) -> list[Evidence]:
    """Return the passages if there are at most `_MOST_PASSAGES`, else as many: first those that match the query best.

    If too few match, passages from the start of the reply follow.
    """
    if len(passages) <= _MOST_PASSAGES:
        return passages
    order = rank_passages((RankedText(passage.title, "", passage.text) for passage in passages), query, _MOST_PASSAGES)
    return [passages[number] for number in islice(dict.fromkeys([*order, *range(len(passages))]), _MOST_PASSAGES)]


def _deduplicate(passages: Iterable[Evidence], tool: str, max_bytes: int) -> tuple[Evidence, ...]:
    """Merge passages with the same text, clean and number them, and stop at the size limit."""
    kept: dict[str, Evidence] = {}
    room = max_bytes
    for passage in passages:
        text = printable(passage.text)
        size = len(text.encode())
        if passage.id in kept:
            kept[passage.id] = kept[passage.id].merge_passage(passage)
            continue
        if size > room:
            break
        room -= size
        update: dict[str, Any] = {"rank": len(kept) + 1, "tool": passage.tool or tool}
        if text != passage.text:
            update |= {"text": text, "id": passage_id(text)}
        kept[passage.id] = passage.model_copy(update=update)
    return tuple(kept.values())


def _dump_json(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, default=str)
