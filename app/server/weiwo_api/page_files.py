"""Files of the page, as contained in the package."""

import os
from os import PathLike
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, RedirectResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from weiwo.app.server.access.auth import OIDC_LOGIN, sends_to_issuer

FOLDER: Final = Path(__file__).resolve().parents[2] / "page" / "static"
_FRESH: Final = {"cache-control": "no-cache"}
_KEPT: Final = "max-age=31536000, immutable"
"""For a file asked for by its version: `build.mjs` writes a new one with each change."""


async def index(request: Request) -> Response:
    """Return the page, or redirect to the issuer if the visitor has to log in there first."""
    if sends_to_issuer(request):
        return RedirectResponse(OIDC_LOGIN, 302)
    file = FOLDER / "index.html"
    if not file.is_file():
        return PlainTextResponse("the page is not installed\n", 404)
    return FileResponse(file, headers=_FRESH)


class PageFiles(StaticFiles):
    """Static files of the page: modules and styles.

    Browsers keep a versioned file for good, and ask the server each time about any other file.
    """

    async def check_config(self) -> None:
        """Accept a package without the page. The page's files are then not found."""

    def file_response(
        self, full_path: PathLike[str] | str, stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        """Return a file with cache headers for the browser."""
        response = super().file_response(full_path, stat_result, scope, status_code)
        response.headers["cache-control"] = _KEPT if scope["query_string"].startswith(b"v=") else "no-cache"
        return response
