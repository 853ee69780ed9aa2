"""Answer without a model: provable statements, then extracts in the sources' own words.

Nothing is asserted beyond the statements that `compose` makes from outcomes. Missing answers are replaced by the
closest passages, with the best sentences in bold, in neutral words.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from weiwo.nodes.shared.ledger import describe_failure
from weiwo.nodes.shared.planning.plan_rules import document_languages
from weiwo.nodes.shared.planning.references import fill_text
from weiwo.nodes.shared.prompting.passage_prompt import without_orders
from weiwo.nodes.shared.run_context import RunContext
from weiwo.nodes.writer.claims import check_piece
from weiwo.nodes.writer.compose import DISPUTED, Statement, compose_statements
from weiwo.nodes.writer.document import list_claim_places
from weiwo.nodes.writer.extracts import Extracts, build_quote_extracts, choose_extracts
from weiwo.nodes.writer.pieces import add_marks, all_supported
from weiwo.nodes.writer.prompt import current_outcomes
from weiwo.nodes.writer.row_advice import advise_on_rows
from weiwo.nodes.writer.shared_sentence import SharedSentence, find_shared_sentence
from weiwo.nodes.writer.sources import CitableSources
from weiwo.state import Claim, Evidence, Language, Outcome, Plan, Task
from weiwo.state.evidence import UNSCORED
from weiwo.state.ledger import Lead
from weiwo.state.query import QueryFrame, Talk
from weiwo.state.search import SearchState
from weiwo.text.citation_marks import shield_brackets
from weiwo.text.dates import find_dates
from weiwo.text.language import HAN
from weiwo.text.lists import join_names
from weiwo.text.localization import localized_section
from weiwo.text.patterns import lazy
from weiwo.text.printable import one_line

_LEADS: Final = localized_section("writer.rule_answer.leads")
_TALK: Final = localized_section("writer.rule_answer.small_talk")
_WEB: Final = "web_search"
_HAN: Final = lazy(f"[{HAN}]")
_OTHER_SCRIPT: Final = frozenset({"other_language", "chinese"})
_MOST_PERIODS: Final = 3
_LONGEST_QUERY: Final = 120
_DOORS: Final = localized_section("writer.rule_answer.doors")


@dataclass(frozen=True)
class RuleAnswer:
    """An answer by rule.

    Attributes:
        statements: The assertions, and the disagreements of the sources. Each consists of sentences with their marks,
            the checked claims, and whether a model read the value. Half of a comparison is no statement. Of several
            questions in one, the answered ones are stated.
        mechanisms: The mechanisms behind the assertions, such as `comparison:date`, each once. Empty for disagreements.
        extracts: The passages shown, and whether they are about the question's subject.
        shared: A sentence of several documents with other values in each, shown once above the passages. None without.
        language: The language of the answer.
        whole: Whether the statements answer the whole question.
        told: The ids of the tasks whose values the statements tell.
        failures: Components that could not be asked, a line each.
        open: Of several questions in one, the unanswered ones, if another is answered.
        doors: Names in `_DOORS` of ways to find more, such as "web".
        thin: A name in `_LEADS` for the reason why little was found, such as "web_failed". Empty if none is known.
        reason: The text that fills the placeholder of the message `thin`.
        unscored: Whether all passages shown come from stores without scores. None of them is then called close.
    """

    statements: tuple[tuple[str, list[Claim], bool], ...]
    mechanisms: list[str]
    extracts: Extracts
    shared: SharedSentence | None
    language: Language
    whole: bool
    told: frozenset[str]
    failures: tuple[str, ...]
    open: tuple[str, ...]
    doors: tuple[str, ...]
    thin: str = ""
    reason: str = ""
    unscored: bool = False

    @property
    def shows_subject(self) -> bool:
        """Report whether possible answers are shown as passages, beside or instead of statements.

        False if statements answer the whole question.
        """
        may_answer = self.extracts.about_subject or self.lead_kind == "neutral"
        return not self.whole and bool(self.extracts.items) and may_answer

    @property
    def lead_kind(self) -> Lead:
        """Kind of the beginning: "answer", "denial" (nothing on the subject was found) or "neutral".

        An assertion, or a sentence with most words of the question, is an answer. A failed search denies nothing. A
        search among documents in another script denies nothing either, because a suitable search might have found the
        answer.
        """
        if self.mechanisms:
            return "answer"
        if self.failures or self.statements:
            return "neutral"
        if self.extracts.answers and not self.extracts.absent:
            return "answer"
        if self.thin in _OTHER_SCRIPT:
            return "neutral"
        denies = self.extracts.absent and not self.extracts.about_subject
        return "denial" if denies or not self.extracts.items else "neutral"

    @property
    def lead(self) -> str:
        """Text above the extracts: failures, a denial, or open questions. Empty if there is nothing to say."""
        words = _LEADS[self.language]
        if self.failures and not self.statements:
            return "\n".join(self.failures)
        if self.open:
            return words["rest"].format(open=" ".join(self.open)) if self.extracts.items else ""
        if self.lead_kind != "denial":
            return ""
        if not self.extracts.absent:
            return words["none"]
        return words["denied"].format(subject=join_names(self.extracts.absent, self.language))

    @property
    def notices(self) -> tuple[str, ...]:
        """Notices about the shown passages, a line each: how they relate to the question, and how to find more.

        Empty if there are statements. The second is given only if no passage is about the subject, if a name of the
        question occurs nowhere, or if a reason for the few results is known.
        """
        return tuple(filter(None, (self._describe_extracts(), self._advise())))

    def _describe_extracts(self) -> str:
        words, extracts = _LEADS[self.language], self.extracts
        if self.statements or not extracts.items:
            return ""
        if self.unscored:
            return words["unscored"]
        if extracts.absent and self.lead_kind == "neutral":
            return words["partly"].format(subject=join_names(extracts.absent, self.language))
        if extracts.periods and extracts.about_subject:
            shown, more = extracts.periods[:_MOST_PERIODS], len(extracts.periods) - _MOST_PERIODS
            others = (words["more_periods"].format(more),) if more > 0 else ()
            return words["periods"].format(join_names((*shown, *others), self.language))
        return "" if extracts.answers else words["extracts"]

    def _advise(self) -> str:
        if self.statements:
            return ""
        if self.thin:
            return _LEADS[self.language][self.thin].format(self.reason)
        if self.extracts.about_subject and not self.extracts.absent:
            return ""
        doors = [_DOORS[self.language][door] for door in self.doors]
        return _LEADS[self.language]["doors"].format(join_names(doors, self.language, either=True))


def _check_statements(
    frame: QueryFrame,
    plan: Plan | None,
    outcomes: Mapping[str, Outcome],
    sources: CitableSources,
    titles: Sequence[str],
) -> tuple[list[tuple[Statement, str, list[Claim]]], bool]:
    """Return the statements that pass the claim check, and whether any was dropped.

    Each statement comes with its sentences, as text with marks, and its claims.
    """
    told: list[tuple[Statement, str, list[Claim]]] = []
    given, dropped = sources.for_claims(frame.question), False
    for statement in compose_statements(plan, outcomes, frame.language, titles) if plan else ():
        numbers = sources.numbers_of(statement.evidence_ids, statement.computed_by)
        sentence = add_marks(shield_brackets(statement.text), "".join(f"[{n}]" for n in numbers), frame.language)
        claims = [checked.claim for checked in check_piece(sentence, given)]
        if not all_supported(claims):
            dropped = True
            continue
        first = claims[0].model_copy(update={"text": statement.verdict + claims[0].text})
        cells = [Claim(text=cell, citations=tuple(numbers), verdict="computed") for cell in _cells(statement.table)]
        sentence += f"\n\n{statement.table}" if statement.table else ""
        told.append((statement, statement.verdict + sentence, [first, *claims[1:], *cells]))
    return told, dropped


def answer_by_rule(state: SearchState, sources: CitableSources, services: RunContext, broken: str = "") -> RuleAnswer:
    """Return an answer without a model. CPU-bound and reads indexes, so call it in a thread.

    A statement that the claim check does not pass is left out.

    Args:
        state: The state of the finished run.
        sources: The sources that may be cited.
        services: The tools, and whether a model is set up.
        broken: The reason why a model's draft ended early, or empty if no draft broke off.
    """
    frame, plan, outcomes = state["assessment"].frame, state.get("plan"), current_outcomes(state)
    passages = [without_orders(passage) for passage in sources.evidence]
    finals = plan.final_ids if plan else ()
    told, dropped = _check_statements(frame, plan, outcomes, sources, [passage.title for passage in passages])
    dropped = dropped or not finals or any(not (name in outcomes and outcomes[name].usable) for name in finals)
    usable = [outcome for outcome in outcomes.values() if outcome.usable]
    disputes = [item for item in told if item[0].mechanism == DISPUTED]
    if any(_are_of_different_dates(outcomes[item.task_id]) for item, _, _ in disputes):
        told, disputes, dropped = [], [], True
    whole = bool(told) and not dropped and not disputes
    left: list[Task] = []
    if disputes:
        told = disputes
    elif not whole:
        answered = {item[0].task_id for item in told}
        if plan and frame.shape == "several":
            left = [plan.task(name) for name in finals if name not in answered]
        told = [item for item in told if left and item[0].task_id in finals]
    quotes = [quote for outcome in usable for quote in outcome.quotes]
    quotes += [quote for outcome in usable for rival in outcome.rivals for quote in rival.quotes]
    extracts = build_quote_extracts(quotes, passages, frame.language) if told and not left else None
    extracts = extracts or choose_extracts(frame, passages)
    alike = not told and not extracts.absent and not extracts.periods
    shared = find_shared_sentence(frame.question, extracts.items, passages) if alike else None
    if shared is not None:
        extracts = _put_first(shared, extracts, passages, frame.language)
    thin, reason = _explain_thinness(frame.question, passages, outcomes.values(), services)
    failures = _list_failures(state, frame.language)
    if not (thin or failures):
        reason = advise_on_rows(frame.question, extracts.items, services, frame.language)
        thin = "rows" if reason else ""
    flagged = {passage.id for passage in passages if UNSCORED in passage.flags}
    return RuleAnswer(
        unscored=bool(extracts.items) and all(item.evidence_id in flagged for item in extracts.items),
        statements=tuple(
            (sentence, claims, outcomes[item.task_id].decided_by == "model") for item, sentence, claims in told
        ),
        mechanisms=[] if disputes else list(dict.fromkeys(statement.mechanism for statement, _, _ in told)),
        extracts=extracts,
        shared=shared,
        language=frame.language,
        whole=whole,
        told=frozenset(item.task_id for item, _, _ in told),
        failures=failures,
        open=tuple(fill_text(task.description, outcomes, frame.language) for task in left) if told else (),
        doors=tuple(_find_doors(broken, services)),
        thin=thin,
        reason=reason,
    )


def _put_first(
    shared: SharedSentence, extracts: Extracts, passages: Sequence[Evidence], language: Language
) -> Extracts:
    """Return the extracts, the passages with a shared sentence first, renumbered from 1."""
    by_id = {passage.id: passage for passage in passages}
    first = build_quote_extracts(shared.quotes, [by_id[quote.evidence_id] for quote in shared.quotes], language).items
    ids = {item.evidence_id for item in first}
    items = (*first, *(item for item in extracts.items if item.evidence_id not in ids))
    return replace(extracts, items=tuple(item.model_copy(update={"n": n}) for n, item in enumerate(items, 1)))


def _list_failures(state: SearchState, language: Language) -> tuple[str, ...]:
    """Return a line for each component that failed for a part of the question. Empty if none did."""
    ledger = state.get("ledger")
    failed = ledger.failed_parts if ledger is not None else ()
    return tuple(dict.fromkeys(describe_failure(part, language) for part in failed))


def _cells(table: str) -> list[str]:
    """Return the cells of a Markdown table that are claims, as text. Empty for an empty table."""
    return [table[start:end] for start, end in list_claim_places(table)] if table else []


def _are_of_different_dates(outcome: Outcome) -> bool:
    """Report whether each quote of a disputed value names a date of its own, so that there is no dispute.

    "500 euros in 2020" and "600 euros in 2021" do not contradict each other. False if a quote names no date.
    """
    quotes = [*outcome.quotes, *(quote for rival in outcome.rivals for quote in rival.quotes)]
    dates = [frozenset(span.date for span in find_dates(quote.text)) for quote in quotes]
    return all(dates) and len(set(dates)) == len(dates)


def _explain_thinness(
    question: str, passages: Sequence[Evidence], outcomes: Iterable[Outcome], services: RunContext
) -> tuple[str, str]:
    """Return a name in `_LEADS` for the reason why little was found, and the text for its placeholder.

    The reasons are "web_failed" (it did not answer), "web_empty" (with the query), and "other_language" or "chinese"
    (all passages are in another script). Both are empty if no reason is known.
    """
    traces = [outcome.trace for outcome in outcomes]
    if not any(passage.tool == _WEB for passage in passages):
        if any(why.startswith(f"{_WEB}: ") for trace in traces for why in trace.unanswered):
            return "web_failed", ""
        if queries := [query for trace in traces for tool, query in trace.searches if tool == _WEB]:
            return "web_empty", one_line(queries[0], _LONGEST_QUERY)
    asked, told = _HAN.search(question) is not None, {_HAN.search(passage.text) is not None for passage in passages}
    if not passages:  # a search by words finds nothing in another script
        told = {language == "zh" for language in document_languages(services)}
    if not told or asked in told:
        return "", ""
    return "other_language" if asked else "chinese", ""


def _find_doors(broken: str, services: RunContext) -> Iterator[str]:
    """Yield the names in `_DOORS` of ways to find more than this run did, like "web" if no web search is set up.

    "again" is not offered if a limit kept a model from writing, because the stop reason already says so.
    """
    budget = services.budget
    yield "documents"
    if "web_search" not in services.registry.names():
        yield "web"
    if not services.models.has_decision_model("writer"):
        yield "model"
    elif broken and not budget.find_exhausted_limit() and min(budget.calls_left(), budget.tokens_left()) > 0:
        yield "again"


def reply_to_small_talk(talk: Talk | None, language: Language, *, silent_model: bool = False) -> str:
    """Return the reply to small talk, a question about Weiwo itself, or a request for writing.

    Args:
        talk: The kind of conversation, as in `QueryFrame.talk`. None asks for the introduction.
        language: The language to answer in.
        silent_model: Whether a model is configured, but did not answer.
    """
    words = _TALK[language]
    state = words["silent_model" if silent_model else "no_model"]
    return words[talk or "ability"].format(state=state, advice="" if silent_model else words["advice"])
