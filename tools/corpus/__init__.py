"""Searching the user's own documents: indexed on disk, brought up to the files when they are asked for."""

from tools.corpus.base import Corpus, CorpusError, DocumentNotFoundError, NoPlaceError, Problem
from tools.corpus.loading import covered, default_corpus_paths, load_corpus

__all__ = [
    "Corpus",
    "CorpusError",
    "DocumentNotFoundError",
    "NoPlaceError",
    "Problem",
    "covered",
    "default_corpus_paths",
    "load_corpus",
]
