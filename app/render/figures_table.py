"""A table of figures on the terminal: text in its first columns, numbers in the others."""

from rich import box
from rich.table import Table


def figures_table(*heads: str, texts: int = 1) -> Table:
    """An empty table of these heads.

    Args:
        heads: What stands above the columns.
        texts: How many columns, from the first on, hold text and are set to the left.
    """
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for at, head in enumerate(heads):
        table.add_column(head, justify="left" if at < texts else "right", no_wrap=at > 0)
    return table
