"""What `weiwo doctor` says is said in both languages, each line of it."""

import re

import pytest

from weiwo.app.cli.setup.doctor import _examine
from weiwo.state.settings import Context

HAN = re.compile("[\u4e00-\u9fff]")
PROSE = re.compile(r"(?<![-\w/.:])(?:the|is|are|not|no|set|of|and|with|a|in|by|it)(?![-\w/.:])")


@pytest.mark.processes
@pytest.mark.usefixtures("importable_parts")
async def test_each_line_is_told_in_the_language(monkeypatch, tmp_path):
    for name, value in {
        "WEIWO_HOME": str(tmp_path / "home"),
        "WEIWO_MAX_SECOND": "5",
        "TAVILY_API_KEY": "s3cret",
        "WEIWO_WRITER_MODEL": "nobody:m",
    }.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "wend.md").write_text("The River Wend is 310 kilometres long.", encoding="utf-8")
    context = Context(corpus=[str(tmp_path / "docs")])
    english = [one async for one in _examine(context, "en")]
    chinese = [one async for one in _examine(context, "zh")]
    assert [one.verdict for one in english] == [one.verdict for one in chinese]
    assert not any(HAN.search(one.name + one.text) for one in english)
    assert {one.name for one in chinese} >= {"文档", "数据库", "工具 corpus_search", "撰写用的模型", "网络搜索"}
    assert [one.text for one in chinese if PROSE.search(one.text)] == [
        one.text for one in english if one.name == "endpoint of nobody:m"
    ]  # whose words are those of the error
