"""What sites show instead of a page: told by its words."""

import re
from collections.abc import Iterable, Mapping
from typing import Final

_WORDS: Final[Mapping[str, Iterable[str]]] = {
    "a challenge": (
        r"just a moment|checking (?:if the site|your browser)|verify(?:ing)? (?:that )?you are (?:a )?human",
        r"are you (?:a )?(?:human|robot)|not a robot|captcha|unusual traffic|attention required|ddos protection",
        r"security check|enable javascript and cookies",
        r"安全验证|验证码|人机验证|滑动验证|访问(?:过于)?频繁|请完成验证",
    ),
    "a refusal": (
        r"access (?:denied|to this page has been denied)|403 forbidden|request blocked|you have been blocked",
        r"not available in your (?:region|country)",
        r"拒绝访问|禁止访问|访问被(?:拒绝|阻断|拦截)|无权访问",
    ),
    "a login": (
        r"(?:sign|log) ?in to (?:continue|read|view|your account)|please (?:sign|log) ?in",
        r"subscribe to (?:continue|read|unlock)|subscribers only|create an account to (?:continue|read)",
        r"请先?登录|登录后(?:查看|阅读|继续)|扫码登录|开通会员|付费阅读",
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
}
_PATTERNS: Final = {what: re.compile("|".join(words), re.IGNORECASE) for what, words in _WORDS.items()}


def shown_instead(text: str) -> str:
    """What a short page is instead of an article, such as "a challenge"; empty if it is none of these.

    Args:
        text: The title and text of a page that is too short to be an article about such things.
    """
    return next((what for what, pattern in _PATTERNS.items() if pattern.search(text)), "")
