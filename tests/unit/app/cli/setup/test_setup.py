"""Which model is chosen, and why."""

import pytest

from weiwo.app.cli.setup.setup import _list_candidates, _missing_packages
from weiwo.models.local_servers import FoundServer, LocalModel

ROOT = "http://127.0.0.1:11434"


def on(kind: str, *models: LocalModel) -> list[FoundServer]:
    return [FoundServer(kind, ROOT, models)]


def test_size_and_window_decide_among_local_models():
    small = LocalModel("tiny:1b", billions=1, trained=32_768, served=4_096)
    good = LocalModel("qwen3:8b", billions=8, trained=40_960, served=4_096, tools=True)
    short = LocalModel("old:13b", billions=13, trained=4_096, served=4_096)
    embedder = LocalModel("embed", chats=False)
    found = _list_candidates(on("Ollama", small, good, short, embedder), {})
    assert [one.model.name for one in found] == ["qwen3:8b", "old:13b", "tiny:1b"]
    best = found[0]
    assert best.settings == {
        "WEIWO_MODEL": "openai:qwen3:8b",
        "OPENAI_BASE_URL": f"{ROOT}/v1",
        "WEIWO_CONTEXT_TOKENS": "16384",
    }
    assert best.wants_widening
    assert "a variant with 16,384" in "; ".join(best.why)
    assert "too few" in "; ".join(found[1].why)


def test_a_window_is_not_widened_beyond_what_the_model_was_made_for_nor_elsewhere_than_in_ollama():
    model = LocalModel("m", billions=8, trained=8_192, served=8_192)
    assert not _list_candidates(on("Ollama", model), {})[0].wants_widening
    narrow = LocalModel("m", billions=8, trained=32_768, served=4_096)
    (candidate,) = _list_candidates(on("LM Studio", narrow), {})
    assert not candidate.wants_widening
    assert "load it with 16,384" in "; ".join(candidate.why)
    assert candidate.settings["WEIWO_CONTEXT_TOKENS"] == "4096"


def test_a_key_comes_first_and_says_where_the_words_go():
    found = _list_candidates(on("vLLM", LocalModel("big", billions=32, served=32_768)), {"OPENAI_API_KEY": "k"})
    assert found[0].settings == {"WEIWO_MODEL": "openai:gpt-5-mini"}
    assert "sent to the provider" in "; ".join(found[0].why)


def test_the_key_of_a_server_is_no_hosted_model():
    env = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "http://models.lan/v1"}
    assert _list_candidates([], env) == []


@pytest.mark.parametrize("key", ["GROQ_API_KEY"])
def test_a_key_whose_package_is_missing_says_what_to_install(key):
    assert _list_candidates([], {key: "k"}) == []
    assert _missing_packages({key: "k"}) == [
        f"{key} is set; run pip install langchain-groq to use groq:llama-3.3-70b-versatile"
    ]
