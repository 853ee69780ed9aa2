"""Documents that LibreOffice converts reach no address, not even one on loopback."""

import io
import socket
import threading

import pytest

from weiwo.tools.corpus.formats import find_format, libre_office, load_reader

pytestmark = pytest.mark.integration


@pytest.mark.skipif(libre_office.find_soffice() is None, reason="no soffice on the PATH")
@pytest.mark.parametrize("isolated", [True, False])
def test_a_document_that_links_an_address_causes_no_request(isolated, monkeypatch):
    if not isolated:
        monkeypatch.setattr(libre_office, "_isolate", lambda: ())
    asked: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(60)

        def serve() -> None:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            asked.append("request")
            connection.close()

        threading.Thread(target=serve, daemon=True).start()
        address = f"http://127.0.0.1:{server.getsockname()[1]}/x.png"
        field = rf'{{\field{{\*\fldinst INCLUDEPICTURE "{address}" \\d}}{{\fldrslt }}}}'
        data = rf"{{\rtf1\ansi Before {field} after\par }}".encode()
        kind = find_format("a.rtf")
        assert kind is not None
        (part,) = load_reader(kind)(io.BytesIO(data), "Name")
    assert "Before" in part.passages[0].text
    assert not part.note
    assert asked == []
