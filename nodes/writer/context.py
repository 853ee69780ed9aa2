"""Context of the writer: the run's state, citable sources, and the model's prompt."""

from dataclasses import dataclass, replace
from functools import partial

from langchain_core.messages import HumanMessage, SystemMessage

from weiwo.nodes.shared.prompting.context_packing import PackedPassages, pack_passages
from weiwo.nodes.shared.prompting.sanitizer import AnswerSanitizer
from weiwo.nodes.shared.run_context import RunContext
from weiwo.nodes.writer.generate import DraftPrompt
from weiwo.nodes.writer.prompt import current_outcomes, findings_prompt, is_left_to_draft, writer_instructions
from weiwo.nodes.writer.report.section import ReportDraft
from weiwo.nodes.writer.sources import CitableSources, collect_quotes, gather_sources
from weiwo.nodes.writer.written_answer import WrittenAnswer
from weiwo.state.search import SearchState
from weiwo.text.offloading import offload_reading

_WRITER = "writer"


@dataclass(frozen=True)
class WriterContext:
    """All that an answerer is given. Nothing in it changes while that answerer runs.

    Attributes:
        state: The state of the run.
        services: The models and the budget.
        sources: All citable sources. Shown sources come first.
        prompt: The prompt of a draft over these sources.
        written: The parts written by earlier answerers.
        report: A report with sections already written. None if there is none.
    """

    state: SearchState
    services: RunContext
    sources: CitableSources
    prompt: DraftPrompt
    written: WrittenAnswer
    report: ReportDraft | None = None

    @property
    def question(self) -> str:
        """The user's question."""
        return self.state["assessment"].question

    @property
    def is_searched(self) -> bool:
        """Report whether anything was searched for this answer."""
        return self.state["assessment"].level != "simple"

    @property
    def has_found(self) -> bool:
        """Report whether any task has an answer."""
        return any(outcome.answers for outcome in current_outcomes(self.state).values())

    @property
    def asks_coverage(self) -> bool:
        """Report whether the draft has to begin with a line that names the unanswered parts of the question."""
        return is_left_to_draft(self.state)

    def sanitizer(self, sources: CitableSources | None = None) -> AnswerSanitizer:
        """Return the sanitizer for text over the given sources, or over all sources if None."""
        evidence = (sources or self.sources).evidence
        return AnswerSanitizer(evidence, self.question, self.services.language)


async def open_writer_context(state: SearchState, services: RunContext, report: ReportDraft | None) -> WriterContext:
    """Return the context of an answer: its sources and, if a large model writes, the prompt with those that fit.

    Args:
        state: The state of the run.
        services: The models.
        report: A report with sections already written. It cites the sources of its own outline.
    """
    sources = gather_sources(state.get("plan"), state.get("outcomes", {}), state.get("evidence", {}), services.language)
    prompt = DraftPrompt(sources)
    if services.models.has_decision_model(_WRITER) and sources.items:
        fitted = await _fit_passages(state, services, sources)
        sources = _number_as_shown(sources, fitted)
        prompt = _compose_prompt(state, services, sources, fitted)
    return WriterContext(state, services, sources, prompt, WrittenAnswer(sources), report)


async def shorten_prompt(context: WriterContext) -> DraftPrompt:
    """Return the prompt with as many sources as fit the model's context window as it is now known.

    The numbers of sources stay.
    """
    fitted = await _fit_passages(context.state, context.services, context.sources)
    return _compose_prompt(context.state, context.services, context.sources, fitted)


async def _fit_passages(state: SearchState, services: RunContext, sources: CitableSources) -> PackedPassages:
    await services.models.ready(_WRITER)
    calculations = tuple(source for source in sources.items if source.evidence is None)
    bare = findings_prompt(state, services, replace(sources, items=calculations))
    return await offload_reading(
        sources.evidence,
        pack_passages,
        sources.evidence,
        state["assessment"].question,
        services.models.room(_WRITER, writer_instructions(services.language), bare),
        partial(services.models.count, _WRITER),
        held=collect_quotes(current_outcomes(state).values()),
    )


def _number_as_shown(sources: CitableSources, fitted: PackedPassages) -> CitableSources:
    """Return the sources renumbered from 1: passages shown in the prompt, then calculations, then further passages."""
    passages = {source.evidence.id: source for source in sources.items if source.evidence is not None}
    shown = [passages.pop(passage.id) for passage in fitted.shown]
    calculations = [source for source in sources.items if source.evidence is None]
    ordered = enumerate((*shown, *calculations, *passages.values()), 1)
    return replace(sources, items=tuple(replace(source, n=n) for n, source in ordered))


def _compose_prompt(
    state: SearchState, services: RunContext, sources: CitableSources, fitted: PackedPassages
) -> DraftPrompt:
    passages = {source.evidence.id: source for source in sources.items if source.evidence is not None}
    calculations = [source for source in sources.items if source.evidence is None]
    citable = (*(passages[passage.id] for passage in fitted.shown), *calculations)
    as_shown = (replace(passages[passage.id], evidence=passage) for passage in fitted.shown)
    text = findings_prompt(state, services, replace(sources, items=(*as_shown, *calculations)))
    messages = (SystemMessage(writer_instructions(services.language)), HumanMessage(text))
    return DraftPrompt(replace(sources, items=citable), messages, fitted.left_out, fitted.cut)
