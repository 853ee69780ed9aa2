"""The speed of endpoints, learned from streamed replies: tokens read and written per second, as moving averages.

Stored in Weiwo's own folder, so that the first call of a later run has a realistic deadline. Reading is not measured
for endpoints that answer at once, since that time is the network's.
"""

import asyncio
import json
import tempfile
from pathlib import Path
from typing import Final, NamedTuple

from weiwo.models.endpoint import EndpointMemory

_LEAST_WAIT: Final = 2.0
"""Seconds to the first token below which reading is too fast to be measured."""
_LEAST_PROMPT: Final = 200
_LEAST_REPLY: Final = 16
_WEIGHT: Final = 0.3
"""Weight of the newest reply in a moving average."""
MARGIN: Final = 2.0
"""Factor on the estimated time of a call, since other work may slow down the machine."""
USUAL_CALL: Final = 2_000, 250
"""Tokens of the prompt and of the reply of a typical call."""
SLOW_CALL: Final = 20.0
"""Seconds of a typical call from which only a quick search ends in time."""
_WORTH_KEEPING: Final = 0.25
"""Relative change of a speed above which it is written to the file."""
_MOST_BYTES: Final = 200_000
_FILE: Final = "speeds.json"


class _Speed(NamedTuple):
    """Tokens per second of an endpoint. 0 if unknown, or too fast to measure."""

    reading: float = 0.0
    writing: float = 0.0

    def seconds(self, prompt: int, reply: int) -> float:
        """Return the seconds to read a prompt and write a reply of so many tokens. An unknown speed adds 0."""
        return (prompt / self.reading if self.reading else 0.0) + (reply / self.writing if self.writing else 0.0)


class _SpeedMemory:
    """The speed of each endpoint."""

    def __init__(self) -> None:
        self._held = EndpointMemory[_Speed]()
        self._kept = EndpointMemory[_Speed]()
        self._loaded: set[str] = set()

    def speed(self, endpoint: str) -> _Speed:
        """Return the speed of an endpoint, with 0 for unknown values."""
        return self._held.get(endpoint) or _Speed()

    def estimate_seconds(self, endpoint: str, prompt: int, reply: int) -> float:
        """Estimate the seconds to allow for a call, including a margin. 0 if nothing is known."""
        return MARGIN * self.speed(endpoint).seconds(prompt, reply)

    def learn(self, endpoint: str, *, prompt: int, first: float, reply: int, rest: float) -> None:
        """Update the averages of an endpoint's speed with a streamed reply.

        A first token within 2 s resets the reading speed to 0, too fast to measure. Short prompts and replies say
        nothing.

        Args:
            endpoint: Identity of the endpoint.
            prompt: Tokens of the prompt that were not cached.
            first: Seconds until the first token.
            reply: Tokens of the reply.
            rest: Seconds from the first token to the last.
        """
        before = self.speed(endpoint)
        reading, writing = before
        if prompt >= _LEAST_PROMPT:
            reading = _average(reading, prompt / first) if first >= _LEAST_WAIT else 0.0
        if reply >= _LEAST_REPLY and rest > 0:
            writing = _average(writing, reply / rest)
        self._held.remember_fact(endpoint, _Speed(reading, writing))

    async def load(self, home: str) -> None:
        """Load speeds learned by earlier processes, once per home folder."""
        if home in self._loaded:
            return
        self._loaded.add(home)
        for endpoint, speed in (await asyncio.to_thread(_read, Path(home))).items():
            self._kept.remember_fact(endpoint, speed)
            if endpoint not in self._held:
                self._held.remember_fact(endpoint, speed)

    async def keep(self, home: str, endpoint: str) -> None:
        """Write the speed of an endpoint to the file, if it changed by more than a quarter."""
        speed, kept = self.speed(endpoint), self._kept.get(endpoint) or _Speed()
        if all(abs(new - old) <= _WORTH_KEEPING * old for new, old in zip(speed, kept, strict=True)):
            return
        self._kept.remember_fact(endpoint, speed)
        await asyncio.to_thread(_write, Path(home), endpoint, speed)


def _average(before: float, new: float) -> float:
    return new if not before else before + _WEIGHT * (new - before)


def _read(home: Path) -> dict[str, _Speed]:
    """Read the speeds from the file. The result is empty without a readable file."""
    try:
        with (home / _FILE).open("rb") as file:
            told = json.loads(file.read(_MOST_BYTES))
        return {str(name): _Speed(float(reading), float(writing)) for name, (reading, writing) in told.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def _write(home: Path, endpoint: str, speed: _Speed) -> None:
    """Add an endpoint to the file in the folder `home`. Errors are ignored, and no folder is created."""
    try:
        held = {**_read(home), endpoint: speed}
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=home, delete=False) as file:
            json.dump({name: [round(part, 2) for part in value] for name, value in held.items()}, file, indent=1)
        Path(file.name).replace(home / _FILE)
    except OSError:
        return


speed_memory: Final = _SpeedMemory()
"""Speeds known to this process."""
