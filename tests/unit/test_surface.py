"""The recorder that compares two versions of what users meet."""

import pytest

from tests.support.results import make_result
from tests.support.surface import mask_varying, read_export
from weiwo.app.export import render


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("1 added in 0.3 s, 2 passages a second", "1 added in SECONDS, NUMBER"),
        ("thread 20261129-142428-r7fz", "thread THREAD"),
        ('"seconds": 1.25, "score": 1.25', '"seconds": NUMBER, "score": 1.25'),
        ("indexed 2026-11-29T14:24:28Z", "indexed DAY"),
        ("Orla Mill was built in 1902 [1].", "Orla Mill was built in 1902 [1]."),
    ],
)
def test_only_what_varies_is_masked(text: str, masked: str) -> None:
    assert mask_varying(text) == masked


@pytest.mark.parametrize("form", ["md", "docx", "pptx"])
def test_another_word_of_an_answer_is_a_difference(form: str) -> None:
    shown = [mask_varying(read_export(render(make_result(f"Aurora costs {n} euros [1]."), form))) for n in (20, 30)]
    assert ("costs 20" in shown[0], "costs 30" in shown[1]) == (True, True)
