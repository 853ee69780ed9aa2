"""The answer without a model: statements that can be shown, then extracts, the sources' own words.

Nothing is asserted beyond what `compose` makes of outcomes; what was not found is answered by the closest passages, the
sentences that fit best in bold, in neutral words.
"""

from dataclasses import dataclass
from typing import Final

from weiwo.nodes.writer.compose import DISPUTED, Statement, compose_statements
from weiwo.nodes.writer.draft import Draft, add_marks, all_supported
from weiwo.nodes.writer.extracts import Extracts, build_quote_extracts, choose_extracts
from weiwo.nodes.writer.prompt import current_outcomes
from weiwo.state import Claim, Extract, Language, Status
from weiwo.state.search import SearchState

_LEADS: Final[dict[Language, dict[str, str]]] = {
    "en": {
        "asserted": "What the sources say:",
        "extracts": "Nothing definite was found by rule; the closest passages:",
        "nearest": "No passage speaks of {subject}. The nearest there is:",
        "none": "No passage was found. Add documents, allow a web search, or set up a model.",
        "doors": "To find more: add documents about it, allow a web search, or set up a model.",
    },
    "zh": {
        "asserted": "来源原文：",
        "extracts": "规则没有找到确定的答案；最接近的段落：",
        "nearest": "没有段落谈到{subject}。最接近的内容：",
        "none": "没有找到任何段落。可以添加文档、允许网络搜索，或者配置模型。",
        "doors": "要找到更多：添加相关文档、允许网络搜索，或者配置模型。",
    },
}
_THIS: Final[dict[Language, str]] = {"en": "this", "zh": "这个问题"}


@dataclass(frozen=True)
class RuleAnswer:
    """An answer by rule.

    Attributes:
        statements: What is asserted, or where the sources disagree: sentences with their marks, and their checked
            claims. Half an answer is none.
        mechanisms: The mechanisms that assert them, each once.
        extracts: The passages shown, and whether they speak of the question's subject.
        language: The language of the answer.
        subject: What the question asks about.
        whole: Whether the statements answer the whole question.
    """

    statements: tuple[tuple[str, list[Claim]], ...]
    mechanisms: list[str]
    extracts: Extracts
    language: Language
    subject: str
    whole: bool

    @property
    def status(self) -> tuple[Status, str]:
        """The status that these statements and extracts amount to, with the stop reason."""
        if self.whole:
            return "complete", "finished"
        if self.extracts.items and self.extracts.about_subject:
            return "extracts", "finished"
        return "partial", "not_found"

    @property
    def lead(self) -> str:
        """The neutral words above the extracts."""
        words = _LEADS[self.language]
        if not self.extracts.items:
            return "" if self.statements else words["none"]
        if self.statements:
            return words["asserted"]
        if self.extracts.about_subject:
            return words["extracts"]
        return words["nearest"].format(subject=self.subject or _THIS[self.language])

    @property
    def advice(self) -> str:
        """What would find more, said only where no passage speaks of the subject."""
        missed = self.extracts.items and not self.extracts.about_subject and not self.statements
        return _LEADS[self.language]["doors"] if missed else ""


def answer_by_rule(state: SearchState, draft: Draft) -> RuleAnswer:
    """Put together what can be said and shown without a model. CPU-bound; call it through `asyncio.to_thread`.

    A statement that the claim check does not pass is left out.

    Args:
        state: What the run came to.
        draft: The answer so far, whose sources may be cited.
    """
    frame, plan, outcomes = state["assessment"].frame, state.get("plan"), current_outcomes(state)
    told: list[tuple[Statement, str, list[Claim]]] = []
    titles = [source.evidence.title for source in draft.sources.items if source.evidence is not None]
    dropped = plan is None or any(not (name in outcomes and outcomes[name].usable) for name in plan.final_ids)
    for statement in compose_statements(plan, outcomes, frame.language, titles) if plan else ():
        numbers = draft.sources.numbers_of(statement.evidence_ids, statement.computed_by)
        sentence = add_marks(statement.text, "".join(f"[{n}]" for n in numbers), frame.language)
        claims = draft.check(sentence, frame.question)
        if all_supported(claims):
            first = claims[0].model_copy(update={"text": statement.verdict + claims[0].text})
            told.append((statement, statement.verdict + sentence, [first, *claims[1:]]))
        else:
            dropped = True
    passages = [source.evidence for source in draft.sources.items if source.evidence is not None]
    usable = [outcome for outcome in outcomes.values() if outcome.usable]
    disputes = [one for one in told if one[0].mechanism == DISPUTED]
    whole = bool(told) and not dropped and not disputes
    told = disputes or (told if whole else [])
    quotes = [quote for outcome in usable for quote in outcome.quotes]
    quotes += [quote for outcome in usable for rival in outcome.rivals for quote in rival.quotes]
    return RuleAnswer(
        statements=tuple((sentence, claims) for _, sentence, claims in told),
        mechanisms=list(dict.fromkeys(statement.mechanism for statement, _, _ in told)) if whole else [],
        extracts=build_quote_extracts(quotes, passages, frame.language) if told else choose_extracts(frame, passages),
        language=frame.language,
        subject=frame.subject,
        whole=whole,
    )


def format_extract(extract: Extract, mark: str) -> str:
    """One extract as a Markdown quote, its highlights in bold, its title and number above."""
    text, position = "", 0
    for start, end in _join_touching(extract):
        bold = extract.text[start:end].strip()
        text += extract.text[position:start] + (f"**{bold}**" if bold else "")
        position = end
    text += extract.text[position:]
    body = "\n".join(f"> {line}" for line in text.strip().splitlines() if line.strip())
    return f"\n\n{extract.title} {mark}\n\n{body}"


def _join_touching(extract: Extract) -> list[tuple[int, int]]:
    """The highlights, those with nothing between them as one: `**A****B**` is no bold in Markdown."""
    joined: list[tuple[int, int]] = []
    for start, end in extract.highlights:
        touches = joined and joined[-1][1] == start and not extract.text[start - 1].isspace()
        joined.append((joined.pop()[0] if touches else start, end))
    return joined
