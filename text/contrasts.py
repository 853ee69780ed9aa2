"""Words that exclude each other: opposites, and members of one class such as the seasons or the colours.

Data. In `_OPPOSITES` each entry (entries end with a line or `;`) has two sides, `|` between them: a clause
that says a word of one side of something denies the words of the other, and a negation turns it round. In `_CLASSES` the words of an entry exclude each other; words joined
by `=` are one. English words are stems' sources (inflections are found through `weiwo.text.terms.stem`).
"""

from functools import cache
from typing import Final

from weiwo.text.terms import stem

_OPPOSITES: Final = """
rise rose grew grow increase climb gained growth upward higher more improve | fall fell dropped decrease decline shrank downward lower less fewer worsen
allowed permitted authorized | forbidden prohibited banned disallowed barred forbid
suitable appropriate | unsuitable inappropriate ; succeed success successful | failure unsuccessful flop
support backed favoured endorsed approved | oppose opposition objected against rejected
stay remain retain | leave left departed resigned quit removed remove drop dropped
accept agreed adopted passed | reject rejected refused vetoed ; include contain | exclude omit
enable enabled | disable disabled off ; possible | impossible ; legal lawful | illegal unlawful
restored regained re-established | lost ; open opened | close closed shut ; safe harmless | unsafe dangerous harmful toxic
public | private ; free | paid pay ; mandatory required compulsory obligatory | optional voluntary
common frequent widespread | rare uncommon scarce ; active | dormant inactive extinct ; alive living | dead deceased extinct died
fast quick rapid | slow sluggish ; large big huge | small little tiny ; heavy | lightweight ; long | short ; high tall | low
hard difficult | easy simple ; cheap inexpensive | expensive costly ; strong | weak ; hot warm | cold cool ; rich wealthy | poor ; early | late
oldest earliest | newest latest youngest ; first | last ; largest biggest | smallest ; highest tallest | lowest shortest ; longest | shortest
best | worst ; above | below beneath ; before | after since ; begin began begun started | ended finished stopped
inside indoors | outside outdoors ; upper | lower ; majority | minority ; maximum at-most | minimum at-least
import imported | export exported ; synchronous sync | asynchronous async ; stable | unstable experimental deprecated ; static | dynamic
manual | automatic ; encrypted | unencrypted plaintext ; domestic | foreign ; male man men boy | female woman women girl
husband | wife widow ; father | mother ; son | daughter ; brother | sister ; uncle | aunt ; king | queen ; buyer | seller ; landlord | tenant
employer | employee ; win won winner victory | lose lost loser ; married | unmarried single ; guilty convicted | innocent acquitted
profit profitable | loss unprofitable ; shared | exclusive ; northern north | southern south ; eastern east | western west
intact preserved | destroyed ruined ; wet | dry ; like | unlike ; daytime | night ; airtight sealed | unsealed
允许 可以 准许 能够 | 禁止 不得 严禁 不许 不可 不能 ; 增长 上升 提高 增加 上涨 升高 | 下降 减少 降低 下跌 下滑 回落 ; 成功 | 失败 ; 支持 赞成 | 反对
包括 包含 含有 | 不含 排除 ; 最大 | 最小 ; 最高 | 最低 ; 最长 | 最短 ; 最早 | 最晚 ; 最多 | 最少 ; 公开 | 保密 ; 国有 | 私营 民营 ; 买家 买方 | 卖家 卖方
收入 营业收入 | 支出 ; 进口 | 出口 ; 男性 | 女性 ; 父亲 | 母亲 ; 儿子 | 女儿 ; 丈夫 | 妻子 ; 同步 | 异步 ; 开放 开启 启用 打开 | 关闭 禁用 停用 ; 流入 | 流出
多浇 增多 | 少浇 ; 上游 | 下游 ; 北部 北岸 | 南部 南岸 ; 东部 东岸 | 西部 西岸 ; 保留 留任 留在 仍在 | 移除 删除 取消 离开 离职 辞去 废除 ; 免费 | 收费 付费
合法 | 非法 ; 获胜 击败 战胜 赢得 | 落败 败给 输给 输掉 ; 盈利 | 亏损 ; 在世 健在 | 去世 逝世 已故 ; 必须 强制 | 可选 自愿 ; 通过 批准 | 否决 驳回 ; 白天 | 夜间 夜里
已婚 | 未婚 ; 开始 | 结束 ; 有罪 | 无罪 ; 宜用 宜施 | 忌用 ; 上午 | 下午 ; 之前 | 之后 ; 稳定 | 不稳定 ; 安全 | 危险 ; 常见 | 罕见
"""
_CLASSES: Final = """
spring=springtime | summer=summertime | autumn=autumnal | winter=wintertime
red=crimson=scarlet | orange | yellow | green | blue=navy | purple=violet | pink | brown | black | white | grey=gray
monday | tuesday | wednesday | thursday | friday | saturday | sunday
morning=dawn=sunrise | noon=midday | afternoon | evening=dusk=sunset=twilight | night=midnight
daily | weekly | monthly | quarterly | yearly=annual=annually
north=northern | south=southern | east=eastern | west=western | northeast=northeastern=north-east | northwest=northwestern=north-west | southeast=southeastern=south-east | southwest=southwestern=south-west
wood=wooden | stone | brick | concrete | steel | iron | marble | granite | limestone | sandstone | glass | bronze | copper | aluminium=aluminum | plastic | leather | paper
oil | watercolour=watercolor | acrylic | pencil | fresco ; primary | secondary | tertiary ; blind | deaf | mute ; bachelor | master | doctorate
painter | sculptor | composer | conductor | singer | actor=actress | dancer | poet | novelist | photographer | architect | engineer | physicist | chemist | biologist | botanist | mathematician | astronomer | physician=doctor | lawyer | politician | journalist | footballer | economist | philosopher | historian | geologist | teacher
school | hotel | hospital | museum | library | theatre=theater | factory | prison | church | restaurant
square | round=circular | triangular | rectangular | oval ; liquid | solid | gas=gaseous ; platinum | gold | silver | bronze
guitar=guitarist | bass=bassist | drums=drummer | piano=pianist | violin=violinist | cello=cellist | flute=flutist | trumpet=trumpeter | saxophone=saxophonist
breakfast | lunch | dinner ; buddhist | christian | muslim=islamic | jewish | hindu ; oxygen | hydrogen | nitrogen | helium | carbon
wool | cotton | silk | linen ; novel | poem | play | opera | symphony | film=movie | album | painting ; freshwater | saltwater
car | bus | train | ship=boat=vessel=ferry | aeroplane=airplane=plane=aircraft | bicycle=bike ; left-handed | right-handed ; natural | artificial=synthetic
byte | kilobyte | megabyte | gigabyte | terabyte | petabyte ; arm | thigh | leg | knee | ankle | shoulder | elbow | wrist | hip | foot | neck
almond | hazelnut | walnut | peanut | cashew | pistachio ; cow | goat | sheep=ewe | buffalo | pig | horse ; oled | lcd | plasma ; winner=champion | runner-up=finalist
apple | pear | cherry=black-cherry | quince | plum | peach | apricot | lemon | raspberry | strawberry | fig ; tea | coffee | beer | wine | juice | cider
football=soccer | basketball | volleyball | baseball | tennis | rugby | hockey | cricket | handball | badminton
sqlite | postgresql=postgres | mysql | mongodb | redis | mariadb ; json | yaml | toml | xml | csv | ini ; gzip | zstd | brotli | lz4 | bzip2 | snappy
physics | chemistry | medicine | literature | economics | peace ; chilled=refrigerated | frozen | warmed=heated ; suspension | cable-stayed | cantilever
single | double | triple ; lung | ovarian | breast | liver | skin | brain ; tropical | alpine | arctic | desert
春季=春天 | 夏季=夏天 | 秋季=秋天 | 冬季=冬天 ; 红色 | 橙色 | 黄色 | 绿色 | 蓝色 | 紫色 | 粉色 | 棕色 | 黑色 | 白色 | 灰色 | 银色 | 金色
周一=星期一 | 周二=星期二 | 周三=星期三 | 周四=星期四 | 周五=星期五 | 周六=星期六 | 周日=星期日=星期天
早晨=清晨=早上=上午 | 中午 | 下午 | 傍晚=晚上 | 夜里=夜间=深夜 ; 每天=每日 | 每周 | 每月 | 每季度 | 每年
北部=北面=北边=北侧 | 南部=南面=南边=南侧 | 东部=东面=东边=东侧 | 西部=西面=西边=西侧 ; 混凝土 | 大理石 | 花岗岩 | 玻璃 | 青铜
画家 | 雕塑家 | 作曲家 | 指挥家 | 歌手 | 演员 | 诗人 | 作家=小说家 | 摄影师 | 建筑师 | 工程师 | 物理学家 | 化学家 | 生物学家 | 数学家 | 天文学家 | 医生 | 律师 | 记者 | 邮差 | 教师
足球 | 篮球 | 排球 | 乒乓球 | 羽毛球 | 网球 | 棒球 | 手球 ; 冠军 | 亚军=第二名 | 季军=第三名 ; 一等奖 | 二等奖 | 三等奖 ; 金奖 | 银奖 | 铜奖 ; 悬索桥 | 斜拉桥 | 拱桥 | 梁桥
物理学奖 | 化学奖 | 医学奖 | 文学奖 | 和平奖 | 经济学奖 ; 董事长 | 总经理=总裁 | 首席执行官 | 首席技术官 | 首席财务官 ; 上臂 | 大腿 | 小腿 | 肩部 ; 首次=首度 | 卫冕=蝉联
学校 | 酒店=宾馆 | 医院 | 博物馆 | 图书馆 | 剧院 | 工厂 | 教堂 ; 小说 | 诗歌 | 话剧 | 歌剧 | 电影 | 专辑
西汉 | 东汉 | 三国 | 西晋 | 东晋 | 隋朝=隋代 | 唐朝=唐代 | 北宋 | 南宋 | 元朝=元代 | 明朝=明代 | 清朝=清代
"""


def _entries(rows: str) -> list[str]:
    return [entry for line in rows.strip().splitlines() for entry in line.split(";")]


@cache
def opposites() -> dict[str, tuple[tuple[int, int], ...]]:
    """The sides of each word: its axes with 1 for one side and -1 for the other. English words by stem."""
    table: dict[str, list[tuple[int, int]]] = {}
    for axis, row in enumerate(_entries(_OPPOSITES)):
        for side, words in zip((1, -1), row.split("|"), strict=True):
            for word in words.split():
                key = stem(word) if word.isascii() else word
                if (axis, side) not in table.setdefault(key, []):
                    table[key].append((axis, side))
    return {key: tuple(sides) for key, sides in table.items() if len({axis for axis, _ in sides}) == len(sides)}


@cache
def classes() -> dict[str, tuple[tuple[int, int], ...]]:
    """The classes of each word: number of the class, and number of the member in it. English words by stem."""
    table: dict[str, list[tuple[int, int]]] = {}
    for group, row in enumerate(_entries(_CLASSES)):
        for member, words in enumerate(row.split("|")):
            for word in words.strip().split("="):
                table.setdefault(stem(word) if word.isascii() else word, []).append((group, member))
    return {key: tuple(found) for key, found in table.items()}
