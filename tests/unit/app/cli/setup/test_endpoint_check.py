"""What the doctor says of an endpoint that does not answer."""

import pytest

from weiwo.app.cli.setup import endpoint_check
from weiwo.models.local_servers import ServerError


@pytest.mark.parametrize(
    ("inside", "url", "words"),
    [
        (True, "http://localhost:11434/v1", "OPENAI_BASE_URL=http://host.docker.internal:11434/v1"),
        (True, "http://127.0.0.1:1234/v1", "OLLAMA_HOST=0.0.0.0"),
        (True, "http://host.docker.internal:11434/v1", "--add-host=host.docker.internal:host-gateway"),
        (False, "http://host.docker.internal:11434/v1", "valid only inside a container"),
        (False, "http://localhost:11434/v1", "ollama serve"),
        (False, "http://127.0.0.1:1234/v1", "lms server start"),
        (False, "http://models.lan:9/v1", "start it or correct OPENAI_BASE_URL"),
        (True, "https://api.example.com/v1", "start it or correct OPENAI_BASE_URL"),
        (False, "http://[::1", "not a valid URL"),
    ],
)
def test_advice(monkeypatch, inside, url, words):
    monkeypatch.setattr("weiwo.models.local_servers.in_container", lambda: inside)
    told = endpoint_check._advise(url, "en")
    assert words in told
    chinese = endpoint_check._advise(url, "zh")
    assert any("\u4e00" <= letter <= "\u9fff" for letter in chinese)
    assert all(name in chinese for name in ("OLLAMA_HOST=0.0.0.0", "host.docker.internal") if name in told)
    assert ("host.docker.internal" in told) == ("host.docker" in url or (inside and "api." not in url))


def test_a_base_url_without_its_end_is_told():
    missing = ServerError("/models answers 404", 404)
    verdict, told = endpoint_check._judge_error(missing, "http://localhost:11434", "en")
    assert (verdict, "usually ends in /v1" in told) == ("problem", True)
    assert endpoint_check._judge_error(missing, "http://localhost:11434/v1", "en")[0] == "ok"
