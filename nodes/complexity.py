"""How much work a question deserves, judged by rules that anybody can read.

A question is turned into features, each 0 to 1, and the features into one score. Three kinds of them matter: whether
facts from outside are needed at all (small talk, writing help and questions about the assistant need none), whether
one look-up will do, and what makes it more than one: comparing, calculating, several steps, several things, or a
chain, where the question for one look-up is only known after another.

The features and the weighted sum follow the Master of the AI Search Paradigm (arXiv 2506.17188); chain and listing are
added, and the sum is taken only as far as facts are needed.
"""

import re
import unicodedata
from typing import Final

from nodes import chat_cues_en, cues_en, cues_zh
from state.assessment import Level
from text.language import HAN, detect_language, word_count
from text.names import names
from text.patterns import lazy

SIMPLE_BELOW: Final = 0.3
COMPLEX_FROM: Final = 0.7

ONE_FACT: Final = 0.42
"""The score of a question that needs one fact and shows nothing else."""

WEIGHTS: Final = {
    "length": 0.12,
    "question_words": 0.04,
    "entities": 0.1,
    "comparison": 0.3,
    "calculation": 0.3,
    "multi_step": 0.3,
    "chain": 0.3,
    "listing": 0.3,
}
"""What each feature adds to `ONE_FACT`.

Calibrated on tests/data/questions.jsonl: a single clear sign of more than one look-up crosses 0.7 alone, and length,
question words and entities together stay below it, so that a long or name-laden question for one fact is moderate.
`python benchmarks/complexity.py` prints what they achieve there. The patterns were corrected on the same file, so that
figure is no forecast: batches of questions written after a correction and before the next got 86 to 94 of 100 right.
No weight is negative: more signs never lower the score.
"""

_READ: Final = 1200
_HAN_BLANK: Final = lazy(rf"(?<=[{HAN}]) (?=[{HAN}\d])|(?<=\d) (?=[{HAN}])")
_PIECES: Final = lazy(r"[^,.!?;~…。、\n]+")
_NO_SPEECH: Final = lazy(rf"[^\w\s{HAN},.!?;:'\"()<>《》“”‘’、。%$€£¥+*/^=×÷·#&@…~-]")
_TITLED: Final = lazy(r"[\"“《「『]N[\"”》」』]")
_ROLE: Final = lazy(
    r"(President|King|Queen|Emperor|Prime Minister|Chancellor|Mayor|Governor|Prince|Duke|Pope) of (?:the )?"
)
_QUESTION_WORDS: Final = lazy(
    r"\b(?:who|whom|whose|what|when|where|which|why|how)\b|谁|什么|哪|何时|多少|几|怎么|怎样|如何|为什么|多大|多高|多长|多久|吗|是否"
)


def static_features(question: str) -> dict[str, float]:
    """Read off a question what tells how much work it takes.

    Args:
        question: The question, in English or Chinese, as typed; of a very long one only the beginning is read.

    Returns:
        Features by name, each 0 to 1: those of `WEIGHTS`, what needs no facts (`small_talk`, `writing_help`,
        `about_assistant`, `coding`), what needs them for certain (`freshness`, `local`, `arithmetic`), and `facts`,
        how far the question needs facts at all.
    """
    plain = " ".join(unicodedata.normalize("NFKC", question[: 4 * _READ]).split())[:_READ]
    plain = _HAN_BLANK.sub("", _NO_SPEECH.sub(" ", plain).replace("’", "'")).strip()
    said, greeted = _without_small_talk(plain)
    core = _without_wrapper(said)
    chinese = detect_language(core) == "zh"
    marked, named = _marked(core)
    found = _signs(core.casefold(), marked, chinese=chinese)
    found |= _chat(said, core, marked)
    found["small_talk"] = float(greeted and not core)
    found["length"] = min(1.0, word_count(core) / 50)
    found["question_words"] = min(1.0, len(set(_QUESTION_WORDS.findall(core.casefold()))) / 3)
    found["entities"] = min(1.0, named / 5)
    no_facts = max(found[name] for name in ("small_talk", "writing_help", "about_assistant", "coding"))
    needs = bool(re.search(r"\w", core)) and not no_facts
    found["facts"] = float(needs)
    if not needs:
        found["freshness"] = found["local"] = 0.0
    return dict(sorted(found.items()))


def static_score(features: dict[str, float]) -> float:
    """Weigh features into one score.

    Args:
        features: As returned by `static_features`; a missing one counts as 0.

    Returns:
        Complexity, 0 to 1, never below `floor(features)`.
    """
    weighed = ONE_FACT + sum(weight * features.get(name, 0.0) for name, weight in WEIGHTS.items())
    return max(floor(features), min(1.0, features.get("facts", 0.0) * weighed))


def floor(features: dict[str, float]) -> float:
    """The least score that hard facts allow, whatever a model says: fresh and local facts must be looked up.

    Args:
        features: As returned by `static_features`.

    Returns:
        The threshold of `moderate`, or 0.
    """
    return SIMPLE_BELOW if max(features.get("freshness", 0.0), features.get("local", 0.0)) >= 0.5 else 0.0


def level_of(score: float) -> Level:
    """Name a score.

    Args:
        score: Complexity, 0 to 1.

    Returns:
        `simple` below 0.3, `moderate` below 0.7, else `complex`.
    """
    if score < SIMPLE_BELOW:
        return "simple"
    return "moderate" if score < COMPLEX_FROM else "complex"


def _signs(lower: str, marked: str, *, chinese: bool) -> dict[str, float]:
    """Signs of more than one look-up, and of facts that must be fresh or local."""
    cues = cues_zh if chinese else cues_en
    arithmetic = bool(cues_en.ARITHMETIC.search(lower) or cues_zh.ARITHMETIC.search(lower))
    fresh = any(found.search(lower) for found in (chat_cues_en.STRONG_FRESH, cues_zh.STRONG_FRESH))
    soon = any(found.search(lower) for found in (chat_cues_en.WEAK_FRESH, cues_zh.WEAK_FRESH))
    only_numbers = arithmetic and "N" not in marked
    return {
        "comparison": float(bool(cues.COMPARISON.search(marked)) and not only_numbers),
        "calculation": float(bool(cues.CALCULATION.search(marked)) and not only_numbers),
        "multi_step": float(bool(cues.MULTI_STEP.search(marked)) and not only_numbers),
        "listing": float(bool(cues.LISTING.search(marked))),
        "chain": cues.chain(marked),
        "arithmetic": float(arithmetic),
        "freshness": 1.0 if fresh else 0.7 if soon else 0.0,
        "local": float(any(found.search(lower) for found in (chat_cues_en.LOCAL, cues_zh.LOCAL))),
    }


def _chat(said: str, core: str, marked: str) -> dict[str, float]:
    """What can be answered without facts; news and what only our documents know lift it out of here."""
    task = re.split(r"[:\n]", core, maxsplit=1)[0].casefold()
    forms = {said.casefold(), core.casefold(), _without_wrapper(said, full=False).casefold()}
    in_documents = any(found.search(task) for found in (chat_cues_en.WRITING_LOCAL, cues_zh.WRITING_LOCAL))
    hard = in_documents or any(found.search(task) for found in (chat_cues_en.STRONG_FRESH, cues_zh.STRONG_FRESH))
    about = any(
        found.search(form.strip(" ?.!,"))
        for form in forms
        for found in (chat_cues_en.ABOUT_ASSISTANT, cues_zh.ABOUT_ASSISTANT)
    )
    writing = any(found.search(form) for form in forms for found in (chat_cues_en.WRITING, cues_zh.WRITING))
    reports = chat_cues_en.asks_for_facts(marked.split(":", 1)[0]) or bool(cues_zh.FACTS.search(task))
    coding = any(found.search(form) for form in forms for found in (chat_cues_en.CODING, cues_zh.CODING))
    return {
        "about_assistant": float(about and not hard),
        "writing_help": float(writing and not hard and not reports),
        "coding": float(coding and not hard),
    }


def _without_small_talk(text: str) -> tuple[str, bool]:
    """The text from its first piece on that is more than a greeting, and whether there was a greeting."""
    greeted = False
    for piece in _PIECES.finditer(text):
        said = piece.group().strip().casefold()
        if said and not (
            chat_cues_en.SMALL_TALK.fullmatch(said) or cues_zh.SMALL_TALK.fullmatch(said.replace(" ", ""))
        ):
            return text[piece.start() :].strip(), greeted
        greeted = greeted or bool(said)
    return "", greeted


def _without_wrapper(text: str, *, full: bool = True) -> str:
    """The question inside "Could you tell me …" and 请问…."""
    rest = text
    for wrapper in (chat_cues_en.WRAPPER, cues_zh.WRAPPER) if full else (chat_cues_en.POLITE, cues_zh.POLITE):
        found = wrapper.match(rest.casefold())
        if found and len(rest.casefold()) == len(rest) and re.search(r"\w", rest[found.end() :]):
            rest = rest[found.end() :]
    return rest.strip()


def _marked(core: str) -> tuple[str, int]:
    """The question in lower case with `N` for each name, and how many names there were."""
    parts: list[str] = []
    position = 0
    found = names(core)
    for name in found:
        role = _ROLE.match(name.text)
        start = name.start + (role.end() if role and role.end() < len(name.text) else 0)
        parts += [core[position:start].casefold(), "N"]
        position = name.end
    return _TITLED.sub("N", "".join([*parts, core[position:].casefold()])), len(found)
