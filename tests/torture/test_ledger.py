"""The ledger that everything rests on finds what is made twice, and only that."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.torture.child import Kill
from tests.torture.harness import faults, finish, play, start
from tests.torture.ledger import ledger
from tests.torture.trials import Database

STEP = "executor:1|task:2|act:3"


def call(pid: int, *events: str, key: str = "tool a", ns: str = STEP) -> list[dict[str, Any]]:
    return [{"pid": pid, "event": event, "key": key, "ns": ns} for event in events]


def write(
    pid: int, *events: str, ns: str = "executor:1|task:2", task: str | None = "3", n: int = 1
) -> list[dict[str, Any]]:
    return [{"pid": pid, "event": event, "n": n, "ns": ns, "task": task} for event in events]


@pytest.mark.parametrize(
    ("ns", "task"),
    [
        ("executor:1|task:2", "3"),  # the step's own outcome
        ("executor:1", "2"),  # that of the step around it
        ("", "1"),
        ("executor:1", "3"),  # a step whose results the graph around it keeps
        ("executor:1|task:2", None),  # a checkpoint of its graph
        ("", None),
    ],
)
def test_a_call_is_finished_once_a_write_that_carries_it_is_acknowledged(ns: str, task: str | None) -> None:
    saved = write(1, "save", "saved", ns=ns, task=task)
    book = ledger([*call(1, "start", "done"), *saved, *call(2, "start", "done")])
    assert book.finished == {"tool a"}
    assert book.again == ["tool a"]
    assert (book.effects, book.repeated) == (2, 0)


@pytest.mark.parametrize(
    "saved",
    [
        [],
        write(1, "save"),  # never acknowledged
        write(1, "save", "saved", task="4"),  # of another step
        write(1, "save", "saved", task=""),  # an error, which is no outcome
        write(1, "save", "saved", ns="executor:1|task:9", task=None),  # of another graph
        write(2, "save", "saved"),  # of another process, which has not made the call
    ],
)
def test_until_then_it_is_in_flight(saved: list[dict[str, Any]]) -> None:
    book = ledger([*call(1, "start", "done"), *saved, *call(2, "start", "done")])
    assert not book.finished
    assert not book.again
    assert (book.effects, book.repeated) == (2, 1)


def test_a_write_begun_before_the_call_was_done_does_not_carry_it() -> None:
    log = [*call(1, "start"), *write(1, "save"), *call(1, "done"), *write(1, "saved")]
    assert not ledger(log).finished


def test_kinds_are_told_apart() -> None:
    book = ledger([*call(1, "start", key="tool a"), *call(1, "start", "start", key="model b")])
    assert (book.of("tool").effects, book.of("model").effects) == (1, 2)


@pytest.mark.integration
def test_a_thread_that_is_lost_is_noticed(tmp_path: Path) -> None:
    database = Database("sqlite", tmp_path)
    whole, log = database.undisturbed()
    job = database.job()
    late = Kill(len(log) * 2 // 3, "event")
    life = finish(start(replace(job, kill=late)), job)
    assert life.killed
    for file in job.folder.glob("threads.sqlite*"):
        file.unlink()
    found = faults(play(job), whole)
    assert "finished, and made again" in found[0]
