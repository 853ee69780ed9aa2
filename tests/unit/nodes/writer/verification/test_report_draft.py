"""A report as a good model drafts it, in its own words: code doubts at most one of its claims, and each false one."""

import pytest

from tests.support.claims import check_claims
from weiwo.state import DOUBTFUL, Evidence, passage_id


def _source(title: str, text: str) -> list[Evidence]:
    return [Evidence(id=passage_id(text), text=text, source=f"{title}.md", title=title)]


STORE = """The vlx500 store at Harbour Road was opened on 4 March 2024. It has 320 m² of floor and is kept at -25 °C.
Doors stay open for at most 90 s. In a power cut it holds its temperature for 11 h. The store runs on firmware 7.0,
which replaced 6.2 in June 2025. Installing it cost EUR 184,000; service costs 7.00 euros per pallet and month."""
WAITS = """Waiting time for a slot fell from 22 to 14 weeks between 2023 and 2025. Complaints dropped by 38 %, from 210 to 130.
Of 64 customers asked, 41 were satisfied, 12 had no opinion. Staff: 9 people, two of them part-time, led by Ingrid Vold."""
RIVAL = """Nordfrost AS was founded in 1996 and is based in Bodø. Its store holds -18 °C and offers 1,250 pallet places,
against 800 at Harbour Road. A pallet costs 5.50 euros a month. Nordfrost does not accept hazardous goods."""
PLAN = """| Year | Pallets stored | Revenue (EUR thousand) | Energy (MWh) |
| --- | --- | --- | --- |
| 2023 | 5,400 | 412 | 690 |
| 2024 | 6,100 | 455 | 655 |
| 2025 | 7,250 | 538 | 610 |"""
RULES = """员工进入冷库须穿防寒服，每次停留不得超过40分钟。冷库每年检修两次，分别在4月和10月。"""
SOURCES = {
    n: _source(*one)
    for n, one in enumerate(
        [("Harbour Road cold store", STORE), ("Customer survey", WAITS), ("Nordfrost", RIVAL), ("Figures", PLAN), ("冷库规定", RULES)],
        1,
    )
}  # fmt: skip
QUESTION = "Write a report on the Harbour Road cold store: equipment, customers, costs, and the competitor Nordfrost."

DRAFT = """# The Harbour Road cold store

The store has been in operation since March 2024 and is held at -25C [1]. It covers 320 square metres [1].

## Equipment

- The VLX-500 store keeps its temperature for 11h without power [1].
- Doors may be open for no longer than a minute and a half [1].
- Since June 2025 it has been running firmware 7.0 instead of 6.2 [1].

## Customers

Waits improved from 22 to 14 weeks from 2023 to 2025 [2]. There were 80 fewer complaints, 130 instead of 210 [2].
About two thirds of the 64 customers who were asked are satisfied (41), while 12 have no view [2].
A team of nine under Ingrid Vold looks after them [2].

## Costs

The installation came to 184,000 euros [1]. Service is billed at EUR 7 a month for each pallet [1]; Nordfrost asks EUR 5.50 [3].
Revenue grew from EUR 412,000 in 2023 to EUR 538,000 in 2025 [4], although energy use went down from 690 to 610 MWh [4].

| Year | Pallets | Energy |
| --- | --- | --- |
| 2023 | 5,400 [4] | 690 MWh [4] |
| 2025 | 7,250 [4] | 610 MWh [4] |

## The competitor

Nordfrost, established in 1996, is located in Bodø [3]. It is bigger: 1,250 pallet places compared with 800 [3].
It is less cold, at -18°C [3]. Dangerous goods are not accepted there [3].

## Safety

Staff must wear protective clothing against the cold and may stay for 40 minutes at most [5]. The store is serviced twice a year, in April and October [5].

## Open points

- The sources do not say what the energy costs.
- Whether Nordfrost plans to expand is not known."""


def test_at_most_one_true_claim_is_doubted():
    claims = check_claims(DRAFT, SOURCES, question=QUESTION)
    doubted = [(claim.text, claim.reason) for claim in claims if claim.verdict in DOUBTFUL]
    assert len([claim for claim in claims if claim.citations]) >= 20
    assert len(doubted) <= 1, doubted


@pytest.mark.parametrize(
    ("said", "false"),
    [
        ("-25C", "-28C"),
        ("320 square", "420 square"),
        ("11h without", "14h without"),
        ("VLX-500", "VLX-700"),
        ("firmware 7.0 instead of 6.2", "firmware 7.2 instead of 6.2"),
        ("from 22 to 14 weeks", "from 14 to 22 weeks"),
        ("Ingrid Vold", "Astrid Moen"),
        ("184,000", "148,000"),
        ("at EUR 7 a month", "at EUR 9 a month"),
        ("610 MWh [4].", "640 MWh [4]."),
        ("7,250 [4]", "7,520 [4]"),
        ("established in 1996", "established in 1998"),
        ("40 minutes", "60 minutes"),
        ("Dangerous goods are not accepted there", "Ragnhild runs it"),
    ],
)
def test_a_false_particular_in_it_is_doubted(said, false):
    assert said in DRAFT
    claims = check_claims(DRAFT.replace(said, false), SOURCES, question=QUESTION)
    assert any(claim.verdict in DOUBTFUL for claim in claims if false.split(" [")[0] in claim.text), false
