"""Weiwo's own routes on the installation: what it is, its settings, corpora and tools, logging in and out."""

import asyncio
import os
import sqlite3
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from weiwo.app.configuration.config_file import read_config
from weiwo.app.configuration.env_file import read_env_file
from weiwo.app.server.access.profiles import require_operator, user_of
from weiwo.app.server.access.user_corpora import USER_PREFIX, own_corpora, run_defaults
from weiwo.app.server.backend import backend_of
from weiwo.app.server.engine import engine_of
from weiwo.app.server.weiwo_api.answer_routes import format_names
from weiwo.app.server.weiwo_api.uploads import MOST_UPLOAD_BYTES, upload
from weiwo.app.server.wire import reply, wants_chinese
from weiwo.graph.persistence.thread_lock import OPERATOR
from weiwo.state.settings import Context, Settings, operator_defaults
from weiwo.text.patterns import lazy
from weiwo.tools.corpus.base import CorpusError
from weiwo.tools.corpus.index.catalog import CorpusSummary, corpus_exists, list_corpora, list_titles, locate_by_roots
from weiwo.tools.corpus.source_names import find_sample_corpus
from weiwo.tools.printable import one_line
from weiwo.tools.registry import list_tools
from weiwo.tools.web.providers.selection import select_providers

_BESIDE_CONTEXT: Final = {
    "WEIWO_HOME": ("Folder of Weiwo's own files.", "帷幄自己的文件所在的文件夹。"),
    "WEIWO_DATABASE_URL": (
        "Postgres for threads; SQLite without one.",
        "保存会话的 Postgres；不设则用 SQLite。",
    ),
    "WEIWO_CLIENT_FIELDS": (
        "Further fields of a run's context that clients may set.",
        "客户端还可以设置的运行参数。",
    ),
    "WEIWO_AUTH": ("How users of weiwo serve log in.", "weiwo serve 的用户如何登录。"),
    "WEIWO_OIDC_ISSUER": (
        "The OpenID Connect issuer where users log in.",
        "用户登录的 OpenID Connect 身份提供方。",
    ),
    "WEIWO_OIDC_CLIENT_ID": ("The id of this server at the issuer.", "本服务器在身份提供方的编号。"),
    "WEIWO_OIDC_CLIENT_SECRET": ("Its secret there, where it has one.", "它在那里的密钥（如有）。"),
    "WEIWO_OIDC_PUBLIC_URL": ("The address by which browsers reach this server.", "浏览器访问本服务器的地址。"),
    "WEIWO_OIDC_OPERATOR": (
        "The operator's sub or verified e-mail address at the issuer.",
        "管理员在身份提供方的 sub 或已验证的邮箱。",
    ),
    "WEIWO_ORIGINS": (
        "Origins of other sites' pages that may use weiwo serve.",
        "可以使用 weiwo serve 的其他网站的来源。",
    ),
    "OPENAI_BASE_URL": ("Where the chat model is.", "对话模型的地址。"),
    "OPENAI_API_KEY": ("Its key.", "它的密钥。"),
    "TAVILY_API_KEY": ("Key of the web search Tavily.", "网络搜索 Tavily 的密钥。"),
}
"""Settings that are no fields of a run's context."""
_CHINESE: Final = {
    "model": "对话模型，写作 提供方:模型，例如 openai:gpt-5-mini。不设：只用规则。",
    "master_model": "主控使用的模型（如与上面不同）。",
    "planner_model": "规划使用的模型（如与上面不同）。",
    "executor_model": "在任务中阅读段落的模型（如与上面不同）。",
    "reflection_model": "反思使用的模型（如与上面不同）。",
    "writer_model": "撰写使用的模型（如与上面不同）。",
    "verifier_model": "对照来源核对答案的模型；可以较小（默认同撰写）。",
    "model_seconds": "一次模型调用最多的秒数（默认 60）。",
    "context_tokens": "模型上下文窗口的词元数。不设：按名称已知的值，否则 32,000。",
    "thinking": "让推理模型不思考的开关，冒号后是可以思考的角色；由 weiwo setup 找出。不设：由模型决定。",
    "depth": "查找的深度：决定轮数、查询数、页数，除非另行设置（默认 normal）。",
    "form": "模型撰写答案的形式。不设：按问题的需要。",
    "words": "模型答案的大致长度（英文按词，中文按字）。",
    "embeddings": "嵌入模型，写作 提供方:模型，用于按意思查找段落。",
    "corpus": "要搜索的文件、文件夹、通配符或文档集名称。不设：WEIWO_CORPUS，再则默认文档集，再则自带样例。",
    "web": "是否可以使用网络（默认：已配置搜索服务时可以）。",
    "search": "搜索服务及其先后次序，例如 searxng, tavily。不设：已有密钥的那些。",
    "allow_hosts": "可以读取的内网主机和网段，例如 wiki.corp 或 10.1.0.0/16。",
    "site": "只采用这些网站的页面，例如 who.int。",
    "not_site": "不采用这些网站的页面。",
    "since": "年、月或日，例如 2025-01：已知更早的不采用。",
    "folder": "只采用这些文件夹中的文档，例如 docs/2025。",
    "tools": "另外的 LangChain 工具，写作 模块:属性。",
    "mcp": "列出 MCP 服务器的文件（mcpServers，与桌面客户端的写法相同）。",
    "plan_memory": "是否保留并再用曾得到完整答案的计划（默认是）。",
    "answer_memory": "以前完整回答过、来源也未变的问题，是否直接用原来的答案并注明时间。",
    "procedures": "Markdown 流程的文件夹：某类问题按此回答。",
    "allow_tools": "不必先征求同意就可以造成改动的工具。",
    "allow_acting": "是否所有工具都不必先征求同意（默认否）。",
    "max_tools": "规划时可见的工具数；更多时取最合适的。",
    "telemetry": "是否在本机保留检索记录（默认是）。",
    "approve_plan": "计划执行前是否先由人批准（默认否）。",
    "clarify": "问题有多种理解时是否先问人；不问时，答案会说明按哪种理解。",
    "fresh": "即使保留有最近的结果，也重新调用工具（默认否）。",
    "prices": "每百万输入、输出词元的美元价格，按 提供方:模型；max_cost 据此计算。",
    "max_seconds": "一个答案可用的秒数。",
    "max_model_calls": "一个答案可用的模型调用次数。",
    "max_tool_calls": "一个答案可用的工具调用次数。",
    "max_tokens": "一个答案可用的输入和输出词元数。",
    "max_cost": "一个答案可用的美元（价格已知时）。",
    "max_tasks": "一个计划中的任务数。",
    "max_items": "一个 for_each 任务的实例数。",
    "max_replans": "重试、重新规划或加深的轮数。",
    "max_turns": "一个任务中搜索或打开页面的次数。",
    "max_queries": "一次搜索中同时发出的查询数。",
    "max_pages": "一个任务中打开的页面或文档数。",
    "max_parallel": "同时工作的任务数。",
    "tool_seconds": "一次工具调用的秒数。",
    "max_page_bytes": "读取一个页面或文档的字节数。",
}
"""Fields of a run's context, whose English descriptions are their own."""
_TOOLS: Final = {
    "corpus_search": "在本地文档（中英文）中搜索相关段落。",
    "open_document": "阅读一份本地文档：短的全文，长的围绕某处或某个查询。",
    "calculator": "精确计算算式、比较、平均值和日期之差。",
    "date_difference": "计算两个日期之间的年、周岁、月或日，不限纪元。",
    "web_search": "在网络上搜索相关段落，包括时事。",
    "read_page": "阅读一个网页，与查询相符的段落在先。",
    "extract_page": "read_page 读不到时，通过服务阅读一个网页。",
}


def _describe_settings(*, chinese: bool) -> dict[str, tuple[str, str]]:
    """The settings by variable: the field of a run's context, empty where it is none, and what it is."""
    fields = {
        f"WEIWO_{name.upper()}": (name, (chinese and _CHINESE.get(name)) or field.description or "")
        for name, field in Context.model_fields.items()
    }
    return fields | {name: ("", says[chinese]) for name, says in _BESIDE_CONTEXT.items()}


def describe_tool(name: str, said: str, *, chinese: bool) -> str:
    """What a tool is; one that is not built in says it in its own words."""
    return _TOOLS.get(name, said) if chinese else said


_MOST_TITLES: Final = 3
_SECRET: Final = lazy(r"KEY|TOKEN(?!S)|SECRET|PASSWORD|DATABASE_URL|AUTH$")


async def info(request: Request) -> Response:
    """What the installation has; before a login, how to log in."""
    backend, user = backend_of(request), user_of(request)
    logins = request.app.state.auth
    auth = "none" if logins is None else "token" if logins.oidc is None else "oidc"
    language = "zh" if os.environ.get("LC_ALL", os.environ.get("LANG", "")).startswith("zh") else "en"
    known: dict[str, Any] = {"version": version("weiwo"), "user": user or None, "language": language, "auth": auth}
    if not user:
        return reply(known)
    settings = await asyncio.to_thread(_user_settings, Path(backend.settings.home), user)
    known |= {
        "models": settings.models,
        "web": _web(settings),
        "corpora": await asyncio.to_thread(_named_corpora, Path(backend.settings.home), user),
        **await asyncio.to_thread(_documents, settings, user),
        "limits": settings.limits,
        "max_upload": MOST_UPLOAD_BYTES,
        "formats": format_names(),
        "day": await backend.day(user),
        "answer_memory": backend.memory(user) is not None and _remembers_answers(settings),
    }
    return reply(known)


async def settings_list(request: Request) -> Response:
    """Every setting, its value, and where that comes from."""
    require_operator(request)
    return reply(await asyncio.to_thread(_settings, chinese=wants_chinese(request.headers)))


async def corpora(request: Request) -> Response:
    """The corpora."""
    home, user = Path(backend_of(request).settings.home), user_of(request)

    def list_own() -> list[dict[str, Any]]:
        names = {stored: name for name, stored in own_corpora(home, user).items()}
        listed = [one for one in list_corpora(home) if one.name in names]
        hidden: dict[str, Any] = {} if user == OPERATOR else {"roots": []}
        return [
            {**_corpus(one), "name": names[one.name], "sample": one.name == _sample(home), **hidden} for one in listed
        ]

    return reply(await asyncio.to_thread(list_own))


async def tools(request: Request) -> Response:
    """The tools a run would have, and the MCP servers with their health."""
    found = await list_tools(Settings.resolve())
    health = {one["name"]: one["health"] for one in found["servers"]}
    chinese = wants_chinese(request.headers)
    for tool in found["tools"]:
        tool["description"] = describe_tool(tool["name"], tool["description"], chinese=chinese and not tool["server"])
        tool["health"] = health.get(tool["server"], "up") if tool["available"] else "not available"
        tool["server"] = tool["server"] or None
    return reply(found["tools"])


async def upload_file(request: Request) -> Response:
    """Add a file to a corpus of the user, and index it."""
    engine = engine_of(request)
    return await upload(request, engine.settings, engine.runs.quota)


def _remembers_answers(settings: Settings) -> bool:
    """Whether the page asks for earlier answers: somebody reads along there, as at a terminal."""
    return bool(settings.answer_memory or not os.environ.get("WEIWO_ANSWER_MEMORY"))


def _web(settings: Settings) -> str | None:
    """The web search a run would ask first; None where it has none."""
    chosen = select_providers(settings)
    return chosen[0].name if chosen else None


def _user_settings(home: Path, user: str) -> Settings:
    with operator_defaults(run_defaults(home, user)):
        return Settings.resolve()


def _named_corpora(home: Path, user: str) -> list[str]:
    """The corpora that a user may choose among: what he added, so neither the sample nor other users'."""
    return [name for name in own_corpora(home, user) if name != _sample(home) and not name.startswith(USER_PREFIX)]


def _documents(settings: Settings, user: str) -> dict[str, Any]:
    """Whether a question has documents beside the sample, and titles of some, to ask about."""
    home, own = Path(settings.home), own_corpora(Path(settings.home), user)
    folders = [home / "corpora" / own[name] for name in _named_corpora(home, user)]
    if user == OPERATOR and settings.corpus:
        named = [home / "corpora" / entry for entry in settings.corpus if corpus_exists(home, entry)]
        folders = [*named, locate_by_roots(home, settings.corpus), *folders]
    titles: list[str] = []
    for folder in dict.fromkeys(folders):
        with suppress(CorpusError, sqlite3.Error, OSError):
            titles += list_titles(folder, _MOST_TITLES - len(titles))
    return {"documents": bool(titles or (user == OPERATOR and settings.corpus)), "titles": titles}


def _sample(home: Path) -> str:
    return locate_by_roots(home, [find_sample_corpus()]).name


def _corpus(one: CorpusSummary) -> dict[str, Any]:
    vectors = next(iter(one.vectors.items()), None)
    updated = datetime.fromtimestamp(datetime.now(UTC).timestamp() - one.age, UTC)
    errors = [*filter(None, [one.trouble, one.note])]
    errors += [f"{one.problems:,} files could not be read"] if one.problems else []
    return {
        "name": one.name,
        "documents": one.documents,
        "passages": one.passages,
        "bytes": one.bytes,
        "vectors": {"model": vectors[0], "covered": vectors[1][0], "of": vectors[1][1]} if vectors else None,
        "updated": updated.isoformat(timespec="seconds"),
        "roots": list(one.roots),
        "errors": [one_line(text, 300) for text in errors],
    }


def _settings(*, chinese: bool) -> list[dict[str, Any]]:
    file, config = read_env_file(), read_config()
    local = {**file.harmless, **(file.risky if file.trusted else {})}
    resolved = Settings.resolve()
    found = []
    for name, (field, says) in _describe_settings(chinese=chinese).items():
        value = os.environ.get(name, "")
        origin = "default"
        if value:
            origin = (
                ".env" if local.get(name) == value else "config.toml" if config.get(name) == value else "environment"
            )
        if value and _SECRET.search(name):
            shown: Any = "set"
        else:
            shown = value or getattr(resolved, field, getattr(resolved.limits, field, None))
        found.append({"name": name, "field": field or None, "value": shown, "from": origin, "says": says})
    return found
