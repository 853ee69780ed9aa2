"""Number formats beside SheetJS (`ssf` of npm): random numbers under formats that both read alike (fractions and
the sign of a rounded zero, where LibreOffice and SheetJS differ, are left out)."""

import json
import random

import pytest

from tests.support.node import needs_package, run_script
from weiwo.tools.tables.number_format import render_number

pytestmark = [pytest.mark.integration, needs_package("ssf")]

CODES = [
    "0", "0.00", "#,##0", "#,##0.00", "0%", "0.0%", "0.00E+00", "00000", "#,##0,",
    '0.0,,"M"', '"$"#,##0.00;[Red]("$"#,##0.00)', "0;(0);-", "0.0#", "[>=1000]0.0;0.00", "+0;-0;0",
    "yyyy-mm-dd", "d/m/yy", "dddd, mmmm d, yyyy", "mmm-yy", "yyyy-mm-dd hh:mm:ss", "h:mm:ss AM/PM", "[h]:mm:ss", "mm:ss.0",
    "yyyymmdd", "hh:mm", "[$-409]d-mmm-yyyy;@", "[$€-407]#,##0.00", '0.00" kg"', ";;;", "_(#,##0_);(#,##0)",
]  # fmt: skip


def _plain(text):
    """A text without blanks of alignment, and without the sign of a zero."""
    text = " ".join(text.split())
    return text if any(c in "123456789" for c in text) else text.removeprefix("-")


def test_random_numbers_are_shown_as_sheetjs_shows_them():
    draw = random.Random(17)  # noqa: S311 - of test data
    rows = []
    for code in CODES:
        dated = any(letter in code for letter in "ydhs") and "kg" not in code and "Red" not in code
        for _ in range(40):
            value = draw.randrange(61, 80_000) + draw.randrange(86_400) / 86_400
            if not dated:
                value = (draw.randrange(-(10**9), 10**9) * 10 + 3) / 10 ** draw.randrange(9)  # never half a digit
            rows.append((code, value))
    shown = run_script("number_formats.mjs", json.dumps(rows))["shown"]
    differ = [
        (code, value, theirs, render_number(value, code).text)
        for (code, value), theirs in zip(rows, shown, strict=True)
        if _plain(theirs) != _plain(render_number(value, code).text)
    ]
    assert not differ, differ[:40]
