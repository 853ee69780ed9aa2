"""Attribution: statements that name which source says something, or that each of several does.

"According to the Bulletin, …" rests on the Bulletin alone, and "both reports mention …" on each of the two.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from weiwo.nodes.writer.verification.clauses import content_words, matched
from weiwo.nodes.writer.verification.grounds import Grounds
from weiwo.text.patterns import lazy

LEAST_SHARED: Final = 0.6
"""Share of the words that one source has which each of the others must have."""

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
