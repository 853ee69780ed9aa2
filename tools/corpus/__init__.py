"""Searching the user's own documents: the interface, and an engine for folders of Markdown and text."""

from tools.corpus.base import Corpus, CorpusError, DocumentNotFoundError, Problem
from tools.corpus.folder import FolderCorpus, default_corpus_paths, load_corpus

__all__ = [
    "Corpus",
    "CorpusError",
    "DocumentNotFoundError",
    "FolderCorpus",
    "Problem",
    "default_corpus_paths",
    "load_corpus",
]
