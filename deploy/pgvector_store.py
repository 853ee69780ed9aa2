"""The documents of several workers, in Postgres with pgvector: WEIWO_CORPUS=@pgvector_store.documents names them."""

import os
from typing import Any

from langchain.embeddings import init_embeddings
from langchain_postgres import PGVector


def documents() -> PGVector:
    """The store at DATABASE_URL; WEIWO_EMBEDDINGS is the model, such as openai:text-embedding-3-small."""
    name = os.environ["WEIWO_EMBEDDINGS"]
    # The endpoint counts the tokens: else OpenAI's tokenizer would be fetched.
    options: dict[str, Any] = {"check_embedding_ctx_length": False} if name.startswith("openai:") else {}
    url = os.environ["DATABASE_URL"].replace("postgresql://", "postgresql+psycopg://", 1)
    return PGVector(init_embeddings(name, **options), connection=url, collection_name="documents")
