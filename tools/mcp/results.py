"""Results of MCP tool calls as text and passages.

The source of a passage is the tool, or the page that a block of the result names. Binary data is replaced by its type
and size.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from weiwo.state import Evidence, JsonValue
from weiwo.text.patterns import lazy
from weiwo.text.printable import clip_bytes, one_line, printable
from weiwo.tools.calling.results import read_passages
from weiwo.tools.mcp.definitions import ToolDefinition

LONGEST_TEXT: Final = 2_000_000
"""Limit of the text of a result, in bytes."""
_MOST_BLOCKS: Final = 500
_BASE64: Final = lazy(r"(?:data:[\w.+-]{1,60}/[\w.+-]{1,60};base64,)?[A-Za-z0-9+/_-]{400,}={0,2}")
_LONGEST_TITLE: Final = 200


def read_result(result: Any, definition: ToolDefinition, args: Mapping[str, JsonValue]) -> tuple[str, list[Evidence]]:
    """Convert an `mcp_types.CallToolResult` to text and passages.

    Args:
        result: The result.
        definition: The tool that was called.
        args: Arguments of the call, used for the title and to select passages if there are many.

    Returns:
        The text of all blocks, and the passages.
    """
    given = ", ".join(f"{name}={_write_json(value)}" for name, value in args.items())
    title = one_line(f"{definition.own_name}({given})", _LONGEST_TITLE)
    words = [_without_base64(block.text) for block in result.content[:_MOST_BLOCKS] if block.type == "text"]
    text = "\n".join(words)
    structured = result.structured_content
    if isinstance(structured, dict) and len(structured) == 1:  # servers wrap other values in an object
        (only,) = structured.items()
        structured = only[1] if only[0] == "result" or isinstance(only[1], str) else structured
    if isinstance(structured, dict | list) and structured:
        text = _without_base64(_write_json(structured))
        readable = json.dumps([{"content": text}] if isinstance(structured, dict) else _items(structured))
    else:
        readable = text = text or (_without_base64(structured) if isinstance(structured, str) else "")
    query = " ".join(value for value in args.values() if isinstance(value, str))
    passages = read_passages(
        clip_bytes(readable, LONGEST_TEXT), definition.name, query, source=definition.source, title=title
    )
    others = [(block, _read_block(block)) for block in result.content[:_MOST_BLOCKS] if block.type != "text"]
    for block, (said, source, name) in others:
        own = read_passages(
            clip_bytes(said, LONGEST_TEXT),
            definition.name,
            query,
            source=_source(source, definition),
            title=one_line(name or title, _LONGEST_TITLE),
            plain=True,
        )
        passages += own if block.type == "resource" and hasattr(block.resource, "text") else own[:1]
    content = "\n".join([text, *(said for _, (said, _, _) in others)]).strip()
    return printable(content), passages


def _items(structured: list[Any]) -> list[Any]:
    """Return the items of a structured list in the form for `read_passages`.

    If all items have a URL, they are search hits and stay as they are. Otherwise each becomes `{"content": item as
    text}`, since any of its fields may hold the answer.
    """
    listed = structured[:_MOST_BLOCKS]
    hits = all(isinstance(item, dict) and isinstance(item.get("url", item.get("link")), str) for item in listed)
    return (
        listed
        if hits
        else [{"content": _without_base64(item if isinstance(item, str) else _write_json(item))} for item in listed]
    )


def error_text(result: Any) -> str:
    """Return the message of an error result on a single line."""
    texts = (block.text for block in result.content[:_MOST_BLOCKS] if block.type == "text")
    return one_line(_without_base64(" ".join(texts)) or "it failed without a message", 500)


def _read_block(block: Any) -> tuple[str, str, str]:
    """Return the text, the URI and the name of a non-text block. URI and name are empty if the block has none.

    The text is the content of a text resource, the description of a link, or else the type and size of the data.
    """
    if block.type == "resource_link":
        about = one_line(block.description or "", 500)
        return f"{block.title or block.name}: {about or block.uri}", str(block.uri), block.title or block.name
    if block.type == "resource":
        resource = block.resource
        if isinstance(text := getattr(resource, "text", None), str):
            return _without_base64(text), str(resource.uri), ""
        return _bytes("file", resource.mime_type, getattr(resource, "blob", "")), str(resource.uri), ""
    return _bytes(str(block.type), getattr(block, "mime_type", ""), getattr(block, "data", "")), "", ""


def _bytes(kind: str, mime_type: str | None, encoded: str) -> str:
    return f"[{kind}, {one_line(mime_type or 'unknown type', 60)}, {len(encoded) * 3 // 4:,} bytes; not shown]"


def _source(address: str, definition: ToolDefinition) -> str:
    """Return the source of a block: the web page of its address, or else a location at the server.

    `mcp://SERVER/TOOL#file:///a` is such a location.
    """
    if address.startswith(("http://", "https://")):
        return one_line(address, 2_000)
    return f"{definition.source}#{one_line(address, 500)}" if address else definition.source


def _without_base64(text: str) -> str:
    return _BASE64.sub(lambda found: f"[base64, {len(found[0]):,} characters]", text)


def _write_json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, default=str)
