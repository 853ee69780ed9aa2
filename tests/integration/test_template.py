"""A report after a template, by the command, without a model: each place to be filled is a task and a part."""

import json
import os

import pytest

from tests.support.command import run_command

pytestmark = [pytest.mark.integration, pytest.mark.processes]
TEMPLATES = {
    "en": ("# Note\n## Opening\n{{ In which year was the depot opened? }}\n## Manager\n## Opening\n{{ In which year was the depot opened? }}\n",
           "The depot Norholm was opened in 1925. Edda Karst is the manager of the depot Norholm.", "Describe the depot Norholm",
           ("> The depot Norholm was opened in 1925.", "> Edda Karst is the manager of the depot Norholm.")),
    "zh": ("# 说明\n## 启用\n{{ 仓库是哪一年启用的？ }}\n## 主管\n", "青禾仓库于1925年启用。青禾仓库的主管是王建国。", "介绍一下青禾仓库",
           ("1925年 [1]", "> 青禾仓库的主管是王建国。")),
}  # fmt: skip


def environment(folder):
    return {"PATH": os.environ["PATH"], "HOME": str(folder), "WEIWO_HOME": str(folder / "home"), "WEIWO_WEB": "off"}


@pytest.mark.parametrize("language", TEMPLATES)
def test_each_place_is_a_part(tmp_path, language):
    template, note, question, told = TEMPLATES[language]
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "depot.txt").write_text(note, encoding="utf-8")
    (tmp_path / "note.md").write_text(template, encoding="utf-8")
    files = ["-o", str(tmp_path / "out.md"), "-o", str(tmp_path / "out.json"), "-o", str(tmp_path / "out.docx")]
    given = ["--corpus", str(tmp_path / "notes"), "--template", str(tmp_path / "note.md"), *files]
    code, _, told_beside = run_command("ask", *given, question, cwd=tmp_path, env=environment(tmp_path))
    assert code in {0, 3}, told_beside  # 3 where rules assert one part alone
    written = (tmp_path / "out.md").read_text(encoding="utf-8")
    assert all(line in written for line in told)
    result = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    slots = template.count("##")
    assert len(result["parts"]) == slots
    assert (tmp_path / "out.docx").read_bytes().startswith(b"PK")


def test_a_template_wants_a_file_to_fill(tmp_path):
    given = ("--template", "note.md", "Describe it")
    code, _, told = run_command("ask", *given, cwd=tmp_path, env=environment(tmp_path))
    assert code == 2
    assert "--template needs a file to write; name it with --output" in told
