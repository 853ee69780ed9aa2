"""Stand-ins: which arguments mean the same, and which tools do the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weiwo.tools.calling.substitutes import _SYNONYMS, map_arguments
from weiwo.tools.selection.clusters import Documentation, _are_alike, clusters_of


def schema(*names: str, required: int | None = None, **typed: object) -> dict[str, object]:
    properties = {name: {"type": "string"} for name in names} | {
        name: kind if isinstance(kind, dict) else {"type": kind} for name, kind in typed.items()
    }
    needed = names if required is None else names[:required]
    return {"properties": properties, "required": list(needed)}


@pytest.mark.parametrize(
    ("args", "given", "wanted", "result"),
    [
        # by name and by obvious synonyms
        ({"query": "x"}, schema("query"), schema("query"), {"query": "x"}),
        ({"query": "x"}, schema("query"), schema("q"), {"q": "x"}),
        ({"question": "x"}, schema("question"), schema("search_query"), {"search_query": "x"}),
        ({"query": "x"}, schema("query"), schema("tool_input"), {"tool_input": "x"}),
        ({"Query": "x"}, schema("Query"), schema("query"), {"query": "x"}),
        (
            {"query": "x", "k": 5},
            schema("query", k="integer"),
            schema("q", max_results="integer", required=1),
            {"q": "x", "max_results": 5},
        ),
        ({"url": "https://a.org"}, schema("url"), schema("link"), {"link": "https://a.org"}),
        ({"city": "Oslo"}, schema("city"), schema("location"), {"location": "Oslo"}),
        # the namesake before a synonym
        ({"q": "x"}, schema("q"), schema("query", "q", required=0), {"q": "x"}),
        # preferences may be lost, what was asked for may not
        ({"query": "x", "k": 5, "topic": "news"}, schema("query"), schema("q"), {"q": "x"}),
        ({"city": "Oslo", "date": "2020-01-01"}, schema("city", "date"), schema("location"), None),
        ({"query": "x", "time_range": "day"}, schema("query"), schema("query"), None),
        ({"query": "x", "units": "metric"}, schema("query"), schema("query"), None),
        (
            {"query": "x", "units": "metric"},
            schema("query", units={"type": "string", "default": "metric"}),
            schema("query"),
            {"query": "x"},
        ),
        ({"query": "x", "since": None}, schema("query", "since"), schema("query"), {"query": "x"}),
        # everything the other must have is there, and of its type
        ({"query": "x"}, schema("query"), schema("query", "country"), None),
        ({"city": "Oslo"}, schema("city"), schema("person"), None),
        ({"limit": 5}, schema(limit="integer"), schema("limit"), {}),
        ({"query": "x"}, schema("query"), {"properties": {"query": {"type": "integer"}}, "required": ["query"]}, None),
        # a local document is no web page
        ({"source": "notes.md"}, schema("source"), schema("url"), None),
        ({"source": "https://a.org"}, schema("source"), schema("url"), {"url": "https://a.org"}),
    ],
)
def test_arguments_map_by_name_and_type_or_not_at_all(args, given, wanted, result):
    if result == {}:  # a preference of another type is lost like any other, but the other tool must have it
        assert map_arguments(args, given, wanted) is None
    else:
        assert map_arguments(args, given, wanted) == result


def test_what_to_look_for_in_a_page_is_a_preference():
    args = {"source": "https://a.org", "query": "height"}
    assert map_arguments(args, schema("source", "query"), schema("url"), "open") == {"url": "https://a.org"}
    assert map_arguments(args, schema("source", "query"), schema("url"), "search") is None


_names = st.sampled_from(sorted({name for group in _SYNONYMS for name in group} | {"units", "person"}))


@given(
    st.dictionaries(_names, st.text(max_size=5) | st.integers() | st.booleans() | st.none(), max_size=4),
    st.dictionaries(_names, st.sampled_from(["string", "integer", "boolean"]), max_size=5),
)
def test_what_is_mapped_is_complete_and_makes_nothing_up(args, kinds):
    properties = {name: {"type": kind} for name, kind in kinds.items()}
    wanted = {"properties": properties, "required": list(properties)[:2]}
    found = map_arguments(args, schema(*args), wanted)
    if found is not None:
        assert set(wanted["required"]) <= set(found) <= set(properties)
        assert all(any(value is given for given in args.values()) for value in found.values())


def tool(name: str, description: str, *needs: str, cluster: str = "", kind: str = "string") -> Documentation:
    return Documentation(name, description, needs, tuple((need, kind) for need in needs), cluster)


WEATHER = tool("get_weather", "Get the current weather of a city.", "city")


@pytest.mark.parametrize(
    "other",
    [
        tool("weather_lookup", "Look up weather conditions for a place", "location"),
        tool("current_weather", "Returns the weather in the given town.", "town"),
    ],
)
def test_two_tools_about_the_same_are_alike(other):
    assert _are_alike(WEATHER, other)
    assert _are_alike(other, WEATHER)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (WEATHER, tool("get_population", "Get the population of a city.", "city")),
        (WEATHER, tool("get_mayor", "Get the current mayor of a city.", "city")),
        (WEATHER, tool("weather_history", "Get the historical weather of a city.", "city")),
        (WEATHER, tool("weather_forecast", "Get the weather forecast of a city.", "city")),
        (WEATHER, tool("weather_alerts", "Get weather alerts of a city.", "city")),
        (WEATHER, tool("get_weather_on", "Get the weather of a city on a day.", "city", "date")),
        (WEATHER, tool("get_weather_by_id", "Get the current weather of a city.", "city", kind="integer")),
        (
            tool("stock_price", "Get the price of a stock.", "symbol"),
            tool("stock_news", "Get the news about a stock.", "symbol"),
        ),
        (
            tool("employee_search", "Search employees by name.", "query"),
            tool("customer_search", "Search customers by name.", "query"),
        ),
        (
            tool("to_french", "Translate a text into French.", "text"),
            tool("to_german", "Translate a text into German.", "text"),
        ),
        (
            tool("convert_a", "Convert euros to dollars.", "amount"),
            tool("convert_b", "Convert dollars to euros.", "amount"),
        ),
        (tool("tianqi", "查询城市的天气", "city"), tool("renkou", "查询城市的人口", "city")),
        (tool("search", "Search.", "query"), tool("find", "Find.", "query")),
        (tool("a", "", "query"), tool("b", "", "query")),
        (tool("now", "Tells the time."), tool("today", "Tells the date.")),
    ],
)
def test_tools_about_different_things_never_are(one, other):
    assert not _are_alike(one, other)
    assert not _are_alike(other, one)
    found = clusters_of((one, other))
    assert found[one.name] != found[other.name]


def test_chinese_documentation_is_read_too():
    assert _are_alike(tool("tool_1", "查询城市的天气", "city"), tool("tool_2", "获取指定城市的天气情况", "city"))


@pytest.mark.parametrize(
    ("documentation", "cluster"),
    [
        (tool("brave", "Search the web with Brave.", "query"), "search"),
        (tool("google_it", "Google search: returns snippets", "q"), "search"),
        (tool("wangye", "网页搜索", "query"), "search"),
        (tool("images", "Search the web for images.", "query"), "other:images"),
        (tool("scholar", "Search Google Scholar for papers.", "query"), "other:scholar"),
        (tool("wiki", "Search the encyclopedia.", "query"), "other:wiki"),
        (tool("web_by_country", "Search the web.", "query", "country"), "other:web_by_country"),
        (tool("fetch", "Fetch a web page and return its text.", "url"), "open"),
        (tool("duwangye", "读取网页内容", "url"), "open"),
        (tool("shot", "Take a screenshot of a web page.", "url"), "other:shot"),
        (tool("mine", "Anything.", "query", cluster="staff"), "staff"),
    ],
)
def test_what_every_research_needs_is_recognized(documentation, cluster):
    assert clusters_of((documentation,)) == {documentation.name: cluster}


def test_a_tool_joins_only_those_that_are_all_like_it_whatever_their_order():
    other = tool("weather_lookup", "Look up weather conditions for a place", "location")
    stated = tool("met", "Weather in a city.", "city", cluster="weather")
    people = tool("get_population", "Get the population of a city.", "city")
    assert clusters_of((WEATHER, people, other)) == {
        "get_weather": "other:get_weather",
        "weather_lookup": "other:get_weather",
        "get_population": "other:get_population",
    }
    assert clusters_of((WEATHER, stated))["get_weather"] == "weather"
    mixed = tool("inhabitants", "People of a city.", "city", cluster="weather")
    assert clusters_of((WEATHER, stated, mixed))["get_weather"] == "other:get_weather"
