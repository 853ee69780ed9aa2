"""An answer tells which of the documents it leans on, or its question names, were not read whole."""

import pytest

from weiwo.nodes.shared.gaps import find_documents_in_part, find_files_not_read, find_unqueried_tables
from weiwo.tools.corpus.base import Problem
from weiwo.tools.corpus.losses import Loss

LOSSY = Problem.in_part("docs/agreement.docx", (Loss("deleted_text", 1, ("2",)),))
LOCKED = Problem("docs/budget_2026.xlsx", "encrypted; save it without a password")
CHINESE = Problem("docs/采购合同.pdf", "damaged PDF")


def told(question: str, *sources: str, language="en") -> list[str]:
    found = find_documents_in_part((LOSSY, LOCKED, CHINESE), sources, question, language)
    assert {gap.kind for gap in found} <= {"in_part"}
    return [gap.text for gap in found]


def test_a_source_that_was_not_read_whole_is_named() -> None:
    said = ["docs/agreement.docx was read only in part: deleted text in paragraph 2 is left out (tracked changes)."]
    assert told("What is the fee?", "docs/agreement.docx") == said
    assert told("What is the fee?", "/home/me/docs/agreement.docx", "docs/other.md") == said
    assert told("月费是多少？", "docs/agreement.docx", language="zh") == [
        "docs/agreement.docx只读取了一部分：略去第2段中已删除的文字（修订）。"
    ]
    assert told("What is the fee?", "docs/other.docx", "docs/myagreement.docx") == []


@pytest.mark.parametrize(
    "question", ["What does Budget_2026.xlsx say?", "What is in the budget 2026?", "see docs/budget-2026.xlsx"]
)
def test_a_file_that_the_question_names_is_named(question) -> None:
    assert told(question) == ["docs/budget_2026.xlsx was not read: encrypted; save it without a password."]


def test_a_name_in_chinese_is_found_within_a_sentence_and_a_common_word_is_none() -> None:
    assert told("采购合同里的金额是多少？") == ["docs/采购合同.pdf was not read: damaged PDF."]
    assert told("Is there an agreement on budgets?") == []


def test_what_is_too_much_is_counted() -> None:
    many = [Problem(f"docs/file {n}.pdf", "damaged") for n in range(9)]
    found = find_documents_in_part(many, [one.source for one in many], "", "en")
    assert [gap.text for gap in found][5:] == ["4 more documents were not read completely."]


DOCUMENTS = ("docs/agreement.docx", "docs/采购 合同2025.xlsx", "docs/all.zip/notes/minutes.md")


def not_read(question: str, language="en", passages=()) -> list[str]:
    return [gap.text for gap in find_files_not_read(question, DOCUMENTS, passages, language)]


@pytest.mark.parametrize(
    ("question", "language", "line"),
    [
        ("What does plan.psd say?", "en", "No file named “plan.psd” was read: .psd is an unsupported file type."),
        ("What is in docs/Minutes.xlsx?", "en", "No file named “Minutes.xlsx” was read."),
        ("请问plan.psd里写了什么？", "zh", "没有读到名为“plan.psd”的文件：不支持.psd类型的文件。"),
        ("请问预算2026.xlsx里的总额是多少", "zh", "没有读到名为“预算2026.xlsx”的文件。"),
    ],
)
def test_a_file_that_was_not_read_or_is_of_a_kind_that_is_not_is_told(question, language, line) -> None:
    assert not_read(question, language) == [line]


@pytest.mark.parametrize(
    "question",
    [
        "What does agreement.docx say?",
        "总结采购 合同2025.xlsx",
        "minutes.md 说了什么",
        "What is in all.zip?",
        "What does response.json() return?",
        "What is Node.js, and what is asyncio.run?",
        "Summarize the fees and save it as summary.docx",
        "Read https://example.org/papers/a.pdf",
        "Mail me at ada@example.pages",
        "see example.com, e.g. v2.10",
    ],
)
def test_what_was_read_and_what_is_no_file_is_not(question) -> None:
    assert not_read(question) == []


def test_a_file_that_a_passage_speaks_of_is_not_told() -> None:
    assert not_read("What does settings.toml hold?", passages=["Put the key into settings.toml."]) == []


def test_tables_that_could_not_be_queried_are_named_where_the_answer_may_lean_on_them() -> None:
    outdated = ("a.csv", "b.csv", "c.xlsx", "d.xlsx")
    (gap,) = find_unqueried_tables("outdated", outdated, ("b.csv#L3", "notes.md"), "en")
    assert (gap.kind, gap.text) == (
        "in_part",
        "b.csv was indexed by an earlier version; run `weiwo index` to use tables.",
    )
    assert find_unqueried_tables("outdated", outdated, ("notes.md",), "en") == ()
    (gap,) = find_unqueried_tables("no_engine", outdated, (), "zh")
    assert gap.text.startswith("a.csv、b.csv、c.xlsx和…中的行未计数或求和；查询表格需要安装 DuckDB")
