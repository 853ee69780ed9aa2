"""Ada Lovelace and Alan Turing: two passages, the questions about them, and the plan that a model makes."""

from typing import Any, Final

ADA: Final = "Ada Lovelace was born in London in 1815. Ada Lovelace died on 27 November 1852."
ALAN: Final = "Alan Turing was born in Maida Vale in 1912. Alan Turing died in 1954."
FACT: Final = "When was Ada Lovelace born?"
OLDER: Final = "Who was older, Ada Lovelace or Alan Turing, and by how many years?"
YEARS: Final = {
    "id": "years",
    "description": "How many years lie between the births?",
    "tool_binding": "date_difference",
    "args": {"start": "{{ada.ret}}", "end": "{{alan.ret}}"},
    "ret": "number",
}


def people(query: str) -> str | None:
    """What a search finds."""
    return ADA if "Lovelace" in query else ALAN if "Turing" in query else None


def birth(task_id: str, name: str) -> dict[str, Any]:
    """The vertex that looks a birth up."""
    asked, args = f"When was {name} born?", {"query": f"{name} birth"}
    return {"id": task_id, "description": asked, "tool_binding": "corpus_search", "args": args, "ret": "date"}
