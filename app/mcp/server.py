"""Weiwo as an MCP server with `ask`, `get_answer`, `search` and `read_document`.

The tools only read and return small typed results. A client decides on the question, the depth and the form of the
answer. Everything else is decided by the operator. A run here asks nobody, so tools that act are not called, regardless
of the servers that Weiwo itself uses.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlsplit

from fastmcp import Context as McpContext
from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import BaseModel, Field, ValidationError

from weiwo.app.mcp.runs import Account, AnswerRun, AnswerRuns, OwnAccount
from weiwo.nodes.shared.question.validation import QuestionError, check_question
from weiwo.state import Evidence
from weiwo.state.errors import WeiwoError
from weiwo.state.settings import Context, Settings, describe_validation_error
from weiwo.text.printable import one_line
from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.calling.invoke import run_tool
from weiwo.tools.registry import build_registry

_READS: Final = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=True)
PATIENCE: Final = 45.0
"""Default seconds that a call waits for its answer. Most clients give up after 60."""
_LONGEST_TASK: Final = 86_400.0
"""Seconds that an MCP task waits for its answer. The limits of the run end it earlier."""
_LONGEST_QUOTE: Final = 200
_LONGEST_ANSWER: Final = 6_000
_LONGEST_PASSAGE: Final = 600
_MOST_CITATIONS: Final = 12
_MOST_GAPS: Final = 6
INSTRUCTIONS: Final = (
    "Weiwo answers questions from documents and the web by planned search. Use `ask` for an answer with citations,"
    " `get_answer` where that takes long, `search` for passages of the local documents alone, `read_document` to read"
    " one of these."
)


class AnswerSource(BaseModel):
    """A numbered source of an answer."""

    n: int = Field(description="Its number in the answer, as in [1].")
    source: str = Field(description="URL or file.")
    title: str = ""
    quote: str = Field("", description="The source's words that carry the claim.")


class AnsweredPart(BaseModel):
    """A part of a question with an outcome."""

    subject: str = ""
    attribute: str
    outcome: str = Field(description="answered, failed, not_found, not_asked or assumed.")
    component: str = Field("", description="The tool or agent that failed.")
    cause: str = ""


class AskResult(BaseModel):
    """An answer."""

    answer: str = Field(description="The answer in Markdown, with marks such as [1] for its sources.")
    status: str = Field(
        description="complete, extracts (the sources' own words), partial, unsourced (a model's own knowledge) or"
        " failed; running: call get_answer."
    )
    lead: str = Field("", description="What it begins with: answer, neutral (passages) or denial (nothing on it).")
    parts: list[AnsweredPart] = Field(default_factory=list, description="The parts of the question.")
    citations: list[AnswerSource] = Field(default_factory=list)
    gaps: list[str] = Field(default_factory=list, description="What the answer leaves open.")
    notices: list[str] = Field(default_factory=list, description="What a reader should know beside the answer.")
    thread_id: str = Field("", description="For get_answer, while the status is running.")


Wait = Annotated[float, Field(ge=0, le=600, description="Seconds to wait for the answer.")]


class FoundPassage(BaseModel):
    """A passage of a document."""

    text: str
    source: str
    title: str = ""
    section: str = Field("", description="The headings it stands under, and what else is known of it.")
    locator: str = Field("", description="Its place in the source, such as 'lines 3-7' or 'page 2'.")


class PassageResult(BaseModel):
    """Passages, best first."""

    passages: list[FoundPassage] = Field(default_factory=list)


def build_server(context: Context, account_of: Callable[[], Account] | None = None) -> FastMCP:
    """Build the server.

    `account_of` returns the account of the current request. Without it all requests belong to the user who started the
    server.
    """
    server: FastMCP = FastMCP("weiwo", instructions=INSTRUCTIONS)
    runs = AnswerRuns(serves_clients=account_of is not None)
    # A task works outside of its request, where nobody knows whose it is.
    as_task = account_of is None and find_spec("fastmcp_tasks") is not None
    if as_task:
        server.add_extension(import_module("fastmcp_tasks").TasksExtension())
    find_account = account_of or partial(OwnAccount, context)
    _offer_answers(server, runs, find_account, as_task=as_task)
    _offer_documents(server, find_account)
    return server


def _offer_answers(server: FastMCP, runs: AnswerRuns, find_account: Callable[[], Account], *, as_task: bool) -> None:
    """Add the tools for questions, which clients may also call as tasks."""

    @server.tool(annotations=_READS, task=as_task)
    async def ask(
        question: Annotated[str, Field(description="The whole question, as to a person who knows nothing of before.")],
        ctx: McpContext,
        depth: Annotated[Literal["quick", "normal", "deep"] | None, Field(description="How far to look.")] = None,
        form: Annotated[
            Literal["", "sentence", "list", "table", "report", "code"], Field(description="Form; empty: as asked.")
        ] = "",
        language: Annotated[str, Field(description="Language of the answer, such as de; empty: the question's.")] = "",
        wait: Wait = PATIENCE,
    ) -> AskResult:
        """Answer a question from documents and the web by planned search. Every claim is cited.

        If the answer takes longer than `wait`, the status is "running", and get_answer with the thread_id returns the
        answer.
        """
        try:
            asked = Context(depth=depth, form=form or None, language=language or None, clarify=False)
            checked = check_question(question)
        except ValidationError as error:
            raise ToolError(describe_validation_error(error)) from None
        except QuestionError as error:
            raise ToolError(str(error)) from None
        run = runs.start(checked, asked, find_account())
        if run is None:
            raise ToolError("too many questions are being answered; try again in a minute")
        try:
            return await _answer(runs, run, _LONGEST_TASK if ctx.is_background_task else wait, ctx)
        except asyncio.CancelledError:
            runs.cancel(run)  # its id was never told
            raise

    @server.tool(annotations=_READS)
    async def get_answer(
        thread_id: Annotated[str, Field(description="The thread_id of an `ask` that was still running.")],
        ctx: McpContext,
        wait: Wait = PATIENCE,
    ) -> AskResult:
        """Get the answer to an earlier long-running question. Answers are kept for an hour."""
        run = runs.find(thread_id, find_account())
        if run is None:
            raise ToolError("this thread_id does not exist, or its answer is no longer stored; ask again")
        return await _answer(runs, run, wait, ctx)


def _offer_documents(server: FastMCP, find_account: Callable[[], Account]) -> None:
    """Add the tools for the local documents."""

    @server.tool(annotations=_READS)
    async def search(
        query: Annotated[str, Field(description="What to look for, in the words the documents would use.")],
        k: Annotated[int, Field(ge=1, le=20, description="The maximum number of passages.")] = 5,
    ) -> PassageResult:
        """Search the local documents for passages about something."""
        return await _call(find_account(), "corpus_search", {"query": query, "k": k}, k)

    @server.tool(annotations=_READS)
    async def read_document(
        source: Annotated[str, Field(description="The document, named as the source of a passage found before.")],
        query: Annotated[str, Field(description="What to look for in it; empty: from its start.")] = "",
        near: Annotated[str, Field(description="A place in it, as a passage's locator names it.")] = "",
    ) -> PassageResult:
        """Read a local document: a short document in full, a long document around a place or query matches."""
        return await _call(find_account(), "open_document", {"source": source, "query": query, "near": near}, 12)


def read_answer(result: dict[str, Any]) -> AskResult:
    """Reduce a result to what a client needs, a few hundred tokens.

    Without an answer, the first passages stand in for it.
    """
    answer = str(result.get("answer") or "")
    citations = [
        AnswerSource(
            n=int(citation["n"]),
            source=str(citation["source"]),
            title=one_line(str(citation.get("title") or ""), 200),
            quote=one_line(str(citation.get("quote") or ""), _LONGEST_QUOTE),
        )
        for citation in (result.get("citations") or [])[:_MOST_CITATIONS]
    ]
    if not answer.strip() or result.get("status") == "extracts":
        extracts = (result.get("extracts") or [])[:3]
        shown = [f"[{extract['n']}] {one_line(extract['text'], _LONGEST_PASSAGE)}" for extract in extracts]
        answer = "\n\n".join(filter(None, [answer, *shown]))
        citations = citations or [
            AnswerSource(n=extract["n"], source=extract["source"], title=one_line(extract.get("title") or "", 200))
            for extract in extracts
        ]
    gaps = [one_line(str(gap.get("text", "")), 200) for gap in (result.get("gaps") or [])[:_MOST_GAPS]]
    told = ("subject", "attribute", "outcome", "component", "cause")
    parts = [
        AnsweredPart(**{name: one_line(str(part.get(name) or ""), 200) for name in told})
        for part in (result.get("parts") or [])[:_MOST_GAPS]
    ]
    clipped = answer if len(answer) <= _LONGEST_ANSWER else answer[: _LONGEST_ANSWER - 1] + "…"
    return AskResult(
        answer=clipped,
        status=str(result.get("status", "")),
        lead=str(result.get("lead") or ""),
        parts=parts,
        citations=citations,
        gaps=gaps,
        notices=[one_line(str(line), 200) for line in (result.get("notices") or [])[:_MOST_GAPS]],
    )


def refuse_foreign_origins(app: Any, hosts: Sequence[str]) -> Callable[..., Awaitable[None]]:
    """Wrap an ASGI application so that it refuses requests from web pages of hosts outside a list.

    Requests without an `Origin` header, from programs other than browsers, pass.
    """

    async def check_origin(scope: Any, receive: Any, send: Any) -> None:
        origin = next((value for name, value in scope.get("headers", ()) if name == b"origin"), b"").decode("latin-1")
        host = urlsplit(origin).hostname or ""
        if origin and host not in {item.strip("[]") for item in hosts}:
            await send({"type": "http.response.start", "status": 403, "headers": [(b"content-type", b"text/plain")]})
            await send({"type": "http.response.body", "body": b"requests of other sites' pages are refused\n"})
            return
        await app(scope, receive, send)

    return check_origin


async def _answer(runs: AnswerRuns, run: AnswerRun, seconds: float, ctx: McpContext) -> AskResult:
    """Wait for a run, reporting its progress, and return the answer, or the state of the run if it takes longer."""

    async def tell(step: int, said: str) -> None:
        await ctx.report_progress(step, message=said)

    try:
        result = await runs.result(run, seconds, tell)
    except WeiwoError as error:
        raise ToolError(one_line(str(error))) from None
    if result is None:
        done = run.steps[-1] if run.steps else "the question was received"
        return AskResult(answer="", status="running", gaps=[f"So far: {done}"], thread_id=run.id)
    if not result:
        raise ToolError("a tool that makes changes needs approval by a user; ask with the command weiwo ask")
    return read_answer(result)


async def _call(account: Account, tool: str, args: dict[str, Any], most: int) -> PassageResult:
    """Call a built-in tool and return its first `most` passages. Every failure becomes a `ToolError` for the client."""
    try:
        async with account.open(Context(), question=False):
            settings = Settings.resolve()
        registry = await build_registry(replace(settings, mcp=None, tools=()))
        if tool not in registry.names():
            raise ToolError(registry.info(tool).why_not)
        limits = settings.limits
        found = await run_tool(registry.get(tool), args, seconds=limits.tool_seconds, max_bytes=limits.max_page_bytes)
    except ToolCallError as error:
        raise ToolError(error.message) from None
    except WeiwoError as error:
        raise ToolError(one_line(str(error))) from None
    return PassageResult(passages=[_passage(passage) for passage in found.passages[:most]])


def _passage(passage: Evidence) -> FoundPassage:
    text = passage.text if len(passage.text) <= 2 * _LONGEST_PASSAGE else passage.text[: 2 * _LONGEST_PASSAGE] + "…"
    section = " › ".join((*passage.headings, *passage.context.values()))
    return FoundPassage(text=text, source=passage.source, title=passage.title, section=section, locator=passage.locator)
