"""Questions in many wordings, and the shape each must be read into."""

import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nodes.rules.shapes import Lookup, Shape, read_question
from state import Language


def asked(lookup: Lookup) -> str:
    """The last question of a chain, its subject in place."""
    inner = lookup.subject
    return lookup.question.replace("{}", inner if isinstance(inner, str) else "…")


COMPARED: list[tuple[Language, str, str, tuple[str, ...], str]] = [
    # language, question, direction, subjects, the first sub-question
    ("en", "Who was older, Isaac Newton or Gottfried Leibniz?", "less", ("Isaac Newton", "Gottfried Leibniz"), "When was Isaac Newton born?"),
    ("en", "could you tell me who was born earlier, Newton or Leibniz", "less", ("Newton", "Leibniz"), "When was Newton born?"),
    ("en", "Who is younger, Adele or Taylor Swift?", "greater", ("Adele", "Taylor Swift"), "When was Adele born?"),
    ("en", "Who died first, Goethe or Schiller?", "less", ("Goethe", "Schiller"), "When did Goethe die?"),
    ("en", "Which is taller, Big Ben or the Shard?", "greater", ("Big Ben", "the Shard"), "How tall is Big Ben?"),
    ("en", "which river is longer the rhine or the elbe", "greater", ("the rhine", "the elbe"), "How long is the rhine?"),
    ("en", "Which country has a larger population, Peru or Chile?", "greater", ("Peru", "Chile"), "What is the population of Peru?"),
    ("en", "Which has more employees, Siemens or Bosch?", "greater", ("Siemens", "Bosch"), "How many employees does Siemens have?"),
    ("en", "Which company has fewer employees, Siemens or Bosch?", "less", ("Siemens", "Bosch"), "How many employees does Siemens have?"),
    ("en", "Who won more Oscars, Walt Disney or John Williams?", "greater", ("Walt Disney", "John Williams"), "How many Oscars did Walt Disney win?"),
    ("en", "Which film was released first, Alien or Jaws?", "less", ("Alien", "Jaws"), "When was Alien released?"),
    ("en", "Which magazine was first published, Time or Life?", "less", ("Time", "Life"), "When was Time published?"),
    ("en", "Which came first, Oxford University or the University of Padua?", "less", ("Oxford University", "the University of Padua"), "When was Oxford University founded?"),
    ("en", "Between Lake Geneva and Lake Como, which is deeper?", "greater", ("Lake Geneva", "Lake Como"), "How deep is Lake Geneva?"),
    ("en", "The Nile or the Amazon: which is longer?", "greater", ("The Nile", "the Amazon"), "How long is The Nile?"),
    ("en", "Of Mont Blanc and the Matterhorn, which is higher?", "greater", ("Mont Blanc", "the Matterhorn"), "How high is Mont Blanc?"),
    ("en", "Is Mount Fuji higher than Mount Kenya?", "greater", ("Mount Fuji", "Mount Kenya"), "How high is Mount Fuji?"),
    ("en", "Was Mozart older than Haydn?", "less", ("Mozart", "Haydn"), "When was Mozart born?"),
    ("en", "Was Tolstoy born before Dostoevsky?", "less", ("Tolstoy", "Dostoevsky"), "When was Tolstoy born?"),
    ("en", "Did Goethe die after Schiller?", "greater", ("Goethe", "Schiller"), "When did Goethe die?"),
    ("en", "Does Siemens have more employees than Bosch?", "greater", ("Siemens", "Bosch"), "How many employees does Siemens have?"),
    ("en", "Who lived longer, Goethe or Schiller?", "greater", ("Goethe", "Schiller"), "How long did Goethe live?"),
    ("zh", "牛顿和莱布尼茨谁年长", "less", ("牛顿", "莱布尼茨"), "牛顿是哪一年出生的？"),
    ("zh", "请问鲁迅与胡适谁更年轻？", "greater", ("鲁迅", "胡适"), "鲁迅是哪一年出生的？"),
    ("zh", "谁更年长，鲁迅还是胡适？", "less", ("鲁迅", "胡适"), "鲁迅是哪一年出生的？"),
    ("zh", "李白和杜甫谁出生得更早", "less", ("李白", "杜甫"), "李白是哪一年出生的？"),
    ("zh", "白居易和元稹哪个先去世？", "less", ("白居易", "元稹"), "白居易是哪一年去世的？"),
    ("zh", "泰山和华山哪座更高", "greater", ("泰山", "华山"), "泰山有多高？"),
    ("zh", "尼罗河与亚马孙河哪条河更长？", "greater", ("尼罗河", "亚马孙河"), "尼罗河有多长？"),
    ("zh", "复旦大学和南京大学哪个成立得更早？", "less", ("复旦大学", "南京大学"), "复旦大学是什么时候成立的？"),
    ("zh", "西门子和博世哪家员工更多", "greater", ("西门子", "博世"), "西门子有多少员工？"),
    ("zh", "秘鲁和智利哪个国家的人口更多？", "greater", ("秘鲁", "智利"), "秘鲁的人口是多少？"),
    ("zh", "法国和德国的面积哪个更大", "greater", ("法国", "德国"), "法国的面积是多少？"),
    ("zh", "黄山比泰山高吗？", "greater", ("黄山", "泰山"), "黄山有多高？"),
    ("zh", "鲁迅是否比胡适年长", "less", ("鲁迅", "胡适"), "鲁迅是哪一年出生的？"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "question", "direction", "subjects", "first"), COMPARED)
def test_comparison(language: Language, question: str, direction: str, subjects: tuple[str, ...], first: str) -> None:
    shape = read_question(question, language)
    assert (shape.kind, shape.direction, shape.subjects) == ("comparison", direction, subjects)
    assert asked(shape.lookups[0]) == first


DIFFERENT: list[tuple[Language, str, tuple[str, ...], str]] = [
    ("en", "Who was older, Newton or Leibniz, and by how many years?", ("Newton", "Leibniz"), "When was Newton born?"),
    ("en", "who was older, newton or leibniz and by how much", ("newton", "leibniz"), "When was newton born?"),
    ("en", "Who is taller, LeBron James or Michael Jordan? By how much?", ("LeBron James", "Michael Jordan"), "How tall is LeBron James?"),
    ("en", "Which company was founded earlier, Sony or Nintendo, and by how many years?", ("Sony", "Nintendo"), "When was Sony founded?"),
    ("en", "Is Peru larger than Chile, and by how much?", ("Peru", "Chile"), "How large is Peru?"),
    ("en", "How much taller is Big Ben than the Shard?", ("Big Ben", "the Shard"), "How tall is Big Ben?"),
    ("en", "By how many metres is the Shard taller than Big Ben?", ("the Shard", "Big Ben"), "How tall is the Shard?"),
    ("en", "How many years older is Clooney than Pitt?", ("Clooney", "Pitt"), "When was Clooney born?"),
    ("en", "What is the age difference between Clooney and Pitt?", ("Clooney", "Pitt"), "When was Clooney born?"),
    ("en", "What's the difference in height between K2 and Lhotse?", ("K2", "Lhotse"), "What is the height of K2?"),
    ("en", "How many more students does Yale have than MIT?", ("Yale", "MIT"), "How many students does Yale have?"),
    ("en", "How many years after Google was founded was Facebook founded?", ("Google", "Facebook"), "When was Google founded?"),
    ("en", "How long after Mozart died was Schubert born?", ("Mozart", "Schubert"), "When did Mozart die?"),
    ("en", "How many years before the death of Mozart was Schubert born?", ("Mozart", "Schubert"), "When did Mozart die?"),
    ("en", "How many years passed between the birth of Bach and the death of Liszt?", ("Bach", "Liszt"), "When was Bach born?"),
    ("zh", "牛顿和莱布尼茨谁年长？大多少岁？", ("牛顿", "莱布尼茨"), "牛顿是哪一年出生的？"),
    ("zh", "爱因斯坦和玻尔谁年纪大，大几岁", ("爱因斯坦", "玻尔"), "爱因斯坦是哪一年出生的？"),
    ("zh", "李白比杜甫大几岁？", ("李白", "杜甫"), "李白是哪一年出生的？"),
    ("zh", "泰山与黄山哪个更高、高多少", ("泰山", "黄山"), "泰山有多高？"),
    ("zh", "尼罗河比长江长多少公里", ("尼罗河", "长江"), "尼罗河有多长？"),
    ("zh", "鲁迅和胡适相差几岁", ("鲁迅", "胡适"), "鲁迅是哪一年出生的？"),
    ("zh", "鲁迅和胡适的年龄差是多少", ("鲁迅", "胡适"), "鲁迅是哪一年出生的？"),
    ("zh", "复旦大学和南京大学的成立时间相差多少年", ("复旦大学", "南京大学"), "复旦大学是什么时候成立的？"),
    ("zh", "法国的面积比德国大多少", ("法国", "德国"), "法国的面积是多少？"),
    ("zh", "李白去世多少年后苏轼出生", ("李白", "苏轼"), "李白是哪一年去世的？"),
    ("zh", "从李白出生到苏轼出生相隔多少年", ("李白", "苏轼"), "李白是哪一年出生的？"),
    ("zh", "复旦大学比南京大学晚成立多少年", ("复旦大学", "南京大学"), "复旦大学是什么时候成立的？"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "question", "subjects", "first"), DIFFERENT)
def test_difference(language: Language, question: str, subjects: tuple[str, ...], first: str) -> None:
    shape = read_question(question, language)
    assert (shape.kind, shape.difference, shape.subjects) == ("difference", True, subjects)
    assert asked(shape.lookups[0]) == first
    assert len({lookup.ret for lookup in shape.lookups}) == 1


CHAINS: list[tuple[Language, str, list[str]]] = [
    # the questions of the hops, innermost first
    ("en", "When was the author of Hamlet born?", ["Who is the author of Hamlet?", "When was … born?"]),
    ("en", "where was hamlet's author born", ["Who is the author of hamlet?", "Where was … born?"]),
    ("en", "Who is the father of the director of Jaws?", ["Who is the director of Jaws?", "Who is the father of …?"]),
    ("en", "What is the capital of the country where Einstein was born?", ["In which country was Einstein born?", "What is the capital of …?"]),
    ("en", "What is the capital of the country where the inventor of dynamite was born?", ["Who is the inventor of dynamite?", "In which country was … born?", "What is the capital of …?"]),
    ("en", "Who wrote the book that the film Blade Runner is based on?", ["Which book is the film Blade Runner based on?", "Who wrote …?"]),
    ("en", "Who founded the company that makes the iPhone?", ["Which company makes the iPhone?", "Who founded …?"]),
    ("en", "Where was the person who discovered radium born?", ["Who discovered radium?", "Where was … born?"]),
    ("en", "How tall is the mountain that Edmund Hillary climbed in 1953?", ["Which mountain did Edmund Hillary climb in 1953?", "How tall is …?"]),
    ("en", "What is the population of the city in which the Louvre is located?", ["In which city is the Louvre located?", "What is the population of …?"]),
    ("en", "How long is the river crossed by Tower Bridge?", ["Which river is crossed by Tower Bridge?", "How long is …?"]),
    ("en", "what currency is used in the country signmark is from", ["Which country is signmark from?", "What currency is used in …?"]),
    ("en", "Where did the inventor of dynamite die?", ["Who is the inventor of dynamite?", "Where did … die?"]),
    ("en", "Who wrote Emma and when did she die?", ["Who wrote Emma?", "When did … die?"]),
    ("en", "When was the wife of the author of Ulysses born?", ["Who is the author of Ulysses?", "Who is the wife of …?", "When was … born?"]),
    ("en", "When did the country that borders Spain to the west join the EU?", ["Which country borders Spain to the west?", "When did … join the EU?"]),
    ("zh", "《三体》的作者出生在哪里", ["《三体》的作者是谁？", "…出生在哪里？"]),
    ("zh", "《三体》作者是哪一年出生的？", ["《三体》的作者是谁？", "…是哪一年出生的？"]),
    ("zh", "鲁迅的妻子的出生地", ["鲁迅的妻子是谁？", "…出生在哪里？"]),
    ("zh", "埃菲尔铁塔所在城市的人口", ["埃菲尔铁塔在哪个城市？", "…的人口是多少？"]),
    ("zh", "爱因斯坦出生的国家的首都是哪里？", ["爱因斯坦出生在哪个国家？", "…的首都是哪里？"]),
    ("zh", "发明青蒿素的人毕业于哪所大学", ["发明青蒿素的人是谁？", "…毕业于哪所大学？"]),
    ("zh", "法国首都的人口是多少", ["法国的首都是哪里？", "…的人口是多少？"]),
    ("zh", "流经巴黎的河有多长", ["流经巴黎的河是哪条河？", "…有多长？"]),
    ("zh", "《呐喊》的作者的弟弟叫什么名字", ["《呐喊》的作者是谁？", "…的弟弟叫什么名字？"]),
    ("zh", "电影《卧虎藏龙》的导演出生于哪里？", ["电影《卧虎藏龙》的导演是谁？", "…出生于哪里？"]),
    ("zh", "诺贝尔出生的城市位于哪条河畔，这条河有多长？", ["诺贝尔出生在哪个城市？", "…位于哪条河畔？", "…有多长？"]),
    ("zh", "谁是《三体》的作者的父亲", ["《三体》的作者是谁？", "…的父亲是谁？"]),
]  # fmt: skip


@pytest.mark.parametrize(("language", "question", "hops"), CHAINS)
def test_chain(language: Language, question: str, hops: list[str]) -> None:
    shape = read_question(question, language)
    assert shape.kind == "chain"
    assert [asked(hop) for hop in shape.lookups[-1].hops] == hops


OTHERS: list[tuple[Language, str, str, list[str]]] = [
    ("en", "Which of Mercury, Venus and Mars is the largest?", "superlative", ["How large is Mercury?", "How large is Venus?", "How large is Mars?"]),
    ("en", "Who is the youngest of Adele, Dua Lipa and Rihanna?", "superlative", ["When was Adele born?", "When was Dua Lipa born?", "When was Rihanna born?"]),
    ("en", "Among Lake Huron, Lake Erie and Lake Baikal, which is the deepest?", "superlative", ["How deep is Lake Huron?", "How deep is Lake Erie?", "How deep is Lake Baikal?"]),
    ("en", "Which is the oldest university: Oxford, Padua or Salamanca?", "superlative", ["When was Oxford founded?", "When was Padua founded?", "When was Salamanca founded?"]),
    ("zh", "泰山、华山、黄山中最高的是哪个？", "superlative", ["泰山有多高？", "华山有多高？", "黄山有多高？"]),
    ("zh", "李白、杜甫和苏轼谁最晚去世", "superlative", ["李白是哪一年去世的？", "杜甫是哪一年去世的？", "苏轼是哪一年去世的？"]),
    ("zh", "复旦大学、南京大学和浙江大学中成立最早的是哪所", "superlative", ["复旦大学是什么时候成立的？", "南京大学是什么时候成立的？", "浙江大学是什么时候成立的？"]),
    ("en", "List the birth years of Bach, Haydn and Liszt.", "list", ["When was Bach born?", "When was Haydn born?", "When was Liszt born?"]),
    ("en", "When were Oxford, Padua and Salamanca founded?", "list", ["When was Oxford founded?", "When was Padua founded?", "When was Salamanca founded?"]),
    ("en", "Where were Einstein and Bohr born?", "list", ["Where was Einstein born?", "Where was Bohr born?"]),
    ("en", "what are the capitals of peru and chile", "list", ["What is the capital of peru?", "What is the capital of chile?"]),
    ("en", "Where and when was Frida Kahlo born?", "list", ["Where was Frida Kahlo born?", "When was Frida Kahlo born?"]),
    ("en", "What are the height and weight of the Eiffel Tower?", "list", ["What is the height of the Eiffel Tower?", "What is the weight of the Eiffel Tower?"]),
    ("zh", "李白、杜甫和白居易分别出生于哪一年", "list", ["李白出生于哪一年？", "杜甫出生于哪一年？", "白居易出生于哪一年？"]),
    ("zh", "列出李白、杜甫和苏轼的去世年份", "list", ["李白是哪一年去世的？", "杜甫是哪一年去世的？", "苏轼是哪一年去世的？"]),
    ("zh", "北京和上海的人口分别是多少？", "list", ["北京的人口是多少？", "上海的人口是多少？"]),
    ("zh", "汉武帝的父亲和母亲分别是谁", "list", ["汉武帝的父亲是谁？", "汉武帝的母亲是谁？"]),
    ("en", "Were Einstein and Bohr both physicists?", "both", ["Was Einstein a physicist?", "Was Bohr a physicist?"]),
    ("en", "Were both Einstein and Bohr born in Germany?", "both", ["Was Einstein born in Germany?", "Was Bohr born in Germany?"]),
    ("zh", "李白和杜甫都出生在四川吗？", "both", ["李白出生在四川吗？", "杜甫出生在四川吗？"]),
    ("en", "Are Toyota and Honda from the same country?", "same", ["What country is Toyota from?", "What country is Honda from?"]),
    ("en", "Did Goethe and Schiller die in the same city?", "same", ["In what city did Goethe die?", "In what city did Schiller die?"]),
    ("zh", "丰田和本田来自同一个国家吗", "same", ["丰田来自哪个国家？", "本田来自哪个国家？"]),
    ("zh", "李白和杜甫是同一年出生的吗？", "same", ["李白是哪一年出生的？", "杜甫是哪一年出生的？"]),
    ("en", "How old was Einstein when he won the Nobel Prize?", "age_at", ["When was Einstein born?", "When did Einstein win the Nobel Prize?"]),
    ("en", "At what age did Mozart die?", "age_at", ["When was Mozart born?", "When did Mozart die?"]),
    ("en", "How old was Churchill when World War I began?", "age_at", ["When was Churchill born?", "When did World War I begin?"]),
    ("zh", "李白去世时多少岁？", "age_at", ["李白是哪一年出生的？", "李白是哪一年去世的？"]),
    ("zh", "第一次世界大战爆发时丘吉尔多大", "age_at", ["丘吉尔是哪一年出生的？", "第一次世界大战是什么时候爆发的？"]),
    ("en", "When was each of the founders of Google born?", "each", ["Who are the founders of Google?", "When was … born?"]),
    ("en", "What is the population of each of the cities that hosted the Olympics?", "each", ["What are the cities that hosted the Olympics?", "What is the population of …?"]),
    ("zh", "北欧每个国家的首都是哪里？", "each", ["北欧的国家有哪些？", "…的首都是哪里？"]),
    ("zh", "谷歌的创始人分别出生于哪一年", "each", ["谷歌的创始人有谁？", "…出生于哪一年？"]),
]  # fmt: skip


@pytest.mark.parametrize(("language", "question", "kind", "questions"), OTHERS)
def test_other_shapes(language: Language, question: str, kind: str, questions: list[str]) -> None:
    shape = read_question(question, language)
    assert shape.kind == kind
    assert [asked(lookup) for lookup in shape.lookups] == questions


LIVES: list[tuple[Language, str, list[str]]] = [
    *(
        ("en", question, ["When was Goethe born?", "When did Goethe die?"])
        for question in (
            "How many years did Goethe live?",
            "How long did Goethe live?",
            "How old did Goethe get?",
            "How old did Goethe live to be?",
            "To what age did Goethe live?",
            "What age did Goethe reach?",
            "What was Goethe's age at death?",
            "How old was Goethe at death?",
            "At what age did Goethe die?",
        )
    ),
    *(
        ("zh", question, ["鲁迅是哪一年出生的？", "鲁迅是哪一年去世的？"])
        for question in ("鲁迅活了多少岁", "鲁迅享年多少岁？", "鲁迅一共活了多少年", "鲁迅活到几岁", "鲁迅终年几岁？", "鲁迅去世时多大年纪")
    ),
    ("en", "How long did the author of Emma live?", ["When was … born?", "When did … die?"]),
]  # fmt: skip


@pytest.mark.parametrize(("language", "question", "asked_first"), LIVES)
def test_life_spans(language: Language, question: str, asked_first: list[str]) -> None:
    shape = read_question(question, language)
    assert (shape.kind, [asked(lookup) for lookup in shape.lookups]) == ("age_at", asked_first)
    assert "〈n〉" in shape.told


@pytest.mark.parametrize(
    ("language", "question", "kind", "direction"),
    [
        ("en", "Who lived longer, Goethe or Schiller?", "comparison", "greater"),
        ("en", "Who lived longer, Goethe or Schiller, and by how many years?", "difference", "greater"),
        ("en", "Who had a longer life, Goethe or Schiller?", "comparison", "greater"),
        ("en", "Who lived to an older age, Goethe or Schiller?", "comparison", "greater"),
        ("en", "Who died younger, Mozart or Schubert?", "comparison", "less"),
        ("en", "Did Goethe live longer than Schiller?", "comparison", "greater"),
        ("en", "How many years longer did Goethe live than Schiller?", "difference", "greater"),
        ("zh", "鲁迅和李白谁活得更久？", "comparison", "greater"),
        ("zh", "鲁迅和李白谁活得更久？多活几年", "difference", "greater"),
        ("zh", "谁活得更久，李白还是杜甫", "comparison", "greater"),
        ("zh", "李白和杜甫谁的寿命更长", "comparison", "greater"),
        ("zh", "李白和杜甫哪个更长寿", "comparison", "greater"),
        ("zh", "李白比杜甫多活了几年", "difference", "greater"),
        ("zh", "李白比杜甫活得久吗", "comparison", "greater"),
    ],
)
def test_compared_lives(language: Language, question: str, kind: str, direction: str) -> None:
    shape = read_question(question, language)
    assert (shape.kind, shape.direction) == (kind, direction)
    assert [lookup.relation for lookup in shape.lookups] == ["lifespan", "lifespan"]


@pytest.mark.parametrize(
    ("language", "question", "date", "subject"),
    [
        ("en", "How old was Julius Caesar in 44 BC?", "-44", "Julius Caesar"),
        ("en", "How old was Julius Caesar on 15 March 44 BC?", "-44-03-15", "Julius Caesar"),
        ("en", "In 1900, how old was Einstein?", "1900", "Einstein"),
        ("en", "What was Einstein's age in the year 1905?", "1905", "Einstein"),
        ("en", "what age was einstein in 1905", "1905", "einstein"),
        ("zh", "1921年鲁迅多少岁？", "1921", "鲁迅"),
        ("zh", "公元前44年3月15日凯撒多少岁？", "-44-03-15", "凯撒"),
        ("zh", "凯撒公元前44年3月15日时多大？", "-44-03-15", "凯撒"),
        ("zh", "鲁迅在1921年是多少岁", "1921", "鲁迅"),
        ("zh", "《狂人日记》的作者1921年多大", "1921", "《狂人日记》的作者"),
    ],
)
def test_an_age_at_a_date(language: Language, question: str, date: str, subject: str) -> None:
    shape = read_question(question, language)
    assert (shape.kind, shape.date, shape.subjects) == ("age_at", date, (subject,))
    assert len(shape.lookups) == 1
    assert shape.lookups[0].relation == "born"


@pytest.mark.parametrize(
    ("language", "question", "look_up"),
    [
        ("en", "Tell me about the Danube", "What is the Danube?"),
        ("en", "Can you tell me something about the Eiffel Tower?", "What is the Eiffel Tower?"),
        ("en", "What do you know about Albert Einstein?", "Who is Albert Einstein?"),
        ("en", "Give me some information about K2, please", "What is K2?"),
        ("en", "Tell me about the population of Peru", "What is the population of Peru?"),
        ("en", "What is the Danube?", "What is the Danube?"),
        ("zh", "介绍一下长江", "长江是什么？"),
        ("zh", "请给我介绍一下鲁迅", "鲁迅是谁？"),
        ("zh", "什么是《红楼梦》", "《红楼梦》是什么？"),
        ("zh", "谁是张衡？", "张衡是谁？"),
        ("zh", "北京大学简介", "北京大学是什么？"),
    ],
)
def test_open_questions(language: Language, question: str, look_up: str) -> None:
    shape = read_question(question, language)
    assert (shape.kind, asked(shape.lookups[0])) == ("single", look_up)


PARTS: list[tuple[Language, str, str, tuple[str, ...], str]] = [
    ("en", "What percentage of the height of the Shard is Big Ben?", "percentage", ("Big Ben", "the Shard"), "What is the height of Big Ben?"),
    ("en", "What percent of France's population is the population of Paris?", "percentage", ("Paris", "France"), "What is the population of Paris?"),
    ("en", "How many times as tall as Big Ben is the Shard?", "ratio", ("the Shard", "Big Ben"), "How tall is the Shard?"),
    ("en", "How many times taller is the Shard than Big Ben?", "ratio", ("the Shard", "Big Ben"), "How tall is the Shard?"),
    ("en", "What is the ratio of the height of K2 to that of Mont Blanc?", "ratio", ("K2", "Mont Blanc"), "What is the height of K2?"),
    ("en", "What is the combined height of K2, Lhotse and Mont Blanc?", "sum", ("K2", "Lhotse", "Mont Blanc"), "What is the height of K2?"),
    ("en", "What is the sum of the heights of K2 and Lhotse?", "sum", ("K2", "Lhotse"), "What is the height of K2?"),
    ("en", "how tall are the eiffel tower and big ben combined", "sum", ("the eiffel tower", "big ben"), "How tall is the eiffel tower?"),
    ("en", "average height of K2 and Lhotse", "average", ("K2", "Lhotse"), "What is the height of K2?"),
    ("zh", "珠峰的高度是泰山的几倍", "ratio", ("珠峰", "泰山"), "珠峰的高度是多少？"),
    ("zh", "俄罗斯的面积是中国面积的几倍", "ratio", ("俄罗斯", "中国"), "俄罗斯的面积是多少？"),
    ("zh", "珠峰是泰山的几倍高", "ratio", ("珠峰", "泰山"), "珠峰的高度是多少？"),
    ("zh", "上海的人口占中国的百分之几", "percentage", ("上海", "中国"), "上海的人口是多少？"),
    ("zh", "珠峰和泰山的高度之和", "sum", ("珠峰", "泰山"), "珠峰的高度是多少？"),
    ("zh", "北京和上海的人口加起来是多少", "sum", ("北京", "上海"), "北京的人口是多少？"),
    ("zh", "北京、上海和广州的平均人口是多少", "average", ("北京", "上海", "广州"), "北京的人口是多少？"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "question", "kind", "subjects", "first"), PARTS)
def test_ratios_and_sums(language: Language, question: str, kind: str, subjects: tuple[str, ...], first: str) -> None:
    shape = read_question(question, language)
    assert (shape.kind, shape.subjects, asked(shape.lookups[0])) == (kind, subjects, first)
    assert {lookup.ret for lookup in shape.lookups} == {"number"}


SINGLE: list[tuple[Language, str, str]] = [
    ("en", "How long did Einstein live in Princeton?", "number"),
    ("en", "How long did dinosaurs live?", "number"),
    ("en", "How old is Adele?", "number"),
    ("en", "What percentage of the population of France is Muslim?", "text"),
    ("en", "What is the total population of Trinidad and Tobago?", "number"),
    ("en", "What is the average age of men and women?", "number"),
    ("zh", "中国的平均寿命是多少", "number"),
    ("zh", "大象和乌龟谁活得更久", "text"),
    ("en", "When was the University of Padua founded?", "date"),
    ("en", "Who wrote Dream of the Red Chamber?", "text"),
    ("en", "Please tell me how tall the Eiffel Tower is", "number"),
    ("en", "Which planets have rings?", "list[text]"),
    ("en", "In which years did Rome host the Olympics?", "list[date]"),
    ("en", "Which plant is more useful, the fern or the moss?", "text"),
    ("en", "What do E. B. White and Dan Masterson have in common?", "text"),
    ("en", "Did Simon and Garfunkel break up?", "boolean"),
    ("en", "What was the name of Rembrandt's dog?", "text"),
    ("zh", "长城有多长", "number"),
    ("zh", "谁发明了造纸术？", "text"),
    ("zh", "中华人民共和国是哪一年成立的", "date"),
    ("zh", "罗密欧与朱丽叶的作者是谁", "text"),
    ("zh", "太阳和地球的距离是多少", "number"),
    ("zh", "罗马哪几年举办过奥运会", "list[date]"),
    ("zh", "光合作用是什么", "text"),
]


@pytest.mark.parametrize(("language", "question", "ret"), SINGLE)
def test_what_is_not_certain_is_one_look_up(language: Language, question: str, ret: str) -> None:
    shape = read_question(question, language)
    assert shape.kind == "single"
    assert len(shape.lookups) == 1
    assert shape.lookups[0].depth == 1
    assert shape.lookups[0].ret == ret


@pytest.mark.parametrize(
    ("language", "question", "expression"),
    [
        ("en", "what is 17*23", "17 * 23"),
        ("en", "What is 15% of 200?", "15 / 100 * 200"),
        ("en", "Calculate (3 + 4) times 12", "(3 + 4) * 12"),
        ("en", "how much is 1,200 divided by 8", "1200 / 8"),
        ("en", "square root of 144 plus 1", "sqrt(144) + 1"),
        ("zh", "17乘以23等于多少", "17 * 23"),
        ("zh", "计算（3+4）×12", "(3 + 4) * 12"),
        ("zh", "200的15%是多少", "200 * 15 / 100"),
    ],
)
def test_arithmetic(language: Language, question: str, expression: str) -> None:
    shape = read_question(question, language)
    assert (shape.kind, shape.expression) == ("arithmetic", expression)


@pytest.mark.parametrize(
    "question", ["1984", "When was 1984 published?", "What happened on 1999-12-31?", "3 +", "2 + + 2", "(1 + 2"]
)
def test_what_only_looks_like_arithmetic(question: str) -> None:
    assert read_question(question, "en").kind != "arithmetic"


@pytest.mark.parametrize(
    ("language", "question", "kind"),
    [
        ("en", "hello there!", "small_talk"),
        ("en", "Who are you?", "small_talk"),
        ("en", "thanks a lot", "small_talk"),
        ("en", "Write me a poem about spring", "writing_help"),
        ("en", "translate this into French: good day", "writing_help"),
        ("zh", "你好", "small_talk"),
        ("zh", "你能做什么？", "small_talk"),
        ("zh", "帮我写一首关于春天的诗", "writing_help"),
        ("en", "Who wrote the poem The Raven?", "single"),
        ("zh", "谁写了《静夜思》", "single"),
        ("en", "Tell me about yourself", "small_talk"),
        ("zh", "介绍一下你自己", "small_talk"),
    ],
)
def test_talk(language: Language, question: str, kind: str) -> None:
    assert read_question(question, language).kind == kind


def test_full_width_and_spacing_make_no_difference() -> None:
    plain = read_question("Who was older, Newton or Leibniz?", "en")
    wide = read_question("Ｗｈｏ　ｗａｓ　ｏｌｄｅｒ，  Newton or\tLeibniz？", "en")
    assert plain.lookups == wide.lookups
    assert read_question("李白 和 杜甫 谁 年长 ?", "zh").lookups == read_question("李白和杜甫谁年长？", "zh").lookups


def test_the_unit_of_a_difference() -> None:
    assert (
        read_question("How many days passed between the launch of Apollo 11 and the launch of Apollo 12?", "en").unit
        == "days"
    )
    assert read_question("By how many metres is the Shard taller than Big Ben?", "en").unit == "metres"
    assert read_question("尼罗河比长江长多少公里", "zh").unit == "公里"


def test_titles_are_not_taken_apart() -> None:
    shape = read_question("Who wrote “The Father of the Bride or the Mother of the Groom”?", "en")
    assert shape.kind == "single"
    assert read_question("《老人与海》和《白鲸》哪本先出版", "zh").subjects == ("《老人与海》", "《白鲸》")


def test_questions_over_the_sample_corpus() -> None:
    known = {
        "difference": {"difference", "age_at"},
        "comparison": {"comparison", "both", "same"},
        "simple": {"small_talk"},
    }
    path = Path(__file__).parents[1] / "data" / "corpus_questions.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    judged = [row for row in rows if row["shape"] != "unanswerable"]
    missed = [
        (row["shape"], kind, row["question"])
        for row in judged
        if (kind := read_question(row["question"], row["language"]).kind) not in known.get(row["shape"], {row["shape"]})
    ]
    assert len(missed) <= 0.08 * len(judged), missed


def test_long_text_is_read_at_once() -> None:
    began = time.perf_counter()
    for text in (
        "a " * 50_000,
        "who is the father of " * 400,
        "的" * 100_000,
        "((((" * 20_000,
        "A和" * 290,
        "the son of " * 54,
        "是" * 600,
        "how many times the is the " * 22,
        "what percentage of of is is " * 20,
        "tell me about " * 40,
        "how old was in 1900 " * 28,
        "A的高度是" * 110,
        "介绍请" * 190,
    ):
        for language in ("en", "zh"):
            assert isinstance(read_question(text, language), Shape)
    assert time.perf_counter() - began < 5


_ALL_WORDS = (
    "who what when which where how many old tall was is did born die died the a of in or and than older taller more by years "
    "author capital father Hamlet Newton Paris 's , ? 谁 的 和 与 比 哪 个 更 大 高 多少 岁 作者 出生 北京 《红楼梦》 、 是 吗 相差 时 同一 每个 分别 {{task_1.ret}}"
)
_WORDS = st.sampled_from(_ALL_WORDS.split())


@settings(max_examples=250, deadline=None)
@given(
    text=st.one_of(
        st.text(max_size=80), st.lists(_WORDS, max_size=14).map(" ".join), st.lists(_WORDS, max_size=14).map("".join)
    )
)
def test_any_text_is_read(text: str) -> None:
    for language in ("en", "zh"):
        shape = read_question(text, language)
        assert shape.kind in {"small_talk", "writing_help", "arithmetic"} or shape.lookups
        for lookup in shape.lookups:
            for hop in lookup.hops:
                assert "{{" not in hop.question
                assert isinstance(hop.subject, Lookup) == ("{}" in hop.question and not isinstance(hop.subject, str))


@pytest.mark.parametrize(
    ("language", "question", "look_ups"),
    [
        ("zh", "长江的长度（米）", [("长江", "长江的长度是多少(米)？", "number")]),
        ("zh", "查找长江的长度（米）", [("长江", "长江的长度是多少(米)？", "number")]),
        (
            "zh",
            "长江和黄河的长度（公里）",
            [("长江", "长江的长度是多少(公里)？", "number"), ("黄河", "黄河的长度是多少(公里)？", "number")],
        ),
        ("zh", "查找鲁迅的出生年份", [("鲁迅", "鲁迅是哪一年出生的？", "date")]),
        ("zh", "找出《家》的作者", [("《家》", "《家》的作者是谁？", "text")]),
        (
            "zh",
            "查找长江和黄河的长度",
            [("长江", "长江的长度是多少？", "number"), ("黄河", "黄河的长度是多少？", "number")],
        ),
        ("zh", "列出鲁迅的作品", [("", "列出鲁迅的作品？", "list[text]")]),
        ("zh", "搜索引擎是谁发明的", [("", "搜索引擎是谁发明的？", "text")]),
        ("en", "Find the birth date of Marie Curie", [("Marie Curie", "When was Marie Curie born?", "date")]),
        ("en", "Please find the author of Emma", [("Emma", "Who is the author of Emma?", "text")]),
        ("en", "List the works of Lu Xun", [("", "List the works of Lu Xun?", "list[text]")]),
    ],
)
def test_an_order_is_no_subject_and_a_unit_behind_no_attribute(
    language: Language, question: str, look_ups: list[tuple[str, str, str]]
) -> None:
    shape = read_question(question, language)
    assert [(one.subject, asked(one), one.ret) for one in shape.lookups] == look_ups
