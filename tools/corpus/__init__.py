"""A document corpus: the user's own documents, indexed on disk, brought up to the files when they are asked for.

The names are imported when they are asked for: a process that parses files needs none of them, and starts in a
fraction of the time without.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from weiwo.tools.corpus.base import Corpus, CorpusError, DocumentNotFoundError, NoPlaceError, Problem
    from weiwo.tools.corpus.loading import default_corpus_paths, load_corpus
else:

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module = "loading" if name in {"default_corpus_paths", "load_corpus"} else "base"
        return getattr(import_module(f"{__name__}.{module}"), name)


__all__ = [
    "Corpus",
    "CorpusError",
    "DocumentNotFoundError",
    "NoPlaceError",
    "Problem",
    "default_corpus_paths",
    "load_corpus",
]
