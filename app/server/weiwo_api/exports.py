"""Results as downloads, in the formats that the installation has."""

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from starlette.responses import Response

from weiwo.app.export import FORMATS, ExportError, render
from weiwo.app.server.errors import RequestError


def format_names() -> list[str]:
    """The names of the formats that can be had here."""
    return [name for name, one in FORMATS.items() if not one.library or find_spec(one.library) is not None]


def download_response(result: Mapping[str, Any], name: str, file_name: str) -> Response:
    """A result as a file to keep.

    Args:
        result: The result object.
        name: The format.
        file_name: The file's name, without ending.

    Raises:
        RequestError: There is no such format here.
    """
    if name not in format_names():
        raise RequestError(
            422, f"format {name[:20]!a}; there is none of that name here; use {' '.join(format_names())}"
        )
    try:
        content = render(result, name)
    except ExportError as error:
        raise RequestError(422, str(error)) from None
    ending = "csl.json" if name == "csl" else name
    headers = {"content-disposition": f'attachment; filename="{file_name}.{ending}"'}
    return Response(content, headers=headers, media_type=FORMATS[name].media_type)
