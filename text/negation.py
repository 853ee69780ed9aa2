"""Negation: whether a sentence denies something, in English or Chinese."""

from typing import Final

from weiwo.text.patterns import lazy

_NEGATION: Final = lazy(
    r"(?i)\b(?:not|no|never|neither|nor|without|none|n't|cannot|failed to|denied|nobody|nothing)\b|n['’]t\b"
    r"|(?:并|从|也|都)?(?:不|没有?|未|无|非|否认)(?!同|仅|但|久|断|少|过|朽|丹|管|论|限|数|法国|机|锡|线|洲)"
)


def is_negated(text: str) -> bool:
    """Whether a sentence denies something."""
    return bool(_NEGATION.search(text))
