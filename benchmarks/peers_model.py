"""Scripted model of `peers.py`, in OpenAI's form on loopback, shared by all systems.

It knows how a question breaks down and which words to search for. It states a value only if the text with the value
stands in the prompt, says it in its own words, and says "not found" once its searches have found nothing. It has two
weaknesses, to which each system is exposed as far as its own prompts allow: of a sheet it counts the rows that it sees,
and if nothing answers it falls for a sentence that comes near. It knows the replies that Weiwo asks for by schema, the
tools of an agent (a search, or deepagents' file tools), and the prompts of gpt-researcher.
"""

import hashlib
import json
import math
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from peers_world import LookUp, Question, find_seen, fold

from tests.support.openai_server import Reply, call, structured, text

AT_ONCE: Final = 3
"""Tool calls of an agent in one turn."""
_SPREADSHEETS: Final = (".csv", ".xlsx", ".docx")
_PASSAGE: Final = re.compile(r'<passage n="(\d+)"[^>]*>\n(.*?)\n</passage>', re.DOTALL)
_NOT_FOUND: Final = "This was not found in the documents."
Json = dict[str, Any]


@dataclass
class Spent:
    """Usage for the questions of a system."""

    calls: int = 0
    prompt: int = 0
    reply: int = 0
    embedded: int = 0


class Model:
    """Scripted model for the current question, with request counts."""

    def __init__(self, seconds: float, *, nods: bool) -> None:
        self.seconds, self.nods = seconds, nods
        self.spent = Spent()
        self.question: Question | None = None
        self._lock = threading.Lock()

    def reply(self, request: Json) -> Reply:
        """Return the reply to a chat request or to an embedding request."""
        if "input" in request:
            return self._embed(request)
        if self.question is None:
            return text("Ready.", usage=(1, 1))
        turn = _Turn(self.question, request, nods=self.nods)
        made = turn.reply()
        shown = [request["messages"], request.get("tools"), request.get("response_format")]
        sent = len(json.dumps(shown, ensure_ascii=False)) // 4
        received = len((made.content or "") + json.dumps(made.tool, ensure_ascii=False)) // 4
        with self._lock:
            self.spent.calls += 1
            self.spent.prompt += sent
            self.spent.reply += received
        return Reply(**{**vars(made), "usage": (sent, received), "delay": self.seconds, "piece": 200})

    def _embed(self, request: Json) -> Reply:
        given = request["input"]
        texts = [given] if isinstance(given, str) or (given and isinstance(given[0], int)) else given
        with self._lock:
            self.spent.embedded += len(texts)
        data = [{"object": "embedding", "index": n, "embedding": embed(str(given))} for n, given in enumerate(texts)]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        return Reply(body=json.dumps({"object": "list", "data": data, "model": "scripted", "usage": usage}))


def embed(words: str) -> list[float]:
    """A bag of words and pairs of Chinese characters, hashed into 512 places."""
    places = [0.0] * 512
    for word in re.findall(r"[a-z0-9]+|[\u4e00-\u9fff]{1,2}", words.lower()):
        digest = hashlib.sha256(word.encode()).digest()
        places[int.from_bytes(digest[:2], "big") % 512] += 1.0
    length = math.hypot(*places) or 1.0
    return [place / length for place in places]


class _Turn:
    """A request with the contents of the prompt, and the reply."""

    def __init__(self, question: Question, request: Json, *, nods: bool) -> None:
        self.question, self.request, self.nods = question, request, nods
        self.messages: list[Json] = request["messages"]
        self.said = "\n".join(_text_of(message) for message in self.messages)
        self.seen = fold(self.said)
        self.tools = {tool["function"]["name"]: tool["function"] for tool in request.get("tools") or ()}

    def reply(self) -> Reply:
        schema = ((self.request.get("response_format") or {}).get("json_schema") or {}).get("name", "")
        wanted = schema or next((name for name in self.tools if name.endswith("Reply")), "")
        if wanted:
            return structured(self.request, _SCHEMAS[wanted](self))
        if self.tools:
            return self._act()
        return text(self._write())

    # Reading

    def shows(self, look_up: LookUp) -> bool:
        """Report whether the prompt shows a value or lists the value as found before.

        A value is shown if all its evidence stands in the prompt.
        """
        return self.carries(look_up) or f"- {self.fill(look_up.question)} → {look_up.value}" in self.said

    def carries(self, look_up: LookUp) -> bool:
        """Report whether all evidence of the value stands in the prompt."""
        return all(fold(text) in self.seen for text in look_up.evidence)

    def find_look_up(self) -> LookUp | None:
        """Return the look-up with the value as read from the prompt.

        If the prompt shows nothing better, the value is stale or a lure.
        """
        question = self.question
        last = question.look_ups[-1] if question.look_ups else question.lure
        if last is None or self.shows(last):
            return last
        if question.table and (rows := [*find_seen(question.table.rows, self.seen)]):
            figure = str(sum(question.table.counted[n] for n in rows))
            return LookUp(last.question, last.query, last.name, last.evidence, figure, f"I count {figure} of them.")
        return question.lure if question.lure and self.shows(question.lure) else None

    def answer(self, mark: Callable[[LookUp], str] = lambda _: "") -> str:
        """Return the answer in the model's own words, or a message if not found."""
        needed = self.question.look_ups
        if needed and all(map(self.shows, needed)):
            return f"{self.question.said[:-1]}{''.join(dict.fromkeys(map(mark, needed)))}{self.question.said[-1]}"
        last = self.find_look_up()
        if last is None or len(needed) > 1:
            return _NOT_FOUND
        return f"{last.said[:-1]}{mark(last)}{last.said[-1]}"

    def fill(self, words: str) -> str:
        """Words with the value of the first look-up."""
        needed = self.question.look_ups
        return words.replace("#1", needed[0].value) if needed else words

    def open(self) -> list[LookUp]:
        """Return the look-ups without a shown value and ready for a search."""
        needed = self.question.look_ups or ((self.question.lure,) if self.question.lure else ())
        open_ = [look_up for look_up in needed if not self.shows(look_up)]
        return [look_up for look_up in open_ if "#1" not in look_up.query or self.shows(needed[0])]

    # An agent with tools

    def _act(self) -> Reply:
        done = [
            (made["function"]["name"], json.loads(made["function"]["arguments"]))
            for message in self.messages
            for made in message.get("tool_calls") or ()
        ]
        plan = self._file_calls() if "grep" in self.tools else self._searches()
        new = [asked for asked in plan if asked not in done][:AT_ONCE]
        if not new:
            return text(self.answer())
        calls = [(name, json.dumps(args, ensure_ascii=False)) for name, args in new]
        return call(*calls[0], more_tools=tuple(calls[1:]))

    def _searches(self) -> Iterator[tuple[str, Json]]:
        name, function = next(iter(self.tools.items()))
        field = next(iter(function["parameters"]["properties"]))
        for look_up in self.open():
            yield name, {field: self.fill(look_up.query)}
        for look_up in self.open():
            yield name, {field: self.fill(look_up.question)}
        if not self.question.look_ups and not self.question.lure:
            yield name, {field: self.question.text}

    def _file_calls(self) -> Iterator[tuple[str, Json]]:
        """Yield file tool calls: a literal search for the name, then listing and reading fitting files."""
        for look_up in self.open():
            if not self.question.table:
                yield "grep", {"pattern": look_up.name, "path": "/", "output_mode": "content"}
        open_ = self.open()
        if not open_ and self.question.look_ups:
            return
        yield "ls", {"path": "/"}
        files = re.findall(r"/[\w.-]+\.\w+", self.said)
        for look_up in open_:
            for file in dict.fromkeys(files):
                if look_up.name in file or (file.endswith(_SPREADSHEETS[2]) and "vehicle" in look_up.query):
                    yield "read_file", {"file_path": file, "limit": 2000}

    # Plain text: Weiwo's draft, and gpt-researcher

    def _write(self) -> str:
        first = _text_of(self.messages[0])
        if "agent_role_prompt" in self.said:
            return json.dumps({"server": "Default Agent", "agent_role_prompt": "You are a careful assistant."})
        if "search queries" in self.said and "list of strings" in self.said.lower():
            queries = [look_up.query for look_up in self.question.look_ups if "#1" not in look_up.query] or [
                self.question.text
            ]
            return json.dumps(queries, ensure_ascii=False)
        if not _PASSAGE.search(self.said):
            return self.answer()
        numbers = [(n, fold(passage)) for n, passage in _PASSAGE.findall(self.said)]

        def mark(look_up: LookUp) -> str:
            return "".join(f" [{n}]" for n, passage in numbers if fold(look_up.evidence[0]) in passage)[:5]

        missing = "MISSING: none\n" if "`MISSING:`" in first + self.said else ""
        return missing + self.answer(mark)

    # Weiwo's structured replies

    def assess(self) -> Json:
        question, table = self.question, self.question.table
        several = len(question.look_ups) > 1
        reply: Json = {
            "standalone_question": question.text,
            "multi_step": float(several),
            "external_information": 1.0,
            "tool_use": 1.0,
            "comparison_or_calculation": float(question.kind in {"comparison", "count"}),
            "chain": question.kind == "two hops",
            "queries": [look_up.query for look_up in question.look_ups if "#1" not in look_up.query] or [question.text],
            "reason": question.kind,
        }
        fields = self._fields()
        if table and "tool" in fields:
            reply |= {"tool": "query_table", "args": table.request}
        if several and "vertices" in fields:
            reply |= self.plan()
        return reply

    def _fields(self) -> Json:
        schema = ((self.request.get("response_format") or {}).get("json_schema") or {}).get("schema")
        return dict((schema or next(iter(self.tools.values()))["parameters"]).get("properties", {}))

    def plan(self) -> Json:
        if self.question.table:
            vertex = {"id": "task_1", "description": self.question.text, "tool_binding": "query_table", "ret": "number"}
            return {"vertices": [{**vertex, "args": self.question.table.request}], "edges": []}
        vertices = []
        for n, look_up in enumerate(self.question.look_ups, 1):
            asked, query = (words.replace("#1", "{{task_1.ret}}") for words in (look_up.question, look_up.query))
            ret = "number" if look_up.value.isdecimal() else "text"
            vertices.append(
                {
                    "id": f"task_{n}",
                    "description": asked,
                    "tool_binding": "corpus_search",
                    "args": {"query": query},
                    "ret": ret,
                }
            )
        return {"vertices": vertices, "edges": []}

    def read(self) -> Json:
        asked = re.search(r"^Task: (.*)$", self.said, re.MULTILINE)
        words = asked[1] if asked else self.question.text
        look_up = next((look_up for look_up in self.question.look_ups if self.fill(look_up.question) == words), None)
        if look_up and self.shows(look_up):
            return self._answer(look_up, look_up.said)
        whole = self.question.look_ups
        if words == self.question.text and len(whole) > 1 and all(map(self.shows, whole)):
            value = self.question.answers[0]
            quotes = [self._quote(look_up) for look_up in whole if self.carries(look_up)]
            return {**self._answer(whole[-1], self.question.said), "value": value, "quotes": quotes}
        if len(whole) <= 1 and (near := self.find_look_up()):
            return self._answer(near, near.said)
        tried = next(iter(re.findall(r"^Queries tried: (.*)$", self.said, re.MULTILINE)), "").split("; ")
        wanted = [look_up] if look_up else self.open()
        queries = [self.fill(way) for look_up in wanted for way in (look_up.query, look_up.question)]
        new = [query for query in queries if query not in tried][:2]
        missing = self.fill(wanted[0].question) if wanted else self.question.text
        if new:
            return {"next": "search", "queries": new, "missing": missing, "quotes": [], **self._hops()}
        return {"next": "give_up", "missing": missing, "quotes": [], "sentence": _NOT_FOUND}

    def _hops(self) -> Json:
        """Values on the way of a chain."""
        if self.question.kind != "two hops" or "`hops`" not in self.said:
            return {}
        shown = [look_up for look_up in self.question.look_ups[:-1] if self.carries(look_up)]
        return {
            "hops": [
                {"question": look_up.question, "value": look_up.value, "quotes": [self._quote(look_up)]}
                for look_up in shown
            ]
        }

    def read_together(self) -> Json:
        asked = re.findall(r"^Task (\d+): (.*)$", self.said, re.MULTILINE)
        by_words = {self.fill(look_up.question): look_up for look_up in self.question.look_ups}
        known = [(int(n), by_words[words]) for n, words in asked if words in by_words and self.shows(by_words[words])]
        keys = ("value", "quotes", "confidence", "sentence")
        return {
            "answers": [
                {"task": n, **{key: self._answer(look_up, look_up.said)[key] for key in keys}} for n, look_up in known
            ]
        }

    def _quote(self, look_up: LookUp) -> Json:
        """Return the sentence of the passage with a value."""
        for n, passage in _PASSAGE.findall(self.said):
            if fold(look_up.evidence[0]) in fold(passage):
                lines = [line for line in passage.splitlines() if fold(look_up.evidence[0]) in fold(line)]
                return {"passage": int(n), "text": look_up.evidence[0] if look_up.evidence[0] in passage else lines[0]}
        return {"passage": 1, "text": look_up.evidence[0]}

    def _answer(self, look_up: LookUp, sentence: str) -> Json:
        quotes = [self._quote(look_up)]
        return {"quotes": quotes, "value": look_up.value, "next": "answer", "confidence": 0.9, "sentence": sentence}

    def reflect(self) -> Json:
        missing = [self.fill(look_up.question) for look_up in self.open()]
        return {"reason": "what is there was read", "decision": "finish", "missing": missing}

    def judge(self) -> Json:
        """Return verdicts on claims. The model recognises a lured sentence beside the source, unless nodding."""
        claims = re.findall(r"^(\d+)\. (.*)$", self.said.rpartition("\nClaims:\n")[2], re.MULTILINE)
        lure = self.question.lure.said[:-1] if self.question.lure and not self.nods else None
        verdicts = ["not_there" if lure and lure in claim else "supported" for _, claim in claims]
        return {
            "verdicts": [
                {"n": int(n), "verdict": verdict, "words": ""} for (n, _), verdict in zip(claims, verdicts, strict=True)
            ]
        }

    def repair(self) -> Json:
        return {"reason": "nothing else to try", "vertices": []}

    def rewrite(self) -> Json:
        return {"sentences": []}


_SCHEMAS: Final[dict[str, Callable[[_Turn], Json]]] = {
    "AssessmentReply": _Turn.assess,
    "PlanReply": _Turn.plan,
    "ReadReply": _Turn.read,
    "BatchReadReply": _Turn.read_together,
    "ReflectionReply": _Turn.reflect,
    "EntailmentReply": _Turn.judge,
    "RepairReply": _Turn.repair,
    "RewriteReply": _Turn.rewrite,
}


def _text_of(message: Json) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "\n".join(str(part.get("text", "")) for part in content)
