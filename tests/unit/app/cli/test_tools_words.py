"""`weiwo tools` speaks the language of the machine's user; what tools say of themselves stays as it is."""

import pytest

from weiwo.app.cli import tools
from weiwo.app.render.labels import system_language

NOTE = {"number": 1, "text": "worked: {}", "state": "trial", "calls": 2, "refused": 1}
TOOL = {
    "name": "desk_close",
    "description": "Close a ticket.",
    "arguments": {"properties": {}, "required": []},
    "available": True,
    "why_not": "",
    "acts": True,
    "asks": True,
    "usage": {"calls": 3, "failures": {"timeout": 1}, "notes": [NOTE]},
}
SERVER = {"name": "desk", "transport": "http", "address": "http://127.0.0.1", "health": "up", "why": "", "tools": 1}


@pytest.mark.parametrize(
    ("locale", "said"),
    [
        (
            "en_US.UTF-8",
            [
                "up · 1 tools",
                "desk_close (may make changes, asks first): Close",
                "used 3×, failed: 1 timeout",
                "note 1 (trial",
            ],
        ),
        (
            "zh_CN.UTF-8",
            [
                "正常 · 1 个工具",
                "desk_close（可能造成改动，会先征求同意）：Close",
                "用过 3 次，失败：1 timeout",
                "说明 1（试用中",
            ],
        ),
    ],
)
def test_words_are_of_the_locale(locale, said, monkeypatch, capsys):
    monkeypatch.setenv("LC_ALL", locale)
    monkeypatch.setenv("COLUMNS", "200")
    tools._print({"servers": [SERVER], "tools": [TOOL], "problems": []})
    tools._print_one(TOOL)
    shown = capsys.readouterr().out
    assert all(one in shown for one in said), shown


@pytest.mark.parametrize(
    ("env", "language"),
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LC_ALL": "C", "LANG": "zh_CN.UTF-8"}, "en"),
        ({"LANG": "de"}, "en"),
    ],
)
def test_the_language_of_the_machine(env, language):
    assert system_language(env) == language
