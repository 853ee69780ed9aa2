"""Sentences for the results of table requests."""

import pytest

from tests.support.states import got
from weiwo.nodes.writer.table_statement import tell_table_result
from weiwo.state.evidence import OutcomeDetail
from weiwo.text.language import sentences


@pytest.mark.parametrize(
    ("language", "end"),
    [
        ("en", " (assumed: 药 → 药品名称; 最便宜 → 零售价（元）)."),
        ("zh", "（假定：药 → 药品名称，最便宜 → 零售价（元））。"),
    ],
)
def test_what_was_assumed_stays_in_the_sentence(language, end):
    made = {
        "title": "药品",
        "rows": 3,
        "of": 3,
        "columns": ["药品名称"],
        "order": ["零售价（元）", "number", False, 1],
        "assumed": [
            {"words": "药", "column": "药品名称", "value": ""},
            {"words": "最便宜", "column": "零售价（元）", "value": ""},
        ],
    }
    result = got("task_1", "维C片", "text").model_copy(update={"detail": OutcomeDetail(computation=made)})
    told = tell_table_result(result, language)
    assert told.endswith(end.rstrip(".。"))
    assert len(list(sentences(told))) == 1
