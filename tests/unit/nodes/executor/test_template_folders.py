"""Ten folders made from templates: folding copies must leave every document its own values, beside no folding at all."""

import itertools

import pytest

from tests.support.states import passage
from tests.support.template_folders import TEMPLATES, folder
from weiwo.nodes.executor.evidence_merging import merge_passages
from weiwo.state import Evidence
from weiwo.text.near_duplicates import Told


def stated(passages: list[Evidence], values: dict[str, str]) -> dict[str, bool]:
    """By document, whether a passage that is said to be in it has its value, and none that of another document."""
    told = {source: [one for one in passages if source in {one.source, *one.also}] for source in values}
    foreign = {source: [v for other, v in values.items() if v and other != source] for source in values}
    return {
        source: bool(own)
        and all(values[source] in one.text and not any(v in one.text for v in foreign[source]) for one in own)
        for source, own in told.items()
    }


@pytest.mark.parametrize("kind", TEMPLATES)
def test_every_document_keeps_its_own_values(kind: str) -> None:
    passages, values = folder(kind)
    whole = stated(passages, values)  # nothing folded
    assert all(whole.values())
    for order in itertools.islice(itertools.permutations(passages), 0, None, 37):
        for cut in (0, len(order) // 2):  # found by one search, and by two
            merged = merge_passages(merge_passages([], order[:cut]), order[cut:])
            assert stated(merged, values) == whole


@pytest.mark.parametrize("kind", TEMPLATES)
def test_copies_with_the_same_particulars_are_one_passage(kind: str) -> None:
    passages, _ = folder(kind)
    copies = [one.model_copy(update={"id": f"copy-{one.id}", "source": f"copies/{one.source}"}) for one in passages]
    merged = merge_passages([], [*passages, *copies])
    told = [Told.of(one.text) for one in merged]
    assert not [1 for a, b in itertools.combinations(told, 2) if a.equals(b)]
    assert [one.also for one in merged] == [(f"copies/{one.source}",) for one in passages]


def test_a_page_that_lacks_a_sentence_with_a_figure_is_no_further_place_of_it() -> None:
    story = (
        "The harbour of Aldport was closed on Tuesday after a fire broke out on the third floor, officials said. "
        "About 340 people had to leave the building. The brigade said that the cause was not yet known. "
        "Repairs are expected to cost 12 million crowns, and the collection is shown elsewhere in the meantime."
    )
    short = story.replace("About 340 people had to leave the building. ", "")
    whole = passage(story, source="https://a.org/1")
    for order in ([whole, passage(short, source="https://b.org/1")], [passage(short, source="https://b.org/1"), whole]):
        (one,) = merge_passages([], order)
        assert (one.source, one.also) == ("https://a.org/1", ())


def test_a_text_is_compared_with_the_one_that_is_kept() -> None:
    """The second folds into the first; the third is alike to the second alone."""
    base = "The ferry to the outer islands leaves the north pier every morning and takes the mail, the bread and the doctor along"
    texts = [
        f"{base}.",
        f"{base}, weather permitting, with two stops on its way.",
        "Weather permitting, with two stops on its way, it is back at the north pier by noon and takes the doctor along.",
    ]
    merged = merge_passages([], [passage(text, f"https://{n}.org/") for n, text in enumerate(texts)])
    for one in merged:
        kept = Told.of(one.text)
        copies = [text for n, text in enumerate(texts) if f"https://{n}.org/" in one.also]
        assert all(kept.equals(Told.of(text)) for text in copies)
