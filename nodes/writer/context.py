"""What the writer is shown: as many sources as its model has room for, and the numbers under which it may cite them."""

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from weiwo.nodes.shared.prompting.context_packing import pack_passages
from weiwo.nodes.shared.run_context import RunContext
from weiwo.nodes.writer.opening import PartCheck
from weiwo.nodes.writer.prompt import current_outcomes, findings_prompt, is_left_to_draft
from weiwo.nodes.writer.sources import CitableSources, list_relied_on
from weiwo.state import Outcome
from weiwo.state.search import SearchState

_WRITER = "writer"


class WriterContext:
    """Context of the writer: its prompt, the sources packed into the model's window.

    Args:
        state: What the run came to.
        services: The models.
        sources: All there are.
        system: The writer's instructions.

    Attributes:
        sources: All there are, renumbered: those that are shown first.
        citable: Those that are shown, and the calculations; they share their final numbers with `sources`.
        messages: The prompt.
        left_out: Passages that there was no room for.
        cut: Passages that are shown in part.
        check: What the draft says of the question's parts; None where it is not asked.
    """

    def __init__(self, state: SearchState, services: RunContext, sources: CitableSources, system: str) -> None:
        self._state = state
        self._services = services
        self._system = system
        self.sources = self.citable = sources
        self.messages: list[BaseMessage] = []
        self.left_out = self.cut = 0
        self.check = PartCheck() if is_left_to_draft(state) else None

    async def pack_sources(self) -> None:
        """Choose what is shown, by what is known of the model now."""
        await self._services.models.ready(_WRITER)
        models, all_ = self._services.models, self.sources
        calculations = [source for source in all_.items if source.evidence is None]
        bare = findings_prompt(self._state, self._services, CitableSources(tuple(calculations), all_.language))
        passages = {source.evidence.id: source for source in all_.items if source.evidence is not None}
        fitted = await asyncio.to_thread(
            pack_passages,
            all_.evidence,
            self._state["assessment"].question,
            models.room(_WRITER, self._system, bare),
            partial(models.count, _WRITER),
            held=collect_quotes(current_outcomes(self._state).values()),
        )
        self.left_out, self.cut = fitted.left_out, fitted.cut
        shown = [passages.pop(passage.id) for passage in fitted.shown]
        items = tuple(replace(source, n=n) for n, source in enumerate((*shown, *calculations, *passages.values()), 1))
        self.sources = replace(all_, items=items)
        visible = items[: len(shown) + len(calculations)]
        self.citable = CitableSources(visible, all_.language, self.sources.final, all_.assumed)
        as_shown = [replace(source, evidence=part) for source, part in zip(visible, fitted.shown, strict=False)]
        prompt = findings_prompt(
            self._state, self._services, CitableSources((*as_shown, *visible[len(shown) :]), all_.language)
        )
        self.messages = [SystemMessage(self._system), HumanMessage(prompt)]


def collect_quotes(outcomes: Iterable[Outcome]) -> dict[str, list[str]]:
    """The passages that outcomes rest on or are disputed by, with the words that carry the values."""
    carrying: dict[str, list[str]] = {}
    for outcome in outcomes:
        for key in list_relied_on(outcome):
            carrying.setdefault(key, [])
        for quote in (*outcome.quotes, *(quote for rival in outcome.rivals for quote in rival.quotes)):
            carrying.setdefault(quote.evidence_id, []).append(quote.text)
    return carrying
