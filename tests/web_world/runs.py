"""Asking: Weiwo over the web, and one search with one answer beside it; what came of it, in one form."""

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any, Final, Literal

import httpx
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage

from tests.web_world.model import UNKNOWN
from tests.web_world.questions import Question
from tests.web_world.server import Asked, WebWorld
from tests.web_world.site import Site
from weiwo.graph.search_graph import SearchGraph
from weiwo.models.context_windows import text_tokens
from weiwo.nodes.executor.extraction.typed_extraction import extract_value
from weiwo.nodes.shared.planning.rule_plan import build_single_task_plan
from weiwo.nodes.shared.question.parser import parse_question
from weiwo.state import Evidence, passage_id
from weiwo.state.settings import Context
from weiwo.text.language import fold
from weiwo.text.values import render
from weiwo.tools.calling.errors import ToolCallError

Mark = Literal["right", "wrong", "none"]

ONE_SHOT_RESULTS: Final = 6
ONE_SHOT_PAGES: Final = 3


@dataclass(frozen=True)
class Answered:
    """What came of a question."""

    question: Question  # the question
    text: str  # the answer
    status: str  # `complete`, `partial` or `failed`
    sources: frozenset[str]  # the addresses of the evidence
    requests: tuple[Asked, ...]  # what the server got
    calls: int  # model calls
    tokens: int  # tokens of prompts and replies
    seconds: float  # wall time
    raw: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)  # the whole result, where there is one
    kept: bool = False  # whether those who watched were told of results kept from before

    @property
    def mark(self) -> Mark:
        """Whether the answer is right, says something else, or says that it does not know."""
        said = all(says(self.text, wanted) for wanted in self.question.answers) and not self._other_way_round
        if self.question.shape == "unanswerable":
            return "wrong" if self.status == "complete" else "right"
        if said:
            return "right"
        return "wrong" if self.status == "complete" else "none"

    @property
    def _other_way_round(self) -> bool:
        """Whether it names first what it is not, of two."""
        if not self.question.instead:
            return False
        right, wrong = (self.text.find(name) for name in (self.question.answers[0], self.question.instead))
        return 0 <= wrong < right

    def recall(self, site: Site) -> float | None:
        """Share of the facts it needs that one of the pages used tells; None where there are none."""
        needs = self.question.needs
        hit = [bool(site.carriers(fact) & self.sources) for fact in needs]
        return sum(hit) / len(hit) if hit else None


def says(answer: str, wanted: str) -> bool:
    """Whether an answer says it; a number only as a whole number, its thousands marked or not."""
    plain = re.sub(r"\s?\[\d+\]", "", re.sub(r"(?<=\d),(?=\d{3})", "", fold(answer)))
    edge = r"(?<![\d.])" if wanted[:1].isdigit() else ""
    end = r"(?![\d]|\.\d)" if wanted[-1:].isdigit() else ""
    return re.search(edge + re.escape(fold(wanted)) + end, plain) is not None


async def ask(graph: SearchGraph, world: WebWorld, question: Question, context: Context) -> Answered:
    """Ask Weiwo."""
    before, started = len(world.log), time.perf_counter()
    stream: Any = graph.astream({"question": question.text}, context=context, stream_mode=["values", "custom"])
    parts = [part async for part in stream]
    result = [part for mode, part in parts if mode == "values"][-1]["result"]
    seconds = time.perf_counter() - started
    usage = result["usage"]
    sources = {source for item in result["evidence"] for source in (item["source"], *item.get("also", ()))}
    return Answered(
        question=question,
        text=result["answer"].split("\n\nSources:")[0].split("\n\n来源:")[0],
        status=result["status"],
        sources=frozenset(address(source) for source in sources),
        requests=tuple(world.log[before:]),
        calls=usage["model_calls"],
        tokens=usage["input_tokens"] + usage["output_tokens"],
        seconds=seconds,
        raw=result,
        kept=any(part.get("cached") for mode, part in parts if mode == "custom"),
    )


def address(url: str) -> str:
    """Host and path of a page, without scheme and port."""
    return re.sub(r":\d+(?=/|$)", "", url.partition("://")[2])


async def one_shot(world: WebWorld, question: Question, model: BaseChatModel | None, *, pages: int) -> Answered:
    """Search once with the question as it stands, open the first pages if any, and answer once."""
    before, started = len(world.log), time.perf_counter()
    async with httpx.AsyncClient() as client:
        given = {"q": question.text, "format": "json", "language": question.language}
        reply = await client.get(f"{world.search_url}/search", params=given)
    results = reply.json()["results"][:ONE_SHOT_RESULTS]
    passages = [
        Evidence(id=passage_id(hit["content"]), text=hit["content"], source=hit["url"], title=hit["title"])
        for hit in results
    ]
    tool = world.read_page()
    for hit in results[:pages]:
        try:
            _, found = await tool._arun(hit["url"], question.text)
        except ToolCallError:
            continue
        passages += [Evidence.model_validate(item) for item in found]
    if model is None:
        text, calls, tokens = await _by_rule(question, passages), 0, 0
    else:
        prompt = f"Question: {question.text}\n\n{_numbered(passages)}"
        said = [piece async for piece in model.astream([HumanMessage(prompt)])]
        text = "".join(str(piece.text) for piece in said).replace(UNKNOWN, "")
        calls, tokens = 1, text_tokens(prompt) + text_tokens(text)
    return Answered(
        question=question,
        text=text,
        status="complete" if text else "partial",
        sources=frozenset(address(passage.source) for passage in passages),
        requests=tuple(world.log[before:]),
        calls=calls,
        tokens=tokens,
        seconds=time.perf_counter() - started,
    )


async def _by_rule(question: Question, passages: Sequence[Evidence]) -> str:
    frame = parse_question(question.text, question.language)
    task = build_single_task_plan(frame, ("web_search",)).tasks[0]
    found = extract_value(frame, task.ret, passages)
    return "" if found is None else render(found.value, task.ret, question.language)


def _numbered(passages: Sequence[Evidence]) -> str:
    return "\n".join(
        f'<passage n="{n}" title="{one.title}" source="{one.source}">\n{one.text}\n</passage>'
        for n, one in enumerate(passages, 1)
    )


def table(rows: Mapping[str, Sequence[Answered]], site: Site) -> str:
    """The figures of several ways to answer the same questions, a line each."""
    lines: list[tuple[str, ...]] = [
        ("", "right", "of", "wrong", "none", "recall", "searches", "pages", "MB", "calls", "tokens", "median s")
    ]
    for name, answers in rows.items():
        asked = [request for answer in answers for request in answer.requests]
        marks = [answer.mark for answer in answers]
        recalls = [share for answer in answers if (share := answer.recall(site)) is not None]
        figures: tuple[Any, ...] = (
            marks.count("right"),
            len(answers),
            marks.count("wrong"),
            marks.count("none"),
            f"{sum(recalls) / max(1, len(recalls)):.2f}",
            sum(one.kind == "search" for one in asked),
            sum(one.kind == "page" for one in asked),
            f"{sum(one.sent for one in asked if one.kind == 'page') / 1e6:.1f}",
            sum(answer.calls for answer in answers),
            sum(answer.tokens for answer in answers),
            f"{median(answer.seconds for answer in answers):.2f}",
        )
        lines.append((name, *(str(figure) for figure in figures)))
    return _aligned(lines)


def by_shape(rows: Mapping[str, Sequence[Answered]]) -> str:
    """How many of each shape were right, a line a way."""
    shapes = list(dict.fromkeys(answer.question.shape for answers in rows.values() for answer in answers))
    lines: list[tuple[str, ...]] = [("", *shapes)]
    for name, answers in rows.items():
        marks = [[answer.mark for answer in answers if answer.question.shape == shape] for shape in shapes]
        lines.append((name, *(f"{of.count('right')}/{len(of)}" for of in marks)))
    return _aligned(lines)


def _aligned(lines: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    rows = (list(zip(line, widths, strict=True)) for line in lines)
    return "\n".join("  ".join(c.rjust(w) if n else c.ljust(w) for n, (c, w) in enumerate(row)) for row in rows)
