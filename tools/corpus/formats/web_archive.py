"""Web archives (.mht, .mhtml): a page saved by a browser as a MIME message."""

from collections.abc import Iterator
from email import policy
from email.parser import BytesParser
from typing import BinaryIO

from weiwo.tools.corpus.formats.email_message import read_date, read_field, read_source
from weiwo.tools.corpus.formats.encodings import UnreadableError
from weiwo.tools.corpus.formats.html_document import parse_html
from weiwo.tools.corpus.formats.parts import Part, choose_title, find_date, make_passages, require_passages


def read(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read the page of an archive, followed by the pages of its frames, numbered from 2 in locators.

    Raises:
        UnreadableError: The archive holds no page.
    """
    message = BytesParser(policy=policy.default).parse(file)
    pages = [part for part in message.walk() if part.get_content_type() in {"text/html", "application/xhtml+xml"}]
    if not pages:
        raise UnreadableError("it contains no page")
    first = parse_html(read_source(pages[0]), by_block=True)
    title, chunks = first.body.cut_chunks()
    passages = make_passages(chunks, unit="paragraph")
    for number, page in enumerate(pages[1:], 2):
        chunks = parse_html(read_source(page), by_block=True).body.cut_chunks()[1]
        passages += make_passages(chunks, unit="paragraph", within=f"frame {number}")
    stated = choose_title(first.title, title, read_field(message, "Subject")) or name
    return require_passages(Part(stated, passages, find_date(first.date) or read_date(message)))
