"""Small and odd models: each habit of replying, in what each agent asks, ends in a right answer or in honest extracts.

Every habit meets every agent, in as many runs as there are habits: in each, the agents have different ones. Then each
habit is that of all agents at once.
"""

import re

import pytest

from tests.support.personas import UNANSWERABLE, WU_OR_CAESAR
from tests.support.reply_habits import HABITS, habitual, open_model
from tests.support.schema import check_result
from tests.support.virtual_time import virtual_time
from weiwo.graph import build_graph
from weiwo.state.settings import Context

AGENTS = ("master", "planner", "executor", "reflection", "writer")
NAMES = tuple(HABITS)
OF_AN_AGENT = tuple(name for name in NAMES if name not in {"thoughts_closed_alone", "slow"})
"""A template and a pace are the endpoint's, and do the same to all agents."""
MOST_CALLS = 40
LEAKS = re.compile(r"</?think|<tool_call|<\|im_|```|\"(?:next|decision|value)\"")
"""What no reader may see of a model's habits."""
pytestmark = [pytest.mark.usefixtures("indexed_home"), pytest.mark.long]


async def ask(question, by_agent):
    asked = []
    graph = build_graph(models=open_model(habitual(by_agent), asked))
    result = (await graph.ainvoke({"question": question}, context=Context(web=False, telemetry=False)))["result"]
    check_result(result)
    assert 0 < len(asked) <= MOST_CALLS
    assert not LEAKS.search(result["answer"])
    return result


def assert_right_or_honest(result):
    """The births, and the years between them, each shown by a source; or passages that hold these."""
    if result["status"] == "extracts":
        assert all(any(year in one["text"] for one in result["extracts"]) for year in ("156 BC", "100 BC"))
        return
    assert {"56", "156", "100"} <= set(re.findall(r"\d+", result["answer"]))
    assert not {"unsupported", "contradicted"} & {claim["verdict"] for claim in result["claims"]}
    assert result["status"] == "complete" or result["gaps"] or result["stop_reason"] != "finished"


@pytest.mark.parametrize("first", range(len(OF_AN_AGENT)), ids=OF_AN_AGENT)
async def test_every_habit_of_every_agent(first):
    by_agent = {agent: OF_AN_AGENT[(first + at) % len(OF_AN_AGENT)] for at, agent in enumerate(AGENTS)}
    assert_right_or_honest(await ask(WU_OR_CAESAR, by_agent))


@pytest.mark.parametrize("habit", [name for name in NAMES if name != "slow"])
async def test_one_habit_of_all_agents(habit):
    assert_right_or_honest(await ask(WU_OR_CAESAR, dict.fromkeys(AGENTS, habit)))


@virtual_time
async def test_two_tokens_a_second():
    assert_right_or_honest(await ask(WU_OR_CAESAR, dict.fromkeys(AGENTS, "slow")))


@pytest.mark.parametrize("habit", ["schema_ignored", "truncated", "tool_call_as_text"])
async def test_what_nobody_can_answer_is_not_asserted(habit):
    result = await ask(UNANSWERABLE, dict.fromkeys(AGENTS, habit))
    assert result["status"] in {"partial", "extracts"}
    assert not [claim for claim in result["claims"] if claim["verdict"] in {"quoted", "matched", "supported"}]
