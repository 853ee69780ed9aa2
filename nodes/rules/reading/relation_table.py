"""The table of relations: data for `relations`.

One block a relation: its name and the kind of its value, then words by the part they play. `asks` are words that only
a question uses, `cues` words that only a passage uses. Entries are regular expressions without nested repetition.
`many` marks a relation that usually has several values.
"""

from typing import Final

ROWS: Final = r"""
birth date
asks: birth, born year, birthplace, birth ?date, birthday, birth year, date of birth, place of birth, 出生地, 出生, 诞生, 生日, 生于, 诞辰, 生年
cues: born, birth, b\., native of, 出生, 诞生, 生于, 诞辰, 生在
passives: born
life: 0

death date
asks: die, dies, died, death, dead, pass away, passed away, place of death, date of death, 去世地, 去世, 逝世地, 逝世, 死亡, 死于, 死, 病逝, 辞世, 驾崩, 卒年, 卒, 遇难
cues: died, death, dies, killed, assassinated, executed, murdered, drowned, passed away, d\., 去世, 逝世, 病逝, 辞世, 驾崩, 遇刺, 身亡, 死亡, 遇难, 丧生, 丧命, 罹难, 卒于, 病故, 死于, 崩, 殉, 阵亡, 自杀
life: 1

burial place
asks: bury, buried, burial, tomb, grave, 葬, 安葬, 埋葬, 陵墓
cues: buried, interred, tomb, grave, mausoleum, 葬于, 葬在, 安葬, 陵

citizenship country
asks: nationality, citizenship, citizen, country of citizenship, 国籍, 哪国人, 哪个国家的人
cues: citizen, nationality, 国籍

screenwriter person
nouns: screenwriter, script writer, scriptwriter, 编剧
actives: wrote the screenplay, wrote the script
passives: screenplay, script, 编剧

author person
asks: pen, write, writes, 写了, 写的, 谁写, 著, 撰写, 创作
nouns: authors?, writers?, novelist, playwright, 作者, 原作者, 著者
actives: wrote, has written, penned, authored, writes, published, 著有, 写下, 写了, 创作了, 撰写了, 写有, 写成
passives: written, authored, penned, novel, book, play, poem, memoir, short story, trilogy, children's book, co-written, 创作, 所著, 撰写, 编写, 编著, 写的, 所作, 著
cues: author of, work is, works include, 代表作, 作品, 著有

director person
asks: direct, directs
nouns: directors?, main director, 总导演, 导演
actives: directed, 执导了?, 导演了
passives: directed, film, 执导, 导演, 拍摄

composer person
asks: compose, composes
nouns: composers?, 作曲家?, 作曲者
actives: composed, wrote the music, 谱写了?, 作曲
passives: composed, opera, ballet, symphony, operetta, waltz, music, 谱写, 谱曲, 作曲, 创作
cues: wrote

producer person
asks: produce, produces
nouns: producers?, 制片人, 监制, 出品人
actives: produced, co-produced
passives: produced, co-produced, 监制, 制作

actor person
asks: star, stars, who plays, who played, 谁演, 演的谁, 演员
nouns: leading actor, lead actor, cast, 主演, 演员
actives: played, portrayed, plays, portrays, starred as, stars as, stars in, starred in, 饰演, 扮演, 出演
passives: played, portrayed, 饰演, 扮演, 主演, 出演, 领衔主演
inverse: starring, stars, 主演[：:]?, 领衔主演
many: yes

performer person
asks: perform, performs, sing, sings, record, 唱, 演唱
nouns: performers?, singer, vocalist, 主唱, 演唱者, 歌手, 原唱
actives: performed, sang, recorded, released, 演唱了?
passives: performed, recorded, released, sung, song, single, album, studio album, debut album, EP, live album, track, compilation album, 演唱

painter person
asks: paint, paints, 画的, 谁画, 绘
nouns: painters?, artists?, 画家, 作者
actives: painted, drew, created, 绘制了?, 画了, 创作了
passives: painted, painting, portrait, fresco, drawn, etching, 绘制, 所绘, 所画, 画的, 创作

builder person
asks: build, builds, construct, 主持修建, 修建了?, 建造了?, 兴建了?, 建了
actives: built, constructed, erected, 主持修建, 主持建造, 下令修建, 下令建造, 修建了?, 建造了?
passives: built, constructed, erected, commissioned, 主持修建, 主持建造, 下令修建, 下令建造, 修建, 建造, 兴建

sculptor person
asks: sculpt
nouns: sculptors?, 雕塑家, 雕刻家
actives: sculpted, carved
passives: sculpted, carved, sculpture, statue, 雕刻, 雕塑

architect person
asks: design, designs, 设计
nouns: architects?, designers?, 建筑师, 设计者, 设计师
actives: designed, 设计了
passives: designed, design, 设计

discoverer person
asks: discover, discovers, 发现
nouns: discoverers?, 发现者, 发现人
actives: discovered, first observed, isolated, identified, 发现了?
passives: discovered, isolated, 发现
cues: discovery of, proved the existence of

inventor person
asks: invent, invents, 发明
nouns: inventors?, creators?, 发明者, 发明人, 发明家
actives: invented, devised, developed, 发明了?, 研制出?, 研制了
passives: invented, devised, developed, 发明, 研制
cues: invention of

maker group
asks: manufacture, manufactures, make, makes, 生产商, 制造商, 开发商
nouns: makers?, manufacturers?, developers?, 制造商, 生产商, 开发商
actives: made, manufactured, manufactures, makes, developed
passives: made, manufactured, produced, developed, 生产, 制造, 开发
many: yes

publisher group
asks: publish, publishes
nouns: publishers?, 出版社, 出版商, 发行商
actives: published, publishes
passives: published, 出版, 发行

capital city
asks: 首府
nouns: capitals?, capital city, 首都, 省会, 首府, 都城, 国都
cues: 定都, 建都

grandfather person
converse: grandson, granddaughter, 孙子, 孙女
nouns: grandfather, 祖父, 爷爷, 外祖父
inverse: grandson of, granddaughter of, 孙子

father person
converse: sons?, daughters?, youngest son, eldest son, 儿子, 女儿, 长子, 次子, 幼子
nouns: father, dad, 父亲, 爸爸, 生父, 其父
inverse: sons? of, daughters? of, child of, children of, born to
owners: 之子, 的儿子, 之女, 的女儿, 的长子, 的次子, 的第.子
actives: fathered
cues: father of, 之子, 的儿子, 的女儿, 之女

mother person
nouns: mother, mom, mum, 母亲, 妈妈, 生母, 其母, 母后
inverse: sons? of, daughters? of, child of, children of, born to

spouse person
asks: marry, marries, wed, 结婚, 嫁给, 娶, 配偶
converse: wife, husband, 妻子, 丈夫
nouns: wife, wives, husband, spouse, consort, 妻子, 丈夫, 配偶, 夫人, 皇后, 爱人, 太太
actives: married
passives: married
inverse: married, married to, wife of, husband of, widow of, 嫁给, 娶, 与.{1,8}结婚

child person
converse: father, mother, 父亲, 母亲
nouns: child, children, sons?, daughters?, eldest son, youngest son, 儿子, 女儿, 长子, 次子, 幼子, 子女, 孩子
inverse: father of, mother of

brother person
nouns: brothers?, younger brother, elder brother, 弟弟, 哥哥, 兄长, 兄弟, 胞弟, 胞兄
inverse: brother of, sister of

sister person
nouns: sisters?, younger sister, elder sister, 妹妹, 姐姐, 姐妹, 胞妹, 胞姐
inverse: brother of, sister of

uncle person
converse: nephew, great-nephew, niece, 侄子, 外甥
nouns: uncle, 叔父, 叔叔, 伯父, 舅舅, 舅父
inverse: nephew of, niece of

nephew person
converse: uncle, aunt, 叔父, 舅舅, 伯父
nouns: nephew, great-nephew, 侄子, 外甥
inverse: uncle of

teacher person
asks: teach, taught
converse: pupil, student, disciple, 学生, 弟子
nouns: teachers?, tutor, mentor, 老师, 教师, 导师
actives: taught, tutored
passives: taught, tutored
inverse: studied under, studied with, pupil of, student of, 师从, 师承

successor person
asks: succeed, succeeds, 继位者?
nouns: successors?, heir, 继任者, 继承人, 继位者
actives: succeeded, replaced, 继位, 继任
passives: succeeded, followed, replaced, 继位, 继任, 接替, 即位
cues: 继位, 继任

predecessor person
asks: precede, follows, follow
nouns: predecessors?, 前任
passives: preceded
inverse: succeeded, replaced, successor to, 接替

host person
asks: host, hosts
nouns: hosts?, presenters?, 主持人
actives: hosted, presented
passives: hosted, presented, 主持

chief person
asks: head, lead, leads, run, runs, 首席执行官, 总经理
nouns: CEO, chief executive(?: officer)?, chairman, chairwoman, chairperson, head, leader, president, mayor, governor, prime minister, king, queen, emperor, captain, editor, coach, manager, 首席执行官, 董事长, 总裁, 主席, 总统, 市长, 省长, 总理, 首相, 国王, 队长, 校长, 教练, 主编, 指令长, 行政长官
actives: led, heads, headed, leads, chaired
passives: led, headed, chaired, 领导, 率领, 指挥

victor thing
asks: win the, wins, 赢得, 夺冠, 获胜, 金牌得主, 金牌, 夺得, 当选
nouns: winners?, champions?, 冠军, 金牌, 金牌得主, 得主, 获胜者, 第一名
actives: won, defeated, beat, 夺得, 获得, 夺冠, 赢得, 胜出, 摘得, 斩获, 当选
passives: won, 夺得, 获得, 摘得, 当选

founder person
asks: found, start, starts, 成立, 创办, 创立, 创建, 创始
nouns: founders?, co-?founders?, 创始人, 创办人, 创立者, 创建者, 奠基人, 联合创始人
actives: founded, established, co-founded, started, set up, created, 创办了?, 创立了?, 创建了?, 设立了?, 建立了?, 成立了
passives: founded, established, co-founded, created, 创办, 创立, 创建, 建立, 设立, 成立

assassin person
asks: kill, murder, assassinate, shoot, 枪击, 杀害, 刺杀
nouns: killers?, assassins?, murderers?, 凶手, 枪手, 嫌疑人, 嫌犯, 刺客
actives: killed, murdered, assassinated, shot, 枪击, 杀害, 刺杀
passives: killed, murdered, assassinated, shot, 杀害, 刺杀, 枪击

namesake person
asks: named after, named for, namesake, 以谁, 得名于, 命名
inverse: named after, named for, named in honou?r of, takes its name from, derives its name from, 得名于, 取名自, 以
cues: 命名

translator person
asks: translate
nouns: translators?, 译者
actives: translated
passives: translated, 翻译

owner group
asks: own, owns, parent company, owned by, 拥有, 属于
nouns: owners?, parent company, proprietor, 所有者, 母公司
actives: owns, owned, acquired, bought, operates
passives: owned, operated, acquired, 拥有, 所有
inverse: subsidiary of, division of, unit of, property of, part of, belongs to, 隶属于, 隶属, 属于

part group
asks: part of, belongs? to, 属于, 隶属
inverse: part of, subsidiary of, division of, branch of, belongs? to, located within, 隶属于, 属于, 隶属

education group
asks: university, college, school, educated at, alma mater, study, studied, attend, attended, graduate, graduated, doctorates?, degree, educated, 毕业, 就读, 大学, 母校, 学校, 求学
inverse: educated at, studied (?:\w+ )?(?:and \w+ )?at, graduate of, graduated from, attended, degree from, degrees? at, doctorate from, doctorates?(?: \w+){0,6} (?:at|from), enrolled at, alumnus of, student at, attended the, Ph\.?D\.? (?:\w+ ){0,3}(?:from|at), (?:B|M)\.?A\.? (?:\w+ ){0,3}(?:from|at), 毕业于, 就读于, 考入, 考上, 就学于, 求学于, 入读
cues: alma mater, graduated, studied, attended, degrees?, doctorates?, doctorate, educated, alumnus, 母校, 毕业, 攻读

team group
asks: member of sports team, play for, played for, plays for, sports team, 效力
inverse: (?:goalkeeper|player|footballer|midfielder|defender|forward|pitcher|outfielder|guard|striker) (?:for|with) (?:the )?, plays for, played for, player for, played (?:\w+ )?(?:\w+ )?(?:for|with) (?:the )?, appeared for, signed (?:for|with|by), drafted by, member of, 效力于, 加盟, 效力

party group
asks: political party, member of political party, 政党
inverse: politician (?:\w+ )?(?:from|of|with) (?:the )?, affiliated (?:with|to), member of, leader of, candidate of, candidate for, 加入
nouns: party, 政党

label group
asks: record label, label
nouns: record label, label
inverse: (?:released|issued) (?:\w+ ){0,4}(?:by|on|through|via), signed (?:to|with)

employer group
asks: work for, works for, worked for, employer, employed by, work at, 任职, 工作单位
inverse: works? (?:for|at), worked (?:for|at), employed (?:by|at), professor at, joined, 任职于, 就职于, 供职于, 加入, 加盟

character work
asks: fictional work, present in work, appears? in
inverse: character (?:\w+ ){0,6}(?:in|from), appears? in, protagonist of, novel, film, 出自

sport thing
asks: sport, sports, play, 运动
cues: footballer, player, rugby, football, basketball, baseball, cricket, hockey, tennis, golf, 足球, 篮球

mouth place
asks: mouth of the watercourse, into which, into what, flow(?=\?|$), turn into, flow into, flows into, empty into, empties into, mouth, drain into, 注入, 流入, 汇入
inverse: flows? (?:\w+ ){0,3}into, tributary of, tributaries of, empties into, emptying into, empties (?:\w+ )?into, discharges into, drains into, joins, joining, reaches, confluence with, falls into, debouches into, 注入, 汇入, 流入, 支流

source place
asks: source of, rise, rises, originate, 发源, 源头
nouns: source, sources, headwaters, 源头, 源地
inverse: rises (?:in|at|on), originates (?:in|from|at), begins (?:at|in), source is in, 发源于, 源于, 发源自

bridge place
asks: cross, crosses, crossed, span, spans, 横跨, 跨越
inverse: crosses, spans, across, over, bridge over, bridge across, bridge that spans, crossing, 横跨, 跨越, 跨
cues: 横跨, 跨越

bank place
asks: stand on, stands on, stand, lie on, lies on, on which river, on what river, flow through, flows through, 哪条(?:河流|河|江)(?:流经|流过|穿过|畔|边), 哪条(?:河流|河|江), 河畔
actives: flows through, runs through, passes through, flows past
inverse: stands on, situated on, located on, lies on, banks? of, on the river, on the, straddles, flows through, 位于, 坐落于, 濒临
cues: River, river, flows, 河, 江

holding place
asks: hold, holds, held, house, houses, housed, keep, kept, museum, collection, 收藏, 藏于, 博物馆
inverse: held (?:by|in|at), housed (?:in|at), kept (?:in|at), hangs in, collection of, displayed (?:in|at), on display (?:in|at), exhibited (?:in|at), preserved (?:in|at), owned by, 收藏于, 藏于, 现藏于?, 收藏在, 保存于
actives: holds, houses, keeps, displays, 收藏了?
passives: held, owned, 收藏

award date
asks: win, won, award, awarded, receive, received, 获得, 荣获, 获奖, 获
actives: won, received, was awarded, gained, earned
cues: won, awarded, received, shared, laureate, prize, win, 获得, 荣获, 获, 授予, 得主, 获颁
passives: won, awarded, received

language thing
asks: language, languages, 语言
nouns: languages?, official language, 语言, 官方语言
inverse: spoken in, speak, speaks

religion thing
asks: religion, faith
nouns: religion, faith, 宗教

currency thing
asks: 货币
nouns: currency, 货币

genre thing
asks: genre, type of, kind of, 类型, 什么片, 题材
inverse: is an?, 是一部, 是一款, 是一个
cues: genre, 类型, 题材

reign date
asks: throne, reign, reigned, crowned, coronation, become emperor, became emperor, become king, become, became, 即位, 登基, 继位, 在位, 称帝
cues: throne, reign, reigned, crowned, coronation, became, appointed, elected, inaugurated, ascended, took office, 即位, 登基, 继位, 在位, 称帝, 上任, 就任

conquest date
asks: conquer, unify, 统一, 征服
actives: conquered, unified, 统一, 征服
cues: conquest, unification

publication date
asks: publish, release, released, releases, published, publication, come out, came out, premiere, premiered, debut, air, aired, first performed, 发表, 出版, 问世, 上映, 首映, 发行, 发售, 发布, 首演, 播出, 开播, 上市, 推出
cues: published, released, release, premiered, premiere, debuted, appeared, came out, issued, aired, launched, first performed, publication, 发表, 出版, 问世, 上映, 首映, 发行, 发售, 发布, 首演, 播出, 开播, 上市, 推出, 定档, 公映

opening date
asks: open, opens, opened, inaugurated, inauguration, opening, 开放, 通车, 启用, 开通, 开业, 开馆, 开幕, 投入使用
cues: opened, opening, inaugurated, inauguration, opens, reopened, 开放, 通车, 启用, 开通, 开业, 开馆, 开幕, 投入使用, 对外开放

completion date
asks: built, build, completed, complete, completion, finished, finish, constructed, construction, 建成, 完工, 竣工, 落成, 建造, 修建, 完成
cues: completed, finished, built, completion, constructed, construction, erected, 建成, 完工, 竣工, 落成, 建造, 修建, 完成, 建于
passives: built, constructed, erected, 建造, 修建
actives: built, constructed

groundbreaking date
asks: begin, begun, began, start, started, construction start, 动工, 开工, 始建, 兴建, 开始, 开赛, 开售
cues: began, begun, started, starts, begins, groundbreaking, broke ground, commenced, 动工, 开工, 始建, 建于, 兴建, 奠基, 开始, 启动, 开赛, 拉开帷幕, 开售, 起

founding date
asks: founded, found, established, establish, created, create, formed, form, founding, foundation, inception, incorporated, set up, start, started, 成立, 创办, 创立, 创建, 建立, 建校, 设立, 创刊
cues: founded, established, established in, created, formed, founding, foundation, incorporated, set up, started, launched, opened, dates from, dates back, 成立, 创办, 创立, 创建, 建立, 建校, 设立, 创刊, 始建, 建于, 建城

ending date
asks: end, ended, ends, close, closed, dissolve, dissolved, abolished, fall of, 结束, 闭幕, 灭亡, 解散, 截止, 关闭
cues: ended, end, ends, closed, dissolved, abolished, disbanded, disappeared, concluded, 结束, 闭幕, 灭亡, 解散, 截止, 关闭, 落幕, 停

climb date
asks: climb, climbed, ascent, ascended, summit, 登顶, 攀登
cues: climbed, ascent, ascended, summit was reached, summit, reached, 登顶, 登上, 攀登

discovery date
asks: discover, discovered, discovery, find, 发现
cues: discovered, discovery, found, identified, isolated, noticed, 发现

invention date
asks: invent, invented, invention, 发明
cues: invented, invention, devised, developed, built, 发明, 研制, 制成

height number
asks: how tall, how high, tall, height, high, elevation, altitude, 多高, 米高, 高度, 海拔, 身高, 有多高, 高多少
cues: tall, high, height, elevation, altitude, rises, summit, above sea level, stands (?=\d|about|at|some|nearly|roughly), 高(?=[约达为近超]|\d|（), 海拔, 高度, 身高
measure: length

depth number
asks: how deep, depth, deep, 多深, 深度, 水深
cues: deep, depth, 深(?=[约达为近超]|\d), 水深, 深度
measure: length

width number
asks: how wide, width, wide, 多宽, 宽度
cues: wide, width, 宽(?=[约达为近超]|\d), 宽度
measure: length

length number
asks: how long, length, long, 多长, 米长, 公里长, 里长, 长度, 全长, 长多少
cues: long, length, stretches, runs, 长(?=[约达为近超]|\d), 全长, 总长, 长度
measure: length

distance number
asks: how far, distance, 多远, 距离
cues: distance, from, away, 距离, 相距, 距
measure: length

area number
asks: area, how large, how big, size, how much land, surface area, 面积, 多大, 占地
cues: area, covers, cover, covering, occupies, square, acres, hectares, 面积, 占地
measure: area

population number
asks: population, inhabitants, residents, how many people live, how many people lived, 人口, 居民
cues: population, inhabitants, residents, people(?! (?!live|reside|inhabit|in\b|on\b|at\b|as\b|and\b|or\b|of\b|per\b|were\b|are\b)[a-z]), 人口, 居民
measure: people

staff number
asks: employees, staff, workforce, workers, employ, employs, employed, work for, works for, work at, works at, work in, 员工, 雇员, 职工, 雇用, 雇佣
cues: employees, staff, workforce, workers, employs, employed, employing, employer of, people work, people worked, 员工, 雇员, 职工, 雇用, 雇佣
measure: people

weight number
asks: weigh, weight, mass, heavy, 多重, 重量, 质量
cues: weighs, weight, mass, weighing, 重(?=[约达为近超]|\d), 重量, 质量
measure: mass

speed number
asks: how fast, speed, velocity, 多快, 速度, 时速
cues: speed, fast, velocity, 速度, 时速
measure: speed

age number
asks: how old, age, aged, 多少岁, 几岁, 多大年纪, 年龄, 享年
cues: aged, age, years old, year-old, at the age of, 岁, 享年, 年仅
measure: age

duration number
asks: how long, how many years, how many days, duration, reign, last, lasted, 多久, 多少年, 多长时间, 在位
cues: reigned, reign, lasted, years, for, days, took, 在位, 历时, 持续, 年, 天
measure: time

country country
asks: country of origin, country, nation, 国家, 哪国
cues: country

location place
asks: where, located, location, situated, find, headquarters, headquartered, based, take place, takes place, took place, administrative territorial entity, licensed to broadcast to, applies to jurisdiction, 位于, 在哪(?![个座条所些国年家]), 哪里, 哪儿, 坐落, 地点, 位置, 所在地, 举办地, 举行地, 总部, 所在
cues: located, situated, lies, stands, based, headquartered, headquarters, set in, takes place, took place, held, licensed to, serves, 位于, 坐落, 地处, 举行, 举办, 在, 总部
"""  # noqa: E501 - a role of a relation is one line
