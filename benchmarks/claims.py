"""Benchmark of the claim check on labelled claims: true claims passed, false claims caught.

    python benchmarks/claims.py tests/data/claims_held_out.jsonl --json

Each row has `claim`, `sources` (a list of `title` and `text`), `question`, `language`, `label` (`supported` or
`unsupported`) and `kind`. A claim cites the sources whose marks it holds, else all. Code judges alone. With
`WEIWO_MODEL` (or `WEIWO_VERIFIER_MODEL`) set, a model also judges the claims that code leaves open. `true_passed` is
the share of supported claims that pass, `false_caught` that of unsupported ones that do not. `--concurrency 300` asks
about as many rows at once, for an endpoint that a person answers. `WEIWO_MODEL_SECONDS` and `WEIWO_MAX_SECONDS` bound
how long that may take.
"""

import argparse
import asyncio
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from weiwo.models.budget import Budget
from weiwo.models.gateway import ChatModels
from weiwo.nodes.writer.claims import ClaimSources, check_cited
from weiwo.nodes.writer.entailment import judge_statement
from weiwo.state import DOUBTFUL, Evidence, Verdict, passage_id
from weiwo.state.settings import Settings
from weiwo.text.citation_marks import blank_marks

Row = dict[str, Any]


def main() -> None:
    """Read and judge the rows, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="Rows as JSON lines.")
    parser.add_argument("--json", action="store_true", help="Print one JSON object.")
    parser.add_argument("--wrong", action="store_true", help="Print the rows that were judged wrongly.")
    parser.add_argument("--concurrency", type=int, default=8, metavar="N", help="Rows a model is asked about at once.")
    given = parser.parse_args()
    if given.concurrency < 1:
        parser.error("--concurrency: at least 1 row at once")
    rows = [json.loads(line) for line in given.file.read_text().splitlines() if line.strip()]
    found = asyncio.run(_judge_rows(rows, given.concurrency))
    figures = {name: _figures(rows, verdicts) for name, verdicts in found.items()}
    whole: dict[str, Any] = {**figures["code"], **({"with_model": figures["model"]} if "model" in figures else {})}
    if given.json:
        print(json.dumps(whole, ensure_ascii=False))
        return
    for name, figure in figures.items():
        passed, caught = figure["true_passed"], figure["false_caught"]
        print(f"{name}: {figure['n']} rows · true passed {passed:.3f} · false caught {caught:.3f}")
        for kind, counts in figure["by_kind"].items():
            print(f"  {kind:20} {counts['right']} of {counts['n']}")
    if given.wrong:
        for row, verdict in zip(rows, found[next(reversed(found))], strict=True):
            if _passes(verdict) != (row["label"] == "supported"):
                print(f"{row['label']} {row['kind']}: {row['claim']} → {verdict}")


async def _judge_rows(rows: Iterable[Row], concurrency: int) -> dict[str, list[Verdict]]:
    settings = Settings.resolve()
    models = ChatModels(settings, Budget(settings.limits))
    role = "verifier" if models.has_decision_model("verifier") else ""
    gate = asyncio.Semaphore(concurrency)
    code: list[Verdict] = []
    pending = []

    async def ask(given: ClaimSources, claim: str, numbers: tuple[int, ...]) -> Verdict:
        async with gate:
            return await judge_statement(models.with_budget(Budget(settings.limits)), role, claim, numbers, given)

    for row in rows:
        given, text, numbers = _claim(row)
        finding = check_cited(text, numbers, given)
        code.append(finding.verdict)
        if role:
            pending.append(ask(given, row["claim"], numbers))
    return {"code": code, "model": await asyncio.gather(*pending)} if role else {"code": code}


def _claim(row: Row) -> tuple[ClaimSources, str, tuple[int, ...]]:
    passages = {
        n: (
            Evidence(id=passage_id(f"{n} {source['text']}"), text=source["text"], title=source["title"], source=f"{n}"),
        )
        for n, source in enumerate(row["sources"], 1)
    }
    text, marks = blank_marks(row["claim"])
    numbers = tuple(dict.fromkeys(n for mark in marks for n in mark.numbers if n in passages)) or tuple(passages)
    return ClaimSources(passages, {}, row.get("language", "en"), row.get("question", "")), text.strip(), numbers


def _passes(verdict: Verdict) -> bool:
    return verdict not in DOUBTFUL


def _figures(rows: list[Row], verdicts: list[Verdict]) -> dict[str, Any]:
    right = [_passes(verdict) == (row["label"] == "supported") for row, verdict in zip(rows, verdicts, strict=True)]
    kinds: dict[str, dict[str, int]] = {}
    for row, good in zip(rows, right, strict=True):
        counts = kinds.setdefault(row["kind"], {"n": 0, "right": 0})
        counts["n"] += 1
        counts["right"] += good
    return {
        "n": len(rows),
        "true_passed": _share(good for row, good in zip(rows, right, strict=True) if row["label"] == "supported"),
        "false_caught": _share(good for row, good in zip(rows, right, strict=True) if row["label"] != "supported"),
        "by_kind": dict(sorted(kinds.items())),
    }


def _share(values: Iterable[bool]) -> float:
    known = list(values)
    return round(sum(known) / len(known), 4) if known else 0.0


if __name__ == "__main__":
    main()
