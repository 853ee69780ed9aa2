"""What `weiwo doctor` says of the documents: what is searched, the corpora there are, and their vectors."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

from weiwo.app.cli.documents.corpora import counted, size, span_parts
from weiwo.app.cli.setup.checks import Verdict
from weiwo.app.cli.setup.doctor_words import words_in
from weiwo.state.kinds import Language

if TYPE_CHECKING:
    from weiwo.state.settings import Settings
    from weiwo.tools.corpus import Corpus
    from weiwo.tools.corpus.index.catalog import CorpusSummary

_MOST_SHOWN: Final = 10


def describe_default_corpus(settings: "Settings", language: Language) -> str:
    """What is searched where nothing is named."""
    from weiwo.tools.corpus.index.catalog import DEFAULT_NAME, corpus_exists  # noqa: PLC0415 - heavy

    say = words_in(language)
    return say("default_corpus", DEFAULT_NAME) if corpus_exists(Path(settings.home), DEFAULT_NAME) else say("sample")


def describe_corpora(home: Path, language: Language) -> tuple[Verdict, str]:
    """The corpora there are, with sizes and ages, in one line; a `note` if one is broken."""
    from weiwo.tools.corpus.index.catalog import list_corpora  # noqa: PLC0415 - heavy

    say, found = words_in(language), list(list_corpora(home))
    lacking = {one.name: _lacking_vectors(one, language) for one in found}
    told = [_corpus(one, lacking[one.name], language) for one in found[:_MOST_SHOWN]]
    if len(found) > _MOST_SHOWN:
        told.append(say("and_more", len(found) - _MOST_SHOWN))
    troubled = any(one.trouble or one.note or lacking[one.name] for one in found)
    return "note" if troubled else "ok", say("comma").join(told) or say("none_yet")


def describe_embeddings(corpus: "Corpus", name: str | None, language: Language) -> tuple[Verdict, str]:
    """Whether documents are also found by meaning, in one line. Tries the model."""
    from weiwo.tools.corpus import CorpusError  # noqa: PLC0415 - heavy
    from weiwo.tools.corpus.index.embedding_models import explain_embedding_error  # noqa: PLC0415 - the same
    from weiwo.tools.corpus.retrieval.federation import collect_warnings, count_embedded  # noqa: PLC0415 - the same

    say = words_in(language)
    if name is None:
        return "note", say("no_embeddings")
    try:
        done, total = count_embedded(corpus)
        warnings = collect_warnings(corpus, name)
    except (CorpusError, ImportError) as error:
        return "problem", explain_embedding_error(error)
    if warnings:
        return "note", warnings[0]
    passages = counted(total, "passage", language)
    if done < total:
        return "note", say("some_vectors", done, passages, name)
    return "ok", say("all_vectors", name, passages)


def _corpus(one: "CorpusSummary", lacking: list[str], language: Language) -> str:
    """One corpus: its size and age, or what is wrong with it."""
    say = words_in(language)
    if one.trouble:
        return say("said_of", one.name, one.trouble)
    documents, age = counted(one.documents, "document", language), counted(*span_parts(one.age), language)
    return "; ".join([say("old", one.name, documents, size(one.bytes), age), *filter(None, [one.note]), *lacking])


def _lacking_vectors(one: "CorpusSummary", language: Language) -> list[str]:
    """The embedding models whose vectors some of its passages lack; a line each."""
    say = words_in(language)
    return [
        say("some_vectors", done, counted(of, "passage", language), model)
        for model, (done, of) in one.vectors.items()
        if done < of
    ]
