"""What chat interfaces send beside questions, and around them, in the forms of Open WebUI and LibreChat (own wording)."""

import json
import os
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.fake_model import fake
from tests.unit.app.server.conftest import running
from weiwo.app.server.application import create_app
from weiwo.app.server.openai_api.chat_templates import find_task, read_attached, unwrap_question

OLDER = "Who was older, Emperor Wu of Han or Julius Caesar, and by how many years?"
HISTORY = f"<chat_history>\nUSER: {OLDER}\nASSISTANT: Emperor Wu, by 56 years.\nUSER: And Augustus?\n</chat_history>"
ZH_HISTORY = (
    "<chat_history>\nUSER: 汉武帝和凯撒谁更年长？大多少岁？请说明。\nASSISTANT: 汉武帝，大 56 岁。\n</chat_history>"
)
FILE = "The Quayle Harbour office opens at 07:30. Mooring costs 12 euros a night."


def task(what: str, shape: str, history: str = HISTORY) -> str:
    return f"### Task:\n{what}\n### Guidelines:\n- Be brief.\n### Output:\nJSON format: {shape}\n### Chat:\n{history}"


TITLE = task("Name this chat with an emoji.", '{ "title": "…" }')
QUERIES = task("Say which web searches are needed.", 'JSON only:\n{\n  "queries": ["one", "two"]\n}')
BARE_TITLE = f"Give a title of five words for the conversation. Only the title.\n\nUser: {OLDER}\nAI: Emperor Wu."


@pytest.mark.parametrize(
    ("prompt", "answer"),
    [
        (TITLE, {"title": "Who was older, Emperor Wu of"}),
        (task("给这段对话起个名字。", '{ "title": "……" }', ZH_HISTORY), {"title": "汉武帝和凯撒谁更年长？大多少岁"}),
        (task("Name one to three topics.", '{ "tags": ["a", "b"] }'), {"tags": []}),
        (task("Suggest what to ask next.", '{"follow_ups": ["Question 1?", "Question 2?"]}'), {"follow_ups": []}),
        (QUERIES, {"queries": ["And Augustus?"]}),
        (task("Describe an image of it.", '{"prompt": "A detailed description."}'), {"prompt": ""}),
        (
            f"### 任务：\n生成检索词。只输出 JSON：{{“queries”: [“…”]}}\n{ZH_HISTORY}",
            {"queries": ["汉武帝和凯撒谁更年长？大多少岁？请说明。"]},
        ),
    ],
)
def test_a_task_is_answered_by_rule_in_the_form_it_asks_for(prompt: str, answer: dict[str, Any]):
    found = find_task(prompt)
    assert found is not None
    assert json.loads(found.answer_by_rule()) == answer


def test_a_title_may_be_asked_for_in_plain_words():
    for prompt in (BARE_TITLE, BARE_TITLE.replace("User:", "||>User:\n").replace("AI:", "||>Response:\n")):
        found = find_task(prompt)
        assert found is not None
        assert found.answer_by_rule() == "Who was older, Emperor Wu of"
        assert found.read_reply('"Emperor and Caesar"') == "Emperor and Caesar"
        assert found.read_reply("First\nSecond") == ""


@pytest.mark.parametrize(
    "question",
    [
        OLDER,
        "What is the title of Goethe's first novel?",
        'What does {"title": "x"} mean in JSON?',
        "### Task: compare the Danube and the Yangtze",
        "User: what is the title?",
        "",
        "#" * 5_000,
        '### Task:\n<context><source id="1">x</source></context>\n<user_query>{ "title": "y" }</user_query>',
    ],
)
def test_a_question_is_no_task(question: str):
    assert find_task(question) is None


def test_a_reply_of_another_form_counts_for_nothing():
    found = find_task(QUERIES)
    assert found is not None
    assert json.loads(found.read_reply('Sure:\n```json\n{"queries": ["Caesar born"]}\n```')) == {
        "queries": ["Caesar born"]
    }
    assert [found.read_reply(one) for one in ("no JSON", '{"queries": "x"}', '{"queries": [1]}', "[]")] == [""] * 4


def wrapped(question: str, *sources: str, tagged: bool = True) -> str:
    asked = f"<user_query>\n{question}\n</user_query>" if tagged else question
    return "### Task:\nUse the context, cite its ids.\n\n<context>\n" + "\n".join(sources) + f"\n</context>\n\n{asked}"


@pytest.mark.parametrize("tagged", [True, False])
def test_the_question_is_what_the_user_wrote(tagged: bool):  # noqa: FBT001 - a parameter of the test
    text = wrapped("How tall is the Burj Khalifa?", '<source id="1" name="a.pdf">x</source>', tagged=tagged)
    assert unwrap_question(text) == "How tall is the Burj Khalifa?"
    assert unwrap_question("Is <context> a tag?") == "Is <context> a tag?"


def test_sources_are_told_apart_by_name():
    text = wrapped(
        "?",
        '<source id="1" name="a &amp; b.pdf">One &lt; two.</source>',
        "<source id='2' name='https://example.com/x'>Web.</source>",
        '<source id="3" name="a &amp; b.pdf">More.</source>',
        '<source id="4"></source>',
        '<source id="5">Nameless.</source><source',
    )
    files = "<file>\n<filename>c.txt</filename>\n<context>Of LibreChat.\n</context></file>"
    assert read_attached([text, files]) == [
        {"name": "a & b.pdf", "text": "One < two.\n\nMore."},
        {"name": "https://example.com/x", "text": "Web."},
        {"name": "5", "text": "Nameless."},
        {"name": "c.txt", "text": "Of LibreChat."},
    ]
    assert read_attached(["<source" * 20_000, "<source>" * 20_000]) == []


async def asked(http: httpx.AsyncClient, text: str, **more: Any) -> httpx.Response:
    body = {"model": "weiwo", "messages": [{"role": "user", "content": text}], **more}
    return await http.post("/v1/chat/completions", json=body)


async def test_a_task_starts_no_run(http: httpx.AsyncClient):
    whole = (await asked(http, TITLE, response_format={"type": "json_object"})).json()
    assert json.loads(whole["choices"][0]["message"]["content"]) == {"title": "Who was older, Emperor Wu of"}
    streamed = (await asked(http, TITLE, stream=True)).text
    chunks = [json.loads(line[6:]) for line in streamed.splitlines() if line.startswith("data: {")]
    said = "".join(one["choices"][0]["delta"].get("content", "") for one in chunks)
    assert said == whole["choices"][0]["message"]["content"]
    assert (await http.get("/weiwo/info")).json()["day"]["runs"] == 0


async def test_with_a_model_a_task_is_one_call(indexed_home: None):  # noqa: ARG001 - the fixture sets the home
    model = fake(draft='{"title": "Emperor and Caesar"}')
    async with running(create_app({"models": model})) as http:
        answer = (await asked(http, TITLE)).json()["choices"][0]["message"]["content"]
    assert json.loads(answer) == {"title": "Emperor and Caesar"}
    assert [one.text for one in model.requests] == [TITLE]


async def test_who_has_spent_his_day_gets_a_title_by_rule(indexed_home: None):  # noqa: ARG001 - as above
    model = fake(draft='{"title": "Emperor and Caesar"}')
    (Path(os.environ["WEIWO_HOME"]) / "users.toml").write_text("[operator]\ntokens_per_day = 0\n")
    async with running(create_app({"models": model})) as http:
        answer = (await asked(http, TITLE)).json()["choices"][0]["message"]["content"]
    assert json.loads(answer) == {"title": "Who was older, Emperor Wu of"}
    assert not model.requests


async def test_an_attached_file_is_read_and_cited_by_name(http: httpx.AsyncClient):
    source = f'<source id="1" name="harbour.pdf">{FILE}</source>'
    for question, words, cited in (
        ("What does mooring cost at Quayle Harbour?", "12 euros", "harbour.pdf"),
        ("How tall is the Burj Khalifa?", "828", "burj-khalifa.md"),
    ):
        for tagged in (True, False):
            answer = (await asked(http, wrapped(question, source, tagged=tagged))).json()
            said = answer["choices"][0]["message"]
            assert words in said["content"]
            (n,) = [one["n"] for one in answer["sources"] if one["source"].endswith(cited)]
            body = said["content"].partition("Sources:")[0]
            assert f"[{n}]" in body
            for one in (one["url_citation"] for one in said["annotations"]):
                assert body[one["start_index"] : one["end_index"]].startswith("[")
                assert one["url"].startswith("file:///")
    assert [one["name"] for one in (await http.get("/weiwo/corpora")).json() if "attached" in one["name"]] == []


async def test_options_that_are_not_honoured_are_refused_in_a_line(http: httpx.AsyncClient):
    for more, told in (
        ({"n": 2}, "n must be 1"),
        ({"tool_choice": "required", "tools": [{}]}, "this server calls no tools of clients"),
        ({"tool_choice": {"type": "function", "function": {"name": "f"}}}, "this server calls no tools of clients"),
        ({"response_format": {"type": "json_object"}}, "answers are Markdown"),
        ({"response_format": {"type": "json_schema", "json_schema": {}}}, "answers are Markdown"),
    ):
        answer = await asked(http, "How long is the Yangtze?", **more)
        assert (answer.status_code, told in answer.json()["error"]["message"]) == (400, True)
    harmless = {"n": 1, "tools": [{}], "tool_choice": "auto", "response_format": {"type": "text"}}
    assert (await asked(http, "What is 6 times 7?", **harmless)).status_code == 200
    form = {"format": {"type": "json_object"}}
    answer = await http.post("/v1/responses", json={"input": "What is 6 times 7?", "text": form})
    assert answer.status_code == 400
