"""Mailbox reader (.mbox): a document per message, with attachments, read in sequence."""

import io
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from typing import BinaryIO, Final

from weiwo.tools.corpus.formats import email_message
from weiwo.tools.corpus.formats.encodings import UnreadableError
from weiwo.tools.corpus.formats.parts import Part
from weiwo.tools.corpus.losses import Loss, count_places
from weiwo.tools.corpus.records import Passage

_MOST_MESSAGES: Final = 100_000
_LONGEST_MESSAGE: Final = 50_000_000
_LISTED: Final = 200


def read(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read the messages of a mailbox, a document each. The document of the mailbox itself lists the subjects.

    Raises:
        UnreadableError: The file holds no message.
    """
    subjects: list[str] = []
    bad: list[int] = []
    beyond = 0
    for number, data in enumerate(_split_messages(file), 1):
        if number > _MOST_MESSAGES:
            beyond += 1
            continue
        try:
            (part,) = email_message.read(io.BytesIO(data), f"{name}, message {number}")
        except Exception:  # noqa: BLE001 - parsers raise anything over a broken message; it is named, the others are read
            bad.append(number)
            continue
        subjects.append(part.title)
        place = f"message {number}"
        passages = [
            replace(passage, locator=f"{place}, {passage.locator}" if passage.locator else place, page=number)
            for passage in part.passages
        ]
        yield replace(part, passages=passages, key=place, sha256=sha256(data).hexdigest())
    if not subjects:
        if bad:
            raise UnreadableError(f"none of its messages can be read ({len(bad)}); export it again as mbox")
        raise UnreadableError("it contains no message, since no line begins with 'From '; export it again as mbox")
    losses = [*count_places("messages_unreadable", bad), *([Loss("messages_beyond_limit", beyond)] if beyond else [])]
    listed = "\n".join(f"- {subject}" for subject in subjects[:_LISTED])
    yield Part(name, [Passage(f"{name}: {len(subjects)} messages\n{listed}", (), "", 1, 1)], losses=losses)


def _split_messages(file: BinaryIO) -> Iterator[bytes]:
    """Yield the bytes of each message of a mailbox, without its `From ` line. Only one message is in memory at a time.

    A message begins at a `From ` line after an empty line or at the start. Overlong messages are cut.
    """
    held: list[bytes] = []
    size, blank, begun = 0, True, False
    for line in file:
        if blank and line.startswith(b"From "):
            if held:
                yield b"".join(held)
            held, size, begun = [], 0, True
        elif begun and size < _LONGEST_MESSAGE:
            held.append(line[1:] if line.startswith(b">From ") else line)
            size += len(line)
        blank = line in {b"\n", b"\r\n"}
    if held:
        yield b"".join(held)
