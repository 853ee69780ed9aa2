"""Command group of `weiwo`: the table of commands, former names, and questions without a command."""

from difflib import get_close_matches
from typing import Any, Final

from weiwo.app.cli.lazy_group import CommandEntry, LazyGroup
from weiwo.app.cli.output import say

_DEVELOPERS: Final = "For developers"
_COMMANDS: Final = {
    "ask": CommandEntry("weiwo.app.cli.questions.ask", "Ask a question. Each claim of the answer links to a source."),
    "search": CommandEntry(
        "weiwo.app.cli.documents.search", "Search the documents: passages only, no plan, no answer."
    ),
    "index": CommandEntry("weiwo.app.cli.documents.index", "Index documents. A second run reads only changed files."),
    "serve": CommandEntry("weiwo.app.cli.serve", "Serve the page, LangGraph's API, and OpenAI's, on this machine."),
    "setup": CommandEntry("weiwo.app.cli.setup.setup", "Find, test and set up a model (Ollama, vLLM, keys, …)."),
    "doctor": CommandEntry("weiwo.app.cli.setup.doctor", "Report the setup, missing parts and their benefits."),
    "show": CommandEntry("weiwo.app.cli.threads.show", "Show a thread: question, plan, outcomes, answer, cost."),
    "resume": CommandEntry("weiwo.app.cli.questions.resume", "Resume an interrupted run, or answer a pending request."),
    "check": CommandEntry(
        "weiwo.app.cli.questions.check", "Check an answer again by its proof file (ask -o answer.weiwo)."
    ),
    "refresh": CommandEntry(
        "weiwo.app.cli.threads.refresh", "Refresh answers after changes in the sources (for cron)."
    ),
    "threads": CommandEntry(
        "weiwo.app.cli.threads.thread_list", "List threads, latest change first, or remove threads."
    ),
    "memory": CommandEntry(
        "weiwo.app.cli.memory.wishes", "Manage the memory: preferences, answers, plans, procedures."
    ),
    "corpus": CommandEntry("weiwo.app.cli.documents.corpus", "List the corpora with size and age, or remove a corpus."),
    "tools": CommandEntry("weiwo.app.cli.tools", "List tools and MCP servers with health, use and failures."),
    "mcp": CommandEntry("weiwo.app.cli.mcp", "Serve Weiwo as an MCP server: ask, search and read_document."),
    "eval": CommandEntry("weiwo.app.cli.evaluation.commands", "Evaluate on labelled sets.", _DEVELOPERS),
    "stats": CommandEntry(
        "weiwo.app.cli.documents.stats", "Summarize retrievals and spending, kept on this machine.", _DEVELOPERS
    ),
    "feedback": CommandEntry(
        "weiwo.app.cli.questions.feedback", "Rate an answer as good or bad; saved on this machine.", _DEVELOPERS
    ),
    "trust": CommandEntry(
        "weiwo.app.cli.setup.trust",
        "Show the effect of this folder's .env, and trust it from now on.",
        _DEVELOPERS,
    ),
}
"""The commands in the order in which help lists them."""
_RENAMED: Final = {
    "corpora": ("corpus",),
    "telemetry": ("stats",),
    "plans": ("memory", "plans"),
    "procedures": ("memory", "procedures"),
}
"""Commands by their former names: `weiwo corpora` is now `weiwo corpus`."""
_RENAMED_OPTIONS: Final[dict[str, dict[str, str]]] = {
    "search": {"-k": "-n"},
    "index": {"--name": "--corpus"},
    "threads": {"--limit": "-n"},
    "feedback": {"--words": "--note"},
}
"""For each command, the present names of its options by their former names."""
_REMOVED: Final = {
    "watch": "standing questions are no longer supported; use cron to run weiwo ask --fresh --json; weiwo "
    "memory lists yours",
}
"""Commands of earlier versions, with what to do instead."""
_ALIKE: Final = 0.8
"""Similarity from 0 to 1. From this value on, the first of several words counts as a misspelt command."""


class CommandGroup(LazyGroup):
    """The `weiwo` command itself. Words without a command name are treated as a question."""

    places = _COMMANDS
    removed = _REMOVED
    renamed_options = _RENAMED_OPTIONS

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments. Adds `ask` if a question or its options are given without a command."""
        own = {name for param in self.get_params(ctx) for name in param.opts}
        if args and args[0] not in own and self.is_question(args):
            args = ["ask", *args]
        elif args and args[0] in _RENAMED:
            now = _RENAMED[args[0]]
            say(f"weiwo {args[0]} is now weiwo {' '.join(now)}")
            args = [*now, *args[1:]]
        return super().parse_args(ctx, args)

    def is_question(self, args: list[str]) -> bool:
        """Report whether the arguments are a question for `ask`.

        This holds if the first word is an option of `ask`, or is neither a command, a former command nor a misspelt
        command. So `weiwo who won` is a question, and `weiwo serch x` is not, because "serch" is close to `search`. A
        single word of ASCII letters is never a question.
        """
        first = args[0]
        if first.startswith("-"):
            return True
        if first in self.places or first in _RENAMED or first in self.removed:
            return False
        if len(first.split()) > 1 or not first.isascii():
            return True
        alike = get_close_matches(first, [name for name in self.places if name[0] == first[:1]], 1, _ALIKE)
        return len(args) > 1 and not args[1].startswith("-") and not alike
