"""Passages of several calls and places, kept once each."""

from tests.support.states import passage
from weiwo.nodes.executor.evidence_merging import _MOST_ALSO, merge_passages
from weiwo.state import Evidence

STORY = (
    "The Cinder Tower in Aldport was closed on Tuesday after a fire broke out on the third floor, officials said. "
    "Nobody was hurt. The tower, built in 1931, draws 400,000 visitors a year."
)
COPY = f"LONDON (Reuters) - {STORY}"
ZH = "东州清河大桥3日正式通车。大桥全长630米，总投资2.5亿元，历时三年建成。大桥通车后，江城到南浦只需二十分钟。"


def texts(passages: list[Evidence]) -> list[str]:
    return [one.text for one in passages]


def test_new_ones_come_first_and_each_stands_once() -> None:
    a, b, c = (passage(f"Text {name} on its own.", f"{name}.md") for name in "abc")
    assert texts(merge_passages([a, b], [c, b])) == [c.text, b.text, a.text]
    assert merge_passages([], []) == []


def test_one_text_found_again_keeps_the_best_of_both() -> None:
    old = passage(STORY, "https://a.org/1", rank=4, score=0.2, task_ids=("t",))
    new = passage(STORY, "https://b.org/1", rank=2, score=0.1, task_ids=("u",), flags=("instructions",))
    (one,) = merge_passages([old], [new])
    assert (one.rank, one.score, set(one.task_ids), one.flags) == (2, 0.2, {"t", "u"}, ("instructions",))
    assert {one.source, *one.also} == {"https://a.org/1", "https://b.org/1"}


def test_a_syndicated_story_is_one_passage_with_several_addresses() -> None:
    found = [passage(STORY, "https://a.org/1"), passage(COPY, "https://b.org/2"), passage("Quite another text here.")]
    one, other = merge_passages([], found)
    assert one.also == ("https://b.org/2",)
    assert other.also == ()
    (chinese,) = merge_passages(
        [], [passage(ZH, "https://a.cn/1"), passage(f"新华社江城3日电（记者李明）{ZH}", "https://b.cn/1")]
    )
    assert chinese.also == ("https://b.cn/1",)


def test_what_is_known_keeps_its_identity_unless_more_is_said() -> None:
    old = passage(STORY, "https://a.org/1")
    (one,) = merge_passages([old], [passage(COPY, "https://b.org/2")])
    assert one.id == old.id
    assert one.also == ("https://b.org/2",)
    fuller = passage(
        f"{STORY} It will open again in May. A second fire, in 1950, had destroyed the roof.", "https://c.org/"
    )
    (one,) = merge_passages([old], [fuller])
    assert one.id == fuller.id
    assert merge_passages([one], [old])[0].id == fuller.id


def test_a_snippet_gives_way_to_its_page_but_not_to_another() -> None:
    rest = " ".join(f"Sentence {n} tells of something else, number {n * 7}." for n in range(30))
    snippet = passage(STORY, "https://www.a.org/1?utm_source=x")
    whole = passage(f"{STORY} {rest}", "https://a.org/1")
    (one,) = merge_passages([snippet], [whole])
    assert one.id == whole.id
    assert one.also == ()  # another link to the same page is no other address
    elsewhere = passage(f"{STORY} {rest}", "https://b.org/1")
    assert len(merge_passages([snippet], [elsewhere])) == 2


def test_two_parts_of_one_page_stay_two() -> None:
    parts = [
        passage(f"Part {n} speaks of the year {1900 + n} and of nothing else.", "https://a.org/1") for n in range(5)
    ]
    assert len(merge_passages(parts[:2], parts[2:])) == 5


def test_another_number_date_or_name_is_another_passage() -> None:
    for one, other in (
        ("400,000", "500,000"),
        ("1931", "1932"),
        ("Aldport", "Brenn"),
        ("was closed", "was not closed"),
    ):
        assert len(merge_passages([], [passage(STORY, "a"), passage(STORY.replace(one, other), "b")])) == 2
    for one, other in (("630", "650"), ("江城", "海城"), ("三年", "四年"), ("正式通车", "没有正式通车")):
        assert len(merge_passages([], [passage(ZH, "a"), passage(ZH.replace(one, other), "b")])) == 2


def test_addresses_are_bounded_and_each_page_is_told_once() -> None:
    many = [passage(f"{STORY}{' ' * n}", f"https://s{n}.org/") for n in range(40)]
    (one,) = merge_passages([], many)
    assert len(one.also) == _MOST_ALSO
    twice = [passage(STORY, "https://a.org/"), passage(COPY, "https://b.org/x"), passage(STORY, "http://www.b.org/x/")]
    assert merge_passages([], twice)[0].also == ("https://b.org/x",)


def test_merging_again_changes_nothing() -> None:
    found = [passage(STORY, "https://a.org/1"), passage(COPY, "https://b.org/2"), passage(ZH, "https://a.cn/1")]
    once = merge_passages([], found)
    assert merge_passages(once, []) == once
    assert {one.id for one in merge_passages(once, found)} == {one.id for one in once}
