"""Names in Chinese text.

Chinese has no capitals and no blanks. So the text is cut at the words that surely are no names (是, 的, 出生于 …), and
a piece between two cuts is a name if it carries a mark of one: a family name, a sound-by-sound transcription, an
ending such as 河 or 大学, or its place, beside another in a comparison or before an attribute (…的作者).
"""

import re
from collections.abc import Iterator
from typing import Final

from weiwo.text.language import HAN, word_set
from weiwo.text.patterns import lazy


def _any(words: frozenset[str]) -> str:
    return "|".join(sorted(words, key=lambda word: (-len(word), word)))


_FOREIGN: Final = (
    "阿埃艾爱安奥澳巴拜班邦贝本比彼宾波伯勃博布达丹道德登迪蒂丁顿多厄恩尔法凡菲费芬佛夫弗福富盖冈高戈格葛根古"
    "哈海汉豪赫黑亨胡华霍基吉加贾"
    "杰金卡凯坎康柯科克肯孔库昆拉莱兰朗劳勒雷黎里理利丽莉列林琳龙卢鲁路伦罗洛马玛麦曼梅门蒙米密缪摩莫姆穆拿纳"
    "娜南内尼妮涅宁纽农努诺欧帕派潘"
    "佩彭皮平坡珀普奇齐契强乔切琼丘热仁日茹瑞若萨塞赛桑瑟森沙莎舍施什士史舒朔丝斯司松苏索所塔泰坦汤唐特提田廷"
    "图托陀瓦万旺威韦维魏温文翁沃乌武"
    "西希锡夏谢辛欣休许雅亚延扬耶叶伊依因英尤于约泽扎詹珍芝治朱茨兹祖佐撒逊"
)
_FOREIGN_SURE: Final = frozenset(
    "埃艾奥贝迪蒂顿厄尔弗夫菲佛赫卡凯柯克莱勒黎莉鲁伦罗洛玛姆穆娜妮涅尼诺佩珀普契萨塞莎瑟斯丝坦特托陀瓦维沃茨"
    "兹詹撒逊拿仑"
)
_DOTTED: Final = lazy(f"[{_FOREIGN}]{{1,7}}(?:[·•・‧][{_FOREIGN}]{{1,7}})+")
_ALL_FOREIGN: Final = lazy(f"[{_FOREIGN}仑]{{2,8}}")

_KNOWN: Final = word_set(
    "日本 北京 上海 天津 重庆 广州 深圳 香港 澳门 台湾 南京 西安 成都 杭州 苏州 武汉 长沙 巴黎 伦敦 东京 "
    "纽约 柏林 罗马 莫斯科 华盛顿 首尔 "
    "悉尼 印度 越南 俄罗斯 加拿大 澳大利亚 巴西 埃及 意大利 西班牙 瑞士 瑞典 挪威 芬兰 丹麦 荷兰 比利时 希腊 "
    "土耳其 新加坡 欧洲 亚洲 非洲 微软 谷歌 "
    "华为 腾讯 阿里巴巴 百度 特斯拉 比亚迪 苹果公司 孔子 老子 孟子 庄子 墨子 荀子 武则天 康熙 乾隆 雍正 牛顿 "
    "贝多芬 莫扎特 马克思 列宁 比特币 欧盟 东盟 "
    "联合国 诸葛亮 郑和 第一次世界大战 第二次世界大战 长城 故宫 黄河 长江 泰山 黄山 金字塔 蒙娜丽莎"
)
_HOLDS_A_CUT: Final = word_set(
    "都江堰 比萨斜塔 多瑙河 多伦多 不丹 和田 和平 于谦 首都博物馆 都柏林 第聂伯河 几内亚 多米尼加 大多数"
)
_PROTECTED: Final = lazy(_any(_KNOWN | _HOLDS_A_CUT))
_SURNAME: Final = frozenset(
    "李张刘陈杨赵吴徐孙胡朱郭林罗郑梁谢宋唐许韩冯邓曹彭萧肖蔡潘袁董余苏叶吕魏蒋杜丁沈姜崔谭陆汪范廖姚邹熊孟秦"
    "邱侯薛阎闫段郝邵钱汤尹黎鲁屈岳翟聂郁柳茅祝嵇阮"
)
_SURNAME_IF_PERSON: Final = frozenset(
    "王黄周马高白金江安万方时常何曾任程史武康文石田夏贾傅卢钟戴龙陶贺顾毛孔莫巴老齐梅关"
)
_TWO_SURNAMES: Final = "欧阳|司马|诸葛|上官|夏侯|东方|皇甫|尉迟|公孙|慕容|令狐|长孙|宇文|司徒|端木"
_TWO_CHARACTER_SURNAME: Final = lazy(f"(?:{_TWO_SURNAMES})[{HAN}]{{1,2}}")
_NO_PERSON: Final = word_set(
    "李子 张力 张开 陈述 杨树 孙子 胡同 胡子 胡萝卜 朱红 林业 罗列 余额 余数 余下 叶子 叶绿素 叶绿体 董事 "
    "董事会 董事长 陆地 陆军 陆续 范围 范例 范文 熊猫 "
    "段落 钱币 钱包 岳父 岳母 柳树 苏打 汤圆 唐诗 唐装 宋词 宋体 许可 许可证 祝福 祝贺 谢谢 张贴 许久 罗盘 叶"
    "片 汤勺 坦克 马赛克 尼古丁 "
    "高血压 马铃薯 金属 黄金 白银 安全 方法 时候"
)
_ENDING: Final = lazy(
    f"[{HAN}\\d]{{1,5}}(?:[省市县州国山河江湖海洋岛塔桥峰宫寺城港湾朝帝皇王宗祖奖]|长城|海峡|群岛)"
    f"|[{HAN}\\d]{{1,9}}(?:"
    + _any(
        word_set(
            "大学 学院 公司 集团 银行 博物馆 图书馆 研究所 研究院 医院 中学 出版社 委员会 机场 大桥 铁路 运河 "
            "沙漠 高原 平原 盆地 半岛 瀑布 战争 战役 条约 革命 起义 "
            "王朝 帝国 共和国 联邦 大帝 公园 铁塔 石窟 火车站 冬奥会 奥运会 世界杯 事件 运动"
        )
    )
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
_ATTRIBUTE: Final = _any(
    word_set(
        "作者 首都 省会 人口 面积 海拔 高度 长度 总统 首相 总理 主席 国王 皇帝 创始人 创办人 导演 主演 编剧 主角 "
        "校长 市长 妻子 丈夫 父亲 母亲 儿子 女儿 哥哥 弟弟 姐姐 妹妹 "
        "老师 学生 弟子 故乡 家乡 籍贯 出生地 出生日期 生日 年龄 国籍 母校 代表作 作品 货币 官方语言 国旗 总部 "
        "市值 股价 票房 发源地 建造者 设计者 设计师 发明者 发现者"
    )
)
_TITLED: Final = lazy(
    "(?:学家|工程师|建筑师|设计师|律师|医师|医生|教授|博士|院士|[市省县校院所部局会社队团]长|董事长|总经理|总裁|主任|主席|总统|总理|首相|书记"
    "|作家|诗人|画家|导演|编剧|演员|歌手|选手|球员|教练|记者|编辑)"
    f"(?P<name>[{''.join(sorted(_SURNAME | _SURNAME_IF_PERSON))}][{HAN}]{{1,2}})"
)
"""A person named behind an office or a calling."""
_PERSON_CUE: Final = _any(
    word_set(
        "是谁 出生 生于 诞生 逝世 去世 死于 几岁 多大 享年 妻子 丈夫 父亲 母亲 儿子 女儿 老师 弟子 籍贯 国籍 "
        "代表作 故乡 母校 写 创作 即位 登基"
    )
)
_CUT: Final = lazy(
    f"(?P<attribute>{_ATTRIBUTE})|(?P<person>{_PERSON_CUE})|"
    "(?P<link>以及|还是|或者|(?<![同环占百])比(?![较赛分例如重值方喻])|[和与跟、及或])|(?P<other>"
    + _any(
        word_set(
            "请问 想问 我想知道 想知道 告诉 帮我 知道 了解 查一下 介绍 说明 解释 列出 列举 比较 对比 相比 分析 "
            "计算 关于 根据 按照 什么 怎么 怎样 如何 为什么 多少 哪里 哪儿 "
            "哪年 哪个 哪位 哪座 哪条 哪国 哪些 什么时候 何时 几年 几个 是否 是不是 有没有 之间 之后 之前 之一 "
            "之和 之差 以后 以前 以来 时候 期间 当时 同时 时 年 "
            "位于 属于 来自 毕业于 毕业 就读于 就读 始建于 建于 成立于 成立 建立 创立 创办 创建 发明 发现 设计 "
            "建造 修建 撰写 写作 执导 主演 出演 获得 赢得 打败 击败 统一 "
            "翻译 校订 绘制 谱曲 作曲 作词 编曲 认为 表示 指出 强调 "
            "征服 统治 在位 流经 流入 注入 穿过 经过 举办 举行 爆发 结束 开始 发生 发布 上映 出版 发行 上市 收购 "
            "位列 排名 拥有 包括 包含 超过 达到 成为 担任 当选 访问 "
            "相差 相隔 相距 距离 区别 差别 差异 不同 共同 相同 年长 年轻 全长 全称 简称 最早 最大 最高 最长 最多 "
            "世界上 历史上 分别 一共 总共 国土 目前 现在 今天 最新 当前 去年 今年 "
            "第一 第二 第三 唯一 著名 原名 又名 主要 全部 现任 前任 首任 位置 公元前 公元 世纪 使用 参加 领导 提出 "
            "平均 人均 总计 一共 总 "
        )
    )
    + "|前(?=总统|总理|首相|主席)|都(?![城市督])|[的是在于由被把对从到向为了吗呢吧啊有谁哪几多"
    "给让请我你您他她它这那们不也就还又更最其等将曾已每各某叫做说问]"
    "|高(?=吗|多|出|还|$)|长(?=吗|多|出|还|$)|[大早晚重快深浅宽远近贵热冷强老](?=吗|多|出|还|$))"
)
_HAN_RUN: Final = lazy(f"[{HAN}\ue002、]+")
_SIDE_BY_SIDE: Final = lazy(f"谁|哪|比|区别|差|是否|吗|分别|异同|平均|之和|之间|的(?:{_ATTRIBUTE})")
_NO_BEGINNING: Final = frozenset("如若因但而则且即并故凡只仅可须全各每该另其所以按据")
_NO_PART: Final = lazy("[带去来看听想用吃打做回出进让能会可要没很]")


def mask(text: str, spans: list[tuple[int, int]], filler: str = "\ue000") -> str:
    """Blot out what has been read, so that later rules don't read it again.

    Args:
        text: Any text.
        spans: What to blot out, in order and without overlaps.
        filler: The character written in its place.

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
    """Find names among Han characters, one unbroken run of them at a time.

    Args:
        text: The text, with what is already known to be a name replaced by private-use characters.

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
    """Whether a piece between two cuts is a name, by the marks it carries and by what follows it."""
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
