"""The version of a corpus: what it holds now, told from what it held before."""

from weiwo.tools.corpus.base import Corpus
from weiwo.tools.corpus.retrieval.federation import FederatedCorpus
from weiwo.tools.corpus.retrieval.indexed_corpus import IndexedCorpus
from weiwo.tools.corpus.retrieval.routed_corpus import RoutedCorpus


def describe_version(corpus: Corpus) -> str:
    """The identity of all that a corpus holds; empty where nobody can tell, as of a store elsewhere. Blocks briefly."""
    if isinstance(corpus, RoutedCorpus):
        return corpus.corpus.version
    if isinstance(corpus, IndexedCorpus):
        return corpus.version
    if isinstance(corpus, FederatedCorpus):
        versions = [describe_version(one) for one in corpus.corpora]
        return " ".join(versions) if all(versions) else ""
    return ""
