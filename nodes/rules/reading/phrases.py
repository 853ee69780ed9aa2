"""Noun phrases at a place in a sentence: the name that follows "written by", the one that stands before 发明了."""

import re
from typing import Final

from nodes.rules.reading.people_zh import is_person_zh, person_in
from nodes.rules.reading.places import find_adjectives, is_country, is_us_state
from nodes.rules.reading.relations import Kind
from nodes.rules.reading.standing import View
from text.dates import find_dates
from text.language import HAN
from text.names import Name
from text.patterns import lazy

Span = tuple[int, int]

_STOP_EN: Final = (
    "who which that was were is are when where in on at and but with for from to of by as "
    "while during until after before "
    "because since he she it they has had have not did does"
)
_DESCRIBED: Final = lazy(rf"^[\s\"“'‘(]*(?:(?!(?:{'|'.join(_STOP_EN.split())})\b)[A-Za-z][\w'’-]*\s+){{0,6}}[\"“'‘(]?$")
_PLAIN_EN: Final = lazy(
    r"(?i)\s*(?:(?:the|a|an|its|his|her|their|both|about|approximately) )?"
    r"(?P<v>[^\s,.;:()][^,.;:()]{0,80}?)(?=\s+(?:and|"
    r"which|who|that|in|on|at|for|from|"
    r"by|is|was|were|are|has|had|with|when|where|while|to|until|after|before|as|because|since|of|during|under|over|he|she|it|there|here)\b"
    r"|[,.;:()]|$)"
)
_GAP_BEFORE: Final = lazy(
    r"^[\"”'’]?\s*(?:\([^()]{0,120}\)\s*)?(?:,\s[^,]{1,100},\s?|,\s?)?(?:(?:who|which|that|had|has|have|was|also|first|later|"
    r"then|once|originally|himself|herself|successfully|famously|jointly|personally|independently|eventually|the|a|an|team|"
    r"and his|and her|colleagues|to)\s+)*$"
)
_PRONOUN_BEFORE: Final = lazy(
    r"(?i)(?:^|[\s,(])(?:he|she|it|they|who)\s+(?:(?:had|has|have|also|first|later|then|once|originally|famously|eventually|"
    r"independently|successfully|is|was)\s+)*$"
)
_JOIN: Final = lazy(r"^(?:,? and (?:the )?|, (?:and )?(?:the )?| & |、|和|与|及|以及)[\"“《]?$")
_PLACE_JOIN: Final = lazy(r"^, (?:in )?$")

_LISTED: Final = lazy(r",? and [A-Z]")
"""Behind "A, B" it tells a list of places from a place with its region."""

_STOP_ZH: Final = lazy(
    r"[，。；、（）()！？,;：:“”\"！\s…]|(?:于|在|等|所|共同|担任|饰演|扮演|执导|导演|创作|所著|撰写|编剧|主演|设计|发明|发现|建造|创办|创立|建立|兴建|"
    r"收藏|统一|继位|即位|写成|写的|生于|出生|去世|逝世|病逝|死于|之子|之女|谱写|作曲|举行|举办|出任|接任|当选|获得|赢得|夺得|领衔|联合|同时|以及|分别|下令|奉命|主持(?!人)|之手|以\d|[是为由被将把曾从也并而且的了]|[和与及](?!平))"
)
_EDGE_TIME_ZH: Final = lazy(
    r"^(?:(?:公元)?前?[\d一二三四五六七八九十〇零]{1,4}(?:世纪|年代|年)(?:[\d]{1,2}月)?(?:\d{1,2}日)?(?:初|末)?|\d{1,2}月\d{0,2}日?|当时|后来|随后|最终|由|被|是|为|而|其中|"
    r"据|今天|昨天|日前|近日|此外|同年)[，,]?"
)
_PRONOUN_ZH: Final = frozenset(["他", "她", "它", "他们", "她们", "其"])


def after(view: View, position: int, kind: Kind | None) -> list[Span]:
    """The phrase that starts at a position, and those coordinated with it.

    Args:
        view: The sentence.
        position: Where the phrase starts; blanks and descriptions ("the architect …") are skipped.
        kind: What sort of thing is wanted.

    Returns:
        Spans in the sentence, none if no phrase of that sort stands there.
    """
    sentence = view.sentence
    ahead = re.compile(r"[\s\"“‘'：:]*(?:[它其他她]的(?:前身|母校)?)?").match(sentence, position)
    position = ahead.end() if ahead else position
    if re.match(f"[{HAN}《]", sentence[position : position + 1]):
        return _after_zh(view, position, kind)
    first = next((n for n in view.names if n.start >= position - 1), None)
    if first is not None and _DESCRIBED.match(sentence[position : first.start]):
        if kind in {None, "thing"} and (whole := _whole_phrase(sentence, position, first)):
            return [whole]
        spans = [(first.start, _with_epithet(sentence, first.end))]
        following = [n for n in view.names if n.start >= first.end]
        for name in following[:8]:
            gap = sentence[spans[-1][1] : name.start]
            if not _JOIN.match(gap):
                break
            if gap == ", " and kind in {"place", "city"}:
                break
            if gap.startswith(", ") and kind == "person" and (is_country(name.text) or is_us_state(name.text)):
                break
            spans.append((name.start, name.end))
        if kind == "place":
            spans = [_with_region(view, spans[0]), *spans[1:]]
        return spans
    if kind in {None, "thing", "reason", "work"} or (kind in {"place", "group"} and position < len(sentence)):
        plain = _PLAIN_EN.match(sentence, position)
        if plain and (kind in {None, "thing", "reason"} or plain["v"][:1].isupper()):
            return [plain.span("v")]
    return []


def _whole_phrase(sentence: str, position: int, name: Name) -> Span | None:
    """The phrase whose head a name only modifies: "an expired TLS certificate", not "TLS"."""
    plain = _PLAIN_EN.match(sentence, position)
    if plain is None or plain.end("v") <= name.end + 1 or not re.match(" [a-z]", sentence[name.end :]):
        return None
    article = re.match(r"\s*((?:an?)\s+)", sentence[position:], re.IGNORECASE)
    return (position + article.start(1) if article else plain.start("v")), plain.end("v")


_EPITHET: Final = lazy(
    r" the (?:Elder|Younger|Great|First|Second|Third|Bold|Good|Conqueror|Magnificent|Terrible|Wise|Confessor)\b"
)


def _with_epithet(sentence: str, end: int) -> int:
    found = _EPITHET.match(sentence, end)
    return found.end() if found else end


def _with_region(view: View, span: Span) -> Span:
    """A place with the region after its comma: "Portland, Maine"."""
    start, end = span
    for name in view.names:
        if name.start <= end or not _PLACE_JOIN.match(view.sentence[end : name.start]):
            continue
        if not view.sentence.startswith(", ", end) or _LISTED.match(view.sentence, name.end):
            break
        end = name.end
        if is_country(name.text) or is_us_state(name.text):
            break
    return start, end


def before(view: View, position: int, kind: Kind | None) -> Span | str | None:
    """The phrase that ends at a position as the doer of what follows.

    Args:
        view: The sentence.
        position: Where the verb, or the link to it, starts.
        kind: What sort of thing is wanted.

    Returns:
        A span in the sentence; the title of the passage where a pronoun stands for it; None where neither is there.
    """
    sentence = view.sentence
    if re.search(f"[{HAN}]", sentence[max(0, position - 1) : position + 2]):
        return _before_zh(view, position, kind)
    if _PRONOUN_BEFORE.search(sentence[max(0, position - 60) : position]):
        return view.title or None
    candidates = [n for n in view.names if n.end <= position and position - n.end <= 160]
    for name in reversed(candidates[-3:]):
        if _GAP_BEFORE.match(sentence[name.end : position]):
            if re.fullmatch("Elder|Younger|Great", name.text) and len(candidates) > 1:
                continue
            start = name.start
            # "Marie and Pierre Curie discovered": both did.
            for other in reversed([n for n in view.names if n.end <= start]):
                if not re.fullmatch(r",? and |, ", sentence[other.end : start]):
                    break
                start = other.start
            return start, name.end
    return None


def _after_zh(view: View, position: int, kind: Kind | None) -> list[Span]:
    sentence = view.sentence
    if sentence.startswith("《", position):
        return _titles(sentence, position)
    spans: list[Span] = []
    while position < len(sentence) and len(spans) < 12:
        name = next((n for n in view.names if n.start == position), None)
        cut = _STOP_ZH.search(sentence, max(position + 1, name.end if name else 0), position + 40)
        end = cut.start() if cut else min(len(sentence), position + 40)
        start = position
        if kind == "person":
            inside = person_in(sentence[position:end])
            if inside is None:
                break
            start = position + inside[0]
        if end <= start:
            break
        spans.append((start, end))
        joint = re.compile(r"(?:（[^（）]{0,30}）)?(?:、|以及|和|与|及)").match(sentence, end)
        if not joint or (kind in {"place", "country", "city", "thing"} and joint.group()[-1] != "、"):
            break
        position = joint.end()
        if sentence.startswith("《", position):
            spans += _titles(sentence, position)
            break
    return spans


def _titles(sentence: str, position: int) -> list[Span]:
    spans: list[Span] = []
    title = re.compile(r"[、和与及以]{0,2}《([^《》]{1,60})》")
    found = title.match(sentence, position)
    while found and len(spans) < 30:
        spans.append(found.span(1))
        found = title.match(sentence, found.end())
    return spans


def _before_zh(view: View, position: int, kind: Kind | None) -> Span | str | None:
    sentence = view.sentence
    left = sentence[max(0, position - 60) : position]
    offset = position - len(left)
    cuts = [m.end() for m in re.finditer(r"[，。；：,;“”\s]|[由被]", left)]
    start = cuts[-1] if cuts else 0
    piece = left[start:]
    while (time := _EDGE_TIME_ZH.match(piece)) and time.end():
        start += time.end()
        piece = piece[time.end() :]
    # "张衡于公元132年发明了": what stands between the doer and the verb goes.
    cut = re.search(
        r"[于在](?=[公\d前一二三四五六七八九十同其上]|[^，]{1,12}$)|曾|先后|共同|最早|首先|首次|率先|正式|还|也|又|已|则|联合|所|凭借|以\d|的?时候|（",
        piece,
    )
    if cut and cut.start() >= 1:
        piece = piece[: cut.start()]
    piece = piece.rstrip("，, 的所而即就将并了")
    if not piece or piece in _PRONOUN_ZH:
        return view.title or None if not view.mentions or view.mentions[0][0] >= position else None
    if kind == "person":
        inside = person_in(piece)
        if inside is None:
            return None
        start, piece = start + inside[0], piece[inside[0] :]
    return offset + start, offset + start + len(piece)


def is_person(view: View, span: Span) -> bool:
    """Whether a span may name a person."""
    text = view.sentence[slice(*span)]
    if re.search(f"[{HAN}]", text):
        return is_person_zh(text)
    if is_country(text) or is_us_state(text) or not text[:1].isupper() or find_dates(text):
        return False
    adjectives = find_adjectives(text)
    if adjectives and adjectives[0] == (0, len(text)):
        return False
    return not re.search(
        r"(?i)\b(?:University|College|Prize|Award|River|Sea|Ocean|County|War|Wars|Museum|Street|Company|Records|Institute|Party|"
        r"Church|Academy|Congress|Senate|Festival|Awards|Airport|Station|Empire|Kingdom|Dynasty|District|Island|Islands|"
        r"January|February|March|April|June|July|August|September|October|November|December)$",
        text,
    )


def own_names(view: View) -> list[Name]:
    """Names of the sentence that are not the subject."""
    return [n for n in view.names if not any(a < n.end and n.start < b for a, b in view.mentions)]
