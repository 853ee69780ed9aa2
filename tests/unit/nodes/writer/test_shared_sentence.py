"""A sentence that documents share is told once, with the values of each; what is no such sentence is not."""

import pytest

from tests.support.states import passage
from weiwo.nodes.writer.shared_sentence import SharedSentence, find_shared_sentence, format_shared_sentence
from weiwo.state import Evidence, Extract
from weiwo.text.language import sentences

RENTS = [
    "The flat on the quay is let to Ilse Brandt. The rent is 840 crowns a month, due on 1 March.",
    "The flat on the quay is let to Omar Haddad. The rent is 1,120 crowns a month, due on 15 April.",
    "The flat on the quay is let to ______. The rent is ____ crowns a month, due on ____.",
    "The flat on the quay is let to Jun Mori. The rent is 975.50 crowns a month, due on 1 May.",
]


def find(question: str, texts: list[str], **changes: str) -> SharedSentence | None:
    found = [passage(text, f"{n}.md").model_copy(update=changes if n == 1 else {}) for n, text in enumerate(texts)]
    return find_shared_sentence(question, [shown(one) for one in found[:3]], found)


def shown(one: Evidence) -> Extract:
    spans = tuple(sentences(one.text))
    return Extract(n=1, source=one.source, title="", text=one.text, highlights=spans, evidence_id=one.id)


def test_the_sentence_of_the_question_is_told_with_each_document_s_values() -> None:
    found = find("What is the rent of the flat?", RENTS)
    assert found is not None
    assert found.text == "The rent is … crowns a month, due on …."
    values = [("840", "1 March"), ("1,120", "15 April"), ("975.50", "1 May")]
    assert [one.values for one in found.documents] == values
    assert all(quote.text in text for quote, text in zip(found.quotes, [RENTS[0], RENTS[1], RENTS[3]], strict=True))


def test_a_sentence_without_a_word_of_the_question_and_documents_told_apart_by_name_are_not_told_together() -> None:
    assert find("When do the ferries leave?", RENTS) is None
    found = [passage(text, f"rent_{name}.md") for name, text in zip(("quay", "mill", "hill"), RENTS[:2], strict=False)]
    assert find_shared_sentence("What is the rent at the mill?", [shown(one) for one in found], found) is None


def test_other_languages_and_names() -> None:
    found = find(
        "谁负责各泵站？", [f"{n}号泵站由{who}负责，电话见附表。" for n, who in ((1, "孙立"), (2, "周敏"), (3, "何川"))]
    )
    assert found is not None
    assert [one.values[-1] for one in found.documents] == ["孙立", "周敏", "何川"]
    found = find(
        "Wer leitet die Werft?", [f"Die Werft am Nordkai leitet seit Mai {who}." for who in ("Ida Thorn", "Nils Ost")]
    )
    assert found is not None
    assert [one.values for one in found.documents] == [("Ida Thorn",), ("Nils Ost",)]


@pytest.mark.parametrize(
    ("question", "texts", "changes"),
    [
        ("What rent does Ilse Brandt pay for the flat?", RENTS, {}),  # who is one document's own
        ("What is the rent of the flat?", RENTS[:2], {"superseded_by": "0.md"}),  # the old one has no say
        (
            "When does the ferry leave?",
            ["The ferry leaves at 7 from the pier.", "The ferry leaves when it is full."],
            {},
        ),
        ("What is the rent?", [RENTS[0], RENTS[0]], {}),
        ("What is the rent?", [RENTS[0], "The harbour has two cranes. The rent of them is told elsewhere."], {}),
        ("What is the rent?", RENTS[2:3] * 2, {}),
    ],
)
def test_what_is_not_shared(question: str, texts: list[str], changes: dict[str, str]) -> None:
    assert find(question, texts, **changes) is None


def test_a_value_cannot_leave_its_cell() -> None:
    found = find("Which code has the pump?", ["The pump code is 7|A [3] now.", "The pump code is 9|B [4] now."])
    assert found is not None
    lead, quote, table = format_shared_sentence(found, ["a [1]", "b | c [2]"], "en")
    assert lead == "2 of the documents found say this, each with its own value:"
    assert quote.startswith("> The pump code is …")
    assert table.splitlines()[2].startswith("| a [1] | **7\\|A ")
    assert table.splitlines()[3].startswith("| b \\| c [2] | **9\\|B ")
