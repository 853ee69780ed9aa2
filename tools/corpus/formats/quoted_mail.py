"""Quoted text in mail: finds earlier messages repeated in a message, with sender and date."""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from weiwo.text.printable import one_line

_ATTRIBUTION: Final = re.compile(
    r"(?i)^\s{0,8}(?:on (?P<date>[^\n]{6,80}?)[,;] (?P<who>[^\n<]{2,80}?)\s?(?:<[^<>\n]{3,120}>\s?)?wrote:"
    r"|am (?P<date_de>[^\n]{6,60}?) schrieb (?P<who_de>[^\n<]{2,80}?)\s?(?:<[^<>\n]{3,120}>)?:"
    r"|le (?P<date_fr>[^\n]{6,60}?), (?P<who_fr>[^\n<]{2,80}?)\s?(?:<[^<>\n]{3,120}>)? a écrit\s?:"
    r"|在?(?P<date_zh>[^\n]{6,40}?)[,，]\s?(?P<who_zh>[^\n<，]{2,40}?)\s?(?:<[^<>\n]{3,120}>)?\s?写道[:：])\s*$"
)
_SEPARATOR: Final = re.compile(
    r"(?i)^\s{0,8}-{2,}\s?(?:original message|forwarded message|原始邮件|转发邮件)\s?-{2,}\s*$"
)
_HEAD: Final = re.compile(
    r"(?i)^\s{0,8}\*?(?P<name>from|sent|date|von|gesendet|de|envoyé|发件人|发送时间|日期)\*?\s?[:：]\s?(?P<said>.{1,200})$"
)
_SENDERS: Final = frozenset({"from", "von", "de", "发件人"})
_MOST_HEAD: Final = 6
"""Maximum number of lines of the header of a quoted message."""


class MailSection(NamedTuple):
    """A section of a message's text: new, or quoted from an earlier message.

    Attributes:
        text: The text as written.
        quoted: Whether the text is quoted.
        sender: Author of the quoted text. Empty if not stated.
        sent: Date of the quoted text, as written in the message. Empty if not stated.
    """

    text: str
    quoted: bool = False
    sender: str = ""
    sent: str = ""


def split_quoted(text: str) -> list[MailSection]:
    """Split the text of a message into new and quoted sections, in order.

    A message "Yes." followed by "On 3 May 2024, Ann Lee wrote:" and "> Is it?" gives "Yes." and, quoted from Ann Lee,
    "> Is it?". Lines that begin with ">" are quoted. Everything behind the head of an earlier message is quoted, too,
    and everything behind a line of that form if no ">" follows.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    sections: list[MailSection] = []
    own: list[str] = []
    at = 0
    while at < len(lines):
        sender, sent, behind = _read_head(lines, at)
        start = behind
        while start < len(lines) and not lines[start].strip():
            start += 1
        marked = start < len(lines) and lines[start].lstrip().startswith(">")
        if behind == at and not marked:
            own.append(lines[at])
            at += 1
            continue
        end = start
        while end < len(lines) and (not marked or not lines[end].strip() or lines[end].lstrip().startswith(">")):
            end += 1
        said = "\n".join(lines[start:end])
        sections += [*_section(own), MailSection(said.strip(), quoted=True, sender=sender, sent=sent)]
        own, at = [], max(end, at + 1)
    return [section for section in (*sections, *_section(own)) if section.text]


def _section(lines: Sequence[str]) -> Iterator[MailSection]:
    text = "\n".join(lines).strip()
    if text:
        yield MailSection(text)


def _read_head(lines: Sequence[str], at: int) -> tuple[str, str, int]:
    """Return sender and date stated by the header of a quoted message at line `at`, and the number of the line after.

    If no header begins there, sender and date are empty, and the number is `at`.
    """
    for size in (1, 2):  # mail programs break a long line in two
        if found := _ATTRIBUTION.match(" ".join(line.strip() for line in lines[at : at + size])[:400]):
            who, when = (
                next((said for name, said in found.groupdict().items() if said and name.startswith(key)), "")
                for key in ("who", "date")
            )
            return one_line(who, 100), one_line(when, 100), at + size
    separated = bool(_SEPARATOR.match(lines[at][:200]))
    first = at + separated
    end, told = first, dict[str, str]()
    while end < min(len(lines), first + _MOST_HEAD) and (head := _HEAD.match(lines[end][:300])):
        told.setdefault("who" if head["name"].lower() in _SENDERS else "when", one_line(head["said"], 100))
        end += 1
        while end < min(len(lines), first + _MOST_HEAD) and re.match(
            r"(?i)\s{0,8}(?:to|cc|subject|an|betreff|收件人|抄送|主题)\s?[:：]", lines[end]
        ):
            end += 1
    if {"who", "when"} <= told.keys() or separated:
        return told.get("who", ""), told.get("when", ""), max(end, first)
    return "", "", at
