"""Which Chinese text may be a person's name: by family name, by transcription, by title."""

import re
from typing import Final

from nodes.rules.reading.places import is_country
from text.language import HAN
from text.patterns import lazy

# Family names by frequency in China, with those known from history.
_SURNAMES: Final = frozenset(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白"
    "邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤温康施文牛樊葛邢安齐易乔伍庞颜倪庄聂章鲁岳翟殷詹申欧耿关兰焦俞左柳甘祝包宁"
    "尚符舒阮柯纪梅童凌毕单季裴霍涂成苗谷盛曲翁冉骆蓝路游辛靳欧管柴蒙鲍华喻祁蒲房滕屈饶解牟艾尤阳时穆农司卓古吉缪简车项连芦麦褚娄窦戚岑景党宫"
    "费卜冷晏席卫米柏宗瞿桂全佟应臧闵苟邬边卞姬师和仇栾隋商刁沙荣巫寇桑郎甄丛仲虞敖巩明佘池查麻苑迟邝官封谈匡鞠惠荆乐冀郁胥南班储原栗燕楚鄢劳谌奚"
    "皮粟冼蔺楼盘满闻位厉伊仝区郜海阚花权强帅屠豆朴盖练廉禹井祖漆巴丰支卿国狄平计索宣晋相初门云容敬来扈晁芮都普阙浦戈伏鹿薄邸雍辜羊阿乌母裘亓修邰赫杭"
    "嬴嵇项刘嵇诸司溥班谯郗嬴隗"
)
_DOUBLE: Final = lazy(
    "(?:欧阳|司马|诸葛|上官|夏侯|东方|皇甫|尉迟|公孙|慕容|令狐|长孙|宇文|司徒|端木|爱新觉罗|叶赫那拉|完颜)"
)
_SOUND: Final = frozenset(
    "阿埃艾爱安奥澳巴拜班邦贝本比彼宾波伯勃博布达丹道德登迪蒂丁顿多厄恩尔法凡菲费芬佛夫弗福富盖冈高戈格葛根古哈海汉豪赫黑亨胡华霍基吉加贾杰金卡凯坎康柯科"
    "克肯孔库昆拉莱兰朗劳勒雷黎里理利丽莉列林琳龙卢鲁路伦罗洛马玛麦曼梅门蒙米密缪摩莫姆穆拿纳娜南内尼妮涅宁纽农努诺欧帕派潘佩彭皮平坡珀普奇齐契强乔切琼丘热"
    "日茹瑞若萨塞赛桑瑟森沙莎舍施什士史舒朔丝斯司松苏索所塔泰坦汤唐特提田廷图托陀瓦万旺威韦维魏温文翁沃乌武西希锡夏谢辛欣休许雅亚延扬耶叶伊依因英尤于约泽扎詹珍芝治朱"
    "茨兹祖佐撒逊仑爵迈威廉姬泽恺"
)
_TITLED: Final = lazy(
    f"[{HAN}]{{1,4}}(?:帝|太祖|太宗|成祖|高祖|世祖|皇后|太后|公主|王|公|侯|妃)(?:[{HAN}]{{2,3}})?"
    f"|[{HAN}]{{0,2}}[太高世中圣成仁英宪孝武穆神光熹思玄肃代德顺文宣懿僖昭真哲徽钦宁理度恭显睿道兴][祖宗](?:[{HAN}]{{2,3}})?"
    f"|[孔老庄墨荀孟韩列曾朱程杨管晏孙惠告许周][夫]?子"
)
_ROLE: Final = (
    "小说家|作家|诗人|画家|导演|建筑师|工程师|皇帝|国王|总统|首相|总理|主席|教授|博士|将军|演员|歌手|选手|运动员|医生|主人公|主角|牧师|教士|科学家|物理学家|化学家|数学家|"
    "文学家|书法家|思想家|政治家|军事家|音乐家|作曲家|雕塑家|艺术家|企业家|发明家|天文学家|历史学家|史学家|哲学家|探险家|药学家|医学家|经济学家|建筑家|革命家|教育家|"
    "男子|女子|队员|宦官|名将|大臣|丞相|学者|词人|僧人|商人|院士|设计师|制作人|编剧|作者|嫌疑人|艺人|女星|男星|女演员|男演员|影星|球员|飞行员|航天员|记者|律师|法官|部长|"
    "董事长|总裁|创始人|校长|馆长|院长|局长|州长|市长|弟弟|哥哥|父亲|母亲|儿子|女儿|妻子|丈夫|长子|次子|幼子|公司|等人|自己|本人|有谁|介绍"
)
_IS_ROLE: Final = lazy(f"(?:{_ROLE})$")
DESCRIPTION: Final = lazy(rf"^.{{0,18}}?(?:(?:{_ROLE})(?:、(?:{_ROLE}))*)+(?:兼\w{{2,4}})?(?=[{HAN}·A-Za-z]{{2,}})")
"""What may stand before a name: 法国工程师, 知名作家、编剧."""

_NO_NAME: Final = lazy(
    r"[\d年月日时]|^(?:他|她|它|其|该|此|这|那|本|我|你|之|后来|当时|最|第|一|并|再|又|已|曾|就|首|同|不|没|未|以|及|在|于|因|而)"
    r"|(?:问题|方面|时候|之一|以后|以前|如下|什么|名单|阵容|介绍|获得|担任|都|等|表)$"
)


def is_person_zh(text: str) -> bool:
    """Whether Chinese text may be a person's name.

    Args:
        text: A stretch of text, without a description before it.
    """
    if re.fullmatch(r"[A-Z][\w .·'-]{1,40}", text):
        return True
    if _NO_NAME.search(text) or _IS_ROLE.search(text) or is_country(text):
        return False
    if re.fullmatch(f"[{HAN}]{{1,8}}(?:[·・•][{HAN}A-Za-z.]{{1,10}}){{1,4}}", text):
        return True
    if not re.fullmatch(f"[{HAN}]{{2,6}}", text):
        return False
    if _DOUBLE.match(text):
        return len(text) <= 5
    sounded = sum(c in _SOUND for c in text) / len(text)
    return (
        (text[0] in _SURNAMES and len(text) <= 3)
        or (sounded >= 0.8 and len(text) >= 2)
        or bool(_TITLED.fullmatch(text))
    )


def person_in(text: str) -> tuple[int, int] | None:
    """The name in a phrase such as 法国工程师居斯塔夫·埃菲尔 or 明成祖朱棣; None if there is none.

    Args:
        text: A noun phrase.
    """
    start = 0
    described = DESCRIPTION.match(text)
    if described:
        start = described.end()
    if is_person_zh(text[start:]):
        return start, len(text)
    return None
