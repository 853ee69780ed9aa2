"""Plans as files, read from a file or edited in the user's editor.

A plan in the making is kept in a file of Weiwo's own folder until it is accepted, so that a mistake in it, a lost
connection or a second thought does not lose typed text. Lines at its top that begin with # are remarks.
"""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from weiwo.app.cli.errors import CommandError, UsageError
from weiwo.state.errors import WeiwoError
from weiwo.text.printable import one_line
from weiwo.tools.private_files import replace_private_file

_MAX_LENGTH: Final = 1_000_000
_REMARK: Final = ("#", "//")


class DraftError(WeiwoError, ValueError):
    """A text without a valid plan. The message is a single line."""


def parse(text: str) -> dict[str, Any]:
    """Return the plan in a text, after any lines of remarks at the top (# or //).

    The text is JSON: the plan itself, or an object with the plan in `plan`, for example a result.

    Raises:
        DraftError: There is no plan, or the text is too long to be a plan.
    """
    if len(text) > _MAX_LENGTH:
        raise DraftError(f"the plan has more than {_MAX_LENGTH:,} characters")
    lines = text.removeprefix("\ufeff").splitlines()
    while lines and (not lines[0].strip() or lines[0].lstrip().startswith(_REMARK)):
        lines[0:1] = []
    try:
        data = json.loads("\n".join(lines))
    except (ValueError, RecursionError) as error:
        raise DraftError(f"the plan is not valid JSON ({one_line(str(error), 100)})") from None
    if isinstance(data, dict) and isinstance(data.get("plan"), dict):
        data = data["plan"]
    if not isinstance(data, dict) or "vertices" not in data:
        raise DraftError("the file contains no plan, which is an object with `vertices`")
    return data


def read_plan(name: str) -> dict[str, Any]:
    """Read the plan in a file, or from standard input if the name is "-".

    Raises:
        UsageError: The file cannot be read, or holds no plan.
    """
    try:
        if name == "-":
            data = sys.stdin.buffer.read(4 * _MAX_LENGTH + 4)
        else:
            with Path(name).expanduser().open("rb") as file:
                data = file.read(4 * _MAX_LENGTH + 4)
        return parse(data.decode())
    except OSError as error:
        raise UsageError(f"--plan {name!r} cannot be read: {error.strerror}; choose another file") from None
    except UnicodeDecodeError:
        raise UsageError(f"--plan {name!r} is not UTF-8 text; convert it") from None
    except DraftError as error:
        raise UsageError(f"--plan {name!r}: {error}; correct it") from None


def edit(path: Path, plan: Mapping[str, Any], complaints: Iterable[str], remark: str) -> dict[str, Any] | None:
    """Let a person edit a plan. An unfinished draft is continued.

    Args:
        path: The draft. It stays until the caller removes it.
        plan: The plan to begin with.
        complaints: The errors in the draft, put above it.
        remark: Instructions, put above it as well.

    Returns:
        The edited plan, or None if nothing was changed. In that case the draft is removed.

    Raises:
        DraftError: The text is no plan. The draft is kept.
        CommandError: There is no editor, or no place for the draft.
    """
    original = json.dumps(plan, ensure_ascii=False, indent=2)
    try:
        body = _without_remarks(path.read_text("utf-8", "replace")) if path.exists() else original
        head = [f"# {line}" for line in (*(f"! {one_line(complaint, 500)}" for complaint in complaints), remark)]
        begun = path.exists()
        replace_private_file(path, ("\n".join([*head, body]) + "\n").encode())
        try:
            _open_editor(path)
        except CommandError:
            if not begun:
                path.unlink()
            raise
        text = path.read_text("utf-8", "replace")
        if _without_remarks(text).strip() == original.strip():
            path.unlink()
            return None
    except OSError as error:
        raise CommandError(
            f"the draft {path} cannot be used: {error.strerror}; give the plan as a file with --plan FILE"
        ) from None
    return parse(text)


def _without_remarks(text: str) -> str:
    lines = text.splitlines()
    while lines and lines[0].startswith(_REMARK):
        lines[0:1] = []
    return "\n".join(lines)


def _open_editor(path: Path) -> None:
    """Open a file in the user's editor. Raises CommandError if the editor does not start.

    The exit code of the editor does not matter, only the text does.
    """
    command = os.environ.get("VISUAL", "").strip() or os.environ.get("EDITOR", "").strip() or "vi"
    try:
        subprocess.run([*shlex.split(command), str(path)], check=False)  # noqa: S603 - the user's own editor
    except (OSError, ValueError) as error:
        raise CommandError(f"the editor {command!r} could not be started: {error}; set EDITOR") from None
