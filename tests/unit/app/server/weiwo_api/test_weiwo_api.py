"""Weiwo's own routes: what the page needs beside LangGraph's API."""

import json
import re
import shutil
from pathlib import Path

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient

from weiwo.text.language_detection import detect_language

QUESTION = "How long is the Yangtze?"


@pytest.fixture
async def answered(sdk: LangGraphClient) -> str:
    thread_id = (await sdk.threads.create())["thread_id"]
    await sdk.runs.wait(thread_id, "weiwo", input={"question": QUESTION})
    return str(thread_id)


async def test_the_installation_tells_of_itself_and_no_secret(http: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-value")
    monkeypatch.setenv("WEIWO_DATABASE_URL", "postgresql://me:hunter22@db/x")
    info = (await http.get("/weiwo/info")).json()
    assert (info["auth"], info["user"], info["web"], info["models"]) == ("none", "operator", None, {})
    assert "md" in info["formats"]
    assert info["limits"]["max_tasks"] == 20
    answer = await http.get("/weiwo/settings")
    settings = {one["name"]: one for one in answer.json()}
    assert settings["OPENAI_API_KEY"]["value"] == settings["WEIWO_DATABASE_URL"]["value"] == "set"
    assert (settings["WEIWO_WEB"]["value"], settings["WEIWO_WEB"]["from"]) == ("off", "environment")
    assert (settings["WEIWO_MAX_TASKS"]["value"], settings["WEIWO_MAX_TASKS"]["from"]) == (20, "default")
    assert "secret-value" not in answer.text
    assert "hunter22" not in answer.text


async def test_who_reads_chinese_is_told_in_chinese(http: httpx.AsyncClient):
    http.headers["accept-language"] = "zh-CN,zh;q=0.9,en;q=0.8"
    english = [
        one["name"]
        for path in ("/weiwo/settings", "/weiwo/tools")
        for one in (await http.get(path)).json()
        if detect_language(one.get("says") or one.get("description")) != "zh"
    ]
    assert english == []
    assert (await http.get("/weiwo/threads/none")).json()["detail"] == "没有编号为 'none' 的会话"
    assert (await http.get("/nowhere")).json()["detail"] == "GET /nowhere：没有这个地址"
    http.headers["accept-language"] = "en"
    assert (await http.get("/weiwo/threads/none")).json()["detail"] == "thread 'none' does not exist"


async def test_a_file_of_the_page_is_kept_by_its_version_and_sent_compressed(http: httpx.AsyncClient):
    page = (await http.get("/")).text
    for name in re.findall(r"/page/app\.(?:css|js)\?v=[0-9a-f]{12}", page):
        headers = (await http.get(name)).headers
        assert headers["cache-control"] == "max-age=31536000, immutable"
        assert headers["content-encoding"] == "gzip"
        assert (await http.get(name.partition("?")[0])).headers["cache-control"] == "no-cache"
    assert page.count("?v=") == 2


async def test_corpora_and_tools_are_listed(http: httpx.AsyncClient):
    (sample,) = (await http.get("/weiwo/corpora")).json()
    assert sample["documents"] > 20
    assert (sample["errors"], sample["sample"]) == ([], True)
    assert (await http.get("/weiwo/info")).json()["corpora"] == []
    tools = {one["name"]: one for one in (await http.get("/weiwo/tools")).json()}
    assert tools["corpus_search"]["health"] == "up"
    assert tools["web_search"]["health"] == "not available"


async def test_a_thread_is_shown_with_the_time_of_its_events(http: httpx.AsyncClient, answered: str):
    shown = (await http.get(f"/weiwo/threads/{answered}")).json()
    assert shown["question"] == QUESTION
    assert shown["revisions"] == []
    kinds = [one["type"] for one in shown["timeline"]]
    assert kinds[0] == "assessed"
    assert kinds[-1] == "finished"
    times = [one["at"] for one in shown["timeline"]]
    assert times == sorted(times)


async def test_a_citation_is_shown_in_its_document(http: httpx.AsyncClient, answered: str):
    shown = (await http.get(f"/weiwo/threads/{answered}/passages/1")).json()
    (start, end), *_ = shown["quotes"]
    assert "6,300 kilometres" in shown["text"][start:end]
    assert shown["source"].endswith("yangtze.md")
    assert shown["lines"] == [3, 9]
    assert (await http.get(f"/weiwo/threads/{answered}/passages/77")).status_code == 404


async def test_what_stands_around_a_passage_is_its_documents(http: httpx.AsyncClient, sdk: LangGraphClient):
    thread_id = (await sdk.threads.create())["thread_id"]
    await sdk.runs.wait(thread_id, "weiwo", input={"question": "When did Augustus marry Livia?"})
    shown = (await http.get(f"/weiwo/threads/{thread_id}/passages/1")).json()
    assert shown["source"].endswith("augustus.md")
    assert shown["lines"] == [7, 9]
    assert "Octavius" in shown["before"]
    assert shown["after"] == ""


@pytest.mark.processes
async def test_a_passage_outlives_its_document(
    http: httpx.AsyncClient, sdk: LangGraphClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "other.md").write_text("# Other\n\nNothing of it.")
    note = folder / "zorb.md"
    note.write_text("# Zorb\n\nThe Zorb is 4,321 metres high.")
    monkeypatch.setenv("WEIWO_CORPUS", str(folder))
    thread_id = (await sdk.threads.create())["thread_id"]
    await sdk.runs.wait(thread_id, "weiwo", input={"question": "How high is the Zorb?"})

    async def shown() -> tuple[str, bool]:
        answer = await http.get(f"/weiwo/threads/{thread_id}/passages/1")
        assert answer.status_code == 200
        return answer.json()["document"], "4,321 metres" in answer.json()["text"]

    assert await shown() == ("", True)
    note.write_text("# Zorb\n\nThe Zorb is 5,000 metres high.")
    assert await shown() == ("changed", True)
    note.unlink()
    assert await shown() == ("gone", True)
    shutil.rmtree(folder)
    assert await shown() == ("gone", True)


async def test_an_answer_is_downloaded(http: httpx.AsyncClient, answered: str):
    for name in (await http.get("/weiwo/info")).json()["formats"]:
        answer = await http.get(f"/weiwo/threads/{answered}/export", params={"format": name})
        assert (name, answer.status_code, bool(answer.content)) == (name, 200, True)
        assert "attachment" in answer.headers["content-disposition"]
    text = (await http.get(f"/weiwo/threads/{answered}/export")).text
    assert "6,300 kilometres" in text
    whole = await http.get(f"/weiwo/threads/{answered}/export", params={"format": "json"})
    assert json.loads(whole.text)["thread_id"] == answered
    assert (await http.get(f"/weiwo/threads/{answered}/export", params={"format": "exe"})).status_code == 422


async def test_a_thread_is_downloaded_whole_as_one_page(http: httpx.AsyncClient, sdk: LangGraphClient, answered: str):
    await sdk.runs.wait(answered, "weiwo", input={"question": "When did Augustus marry Livia?"})
    page = (await http.get(f"/weiwo/threads/{answered}/export", params={"format": "html"})).text
    assert page.count('<section class="turn">') == 2
    assert page.index("6,300 kilometres") < page.index("When did Augustus marry Livia?")
    assert "<script" not in page
    alone = (await http.get(f"/weiwo/threads/{answered}/export", params={"format": "md"})).text
    assert "6,300 kilometres" not in alone


async def test_feedback_is_kept(http: httpx.AsyncClient, answered: str):
    said = await http.post(f"/weiwo/threads/{answered}/feedback", json={"good": True, "words": "right"})
    assert said.json() == {"kept": True, "sent": False}
    assert (await http.post(f"/weiwo/threads/{answered}/feedback", json={"good": 1})).status_code == 422


async def test_a_value_is_set_and_the_answer_follows_it(http: httpx.AsyncClient, sdk: LangGraphClient, answered: str):
    history = await sdk.threads.get_history(answered, limit=100)
    before = next(one for one in history if one["next"] == ["reflection"])
    place = {"checkpoint_id": before["checkpoint"]["checkpoint_id"]}
    wrong = await http.post(f"/weiwo/threads/{answered}/fork", json={**place, "outcomes": {"task_9": 1}})
    assert wrong.status_code == 422
    assert "task_9" in wrong.json()["detail"]
    made = await http.post(f"/weiwo/threads/{answered}/fork", json={**place, "outcomes": {"task_1": 7000}})
    assert made.json()["next"] == ["executor"]
    values = await sdk.runs.wait(answered, "weiwo", input=None)
    assert values["result"]["outcomes"]["task_1"]["value"] == 7000


async def test_the_moments_of_a_thread_are_listed(http: httpx.AsyncClient, answered: str):
    moments = (await http.get(f"/weiwo/threads/{answered}/moments")).json()
    assert moments[0]["next"] == []
    assert moments[0]["answered"]
    (task,) = moments[0]["plan"]["vertices"]
    assert moments[0]["outcomes"][task["id"]]["status"] == "succeeded"
    assert moments[-1]["next"] == ["__start__"]
    assert (await http.get("/weiwo/threads/nobody/moments")).status_code == 404


async def test_an_edited_plan_is_checked(http: httpx.AsyncClient, answered: str):
    path = f"/weiwo/threads/{answered}/plan/check"
    plan = (await http.get(f"/weiwo/threads/{answered}")).json()["plan"]
    assert (await http.post(path, json={"plan": plan})).json()["complaints"] == []
    plan["vertices"][0]["tool_binding"] = "telepathy"
    (complaint, *_) = (await http.post(path, json={"plan": plan})).json()["complaints"]
    assert "telepathy" in complaint
    answer = await http.post(path, json={"plan": plan}, headers={"accept-language": "zh-CN,zh;q=0.9"})
    assert "没有工具 'telepathy'" in answer.json()["complaints"][0]


async def test_no_upload_is_kept_under_a_name_that_is_none(http: httpx.AsyncClient):
    for name in ("", "..", "/", "a/..", "\u202e", "...."):
        answer = await http.post("/weiwo/corpora/mine/files", params={"filename": name}, content=b"x")
        assert (name, answer.status_code) == (name, 422)


@pytest.mark.processes
async def test_a_file_is_uploaded_indexed_and_found(
    http: httpx.AsyncClient, sdk: LangGraphClient, monkeypatch: pytest.MonkeyPatch
):
    answer = await http.post(
        "/weiwo/corpora/mine/files",
        params={"filename": "../../evil/zorb.md"},
        content=b"# Zorb\n\nThe Zorb is 4,321 metres high.",
    )
    steps = [json.loads(line) for line in answer.text.splitlines()]
    assert steps[-1] == {"indexed": 1, "passages": 1, "errors": [], "corpus": "mine"}
    assert steps[0]["stage"] == "kept"
    monkeypatch.setenv("WEIWO_CLIENT_FIELDS", "corpus")
    values = await sdk.runs.wait(
        None, "weiwo", input={"question": "How high is the Zorb?"}, context={"corpus": ["mine"]}
    )
    assert "4,321" in values["result"]["answer"]
