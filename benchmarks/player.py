"""Replies of a good model with knowledge of the look-ups, but only reading from the prompt.

It plays for either system: it breaks a question down, searches with words of its own, and states a value only if the
sentence with the value stands in the prompt. It reports its findings in its own words, quotes no more of a sentence
than it needs, and gives up once its queries have found nothing.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from invented import Case, Step, bare
from langchain_core.messages import BaseMessage

FAN_OUTS: Final = frozenset({"fan-out", "linked"})
FOLDER: Final = frozenset({"table", "report"})
"""Kinds of questions over the whole of a small folder."""
_BUILT: Final = re.compile(r"The (\w+) of (\w+) was rebuilt in (\d+)\.")
_LISTED: Final = re.compile(r"^- (.+) → (.+)$", re.MULTILINE)
_OFFERED: Final = re.compile(r"a search may send (\d+)")
_QUERIES: Final = 2
"""Queries that a task of Weiwo sends where its prompt does not say how many it may."""
_PASSAGE: Final = re.compile(r'<passage n="(\d+)"[^>]*>\n(.*?)\n</passage>', re.DOTALL)


class Player:
    """A call of the model: the prompt, and the reply."""

    def __init__(
        self, case: Case, messages: Sequence[BaseMessage], said: str, tools: Sequence[Any], at_once: int = 1
    ) -> None:
        self.case, self.messages, self.said = case, messages, said
        self.at_once = at_once
        self.fields = tools[0]["function"]["parameters"].get("properties", {}) if tools else {}
        self.passages = [(int(n), text) for n, text in _PASSAGE.findall(said)]

    def play(self, name: str) -> tuple[str, list[Any]]:
        """The text and the function calls of the reply to a call of this name."""
        if name == "search":
            return self._react()
        if name == "draft":
            return self._draft(), []
        made = {
            "AssessmentReply": self._assess,
            "PlanReply": self._plan,
            "ReadReply": self._read,
            "BatchReadReply": self._read_together,
            "ReflectionReply": self._reflect,
            "RepairReply": lambda: {"reason": "another way", **self._other_ways()},
            "EntailmentReply": self._judge,
            "RewriteReply": lambda: {"sentences": []},
            "TableReply": lambda: {"thought": "The documents are prose.", "request": None},
        }[name]()
        return "", [{"name": name, "args": made, "id": f"call_{len(self.messages)}"}]

    def _is_known(self, step: Step) -> bool:
        return self._is_shown(step) or self._is_listed(step)

    def _is_shown(self, step: Step) -> bool:
        return any(step.sentence in text for _, text in self.passages)

    def _number(self, step: Step) -> int:
        return next(n for n, text in self.passages if step.sentence in text)

    # A loop of searches

    def _react(self) -> tuple[str, list[Any]]:
        asked = [call["args"]["query"] for m in self.messages for call in getattr(m, "tool_calls", [])]
        if queries := [q for q in self._queries() if q not in asked][: self._loop_queries()]:
            ids = range(len(asked), len(asked) + len(queries))
            return "", [
                {"name": "search", "args": {"query": q}, "id": f"call_{n}"} for n, q in zip(ids, queries, strict=True)
            ]
        return " ".join(self._sentences(lambda _: "")), []

    def _loop_queries(self) -> int:
        """Return the number of searches in a turn of the loop.

        This is a search for each open look-up, up to the permitted number.
        """
        ready = [step for step in self.case.steps if not self._is_known(step) and self._ready(step)]
        return min(self.at_once, max(1, len(ready)))

    def _queries(self, steps: Sequence[Step] | None = None) -> Iterator[str]:
        """Yield searches for unknown values with known prerequisites.

        The searches use keywords first, then the words of the question.
        """
        open_ = [step for step in (steps or self.case.steps) if not self._is_known(step) and self._ready(step)]
        for words in ("query", "question"):
            for step in open_:
                yield self.case.fill_references(getattr(step, words))

    def _ready(self, step: Step) -> bool:
        return all(self._is_known(self.case.steps[n]) for n in step.needs)

    def _sentences(self, mark: Any) -> Iterator[str]:
        """Yield the sentences of the answer supported by the passages at hand.

        Missing values are reported, together with the values found.
        """
        case, steps = self.case, self.case.steps
        if case.hidden is not None and case.kind not in FAN_OUTS:
            yield "It was not found."
            for step in steps:
                if self._is_shown(step):
                    yield f"{step.said[:-1]}{mark(step)}."
        elif case.kind in {*FAN_OUTS, *FOLDER}:
            for step in steps[case.kind in FAN_OUTS :]:
                if self._is_known(step):
                    yield f"- {step.said[:-1]}{mark(step)}.\n"
        elif not all(map(self._is_known, steps)) and case.kind == "comparison":
            yield "It was not found."
        elif case.kind == "comparison":
            yield f"{case.sentence[:-1]}{''.join(map(mark, steps))}."
        elif self._is_known(steps[-1]):
            yield f"{case.sentence.rstrip('.')}{mark(steps[-1])}."
        else:
            yield "It was not found."

    # Weiwo's calls

    def _draft(self) -> str:
        numbers = dict(self.passages)

        def mark(step: Step) -> str:
            return f" [{next(n for n, text in numbers.items() if step.sentence in text)}]"

        if self.case.kind in FOLDER:
            told = self._table(mark) if self.case.kind == "table" else self._report()
            return f"MISSING: none\n{told}" if "`MISSING:`" in self.said else told
        fan_out = self.case.kind in FAN_OUTS
        return ("" if fan_out else " ").join(self._sentences(mark))

    def _table(self, mark: Any) -> str:
        """Return a table with a row for each town. Each cell has a citation mark."""
        head = "The towns:\n\n| Town | Founded | River | Mayor |\n| --- | --- | --- | --- |\n"
        steps = self.case.steps
        rows = []
        for at in range(0, len(steps), 3):
            cells = [f"{step.value}{mark(step)}" for step in steps[at : at + 3]]
            rows.append(f"| {steps[at].query.split()[0]} | {' | '.join(cells)} |\n")
        return head + "".join(rows)

    def _report(self) -> str:
        """Return a report with a section for each document.

        Each section has the document's facts and buildings, each in a sentence of the writer's own.
        """
        parts = ["# The towns\n\n"]
        for n, text in self.passages:
            facts = [step.said for step in self.case.steps if step.sentence in text]
            built = [f"In {year} {town} was given a new {what}." for what, town, year in _BUILT.findall(text)]
            told = (f"{sentence.rstrip('.')} [{n}]." for sentence in (*facts, *built))
            parts += [f"## Town {n}\n\n", " ".join(told), "\n\n"]
        return "".join(parts)

    def _assess(self) -> dict[str, Any]:
        kind = self.case.kind
        wide = kind in {"comparison", *FAN_OUTS}
        if kind in FOLDER:
            return self._assess_folder()
        reply: dict[str, Any] = {
            "standalone_question": self.case.question,
            "multi_step": 0.0 if kind == "fact" else 1.0,
            "external_information": 1.0,
            "tool_use": 1.0,
            "comparison_or_calculation": float(kind == "comparison"),
            "chain": kind == "chain",
            "queries": [] if kind in FAN_OUTS else self._first_queries(),
            "reason": kind,
        }
        if "vertices" in self.fields and wide:
            reply |= self._plan()
        if "form" in self.fields:
            both = [f"the towns of the {self.case.steps[0].question.split()[-2]} League", "the year each was founded"]
            parts = both if kind in FAN_OUTS else [self.case.question]
            reply |= {"form": "list" if kind in FAN_OUTS else "", "parts": parts}
        return reply

    def _assess_folder(self) -> dict[str, Any]:
        judged = dict.fromkeys(("multi_step", "external_information", "tool_use"), 1.0)
        told = {"form": self.case.kind, "words": 1300 * (self.case.kind == "report"), "reason": self.case.kind}
        return {"standalone_question": self.case.question, "comparison_or_calculation": 0.0, **judged, **told}

    def _first_queries(self) -> list[str]:
        """Return up to two searches with the names of all look-ups possible now."""
        ready = [self.case.fill_references(step.query) for step in self.case.steps if not step.needs]
        half = (len(ready) + 1) // 2
        groups = [words for words in (ready[:half], ready[half:]) if words]
        return [" ".join(dict.fromkeys(" ".join(words).split())) for words in groups]

    def _reflect(self) -> dict[str, Any]:
        """Return a reflection: a further round if untried words exist for a missing value."""
        ways = self._other_ways()["vertices"]
        missing = [way["description"] for way in ways]
        return {"reason": "some is missing" if ways else "all is done", "decision": "replan" if ways else "finish",
                "missing": missing}  # fmt: skip

    def _other_ways(self) -> dict[str, Any]:
        """Return new look-ups for failed searches, in words not yet in the prompt."""
        hidden = self.case.hidden
        if hidden is None:
            return {"vertices": []}
        step = self.case.steps[hidden]
        asked, known = self.case.fill_references(step.question), self.said.casefold()
        words = (self.case.fill_references(step.query), asked, f"{self.case.fill_references(step.query)} history")
        new = [query for query in words if f'"{query}"'.casefold() not in known]
        free = re.search(r"ids start at task_(\d+)", self.said)
        number = int(free[1]) if free else 1
        return {"vertices": [_vertex(number, asked, new[0], step.ret)] if new else []}

    def _plan(self) -> dict[str, Any]:
        if "ids start at task_" in self.said:
            return {**self._other_ways(), "edges": []}
        steps = self.case.steps
        if self.case.kind in FAN_OUTS:
            town = re.search(r"was (\w+) founded", steps[1].question)
            each = [s.replace(town[1], "{{item}}") if town else s for s in (steps[1].question, steps[1].query)]
            vertices = [_vertex(1, steps[0].question, steps[0].query, "list[text]")]
            last = _vertex(2, each[0], each[1], "date")
            vertices.append({**last, "for_each": "{{task_1.ret}}", "is_answer": True})
            return {"vertices": vertices, "edges": []}

        def rewrite_references(text: str) -> str:
            return re.sub(r"#(\d)", r"{{task_\1.ret}}", text)

        vertices = [
            _vertex(n, rewrite_references(s.question), rewrite_references(s.query), s.ret)
            for n, s in enumerate(steps, 1)
        ]
        if self.case.kind == "comparison":
            values = ", ".join(f"{{{{task_{n}.ret}}}}" for n in range(1, len(steps) + 1))
            earliest = {"expression": f"min({values})"}
            last = _vertex(len(steps) + 1, "Which year is the earliest?", "", "date")
            vertices.append({**last, "tool_binding": "calculator", "args": earliest})
        return {"vertices": vertices, "edges": []}

    def _read(self) -> dict[str, Any]:
        found = re.search(r"^Task: (.*)$", self.said, re.MULTILINE)
        step = next((s for s in self.case.steps if found and self.case.asks(s, found[1])), None)
        if step is None:
            return self._read_whole()
        if not self._is_known(step):
            return self._search([step])
        waits = re.search(r"^- (task_\d+), for each item: ", self.said, re.MULTILINE)
        ahead = (
            [self._ahead(waits[1], other) for other in self.case.steps[1:] if self._is_shown(other)] if waits else []
        )
        return {**self._answer(step), **({"ahead": ahead} if ahead else {})}

    def _ahead(self, task: str, step: Step) -> dict[str, Any]:
        """Return the value of a waiting task for the item named in the question."""
        items = self.case.steps[0].value.split("; ")
        told = {"value", "quotes", "confidence", *(["sentence"] if "ive also `sentence`" in self.said else [])}
        kept = {k: v for k, v in self._answer(step).items() if k in told}
        return {"task": task, "item": next(item for item in items if item in step.sentence), **kept}

    def _read_together(self) -> dict[str, Any]:
        asked = re.findall(r"^Task (\d+): (.*)$", self.said, re.MULTILINE)
        steps = {bare(self.case.fill_references(step.question)): step for step in self.case.steps}
        known = [(int(n), step) for n, said in asked if (step := steps.get(bare(said))) and self._is_shown(step)]
        answers = ((n, self._answer(step)) for n, step in known)
        kept = {"value", "quotes", "confidence", *(["sentence"] if "ive also `sentence`" in self.said else [])}
        return {"answers": [{"task": n, **{k: v for k, v in a.items() if k in kept}} for n, a in answers]}

    def _answer(self, step: Step) -> dict[str, Any]:
        value: Any = step.value.split("; ") if step.ret.startswith("list") else step.given or step.value
        sentence = self.case.sentence if step is self.case.steps[-1] and self.case.sentence else step.said
        return {
            "quotes": [self._quote(step)],
            "sentence": sentence,
            "value": value,
            "next": "answer",
            "confidence": 0.95,
        }

    def _quote(self, step: Step) -> dict[str, Any]:
        return {"passage": self._number(step), "text": step.quote}

    def _conclude(self) -> dict[str, Any]:
        """Return the result of a comparison, with the shown quotes."""
        quotes = [self._quote(step) for step in self.case.steps if self._is_shown(step)]
        said = {"value": self.case.answers[0][0], "sentence": self.case.sentence, "confidence": 0.95}
        return {"next": "answer", "quotes": quotes, **said}

    def _search(self, steps: Sequence[Step]) -> dict[str, Any]:
        tried = next(iter(re.findall(r"^Queries tried: (.*)$", self.said, re.MULTILINE)), "")
        offered = _OFFERED.search(self.said)
        most = int(offered[1]) if offered else _QUERIES
        tried = bare(tried.partition(" (a search")[0]).split("; ")
        if queries := [q for q in self._queries(steps) if bare(q) not in tried][:most]:
            return {"next": "search", "queries": queries, "missing": steps[0].question}
        on_the_way = [step for step in self.case.steps if self._is_known(step)]
        sentence = " ".join(["It was not found.", *(step.said for step in on_the_way)])
        told: dict[str, Any] = {"sentence": sentence} if "`sentence` is the answer" in self.said else {}
        if told:
            told["quotes"] = [self._quote(step) for step in on_the_way if self._is_shown(step)]
        return {"next": "give_up", "missing": steps[0].question, **told}

    def _read_whole(self) -> dict[str, Any]:
        """Answer a task for the whole question: look-up after look-up, as far as the prompt leads."""
        steps = self.case.steps
        compared = self.case.kind == "comparison"
        on_the_way = steps if compared else steps[:-1]
        hops = [self._hop(step) for step in on_the_way if self._is_shown(step) and not self._is_listed(step)]
        if not all(map(self._is_known, steps)):
            reply = self._search(steps)
        else:
            reply = self._conclude() if compared else self._answer(steps[-1])
        return {**reply, **({"hops": hops} if hops else {})}

    def _hop(self, step: Step) -> dict[str, Any]:
        asked = self.case.fill_references(step.question)
        return {"question": asked, "value": step.given or step.value, "quotes": [self._quote(step)]}

    def _is_listed(self, step: Step) -> bool:
        """Report whether the prompt lists the value of a look-up as found."""
        return any(
            self.case.asks(step, asked) and bare(value) == step.value for asked, value in _LISTED.findall(self.said)
        )

    def _judge(self) -> dict[str, Any]:
        """Judge every claim as supported, with a source quote for doubted claims."""
        listed = re.findall(r"(?ms)^(\d+)\. (.*?)(?=^\d+\. |\Z)", self.said.split("\nClaims:\n")[-1])
        doubted = [(int(n), claim) for n, claim in listed if "\n   Doubt: " in claim]
        verdicts: list[dict[str, Any]] = [
            {"n": n, "verdict": "supported", "words": "", "quote": self._shows(claim)} for n, claim in doubted
        ]
        if "judged" not in self.fields:
            others = {int(n) for n, _ in listed} - {n for n, _ in doubted}
            verdicts += [{"n": n, "verdict": "supported", "words": ""} for n in sorted(others)]
        return {"verdicts": verdicts, "judged": len(listed)}

    def _shows(self, claim: str) -> str:
        """Return the words of a document in support of a claim."""
        return next((step.sentence for step in self.case.steps if step.value in claim and self._is_shown(step)), "")


def _vertex(n: int, description: str, query: str, ret: str) -> dict[str, Any]:
    args = {"query": query}
    return {"id": f"task_{n}", "description": description, "tool_binding": "corpus_search", "args": args, "ret": ret}
