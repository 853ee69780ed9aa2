"""Exchanged objects: a statement that is a source's sentence but for the word at the end of a phrase.

"The client depends on click" where the sentence has the rest of its words and "depends on httpx": a word that no source
has, behind the very word that has another one behind it there.
"""

import re
from collections.abc import Iterator
from typing import Final

from weiwo.nodes.writer.verification.clauses import Clause, content_words, match_keys
from weiwo.nodes.writer.verification.grounds import Grounds
from weiwo.text.common_words import is_common
from weiwo.text.language import HAN, fold
from weiwo.text.patterns import lazy

LEAST_SHARED: Final = 0.75
"""Share of a statement's other words that the sentence must have."""

_OBJECT: Final = lazy(
    rf"(?:(?<![\w-])(?P<word>on|with|of|and|or|in|from|by|without|to|for|as|[a-z]{{2,20}}ed) |(?P<han>[{HAN}]{{2}}) ?)(?P<object>[a-z][a-z-]{{2,30}})(?=\s*(?:[,;:!?)。，；]|\.(?:\s|$)|$))"
)
_VERBAL: Final = lazy(r"(?:ing|ed|ly|ion|ions)$")


def find_exchanged(statement: str, grounds: Grounds) -> Iterator[str]:
    """Objects of a statement that no source has where a sentence with its other words has another in their place."""
    words = set(content_words(statement))
    known = grounds.keys
    for found in _OBJECT.finditer(fold(statement)):
        left, object_ = found["word"] or found["han"], found["object"]
        strange = set(content_words(object_))
        if _VERBAL.search(object_) or any(not match_keys(word).isdisjoint(known) for word in words & strange):
            continue
        rest = {word for word in words - strange if not word[0].isdigit()}
        behind = re.compile(rf"(?<![a-z]){re.escape(left)} ?([a-z][a-z-]{{2,30}})")
        for clause in (clause for source in grounds.sources for clause in source.sentences[:200]):
            there = behind.findall(fold(clause.text))
            if (
                strange
                and rest
                and there
                and not any(map(is_common, there))
                and _shared(rest, clause, grounds)
                and not words & set(content_words(" ".join(there)))
            ):
                yield f"“{object_}”: the sources say {there[0]}"
                break


def _shared(rest: set[str], clause: Clause, grounds: Grounds) -> bool:
    titles = frozenset(
        key for source in grounds.sources for word in content_words(source.title) for key in match_keys(word)
    )
    met = sum(not match_keys(word).isdisjoint(clause.keys | titles) for word in rest)
    return met >= LEAST_SHARED * len(rest)
