"""Words that answers put for each other: a thesaurus of what paraphrases of facts change most.

Data, one class a line. English words meet by their stems, Chinese ones as they are. A class says only that one word may
stand for another in some sentence, so it serves to accept a wording, never to reject one.
"""

from functools import cache
from typing import Final

from weiwo.text.terms import stem

_ROWS: Final = """
found establish create start set form launch institute begin
acquire buy purchase takeover bought acquisition
sell sale sold
write author pen writer
die death pass deceased decease
bear born birth native
begin start commence open launch kick inaugurate
finish complete end conclude accomplish
build construct erect construction make work
make produce manufacture create
manage run head lead direct chief executive
need require requirement necessary must want have mandatory
allow permit let enable may can possible
forbid prohibit ban disallow
rise grow increase climb gain growth raise up
fall drop decrease decline reduce shrink cut lower down
cost price fee charge pay expense expensive cheap
big large great huge extensive
high tall height elevation rise stand
long length last take duration
deep depth
wide width across broad
heavy weigh weight mass
old age aged
house home live residence
locate lie situate sit stand find base position place occur
show display depict portray illustrate feature
contain include comprise consist hold store
use employ utilize apply
call name title term rename
say state tell report mention note describe
keep retain preserve maintain store stay save remain
stay remain continue
leave depart quit exit resign
help assist support
win beat defeat victory victorious triumph
receive get obtain gain award win
give donate grant hand present provide offer
teach instruct teacher tutor professor
study learn student pupil train
child kid son daughter young cub
film movie picture drama feature
book novel volume work
firm company business corporation enterprise
staff employee worker personnel people workforce employ
person people human individual inhabitant resident
sick ill disease illness
doctor physician
car automobile vehicle
ship vessel boat
road street highway
sea ocean
stop cease halt end discontinue
break fail failure
repair fix mend restore
change alter modify switch convert
choose select pick decide
increase double triple
annual yearly year
show reveal indicate find suggest
think believe consider regard
big major main chief principal primary key important
total altogether overall combined sum entire whole
about roughly approximately around nearly almost circa
at-least minimum
at-most maximum limit up max
default standard
version release edition
support compatible work
install setup add
run execute call start
delete remove erase drop
error fault bug exception
fast quick rapid speed
freeze frozen ice
eat feed diet consume food
hunt prey
grow cultivate plant
discover find identify
invent devise develop
direct director film
star play appear act
sing perform
publish release issue print
arrive reach come enter
travel journey trip voyage go
fly flight
fight battle combat war
kill murder assassinate
marry wed married wife husband spouse
close shut
before ahead prior earlier advance previously
after later behind following since subsequently next
more further additional extra another
fewer less
same equal identical alike
different differ unlike distinct contrast
often frequently common usually
only just sole solely alone merely
also too both well
because due reason since owing cause result
pay money payment
old former ex previous
now current currently present today still
both two pair
rescue save survivor
sink down sank
strike hit
postpone delay defer move reschedule
agree vote approve decide consent
against oppose object
turn become convert
site place location spot
fridge refrigerator refrigerate
free charge nothing
citizen national
visa-free without
apply application
lack without missing no
crowd attendance audience spectator
ground stadium arena venue pitch
team club side
match game
capacity hold seat accommodate
effective efficacy efficient work
dose shot injection
participant volunteer subject adult
common frequent prevalent
harder difficult
automatic automate
keeper guard
island isle
cable cord wire
ship come supply deliver
credit refund reimburse compensation
drop below under fall
notice announce announcement
ask request demand apply
offer available provide
conduct carry perform undertake do
survey poll study
prefer want like favour
company corporation group
quarter fourth
half middle
redeliver deliver again retry
location place
scientific latin
sugar sweetener
owe debt
attempt try retry
launch liftoff lift-off
orbit
enter reach
contact communication
re-establish restore
species animal
threaten endanger
colour color
centre center
theatre theater
创办 创立 成立 建立 创建 设立 创始
生于 出生 诞生 出生于
去世 逝世 病逝 死于 辞世 享年
建成 竣工 落成 通车
开工 动工 始建 兴建
作者 著 撰写 写 所著 创作
执导 导演
设计 设计者 设计师
收购 并购 买下
签订 签署 签
位于 地处 坐落
售价 价格 定价 价 卖
职工 员工 雇员 人手
称为 名为 叫 又称
属于 归
主要 大部分
约 大约 左右
上映 首映
年纪 年龄 岁
支付 承担 付
涨价 上涨 价格
截至 到
安装 装
要求 需要 须
许可 允许 准许 可以
到期 期满
结冰 封冻
"""


@cache
def thesaurus() -> dict[str, frozenset[int]]:
    """The classes of each word; English words by stem."""
    table: dict[str, set[int]] = {}
    for number, row in enumerate(_ROWS.strip().splitlines()):
        for word in row.split():
            table.setdefault(stem(word) if word.isascii() else word, set()).add(number)
    return {word: frozenset(numbers) for word, numbers in table.items()}
