"""The claim check on labelled claims: how many true ones pass, how many false ones are caught.

    python benchmarks/claims.py tests/data/claims_fresh.jsonl --json

Each row has `claim`, `sources` (a list of `title` and `text`), `question`, `language`, `label` (`supported` or
`unsupported`) and `kind`; a claim cites all its sources. `true_passed` is the share of supported claims that pass,
`false_caught` that of unsupported ones that do not. Code judges alone.
"""

import argparse
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from weiwo.nodes.writer.claims import check_claims
from weiwo.state import Evidence, passage_id

Row = dict[str, Any]


def main() -> None:
    """Read the rows, judge them, print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="Rows as JSON lines.")
    parser.add_argument("--json", action="store_true", help="Print one JSON object.")
    given = parser.parse_args()
    text = given.file.read_text(encoding="utf-8")
    figures = measure([json.loads(line) for line in text.splitlines() if line.strip()])
    if given.json:
        print(json.dumps(figures, ensure_ascii=False))
        return
    passed, caught = figures["true_passed"], figures["false_caught"]
    print(f"{figures['n']} rows · true passed {passed:.3f} · false caught {caught:.3f}")
    for kind, counts in figures["by_kind"].items():
        print(f"  {kind:20} {counts['right']} of {counts['n']}")


def measure(rows: list[Row]) -> dict[str, Any]:
    """The figures over rows, in all and by kind."""
    right = [passes(row) == (row["label"] == "supported") for row in rows]
    kinds: dict[str, dict[str, int]] = {}
    for row, good in zip(rows, right, strict=True):
        counts = kinds.setdefault(row["kind"], {"n": 0, "right": 0})
        counts["n"] += 1
        counts["right"] += good
    judged = list(zip(rows, right, strict=True))
    return {
        "n": len(rows),
        "true_passed": _share(good for row, good in judged if row["label"] == "supported"),
        "false_caught": _share(good for row, good in judged if row["label"] != "supported"),
        "by_kind": dict(sorted(kinds.items())),
    }


def passes(row: Row) -> bool:
    """Whether the check lets a claim pass that cites all its sources."""
    passages = {
        n: (Evidence(id=passage_id(f"{n} {one['text']}"), text=one["text"], title=one["title"], source=f"{n}"),)
        for n, one in enumerate(row["sources"], 1)
    }
    marks = "".join(f"[{n}]" for n in passages)
    claims = check_claims(f"{row['claim']} {marks}", passages, {}, language=row["language"], question=row["question"])
    return all(claim.verdict != "unsupported" for claim in claims)


def _share(values: Iterable[bool]) -> float:
    known = list(values)
    return round(sum(known) / len(known), 4) if known else 0.0


if __name__ == "__main__":
    main()
