"""The relation lexicon: what questions ask of a thing, and the words by which a clause says it.

Data, one relation a line, both languages; a new phrasing is a word in a row, never a branch. Columns, by `|`:

1. name, as `QueryFrame.relation` holds it;
2. type of the value where the question word does not say it (`state.query.AnswerType`);
3. dimension of a quantity (`length area people mass duration money speed temperature count`), or empty;
4. words by which English questions ask for it;   5. words by which Chinese questions ask for it;
6. words by which an English clause says it;      7. words by which a Chinese clause says it;
8. its English noun;                              9. its Chinese noun.
"""

from functools import cache
from typing import Final, NamedTuple

_ROWS: Final = """
birth | date | | born, birth, birthday, birth date, date of birth, birth year, birthplace, place of birth, birthdate | 出生, 诞生, 生于, 生日, 诞辰, 出生地, 生年 | born, b. | 出生, 生于, 诞生, 诞辰 | birth | 出生
death | date | | die, died, dies, death, dead, pass away, passed away, death date, date of death, place of death | 去世, 逝世, 死于, 死得, 死亡, 卒于, 病逝, 辞世, 驾崩, 卒年, 去世地 | died, dies, death, d., killed, assassinated, executed, murdered | 去世, 逝世, 病逝, 辞世, 驾崩, 遇刺身亡, 卒于, 死于 | death | 去世
lifespan | quantity | duration | live, lived, lifespan, live longer, lived longer, at what age, age at death | 活了, 寿命, 享年, 终年, 活得 | died, aged | 享年, 终年 | age | 年龄
founding | date | | founded, established, set up, created, founding, formed, started, incorporated, establishment | 成立, 创立, 建立, 创办, 创建, 设立, 建校 | founded, established, formed, set up, incorporated | 成立于, 创立于, 建立于, 创办于, 始建于, 创建于, 成立, 创立, 创办 | founding | 成立
founder | person | | founder, who founded, who established, who created, founded by, who started | 创始人, 创办人, 谁创立, 谁创办, 谁创建, 谁建立 | founded by, established by, founder, founders | 创始人, 创办人, 创立, 创办, 创建, 由 | founder | 创始人
construction | date | | built, completed, constructed, finished, construction | 建成, 竣工, 建于, 修建, 建造, 落成 | built, completed, constructed, finished | 建成, 竣工, 建于, 落成 | completion | 建成
opening | date | | opened, open, inaugurated, opening | 开放, 开业, 开通, 通车, 启用 | opened, inaugurated | 开放, 开业, 开通, 通车, 启用 | opening | 开放
publication | date | | published, publication, came out, publish | 出版, 发表, 问世 | published, publication | 出版, 发表, 问世 | publication | 出版
release | date | | released, release, release date, came out, launched, premiered | 发布, 上映, 上市, 推出, 发行, 首映 | released, launched, premiered | 发布, 上映, 上市, 推出, 发行, 首映 | release | 发布
discovery | date | | discovered, discovery | 发现, 被发现 | discovered | 发现 | discovery | 发现
invention | date | | invented, invention | 发明 | invented | 发明 | invention | 发明
height | quantity | length | height, tall, high, elevation, altitude, how tall, how high, taller, higher | 高度, 多高, 海拔, 身高, 高多少, 更高 | height, tall, high, elevation, metres above, meters above, above sea level, stands, rises | 高度, 海拔, 身高, 高程, 高 | height | 高度
length | quantity | length | length, how long is, how long are, how long was, long is, longer | 长度, 多长, 全长, 更长 | length, long, kilometres long, kilometers long, stretches | 长度, 全长, 长 | length | 长度
depth | quantity | length | depth, how deep, deep, deeper | 深度, 多深, 水深, 更深 | depth, deep | 深度, 水深, 深 | depth | 深度
width | quantity | length | width, how wide, wide, wider | 宽度, 多宽, 更宽 | width, wide | 宽度, 宽 | width | 宽度
area | quantity | area | area, how large, how big, surface area, larger in area, size | 面积, 占地, 多大 | area, covers, square | 面积, 占地 | area | 面积
population | number | people | population, inhabitants, how many people live, people live in, residents, more populous | 人口, 居民, 多少人 | population, inhabitants, residents, people | 人口, 居民 | population | 人口
mass | quantity | mass | weight, weigh, mass, how heavy, heavier | 重量, 质量, 多重, 体重, 更重 | weighs, weight, mass, weighed | 重量, 质量, 重 | weight | 重量
speed | quantity | speed | speed, how fast, top speed, faster | 速度, 时速, 多快, 更快 | speed, km/h, mph | 速度, 时速 | speed | 速度
distance | quantity | length | distance, how far, far | 距离, 多远, 相距 | distance, away | 距离, 相距 | distance | 距离
temperature | quantity | temperature | temperature, how hot, how cold | 温度, 气温, 水温 | temperature | 温度, 气温 | temperature | 温度
price | quantity | money | price, cost, how much is, how much does, fee, cheaper, more expensive | 价格, 多少钱, 售价, 费用, 票价, 更贵, 更便宜 | price, costs, cost, priced, fee | 价格, 售价, 费用, 票价 | price | 价格
revenue | quantity | money | revenue, turnover, sales | 营收, 收入, 营业额, 销售额 | revenue, turnover, sales | 营收, 收入, 营业额 | revenue | 营收
employees | number | count | employees, staff, headcount, workforce, how many people work | 员工, 雇员, 职工 | employees, employs, staff | 员工, 雇员, 职工 | number of employees | 员工人数
author | person | | author, wrote, written by, writer, who wrote | 作者, 谁写, 写的, 所著, 谁创作 | written by, novel by, book by, play by, wrote, author | 作者, 著, 所著, 创作, 撰写 | author | 作者
director | person | | director, directed, who directed, directed by | 导演, 执导 | directed by, directed, director | 导演, 执导 | director | 导演
composer | person | | composer, composed, who composed | 作曲, 谱写 | composed by, composed, composer | 作曲, 谱写 | composer | 作曲者
painter | person | | painter, painted, who painted | 画家, 绘制, 谁画 | painted by, painted | 绘制, 画家 | painter | 画家
architect | person | | architect, designed, who designed, designer | 建筑师, 设计师, 谁设计, 设计者, 设计 | designed by, architect, designer | 由, 设计, 设计师, 设计者 | designer | 设计者
inventor | person | | inventor, who invented, invented by | 发明者, 发明人, 谁发明 | invented by, inventor, invented | 发明者, 发明人, 发明, 由 | inventor | 发明者
discoverer | person | | discoverer, who discovered, discovered by | 发现者, 谁发现 | discovered by, discoverer, discovered | 发现者, 发现, 由 | discoverer | 发现者
performer | person | | singer, sang, performed by, performer, who sings, who sang | 演唱, 歌手, 谁唱 | performed by, sung by, by | 演唱 | performer | 演唱者
spouse | person | | wife, husband, spouse, married to, marry | 妻子, 丈夫, 配偶, 老婆, 老公 | married, wife, husband | 妻子, 丈夫, 结婚, 配偶 | spouse | 配偶
father | person | | father, dad | 父亲, 爸爸 | father, son of, daughter of | 父亲, 之子, 之女 | father | 父亲
mother | person | | mother, mum | 母亲, 妈妈 | mother, son of, daughter of | 母亲 | mother | 母亲
capital | place | | capital | 首都, 省会, 首府 | capital | 首都, 省会, 首府 | capital | 首都
country | place | | country, nation, nationality | 国家, 哪国, 国籍 | country, in, nationality | 国家, 位于, 国籍 | country | 国家
location | place | | located, location, where is, situated | 位于, 位置, 在哪, 坐落 | located, situated, lies, in | 位于, 坐落, 地处 | location | 位置
headquarters | place | | headquarters, headquartered, head office | 总部 | headquarters, headquartered, based in | 总部 | headquarters | 总部
currency | name | | currency | 货币 | currency | 货币 | currency | 货币
language | name | | language, official language, spoken | 语言, 官方语言 | language | 语言 | language | 语言
ceo | person | | ceo, chief executive, chief executive officer | 首席执行官, ceo, 总裁 | ceo, chief executive | 首席执行官, CEO, 总裁 | CEO | 首席执行官
president | person | | president | 总统 | president | 总统 | president | 总统
prime_minister | person | | prime minister, premier | 首相, 总理 | prime minister, premier | 首相, 总理 | prime minister | 总理
mayor | person | | mayor | 市长 | mayor | 市长 | mayor | 市长
chair | person | | chairman, chair, chairwoman, chairperson | 董事长, 主席 | chairman, chair, chairwoman | 董事长, 主席 | chair | 董事长
leader | person | | head of, leader, leads, who leads, who runs | 负责人, 领导人, 谁领导 | head of, led by, leader | 负责人, 领导人 | leader | 负责人
nickname | name | | nickname, nicknamed | 绰号, 别名, 别称, 外号 | nickname, called, known as | 名叫, 绰号, 称为 | name | 名称
deadline | date | | deadline, due, due date, by when | 截止, 截止日期, 期限 | deadline, due, by | 截止 | deadline | 截止日期
event | date | | happen, happened, take place, took place, held, occur, occurred | 发生, 举行, 举办, 召开 | took place, happened, held, occurred | 发生, 举行, 举办, 召开 | date | 时间
beginning | date | | begin, began, start, break out, broke out | 开始, 爆发 | began, started, broke out | 开始, 爆发 | beginning | 开始
ending | date | | end, ended, finish | 结束 | ended, finished | 结束 | end | 结束
"""


class Relation(NamedTuple):
    """One relation of the lexicon: its columns, the words by language."""

    name: str
    answer_type: str
    dimension: str
    asks: dict[str, tuple[str, ...]]
    says: dict[str, tuple[str, ...]]
    noun: dict[str, str]


@cache
def relations() -> dict[str, Relation]:
    """The relations by name."""
    table = {}
    for row in _ROWS.strip().splitlines():
        name, kind, dimension, *cells = (cell.strip() for cell in row.split("|"))
        asks, says = ({"en": _words(cells[at]), "zh": _words(cells[at + 1])} for at in (0, 2))
        table[name] = Relation(name, kind, dimension, asks, says, {"en": cells[4], "zh": cells[5]})
    return table


def _words(cell: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in cell.split(",") if word.strip())
