"""Replies of a weak model: answers from memory, wrong citations, and approval of every claim.

Of three look-ups it states one from memory, though the passage may lie before it, cites a passage that does not tell
for the second, and reads the third as a good model would. Values without a passage are stated from memory as well.
"""

from dataclasses import replace
from typing import Any

from invented import Case, Step
from player import FAN_OUTS, FOLDER, Player

_HABITS = ("memory", "citation", "")


def remember(step: Step) -> str:
    """Return the false value in a weak model's memory."""
    if step.ret == "date":
        return str(int(step.value) + 37)
    return step.value[::-1].capitalize()


def list_false_values(case: Case) -> list[str]:
    """Return the false values of a case. A right answer contains no such value."""
    return [remember(step) for step in case.steps if not step.ret.startswith("list")]


class WeakPlayer(Player):
    """A call to a weak model: the same questions and queries as a good model, with worse replies."""

    def _habit(self, step: Step) -> str:
        """Return the error the model makes with a look-up."""
        if step.ret.startswith("list"):
            return ""
        if self.case.hidden is not None and step is self.case.steps[self.case.hidden]:
            return "memory"
        return _HABITS[sum(map(ord, step.value)) % len(_HABITS)]

    def _wrong(self, step: Step) -> Step:
        """Return a look-up with the model's version of the value."""
        if self._habit(step) != "memory":
            return step
        false = remember(step)
        return replace(step, value=false, given=false, said=step.said.replace(step.value, false))

    def _read(self) -> dict[str, Any]:
        reply = super()._read()
        if reply["next"] == "answer" or not self.passages:
            return reply
        queries = reply["next"] == "search" and self.case.hidden is None
        return reply if queries else self._answer(self.case.steps[-1])

    def _answer(self, step: Step) -> dict[str, Any]:
        wrong = self._wrong(step)
        if step.ret.startswith("list"):
            return super()._answer(step)
        said = wrong.said
        if step is self.case.steps[-1] and self.case.sentence and wrong is step:
            said = self.case.sentence
        return {"quotes": [self._quote(step)], "sentence": said, "value": wrong.given or wrong.value,
                "next": "answer", "confidence": 0.95}  # fmt: skip

    def _quote(self, step: Step) -> dict[str, Any]:
        """Return the words of the right passage, or of another for a wrong citation or a missing passage."""
        if self._is_shown(step) and self._habit(step) == "":
            return super()._quote(step)
        others = [(n, text) for n, text in self.passages if step.sentence not in text] or self.passages
        number, text = others[0]
        return {"passage": number, "text": text.split(". ")[0]}

    def _hop(self, step: Step) -> dict[str, Any]:
        return {**super()._hop(step), "value": self._wrong(step).given or self._wrong(step).value}

    def _is_listed(self, step: Step) -> bool:
        return super()._is_listed(step) or any(f" → {remember(step)}" in line for line in self.said.splitlines())

    def _conclude(self) -> dict[str, Any]:
        """Conclude a comparison in favour of the second thing, regardless of the values."""
        other = self.case.steps[-1].query.split()[0]
        quotes = [self._quote(step) for step in self.case.steps if self._is_shown(step)]
        said = f"{other} is the oldest of them, founded in {remember(self.case.steps[-1])}."
        return {"next": "answer", "quotes": quotes, "value": other, "sentence": said, "confidence": 0.95}

    def _sentences(self, mark: Any) -> Any:
        """Yield an answer with remembered values in place of the values in the passages."""
        case = self.case
        if case.kind == "comparison":
            yield self._conclude()["sentence"].replace(".", f"{mark(case.steps[-1])}.")
            return
        steps = case.steps[case.kind in FAN_OUTS :] if case.kind in {*FAN_OUTS, *FOLDER} else case.steps[-1:]
        listed = case.kind in {*FAN_OUTS, *FOLDER}
        for step in steps:
            said = self._wrong(step).said
            yield f"{'- ' * listed}{said[:-1]}{mark(step)}.{chr(10) * listed}"

    def _draft(self) -> str:
        numbers = [n for n, _ in self.passages] or [1]

        def mark(step: Step) -> str:
            right = next((n for n, text in self.passages if step.sentence in text), numbers[0])
            wrong = next((n for n in numbers if n != right), right)
            return f" [{wrong if self._habit(step) else right}]"

        told = "".join(self._sentences(mark))
        return f"MISSING: none\n{told}" if "`MISSING:`" in self.said else told

    def _shows(self, claim: str) -> str:  # noqa: ARG002 - as the good model has it
        """Return any words of a passage, without checking the claim."""
        return self.passages[0][1].split(". ")[0] if self.passages else ""
