"""The page in Chromium: asking, watching, stepping in, reading, in both languages and by keyboard alone."""

import json
from typing import Any

import pytest

from tests.page.player import recording

OLDER = recording("planned")["question"]
BOX = "textarea[name=question]"


def ask(page: Any, question: str) -> None:
    page.fill(BOX, question)
    page.press(BOX, "Enter")


def ended(page: Any, status: str) -> None:
    """Wait for the end of a run, and unfold its plan."""
    page.wait_for_selector(f".shell[data-status={status}]")
    folded = page.locator("[data-action=show-plan][aria-expanded=false]")
    for _ in range(folded.count()):
        folded.first.click()


def test_one_asks_and_watches_the_plan_run(page, player):
    player.held = 5
    ask(page, OLDER)
    page.wait_for_selector("[data-task=task_1][data-state=running]")
    assert page.get_attribute(".shell", "data-status") == "running"
    assert page.get_attribute("[data-task=task_3]", "data-state") == "waiting"
    assert page.inner_text(".progress [role=status]").strip() == "Running the plan"
    player.release(11)
    page.wait_for_selector("[data-task=task_3][data-state=running]")
    assert "156 BC" in page.inner_text("[data-task=task_1]")
    assert page.get_attribute("[data-edge='task_1 task_3']", "data-value") == "156 BC"
    player.release(17)
    page.wait_for_selector(".draft >> text=Emperor Wu of Han was older")
    player.release()
    ended(page, "complete")
    assert page.inner_text("[data-task=task_3] .node-value") == "56"
    assert "7 model calls" in page.inner_text("[data-usage]")
    assert "Sources:" not in page.inner_text(".prose")


def test_a_claim_lights_its_task_and_opens_its_source(page):
    ask(page, OLDER)
    ended(page, "complete")
    assert page.get_attribute("[data-claim='1']", "data-verdict") == "supported"
    page.focus("[data-claim='1']")
    page.wait_for_selector("[data-task=task_1].lit")
    page.wait_for_selector("[data-source='2'].lit")
    assert page.locator(".node.lit").count() == 1
    page.press("[data-claim='1']", "Enter")
    page.wait_for_selector("[data-passage='2'] mark")
    assert page.inner_text("[data-passage='2'] mark") == "He was born in 156 BC"
    assert "supported by its source" in page.inner_text("[data-claim-detail='1']")
    page.click("[data-task=task_1]")
    page.wait_for_selector("[data-detail=task_1] [data-call='1']")
    detail = page.inner_text("[data-detail=task_1]")
    assert "Emperor Wu of Han born" in detail
    assert "156 BC" in detail
    page.keyboard.press("Escape")
    page.wait_for_selector(".panel", state="detached")


def test_extracts_are_shown_with_their_best_sentences_marked(page, player):
    player.info["models"] = {}
    page.reload()
    ask(page, recording("extracts")["question"])
    ended(page, "extracts")
    result = recording("extracts")["runs"][0][-1]["data"]["result"]
    shown = page.locator("[data-extract]")
    assert shown.count() == len(result["extracts"])
    first = result["extracts"][0]
    start, end = first["highlights"][0]
    snippet = page.inner_text("[data-extract='1'] > blockquote")
    assert first["text"][start:end] in snippet
    assert page.locator("[data-extract='1'] strong").count()
    assert "**" not in snippet
    assert page.locator("[data-extract='1'] mark >> nth=0").is_hidden()
    page.click("[data-extract='1'] summary")
    assert page.inner_text("[data-extract='1'] mark >> nth=0") == first["text"][start:end]
    assert page.locator(".prose > blockquote").count() == 0, "no passage stands there twice"
    assert "weiwo setup" not in page.inner_text("[data-hint=no-model]")
    page.click("[data-hint=no-model] a")
    page.wait_for_selector("[data-setup-part=model]")


def test_what_is_said_of_a_run_is_in_words_of_people(page):
    """No ids of tasks or tools, no references; the plan comes into sight; questions to go on with; the answer's text."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    ask(page, OLDER)
    page.wait_for_selector(".shell[data-status=complete]")
    page.set_viewport_size({"width": 1280, "height": 500})
    page.click("[data-action=show-plan]")
    page.wait_for_selector("[data-task=task_3]")
    place = page.locator("[data-task=task_3]").bounding_box()
    assert 0 <= place["y"] < 500, "the plan is in sight"
    page.click("[data-task=task_3]")
    shown = page.inner_text("[data-detail=task_3]")
    assert "Step 3" in shown
    assert "Date difference" in shown
    for raw in ("task_", "{{", "corpus_search", "date_difference"):
        assert raw not in shown + page.inner_text(".plan")
    suggested = page.locator("[data-suggested]").all_inner_texts()
    assert suggested
    assert all(one.endswith("?") for one in suggested)
    assert not any("Calculation" in one for one in suggested)
    page.locator("[data-suggested] >> nth=0").click()
    assert page.input_value(BOX) == suggested[0]
    page.click("[data-action=copy]")
    page.wait_for_selector("[data-action=copy] >> text=Copied")
    assert page.evaluate("navigator.clipboard.readText()").startswith("Emperor Wu of Han was older")


def test_the_language_of_the_answer_is_chosen(page, player):
    page.select_option("select[name=language]", "de")
    ask(page, OLDER)
    ended(page, "complete")
    assert player.asked[-1][2]["context"] == {"language": "de"}


def test_the_model_that_answers_is_chosen_beside_the_question(page, player):
    player.info = {**player.info, "models": {"writer": "openai:small"}, "chooses_model": True}
    player.setup["values"]["OPENAI_BASE_URL"] = "http://127.0.0.1:11434/v1"
    models = [{"name": "small", "served": None, "chats": True}, {"name": "large", "served": None, "chats": True}]
    player.servers = [
        {"kind": "Ollama", "base_url": "http://127.0.0.1:11434/v1", "problem": "", "models": models},
        {
            "kind": "vLLM",
            "base_url": "http://127.0.0.1:8000/v1",
            "problem": "",
            "models": [{**models[0], "name": "far"}],
        },
    ]
    page.reload()
    page.focus("select[name=model]")
    page.wait_for_selector("select[name=model] option[value='openai:large']", state="attached")
    offered = page.locator("select[name=model] option").all_inner_texts()
    assert offered == ["small", "large", "Other model (Settings)…"]
    page.select_option("select[name=model]", "openai:large")
    ask(page, OLDER)
    ended(page, "complete")
    assert player.asked[-1][2]["context"] == {"model": "openai:large"}
    page.select_option("select[name=model]", label="Other model (Settings)…")
    page.wait_for_selector("[data-status=settings]")


def test_a_gap_says_once_what_is_missing(page, player):
    (events,) = json.loads(json.dumps(recording("extracts")["runs"]))
    events[-1]["data"]["result"] |= {
        "status": "partial",
        "gaps": [{"kind": "uncovered", "text": "Not found: author of Zembla"}, {"kind": "unread", "text": "a.pdf"}],
    }
    player.runs["gaps"] = [events]
    ask(page, "gaps")
    ended(page, "partial")
    assert page.inner_text("[data-gap=uncovered]") == "Not found: author of Zembla"
    assert page.inner_text("[data-gap=unread]") == "Not read a.pdf"


def test_the_answer_comes_first_and_what_limits_it_last(page):
    ask(page, recording("extracts")["question"])
    ended(page, "extracts")
    order = page.evaluate(
        "[...document.querySelectorAll('.turn .prose, .turn .sources, .turn .badges, .turn [data-notice]')]"
        ".map((one) => one.className.split(' ')[0])"
    )
    assert order == ["prose", "sources", "badges", "quiet"]
    first = page.locator(".prose > *").first
    assert first.get_attribute("data-extract") == "1"
    assert first.locator("> *").first.evaluate("(one) => one.tagName") == "BLOCKQUOTE"


def test_a_long_passage_is_folded(page, player):
    (events,) = json.loads(json.dumps(recording("extracts")["runs"]))
    result = events[-1]["data"]["result"]
    result["blocks"] = [{"kind": "paragraph", "text": "Closest in the sources:"}]
    result["extracts"][0] |= {"text": "A long line of the passage. " * 60, "highlights": []}
    player.runs["long"] = [events]
    ask(page, "long")
    ended(page, "extracts")
    folded = page.locator("[data-extract='1'] blockquote")
    low = folded.bounding_box()["height"]
    page.click("[data-extract='1'] [data-action=fold]")
    assert folded.bounding_box()["height"] > low


def test_a_changed_plan_says_what_was_searched_and_what_is_new(page, player):
    events = json.loads(json.dumps(recording("approval")["runs"][0]))
    (asked,) = events[-1]["data"]["__interrupt__"]
    plan = asked["value"]["plan"]
    first, second, *_ = plan["vertices"]
    other = {**first, "id": "task_9", "description": "When was Augustus born?"}
    asked["value"]["plan"] = {**plan, "revision": plan["revision"] + 1, "vertices": [second, other], "edges": []}
    done = {
        "type": "task_finished",
        "task_id": first["id"],
        "status": "succeeded",
        "value": "156 BC",
        "tool": "corpus_search",
    }
    events.insert(-1, {"event": "custom", "data": {**done, "seconds": 0.3, "attempts": 1}})
    player.runs["approve: changed"] = [events]
    page.check("input[name=approve]")
    ask(page, "changed")
    page.wait_for_selector("[data-replan]")
    said = page.inner_text("[data-replan]")
    searched = said.split("Already searched")[1].split("New in this plan")[0]
    assert searched.strip() == f"{first['description']} → 156 BC"
    assert "When was Augustus born?" in said.split("New in this plan")[1].split("No longer in this plan")[0]
    assert first["description"] in said.split("No longer in this plan")[1]
    assert "Nothing has been searched yet" not in page.inner_text("[data-interrupt=approve_plan]")


def test_a_plan_is_approved_sent_back_or_edited(page, player):
    page.check("input[name=approve]")
    ask(page, OLDER)
    page.wait_for_selector("[data-interrupt=approve_plan]")
    assert player.asked[-1][2]["context"] == {"approve_plan": True}
    page.click("[data-action=send-back]")
    page.fill("[name=words]", "in months")
    assert page.is_enabled(".words .primary")
    page.click(".words >> text=Close")
    page.click("[data-action=edit]")
    fields = "[data-edit=task_3] input[name=arg-{}]"
    page.fill(fields.format("start"), "{{task_9.ret}}")
    page.wait_for_selector("text=refers to task_9")
    assert page.is_disabled("[data-action=run-edited]")
    assert page.locator("[data-action=run-edited]").bounding_box()["y"] < page.viewport_size["height"] - 30, (
        "the button is in sight"
    )
    page.fill(fields.format("start"), "{{task_1.ret}}")
    page.fill(fields.format("unit"), "months")
    page.click("[data-action=run-edited]")
    ended(page, "complete")
    (answer,) = player.asked[-1][2]["command"]["resume"].values()
    sent = answer["plan"]
    assert sent["vertices"][2]["args"]["unit"] == "months"
    assert ["task_1", "task_3"] in sent["edges"]


@pytest.mark.parametrize(
    ("value", "click", "sent"),
    [
        (
            {"type": "allow_tool", "tool": "send_mail", "server": "post", "arguments": {"to": "a@b"}, "about": "Sends."},
            "[data-action=allow]",
            "approve",
        ),
        ({"type": "clarify", "question": "Which one?", "choices": ["The first", "The other"]}, "[data-choice='The other']", "The other"),
        (
            {"action_requests": [{"name": "x", "args": {"a": 1}, "description": "May I?"}]},
            "[data-action=approve]",
            {"decisions": [{"type": "approve"}]},
        ),
    ],
)  # fmt: skip
def test_what_waits_for_a_person_is_a_card(page, player, value, click, sent):
    waiting = [{"event": "values", "data": {"__interrupt__": [{"id": "i", "value": value}]}}]
    player.runs["wait"] = [waiting, recording("planned")["runs"][0]]
    ask(page, "wait")
    ended(page, "waiting")
    page.click(click)
    ended(page, "complete")
    assert player.asked[-1][2]["command"] == {"resume": {"i": sent}}


def test_what_waits_is_still_asked_after_a_reload(page, player):
    page.check("input[name=approve]")
    ask(page, OLDER)
    ended(page, "waiting")
    page.reload()
    ended(page, "waiting")
    page.click("[data-action=approve]")
    ended(page, "complete")
    assert len(player.asked[-1][2]["command"]["resume"]) == 1


def test_a_lost_connection_is_said_and_nothing_is_lost(page, player):
    player.held = 8
    ask(page, OLDER)
    page.wait_for_selector("[data-task=task_1][data-state=running]")
    player.down = True
    player.drop()
    page.wait_for_selector(".line[data-said]")
    player.down = False
    player.release()
    ended(page, "complete")
    page.wait_for_selector(".line:not([data-said])", state="attached")
    assert page.inner_text("[data-task=task_3] .node-value") == "56"
    assert page.inner_text(".prose").count("older than Julius Caesar") == 1


def test_a_thread_is_found_again_and_followed_up(page):
    ask(page, OLDER)
    ended(page, "complete")
    address = page.url
    page.reload()
    ended(page, "complete")
    assert page.url == address
    page.wait_for_selector("[data-thread] >> text=Who was older")
    ask(page, recording("extracts")["question"])
    ended(page, "extracts")
    assert page.locator("article").count() == 2


def test_one_drags_the_run_back_and_goes_on_from_there(page, player):
    ask(page, OLDER)
    ended(page, "complete")
    player.threads["t1"]["runs_left"] = recording("planned")["runs"] * 2
    page.click("[data-action=history]")
    page.wait_for_selector(".history[data-checkpoint=c3]")
    page.focus("input[name=moment]")
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector("[data-moment=c2]")
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector("[data-moment=c1]")
    assert page.get_attribute("[data-task=task_3]", "data-state") == "waiting"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("[data-moment]", state="detached")
    assert page.get_attribute("[data-task=task_3]", "data-state") == "succeeded"
    page.keyboard.press("Home")
    page.wait_for_selector("[data-moment=c1]")
    page.click("[data-action=change-plan]")
    page.fill("[data-edit=task_1] textarea >> nth=0", "When was Augustus born?")
    page.click("[data-action=run-changed]:enabled")
    page.wait_for_selector("[data-moment]", state="detached")
    ended(page, "complete")
    forked = [json.loads(body) for _, path, body in player.asked if path.endswith("/fork")]
    assert [one["checkpoint_id"] for one in forked] == ["c1"]
    assert forked[0]["plan"]["vertices"][0]["description"] == "When was Augustus born?"


def test_a_failed_run_and_a_missing_thread_are_no_dead_ends(page, player, new_page):
    ask(page, "nobody knows")
    ended(page, "failed")
    assert "no recording" in page.inner_text(".card.bad")
    player.runs["nobody knows"] = recording("planned")["runs"]
    page.click("[data-action=retry]")
    ended(page, "complete")
    begun = recording("planned")["runs"][0][:6]
    player.runs["breaks off"] = [[*begun, {"event": "error", "data": {"message": "no memory left"}}]]
    ask(page, "breaks off")
    ended(page, "failed")
    page.wait_for_selector("[data-turn=failed] [data-task=task_1][data-state=waiting]")
    other = new_page("/#/t/gone")
    other.wait_for_selector(".shell[data-status=missing]")
    other.click(".card a")
    ended(other, "idle")


def test_a_token_is_asked_for_and_the_page_goes_on(page, player):
    player.login = "let-me-in"
    page.reload()
    ended(page, "login")
    page.fill("input[name=token]", "wrong")
    page.press("input[name=token]", "Enter")
    page.wait_for_selector("[role=alert]")
    assert page.locator(BOX).count() == 0
    page.fill("input[name=token]", "let-me-in")
    page.press("input[name=token]", "Enter")
    ended(page, "idle")
    assert page.locator(BOX).count() == 1


def test_a_login_that_ends_is_asked_for_again_and_nothing_typed_is_lost(page, player):
    def log_in():
        page.fill("input[name=token]", "let-me-in")
        page.press("input[name=token]", "Enter")

    player.login, player.held = "let-me-in", 5
    page.reload()
    log_in()
    ask(page, OLDER)
    page.wait_for_selector("[data-task=task_1][data-state=running]")
    page.fill(BOX, "and in months?")
    page.context.clear_cookies()
    player.drop()
    page.wait_for_selector("dialog[open]")
    assert page.get_attribute(".shell", "data-status") == "login"
    log_in()
    page.wait_for_selector("dialog", state="detached")
    player.release()
    ended(page, "complete")
    assert page.input_value(BOX) == "and in months?"


def test_it_speaks_chinese_and_switches(new_page):
    page = new_page(locale="zh-CN", color_scheme="dark")
    assert page.inner_text(".new") == "新问题"
    ask(page, recording("chinese")["question"])
    ended(page, "complete")
    assert page.get_attribute("html", "lang") == "zh-CN"
    assert "汉武帝比凯撒年长" in page.inner_text(".prose")
    assert page.inner_text(".badge") == "完整"
    page.click("[data-language=en]")
    page.wait_for_selector("text=New question")
    assert page.inner_text(".badge") == "Complete"


def test_a_failure_is_told_in_the_language_of_the_page(new_page, player):
    one = recording("chinese")
    (run,) = one["runs"]
    at = next(n for n, event in enumerate(run) if event["data"].get("type") == "task_finished")
    failed = {
        **run[at]["data"],
        "status": "failed",
        "value": "",
        "failure": "read_page: slow",
        "failure_kind": "timeout",
    }
    player.runs[one["question"]] = [[*run[:at], {**run[at], "data": failed}, *run[at + 1 :]]]
    page = new_page(locale="zh-CN")
    ask(page, one["question"])
    ended(page, "complete")
    node = f"[data-task={failed['task_id']}]"
    assert page.inner_text(f"{node} .node-value") == "没有及时响应"
    page.click(node)
    assert "没有及时响应（原话：read_page: slow）" in page.inner_text("[data-detail] .reason")
    page.click("[data-language=en]")
    page.wait_for_selector("[data-detail] .reason >> text=/^read_page: slow$/")
    assert page.inner_text(f"{node} .node-value") == "no reply in time"


def test_it_is_used_by_keyboard_alone(page):
    page.wait_for_selector(f"{BOX}:focus")
    page.keyboard.type(OLDER)
    page.keyboard.press("Enter")
    ended(page, "complete")
    focused = "document.activeElement.dataset"
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate(f"'task' in {focused}"):
            break
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-detail]")
    assert page.evaluate("document.activeElement.className") == "panel"
    page.keyboard.press("Escape")
    page.wait_for_selector(".panel", state="detached")
    assert page.evaluate(f"{focused}.task")


def test_documents_tools_and_settings_are_shown(page, player):
    player.views = {
        "corpora": [{"name": "mine", "documents": 3, "passages": 9, "vectors": {"covered": 4, "of": 9}, "errors": ["a.pdf: locked"]}],
        "tools": [{"name": "send_mail", "description": "Sends.", "server": "post", "acts": True, "health": "up"}],
        "settings": [{"name": "WEIWO_MODEL", "field": "model", "value": "openai:x", "from": "environment", "says": "Model."}],
    }  # fmt: skip
    page.click("a[href='#/corpora']")
    assert "vectors for 4 of 9" in page.inner_text("[data-corpus=mine]")
    page.set_input_files("input[name=files]", {"name": "a.md", "mimeType": "text/markdown", "buffer": b"# A"})
    page.wait_for_selector("[data-upload=done]")
    assert player.asked[-1] == ("POST", "/weiwo/corpora/mine/files", "# A")
    page.click("[data-action=new]")
    ask(page, OLDER)
    ended(page, "complete")
    assert player.asked[-1][2]["context"] == {"corpus": ["sample"]}, "one's own documents are what one asks about"
    page.click("a[href='#/tools']")
    assert "asks first" in page.inner_text("[data-tool=send_mail]")
    page.click("a[href='#/settings']")
    page.click(".all-settings summary")
    assert "environment" in page.inner_text("[data-setting=WEIWO_MODEL]")


def test_settings_are_tried_and_kept_and_keys_are_not_shown(page, player):
    player.servers = [{"kind": "Ollama", "root": "", "base_url": "http://127.0.0.1:11434/v1", "problem": "", "models": [{"name": "qwen3:8b", "chats": True}]}]  # fmt: skip
    page.click("a[href='#/settings']")
    model = "[data-setup-part=model] "
    page.click(model + "[data-action=find-models]")
    page.click(model + "[data-found='qwen3:8b']")
    page.wait_for_function("document.querySelector('[name=WEIWO_MODEL]').value === 'openai:qwen3:8b'")
    page.fill(model + "[name=OPENAI_API_KEY]", "sk-secret")
    player.tried = {"works": False, "said": "connection refused", "seconds": 0.1}
    page.click(model + "[data-action=keep]")
    page.wait_for_selector(model + "[data-trial=failed] >> text=connection refused")
    player.tried = {"works": False, "said": "", "seconds": 0.0, "hangs": True}
    page.click(model + "[data-action=keep]")
    page.click(model + "[data-action=cancel-trial]")
    page.wait_for_selector(model + "[data-trial=failed] >> text=cancelled")
    assert page.locator(model + "[data-action=cancel-trial]").count() == 0
    player.tried = {"works": True, "said": "42", "seconds": 1.5}
    page.click(model + "[data-action=keep]")
    page.wait_for_selector(model + "[data-trial=kept] >> text=42")
    sent = {
        "WEIWO_MODEL": "openai:qwen3:8b",
        "OPENAI_BASE_URL": "http://127.0.0.1:11434/v1",
        "OPENAI_API_KEY": "sk-secret",
    }
    assert player.asked[-1] == ("PUT", "/weiwo/setup/model", sent)
    assert page.input_value(model + "[name=OPENAI_API_KEY]") == ""
    assert "sk-secret" not in page.content()
    page.fill("[name=cost_per_day]", "0.5")
    page.click("[data-setup-part=budget] [data-action=keep]")
    page.wait_for_selector("[data-setup-part=budget] >> text=Saved")
    assert player.asked[-1] == ("PUT", "/weiwo/setup/budget", {"cost_per_day": 0.5})
    page.select_option("[name=provider]", "tavily")
    page.fill("[name=TAVILY_API_KEY]", "tvly-secret")
    page.click("[data-setup-part=search] [data-action=keep]")
    page.wait_for_selector("[data-setup-part=search] [data-trial=kept]")
    assert player.asked[-1][2] == {"WEIWO_WEB": "on", "TAVILY_API_KEY": "tvly-secret"}


def test_own_documents_are_suggested_and_a_finished_plan_is_one_line(page, player):
    player.info |= {"titles": ["Field notes"], "documents": True, "corpora": []}
    page.reload()
    page.click("text=What does “Field notes” say?")
    assert page.input_value(BOX) == "What does “Field notes” say?"
    assert page.locator("[data-hint=no-corpus]").count() == 0
    ask(page, OLDER)
    page.wait_for_selector(".shell[data-status=complete]")
    assert page.inner_text("[data-action=show-plan]").startswith("3 tasks · ")
    assert page.locator("[data-task=task_1]").count() == 0
    page.click("[data-action=show-plan]")
    page.wait_for_selector("[data-task=task_1]")


def test_a_marked_sentence_stands_once_and_is_its_claim(page, player):
    (events,) = json.loads(json.dumps(recording("planned")["runs"]))
    result = events[-1]["data"]["result"]
    text = "**Wu** was older (unverified). He ruled long [1]."
    cited = [one["n"] for one in result["citations"]][:1]
    result |= {
        "answer": text, "blocks": [{"kind": "paragraph", "text": text, "claims": [0, 1]}], "status": "partial",
        "claims": [
            {"text": "**Wu** was older.", "citations": [], "verdict": "unsupported", "reason": "no source says so"},
            {"text": "He ruled long.", "citations": cited, "verdict": "unchecked", "reason": "the model did not answer"},
        ],
    }  # fmt: skip
    player.runs["marked"] = [events]
    ask(page, "marked")
    page.wait_for_selector(".shell[data-status=partial]")
    assert page.inner_text(".prose").count("was older") == 1
    assert "**" not in page.inner_text(".prose")
    assert "(unverified)" in "".join(page.locator("[data-claim='0']").all_inner_texts())
    assert page.get_attribute("[data-claim='1'] >> nth=0", "data-verdict") == "unchecked"


def test_a_changed_plan_or_value_runs_on_beside_the_answer_before(page, player):
    ask(page, OLDER)
    ended(page, "complete")
    player.threads["t1"]["runs_left"] = recording("planned")["runs"] * 2
    page.click("[data-task=task_2]")
    page.click("[data-action=other-value]")
    page.fill("input[name=value]", "63 BC")
    page.press("input[name=value]", "Enter")
    page.wait_for_selector("[data-before]", state="attached")
    forked = [json.loads(body) for _, path, body in player.asked if path.endswith("/fork")]
    assert forked == [{"checkpoint_id": "newest", "outcomes": {"task_2": "63 BC"}}]
    assert player.asked[-1][2]["checkpoint"] == {"checkpoint_id": "forked"}
    page.click("[data-action=change-plan]")
    page.fill("[data-edit=task_1] textarea >> nth=0", "bad")
    page.wait_for_selector("[data-change=plan] .complaint >> text=task_1 is bad")
    assert page.is_disabled("[data-action=run-changed]")
    page.fill("[data-edit=task_1] textarea >> nth=0", "When was Augustus born?")
    page.click("[data-action=run-changed]:enabled")
    page.wait_for_selector("[data-change=plan]", state="detached")
    ended(page, "complete")


def test_feedback_downloads_and_views_of_the_plan(page, player):
    ask(page, OLDER)
    ended(page, "complete")
    assert page.get_attribute("[data-format=md]", "href") == "./weiwo/threads/t1/export?format=md"
    page.click("[data-feedback=bad]")
    page.fill("input[name=words]", "too short")
    page.press("input[name=words]", "Enter")
    page.wait_for_selector("[data-feedback=thanks]")
    assert json.loads(player.asked[-1][2]) == {"good": False, "words": "too short"}
    page.click("role=tab[name='Timeline']")
    page.wait_for_selector("[data-bar=task_3].critical")


def test_a_phone_shows_all_of_it(new_page):
    page = new_page(viewport={"width": 390, "height": 780})
    ask(page, OLDER)
    ended(page, "complete")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.click(".topbar button")
    page.wait_for_selector(".sidebar [data-thread]")


def test_an_earlier_answer_says_how_old_it_is_and_is_asked_anew_by_keyboard(page, player):
    player.info["answer_memory"] = True
    page.reload()
    page.wait_for_selector("a[href='#/memory']")
    (run,) = recording("planned")["runs"]
    result = {**run[-1]["data"]["result"], "from_thread": "t9", "answered_at": "2001-09-09T12:00:00+00:00"}
    player.runs[OLDER] = [[*run[:-1], {**run[-1], "data": {**run[-1]["data"], "result": result}}]]
    ask(page, OLDER)
    page.wait_for_selector("[data-earlier=t9]")
    assert player.asked[-1][2]["context"]["answer_memory"] is True
    assert "days ago; its sources" in page.inner_text("[data-earlier]")
    page.click("[data-language=zh]")
    page.wait_for_selector("[data-earlier] >> text=天前已回答过")
    player.runs[OLDER] = recording("planned")["runs"]
    page.focus("[data-earlier] a")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/#/t/t2")
    ended(page, "complete")
    assert page.locator("[data-earlier]").count() == 0
    assert player.asked[-1][1] == "/threads/t2/runs/stream"
    assert player.asked[-1][2]["context"]["answer_memory"] == "renew"


def test_what_should_last_is_kept_on_request_or_after_asking_and_listed_and_forgotten(page, player):
    wish = {"text": "I work in euros", "requested": False, "alone": False}
    player.wishes = {OLDER: wish, "Remember that I work in euros.": {**wish, "requested": True, "alone": True}}
    ask(page, OLDER)
    page.click("[data-wish=offered] [data-action=keep]")
    page.wait_for_selector("[data-wish=kept]")
    assert ("POST", "/weiwo/memory", '{"text":"I work in euros"}') in player.asked
    ended(page, "complete")
    page.click("[data-action=new]")
    ended(page, "idle")
    before = len(player.asked)
    ask(page, "Remember that I work in euros.")
    page.click("[data-wish=kept] [data-action=forget]")
    page.wait_for_selector("[data-wish]", state="detached")
    assert [one[:2] for one in player.asked[before:]] == [
        ("POST", "/weiwo/memory"),
        ("DELETE", "/weiwo/memory/wishes/k1"),
    ]

    answer = {"key": "a1", "question": OLDER, "thread_id": "t9", "answered_at": "2001-09-09T12:00:00+00:00"}
    plan = {"key": "p1", "wording": "who is older, ⟨n1⟩ or ⟨n2⟩", "wins": 3, "losses": 1, "pinned": True, "bad": False}
    player.views["memory"] = {"wishes": [], "answers": [answer], "plans": [plan]}
    page.click("a[href='#/memory']")
    assert page.get_attribute("[data-entry=a1] a", "href") == "#/t/t9"
    assert "complete 3, incomplete 1 · pinned" in page.inner_text("[data-entry=p1]")
    player.views["memory"] = {
        "wishes": [{"key": "w1", "text": "以后都用人民币", "since": "2026-01-02"}],
        "answers": [],
        "plans": [],
    }
    page.fill("input[name=wish]", "以后都用人民币")
    page.press("input[name=wish]", "Enter")
    page.wait_for_selector("[data-entry=w1]")
    assert json.loads(player.asked[-1][2]) == {"text": "以后都用人民币"}
    player.views["memory"]["wishes"] = []
    page.click("[data-entry=w1] [data-action=forget]")
    page.wait_for_selector("[data-entry]", state="detached")
    assert player.asked[-1][:2] == ("DELETE", "/weiwo/memory/wishes/w1")
