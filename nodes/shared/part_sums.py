"""Parts that come to more than their whole, which one task gives and others give the parts of.

That values are parts of a whole is known from the plan alone: a task runs over a list that was asked for as the parts
of what another asks about; or a sum is described as that other's own question, or as that of its parts. Parts that
come to less are no contradiction: there may be further ones.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from weiwo.nodes.shared.amounts import Amount, read_amounts, with_one_unit
from weiwo.nodes.shared.topics import find_topic, relation_words
from weiwo.state import REFERENCE, Language, Outcome, Plan, Task
from weiwo.text.language import detect_language
from weiwo.text.patterns import lazy

FEWEST_PARTS: Final = 2
_SAME_SHARE: Final = 0.01
"""The share of a whole by which rounded parts may miss it, beside half a unit for each."""
_ADDITIVE: Final = frozenset({"area", "population", "mass", "revenue", "employees"})
"""Relations of which a whole has as much as its parts together."""
_COUNTS: Final = lazy(r"how many\b|number of\b|多少|数量|几[个位名]", re.IGNORECASE)
_SUM: Final = lazy(r"sum\(x(?:,x)*\)|x(?:\+x)+", re.IGNORECASE)
"""A sum of references, which stand as x, without blanks."""
_PARTS: Final = lazy(
    r"\b(?:(?:constituent|individual|single|different|various) )?(?:parts?|components?|segments?|divisions?|sections?|"
    r"regions?|provinces?|states?|districts?|boroughs?|counties|departments?|branches|subsidiaries|members?|units?|"
    r"categories)\b"
    r"|组成部分|部分|零件|部件|部位|分部|板块|业务|地区|省份?|区县|市辖区|州|部门|子公司|分公司|成员|类别|区",
    re.IGNORECASE,
)
_LISTS: Final = lazy(
    r"\b(?:makes? up|made up|consists? of|composed of|compris\w+|belongs? to|divided into|form|there)\b"
    r"|有哪些|哪些|由|组成|构成|包括|包含|下辖|分为|划分|和|的",
    re.IGNORECASE,
)


class PartSum(NamedTuple):
    """A whole that is less than its parts.

    Attributes:
        whole: The task that gives the whole.
        parts: The tasks that give the parts.
    """

    whole: str
    parts: tuple[str, ...]


class _Parts(NamedTuple):
    """Tasks whose values are added up.

    Attributes:
        tasks: The tasks.
        about: What they are parts of, as terms.
        relation: What is asked of each.
    """

    tasks: tuple[Task, ...]
    about: frozenset[str]
    relation: str


def find_part_sums(plan: Plan, usable: Mapping[str, Outcome]) -> Iterator[PartSum]:
    """The wholes that their parts come to more than; of each the first that is found."""
    sums = [*_listed_parts(plan, usable), *_added_parts(plan, usable)]
    for whole in plan.tasks if sums else ():
        if whole.id not in usable or whole.for_each is not None or "expression" in whole.args:
            continue
        relation, about = _relation(whole), _topic(whole)
        for parts in sums:
            inside = whole.id in {task.id for task in parts.tasks}
            if inside or not (relation and about) or (parts.relation, parts.about) != (relation, about):
                continue
            if _exceed(parts, whole, usable):
                yield PartSum(whole.id, tuple(task.id for task in parts.tasks))
                break


def _exceed(parts: _Parts, whole: Task, usable: Mapping[str, Outcome]) -> bool:
    """Whether parts come to more than a whole, as far as their amounts are exact and of one unit."""
    given, amounts = read_amounts(whole, usable[whole.id]), list[Amount]()
    for task in parts.tasks:
        amounts += (read := read_amounts(task, usable[task.id]))
        if not read or usable[task.id].detail.approximate:
            return False
    if len(given) != 1 or usable[whole.id].detail.approximate:
        return False
    if len(amounts) < FEWEST_PARTS or any(one.value < 0 for one in amounts):
        return False
    limit, *added = with_one_unit([*given, *amounts])
    if any(one.unit != limit.unit for one in added):
        return False
    rounded = sum(0.5 for one in added if one.value == int(one.value))  # half a unit for each whole figure
    return sum(one.value for one in added) > limit.value + _SAME_SHARE * abs(limit.value) + rounded


def _listed_parts(plan: Plan, usable: Mapping[str, Outcome]) -> Iterator[_Parts]:
    """Tasks that run over a list of parts."""
    for task in plan.tasks:
        source = REFERENCE.fullmatch(task.for_each.strip()) if task.for_each else None
        if source is None or task.id not in usable or source[1] not in usable or source[1] not in plan.ids:
            continue
        listing = plan.task(source[1])
        if not _PARTS.search(listing.description) or not isinstance(usable[task.id].value, list):
            continue
        of_whole = _topic(listing, _LISTS.sub(" ", _PARTS.sub(" ", listing.description)))
        if of_whole:
            yield _Parts((task,), of_whole | _topic(task), _relation(task))


def _added_parts(plan: Plan, usable: Mapping[str, Outcome]) -> Iterator[_Parts]:
    """Tasks whose values another adds up, and calls by the name of the whole or of its parts."""
    for task in plan.tasks:
        formula = task.args.get("expression")
        if not isinstance(formula, str) or not _SUM.fullmatch("".join(REFERENCE.sub("x", formula).split())):
            continue
        if all(name in usable and name in plan.ids for name in task.references):
            added = tuple(plan.task(name) for name in dict.fromkeys(task.references))
            yield _Parts(added, _topic(task, _PARTS.sub(" ", task.description)), _relation(task))


def _relation(task: Task) -> str:
    """What is asked of a thing: a relation of which a whole has as much as its parts, or how many; empty if another."""
    text, language = task.description.casefold(), _language(task)
    named = [name for name in _ADDITIVE if any(words.search(text) for words in relation_words(name, language))]
    return named[0] if len(named) == 1 else "count" if not named and _COUNTS.search(text) else ""


def _topic(task: Task, words: str = "") -> frozenset[str]:
    """What a task asks about; of other words than its own, these."""
    return find_topic(words or task.description, _relation(task), _language(task))


def _language(task: Task) -> Language:
    return task.frame.language if task.frame is not None else detect_language(task.description)
