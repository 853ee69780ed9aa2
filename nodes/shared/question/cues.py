"""Cues of compound questions: what takes more than one look-up, and whether one must come before another.

Patterns read a question in lower case with a single `N` for every name, so that "The Lord of the Rings" is no chain of
relations and "Bosnia and Herzegovina" no list.
"""

import re
from typing import Final

from weiwo.state.kinds import Language
from weiwo.text.patterns import lazy

# fmt: off
_COMPARATIVE: Final = r"(?:old|young|tall|high|long|short|bigg|larg|small|great|earli|lat|soon|fast|slow|heavi|light|deep|wid|clos|near|farth|furth|bett|cheap|rich|poor|hott|cold|warm|strong|weak|new|saf|dens|busi|bright|easi|hard|few|cool|wealthi)er|worse|more|less"
_SUPERLATIVE: Final = r"(?:(?:old|young|tall|high|long|short|bigg|larg|small|great|earli|fast|slow|heavi|light|deep|wid|clos|near|farth|cheap|rich|poor|hott|cold|strong|new|busi|bright|low)est|best|worst|most|least|first|last)"
_ATTRIBUTES: Final = (
    r"(?:capitals|populations|birthdays|birthplaces|(?:birth|death|release|founding) (?:years|dates)|dates of (?:birth|death)|ages|heights|areas|lengths|currencies|nationalities|directors|authors|founders|ceos|headquarters|languages|gdps?|wives|husbands|parents|prices|scores|presidents|prime ministers|creators"
    r"|inventors|sizes|names and \w+)"
)
_COMPOUND_EN: Final = lazy(
    rf"\b(?:{_COMPARATIVE})\b[^.?!]{{0,50}}\bthan (?!\d|(?:one|two|three|ever|just|usual|half|expected|a (?:hundred|thousand|million|dozen))\b)|\b(?:which|who|what|is|are|was|were|did|does|do)\b[^.?!]{{0,80}}\b(?:{_COMPARATIVE}|{_SUPERLATIVE})\b[^.?!]{{0,80}}(?<!rather)\bor\b"
    r"|\b(?:both|in common|outliv\w+|outlast\w*|outnumber\w*|exceeds?|surpass\w*|predat\w+|compar(?:e|ed|ing|ison)|vs|versus|differ|distinguish(?:es|ed)?|similarit(?:y|ies)|contrast(?:ing|ed)?|pros and cons|advantages and disadvantages|strengths and weaknesses|costs and benefits|combined|respective(?:ly)?|and then"
    r"|after that|step by step)\b|\bdifferences? (?:between|in|of)\b|\bdifferent (?:from|than)\b|\bthe same\b[^.?!]{1,40}\bas\b|^(?:did|was|were|is|has|had|does)\b[^.?!]{1,80}\b(?:before|after|prior to|earlier|later)\b (?!(?:the )?\d)|^(?:of|between|among|out of) [^.?!]{1,90}\b(?:which|who|what)\b|^rank\b"
    r"|\bhow (?:many|much|long(?! does it)) ?(?:more |fewer |less )?(?:years?|days?|months?|centuries|decades|weeks|hours?|times?)?\b[^.?!]{0,60}\b(?:between|after|before|passed|elapsed|separat\w+|apart|from [^.?!]{1,40} (?:to|until|till))\b"
    rf"|\bhow (?:much|many)(?: [\w-]+){{0,2}} (?:{_COMPARATIVE})\b|\bby how (?:much|many)\b|\bhow long was it\b"
    r"|\bhow old (?:was|were|is|would|will)\b[^.?!]{1,80}\b(?:when|at the time|in the year|during|if|by the time|at (?:his|her|their|the)|(?:1[0-9]|20)\d\d)\b|\bwhat age (?:was|did|were|had|is)\b|\bage (?:difference|gap)\b|\b(?:sum|total|average|mean|median|ratio) (?:\w+ )?(?:of|in|between) [^.?!]{1,60}\b(?:and|N)\b"
    r"|\b(?:subtract|multipl(?:y|ied)|divided? by|minus|plus|times)\b[^.?!]{0,40}\b(?:population|area|height|year|number|age|N)\b|(?:\bthen|(?<!\w)and(?: also)?) (?:explain|compare|calculate|list|summari[sz]e|determine|compute|tell|describe|analy[sz]e|discuss|evaluate|identify|find|show|rank|sort|suggest|recommend"
    r"|estimate|say|give|name)\b|(?<!who)(?<!what)(?<!when)(?<!where)(?<!why)(?<!how),? (?:and|but|or)(?: also| in| for| at| by)? (?:who|what|when|where|why|how|which|did|does|was|were|is|has)\b(?! not\b)|\?[^?]*\b(?:who|what|when|where|why|how|which|is|are|was|were|did|does|do)\b[^?]*\?|\b(?:a|an|detailed|short"
    r"|brief|comprehensive) (?:\w+ )?(?:report|analysis|survey|white paper|literature review|case study|timeline|assessment|evaluation)\b|^(?:analy[sz]e|evaluate|assess|investigate|research|examine|critique)\b|\bcauses? (?:and|&) (?:effects?|consequences?|impact|outcomes?|results?)\b|\b(?:for|of|by|in|from) (?:each"
    r"|every)(?: one)?(?: of)?\b|\beach (?:of (?:the|these|those)|one|country|person|player|member|film|book|state|president|city)\b"
    rf"|\b{_ATTRIBUTES} (?:of|for|in) (?:(?:the )?N,|(?:the |all )*(?:two|three|four|five|six|seven|eight|nine|ten|\d+) |(?:the )?N (?:and|&)|all|each|the (?:[\w-]+ ){{0,3}}[\w-]+s\b|[\w ]+, [\w ]+|[\w ]{{1,40}}\band\b)"
    r"|^(?:list|give|show|find|what are|name|tabulate)\b[^.?!]{0,40}\b(?:and|with|along with) (?:their|its|his|her)\b"
)
_RELATION: Final = (
    r"(?:capital|author|writer|director|producer|composer|singer|performer|artist|founder|co-founder|creator|inventor|discoverer|designer|architect|builder|painter|sculptor|ceo|president|vice president|prime minister|chancellor|king|queen|emperor|leader|head|chairman|chair|mayor|governor|owner|manager|head coach"
    r"|coach|captain|wife|husband|spouse|partner|father|mother|parents?|son|daughter|child(?:ren)?|brother|sister|siblings?|grandfather|grandmother|uncle|aunt|nephew|cousin|teacher|mentor|students?|successor|predecessor|birthplace|birth place|place of birth|place of death|city of birth|hometown|country of origin"
    r"|country of birth|largest city|publisher|record label|employer|alma mater|parent company|headquarters|star|stars|lead actor|lead actress|lead singer|protagonist|main character|narrator|winner|champion|runner-up|host city|host|sponsor|manufacturer|developer|maker|translator|editor|illustrator|screenwriter"
    r"|conductor|speaker|victor|discoverers|sequel|prequel|setting|home town|vocalist|drummer|lyricist|founders|authors|receiver|recipient)"
)
_BELONGING: Final = rf"(?:{_RELATION}|country|home country|native country|state|home state|city|team|club|band|university|school|college|continent|region|province|county|district|party|dynasty|company|label|killer|rival|best friend|actor|actress)"
_WORD: Final = r"(?!(?:of|in|for|by|to|from|with|at|on|that|who|whom|which|where|whose|when) )[\w-]+ "
_NOT_ASKING: Final = r"(?!(?:who|what|which|where|when|why|how|whose|did|does|do|was|were|is|are) )"
_ASKED_FOR: Final = (
    r"(?:^|[.!?] )(?:"
    rf"(?:who|what|which|where)(?:'s| is| was| are| were| has been| have been| became| served as| will be) (?:the |an? |N, (?:the )?)?(?:{_WORD}){{0,3}}?|(?:what|which) (?:{_NOT_ASKING}{_WORD})??|(?:who|what|where) (?:the|an?) (?:{_WORD}){{0,2}}?|(?:is|are|was|were) (?:there |N )?(?:the |an?|any )?(?:{_WORD}){{0,3}}?"
    rf"|(?:name|list|identify|state|find)? ?(?:the |an? )?(?:{_NOT_ASKING}{_WORD}){{0,2}}?)"
)
"""The noun phrase a question asks for: a relation or relative clause on it is the question itself, not a step to it."""
_STEP_OF: Final = lazy(rf"(?P<asked>{_ASKED_FOR})?\b{_RELATION} (?:of|for|behind|to) (?!(?:this|that|his|her|their|all|course)\b)[\w\"']+")
_POSSESSED: Final = rf"(?:\bN|\b(?!(?:what|who|it|let|where|how|that|there|here|today|world|year|he|she|one)'s)[\w]+)(?:'s|’s|s') (?:(?:{_WORD}){{0,2}}?)"
_STEP_BY: Final = lazy(rf"(?P<asked>{_ASKED_FOR})?{_POSSESSED}{_BELONGING}\b")
_NOUN_RULED_OUT: Final = r"(?:fact|idea|reason|way|theory|claim|belief|evidence|time|sense|extent|conclusion|likelihood|chance|moment|hypothesis|argument)"
_RELATIVE: Final = lazy(
    rf"(?P<asked>{_ASKED_FOR})?\b(?:the|an?|some|another|those|any|this) (?:{_WORD}){{0,4}}?(?!{_NOUN_RULED_OUT}\b)[a-z'-]+,? (?:(?:in|from|for|on|with|to|of|by|at|after|under|during) (?:which|whom)\b|(?:that|which|who|whom|whose|where)\b(?! (?:is|was) the same)|with the (?:second |third )?{_SUPERLATIVE}\b"
    rf"|(?:directly |just |immediately )?(?:(?:north|south|east|west) of|adjacent to|next to|closest to|nearest to)\b)"
)
_PARTICIPLE: Final = (
    r"(?:directed|written|produced|founded|co-founded|published|recorded|sung|composed|painted|designed|created|played|portrayed|owned|released|performed|led|invented|discovered|adapted|hosted|signed|ruled|won|built|edited|developed|manufactured|nicknamed|named|called|known|born|located|situated|based|headquartered"
    r"|set|held|filmed|used|associated|affiliated|married|formed|established|operated|managed|coached|buried|awarded|depicted|mentioned|described) (?:by|in|on|at|from|for|after|with|as|near|to|during)"
)
_ACTIVE: Final = r"(?:bordering|featuring|starring|containing|surrounding|crossing|flowing|connecting|hosting|winning|separating|playing|representing|dividing|bearing|overlooking|dominating)"
_REDUCED: Final = lazy(rf"(?P<asked>{_ASKED_FOR})?(?P<aux>\b(?:was|were|is|are|did|does|has|have|been) )?\b(?:the|an?) (?:{_WORD}){{0,4}}?(?!(?:was|were|is|are|been|be|get|got|has|had|first|who|that|and|it|he|she) )[a-z'-]+ (?:(?P<passive>(?:first |originally |best |also )?{_PARTICIPLE})|{_ACTIVE})\b(?P<rest>[^.?!]*)")
_CONTACT: Final = lazy(
    r"\bthe (?:country|state|city|town|village|team|band|company|school|university|club|county|region|province|group|person|man|woman|place|film|movie|book|novel|song|album|show|war|party|year|day|continent|island|ship|language|label|award|position|sport) (?:the )?(?:N|he|she|it|they) (?:is|was|were|are|has|had|did"
    r"|does|do|play\w*|live[sd]?|work\w*|died|attended|founded|wrote|directed|won|belong\w*|came|comes|grew|starred|produced|born|moved|fought|graduated|served|studied|joined|represent\w*|[a-z]{3,}ed)\b"
)
_ASKS: Final = lazy(r"(?:.{0,40}\b)?(?:who|whom|whose|what|which|where|when|why|how|is|are|was|were|did|does|do)\b|\b(?:population|area|height|age|birthday|name|nationality|currency|length|date)\b")

_AND: Final = "(?:和|与|跟|同|及|以及|、|还是|或|或者|vs|,)"
_PIECE: Final = "[^,。?!;的]{1,16}"
# A list repeats its items, so an item must not hold what joins them: the match would branch without end.
_ITEM: Final = "[^,。?!;的、和与跟及]{1,16}"
_MORE: Final = "(?:年长|年轻|高|大|小|早|晚|先|后|长|短|重|轻|快|慢|多|少|远|近|深|浅|宽|热|冷|贵|便宜|好|差|强|弱|老|久|有名)"
_RELATION_ZH: Final = (
    "(?:首都|省会|作者|原作者|导演|主演|编剧|制片人|作曲者?|作词者?|演唱者|主唱|主角|男主角|女主角|创始人|创办人|创立者|发明者|发明人|发现者|设计者|设计师|建筑师|建造者|建立者|开国皇帝|缔造者|总统|首相|总理|主席|国王|女王|皇帝|天皇|元首|领导人|校长|市长|省长|州长|董事长|总裁|ceo|老板|所有者|主教练|教练|队长|妻子|老婆"
    "|皇后|丈夫|老公|配偶|父亲|爸爸|母亲|妈妈|父母|儿子|女儿|长子|次子|孩子|子女|哥哥|弟弟|姐姐|妹妹|兄弟|祖父|爷爷|外祖父|外公|孙子|叔叔|舅舅|岳父|老师|恩师|导师|学生|弟子|徒弟|继任者|继承人|前任|接班人|出生地|故乡|家乡|老家|祖籍|故里|诞生地|最大城市|第一大城市|母公司|总部|发源地|发祥地|母校|师父|师傅|师兄|师妹|前世"
    "|前妻|前夫|女友|男友|恋人|女婿|儿媳|伯父|姑姑|祖先|后代|后裔|部下|搭档|经纪人|邻国|宿敌|上司|雇主|译者|出版社|冠军|得主|获得者|获奖者|获胜者|主办国|主办城市|举办地|东道主|所在地|所在的?(?:省份?|城市|国家|州|地区|县|市|大学|洲)|国家|祖国|球队|俱乐部|乐队|代表作|成名作|处女作|前身|创造者|养父|养母|情人|对手|死敌"
    "|好友|朋友|女主人|男主人|主人公|主人)"
)
_ATTRIBUTE: Final = (
    "(?:人口|面积|海拔|高度|长度|身高|年龄|生日|出生日期|出生年份?|生卒年|忌日|国籍|籍贯|民族|职业|学历|专业|货币|官方语言|语言|国旗|国歌|国花|时区|气候|特产|市值|股价|营收|票房|评分|星座|血型|原名|本名|字号?|号|别名|英文名|全名|姓氏|名字|简称|历史|成立时间|上映时间|出版时间|死因|死亡时间|毕业院校|学校|代表作品?|作品"
    "|名言|成就|奖项|宗教|gdp|纬度|经度|区号|邮编|市长|省长|著名景点)"
)
_COMPOUND_ZH: Final = lazy(
    "比较(?!好|多|少|大|高|有|常|贵|容易|难|适合|著名|出名|快)|对比|相比|比起|区别|差别|差异|异同|不同(?:点|之处|在|吗|的地方)?(?!的?(?:人|国家|时期))|优劣|孰|共同(?:点|之处)|相同(?:点|之处|吗)|相似|同一(?:个|年|天|座|所|国|家|位|部|时)|是不是同|哪个更|谁更|之间的?(?:关系)"
    f"|{_PIECE}{_AND}{_PIECE},?(?:两者|二者|三者|这两|两人|两个|两国|两座)?(?:是不是|是否|有没有|都|均|同样|一起)(?!市|城)|(?:{_ITEM}{_AND}){{1,8}}{_ITEM}(?:中|里|之中|当中|之间|这[几三四两]个)?,?(?:哪|谁|最|何者)[^,。?!]{{0,12}}(?:最|更|{_MORE})|(?:更|最|先|早)[^,。?!]{{1,8}}(?:的是|是|:|,)[^?!]{{1,20}}(?:还是|或)"
    f"|(?:(?<![^,。的])|{_PIECE})(?<![之相对可同环占])比(?![如喻赛例分重尔利亚特萨基方值目什])[^,。?!]{{1,14}}(?:{_MORE}|重要|先进|发达)|距离?[^,。?!]{{1,20}}(?:多少|几)(?:年|天|个月|个世纪)|相差|相隔|(?:隔了?|过了|经过|用了|历时|间隔)(?:多少|几)(?:年|天|个月)|之和|之差|之比|总和|加起来|合计"
    f"|(?<![增全总身周])(?![高长宽深重](?:多少|几)(?:米|公里|公斤|吨)){_MORE}(?:了|出|上)?(?:多少|几)(?:年|岁|倍|天|米|公里|人|个|$)|{_PIECE}[和与、]{_PIECE}(?:总共|一共)[^,。]{{0,6}}(?:多少|几)|平均[^,。]{{0,10}}(?:多少|几)|(?:时|那年|的时候|当年|那一年)[^,。什]{{0,12}}(?:几岁|多大年?纪?|多少岁|年龄)|(?:几|多少)岁(?:时|的时候|就|开始|才|当|登|即|去|继|成|获|结"
    f"|拿|写|发|考|那年|称|退|上)|多大(?:时|的时候)?(?:就|当|登|即|去世|继|成为|获得|结婚)"
    "|从[^,。]{1,12}到[^,。]{1,14}(?:增长|下降|上升|增加|减少|变化|涨|跌|过|经|相|有|一共|用)[^,。]{0,6}(?:多少|几)|(?:多少|几)倍|然后|接着|(?:并|且|同时|再|最后)(?:比较|分析|计算|说明|总结|列出|解释|给出|评价|指出|算出|介绍|推荐|告诉|预测|对比|评估|排序|简述|概括|讨论|找出|写|算|和)|及其[^,。]{0,8}(?:影响|意义|后果"
    "|原因|作用)|(?:^|[,。请])分析|调研|综述|梳理|评估|论述|(?:写|做|出|生成|整理|撰写|给)[^,。]{0,20}(?:报告|综述|调研|白皮书|时间线|大事记|简报|攻略)|原因(?:和|与|及|、)[^,。]{0,10}(?:影响|后果|结果|经过|意义)|优缺点|利弊|来龙去脉|前因后果|兴衰|分别|各(?:是|自|有|为|由)|各[国省州市位个部届队人][^,。?!]{0,6}的|(?:谁"
    "|什么|哪|多少|几|怎么|为什么|吗|何)[^?。!;]{0,20}[,、?。!;](?:它|他|她|又|那么?|而|并|且|同时|其|另外|还有|这)?[^?。!;]{0,24}(?:谁|什么|哪|多少|几|怎么|为什么|何|吗|多大|多高)|以及(?:其|它|他|她|原因|为什么|影响|如何|怎|哪|谁|什么)"
    f"|每一?(?:个|位|座|部|届|任|所|家|支|本|条|首|国|名|年|人)[^,。?!]{{0,12}}(?:的|是|有|出生|来自)|列(?:出|举)[^,。?!]{{0,30}}(?:及其|和它|和他|以及|并|和各自|与其|和其)|{_PIECE}{_AND}{_PIECE}(?:的|两国的?|两人的?|各自的?)(?:{_ATTRIBUTE}|首都|省会|作者|出生地|总部|创始人|导演|校长|母校|故乡)"
)
_THING: Final = "(?:国家?|城市|省份?|州|人物?|作家|诗人|导演|演员|歌手|画家|[^,。的]家(?=是|在|于|出|去|最)|科学家|皇帝|将军|总统|女性|公司|企业|大学|学校|球队|队伍|乐队|电影|影片|电视剧|小说|书籍?|作品|歌曲?|专辑|画|河流?|江|湖|山脉?|山峰|海洋|岛屿?|大?洲|朝代|王朝|战争|战役|城|地方|地区|年份|那年|语言|建筑师?|桥|塔|奖(?!得主|项)|组织|机构|学者|君主|国王|飞船|火箭|产品|软件|元素|动物|植物|宗教)"
_ANSWER_TAIL: Final = lazy(
    "(?:现在|目前|具体|到底|究竟|一共|总共|都|又)?(?:(?:是|叫|为)(?:哪(?!里人|国人|儿人|个国家的?人|个民族|里的人|一?年.|个朝代.|个地方.)|谁|什么(?!时候|人的|民族|学校|专业|职业|星座|身份)|何(?!时))[^的]{0,8}|(?:的)?(?:名字|名称)?(?:叫|是)?(?:什么|谁|啥)?(?:名字)?|有(?:哪些|谁|什么|(?:几"
    "|多少)[个条座位部本名家所人]{0,2})|(?:几|多少)[个条座位部本名家所人]{1,2}|是(?!否|不是|怎|如何|在|从|因|由|被|做|干|为)[^的,哪什几多何]{1,14})?(?:吗|呢|啊|来着)?$"
)
"""What may follow a noun that the question itself asks for."""
_PLACE: Final = "首都|省会|总部|出生地|故乡|家乡|老家|祖籍|故里|发源地|发祥地|所在地|诞生地|举办地|最大城市"
_OWNED: Final = lazy(rf"(?<!哪)(?<!哪[个位支些座家国种])(?<!什么)(?P<relation>{_RELATION_ZH})(?P<tail>[^,。?!]{{1,40}})$")
_RELATIVE_ZH: Final = lazy(rf"[^,。?!的]{{2,30}}的(?:那|这)?一?(?:个|位|部|座|条|本|首|所|家|场|届|任|支)?(?:[^,。?!的]{{0,6}}?){_THING}(?![口们民均类际旗歌庆拔洋内])(?P<tail>[^,。?!]{{0,40}})")
_WHEN: Final = lazy("(?<![什何小同当及按准临平随届])(?:时|那年|那一年|同年|同一年|当年|那天|的时候|期间)(?!间|代|期|候|区|刻|装|常|髦|光)[,]?[^,。?!]{0,12}(?:总统|皇帝|国王|首相|总理|主席|市长|教皇|女王|天皇|校长|冠军|领导人|几岁|多大|多少岁|年龄|首领|丞相|宰相|国君|是谁)")
# fmt: on


def is_compound(marked: str, language: Language) -> bool:
    """Whether a question compares, calculates, has several parts, or asks the same of several things."""
    return bool((_COMPOUND_ZH if language == "zh" else _COMPOUND_EN).search(marked))


def is_chain(marked: str, language: Language) -> bool:
    """Whether answering takes a look-up whose question only an earlier look-up can complete."""
    return _chain_zh(marked.rstrip("?!.。 ")) if language == "zh" else _chain_en(marked.strip(" ?.!"))


def _chain_en(body: str) -> bool:
    if _CONTACT.search(body) or any(found["asked"] is None for found in _RELATIVE.finditer(body)):
        return True
    if any(found["asked"] is None and not (found["aux"] and found["passive"]) for found in _REDUCED.finditer(body)):
        return True
    steps = [*_STEP_OF.finditer(body), *_STEP_BY.finditer(body)]
    return any(found["asked"] is None for found in steps) and not (len(steps) == 1 and not _ASKS.match(body))


def _chain_zh(text: str) -> bool:
    if _WHEN.search(text):
        return True
    for found in _OWNED.finditer(text):
        place = re.fullmatch(_PLACE, found["relation"]) and re.match("(?:现在)?(?:位于|在|坐落)", found["tail"])
        if not place and not _ANSWER_TAIL.fullmatch(found["tail"]):
            return True
    return any(not _ANSWER_TAIL.fullmatch(found["tail"]) for found in _RELATIVE_ZH.finditer(text))
