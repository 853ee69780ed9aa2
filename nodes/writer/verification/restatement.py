"""Restatements: claims equal to a source sentence, so no judgement by a model is needed.

For a claim that is merely `matched`, a model judges who does what to whom. No judgement is needed if the claim's words,
figures and names are those of one sentence, in the same order, and if nothing between them was left out that could
change the meaning: a word of scope, a denial, a direction ("by", "from"), another name. In a different order the names
have to stand in the same slots (`argument_slots`), with no other name or value beside them.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final

from weiwo.nodes.writer.verification.argument_slots import Slots, find_slots, is_one_relation, is_timeless
from weiwo.nodes.writer.verification.clauses import Clause, strip_lead
from weiwo.nodes.writer.verification.grounds import Grounds, collect_grounds
from weiwo.nodes.writer.verification.particulars import is_han, name_words, stated_names
from weiwo.nodes.writer.verification.quantities import Quantity, find_quantities
from weiwo.nodes.writer.verification.sentence_parts import (
    find_scope_words,
    list_claim_parts,
    list_parts,
    may_qualify,
)
from weiwo.nodes.writer.verification.source import ParsedSource
from weiwo.state import Evidence
from weiwo.text.data_files import data_pattern, data_words
from weiwo.text.dates import find_dates
from weiwo.text.language import fold
from weiwo.text.patterns import lazy
from weiwo.text.relations import quantity_words, relation_words
from weiwo.text.terms import FUNCTION_WORDS, stem

_LEAST: Final = 2
"""Fewest content words of a claim, including figures."""
_MOST_SENTENCES: Final = 60
_AUXILIARIES: Final = frozenset({"is", "are", "has", "have", "was", "were", "had"})
_TOKEN: Final = lazy(r"[^\W\d_]+(?:['’.-][^\W\d_]+)*|\d+(?:[.,:]\d+)*")
_ASKS: Final = lazy(r"(?i)^(?:(?:in|on|at) )?(?:which|what) (?:year|date|day|month) |^when ")
_PARTS: Final = lazy(r"[,;]\s")
_MOST_PARTS: Final = 8
_GIVEN_BY_VALUES: Final = frozenset({"year", "date", "day", "took", "takes", "place"})
"""Words that a date implies: "took place in the year 1302" says no more than "in 1302"."""
_HAN_PARTS: Final = lazy(r"[，；,;]")
_HAN_ASIDE: Final = lazy(r"（[^（）]{1,40}）")
_HAN_DATE: Final = lazy(r"\d{4}年(?:\d{1,2}月)?(?:\d{1,2}日)?")
_HAN_PARTICLES: Final = lazy(r"[的了是为于在\s。“”]")
_LEAST_HAN: Final = 6
"""Characters that a Chinese claim has at least."""
_ASIDE: Final = lazy(r"\s?\(([^()]{1,60})\)")
_GOES_BACK: Final = data_pattern("claims", "goes_back")
_OFFICE: Final = data_pattern("claims", "office")
_KIND: Final = lazy(r"(?:The )?(?P<name>[A-Z][\w' -]{1,60}?) (?:is|was) an? (?P<kind>[a-z-]+) (?:on|in|at|of|by) ")


def is_restated(statement: str, grounds: Grounds) -> bool:
    """Report whether a sentence of the sources says the same as a statement, in English or in Chinese.

    "Acme was founded by Tom Roe in 1900." is said by "Acme was founded in 1900 by Tom Roe.". The clauses of an English
    statement may be said by different sentences.

    Args:
        statement: A claim without marks that passed the checks by code.
        grounds: The contents of the sources that it cites.
    """
    claim = _normalize(strip_lead(statement))
    if not claim.isprintable():
        return False
    parts = () if is_han(claim) else list_claim_parts(claim)
    return _is_said(claim, grounds) or (bool(parts) and all(_is_said(part, grounds) for part in parts))


def _is_said(claim: str, grounds: Grounds) -> bool:
    """Report whether a sentence of the sources, or a part of a sentence, says a claim of one clause.

    False for an English claim with fewer than two content words.
    """
    if is_han(claim):
        sentences = [
            sentence.text
            for source in grounds.sources
            for sentence in source.sentences[:_MOST_SENTENCES]
            if not sentence.head
        ]
        return any(_says_in_han(claim, sentence) for sentence in sentences)
    said = _tokens(claim)
    if len([token for token in said if _tells(token)]) < _LEAST:
        return False
    return any(
        _says(claim, said, sentence, source) or _says_in_slots(claim, said, sentence, source)
        for source in grounds.sources
        if source.language == "en"
        for sentence in _list_sentences(source)
    )


def _normalize(text: str) -> str:
    """Rewrite two phrases: "goes back to 1302" as "was founded in 1302", "is mayor of" as "is the mayor of"."""
    return _OFFICE.sub(r"\1 the \2 of ", _GOES_BACK.sub("was founded in", text))


@lru_cache(maxsize=128)
def _list_sentences(source: ParsedSource) -> Sequence[str]:
    """List the sentences of a source and their parts (`sentence_parts.list_parts`), without table rows."""
    texts = [_normalize(item.text) for item in source.sentences[:_MOST_SENTENCES] if not item.head]
    parts = (list_parts(text, before) for before, text in zip(["", *texts], texts, strict=False))
    return [*texts, *(part for found in parts for part in found)]


def is_answered(question: str, value: str, passages: Sequence[Evidence]) -> bool:
    """Report whether a sentence of the passages gives a value as the answer to a question for a date.

    "When was Acme founded?" and "1900" are answered by "Acme was founded in 1900". Always False for a question that
    does not begin like "When" or "In which year".
    """
    statement = f"{_ASKS.sub('', question).rstrip(' ?？')} {value}"
    return bool(_ASKS.match(question)) and is_restated(statement, collect_grounds(passages))


def _says_in_han(claim: str, sentence: str) -> bool:
    """Report whether parts of a Chinese sentence equal a claim.

    Particles, a single aside and the position of the date may differ. The claim "2023年甲公司的营收是9亿元" is supported by
    "甲公司（上市公司）2023年营收为9亿元，增长一成".
    """
    said = _split_dates(claim)
    parts = [part for part in _HAN_PARTS.split(_HAN_ASIDE.sub("", sentence)) if part][:_MOST_PARTS]
    around = zip(parts, parts[2:], strict=False)
    texts = [*parts, *("".join(pair) for pair in (*pairwise(parts), *around))]
    return len(said[1]) >= _LEAST_HAN and any(_split_dates(text) == said for text in texts)


def _split_dates(text: str) -> tuple[frozenset[str], str]:
    """Return the dates of a Chinese text, and the other characters without particles, blanks and quotation marks."""
    dates = frozenset(_HAN_DATE.findall(text))
    return dates, _HAN_PARTICLES.sub("", _HAN_DATE.sub("", text))


def _says(claim: str, said: Sequence[str], sentence: str, source: ParsedSource) -> bool:
    """Report whether a sentence has the words of a claim in the same order, and no other content word between them.

    Denials, limiting words ("nearly") and tenses must be the same. A single measure (`_says_measure`) needs no order.

    Args:
        claim: The claim.
        said: The tokens of the claim.
        sentence: A sentence of the source, or a part of one.
        source: The source. Its title may name the subject.
    """
    told = _tokens(_ASIDE.sub(_without_conversion, sentence))
    if _negations(claim) != _negations(sentence) or find_scope_words(said) != find_scope_words(told):
        return False
    if _tenses(said).isdisjoint(_tenses(told)) and _tenses(said) and _tenses(told):
        return False
    wanted = _without_subject(claim, said, sentence, source)
    if wanted is None:
        return False
    if _says_measure(claim, wanted, told, sentence):
        return True
    places: list[int] = []
    for token in wanted:
        place = next((at for at in range(places[-1] + 1 if places else 0, len(told)) if _same(token, told[at])), None)
        if place is None:
            return False
        places.append(place)
    between = [told[at] for at in range(places[0], places[-1]) if at not in places] if places else []
    return bool(places) and not any(_tells(token) or token in _directions() for token in between)


def _says_in_slots(claim: str, said: Sequence[str], sentence: str, source: ParsedSource) -> bool:
    """Report whether part of a sentence has the words of a claim in any order, and its names in the same slots.

    "Acme was bought by Bolt" is said by "In 1900 Bolt bought Acme". The denials, limiting words and tenses must be the
    same, and between the words shared with the claim there may be no other name, value or content word.

    Args:
        claim: The claim.
        said: The tokens of the claim.
        sentence: A sentence of the source, or a part of one.
        source: The source. Its title may name the subject.
    """
    own = [name for _, name in _names(claim) if fold(name) in fold(sentence)]
    its = next(find_slots(claim, own), None)
    if its is None or "than" in said:  # what is compared has no slots
        return False

    def same(word: str, token: str) -> bool:
        related = word == its.relation and is_one_relation(word, token)
        return related or _same(word, token)

    wanted = _without_subject(claim, said, sentence, source)
    if wanted is None:
        return False
    idle = _GIVEN_BY_VALUES | _places() | _kind_told(claim, sentence, source)
    words = [token for token in wanted if _tells(token) and token not in idle]
    part = _shortest_part(sentence, words, same) if words else ""
    told = _tokens(_ASIDE.sub("", part))
    if may_qualify(set(_tokens(sentence)).difference(told)):
        return False
    if not part or _negations(claim) != _negations(part) or find_scope_words(said) != find_scope_words(told):
        return False
    if not is_timeless(its.relation) and _tenses(said).isdisjoint(_tenses(told)) and _tenses(said) and _tenses(told):
        return False
    ours = (said, words, its)
    return any(
        _slots(theirs, told) == _slots(its, told) and _agrees_in_slots(ours, told, theirs, same)
        for theirs in find_slots(part, own, lambda word: same(its.relation, word))
    )


def _slots(found: Slots, told: Sequence[str]) -> Mapping[str, str]:
    """Return the slots of the names of a statement.

    If the statement says where something lies, "at" and the subject are both called "equal", as for "the river at
    Orla".

    Args:
        found: The slots.
        told: The tokens of the sentence part, which tell whether something lies somewhere.
    """
    if _places().isdisjoint(told):
        return found.of_names
    return {name: "equal" if slot in {"at", "subject"} else slot for name, slot in found.of_names.items()}


def _agrees_in_slots(
    claim: tuple[Sequence[str], Sequence[str], Slots],
    told: Sequence[str],
    theirs: Slots,
    same: Callable[[str, str], bool],
) -> bool:
    """Report whether a sentence part with the slots of a claim has no further content words between those of the claim.

    A value must follow the same direction word ("by", "since") in both. False also if only the part has an object: "the
    mill opened the school" does not say "the mill opened".

    Args:
        claim: The tokens, the content words and the slots of the claim.
        told: The tokens of the part.
        theirs: The slots of the part.
        same: Reports whether a word of the claim equals a token of the part.
    """
    said, words, its = claim
    if theirs.has_object and not (its.has_object or its.passive or "object" in its.of_names.values()):
        return False  # the mill opened; the mill opened the school
    places = [at for at, token in enumerate(told) if any(same(word, token) for word in words)]
    if its.passive and not its.by_agent and not theirs.passive:  # who does it may be left out
        places = [at for at in places if theirs.relation not in told or at >= told.index(theirs.relation)]
    if not places:
        return False
    between = [told[at] for at in range(places[0], places[-1]) if at not in places]
    if not _places().isdisjoint(said) and (_places() | _AUXILIARIES).isdisjoint(between):
        return False  # "Orla and the Ysk" does not say where Orla lies
    led, there = _led_values(said), _led_values(told)
    extra = [token for token in between if _tells(token) and token not in _places()]
    return all(there[value] == led.get(value, "") for value in there if value in led) and not extra


def _kind_told(claim: str, sentence: str, source: ParsedSource) -> frozenset[str]:
    """Return the words for the kind of thing that a claim calls its subject, if another sentence of the source says so.

    For "Orla is a town on the Ysk", this is {"town"} if a sentence says "Orla is a town in Wales": the sentence that is
    compared need not say "town". Empty otherwise.
    """
    found = _KIND.match(claim)
    if found is None or fold(found["kind"]) in fold(sentence):
        return frozenset()
    says = re.compile(
        rf"^(?:the )?{re.escape(fold(found['name']))},? (?:is |was )?an? [^,;]*\b{re.escape(fold(found['kind']))}\b"
    )
    told = any(says.match(fold(item.text)) for item in source.sentences[:_MOST_SENTENCES])
    return frozenset(_tokens(found["kind"])) if told else frozenset()


def _shortest_part(sentence: str, words: Sequence[str], same: Callable[[str, str], bool]) -> str:
    """Return the shortest run of comma-separated parts of a sentence that has all words, or an empty string.

    A part in the middle that has none of the words is left out: "Orla, a market town, lies on the Ysk" gives "Orla,
    lies on the Ysk". Two such parts in a row give an empty string, because it is unclear which of them the rest refers
    to.

    Args:
        sentence: The sentence.
        words: The words to find.
        same: Reports whether a word equals a token of the sentence.
    """
    parts = [part for part in _PARTS.split(sentence) if part.strip()][:_MOST_PARTS]
    met = [{word for word in words for token in _tokens(part) if same(word, token)} for part in parts]
    runs = sorted((end - start, start, end) for start in range(len(parts)) for end in range(start + 1, len(parts) + 1))
    for _, start, end in runs:
        if set(words) <= set().union(*met[start:end]):
            idle = [at for at in range(start, end) if not met[at]]
            if any(at + 1 in idle for at in idle):  # an aside within an aside: whose is what follows?
                return ""
            return ", ".join(parts[at] for at in range(start, end) if at not in idle)
    return ""


def _led_values(tokens: Sequence[str]) -> dict[str, str]:
    """Map each figure or date among tokens to the direction word directly before it ("by", "since"), or to "".

    "Since 1900" gives {"@1900": "since"}. Words such as "in", "on", "at" and "of" give "".
    """
    pairs = zip(["", *tokens], tokens, strict=False)
    led = _directions() - {"of"}
    return {token: before if before in led else "" for before, token in pairs if token[0] in "#@"}


def _says_measure(claim: str, wanted: Sequence[str], told: Sequence[str], sentence: str) -> bool:
    """Report whether a claim gives a single measure of a thing, and a sentence states it.

    "The tower is 828 m high" is stated by "The height of the tower is 828 m". The claim must have one figure, words of
    a single relation such as its height or founding, and at most one name besides. The sentence must have no different
    figure of the same kind.

    Args:
        claim: The claim.
        wanted: The tokens of the claim that the sentence has to contain.
        told: The tokens of the sentence.
        sentence: The sentence.
    """
    named = {stem(word) for _, name in _names(claim)[:1] for word in name_words(name)}
    figures = [token for token in wanted if token[0] in "#@"]
    words = [token for token in wanted if token[0] not in "#@" and _tells(token) and stem(token) not in named]
    if len(figures) != 1 or not words:
        return False
    relation = frozenset.intersection(*map(_relation, words))
    kind = figures[0].partition(" ")[2]
    rivals = [t for t in told if t[0] == figures[0][0] and t.partition(" ")[2] == kind and not _same(figures[0], t)]
    stated = any(_same(figures[0], token) for token in told)
    if "founding" in relation and not _agree_on_founding(claim, sentence):
        return False
    return bool(relation) and stated and not rivals and any(relation & _relation(token) for token in told)


def _agree_on_founding(claim: str, sentence: str) -> bool:
    """Report whether the first name of a claim has the same slot of "found" in the claim and in a sentence.

    False for "Acme was founded in 1900" and "Acme founded Bolt in 1900". True if either has no such slots.
    """
    own = [name for _, name in _names(claim)[:1] if fold(name) in fold(sentence)]
    its, theirs = (
        next(find_slots(text, own, lambda word: "founding" in _relation(word)), None) for text in (claim, sentence)
    )
    return its is None or theirs is None or its.of_names == theirs.of_names


def _without_subject(claim: str, said: Sequence[str], sentence: str, source: ParsedSource) -> list[str] | None:
    """Return the tokens of a claim that a sentence has to contain: content words, figures and direction words.

    The name at the beginning of the claim is left out if the sentence names nothing of its own and the title has the
    name. None if claim and sentence have different subjects.
    """
    wanted = [token for token in said if _tells(token) or token in _directions()]
    first = next(iter(_names(claim)), None)
    if first is None or first[0] > len(claim) // 2 or fold(first[1]) in fold(sentence):
        return wanted
    own = [name for _, name in _names(sentence) if fold(name) not in fold(claim)]
    words = name_words(first[1])
    if own or not set(words) <= set(name_words(source.title)):
        return None
    subject = {stem(word) for word in words}
    return [token for token in wanted if stem(token) not in subject]


@lru_cache(maxsize=512)
def _names(text: str) -> Sequence[tuple[int, str]]:
    """Find the names in a text, with the position of each."""
    return tuple(stated_names(text))


@lru_cache(maxsize=512)
def _negations(text: str) -> int:
    return Clause(text).negations


@lru_cache(maxsize=512)
def _tokens(text: str) -> Sequence[str]:
    """Split a text into folded words, figures and dates.

    "Opened on 3 March 1900, about 828 metres tall" gives "opened", "on", "@1900-03-03", "about", "#~828 m", "tall". A
    figure is given in the base unit of its kind.
    """
    marks = [(span.start, span.end, f"@{span.date.iso()}") for span in find_dates(text) if span.until is None]
    taken = [(start, end) for start, end, _ in marks]
    marks += [
        (quantity.start, quantity.end, _format_quantity(quantity))
        for quantity in find_quantities(text)
        if not any(start < quantity.end and quantity.start < end for start, end in taken)
    ]
    found: list[str] = []
    position = 0
    for start, end, token in sorted(marks):
        found += [*_TOKEN.findall(fold(text[position:start])), token]
        position = end
    return [*found, *_TOKEN.findall(fold(text[position:]))]


def _format_quantity(quantity: Quantity) -> str:
    bound = {1: "≥", -1: "≤", 0: ""}[quantity.bound]
    return f"#{'~' if quantity.about else ''}{bound}{quantity.base:.9g} {quantity.kind}"


def _tells(token: str) -> bool:
    return token not in FUNCTION_WORDS and token not in _directions()


def _same(text: str, other: str) -> bool:
    """Report whether a token of a claim equals a token of a sentence.

    Words are equal with the same stem or relation ("founded", "established"), figures if they are the same. A date of
    the claim equals any date within it: "@1900" equals "@1900-03-03", but not the reverse.

    Args:
        text: The token of the claim.
        other: The token of the sentence.
    """
    if text[0] == "@":
        return other.startswith(text)
    if text[0] == "#" or other[0] in "#@" or not (_tells(text) and _tells(other)):
        return text == other
    return stem(text) == stem(other) or not _relation(text).isdisjoint(_relation(other))


def _relation(word: str) -> frozenset[str]:
    """Return the measures that a word names, as {"height"} for "tall", and "founding" for "founded" or "established".

    Empty for other words. Other relations are not compared, because a killing, for example, is also a death.
    """
    founding = relation_words().get(stem(word), frozenset()) & {"founding"}
    return quantity_words().get(stem(word), frozenset()) | founding


def _tenses(tokens: Sequence[str]) -> set[str]:
    """Return the tenses ("past", "present") of the forms of "be" and "have" among tokens. Empty if there are none."""
    return {"past" if token in {"was", "were", "had"} else "present" for token in tokens if token in _AUXILIARIES}


@cache
def _places() -> frozenset[str]:
    return data_words("claims", "places")


@cache
def _directions() -> frozenset[str]:
    return data_words("claims", "directions")


def _without_conversion(found: re.Match[str]) -> str:
    """Return the replacement for a text in brackets: "" if it has only a converted figure, as in "828 m (2,717 ft)".

    Any other text in brackets is returned unchanged, with the brackets.
    """
    aside = found[1]
    inside = find_quantities(aside)
    bare = aside
    for quantity in reversed(inside):
        bare = bare[: quantity.start] + bare[quantity.end :]
    return "" if inside and not re.search(r"\w", bare) else found[0]
