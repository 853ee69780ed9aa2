"""What happened how often, from the log.

An effect is one tool or model call, told apart by its arguments or its prompt. It is *finished* once it is done and
the checkpointer has acknowledged a write, begun after that, which carries its outcome: what a step came to in which it
was made, be it the innermost or one around it, or a whole checkpoint of a graph it was made in (a graph saves one
between its steps, never during one). From then on it must not start again, in whatever process. Until then it is
*in flight*: it may have to be repeated.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.torture.log import Event


@dataclass
class Ledger:
    """The effects of one run, over all its lives."""

    started: Counter[str] = field(default_factory=Counter)  # how often each effect started
    finished: set[str] = field(default_factory=set)  # the effects that are finished
    again: list[str] = field(default_factory=list)  # effects that started though they were finished

    @property
    def effects(self) -> int:
        """Calls made, repeated ones included."""
        return self.started.total()

    @property
    def repeated(self) -> int:
        """Calls made again, because they were in flight when a process died."""
        return self.effects - len(self.started) - len(self.again)

    def of(self, kind: str) -> "Ledger":
        """The part that concerns `tool` or `model` calls."""
        return Ledger(
            Counter({key: times for key, times in self.started.items() if key.startswith(kind)}),
            {key for key in self.finished if key.startswith(kind)},
            [key for key in self.again if key.startswith(kind)],
        )


def ledger(events: Iterable[Event]) -> Ledger:
    """Read a log from its beginning; the processes in it may overlap."""
    book = Ledger()
    done: dict[int, dict[str, str]] = defaultdict(dict)
    """By process: the namespaces of the effects that came to an end."""
    carried: dict[tuple[int, int], set[str]] = {}
    """By process and number of a write: the effects whose outcome it carries."""
    for event in events:
        pid, kind = event["pid"], event["event"]
        if kind == "start":
            if (key := event["key"]) in book.finished:
                book.again.append(key)
            book.started[key] += 1
        elif kind == "done":
            done[pid][event["key"]] = event["ns"]
        elif kind == "save":
            carried[pid, event["n"]] = {key for key, ns in done[pid].items() if _carries(event, ns)}
        else:
            book.finished |= carried[pid, event["n"]]
    return book


def _carries(save: Event, ns: str) -> bool:
    """Whether a write carries what was done in a namespace such as `executor:1|task:2|act:3`."""
    graph, step = save["ns"], save["task"]
    inside = not graph or ns.startswith(f"{graph}|")
    return inside and (step is None or step in (part.partition(":")[2] for part in ns.split("|")))
