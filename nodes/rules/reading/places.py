"""Countries, their adjectives and Chinese names, and the states of the USA: what "which country" asks for."""

import re
from functools import lru_cache
from typing import Final

from text.language import fold
from text.patterns import lazy

# name | adjective | Chinese name; further names of the same country after a slash.
_COUNTRIES: Final = """
Afghanistan|Afghan|阿富汗; Albania|Albanian|阿尔巴尼亚; Algeria|Algerian|阿尔及利亚; Andorra|Andorran|安道尔;
Angola|Angolan|安哥拉; Argentina|Argentine/Argentinian|阿根廷; Armenia|Armenian|亚美尼亚;
Australia|Australian|澳大利亚; Austria|Austrian|奥地利; Azerbaijan|Azerbaijani|阿塞拜疆; Bahamas|Bahamian|巴哈马;
Bahrain|Bahraini|巴林; Bangladesh|Bangladeshi|孟加拉国; Barbados|Barbadian|巴巴多斯; Belarus|Belarusian|白俄罗斯;
Belgium|Belgian|比利时; Belize|Belizean|伯利兹; Benin|Beninese|贝宁; Bhutan|Bhutanese|不丹;
Bolivia|Bolivian|玻利维亚; Bosnia and Herzegovina|Bosnian|波斯尼亚和黑塞哥维那/波黑; Botswana|Botswanan|博茨瓦纳;
Brazil|Brazilian|巴西; Brunei|Bruneian|文莱; Bulgaria|Bulgarian|保加利亚; Burkina Faso|Burkinabé|布基纳法索;
Burundi|Burundian|布隆迪; Cambodia|Cambodian|柬埔寨; Cameroon|Cameroonian|喀麦隆; Canada|Canadian|加拿大;
Cape Verde|Cape Verdean|佛得角; Central African Republic||中非共和国/中非; Chad|Chadian|乍得; Chile|Chilean|智利;
China/People's Republic of China|Chinese|中国/中华人民共和国; Colombia|Colombian|哥伦比亚; Comoros|Comorian|科摩罗;
Democratic Republic of the Congo||刚果民主共和国; Republic of the Congo/Congo|Congolese|刚果共和国/刚果;
Costa Rica|Costa Rican|哥斯达黎加; Croatia|Croatian|克罗地亚; Cuba|Cuban|古巴; Cyprus|Cypriot|塞浦路斯;
Czech Republic/Czechia|Czech|捷克; Czechoslovakia|Czechoslovak|捷克斯洛伐克; Denmark|Danish|丹麦; Djibouti|Djiboutian|吉布提;
Dominica||多米尼克; Dominican Republic|Dominican|多米尼加; East Timor/Timor-Leste|Timorese|东帝汶; Ecuador|Ecuadorian|厄瓜多尔;
Egypt|Egyptian|埃及; El Salvador|Salvadoran|萨尔瓦多; England|English|英格兰; Equatorial Guinea||赤道几内亚;
Eritrea|Eritrean|厄立特里亚; Estonia|Estonian|爱沙尼亚; Eswatini/Swaziland|Swazi|斯威士兰; Ethiopia|Ethiopian|埃塞俄比亚;
Falkland Islands|Falkland|福克兰群岛/马尔维纳斯群岛; Fiji|Fijian|斐济; Finland|Finnish|芬兰; France|French|法国; Gabon|Gabonese|加蓬;
Gambia|Gambian|冈比亚; Georgia|Georgian|格鲁吉亚; Germany|German|德国; East Germany|East German|东德; West Germany|West German|西德;
Ghana|Ghanaian|加纳; Greece|Greek|希腊; Greenland|Greenlandic|格陵兰; Grenada|Grenadian|格林纳达; Guatemala|Guatemalan|危地马拉;
Guinea|Guinean|几内亚; Guinea-Bissau||几内亚比绍; Guyana|Guyanese|圭亚那; Haiti|Haitian|海地; Honduras|Honduran|洪都拉斯;
Hong Kong||香港; Hungary|Hungarian|匈牙利; Iceland|Icelandic|冰岛; India|Indian|印度; Indonesia|Indonesian|印度尼西亚/印尼;
Iran|Iranian|伊朗; Iraq|Iraqi|伊拉克; Ireland|Irish|爱尔兰; Israel|Israeli|以色列; Italy|Italian|意大利;
Ivory Coast/Côte d'Ivoire|Ivorian|科特迪瓦; Jamaica|Jamaican|牙买加; Japan|Japanese|日本; Jordan|Jordanian|约旦;
Kazakhstan|Kazakh|哈萨克斯坦; Kenya|Kenyan|肯尼亚; Kiribati||基里巴斯; Kosovo|Kosovar|科索沃; Kuwait|Kuwaiti|科威特;
Kyrgyzstan|Kyrgyz|吉尔吉斯斯坦; Laos|Lao/Laotian|老挝; Latvia|Latvian|拉脱维亚; Lebanon|Lebanese|黎巴嫩; Lesotho||莱索托;
Liberia|Liberian|利比里亚; Libya|Libyan|利比亚; Liechtenstein||列支敦士登; Lithuania|Lithuanian|立陶宛; Luxembourg||卢森堡;
Madagascar|Malagasy|马达加斯加; Malawi|Malawian|马拉维; Malaysia|Malaysian|马来西亚; Maldives|Maldivian|马尔代夫;
Mali|Malian|马里; Malta|Maltese|马耳他; Marshall Islands|Marshallese|马绍尔群岛; Mauritania|Mauritanian|毛里塔尼亚;
Mauritius|Mauritian|毛里求斯; Mexico|Mexican|墨西哥; Micronesia|Micronesian|密克罗尼西亚; Moldova|Moldovan|摩尔多瓦;
Monaco|Monégasque|摩纳哥; Mongolia|Mongolian|蒙古国/蒙古; Montenegro|Montenegrin|黑山; Morocco|Moroccan|摩洛哥;
Mozambique|Mozambican|莫桑比克; Myanmar/Burma|Burmese|缅甸; Namibia|Namibian|纳米比亚; Nauru|Nauruan|瑙鲁; Nepal|Nepalese/Nepali|尼泊尔;
Netherlands|Dutch|荷兰; New Zealand||新西兰; Nicaragua|Nicaraguan|尼加拉瓜; Niger|Nigerien|尼日尔; Nigeria|Nigerian|尼日利亚;
North Korea|North Korean|朝鲜; South Korea/Korea|South Korean/Korean|韩国; North Macedonia/Macedonia|Macedonian|北马其顿;
Norway|Norwegian|挪威; Oman|Omani|阿曼; Pakistan|Pakistani|巴基斯坦; Palau|Palauan|帕劳; Palestine|Palestinian|巴勒斯坦;
Panama|Panamanian|巴拿马; Papua New Guinea||巴布亚新几内亚; Paraguay|Paraguayan|巴拉圭; Peru|Peruvian|秘鲁;
Philippines|Filipino/Philippine|菲律宾; Poland|Polish|波兰; Portugal|Portuguese|葡萄牙; Puerto Rico|Puerto Rican|波多黎各;
Qatar|Qatari|卡塔尔; Romania|Romanian|罗马尼亚; Russia|Russian|俄罗斯; Rwanda|Rwandan|卢旺达; Samoa|Samoan|萨摩亚;
San Marino||圣马力诺; Saudi Arabia|Saudi|沙特阿拉伯/沙特; Scotland|Scottish|苏格兰; Senegal|Senegalese|塞内加尔;
Serbia|Serbian|塞尔维亚; Seychelles||塞舌尔; Sierra Leone||塞拉利昂; Singapore|Singaporean|新加坡; Slovakia|Slovak|斯洛伐克;
Slovenia|Slovenian|斯洛文尼亚; Solomon Islands||所罗门群岛; Somalia|Somali|索马里; South Africa|South African|南非;
South Sudan|South Sudanese|南苏丹; Soviet Union|Soviet|苏联; Spain|Spanish|西班牙; Sri Lanka|Sri Lankan|斯里兰卡;
Sudan|Sudanese|苏丹; Suriname|Surinamese|苏里南; Sweden|Swedish|瑞典; Switzerland|Swiss|瑞士; Syria|Syrian|叙利亚;
Taiwan|Taiwanese|台湾; Tajikistan|Tajik|塔吉克斯坦; Tanzania|Tanzanian|坦桑尼亚; Thailand|Thai|泰国; Togo|Togolese|多哥;
Tonga|Tongan|汤加; Trinidad and Tobago|Trinidadian|特立尼达和多巴哥; Tunisia|Tunisian|突尼斯; Turkey/Türkiye|Turkish|土耳其;
Turkmenistan|Turkmen|土库曼斯坦; Tuvalu|Tuvaluan|图瓦卢; Uganda|Ugandan|乌干达; Ukraine|Ukrainian|乌克兰;
United Arab Emirates/UAE|Emirati|阿联酋/阿拉伯联合酋长国; United Kingdom/UK/Great Britain/Britain|British|英国;
United States/United States of America/USA/US/U.S.|American|美国; Uruguay|Uruguayan|乌拉圭; Uzbekistan|Uzbek|乌兹别克斯坦;
Vanuatu||瓦努阿图; Vatican City||梵蒂冈; Venezuela|Venezuelan|委内瑞拉; Vietnam|Vietnamese|越南; Wales|Welsh|威尔士;
Yemen|Yemeni|也门; Yugoslavia|Yugoslav|南斯拉夫; Zambia|Zambian|赞比亚; Zimbabwe|Zimbabwean|津巴布韦
"""  # noqa: E501 - several countries to a line

_STATES: Final = (
    "Alabama;Alaska;Arizona;Arkansas;California;Colorado;Connecticut;Delaware;Florida;Georgia;Hawaii;Idaho;Illinois;"
    "Indiana;Iowa;Kansas;Kentucky;Louisiana;Maine;Maryland;Massachusetts;Michigan;Minnesota;Mississippi;Missouri;"
    "Montana;Nebraska;Nevada;New Hampshire;New Jersey;New Mexico;New York;North Carolina;North Dakota;Ohio;Oklahoma;"
    "Oregon;Pennsylvania;Rhode Island;South Carolina;South Dakota;Tennessee;Texas;Utah;Vermont;Virginia;Washington;"
    "West Virginia;Wisconsin;Wyoming"
)


@lru_cache(maxsize=1)
def _countries() -> tuple[dict[str, str], dict[str, str]]:
    """Folded names to names as written, and folded adjectives to the English name."""
    names: dict[str, str] = {}
    adjectives: dict[str, str] = {}
    for row in _COUNTRIES.replace("\n", "").split(";"):
        english, adjective, chinese = row.strip().split("|")
        for name in (*english.split("/"), *chinese.split("/")):
            names[fold(name)] = name
        for form in filter(None, adjective.split("/")):
            adjectives[fold(form)] = english.split("/")[0]
    return names, adjectives


_STATE_NAMES: Final = frozenset(fold(name) for name in _STATES.split(";"))


def is_country(name: str) -> bool:
    """Whether a name is that of a country, in English or Chinese, with or without an article."""
    return fold(name).removeprefix("the ") in _countries()[0]


def is_us_state(name: str) -> bool:
    """Whether a name is that of a state of the USA."""
    return fold(name) in _STATE_NAMES


def country_of_adjective(word: str) -> str | None:
    """The country an English adjective such as "Colombian" speaks of, or None."""
    return _countries()[1].get(fold(word))


@lru_cache(maxsize=1)
def _adjective_pattern() -> re.Pattern[str]:
    forms = sorted(_countries()[1], key=len, reverse=True)
    return re.compile(r"\b(?:" + "|".join(map(re.escape, forms)) + r")\b", re.IGNORECASE)


@lru_cache(maxsize=1)
def _name_pattern() -> re.Pattern[str]:
    forms = sorted(_countries()[0], key=len, reverse=True)
    latin = "|".join(re.escape(form) for form in forms if form.isascii())
    han = "|".join(re.escape(form) for form in forms if not form.isascii())
    # "New Mexico" and "Niger Delta" are no countries; a capital word right before or after is enough of a warning.
    return re.compile(rf"(?<!New )(?<!Gulf of )\b(?:{latin})\b(?! Delta| Sea| Ocean)|{han}", re.IGNORECASE)


_STATE_PATTERN: Final = lazy(
    r"(?<!Lake )\b(?:" + "|".join(sorted(_STATES.split(";"), key=len, reverse=True)) + r")\b(?! (?:River|City))"
)


def find_states(text: str) -> list[tuple[int, int]]:
    """Spans of names of states of the USA in a text."""
    return [f.span() for f in _STATE_PATTERN.finditer(text)]


def find_countries(text: str, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
    """Spans of country names in a stretch of text."""
    found = _name_pattern().finditer(text, start, len(text) if end is None else end)
    return [f.span() for f in found if f.group()[0].isupper() or not f.group()[0].isascii()]


def find_adjectives(text: str, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
    """Spans of national adjectives in a stretch of text."""
    found = _adjective_pattern().finditer(text, start, len(text) if end is None else end)
    return [f.span() for f in found if f.group()[0].isupper()]
