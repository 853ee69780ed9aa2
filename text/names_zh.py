"""Names in Chinese text.

Chinese has no capitals and no blanks. So the text is cut at the words that surely are no names (是, 的, 出生于 …), and
a piece between two cuts is a name if it carries a mark of one: a family name, a sound-by-sound transcription, an
ending such as 河 or 大学, or its place, beside another in a comparison or before an attribute (…的作者).
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from weiwo.text.data_files import data_characters, data_words
from weiwo.text.language import HAN
from weiwo.text.patterns import lazy


def _any(words: frozenset[str]) -> str:
    return "|".join(sorted(words, key=lambda word: (-len(word), word)))


_FOREIGN: Final = data_characters("names_zh", "foreign")
_FOREIGN_SURE: Final = frozenset(data_characters("names_zh", "foreign_sure"))
_DOTTED: Final = lazy(f"[{_FOREIGN}]{{1,7}}(?:[·•・‧][{_FOREIGN}]{{1,7}})+")
_ALL_FOREIGN: Final = lazy(f"[{_FOREIGN}仑]{{2,8}}")

_KNOWN: Final = data_words("names_zh", "known")
_HOLDS_A_CUT: Final = data_words("names_zh", "holds_a_cut")
_PROTECTED: Final = lazy(_any(_KNOWN | _HOLDS_A_CUT))
_SURNAME: Final = frozenset(data_characters("names_zh", "surname"))
_SURNAME_IF_PERSON: Final = frozenset(data_characters("names_zh", "surname_if_person"))
_TWO_SURNAMES: Final = "欧阳|司马|诸葛|上官|夏侯|东方|皇甫|尉迟|公孙|慕容|令狐|长孙|宇文|司徒|端木"
_TWO_CHARACTER_SURNAME: Final = lazy(f"(?:{_TWO_SURNAMES})[{HAN}]{{1,2}}")
_NO_PERSON: Final = data_words("names_zh", "no_person")
_ENDING: Final = lazy(
    f"[{HAN}\\d]{{1,5}}(?:[省市县州国山河江湖海洋岛塔桥峰宫寺城港湾朝帝皇王宗祖奖]|长城|海峡|群岛)"
    f"|[{HAN}\\d]{{1,9}}(?:"
    + _any(data_words("names_zh", "ending"))
    + f")|[{HAN}]{{2}}[一二三四五六七八九十百\\d]{{1,3}}号"
)
_GENERIC: Final = lazy(
    "[一二两三四五六七八九十几这那]?[座条个家所部位本首届名些种次]|[石木铁拱索吊浮天钢立][桥塔]|[大小深内外][山河江湖海岛]"
    "|(?:[一二两三四五六七八九十几本全外各该某我整敌邻祖强古王小大名]"
    "|[一二两三这那上下中新老旧]?[座条个家所部位本首])?"
    "(?:国|国家|大学|公司|学院|集团|银行|博物馆|图书馆|机场|医院|中学|城市|城|省|市|县|山|河|江|湖|海|海洋|岛"
    "|塔|桥|王|国王|女王|皇|朝|帝|王朝|帝国|战争|革命|起义|"
    "运动|事件|奖|书|片|电影|小说|歌|歌曲|公园|东西|人|人物|时候|地方|问题|委员会|铁路|联邦|条约|大奖|得奖"
    "|世界杯|奥运会|以上|高山|大山|大河|大海|上海市民|年|月|日)"
)
_ATTRIBUTE: Final = _any(data_words("names_zh", "attribute"))
_TITLED: Final = lazy(
    "(?:学家|工程师|建筑师|设计师|律师|医师|医生|教授|博士|院士|[市省县校院所部局会社队团]长|董事长|总经理|总裁|主任|主席|总统|总理|首相|书记"
    "|作家|诗人|画家|导演|编剧|演员|歌手|选手|球员|教练|记者|编辑)"
    f"(?P<name>[{''.join(sorted(_SURNAME | _SURNAME_IF_PERSON))}][{HAN}]{{1,2}})"
)
"""A person named behind an office or a profession, such as 总经理王明."""
_PERSON_CUE: Final = _any(data_words("names_zh", "person_cue"))
_CUT: Final = lazy(
    f"(?P<attribute>{_ATTRIBUTE})|(?P<person>{_PERSON_CUE})|"
    "(?P<link>以及|还是|或者|(?<![同环占百])比(?![较赛分例如重值方喻])|[和与跟、及或])|(?P<other>"
    + _any(data_words("names_zh", "cut"))
    + "|前(?=总统|总理|首相|主席)|都(?![城市督])|[的是在于由被把对从到向为了吗呢吧啊有谁哪几多"
    "给让请我你您他她它这那们不也就还又更最其等将曾已每各某叫做说问]"
    "|高(?=吗|多|出|还|$)|长(?=吗|多|出|还|$)|[大早晚重快深浅宽远近贵热冷强老](?=吗|多|出|还|$))"
)
_HAN_RUN: Final = lazy(f"[{HAN}\ue002、]+")
_SIDE_BY_SIDE: Final = lazy(f"谁|哪|比|区别|差|是否|吗|分别|异同|平均|之和|之间|的(?:{_ATTRIBUTE})")
_NO_BEGINNING: Final = frozenset("如若因但而则且即并故凡只仅可须全各每该另其所以按据")
_NO_PART: Final = lazy("[带去来看听想用吃打做回出进让能会可要没很]")


def mask(text: str, spans: list[tuple[int, int]], filler: str = "\ue000") -> str:
    """Overwrite the spans of names that have been found, so that later rules do not find them again.

    Args:
        text: Any text.
        spans: The spans to mask, in order and without overlaps.
        filler: The character written in place of each character.

    Returns:
        A text of the same length.
    """
    parts: list[str] = []
    position = 0
    for start, end in spans:
        parts += [text[position:start], filler * (end - start)]
        position = end
    return "".join([*parts, text[position:]])


def chinese_names(text: str) -> Iterator[tuple[int, int]]:
    """Find names among Han characters, in each unbroken run separately.

    Args:
        text: The text, with known names replaced by private-use characters.

    Yields:
        Spans `(start, end)`, dotted foreign names first, then the rest in order.
    """
    dotted = [found.span() for found in _DOTTED.finditer(text)]
    yield from dotted
    rest = mask(text, dotted)
    for run in _HAN_RUN.finditer(rest):
        yield from _in_run(run.group(), run.start())


def _in_run(run: str, offset: int) -> Iterator[tuple[int, int]]:
    guarded = mask(run, [found.span() for found in _PROTECTED.finditer(run)], "\ue002")
    cuts = [*_CUT.finditer(guarded)]
    compares = bool(_SIDE_BY_SIDE.search(run))
    position = 0
    before: re.Match[str] | None = None
    for index, cut in enumerate([*cuts, None]):
        end = cut.start() if cut else len(run)
        after = cut
        if cut and cut.group() == "的" and index + 1 < len(cuts) and cuts[index + 1].start() == cut.end():
            after = cuts[index + 1]
        beside = compares and any(c is not None and c.lastgroup == "link" for c in (before, cut))
        if (before is None or before.group() not in "最更") and _is_chinese_name(
            run[position:end], after, beside=beside
        ):
            yield offset + position, offset + end
        elif titled := _TITLED.search(run, max(0, position - 3), end):
            yield offset + titled.start("name"), offset + titled.end("name")
        position, before = (cut.end() if cut else end), cut


def _is_chinese_name(piece: str, after: re.Match[str] | None, *, beside: bool) -> bool:
    """Report whether a piece of text between two cut words is a name, by its own characters and the words around it.

    Args:
        piece: The piece, such as 北京大学.
        after: The match of `_CUT` behind the piece, or None at the end of the text.
        beside: Whether the piece stands beside another in a comparison.
    """
    if not 2 <= len(piece) <= 12 or _GENERIC.fullmatch(piece) or piece in _NO_PERSON:
        return False
    if piece in _KNOWN:
        return True
    if piece[0] in _NO_BEGINNING:
        return False
    kind = after.lastgroup if after else None
    by_ending = _ENDING.fullmatch(piece) and not _NO_PART.search(piece)
    by_cue = kind == "person" and not _NO_PART.search(piece)
    by_surname = len(piece) <= 3 and (piece[0] in _SURNAME or (piece[0] in _SURNAME_IF_PERSON and by_cue))
    sure = sum(c in _FOREIGN_SURE for c in piece)
    by_sound = _ALL_FOREIGN.fullmatch(piece) and sure >= (2 if len(piece) == 2 else 1)
    by_place = len(piece) <= 8 and (beside or kind == "attribute")
    return bool(by_ending or by_surname or _TWO_CHARACTER_SURNAME.fullmatch(piece) or by_sound or by_place)


@cache
def name_endings() -> frozenset[str]:
    """Return the pairs of neighbouring characters in endings of names: 大学 and more.

    Such an ending says the kind of a thing and does not identify it.
    """
    return frozenset(word[at : at + 2] for word in data_words("names_zh", "ending") for at in range(len(word) - 1))
