"""The budget: nothing is spent twice, and every limit stops what it should."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weiwo.models.budget import Budget, Reservation
from weiwo.models.errors import BudgetExhaustedError
from weiwo.state import Limits, ModelCall, Usage


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def spent_call(**fields) -> ModelCall:
    return ModelCall(role="planner", purpose="plan", model="openai:m", mode="text", **fields)


def test_seconds_continue_from_what_was_spent() -> None:
    clock = Clock()
    budget = Budget(Limits(max_seconds=60), Usage(seconds=20), clock)
    assert budget.remaining_seconds() == 40
    clock.now += 15
    assert budget.remaining_seconds() == 25
    assert budget.remaining_seconds(reserve=10) == 15
    assert budget.remaining_seconds(reserve=100) == 0
    clock.now += 25
    with pytest.raises(BudgetExhaustedError) as stop:
        budget.reserve_call()
    assert stop.value.limit == budget.reached == "max_seconds"
    assert budget.remaining_seconds() == 0


async def test_of_many_tasks_exactly_as_many_get_a_call_as_there_are() -> None:
    budget = Budget(Limits(max_model_calls=5), Usage(model_calls=2))

    async def take() -> bool:
        await asyncio.sleep(0)
        try:
            budget.reserve_call()
        except BudgetExhaustedError:
            return False
        await asyncio.sleep(0)
        budget.record(spent_call())
        return True

    taken = await asyncio.gather(*(take() for _ in range(20)))
    assert sum(taken) == 3
    assert budget.delta().model_calls == 3
    assert budget.reached == "max_model_calls"


@pytest.mark.parametrize(
    ("limits", "spent", "reason"),
    [
        (Limits(max_model_calls=0), Usage(), "max_model_calls"),
        (Limits(max_tokens=100), Usage(input_tokens=60, output_tokens=40), "max_tokens"),
        (Limits(max_cost=0.5), Usage(cost=0.5), "max_cost"),
        (Limits(max_seconds=1), Usage(seconds=1), "max_seconds"),
    ],
)
def test_each_limit_refuses_a_call(limits: Limits, spent: Usage, reason: str) -> None:
    budget = Budget(limits, spent, Clock())
    with pytest.raises(BudgetExhaustedError, match=reason):
        budget.reserve_call()
    assert budget.reached == reason


def test_tokens_and_cost_of_this_node_count_too() -> None:
    budget = Budget(Limits(max_tokens=100, max_cost=1), clock=Clock())
    budget.reserve_call()
    budget.record(spent_call(input_tokens=50, output_tokens=49), cost=0.9)
    budget.reserve_call()
    budget.record(spent_call(input_tokens=1), cost=0.2)
    with pytest.raises(BudgetExhaustedError, match="max_tokens"):
        budget.reserve_call()


def test_the_first_limit_hit_is_the_one_named() -> None:
    clock = Clock()
    budget = Budget(Limits(max_model_calls=0, max_seconds=1), clock=clock)
    with pytest.raises(BudgetExhaustedError):
        budget.reserve_call()
    clock.now += 5
    with pytest.raises(BudgetExhaustedError, match="max_seconds"):
        budget.reserve_call()
    assert budget.reached == "max_model_calls"


def test_delta_sums_with_what_was_spent_before() -> None:
    clock = Clock()
    before = Usage(model_calls=1, input_tokens=5, seconds=2, calls=(spent_call(input_tokens=5),))
    budget = Budget(Limits(), before, clock)
    budget.reserve_call()
    clock.now += 3
    budget.record(spent_call(input_tokens=7, output_tokens=2, error="HTTP 500"), cost=0.25)
    budget.take_tool_call()
    after = before + budget.delta()
    assert (after.model_calls, after.input_tokens, after.output_tokens) == (2, 12, 2)
    assert (after.tool_calls, after.cost, after.seconds) == (1, 0.25, 5)
    assert [call.error for call in after.calls] == [None, "HTTP 500"]


def test_a_child_spends_from_the_whole_and_reports_its_own() -> None:
    clock = Clock()
    whole = Budget(Limits(max_model_calls=2, max_seconds=60), Usage(seconds=10), clock)
    one, other = whole.child(), whole.child()
    one.reserve_call()
    one.record(spent_call(input_tokens=3), cost=0.5)
    other.reserve_call()
    other.record(spent_call(input_tokens=4))
    other.take_tool_call()
    clock.now += 5
    with pytest.raises(BudgetExhaustedError, match="max_model_calls"):
        one.child().reserve_call()
    assert (one.reached, whole.reached) == ("max_model_calls", "max_model_calls")
    assert one.remaining_seconds() == whole.remaining_seconds() == 45
    assert one.delta() + other.delta() + Usage(seconds=5) == whole.delta()
    clock.now += 60
    with pytest.raises(BudgetExhaustedError, match="max_seconds"):
        other.reserve_call()


@pytest.mark.parametrize(
    ("limits", "spent", "limit"),
    [
        (Limits(), Usage(), None),
        (Limits(max_model_calls=0), Usage(), None),
        (Limits(max_model_calls=2), Usage(model_calls=2), "max_model_calls"),
        (Limits(max_seconds=5), Usage(seconds=6), "max_seconds"),
        (Limits(max_tokens=5), Usage(input_tokens=6), "max_tokens"),
    ],
)
def test_what_an_earlier_node_came_to_is_known(limits: Limits, spent: Usage, limit: str | None) -> None:
    budget = Budget(limits, spent, Clock())
    assert budget.find_exhausted_limit() == budget.child().find_exhausted_limit() == limit


def test_room_is_set_aside_while_a_call_is_under_way_and_given_back() -> None:
    budget = Budget(Limits(max_tokens=1_000, max_cost=1.0), clock=Clock())
    large = Reservation(tokens=600, cost=0.1)
    one, other = budget.child(), budget.child()
    one.reserve_call(large)
    with pytest.raises(BudgetExhaustedError, match="max_tokens"):
        other.reserve_call(large)
    other.reserve_call(Reservation(tokens=400, cost=0.9))
    with pytest.raises(BudgetExhaustedError, match="max_tokens"):
        other.reserve_call(Reservation(tokens=1))
    one.record(spent_call(input_tokens=50, output_tokens=50), 0.01, large)
    other.reserve_call(Reservation(tokens=500))  # 100 spent, 400 set aside
    other.record(spent_call(), 0.0, Reservation(tokens=400, cost=0.9))
    other.record(spent_call(), 0.0, Reservation(tokens=500))
    with pytest.raises(BudgetExhaustedError, match="max_cost"):
        one.reserve_call(Reservation(tokens=1, cost=0.995))
    one.reserve_call(Reservation(tokens=900, cost=0.99))


@given(
    limit=st.integers(1, 5_000),
    calls=st.lists(st.tuples(st.integers(0, 2_000), st.integers(0, 100), st.booleans()), max_size=30),
)
def test_calls_never_take_more_than_the_limit_where_estimates_hold(
    limit: int, calls: list[tuple[int, int, bool]]
) -> None:
    budget = Budget(Limits(max_tokens=limit, max_model_calls=100), clock=Clock())
    under_way: list[tuple[Reservation, int]] = []
    for estimate, percent, settle in calls:
        room = Reservation(tokens=estimate)
        try:
            budget.reserve_call(room)
        except BudgetExhaustedError:
            assert budget.reached == "max_tokens"
        else:
            under_way.append((room, estimate * percent // 100))
        if settle and under_way:
            done, took = under_way.pop(0)
            budget.record(spent_call(input_tokens=took), 0.0, done)
    for done, took in under_way:
        budget.record(spent_call(input_tokens=took), 0.0, done)
    assert budget.delta().input_tokens <= limit


@pytest.mark.parametrize(
    ("error", "limit"),
    [
        ("the run's limit max_tokens was reached", "max_tokens"),
        ("the run's limit max_model_calls was reached", "max_model_calls"),
        ("stopped, because the run's limit max_seconds is near", "max_seconds"),
        ("HTTP 500, server error", None),
        (None, None),
    ],
)
def test_what_a_limit_kept_an_earlier_node_from_is_known(error: str | None, limit: str | None) -> None:
    budget = Budget(Limits(), Usage(calls=(spent_call(error=error),)), Clock())
    assert (
        budget.reached
        == budget.find_curtailing_limit()
        == budget.find_exhausted_limit()
        == budget.child().find_curtailing_limit()
        == limit
    )


def test_a_run_that_took_its_very_last_call_was_kept_from_nothing() -> None:
    budget = Budget(Limits(max_model_calls=1), clock=Clock())
    budget.reserve_call()
    budget.record(spent_call())
    assert (budget.find_curtailing_limit(), budget.find_exhausted_limit()) == (None, "max_model_calls")
    with pytest.raises(BudgetExhaustedError):
        budget.reserve_call()
    assert budget.find_curtailing_limit() == "max_model_calls"


@pytest.mark.parametrize("limits", [{"max_model_calls": 0}, {"max_tokens": 0}, {"max_cost": 0}])
def test_a_limit_of_nothing_is_a_wish_to_run_on_rules(limits: dict[str, int]) -> None:
    budget = Budget(Limits(**limits), clock=Clock())
    with pytest.raises(BudgetExhaustedError):
        budget.reserve_call(Reservation(tokens=1, cost=0.1))
    assert (budget.find_curtailing_limit(), budget.find_exhausted_limit()) == (None, None)


def test_time_that_is_up_is_time_that_is_up() -> None:
    assert Budget(Limits(max_seconds=5), Usage(seconds=6), Clock()).find_curtailing_limit() == "max_seconds"


def test_a_tenth_of_the_time_is_the_writers() -> None:
    budget = Budget(Limits(max_seconds=10), Usage(seconds=4), Clock())
    assert (budget.work_seconds(), budget.child().work_seconds()) == (5, 5)


def test_the_longest_reply_of_a_purpose_is_remembered() -> None:
    before = Usage(calls=(spent_call(output_tokens=30),))
    budget = Budget(Limits(), before, Clock())
    child = budget.child()
    child.record(spent_call(output_tokens=70))
    assert budget.longest_reply("openai:m", "plan") == child.longest_reply("openai:m", "plan") == 70
    assert budget.longest_reply("openai:m", "read") == budget.longest_reply("openai:other", "plan") == 0


def test_tool_calls_are_refused_where_they_are_used_up_whoever_asks() -> None:
    whole = Budget(Limits(max_tool_calls=3), Usage(tool_calls=1))
    one, other = whole.child(), whole.child()
    assert one.take_tool_call()
    assert one.limit_of_tasks() == "max_seconds"
    assert other.take_tool_call()
    assert not one.take_tool_call()
    assert not whole.take_tool_call()
    assert one.limit_of_tasks() == whole.limit_of_tasks() == "max_tool_calls"
    assert (whole.delta().tool_calls, one.delta().tool_calls) == (2, 1)
