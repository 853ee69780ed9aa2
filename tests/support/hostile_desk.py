"""An MCP server over pipes whose replies are hostile: `hostile_desk.py SHAPE`."""

import json
import sys
from collections.abc import Callable
from typing import Any

GOOD = {"name": "find", "description": "Finds a ticket.", "inputSchema": {"type": "object"}}


def _nested(depth: int) -> str:
    return "[" * depth + "]" * depth


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _flood() -> None:
    for n in range(100_000):
        _say(json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": n}}))


LISTS: dict[str, Any] = {
    "wrong types": [
        *({**GOOD, field: value} for field in GOOD for value in (7, None, [], {}, True, "x", [[]])),
        *({**GOOD, "annotations": value} for value in (7, [], {"readOnlyHint": []})),
        GOOD,
    ],
    "names that are others'": [GOOD, GOOD, {**GOOD, "name": "FIND"}, {**GOOD, "name": "f\u200bind"}] * 50,
    "20,000 tools": [{"name": f"t{n}", "inputSchema": {}} for n in range(20_000)],
    "a list that is none": {"find": GOOD},
}
TEXT = {"type": "text", "text": "ticket"}
RESULTS: dict[str, Any] = {
    "content of wrong types": {"content": [7, None, [], {"type": []}, {"type": "text", "text": 7}]},
    "no content": {"content": None},
    "a result that is none": 7,
    "parts of 500,000": {"content": [TEXT] * 500_000},
    "structured parts of 500,000": {"content": [TEXT], "structuredContent": {"rows": [[n] for n in range(500_000)]}},
    "keys of 500,000": {"content": [TEXT], "structuredContent": {str(n): n for n in range(500_000)}},
    "one text of 30 MB": {"content": [{"type": "text", "text": "x" * 30_000_000}]},
    "an error of 10 MB": {"content": [{"type": "text", "text": "e" * 10_000_000}], "isError": True},
    "a picture that is none": {"content": [{"type": "image", "data": "%" * 1_000, "mimeType": 7}]},
}
RAW: dict[str, Callable[[Any], str]] = {
    "nested 100,000 deep": lambda number: (
        f'{{"jsonrpc":"2.0","id":{number},"result":{{"content":[],"structuredContent":{{"a":{_nested(100_000)}}}}}}}'
    ),
    "nested 900 deep": lambda number: (
        f'{{"jsonrpc":"2.0","id":{number},"result":{{"content":[],"structuredContent":{{"a":{_nested(900)}}}}}}}'
    ),
    "numbers without end": lambda number: (
        f'{{"jsonrpc":"2.0","id":{number},"result":{{"content":[],"structuredContent":{{"a":{"9" * 1_000_000}}}}}}}'
    ),
    "the same key twice": lambda number: f'{{"jsonrpc":"2.0","id":{number},"id":99,"result":7,"result":{{}}}}',
    "no JSON": lambda _: "\ud7ff" * 1_000 + '{"jsonrpc":',
    "an answer to another": lambda _: '{"jsonrpc":"2.0","id":123456,"result":{"content":[]}}',
    "an error of wrong types": lambda number: f'{{"jsonrpc":"2.0","id":{number},"error":{{"code":"x","message":[]}}}}',
}
OTHERS = ("pages without end", "notifications without end")
SHAPES = (*LISTS, *RESULTS, *RAW, *OTHERS)


def _list(shape: str, params: dict[str, Any]) -> dict[str, Any]:
    if shape == "pages without end":
        page = int(params.get("cursor") or 0)
        return {"tools": [GOOD if page == 0 else {**GOOD, "name": f"t{page}"}], "nextCursor": str(page + 1)}
    return {"tools": LISTS.get(shape, [GOOD])}


def main(shape: str) -> None:
    """Answer whatever is asked, in a shape."""
    for line in sys.stdin:
        asked = json.loads(line)
        if "id" not in asked:
            continue
        said: dict[str, Any] = {"jsonrpc": "2.0", "id": asked["id"]}
        if asked["method"] == "initialize":
            server = {"name": "x", "version": "1"}
            version = asked["params"]["protocolVersion"]
            said["result"] = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": server}
        elif asked["method"] == "tools/list":
            said["result"] = _list(shape, asked.get("params") or {})
        elif asked["method"] != "tools/call":
            said["error"] = {"code": -32601, "message": "no such method"}
        elif shape in RAW:
            _say(RAW[shape](asked["id"]))
            continue
        else:
            if shape == "notifications without end":
                _flood()
            said["result"] = RESULTS.get(shape, {"content": [TEXT]})
        _say(json.dumps(said))


if __name__ == "__main__":
    main(sys.argv[1])
