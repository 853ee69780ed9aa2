"""A template filled from a result."""

from weiwo.app.export.template import fill_template
from weiwo.tools.template import parse_template

TEXT = """# Note
{{question}}, {{date}}
## Opening
{{ In which year was the depot opened? }}
## Manager
## Ghosts
{{ Which ghosts haunt it? }}"""
CLAIMS = [
    {"text": "Norholm has been open since 1925.", "citations": [1]},
    {"text": "The manager of Norholm is Edda Karst.", "citations": [1, 2]},
    {"text": "It is damp.", "citations": [2]},
]
PARTS = [
    {"attribute": "a", "outcome": "answered", "claims": [0, 1]},
    {"attribute": "b", "outcome": "answered", "claims": [0, 1]},
    {"attribute": "c", "outcome": "not_found"},
]


def fill(**result):
    given = {"language": "en", "question": "Describe Norholm", "thread_id": "20260105-000000-abcd", **result}
    return fill_template(parse_template(TEXT), given)["answer"]


def test_each_place_gets_the_claims_of_its_part():
    answer = fill(claims=CLAIMS, parts=PARTS)
    opening, manager, ghosts = (part.strip() for part in answer.split("## ")[1:4])
    assert opening == "Opening\nNorholm has been open since 1925 [1]."
    assert manager == "Manager\n\nThe manager of Norholm is Edda Karst [1][2]."
    assert ghosts == "Ghosts\n*Not answered: nothing was found about it*"
    assert answer.endswith("## Also found\n\n- It is damp [2].")
    assert "Describe Norholm, 2026-01-05" in answer


def test_one_sentence_may_answer_two_places():
    both = [{"text": "Edda Karst, the manager, opened the depot in 1925.", "citations": [1]}]
    parts = [{"claims": [0]}, {"claims": [0]}, {"outcome": "failed", "cause": "the search timed out"}]
    answer = fill(claims=both, parts=parts)
    assert answer.count("opened the depot in 1925 [1].") == 2
    assert "*Not answered: the search timed out*" in answer


def test_without_claims_the_sentence_that_fits_is_quoted():
    text = "The depot was opened in 1925. Its manager is Edda Karst."
    extracts = [{"n": 1, "text": text, "highlights": [[0, 29], [30, 56]]}]
    answer = fill(claims=[], parts=PARTS[2:] * 3, extracts=extracts)
    assert "> The depot was opened in 1925. [1]" in answer
    assert "> Its manager is Edda Karst. [1]" in answer
    assert "*Not answered: " in answer


def test_the_words_around_it_are_those_of_the_answer():
    assert "*未回答：没有找到相关内容*" in fill(language="zh", claims=[], parts=[])
