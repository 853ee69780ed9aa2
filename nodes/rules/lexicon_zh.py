"""Chinese nouns, adjectives and verbs that a question can be asked by."""

import re
from typing import Final

from nodes.rules.forms import SLOT, word_set


def _longest_first(joined: str) -> str:
    return "|".join(sorted(set(joined.split()), key=len, reverse=True))


_PEOPLE: Final = (
    "作者 导演 编剧 作曲家 作曲者 作词者 作词人 设计师 设计者 建筑师 工程师 发明者 发明人 发明家 发现者 发现人 "
    "创始人 创办人 创办者 创立者 负责人 主持人 经理 主管 讲师 "
    "创建者 建立者 缔造者 奠基人 奠基者 父亲 母亲 爸爸 妈妈 妻子 丈夫 配偶 夫人 伴侣 儿子 女儿 长子 次子 幼子 "
    "长女 哥哥 弟弟 姐姐 妹妹 "
    "兄长 祖父 祖母 爷爷 奶奶 外公 外婆 外祖父 叔叔 叔父 伯父 舅舅 舅父 姑姑 侄子 外甥 孙子 老师 学生 导师 "
    "弟子 继任者 继承人 继承者 前任 主演 "
    "主角 男主角 女主角 演唱者 歌手 原唱 画家 雕塑家 雕刻家 总统 首相 国王 女王 皇帝 君主 校长 市长 省长 总理 "
    "主席 首席执行官 董事长 创作者 "
    "译者 主编 队长 教练 主教练 老板 拥有者 所有者 主人 领导人 领袖 总设计师 开国皇帝 开国君主 首任总统 "
    "第一任总统 首任校长 第一任校长 "
    "得主 获得者 冠军 作家 原作者 原著作者 制片人 摄影师 发起人 统治者 建造者 现任总统 现任校长"
)
_PLACES: Final = (
    "首都 省会 首府 出生地 诞生地 故乡 家乡 祖籍 总部 总部所在地 所在地 发源地 源头 入海口 所在城市 所在国家 "
    "所在国 所在省 所在省份 "
    "所在大洲 出生城市 出生国家 国都 都城 葬地 埋葬地 墓地 陵墓"
)
_THINGS: Final = (
    "母校 国籍 官方语言 语言 货币 国歌 国旗 国花 代表作 处女作 成名作 出版社 东家 职业 原名 本名 真名 字 号 "
    "笔名 英文名 别名 朝代 民族 宗教 "
    "最高峰 最长的河流 最大的城市 最大城市 第一大城市 最大的湖 最高的山 最高的山峰 最高的建筑 最长的河 前身 "
    "支流 原著 母公司 国家"
)
_DATES: Final = {
    "出生日期": "born 出生",
    "出生年份": "born 出生",
    "出生年": "born 出生",
    "出生时间": "born 出生",
    "出生": "born 出生",
    "生日": "born 出生",
    "生年": "born 出生",
    "诞辰": "born 出生",
    "去世时间": "died 去世",
    "去世日期": "died 去世",
    "去世年份": "died 去世",
    "逝世时间": "died 逝世",
    "逝世年份": "died 逝世",
    "死亡时间": "died 去世",
    "卒年": "died 去世",
    "去世": "died 去世",
    "逝世": "died 逝世",
    "成立时间": "founded 成立",
    "成立年份": "founded 成立",
    "成立日期": "founded 成立",
    "成立": "founded 成立",
    "创立时间": "founded 创立",
    "创办时间": "founded 创办",
    "创办年份": "founded 创办",
    "建校时间": "founded 建校",
    "建成时间": "completed 建成",
    "建成年份": "completed 建成",
    "建成": "completed 建成",
    "出版时间": "published 出版",
    "出版年份": "published 出版",
    "出版": "published 出版",
    "发表时间": "published 发表",
    "发表": "published 发表",
    "上映时间": "released 上映",
    "上映年份": "released 上映",
    "上映": "released 上映",
    "发行时间": "released 发行",
    "完工时间": "completed 完工",
    "竣工时间": "completed 竣工",
    "开工时间": "started 开工",
    "建立时间": "founded 建立",
    "建立": "founded 建立",
}
_MEASURES: Final = (
    "人口 人口数量 面积 总面积 占地面积 国土面积 流域面积 高度 海拔 海拔高度 长度 全长 总长 深度 最大深度 宽度 "
    "重量 质量 身高 体重 年龄 寿命 速度 "
    "价格 票房 产量 营收 收入 市值 距离 容量 直径 半径 周长 温度 员工数 学生人数 在校生人数 人数 楼层数 层数 "
    "国内生产总值 GDP 预算 成本"
)
PEOPLE: Final = frozenset(_PEOPLE.split())
_EVENTS: Final = word_set("出生 去世 逝世 成立 建成 出版 发表 上映 建立")
NOUNS: Final = _longest_first(" ".join((_PEOPLE, _PLACES, _THINGS, *(_DATES.keys() - _EVENTS), _MEASURES)))
"""Alternation of the nouns that name a thing by its relation to another."""

CLASSES: Final = _longest_first(
    "城市 国家 大学 学校 学院 高校 中学 河流 河 江 湖泊 湖 山 山峰 岛 岛屿 省 省份 县 州 区 地方 地区 大洲 洲 "
    "海 大海 公司 企业 机构 组织 博物馆 人 "
    "作家 诗人 画家 科学家 物理学家 化学家 数学家 天文学家 皇帝 国王 总统 将军 导演 演员 歌手 建筑师 工程师 "
    "音乐家 作曲家 思想家 哲学家 政治家 朝代 "
    "王朝 帝国 小说 书 电影 诗 歌 歌曲 作品 建筑 桥 塔 宫殿 球队 乐队 俱乐部 战争 战役 行星 卫星 元素 语言 "
    "村庄 镇 小镇 街道 年份 年 时代 奖项 报纸 "
    "出版社 航空公司 银行"
)
PERSON_CLASSES: Final = word_set(
    "人 作家 诗人 画家 科学家 物理学家 化学家 数学家 天文学家 皇帝 国王 总统 将军 "
    "导演 演员 歌手 建筑师 工程师 音乐家 作曲家 思想家 哲学家 政治家"
)
VERBS: Final = _longest_first(
    "所在 位于 坐落 出生 诞生 去世 逝世 病逝 毕业 就读 居住 任教 工作 生活 写 创作 撰写 发明 发现 创办 创立 "
    "建立 成立 设计 建造 导演 执导 主演 拍摄 "
    "流经 流过 穿过 注入 横跨 统治 征服 统一 建 获得 获 担任 领导 收藏 展出 出版 发表 举办 主办 来自 属于 演唱 "
    "作曲 留学 登上 首次 第一个 打败 击败 "
    "继承 接替 取代 开凿 修建 绘制 画 谱写 提出 出土 埋葬 葬 定都 发源"
)
UNITS: Final = (
    "岁|年|个月|月|天|日|米|公里|千米|里|英里|平方公里|平方千米|平方米|公斤|千克|吨|克|人|万人|亿人"
    "|元|万元|亿元|美元|倍|层|厘米|度|个|小时|分钟|部|座"
)


def noun_question(noun: str) -> tuple[str, str]:
    """The question a noun asks of a subject, and its relation: 出生地 → ("{}出生在哪里？", "birthplace")."""
    if noun in _DATES:
        relation, verb = _DATES[noun].split()
        return date_question(verb), relation
    if noun in {"出生地", "诞生地", "出生城市", "出生国家"}:
        where = {"出生城市": "哪个城市", "出生国家": "哪个国家"}.get(noun, "哪里")
        return f"{SLOT}出生在{where}？", "birthplace"
    if noun in _MEASURES.split():
        return f"{SLOT}的{noun}是多少？", MEASURE_NAMES.get(noun, noun)
    if noun in PEOPLE:
        return f"{SLOT}的{noun}是谁？", RELATION_NAMES.get(noun, noun)
    if noun in {"所在城市", "所在国家", "所在国", "所在省", "所在省份", "所在大洲"}:
        kind = {"所在国": "国家", "所在省": "省"}.get(noun, noun.removeprefix("所在"))
        return f"{SLOT}在哪个{kind}？", "location"
    if noun in _PLACES.split():
        return f"{SLOT}的{noun}是哪里？", RELATION_NAMES.get(noun, noun)
    return f"{SLOT}的{noun}是什么？", RELATION_NAMES.get(noun, noun)


RELATION_NAMES: Final = {
    "作者": "author",
    "导演": "director",
    "父亲": "father",
    "母亲": "mother",
    "妻子": "wife",
    "首都": "capital",
    "创始人": "founder",
    "设计师": "designer",
    "总部": "headquarters",
}
MEASURE_NAMES: Final = {
    "人口": "population",
    "面积": "area",
    "高度": "height",
    "海拔": "height",
    "身高": "height",
    "长度": "length",
    "全长": "length",
    "深度": "depth",
    "重量": "weight",
    "年龄": "age",
}


def date_question(verb: str) -> str:
    """The question that asks when something came about."""
    return f"{SLOT}是哪一年{verb}的？" if verb in {"出生", "去世", "逝世", "诞生"} else f"{SLOT}是什么时候{verb}的？"


DATE_VERBS: Final = _longest_first(
    "出生 诞生 去世 逝世 病逝 死 去世的 成立 创立 创办 建立 建成 建校 出版 发表 上映 发行 完工 竣工 落成 开业 "
    "开放 开通 发现 发明 即位 登基 结婚 毕业 "
    "获奖 问世 开工 动工 建 建造 通车 首演 独立 加入 举办 灭亡 结束 开始 爆发 发布 上市 登顶 退位 称帝 退休 "
    "当选 播出 首播 通航 写成 完成"
)
RELATION_OF_VERB: Final = {
    "出生": "born",
    "诞生": "born",
    "去世": "died",
    "逝世": "died",
    "病逝": "died",
    "死": "died",
} | dict.fromkeys(("成立", "创立", "创办", "建立", "建校"), "founded")

# adjective: (question, relation, verb of the difference, the greater wins)
ADJECTIVES: Final = {
    "高": (f"{SLOT}有多高？", "height", "高", True),
    "矮": (f"{SLOT}有多高？", "height", "矮", False),
    "低": (f"{SLOT}有多高？", "height", "低", False),
    "长": (f"{SLOT}有多长？", "length", "长", True),
    "短": (f"{SLOT}有多长？", "length", "短", False),
    "重": (f"{SLOT}有多重？", "weight", "重", True),
    "轻": (f"{SLOT}有多重？", "weight", "轻", False),
    "深": (f"{SLOT}有多深？", "depth", "深", True),
    "浅": (f"{SLOT}有多深？", "depth", "浅", False),
    "宽": (f"{SLOT}有多宽？", "width", "宽", True),
    "窄": (f"{SLOT}有多宽？", "width", "窄", False),
    "快": (f"{SLOT}有多快？", "speed", "快", True),
    "慢": (f"{SLOT}有多快？", "speed", "慢", False),
    "贵": (f"{SLOT}的价格是多少？", "price", "贵", True),
    "便宜": (f"{SLOT}的价格是多少？", "price", "便宜", False),
    "大": (f"{SLOT}的面积是多少？", "area", "大", True),
    "小": (f"{SLOT}的面积是多少？", "area", "小", False),
    "远": (f"{SLOT}有多远？", "distance", "远", True),
    "近": (f"{SLOT}有多远？", "distance", "近", False),
    "长寿": (f"{SLOT}的寿命是多少？", "寿命", "长", True),
}
OLDER: Final = word_set("年长 大 老 年纪大 年龄大 岁数大 早出生")
YOUNGER: Final = word_set("年轻 小 年幼 年纪小 年龄小 岁数小")
OLD_THINGS: Final = word_set("古老 历史悠久 悠久 历史长 老 历史久")
BEGINNING: Final = (
    (
        re.compile(
            r"(?:大学|学院|学校|中学|公司|银行|俱乐部|集团|政党|共和国|王国|帝国|博物馆|组织)(?=$"
            r"|[、,和与跟同及还或谁哪])"
        ),
        "成立",
    ),
    (re.compile(r"(?:桥|塔|宫|寺|楼|大厦|城堡|教堂|长城|剧院|体育馆|大坝|陵)(?=$|[、,和与跟同及还或谁哪])"), "建成"),
    (re.compile(r"电影|影片"), "上映"),
    (re.compile(r"[\ue000-\uf8ff]|小说|书"), "出版"),
)


def beginning_of(text: str) -> str | None:
    """The verb that says how the kind of thing named in a text began: 大学 → 成立."""
    return next((verb for pattern, verb in BEGINNING if pattern.search(text)), None)
