"""Style checks of docstrings and names, and of commit subjects.

`python -m tests.support.prose` prints the findings. `python -m tests.support.prose --commits` checks the subjects of the
commits since the baseline's. `docs/` and `CONTRIBUTING.md` state the rules for writers.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.support.budget import ROOMS, ROOT, read_baseline

ALLOWED: Final = ROOT / "tests" / "prose_allowed.txt"
MAX_PRONOUN_SHARE: Final = 0.04
"""Upper bound for pronouns among the words of all first lines."""
MAX_SUBJECT: Final = 72
_OPENING: Final = re.compile(r"(What|Whether|The same|Those|Whatever|Who|Whoever|Whose|How|Why|Where|That|Of) ")
_PRONOUN: Final = re.compile(
    r"\b(it|its|they|them|their|ones?|what|that|which|those|these|such|none|some|others?|there)\b", re.IGNORECASE
)
_UNCLEAR: Final = re.compile(r"\b(whose|whom|whatever|such|somebody|nobody)\b", re.IGNORECASE)
_IRREGULAR: Final = frozenset(
    [
        "given",
        "kept",
        "shown",
        "told",
        "known",
        "said",
        "made",
        "held",
        "found",
        "read",
        "taken",
        "left",
        "begun",
        "spoken",
        "written",
        "sent",
        "drawn",
        "lost",
        "chosen",
        "born",
        "grown",
    ]
)
_NOUNS: Final = frozenset(["feed", "need", "seed", "speed", "embed", "proceed", "exceed", "shed", "bed", "red", "read"])
_SUBJECT: Final = re.compile(r"[a-z][a-z0-9_., -]*: \S")


@dataclass(frozen=True)
class Finding:
    """A place that breaks a rule.

    Attributes:
        place: The file and the qualified name, such as `state/task.py:Task.digest`.
        rule: `opening`, `unclear`, `semicolons`, `participle` or `one`.
    """

    place: str
    rule: str

    def __str__(self) -> str:
        return f"{self.place} {self.rule}"


@dataclass
class Report:
    """Findings, with the word counts of first lines."""

    findings: list[Finding]
    pronouns: int = 0
    words: int = 0
    docstrings: int = 0

    @property
    def pronoun_share(self) -> float:
        """Share of pronouns among the words of first lines."""
        return self.pronouns / max(1, self.words)


def is_participle(name: str) -> bool:
    """Report whether a function's name is a bare participle, such as `_told` or `kept`."""
    word = name.strip("_")
    return "_" not in word and word not in _NOUNS and (word in _IRREGULAR or (word.endswith("ed") and len(word) > 3))


def check_source(source: str, path: str) -> Report:
    """Check the docstrings and names of one module."""
    report = Report([])
    tree = ast.parse(source)
    for name, node in _walk(tree, ""):
        place = f"{path}:{name}" if name else path
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and is_participle(node.name):
            report.findings.append(Finding(place, "participle"))
        if not (docstring := ast.get_docstring(node)):
            continue
        first = docstring.split("\n")[0]
        report.docstrings += 1
        report.words += len(first.split())
        report.pronouns += len(_PRONOUN.findall(first))
        broken = {
            "opening": _OPENING.match(first) is not None,
            "unclear": _UNCLEAR.search(first) is not None,
            "semicolons": docstring.count(";") > 1,
        }
        report.findings += [Finding(place, rule) for rule, is_broken in broken.items() if is_broken]
    report.findings += [Finding(f"{path}:{name}", "one") for name in _find_ones(tree)]
    return report


def check_rooms(rooms: tuple[str, ...] = tuple(ROOMS)) -> Report:
    """Check all modules of some rooms."""
    total = Report([])
    for room in rooms:
        for path in sorted((ROOT / room).rglob("*.py")):
            if "node_modules" not in path.parts:
                found = check_source(path.read_text("utf-8"), str(path.relative_to(ROOT)))
                total.findings += found.findings
                total.pronouns += found.pronouns
                total.words += found.words
                total.docstrings += found.docstrings
    return total


def read_allowed(path: Path = ALLOWED) -> set[str]:
    """Read the findings that may stay for now."""
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return {line for line in lines if line and not line.startswith("#")}


def check_subject(subject: str) -> str:
    """Return the fault of a commit subject, or an empty string."""
    if len(subject) > MAX_SUBJECT:
        return f"{len(subject)} characters; at most {MAX_SUBJECT}"
    return "" if _SUBJECT.match(subject) else "not of the form `area: imperative`"


def list_subjects(since: str) -> list[str] | None:
    """Return the subjects of the commits since one, or None if this clone lacks the commit."""
    git = ["git", "-C", str(ROOT), "log", "--no-merges", "--format=%s", f"{since}..HEAD"]
    done = subprocess.run(git, capture_output=True, text=True, check=False)
    return done.stdout.splitlines() if done.returncode == 0 else None


def _walk(
    node: ast.AST, prefix: str
) -> Iterator[tuple[str, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]]:
    if isinstance(node, ast.Module):
        yield "", node
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{prefix}{child.name}", child
            yield from _walk(child, f"{prefix}{child.name}.")
        else:
            yield from _walk(child, prefix)


def _find_ones(tree: ast.Module) -> list[str]:
    """Return the bindings of `one` and `ones` as variables, by line."""
    names = {
        node.lineno
        for node in ast.walk(tree)
        if (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in {"one", "ones"})
        or (isinstance(node, ast.arg) and node.arg in {"one", "ones"})
    }
    return [f"line {line}" for line in sorted(names)]


def main() -> int:
    """Print the findings, or the faults of commit subjects with `--commits`."""
    if "--commits" in sys.argv[1:]:
        since = read_baseline().commit
        subjects = list_subjects(since)
        if subjects is None:
            sys.stdout.write(f"this clone lacks commit {since}: subjects are not checked\n")
            return 0
        faults = [f"{subject}: {fault}" for subject in subjects if (fault := check_subject(subject))]
        sys.stdout.write(("\n".join(faults) or f"{len(subjects)} subjects") + "\n")
        return bool(faults)
    report = check_rooms()
    sys.stdout.write("".join(f"{finding}\n" for finding in report.findings))
    sys.stdout.write(
        f"{report.docstrings:,} docstrings, pronouns {report.pronoun_share:.1%} of the words of first lines\n"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
