"""Content-based ids of passages."""

import hashlib
import unicodedata


def passage_id(text: str) -> str:
    """Return the id of a passage: the hash of the text, ignoring spacing, case and width."""
    folded = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return hashlib.sha256(folded.encode("utf-8", "surrogatepass")).hexdigest()[:16]
