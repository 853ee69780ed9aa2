"""Results as downloads, in the formats that the installation has."""

import json
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any, Final

from starlette.responses import Response

from weiwo.app.server.errors import RequestError
from weiwo.state.errors import WeiwoError

_MODULE: Final = "weiwo.app.export"
_OWN: Final = {"md": "text/markdown; charset=utf-8", "json": "application/json"}


def format_names() -> list[str]:
    """The names of the formats that can be had here."""
    if find_spec(_MODULE) is None:
        return list(_OWN)
    from importlib import import_module  # noqa: PLC0415 - upon need

    formats: Mapping[str, Any] = import_module(_MODULE).FORMATS
    return [name for name, one in formats.items() if not one.library or find_spec(one.library) is not None]


def export(result: Mapping[str, Any], name: str, file_name: str) -> Response:
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
    if find_spec(_MODULE) is None:
        content, media = _own(result, name), _OWN[name]
    else:
        from importlib import import_module  # noqa: PLC0415 - upon need

        module = import_module(_MODULE)
        try:
            content, media = module.render(result, name), module.FORMATS[name].media_type
        except WeiwoError as error:
            raise RequestError(422, str(error)) from None
    ending = "csl.json" if name == "csl" else name
    headers = {"content-disposition": f'attachment; filename="{file_name}.{ending}"'}
    return Response(content, headers=headers, media_type=media)


def _own(result: Mapping[str, Any], name: str) -> bytes:
    if name == "json":
        return json.dumps(result, ensure_ascii=False, indent=2).encode("utf-8", "replace")
    sources = [
        f"[{one['n']}] {one.get('title') or ''} {one['source']}".strip() for one in result.get("citations") or ()
    ]
    parts = [f"# {result.get('question', '')}", str(result.get("answer", "")), *sources]
    return ("\n\n".join(parts) + "\n").encode("utf-8", "replace")
