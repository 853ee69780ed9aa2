"""Snowball stemmers of tantivy, by document language.

A document's words are stemmed in its own language, a question's in every language of the corpus: "Gebühren" then finds
"Gebühr" in a German lease and the name "Gebuhren" in an English one. Languages without a stemmer, Chinese among them,
use the English stemmer, which leaves their characters alone and stems the English words beside them.
"""

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

from weiwo.state.kinds import Language

if TYPE_CHECKING:
    import tantivy

STEMMERS: Final[dict[Language, str]] = {
    "ar": "arabic",
    "da": "danish",
    "nl": "dutch",
    "fi": "finnish",
    "fr": "french",
    "de": "german",
    "el": "greek",
    "hu": "hungarian",
    "it": "italian",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "es": "spanish",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
}
"""Names of tantivy's stemmers by language code, without English."""


def stem_terms(terms: str, language: Language) -> Sequence[str]:
    """Split terms at blanks and return their stems in a language."""
    return _analyzer(STEMMERS.get(language, "english")).analyze(terms)


@cache
def _analyzer(name: str) -> "tantivy.TextAnalyzer":
    import tantivy

    stemmer = tantivy.Filter.stemmer(name)
    return tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).filter(stemmer).build()
