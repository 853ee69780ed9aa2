"""E-mail reader (RFC 5322): text, header fields as context, and attachments.

Each attachment is read by the reader of its own format.
"""

import io
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator, Mapping
from dataclasses import replace
from email import policy
from email.message import MIMEPart
from email.parser import BytesParser
from email.utils import parsedate_to_datetime
from typing import Any, BinaryIO, Final

from weiwo.text.chunking import chunk_sections
from weiwo.text.printable import one_line
from weiwo.tools.corpus.formats.encodings import UnreadableError, decode
from weiwo.tools.corpus.formats.html_document import parse_html
from weiwo.tools.corpus.formats.parts import Part, choose_title, clean_text, make_passages, require_passages
from weiwo.tools.corpus.formats.quoted_mail import split_quoted
from weiwo.tools.corpus.losses import Loss, count_places
from weiwo.tools.corpus.records import Passage

_CONTEXT: Final = {"sender": "From", "recipients": "To", "copied": "Cc", "sent": "Date"}
"""Header fields stored in the context of passages, by context key. The subject becomes the title."""
_NARROW_CHINESE: Final = re.compile(rb"(?i)=\?(?:gb2312|gbk)\?")
"""Declared GB2312 or GBK in an encoded header word. Programs write these names for text in GB18030."""
_MORE_WORDS: Final = 1.2
"""Factor by which the HTML part must have more words than the plain part to be used instead."""
_MOST_ATTACHED: Final = 50
_MOST_DEPTH: Final = 5


def read(file: BinaryIO, name: str, depth: int = 0) -> Iterator[Part]:
    """Read a message as a single part. Passages of attachments have the attachment's name as a heading.

    `depth` counts the messages around an attached message.

    Raises:
        UnreadableError: The file has no mail header, or the message is empty.
    """
    data = file.read()
    wide = data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) or b"\x00" in data[:2]
    data = decode(data).encode() if wide else _NARROW_CHINESE.sub(b"=?gb18030?", data)
    message = BytesParser(policy=policy.default).parsebytes(data)
    if not message.keys():
        raise UnreadableError("not an e-mail: it has no header")
    context = {name: text for name, field in _CONTEXT.items() if (text := one_line(read_field(message, field), 300))}
    body = _choose_body(message)
    found = list(_read_sections(_read_text(body), context))
    unread: list[str] = []
    losses: list[Loss] = []
    for number, attached in enumerate(_list_attachments(message)):
        inline = attached.get_content_disposition() != "attachment" and attached.get("Content-ID") is not None
        if attached is body or (inline and attached.get_content_maintype() == "image"):  # such as a logo
            continue
        title = _name_attachment(attached, number)
        part = _read_attached(attached, title, depth) if number < _MOST_ATTACHED else None
        if part is None:
            unread.append(title)
            continue
        losses += part.losses
        for passage in part.passages:
            place = f"attachment {title}, {passage.locator}" if passage.locator else f"attachment {title}"
            found.append(replace(passage, headings=(title, *passage.headings), locator=place))
    losses += count_places("attachments_not_read", unread)
    title = choose_title(read_field(message, "Subject")) or name
    if not found and context:  # a mail with a header only
        found = make_passages(chunk_sections("\n".join((title, *context.values())), ())[1], unit="")
    found = [replace(passage, context={**context, **passage.context}) for passage in found]
    return require_passages(Part(title, found, read_date(message), losses=losses))


def _read_sections(text: str, context: Mapping[str, str]) -> Iterator[Passage]:
    """Yield the passages of a message's own text and of quoted messages.

    Quoted passages carry the sender and date of the quoted message.
    """
    later = ", ".join(filter(None, (context.get("sender", ""), context.get("sent", ""))))
    for section in split_quoted(text):
        passages = make_passages(chunk_sections(section.text, ())[1], unit="")
        known = {"quoted": f"in a mail from {later}".strip(), "sender": section.sender, "sent": section.sent}
        yield from (
            replace(passage, context={**passage.context, **known}) if section.quoted else passage
            for passage in passages
        )


def _choose_body(message: MIMEPart) -> MIMEPart | None:
    """Return the plain part of a message, or the HTML part if clearly longer. None if there is neither.

    The plain part of some messages only refers to the HTML part.
    """
    plain, page = message.get_body(("plain",)), message.get_body(("html",))
    if plain is None or page is None:
        return plain if page is None else page
    more = len(_read_text(page).split()) > _MORE_WORDS * len(_read_text(plain).split()) + 5
    wide = len(_read_text(page)) > _MORE_WORDS * len(_read_text(plain)) + 20
    return page if more or wide else plain


def read_field(message: Any, field: str) -> str:
    """Return a header field, or an empty string if missing or unreadable."""
    try:
        return clean_text(str(message.get(field, ""))).strip()
    except (ValueError, LookupError, IndexError, AttributeError, TypeError):  # errors of the header parser
        return ""


def read_date(message: MIMEPart) -> str | None:
    """Return the ISO date of a message, or None if missing or malformed."""
    try:
        return parsedate_to_datetime(read_field(message, "Date")).date().isoformat()
    except (ValueError, TypeError, IndexError):
        return None


def _read_bytes(part: MIMEPart) -> bytes:
    content = part.get_payload(decode=True)
    return content if isinstance(content, bytes) else b""


def read_source(part: MIMEPart) -> str:
    """Return the text of a part in the stated encoding, if valid, else in a detected encoding."""
    data = _read_bytes(part)
    stated = part.get_content_charset() or "utf-8"
    try:
        return clean_text(data.decode("gb18030" if stated in {"gb2312", "gbk"} else stated))
    except (UnicodeDecodeError, LookupError):
        try:
            return clean_text(decode(data))
        except UnreadableError:
            return clean_text(data.decode("utf-8", "replace"))


def _read_text(part: MIMEPart | None) -> str:
    """Return the text of a part, without markup."""
    if part is None:
        return ""
    text = read_source(part)
    if part.get_content_subtype() != "html":
        flowed = part.get_param("format") == "flowed"
        return _join_flowed(text, delete=part.get_param("delsp") == "yes") if flowed else text
    return "\n\n".join(chunk.text for chunk in parse_html(text).body.cut_chunks()[1])


def _join_flowed(text: str, *, delete: bool) -> str:
    """Join the paragraphs of flowed text (RFC 3676).

    A line that ends in a blank continues in the next line of the same quotation depth.
    """
    lines: list[str] = []
    depth_before, open_line = 0, False
    for line in text.replace("\r\n", "\n").split("\n"):
        bare = line.lstrip(">")
        depth = len(line) - len(bare)
        bare = bare.removeprefix(" ")
        signature = bare == "-- "
        if open_line and depth == depth_before and not signature:
            lines[-1] += bare
        else:
            lines.append(f"{'>' * depth} {bare}" if depth else bare)
        depth_before, open_line = depth, bare.endswith(" ") and not signature
        if open_line and delete:
            lines[-1] = lines[-1][:-1]
    return "\n".join(line.rstrip() for line in lines)


def _list_attachments(message: MIMEPart) -> Iterator[MIMEPart]:
    """Yield the parts of a message that are not multipart, the body included.

    Of alternative forms of a text, only the best is yielded. An attached message is a single part.
    """
    if message.get_content_type() == "multipart/alternative":
        chosen = _choose_body(message)
        if chosen is not None:
            yield chosen
        return
    if not message.is_multipart() or message.get_content_type() == "message/rfc822":
        yield message
        return
    for part in message.iter_parts():
        if isinstance(part, MIMEPart):
            yield from _list_attachments(part)


def _read_attached(part: MIMEPart, title: str, depth: int) -> Part | None:
    """Read an attachment with the reader of the attachment's format, or return None if unreadable."""
    from weiwo.tools.corpus.formats import find_format, load_reader  # noqa: PLC0415 - that lists this module

    if depth >= _MOST_DEPTH:
        return None
    if part.get_content_maintype() == "text" and part.get_filename() is None:
        chunks = chunk_sections(_read_text(part), ())[1]
        return Part(title, make_passages(chunks, unit=""))
    kind = find_format(title)
    try:
        if part.get_content_type() == "message/rfc822":
            inner: Any = part.get_payload()
            data = b"".join(item.as_bytes() for item in inner) if isinstance(inner, list) else b""
            parts = list(read(io.BytesIO(data), title, depth + 1))
        elif kind is None:
            return None
        else:
            parts = list(load_reader(kind)(io.BytesIO(_read_bytes(part)), title))
    except Exception:  # noqa: BLE001 - parsers raise anything over a broken file; it is named, the message is read
        return None
    passages = [passage for item in parts for passage in item.passages]
    return Part(title, passages, losses=[loss for item in parts for loss in item.losses])


def _name_attachment(part: MIMEPart, number: int) -> str:
    inner = part.get_payload() if part.get_content_type() == "message/rfc822" else None
    subjects = [read_field(item, "Subject") for item in inner] if isinstance(inner, list) else []
    return choose_title(part.get_filename(), *subjects) or f"{part.get_content_type()} {number + 1}"
