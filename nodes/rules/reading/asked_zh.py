"""The subject of a Chinese question, and the words around it, where no blanks tell them apart."""

import re
from typing import Final

from nodes.rules.reading.relations import Kind, Relation
from nodes.rules.words import terms
from text.names import names
from text.patterns import lazy

_FRAME_ZH: Final = lazy(
    r"(?:的)?(?:时间|日期|地点|年份|名字|名称)(?=是|为|在|[？?]|$)|请问|请|告诉我|你知道|查一下|查询|"
    r"(?:是|在|位于|坐落于|于|有|到|从|由|为|叫|被)?(?:什么时候|什么时间|什么地方|什么人|什么|何时|何地|何处|何人|何年|哪一年|哪一天|哪一部|哪一位|哪一个|哪一座|"
    r"哪一条|哪一所|哪里|哪儿|哪年|哪些|哪个|哪位|哪座|哪条|哪部|哪家|哪所|哪国|哪几[个位部座年]?|哪支|哪首|哪|谁|多少|几[个块枚次位人座岁条部所种名年月号]|"
    r"多[高长大深宽远重快久]|如何|怎么样|怎样|怎么)(?:人|公里|千米|米|平方公里|国家|城市|大学|岁|年|天|次|个|座|部|名|美元|元|钱|吨)?"
    r"|吗|呢|[？?。！!]"
)
_YEARS_ZH: Final = lazy(
    r"(?<!\d)(?:(?:1\d|20)\d\d)(?:[-—–](?:1\d|20)\d\d)?(?:年(?:\d{1,2}月)?(?:\d{1,2}日)?(?:末|底|初|上半年|下半年|第?[一二三四]季度|全年|度)?|财年|赛季)?"
)
_NOMINAL_ZH: Final = lazy(
    r"(?P<a>总?票房|总?营收|净?利润|总?收入|全?球?销量|总?产量|总?人数|数量|交付量|吞吐量|增长率?|增速|[出死]生?亡?率|GDP|规模|震级|收盘点数|点数|起?售价|价格|新增就业|"
    r"[^\d\W]{2})$"
)
_OF_ZH: Final = lazy(r"的(?!城市|国家|地方|省|河|大学)[^的，？?]{2,6}(?:是|叫|为|在|位于)(?:哪|什么)")
_SUPERLATIVE_ZH: Final = lazy("(?<=.{2})最[^的]{1,2}$")
_EDGE_ZH: Final = lazy(
    r"^(?:[的了是在于被由有为到去都还和与，,、\s]|一共|总共|共产生|产生|叫做?|其中|具体|包括|其)+|(?:[的了是在于被由有为到都过，,、\s]|一共|总共|具体|包括|共)+$"
)
_OBJECT_ZH: Final = lazy(
    r"^(?P<who>[^的]{2,20}?)(?:(?:有|的)(?:哪些)?(?:代表)?(?:作品|著作)|写|发明|发现|创作|导演|执导|设计|创办|创立|谱写|画|著|收购|征服|拍摄)(?:了|过|有|出)?(?:什么|哪)"
    r"|^(?P<maker>[^的，？]{2,20}?)的(?:主要|重要|全部|所有)?(?:代表作品?|作品|著作)(?:有?哪些|是什么|有什么|列表)?[？?]?$"
)


def asks_part(text: str) -> bool:
    """Whether a Chinese question asks for a part or quality of its subject: "长江最长的支流是哪条河"."""
    return bool(_OF_ZH.search(text))


def object_asked(text: str) -> str:
    """The doer of a Chinese question or phrase for what was done: "鲁迅写了什么", "鲁迅的代表作"; "" if it is none."""
    found = _OBJECT_ZH.search(text)
    return (found["who"] or found["maker"]) if found else ""


def _pieces_zh(text: str, relation: Relation | None = None, where: tuple[int, int] = (0, 0)) -> list[str]:
    masked = text
    if relation is not None and "《" not in text[: where[0]].rsplit("》", 1)[-1]:
        masked = text[: where[0]] + "\x00" * (where[1] - where[0]) + text[where[1] :]
    titles = [found.span() for found in re.finditer("《[^》]*》|“[^”]*”", masked)]

    def blank(found: re.Match[str]) -> str:
        inside = any(start < found.start() < end for start, end in titles)
        return found.group() if inside else "\x00" * len(found.group())

    pieces = re.split("\x00+", _FRAME_ZH.sub(blank, masked))
    trimmed = [_trim_zh(piece) for piece in pieces]
    return [piece for piece in trimmed if piece]


def terms_zh(text: str, relation: Relation | None, where: tuple[int, int]) -> list[str]:
    """Pairs of characters within the pieces, none across a cut; a date's parts are left to the comparison of dates."""
    pieces = [part for piece in _pieces_zh(text, relation, where) for part in re.split("[的和与及、是过]", piece)]
    return [term for piece in pieces for term in terms(re.sub(r"(?<=\d)[年月日]", " ", piece))]


def _trim_zh(piece: str) -> str:
    while (shorter := _EDGE_ZH.sub("", piece.strip())) != piece:
        piece = shorter
    return piece


def subjects_zh(text: str, relation: Relation | None, where: tuple[int, int]) -> tuple[str, ...]:
    """What is left of a Chinese question without its frame and its relation; titles in 《》 come first."""
    pieces = _pieces_zh(text, relation, where)
    titled = [found for piece in pieces for found in re.findall("《([^》]+)》", piece)]
    return tuple(dict.fromkeys([*titled, *pieces]))


def split_attribute(
    subjects: tuple[str, ...], relation: Relation | None, kind: Kind | None
) -> tuple[tuple[str, ...], str]:
    """Take years and the attribute off the subject: "S的A", or "SA" where nothing marks the border.

    What the table knows has been taken off already.
    """
    if not subjects or subjects[0][:1] == "《":
        return subjects, ""
    first, *rest = subjects
    bare = _trim_zh(_YEARS_ZH.sub("", first))
    first = bare if len(bare) >= 2 else first
    named = names(first)
    if named and named[0].start == 0 and named[0].end < len(first) and "的" not in first and relation is None:
        return (named[0].text, *rest), ""
    head, mark, tail = first.rpartition("的")
    if mark and len(head) >= 2 and 1 <= len(tail) <= 14 and "《" not in tail:
        head = _SUPERLATIVE_ZH.sub("", head)
        telling = bool(re.search(r"[A-Za-z0-9]", tail)) and not re.search(r"[A-Za-z0-9]", head)
        if telling and len(tail) > len(head):
            return (tail, head, *rest), ""
        return (head, tail, *rest) if relation is not None else (head, *rest), "" if relation is not None else tail
    nominal = _NOMINAL_ZH.search(first)
    if (
        relation is None
        and not rest
        and nominal
        and len(first) - len(nominal["a"]) >= 2
        and kind in {None, "number"}
        and not first.endswith("》")
    ):
        return (_trim_zh(first[: nominal.start()]) or first,), nominal["a"]
    return (first, *rest), ""
