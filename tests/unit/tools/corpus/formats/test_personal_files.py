"""Mailboxes, transcripts, calendars, contacts, translations, bibliographies, archives of pages, books and places."""

import asyncio
import io
import json
import mailbox
from email.message import EmailMessage

import icalendar
import pytest

from weiwo.tools.corpus.formats import Part, find_format, load_reader, sniff_format
from weiwo.tools.corpus.formats.encodings import UnreadableError
from weiwo.tools.corpus.index.writer import IndexWriter
from weiwo.tools.corpus.ingestion.file_walk import list_files
from weiwo.tools.corpus.ingestion.ingest import ingest_files


def parts(name: str, data: str | bytes) -> list[Part]:
    kind = find_format(name)
    assert kind is not None
    return list(load_reader(kind)(io.BytesIO(data.encode() if isinstance(data, str) else data), "Name"))


def part(name: str, data: str | bytes) -> Part:
    (one,) = parts(name, data)
    return one


def texts(one: Part) -> str:
    return "\n".join(passage.text for passage in one.passages)


def _message(subject: str, body: str, attached: str = "") -> EmailMessage:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "Ann <a@example.org>", "b@example.org", subject
    message["Date"] = "Fri, 01 Mar 2024 10:00:00 +0100"
    message.set_content(body)
    if attached:
        message.add_attachment(attached.encode(), maintype="text", subtype="csv", filename="fees.csv")
    return message


def test_a_mailbox_is_a_document_a_message_with_attachments(tmp_path):
    box = mailbox.mbox(tmp_path / "a.mbox")
    box.add(_message("Rent", "The rent is 900.\n\nFrom now on it is due on the 3rd."))
    box.add(_message("Fees", "See the table.", "name,fee\nlate,15\n"))
    box.close()
    found = parts("a.mbox", (tmp_path / "a.mbox").read_bytes())
    assert [one.title for one in found] == ["Rent", "Fees", "Name"]
    assert [one.key for one in found] == ["message 1", "message 2", ""]
    assert found[0].date == "2024-03-01"
    assert "From now on it is due" in texts(found[0])
    assert "late,15" in texts(found[1])
    assert found[1].passages[-1].locator.startswith("message 2, attachment fees.csv")
    assert "- Rent\n- Fees" in texts(found[2])
    with pytest.raises(UnreadableError, match="no message, since no line begins with 'From '; export it again as mbox"):
        parts("a.mbox", "nothing here\n")
    with pytest.raises(UnreadableError, match=r"none of its messages can be read \(2\); export it again as mbox"):
        parts("a.mbox", "From a\n \n\nFrom b\n \n")


def test_a_message_of_a_maildir_folder_is_mail():
    assert find_format("/x/Mail/cur/1709290000.M1P2.host:2,S") is find_format("a.eml")
    assert find_format("/x/other/1709290000.M1P2.host:2,S") is None


VTT = """WEBVTT - Weekly call

00:00:01.000 --> 00:00:04.000
<v Ann Lee>The budget for next year

00:00:04.000 --> 00:00:07.500
<v Ann Lee>is 4.2 million.

01:02:08.000 --> 01:02:10.000
<v Bo>And the deadline &amp; start?
"""
SRT = "1\n00:00:01,000 --> 00:00:04,000\n{\\an8}<i>JO: 我们的预算</i>\n\n2\n00:00:04,000 --> 00:00:05,000\n是四百万。\n"


def test_sentences_run_across_cues_and_are_cited_by_time_and_speaker():
    one = part("a.vtt", VTT)
    assert one.title == "Weekly call"
    assert texts(one) == "Ann Lee: The budget for next year is 4.2 million.\nBo: And the deadline & start?"
    assert one.passages[0].locator == "00:00:01-01:02:10, Ann Lee, Bo"
    assert "我们的预算是四百万。" in texts(part("a.srt", SRT))
    assert "-->" not in texts(part("a.srt", SRT))


def test_an_event_has_its_inclusive_last_day_and_its_time_zone():
    calendar = icalendar.Calendar()
    calendar.add("prodid", "-//test//")
    calendar.add("version", "2.0")
    from datetime import date, datetime  # noqa: PLC0415
    from zoneinfo import ZoneInfo  # noqa: PLC0415

    fair = icalendar.Event()
    fair.add("summary", "Trade fair")
    fair.add("dtstart", date(2024, 5, 1))
    fair.add("dtend", date(2024, 5, 4))
    fair.add("location", "Hall 3, Oslo")
    call = icalendar.Event()
    call.add("summary", "Review")
    call.add("dtstart", datetime(2024, 7, 1, 9, 30, tzinfo=ZoneInfo("Europe/Berlin")))
    call.add("dtend", datetime(2024, 7, 1, 10, 0, tzinfo=ZoneInfo("Europe/Berlin")))
    call.add("rrule", {"freq": "weekly"})
    call.add("attendee", "mailto:bo@example.org")
    for event in (fair, call):
        calendar.add_component(event)
    one = part("a.ics", calendar.to_ical())
    assert one.passages[0].text == "Trade fair\nWhen: 2024-05-01 to 2024-05-03\nWhere: Hall 3, Oslo"
    assert "When: 2024-07-01 09:30-10:00 (Europe/Berlin, UTC+02:00)" in one.passages[1].text
    assert "Repeats: FREQ=WEEKLY" in one.passages[1].text
    assert "Attendee: bo@example.org" in one.passages[1].text
    assert [passage.locator for passage in one.passages] == ["event 1", "event 2"]


VCF = (
    "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ann Lee\r\nORG:Orrin;Sales\r\nTEL;TYPE=WORK,VOICE:+47 22 00 00 00\r\n"
    "ADR;TYPE=HOME:;;3 Elm Street;Oslo;;0150;Norway\r\nNOTE:a long line that is \r\n folded\r\nEND:VCARD\r\n"
    "BEGIN:VCARD\r\nVERSION:2.1\r\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;J=C3=B6rg\r\nEMAIL:j@example.org\r\nEND:VCARD\r\n"
)


def test_contacts_are_a_passage_each():
    one = part("a.vcf", VCF)
    assert one.passages[0].text.split("\n") == [
        "Ann Lee", "Organization: Orrin, Sales", "Phone (work): +47 22 00 00 00",
        "Address (home): 3 Elm Street, Oslo, 0150, Norway", "Note: a long line that is folded",
    ]  # fmt: skip
    assert one.passages[1].text == "Jörg Müller\nE-mail: j@example.org"


PO = r"""msgid ""
msgstr ""
"Project-Id-Version: Orrin 2\n"
"Language: de\n"

#. the button
#, fuzzy
msgctxt "menu"
msgid "Save \"all\""
msgstr ""
"Alles "
"sichern"

msgid "%d file"
msgid_plural "%d files"
msgstr[0] "%d Datei"
msgstr[1] "%d Dateien"

#~ msgid "old"
#~ msgstr "alt"
"""


def test_a_translation_stands_beside_its_source():
    one = part("a.po", PO)
    assert one.title == "Orrin 2 de"
    assert texts(one).split("\n") == [
        'Save "all" = Alles sichern [menu; the button; uncertain]',
        "%d file / %d files = %d Datei / %d Dateien",
    ]


BIB = r"""@string{nat = "Nature"}
@article{lee2024,
  author = {Lee, Ann and M{\"u}ller, J{\'o}n},
  title = "The {Orrin} Observatory",
  journal = nat # " Physics", year = 2024, pages = {1--9}
}
@comment{not this}
@book{bo, title={A {Nested {Title}}}, publisher = {Elm}}
"""
RIS = "TY  - JOUR\nAU  - Lee, Ann\nAU  - Bo, Cy\nTI  - The Observatory\nPY  - 2024\nDO  - 10.1/x\nER  - \n\nTY  - BOOK\nTI  - Other\nER  - \n"


def test_an_entry_of_a_bibliography_is_a_record():
    one = part("a.bib", BIB)
    assert one.passages[0].text.split("\n")[:4] == [
        "title: The Orrin Observatory", "author: Lee, Ann and Müller, Jón", "year: 2024", "journal: Nature Physics",
    ]  # fmt: skip
    assert one.passages[0].locator == "lines 2-6"
    assert "title: A Nested Title\ntype: book" in one.passages[1].text
    ris = part("a.ris", RIS)
    assert "author: Lee, Ann; Bo, Cy" in ris.passages[0].text
    assert [passage.locator for passage in ris.passages] == ["lines 1-7", "lines 9-11"]


def test_an_archive_of_a_page_is_its_page():
    message = EmailMessage()
    message["Subject"], message["Date"] = "Saved", "Fri, 01 Mar 2024 10:00:00 +0100"
    page = "<title>Fees</title><h1>Fees</h1><p>Die Gebühr für Verspätung ist 15 Euro.</p>"
    message.set_content(page, subtype="html", charset="latin-1")
    one = part("a.mht", message.as_bytes())
    assert (one.title, one.date) == ("Fees", "2024-03-01")
    assert "Die Gebühr für Verspätung ist 15 Euro." in texts(one)


FB2 = """<?xml version="1.0" encoding="windows-1251"?><FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0">
<description><title-info><book-title>Книга</book-title><author><first-name>Анна</first-name><last-name>Ли</last-name></author>
<date value="2024-03-01">2024</date></title-info></description>
<body><section><title><p>Глава 1</p></title><p>Обсерватория основана в <emphasis>1904</emphasis> году.</p></section></body></FictionBook>"""


def test_a_book_keeps_its_sections():
    one = part("a.fb2", FB2.encode("cp1251"))
    assert (one.title, one.date) == ("Книга", "2024-03-01")
    assert "Обсерватория основана в 1904 году." in texts(one)
    assert any(passage.headings == ("Глава 1",) for passage in one.passages) or "Глава 1" in texts(one)


def test_places_have_names_and_positions():
    gpx = '<gpx xmlns="http://www.topografix.com/GPX/1/1"><metadata><name>Tour</name></metadata><wpt lat="59.9" lon="10.7"><name>Hut</name><ele>812</ele></wpt><trk><name>Day 1</name><trkseg><trkpt lat="1" lon="2"><time>2024-03-01T10:00:00Z</time></trkpt><trkpt lat="3" lon="4"/></trkseg></trk></gpx>'
    one = part("a.gpx", gpx)
    assert one.title == "Tour"
    assert one.passages[0].text == "name: Hut\nele: 812\nposition: 59.9, 10.7"
    assert "from: 1, 2 at 2024-03-01T10:00:00Z\nto: 3, 4\npoints: 2" in one.passages[1].text
    features = [
        {"type": "Feature", "properties": {"name": "Hut", "beds": 12}, "geometry": {"type": "Point", "coordinates": [10.7, 59.9]}},
        {"type": "Feature", "properties": {"name": "Lake"}, "geometry": {"type": "Polygon", "coordinates": [[[0, 1], [2, 3], [0, 1]]]}},
    ]  # fmt: skip
    geo = part("a.geojson", json.dumps({"type": "FeatureCollection", "features": features}))
    assert geo.passages[0].text == "name: Hut\nbeds: 12\nposition: 59.9, 10.7"
    assert "Polygon of 3 positions, 1.0, 0.0 to 3.0, 2.0" in geo.passages[1].text


def test_flat_open_documents_are_read():
    flat = (
        '<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0">'
        '<office:body><office:text><text:h text:outline-level="1">Fees</text:h><text:p>The late fee is 15.</text:p></office:text></office:body></office:document>'
    )
    assert "The late fee is 15." in texts(part("a.fodt", flat))


def test_text_of_an_unknown_ending_is_read_and_binary_is_not(tmp_path):
    (tmp_path / "a.xyz").write_text("The late fee is 15.")
    (tmp_path / "b.xyz").write_bytes(b"\x00\x01\x02" * 50)
    (tmp_path / "c.svg").write_text("<svg/>")
    assert sniff_format(str(tmp_path / "a.xyz")) is find_format("a.txt")
    assert sniff_format(str(tmp_path / "b.xyz")) is None
    assert sniff_format(str(tmp_path / "c.svg")) is None


def test_tab_files_are_tables():
    assert find_format("a.tab") is find_format("a.tsv")


def test_documents_of_types_that_nobody_reads_are_named_and_the_rest_is_counted(tmp_path):
    for name in ("report.pages", "photo.png", "tool.exe", "notes.strange"):
        (tmp_path / name).write_bytes(b"\x00\x01\x02" * 50)
    (tmp_path / "more.strange").write_text("words")
    listing = list_files([str(tmp_path)])
    assert sorted(path.rpartition("/")[2] for path in listing.files) == ["more.strange", "report.pages"]
    assert listing.others == {".pages": 1, ".png": 1, ".exe": 1, ".strange": 1}


@pytest.mark.processes
def test_a_document_that_is_not_read_is_kept_with_the_corpus(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "report.pages").write_bytes(b"\x00\x01\x02" * 50)
    (tmp_path / "docs" / "a.md").write_text("# Fees\n\nThe late fee is 15.\n")
    with IndexWriter(tmp_path / "corpus") as writer:
        report = asyncio.run(ingest_files([tmp_path / "docs"], writer))
        (problem,) = writer.store.read_problems()
    assert [one.source for one in report.left_out] == [problem.source]
    assert problem.source.endswith("report.pages")
    assert "unsupported file type; convert it" in problem.reason
