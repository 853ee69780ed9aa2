import pytest

from weiwo.app.model_setup.words import describe_problem
from weiwo.models.local_servers import ServerProblem


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (None, ""),
        (ServerProblem("no_model"), "no model"),
        (ServerProblem("silent", "ReadTimeout"), "no response within 4 s (ReadTimeout)"),
        (ServerProblem("broken_off", "ReadError"), "the response broke off (ReadError)"),
        (ServerProblem("refused", "/v1/models answers 500"), "/v1/models answers 500"),
    ],
)
def test_a_problem_is_described_in_one_line(problem, text, monkeypatch):
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    assert describe_problem(problem) == text


def test_inside_a_container_the_host_is_named():
    assert "host.docker.internal" in describe_problem(ServerProblem("silent", "ConnectError", inside=True))
