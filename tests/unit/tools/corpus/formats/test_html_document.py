"""HTML as a reader sees it: list numbers, boxes, fields, formulas and drawings in, struck and hidden text out."""

import pytest

from weiwo.tools.corpus.formats.html_document import parse_html

CASES = [
    ('<ol start="3"><li>three<li>four</ol>', ["3. three\n4. four"], []),
    ('<ol type="a"><li>x<li value="7"><p>y</p></ol>', ["a. x", "g. y"], []),
    ('<ol type="I" reversed start="2"><li>x<li>y</ol>', ["II. x\nI. y"], []),
    ("<ol><li>x<ol type=i><li>inner</ol><li>y</ol>", ["1. x", "i. inner", "2. y"], []),
    ("<ul><li>dot</ul>", ["dot"], ["1."]),
    ("<p><input type=checkbox checked>Pets</p><p><input type=radio>Cats</p>", ["[x] Pets", "( ) Cats"], []),
    ('<form>Name: <input value="Ann"><input type=hidden value=z><input type=submit value=Go></form>', ["Name: Ann"], ["Go", "z"]),
    ("<p>Room <select><option>North<option selected>South</select> now</p>", ["Room South now"], ["North"]),
    ('<p>words</p><form class="search"><input value="query"></form>', ["words"], ["query"]),
    ("<p>fee <del>10</del><ins>12</ins> and <s>20</s>15</p>", ["fee 12 and 15"], ["10", "20"]),
    ('<p>a<span style="color:red; display : none">x-1</span><b hidden>x-2</b></p>', ["a"], ["x-1", "x-2"]),
    ("<p>see</p><svg><title>Chart</title><g><text>Q1 is 40</text></g><path d='M0'/></svg><p>end</p>", ["Q1 is 40", "end"], ["M0"]),
    ("<p><math><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac></math></p>", ["(a + b)/2"], []),
    ("<p>x <math><msup><mi>y</mi><mn>2</mn></msup><annotation>y^{2}</annotation></math> z</p>", ["x y^2 z"], ["{2}"]),
    ("<math><munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><msqrt><mi>i</mi></msqrt></math>", ["∑_(i = 1)^n√(i)"], []),
    ('<p>words</p><aside class="footnote brackets" role="doc-footnote"><p>By Ann.</p></aside><aside class="admonition tip">Dry</aside>', ["words", "By Ann.", "Dry"], []),
    ('<p>words</p><aside><h2>Related</h2></aside><aside class="sidebar">More</aside>', ["words"], ["Related", "More"]),
]  # fmt: skip


@pytest.mark.parametrize(("page", "held", "absent"), CASES)
def test_a_page_is_read_as_it_is_seen(page, held, absent):
    text = "\n\n".join(chunk.text for chunk in parse_html(page).body.cut_chunks()[1])
    lines = "\n".join(" ".join(line.split()) for line in text.split("\n"))
    assert [words for words in held if words not in lines] == []
    assert [words for words in absent if words in lines] == []


def test_tags_that_are_never_closed_lose_nothing_behind_them():
    for begun in ("<svg><text>t", "<math><mi>x", "<select><option selected>o", "<ol><li>"):
        text = "\n".join(chunk.text for chunk in parse_html(f"<p>before</p>{begun}").body.cut_chunks()[1])
        assert "before" in text
