"""A search that answers once the file that `GATE` names is there, to be named in `WEIWO_TOOLS`."""

import asyncio
import os
from pathlib import Path
from typing import Any

from langchain_core.tools import tool

from weiwo.state import Evidence, passage_id

TEXT = "The Zorb is 4,321 metres high."


@tool(response_format="content_and_artifact")
async def corpus_search(query: str) -> tuple[str, list[dict[str, Any]]]:  # noqa: ARG001 - the interface has it
    """Find passages in the local documents."""
    while not await asyncio.to_thread(Path(os.environ["GATE"]).exists):  # noqa: ASYNC110 - another process makes it
        await asyncio.sleep(0.02)
    return TEXT, [Evidence(id=passage_id(TEXT), text=TEXT, source="zorb.md", title="Zorb").model_dump(mode="json")]
