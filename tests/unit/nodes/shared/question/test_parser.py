"""Questions parsed into frames: rows of questions as data, in both languages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.work import assert_linear
from weiwo.nodes.shared.question.parser import parse_question
from weiwo.state.query import QueryFrame
from weiwo.text.language_detection import detect_language
from weiwo.tools.compute.arithmetic import evaluate


def parsed(question: str) -> QueryFrame:
    return parse_question(question, detect_language(question))


# question | subjects, by ; | relation | type of the answer
LOOK_UPS = """
who designed the sydney opera house? | sydney opera house | architect | person
WHO INVENTED THE TELEPHONE | TELEPHONE | inventor | person
Could you please tell me when Marie Curie was born, thanks | Marie Curie | birth | date
i'd like to know when penicillin was discovered | penicillin | discovery | date
hi, do you happen to know who wrote Dune? | Dune | author | person
tell me the height of mount fuji pls | mount fuji | height | quantity
whcih year was the united nations foundd | united nations | founding | year
waht is the capital of peru | peru | capital | place
in which city was chopin born | chopin | birth | place
where's the headquarters of nestlé located? | nestlé | headquarters | place
how many people live in tokyo | tokyo | population | number
how long is the danube | danube | length | quantity
When did World War II end? | World War II | ending | date
who was marie curie's husband | marie curie | spouse | person
eiffel tower height | eiffel tower | height | quantity
birth year of isaac newton | isaac newton | birth | date
Who directed "Spirited Away"? | Spirited Away | director | person
when was trinidad and tobago founded | trinidad and tobago | founding | date
请问一下，故宫是哪一年建成的呀 | 故宫 | construction | year
帮我查一下《百年孤独》的作者是谁，谢谢 | 百年孤独 | author | person
帮我搜索多瑙河有多长 | 多瑙河 | length | quantity
麻烦您帮忙检索一下多瑙河有多长 | 多瑙河 | length | quantity
爱因斯坦是哪一年在德国出生的 | 爱因斯坦 | birth | year
谁发明了活字印刷术 | 活字印刷术 | inventor | person
珠穆朗玛峰有多高 | 珠穆朗玛峰 | height | quantity
冰岛的官方语言是什么 | 冰岛 | language | name
上海有多少人口 | 上海 | population | number
红楼梦作者 | 红楼梦 | author | person
iphone的发布时间 | iphone | release | date
"""


@pytest.mark.parametrize(
    ("question", "subject", "relation"),
    [
        ("Hi, would you mind telling me when Mount Oriel was first climbed? Thank you so much.", "Mount Oriel", ""),
        ("I was wondering if you could tell me the population of Hungary", "Hungary", "population"),
        ("hey could someone pls tell me how long the danube is thx", "danube", "length"),
        ("When did nigeria gain independence?", "nigeria", ""),
        ("When did women get the vote in Ostland?", "Ostland", ""),
        ("Where can I buy saffron crocus?", "I buy saffron crocus", ""),
        ("hey could you tell me wich year the eiffel tower opend pls", "eiffel tower", "opening"),
        ("good morning, do you happen to remember when the berlin wall fell?", "berlin wall fell", ""),
        ("would you be able to tell me who wrote dune", "dune", "author"),
        ("when was ilse brandt hired", "ilse brandt", "hiring"),
        ("who approved the 2024 travel policy", "2024 travel policy", ""),
        ("hight of mt cook", "mount cook", "height"),
        ("年假有几天", "年假", ""),
        ("婚假要找谁批", "婚假", ""),
        ("手机电池能用多久", "手机电池", ""),
        ("查黄河长度", "黄河", "length"),
        ("How long is What Women Want?", "What Women Want", "length"),
        ("Who created Doctor Who?", "Doctor Who", "founder"),
        ("How high is Ben Nevis When measured?", "Ben Nevis", "height"),
        ("population of Bosnia & Herzegovina", "Bosnia & Herzegovina", "population"),
        ("请问一下谢谢，黄河有多长呀", "黄河", "length"),
        ("你好呀，想问问珠穆朗玛峰有多高", "珠穆朗玛峰", "height"),
        ("上海中心大厦高多少米？", "上海中心大厦", "height"),
    ],
)
def test_politeness_word_order_and_verbs_do_no_harm(question, subject, relation):
    frame = parsed(question)
    assert (frame.shape, frame.subject, frame.relation) == ("look_up", subject, relation)


def rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in row.split("|")] for row in table.strip().splitlines()]


@pytest.mark.parametrize(("question", "subject", "relation", "kind"), rows(LOOK_UPS))
def test_a_look_up_has_its_subject_relation_and_type(question, subject, relation, kind):
    frame = parsed(question)
    assert (frame.shape, frame.subject, frame.relation, frame.answer_type) == ("look_up", subject, relation, kind)
    assert frame.question == question
    assert subject.split()[0].strip("《》") in frame.search


# question | shape | subjects | relation | direction
COMPARISONS = """
who was older emperor wu of han or julius caesar and by how many years | difference | emperor wu of han; julius caesar | birth | least
Who was born first, Marie Curie or Lise Meitner? | comparison | Marie Curie; Lise Meitner | birth | least
who was born first marie curie or lise meitner | comparison | marie curie; lise meitner | birth | least
which river is longer: nile or amazon | comparison | nile; amazon | length | greatest
between the rhine and the danube which is longer | comparison | rhine; danube | length | greatest
is the Nile longer than the Amazon | comparison | Nile; Amazon | length | greatest
Which country has more people, Chad or Niger | comparison | Chad; Niger | population | greatest
which is heavier a blue whale or an elephant | comparison | blue whale; elephant | mass | greatest
which of the nile, the amazon and the yangtze is longest | comparison | nile; amazon; yangtze | length | greatest
Of Everest, K2 and Lhotse, which is highest? | comparison | Everest; K2; Lhotse | height | greatest
Who lived longer, Picasso or Matisse? | comparison | Picasso; Matisse | lifespan | greatest
Which is older: Oxford University or the Aztec Empire? | comparison | Oxford University; Aztec Empire | founding | least
Did Newton die before Leibniz? | comparison | Newton; Leibniz | death | least
which mountain is higher, K2 or Kangchenjunga, and by how much? | difference | K2; Kangchenjunga | height | greatest
how much taller is the burj khalifa than the shanghai tower | difference | burj khalifa; shanghai tower | height | greatest
How many years older is Venus Williams than Serena Williams? | difference | Venus Williams; Serena Williams | birth | least
how many years between Galileo's birth and Newton's | difference | Galileo; Newton | birth |
How many years passed between the births of Galileo and Newton? | difference | Galileo; Newton | birth |
what is the difference in height between everest and k2 | difference | everest; k2 | height |
which is the smaller country, malta or andorra | comparison | malta; andorra | area | least
kant or hegel who died younger | comparison | kant; hegel | lifespan | least
marie curie vs albert einstein who was born first | comparison | marie curie; albert einstein | birth | least
danube vs rhine longer? | comparison | danube; rhine | length | greatest
is the nile longer than the amazon? yes or no | comparison | nile; amazon | length | greatest
are you sure the nile is longer than the amazon? | comparison | nile; amazon | length | greatest
汉武帝和凯撒谁年长?大多少岁? | difference | 汉武帝; 凯撒 | birth | least
成都比武汉人口多吗 | comparison | 成都; 武汉 | population | greatest
武汉比武威人口多吗 | comparison | 武汉; 武威 | population | greatest
成都和重庆哪个人口多 | comparison | 成都; 重庆 | population | greatest
淮河、海河、辽河中哪一条最长？ | comparison | 淮河; 海河; 辽河 | length | greatest
东京和德里哪个人口多 | comparison | 东京; 德里 | population | greatest
太平洋和大西洋里哪个更深 | comparison | 太平洋; 大西洋 | depth | greatest
梵高和莫奈谁去世时更年轻 | comparison | 梵高; 莫奈 | lifespan | least
长江和黄河哪个更长 | comparison | 长江; 黄河 | length | greatest
请问牛顿跟莱布尼茨谁出生得早 | comparison | 牛顿; 莱布尼茨 | birth | least
谁先出生，牛顿还是莱布尼茨 | comparison | 牛顿; 莱布尼茨 | birth | least
牛顿早还是莱布尼茨早出生 | comparison | 牛顿; 莱布尼茨 | birth | least
埃菲尔铁塔高还是东京塔高 | comparison | 埃菲尔铁塔; 东京塔 | height | greatest
李白比杜甫大吗 | comparison | 李白; 杜甫 | birth | least
地球和火星哪个大 | comparison | 地球; 火星 | area | greatest
中国的人口比印度多吗 | comparison | 中国; 印度 | population | greatest
尼罗河有没有亚马逊河长 | comparison | 尼罗河; 亚马逊河 | length | greatest
泰山、华山和衡山哪座最高？ | comparison | 泰山; 华山; 衡山 | height | greatest
中华人民共和国和中华民国哪个成立得早 | comparison | 中华人民共和国; 中华民国 | founding | least
珠穆朗玛峰比乔戈里峰高多少米 | difference | 珠穆朗玛峰; 乔戈里峰 | height | greatest
梅西比C罗大几岁 | difference | 梅西; C罗 | birth | least
李白和杜甫谁更早出生，相差几岁 | difference | 李白; 杜甫 | birth | least
李白和杜甫相差多少岁 | difference | 李白; 杜甫 | birth |
"""


@pytest.mark.parametrize(("question", "shape", "subjects", "relation", "direction"), rows(COMPARISONS))
def test_a_comparison_has_its_things_and_a_look_up_for_each(question, shape, subjects, relation, direction):
    frame = parsed(question)
    things = tuple(subject.strip() for subject in subjects.split(";"))
    assert (frame.shape, frame.subjects, frame.relation, frame.direction) == (shape, things, relation, direction)
    assert frame.wants_difference == (shape == "difference")
    assert [(part.shape, part.subject, part.relation) for part in frame.parts] == [
        ("look_up", thing, relation) for thing in things
    ]
    assert all(thing in part.question for thing, part in zip(things, frame.parts, strict=True))


def test_the_parts_ask_in_the_language_of_the_question():
    assert [part.question for part in parsed("is the Nile longer than the Amazon").parts] == [
        "How long is the Nile?",
        "How long is the Amazon?",
    ]
    assert [part.question for part in parsed("李白比杜甫大吗").parts] == [
        "李白是什么时候出生的？",
        "杜甫是什么时候出生的？",
    ]
    assert parsed("which has more moons, Mars or Jupiter?").parts == ()


@pytest.mark.parametrize(
    "question",
    [
        "how old was mozart when he died",
        "At what age did Mozart die?",
        "莫扎特去世时多少岁",
        "what was Mozart's age at death",
    ],
)
def test_an_age_at_death_is_the_difference_of_two_dates(question):
    frame = parsed(question)
    assert (frame.shape, frame.unit, len(frame.subjects)) == ("difference", "years", 1)
    assert [part.relation for part in frame.parts] == ["birth", "death"]


@pytest.mark.parametrize(
    "question",
    [
        "which country has a higher gdp, france or italy",
        "which has the higher population density, india or china",
        "which war lasted longer, ww1 or ww2",
        "唐朝和宋朝哪个存在的时间更长",
        "Are Lima and Quito both capitals?",
        "Were Gandhi and Churchill born in the same year?",
        "莫扎特和海顿是同一年出生的吗",
    ],
)
def test_what_the_lexicon_does_not_know_is_compared_without_a_relation(question):
    frame = parsed(question)
    assert frame.shape in {"comparison", "same"}
    assert len(frame.subjects) == 2
    assert (frame.relation, frame.parts) == ("", ())


@pytest.mark.parametrize(
    ("question", "shape"),
    [
        ("How did Pliny the Elder die?", "open"),
        ("what papers were published in 2019", "list"),
        ("What book did Darwin publish in 1859?", "look_up"),
        ("which company was founded in 1998", "look_up"),
        ("which mountain is 8848 m high", "look_up"),
        ("爱迪生发明了什么", "look_up"),
        ("贝聿铭设计了哪些建筑", "list"),
        ("屈原是怎么死的", "open"),
    ],
)
def test_a_relation_is_read_only_where_the_question_asks_for_it(question, shape):
    frame = parsed(question)
    assert (frame.shape, frame.relation) == (shape, "")
    assert frame.terms
    assert frame.search


@pytest.mark.parametrize(
    ("question", "shape", "subjects"),
    [
        ("When was the author of Dune born?", "chain", ("Dune",)),
        ("鲁迅的妻子的出生地", "chain", ("鲁迅",)),
        ("长江流经几个省", "look_up", ("长江",)),
        ("What's the difference between TCP and UDP?", "several", ("TCP", "UDP")),
        ("Compare the economies of Spain and Portugal", "several", ("Spain", "Portugal")),
        ("explain photosynthesis in 200 words", "open", ("photosynthesis",)),
        ("Who is older than my grandma", "several", None),
        ("summarise the travel policy in one sentence", "open", ("travel policy",)),
        ("hello there!", "small_talk", ()),
        ("write a poem about the moon", "writing", ()),
    ],
)
def test_other_shapes(question, shape, subjects):
    frame = parsed(question)
    assert frame.shape == shape
    assert subjects is None or frame.subjects == subjects
    assert frame.relation == ""


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        (
            "What are the capitals of France, Spain and Italy?",
            [("France", "capital"), ("Spain", "capital"), ("Italy", "capital")],
        ),
        ("When were Mozart and Beethoven born?", [("Mozart", "birth"), ("Beethoven", "birth")]),
        ("法国、德国和意大利的首都分别是哪里", [("法国", "capital"), ("德国", "capital"), ("意大利", "capital")]),
        ("《三国演义》和《水浒传》的作者是谁", [("三国演义", "author"), ("水浒传", "author")]),
    ],
)
def test_several_things_are_looked_up_one_by_one(question, asked):
    frame = parsed(question)
    assert frame.shape == "several"
    assert [(part.subject, part.relation) for part in frame.parts] == asked


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("When was SpaceX founded and who leads it?", [("SpaceX", "founding"), ("SpaceX", "leader")]),
        ("When was Mozart born and where did he die?", [("Mozart", "birth"), ("Mozart", "death")]),
        ("青藏铁路有多长，什么时候全线建成", [("青藏铁路", "length"), ("青藏铁路", "construction")]),
        ("谁写了红楼梦，谁写了西游记？", [("红楼梦", "author"), ("西游记", "author")]),
        ("what's the population and area of malta", [("malta", "population"), ("malta", "area")]),
    ],
)
def test_two_questions_in_one_are_two_look_ups(question, parts):
    frame = parsed(question)
    assert (frame.shape, frame.relation) == ("several", "")
    assert [(part.subject, part.relation) for part in frame.parts] == parts


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("who founded the club, where is it based, and how many people work there?", []),
        ("红楼梦和西游记的作者分别是谁", ["红楼梦的作者是谁？", "西游记的作者是谁？"]),
        ("What is the revenue of Procter & Gamble?", []),
        ("Who wrote Hamlet and when was he born?", []),
        ("compare height of eiffel tower & tokyo skytree", ["How tall is eiffel tower?", "How tall is tokyo skytree?"]),
        ("whos older, plato or kant", ["When was plato born?", "When was kant born?"]),
        ("whats longer danube or nile", ["How long is danube?", "How long is nile?"]),
        ("ceo and founding year of each supplier", []),
        ("who was married to the architect of the opera house", []),
    ],
)
def test_one_value_of_one_thing_is_asked_at_a_time(question, parts):
    assert [part.question for part in parsed(question).parts] == parts


@pytest.mark.parametrize(
    ("question", "field", "value"),
    [
        ("list the works of Kafka in a table", "form", "table"),
        ("写一份关于新能源汽车的报告", "form", "report"),
        ("explain inflation in 150 words", "words", 150),
        ("介绍一下量子力学，200字以内", "words", 200),
        ("what was published on arxiv.org since 2019", "sources", ("arxiv.org",)),
        ("what was published on arxiv.org since 2019", "since", "2019-01-01"),
        ("2019年以来发布了哪些模型", "since", "2019-01-01"),
        ("which films came out between 2019 and 2021", "until", "2021-12-31"),
        ("what is the weather in Paris today", "fresh", True),
        ("我们公司的报销流程是怎样的", "local", True),
        ("长江全长多少公里", "unit", "km"),
        ("thank you so much!", "talk", "thanks"),
        ("你是谁", "talk", "identity"),
        ("what can you do?", "talk", "ability"),
        ("who made weiwo", "talk", "identity"),
        ("do you speak french?", "talk", "ability"),
        ("help", "talk", "ability"),
        ("what's new?", "talk", "greeting"),
        ("what's new in python 3.13", "talk", None),
        ("how is life in iceland", "talk", None),
        ("yo can u find out how high is mount everest", "talk", None),
        ("i dont understand what a monad is", "talk", None),
        ("谢谢，那莱茵河呢", "talk", None),
        ("you said the danube is 2850 km, whats your source", "talk", None),
        ("i have to write an essay on the french revolution, what caused it", "talk", None),
        ("my teacher says napoleon was short. was he", "talk", None),
        ("我们要去冰岛，那里用什么货币", "talk", None),
        ("你是我的小太阳这首歌是谁唱的", "talk", None),
        ("翻译《物种起源》的人是谁", "talk", None),
        ("我今天心情不太好", "talk", "remark"),
        ("how's it going", "talk", "greeting"),
        ("how much did apple pay for weiwo in 2031", "talk", None),
        ("“运筹帷幄”出自哪里", "talk", None),
        ("Who wrote Pride and Prejudice?", "subjects", ("Pride and Prejudice",)),
        ("《战争与和平》的作者是谁", "subjects", ("战争与和平",)),
        ("what's the population and area of malta", "subjects", ("malta",)),
        ("马耳他的人口和面积是多少", "subjects", ("马耳他",)),
        ("whats the diffrence in height between k2 and kilimanjaro", "subjects", ("k2", "kilimanjaro")),
        ("goodbye", "talk", "farewell"),
    ],
)
def test_what_else_a_question_says(question, field, value):
    assert getattr(parsed(question), field) == value


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("17*23", 391),
        ("what is 15% of 240?", 36),
        ("what is the square root of 144", 12),
        ("12 * (3 + 4)", 84),
        ("could you calculate 2^10", 1024),
        ("128乘以36等于多少", 4608),
        ("十二乘以八", 96),
        ("3的4次方", 81),
        ("100的15%是多少", 15),
        ("-5 + 3", -2),
    ],
)
def test_arithmetic_is_put_into_the_notation_of_the_calculator(question, value):
    frame = parsed(question)
    assert frame.shape == "calculation"
    assert evaluate(frame.expression) == value


@pytest.mark.parametrize("question", ["42", "1999-12-31", "(2 + 3", "2 3", "3 * * 2", "3 apples plus 4", "5 -", "sqrt"])
def test_what_is_no_formula_is_not_calculated(question):
    assert parsed(question).expression == ""


PIECES = st.sampled_from(
    [
        "who ",
        "the ",
        "Nile ",
        "的",
        "谁",
        "和",
        "、",
        "和北京",
        "是",
        " and ",
        "比",
        "?",
        "。",
        "Paris ",
        "1+",
        " or ",
        "older ",
        "than ",
    ]
)


@given(st.one_of(st.text(max_size=300), st.lists(PIECES, max_size=60).map("".join)), st.sampled_from(["en", "zh"]))
def test_any_text_has_a_frame(text, language):
    frame = parse_question(text, language)
    assert frame.question == text
    if frame.shape in {"comparison", "same"}:
        assert len(frame.subjects) >= 2


@pytest.mark.trial
@pytest.mark.parametrize("piece", ["Nile or ", "is a older than b ", "比", "谁", "you ", "1+", "和北京", "write "])
def test_a_long_text_takes_work_in_proportion_to_its_length(piece):
    assert_linear(lambda text: parse_question(text, detect_language(piece)), piece)
