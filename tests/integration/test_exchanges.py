"""Recorded exchanges with a model, good, mediocre or broken, replayed turn by turn through whole runs.

Each file of `tests/data/exchanges` holds a question (with the `history` before it, if it is a follow-up), the model's
`turns`, and what is to `expect` of the result. A turn answers a request for its schema (null: plain text) whose newest
message contains `match`; it answers one, or with `repeat` every such request. Claims that no turn judges are supported, and
tasks that are read together have the answers recorded for each alone; where no turn gives one, there is no other way to a
task that failed while others ran. In a reply, as in a model's head, sources
have no numbers of their own: ⟦Title⟧ stands for the number of the passage with that title in the prompt,
⟦Title|words⟧ for the one that also contains these words, ⟦=2⟧ for that of the second calculation.

`answer` is the whole of it, `blocks` the kinds of its blocks, `verdict_of` the verdicts of claims by their text.
`documents` are searched instead of the sample corpus, by file name; `more_documents` is the number of weather notes beside
them, where the folder is to be too large to be read whole. `gaps` are the kinds of what is to stay open.
"""

import json
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from tests.support.fake_model import check_parts
from tests.support.openai_server import (
    Json,
    OpenAIServer,
    Reply,
    asked_schema,
    error,
    last_message,
    prompt,
    structured,
    text,
)
from tests.support.personas import judge_all
from tests.support.schema import check_result
from weiwo.graph import build_graph
from weiwo.state.settings import Context

pytestmark = pytest.mark.integration
FOLDER = Path(__file__).parents[1] / "data" / "exchanges"
EXCHANGES: dict[str, Json] = {path.stem: json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))}
LIMIT = 30


class Replay:
    """A model that says what was recorded.

    Attributes:
        surprises: Requests that no turn answers, each as its schema and newest message.
    """

    def __init__(self, turns: list[Json]) -> None:
        self.surprises: list[tuple[str | None, str]] = []
        self._turns = list(turns)
        self._lock = threading.Lock()

    def __call__(self, request: Json) -> Reply:
        name, newest = asked_schema(request), last_message(request)
        with self._lock:
            for turn in self._turns:
                if turn["schema"] == name and turn["match"] in newest:
                    if not turn.get("repeat"):
                        self._turns.remove(turn)
                    reply = numbered(turn["reply"], prompt(request))
                    return text(reply if name else check_parts(reply, prompt(request)))
            if name == "BatchReadReply":
                return structured(request, self._together(prompt(request)))
            if name == "RepairReply":
                return structured(request, {"vertices": []})
            if name == "EntailmentReply":
                return structured(request, judge_all(request, "supported"))
            self.surprises.append((name, newest[:200]))
        return error(400, f"no turn for {name}")

    def _together(self, said: str) -> Json:
        """What was recorded of tasks read alone, for those whose passages are shown where they are read together."""
        answers = []
        for n, asked in re.findall(r"^Task (\d+): (.*)$", said, re.MULTILINE):
            read = (turn for turn in self._turns if turn["schema"] == "ReadReply" and turn["match"] in f"Task: {asked}")
            replies = (json.loads(numbered(turn["reply"], said)) for turn in read if turn["reply"].startswith("{"))
            reply = next(replies, {})
            if reply.get("next") == "answer" and all(quote["passage"] for quote in reply["quotes"]):
                answers.append({"task": int(n), **{key: reply[key] for key in ("value", "quotes", "confidence")}})
        return {"answers": answers}


def numbered(reply: str, said: str) -> str:
    """A reply with the numbers that its sources have in a prompt; 0 for a source that is not there."""
    passages = re.findall(r'<passage n="(\d+)" title="([^"]*)"[^>]*>\n(.*?)\n</passage>', said, re.DOTALL)
    calculations = re.findall(r'<calculation n="(\d+)">', said)

    def number(match: re.Match[str]) -> str:
        if match[1].startswith("="):
            position = int(match[1][1:]) - 1
            return calculations[position] if position < len(calculations) else "0"
        title, _, words = match[1].partition("|")
        return next((n for n, named, body in passages if named == title and words in body), "0")

    return re.sub("⟦([^⟧]+)⟧", number, reply)


@pytest.fixture
def replay(
    monkeypatch: pytest.MonkeyPatch, weiwo_home: Path, index_sample: Callable[[Path], None]
) -> Iterator[Callable[[list[Json]], Replay]]:
    index_sample(weiwo_home)
    servers: list[OpenAIServer] = []

    def start(turns: list[Json]) -> Replay:
        model = Replay(turns)
        server = OpenAIServer(model).__enter__()
        servers.append(server)
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        return model

    yield start
    for server in servers:
        server.__exit__(None, None, None)


def conversation(exchange: Json) -> list[AnyMessage]:
    messages: list[AnyMessage] = []
    for turn in exchange.get("history", ()):
        messages += [HumanMessage(turn["user"]), AIMessage(turn["assistant"])]
    return [*messages, HumanMessage(exchange["question"])]


@pytest.mark.parametrize("exchange", EXCHANGES.values(), ids=EXCHANGES)
async def test_an_exchange_comes_to_what_it_should(
    exchange: Json, replay: Callable[[list[Json]], Replay], tmp_path: Path
) -> None:
    model = replay(exchange["turns"])
    folder = tmp_path / "documents"
    for name, content in exchange.get("documents", {}).items():
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    for n in range(exchange.get("more_documents", 0)):
        (folder / f"weather-{n}.md").write_text(f"# Weather {n}\n\nRain at noon, {n} mm.\n", encoding="utf-8")
    corpus = [str(folder)] if folder.exists() else None
    context = Context(model="openai:recorded", max_seconds=LIMIT, web=False, corpus=corpus)
    result = (await build_graph().ainvoke({"messages": conversation(exchange)}, context=context))["result"]
    expected = exchange["expect"]
    check_result(result)
    assert model.surprises == []
    assert {key: result[key] for key in ("status", "level") if key in expected} == {
        key: expected[key] for key in ("status", "level") if key in expected
    }
    assert "gaps" not in expected or [gap["kind"] for gap in result["gaps"]] == expected["gaps"]
    decisions = [one["decision"] for one in result["reflections"]]
    assert "decisions" not in expected or decisions == expected["decisions"]
    assert "planned_by" not in expected or result["plan"]["decided_by"] == expected["planned_by"]
    assert [words for words in expected.get("contains", ()) if words not in result["answer"]] == [], result["answer"]
    assert [words for words in expected.get("not_contains", ()) if words in result["answer"]] == [], result["answer"]
    assert "answer" not in expected or result["answer"] == expected["answer"]
    assert "blocks" not in expected or [block["kind"] for block in result["blocks"]] == expected["blocks"]
    verdicts = {claim["text"]: claim["verdict"] for claim in result["claims"]}
    assert set(expected.get("verdicts_include", ())) <= set(verdicts.values()), verdicts
    assert set(expected.get("no_verdicts", ())) & set(verdicts.values()) == set(), verdicts
    assert {text: verdicts.get(text) for text in expected.get("verdict_of", {})} == expected.get("verdict_of", {})
    assert {n for claim in result["claims"] for n in claim["citations"]} <= {c["n"] for c in result["citations"]}


def test_there_are_exchanges_to_replay() -> None:
    assert EXCHANGES
