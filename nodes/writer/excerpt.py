"""Extract of a passage: the text shown, cut to the chosen sentences and those around them, with highlights."""

from collections.abc import Collection, Sequence
from itertools import islice, pairwise
from typing import Final

from weiwo.nodes.writer.parsed_passage import ParsedPassage, PassageSentence
from weiwo.state import Language
from weiwo.state.answer import Extract
from weiwo.text.localization import localize_message
from weiwo.text.patterns import lazy

WHOLE: Final = 1_000
"""Most characters of a passage that is shown whole, and approximate length of an excerpt from a longer one."""
QUOTED: Final = 300
"""Characters as for `WHOLE`, for a passage shown only for the words quoted by an assertion."""
_SUPERSEDED: Final = localize_message("writer.extracts", "superseded")
_CUT: Final = " … "
_CUT_LINE: Final = " …\n"
_LEANING: Final = lazy(
    r"(?i)(?:he|she|it|they|his|her|its|their|this|these|those|that|such|both|the (?:former|latter))\b"
    r"|[他她它该其此这那]|两者|前者|后者|同年|当时"
)


def build_extract(
    passage: ParsedPassage,
    chosen: Sequence[PassageSentence],
    n: int,
    score: float,
    language: Language,
    length: int = WHOLE,
) -> Extract:
    """Return a passage as an extract.

    Args:
        passage: The passage.
        chosen: The sentences to highlight.
        n: Its number.
        score: Its score.
        language: The language of the answer.
        length: Most characters shown whole. A longer passage is cut to about this length.
    """
    evidence = passage.evidence
    title = evidence.title or evidence.source
    text, highlights = _excerpt(passage, chosen, length)
    return Extract.model_construct(  # which builds no validator: `weiwo search` starts without
        n=n,
        source=evidence.source,
        title=f"{title} {_SUPERSEDED[language].format(evidence.superseded_by)}" if evidence.superseded_by else title,
        text=text,
        highlights=highlights,
        score=score,
        evidence_id=evidence.id,
        locator=evidence.locator,
        headings=evidence.headings,
        context=evidence.context,
    )


def _excerpt(
    passage: ParsedPassage, chosen: Sequence[PassageSentence], length: int
) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Return the text to show of a passage, and the spans of the highlights in this text.

    A passage longer than `length` is cut to the highlighted sentences and those nearest to them.
    """
    whole, every = passage.evidence.text, passage.sentences
    if len(whole) <= length:
        return whole, tuple(sorted((sentence.start, sentence.end) for sentence in chosen))
    kept = {at for at, item in enumerate(every) if item in chosen} or {0}
    for at in sorted(kept):
        if at and _LEANING.match(whole, every[at].start):
            kept.add(at - 1)
        above = (n for n in range(at - 1, -1, -1) if every[n].is_heading)
        kept.update(islice(above, 1))  # a row means nothing without its header
    budget = length - sum(every[at].end - every[at].start for at in kept)
    for at in sorted(set(range(len(every))) - kept, key=lambda at: min(abs(at - item) for item in kept)):
        budget -= every[at].end - every[at].start
        if budget < 0:
            break
        kept.add(at)
    return _join_sentences(whole, every, sorted(kept), {sentence.start for sentence in chosen})


def _join_sentences(
    whole: str, every: Sequence[PassageSentence], kept: Sequence[int], chosen: Collection[int]
) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Return some sentences as one text with "…" for those left out, and the spans of the highlights in this text.

    Args:
        whole: The passage.
        every: All its sentences.
        kept: Indexes of the sentences to join, in order.
        chosen: Starts of the sentences to highlight.
    """
    text, highlights = "", []
    for before, at in pairwise([-1, *kept]):
        sentence = every[at]
        if at:
            text += (
                whole[every[before].end : sentence.start]
                if text and at == before + 1
                else (_CUT_LINE if text and whole[sentence.start - 1] == "\n" else _CUT[not text :])
            )
        if sentence.start in chosen:
            highlights.append((len(text), len(text) + sentence.end - sentence.start))
        text += whole[sentence.start : sentence.end]
    return text if kept[-1] == len(every) - 1 else text + _CUT.rstrip(), tuple(highlights)
