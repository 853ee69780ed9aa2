"""Whether this process runs in a container."""

from pathlib import Path


def in_container() -> bool:
    """Whether this process runs in a container, where the machine around it is not `localhost`."""
    return Path("/.dockerenv").exists() or Path("/run/.containerenv").exists()
