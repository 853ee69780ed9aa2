"""Systems under comparison: Weiwo, and the baselines of `benchmarks/baselines.py` in a checkout."""

import sys
import time
from collections.abc import Mapping
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, Final

from weiwo.app.evaluation.experiment import ExperimentError
from weiwo.app.evaluation.question_set import Question
from weiwo.app.evaluation.scoring import ABSTAINED, SystemAnswer, abstains, strip_citations
from weiwo.graph import build_graph
from weiwo.state import Outcome
from weiwo.state.settings import Context
from weiwo.text.values import render

_BASELINES: Final = Path(__file__).resolve().parents[2] / "benchmarks" / "baselines.py"
_CALIBRATED: Final = frozenset({"text", "number", "date", "boolean"})


def load_baselines() -> Any:
    """Import `benchmarks/baselines.py` of a checkout, and return the module.

    Raises:
        ExperimentError: The file does not exist, as in an installed package.
    """
    spec = spec_from_file_location("weiwo_baselines", _BASELINES) if _BASELINES.is_file() else None
    if spec is None or spec.loader is None:
        raise ExperimentError(
            "--baseline needs benchmarks/baselines.py, which is not installed; run it from a checkout of Weiwo"
        )
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


class WeiwoSystem:
    """Weiwo as configured, with the public graph in the same process.

    Args:
        context: The options of each run.
    """

    def __init__(self, context: Context) -> None:
        self._graph: Any = build_graph()
        self._context = context

    async def __call__(self, question: Question) -> SystemAnswer:
        """Answer a question."""
        started = time.perf_counter()
        result = (await self._graph.ainvoke({"question": question.text}, context=self._context))["result"]
        return _read_result(result, time.perf_counter() - started)


def _read_result(result: Mapping[str, Any], seconds: float) -> SystemAnswer:
    """Convert a result of Weiwo to a system answer, with statement, passages and cost."""
    usage, claims = result["usage"], result.get("claims") or []
    # The statement is the claims, or else the text above the quoted passages.
    stated = " ".join(str(claim["text"]) for claim in claims)
    text = strip_citations(stated or f"\n{result.get('answer', '')}".partition("\n>")[0])
    outcome = {"complete": "asserted", "partial": "doubtful"}.get(str(result["status"]), ABSTAINED)
    if not _states_anything(result) or abstains(text):
        outcome = ABSTAINED
    return SystemAnswer(
        text=text,
        outcome=outcome,
        shown=tuple(extract["text"] for extract in result.get("extracts") or []),
        highlighted=tuple(
            extract["text"][start:end]
            for extract in result.get("extracts") or []
            for start, end in extract["highlights"]
        ),
        cited=tuple(dict.fromkeys(citation["source"] for citation in result.get("citations") or [])),
        claims=claims,
        values=_list_values(result),
        confidence=result.get("confidence"),
        level=str(result.get("level") or ""),
        calls=usage["model_calls"],
        tool_calls=usage["tool_calls"],
        input_tokens=usage["input_tokens"],
        output_tokens=usage["output_tokens"],
        cost=usage.get("cost", 0.0),
        seconds=seconds,
    )


def _states_anything(result: Mapping[str, Any]) -> bool:
    """Report whether an answer states anything.

    A statement by rules needs the support of a source or a calculation. Extracts and small talk state nothing.
    """
    verdicts = {claim["verdict"] for claim in result.get("claims") or []}
    if verdicts - {"uncited"}:
        return True
    return bool(result["usage"]["model_calls"] and (verdicts or not result.get("extracts")))


def _list_values(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the values behind a result: text, type, confidence, and a flag for final values."""
    built_on = {source for source, _ in (result.get("plan") or {}).get("edges") or ()}
    listed = []
    for task_id, raw in (result.get("outcomes") or {}).items():
        outcome = Outcome.model_validate({"task_id": task_id, **raw})
        if outcome.usable and outcome.type in _CALIBRATED and not outcome.is_computed:
            listed.append(
                {
                    "text": outcome.detail.shown or render(outcome.value, outcome.type, "en"),
                    "type": outcome.type,
                    "confidence": outcome.confidence,
                    "final": task_id not in built_on,
                }
            )
    return listed
