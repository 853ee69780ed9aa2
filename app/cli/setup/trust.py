"""`weiwo trust`: the user's consent to the exact settings of a folder's `.env`.

The consent is given once and holds for these settings only.
"""

import sys
from pathlib import Path
from typing import Annotated

import typer

from weiwo.app.cli.errors import UsageError
from weiwo.app.cli.help_command import PanelCommand
from weiwo.app.cli.output import YES, write
from weiwo.app.configuration.env_file import describe_effect, digest, read_env_file, read_trusted, write_trusted
from weiwo.text.printable import is_secret, one_line

app = typer.Typer()


@app.command(cls=PanelCommand)
def trust(
    *,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    listed: Annotated[bool, typer.Option("--list", help="List the trusted folders.")] = False,
    revoke: Annotated[str | None, typer.Option("--revoke", metavar="FOLDER", help="Stop trusting this folder.")] = None,
) -> None:
    """Show the effect of this folder's .env, and trust it from now on."""
    if (revoke is not None) + yes + listed > 1:
        raise UsageError("--list, --revoke and --yes cannot be combined; use one of them")
    trusted = read_trusted()
    if listed:
        write("".join(f"{one_line(folder, 1_000)}\n" for folder in sorted(trusted)) or "no folder is trusted\n")
    elif revoke is not None:
        folder = str(Path(revoke).expanduser().resolve())
        if trusted.pop(folder, None) is None:
            raise UsageError(
                f"--revoke {revoke!r}: this folder is not trusted; weiwo trust --list shows the trusted folders"
            )
        write_trusted(trusted)
        write(f"{one_line(folder, 1_000)} is no longer trusted\n")
    else:
        _trust_this_folder(trusted, yes=yes)


def _trust_this_folder(trusted: dict[str, str], *, yes: bool) -> None:
    file = read_env_file()
    folder = str(file.path.parent.resolve())
    if file.trusted:
        write("this folder is trusted\n" if file.risky else "nothing here needs trust\n")
        return
    for name, value in file.risky.items():
        shown = "(not shown)" if is_secret(name) else one_line(value, 300)
        write(f"{one_line(name, 100)}={shown}\n    {describe_effect(name, value)}\n")
    if not yes:
        if not sys.stdin.isatty():
            raise UsageError("no terminal for a confirmation; read the lines above, then run weiwo trust --yes")
        write("Use these settings whenever weiwo runs in this folder? [y/N] ")
        if sys.stdin.readline().strip().lower() not in YES | {"信任"}:
            write("not trusted\n")
            return
    write_trusted({**trusted, folder: digest(file.risky)})
    write(f"{one_line(folder, 1_000)} is trusted with these settings; to undo, run weiwo trust --revoke .\n")
