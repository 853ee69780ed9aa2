"""Countries with their demonyms and names in both languages, so that "American", "United States" and 美国 are one.

Data, countries apart by `;` or a line: key | names and demonyms in English | names in Chinese. Languages named like their people
count as the country.
"""

import re
from typing import Final

from weiwo.text.patterns import lazy

_ROWS: Final = """
us|United States of America, United States, USA, U.S.A., U.S., US, America, American, Americans|美国, 美籍, 美利坚
gb|United Kingdom, UK, U.K., Great Britain, Britain, British, Briton, Britons, England, English|英国, 英格兰, 英语, 英籍
sco|Scotland, Scottish, Scot, Scots|苏格兰 ; wls|Wales, Welsh|威尔士 ; ie|Ireland, Irish|爱尔兰
de|Germany, German, Germans, West Germany, East Germany|德国, 德语, 德籍, 德意志 ; fr|France, French, Frenchman|法国, 法语, 法籍, 法兰西
it|Italy, Italian, Italians|意大利 ; es|Spain, Spanish, Spaniard|西班牙 ; pt|Portugal, Portuguese|葡萄牙
nl|Netherlands, Dutch, Holland, Dutchman|荷兰 ; be|Belgium, Belgian, Belgians|比利时
ch|Switzerland, Swiss|瑞士 ; at|Austria, Austrian, Austrians|奥地利 ; dk|Denmark, Danish, Dane, Danes|丹麦
no|Norway, Norwegian, Norwegians|挪威 ; se|Sweden, Swedish, Swede, Swedes|瑞典 ; fi|Finland, Finnish, Finn, Finns|芬兰
is|Iceland, Icelandic, Icelander|冰岛 ; pl|Poland, Polish, Pole, Poles|波兰
cz|Czech Republic, Czechia, Czech, Czechoslovakia, Czechoslovak|捷克 ; sk|Slovakia, Slovak|斯洛伐克
hu|Hungary, Hungarian, Hungarians|匈牙利 ; ro|Romania, Romanian, Romanians|罗马尼亚 ; bg|Bulgaria, Bulgarian|保加利亚
gr|Greece, Greek, Greeks|希腊 ; tr|Turkey, Turkish, Türkiye|土耳其 ; ru|Russia, Russian, Russians|俄罗斯, 俄国, 俄语
su|Soviet Union, USSR, Soviet|苏联 ; ua|Ukraine, Ukrainian, Ukrainians|乌克兰 ; rs|Serbia, Serbian, Serb|塞尔维亚
hr|Croatia, Croatian, Croat|克罗地亚 ; ee|Estonia, Estonian|爱沙尼亚 ; lv|Latvia, Latvian|拉脱维亚 ; lt|Lithuania, Lithuanian|立陶宛
ca|Canada, Canadian, Canadians|加拿大 ; mx|Mexico, Mexican, Mexicans|墨西哥 ; br|Brazil, Brazilian, Brazilians|巴西
ar|Argentina, Argentine, Argentinian|阿根廷 ; cl|Chile, Chilean|智利 ; pe|Peru, Peruvian|秘鲁 ; co|Colombia, Colombian|哥伦比亚
cu|Cuba, Cuban|古巴 ; au|Australia, Australian, Australians|澳大利亚, 澳洲 ; nz|New Zealand, New Zealander|新西兰
jp|Japan, Japanese|日本, 日语 ; cn|China, Chinese|中国, 中文, 汉语, 中华人民共和国 ; tw|Taiwan, Taiwanese|台湾
kr|South Korea, South Korean, Korea, Korean, Koreans|韩国, 韩语, 南韩, 大韩民国 ; kp|North Korea, North Korean|朝鲜, 北韩
in|India, Indian, Indians|印度 ; pk|Pakistan, Pakistani|巴基斯坦 ; bd|Bangladesh, Bangladeshi|孟加拉国
lk|Sri Lanka, Sri Lankan|斯里兰卡 ; np|Nepal, Nepalese, Nepali|尼泊尔 ; th|Thailand, Thai|泰国 ; vn|Vietnam, Vietnamese|越南
id|Indonesia, Indonesian|印度尼西亚, 印尼 ; my|Malaysia, Malaysian|马来西亚 ; sg|Singapore, Singaporean|新加坡
ph|Philippines, Filipino, Philippine|菲律宾 ; ir|Iran, Iranian, Persia, Persian|伊朗, 波斯
iq|Iraq, Iraqi|伊拉克 ; il|Israel, Israeli|以色列 ; sa|Saudi Arabia, Saudi|沙特阿拉伯, 沙特 ; eg|Egypt, Egyptian|埃及
ma|Morocco, Moroccan|摩洛哥 ; dz|Algeria, Algerian|阿尔及利亚 ; ng|Nigeria, Nigerian|尼日利亚 ; gh|Ghana, Ghanaian|加纳
sn|Senegal, Senegalese|塞内加尔 ; ke|Kenya, Kenyan|肯尼亚 ; et|Ethiopia, Ethiopian|埃塞俄比亚 ; za|South Africa, South African|南非
eu|Europe, European, Europeans|欧洲 ; as|Asia, Asian|亚洲 ; af|Africa, African|非洲
sam|South America, South American|南美洲, 南美 ; nam|North America, North American|北美洲, 北美
"""
_KEYS: Final = {
    alias.strip().casefold(): key.strip()
    for key, english, chinese in (row.split("|") for row in re.split(r"[;\n]", _ROWS.strip()))
    for alias in (*english.split(","), *chinese.split(","))
}
_LONGEST_FIRST: Final = sorted(_KEYS, key=len, reverse=True)
_LATIN: Final = lazy(
    r"(?<![\w.])(?:"
    + "|".join(
        ("(?-i:" + a.upper() + ")" if len(a) < 5 and a.replace(".", "") in {"us", "uk", "usa"} else a)
        .replace(".", r"\.")
        .replace(" ", r"\s")
        for a in _LONGEST_FIRST
        if a.isascii() or a == "türkiye"
    )
    + r")(?![\w])",
    2,
)
_HAN: Final = lazy("|".join(alias for alias in _LONGEST_FIRST if alias > "\u3000"))


def find_countries(text: str) -> list[tuple[int, int, str]]:
    """The countries and continents a text names, by name or demonym.

    Args:
        text: Any text, not folded: demonyms are told from other words by their capital.

    Returns:
        Start, end and key of each mention, in order; none overlaps another.
    """
    found = [
        (m.start(), m.end(), _KEYS[" ".join(m[0].casefold().split())])
        for m in _LATIN.finditer(text)
        if m[0][0].isupper()
    ]
    return sorted([*found, *((m.start(), m.end(), _KEYS[m[0]]) for m in _HAN.finditer(text))])
