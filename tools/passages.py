"""Passages as tools give them out: text for a model, and plain data beside it."""

from collections.abc import Sequence
from html import escape

from weiwo.state import Evidence, JsonValue
from weiwo.state.evidence import FILE_DATE
from weiwo.tools.printable import one_line


def as_text(passages: Sequence[Evidence], nothing: str) -> str:
    """Numbered passages with their sources, each inside marks that its own text cannot close."""
    return "\n\n".join(_marked(number, passage) for number, passage in enumerate(passages, 1)) or nothing


def as_artifact(passages: Sequence[Evidence]) -> list[dict[str, JsonValue]]:
    """Passages as JSON data, which every checkpointer and tracer can keep; `Evidence(**item)` reads one back."""
    return [passage.model_dump(mode="json") for passage in passages]


def _marked(number: int, passage: Evidence) -> str:
    place = f"{passage.source} ({passage.locator})" if passage.locator else passage.source
    known = {"n": str(number), "title": passage.title, "source": place, "date": own_date(passage)}
    attributes = "".join(f' {name}="{escape(one_line(value))}"' for name, value in known.items() if value)
    return f"<passage{attributes}>\n{passage.text.replace('</passage', '&lt;/passage')}\n</passage>"


def own_date(passage: Evidence) -> str:
    """The date that the document states; that of its file tells a reader nothing."""
    return passage.date if passage.date and FILE_DATE not in passage.flags else ""
