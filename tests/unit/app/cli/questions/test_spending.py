"""What answers took is kept without their questions, summed, and told before a deep search."""

import json

import pytest

from weiwo.app.cli.documents.stats import stats
from weiwo.app.cli.errors import CommandError, UsageError
from weiwo.app.cli.questions import spending
from weiwo.app.cli.questions.spending import (
    _ASSUMED,
    _expect_tokens,
    read_spending,
    record_spending,
    summarize_spending,
    tell_cost,
)
from weiwo.models.prices import cached_price_of, cost_of_call, price_of, require_prices
from weiwo.state.settings import Context, Settings


def settings(**context) -> Settings:
    return Settings.resolve(Context(model="openai:gpt-5-mini", **context))


def answer(status="complete", tokens=(100_000, 10_000), model="openai:gpt-5-mini"):
    call = {"model": model, "mode": "json_schema", "input_tokens": tokens[0], "output_tokens": tokens[1]}
    return {"status": status, "question": "my secret", "usage": {"calls": [call, {**call, "mode": "not_sent"}]}}


def test_the_list_gives_way_to_what_is_configured_and_knows_nothing_of_other_endpoints(monkeypatch):
    assert price_of(settings(), "openai:gpt-5-mini") == (0.25, 2)
    assert price_of(settings(prices={"openai:gpt-5-mini": (1, 2)}), "openai:gpt-5-mini") == (1, 2)
    assert price_of(settings(), "openai:qwen3:8b") is None
    require_prices(settings(max_cost=1))
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:11434/v1")
    assert price_of(settings(), "openai:gpt-5-mini") is None


@pytest.mark.parametrize(
    ("variable", "url", "model", "known"),
    [
        ("OPENAI_BASE_URL", "https://api.openai.com/v1", "openai:gpt-5-mini", True),
        ("OPENAI_BASE_URL", "https://eu.api.openai.com/v1", "openai:gpt-5-mini", True),
        ("OPENAI_API_BASE", "https://openai.com.example.org/v1", "openai:gpt-5-mini", False),
        ("ANTHROPIC_BASE_URL", "https://gateway.example.org", "anthropic:claude-haiku-4-5", False),
        ("ANTHROPIC_API_URL", "https://api.anthropic.com", "anthropic:claude-haiku-4-5", True),
        ("GOOGLE_GEMINI_BASE_URL", "http://10.0.0.7:8080", "google_genai:gemini-2.5-flash", False),
        ("MISTRAL_BASE_URL", "https://api.mistral.ai/v1", "mistralai:mistral-small-latest", True),
        ("MISTRAL_BASE_URL", "http://[broken", "mistralai:mistral-small-latest", False),
        ("DEEPSEEK_API_BASE", "https://proxy.example.org/v1", "deepseek:deepseek-chat", False),
    ],
)
def test_the_list_counts_for_the_providers_own_host_only(monkeypatch, variable, url, model, known):
    assert price_of(settings(), model) is not None
    monkeypatch.setenv(variable, url)
    assert (price_of(settings(), model) is not None) is known
    assert (cached_price_of(settings(), model) is not None) is known


def test_kept_tokens_cost_what_the_list_says_and_else_as_much_as_others():
    name = "anthropic:claude-haiku-4-5"
    assert cost_of_call(settings(), name, 1_000_000, 0, 400_000) == pytest.approx(0.6 * 1 + 0.4 * 0.1)
    own = settings(prices={name: (2.0, 4.0)})
    assert cost_of_call(own, name, 1_000_000, 0, 400_000) == pytest.approx(2.0)


def test_totals(tmp_path):
    of = settings()
    for one in (answer(), answer("partial"), answer(tokens=(200_000, 0))):
        record_spending(one, of)
    record_spending({"status": "extracts", "usage": {"calls": []}}, of)
    record_spending(answer(), settings(telemetry=False))
    record_spending(answer(tokens=(0, 0)), of)  # nobody answered
    file = tmp_path / "home" / "spending.jsonl"
    assert "secret" not in file.read_text("utf-8")
    with file.open("a", encoding="utf-8") as out:
        out.write('{"at": "torn\n[]\n{"at": 1}\n')
    found = summarize_spending(read_spending(tmp_path / "home"))
    # each answer lists its call twice, once as not sent: 800,000 tokens in and 40,000 out at 0.25 and 2 a million
    assert (found["answers"], found["complete"]) == (3, 2)
    assert found["cost"] == pytest.approx(0.8 * 0.25 + 0.04 * 2)
    assert found["cost_per_complete"] == pytest.approx(found["cost"] / 2)
    (day,) = found["days"].values()
    assert (day["answers"], day["calls"], day["input"]) == (3, 3, 800_000)
    assert found["models"]["openai:gpt-5-mini"]["output"] == 40_000


def test_what_is_expected_is_the_median_of_those_before():
    assert _expect_tokens([], "deep") == (*_ASSUMED, 0)
    rows = [
        {"depth": depth, "models": {"m": {"input": n, "output": 1}, "n": {"input": 1, "output": 1}}}
        for depth, n in (("deep", 10), ("deep", 30), ("deep", 500), ("quick", 9_999))
    ]
    assert _expect_tokens(rows, "deep") == (31, 2, 3)


@pytest.fixture
def person(monkeypatch):
    asked = []
    monkeypatch.setattr(spending, "can_ask", lambda: True)

    def typing(word):
        monkeypatch.setattr("weiwo.app.cli.questions.requests.read_line", lambda prompt: asked.append(prompt) or word)
        return asked

    return typing


def test_a_deep_search_says_what_it_costs(capsys, person):
    person("n")
    tell_cost("Who?", settings(depth="deep"), as_json=False)  # no threshold: nobody is asked
    said = capsys.readouterr().err
    assert "about $0.10" in said
    assert "list prices of genai-prices" in said
    tell_cost("谁？", settings(depth="deep"), as_json=False)
    said = capsys.readouterr().err
    assert "深入查找：约 $0.10" in said
    assert "；按 genai-prices" in said
    tell_cost("Who?", settings(), as_json=False)
    tell_cost("Who?", Settings.resolve(Context(depth="deep")), as_json=False)
    tell_cost("Who?", Settings.resolve(Context(depth="deep", model="openai:unknown")), as_json=False)
    assert capsys.readouterr().err == ""


def test_above_the_threshold_a_person_is_asked(monkeypatch, person):
    monkeypatch.setenv("WEIWO_ASK_COST", "0.05")
    asked = person("y")
    tell_cost("Who?", settings(depth="deep"), as_json=False)
    tell_cost("谁？", settings(depth="deep"), as_json=False)
    assert ["运行" in prompt for prompt in asked] == [False, True]
    person("n")
    with pytest.raises(CommandError, match="--depth normal"):
        tell_cost("Who?", settings(depth="deep"), as_json=False)
    tell_cost("Who?", settings(depth="deep"), as_json=True)
    monkeypatch.setattr(spending, "can_ask", lambda: False)
    tell_cost("Who?", settings(depth="deep"), as_json=False)
    assert len(asked) == 3


@pytest.mark.parametrize("text", ["much", "-1", "inf", "nan"])
def test_a_threshold_that_is_none(monkeypatch, text):
    monkeypatch.setenv("WEIWO_ASK_COST", text)
    with pytest.raises(UsageError, match="is not an amount"):
        tell_cost("Who?", settings(depth="deep"), as_json=False)


def test_telemetry_tells_it_without_any_corpus(capsys):

    record_spending(answer(), settings())
    stats(json=True)
    assert json.loads(capsys.readouterr().out)["spending"]["answers"] == 1
    stats()
    assert "1 answer by models" in capsys.readouterr().out
    with pytest.raises(UsageError, match="does not exist"):
        stats(corpus="notes", json=True)
