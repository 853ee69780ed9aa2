"""`weiwo refresh` tells the old and the new answer, whatever road the answer took, and ends with exit code 3."""

import os

import pytest

from tests.support.command import run_command
from weiwo.app.cli.errors import COMPLETE, PARTIAL

pytestmark = pytest.mark.integration


@pytest.mark.usefixtures("weiwo_home")
@pytest.mark.parametrize(
    ("question", "before", "after", "told"),
    [
        (
            "How long does the crossing to Aldor take?",
            "The crossing to Aldor was not measured in spring.",
            "The crossing to Aldor takes 19 minutes.",
            ("not measured", "19 minutes"),
        ),
        (
            "How long is the Kestrel Bridge?",
            "The Kestrel Bridge is 1,204 metres long.",
            "The Kestrel Bridge is 1,304 metres long.",
            ("1,204", "1,304"),
        ),
    ],
)
def test_an_answer_that_changed_is_told_old_and_new(tmp_path, question, before, after, told):
    note = tmp_path / "notes" / "note.md"
    note.parent.mkdir()
    note.write_text(f"# Notes\n\n{before}\n", encoding="utf-8")

    def weiwo(*words: str) -> tuple[int | None, str, str]:
        return run_command(*words, cwd=tmp_path, env={**os.environ, "LANG": "C.UTF-8"})

    asked = weiwo("ask", "--no-web", "--corpus", "notes", "--thread", "t", question)
    assert told[0] in asked[1], asked
    assert weiwo("refresh", "t")[0] == COMPLETE
    note.write_text(f"# Notes\n\n{after}\n", encoding="utf-8")
    code, out, err = weiwo("refresh", "t")
    assert (code, [one in out for one in told]) == (PARTIAL, [True, True]), (out, err)
    assert told[1] in weiwo("show", "t")[1]
