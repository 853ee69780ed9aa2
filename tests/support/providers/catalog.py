"""A scripted server that speaks each provider's wire form, for tests and benchmarks.

A script is the handler of `tests.support.openai_server`: it reads a request in OpenAI's form and returns a `Reply`.
The dialect of a provider translates both ways, so that one script plays a model of any provider:

    with provider_server("anthropic", always(text("Good day."))) as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        model = "anthropic:claude-haiku-4-5"

`Reply.finish` is a word of OpenAI's, which a dialect translates, or the provider's own.
"""

from tests.support.openai_server import Handler, OpenAIServer
from tests.support.providers.anthropic import ANTHROPIC
from tests.support.providers.dialect import Dialect
from tests.support.providers.gemini import GEMINI
from tests.support.providers.ollama import OLLAMA
from tests.support.providers.openai import DEEPSEEK, MISTRAL, OPENAI
from tests.support.providers.responses import RESPONSES

DIALECTS: dict[str, Dialect] = {
    dialect.name: dialect for dialect in (ANTHROPIC, GEMINI, MISTRAL, OLLAMA, DEEPSEEK, OPENAI, RESPONSES)
}
"""Each provider's form by its name, that of LangChain; OpenAI has two."""


def provider_server(name: str, handler: Handler) -> OpenAIServer:
    """A server of a provider's form."""
    return OpenAIServer(handler, DIALECTS[name])
