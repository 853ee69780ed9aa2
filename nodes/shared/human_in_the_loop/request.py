"""A request to a person in the forms that clients know: LangChain's human-in-the-loop middleware and Agent Inbox."""

from typing import Any


def human_in_the_loop(action: str, args: dict[str, Any], description: str) -> dict[str, Any]:
    """The keys of an interrupt's value by which the pages of both show it."""
    return {
        "action_requests": [{"name": action, "args": args, "description": description}],
        "review_configs": [{"action_name": action, "allowed_decisions": ["approve", "edit", "reject"]}],
        "action_request": {"action": action, "args": args},
        "config": {"allow_accept": True, "allow_edit": True, "allow_respond": True, "allow_ignore": False},
        "description": description,
    }
