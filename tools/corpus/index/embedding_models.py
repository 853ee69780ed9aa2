"""Embedding models of LangChain's `init_embeddings`, with timeouts and retries, never mixed.

A vector is stored under the model's name and the hash of the embedded text. So an interrupted run can continue, a
passage that moves or comes back is not embedded again, and vectors of different models are never compared.
"""

import os
import re
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from weiwo.text.printable import one_line, redact_secrets
from weiwo.tools.corpus.base import CorpusError

if TYPE_CHECKING:
    import numpy as np
    from langchain_core.embeddings import Embeddings
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

_QUERY_SECONDS: Final = 10.0
_BATCH_SECONDS: Final = 120.0
_BATCH: Final = 64
"""Passages in one request."""
_PARALLEL: Final = 4
"""Requests at a time."""
_ATTEMPTS: Final = 3
"""Calls for one batch, waiting 1 and 4 seconds between them."""
_MOST_FAILED: Final = 40
"""Requests that may fail while a batch is halved to find the texts that the model cannot embed."""
_MOST_FAILED_FIRST: Final = 6
"""The same limit as long as no text of the batch has been embedded."""
_REST_SECONDS: Final = 30.0
"""Time after repeated failures during which questions are searched without being embedded."""
_FAILURES: Final = 3
"""Failures in a row that lead to this pause. After fewer, the next question is embedded again."""

_LONGEST_TEXT: Final = 8_000
_KEPT_QUESTIONS: Final = 1_000


_REFUSALS: Final = frozenset({400, 413, 422})
"""HTTP statuses by which a server rejects a request."""


class EmbeddingError(CorpusError):
    """Error for an embedding model currently unusable.

    The message is one line: the object, the cause, the fix.
    """

    def __init__(self, message: str, *, refused: bool = False, answered: bool = False) -> None:
        super().__init__(message)
        self.refused = refused  # the server rejected the request, but may accept a smaller one
        self.answered = answered  # the server replied, so a single text may be the cause


class Embedder:
    """An embedding model. Safe to use from any thread."""

    def __init__(self, name: str, model: "Embeddings", *, sleep: Callable[[float], None] = time.sleep) -> None:
        """Wrap a model.

        Args:
            name: Identifier that its vectors are stored under, usually provider:model.
            model: The model.
            sleep: How to wait between attempts.
        """
        self.name = name
        self._model = model
        self._sleep = sleep
        self._pool = ThreadPoolExecutor(_PARALLEL + 1, thread_name_prefix="embedding")
        self._questions: dict[str, Matrix] = {}
        self._resting_until = 0.0
        self._failures = 0
        self._at_once = _BATCH

    def embed_question(self, text: str) -> "Matrix":
        """Return the unit vector of a question, from the cache or by a single call.

        The call is not repeated on failure, so that a search is not held up.

        Raises:
            EmbeddingError: The call failed, or failed three times in a row less than half a minute ago.
        """
        text = text[:_LONGEST_TEXT]
        known = self._questions.get(text)
        if known is not None:
            return known
        if time.monotonic() < self._resting_until:
            raise EmbeddingError(f"embeddings {self.name}: failed {_FAILURES} times; next attempt in half a minute")
        try:
            vector: Matrix = self._call_bounded(lambda: [self._model.embed_query(text)], _QUERY_SECONDS)[0]
        except EmbeddingError:
            self._failures += 1
            if self._failures % _FAILURES == 0:
                self._resting_until = time.monotonic() + _REST_SECONDS
            raise
        return self._keep(text, vector)

    def embed_patiently(self, text: str) -> "Matrix":
        """Return the unit vector of a question, with the time limit and retries of `embed_texts`.

        For evaluation, where no user waits. The vector is cached for `embed_question`.

        Raises:
            EmbeddingError: All attempts failed.
        """
        vector: Matrix = self.embed_texts([text])[0]
        return self._keep(text[:_LONGEST_TEXT], vector)

    def _keep(self, text: str, vector: "Matrix") -> "Matrix":
        self._failures, self._resting_until = 0, 0.0
        if len(self._questions) >= _KEPT_QUESTIONS:
            self._questions.clear()
        self._questions[text] = vector
        return vector

    def embed_texts(self, texts: Sequence[str], attempts: int = _ATTEMPTS) -> "Matrix":
        """Return the unit vectors of texts as rows. A failed batch is retried, `attempts` calls in all.

        If the server rejects a batch of several texts, the batch size is halved from then on.

        Raises:
            EmbeddingError: All attempts for a batch failed, or the number of vectors is wrong.
        """
        import numpy as np

        given: list[str] = [text[:_LONGEST_TEXT] for text in texts]
        rows: list[Matrix] = []
        at, attempt = 0, 1
        while at < len(given) or not rows:
            batch = given[at : at + self._at_once]
            try:
                vectors = self._call_bounded(partial(self._model.embed_documents, batch), _BATCH_SECONDS)
            except EmbeddingError as error:
                # Servers limit the texts per request, some to 10, some to 32, so the batch is halved.
                if error.refused and len(batch) > 1:
                    self._at_once = min(self._at_once, len(batch) // 2)
                    continue
                if attempt >= attempts:
                    raise
                self._sleep(attempt**2)
                attempt += 1
                continue
            if len(vectors) != len(batch):
                raise EmbeddingError(
                    f"embeddings {self.name}: returned {len(vectors)} vectors for {len(batch)} texts; use another "
                    "model",
                    answered=True,
                )
            rows.append(vectors)
            at, attempt = at + len(batch), 1
        whole: Matrix = np.concatenate(rows)
        return whole

    def embed_most(self, texts: Sequence[str]) -> "tuple[list[int], Matrix, EmbeddingError | None]":
        """Embed as many texts as the model accepts.

        A batch that the model answers with an error, or with unusable vectors, is halved until the texts that the model
        fails on are alone.

        Returns:
            The positions of the embedded texts, their vectors as rows in that order, and the error that explains
            missing vectors, or None.

        Raises:
            EmbeddingError: The model does not answer, accepts no text, or too many requests failed.
        """
        import numpy as np

        waiting, failed, at_once = deque([(0, len(texts))]), 0, self._at_once
        taken: list[int] = []
        rows: list[Matrix] = []
        reason: EmbeddingError | None = None
        while waiting:
            start, end = waiting.popleft()
            try:
                rows.append(self.embed_texts(texts[start:end], 1 if failed else _ATTEMPTS))
            except EmbeddingError as error:
                reason, failed = error, failed + 1
                if end - start == 1:
                    # A single text was refused, so the size of the batch was not the reason.
                    self._at_once = at_once
                if not error.answered or failed > (_MOST_FAILED if taken else _MOST_FAILED_FIRST):
                    raise
                middle = (start + end) // 2
                waiting += [half for half in ((start, middle), (middle, end)) if start < middle]
            else:
                taken += range(start, end)
        if reason is not None and not taken:
            raise reason
        return taken, np.concatenate(rows), reason

    def _call_bounded(self, call: Callable[[], Any], seconds: float) -> "Matrix":
        import numpy as np

        future = self._pool.submit(call)
        try:
            matrix = np.asarray(future.result(seconds), np.float32)
        except FutureTimeout:
            future.cancel()
            raise EmbeddingError(
                f"embeddings {self.name}: no reply within {seconds:.0f} s; check that it is running"
            ) from None
        except Exception as error:  # noqa: BLE001  # each provider raises its own
            said = one_line(redact_secrets(f"{type(error).__name__}: {error}"), 200)
            status = _status_of(error)
            refused = status in _REFUSALS
            advice = "check which input it accepts" if refused else "check that it is running and its key is right"
            answered = refused or (status or 0) >= 500
            raise EmbeddingError(
                f"embeddings {self.name}: {said}; {advice}", refused=refused, answered=answered
            ) from None
        lengths = np.linalg.norm(matrix, axis=1, keepdims=True) if matrix.ndim == 2 else None
        if lengths is None or not np.isfinite(lengths).all() or not (lengths > 0).all():
            raise EmbeddingError(
                f"embeddings {self.name}: the reply contains no usable vectors; use another model", answered=True
            )
        unit: Matrix = matrix / lengths
        return unit


def _status_of(error: Exception) -> int | None:
    """Return the HTTP status in a client's exception, or None."""
    holders = (error, getattr(error, "response", None))
    return next((status for holder in holders if isinstance(status := getattr(holder, "status_code", None), int)), None)


def load_embedder(name: str, env: Mapping[str, str] | None = None) -> Embedder:
    """Load an embedding model by name. The first call is slow because of the provider's package.

    Args:
        name: As provider:model, such as `openai:text-embedding-3-small` or `ollama:nomic-embed-text`. The provider
            `openai` is called at `WEIWO_EMBEDDINGS_BASE_URL` with `WEIWO_EMBEDDINGS_API_KEY`, or else at the URL of the
            chat models. The chat models' key is never sent to a separate embeddings URL.
        env: The environment.

    Raises:
        EmbeddingError: The name is malformed, or the model cannot be set up. One line, without secrets.
    """
    env = os.environ if env is None else env
    provider, _, model = name.partition(":")
    if not (provider and model):
        raise EmbeddingError(
            f"embeddings {one_line(name, 80)!r}: not provider:model; use, for example, openai:text-embedding-3-small"
        )
    own_url, own_key = ((env.get(f"WEIWO_EMBEDDINGS_{part}") or "").strip() for part in ("BASE_URL", "API_KEY"))
    if own_url and not own_url.startswith(("http://", "https://")):
        raise EmbeddingError(
            f"embeddings {name}: WEIWO_EMBEDDINGS_BASE_URL is not an http(s) address; use one such as "
            "http://localhost:8000/v1"
        )
    options: dict[str, Any] = {"base_url": own_url, "api_key": own_key}
    if provider == "openai":
        options["base_url"] = own_url or (env.get("OPENAI_BASE_URL") or "").strip()
        options["api_key"] = own_key or ("" if own_url else (env.get("OPENAI_API_KEY") or "").strip())
        # The client would send token ids, which only OpenAI understands. Passages are short enough to be sent as text.
        options |= {"check_embedding_ctx_length": False, "max_retries": 0, "timeout": _BATCH_SECONDS}
        if options["base_url"]:
            options["api_key"] = options["api_key"] or "none"
    options = {option: value for option, value in options.items() if value != ""}
    try:
        from langchain.embeddings import init_embeddings

        made: Any = init_embeddings(name, **options)
    except ImportError as error:
        package = re.search(r"pip install ([\w.-]+)", str(error))
        wanted = package[1] if package else f"langchain-{provider.replace('_', '-')}"
        raise EmbeddingError(
            f"embeddings {name}: the package {wanted} is not installed; run pip install {wanted}"
        ) from None
    except Exception as error:  # noqa: BLE001  # each provider raises its own
        if f"Provider {provider!r} is not supported" in str(error):
            raise EmbeddingError(
                f"embeddings {name}: the provider {provider!r} is unknown; use one that LangChain's init_embeddings"
                " knows, such as openai, ollama or huggingface"
            ) from None
        said = one_line(redact_secrets(f"{type(error).__name__}: {error}"), 160)
        raise EmbeddingError(
            f"embeddings {name}: cannot be set up ({said}); check its name and its key, usually "
            f"{provider.upper()}_API_KEY"
        ) from None
    return Embedder(name, made)


@dataclass(frozen=True, slots=True)
class EmbeddingProgress:
    """The progress of embedding."""

    model: str  # name of the model
    done: int  # number of vectors in the index
    total: int  # number of vectors at the end
    replaces: str = ""  # the model with vectors that are being replaced; empty if none
    without: tuple[str, ...] = ()  # first characters of the texts that the model cannot embed


def embed_in_parallel(
    model: Embedder, wanted: Iterator[tuple[bytes, str]], without: list[str] | None = None
) -> Iterator[tuple[list[bytes], "Matrix"]]:
    """Embed texts, a few batches in parallel, and yield the keys and vectors of each batch on completion.

    Args:
        model: The model.
        wanted: Keys and texts.
        without: List that receives the texts that the model cannot embed. If None, such a text is an error.

    Raises:
        EmbeddingError: A batch failed. The finished batches have been yielded.
    """
    with ThreadPoolExecutor(_PARALLEL, thread_name_prefix="embedding-batch") as pool:
        running: dict[Future[tuple[list[int], Matrix, EmbeddingError | None]], list[tuple[bytes, str]]] = {}
        failure: EmbeddingError | None = None
        while True:
            while len(running) < _PARALLEL and failure is None and (batch := list(islice(wanted, _BATCH))):
                running[pool.submit(model.embed_most, [text for _, text in batch])] = batch
            if not running:
                break
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                batch = running.pop(future)
                try:
                    numbers, vectors, missing = future.result()
                except EmbeddingError as error:
                    failure = error
                    continue
                if missing is not None and without is None:
                    failure = missing
                elif without is not None:
                    without += [text for number, (_, text) in enumerate(batch) if number not in set(numbers)]
                yield [batch[number][0] for number in numbers], vectors
        if failure is not None:
            raise failure
