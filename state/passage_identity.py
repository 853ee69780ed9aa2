"""The identity of passages by their content."""

import hashlib
import unicodedata


def passage_id(text: str) -> str:
    """The identity of a passage: the hash of its text, folded so that spacing, case and width do not matter."""
    folded = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return hashlib.sha256(folded.encode("utf-8", "surrogatepass")).hexdigest()[:16]
