"""Names among the settings: the roles that models are chosen for, and the fields of `Context` of one kind."""

from typing import Final

from weiwo.state.errors import WeiwoError

AGENTS: Final = ("master", "planner", "executor", "reflection", "writer")
ROLES: Final = (*AGENTS, "verifier")
"""What a chat model can be chosen for."""
MODEL_FIELDS: Final = frozenset({"model", *(f"{role}_model" for role in ROLES)})
FILTER_FIELDS: Final = {"site": "sites", "not_site": "not_sites", "since": "since", "folder": "folders"}
"""The fields that restrict sources, with what they are called in a `SourceFilter`."""
LIST_FIELDS: Final = ("tools", "search", "allow_hosts", "allow_tools")
"""The fields that hold a list of names, without those that restrict sources."""
FLAG_FIELDS: Final = frozenset(
    {"web", "telemetry", "approve_plan", "clarify", "fresh", "allow_acting", "plan_memory", "answer_memory"}
)


class SettingsError(WeiwoError, ValueError):
    """A setting that cannot be used. The message is one line: which, why, what to do."""
