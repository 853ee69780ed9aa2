"""Follow-ups resolved by rule, and questions that must be left alone."""

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

from tests.support.work import assert_linear
from weiwo.nodes.master.followup import resolve_follow_up
from weiwo.text.language_detection import detect_language

DIED = (
    "When did Julius Caesar die?",
    "Julius Caesar died on 15 March 44 BC [1].\n\nSources:\n[1] Julius Caesar · 2024-05-01/caesar.md",
)
BORN = ("When was Ada Lovelace born?", "Ada Lovelace was born in 1815 [1].")
TOWER = ("How tall is the Eiffel Tower?", "The Eiffel Tower is 330 metres tall [1].")
HAMLET = ("Who wrote Hamlet?", "William Shakespeare wrote Hamlet [1].")
CAPITAL = ("What is the capital of France?", "The capital of France is Paris [1].")
WIFE = ("Who was Caesar's wife?", "Caesar's wife was Calpurnia [1].")
OLDER = (
    "Who was older, Emperor Wu of Han or Julius Caesar?",
    "Emperor Wu of Han was older than Julius Caesar, by 56 years [1].",
)
SMALL = ("how long is the danube", "The Danube is 2,850 kilometres long [1].")
ICELAND = ("What is the population of Iceland?", "The population of Iceland is 380,000 [1].")
AREA = ("What is the area of France?", "France has an area of 551,695 square kilometres [1].")
DIED_ZH = ("凯撒何时去世？", "凯撒于公元前44年3月15日去世[1]。\n\n来源:\n[1] 凯撒 · 2024年5月1日/caesar.md")
BORN_ZH = ("杜甫是哪一年出生的？", "杜甫生于712年[1]。")
DREAM_ZH = ("《红楼梦》的作者是谁？", "《红楼梦》的作者是曹雪芹[1]。")
TOWER_ZH = ("埃菲尔铁塔在哪里？", "埃菲尔铁塔位于巴黎[1]。")
AREA_ZH = ("法国的面积是多少？", "法国面积551695平方公里[1]。")
OLDER_ZH = ("汉武帝和凯撒谁年长？", "汉武帝比凯撒年长56岁[1]。")


def resolved(question: str, *said: str) -> str:
    history = [(AIMessage if n % 2 else HumanMessage)(text) for n, text in enumerate(said)]
    return resolve_follow_up(question, history, detect_language(question))


@pytest.mark.parametrize(
    ("said", "question", "meant"),
    [
        (DIED, "Where was he born?", "Where was Julius Caesar born?"),
        (DIED, "But who killed him?", "Who killed Julius Caesar?"),
        (DIED, "Who was his wife?", "Who was Julius Caesar's wife?"),
        (BORN, "What was her father's name?", "What was Ada Lovelace's father's name?"),
        (BORN, "Who taught her in London?", "Who taught Ada Lovelace in London?"),
        (BORN, "Who married her in 1835?", "Who married Ada Lovelace in 1835?"),
        (DIED, "Was he older than Cleopatra?", "Was Julius Caesar older than Cleopatra?"),
        (DIED, "Did he and Pompey fight?", "Did Julius Caesar and Pompey fight?"),
        (DIED, "What about Augustus?", "When did Augustus die?"),
        (DIED, "and Cleopatra?", "When did Cleopatra die?"),
        (TOWER, "How about Big Ben?", "How tall is Big Ben?"),
        (TOWER, "What about the Great Wall?", "How tall is the Great Wall?"),
        (SMALL, "and the nile?", "How long is the nile"),
        (TOWER, "When was it built?", "When was the Eiffel Tower built?"),
        (TOWER, "What is its weight?", "What is the Eiffel Tower's weight?"),
        (TOWER, "Is it taller than Big Ben?", "Is the Eiffel Tower taller than Big Ben?"),
        (TOWER, "How long does it take to climb it?", "How long does it take to climb the Eiffel Tower?"),
        (HAMLET, "When was he born?", "When was William Shakespeare born?"),
        (CAPITAL, "Who is its mayor?", "Who is Paris's mayor?"),
        (WIFE, "When was she born?", "When was Calpurnia born?"),
        (OLDER, "Did they ever meet?", "Did Emperor Wu of Han and Julius Caesar ever meet?"),
        (AREA, "What about the area of Spain?", "What is the area of Spain?"),
        (AREA, "What about its population?", "What about France's population?"),
        (DIED_ZH, "他的父亲是谁？", "凯撒的父亲是谁？"),
        (DIED_ZH, "那么他的妻子是谁？", "凯撒的妻子是谁？"),
        (DIED_ZH, "此人出生在哪里？", "凯撒出生在哪里？"),
        (DIED_ZH, "那天他在做什么？", "那天凯撒在做什么？"),
        (DIED_ZH, "他比庞培大多少岁？", "凯撒比庞培大多少岁？"),
        (BORN_ZH, "那凯撒呢？", "凯撒是哪一年出生的？"),
        (BORN_ZH, "李白呢？", "李白是哪一年出生的？"),
        (DREAM_ZH, "他还写了什么？", "曹雪芹还写了什么？"),
        (TOWER_ZH, "它有多高？", "埃菲尔铁塔有多高？"),
        (AREA_ZH, "那德国的面积呢？", "德国的面积是多少？"),
        (AREA_ZH, "它的人口呢？", "法国的人口呢？"),
        (OLDER_ZH, "他们见过面吗？", "汉武帝和凯撒见过面吗？"),
    ],
)
def test_a_follow_up_is_made_to_stand_on_its_own(said, question, meant):
    assert resolved(question, *said) == meant


RECORD = "> **name: Old Marta · role: alchemist · sells: [potion]**\n\n— people.yaml [1]"
CLUB = "> **Chess club meets on Tuesday with Mr Iqbal.** Bring a board.\n\n— Clubs [1]\n\n> Mrs Dunn teaches maths."


@pytest.mark.parametrize(
    ("asked", "answered", "question", "meant"),
    [
        ("when is the year 5 trip?", "", "how much does it cost", "How much does the year 5 trip cost"),
        ("when does the red lion open?", "", "and when does it close?", "When does the red lion close?"),
        ("what is the late fee", "", "when is it due?", "When is the late fee due?"),
        ("which room is the chess club in", "", "how much is it?", "How much is the chess club?"),
        ("how do i renew a passport", "", "what does it cost", "What does a passport cost"),
        ("when is parents evening", "", "where is it held?", "Where is parents evening held?"),
        ("what time does school start on monday", "", "when does it end?", "When does school end?"),
        ("how much damage does the war axe do", "", "what does it cost", "What does the war axe cost"),
        (
            "what's the deposit for 12 maple street",
            "",
            "when is it paid back?",
            "When is the deposit for 12 maple street paid back?",
        ),
        ("how much is the gym membership", "", "how do i cancel it", "How do i cancel the gym membership"),
        ("when was the boiler serviced?", "", "where is it?", "Where is the boiler?"),
        ("when is the book fair", "", "how much?", "How much is the book fair?"),
        ("where is the lost property office", "", "and when", "When is the lost property office?"),
        ("how many customers are on the pro plan?", "", "and which ones?", "Which customers are on the pro plan?"),
        ("How many invoices were paid late?", "", "which are they?", "Which invoices were paid late?"),
        ("how many robots are there", "", "can you list them", "Which robots are there"),
        ("who sells potions?", RECORD, "when does her shop close?", "When does Old Marta's shop close?"),
        ("who teaches chess", CLUB, "when does he teach it?", "When does Mr Iqbal teach it?"),
        ("五年级的春游是什么时候？", "", "多少钱？", "五年级的春游多少钱？"),
        ("健身房会员多少钱", "", "怎么办理？", "健身房会员怎么办理？"),
        ("春季运动会在哪里举行", "", "几点开始？", "春季运动会几点开始？"),
        ("打印机怎么重启", "", "它在哪里？", "打印机在哪里？"),
        ("有多少客户是专业版？", "", "是哪些？", "有哪些客户是专业版？"),
        ("专业版客户有多少个？", "", "都有哪些？", "专业版客户有哪些？"),
        ("年假有多少天？", "", "怎么申请？", "年假怎么申请？"),
        ("图书馆几点关门？", "", "那在哪里？", "图书馆在哪里？"),
        ("谁卖药水？", "> **玛尔塔卖药水，店铺在集市。**\n\n— 村民 [1]", "她的店几点关门？", "玛尔塔的店几点关门？"),
        ("谁负责财务？", "财务部负责人是张丽华[1]。", "她的电话是多少？", "张丽华的电话是多少？"),
    ],
)
def test_a_follow_up_keeps_what_the_question_before_it_was_about(asked, answered, question, meant):
    assert resolved(question, asked, answered or "> **Some words.**\n\n— Notes [1]") == meant


@pytest.mark.parametrize(
    ("asked", "question"),
    [
        ("when is the year 5 trip?", "which ones?"),
        ("what do i need for the trip?", "how much?"),
        ("Which is longer, the Danube or the Rhine?", "where?"),
        ("五年级的春游是什么时候？", "是哪些？"),
        ("长江和黄河哪个更长？", "在哪里？"),
        ("你好", "多少钱？"),
    ],
)
def test_where_nothing_or_several_things_may_be_meant_a_short_follow_up_stays(asked, question):
    assert resolved(question, asked, "> Some words.") == question


@pytest.mark.parametrize(
    ("said", "question"),
    [
        (DIED, "Who was Augustus's father?"),
        (DIED, "When did Augustus and his wife marry?"),
        (DIED, "When he crossed the Rubicon, how old was Caesar?"),
        (DIED, "What is the capital of France?"),
        (DIED, "What about the price of bread in Rome?"),
        (DIED, "What about lunch?"),
        (SMALL, "what about tomorrow?"),
        (SMALL, "and you?"),
        (SMALL, "and the others"),
        (SMALL, "how about population"),
        (DIED, "Why?"),
        (WIFE, "When was he born?"),
        (OLDER, "Where was he born?"),
        (OLDER_ZH, "他是哪年出生的？"),
        (BORN, "Who ruled Britain then?"),
        (DIED, "What should I do then?"),
        (DIED, "Where is it?"),
        (TOWER, "What time is it in Paris?"),
        (TOWER, "What time is it?"),
        (TOWER, "Is it raining?"),
        (TOWER, "Is it true that Paris is in France?"),
        (TOWER, "How far is it from Paris to Rome?"),
        (TOWER, "What does IT stand for?"),
        (TOWER, "Who is Theo?"),
        (ICELAND, "Where did he live?"),
        (OLDER, "What about Nero?"),
        (AREA, "What about the population of Spain?"),
        (DIED_ZH, "其他皇帝是谁？"),
        (DIED_ZH, "其他的呢？"),
        (DIED_ZH, "其它的有哪些？"),
        (DIED_ZH, "吉他是什么乐器？"),
        (DIED_ZH, "为什么呢？"),
        (DIED_ZH, "还有谁呢？"),
        (DIED_ZH, "后来呢？"),
        (DIED_ZH, "你呢？"),
        (DIED_ZH, "那里的天气怎么样？"),
        (AREA_ZH, "那德国的首都呢？"),
        (OLDER_ZH, "秦始皇呢？"),
    ],
)
def test_what_stands_on_its_own_or_may_mean_several_things_stays(said, question):
    assert resolved(question, *said) == question


@pytest.mark.parametrize(
    "question", ["How old was he then?", "他当时多大？", "What about Augustus?", "那凯撒呢？", "it"]
)
def test_without_a_conversation_nothing_is_resolved(question):
    assert resolved(question) == question
    assert (
        resolve_follow_up(question, [SystemMessage("Julius Caesar"), AIMessage("Hello, I am Weiwo.")], "en") == question
    )


def test_follow_ups_follow_each_other():
    said = (*DIED, "Where was he born?", "He was born in Rome [1].")
    assert resolved("What about Augustus?", *said) == "Where was Augustus born?"
    assert resolved("And who was his wife?", *said) == "Who was Julius Caesar's wife?"


def test_the_topic_moves_with_the_conversation():
    said = (*DIED, *TOWER)
    assert resolved("When was it built?", *said) == "When was the Eiffel Tower built?"


def test_a_language_may_change_between_questions():
    assert resolved("他的父亲是谁？", *DIED) == "Julius Caesar的父亲是谁？"
    assert resolved("Who was his father?", *DIED_ZH) == "Who was 凯撒's father?"


@pytest.mark.trial
@pytest.mark.parametrize(
    ("before", "piece", "after"), [("What about ", "?", "x"), ("", "it ", ""), ("", "他", ""), ("", "and ", "")]
)
def test_odd_long_questions_take_linear_time(before, piece, after):
    assert resolved(before + piece * 100 + after, *DIED)
    assert_linear(lambda filler: resolved(before + filler + after, *DIED), piece, 7_900, short=500)
