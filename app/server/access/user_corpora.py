"""Whose a corpus is: a user's are kept under names that tell his from others', and shown to him under their own.

What the command indexed is the operator's. Functions here block.
"""

import os
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final

from weiwo.app.server.access.profiles import profile_of
from weiwo.app.server.errors import not_found
from weiwo.graph.persistence.thread_lock import OPERATOR
from weiwo.state.settings import Context, Settings, SettingsError, check_client_fields, operator_defaults
from weiwo.tools.corpus.index.catalog import DEFAULT_NAME, corpus_exists, locate_by_name

USER_PREFIX: Final = "user-"
"""What the stored names of users' corpora begin with."""


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


def run_defaults(home: Path, user: str, chosen: Sequence[str] = ()) -> Context:
    """What counts for a user's run as if the operator's environment said so: his profile, and his documents.

    Args:
        home: The folder of Weiwo's own files.
        user: The user.
        chosen: The corpora he named, as they are kept; none: his all, beside what is searched for everybody.

    Raises:
        SettingsError: His profile cannot be used.
    """
    profile = profile_of(home, user)
    corpora: Sequence[str] = chosen
    if not chosen and user != OPERATOR and (own := own_corpora(home, user)):
        with operator_defaults(profile):
            everybodys = Settings.resolve().corpus
        corpora = [*(everybodys or filter(lambda name: corpus_exists(home, name), [DEFAULT_NAME])), *own.values()]
    return profile.model_copy(update={"corpus": list(corpora)}) if corpora else profile


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
