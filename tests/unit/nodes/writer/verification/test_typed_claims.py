"""Typed values, relation names, subjects and superseded documents of claims, as code compares them."""

import pytest

from weiwo.nodes.writer.claims import ClaimSources, check_cited, check_piece
from weiwo.nodes.writer.verification.clauses import Clause
from weiwo.nodes.writer.verification.comparison import find_reversed
from weiwo.nodes.writer.verification.grounds import Grounds, collect_grounds
from weiwo.nodes.writer.verification.particulars import find_aliases
from weiwo.nodes.writer.verification.polarity import find_changes, find_contradiction
from weiwo.nodes.writer.verification.quantities import find_quantities
from weiwo.nodes.writer.verification.superseded import is_superseded
from weiwo.state import DOUBTFUL, Evidence, passage_id


def _passage(text: str, title: str = "Notes") -> Evidence:
    return Evidence(id=passage_id(f"{title} {text}"), text=text, title=title, source="notes.md")


def _doubted(claim: str, *passages: Evidence, question: str = "", cites: tuple[int, ...] = (1,)) -> bool:
    numbered = {n: (passage,) for n, passage in enumerate(passages, 1)}
    given = ClaimSources(numbered, {}, "zh" if claim > "\u3000" else "en", question)
    return check_cited(claim, cites, given).verdict in DOUBTFUL


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The freezer holds -25C.", "The freezer is kept at -25 °C."),
        ("The freezer holds −25 °C.", "Freezer: -25C at night."),
        ("The oven runs at 180C.", "The oven runs at 180 degrees Celsius."),
        ("The shift lasts 11h.", "The shift lasts 11 h."),
        ("Delivery takes 3d.", "Delivery takes 3 days."),
        ("The trip takes 2 h 15 min.", "The trip takes 135 minutes."),
        ("全程2小时15分钟。", "全程135分钟。"),
        ("The room is 20 m² large.", "The room has 20 sqm."),
        ("The late fee is EUR 7.00 a day.", "Late fee: 7.0 EUR per day."),
        ("Mean score rose from 6.5 to 7.0.", "The mean score was 6.5 in March and 7.00 in June."),
        ("The wait improved from 22 to 14 weeks.", "The wait fell from 22 to 14 weeks."),
        ("The error rate dropped from 8% to 5%.", "The error rate improved from 8% to 5%."),
        ("The vlx500 pump costs 300 euros.", "The VLX-500 pump costs 300 euros."),
        ("The VLX-500 pump costs 300 euros.", "The vlx500 pump costs 300 euros."),
        ("The VLX 500 pump costs 300 euros.", "The vlx500 pump costs 300 euros."),
        ("Acme was established in 1990.", "Acme was founded in 1990. Bolt was established in 1985."),
        ("Ann Lee was hired in May 2019.", "Ann Lee joined in May 2019. Tom Roe was hired in June 2020."),
        ("The phone is the Tarn 5C.", "The Tarn 5c is a phone."),
    ],
)
def test_one_value_in_other_words(claim: str, source: str) -> None:
    assert not _doubted(claim, _passage(source))


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The freezer holds 25C.", "The freezer is kept at -25°C."),
        ("The shift lasts 12h.", "The shift lasts 11 h."),
        ("The trip takes 15 minutes.", "The trip takes 2 h 15 min."),
        ("The late fee is EUR 7.50.", "Late fee: 7.0 EUR per day."),
        ("Version 3.1 is needed.", "It requires version 3.10."),
        ("The wait improved from 14 to 22 weeks.", "The wait fell from 22 to 14 weeks."),
        ("The wait rose from 22 to 14 weeks.", "The wait fell from 22 to 14 weeks."),
        ("The wait worsened from 22 to 14 weeks.", "The wait improved from 22 to 14 weeks."),
        ("The wait did not improve from 22 to 14 weeks.", "The wait fell from 22 to 14 weeks."),
        ("The wait did not fall from 22 to 14 weeks.", "The wait fell from 22 to 14 weeks."),
        ("The wait went from 22 to 14 weeks.", "The wait went from 14 to 22 weeks."),
        ("Orla is bigger than Norfield, at 20 km² against 30 km².", "Orla and Norfield cover 20 km² and 30 km²."),
        ("Orla is bigger than Norfield, 20 km² to 30 km².", "Orla and Norfield cover 20 km² and 30 km²."),
        ("The operating margin improved to 9.4%.", "The operating margin fell to 9.4%."),
        ("The vlx400 pump costs 300 euros.", "The VLX-500 pump costs 300 euros."),
        ("Acme was established in 1985.", "Acme was founded in 1990. Bolt was established in 1985."),
        ("Ann Lee was hired in June 2020.", "Ann Lee joined in May 2019. Tom Roe was hired in June 2020."),
        ("乙公司的收入为1200.1亿元。", "甲公司的收入为1200.1亿元。乙公司的总营收为1928.6亿元。"),
    ],
)
def test_another_value_is_doubted(claim: str, source: str) -> None:
    assert _doubted(claim, _passage(source))


SCHOOL = _passage("Norfield High School is a secondary school in Sydney, Australia.", "Norfield High School")
OTHER = _passage("Elmgate Grammar School is a school in Perth, Australia.", "Elmgate Grammar School")
SCHOOLS = "Are both Norfield High School and Elmgate Grammar School located in Australia?"


@pytest.mark.parametrize(
    ("claim", "passages", "question", "doubted"),
    [
        ("Norfield High School and Elmgate Grammar School are both in Australia.", [SCHOOL], SCHOOLS, True),
        ("Both schools are located in Australia.", [SCHOOL], SCHOOLS, True),
        ("Elmgate Grammar School is located in Australia.", [SCHOOL], SCHOOLS, True),
        ("Norfield High is located in Australia.", [SCHOOL], SCHOOLS, False),
        ("Harbour Tower is 300 m tall.", [_passage("Lake Tower is 300 m tall.")], "How tall is Harbour Tower?", True),
        ("The WHO was founded in 1948.", [_passage("The World Health Organization was founded in 1948.")], "When was the WHO founded?", False),
        ("The World Health Organization was founded in 1948.", [_passage("WHO was founded in 1948.")], "When was the World Health Organization founded?", False),
        ("Ann Lee joined in 2019.", [_passage("She joined in 2019.", "Ann Lee")], "When did Ann Lee join?", False),
        ("Ann Lee joined in 2019.", [_passage("Tom Roe joined in 2019.")], "When did Ann Lee join?", True),
        ("远山集团成立于1998年。", [_passage("近海集团成立于1998年。", "集团")], "远山集团是哪年成立的？", True),
        ("The Eiffel Tower is 330 m tall.", [_passage("埃菲尔铁塔高330米。", "铁塔")], "How tall is the Eiffel Tower?", False),
    ],
)  # fmt: skip
def test_a_subject_that_no_cited_source_names(
    claim: str, passages: list[Evidence], question: str, *, doubted: bool
) -> None:
    assert _doubted(claim, *passages, question=question) is doubted


def test_both_holds_where_each_is_named() -> None:
    assert not _doubted("Both schools are in Australia.", SCHOOL, OTHER, question=SCHOOLS, cites=(1, 2))


def test_an_alias_in_a_passage_at_hand_names_the_thing() -> None:
    registry = _passage("Harlow Freight Services (also known as Brightvan) is registered in Leeds.")
    source = _passage("Brightvan has 40 lorries.")
    question = "How many lorries does Harlow Freight Services have?"
    assert not _doubted("Harlow Freight Services has 40 lorries.", source, registry, question=question)
    assert _doubted("Harlow Freight Services has 40 lorries.", source, question=question)
    assert list(find_aliases("远山集团", "远山集团（以下简称“远山”）成立。")) == ["远山"]


OLD = _passage("The daily allowance is 40 euros. Trips are booked by the office.", "Travel policy (superseded)")
NEW = _passage("The daily allowance is 55 euros. Trips are booked by the office.", "Travel policy")


@pytest.mark.parametrize(
    ("claim", "cites", "doubted"),
    [
        ("The daily allowance is 40 euros.", (1,), True),
        ("The daily allowance is 55 euros.", (2,), False),
        ("Trips are booked by the office.", (1,), False),
        ("The daily allowance was 40 euros previously.", (1,), False),
    ],
)
def test_a_superseded_source(claim: str, cites: tuple[int, ...], *, doubted: bool) -> None:
    assert _doubted(claim, OLD, NEW, cites=cites) is doubted


def test_a_superseded_source_alone_is_all_there_is() -> None:
    assert not _doubted("The daily allowance is 40 euros.", OLD)
    assert is_superseded(_passage("This policy has been superseded by the policy of 2025."))
    assert not is_superseded(_passage("The old bridge was replaced by a tunnel in 1990."))


@pytest.mark.parametrize(
    "text",
    [
        "## Open points\n- Budget for 2027\n- The architect of Hall B\n",
        "## 局限\n- 2027年的预算\n",
        "The documents do not state the budget for 2027.",
        "It remains open when Hall B opens.",
        "The answer rests on only one source.",
    ],
)
def test_absences_limits_and_open_points_claim_nothing(text: str) -> None:
    given = ClaimSources({1: (_passage("The park opened in 2019."),)}, {})
    checked = check_piece(text, given)
    assert checked
    assert {one.claim.verdict for one in checked} == {"uncited"}


def test_a_claim_under_another_heading_needs_a_source() -> None:
    given = ClaimSources({1: (_passage("The park opened in 2019."),)}, {})
    assert check_piece("## History\n- Opened in 1950\n", given)[-1].claim.verdict == "unsupported"
    assert check_piece("- Opened in 1950\n", given, "Open points")[-1].claim.verdict == "uncited"


def test_changes_and_times_are_typed() -> None:
    assert list(find_changes(Clause("It fell from 22 to 14 weeks."))) == list(find_changes(Clause("由22周降至14周")))
    assert [one.base for one in find_quantities("1 h 30 min, then 20 min")] == [5400.0, 1200.0]


def test_a_name_of_the_title_tells_where_the_values_own_sentence_names_another() -> None:
    firms = _passage("Acme was founded in 1990. Bolt was established in 1985.", "Acme")
    assert _doubted("Acme was established in 1985.", firms)
    assert not _doubted("Bolt was established in 1985.", firms)
    alone = _passage("Acme makes lorries. It was founded in 1985 by Ann Lee. It moved in 1990.", "Acme")
    assert not _doubted("Acme was founded in 1985.", alone)


def test_a_sentence_that_goes_on_with_a_pronoun_names_no_other() -> None:
    text = "顾砚秋是画家。她于1889年4月17日出生在漱石镇，1956年9月2日在鹿汀市去世。\n顾砚秋的父亲顾伯衡是一名私塾先生，1911年11月3日病逝。"
    painter = _passage(text, "顾砚秋")
    assert not _doubted("顾砚秋 · 去世：1956年9月2日。", painter)
    assert not _doubted("顾砚秋 · 年龄：67岁，从1889年4月17日到1956年9月2日。", painter)
    firms = _passage("Acme makes lorries. It opened on 4 May 1985 in Oslo. Acme's mill opened on 2 June 1990.", "Acme")
    assert not _doubted("Acme opened on 4 May 1985.", firms)


@pytest.mark.parametrize(
    ("claim", "text", "holds"),
    [
        ("The upper tunnel was opened in May 1901.", "The lower tunnel was opened on 3 March 1900; the upper tunnel followed fourteen months later.", True),
        ("The upper tunnel was opened in June 1901.", "The lower tunnel was opened on 3 March 1900; the upper tunnel followed fourteen months later.", False),
        ("The upper tunnel was opened in January 1899.", "The lower tunnel was opened on 3 March 1900; the upper tunnel came fourteen months earlier.", True),
        ("The upper tunnel was opened in May 1901.", "The lower tunnel was opened on 3 March 1900, after work of fourteen months.", False),
        ("The mill was rebuilt in 1779.", "The mill burned down in 1776 and was rebuilt three years later.", True),
        ("书楼于1779年重建。", "书楼1776年毁于大火，三年后重建。", True),
        ("书楼于1780年重建。", "书楼1776年毁于大火，三年后重建。", False),
        ("The mill was rebuilt in 1910.", "The mill was built in 1900 and was rebuilt ten years later.", True),
        ("The mill was rebuilt in May 1910.", "The mill was built in 1900 and was rebuilt ten years later.", False),
        ("The mill was rebuilt in 1901.", "The mill was built on 3 March 1900 and was rebuilt fourteen months later.", True),
        ("The mill was rebuilt in 1902.", "The mill was built on 3 March 1900 and was rebuilt fourteen months later.", False),
        ("The mill burned down in 1898.", "The mill was rebuilt in March 1900; it burned down fourteen months earlier.", False),
        ("The mill burned down in 1899.", "The mill was rebuilt in March 1900; it burned down fourteen months earlier.", True),
    ],
)  # fmt: skip
def test_a_date_may_follow_from_another_and_the_time_between(claim: str, text: str, *, holds: bool) -> None:
    assert check_cited(claim, (1,), ClaimSources({1: (_passage(text),)}, {})).hard != holds


@pytest.mark.parametrize(
    "claim",
    [
        "In 1950 a bridge older than the mill of 1890 was replaced.",
        "The newer line opened in 2001, the older line in 1987.",
        "Whereas the Heron weighs 1.9 kg, the Pelican is heavier at 2.3 kg.",
        "Trains take 40 minutes, buses are slower at 55 minutes.",
        "Profit was more than $2 million in 2020 and less than $3 million in 2021.",
        "The pump costs $150 less than the $450 model.",
        "Alby is the oldest of them, founded in 1201; Bryn followed in 1302.",
        "长桥建于1890年，比建于1950年的新桥早。",
        "亩产130公斤，比上年少2.3公斤。",
    ],
)
def test_values_that_belong_to_neither_side_reverse_no_comparison(claim: str) -> None:
    assert list(find_reversed(claim, Grounds(()))) == []


@pytest.mark.parametrize(
    "claim",
    [
        "The mill, built in 1990, is older than the bridge of 1950.",
        "The Brill is shorter, at 289 km against 214 km.",
        "At 70 minutes trains are faster than buses, which take 55 minutes.",
        "Bolt was founded before Acme: in 1995, against 1990.",
        "长桥建于1960年，比建于1950年的新桥早。",
    ],
)
def test_the_own_values_of_a_comparison_reverse_it(claim: str) -> None:
    assert list(find_reversed(claim, Grounds(())))


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        (
            "The tower is taller than Big Ben (96 m) and the Eiffel Tower (330 m).",
            "The tower is taller than Big Ben (96 m) and the Eiffel Tower (330 m).",
        ),
        (
            "Orla is bigger than Norfield, at 30 km² against 20 km².",
            "Orla is bigger than Norfield, at 30 km² against 20 km².",
        ),
    ],
)
def test_two_things_that_one_is_compared_with_are_no_contrast(claim: str, source: str) -> None:
    assert not _doubted(claim, _passage(source))


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        (
            "The rent rose from 14 to 22 euros.",
            "The rent rose from 14 euros to 22 euros. The wait fell from 22 to 14 weeks.",
        ),
        ("The rent rose from 14 to 22 euros.", "The rent rose by 8 to 22 euros from 14. The wait fell from 22 to 14."),
        ("The rent went from 14 to 22 euros.", "The rent never fell from 22 to 14 euros, but rose from 14 to 22."),
        ("The rent did not rise from 22 to 14 euros.", "The rent fell from 22 to 14 euros."),
        (
            "Orla's rent rose from 14 to 22 euros.",
            "Orla's rent stood at 14 euros, then at 22 euros. Norfield's fell from 22 to 14 euros.",
        ),
    ],
)
def test_the_change_of_another_thing_reverses_nothing(claim: str, source: str) -> None:
    assert not list(find_contradiction(claim, collect_grounds([_passage(source)])))


@pytest.mark.parametrize(
    ("claim", "source", "doubted"),
    [
        ("The RMS Victory sank in 1902.", "HMS Victory sank in 1902.", True),
        ("HMS Victory sank in 1902.", "The Victory sank in 1902.", False),
        ("Ann Lee was the 5th mayor.", "Ann Lee was the fifth mayor.", False),
        ("Ann Lee was the 6th mayor.", "Ann Lee was the fifth mayor.", True),
        ("Ann Lee was the 5th mayor.", "Ann Lee, the mayor, opened the fifth bridge.", True),
        ("Ann Lee was the 5th elected mayor.", "Ann Lee was the fifth mayor, and elected.", False),
        ("The USS New York sank in 1902.", "The New York sank in 1902. HMS New Zealand sank in 1903.", False),
        ("The USS New York sank in 1902.", "HMS New York sank in 1902.", True),
        ("HMS Victory sank in 1902.", "The Victory sank in 1902. A US Victory stamp shows it.", False),
    ],
)
def test_an_abbreviation_before_a_name_and_an_ordinal(claim: str, source: str, *, doubted: bool) -> None:
    assert _doubted(claim, _passage(source)) is doubted
