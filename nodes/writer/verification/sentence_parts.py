"""Parts of a sentence that state something by themselves, for comparison with a claim.

"Acme was built in 1900 and was sold in 1950; it closed in 1960" has the parts "Acme was sold in 1950" and "Acme closed
in 1960". A pronoun at the beginning of a part is replaced by the name that it stands for. A part is left out if the
rest of the sentence may change its meaning, for example by a denial or a condition.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Final

from weiwo.nodes.writer.verification.particulars import stated_names
from weiwo.text.data_files import data_words
from weiwo.text.language import fold
from weiwo.text.patterns import lazy
from weiwo.text.terms import stem

_CLAUSES: Final = lazy(r";\s+")
_CLAIM_CLAUSES: Final = lazy(r"[;:]\s+|,? (?:while|whereas) ")
_APPOSITION: Final = lazy(r", (?:an?|the) ")
_ADJUNCT: Final = lazy(r" (?:since|after|before|during) the (?:first|second|third|next|last) [a-z]+\.?$")
_PREDICATE: Final = lazy(r",? and (?=(?:is|are|was|were|has|have|had) )")
_PRONOUN: Final = lazy(r"(?i)(?:it|he|she|they)\s+")
_POSSESSIVE: Final = lazy(r"(?i)(?:its|his|her|their)\s+")
_WORD: Final = lazy(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_SUBJECT: Final = lazy(r"(?:(?:The|the|An?|an?) )?(?:[a-z-]+ ){0,2}[*_“\"]*$")
"""Text between the beginning of a sentence and the name that is its subject."""
_COMMON_SUBJECT: Final = lazy(r"(?:The|This) [a-z-]+(?= )")


def list_parts(sentence: str, previous: str) -> Sequence[str]:
    """List the parts of a sentence that state something by themselves, without the sentence itself.

    Empty if there are none, or if words of the rest, such as "not" or "if", may change the meaning of each.

    Args:
        sentence: A sentence of a source.
        previous: The sentence before it, which may name its subject. Empty if it is the first.
    """
    found: list[str] = []
    before = previous
    clauses = _CLAUSES.split(sentence)
    for number, clause in enumerate(clauses):
        before = resolved = _resolve(clause, before)
        rest = " ".join((*clauses[:number], *clauses[number + 1 :]))
        for part, left in ((resolved, ""), *_shorter(resolved)):
            if part != sentence and not may_qualify([fold(word) for word in _WORD.findall(f"{rest} {left}")]):
                found.append(part)
    return list(dict.fromkeys(found))


def list_claim_parts(claim: str) -> Sequence[str]:
    """List the clauses of a claim, with pronouns replaced by the subject of the first clause.

    "Acme was built in 1900; it closed in 1960" gives "Acme was built in 1900" and "Acme closed in 1960". Empty if the
    claim is a single clause, or if any clause names nothing.
    """
    clauses = [clause.strip() for clause in _CLAIM_CLAUSES.split(claim)]
    resolved = [clauses[0], *(_resolve(clause, clauses[0]) for clause in clauses[1:])]
    return resolved if len(resolved) > 1 and all(stated_names(clause) for clause in resolved) else ()


def _shorter(clause: str) -> Iterator[tuple[str, str]]:
    """Yield shorter forms of a clause, each with the text left out.

    The forms are the text before ", a …" or ", the …", the clause without a time such as " after the second war" at its
    end, and the subject with only the second predicate: "Acme was sold" for "Acme was built and was sold".
    """
    heads = [(clause, "")]
    for found in filter(None, (_APPOSITION.search(clause), _ADJUNCT.search(clause))):
        heads.append((clause[: found.start()], clause[found.start() :]))
        yield heads[-1]
    for head, left in heads:
        subject, cut = _leading_subject(head), _PREDICATE.search(head)
        if subject and cut is not None:
            yield f"{subject} {head[cut.end() :]}", left + head[len(subject) : cut.start()]


def _resolve(clause: str, before: str) -> str:
    """Replace a pronoun at the beginning of a clause by the only name that begins the clause before.

    "It closed" after "Acme was built" becomes "Acme closed", "its mill" becomes "Acme's mill". Without pronoun or such
    a name, the clause is returned unchanged.
    """
    subject = _sole_name(before)
    if (found := _PRONOUN.match(clause)) is not None and subject:
        return f"{subject} {clause[found.end() :]}"
    if (found := _POSSESSIVE.match(clause)) is not None and subject:
        return f"{subject}'s {clause[found.end() :]}"
    return clause


def _sole_name(sentence: str) -> str:
    """Return the name that is the subject at the beginning of a sentence, if the sentence has no other name, else ""."""
    named = list(stated_names(sentence))
    if len({name for _, name in named}) != 1:
        return ""
    start, name = named[0]
    after = sentence[start + len(name) : start + len(name) + 2]
    return name if _SUBJECT.fullmatch(sentence[:start]) and not after.startswith(("'", "’")) else ""


def _leading_subject(clause: str) -> str:
    """Return the subject at the beginning of a clause, as "The old Acme", or "The mill" without a name, else ""."""
    start, name = next(iter(stated_names(clause)), (0, ""))
    if name and _SUBJECT.fullmatch(clause[:start]):
        return clause[: start + len(name)]
    common = _COMMON_SUBJECT.match(clause)
    return common[0] if common is not None else ""


def may_qualify(words: Iterable[str]) -> bool:
    """Report whether any of the folded words, like "not" or "nearly", may change the meaning of words beside it."""
    return bool(find_scope_words(words, counting=False))


def find_scope_words(words: Iterable[str], *, counting: bool = True) -> set[str]:
    """Return those of the words that limit a statement, in any form: planned, nearly, claims, former, second.

    Args:
        words: Folded words.
        counting: Whether words that only count or order, such as "second", are returned as well.
    """
    forms = _scope_forms(counting=counting)
    return {word for word in words if word in forms or stem(word) in forms}


@cache
def _scope_forms(*, counting: bool) -> frozenset[str]:
    """Return the limiting words and their stems, without those that only count or order unless `counting`."""
    words = data_words("claims", "scope") - (frozenset() if counting else data_words("claims", "counting_scope"))
    return words.union(map(stem, words))
