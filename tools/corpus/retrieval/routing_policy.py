"""Routing policy: learned weights of the router, and a trust level.

Weights are learned separately for each kind of question (`QueryFeatures.segment`), because one weight for a strategy
over all questions drifts to whichever wins on average. For a kind, the policy keeps how much better or worse than
hybrid search each strategy did, as a moving average that moves a little with each question, is bounded, and counts for
nothing below `_FEWEST` questions. If all strategies did equally well, the average stays as it is.

Trust goes up by evidence and one step at a time: `shadow` (choices recorded, not followed), `trial` (a share of the
questions), `default`. Each step back is one step, too, and from `shadow` the policy forgets. A policy in service does
not learn.
"""

import hashlib
import json
import logging
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

from pydantic import Field, ValidationError, field_validator

from weiwo.state.values import Value
from weiwo.tools.corpus.base import CorpusError
from weiwo.tools.corpus.retrieval.score_fusion import STRATEGIES, Strategy
from weiwo.tools.private_files import replace_private_file

PolicyStage = Literal["shadow", "trial", "default"]

_RATE: Final = 0.02
"""Learning rate of the moving average."""
_BOUND: Final = 0.3
"""Bound of the moving average, above and below 0."""
_FEWEST: Final = 30
"""Minimum number of questions of a kind before the weights learned for that kind are used."""
_HALF_TRUST: Final = 10
"""Questions of a kind after which the measured results and the router's signals have equal weight."""
_COST: Final = 0.01
"""Cost of a call of the embedding model, in recall."""
_CHEAPER: Final = 0.1
"""Share of the embedding calls that a policy must save to be promoted for its lower cost alone."""
_SHARE: Final = 0.05
"""Share of the questions that a policy on trial decides."""

_EVEN: Final = 0.5
_FILE: Final = "retrieval-policy.json"
_MOST_STEPS: Final = 50
_UP: Final[dict[PolicyStage, PolicyStage]] = {"shadow": "trial", "trial": "default"}
_DOWN: Final[dict[PolicyStage, PolicyStage]] = {"default": "trial", "trial": "shadow"}
_log: Final = logging.getLogger(__name__)


class PolicyError(CorpusError):
    """Error for an invalid step of a policy.

    The message is one line: the object, the cause, the fix.
    """


class _SegmentStatistics(Value):
    """Statistics of a kind of question."""

    samples: int = Field(0, ge=0)  # questions seen
    decided: int = Field(0, ge=0)  # questions on which the strategies' scores differed
    # moving average of a strategy's score minus that of hybrid search, over the decided questions
    advantage: dict[Strategy, float] = Field(default_factory=dict)

    @field_validator("advantage", mode="before")
    @classmethod
    def _drop_former_arms(cls, value: object) -> object:
        """Drop the statistics of removed arms from policies of version 0.1."""
        return {arm: gain for arm, gain in value.items() if arm in STRATEGIES} if isinstance(value, dict) else value

    def gain(self, arm: Strategy) -> float:
        """Return by how much a strategy is better than hybrid search, on average over all questions of the kind.

        Negative if it is worse, and 0 if no question showed a difference. The moving average is bias-corrected (Adam,
        section 3).
        """
        if not self.decided:
            return 0.0
        average = self.advantage.get(arm, 0.0) / (1 - (1 - _RATE) ** self.decided)
        return self.decided / self.samples * min(max(average, -_BOUND), _BOUND)

    def add_question(self, rewards: Mapping[Strategy, float]) -> "_SegmentStatistics":
        """Return the statistics updated with a question.

        `rewards`, 0 to 1, are given by strategy, hybrid among them.
        """
        gains = {arm: reward - rewards["hybrid"] for arm, reward in rewards.items() if arm != "hybrid"}
        if not any(gains.values()):
            return self.model_copy(update={"samples": self.samples + 1})
        moved = dict(self.advantage)
        for arm, gain in gains.items():
            average = (1 - _RATE) * moved.get(arm, 0.0) + _RATE * gain
            moved[arm] = min(max(average, -_BOUND), _BOUND)
        return _SegmentStatistics(samples=self.samples + 1, decided=self.decided + 1, advantage=moved)


class PolicyEvidence(Value):
    """Evidence for a policy: the gain over always-hybrid on held-out questions."""

    dataset: str  # name of the set
    questions: int  # number of held-out questions
    difference: float  # mean recall minus that of hybrid search
    low: float  # lower end of the 95 % bootstrap interval of the difference
    high: float  # upper end
    # share of the questions that the policy searches without vectors, not counting those of the identifier rule
    saved: float = 0.0


class PolicyStep(Value):
    """An entry in a policy's history."""

    what: str  # the change, such as "to trial" or "forgotten"
    at: str  # time, ISO 8601 in UTC
    evidence: PolicyEvidence | None = None  # the figures that a promotion was based on


class RoutingPolicy(Value):
    """Learned routing weights and trust level for an embedding model."""

    embeddings: str = ""  # the embedding model; empty if there is none, and n-grams take its place
    version: int = Field(0, ge=0)  # raised whenever the policy learns or forgets
    stage: PolicyStage = "shadow"  # trust level
    share: float = Field(_SHARE, ge=0, le=1)  # share of the questions decided on trial
    segments: dict[str, _SegmentStatistics] = Field(default_factory=dict)  # learned statistics, by kind of question
    sources: tuple[str, ...] = ()  # keys of the sets learned from, so that none is learned twice
    steps: tuple[PolicyStep, ...] = ()  # history, latest last

    def weights(self, segment: str, heuristic: Mapping[Strategy, float]) -> dict[Strategy, float]:
        """Return the weight to add to each strategy's score for a kind of question, 0 if too few were seen.

        With more questions seen, a score moves from what the signals say to what was measured: one half, plus the
        advantage over hybrid search, less the cost of embedding the question.
        """
        if not self.knows(segment):
            return dict.fromkeys(heuristic, 0.0)
        known = self.segments[segment]
        trust = known.samples / (known.samples + _HALF_TRUST)
        cost = _COST if self.embeddings else 0.0
        added: dict[Strategy, float] = {}
        for arm, score in heuristic.items():
            measured = _EVEN + known.gain(arm) - (cost if arm != "keyword" else 0.0)
            added[arm] = round(trust * (measured - score), 4)
        return added

    def knows(self, segment: str) -> bool:
        """Report whether the policy has seen enough of a kind of question."""
        return segment in self.segments and self.segments[segment].samples >= _FEWEST

    def serves(self, question: str) -> bool:
        """Report whether the policy decides a question: always as the default, never in shadow.

        On trial it decides a share of the questions, and the same question always alike.
        """
        return self.stage == "default" or (self.stage == "trial" and hash_to_share(question) < self.share)

    def learn(
        self, observations: Iterable[tuple[str, Mapping[Strategy, float]]], source: str, step: PolicyStep
    ) -> "RoutingPolicy":
        """Return the policy updated with a set of questions, or unchanged for a known set.

        Args:
            observations: The kind of each question, and the score of each strategy on it, 0 to 1.
            source: Key of the set: the hash of its questions, or for live use the corpus and the time.
            step: The entry for the history.

        Raises:
            PolicyError: The policy is in service.
        """
        if self.stage != "shadow":
            raise PolicyError(f"policy {self.version} is in service ({self.stage}) and cannot change; demote it")
        if source in self.sources:
            return self
        segments = dict(self.segments)
        for segment, rewards in observations:
            segments[segment] = segments.get(segment, _SegmentStatistics()).add_question(rewards)
        return self._apply_step(step, version=self.version + 1, segments=segments, sources=(*self.sources, source))

    def promote(self, evidence: PolicyEvidence, at: str, share: float | None = None) -> "RoutingPolicy":
        """Return the policy one stage higher, given sufficient evidence.

        The policy must find more than always-hybrid, or as much with fewer embedding calls. `share` sets the share of
        the questions decided on trial.

        Raises:
            PolicyError: The policy is the default already, has learned nothing, or the evidence is not enough.
        """
        if self.stage == "default":
            raise PolicyError(f"policy {self.version} is already the default; nothing to do")
        if not self.segments:
            raise PolicyError(f"policy {self.version} has learned nothing; run weiwo eval retrieval DIR --learn first")
        cheaper = self.embeddings and evidence.saved >= _CHEAPER and evidence.low >= -_COST
        if evidence.questions < _FEWEST or not (evidence.low > 0 or cheaper):
            saving = (
                f", or no lower than {-_COST} if the policy saves {_CHEAPER:.0%} of the embedding calls (it saves"
                f" {evidence.saved:.0%})"
            )
            raise PolicyError(
                f"policy {self.version}: stays in {self.stage}; on {evidence.questions} held-out questions of"
                f" {evidence.dataset}, its recall minus that of always-hybrid is {evidence.difference:+.4f}"
                f" (95 % interval {evidence.low:+.4f} to {evidence.high:+.4f}); on {_FEWEST} questions or more, the"
                f" whole interval must be above 0{saving if self.embeddings else ''}"
            )
        up = _UP[self.stage]
        step = PolicyStep(what=f"to {up}", at=at, evidence=evidence)
        return self._apply_step(step, stage=up, share=self.share if share is None else share)

    def demote(self, at: str) -> "RoutingPolicy":
        """Return the policy one stage lower. From shadow, it forgets everything.

        Raises:
            PolicyError: The policy is in shadow and has learned nothing.
        """
        if self.stage in _DOWN:
            down = _DOWN[self.stage]
            return self._apply_step(PolicyStep(what=f"to {down}", at=at), stage=down)
        if not self.segments:
            raise PolicyError(f"policy {self.version} has learned nothing that could be undone")
        return self._apply_step(PolicyStep(what="forgotten", at=at), version=self.version + 1, segments={}, sources=())

    def _apply_step(self, step: PolicyStep, **changes: object) -> "RoutingPolicy":
        return self.model_copy(update={**changes, "steps": (*self.steps, step)[-_MOST_STEPS:]})


def hash_to_share(question: str) -> float:
    """Return a number from 0 to 1 for a question, always the same, evenly distributed over questions."""
    digest = hashlib.sha256(question.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


class PolicyFile:
    """The policy of an embedding model, read again whenever its file changes.

    A demotion so reaches running processes.
    """

    def __init__(self, home: Path, embeddings: str) -> None:
        """Set the policy to follow. The file is first read by `read_current`.

        Args:
            home: The folder of Weiwo's own files.
            embeddings: The embedding model that the policy belongs to. Empty if there is none.
        """
        self._home, self._embeddings = home, embeddings
        self._seen: int | None = None
        self._policy = RoutingPolicy.model_construct(embeddings=embeddings)

    def read_current(self) -> RoutingPolicy:
        """Return the policy currently in the file, or a new policy if there is none."""
        try:
            changed = (self._home / _FILE).stat().st_mtime_ns
        except OSError:
            changed = 0
        if changed != self._seen:
            self._seen, self._policy = changed, load_policy(self._home, self._embeddings)
        return self._policy


def load_policy(home: Path, embeddings: str) -> RoutingPolicy:
    """Load the policy of an embedding model, or create a new policy.

    A broken file gives a new policy and a warning.
    """
    try:
        kept = json.loads((home / _FILE).read_text(encoding="utf-8"))
        return (
            RoutingPolicy.model_validate(kept[embeddings])
            if embeddings in kept
            else RoutingPolicy.model_construct(embeddings=embeddings)
        )
    except FileNotFoundError:
        pass
    except (OSError, ValueError, TypeError, ValidationError):
        _log.warning("%s cannot be read; search continues without the learned policy", home / _FILE)
    return RoutingPolicy.model_construct(embeddings=embeddings)  # avoids building the validator


def save_policy(home: Path, policy: RoutingPolicy) -> None:
    """Save a policy beside the policies of other models. The file is replaced atomically.

    Raises:
        PolicyError: The file cannot be written.
    """
    path = home / _FILE
    kept: dict[str, object] = {}
    with suppress(OSError, ValueError):
        found = json.loads(path.read_text(encoding="utf-8"))
        kept = found if isinstance(found, dict) else {}
    kept[policy.embeddings] = policy.model_dump(mode="json")
    try:
        replace_private_file(path, json.dumps(kept, ensure_ascii=False, indent=1).encode())
    except OSError as error:
        raise PolicyError(f"{path} cannot be written ({error.strerror}); make the folder writable") from None
