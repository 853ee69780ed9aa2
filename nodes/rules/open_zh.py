"""Chinese questions that ask for no value but for an account: 介绍一下长江, 什么是《红楼梦》."""

from typing import Final

from nodes.rules.chains_zh import operand
from nodes.rules.forms import SLOT, Lookup, Shape
from nodes.rules.reading.people_zh import is_person_zh
from text.patterns import lazy

_ABOUT: Final = lazy(
    r"(?:请|麻烦|能不能|能否|可以|你能|你可以|给我|帮我|跟我|和我|向我|为我|简单|简要|详细|大致|我想|想)*"
    r"(?:介绍|说说|讲讲|谈谈|聊聊|说一说|讲一讲|谈一谈|讲述|科普|了解|描述)(?:一下|下|一点)?(?:什么是|关于|有关)?"
    r"(?P<thing>[^,，。?？]{1,40}?)(?:的(?:情况|基本情况|资料|信息|故事|生平|简介))?(?:吧|吗|呗)?"
    r"|(?:关于|有关)(?P<of>[^,，。?？]{1,40}?)(?:,|，)?你(?:知道|了解)(?:些|多少|什么|哪些)*"
    r"|(?P<brief>[^,，。?？的]{1,30}?)的?(?:简介|生平简介|生平介绍|基本情况|资料简介)"
    r"|(?:什么是|啥是)(?P<what>[^,，。?？的]{1,30})|谁是(?P<who>[^,，。?？的]{1,30})"
    r"|(?P<is>[^,，。?？的]{1,30})是(?:个|一个)?(?:什么|何(?:许|方)?|怎样的|什么样的)人(?:物)?"
)
_NOBODY: Final = lazy(r"[你您我他她它咱]们?(?:自己)?|自己|自我|帷幄|[这那].*|.*[哪谁吗].*|.*什么.*|.*怎么.*|.*如何.*")
_PLACE: Final = lazy(r"[河江山湖海岛城峰塔楼桥寺宫国省市县区洲州镇村路街学院所司馆园场站山洋]$|^[\ue000-\uf8ff]")


def about(text: str) -> Shape | None:
    """介绍一下X: asked as X是什么 or, of a person, X是谁."""
    match = _ABOUT.fullmatch(text)
    if match is None:
        return None
    thing = next(part for part in match.groups() if part).strip()
    if _NOBODY.fullmatch(thing):
        return None
    subject = operand(thing)
    if subject is None:
        return None
    if isinstance(subject, Lookup):
        return Shape("chain" if subject.depth > 1 else "single", "zh", (subject,), (thing,))
    person = bool(match["who"] or match["is"]) or (is_person_zh(thing) and not _PLACE.search(thing))
    lookup = Lookup(f"{SLOT}是{'谁' if person else '什么'}？", "text", subject)
    return Shape("single", "zh", (lookup,), (subject,))
