"""Files that nobody could read, in answers that did not find a part of their question."""

from weiwo.nodes.shared.gaps import find_unread_files
from weiwo.tools.corpus.base import Problem
from weiwo.tools.corpus.losses import Loss


def test_unread_files_are_named_in_one_line():
    unread = [Problem(f"docs/{n}.pages", "unsupported file type") for n in range(5)]
    read_in_part = Problem.in_part("docs/a.docx", (Loss("hidden_sheets"),))
    (gap,) = find_unread_files([*unread, read_in_part], "en")
    assert gap.text == "5 files could not be read and may contain more: docs/0.pages, docs/1.pages, docs/2.pages …."
    (gap,) = find_unread_files(unread[:1], "zh")
    assert "docs/0.pages" in gap.text
    assert find_unread_files([read_in_part], "en") == ()
