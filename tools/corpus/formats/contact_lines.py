"""Readers of calendars (.ics) and contacts (.vcf), with a passage for each event or person.

icalendar parses the lines of both, which RFC 5545 and RFC 6350 share: folding, quoting, parameters and time zones.
"""

import quopri
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Any, BinaryIO, Final

from weiwo.text.patterns import lazy
from weiwo.tools.corpus.formats.encodings import UnreadableError
from weiwo.tools.corpus.formats.parts import Part, choose_title, clean_text, import_parser, read_text, split_parts
from weiwo.tools.corpus.losses import Loss, count_places
from weiwo.tools.corpus.records import Passage

_KINDS: Final = {"VEVENT": "event", "VTODO": "task", "VJOURNAL": "entry"}
_PERSON: Final = ("organizer", "attendee")
_SOFT_BREAK: Final = lazy(r"=\n")
_CARD_FIELDS: Final = {
    "ORG": "Organization", "TITLE": "Title", "ROLE": "Role", "TEL": "Phone", "EMAIL": "E-mail", "ADR": "Address",
    "BDAY": "Born", "URL": "Web", "NICKNAME": "Nickname", "NOTE": "Note", "CATEGORIES": "Categories", "IMPP": "Chat",
}  # fmt: skip


def read_calendar(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read the events, tasks and journal entries of a calendar.

    Each has its times, their zone and its inclusive last day.

    Raises:
        UnreadableError: The file holds no calendar, or icalendar is not installed.
    """
    parser = import_parser("icalendar")
    try:
        calendars = parser.Calendar.from_ical(read_text(file), multiple=True)
    except (ValueError, IndexError, KeyError) as error:
        raise UnreadableError(f"damaged: it contains no calendar ({error})") from None
    title = next((str(calendar.get("X-WR-CALNAME", "")) for calendar in calendars if calendar.get("X-WR-CALNAME")), "")
    entries = [entry for calendar in calendars for entry in calendar.walk() if entry.name in _KINDS]
    bad: list[int] = []
    losses: list[Loss] = []

    def describe() -> Iterator[Passage]:
        for number, entry in enumerate(entries, 1):
            try:
                lines = list(_describe_entry(entry))
            except (ValueError, TypeError, AttributeError, OverflowError):
                bad.append(number)
                continue
            yield Passage("\n".join(lines), (), f"{_KINDS[entry.name]} {number}", number, number)
        losses.extend(count_places("entries_unreadable", bad))

    return split_parts(describe(), choose_title(title) or name, losses=losses)


def _describe_entry(entry: Any) -> Iterator[str]:
    yield clean_text(str(entry.get("SUMMARY", "") or "(no title)"))
    start, end = (entry.decoded(field) if entry.get(field) else None for field in ("DTSTART", "DTEND"))
    due = entry.decoded("DUE") if entry.get("DUE") else None
    if end is None and start is not None and entry.get("DURATION"):
        end = start + entry.decoded("DURATION")
    if start is not None:
        yield f"When: {_describe_span(start, end)}"
    if due is not None:
        yield f"Due: {_describe_time(due)}"
    for field, label in (("RRULE", "Repeats"), ("LOCATION", "Where"), ("STATUS", "Status")):
        if value := entry.get(field):
            text = value.to_ical().decode("utf-8", "replace") if field == "RRULE" else str(value)
            yield f"{label}: {clean_text(text)}"
    for field in _PERSON:
        people = entry.get(field) or []
        for person in people if isinstance(people, list) else [people]:
            mail = str(person).removeprefix("mailto:").removeprefix("MAILTO:")
            called = str(person.params.get("CN", "")) if hasattr(person, "params") else ""
            yield f"{field.capitalize()}: {clean_text(f'{called} <{mail}>' if called and called != mail else mail)}"
    if text := str(entry.get("DESCRIPTION", "")).strip():
        yield clean_text(text)


def _describe_span(start: date | datetime, end: date | datetime | None) -> str:
    """Return a time span as text: "2024-05-03 10:00-11:30", or "2024-05-03 to 2024-05-05" for whole days.

    A file states the day after the last as the end of a whole-day event. The last day itself is written.
    """
    if not isinstance(start, datetime):
        last = end - timedelta(days=1) if end is not None and not isinstance(end, datetime) else start
        return f"{start.isoformat()} to {last.isoformat()}" if last > start else start.isoformat()
    if not isinstance(end, datetime):
        return _describe_time(start)
    if end.date() == start.date() and end.tzinfo == start.tzinfo:
        return f"{start:%Y-%m-%d %H:%M}-{end:%H:%M}{_name_zone(start)}"
    return f"{_describe_time(start)} to {_describe_time(end)}"


def _describe_time(when: date | datetime) -> str:
    return f"{when:%Y-%m-%d %H:%M}{_name_zone(when)}" if isinstance(when, datetime) else when.isoformat()


def _name_zone(when: datetime) -> str:
    if when.tzinfo is None:
        return ""
    named = getattr(when.tzinfo, "key", None) or when.tzname() or str(when.tzinfo)
    offset = when.strftime("%z")
    return f" ({named}, UTC{offset[:3]}:{offset[3:5]})" if offset.strip("+0") else " (UTC)"


def read_contacts(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read the contacts of an address book.

    Raises:
        UnreadableError: There is no contact in it, or icalendar is not installed.
    """
    parser = import_parser("icalendar")
    text = read_text(file)
    if "ENCODING=QUOTED-PRINTABLE" in text.upper():
        text = _SOFT_BREAK.sub("=\n ", text)  # vCard 2.1 folds these lines differently
    cards: list[list[str]] = []
    bad = 0
    for line in parser.parser.Contentlines.from_ical(text):
        try:
            field, parameters, value = line.parts() if line else ("", {}, "")
        except ValueError:
            bad += 1
            continue
        field = field.rpartition(".")[2].upper()
        if field == "BEGIN" and value.upper() == "VCARD":
            cards.append(["", ""])
        elif cards and field:
            _add_field(cards[-1], field, parameters, value)
    passages = [
        Passage("\n".join([card[0] or card[1] or "(no name)", *card[2:]]), (), f"contact {n}", n, n)
        for n, card in enumerate(cards, 1)
    ]
    return split_parts(passages, name, losses=[Loss("lines_unreadable", bad)] if bad else [])


def _add_field(card: list[str], field: str, parameters: Any, value: str) -> None:
    """Add a field to the lines of a contact.

    Line 0 is the formatted name (FN), line 1 the structured name (N). Then come lines like `Phone (work): 555 0100`.
    """
    if str(parameters.get("ENCODING", "")).upper() == "QUOTED-PRINTABLE":
        raw = quopri.decodestring(value.replace("=\n", "").encode("utf-8", "replace"))
        value = raw.decode(str(parameters.get("CHARSET", "utf-8")), "replace")
    words = [part.replace("\\,", ",").replace("\\;", ";").replace("\\n", " ").strip() for part in value.split(";")]
    text = clean_text(" ".join(", ".join(word for word in words if word).split()))
    if not text:
        return
    if field == "FN":
        card[0] = text
    elif field == "N":
        card[1] = " ".join(word for word in (*words[1:3], words[0]) if word)
    elif field in _CARD_FIELDS:
        kinds = parameters.get("TYPE", "")
        listed = [kinds] if isinstance(kinds, str) else list(kinds)
        shown = ", ".join(kind.lower() for kind in listed if kind and kind.lower() not in {"internet", "pref", "voice"})
        card.append(f"{_CARD_FIELDS[field]}{f' ({shown})' if shown else ''}: {text}")
