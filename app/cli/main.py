"""The `weiwo` command: subcommands, configuration read before a subcommand, and exit.

The module of a command is imported when its name is used, so that `weiwo --help` is quick.
"""

import gc
import os
import sys
import traceback
from contextlib import suppress
from typing import Annotated, Any, NoReturn

import typer

from weiwo.app.cli.command_group import CommandGroup
from weiwo.app.cli.errors import FAILED, INTERRUPTED, USAGE, CommandError
from weiwo.app.cli.output import prepare, say, write
from weiwo.app.configuration.config_file import apply_config
from weiwo.app.configuration.env_file import apply_env_file, read_env_file
from weiwo.app.errors import AppError, MisuseError
from weiwo.state.environment import SettingsError, home
from weiwo.state.errors import WeiwoError
from weiwo.tools.private_files import close_home

app = typer.Typer(
    name="weiwo",
    cls=CommandGroup,
    help='AI search that plans before it searches. weiwo "a question" asks; -c continues the last thread.',
    epilog="Exit codes: 0 complete or extracts, 3 partial or unsourced, 4 waiting for you, 1 failed, 2 "
    "wrong usage, 130 stopped.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(given: Any) -> None:
    if given:
        from importlib.metadata import version  # noqa: PLC0415 - it takes as long as all else here

        write(f"weiwo {version('weiwo')}\n")
        raise typer.Exit


@app.callback()
def start(
    context: typer.Context,
    *,
    _version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """Read `.env` of the working directory, then the user's own `config.toml`. Existing values win."""
    if os.path.lexists(".env"):
        file = read_env_file()
        apply_env_file(file)
        if file.complaint and context.invoked_subcommand not in {"trust", "doctor"}:
            say(file.complaint)
    if context.invoked_subcommand != "doctor" and home().exists() and not home().is_dir():
        raise SettingsError(f"WEIWO_HOME: {home()} is a file; set it to a folder")
    close_home(home())
    if (home() / "config.toml").exists():
        apply_config()


def main() -> NoReturn:
    """Run the command and exit."""
    prepare()
    try:
        code = app(prog_name="weiwo", standalone_mode=False)
    except Exception as error:  # noqa: BLE001 - the last line of defence: a line and an exit code
        code = _tell_failure(error)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _silence_output()
    gc.freeze()  # the interpreter's last collection would look through all that was imported: a sixth of a run
    sys.exit(code if isinstance(code, int) else 0)


def _tell_failure(error: Exception) -> int:
    """Print an error on a single line and return the exit code. A closed pipe ends the command silently."""
    if isinstance(error, BrokenPipeError):  # whoever read our output has had enough
        _silence_output()
        return FAILED
    if os.environ.get("WEIWO_DEBUG", "") not in {"", "0"}:
        traceback.print_exception(error)
    if isinstance(error, CommandError):
        say(str(error))
        return error.code
    if isinstance(error, AppError):
        say(str(error))
        return USAGE if isinstance(error, MisuseError) else FAILED
    if isinstance(error, typer.TyperException):
        message = error.format_message().strip()
        if message.startswith("Usage:"):  # no command was given: this is the help
            write(f"{message}\n")
        elif message:
            command = getattr(getattr(error, "ctx", None), "command_path", "weiwo")
            say(f"{message.rstrip('.')}; see {command} --help")
        return USAGE
    if isinstance(error, typer.Abort):  # Ctrl-C while the program was still starting
        say("stopped before anything began")
        return INTERRUPTED
    if isinstance(error, WeiwoError):  # one line that says what to do
        say(str(error))
        return USAGE if isinstance(error, SettingsError) else FAILED
    if isinstance(error, OSError) and error.filename is not None:
        say(
            f"cannot use {error.filename}: {error.strerror}; check its permissions, or set WEIWO_HOME to another folder"
        )
        return FAILED
    say(
        f"Internal error: {type(error).__name__}: {error}. Set WEIWO_DEBUG=1 for a traceback, or run "
        "weiwo doctor to check the setup."
    )
    return FAILED


def _silence_output() -> None:
    """Redirect output, so the interpreter does not report the closed pipe again at exit."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
