"""User profiles: the operator's settings in `users.toml` of Weiwo's home, and users' corpora.

    ["*"]                   # users without a table of their own; never the operator
    max_cost = 0.2

    [ann]
    max_model_calls = 20
    tokens_per_day = 500_000

A table holds fields of a run's `Context`, which count as if the environment said so, and the budget of a day.
"""

import os
import shutil
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final

from pydantic import Field, ValidationError
from starlette.requests import Request

from weiwo.app.server.errors import RequestError, not_found
from weiwo.graph.persistence.thread_lock import OPERATOR
from weiwo.nodes.memory.memory_store import client_user, local_user
from weiwo.state.settings import (
    Context,
    Settings,
    SettingsError,
    check_client_fields,
    describe_validation_error,
    operator_defaults,
)
from weiwo.text.chunking import chunk_text
from weiwo.tools.corpus.formats.markdown_tables import find_passage_tables
from weiwo.tools.corpus.formats.parts import Part, clean_text, detect_part_language, make_passages
from weiwo.tools.corpus.index.catalog import (
    DEFAULT_NAME,
    corpus_exists,
    locate_by_name,
    record_origin,
    replaces_sample,
)
from weiwo.tools.corpus.index.writer import IndexWriter
from weiwo.tools.corpus.records import Changes, Document
from weiwo.tools.corpus.source_names import find_sample_corpus
from weiwo.tools.tables.table_store import store_tables

USER: Final = "weiwo.user"
"""Under this name the guard leaves the user in a request's scope."""
LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})
"""Names of this machine, by which only itself can be reached."""


def user_of(request: Request) -> str:
    """Return the user of a request, or an empty string before a login."""
    return str(request.scope.get(USER, OPERATOR))


def memory_user(user: str, settings: Settings) -> str:
    """Return the name under which a user's memory is stored. The operator shares the memory of the command line."""
    return local_user(settings) if user == OPERATOR else client_user(user)


def require_operator(request: Request) -> None:
    """Require a request to come from the operator.

    Raises:
        RequestError: The request comes from another user.
    """
    if user_of(request) != OPERATOR:
        raise RequestError(404, "this route is for the operator only", "这一页只供管理员使用")


def is_loopback(host: str) -> bool:
    """Report whether an address belongs to this machine alone."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


FILE_NAME: Final = "users.toml"
_OTHERS: Final = "*"


class Profile(Context):
    """Operator's settings for a user: fields of each run, and daily budgets."""

    runs_per_day: int | None = Field(default=None, ge=0, description="Questions per day.")
    tokens_per_day: int | None = Field(default=None, ge=0, description="Input and output tokens per day.")
    cost_per_day: float | None = Field(default=None, ge=0, description="US dollars per day, where prices are known.")


def read_profiles(home: Path) -> dict[str, Profile]:
    """Read the profiles by user. Blocks.

    Raises:
        SettingsError: The file cannot be read or contains an invalid setting.
    """
    path = home / FILE_NAME
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise SettingsError(f"{path}: {error}; correct the file, or remove it") from None
    return {user: _read_profile(path, user, table) for user, table in tables.items()}


def profile_of(home: Path, user: str) -> Profile:
    """Return a user's profile: the table of that name, else the table "*". Blocks.

    The operator has no part in "*". Without a table, the profile sets nothing.

    Raises:
        SettingsError: As for `read_profiles`.
    """
    profiles = read_profiles(home)
    others = Profile() if user == OPERATOR else profiles.get(_OTHERS, Profile())
    return profiles.get(user, others)


def _read_profile(path: Path, user: str, table: Any) -> Profile:
    known = table if isinstance(table, dict) else {"": table}
    if unknown := sorted(known.keys() - Profile.model_fields.keys()):
        raise SettingsError(f"{path}: [{user}] {unknown[0][:60]!r} is not a setting; see docs/configuration.md")
    try:
        return Profile.model_validate(known)
    except ValidationError as error:
        raise SettingsError(f"{path}: [{user}] {describe_validation_error(error)}") from None


USER_PREFIX: Final = "user-"
"""Prefix of the storage names of users' corpora."""
_ATTACHED: Final = f"{USER_PREFIX}attached."


def stored_name(user: str, name: str) -> str:
    """Return the storage name of a user's corpus: `user-3f1c….reports` for the corpus `reports`.

    The corpora of the operator are stored under their own names.
    """
    return name if user == OPERATOR else f"{USER_PREFIX}{sha256(user.encode()).hexdigest()[:16]}.{name}"


def own_corpora(home: Path, user: str) -> dict[str, str]:
    """Return the corpora of a user: the user's names mapped to the storage names.

    An example is `{"reports": "user-3f1c….reports"}`.

    The operator has all corpora, those of other users under their storage names.
    """
    folder, prefix = locate_by_name(home).parent, stored_name(user, "")
    names = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    return {name.removeprefix(prefix): name for name in names if name.startswith(prefix) and corpus_exists(home, name)}


def choose_corpora(home: Path, user: str, names: Sequence[str]) -> list[str]:
    """Return the storage names of the corpora named by a user.

    The user's own corpora, and those of the operator if clients may choose a corpus.

    Raises:
        RequestError: A corpus does not exist for the user, or its storage name is also the path of a file, which the
            run would search instead.
    """
    own = own_corpora(home, user)
    if names and may_client_set("corpus"):
        own = {name: name for name in own_corpora(home, OPERATOR) if not name.startswith(USER_PREFIX)} | own
    for name in names:
        if name not in own or os.path.lexists(own[name]):
            raise not_found("corpus", name)
    return [own[name] for name in names]


def run_defaults(home: Path, user: str, chosen: Sequence[str] = (), attached: str = "") -> Context:
    """Return the defaults for a user's run: the profile and the documents.

    They count as if the operator's environment said so.

    Args:
        home: The folder of Weiwo's own files.
        user: The user.
        chosen: The storage names of the corpora the user named. Empty: all of the user's corpora, beside the documents
            searched for everybody.
        attached: The corpus of attached documents, which is searched too. Empty if nothing was attached.

    Raises:
        SettingsError: The user's profile cannot be used.
    """
    profile = profile_of(home, user)
    own = [*own_corpora(home, user).values()] if user != OPERATOR else []
    corpora = list(chosen)
    if not chosen and (own or attached):
        with operator_defaults(profile):
            everybodys = Settings.resolve().corpus
        usual = [DEFAULT_NAME] if replaces_sample(home) else [] if own else [str(find_sample_corpus())]
        corpora = [*(everybodys or usual), *own]
    corpora = [attached, *corpora] if attached else corpora
    return profile.model_copy(update={"corpus": corpora}) if corpora else profile


def index_attached(home: Path, run_id: str, attached: Sequence[Mapping[str, str]]) -> str:
    """Index the documents attached to a question for a single run, and return the corpus name.

    The documents keep the names given by the client.
    """
    name = f"{_ATTACHED}{run_id}"
    documents = []
    for item in attached:
        _, chunks = chunk_text(clean_text(item["text"]), markdown=True, name=item["name"])
        part, digest = Part(item["name"], make_passages(chunks, unit="")), sha256(item["text"].encode()).hexdigest()
        language = detect_part_language(part)
        tables, _ = store_tables(find_passage_tables(part.passages))
        document = Document(item["name"], item["name"], digest, len(item["text"]), 0, item["name"], "text", language)
        documents.append((replace(document, tables=tuple(tables)), part.passages))
    folder = locate_by_name(home, name)
    with IndexWriter(folder) as writer:
        writer.apply(Changes(put=documents))
    record_origin(folder, ())
    return name


def drop_attached(home: Path, run_id: str = "*") -> None:
    """Delete the attached documents of a finished run, or of all runs if no run is given."""
    for folder in (home / "corpora").glob(f"{_ATTACHED}{run_id}"):
        shutil.rmtree(folder, ignore_errors=True)


def may_client_set(field: str) -> bool:
    """Report whether the operator lets clients set a field, for example `corpus` or `model`."""
    try:
        check_client_fields({field: None}, os.environ)
    except SettingsError:
        return False
    return True


def named_corpora(context: Mapping[str, object]) -> list[str]:
    """Return the corpora named in a client's context, a list or a single name. Empty if it names none."""
    named = context.get("corpus")
    return [str(item) for item in named] if isinstance(named, list | tuple) else [str(named)] if named else []
