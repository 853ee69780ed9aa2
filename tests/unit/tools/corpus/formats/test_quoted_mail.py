"""What a mail quotes of earlier ones: told apart, under the sender and date of these."""

import io

import pytest

from weiwo.nodes.shared.question.parser import parse_question
from weiwo.nodes.writer.extracts import choose_extracts
from weiwo.state import Evidence, passage_id
from weiwo.tools.corpus.formats.email_message import read
from weiwo.tools.corpus.formats.quoted_mail import split_quoted

REPLY = "The bus leaves at 06:40 now.\n\nOn 3 May 2024, Ann Lee <ann@firm.example> wrote:\n> The bus leaves at 07:15.\n> See you.\n\nBest, Tom"
OUTLOOK = "Moved to room 9.\n\n-----Original Message-----\nFrom: Ann Lee\nSent: Friday, 3 May 2024\nTo: Tom\nSubject: Room\n\nWe meet in room 4."
CHINESE = "改为六点四十。\n\n在2024年5月3日，李安 <an@firm.example> 写道：\n> 班车七点十五分发车。"


@pytest.mark.parametrize(
    ("text", "own", "quoted", "sender", "sent"),
    [
        (REPLY, ["The bus leaves at 06:40 now.", "Best, Tom"], "> The bus leaves at 07:15.\n> See you.", "Ann Lee", "3 May 2024"),
        (OUTLOOK, ["Moved to room 9."], "We meet in room 4.", "Ann Lee", "Friday, 3 May 2024"),
        (CHINESE, ["改为六点四十。"], "> 班车七点十五分发车。", "李安", "2024年5月3日"),
    ],
)  # fmt: skip
def test_quoted_text_is_told_apart(text: str, own: list[str], quoted: str, sender: str, sent: str) -> None:
    sections = split_quoted(text)
    assert [one.text for one in sections if not one.quoted] == own
    assert [(one.text, one.sender, one.sent) for one in sections if one.quoted] == [(quoted, sender, sent)]


@pytest.mark.parametrize("text", ["", "One line.", "From: the top of the hill one sees far.\n\nYes.", "5 > 3 holds."])
def test_a_message_that_quotes_nothing_is_its_own(text: str) -> None:
    assert [one.text for one in split_quoted(text)] == ([text] if text else [])


def test_its_passages_know_whose_they_are_and_come_last() -> None:
    mail = f"From: Tom Roe <tom@firm.example>\nDate: Mon, 6 May 2024 09:00:00 +0000\nSubject: Bus\n\n{REPLY}\n"
    (part,) = read(io.BytesIO(mail.encode()), "bus.eml")
    old = next(one for one in part.passages if "07:15" in one.text)
    new = next(one for one in part.passages if "06:40" in one.text)
    assert (old.context["sender"], old.context["sent"]) == ("Ann Lee", "3 May 2024")
    assert "Tom Roe" in old.context["quoted"]
    assert "quoted" not in new.context
    found = [
        Evidence(
            id=passage_id(one.text), text=one.text, source="bus.eml", title="Bus", rank=n, context=dict(one.context)
        )
        for n, one in enumerate((old, new), 1)
    ]
    assert "06:40" in choose_extracts(parse_question("When does the bus leave?", "en"), found).items[0].text
