"""A home that version 0.1 made (`tests/data/home_0_1`) opens: what it holds is read, or named with what to do."""

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.support.command import run_command
from tests.support.schema import check_result
from weiwo.app.cli.errors import COMPLETE, USAGE

pytestmark = pytest.mark.integration
OLD = Path(__file__).parents[1] / "data" / "home_0_1"
BEFORE_LEDGER = Path(__file__).parents[1] / "data" / "home_before_ledger"
DESK = '''
from langchain_core.tools import tool

@tool
def find_ticket(number: str) -> str:
    """Look up a ticket of the desk."""
    return f"Ticket {number} was closed on 3 May 2024."

find_ticket.metadata = {"acts": False}
'''


@pytest.fixture
def weiwo(weiwo_home, tmp_path):
    shutil.copytree(OLD, weiwo_home)
    (tmp_path / "desk.py").write_text(DESK, encoding="utf-8")

    def run(*words: str, **more: str) -> tuple[int, str, str]:
        return run_command(*words, cwd=tmp_path, env={**os.environ, "LANG": "C.UTF-8", **more})

    return run


def test_threads_are_listed_shown_and_gone_on_with(weiwo):
    states = {line.split("\t")[0]: line.split("\t")[2] for line in weiwo("threads")[1].splitlines()}
    assert states == {
        "simple": "complete",
        "planned": "complete",
        "waiting": "waiting",
        "elicited": "interrupted",
        "killed": "interrupted",
    }
    planned = json.loads(weiwo("show", "--json", "planned")[1])
    assert "The Nova tower is older, by 22 years" in planned["answer"]
    assert [one["status"] for one in planned["outcomes"].values()] == ["succeeded"] * 3
    follow_up = weiwo("ask", "--json", "--no-web", "--thread", "simple", "When was the Orion robot released?")
    assert "3 May 2021" in json.loads(follow_up[1])["answer"]


def test_a_plan_that_waits_is_shown_and_runs_once_it_is_approved(weiwo):
    shown = json.loads(weiwo("show", "--json", "waiting")[1])
    assert (shown["status"], len(shown["plan"]["vertices"])) == ("waiting", 3)
    code, out, err = weiwo("resume", "--json", "--approve", "waiting")
    assert code == COMPLETE, err
    check_result(json.loads(out))
    assert {"robot", "tower", "years"} <= json.loads(out)["outcomes"].keys()


def test_a_run_that_was_killed_keeps_what_had_finished(weiwo):
    out = weiwo("resume", "--json", "killed")[1]
    check_result(result := json.loads(out))
    assert result["outcomes"]["robot"]["value"] == "2021-05-03"
    assert "nova.md" in str(result["extracts"])


def test_what_an_mcp_server_asked_is_answered_no_more_and_its_call_is_made_again(weiwo):
    code, _, err = weiwo("resume", "elicited", "--reply", "Ada")
    assert code == USAGE
    assert "can no longer be answered; to continue without it, run weiwo resume elicited" in err
    out = weiwo("resume", "--json", "elicited", WEIWO_TOOLS="desk:find_ticket")[1]
    assert "Ticket 7 was closed on 3 May 2024." in str(json.loads(out)["extracts"])


def test_documents_are_searched_and_answer_though_their_folder_is_gone(weiwo):
    assert "The Orion robot weighs 48 kilograms." in weiwo("search", "--json", "orion", "weighs")[1]
    assert [one["documents"] for one in json.loads(weiwo("corpus", "--json")[1])] == [3]
    code, out, _ = weiwo("ask", "--json", "--no-web", "how heavy is the orion robot")
    assert (code, "48 kilograms" in json.loads(out)["answer"]) == (COMPLETE, True)


def test_what_was_remembered_is_there_and_standing_questions_are_named(weiwo):
    code, out, err = weiwo("memory", "--json")
    assert (code, [one["text"] for one in json.loads(out)["memory"]]) == (0, ["I count in metres"])
    assert "how heavy is the orion robot" in err
    assert "use cron to run weiwo ask --fresh --json" in err
    assert weiwo("memory", "forget", "4e77f5dc")[0] == 0
    assert "standing questions" not in weiwo("memory")[2]
    (plan,) = json.loads(weiwo("memory", "plans", "--json")[1])["plans"]
    assert (plan["wins"], plan["losses"], plan["tools"]) == (1, 0, ["corpus_search", "date_difference"])
    assert weiwo("memory", "plans", "pin", plan["key"])[0] == 0
    code, _, err = weiwo("watch", "list")
    assert code == USAGE
    assert "standing questions are no longer supported" in err


def test_threads_without_a_ledger_show_status_and_gaps_as_stored(weiwo_home, tmp_path):
    shutil.copytree(BEFORE_LEDGER, weiwo_home)

    def run(*words: str) -> tuple[int, str, str]:
        return run_command(*words, cwd=tmp_path, env={**os.environ, "LANG": "C.UTF-8"})

    states = {line.split("\t")[0]: line.split("\t")[2] for line in run("threads")[1].splitlines()}
    assert states == {
        "complete": "complete",
        "several": "extracts",
        "planned": "complete",
        "extracts": "extracts",
        "missing": "partial",
        "waiting": "waiting",
        "edited": "extracts",
        "talk": "complete",
    }
    for name in ("complete", "missing", "edited"):
        shown = json.loads(run("show", "--json", name)[1])
        assert (shown["status"], "parts" in shown) == (states[name], False)
        assert run("show", name)[0] == 0
    follow_up = json.loads(run("ask", "--json", "--no-web", "--thread", "complete", "How tall is Tokyo Skytree?")[1])
    assert follow_up["parts"][0]["outcome"] == "answered"
    code, out, err = run("resume", "--json", "--approve", "waiting")
    check_result(resumed := json.loads(out))
    assert resumed["parts"], (code, err)
