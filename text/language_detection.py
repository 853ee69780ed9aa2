"""Language detection by script and function words.

A script that one language writes decides by itself. Languages that share one are told apart by their function words,
which no sentence does without and no name is made of. A question may be too short to hold any ("Hafenmeister
Ostrel?"). The guess is then marked as not sure, and `resolve_language` takes better evidence (the conversation, the
documents).
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import Final, NamedTuple

from weiwo.state.kinds import Language
from weiwo.text.data_files import data_rows, data_words, read_data
from weiwo.text.patterns import HAN_RANGES, JOINED_RANGES, lazy

HAN_PER_WORD: Final = 1.6
"""Average number of Chinese characters per English word."""

_FILE: Final = "languages"
_LONGEST: Final = 4_000
"""Characters of a text that are examined."""
_LONGEST_QUESTION: Final = 400
"""Maximum characters of a text in which question and function words decide between English and Chinese."""
_FOREIGN_SHARE: Final = 0.2
"""Minimum share of a script's letters in a text for the text to be in a language of that script."""
_KANA_SHARE: Final = 0.1
"""Minimum number of kana per Han character in Japanese text."""
_FEWEST: Final = 2
"""Function words needed for a sure guess, if none of them is a question word."""
_LEAST_SHARE: Final = 0.08
"""Minimum share of function words among the words of a text for a sure guess."""
_RELATED: Final = 0.7
"""A text fits a language other than the guessed one if it scores at least this share of the guessed one's score."""
_OF_LETTERS: Final = 0.5
"""Weight of a letter of few languages, or of a function word of a single letter. Other function words weigh 1."""

_HAN: Final = lazy(f"[{HAN_RANGES}]")
_LETTER: Final = rf"(?:[^\W\d_{HAN_RANGES}]|[{JOINED_RANGES}])"
_WORD: Final = lazy(rf"(?<![\w{JOINED_RANGES}.@/\\]){_LETTER}+(?:['’-]{_LETTER}+)*(?![\d_])")
_COUNTED: Final = lazy(rf"[^\W_{HAN_RANGES}]+(?:['’.,-][^\W_{HAN_RANGES}]+)*")
_LATIN: Final = lazy("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")
_QUOTED: Final = lazy(
    r"《[^《》]{1,80}》|「[^「」]{1,80}」|“[^“”]{1,80}”|„[^„“]{1,80}“|«[^«»]{1,80}»|\"[^\"\n]{1,80}\""
)
_HIRAGANA: Final = lazy("[\u3041-\u3096]")
_ELISION: Final = lazy("^(?:[cdjlmnst]|qu|dell|nell|all|dall|sull)['’]", re.IGNORECASE)

# A name can be long in either script; the words a language asks and links with cannot be borrowed so easily.
_ENGLISH_FRAME: Final = lazy(
    r"\b(?:who|whom|whose|what|when|where|which|why|how|is|are|was|were|do|does|did|can|could|would|tell|please"
    r"|mean|means|explain|translate|about|compare|find|give|list|write|say)\b",
    re.IGNORECASE,
)
_CHINESE_FRAME: Final = lazy("[的是了吗呢谁哪几么怎在有和与请把被这那我你为何多]")


class LanguageGuess(NamedTuple):
    """A guess at the language of a text. `sure` is False if the text is too short to show its language."""

    language: Language
    sure: bool


def name_language(language: Language, reader: Language) -> str:
    """Return the name of a language for a person: "英语" for English if `reader` is Chinese, else "English".

    An unknown language is named by its tag.
    """
    row = next((names for tag, *names in data_rows(_FILE, "names") if tag == language), (language, language, language))
    return row[2] if reader == "zh" else row[0]


@cache
def language_name(language: Language) -> str:
    """Return the name of a language for a model, in English and in the language itself: "German (Deutsch)".

    An unknown language is named by its tag.
    """
    named = {tag: (english, own) for tag, english, own, _ in data_rows(_FILE, "names")}
    english, own = named.get(language, (language, language))
    return english if english == own else f"{english} ({own})"


@cache
def known_languages() -> tuple[Language, ...]:
    """Return the tags of all languages that have a name in the data file, like "en" and "zh"."""
    return tuple(tag for tag, *_ in data_rows(_FILE, "names"))


def detect_language(text: str) -> Language:
    """Detect the language of a text. The result is English if the text gives no indication."""
    return guess_language(text).language


def is_in_language(text: str, language: Language) -> bool:
    """Report whether a text can be in a language.

    True for the guessed language, for a related language with nearly as many function words, and for every language of
    the same script if the text is too short to tell ("Hafenmeister Ostrel?" can be German).
    """
    found = guess_language(text)
    if found.language == language:
        return True
    if _script_of(found.language) != _script_of(language):
        return False
    scores = _score_words(text[:_LONGEST], (found.language, language))
    told = scores[found.language]
    return not found.sure or told < _FEWEST or scores[language] >= _RELATED * told > 0


def resolve_language(text: str, *likely: Iterable[Language]) -> Language:
    """Return the language of a text, with the help of further evidence if the text is too short to tell.

    "Hafenmeister Ostrel?" with `["de"]` is German.

    Args:
        text: A question, mostly.
        likely: Languages of the context of the text, the best evidence first: the conversation, then the documents. A
            language not written in the script of the text is left out.

    Returns:
        The guessed language if the guess is sure, else the first of `likely` that fits, else the guessed language.
    """
    found = guess_language(text)
    if found.sure:
        return found.language
    script = _script_of(found.language)
    fitting = (language for languages in likely for language in languages if _script_of(language) == script)
    return next(fitting, found.language)


def guess_language(text: str) -> LanguageGuess:
    """Guess the language of a text: "Who wrote 《红楼梦》?" → English, sure.

    Text inside quotation marks and 《》 is left out first.

    Args:
        text: Any text, of which the first 4,000 characters count. Without a letter in it, it counts as English.
    """
    return _guess_language(unicodedata.normalize("NFKC", text[:_LONGEST]))


@lru_cache(maxsize=256)
def _guess_language(folded: str) -> LanguageGuess:
    """Guess the language of a normalized text of at most `_LONGEST` characters."""
    outside = _QUOTED.sub(" ", folded)
    if not (_HAN.search(outside) or _COUNTED.search(outside)):
        outside = folded
    if not outside.isascii() and (guess := _guess_by_script(outside)) is not None:
        return guess
    return LanguageGuess("zh", sure=True) if _is_chinese(outside) else _guess_latin(outside)


def _is_chinese(text: str) -> bool:
    """Report whether a text in Han characters and Latin letters is Chinese rather than in a Latin-script language.

    In a text of up to `_LONGEST_QUESTION` characters, function words decide if only one of English and Chinese has any.
    Otherwise the script with more words decides.
    """
    han = len(_HAN.findall(text))
    words = len(_COUNTED.findall(text))
    if not han or not words:
        return bool(han)
    english = bool(_ENGLISH_FRAME.search(text))
    chinese = bool(_CHINESE_FRAME.search(text))
    if english != chinese and len(text) <= _LONGEST_QUESTION:
        return chinese
    return han / HAN_PER_WORD > words


class _Script(NamedTuple):
    """A script other than Latin and Han."""

    letters: re.Pattern[str]
    language: Language  # assumed if no function word tells
    others: tuple[Language, ...]  # other languages of the script


@cache
def _scripts() -> tuple[_Script, ...]:
    rows = data_rows(_FILE, "scripts")
    return tuple(_Script(lazy(f"[{letters}]"), language, tuple(others.split())) for letters, language, others in rows)


@cache
def _script_of(language: Language) -> Language:
    """Return the language that stands for the script of a language: "en" for all in Latin script, "zh" for Chinese."""
    for script in _scripts():
        if language == script.language or language in script.others:
            return script.language
    return "zh" if language == "zh" else "en"


def _guess_by_script(text: str) -> LanguageGuess | None:
    """Guess the language of a text by letters that are neither Latin nor Han, or return None if they do not decide.

    They do not decide if there are none or few of them, as with a Greek name in an English text.
    """
    counted = [(len(script.letters.findall(text)), script) for script in _scripts()]
    count, script = max(counted, key=lambda pair: pair[0])
    if not count:
        return None
    if script.language == "ja":
        return LanguageGuess("ja", sure=True) if _is_japanese(text, count) else None
    latin = len(_LATIN.findall(text))
    scores = _score_words(text, (script.language, *script.others))
    best = max(scores, key=lambda language: scores[language])
    little = count < _FOREIGN_SHARE * (count + latin + len(_HAN.findall(text)))
    if little or (not scores[best] and latin and _guess_latin(text).sure):
        return None
    if not script.others:
        return LanguageGuess(script.language, sure=True)
    return LanguageGuess(best, sure=True) if scores[best] else LanguageGuess(script.language, sure=False)


def _is_japanese(text: str, kana: int) -> bool:
    """Report whether a text with kana is Japanese, and not Chinese or English with a Japanese name in it.

    `kana` is the number of kana in the text.
    """
    if kana < len(_LATIN.findall(text)) and _guess_latin(text).sure:
        return False
    chinese = len(_CHINESE_FRAME.findall(text))
    return kana > _KANA_SHARE * len(_HAN.findall(text)) and (not chinese or len(_HIRAGANA.findall(text)) > chinese)


def _guess_latin(text: str) -> LanguageGuess:
    """Guess the language of the Latin words in a text by counting function words and, for a tie, rare letters.

    The result is English, and not sure, if the text has too few function words of any language.
    """
    languages = tuple(tag for tag in known_languages() if _script_of(tag) == "en")
    scores = _score_words(text, languages)
    best = max(scores, key=lambda language: (scores[language], language == "en"))
    if best == "en" or scores[best] <= scores["en"]:
        return LanguageGuess("en", scores["en"] >= 1)
    words = _list_words(text)
    asking = read_data(_FILE)["asking"].get(best, "").split()
    asks = any(word in asking for word in words) and ("?" in text or (words[0] in asking and scores[best] > 1))
    enough = scores[best] >= max(_FEWEST, _LEAST_SHARE * len(words))
    return LanguageGuess(best, sure=True) if asks or enough else LanguageGuess("en", sure=False)


@cache
def _words_by_language() -> Mapping[str, frozenset[Language]]:
    """Return, for each function word, the languages that have it: "de" → Spanish, French and more."""
    found: dict[str, set[Language]] = {}
    for table in ("asking", "words"):
        for language, words in read_data(_FILE)[table].items():
            for word in words.split():
                found.setdefault(word, set()).add(language)
    for word in data_words("terms", "function_words"):
        found.setdefault(word, set()).add("en")
    return {word: frozenset(languages) for word, languages in found.items()}


def function_words(language: Language) -> frozenset[str]:
    """Return the function words of a language in lower case. The set is empty for Chinese and unknown languages."""
    data = read_data(_FILE)
    return frozenset(f"{data['asking'].get(language, '')} {data['words'].get(language, '')}".split())


def _list_words(text: str) -> list[str]:
    """Return the possible function words of a text, in lower case. Names are left out.

    "Where did Juan de la Cruz live?" → "where", "did", "live". A capitalized word inside a sentence is a name, and so
    is a short word between two capitalized words.
    """
    tokens = [_ELISION.sub("", token) for token in _WORD.findall(text)]
    names = [token[:1].isupper() and not token.isupper() for token in tokens]
    if tokens and tokens[0].casefold() in _words_by_language():
        names[0] = False  # the capital is that of the sentence
    kept: list[str] = []
    for position, token in enumerate(tokens):
        particle = len(token) <= 3 and not names[position]
        # The capitalized word on each side is at most one word away.
        inside = particle and any(names[max(0, position - 2) : position]) and any(names[position + 1 : position + 3])
        if not (inside or (names[position] and position > 0)):
            kept.append(token.casefold())
    return kept


def _score_words(text: str, languages: tuple[Language, ...]) -> dict[Language, float]:
    """Return a score for each of the languages: the number of its function words in the text, plus its rare letters."""
    known = _words_by_language()
    scores: dict[Language, float] = dict.fromkeys(languages, 0.0)
    counts = Counter(word for word in _list_words(text) if word in known)
    for word, count in counts.items():
        for language in known[word]:
            if language in scores:
                scores[language] += count * (_OF_LETTERS if len(word) == 1 else 1.0)
    if any(scores.values()) and not text.isascii():
        low = text.casefold()
        for letters, tags in data_rows(_FILE, "letters"):
            held = sum(letter in low for letter in letters)
            for language in tags.split():
                if scores.get(language):
                    scores[language] += _OF_LETTERS * min(held, 2)
    return scores
