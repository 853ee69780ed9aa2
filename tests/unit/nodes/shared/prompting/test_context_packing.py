"""Passages chosen for a prompt: never more than there is room for, the relevant ones, unlike each other, uncut sentences."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.examples import examples
from tests.support.states import passage
from weiwo.models.context_windows import text_tokens
from weiwo.nodes.shared.prompting.context_packing import (
    _GAP,
    _LARGEST_SHARE,
    PackedPassages,
    _shorten_passage,
    pack_passages,
)
from weiwo.nodes.shared.prompting.passage_prompt import format_passages
from weiwo.state import Evidence
from weiwo.text.language import sentences

WORDS = (
    "river",
    "house",
    "treaty",
    "copper",
    "winter",
    "garden",
    "senate",
    "engine",
    "poem",
    "bridge",
    "war",
    "letter",
)


def noise(seed: int, count: int = 60) -> str:
    chance = random.Random(seed)  # noqa: S311 - it makes words
    return " ".join(f"The {chance.choice(WORDS)} of {chance.choice(WORDS)} {n} stood." for n in range(count // 6))


def many(count: int, sources: int = 7) -> list[Evidence]:
    return [passage(f"{noise(n)} Number {n}.", f"https://s.example/{n % sources}", "Notes") for n in range(count)]


def used(fitted: PackedPassages) -> int:
    return text_tokens(format_passages(fitted.shown))


def test_all_are_shown_as_given_where_there_is_room() -> None:
    given_ = many(30)
    fitted = pack_passages(given_, "anything", 1_000_000, text_tokens)
    assert fitted == PackedPassages(tuple(given_))


@pytest.mark.parametrize("room", [0, 50, 300, 1_000, 6_000, 20_000])
def test_the_room_is_kept_and_used(room: int) -> None:
    given_ = many(200)
    fitted = pack_passages(given_, "the copper treaty", room, text_tokens)
    assert used(fitted) <= max(room, 0)
    assert fitted.left_out == len(given_) - len(fitted.shown)
    if 1_000 <= room <= 6_000:
        assert used(fitted) >= 0.85 * room
    order = [passage.id for passage in given_]
    assert [order.index(passage.id) for passage in fitted.shown] == sorted(
        order.index(passage.id) for passage in fitted.shown
    )


@pytest.mark.parametrize("query", ["When was Ada Lovelace born?", "阿达·洛夫莱斯生于哪一年？"])
def test_what_the_task_asks_about_is_among_the_shown(query: str) -> None:
    wanted = [
        passage("Ada Lovelace was born in London in 1815.", "https://far.example", rank=90),
        passage("阿达·洛夫莱斯生于1815年，是数学家。", "https://weit.example", rank=90),
    ]
    fitted = pack_passages([*many(300), *wanted], query, 1_500, text_tokens)
    assert wanted["阿" in query] in fitted.shown
    assert fitted.left_out > 200


def test_one_page_does_not_push_out_the_others() -> None:
    page = [passage(f"Ada Lovelace was born in 1815. {noise(n)}", "https://one.example") for n in range(60)]
    others = [passage(f"Ada Lovelace lived here. {noise(n + 100)}", f"https://{n}.example") for n in range(6)]
    fitted = pack_passages([*page, *others], "When was Ada Lovelace born?", 1_500, text_tokens)
    assert len({shown.source for shown in fitted.shown}) >= 4


def test_what_is_held_is_shown_before_anything_else_with_its_words() -> None:
    carrying = passage(f"{noise(1, 600)} The answer is Zanzibar. {noise(2, 600)}", "https://dull.example", rank=99)
    tempting = [passage(f"Ada Lovelace {noise(n)}", f"https://{n}.example") for n in range(50)]
    words = {carrying.id: ["The answer is Zanzibar."]}
    fitted = pack_passages([*tempting, carrying], "Ada Lovelace", 400, text_tokens, held=words)
    assert carrying.id in {shown.id for shown in fitted.shown}
    (part,) = (shown for shown in fitted.shown if shown.id == carrying.id)
    assert "The answer is Zanzibar." in part.text
    assert fitted.cut >= 1


def test_what_is_held_shares_the_room_where_it_is_too_long() -> None:
    held = [
        passage(f"{noise(n, 300)} Mark {n} is here. {noise(n + 50, 300)}", f"https://{n}.example") for n in range(8)
    ]
    words = {one.id: [f"Mark {n} is here."] for n, one in enumerate(held)}
    fitted = pack_passages([*many(40), *held], "copper", 1_600, text_tokens, held=words)
    shown = {one.id: one.text for one in fitted.shown}
    for n, one in enumerate(held):
        assert f"Mark {n} is here." in shown[one.id]
    assert used(fitted) <= 1_600


@pytest.mark.parametrize(
    ("text", "query", "wanted"),
    [
        (f"{noise(3, 900)} Ada Lovelace was born in 1815. {noise(4, 900)}", "When was Ada Lovelace born?", "1815"),
        ("河水很宽。" * 300 + "阿达生于1815年。" + "山很高。" * 300, "阿达生于哪一年？", "1815"),
    ],
)
def test_of_a_long_passage_whole_sentences_are_shown(text: str, query: str, wanted: str) -> None:
    long = passage(text)
    part = _shorten_passage(long, query, 400, text_tokens)
    assert part is not None
    assert part.id == long.id
    body = part.text.removeprefix(_GAP).removesuffix(_GAP).strip()
    assert body in text
    assert wanted in body
    starts, ends = {start for start, _ in sentences(text)}, {end for _, end in sentences(text)}
    assert text.index(body) in starts
    assert text.index(body) + len(body) in ends
    assert text_tokens(format_passages([part])) <= 400


def test_a_sentence_longer_than_the_room_is_cut_at_a_clause() -> None:
    part = _shorten_passage(passage("甲乙丙丁戊己庚辛，" * 400), "甲", 300, text_tokens)
    assert part is not None
    assert part.text.removesuffix(f" {_GAP}").endswith("，")


def test_one_passage_takes_a_share_only() -> None:
    long = passage(noise(1, 6_000), "https://long.example")
    fitted = pack_passages([long, *many(50)], "treaty", 2_000, text_tokens)
    (part,) = (shown for shown in fitted.shown if shown.id == long.id)
    assert text_tokens(part.text) <= 2_000 / _LARGEST_SHARE
    assert len(fitted.shown) > _LARGEST_SHARE


def test_of_ten_thousand_only_what_is_tried_is_counted() -> None:
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return text_tokens(text)

    given_ = many(10_000)
    fitted = pack_passages(given_, "the copper treaty of winter", 5_000, count)
    assert fitted.left_out > 9_000
    assert len(counted) < 1_000


@examples(60)
@given(
    st.lists(st.text(max_size=300), max_size=12),
    st.text(max_size=40),
    st.integers(min_value=-10, max_value=600),
)
def test_whatever_comes_fits(texts: list[str], query: str, room: int) -> None:
    given_ = [passage(text, f"s{n % 3}") for n, text in enumerate(texts)]
    fitted = pack_passages(given_, query, room, text_tokens)
    assert used(fitted) <= max(0, room)
    assert len(fitted.shown) + fitted.left_out == len(given_)
