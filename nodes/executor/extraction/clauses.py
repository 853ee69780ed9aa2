"""Clause analysis: whether the subject of a question is the grammatical subject of a verb in a sentence.

It is only if what stands before the verb is the subject's name or a pronoun for it, and nothing else but
times, titles and appositions: "the director's sister was born" is no clause about the director.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from weiwo.nodes.executor.extraction.entity_matching import Page, Span, plain
from weiwo.state.cached_property import cached_property
from weiwo.text.data_files import data_pattern
from weiwo.text.dates import DateSpan, find_dates
from weiwo.text.language import HAN
from weiwo.text.names import Name, names
from weiwo.text.numbers import NumberSpan, find_numbers
from weiwo.text.patterns import lazy

LONGEST_SENTENCE: Final = 800
"""Characters of one sentence that are looked at."""

_DEEPEST: Final = 40
_VERB_HEAD: Final = data_pattern("extraction", "clauses", "verb_head")
_TAIL: Final = data_pattern("extraction", "clauses", "tail")
_JOINT: Final = (
    r"(?:^|[;:]\s|\s[—–]\s|,?\s(?:and|but|while|when|where|although|though|as|before|after|until|since|because|that)\s"
    r"|^(?:When|While|After|Before|Although|Though|As|Since|Because)\s)"
    r"(?:(?:[Tt]oday|[Nn]ow|[Cc]urrently|[Tt]hen),?\s)?"
    r"(?:(?:[Ii]n|[Oo]n|[Aa]t|[Bb]y|[Aa]round|[Dd]uring|[Ss]ince|[Ff]rom|[Aa]s of|[Aa]ccording to)"
    r"\s(?:[^;:()]{1,60}?,|[^;:(),]{1,40}?"
    r"(?<! of)(?<! by)(?<! to)(?<! for)(?<! with)(?<! from)(?<! in)(?<! at)(?<! on)(?<! an)(?<! a)(?<!’s)(?<!'s))\s)?"
)
_BEFORE_PRONOUN: Final = lazy(_JOINT + "$")
_BEFORE_NAME: Final = lazy(
    _JOINT
    + r"(?:[Tt]he\s)?(?:(?:city|town|village|municipality|island|state|province|republic|kingdom)\sof\s(?:the\s)?)?"
    r"(?:(?:(?<=[Tt]he\s)|[Aa]n?\s|[Tt]his\s)(?:(?!(?:of|for|in|by|to|from|behind|and|on|with|at|about)\s)[a-z][\w-]+\s){1,4}?)?[\"“‘'(]?$"
)
_PRONOUN: Final = lazy(r"\b(?:He|She|It|They|he|she|it|they)(?=\s)")
_GENERAL: Final = lazy(r"\b(?:[Tt]he|[Tt]his)\s(?P<kind>[a-z][\w-]{2,20})(?=[\s,(])")
_INHERITS: Final = lazy(r"(?:,\s(?:and\s|but\s|then\s)?|\s(?:and|but|then)\s)$")
_RELATIVE: Final = lazy(r"\b(?:who|whom|whose|which|that|where|when|while|if|because|said|says)\b|[;:]")
_PLACED: Final = data_pattern("extraction", "clauses", "placed")

_ASIDE: Final = lazy(r"[（(][^（）()]{0,120}[)）]")
_OWN_NOUN_ZH: Final = lazy("[^，。；在于和与从到为的]{1,10}的[^，。；在于和与从到为的]{1,5}")
"""What may stand before the subject's name and mean it: "鲁迅的弟弟" before 周作人."""
_SAYS_WHAT_ZH: Final = lazy("[也又还并均都]?[是为属有]")
_PRONOUN_ZH: Final = r"(?:他|她|它|其|该[\u4e00-\u9fff]{1,3}?|全[长桥书校文剧片市县省国州区镇村湖岛线]|本[书校片市县])"
_FILLER_ZH: Final = data_pattern("extraction", "clauses", "filler_zh")
_IS_ZH: Final = lazy(r"》?(?:[（(][^（）()]{0,120}[)）])?(?:，?(?:又名|原名|简称|亦称|又称)[^，。]{1,12}，)?[是为]")
_ALSO_NAMED_ZH: Final = data_pattern("extraction", "clauses", "also_named_zh")
_HEADS_ZH: Final = lazy(r"》?(?:[（(，,]|[是为])")
_CUT_ZH: Final = lazy(r"[，；：。,;]")
_GOES_ON_ZH: Final = lazy(
    rf"[》”\s]*(?:[（(，,]|$|{_PRONOUN_ZH}|[是为有在于由被因曾任获位属旧简初全又原即也已将自从总高长最约]|生于|出生|毕业|考入"
    r"|担任|收入|收藏|连接|穿过|流经|注入|发源|面积|人口|占地|海拔|建成|建于|始建|成立|创立|创办|开放|开通|出版|发表|逝世|去世"
    r"|死于|西汉|东汉|享年)"
)


@dataclass(frozen=True)
class Sentence:
    """One sentence of a page, with the sentence before it."""

    page: Page
    text: str
    before: "Sentence | None" = None

    @cached_property
    def folded(self) -> str:
        """Its words by `plain`."""
        return plain(self.text)

    @cached_property
    def mentions(self) -> list[Span]:
        """Where it names the subject."""
        return self.page.mentions(self.text, self.folded)

    @cached_property
    def named(self) -> list[Span]:
        """Where its text names the subject in full, on whichever page."""
        return self.mentions or self.page.subject.mentions(self.text, self.folded, known=False)

    @cached_property
    def names(self) -> list[Name]:
        """The names in it."""
        return names(self.text)

    @cached_property
    def dates(self) -> list[DateSpan]:
        """The dates in it."""
        return find_dates(self.text)

    @cached_property
    def numbers(self) -> list[NumberSpan]:
        """The numbers in it that are no part of a date."""
        return [n for n in find_numbers(self.text) if not any(d.start < n.end and n.start < d.end for d in self.dates)]

    @cached_property
    def others(self) -> list[Span]:
        """Names of others: not the subject's, no dates, nothing in brackets, and no places behind a preposition."""
        mine = [*self.mentions, *((date.start, date.end) for date in self.dates)]
        mine += [one.span() for one in _ASIDE.finditer(self.text)]
        spans = [(one.start, one.end) for one in self.names if not any(a < one.end and one.start < b for a, b in mine)]
        return [span for span in spans if not _PLACED.search(self.text[max(0, span[0] - 24) : span[0]])]

    @cached_property
    def han(self) -> bool:
        """Whether it is written in Chinese."""
        return re.search(f"[{HAN}]", self.text) is not None

    @cached_property
    def focus(self) -> bool:
        """Whether a pronoun at its head stands for the subject: page and sentence before go on about it."""
        one = self.before
        if one is None or not self.page.about:
            return self.page.about
        if not one.han:
            kept = bool(one.head_end) or (one.focus and one.text.startswith(("His ", "Her ", "Its ")))
            return kept and (one.before is None or not one.others)
        if any(one.defined_zh(a, b) for a, b in one.mentions[:1]):
            return True
        if (
            one.before is None
            and one.mentions
            and one.mentions[0][0] == 0
            and _HEADS_ZH.match(one.text, one.mentions[0][1])
        ):
            return True  # a page's first sentence opens with its subject; a pronoun goes on about it
        first = next((start for start, _ in one.mentions if start < one.clauses[0][1]), -1)
        if first < 0 or one.others:
            return not one.others and one.focus
        return one.idle(0, first) and _GOES_ON_ZH.match(one.text, one.mentions[0][1]) is not None

    def verb_start(self, at: int) -> tuple[int, bool]:
        """Where the verb at a place starts with its auxiliary and adverbs, and whether it has an auxiliary."""
        floor = max(0, at - 70)
        found = _VERB_HEAD.search(self.text[floor:at])
        return (at, False) if found is None else (floor + found.start(), found["aux"] is not None)

    def _left(self, at: int) -> str:
        return self.text[:at] if at <= 200 else "\0" + self.text[at - 200 : at]

    def governs(self, at: int) -> bool:
        """Whether the subject is the grammatical subject of the English verb that starts at a place."""
        text = self.text
        for start, end in self.mentions:
            if end <= at and _TAIL.fullmatch(text, end, at) and _BEFORE_NAME.search(self._left(start)):
                return True
        if self.page.about:
            heads = [(one.start(), one.end(), True) for one in _PRONOUN.finditer(text, 0, at)]
            heads += [(a, b, False) for a, b in self._general(at)]
            for start, end, pronoun in heads:
                if not text[end:at].strip() and _BEFORE_PRONOUN.search(self._left(start)):
                    named = any(b <= start for _, b in self.mentions)
                    known = self.focus or named or (not pronoun and self.page.titled)
                    return known and not any(b <= start for _, b in self.others)
        return self._inherits(at)

    def _general(self, at: int) -> list[Span]:
        return [one.span() for one in _GENERAL.finditer(self.text, 0, at) if one["kind"] in self.page.kinds]

    def _inherits(self, at: int) -> bool:
        """Whether a verb behind "and" has the subject of the first verb: that is ours, and nobody is named since."""
        joint = _INHERITS.search(self.text[:at])
        if joint is None or _RELATIVE.search(self.text[: joint.start()]) or not 0 < self.head_end <= joint.start():
            return False
        return not any(self.head_end <= a and b <= joint.start() for a, b in self.others)

    @cached_property
    def head_end(self) -> int:
        """Where the subject's name or a word for it ends at the head of the sentence; 0 where another heads it."""
        text = self.text
        for start, end in self.mentions[:2]:
            follows = re.match(r"[\"”]?(?:\s(?!and\s)[a-z(]|,\s|\s?\()", text[end : end + 6])
            if start < 80 and follows and _BEFORE_NAME.search(self._left(start)):
                return end
        pronoun = _PRONOUN.search(text[:90])
        if pronoun and self.focus and _BEFORE_PRONOUN.search(text[: pronoun.start()]):
            return pronoun.end()
        return next((end for start, end in self._general(len(text)) if start == 0 and self.page.about), 0)

    # --- Chinese ---

    @cached_property
    def clauses(self) -> list[Span]:
        """Its parts between commas, brackets kept whole."""
        blotted = re.sub(r"[（(][^（）()]{0,120}[)）]", lambda one: "\0" * len(one[0]), self.text)
        cuts = [one.start() for one in _CUT_ZH.finditer(blotted)]
        return list(zip([0, *(cut + 1 for cut in cuts)], [*cuts, len(self.text)], strict=True))

    def clause_start(self, at: int) -> int:
        """Where the part that holds a place starts."""
        return next((start for start, end in reversed(self.clauses) if start <= at), 0)

    def heads_zh(self, at: int) -> bool:
        """Whether the Chinese clause that holds a place has the subject as its own, nothing but fillers between."""
        first = self.clause_start(at)
        inside = [(a, b) for a, b in self.mentions if first <= a and b <= at]
        if inside:
            announced = re.search(r"(?:宣布|公布|显示|测得|测定|确定|认定)$", self.text[: inside[0][0]])
            lead = announced is not None or _OWN_NOUN_ZH.fullmatch(self.text, first, inside[0][0]) is not None
            return (lead or self.idle(first, inside[0][0])) and self.idle(inside[0][1], at)
        words = self.timeless(first, at)
        pronoun = re.match(rf"[《“\s]*{_PRONOUN_ZH}", words)
        general = words[:2] in self.page.kinds
        whole = _FILLER_ZH.fullmatch(words, pronoun.end() if pronoun else 2 * general) is not None
        return whole and ((general and self.page.titled) or self._carried(first))

    def timeless(self, start: int, end: int) -> str:
        """The words of a stretch without its dates and what leads up to them."""
        words = self.text[start:end]
        for one in reversed(self.dates):
            if start <= one.start and one.end <= end:
                words = words[: one.start - start] + words[one.end - start :]
        return re.sub(r"^(?:[，,\s]|于|在|截至|自)+", "", words)

    def idle(self, start: int, end: int) -> bool:
        """Whether a stretch holds nothing but times and fillers."""
        return _FILLER_ZH.fullmatch(self.timeless(start, end)) is not None

    def defined_zh(self, start: int, end: int) -> bool:
        """Whether a mention heads its clause and 是 follows, so that what follows 是 is the same thing."""
        if self.before is None and self.page.about and start == 0 and _ALSO_NAMED_ZH.match(self.text, end):
            return True  # "汉武帝刘彻是西汉皇帝", on the page 汉武帝
        return self.idle(self.clause_start(start), start) and _IS_ZH.match(self.text, end) is not None

    def _carried(self, at: int) -> bool:
        """Whether the clauses before one without a name leave the subject in mind."""
        for start, end in reversed([one for one in self.clauses if one[1] < at]):
            inside = [(a, b) for a, b in self.mentions if start <= a and b <= end]
            if inside and self.defined_zh(*inside[0]):
                return True
            if _KIN_ZH.match(self.text, start):
                return False
            if _APPOSED_ZH.fullmatch(self.text, start, end) or (_SAYS_WHAT_ZH.match(self.text, start) and start):
                continue
            if any(start <= a and b <= end for a, b in self.others):
                return False
            if inside:
                return self.idle(start, inside[0][0]) and _GOES_ON_ZH.match(self.text, inside[0][1]) is not None
            words = self.timeless(start, end)
            if words[:2] not in self.page.kinds and not _GOES_ON_ZH.match(words):
                return False
        return self.focus


_KIN_ZH: Final = lazy("[其他她它]的?(?:[长次幼独三四]?[子女弟兄]|父|母|妻|夫|姐|妹|孙|祖|师|友|中)")
_APPOSED_ZH: Final = data_pattern("extraction", "clauses", "apposed_zh")
"""A clause without a verb or kin that only says what the one before it names: 北宋文学家."""


def sentences_of(page: Page) -> Iterator[Sentence]:
    """The sentences of a page in order; questions state nothing and are left out."""
    before: Sentence | None = None
    for number, (start, end) in enumerate(page.spans):
        before = Sentence(page, page.text[start : min(end, start + LONGEST_SENTENCE)], before)
        if number % _DEEPEST == 0:
            _ = before.focus  # so that what looks back never looks back far
        if not before.text.endswith(("?", "？")) and (page.about or before.named or page.subject.key in before.folded):
            yield before


_INTRANSITIVE: Final = data_pattern("extraction", "clauses", "intransitive")
_PARTICIPLE: Final = lazy(r"[a-z]{2,14}ed|born|built|held|set up|begun|broke out")
_DEFINITION: Final = lazy(r"(?:is|was|are|were)\s(?:an?|the)\s(?:[\w'’“”\"-]+\s){0,9}$")
_LOOSE: Final = lazy(r"\b(?:of|in|on|by|for|from|with|about|based|that|wh\w+|or|at|to|after|starring)\s")


@lru_cache(maxsize=256)
def find_cues(words: tuple[str, ...]) -> re.Pattern[str]:
    """The words of a relation that may be the verb of a clause which dates something."""
    verbs = [word for word in words if _INTRANSITIVE.fullmatch(word) or _PARTICIPLE.fullmatch(word)]
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, verbs))})\b" if verbs else "(?!)")


def predicate_start(sentence: Sentence, cue: re.Match[str]) -> int:
    """Where the predicate of a verb starts whose grammatical subject is ours; -1 where it is another's."""
    text = sentence.text
    start, auxiliary = sentence.verb_start(cue.start())
    if sentence.governs(start) and (auxiliary or _INTRANSITIVE.fullmatch(cue[0])):
        return start
    if auxiliary or (start and _INTRANSITIVE.fullmatch(cue[0])):
        return -1
    floor = max(0, start - 140)
    definition = _DEFINITION.search(text[floor:start])
    if definition and not _LOOSE.search(definition[0]) and sentence.governs(floor + definition.start()):
        return floor + definition.start()
    return 0 if start == 0 and is_fronted(sentence, cue.end()) else -1


def is_fronted(sentence: Sentence, at: int) -> bool:
    """Whether the subject follows an opening participle: "Born in Rome in 1950, S"."""
    first = next((start for start, _ in sentence.mentions), -1)
    if first >= 0:
        between = sentence.text[at:first]
        return (
            len(between) < 100 and between.count(",") <= 3 and re.search(r",\s(?:the\s)?[\"“]?$", between) is not None
        )
    pronoun = re.match(r"(?:\s\([^()]{1,60}\))?[^;()]{0,100}?,\s(?:he|she|it)\s", sentence.text[at:])
    return pronoun is not None and sentence.focus and not any(end <= at for _, end in sentence.others)


@lru_cache(maxsize=256)
def find_cues_zh(words: tuple[str, ...]) -> re.Pattern[str]:
    """The words of a relation in a Chinese clause, the longest first."""
    return re.compile("|".join(sorted(map(re.escape, words), key=len, reverse=True)) or "(?!)")
