"""Route table: every path of `weiwo serve`, by API. `/mcp` is in `mcp_mount.py`."""

from typing import Final

from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import BaseRoute, Mount, Route

from weiwo.app.server import health_routes
from weiwo.app.server.access import auth
from weiwo.app.server.access.oidc import CALLBACK
from weiwo.app.server.langgraph_api import assistant_routes, protocol_routes, run_routes, thread_routes
from weiwo.app.server.openai_api import chat_routes, response_routes
from weiwo.app.server.weiwo_api import answer_routes, installation_routes, memory_routes, page_files, setup_routes

LANGGRAPH_API: Final[list[BaseRoute]] = [
    Route("/ok", assistant_routes.ok),
    Route("/info", assistant_routes.info),
    Route("/assistants/search", assistant_routes.search, methods=["POST"]),
    Route("/assistants/count", assistant_routes.count, methods=["POST"]),
    Route("/assistants/{assistant_id}", assistant_routes.get),
    Route("/assistants/{assistant_id}/versions", assistant_routes.versions, methods=["POST"]),
    Route("/assistants/{assistant_id}/graph", assistant_routes.graph),
    Route("/assistants/{assistant_id}/schemas", assistant_routes.get_schemas),
    Route("/assistants/{assistant_id}/subgraphs", assistant_routes.subgraphs),
    Route("/assistants/{assistant_id}/subgraphs/{namespace}", assistant_routes.subgraphs),
    Route("/threads", thread_routes.create, methods=["POST"]),
    Route("/threads/search", thread_routes.search, methods=["POST"]),
    Route("/threads/count", thread_routes.count, methods=["POST"]),
    Route("/threads/{thread_id}", thread_routes.get),
    Route("/threads/{thread_id}", thread_routes.update, methods=["PATCH"]),
    Route("/threads/{thread_id}", thread_routes.delete, methods=["DELETE"]),
    Route("/threads/{thread_id}/copy", thread_routes.copy, methods=["POST"]),
    Route("/threads/{thread_id}/state", thread_routes.get_state),
    Route("/threads/{thread_id}/state", thread_routes.update_state, methods=["POST"]),
    Route("/threads/{thread_id}/state/checkpoint", thread_routes.get_state_at, methods=["POST"]),
    Route("/threads/{thread_id}/state/{checkpoint_id}", thread_routes.get_state),
    Route("/threads/{thread_id}/history", thread_routes.history, methods=["GET", "POST"]),
    Route("/threads/{thread_id}/runs", run_routes.create, methods=["POST"]),
    Route("/threads/{thread_id}/runs", run_routes.index),
    Route("/threads/{thread_id}/runs/stream", run_routes.stream, methods=["POST"]),
    Route("/threads/{thread_id}/runs/wait", run_routes.wait, methods=["POST"]),
    Route("/threads/{thread_id}/runs/{run_id}", run_routes.get),
    Route("/threads/{thread_id}/runs/{run_id}", run_routes.delete, methods=["DELETE"]),
    Route("/threads/{thread_id}/runs/{run_id}/join", run_routes.join),
    Route("/threads/{thread_id}/runs/{run_id}/stream", run_routes.join_stream),
    Route("/threads/{thread_id}/runs/{run_id}/cancel", run_routes.cancel, methods=["POST"]),
    Route("/threads/{thread_id}/stream", run_routes.stream_thread),
    Route("/threads/{thread_id}/stream/events", protocol_routes.events, methods=["POST"]),
    Route("/threads/{thread_id}/commands", protocol_routes.command, methods=["POST"]),
    Route("/runs", run_routes.create, methods=["POST"]),
    Route("/runs/stream", run_routes.stream, methods=["POST"]),
    Route("/runs/wait", run_routes.wait, methods=["POST"]),
]
"""Routes called by LangGraph's SDKs, `useStream` and Studio."""
OPERATION: Final[list[BaseRoute]] = [
    Route("/ready", health_routes.ready),
    Route("/metrics", health_routes.metrics),
]
"""Routes called by an orchestrator and Prometheus."""
OPENAI_API: Final[list[BaseRoute]] = [
    Route("/v1/models", chat_routes.models),
    Route("/v1/models/{model}", chat_routes.model),
    Route("/v1/chat/completions", chat_routes.completions, methods=["POST"]),
    Route("/v1/responses", response_routes.create, methods=["POST"]),
    Route("/v1/responses/{response_id}", response_routes.get),
]
"""Routes called by the `openai` client and Open WebUI."""
WEIWO_API: Final[list[BaseRoute]] = [
    Route("/weiwo/info", installation_routes.info),
    Route("/weiwo/settings", installation_routes.settings_list),
    Route("/weiwo/setup", setup_routes.show),
    Route("/weiwo/setup/models", setup_routes.models),
    Route("/weiwo/setup/budget", setup_routes.put_budget, methods=["PUT"]),
    Route("/weiwo/setup/{kind}", setup_routes.change, methods=["PUT"]),
    Route("/weiwo/corpora", installation_routes.corpora),
    Route("/weiwo/corpora/{name}/files", installation_routes.upload_file, methods=["POST"]),
    Route("/weiwo/tools", installation_routes.tools),
    Route("/weiwo/memory", memory_routes.index),
    Route("/weiwo/memory", memory_routes.add, methods=["POST"]),
    Route("/weiwo/memory/offer", memory_routes.offer, methods=["POST"]),
    Route("/weiwo/memory/{kind}", memory_routes.forget, methods=["DELETE"]),
    Route("/weiwo/memory/{kind}/{key}", memory_routes.forget, methods=["DELETE"]),
    Route("/weiwo/login", auth.log_in, methods=["POST"]),
    Route("/weiwo/logout", auth.log_out, methods=["POST"]),
    Route("/weiwo/key", auth.show_key),
    Route("/weiwo/key", auth.put_key, methods=["PUT"]),
    Route("/weiwo/key", auth.delete_key, methods=["DELETE"]),
    Route(auth.OIDC_LOGIN, auth.begin_oidc),
    Route(CALLBACK, auth.finish_oidc),
    Route("/weiwo/threads/{thread_id}", answer_routes.get),
    Route("/weiwo/threads/{thread_id}/passages/{n}", answer_routes.passage),
    Route("/weiwo/threads/{thread_id}/export", answer_routes.download),
    Route("/weiwo/threads/{thread_id}/feedback", answer_routes.feedback, methods=["POST"]),
    Route("/weiwo/threads/{thread_id}/moments", answer_routes.list_checkpoints),
    Route("/weiwo/threads/{thread_id}/fork", answer_routes.fork_thread, methods=["POST"]),
    Route("/weiwo/threads/{thread_id}/plan/check", answer_routes.check, methods=["POST"]),
]
"""Routes called by the page."""
PAGE: Final[list[BaseRoute]] = [
    Route("/", page_files.index),
    Mount("/page", app=GZipMiddleware(page_files.PageFiles(directory=page_files.FOLDER, check_dir=False))),
]
"""Routes of the page's own files."""
