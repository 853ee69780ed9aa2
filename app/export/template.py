"""A template filled from a result. Each slot gets claims of a ledger part, or the reason for a gap."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from weiwo.state.kinds import recorded_language
from weiwo.text.localization import localized_section
from weiwo.text.printable import one_line
from weiwo.text.terms import terms
from weiwo.tools.template import Slot, Template

_WORDS: Final = localized_section("export.template")


def fill_template(template: Template, result: Mapping[str, Any]) -> dict[str, Any]:
    """Return a result with the filled template as answer.

    Args:
        template: The template that the question was asked with.
        result: The result object, as `app/result.schema.json` says.

    Returns:
        The result for exporters: `answer` is replaced, and fields with offsets into the former answer are left out.
    """
    language = recorded_language(result.get("language"))
    words = _WORDS[language]
    claims, parts = list(result.get("claims") or ()), list(result.get("parts") or ())
    filled, told = template.body, set[int]()
    placed = _place_claims(template.slots, parts, [str(claim.get("text") or "") for claim in claims], language)
    for number, slot in enumerate(template.slots):
        part = parts[number] if number < len(parts) else {}
        told.update(placed[number])
        text = " ".join(_cite(claims[place]) for place in placed[number])
        text = text or _show_passage(slot.text, result.get("extracts") or (), language)
        text = text or words["open"].format(one_line(str(part.get("cause") or ""), 200) or words["not_found"])
        filled = filled.replace(f"{{{{{number}}}}}", text)
    rest = [_cite(claim) for place, claim in enumerate(claims) if place not in told]
    if rest:
        filled += f"\n\n## {words['more']}\n\n" + "\n".join(f"- {line}" for line in rest)
    day = str(result.get("thread_id") or "")[:8]
    date = f"{day[:4]}-{day[4:6]}-{day[6:]}" if day.isdecimal() and len(day) == 8 else ""
    filled = filled.replace("{{question}}", one_line(str(result.get("question") or ""), 400)).replace("{{date}}", date)
    kept = {name: value for name, value in result.items() if name not in {"blocks", "marks", "extracts"}}
    return {**kept, "answer": filled}


def _cite(claim: Mapping[str, Any]) -> str:
    """Return a claim with citation marks before the final punctuation: "Rome is old." as "Rome is old [1].".

    Marks that the text has already are not repeated.
    """
    text, numbers = str(claim.get("text") or "").strip(), claim.get("citations") or ()
    marks = "".join(f"[{n}]" for n in numbers if f"[{n}]" not in text)
    body = text.rstrip(".!?。！？")
    return f"{body} {marks}{text[len(body) :]}" if marks else text


def _place_claims(
    slots: Sequence[Slot], parts: Sequence[Mapping[str, Any]], claims: Sequence[str], language: str
) -> list[list[int]]:
    """Return for each slot of the template the positions of its claims.

    A claim belongs to the slots whose part of the question it answers. Among several, it goes to the slot with most of
    its words in common, counting only words that no other slot has. A slot that is left without claims repeats those of
    its part, since a sentence may answer two slots.

    Args:
        slots: The slots.
        parts: The parts of the question, in the order of the slots.
        claims: The texts of the claims.
        language: The language of the answer.
    """
    listed = [
        [place for place in part.get("claims") or () if place < len(claims)]
        for part in (*parts[: len(slots)], *({} for _ in slots[len(parts) :]))
    ]
    words = [frozenset(terms(f"{slot.heading} {slot.text}", language)) for slot in slots]
    own = [mine - frozenset().union(*words[:n], *words[n + 1 :]) for n, mine in enumerate(words)]
    placed: list[list[int]] = [[] for _ in slots]
    for place, claim in enumerate(claims):
        said = frozenset(terms(claim, language))
        wanting = [n for n, places in enumerate(listed) if place in places]
        if wanting:
            placed[max(wanting, key=lambda n: len(own[n] & said))].append(place)
    return [mine or places for mine, places in zip(placed, listed, strict=True)]


def _show_passage(asked: str, extracts: Sequence[Mapping[str, Any]], language: str) -> str:
    """Return the highlighted sentence that shares most words with a slot, as a Markdown quotation with its number.

    Returns an empty string if no sentence shares a word.
    """
    wanted = terms(asked, language)
    best, most = "", 0
    for extract in extracts:
        for start, end in extract.get("highlights") or ():
            sentence = str(extract.get("text") or "")[start:end]
            shared = len(frozenset(wanted) & frozenset(terms(sentence, language)))
            if shared > most:
                best, most = f"> {' '.join(sentence.split())} [{extract.get('n')}]", shared
    return best
