"""Exact token counts, where a model's tokenizer is at hand.

OpenAI's encodings are known by the model's name and read by tiktoken, which comes with langchain-openai. It downloads
an encoding on first use; here one is used only if it lies whole in tiktoken's own cache already, so that counting
never touches the network. To have it there: `python -c "import tiktoken; tiktoken.get_encoding('o200k_base')"`.
"""

import hashlib
import os
import tempfile
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

_BASE: Final = "https://openaipublic.blob.core.windows.net/encodings/"
_ENCODINGS: Final = {
    "o200k_base": ("o200k_base", "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"),
    "o200k_harmony": ("o200k_base", "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"),
    "cl100k_base": ("cl100k_base", "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"),
}
"""File and SHA-256 of each encoding, as tiktoken has them (`tiktoken_ext.openai_public`)."""
_PIECE: Final = 50_000
"""Characters encoded at once: the work on one word without blanks grows faster than its length."""


def find_tokenizer(name: str) -> Callable[[str], int] | None:
    """A counter of tokens for a model, if its tokenizer is known and at hand. Blocks: it reads megabytes from disk.

    Args:
        name: The model as configured, `provider:model`.
    """
    provider, _, model = name.partition(":")
    if provider not in {"openai", "azure_openai", "given"}:
        return None
    try:
        import tiktoken  # noqa: PLC0415 - heavy
        from tiktoken.model import encoding_name_for_model  # noqa: PLC0415 - the same

        encoding = encoding_name_for_model(model)
    except (ImportError, KeyError):
        return None
    return _counter(tiktoken, encoding) if _is_cached(encoding) else None


@lru_cache(maxsize=len(_ENCODINGS))
def _counter(tiktoken: Any, encoding: str) -> Callable[[str], int]:
    encode = tiktoken.get_encoding(encoding).encode_ordinary

    def count(text: str) -> int:
        if len(text) <= _PIECE:
            return len(encode(text))
        return sum(len(encode(text[start : start + _PIECE])) for start in range(0, len(text), _PIECE))

    return count


def _is_cached(encoding: str) -> bool:
    """Whether tiktoken would find an encoding without the network: a file that fails its check is fetched anew."""
    if encoding not in _ENCODINGS:
        return False
    file, digest = _ENCODINGS[encoding]
    default = str(Path(tempfile.gettempdir()) / "data-gym-cache")
    folder = os.environ.get("TIKTOKEN_CACHE_DIR", os.environ.get("DATA_GYM_CACHE_DIR", default))
    key = hashlib.sha1(f"{_BASE}{file}.tiktoken".encode(), usedforsecurity=False).hexdigest()
    try:
        return bool(folder) and hashlib.sha256((Path(folder) / key).read_bytes()).hexdigest() == digest
    except OSError:
        return False
