"""`weiwo memory answers`: the earlier answers that are given again, listed and forgotten."""

from datetime import UTC, datetime

from weiwo.app.cli.memory.access import forget, print_entries, tell, with_memory
from weiwo.app.cli.output import hint, write_json
from weiwo.nodes.memory.earlier_answers import EarlierAnswer, forget_answer
from weiwo.nodes.memory.memory_store import MemoryStore

_LISTING = "weiwo memory answers"
_NONE = "no answer is kept; one is when a model's answer to a question that opens a conversation is complete"


def list_answers_command(*, as_json: bool) -> None:
    """List the questions, those answered last first."""

    async def read(memory: MemoryStore) -> tuple[EarlierAnswer, ...]:
        return await memory.read_all("answers", EarlierAnswer)

    found = with_memory(read)
    if as_json:
        rows = [{"question": one.question, "thread_id": one.thread_id, "answered_at": _moment(one)} for one in found]
        write_json({"answers": rows})
        return
    print_entries([(one.thread_id, one.question, _moment(one)) for one in found], _NONE, indent=4)


def forget_answers_command(*, as_json: bool) -> None:
    """Forget them all."""
    many = len(forget("answers", None, _LISTING))
    tell({"forgotten": many}, f"answers forgotten: {many}", as_json=as_json)


def forget_bad_answer(run: str) -> None:
    """Give the answer of a run never again, since it was bad."""
    if with_memory(lambda memory: forget_answer(memory, run)):
        hint("that answer is not given again")


def _moment(one: EarlierAnswer) -> str:
    return datetime.fromtimestamp(one.at, UTC).isoformat(timespec="seconds")
