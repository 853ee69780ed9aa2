"""Detection of interstitials, which sites show instead of a page: told by their words, and by how few there are."""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from weiwo.state import FailureKind
from weiwo.text.language import word_count
from weiwo.text.patterns import lazy

_SHORT_WORDS: Final = 150
"""A page with more words than this is an article, even if it speaks of captchas or cookies."""
_LONG_WORDS: Final = 500
"""A page with more is one even if its title is that of a challenge."""

_MISSING: Final = "a page that says it is not there"
_WORDS: Final[Mapping[str, Iterable[str]]] = {
    "a challenge": (
        r"just a moment|checking (?:if the site|your browser)|verify(?:ing)? (?:that )?you are (?:a )?human",
        r"are you (?:a )?(?:human|robot)|not a robot|captcha|unusual traffic|attention required|ddos protection",
        r"security check|enable javascript and cookies|press (?:&|and) hold|pardon our interruption",
        r"安全验证|验证码|人机验证|滑动验证|访问(?:过于)?频繁|请完成验证|环境异常|异常流量",
    ),
    "a refusal": (
        r"access (?:denied|to this page has been denied)|403 forbidden|request blocked|you have been blocked",
        r"not available in your (?:region|country|location)|unavailable for legal reasons",
        r"拒绝访问|禁止访问|访问被(?:拒绝|阻断|拦截)|无权访问",
    ),
    "a login": (
        r"(?:sign|log) ?in to (?:continue|read|view|your account)|please (?:sign|log) ?in",
        r"you must (?:be logged|log) in",
        r"subscribe to (?:continue|read|unlock)|subscribers only|create an account to (?:continue|read)",
        r"请先?登[录陆]|登[录陆]后(?:查看|阅读|继续)|扫码登[录陆]|开通会员|付费阅读",
    ),
    "a question about cookies": (
        r"before you continue to|we (?:value your privacy|use cookies)|accept (?:all )?cookies",
        r"manage (?:your )?(?:cookie|privacy|consent)|cookie (?:consent|preferences)",
        r"使用\s?cookie|接受所有\s?cookie",
    ),
    "a request for JavaScript": (
        r"enable javascript|javascript is (?:disabled|required|not enabled)|requires javascript",
        r"请(?:启用|开启|打开)\s?javascript",
    ),
    _MISSING: (
        r"\bpage (?:not found|does(?: not|n['’]t) exist|(?:could not|cannot|can['’]t) be found)",
        r"\b404\b.{0,20}not found",
        r"页面(?:不存在|未找到|已被?删除)|(?:找不到|没有找到)(?:该|此|您访问的|你访问的)?(?:页面|网页)|内容已被删除",
    ),
}
_TITLES: Final[Mapping[str, str]] = {
    "a challenge": r"just a moment(?:\.\.\.|…)?|attention required!(?: \| cloudflare)?|robot check|(?:百度)?安全验证"
    r"|ddos-guard|(?:security|human) (?:check|verification)|are you a (?:human|robot)\??"
    r"|pardon our interruption(?:\.\.\.|…)?",
    "a refusal": r"access denied|(?:error )?403(?: |: ?| - )?forbidden",
    "a login": r"(?:sign|log) ?in|login|登[录陆]|用户登[录陆]",
    "a question about cookies": r"before you continue(?: to .{1,30})?|.{0,20}cookie (?:consent|wall)",
    _MISSING: r"(?:error )?404(?:[ :|–-]{1,3}(?:page )?not found)?|page not found|not found|页面不存在|404错误页?",
}
"""Titles that are wholly this are no article's."""
_PATTERNS: Final = {what: lazy("|".join(words), re.IGNORECASE) for what, words in _WORDS.items()}
_TITLE_PATTERNS: Final = {what: lazy(words, re.IGNORECASE) for what, words in _TITLES.items()}


def detect_interstitial(title: str, text: str) -> tuple[FailureKind, str] | None:
    """What is shown instead of an article, and the kind of failure that is; None for an article."""
    words = word_count(text)
    found = ""
    if words <= _SHORT_WORDS:
        found = next((what for what, pattern in _PATTERNS.items() if pattern.search(f"{title}\n{text}")), "")
    if not found and words <= _LONG_WORDS:
        found = next((what for what, pattern in _TITLE_PATTERNS.items() if pattern.fullmatch(title.strip())), "")
    return ("not_found" if found == _MISSING else "blocked", found) if found else None
