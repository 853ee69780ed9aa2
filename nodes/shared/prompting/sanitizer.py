"""Sanitizer for answers: no invented links or pictures, and no text copied from our prompts.

A model that follows words in a passage can be made to put its knowledge into an address: a picture is fetched as soon
as the answer is shown, a link when it is clicked. Code writes the list of sources, and the sentences above it need no
link. An address may itself be the answer, so an address in a passage or in the question stays.
"""

import re
from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import Final

from markdown_it import MarkdownIt

from weiwo.nodes.shared.prompting.passage_prompt import INSTRUCTIONS
from weiwo.state import Evidence, Language
from weiwo.text.citation_marks import clean_marks
from weiwo.text.language import fold
from weiwo.text.localization import localize_message
from weiwo.text.markdown import FENCE, find_opaque
from weiwo.text.patterns import lazy

_REMOVED: Final = localize_message("shared.prompting.sanitizer", "removed")

_RECITED: Final = 48
"""Characters in a row from a prompt by which a text counts as copied from it. Stretches of this length are sampled."""
_RECITED_WHOLE: Final = 20
"""Fewest characters of a whole sentence that counts as copied from a prompt."""

_IN: Final = r"[^\s<>\"'`()\[\]{}\x7f-\U0010ffff]"
ADDRESS: Final = lazy(
    r"(?:(?<![A-Za-z0-9])(?i:[a-z][a-z0-9+.-]{1,11}://|mailto:|javascript:|www\.|data:(?=[\w/+.-]*[;,]))"
    rf"|(?<![\w:/])//(?=[\w-]+\.))(?:{_IN}|\({_IN}*\))*(?:(?=[\w/#&=+~%$-]){_IN}|\({_IN}*\))"
)
"""An address up to a blank, a quotation mark, a bracket, anything outside ASCII, or the stop that ends its sentence."""
_PICTURE: Final = lazy(r"!\[([^\[\]\n]{0,300})\](?:\([^()\n]{0,2000}(?:\([^()\n]*\)[^()\n]*)*\)?|\[[^\[\]\n]{0,100}\])")
_TARGET: Final = (
    r"\(\s*<?(?:[a-z][a-z0-9+.-]{0,11}:|[/\\#.?]|www\.|[^()\s&\\]{0,20}[&\\])"
    r"[^()\n]{0,2000}(?:\([^()\n]*\)[^()\n]*)*\)?"
)
_LINK: Final = lazy(rf"\[([^\[\]\n]{{0,300}})\]{_TARGET}", re.IGNORECASE)
_HALF: Final = lazy(rf"\]{_TARGET}", re.IGNORECASE)
"""End of a link that began in an earlier piece of the stream."""
_DEFINITION: Final = lazy(
    r"(\[[^\[\]\n]{1,100}\]):\s*<?(?:[a-z][a-z0-9+.-]{1,11}:|/[/\\]|www\.|[^\s&\\]{0,20}[&\\])\S*", re.IGNORECASE
)
_TAG: Final = lazy(
    r"</?(?:img|a|area|audio|base|button|embed|form|i?frame|image|input|link|math|meta|object|picture|portal|script|source"
    r"|style|svg|track|video)\b[^<>]*>?",
    re.IGNORECASE,
)
_LIVE: Final = lazy(
    r"<[a-z!/][^<>]{0,2000}?[\s/\"'](?:on[a-z]{3,20}|src|srcset|srcdoc|href|xlink:href|style|action|formaction|background|poster|data)\s*=[^<>]*>?",
    re.IGNORECASE,
)
"""A tag with a handler or an address, of whatever name."""
_MARKUP: Final = lazy(
    r"<\\?/?\s*(?:passage|calculation)\b[^<>\n]*(?:>|$)|^[^<>\n\"]*\"(?: \w+=\"[^<>\n\"]*\")+>", re.IGNORECASE
)
"""Delimiters of data in a prompt, whole or cut in two, which a model may imitate in its answer."""
_HIDDEN: Final = lazy(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)
"""Control characters except line breaks and tabs, direction marks, and invisible characters."""
_TAIL: Final = lazy(
    r"[)\]}>\"'’”*_`|.,;:!?。，；：！？、）】》]*+(?:\[\d{1,4}\])*+[.,;:!?。，；：！？、]*+(?=\s|$|[\u3000-\u9fff\uff00-\uffef])"
)
"""Text that may follow an address: punctuation and citation marks up to a blank, or Chinese text."""
_TORN: Final = lazy(r"\)[\w%&=/?#-]")
"""Continuation of an address behind a closing bracket that the address did not open."""
_BEHIND: Final = lazy(r"\S*")
_MARK: Final = lazy(r"\^?\d[\d\s,，、–-]{0,30}")


_PROMPTS: Final[list[str]] = []


def protect_prompt(prompt: str) -> str:
    """Return a prompt, after registering it as text that no answer may copy."""
    _PROMPTS.append(prompt)
    return prompt


class AnswerSanitizer:
    """Function that sanitizes the text of a single answer: `say(text)` returns the permitted text, or "".

    Text copied from our own prompts (`protect_prompt`) is not permitted.

    Args:
        passages: The citable passages. Their addresses may stand in the answer. Addresses in their text may too, unless
            the passage gives orders to the model.
        question: The user's question. Its addresses may stand in the answer too.
        language: The answer's language.
    """

    def __init__(self, passages: Iterable[Evidence], question: str, language: Language) -> None:
        self._language = language
        self._told = _fold_prompts(tuple(_PROMPTS))
        known = set(ADDRESS.findall(question))
        for passage in passages:
            known.update((passage.source, *passage.also))
            if INSTRUCTIONS not in passage.flags:
                known.update(ADDRESS.findall(passage.text))
        self._known = frozenset(known)

    def __call__(self, text: str) -> str:
        """Return a sentence or a piece of one without unknown links and markup. Empty if it is not permitted at all."""
        prose = remove_links(_MARKUP.sub("", text), self._known, self._language)
        # Text without words, such as a rule, is kept.
        says = any(map(str.isalnum, prose)) or not any(map(str.isalnum, text))
        return prose if says and not self._recites(prose) else ""

    def _recites(self, prose: str) -> bool:
        said = fold(clean_marks(prose, ())).strip(" .。-*#\"'")
        if _RECITED_WHOLE <= len(said) <= _RECITED:
            return said in self._told
        starts = range(0, len(said) - _RECITED + 1, _RECITED // 4)
        return any(said[at : at + _RECITED] in self._told for at in starts)


@lru_cache(maxsize=1)
def _fold_prompts(prompts: tuple[str, ...]) -> str:
    return fold("\n".join(prompts))


def remove_hidden(text: str) -> str:
    """Remove control characters, direction marks and invisible characters."""
    return _HIDDEN.sub("", text)


def remove_links(text: str, known: Collection[str], language: Language) -> str:
    """Return prose with links and pictures reduced to their words, and unknown addresses replaced by a note.

    "See [Acme](https://x.org)" becomes "See Acme", a bare unknown address "(link removed)".

    Args:
        text: The text.
        known: The addresses that may stay.
        language: The language of the note.
    """
    text = remove_hidden(text)
    if not any(sign in text for sign in ("](", "][", "]:", "<", "//", ":", "www.")):
        return text
    if _is_code(text):
        return _known_addresses(text, known, language)  # markup inside code is shown, not rendered
    prose = _PICTURE.sub(r"\1", text)
    if "`" not in text or _draws_tags(prose):
        prose = _LIVE.sub("", _TAG.sub("", prose))
    prose = _LINK.sub(lambda link: f"[{link[1]}]" if _MARK.fullmatch(link[1]) else link[1], prose)
    prose = _DEFINITION.sub(r"\1:", _HALF.sub("]", prose))
    return _known_addresses(prose, known, language)


def _is_code(text: str) -> bool:
    """Report whether a text is a single fenced code block, possibly inside a list. All lines must be indented alike."""
    fence = FENCE.match(text)
    if fence is None or fence[1].strip() or "\t" in text:
        return False
    lines = [line for line in text.splitlines() if line.strip()]
    return find_opaque(text)[0].end >= len(text.rstrip()) and all(line.startswith(fence[1]) for line in lines)


def _draws_tags(text: str) -> bool:
    """Report whether a text may have HTML tags outside of code spans.

    A code block counts as possible tags, because the same lines inside a list may not be code.
    """
    blocks = MarkdownIt("commonmark").enable("table").parse(text.strip())
    tokens = (token.type for block in blocks for token in (block, *(block.children or ())))
    return any(kind in {"html_block", "html_inline", "fence", "code_block"} for kind in tokens)


def _known_addresses(text: str, known: Collection[str], language: Language) -> str:
    """Return a text with a note in place of each unknown address.

    A known address that goes on in the text counts as unknown.
    """
    parts: list[str] = []
    position = 0
    for found in ADDRESS.finditer(text):
        if found.start() < position:
            continue
        whole = found[0] in known and _TAIL.match(text, found.end()) is not None
        behind = _BEHIND.match(text, found.end())
        torn = not whole and (found[0] in known or _TORN.match(text, found.end()) is not None)
        end = behind.end() if torn and behind is not None else found.end()
        parts += [text[position : found.start()], text[found.start() : end] if whole else _REMOVED[language]]
        position = end
    return "".join([*parts, text[position:]])
