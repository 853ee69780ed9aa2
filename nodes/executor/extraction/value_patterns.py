"""Value patterns: every value of a kind that a sentence gives the subject by a relation.

Each pattern is tight: subject, relation and value stand in one clause, with nothing between them but prepositions,
places and hedges. What fits none is left to a reader.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from weiwo.nodes.executor.extraction.clauses import Sentence
from weiwo.nodes.executor.extraction.date_patterns import SPANNED, date_after, dates_zh, span_in_brackets
from weiwo.nodes.executor.extraction.figure_patterns import stated_figures
from weiwo.nodes.executor.extraction.name_patterns import agents_zh, name_after, place_after, places_zh
from weiwo.nodes.executor.extraction.predicates import StatedValue, find_cues, predicate_start
from weiwo.text.relations import Relation

_Reader = Callable[[Sentence, int, Relation], StatedValue | None]
_READERS: Final[dict[str, _Reader]] = {"date": date_after, "agent": name_after, "place": place_after}
_READERS_ZH: Final = {"date": dates_zh, "agent": agents_zh, "place": places_zh}


def stated_values(sentence: Sentence, relation: Relation, kind: str) -> Iterator[StatedValue]:
    """Values of a kind (`date`, `quantity`, `agent`, `place`) that a sentence gives the subject by a relation."""
    if kind == "quantity":
        yield from stated_figures(sentence, relation)
        return
    if kind == "date" and relation.name in SPANNED:
        yield from span_in_brackets(sentence, relation.name)
    if sentence.han:
        yield from _READERS_ZH[kind](sentence, relation)
    for cue in find_cues(relation.says["en"], kind).finditer(sentence.folded):
        start = predicate_start(sentence, cue)
        found = _READERS[kind](sentence, cue.end(), relation) if start >= 0 else None
        if found is not None:
            yield replace(found, start=min(start, found.start))
