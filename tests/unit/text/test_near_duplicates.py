"""Texts that are one text, and texts that only look like it: what is merged, what is kept apart, and how surely.

The sets are made here: stories as agencies print them and their subscribers change them, and passages that one template
fills in.
"""

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weiwo.text import near_duplicates as near
from weiwo.text.near_duplicates import Known, Told, is_copy

TOWNS = ("Aldport", "Brenn", "Cole", "Dunmar", "Eastmoor", "Farrow", "Gallin", "Hode")
PEOPLE = ("Ada Brede", "Ida Holm", "Nils Lund", "Poul Harrow", "Grete Quill", "Sven Aker", "Otto Brandt", "Lena Ek")
TOWNS_ZH = ("江城", "海城", "南浦", "北湾", "东州", "云岭", "石桥", "清河")
PEOPLE_ZH = ("林岚", "陆明", "陈远山", "苏启", "梁启明", "陶然", "王小白", "李文")


def _random(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - for making texts


def story(n: int) -> list[str]:
    """A news story, sentence by sentence."""
    draw = _random(n)
    town, who, other = draw.choice(TOWNS), draw.choice(PEOPLE), draw.choice(PEOPLE)
    return [
        (
            f"The {draw.choice(['harbour', 'bridge', 'museum', 'library'])} of {town} was closed on Tuesday after a fire broke "
            f"out on the {draw.choice(['third', 'second', 'ground'])} floor, officials said."
        ),
        f"About {draw.randint(20, 900)} people had to leave the building within {draw.randint(5, 50)} minutes.",
        f"{who}, who leads the fire brigade, said that the cause was not yet known.",
        f"Repairs are expected to cost {draw.randint(2, 90)} million crowns and to last until {draw.randint(2027, 2040)}.",
        f"{other} of the town council promised that the collection would be shown elsewhere in the meantime.",
    ]


def story_zh(n: int) -> list[str]:
    draw = _random(n)
    town, who, other = draw.choice(TOWNS_ZH), draw.choice(PEOPLE_ZH), draw.choice(PEOPLE_ZH)
    return [
        f"{town}{draw.choice(['大桥', '博物馆', '图书馆', '码头'])}周二因{draw.choice(['三', '二', '一'])}楼失火而关闭。",
        f"约{draw.randint(20, 900)}人在{draw.randint(5, 50)}分钟内撤离大楼，没有人员伤亡。",
        f"消防队长{who}表示，起火原因尚待调查。",
        f"预计修缮费用为{draw.randint(2, 90)}百万元，工期持续到{draw.randint(2027, 2040)}年。",
        f"市议员{other}承诺，在此期间馆藏将在别处展出。",
    ]


def printed(sentences: list[str], n: int, *, chinese: bool) -> str:
    """A story as another paper prints it: a byline, an agency, a sentence less, other punctuation."""
    draw = _random(1000 + n)
    kept = list(sentences)
    if draw.random() < 0.6:
        kept.pop(draw.randrange(1, len(kept)))
    gap = "" if chinese else " "
    text = gap.join(kept)
    if chinese:
        head = draw.choice(
            ["新华社东州3月5日电（记者王芳）", "中新网3月5日电 ", "本报讯（记者 李明）", "据路透社报道：", ""]
        )
        tail = draw.choice(["（责任编辑：张伟）", ""])
        return head + text.replace("，", draw.choice("，,")) + tail
    head = draw.choice(["By Jane Roe\n", "LONDON (Reuters) - ", "ALDPORT, March 5 (AP) — ", "Reuters – ", ""])
    tail = draw.choice([" (Reporting by Jane Roe; Editing by John Doe)", " - AFP", ""])
    return head + text.replace("officials said", draw.choice(["officials said", "officials told reporters"])) + tail


def life(n: int, *, chinese: bool) -> str:
    """A passage that a template makes of one of many people: long, and alike but for its particulars."""
    draw = _random(5000 + n)
    born, died = draw.randint(1700, 1850), draw.randint(1860, 1930)
    if chinese:
        return (
            f"{PEOPLE_ZH[n % 8]}于{born}年{draw.randint(1, 12)}月{draw.randint(1, 28)}日出生在{TOWNS_ZH[n // 8 % 8]}的一个商人家庭，"
            f"早年在家乡的学校读书，后来成为一名工程师，参与修建了多座桥梁和港口，并写有数部关于水利的著作，{died}年在家中去世，葬于城外的公墓。"
        )
    return (
        f"{PEOPLE[n % 8]} was born on {draw.randint(1, 28)} May {born} in {TOWNS[n // 8 % 8]} into a family of merchants, went "
        f"to school in the same town, became an engineer, took part in building several bridges and harbours, wrote books "
        f"about the regulation of rivers, and died at home in {died}, to be buried in the cemetery outside the walls."
    )


COUNT = 60


def pairs() -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Pairs that are one text, and pairs that are two of the same subject or make."""
    one, two = [], []
    for n in range(COUNT):
        for make, chinese in ((story, False), (story_zh, True)):
            told = make(n)
            gap = "" if chinese else " "
            one.append((gap.join(told), printed(told, n, chinese=chinese)))
            two.append((gap.join(told), gap.join(make(n + 500))))
            two.append((life(n, chinese=chinese), life(n + 1, chinese=chinese)))
            changed = list(told)  # one figure of a story is another: a correction, or another day
            changed[1] = changed[1].replace(
                changed[1].split("人")[0] if chinese else changed[1].split(" ")[1], "约1234" if chinese else "1234"
            )
            two.append((gap.join(told), gap.join(changed)))
    return one, two


def test_precision_and_recall() -> None:
    one, two = pairs()
    told = {text: Told.of(text) for pair in (*one, *two) for text in pair}
    found, false = (sum(told[a].resembles(told[b], near._ALIKE) for a, b in of) for of in (one, two))
    assert found >= 0.95 * len(one)
    assert false == 0


@pytest.mark.parametrize("chinese", [False, True])
def test_an_index_finds_them_all_and_nothing_else(*, chinese: bool) -> None:
    make, gap = (story_zh, "") if chinese else (story, " ")
    texts = [gap.join(make(n)) for n in range(COUNT)]
    known, firsts = Known(), {}
    for text in (*texts, *(life(n, chinese=chinese) for n in range(COUNT))):
        assert known.find(Told.of(text)) is None
        known.add(Told.of(text))
        firsts[text] = len(firsts)
    copies = [(text, printed(make(n), n, chinese=chinese)) for n, text in enumerate(texts)]
    found = [known.find(Told.of(copy)) == firsts[text] for text, copy in copies]
    assert sum(found) >= 0.95 * len(found)


def test_it_grows_with_the_number_of_texts_only() -> None:
    """Texts that share a lead-in are compared with a few others each, not with all."""
    known, compared = Known(), itertools.count()
    lead = "This page is part of the archive of the town of Aldport and may be quoted with its source. "

    class Counting(Told):
        def resembles(self, other: Told, least: float = near._ALIKE) -> bool:
            next(compared)
            return super().resembles(other, least)

    for n in range(400):
        told = Counting.of(lead + life(n, chinese=False) + f" Entry {n}.")
        known.find(told)
        known.add(told)
    assert next(compared) <= 400 * 8


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ada was born on 3 May 1900 in Brenn.", "Ida was born on 4 May 1901 in Brenn."),
        (life(3, chinese=False), life(3, chinese=False).replace("May", "June")),
        (" ".join(story(1)), " ".join(story(1)).replace("was closed", "was not closed")),
        (" ".join(story(1)), " ".join(story(1)).replace("million", "thousand")),
        ("".join(story_zh(1)), "".join(story_zh(1)).replace("没有人员", "有人员")),
        ("".join(story_zh(1)), "".join(story_zh(1)).replace("尚待", "不待")),
        ("It cost $5.", "It cost €5."),
        ("It was -5 degrees.", "It was 5 degrees."),
        ("!!!", "???"),
    ],
)
def test_what_says_something_else_is_another_text(one: str, other: str) -> None:
    assert not Told.of(one).resembles(Told.of(other))
    assert not Told.of(other).resembles(Told.of(one))


def test_spelling_script_case_and_punctuation_do_not_count() -> None:
    assert Told.of("Café  Müller, OPENED in 1978!").resembles(Told.of("cafe muller opened in 1978"))
    assert Told.of("臺灣的鐵路全長１，０００公里。").resembles(Told.of("台湾的铁路全长1,000公里"))


def test_a_text_within_another_is_held_by_it() -> None:
    whole = " ".join((*story(1), *story(2)))
    assert Told.of(whole).holds(Told.of(" ".join(story(1)[1:4])))
    assert not Told.of(whole).holds(Told.of(" ".join(story(3)[1:4])))
    assert not Told.of(" ".join(story(1)[1:4])).holds(Told.of(whole))


def test_a_sentence_is_copied_only_if_it_is_long_enough() -> None:
    assert is_copy(story(1)[0], f"On the phone an official said: {story(1)[0]}")
    assert not is_copy("It is 330 metres tall.", "It is 330 metres tall.")


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_is_itself_and_likeness_goes_both_ways(one: str, other: str) -> None:
    a, b = Told.of(one), Told.of(other)
    assert a.resembles(a) == bool(a.words)
    assert a.resembles(b) == b.resembles(a)
    assert 0 <= a.likeness(b) <= 1
