"""A query in the other of the two languages, made by rule: names as passages pair them, words for relations.

A name is only written otherwise where some text says so ("屠呦呦（Tu Youyou）"): transliterating by rule would invent
people. What is in Latin letters stands in Chinese text too, so an English name may be searched for as it is.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from nodes.rules.reading.asked import analyse
from state import Evidence, Language
from text.language import HAN, fold

LONGEST: Final = 200
"""Characters of a query."""

MOST_READ: Final = 4_000
"""Characters of each passage in which pairs of names are looked for."""

_ROWS: Final = """
born, birth, birthday, birth date, birthplace | 出生, 生于, 出生地, 出生日期, 生日, 诞辰
died, die, death, place of death | 去世, 逝世, 死于, 死亡, 卒于
buried, burial, tomb, grave | 葬, 葬于, 陵墓
author, wrote, written, writer | 作者, 写, 著
director, directed | 导演, 执导
composer, composed | 作曲, 谱写
painter, painted | 画家, 绘制
architect, designed, designer | 设计, 设计师, 建筑师
inventor, invented | 发明, 发明者
discovered, discoverer, discovery | 发现, 发现者
founder, founded, established, founding | 创立, 成立, 创办, 创始人, 创建
built, completed, construction | 建成, 建造, 竣工, 修建
published, publication, publisher | 出版, 发表, 出版社
released, release, launched | 发布, 上映, 上市, 推出
capital | 首都, 省会
population, inhabitants | 人口
area | 面积
height, tall, high, elevation | 高度, 海拔, 多高, 身高
length, long | 长度, 全长, 多长
depth, deep | 深度, 多深
width, wide | 宽度, 多宽
weight, weigh, mass | 重量, 质量, 多重
speed, fast | 速度, 多快
distance, far | 距离, 多远
temperature | 温度, 气温
price, cost | 价格, 费用, 多少钱
revenue | 营收, 收入
currency | 货币
language, official language | 语言, 官方语言
headquarters, headquartered | 总部
president | 总统, 主席
prime minister | 首相, 总理
chief executive, ceo | 首席执行官
mayor | 市长
king | 国王
queen | 女王
emperor | 皇帝
university, graduated, alma mater | 大学, 毕业, 母校, 就读
school | 学校
company | 公司
museum | 博物馆
river | 河, 河流
mountain, peak | 山, 最高峰
lake | 湖
island | 岛
country | 国家, 国籍
city | 城市
father | 父亲
mother | 母亲
wife, married, husband, spouse | 妻子, 丈夫, 配偶, 结婚
son | 儿子
daughter | 女儿
brother | 哥哥, 弟弟, 兄弟
sister | 姐姐, 妹妹
teacher | 老师, 导师
student | 学生, 弟子
award, prize | 奖, 获奖
nobel prize | 诺贝尔奖
olympic games, olympics | 奥运会
championship, champion, won | 冠军, 夺冠
war | 战争
battle | 战役
treaty | 条约
dynasty | 朝代
film, movie | 电影
novel | 小说
album | 专辑
song | 歌曲
"""
_PAIRS: Final = [
    tuple(tuple(word.strip() for word in side.split(",")) for side in row.split("|"))
    for row in _ROWS.strip().splitlines()
]
_LATIN_NAME: Final = r"[A-Z][A-Za-zÀ-ɏ.'’-]*(?: (?:(?:of|the|de|la|von|van|al|and) )*[A-Z0-9][A-Za-z0-9À-ɏ.'’-]*){0,5}"
_CALLED: Final = r"(?:英文名称?|英语|英文|英|拉丁语|Chinese|中文|simplified Chinese)?[:： ]*"


def other_language(
    question: str, language: Language, passages: Sequence[Evidence], *, paired: bool = False
) -> str | None:
    """A question as a query in the other language.

    Args:
        question: The task, its references filled.
        language: Its language.
        passages: What was found so far: names that they give in both languages are written in the other one.
        paired: Whether only such names will do: over documents at hand, a name as it is was looked for already.

    Returns:
        The query; None where it would name nothing: relation words alone find anything.
    """
    subjects = analyse(question, "text").subjects[:2]
    named = [name for subject in subjects if (name := _renamed(subject, language, passages))]
    words = list(_relations(question, language))
    kept = all(name in question for name in named)
    if not named or (kept and (paired or not words)):
        return None
    return " ".join(dict.fromkeys([*named, *words, *_figures(question)]))[:LONGEST].strip()


def _renamed(subject: str, language: Language, passages: Sequence[Evidence]) -> str | None:
    """A subject as the other language writes it: as a passage says, else as it is if it is in Latin letters."""
    latin = not re.search(f"[{HAN}]", subject)
    if latin and language == "zh":
        return subject
    for passage in passages:
        if other := _paired(subject, f"{passage.title}\n{passage.text[:MOST_READ]}", latin=latin):
            return other
    return subject if latin and re.search("[A-Z0-9]", subject) else None


def _paired(subject: str, text: str, *, latin: bool) -> str | None:
    """The name in the other script that stands in brackets beside a name, or before it with the name in brackets."""
    own, quoted = re.escape(subject), "[“”\"《》'‘’ ]*"
    other = f"[{HAN}·]{{2,20}}" if latin else _LATIN_NAME
    beside = re.search(f"{own}{quoted}[(（]{_CALLED}{quoted}(?P<name>{other})", text)
    before = beside or re.search(f"(?P<name>{other}){quoted}[(（]{_CALLED}{quoted}{own}", text)
    return before["name"] if before else None


def _relations(question: str, language: Language) -> Iterator[str]:
    """The first word of each relation that the question speaks of, in the other language, in the question's order."""
    own, other = (0, 1) if language == "en" else (1, 0)
    text = fold(question)
    found = [
        (min(places), -max(map(len, row[own])), row[other][0])
        for row in _PAIRS
        if (places := [at for word in row[own] if (at := _place(word, text, language)) >= 0])
    ]
    yield from (word for _, _, word in sorted(found))


def _place(word: str, text: str, language: Language) -> int:
    if language == "zh":
        return text.find(word)
    match = re.search(rf"\b{re.escape(word)}\b", text)
    return match.start() if match else -1


def _figures(question: str) -> list[str]:
    return re.findall(r"(?<![\w.])\d{3,4}(?![\w.])", question)
