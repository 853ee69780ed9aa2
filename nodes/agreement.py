"""What independent sources make of one question: how many give the value, and who gives another.

The passages of each source are read by themselves, by rule, whoever read the value out of all of them. A source that
comes to the same supports it. One that comes to another is a rival only where it cannot mean the same: it speaks of the
very subject, says what is asked of it, and is neither vaguer, nor rounded, nor of another year
(`nodes.rules.reading.sameness`). A disagreement that is none would cost a reader more trust than one not noticed.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from nodes.rules.read import read
from nodes.rules.reading.asked import Asked, analyse
from nodes.rules.reading.results import Reading
from nodes.rules.reading.sameness import Stated, carries, contradicts, same, unit_in
from state import Evidence, Language, Rival, ValueType
from text.names import names
from text.near import Known, Told, copied
from text.patterns import lazy
from tools.web.urls import site_of

MOST_SOURCES: Final = 8
"""Sources that are read by themselves, best first."""

MOST_RIVALS: Final = 2
NEARLY: Final = 0.89
"""Share of the confidence in the value from which another value stands against it."""

UNREAD: Final = 0.8
"""Confidence in a value that the rules could not read in any source by itself, as against rivals."""

DOUBT_LEFT: Final = 0.75
"""Share of the doubt in a value that each further independent source leaves."""

MOST_CONFIDENT: Final = 0.99
LEAST_SHARE: Final = 0.5
_LONGEST: Final = 120
_BEGINS: Final = lazy(r"(?i)(?:\A|[,;:，；：]|\bthat)\s*(?:the )?\Z")
"""What stands before the subject of a clause."""
_COUNTED: Final = frozenset({"text", "number", "date", "boolean"})


@dataclass(frozen=True)
class _Voice:
    """What one independent source says.

    Attributes:
        passages: Its passages.
        reading: What is read in them alone.
        stated: The value and the words around it.
    """

    passages: tuple[Evidence, ...]
    reading: Reading
    stated: Stated

    @property
    def sentence(self) -> str:
        """The words that carry its value."""
        return self.reading.quotes[0].text if self.reading.quotes else ""


def weighed(
    reading: Reading,
    question: str,
    ret: ValueType,
    passages: Sequence[Evidence],
    language: Language,
    rivals: Sequence[Rival] = (),
) -> Reading:
    """A reading with the independent sources that give its value counted, and those that give another told.

    With `k` sources for the value and `r` for others, confidence `c` becomes
    `(1 - (1 - c) * DOUBT_LEFT ** (k - 1)) * max(LEAST_SHARE, k / (k + r))`, at most `MOST_CONFIDENT`.

    CPU-bound, about as long as reading the passages by rule; call it through `asyncio.to_thread`.

    Args:
        reading: What a model or the rules read.
        question: The task, its references filled.
        ret: The wanted type. Of lists and passages nothing is counted, nor of explanations.
        passages: What was read, best first.
        language: The question's language.
        rivals: What the reader itself saw others give; kept unless it is the value in other words.

    Returns:
        The reading with `support`, `rivals` and `confidence` set.
    """
    asked = analyse(question, ret)
    if reading.value is None or ret not in _COUNTED or asked.open or len(str(reading.value)) > _LONGEST:
        return reading
    value = _stated(reading, {passage.id: passage for passage in passages})
    voices = list(_voices(question, ret, passages, language))
    cited = [quote.evidence_id for quote in reading.quotes] or list(reading.evidence_ids)
    giving = [
        voice
        for voice in voices
        if any(passage.id in cited[:1] for passage in voice.passages)
        or (voice.reading.value is not None and same(asked, value, voice.stated))
        or any(q.evidence_id in {p.id for p in voice.passages} and carries(q.text, value) for q in reading.quotes)
    ]
    words = _words_of(reading)
    said = [next((words[p.id] for p in voice.passages if p.id in words), voice.sentence) for voice in giving]
    support = max(1, _distinct(said))  # the source itself, where it is too far down to be read apart
    others = [voice for voice in voices if voice not in giving]
    against = [*_told(asked, value, rivals), *_rivals(asked, value, giving, others)]
    grouped = _grouped(asked, value, against)
    share = max(LEAST_SHARE, support / (support + sum(_distinct(q.text for q in one.quotes) for one in grouped)))
    raised = 1 - (1 - reading.confidence) * DOUBT_LEFT ** max(0, support - 1)
    confidence = round(min(max(MOST_CONFIDENT, reading.confidence), raised) * (share if grouped else 1.0), 3)
    return replace(reading, support=support, rivals=tuple(grouped[:MOST_RIVALS]), confidence=confidence)


def independent(passages: Sequence[Evidence]) -> list[tuple[Evidence, ...]]:
    """Passages by source, best first: those of one site, or of one text, are one source; a file is its own.

    Args:
        passages: Passages, best first.
    """
    groups: list[list[Evidence]] = []
    sites: dict[str, int] = {}
    texts, place_of_text = Known(), list[int]()
    for passage in passages:
        site, same_text = site_of(passage.source), texts.add(Told.of(passage.text))
        place = sites.get(site, place_of_text[same_text] if same_text is not None else len(groups))
        if place == len(groups):
            groups.append([])
        groups[place].append(passage)
        sites.setdefault(site, place)
        place_of_text.append(place)
    return [tuple(group) for group in groups]


def _voices(question: str, ret: ValueType, passages: Sequence[Evidence], language: Language) -> Iterator[_Voice]:
    sources = independent(passages)[:MOST_SOURCES]
    for source in sources:
        # Of one source alone there is nothing to compare.
        apart = read(question, ret, source, language) if len(sources) > 1 else Reading(value=None)
        yield _Voice(source, apart, _stated(apart, {passage.id: passage for passage in source}))


def _stated(reading: Reading, passages: dict[str, Evidence]) -> Stated:
    quote = reading.quotes[0] if reading.quotes else None
    date = passages[quote.evidence_id].date if quote and quote.evidence_id in passages else None
    sentence = quote.text if quote else ""
    unit = reading.detail.get("unit")
    return Stated(
        reading.value,
        sentence,
        unit if isinstance(unit, str) else unit_in(sentence, reading.value),
        approximate=reading.detail.get("approximate") is True,
        published=date or "",
    )


def _words_of(reading: Reading) -> dict[str, str]:
    return {quote.evidence_id: quote.text for quote in reversed(reading.quotes)}


def _rivals(asked: Asked, value: Stated, giving: Sequence[_Voice], others: Sequence[_Voice]) -> Iterator[Rival]:
    """The values of sources that contradict with nearly as good reason as those that give the value."""
    apart = (voice.reading.confidence for voice in giving if voice.reading.value is not None)
    bar = NEARLY * max(apart, default=UNREAD)
    for voice in others:
        found = voice.reading
        if (
            (found.direct or _says_itself(asked, voice))
            and found.confidence >= bar
            and contradicts(asked, value, voice.stated)
            and (shown := voice.stated.in_unit(value.unit)) is not None
        ):
            yield Rival(value=shown, evidence_ids=found.evidence_ids[:1], quotes=found.quotes[:1])


def _says_itself(asked: Asked, voice: _Voice) -> bool:
    """Whether a sentence needs no page about the subject: a story titled by it says it of it, and of nothing between.

    "Aldport, the council says, was founded in 1210" does, under "Aldport prepares for its feast".
    """
    said = asked.relation.cues.search(voice.sentence) if asked.relation is not None and asked.subjects else None
    if said is None:
        return False
    subject = asked.subjects[0]
    before, named, between = voice.sentence[: said.start()].partition(subject)
    titles = [passage.title for passage in voice.passages if passage.id in voice.reading.evidence_ids[:1]]
    return bool(named and _BEGINS.search(before) and not names(between) and all(subject in one for one in titles))


def _told(asked: Asked, value: Stated, rivals: Iterable[Rival]) -> Iterator[Rival]:
    """The rivals a reader told of, without those that are the value in other words."""
    for rival in rivals:
        text = rival.quotes[0].text if rival.quotes else ""
        if not same(asked, value, Stated(rival.value, text, unit_in(text, rival.value))):
            yield rival


def _grouped(asked: Asked, value: Stated, rivals: Iterable[Rival]) -> list[Rival]:
    """Rivals that give one value as one, those of most sources first."""
    groups: list[Rival] = []
    for rival in rivals:
        stated = _of_rival(rival, value)
        place = next((n for n, one in enumerate(groups) if same(asked, _of_rival(one, value), stated)), None)
        if place is None:
            groups.append(rival)
            continue
        one = groups[place]
        groups[place] = Rival(
            value=one.value,
            evidence_ids=tuple(dict.fromkeys((*one.evidence_ids, *rival.evidence_ids))),
            quotes=tuple(dict.fromkeys((*one.quotes, *rival.quotes))),
        )
    return sorted(groups, key=lambda one: -len(one.evidence_ids))


def _of_rival(rival: Rival, value: Stated) -> Stated:
    return Stated(rival.value, rival.quotes[0].text if rival.quotes else "", value.unit)


def _distinct(sentences: Iterable[str]) -> int:
    """How many of these were written independently of the others; a sentence copied is no second voice."""
    kept: list[str] = []
    for sentence in sentences:
        if not sentence or not any(copied(sentence, other) for other in kept):
            kept.append(sentence)
    return len(kept)
