"""Superscripts of a PDF: told from the text they stand at, wherever the parts of a line are placed."""

import io

import pypdfium2
import pytest

from tests.unit.tools.corpus.formats.test_pdf import flat, made, one
from weiwo.tools.corpus.formats.pdf import read

Runs = tuple[tuple[float, float, float, str], ...]


def drawn(runs: Runs) -> bytes:
    """A stream that writes texts at their places, each in its size."""
    shown = (f"BT /F1 {size} Tf {x} {y} Td ({text}) Tj ET" for x, y, size, text in runs)
    return "\n".join(shown).encode("latin-1")


def on_a_line(*placed: tuple[float, str]) -> Runs:
    """Texts of a line; those that begin with ^ are raised."""
    return tuple((x, 705, 7, text[1:]) if text[0] == "^" else (x, 700, 12, text) for x, text in placed)


@pytest.mark.parametrize(
    ("placed", "said"),
    [
        (((60, "The lake holds 10"), (154.7, "^6"), (161.9, "litres of it.")), "The lake holds 10⁶ litres of it."),
        (((60, "The lake holds 10"), (154.7, "^6"), (158.6, " litres of it.")), "The lake holds 10⁶ litres of it."),
        (((60, "The keeper"), (120.7, "^1"), (124.6, "s house")), "The keeper¹s house"),
        (((60, "A field of 10"), (123.4, "^6"), (127.3, "m"), (137.3, "^2"), (141.2, " here")), "A field of 10⁶m² here"),
        (
            ((60, "A flux of 5 W"), (128, "^1"), (131.9, "m"), (141.9, "^-2"), (148.1, "s"), (154.1, "^3"), (161.3, "or")),
            "A flux of 5 W¹m⁻²s³ or",
        ),
        (((60, "It is 10"), (95.3, "^-"), (97.7, "^3"), (101.6, " of it.")), "It is 10⁻³ of it."),
        (((60, "Of 1066"), (102.7, "^6"), (106.6, " or it.")), "Of 1066⁶ or it."),
        (
            ((60, "Of 106 and m2, 10"), (159.4, "^6"), (166.6, "m"), (176.6, "^2"), (183.8, "in all, 106 or m2.")),
            "Of 106 and m2, 10⁶ m² in all, 106 or m2.",
        ),
    ],
)  # fmt: skip
def test_a_superscript_is_read_wherever_the_parts_of_its_line_are_placed(placed, said) -> None:
    assert flat(one(made(drawn(on_a_line(*placed))))) == said


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        (
            ((60, 700, 20, "Report"), (121.1, 709, 9, "1"), (126, 676, 12, "Indented words.")),
            "Report¹\nIndented words.",
        ),
        (
            ((60, 700, 12, "A column of words, 10"), (180.5, 760, 8, "12"), (189, 700, 12, "more")),
            "A column of words, 10\n12\nmore",
        ),
    ],
)
def test_a_figure_and_a_word_of_another_line_are_no_part_of_this_one(runs, said) -> None:
    (passage,) = one(made(drawn(runs))).passages
    assert passage.text == said


def test_only_the_superscripts_of_a_page_are_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    bounded = pypdfium2.PdfTextPage.get_text_bounded

    def count_calls(page, *edges):
        calls.append(edges)
        return bounded(page, *edges)

    monkeypatch.setattr(pypdfium2.PdfTextPage, "get_text_bounded", count_calls)
    prose = tuple((60.0, 690 - 8.0 * n, 7.0, f"The keeper of mill {n} wrote this line by hand.") for n in range(70))
    runs = on_a_line((60, "The lake holds 10"), (154.7, "^6"), (158.6, " litres of it."))
    (part,) = read(io.BytesIO(made(drawn(runs + prose))), "a.pdf")
    assert "The lake holds 10⁶ litres" in flat(part)
    assert len(calls) == 1
