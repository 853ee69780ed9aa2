"""`weiwo memory answers`: the earlier answers that are given again, listed and forgotten."""

from weiwo.app.cli.memory.access import forget, print_entries, tell, with_memory
from weiwo.app.cli.memory.words import word
from weiwo.app.cli.output import hint, write_json
from weiwo.app.session.memory_listing import answer_as_json
from weiwo.nodes.memory.earlier_answers import EarlierAnswer, forget_answers
from weiwo.nodes.memory.memory_store import MemoryStore

_LISTING = "weiwo memory answers"


def list_answers_command(*, as_json: bool) -> None:
    """List the questions, those answered last first."""

    async def read(memory: MemoryStore) -> tuple[EarlierAnswer, ...]:
        return await memory.read_all("answers", EarlierAnswer)

    rows = [answer_as_json(one) for one in with_memory(read)]
    if as_json:
        write_json({"answers": rows})
        return
    print_entries(
        [(one["thread_id"], one["question"], one["answered_at"]) for one in rows], word("no_answers"), indent=4
    )


def forget_answers_command(*, as_json: bool) -> None:
    """Forget them all."""
    many = len(forget(("answers",), None, _LISTING))
    tell({"forgotten": many}, word("answers_forgotten", many), as_json=as_json)


def forget_bad_answer(run: str) -> None:
    """Give the answer of a run never again, since it was bad."""
    if with_memory(lambda memory: forget_answers(memory, run=run)):
        hint(word("bad_answer"))
