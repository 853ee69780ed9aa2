"""Questions that name an identifier: the router is never below hybrid search, wherever the identifier stands."""

import json

import pytest

from weiwo.tools.corpus.evaluation.dataset import Dataset
from weiwo.tools.corpus.evaluation.dataset_index import index_dataset
from weiwo.tools.corpus.evaluation.strategy_comparison import compare_strategies
from weiwo.tools.corpus.retrieval.routed_corpus import RoutedCorpus

DOCUMENTS = {
    "outage": "INC-49217 Outage of the payment gateway on 3 May. A certificate had expired. Fixed by Mara Voss within two hours.",
    "outage-review": "Review of INC-49217. The alarm for certificates was switched off in March. From now on two people renew them.",
    "outage-letter": "Letter to customers about INC-49217. Transfers of that morning were booked twice; refunds come by Friday.",
    "printer": "INC-50118 The printers of the third floor print blank pages. The toner was of another model.",
    "hinge": "Part KX-7704-B is a hinge of stainless steel for cabinet doors up to 12 kg. It opens to 110 degrees.",
    "hinge-order": "Order 2024-118: 400 pieces KX-7704-B for the workshop in Leeds, delivered on 9 June, 3.20 euros each.",
    "hinge-complaint": "Complaint: of the KX-7704-B delivered in June 14 pieces squeak after a week. The supplier sends grease.",
    "lock": "Part KX-7710-A is a lock with two keys for drawers. Its cylinder is of brass.",
    "policy": "Policy HR-2.14.3 Travel by train is booked in second class. First class needs the consent of a director.",
    "policy-answers": "Answers to HR-2.14.3: night trains count as hotels; bicycles are paid up to ten euros a day.",
    "policy-leave": "Policy HR-3.01.7 Leave is asked for two weeks ahead. Ten days may be carried over until March.",
    "release": "Release v4.12.903 adds the export to slides and drops support for Windows 8. Files keep their names.",
    "release-bug": "Since v4.12.903 tables with merged cells lose their borders. A fix is planned for autumn.",
    "release-old": "Release v4.11.870 made the index half as large and the first search twice as fast.",
    "job": "The job sync_orders_7 copies orders to the warehouse each night at two. It takes twenty minutes.",
    "job-failure": "sync_orders_7 failed on Sunday because the disk was full. Old logs are deleted weekly since.",
    "job-owner": "Owner of sync_orders_7 and of the nightly reports is the data team; its room is in the basement.",
    "flaw": "CVE-2024-31337 lets a guest read the mail of others through a link preview. Patched on 12 April.",
    "contract": "合同 HT-2023-0815 约定设备保修期为三年，逾期交货每天罚款百分之一。",
    "contract-supplement": "合同 HT-2023-0815 的补充协议：交货地点改为常州工厂，运费由卖方承担。",
}
QUESTIONS = [
    ("Who fixed INC-49217?", "outage"),
    ("Why did nobody see in time that led to INC-49217?", "outage-review"),
    ("When do customers get refunds for INC-49217?", "outage-letter"),
    ("What was wrong in INC-50118?", "printer"),
    ("How far does KX-7704-B open?", "hinge"),
    ("What did a piece of KX-7704-B cost?", "hinge-order"),
    ("What do people complain about with KX-7704-B?", "hinge-complaint"),
    ("What is the cylinder of KX-7710-A made of?", "lock"),
    ("When is first class allowed under HR-2.14.3?", "policy"),
    ("Are bicycles paid according to HR-2.14.3?", "policy-answers"),
    ("How many days carry over by HR-3.01.7?", "policy-leave"),
    ("What did v4.12.903 add?", "release"),
    ("Which tables are broken since v4.12.903?", "release-bug"),
    ("What became faster in v4.11.870?", "release-old"),
    ("At what time does sync_orders_7 run?", "job"),
    ("Why did sync_orders_7 fail?", "job-failure"),
    ("Which team owns sync_orders_7?", "job-owner"),
    ("When was CVE-2024-31337 patched?", "flaw"),
    ("合同 HT-2023-0815 的保修期是几年？", "contract"),
    ("合同 HT-2023-0815 的交货地点改到哪里？", "contract-supplement"),
]
SINGLE = {"printer", "lock", "policy-leave", "release-old", "flaw"}
"""Documents whose identifier stands in no other."""


@pytest.fixture
def labelled(tmp_path):
    folder = tmp_path / "identifiers"
    folder.mkdir()
    rows = [json.dumps({"_id": name, "title": "", "text": text}) for name, text in DOCUMENTS.items()]
    (folder / "corpus.jsonl").write_text("\n".join(rows), encoding="utf-8")
    asked = [json.dumps({"_id": f"q{n}", "text": text}) for n, (text, _) in enumerate(QUESTIONS)]
    (folder / "queries.jsonl").write_text("\n".join(asked), encoding="utf-8")
    lines = [f"q{n}\t{name}\t1" for n, (_, name) in enumerate(QUESTIONS)]
    (folder / "qrels.tsv").write_text("\n".join(lines), encoding="utf-8")
    return Dataset(folder)


@pytest.mark.parametrize("k", [1, 3])
async def test_the_router_finds_what_hybrid_search_finds(labelled, tmp_path, k):
    corpus = RoutedCorpus(index_dataset(labelled, tmp_path / "home", None))
    found = await compare_strategies(labelled, corpus, k)
    corpus.close()
    lost = [
        one.text for one in found.answered if one.attempts["auto"].scores.recall < one.attempts["hybrid"].scores.recall
    ]
    assert not lost
    by_rule = {name for one, (_, name) in zip(found.answered, QUESTIONS, strict=True) if one.decision.by == "rule"}
    assert by_rule == SINGLE
