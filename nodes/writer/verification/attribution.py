"""Attribution: statements that name which source says something, or that each of several does.

"According to the Bulletin, …" rests on the Bulletin alone, and "both reports mention …" on each of the two. Quoted words
are those of whom the source names beside them.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from weiwo.nodes.writer.verification.clauses import content_words, matched
from weiwo.nodes.writer.verification.grounds import Grounds
from weiwo.nodes.writer.verification.particulars import QUOTE, fold_letters, name_words
from weiwo.nodes.writer.verification.source import ParsedSource
from weiwo.text.language import fold
from weiwo.text.names import names
from weiwo.text.patterns import lazy

LEAST_SHARED: Final = 0.6
"""Share of the words that one source has which each of the others must have."""

SHORTEST_QUOTE: Final = 6
"""Characters from which quoted words are somebody's."""

_SOURCES: Final = "sources|passages|reports|texts|articles|documents|pages|papers|accounts|descriptions"
_HAN_SOURCES: Final = "报道|文章|资料|来源|文本|材料|文件|报告|说明|段落|文献|文档"
_EACH: Final = lazy(
    rf"(?i)\b(?:according to |in )?(?:both|all(?: (?:two|three|four))?)(?: of)?(?: the| these)? (?:{_SOURCES})\b,?"
    r"(?: (?:agree|mention|say|state|report|note|confirm|tell|give|name|write)s?\b)?(?: that\b)?"
    rf"|(?:根据)?(?:这?[两三四]|各|几)[篇个份则段]?(?:{_HAN_SOURCES})[里中]?[，]?[都均](?:写明|提到|指出|说|给出|写到|说明|提及|认为|显示|报道)?了?"
)
_ONE: Final = lazy(
    r"(?i)^(?:according to|as stated in|as reported by|in) (?:the )?([^,，]{3,80}),|^(?:据|根据)《?([^，,》]{2,40})》?[^，,]{0,6}[，,]"
)

_PRONOUN: Final = lazy(r"(?i)\b(?:he|she|they|his|her|their)\b|[他她]")


def split_attribution(statement: str, grounds: Grounds) -> tuple[str, list[Grounds]]:
    """What a statement says, and the sources that each have to carry it; without an attribution, all together.

    Args:
        statement: One statement.
        grounds: What it cites.
    """
    sources = grounds.sources
    if len(sources) > 1 and (each := _EACH.search(statement)):
        rest = statement[: each.start()] + statement[each.end() :]
        return rest.strip(), [replace(grounds, sources=(source,)) for source in sources]
    if len(sources) > 1 and (one := _ONE.match(statement)):
        words = set(content_words(one[1] or one[2]))
        named = tuple(source for source in sources if words and words <= set(content_words(source.title)))
        if named and len(named) < len(sources):
            return statement[one.end() :].strip(), [replace(grounds, sources=named)]
    return statement, [grounds]


def find_silent(statement: str, apart: list[Grounds]) -> Iterator[str]:
    """The sources that have far fewer of a statement's words than another that is said to say the same."""
    words = {word for word in content_words(statement) if not word[0].isdigit()}
    shares = [len(matched(words, one.keys)) for one in apart]
    for one, share in zip(apart, shares, strict=True):
        if share < LEAST_SHARED * max(shares):
            yield f"“{one.sources[0].title}” does not say this"


def find_misattributed(statement: str, grounds: Grounds) -> Iterator[str]:
    """Quoted words that the sources give to somebody else than the statement names."""
    for found in QUOTE.finditer(statement):
        words = fold(next(filter(None, found.groups()))).strip(" .,;!?。，")
        having = [source for source in grounds.sources if words in source.text]
        titles = fold(" ".join(source.title for source in having))
        claimed = [fold_letters(name) for name in _named(statement.replace(found[0], " "))]
        claimed = [name for name in claimed if name not in titles and any(name in one.text for one in grounds.sources)]
        beside = [_beside(source, words) for source in having]
        if not having or len(words) < SHORTEST_QUOTE or not claimed:
            continue
        if all(_named(text) and not any(_mentions(text, name) for name in claimed) for text in beside):
            yield f"“{words[:60]}”: the sources give these words to somebody else"


def _beside(source: ParsedSource, words: str) -> str:
    """The sentences of a quotation without it, each with the one before where it opens with a pronoun."""
    told: list[str] = []
    before = ""
    for clause in source.sentences:
        at = fold(clause.text).find(words)
        if at >= 0:
            rest = clause.text[:at] + " " + clause.text[at + len(words) :]
            pronoun = _PRONOUN.search(rest)
            told += [before, rest] if pronoun and not _named(rest[: pronoun.start()]) else [rest]
        before = clause.text
    return " ".join(told)


def _named(text: str) -> list[str]:
    """The names of a text; of two Han characters it is too often a word."""
    return [name.text for name in names(text) if len(name.text) > 2]


def _mentions(text: str, name: str) -> bool:
    """Whether a text has a name or a word of it."""
    folded = fold_letters(text)
    return name in folded or any(word in folded for word in name_words(name) if len(word) > 2)
