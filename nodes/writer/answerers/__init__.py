"""Answerers: who words an answer. Each is given the context and yields immutable pieces, and last its settled part.

`nodes.writer.node` says which of them answer when; none changes what another wrote.
"""

from collections.abc import Callable, Mapping
from typing import Final

from weiwo.nodes.writer.answerers import draft, reader, report, rules, unsourced
from weiwo.nodes.writer.context import WriterContext
from weiwo.nodes.writer.written_answer import AnswererName, Answering

ANSWERERS: Final[Mapping[AnswererName, Callable[[WriterContext], Answering]]] = {
    "reader": reader.answer,
    "draft": draft.answer,
    "rules": rules.answer,
    "report": report.answer,
    "unsourced": unsourced.answer,
}
