import base64
from types import SimpleNamespace
from typing import Any

from weiwo.tools.mcp.definitions import ToolDefinition
from weiwo.tools.mcp.results import error_text, read_result

TOOL = ToolDefinition("desk_find", "desk", "find", "Finds.", {"type": "object", "properties": {}})


def reply(*content: Any, structured: Any = None) -> Any:
    return SimpleNamespace(content=content, structured_content=structured)


def words(text: str) -> Any:
    return SimpleNamespace(type="text", text=text)


def test_text_is_a_passage_whose_source_is_the_tool():
    text, (passage,) = read_result(reply(words("The printer was replaced on 3 May 2024.")), TOOL, {"q": "printer"})
    assert text == "The printer was replaced on 3 May 2024."
    assert (passage.source, passage.title, passage.tool) == ("mcp://desk/find", 'find(q="printer")', "desk_find")


def test_structured_content_is_read_whole_and_once():
    data = {"city": "Oslo", "celsius": 21.5, "summary": "sunny"}
    text, (passage,) = read_result(reply(words(str(data)), structured=data), TOOL, {})
    assert passage.text == text == '{"city": "Oslo", "celsius": 21.5, "summary": "sunny"}'


def test_hits_keep_their_own_addresses_and_rows_all_their_fields():
    hits = [{"title": "INC-7", "url": "https://desk.example.org/7", "content": "The printer."}]
    _, (hit,) = read_result(reply(structured={"result": hits}), TOOL, {})
    assert (hit.source, hit.title, hit.text) == ("https://desk.example.org/7", "INC-7", "The printer.")
    _, rows = read_result(
        reply(structured={"result": [{"name": "A", "price": 3}, {"name": "B", "price": 4}]}), TOOL, {}
    )
    assert [row.text for row in rows] == ['{"name": "A", "price": 3}', '{"name": "B", "price": 4}']


def test_no_bytes_reach_a_prompt():
    blob = base64.b64encode(bytes(range(256)) * 40).decode()
    picture = SimpleNamespace(type="image", data=blob, mime_type="image/png")
    file = SimpleNamespace(
        type="resource", resource=SimpleNamespace(uri="file:///x.pdf", mime_type="application/pdf", blob=blob)
    )
    text, passages = read_result(reply(words(f"see data:image/png;base64,{blob} here"), picture, file), TOOL, {})
    shown = text + "".join(passage.text + passage.source for passage in passages)
    assert blob[:200] not in shown
    assert "[image, image/png, 10,242 bytes; not shown]" in text
    assert "see [base64, " in text


def test_resources_are_passages_with_their_addresses():
    note = SimpleNamespace(uri="note://1", mime_type="text/plain", text='{"a": 1} stands in the note')
    link = SimpleNamespace(
        type="resource_link", name="guide", title="Guide", uri="https://example.org/g", description="How to print."
    )
    _, passages = read_result(reply(SimpleNamespace(type="resource", resource=note), link), TOOL, {})
    assert [(one.source, one.text) for one in passages] == [
        ("mcp://desk/find#note://1", '{"a": 1} stands in the note'),
        ("https://example.org/g", "Guide: How to print."),
    ]


def test_an_error_is_one_line():
    assert error_text(reply(words("no such\nticket"))) == "no such ticket"
    assert error_text(reply()) == "it failed without a message"
