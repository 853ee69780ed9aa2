"""Translations (gettext, .po and .pot): messages with translation, context and comments."""

import ast
from collections.abc import Iterator
from contextlib import suppress
from typing import BinaryIO, Final

from weiwo.text.patterns import lazy
from weiwo.tools.corpus.formats.parts import Part, choose_title, format_range, read_text, split_parts
from weiwo.tools.corpus.records import Passage

_KEYED: Final = lazy(r'(msgctxt|msgid|msgid_plural|msgstr(?:\[\d\])?)\s+(".*")')
_TOGETHER: Final = 15
"""Number of messages in a passage."""


def read(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read a message catalogue. Obsolete messages are skipped, and fuzzy messages are marked."""
    entries = list(_read_entries(read_text(file).split("\n")))
    title = ""
    if entries and not entries[0][1].get("msgid"):
        head = entries.pop(0)[1].get("msgstr", "")
        stated = dict(line.split(": ", 1) for line in head.split("\n") if ": " in line)
        title = " ".join(stated.get(field, "") for field in ("Project-Id-Version", "Language")).strip()
    passages = (_make_passage(entries[at : at + _TOGETHER]) for at in range(0, len(entries), _TOGETHER))
    return split_parts(passages, choose_title(title) or name)


def _read_entries(lines: list[str]) -> Iterator[tuple[int, dict[str, str], int]]:
    """Yield the entries, each as first line, texts by keyword (`msgid`, `msgstr`), and last line."""
    entry: dict[str, str] = {}
    first, key = 1, ""
    for number, line in enumerate([*lines, ""], 1):
        stripped = line.strip()
        found = _KEYED.fullmatch(stripped)
        if (not stripped or (found and found[1] in {"msgid", "msgctxt"} and "msgstr" in entry)) and entry:
            if "msgid" in entry:
                yield first, entry, number - 1
            entry, key = {}, ""
        if not entry:
            first = number
        if found:
            key = "msgstr" if found[1] == "msgstr[0]" else found[1]
            entry[key] = _unquote(found[2])
        elif stripped.startswith('"') and key:
            entry[key] += _unquote(stripped)
        elif stripped.startswith("#,") and "fuzzy" in stripped:
            entry["fuzzy"] = "uncertain"
        elif stripped.startswith(("#.", "# ")):
            entry["remark"] = f"{entry.get('remark', '')} {stripped[2:].strip()}".strip()


def _unquote(text: str) -> str:
    with suppress(ValueError, SyntaxError):
        return str(ast.literal_eval(text))
    return text.strip('"')


def _make_passage(entries: list[tuple[int, dict[str, str], int]]) -> Passage:
    lines: list[str] = []
    for _, entry, _ in entries:
        aside = [entry[key] for key in ("msgctxt", "remark", "fuzzy") if entry.get(key)]
        source = " / ".join(entry[key] for key in ("msgid", "msgid_plural") if entry.get(key))
        forms = [entry[key] for key in sorted(entry) if key.startswith("msgstr") and entry[key]]
        shown = " / ".join(forms) or "(not translated)"
        note = f" [{'; '.join(aside)}]" if aside else ""
        lines.append(" ".join(f"{source} = {shown}{note}".split()))
    first, last = entries[0][0], entries[-1][2]
    return Passage("\n".join(lines), (), format_range(first, last), first, last)
