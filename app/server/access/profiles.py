"""Users: what the operator sets for their runs in `users.toml` of Weiwo's home, their corpora, and day budgets.

    ["*"]                   # whoever has no table of his own; never the operator
    max_cost = 0.2

    [ann]
    max_model_calls = 20
    tokens_per_day = 500_000

A table holds fields of a run's `Context`, which count as if the environment said so, and the budget of a day: from one
midnight (UTC) to the next, beside the limits of each run. A question counts when it is asked, a model call when it has
ended. A run is given what is left of the day, so that runs which work at the same time exceed a budget by no more than
one another's share.
"""

import asyncio
import os
import shutil
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final

from pydantic import Field, ValidationError
from starlette.requests import Request

from weiwo.app.server.errors import RequestError, not_found
from weiwo.app.server.metrics import count_model_call
from weiwo.app.server.storage.records import Records, Spending
from weiwo.graph.persistence.thread_lock import OPERATOR
from weiwo.models.budget import listen_to_calls
from weiwo.models.prices import cost_of, price_of
from weiwo.nodes.memory.memory_store import client_user, local_user
from weiwo.state.limits import ModelCall, Usage
from weiwo.state.settings import (
    Context,
    Settings,
    SettingsError,
    check_client_fields,
    describe_validation_error,
    operator_defaults,
)
from weiwo.text.chunking import chunk_text
from weiwo.tools.corpus.formats.parts import Part, clean_text, detect_part_language, make_passages
from weiwo.tools.corpus.index.catalog import DEFAULT_NAME, corpus_exists, locate_by_name, record_roots
from weiwo.tools.corpus.index.writer import IndexWriter
from weiwo.tools.corpus.records import Changes, Document
from weiwo.tools.corpus.source_names import find_sample_corpus

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


_COUNTED: Final = {"runs": "questions", "tokens": "tokens", "cost": "US dollars"}
"""What is counted, and its unit; the fields of a budget are these, `_per_day`."""


class DayBudgets:
    """The budgets of a server's users, and what they have spent.

    Args:
        records: Where what is spent is kept.
        settings: The operator's settings: where the profiles are, and prices.
    """

    def __init__(self, records: Records, settings: Settings) -> None:
        self._records, self._settings = records, settings
        self._writing: set[asyncio.Task[None]] = set()

    async def admit(self, user: str, *, asks: bool) -> None:
        """See that something is left of a user's day, and count the question.

        Args:
            user: The user.
            asks: Whether a question is asked; what goes on with one counts no question.

        Raises:
            RequestError: Nothing is left; it says when the next day begins.
            SettingsError: His profile cannot be used.
        """
        now = time.time()
        profile, spent = await self._day(user, now)
        _require_budget(profile, spent, asks=asks, now=now)
        if asks:
            await self._records.add_spending(user, _day_of(now), Spending(runs=1))

    async def limit(self, user: str, profile: Context, context: Context, before: Usage) -> Context:
        """What the operator sets for a run, its limits lowered to what is left of its user's day.

        Args:
            user: The user.
            profile: What the operator sets for the run.
            context: What the client set.
            before: What the question has spent already, which its limits count.

        Raises:
            SettingsError: The user's profile cannot be used.
        """
        budget, spent = await self._day(user, time.time())
        if budget.tokens_per_day is None and budget.cost_per_day is None:
            return profile
        with operator_defaults(profile):
            limits = Settings.resolve(Context(depth=context.depth)).limits
        lowered: dict[str, Any] = {}
        if budget.tokens_per_day is not None:
            left = max(0, budget.tokens_per_day - spent.tokens) + before.input_tokens + before.output_tokens
            lowered["max_tokens"] = min(left, limits.max_tokens)
        if budget.cost_per_day is not None:
            left_cost = max(0.0, budget.cost_per_day - spent.cost) + before.cost
            lowered["max_cost"] = left_cost if limits.max_cost is None else min(left_cost, limits.max_cost)
        return profile.model_copy(update=lowered)

    @contextmanager
    def counted(self, user: str) -> Iterator[None]:
        """Count what a user's model calls within take, also those that are cancelled midway."""
        loop = asyncio.get_running_loop()

        def write(call: ModelCall) -> None:
            writing = loop.create_task(self._count(user, call))
            self._writing.add(writing)
            writing.add_done_callback(self._writing.discard)

        with listen_to_calls(lambda call: _call_on(loop, write, call)):
            yield

    async def settle(self) -> None:
        """Wait until all that was spent is kept."""
        if self._writing:
            await asyncio.wait(set(self._writing))

    async def _count(self, user: str, call: ModelCall) -> None:
        tokens = call.input_tokens, call.output_tokens
        cost = cost_of(price_of(self._settings, call.model), *tokens)
        count_model_call(*tokens, cost)
        await self._records.add_spending(user, _day_of(time.time()), Spending(0, sum(tokens), cost))

    async def describe(self, user: str) -> dict[str, Any]:
        """A user's day: what is spent, of how much, and when the next begins.

        Raises:
            SettingsError: His profile cannot be used.
        """
        now = time.time()
        profile, spent = await self._day(user, now)
        budget = {f"{name}_per_day": getattr(profile, f"{name}_per_day") for name in _COUNTED}
        return {**spent._asdict(), **budget, "ends": _next_day(now).isoformat(timespec="seconds")}

    async def _day(self, user: str, now: float) -> tuple[Profile, Spending]:
        profile = await asyncio.to_thread(profile_of, Path(self._settings.home), user)
        return profile, await self._records.spending(user, _day_of(now))


def _require_budget(profile: Profile, spent: Spending, *, asks: bool, now: float) -> None:
    """See that something is left of a day.

    Args:
        profile: Holds the budget.
        spent: What was spent on the day.
        asks: Whether a question is asked.
        now: Seconds of the epoch.

    Raises:
        RequestError: Nothing is left; it says when the next day begins.
    """
    for name, unit in _COUNTED.items():
        most, used = getattr(profile, f"{name}_per_day"), getattr(spent, name)
        if most is None or used < most or (name == "runs" and not asks):
            continue
        opens = _next_day(now)
        raise RequestError(
            429,
            f"the run; your {unit} of today are spent ({used:,.6g} of {most:,.6g}, {name}_per_day); ask again from"
            f" {opens:%Y-%m-%d %H:%M} UTC on",
            retry_after=int(opens.timestamp() - now) + 1,
        )


def _call_on(loop: asyncio.AbstractEventLoop, write: Callable[[ModelCall], None], call: ModelCall) -> None:
    """Call a function on a loop: at once where it is this thread's, else soon."""
    try:
        here = asyncio.get_running_loop() is loop
    except RuntimeError:
        here = False
    if here:
        write(call)
    else:
        loop.call_soon_threadsafe(write, call)


def _day_of(now: float) -> str:
    return datetime.fromtimestamp(now, UTC).date().isoformat()


def _next_day(now: float) -> datetime:
    day = datetime.fromtimestamp(now, UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return day + timedelta(days=1)
