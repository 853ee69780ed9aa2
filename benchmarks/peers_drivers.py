"""Drivers for the systems of `peers.py`, each run in a separate environment.

    python peers_drivers.py SYSTEM FOLDER

A driver is one process over one folder and answers question after question. Writes a line of JSON when it is ready
(seconds of the import and of reading the folder), then reads a question a line and writes a line with its answer and
whether the system itself calls the answer complete.
"""

# ruff: noqa: PLC0415, ASYNC240 - each system is imported in its own environment only, and files are read before questions
import asyncio
import json
import os
import sys
import time
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

Ask = Callable[[str], Awaitable[tuple[str, bool]]]
PASSAGES = 8
TOLD = "Answer the question from what the search tool finds, not from memory. Search until you know."


async def start_weiwo(folder: str) -> Ask:
    """Weiwo's public graph."""
    from weiwo import build_graph
    from weiwo.state.settings import Context
    from weiwo.tools.corpus.loading import load_corpus

    mark_imported()
    await load_corpus([folder])
    context = Context(model="openai:scripted", corpus=[folder], web=False, telemetry=False, answer_memory=False)
    graph = build_graph()

    async def ask(question: str) -> tuple[str, bool]:
        result = (await graph.ainvoke({"question": question}, context=context))["result"]
        return result["answer"], result["status"] == "complete"

    return ask


async def start_deepagents(folder: str) -> Ask:
    """Start a deep agent with the folder as file system."""
    from deepagents import create_deep_agent
    from deepagents.backends import FilesystemBackend
    from langchain_openai import ChatOpenAI

    mark_imported()
    backend = FilesystemBackend(root_dir=folder, virtual_mode=True)
    told = "Answer the question from the files in /, not from memory."
    agent = create_deep_agent(model=ChatOpenAI(model="scripted"), system_prompt=told, backend=backend)

    async def ask(question: str) -> tuple[str, bool]:
        state = await agent.ainvoke({"messages": [("user", question)]}, {"recursion_limit": 60})
        return str(state["messages"][-1].text), True

    return ask


async def start_gpt_researcher(folder: str) -> Ask:
    """A research report over local documents."""
    os.environ |= {
        "DOC_PATH": folder,
        "FAST_LLM": "openai:scripted",
        "SMART_LLM": "openai:scripted",
        "STRATEGIC_LLM": "openai:scripted",
        "EMBEDDING": "custom:scripted",
        "RETRIEVER": "duckduckgo",  # asked before sub-queries are planned, even over documents; finds nothing
    }
    import tiktoken
    from gpt_researcher import GPTResearcher

    # Its estimates of cost would fetch encodings from the network.
    encoding = SimpleNamespace(encode=lambda text, **_: text.encode()[::4])
    tiktoken.get_encoding = tiktoken.encoding_for_model = lambda _: encoding
    mark_imported()

    async def ask(question: str) -> tuple[str, bool]:
        researcher = GPTResearcher(query=question, report_type="research_report", report_source="local", verbose=False)
        await researcher.conduct_research()
        return await researcher.write_report(), True

    return ask


async def start_haystack(folder: str) -> Ask:
    """Start Haystack's agent with a BM25 store behind a single search tool."""
    from pathlib import Path

    from haystack.components.agents import Agent
    from haystack.components.converters import CSVToDocument, DOCXToDocument, TextFileToDocument, XLSXToDocument
    from haystack.components.generators.chat import OpenAIChatGenerator
    from haystack.components.preprocessors import DocumentSplitter
    from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
    from haystack.dataclasses import ChatMessage
    from haystack.document_stores.in_memory import InMemoryDocumentStore
    from haystack.tools import Tool

    mark_imported()
    converters = {
        ".txt": TextFileToDocument(),
        ".csv": CSVToDocument(),
        ".docx": DOCXToDocument(),
        ".xlsx": XLSXToDocument(),
    }
    store, splitter = InMemoryDocumentStore(), DocumentSplitter(split_by="word", split_length=200, split_overlap=20)
    for path in sorted(Path(folder).iterdir()):
        read = converters[path.suffix].run(sources=[path])["documents"]
        store.write_documents(splitter.run(documents=read)["documents"])
    retriever = InMemoryBM25Retriever(store, top_k=PASSAGES)

    def search(query: str) -> str:
        found = retriever.run(query=query)["documents"]
        return "\n\n".join(f"{document.meta.get('file_path', '')}: {document.content}" for document in found)

    parameters = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
    tool = Tool(name="search", description="Search the documents.", parameters=parameters, function=search)
    agent = Agent(
        chat_generator=OpenAIChatGenerator(model="scripted", api_base_url=os.environ["OPENAI_BASE_URL"]),
        tools=[tool],
        system_prompt=TOLD,
    )

    async def ask(question: str) -> tuple[str, bool]:
        result = await agent.run_async(messages=[ChatMessage.from_user(question)])
        return str(result["last_message"].text), True

    return ask


async def start_llama_index(folder: str) -> Ask:
    """Start LlamaIndex's agent with a vector index behind a single search tool."""
    from llama_index.core import SimpleDirectoryReader, VectorStoreIndex
    from llama_index.core.agent.workflow import FunctionAgent
    from llama_index.core.tools import FunctionTool
    from llama_index.embeddings.openai_like import OpenAILikeEmbedding
    from llama_index.llms.openai_like import OpenAILike

    mark_imported()
    base = os.environ["OPENAI_BASE_URL"]
    embedding = OpenAILikeEmbedding(model_name="scripted", api_base=base, api_key="none")
    index = VectorStoreIndex.from_documents(SimpleDirectoryReader(folder).load_data(), embed_model=embedding)
    retriever = index.as_retriever(similarity_top_k=PASSAGES)

    def search(query: str) -> str:
        """Search the documents."""
        found = retriever.retrieve(query)
        return "\n\n".join(f"{node.metadata.get('file_name', '')}: {node.get_content()}" for node in found)

    model = OpenAILike(
        model="scripted", api_base=base, api_key="none", is_chat_model=True, is_function_calling_model=True
    )
    agent = FunctionAgent(tools=[FunctionTool.from_defaults(search)], llm=model, system_prompt=TOLD)

    async def ask(question: str) -> tuple[str, bool]:
        return str(await agent.run(question)), True

    return ask


START: dict[str, Callable[[str], Awaitable[Ask]]] = {
    "weiwo": start_weiwo,
    "deepagents": start_deepagents,
    "gpt-researcher": start_gpt_researcher,
    "haystack": start_haystack,
    "llama-index": start_llama_index,
}
_BEGAN = time.perf_counter()
_times: dict[str, float] = {}


def mark_imported() -> None:
    """Record the end of the imports."""
    _times["import"] = time.perf_counter() - _BEGAN


async def main() -> None:
    """Answer incoming questions."""
    answers, sys.stdout = sys.stdout, sys.stderr  # what a system prints is no answer

    def write(row: dict[str, Any]) -> None:
        answers.write(json.dumps(row) + "\n")
        answers.flush()

    ask = await START[sys.argv[1]](sys.argv[2])
    write({"import": _times["import"], "index": time.perf_counter() - _BEGAN - _times["import"]})
    for line in iter(sys.stdin.readline, ""):
        try:
            answer, complete = await ask(json.loads(line))
        except Exception as error:  # noqa: BLE001 - any failure of a system is its result
            answer, complete = f"{type(error).__name__}: {error}", False
        write({"answer": answer, "complete": complete})


if __name__ == "__main__":
    asyncio.run(main())
