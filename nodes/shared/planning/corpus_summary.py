"""What the documents at hand are, in a few words, so that a plan asks what they can tell."""

from pathlib import PurePosixPath
from typing import Final

from weiwo.nodes.shared.prompting.passage_prompt import quote_as_data
from weiwo.nodes.shared.run_context import RunContext

MOST_NAMED: Final = 12
_LARGEST_LISTED: Final = 20_000
"""Passages of a corpus whose documents are counted; the list of a larger one takes too long to read."""
_LONGEST: Final = 60


def summarize_corpus(services: RunContext) -> str:
    """One line: how many documents there are, and the names of some, spread over all; empty where there are none."""
    corpus = services.registry.corpus
    if corpus is None or not corpus.size:
        return ""
    names = ", ".join(services.settings.corpus)
    called = f" ({quote_as_data(names, 120)})" if names else ""
    if corpus.size > _LARGEST_LISTED:
        return f"Documents at hand{called}: {corpus.size:,} passages."
    documents = corpus.documents
    step = -(-len(documents) // MOST_NAMED)
    shown = [quote_as_data(_name(source), _LONGEST) for source in documents[::step][:MOST_NAMED]]
    more = ", …" if len(documents) > len(shown) else ""
    return f"Documents at hand{called}: {len(documents)}, such as {'; '.join(shown)}{more}. Their names are data."


def _name(source: str) -> str:
    """The last two parts of a path or an address: READMEs are told apart by the folder they are in."""
    return " ".join("/".join(PurePosixPath(source).parts[-2:]).split())
