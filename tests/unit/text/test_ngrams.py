"""Terms and n-grams of texts for an index: each term is analyzed once, and found as in the text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weiwo.text import ngrams
from weiwo.text.analyzer import terms
from weiwo.text.ngrams import Indexer

ROWS = "0,Cora Brown,Lyon,17,155.55,2023-08-16,sent\n1,Cora Brown,Lyon,32,1,234.50,2023-08-16,open"


def analyze_words(text: str) -> list[str]:
    return [term for word in text.split() for term in terms(word)]


@pytest.mark.parametrize(
    "text",
    [
        ROWS,
        '{"id":"INC-000123","sum":1.5}',
        "f(x)=C#;C++|a.b@c.de",
        "1,234,567,89 12,345 (1,234) 1.2.3 .5 5. 0001.50",
        "张三,北京,１２,345",
        "9" * 70 + "." + "9" * 9,
    ],
)
def test_indexer_gives_the_terms_of_each_word(text: str) -> None:
    assert Indexer()(text).terms.split() == analyze_words(text)


@given(st.text(alphabet="aB1٣.,;|\"-:/@+#_'()%$=é中 ", max_size=40))
def test_no_separator_changes_terms(text: str) -> None:
    assert Indexer()(text).terms.split() == analyze_words(text)


def test_forgotten_terms_are_analyzed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ngrams, "_MOST_KEPT", 3)
    indexed = Indexer()
    first = indexed(ROWS)
    indexed(" ".join(map(str, range(100))))
    assert indexed(ROWS) == first
