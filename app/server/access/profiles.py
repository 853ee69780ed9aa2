"""Users: what the operator sets for their runs in `users.toml` of Weiwo's home, and their corpora.

    ["*"]                   # whoever has no table of his own; never the operator
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
    """The user whose request this is; empty before a login."""
    return str(request.scope.get(USER, OPERATOR))


def memory_user(user: str, settings: Settings) -> str:
    """Whose memory a user's is: the operator's is the one that the command line uses."""
    return local_user(settings) if user == OPERATOR else client_user(user)


def require_operator(request: Request) -> None:
    """See that a request is the operator's.

    Raises:
        RequestError: It is another user's.
    """
    if user_of(request) != OPERATOR:
        raise RequestError(404, "the route; it is the operator's alone", "这一页只供管理员使用")


def is_loopback(host: str) -> bool:
    """Whether an address is this machine's own alone."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


FILE_NAME: Final = "users.toml"
_OTHERS: Final = "*"


class Profile(Context):
    """What the operator sets for a user: fields of each run, and what he may spend a day."""

    runs_per_day: int | None = Field(default=None, ge=0, description="Questions a day.")
    tokens_per_day: int | None = Field(default=None, ge=0, description="Input and output tokens a day.")
    cost_per_day: float | None = Field(default=None, ge=0, description="US dollars a day, where prices are known.")


def read_profiles(home: Path) -> dict[str, Profile]:
    """The profiles there are, by user; blocks.

    Raises:
        SettingsError: The file cannot be read, or says what is no setting.
    """
    path = home / FILE_NAME
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise SettingsError(f"{path}: {error}; mend the file, or remove it") from None
    return {user: _read_profile(path, user, table) for user, table in tables.items()}


def profile_of(home: Path, user: str) -> Profile:
    """A user's profile; blocks.

    Raises:
        SettingsError: As for `read_profiles`.
    """
    profiles = read_profiles(home)
    others = Profile() if user == OPERATOR else profiles.get(_OTHERS, Profile())
    return profiles.get(user, others)


def _read_profile(path: Path, user: str, table: Any) -> Profile:
    known = table if isinstance(table, dict) else {"": table}
    if unknown := sorted(known.keys() - Profile.model_fields.keys()):
        raise SettingsError(f"{path}: [{user}] {unknown[0][:60]!r} is no setting; see docs/configuration.md")
    try:
        return Profile.model_validate(known)
    except ValidationError as error:
        raise SettingsError(f"{path}: [{user}] {describe_validation_error(error)}") from None


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
    if names and may_client_set("corpus"):
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
        usual = [DEFAULT_NAME] if replaces_sample(home) else [] if own else [str(find_sample_corpus())]
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
        tables, _ = store_tables(find_passage_tables(part.passages))
        document = Document(one["name"], one["name"], digest, len(one["text"]), 0, one["name"], "text", language)
        documents.append((replace(document, tables=tuple(tables)), part.passages))
    folder = locate_by_name(home, name)
    with IndexWriter(folder) as writer:
        writer.apply(Changes(put=documents))
    record_origin(folder, ())
    return name


def drop_attached(home: Path, run_id: str = "*") -> None:
    """Delete what a client sent along with a run, once that has ended; without one, all that was left behind."""
    for folder in (home / "corpora").glob(f"{_ATTACHED}{run_id}"):
        shutil.rmtree(folder, ignore_errors=True)


def may_client_set(field: str) -> bool:
    """Whether the operator lets clients set a field, such as `corpus` or `model`."""
    try:
        check_client_fields({field: None}, os.environ)
    except SettingsError:
        return False
    return True


def named_corpora(context: Mapping[str, object]) -> list[str]:
    """The corpora that a client's context names."""
    named = context.get("corpus")
    return [str(one) for one in named] if isinstance(named, list | tuple) else [str(named)] if named else []
