"""Why an answer is not complete, in both languages."""

from typing import get_args

import pytest

from weiwo.app.errors import model_fault
from weiwo.app.render.answer import model_trouble
from weiwo.state.limits import FaultKind


@pytest.mark.parametrize("kind", get_args(FaultKind))
def test_every_kind_of_failure_is_told_in_chinese_with_the_words_themselves(kind):
    told = model_fault("zh", kind, "HTTP 401")
    assert told.endswith("（原话：HTTP 401）")
    assert told > "\u3400"
    assert model_fault("en", kind, "HTTP 401").partition("; ")[0] == "HTTP 401"


def test_a_failure_of_no_known_kind_is_told_in_its_own_words():
    calls = [{"error": None}, {"error": "the reply was invalid and was not read to its end"}]
    assert (
        model_trouble({"language": "zh", "usage": {"calls": calls}})
        == "规则代替模型 1 次：the reply was invalid and was not read to its end"
    )
