"""What a developer's own environment may hold, and no test may see."""

FOREIGN = (
    "WEIWO_",
    "OPENAI_",
    "LANGSMITH_",
    "LANGCHAIN_",
    "TAVILY_",
    "SEARXNG_",
    "BRAVE_",
    "SERPER_",
    "BING_",
    "JINA_",
    "DDGS_",
    "WIKIPEDIA_",
    "ARXIV_",
)
"""How the names of such variables begin."""
