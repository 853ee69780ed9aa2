"""Whose a corpus is: a user's are kept under names that tell his from others', and shown to him under their own.

What the command indexed is the operator's. Functions here block.
"""

import os
import shutil
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final

from weiwo.app.server.access.profiles import profile_of
from weiwo.app.server.errors import not_found
from weiwo.graph.persistence.thread_lock import OPERATOR
from weiwo.state.settings import Context, Settings, SettingsError, check_client_fields, operator_defaults
from weiwo.text.chunking import chunk_text
from weiwo.tools.corpus.formats.parts import Part, clean_text, detect_part_language, make_passages
from weiwo.tools.corpus.index.catalog import DEFAULT_NAME, corpus_exists, locate_by_name, record_roots
from weiwo.tools.corpus.index.writer import IndexWriter
from weiwo.tools.corpus.records import Changes, Document
from weiwo.tools.corpus.source_names import find_sample_corpus

USER_PREFIX: Final = "user-"
"""What the stored names of users' corpora begin with."""
_ATTACHED: Final = f"{USER_PREFIX}attached."


def stored_name(user: str, name: str) -> str:
    """The name that a user's corpus is kept under."""
    return name if user == OPERATOR else f"{USER_PREFIX}{sha256(user.encode()).hexdigest()[:16]}.{name}"


def own_corpora(home: Path, user: str) -> dict[str, str]:
    """The corpora of a user: the name he knows, and that which it is kept under. The operator has all."""
    folder, prefix = locate_by_name(home).parent, stored_name(user, "")
    names = sorted(one.name for one in folder.iterdir()) if folder.is_dir() else []
    return {one.removeprefix(prefix): one for one in names if one.startswith(prefix) and corpus_exists(home, one)}


def choose_corpora(home: Path, user: str, names: Sequence[str]) -> list[str]:
    """The corpora that a user named, as they are kept.

    Raises:
        RequestError: One is not his, nor opened to clients by the operator; or a file of that name would be meant.
    """
    own = own_corpora(home, user)
    if names and _opened():
        own = {name: name for name in own_corpora(home, OPERATOR) if not name.startswith(USER_PREFIX)} | own
    for name in names:
        if name not in own or os.path.lexists(own[name]):
            raise not_found("corpus", name)
    return [own[name] for name in names]


def run_defaults(home: Path, user: str, chosen: Sequence[str] = (), attached: str = "") -> Context:
    """What counts for a user's run as if the operator's environment said so: his profile, and his documents.

    Args:
        home: The folder of Weiwo's own files.
        user: The user.
        chosen: The corpora he named, as they are kept; none: his all, beside what is searched for everybody.
        attached: The corpus of what he sent along, which is searched beside them; empty: he sent nothing.

    Raises:
        SettingsError: His profile cannot be used.
    """
    profile = profile_of(home, user)
    own = [*own_corpora(home, user).values()] if user != OPERATOR else []
    corpora = list(chosen)
    if not chosen and (own or attached):
        with operator_defaults(profile):
            everybodys = Settings.resolve().corpus
        usual = [DEFAULT_NAME] if corpus_exists(home, DEFAULT_NAME) else [] if own else [str(find_sample_corpus())]
        corpora = [*(everybodys or usual), *own]
    corpora = [attached, *corpora] if attached else corpora
    return profile.model_copy(update={"corpus": corpora}) if corpora else profile


def index_attached(home: Path, run_id: str, attached: Sequence[Mapping[str, str]]) -> str:
    """Index what a client sent along with a question, under the names he gave, for one run; the corpus's name."""
    name = f"{_ATTACHED}{run_id}"
    documents = []
    for one in attached:
        _, chunks = chunk_text(clean_text(one["text"]), markdown=True, name=one["name"])
        part, digest = Part(one["name"], make_passages(chunks, unit="")), sha256(one["text"].encode()).hexdigest()
        language = detect_part_language(part)
        document = Document(one["name"], one["name"], digest, len(one["text"]), 0, one["name"], "text", language)
        documents.append((document, part.passages))
    folder = locate_by_name(home, name)
    with IndexWriter(folder) as writer:
        writer.apply(Changes(put=documents))
    record_roots(folder, ())
    return name


def drop_attached(home: Path, run_id: str = "*") -> None:
    """Delete what a client sent along with a run, once that has ended; without one, all that was left behind."""
    for folder in (home / "corpora").glob(f"{_ATTACHED}{run_id}"):
        shutil.rmtree(folder, ignore_errors=True)


def _opened() -> bool:
    """Whether the operator lets clients name his own corpora."""
    try:
        check_client_fields({"corpus": []}, frozenset(Context.model_fields), os.environ)
    except SettingsError:
        return False
    return True


def named_corpora(context: Mapping[str, object]) -> list[str]:
    """The corpora that a client's context names."""
    named = context.get("corpus")
    return [str(one) for one in named] if isinstance(named, list | tuple) else [str(named)] if named else []
