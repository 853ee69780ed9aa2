"""Prompt templates of chat interfaces: wrappers and side tasks of Open WebUI and LibreChat.

A file or a search of the interface's own comes as `<source>`s (or `<file>`s) around the question. A title, tags,
queries or follow-ups for a chat come as prompts of their own, with an example of the JSON wanted. These are no
questions to search for. Every text here comes from a client, so only plain scans are used.
"""

import html
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from weiwo.models.json_reader import parse_json
from weiwo.text.language_detection import detect_language
from weiwo.text.patterns import lazy
from weiwo.text.printable import one_line

_MOST_SOURCES: Final = 500
_LONGEST_NAME: Final = 200
_LONGEST_TAG: Final = 1_000
_LONGEST_INSTRUCTION: Final = 12_000
_ATTRIBUTE: Final = lazy(r"\b(id|name)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_TASK: Final = lazy(r"\s{0,200}#{1,6}\s{0,20}(?:task\b|任务)", re.IGNORECASE)
_SHAPE: Final = lazy(r"\{\s{0,20}[\"“'](\w{1,30})[\"”']\s{0,20}[:：]\s{0,20}([\[\"“'])")
_TITLE: Final = lazy(r"\btitle\b|标题", re.IGNORECASE)
_SPEAKER: Final = lazy(
    r"^[ \t|>*]{0,8}(?:(user|human|用户)|(assistant|ai|response|助手))[ \t]{0,4}[*]{0,2}[:：][ \t*]{0,4}\"?",
    re.IGNORECASE | re.MULTILINE,
)
_TITLE_WORDS: Final = 6
_TITLE_SIGNS: Final = 16
_LONGEST_TITLE: Final = 80


@dataclass(frozen=True)
class ChatTask:
    """A side task of a chat interface, for example to write a title for the chat, sent as a prompt."""

    prompt: str  # its prompt
    key: str  # the field of the JSON object that it wants; empty: a title as plain text
    many: bool  # whether that field is a list of texts; else it is a text
    asked: Sequence[str]  # what the user has said in the chat, oldest first

    def answer_by_rule(self) -> str:
        """Return the reply without a model: the question's first words as title, the question as search query.

        For the field `title`, the question "How high is the Eiffel Tower in metres?" gives
        `{"title": "How high is the Eiffel Tower"}`. Any other field, such as `tags`, is empty.
        """
        if not self.many:
            titles = not self.key or any(word in self.key.lower() for word in ("title", "name", "标题"))
            return self._write(_first_words(self.asked[0] if self.asked else "") if titles else "")
        return self._write([self.asked[-1]] if self.asked and "quer" in self.key.lower() else [])

    def read_reply(self, reply: str) -> str:
        """Convert a model's reply to the form that the interface expects. Empty if the reply does not fit.

        For the field `title`, the reply `Here: {"title": "Tower"}` gives `{"title": "Tower"}`.
        """
        if not self.key:
            lines = [one_line(line, _LONGEST_TITLE).strip("\"'“”「」《》*# ") for line in reply.strip().splitlines()]
            return lines[0] if len(lines) == 1 else ""
        try:
            value = parse_json(reply)
        except ValueError:
            return ""
        found = value.get(self.key) if isinstance(value, Mapping) else None
        if self.many:
            fits = isinstance(found, list) and all(isinstance(item, str) for item in found)
        else:
            fits = isinstance(found, str) and bool(found.strip())
        return self._write(found) if fits else ""

    def _write(self, value: Any) -> str:
        return json.dumps({self.key: value}, ensure_ascii=False) if self.key else str(value)


def find_task(text: str) -> ChatTask | None:
    """Return the side task that a message asks for, or None if the message is a question to be answered.

    A side task shows an example of the JSON wanted and contains the chat, or asks for a title of a chat that it
    contains.
    """
    if "<user_query>" in text or "<context>" in text:
        return None
    begin = text.find("<chat_history>")
    if begin >= 0:
        instruction, history = text[:begin], text[begin + len("<chat_history>") :].partition("</chat_history>")[0]
    else:
        spoken = _SPEAKER.search(text)
        at = spoken.start() if spoken else len(text)
        instruction, history = text[:at], text[at:]
    turns = list(_turns(history))
    asked = [said for user, said in turns if user and said]
    shape = _SHAPE.search(instruction[:_LONGEST_INSTRUCTION]) or _SHAPE.search(text[-_LONGEST_INSTRUCTION:])
    if shape and (begin >= 0 or _TASK.match(text)):
        return ChatTask(text, shape[1], shape[2] == "[", asked)
    answered = any(not user for user, _ in turns)
    if asked and answered and len(instruction) < _LONGEST_TAG and _TITLE.search(instruction):
        return ChatTask(text, "", many=False, asked=asked)
    return None


def _turns(history: str) -> Iterator[tuple[bool, str]]:
    """Yield the turns of a chat, each as `(True, text)` for the user or `(False, text)` for the assistant."""
    for mark, after in pairwise([*_SPEAKER.finditer(history), None]):
        if mark is None:
            return
        said = history[mark.end() : after.start() if after else len(history)]
        yield mark[1] is not None, " ".join(said.split()).rstrip('"')


def _first_words(question: str) -> str:
    """Return the first words of a question as a title: six words, or 16 characters of a Chinese question."""
    text = one_line(question, 400).strip()
    if detect_language(text) == "zh":
        return text[:_TITLE_SIGNS].rstrip("，。？！、；：?,. ")
    return one_line(" ".join(text.split()[:_TITLE_WORDS]), _LONGEST_TITLE).rstrip("?.!,;: ")


def unwrap_question(text: str) -> str:
    """Return the user's question in a message, without the template that a chat interface put around it.

    `<context><source>…</source></context> Who won?` gives `Who won?`. A message without a template is returned
    unchanged.
    """
    begin = text.rfind("<user_query>")
    if begin >= 0:
        return text[begin + len("<user_query>") :].partition("</user_query>")[0].strip() or text
    if "<context>" in text and next(_blocks(text), None) is not None:
        return text.rpartition("</context>")[2].strip() or text
    return text


def read_attached(texts: Sequence[str]) -> list[dict[str, str]]:
    """Return the sources in messages, each with `name` and `text`. Sources of the same name are merged."""
    found: dict[str, list[str]] = {}
    for text in texts:
        for name, said in _blocks(text):
            if len(found) < _MOST_SOURCES or name in found:
                found.setdefault(name, []).append(said)
    return [{"name": name, "text": "\n\n".join(parts)} for name, parts in found.items()]


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """Yield name and text of each `<source>` block, then of each `<file>` block."""
    for begin, end in (("<source", "</source>"), ("<file>", "</file>")):
        at = text.find(begin)
        while at >= 0:
            close = text.find(">", at, at + _LONGEST_TAG)
            stop = text.find(end, at)
            if stop < 0:
                break
            if at < close < stop and (block := _read_block(text[at:close], text[close + 1 : stop])):
                yield block
            at = text.find(begin, stop)


def _read_block(tag: str, inner: str) -> tuple[str, str] | None:
    """Return name and text of a source, or None without text."""
    given = {found[1]: found[2] or found[3] or "" for found in _ATTRIBUTE.finditer(tag)}
    name = given.get("name") or given.get("id", "")
    if tag == "<file":
        name = inner.partition("<filename>")[2].partition("</filename>")[0]
        inner = inner.partition("<context>")[2].partition("</context>")[0]
    name = one_line(html.unescape(name), _LONGEST_NAME).strip()
    said = html.unescape(inner).strip()
    return (name.removeprefix("task:") or "source", said) if said else None
