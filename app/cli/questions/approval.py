"""Approval of a plan by a person: approve, edit or send back."""

from pathlib import Path
from typing import Any, Final

from rich.text import Text

from weiwo.app.cli.errors import CommandError
from weiwo.app.cli.output import hint, screen, terminal
from weiwo.app.cli.questions.plan_files import DraftError, edit
from weiwo.app.cli.questions.requests import QUIT, RequestKind, confirm, language_of, read_line
from weiwo.app.render.labels import label
from weiwo.app.render.plan_tree import plan_tree
from weiwo.app.render.progress import Progress
from weiwo.app.render.text_wrapping import Flow
from weiwo.app.session.session import APPROVE, RunEnd
from weiwo.state.environment import home
from weiwo.text.printable import one_line, printable

_APPROVE: Final = frozenset({"a", "approve", "y", "yes", "批准", "同意", "好", "是"})
_EDIT: Final = frozenset({"e", "edit", "编辑", "修改"})
_REJECT: Final = frozenset({"r", "reject", "n", "no", "驳回", "退回", "不"})


def _fields(ended: RunEnd) -> dict[str, Any]:
    """Return the plan, the finished tasks and the note, as in `$defs/waiting` of the result's schema."""
    request = ended.request
    return {
        "plan": request.get("plan"),
        "finished": request.get("finished", {}),
        "note": request.get("note", ""),
    }


def draw(ended: RunEnd, progress: Progress) -> None:
    """Draw the plan with the tool calls of the tasks and the note of the planner."""
    console, language = screen(), language_of(progress)
    title = Text(label(language, "plan"), "bold")
    console.print(plan_tree(progress, title, language, ascii_only=console.options.ascii_only))
    if note := str(ended.request.get("note") or ""):
        console.print(Flow(Text(printable(note), "yellow")))


def draft_of(ended: RunEnd) -> Path:
    """Return the file that keeps a plan being edited, one for each thread and revision of the plan."""
    revision = (ended.request.get("plan") or {}).get("revision", 0)
    name = ended.thread_id.replace(":", "_")  # which Windows allows in no file name
    return home() / "drafts" / f"{name}-{revision}.json"


def _converse(ended: RunEnd, language: str) -> Any:
    complaints: list[str] = []
    while True:
        for complaint in complaints:
            terminal().print(Flow(Text(f"! {one_line(complaint, 500)}", "red"), indent=2))
        command, _, rest = read_line(label(language, "approve_prompt")).partition(" ")
        word = command.casefold()
        if word in _APPROVE:
            return APPROVE
        if word in QUIT:
            return None
        if word in _EDIT:
            try:
                remark = label(language, "draft_remark")
                told = complaints or ended.complaints
                plan = edit(draft_of(ended), ended.request.get("plan") or {}, told, remark)
            except (DraftError, CommandError) as error:
                complaints = [str(error)]
                continue
            if plan is not None:
                return {"plan": plan}
            terminal().print(Text(label(language, "unchanged"), "dim"))
            complaints = []
        elif word in _REJECT:
            if words := rest.strip() or read_line(label(language, "reject_prompt")):
                return {"reject": words}
        elif word and confirm(label(language, "words_prompt"), default=False):
            return {"reject": f"{command} {rest}".strip()}


def tell_draft(ended: RunEnd) -> None:
    """Print where the draft of an edited plan is, if there is one, to a person who decides later."""
    draft = draft_of(ended)
    if draft.exists():
        hint(
            f"your edited plan is saved in {draft}; run weiwo resume {ended.thread_id} --plan {draft}, or "
            "edit it again when asked"
        )


APPROVAL: Final = RequestKind(
    answers="--approve, --plan FILE or --reject WORDS",
    subject="the plan",
    waits=lambda _: "the plan waits for approval",
    fields=_fields,
    draw=draw,
    converse=_converse,
)
