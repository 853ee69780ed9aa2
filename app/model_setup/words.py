"""Phrases of the set-up, in the language of this machine's user."""

from typing import Final

from weiwo.app.render.labels import in_system_language
from weiwo.models.local_servers import REPLY_SECONDS, ServerProblem
from weiwo.text.localization import localized_section

word: Final = in_system_language(localized_section("cli.setup"))
"""Return a phrase of the set-up by its name, with the values filled in."""


def describe_problem(problem: ServerProblem | None) -> str:
    """Describe a server's problem in one line. Empty for None."""
    if problem is None:
        return ""
    match problem.kind:
        case "no_model":
            return word("no_model")
        case "broken_off":
            return word("broken_off", problem.detail)
        case "silent":
            return word("silent", REPLY_SECONDS, problem.detail) + (word("container") if problem.inside else "")
        case "refused":
            return problem.detail
