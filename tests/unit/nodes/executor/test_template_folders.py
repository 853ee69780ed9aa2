"""Ten folders made from templates: folding copies must leave every document its own values, beside no folding at all."""

import itertools

import pytest

from tests.support.states import passage
from weiwo.nodes.executor.evidence_merging import merge_passages
from weiwo.state import Evidence
from weiwo.text.near_duplicates import Told

NAMES = ("Norvale Ferries", "Quist Salvage", "Tarsk Ropeworks", "Belmar Icehouse", "Drava Mills")
PEOPLE = ("Edda Karst", "Olaf Brennick", "Petra Voss", "Lena Moss", "Jon Falk")
NAMES_ZH = ("云帆轮渡", "启明打捞", "东湖制绳", "北岭冷库", "清河面粉")
FORM = "____________"
FOOTER = (
    "This message and what is attached to it are meant for the person named above alone. If it reached you by mistake, "
    "tell the sender and delete it. Opinions in it are those of the sender and not of the company."
)
CLAUSES = (
    "The supplier delivers within ten working days of the order. Goods are checked on arrival, and what is wrong is told "
    "within five days. Neither party is liable for what neither could foresee. Notices are sent in writing."
)
# A template with {name}, {who} and {value}, and whether its folder also holds the form that nobody filled in.
TEMPLATES: dict[str, tuple[str, bool]] = {
    "contracts": (
        "This contract is between the harbour board and {name}, for whom {who} signs. The yearly fee is {value} crowns. "
        + CLAUSES,
        True,
    ),
    "leases": (
        "The landlord lets the rooms on the second floor to {name}. The rent is {value} crowns a month and is due on the first. "
        + CLAUSES,
        True,
    ),
    "minutes": (
        "Present were the chair, the secretary and {who}. The minutes of the last meeting were read and approved. For {name} a budget of {value} crowns was agreed. There was no other business, and the meeting was closed.",
        False,
    ),
    "mail": (
        "Dear all, the order of {name} comes to {value} crowns and is shipped tomorrow. Kind regards, {who}. " + FOOTER,
        False,
    ),
    "invoices": (
        "For services in the past quarter we charge {name} the sum of {value} crowns, payable within thirty days to the account below. Please name the number of the invoice. Questions are answered by {who}.",
        True,
    ),
    "protocols": (
        "The sample of {name} was kept at room temperature overnight, filtered twice and weighed in the morning by {who}. The weight was {value} grams. All instruments had been calibrated in the week before.",
        False,
    ),
    "warranties": (
        "The maker warrants that the machine sold to {name} is free of faults in material and work for {value} days. Wear and misuse are excluded. The buyer writes to {who} and encloses the receipt.",
        True,
    ),
    "notices": (
        "The hall is closed to the public while {name} sets up its stands. Visitors use the door at the back. The fee of {value} crowns is paid to {who} at the gate, and no dogs are let in.",
        False,
    ),
    "reviews": (
        "The review of {name} found the books in good order. Receipts were complete, and the cash box was counted. A difference of {value} crowns was explained by {who}. No further steps are needed.",
        False,
    ),
    "合同": (
        "本合同由港务局与{name}签订。供方应在下单后十个工作日内交货，货物到达时验收，如有问题应在五日内告知。年费为{value}元。任何一方均不对不可预见之事负责，通知以书面形式送达。",
        True,
    ),
}


def folder(kind: str) -> tuple[list[Evidence], dict[str, str]]:
    """The passages of a folder, a document each, and the value of each document; a form has none."""
    template, with_form = TEMPLATES[kind]
    names = NAMES_ZH if kind == "合同" else NAMES
    filled = [
        (f"{n}.md", name, who, f"{2_900 + 1_317 * n:,}")
        for n, (name, who) in enumerate(zip(names, PEOPLE, strict=True))
    ]
    blank = [("form.md", FORM, FORM, "______")] * with_form
    values = {source: value if value[0].isdigit() else "" for source, _, _, value in (*blank, *filled)}
    texts = {source: template.format(name=name, who=who, value=value) for source, name, who, value in (*blank, *filled)}
    return [passage(text, source) for source, text in texts.items()], values


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
