"""Content-based ids of passages."""

import hashlib
import unicodedata


def passage_id(text: str) -> str:
    """Return the id of a passage: a hash of the text, ignoring spacing, case and full-width forms.

    `"Total  5"` and `"total 5"` have the same id of 16 hexadecimal characters.
    """
    folded = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return hashlib.sha256(folded.encode("utf-8", "surrogatepass")).hexdigest()[:16]
