"""Which thing a source gives a value of, where the title of the source names the thing."""

import pytest

from tests.support.claims import check_claims
from weiwo.state import Evidence, passage_id

MEASURED = [
    ("The height of the Blue Tower is 330 metres.", "Blue Tower", "The Blue Tower is 330 metres tall. Its antenna is 20 metres high."),
    ("The height of the Old Mast is 95 metres.", "Old Mast", "The Old Mast is 95 metres tall. Its platform is 12 metres high."),
    ("Grey Lighthouse – height: 41 metres.", "Grey Lighthouse", "The Grey Lighthouse rises 41 metres. Its lantern room is 6 metres in height."),
    ("The height of Falcon Spire is 212 m.", "Falcon Spire", "Falcon Spire stands 212 m. Visitors reach a deck, the highest of them 170 m above the ground."),
    ("The elevation of Mount Tolva is 3,120 metres.", "Mount Tolva", "Mount Tolva is 3,120 metres high. Its hut has an elevation of 2,040 metres."),
    ("The length of the Orlo Wall is 64 kilometres.", "Orlo Wall", "The Orlo Wall stretches 64 kilometres. Its eastern arm is 9 kilometres in length."),
    ("The weight of the Great Bell is 1,900 kg.", "Great Bell", "The Great Bell has a mass of 1,900 kg. Its clapper has a weight of 80 kg."),
    ("The mass of the Tarn Stone is 540 kg.", "Tarn Stone", "The Tarn Stone weighs 540 kg. Its base has a mass of 120 kg."),
    ("The area of Lake Perrin is 58 km².", "Lake Perrin", "Lake Perrin covers 58 km². Its largest island has an area of 3 km²."),
    ("蓝塔的高度是330米。", "蓝塔", "蓝塔高330米。天线的高度是20米。"),
    ("云顶山的海拔是2150米。", "云顶山", "云顶山高2150米。山腰的寺庙海拔是900米。"),
    ("永宁桥的长度是1200米。", "永宁桥", "永宁桥全长1200米。引桥的长度是300米。"),
    ("镇海钟的重量是46吨。", "镇海钟", "镇海钟重46吨。钟架的重量是8吨。"),
]  # fmt: skip
"""A measure under one word, its passage where the same is said by another, and a part that has the first."""


def verdict(claim: str, title: str, text: str) -> str:
    passage = Evidence(id=passage_id(text), text=text, source="a.md", title=title)
    (found,) = check_claims(f"{claim} [1]", {1: [passage]}, language="zh" if claim > "\u3000" else "en")
    return found.verdict


@pytest.mark.parametrize(("claim", "title", "text"), MEASURED)
@pytest.mark.parametrize("titled", [True, False])
def test_a_measure_may_be_told_by_another_word_for_it(claim, title, text, titled):
    assert verdict(claim, title if titled else "", text) == "matched"


@pytest.mark.parametrize(
    ("claim", "title", "text"),
    [
        ("The antenna is 330 metres high.", "Blue Tower", "The Blue Tower is 330 metres tall. Its antenna is 20 metres high."),
        ("The width of the Blue Tower is 330 metres.", "Blue Tower", "The Blue Tower is 330 metres tall. Its width is 20 metres."),
        ("The berth fee is 900 euros.", "Harbour", "The price of a berth is 900 euros. The berth fee is 50 euros."),
        ("天线的高度是330米。", "蓝塔", "蓝塔高330米。天线的高度是20米。"),
    ],
)  # fmt: skip
def test_a_measure_of_a_part_or_of_another_kind_is_not_that_of_the_whole(claim, title, text):
    assert verdict(claim, title, text) == "contradicted"
