"""The page's files, as the package holds them."""

from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, RedirectResponse, Response
from starlette.staticfiles import StaticFiles

from weiwo.app.server.access.login_routes import OIDC_LOGIN, sends_to_issuer

FOLDER: Final = Path(__file__).resolve().parents[2] / "page" / "static"
_FRESH: Final = {"cache-control": "no-cache"}


async def index(request: Request) -> Response:
    """The page."""
    if sends_to_issuer(request):
        return RedirectResponse(OIDC_LOGIN, 302)
    file = FOLDER / "index.html"
    if not file.is_file():
        return PlainTextResponse("the page is not installed\n", 404)
    return FileResponse(file, headers=_FRESH)


class PageFiles(StaticFiles):
    """The page's modules, styles and pictures; browsers ask each time whether they changed."""

    async def check_config(self) -> None:
        """A package without the page is no fault: its files are not found."""

    def file_response(self, *args: object, **kwargs: object) -> Response:
        """A file, which a browser is not to keep unasked."""
        response = super().file_response(*args, **kwargs)  # type: ignore[arg-type]  # as Starlette calls it
        response.headers["cache-control"] = "no-cache"
        return response
