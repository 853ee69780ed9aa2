"""Records: values under a key of a head, a table, a definition list or a CSV row, and when none is asserted."""

import pytest

from tests.support.states import passage
from weiwo.nodes.executor.extraction.typed_extraction import extract_value
from weiwo.nodes.shared.planning.rule_plan import VALUE_TYPES
from weiwo.nodes.shared.question.parser import parse_question
from weiwo.state import Evidence
from weiwo.text.language_detection import detect_language

HEAD = passage("Name: gantry-http\nVersion: 4.1.0\nLicense: Apache-2.0\nAuthor: Nia Okafor", "META.txt", "META")
PROFILE = passage("**Founded:** 2009\n**CEO:** Lena Harbo\n**Headquarters:** Bergen", "about.md", "Fjellkraft AS")
TEAM = passage("name,role,start date\nOla Vik,Chief Engineer,2021-02-01\nEva Lie,Buyer,2019-05-06", "team.csv", "team")
TABLE = passage(
    "| Pump | Weight (kg) | Price |\n|---|---|---|\n| P10 | 42 | EUR 900 |\n| P20 | 61 | EUR 1,200 |", "p.md", "Pumps"
)
CATALOGUE = passage("sku,name,weight_kg\nG1,Elm stool,4\nG2,Oak chair,7.5", "c.csv", "catalogue")
PAIRS = passage(
    "## 参数\n\n| 参数 | 数值 |\n|---|---|\n| 额定功率 | 45 W |\n| 净重 | 3.2 kg |", "b.md", "青鸟 K1 加湿器"
)
LEASE = passage(
    "| Rent in 2031 | 940 crowns |\n| --- | --- |\n| Deposit | 1,880 crowns |\n| Keeper | Nell Oakes |",
    "lease.md",
    "Lease of the mill",
)
TERMS = passage("GANTRY_PORT\n: 8070\n\nGANTRY_LEVEL\n: info", "env.md", "Environment")
SHOPS = passage(
    "门店,城市,店长,开业日期\n东门店,宁波,贺知秋,2020-03-04\n西门店,绍兴,常乐,2021-06-07", "门店.csv", "门店"
)
CHINESE_HEAD = passage("法定代表人：贺兰亭\n注册资本：3000万元", "b.md", "白石重工股份有限公司年报")


@pytest.mark.parametrize(
    ("question", "where", "value"),
    [
        ("Who is the author of gantry-http?", HEAD, "Nia Okafor"),
        ("Who is the keeper of the mill?", LEASE, "Nell Oakes"),
        ("gantry licence", HEAD, "Apache-2.0"),
        ("What license does gantry-http use?", HEAD, "Apache-2.0"),
        ("gantry-http 的作者是谁？", HEAD, "Nia Okafor"),
        ("Who is the CEO of Fjellkraft?", PROFILE, "Lena Harbo"),
        ("Where is the headquarters of Fjellkraft?", PROFILE, "Bergen"),
        ("Fjellkraft 的总部在哪里？", PROFILE, "Bergen"),
        ("When did Ola Vik start?", TEAM, "2021-02-01"),
        ("What is the role of Eva Lie?", TEAM, "Buyer"),
        ("What is the weight of the P20 pump?", TABLE, 61),
        ("How much does the Oak chair weigh?", CATALOGUE, 7.5),
        ("青鸟 K1 的净重是多少？", PAIRS, 3.2),
        ("What is GANTRY_PORT?", TERMS, "8070"),
        ("东门店的店长是谁？", SHOPS, "贺知秋"),
        ("西门店哪一年开业？", SHOPS, "2021-06-07"),
        ("白石重工的法定代表人是谁", CHINESE_HEAD, "贺兰亭"),
    ],
)
def test_a_record_of_the_thing_and_the_key_that_are_asked_for_is_asserted(question, where, value) -> None:
    found = read(question, where)
    assert found is not None
    assert found.value == value
    assert found.detail.mechanism.startswith("record:")
    assert found.quotes[0].text in where.text


@pytest.mark.parametrize(
    ("question", "where"),
    [
        ("Who is the author of gantry-cli?", HEAD),  # of another thing
        ("Who was the former CEO of Fjellkraft?", PROFILE),  # more is asked
        ("Who is the CEO of Fjellkraft Sweden?", PROFILE),
        ("When did Ola Vik leave?", TEAM),  # no such key
        ("What is the weight of the P30 pump?", TABLE),  # no such row
        ("青鸟 K2 的净重是多少？", PAIRS),
        ("东门店的店长什么时候离职？", SHOPS),
        ("Why did Fjellkraft move its headquarters?", PROFILE),
        ("Is Lena Harbo the CEO of Fjellkraft?", PROFILE),
        ("白石重工的副总经理是谁", CHINESE_HEAD),
    ],
)
def test_what_a_record_does_not_say_is_not_asserted(question: str, where: Evidence) -> None:
    assert read(question, where) is None


def test_two_records_of_one_document_that_differ_assert_nothing() -> None:
    assert read("Fjellkraft CEO", passage("CEO: Lena Harbo\nCEO: Odd Ness", "a.md", "Fjellkraft")) is None


def read(question: str, where: Evidence):
    frame = parse_question(question, detect_language(question))
    return extract_value(frame, VALUE_TYPES.get(frame.answer_type, "text"), [where])
