"""The registry: what is there, what is missing and why, what can stand in."""

import sys
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest
from langchain_core.tools import BaseTool, StructuredTool

from weiwo.state import VALUE_TYPES
from weiwo.state.settings import Settings, SettingsError
from weiwo.tools.corpus.base import CorpusError
from weiwo.tools.registry import Registry, build_registry

BUILT_IN = ("corpus_search", "open_document", "calculator", "date_difference")


def probe(name="probe", **kwargs) -> StructuredTool:
    def work(query: str, limit: int = 3) -> str:
        return f"{query} {limit}"

    return StructuredTool.from_function(work, name=name, description=f"The {name}.", **kwargs)


@pytest.fixture
def settings(tmp_path, index_sample):
    index_sample(tmp_path)
    return Settings(home=str(tmp_path))


@pytest.fixture
def module(monkeypatch):
    made = ModuleType("weiwo_test_tools")
    monkeypatch.setitem(sys.modules, made.__name__, made)
    return made


def named(settings, *entries) -> Settings:
    return replace(settings, tools=entries)


async def test_without_a_key_the_web_is_listed_as_missing(settings):
    registry = await build_registry(settings)
    assert registry.names() == BUILT_IN
    assert [info.name for info in registry.infos()] == [*BUILT_IN, "web_search"]
    web = registry.info("web_search")
    assert (web.available, web.cluster) == (False, "search")
    assert "TAVILY_API_KEY" in web.why_not
    assert "WEIWO_SEARCH=ddgs,wikipedia" in web.why_not
    with pytest.raises(KeyError):
        registry.get("web_search")
    assert registry.corpus is not None
    assert registry.corpus.size > 0


async def test_with_a_key_the_web_is_there_unless_switched_off(settings, monkeypatch):
    monkeypatch.setenv("TAVILY_API_KEY", "tvly-dev-12345678")
    registry = await build_registry(settings)
    assert registry.names() == (*BUILT_IN, "web_search", "read_page", "extract_page")
    assert registry.info("web_search").args_schema["required"] == ["query"]
    assert "tvly-dev" not in repr(registry.get("web_search"))
    off = await build_registry(replace(settings, web=False))
    assert off.names() == BUILT_IN
    assert "switched off" in off.info("web_search").why_not
    assert off.info("web_search").args_schema["properties"].keys() == {
        "query",
        "k",
        "time_range",
        "topic",
        "site",
        "since",
    }


async def test_substitutes_share_a_cluster_and_find_their_arguments(settings, monkeypatch):
    monkeypatch.setenv("TAVILY_API_KEY", "tvly-dev-12345678")

    def other(term: str) -> str:
        return term

    needy = StructuredTool.from_function(other, name="needy", description="d", metadata={"cluster": "search"})
    registry = await build_registry(settings, [probe(metadata={"cluster": "search"}), needy, probe("alone")])
    args = {"query": "x", "k": 5}
    assert registry.substitutes("corpus_search", args) == {"web_search": args, "probe": {"query": "x", "limit": 5}}
    assert list(registry.substitutes("web_search", {"query": "x"})) == ["corpus_search", "probe"]
    assert registry.substitutes("needy", {"term": "x"}) == {}
    assert registry.substitutes("alone", {"query": "x"}) == {}
    assert registry.substitutes("unknown", {}) == {}
    assert registry.info("alone").cluster == "other:alone"


async def test_providers_named_for_the_run_need_no_key(settings):
    registry = await build_registry(replace(settings, search=("wikipedia",)))
    assert registry.names() == (*BUILT_IN, "web_search", "read_page")
    with pytest.raises(SettingsError, match="search: brave needs BRAVE_API_KEY"):
        await build_registry(replace(settings, search=("brave",)))


async def test_pages_of_hosts_to_allow_can_be_read_without_any_search(settings):
    allowing = replace(settings, allow_hosts=("wiki.corp", "10.1.0.0/16"))
    registry = await build_registry(allowing)
    assert registry.names() == (*BUILT_IN, "read_page")
    registry.get("read_page").guard.check_url("https://wiki.corp/page")
    assert (await build_registry(replace(allowing, web=False))).names() == BUILT_IN
    with pytest.raises(SettingsError, match="allow_hosts: ") as caught:
        await build_registry(replace(settings, allow_hosts=("http://[",)))
    assert "\n" not in str(caught.value)


async def test_reading_a_page_has_the_limits_of_the_run(settings):
    limits = replace(settings.limits, tool_seconds=7, max_page_bytes=1234)
    registry = await build_registry(replace(settings, search=("arxiv",), limits=limits))
    page, search = registry.get("read_page"), registry.get("web_search")
    assert page.max_bytes == 1234
    assert 2 * page.seconds < 7
    assert 6 < search.seconds < 7


async def test_no_document_is_looked_for_on_the_web_and_no_page_among_the_documents(settings):
    registry = await build_registry(replace(settings, search=("wikipedia",)))
    assert registry.info("read_page").cluster == registry.info("open_document").cluster == "open"
    for name in ("a.md", "/etc/passwd", "file:///etc/passwd"):
        assert registry.substitutes("open_document", {"source": name, "query": "x"}) == {}
    assert registry.substitutes("read_page", {"url": "https://a.org/1", "query": "x"}) == {}

    def fetch(link: str) -> str:
        return link

    mine = StructuredTool.from_function(fetch, name="fetch_url", description="Fetch any web page.")
    registry = await build_registry(replace(settings, search=("wikipedia",)), [mine])
    args = {"url": "https://a.org/1", "query": "x"}
    assert registry.substitutes("read_page", args) == {"fetch_url": {"link": "https://a.org/1"}}


async def test_what_a_planner_is_told_of_the_web_is_short(settings):
    registry = await build_registry(replace(settings, search=("wikipedia",)))
    assert len(registry.describe(["web_search", "read_page"])) < 900


async def test_substitutes_that_keep_more_of_the_call_come_first(settings):
    def short(query: str) -> str:
        return query

    brief = StructuredTool.from_function(short, name="brief", description="d", metadata={"cluster": "search"})
    registry = await build_registry(settings, [brief, probe(metadata={"cluster": "search"})])
    assert list(registry.substitutes("corpus_search", {"query": "x", "k": 5})) == ["probe", "brief"]


async def test_tools_of_the_user_join_a_cluster_by_what_they_say_of_themselves(settings):
    def seek(q: str) -> str:
        return q

    web = StructuredTool.from_function(seek, name="my_google", description="Search the web with Google.")
    registry = await build_registry(settings, [web])
    assert registry.info("my_google").cluster == "search"
    assert registry.substitutes("corpus_search", {"query": "x", "k": 5}) == {"my_google": {"q": "x"}}


async def test_how_long_results_are_kept(settings, monkeypatch):
    monkeypatch.setenv("TAVILY_API_KEY", "tvly-dev-12345678")
    tools = [probe(), probe("own", metadata={"cache_seconds": 7}), probe("odd", metadata={"cache_seconds": "x"})]
    registry = await build_registry(settings, tools)
    kept = {info.name: info.cache_seconds for info in registry.infos()}
    pages = kept.pop("read_page")
    assert kept.pop("extract_page") == pages
    assert kept == {**dict.fromkeys(BUILT_IN, 0), "web_search": 3600, "probe": 300, "own": 7, "odd": 300}
    assert pages > 0


async def test_an_empty_corpus_makes_its_tools_unavailable(tmp_path):
    (tmp_path / "empty").mkdir()
    registry = await build_registry(Settings(home=str(tmp_path), corpus=(str(tmp_path / "empty"),)))
    assert registry.names() == ("calculator", "date_difference")
    assert "contains no readable text" in registry.info("corpus_search").why_not


async def test_a_missing_corpus_is_one_line(tmp_path):
    with pytest.raises(CorpusError, match="nowhere"):
        await build_registry(Settings(home=str(tmp_path), corpus=(str(tmp_path / "nowhere"),)))


async def test_the_corpus_is_shared_between_runs(settings):
    first, second = await build_registry(settings), await build_registry(settings)
    assert first.corpus is second.corpus


async def test_tools_are_loaded_by_name_in_every_form(settings, module):
    module.one = probe("one")
    module.some = [probe("two"), probe("three")]

    def make() -> BaseTool:
        return probe("four")

    def make_some() -> "tuple[BaseTool, ...]":
        return probe("five"), probe("six")

    module.make, module.make_some = make, make_some
    entries = [f"weiwo_test_tools:{name}" for name in ("one", "some", "make", "make_some")]
    registry = await build_registry(named(settings, *entries))
    assert registry.names() == (*BUILT_IN, "one", "two", "three", "four", "five", "six")
    assert registry.info("one").returns == VALUE_TYPES


@pytest.mark.parametrize("returns", [None, int, "list[Nowhere]", dict[str, BaseTool]])
async def test_a_callable_that_does_not_say_that_it_makes_tools_is_not_called(settings, module, returns):
    called = []

    def act():
        called.append(1)

    act.__annotations__ = {} if returns is None else {"return": returns}
    module.act = act
    with pytest.raises(SettingsError, match="annotated to return"):
        await build_registry(named(settings, "weiwo_test_tools:act"))
    with pytest.raises(SettingsError, match="annotated to return"):
        await build_registry(named(settings, "os:abort"))
    assert not called


async def test_a_tool_of_the_user_replaces_a_built_in_one(settings):
    mine = probe("web_search")
    registry = await build_registry(settings, [mine])
    assert registry.get("web_search") is mine
    assert registry.info("web_search").available
    assert registry.substitutes("corpus_search", {"query": "x"}) == {"web_search": {"query": "x"}}


@pytest.mark.parametrize(
    "entry",
    [
        "",
        "weiwo_test_tools",
        ":x",
        "weiwo_test_tools:",
        "weiwo_no_such_module:x",
        "weiwo_test_tools:missing",
        "weiwo_test_tools:number",
        "weiwo_test_tools:nothing",
        "weiwo_test_tools:mixed",
        "weiwo_test_tools:breaks",
        "weiwo_test_tools:leaves",
        "..relative:x",
    ],
)
async def test_a_tool_that_cannot_be_loaded_is_one_line_that_names_it(settings, module, entry):
    module.number = 42
    module.nothing = []
    module.mixed = [probe(), "text"]

    def breaks() -> None:
        raise RuntimeError("line one\nline two")

    def leaves() -> None:
        raise SystemExit(3)

    module.breaks, module.leaves = breaks, leaves
    with pytest.raises(SettingsError) as caught:
        await build_registry(named(settings, entry))
    message = str(caught.value)
    assert repr(entry) in message
    assert "\n" not in message


async def test_describe_tells_a_planner_names_types_and_defaults(settings):
    registry = await build_registry(settings, [probe()])
    text = registry.describe(["probe", "unknown", "date_difference"])
    assert text.startswith("- probe(query: string, limit?: integer = 3): The probe.\n- date_difference(start: string, ")
    assert '"years"|"age"|"months"|"days" = "years"' in text
    assert "unknown" not in text
    assert registry.describe([]) == ""


def of_server(server: str, name: str, description: str, argument: str, *, acts: bool = False, **claims: bool) -> Any:
    """A tool as MCP servers' tools are."""
    schema = {"type": "object", "properties": {argument: {"type": "string"}}, "required": [argument]}
    metadata = {"server": server, "acts": acts, "annotations": claims}
    made = StructuredTool.from_function(
        lambda **_: "", name=f"{server}_{name}", description=description, args_schema=schema
    )
    made.metadata = metadata
    return made


def test_tools_of_mcp_servers_stand_in_for_each_other_by_what_they_do():
    tools = [
        of_server("alpha", "get_weather", "Get the current weather for a city.", "city"),
        of_server("beta", "weather_now", "Current weather at a location.", "location"),
        of_server("acme", "weather", "Current weather at a location.", "location", acts=True),
        of_server("mine", "weather", "Current weather at a location.", "location", open_world_hint=False),
        of_server("hub", "search_code", "Search code on GitHub.", "query"),
        of_server("lab", "search_code", "Search code on GitLab.", "query"),
    ]
    registry = Registry(tools)
    assert registry.substitutes("alpha_get_weather", {"city": "Oslo"}) == {"beta_weather_now": {"location": "Oslo"}}
    assert registry.substitutes("mine_weather", {"location": "Oslo"}) == {}
    assert registry.substitutes("acme_weather", {"location": "Oslo"}) == {}
    assert registry.substitutes("hub_search_code", {"query": "x"}) == {}
