"""Subtitles and transcripts (.vtt, .srt): sentences put together across cues, cited by time and speaker."""

import html
from collections.abc import Iterator
from typing import BinaryIO, Final, NamedTuple

from weiwo.text.chunking import measure_weight
from weiwo.text.patterns import lazy
from weiwo.tools.corpus.formats.parts import Part, choose_title, read_text, require_passages
from weiwo.tools.corpus.records import Passage

_TIMES: Final = lazy(r"\s*((?:\d{1,3}:)?\d{1,2}:\d{2})[.,]\d{1,3}\s*-->\s*((?:\d{1,3}:)?\d{1,2}:\d{2})[.,]\d{1,3}.*")
_VOICE: Final = lazy(r"<v(?:\.[\w.]{1,80})?\s+([^>\n]{1,80})>")
_TAG: Final = lazy(r"</?[a-zA-Z][^<>\n]{0,200}>|<\d[\d:.]{1,20}>|\{\\[^{}\n]{0,80}\}")
_SPEAKER: Final = lazy(r"(?:-\s?)?([A-ZÀ-Þ][\w .'’-]{0,40}|[\u4e00-\u9fff]{2,8})[:：]\s+(?=\S)")
_SENTENCE_ENDS: Final = (".", "!", "?", "…", "。", "！", "？", "”", '."', '?"')
_FULL: Final = 120.0
"""Weight (as of `measure_weight`) after which a passage ends at the next sentence end or change of speaker."""
_FULL_ANYWAY: Final = 2 * _FULL


class _Cue(NamedTuple):
    start: str
    end: str
    speaker: str
    text: str
    line: int


def read(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read a transcript. A passage is a run of whole sentences with start and end times."""
    lines = read_text(file).split("\n")
    title = lines[0].removeprefix("\ufeff").removeprefix("WEBVTT").lstrip(" -") if lines[0].startswith("WEBVTT") else ""
    cues = list(_read_cues(lines))
    return require_passages(Part(choose_title(title) or name, list(_join_cues(cues))))


def _read_cues(lines: list[str]) -> Iterator[_Cue]:
    at, last, speaker = 0, "", ""
    while at < len(lines):
        times = _TIMES.fullmatch(lines[at])
        at += 1
        if times is None:
            continue
        first = at
        while at < len(lines) and lines[at].strip() and not _TIMES.fullmatch(lines[at]):
            at += 1
        text = " ".join(line.strip() for line in lines[first:at])
        voice = _VOICE.search(text)
        text = " ".join(html.unescape(_TAG.sub("", _VOICE.sub("", text))).split())
        named = _SPEAKER.match(text)
        if voice:
            speaker = voice[1].strip()
        elif named:
            speaker, text = named[1].strip(), text[named.end() :]
        # Live captions show each line twice, once while it is written and once above the next.
        if text and text != last:
            yield _Cue(_shorten(times[1]), _shorten(times[2]), speaker, text.removeprefix("- "), first)
        last = text


def _shorten(clock: str) -> str:
    """Return the time of a cue as `HH:MM:SS`, with zeros filled in: 1:05 becomes 00:01:05."""
    parts = clock.split(":")
    return ":".join(part.zfill(2) for part in (["00"] * (3 - len(parts)) + parts))


def _join_cues(cues: list[_Cue]) -> Iterator[Passage]:
    held: list[_Cue] = []
    weight = 0.0
    for cue in cues:
        ended = bool(held) and (held[-1].text.endswith(_SENTENCE_ENDS) or held[-1].speaker != cue.speaker)
        if held and ((weight >= _FULL and ended) or weight >= _FULL_ANYWAY):
            yield _make_passage(held)
            held, weight = [], 0.0
        held.append(cue)
        weight += measure_weight(cue.text)
    if held:
        yield _make_passage(held)


def _make_passage(cues: list[_Cue]) -> Passage:
    turns: list[str] = []
    speaker = ""
    for cue in cues:
        if not turns or cue.speaker != speaker:
            turns.append(f"{cue.speaker}: {cue.text}" if cue.speaker else cue.text)
        else:
            wide = turns[-1][-1:] > "\u2e80" and cue.text[:1] > "\u2e80"
            turns[-1] += cue.text if wide else f" {cue.text}"
        speaker = cue.speaker
    speakers = list(dict.fromkeys(cue.speaker for cue in cues if cue.speaker))
    place = f"{cues[0].start}-{cues[-1].end}"
    locator = ", ".join([place, *speakers[:3]])
    return Passage("\n".join(turns), (), locator, cues[0].line, cues[-1].line)
