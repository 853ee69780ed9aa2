"""The `weiwo` command: its subcommands, what is read before any of them, and how it ends.

Heavy imports happen inside the subcommands, so that `weiwo --help` is quick.
"""

import gc
import os
import sys
from typing import NoReturn

import typer

from weiwo.app.cli.command_group import CommandGroup
from weiwo.app.cli.failures import silence_output, tell_failure
from weiwo.state.home import home
from weiwo.tools.private_files import close_home

app = typer.Typer(
    name="weiwo",
    cls=CommandGroup,
    help="AI search that plans before it searches. Without a model it shows extracts, asserting what rules can prove.",
    epilog="Exit codes: 0 complete or extracts, 3 partial, 4 waits for a person, 1 failed, 2 wrong usage, 130 stopped.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def start(context: typer.Context) -> None:
    """Read `.env` of the working directory, then the user's own `config.toml`; what is set already wins."""
    read_env(context)
    close_home(home())
    if (home() / "config.toml").exists():
        from weiwo.app.configuration.config_file import apply_config  # noqa: PLC0415 - upon need

        apply_config()


def read_env(context: typer.Context) -> None:
    """Read `.env` of the working directory."""
    if not os.path.lexists(".env"):
        return
    from weiwo.app.configuration.env_file import apply_env_file, read_env_file  # noqa: PLC0415 - upon need

    file = read_env_file()
    apply_env_file(file)
    if file.complaint and context.invoked_subcommand not in {"trust", "doctor"}:
        from weiwo.app.cli.output import say  # noqa: PLC0415 - upon need

        say(file.complaint)


def main() -> NoReturn:
    """Run the command and exit."""
    from weiwo.app.cli.output import prepare  # noqa: PLC0415 - kept with its use

    prepare()
    try:
        code = app(prog_name="weiwo", standalone_mode=False)
    except Exception as error:  # noqa: BLE001 - the last line of defence: a line and an exit code
        code = tell_failure(error)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        silence_output()
    gc.freeze()  # the interpreter's last collection would look through all that was imported: a sixth of a run
    sys.exit(code if isinstance(code, int) else 0)
