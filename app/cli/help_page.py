"""Help page of a command: usage, purpose, then panels of parameters and commands in two columns."""

from typing import Any, Final

from rich.panel import Panel
from rich.table import Table
from rich.text import Text
from typer.core import TyperGroup

from weiwo.app.cli.output import screen

_HELP: Final = frozenset({"help", "help_all"})


def render_help(command: Any, ctx: Any, *, more: str, whole: bool = False) -> str:
    """Format a command's help for the screen.

    Args:
        command: The command.
        ctx: Its context.
        more: The panel of options that are only named, without an explanation.
        whole: Whether to explain the options of that panel too.
    """
    console = screen()
    with console.capture() as captured:
        console.print(Text(f"{command.get_usage(ctx)}\n\n{command.help or ''}"))
        for title, rows in _collect_panels(command, ctx, more).items():
            head, body = title, _table(rows, console.width)
            if title == more and not whole:
                names = " ".join(row.split(" ")[0].rstrip(",") for row, _ in rows)
                head, body = f"{more}: {ctx.command_path} --help-all", Text(names)
            console.print(Panel(body, title=head, title_align="left", border_style="dim"))
        if command.epilog:
            console.print(Text(command.epilog))
    return captured.get()


def _table(rows: list[tuple[str, str]], width: int) -> Any:
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(no_wrap=True, style="bold", max_width=max(30, width // 2))
    table.add_column(overflow="fold")
    for names, text in rows:
        table.add_row(Text(names), Text(text))
    return table


def _collect_panels(command: Any, ctx: Any, last: str) -> dict[str, list[tuple[str, str]]]:
    """Collect the rows of each panel, as names and help. The panel `last` comes last."""
    panels: dict[str, list[tuple[str, str]]] = {}
    for param in command.get_params(ctx):
        if getattr(param, "hidden", False) or param.name in _HELP:
            continue
        names = str(param.metavar or param.name)
        if param.param_type_name == "option":
            given = [name for name in (*param.opts, *param.secondary_opts) if name.strip()]
            taken = f" {param.metavar}" if param.metavar else ""
            names = ", ".join(sorted(given, key=lambda name: name.startswith("--"))) + taken
        panels.setdefault(param.rich_help_panel or "Options", []).append((names, param.help or ""))
    for name in command.list_commands(ctx) if isinstance(command, TyperGroup) else ():
        found = command.get_command(ctx, name)
        if found is not None and not found.hidden:
            panels.setdefault(found.rich_help_panel or "Commands", []).append((name, found.help or ""))
    rows = panels.pop(last, None)
    return {**panels, last: rows} if rows else panels
