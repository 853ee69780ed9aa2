"""What code alone finds wrong in a claim whose particulars all occur, and what it lets pass."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.claims import check_claims
from tests.support.examples import examples
from weiwo.nodes.writer.verification.derivation import follows
from weiwo.nodes.writer.verification.grounds import Grounds, collect_grounds
from weiwo.nodes.writer.verification.quantities import find_quantities, same_quantity
from weiwo.state import DOUBTFUL, Evidence, passage_id
from weiwo.text.dates import PartialDate


def passage(text: str, title: str = "") -> Evidence:
    return Evidence(id=passage_id(text), text=text, source="a.md", title=title)


def verdict(claim: str, *sources: str) -> str:
    given_ = {1: [passage(*reversed(source.split(": ", 1))) for source in sources]}
    (found,) = check_claims(f"{claim} [1]", given_, language="zh" if claim > "\u3000" else "en")
    assert found.reason or found.verdict not in DOUBTFUL
    return found.verdict


PLANETS = "Planets: Mercury has a diameter of 4,879 km. Venus has a diameter of 12,104 km. Neither has a moon."
STAFF = "员工手册: 员工每年享有12天带薪年假，工龄满十年者为15天。试用期内不享受年终奖。"
FAIR = "Fair: The pottery fair of 2023 took place on May 10–12. It sold 6,795 cups; mugs made 17.92% of sales, down from 19.42%."
RACE = "Rally: The rally was won by Mika Salonen, ahead of Pierre Lacroix. Tom Hardwick repaired the clutch."

TRIAL = "Trial: Of the rowers, 64 used the long oar and 58 the short oar. The wind was measured by Denmark and the waves by Portugal."
GUIDE = "Guide: Bake the loaf for 40 minutes and the rolls for 18 minutes. It has salt, yeast and semolina."
LIMITS = "限额: 个人账户每天可转5万元，企业账户每天可转80万元。v3接口已于2024年6月停用，v4接口仍可用。"
CARE = "Care: The jacket is dried by hand. It must not be ironed. The gloves are sold in Bergen only."


BENCHMARK = (
    "Speed: 1000 pages containing dates, Python 3.13\n\n| Package | Precision | Recall | Accuracy | Time |\n| --- | --- | --- | --- | --- |\n"
    "| goose3 3.1 | 0.930 | 0.569 | 0.546 | 26x |\n| newspaper4k 0.9 | 0.912 | 0.728 | 0.680 | 4.3x |\n"
    "| htmldate (fast) | 0.924 | 0.929 | 0.863 | 1x |"
)
"""A table, most of whose words are of no language."""
FEES = "Fees: Fees in euros.\n| Berth | Day rate | Week rate |\n| Small | 20 | 110 |\n| Large | 45 | 260 |"


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("58 rowers used the short oar.", TRIAL),
        ("Denmark measured the wind, Portugal the waves.", TRIAL),
        ("The rolls need 18 minutes, less than half as long as the loaf.", GUIDE),
        ("企业账户每天可转80万元。", LIMITS),
        ("v3接口2024年6月起停用。", LIMITS),
        ("Do not iron the jacket.", CARE),
        ("The guide does not say how long the dough has to rest.", GUIDE),
        ("Legumes did as well as grasses.", "Trial: Legumes performed no better than grasses."),
        ("564 starters did not finish.", "Race: Of 11,208 starters, 10,644 finished."),
        ("4.0版不再有旧接口。", "日志: 旧接口在4.0版中移除。"),
        ("The rent is £12,000 a quarter.", "Lease: The annual rent is £48,000."),
        ("A second fine is four times the first.", "Act: A first fine is $5,000, a second fine $20,000."),
        ("Venus is larger than Mercury.", PLANETS),
        ("The recall of htmldate is 0.929.", BENCHMARK),
        ("The README gives htmldate a recall of 0.929.", BENCHMARK),
        ("员工每年有12天带薪年假。", STAFF),
        ("试用期没有年终奖。", STAFF),
        ("Mika Salonen won the rally.", RACE),
        ("CEO Maria Delgado announced it.", "News: Chief executive Maria Delgado announced it on Monday."),
        ("Her maiden name was Sklodowska.", "Marie Curie: Marie Curie was born Maria Skłodowska in Warsaw."),
        ("Keys are not enforced unless you switch it on.", "FAQ: Keys are not enforced unless the pragma is on."),
        ("The wait is half an hour.", "Guide: The wait is 30 minutes."),
        ("Four years passed between the two.", "Gallium: It was predicted in 1871 and discovered in 1875."),
        ("不能，流感疫苗对普通感冒没有预防作用。", "流感疫苗: 疫苗不能预防普通感冒。"),
        ("1903年的奖由居里夫人获得。", "Marie Curie: In 1903 Marie Curie won the prize."),
        ("Parses the page into a tree.", "Doc: It reads the page and gives a tree."),
        ("The chip is made in 5纳米.", "芯片: 采用台积电5nm工艺。"),
        ("Two thirds of the votes were for it.", "Vote: 66% of the votes were for it."),
        ("黄豆亩产130公斤，比上年少2.3公斤。", "产量: 黄豆亩产130公斤，比上年减少2.3公斤。"),
        ("The sources do not say whether dogs may swim.", "Pool: The pool is open to children."),
        ("The fair closed on 12 May.", FAIR),
        ("展览5月12日结束。", "展览: 5月10日-12日，陶艺展览在余塘举行。"),
        ("The fair sold close to 6,800 cups.", FAIR),
        ("Sales fell by 1.5 percentage points, to less than 18%.", FAIR),
        ("这座塔建于1089年，1574年重修，前后相距近五百年。", "慈塔: 慈塔建于1089年，1574年重修。"),
        ("会议开了两个半小时。", "会议: 会议从14:00开到16:30。"),
        ("最低版本是8.0.28。", "手册: 数据库版本不得低于8.0.28；V5.6：新增地图。"),
        ("部署前先执行 `lanctl check`。", "手册: 部署前请执行lanctl check，检查时钟。"),
        ("德国有三百多所这样的学校。", "学校: 德國現有這樣的學校345所。"),
        ("广州的GDP为2823亿元。", "广州: 广州实现GDP2823亿元。"),
        (
            "The pier was built by the Finnish engineer Aino Laine in June 1937.",
            "Порт: Пирс построен по проекту инженера Айно Лайне, открыт в июне 1937 года.",
        ),
        ("2022年的销量比2021年多30台。", "销量: 2021年销量为120台，占18%。2022年销量为150台，占12%。"),
        ("A large berth costs 45 euros a day.", FEES),
        ("Dutch growers sold it in the Philippines.", "Bulbs: Growers from the Netherlands sold it to Filipino shops."),
        ("It bakes at about 190 °C.", "Pie: Heat the oven to 375°F."),
        ("It has 20 mg of iron a litre.", "Water: Iron 20 mg/L, zinc 3 mg/L."),
        ("The tunnel opened six months later.", "Tunnel: Digging ended in October 1893; it opened on 3 April 1894."),
        ("The engine sold well, but the boat did not.", "Firm: The boat was unpopular. The engine sold well."),
        ("副主任是丹麦人。", "实验室: 副主任来自丹麦。"),
        ("A bee is older than the wasp in years.", "Ages: The bee was born in 1901, the wasp in 1905."),
        (
            "Greater Orno has 183 hotels with just under 36,000 rooms.",
            "Orno: The Greater Orno Area has 183 hotels with almost 36,000 rooms.",
        ),
    ],
)
def test_passes(claim: str, source: str) -> None:
    assert verdict(claim, source) not in DOUBTFUL


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The rolls take 40 minutes.", GUIDE),
        ("个人账户每天可转80万元。", LIMITS),
        ("v4接口已于2024年6月停用。", LIMITS),
        ("员工每年有15天带薪年假。", STAFF),
        ("试用期内可以享受年终奖。", STAFF),
        ("Tom Hardwick won the rally.", RACE),
        ("Sales fell 12%.", "Report: Sales rose 12% in the quarter."),
        ("Flats will be built on the site.", "Minutes: No flats will be built on the site."),
        ("The recipe uses flour.", "Cake: The cake contains no flour."),
        ("苏轼是南宋文学家。", "苏轼: 苏轼是北宋文学家。"),
        ("Orno followed with 41 goals.", "Goals: Tandil scored 41 goals in 90 matches. Orno followed with 30 goals."),
        ("Files are packed with gzip.", "Notes: Files are packed with zstd instead of gzip."),
        ("A small berth costs 45 euros a day.", FEES),
    ],
)
def test_is_contradicted(claim: str, source: str) -> None:
    assert verdict(claim, source) == "contradicted"


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The fair sold more than 7,000 cups.", FAIR),
        ("超过四百所学校参加。", "学校: 共有345所学校参加。"),
        ("展览5月10日开幕，5月13日结束。", "展览: 5月10日-12日，陶艺展览在余塘举行。"),
        ("It has 20 g of iron a litre.", "Water: Iron 20 mg/L, zinc 3 mg/L."),
        ("She called it “a very slow boat”.", "Review: She called it “a slow but lovely boat”."),
        ("展览为期四天。", "展览: 5月10日-12日，陶艺展览在余塘举行。"),
    ],
)
def test_is_carried_by_no_source(claim: str, source: str) -> None:
    assert verdict(claim, source) == "unsupported"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("464 °C", "464 degrees Celsius", True),
        ("464 °F", "464 °C", False),
        ("281 TB", "281 terabytes", True),
        ("90 km/h", "25 m/s", True),
        ("3 weeks", "3 days", False),
        ("三个月", "90 days", True),
        ("4 to 6 mm", "4 to 6 µm", False),
        ("about 20,000", "19,400", True),
        ("about 6.5%", "6.4%", False),
        ("4 to 5 pounds", "4 to 5 kg", False),
        ("860千瓦", "功率860瓦", False),
    ],
)
def test_quantities(one: str, other: str, *, same: bool) -> None:
    assert same_quantity(find_quantities(one)[-1], find_quantities(other)[-1]) is same


def test_a_span_of_years_that_looks_like_a_year_is_the_calculations() -> None:
    grounds = Grounds((), computed_numbers=(336.0,))
    assert grounds.date(PartialDate(336)) == "computed"  # 早出生336年
    assert grounds.date(PartialDate(335)) == ""


def test_what_follows_from_two_figures() -> None:
    grounds = collect_grounds([passage("40 laptops cost $26,000 in all; 12 % failed.")])
    assert follows(find_quantities("$650")[0], "$650 each", grounds)
    assert not follows(find_quantities("$660")[0], "$660 each", grounds)
    assert follows(find_quantities("88 %")[0], "88 % worked", grounds)


words = st.text(st.sampled_from("ab no than 比不第一 older 12% 1999 $.,;|()，。的\n") | st.characters(exclude_categories=["Cs"]), max_size=80)  # fmt: skip


@examples(100)
@given(words, words, words)
def test_no_text_makes_it_stumble(claim: str, text: str, title: str) -> None:
    for found in check_claims(f"{claim} [1]", {1: [passage(text or "a", title)]}):
        assert bool(found.reason) == (found.verdict in DOUBTFUL)
