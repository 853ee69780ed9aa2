"""Failures of the command: one line on standard error, and an exit code. Never a traceback, unless it is asked for."""

import os
import sys
from contextlib import suppress

import typer

from weiwo.app.cli.errors import FAILED, INTERRUPTED, USAGE, CommandError
from weiwo.app.cli.output import say
from weiwo.app.errors import AppError, MisuseError
from weiwo.state.errors import WeiwoError


def tell_failure(error: Exception) -> int:
    """Say on one line what went wrong; returns the exit code."""
    if isinstance(error, BrokenPipeError):  # whoever read our output has had enough
        silence_output()
        return FAILED
    if os.environ.get("WEIWO_DEBUG", "") not in {"", "0"}:
        import traceback  # noqa: PLC0415 - upon need

        traceback.print_exception(error)
    if isinstance(error, CommandError):
        say(str(error))
        return error.code
    if isinstance(error, AppError):
        say(str(error))
        return USAGE if isinstance(error, MisuseError) else FAILED
    if isinstance(error, typer.TyperException):
        if message := error.format_message().strip():
            command = getattr(getattr(error, "ctx", None), "command_path", "weiwo")
            say(f"{message.rstrip('.')}; see {command} --help")
        return USAGE
    if isinstance(error, typer.Abort):  # Ctrl-C while the program was still starting
        say("stopped; nothing had begun")
        return INTERRUPTED
    from weiwo.state.settings import SettingsError  # noqa: PLC0415 - heavy

    if isinstance(error, WeiwoError):  # one line that says what to do
        say(str(error))
        return USAGE if isinstance(error, SettingsError) else FAILED
    if isinstance(error, OSError) and error.filename is not None:
        say(f"cannot use {error.filename}; {error.strerror}; see its permissions, or set WEIWO_HOME to another folder")
        return FAILED
    say(f"it broke off; {type(error).__name__}: {error}; WEIWO_DEBUG=1 shows where, weiwo doctor what is set up")
    return FAILED


def silence_output() -> None:
    """Keep the interpreter from complaining about the closed pipe once more when it exits."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
