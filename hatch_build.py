"""An editable install sees this folder under the package's name: `.editable/weiwo` is a link to it."""

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CustomBuildHook(BuildHookInterface[Any]):
    """Makes that link; a wheel needs none."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - as Hatch calls it
        """Make it, before an editable install."""
        root = Path(self.root)
        link = root / ".editable" / "weiwo"
        if version != "editable" or link.exists():
            return
        link.parent.mkdir(exist_ok=True)
        link.unlink(missing_ok=True)  # one that leads nowhere
        if os.name == "nt":
            import _winapi  # noqa: PLC0415 - only there; unlike a symbolic link, a junction needs no rights

            _winapi.CreateJunction(str(root), str(link))
        else:
            link.symlink_to("..", target_is_directory=True)
