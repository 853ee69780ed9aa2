"""The `openai` client, unchanged, against the server."""

import httpx
import openai
import pytest

from tests.support.fake_model import assessed, fake, found
from tests.unit.app.server.conftest import running
from weiwo.app.server.application import create_app
from weiwo.app.server.openai_api.answers import ProtocolAnswer, read_answer
from weiwo.app.server.openai_api.chat_routes import read_run, rest

QUESTION = "How long is the Yangtze?"


@pytest.fixture(autouse=True)
def no_platform(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("openai._base_client.platform_headers", lambda *_, **__: {})
    monkeypatch.setattr("openai._base_client.get_platform", lambda: "Linux")  # it asks a process


@pytest.fixture
def client(http: httpx.AsyncClient) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(base_url="http://127.0.0.1:8300/v1", api_key="none", http_client=http, max_retries=0)


async def test_models_are_listed(client: openai.AsyncOpenAI):
    assert [one.id async for one in client.models.list()] == ["weiwo", "weiwo-quick", "weiwo-deep"]
    assert (await client.models.retrieve("weiwo-deep")).owned_by == "weiwo"
    with pytest.raises(openai.NotFoundError, match="use weiwo, weiwo-quick"):
        await client.models.retrieve("gpt")


async def test_a_completion_has_its_citations(client: openai.AsyncOpenAI, http: httpx.AsyncClient):
    done = await client.chat.completions.create(model="weiwo", messages=[{"role": "user", "content": QUESTION}])
    message = done.choices[0].message
    assert "6,300 kilometres" in str(message.content)
    assert message.annotations
    cited = message.annotations[0].url_citation
    assert str(message.content)[cited.start_index : cited.end_index] == "[1]"
    assert cited.url.endswith("yangtze.md")
    assert done.model_extra is not None
    assert done.model_extra["sources"][0]["title"] == "Yangtze"
    assert done.usage is not None
    assert (await http.post("/threads/search")).json() == []


@pytest.mark.parametrize(("said", "language"), [("de-AT", "de"), ("zh_CN", "zh"), ("", "")])
def test_the_language_of_the_answer_is_a_field_of_the_request(said: str, language: str) -> None:
    run = read_run({"model": "weiwo", "language": said}, [{"type": "human", "content": QUESTION}], kept=False)
    assert run.context.get("language", "") == language


async def test_a_language_that_is_none_is_refused_in_a_line(client: openai.AsyncOpenAI):
    with pytest.raises(
        openai.BadRequestError, match="language: 'the best one' is not a language tag; use one such as de"
    ):
        await client.chat.completions.create(
            model="weiwo",
            messages=[{"role": "user", "content": QUESTION}],
            extra_body={"language": "the best one"},
        )


async def test_a_streamed_completion_is_the_same(client: openai.AsyncOpenAI):
    asked = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": QUESTION}]},
    ]
    whole = await client.chat.completions.create(model="weiwo-quick", messages=asked)  # type: ignore[arg-type]
    stream = await client.chat.completions.create(
        model="weiwo-quick", messages=asked, stream=True, stream_options={"include_usage": True}
    )  # type: ignore[arg-type]
    chunks = [chunk async for chunk in stream]
    deltas = [chunk.choices[0].delta for chunk in chunks if chunk.choices]
    assert "".join(delta.content or "" for delta in deltas) == whole.choices[0].message.content
    assert any(QUESTION in (delta.model_extra or {}).get("reasoning_content", "") for delta in deltas)
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "stop"
    assert (deltas[-1].model_extra or {})["annotations"][0]["url_citation"]["title"] == "Yangtze"
    assert chunks[-1].usage is not None


async def test_a_follow_up_stands_on_the_conversation(client: openai.AsyncOpenAI):
    asked = [
        {"role": "user", "content": QUESTION},
        {"role": "assistant", "content": "About 6,300 kilometres."},
        {"role": "user", "content": "And the Danube?"},
    ]
    done = await client.chat.completions.create(model="weiwo", messages=asked)  # type: ignore[arg-type]
    assert "2,850" in str(done.choices[0].message.content)


async def test_bad_requests_are_refused_as_openai_does(client: openai.AsyncOpenAI):
    with pytest.raises(openai.BadRequestError, match="must end with a question"):
        await client.chat.completions.create(model="weiwo", messages=[])
    with pytest.raises(openai.NotFoundError, match="gpt-5"):
        await client.chat.completions.create(model="gpt-5", messages=[{"role": "user", "content": "x"}])
    image = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "http://x"}}]}]
    with pytest.raises(openai.BadRequestError, match="only text"):
        await client.chat.completions.create(model="weiwo", messages=image)  # type: ignore[arg-type]


async def test_a_response_is_stored_and_continued(client: openai.AsyncOpenAI, http: httpx.AsyncClient):
    first = await client.responses.create(model="weiwo", input=QUESTION)
    assert first.status == "completed"
    assert "6,300" in first.output_text
    part = first.output[0].content[0]  # type: ignore[union-attr]
    assert part.annotations[0].url.endswith("yangtze.md")  # type: ignore[union-attr]
    second = await client.responses.create(model="weiwo", input="And the Danube?", previous_response_id=first.id)
    assert "2,850" in second.output_text
    assert (first.previous_response_id, second.previous_response_id) == (None, first.id)
    assert (await client.responses.retrieve(first.id)).output_text == first.output_text
    assert [one["values"]["result"]["question"] for one in (await http.post("/threads/search")).json()] == [
        "And the Danube?"
    ]
    with pytest.raises(openai.NotFoundError):
        await client.responses.retrieve("resp_none")


async def test_a_streamed_response_ends_as_the_whole(client: openai.AsyncOpenAI):
    stream = await client.responses.create(
        model="weiwo", input=[{"role": "user", "content": QUESTION}], stream=True, store=False
    )
    events = [event async for event in stream]
    assert [event.sequence_number for event in events] == list(range(len(events)))
    text = "".join(event.delta for event in events if event.type == "response.output_text.delta")
    assert events[-1].type == "response.completed"
    assert events[-1].response.output_text == text
    assert "response.output_text.annotation.added" in {event.type for event in events}


async def test_a_model_writes_piece_by_piece(indexed_home: None):  # noqa: ARG001 - a first question need not index
    quote = "It is about 6,300 kilometres long and flows entirely within China."
    model = fake(
        AssessmentReply=assessed(QUESTION),
        ReadingReply=found(6300, quote),
        draft="The Yangtze is about 6,300 kilometres long [1].",
    )
    async with running(create_app({"models": model})) as http:
        client = openai.AsyncOpenAI(
            base_url="http://127.0.0.1:8300/v1", api_key="none", http_client=http, max_retries=0
        )
        stream = await client.chat.completions.create(
            model="weiwo", messages=[{"role": "user", "content": QUESTION}], stream=True
        )
        deltas = [chunk.choices[0].delta.content or "" async for chunk in stream]
    assert "6,300 kilometres" in "".join(deltas)
    assert "[1]" in "".join(deltas)


async def test_who_reads_along_is_asked_back_once(indexed_home: None):  # noqa: ARG001 - a first question need not index
    meant = {"question": "Which rivers?", "choices": ["Chinese ones", "European ones"], "default": ""}
    quote = "It is about 6,300 kilometres long and flows entirely within China."
    model = fake(
        AssessmentReply=assessed("How long are the rivers?", clarify=meant),
        ReadingReply=found(6300, quote),
        ReadReply=found(6300, quote),
        draft="The Yangtze is about 6,300 kilometres long [1].",
    )
    messages = [{"role": "user", "content": "How long are the rivers?"}]
    async with running(create_app({"models": model})) as http:
        client = openai.AsyncOpenAI(
            base_url="http://127.0.0.1:8300/v1", api_key="none", http_client=http, max_retries=0
        )

        async def text(**more: object) -> str:
            stream = await client.chat.completions.create(model="weiwo", messages=messages, stream=True, **more)  # type: ignore[call-overload]
            return "".join([chunk.choices[0].delta.content or "" async for chunk in stream])

        asked = await text()
        assert asked == "Which rivers?\n\n1. Chinese ones\n2. European ones"
        program = await client.chat.completions.create(model="weiwo", messages=messages)  # type: ignore[arg-type]
        assert "Which rivers?" not in str(program.choices[0].message.content)
        messages += [{"role": "assistant", "content": asked}, {"role": "user", "content": "Chinese ones"}]
        assert "Which rivers?" not in await text()


def test_what_was_corrected_after_it_was_sent_is_sent_again():
    assert rest(ProtocolAnswer("abc def"), "abc") == " def"
    assert rest(ProtocolAnswer("abX"), "abc") == "\n\n---\n\nCorrected after checking:\n\nabX"


def test_a_run_that_waits_says_so():
    values = {"__interrupt__": [{"id": "1", "value": {}}], "assessment": {"language": "zh"}}
    answer = read_answer(values, "", "t-1")
    assert answer.status == "waiting"
    assert "t-1" in answer.text
    assert "确认" in answer.text
    assert read_answer({}, "it broke", "t").error == "it broke"
