"""What a server's client may set for its run."""

import pytest

from weiwo.state.run_limits import Limits
from weiwo.state.settings import Context, Settings, SettingsError

CLOSED = sorted(
    Context.model_fields.keys()
    - Limits.__dataclass_fields__.keys()
    - {
        "depth",
        "form",
        "words",
        "language",
        "clarify",
        "approve_plan",
        "web",
        "telemetry",
        "browser",
        "plan_memory",
        "answer_memory",
    }
    - {"site", "not_site", "since", "folder"}
)
VALUES = {
    "model_seconds": 9,
    "context_tokens": 9_000,
    "thinking": "reasoning_effort",
    "max_tools": 9,
    "corpus": ["/etc/passwd"],
    "search": ["ddgs"],
    "sources": ["documents"],
    "allow_hosts": ["127.0.0.1"],
    "tools": ["os:abort"],
    "mcp": "servers.json",
    "procedures": "/etc",
    "template": "note.md",
    "allow_tools": ["desk_close"],
    "allow_acting": True,
    "fresh": True,
    "prices": {"a:b": (1.0, 2.0)},
}


def of_client(env=None, **fields):
    return Settings.resolve(Context(**fields), env or {}, from_client=True)


NEVER = {"tools", "mcp", "procedures", "template", "allow_tools", "allow_acting", "reranker"}


@pytest.mark.parametrize("field", CLOSED)
def test_every_other_field_is_closed(field):
    given = {field: VALUES.get(field, "openai:gpt-5-mini")}
    assert Settings.resolve(Context(**given), {})
    reason = ", because it runs code" if field in NEVER else " of this server"
    with pytest.raises(SettingsError, match=rf"^context\.{field} cannot be set by clients{reason}"):
        of_client(**given)


@pytest.mark.parametrize("field", [field for field in CLOSED if field not in NEVER])
def test_the_operator_opens_a_field(field):
    given = {field: VALUES.get(field, "openai:gpt-5-mini")}
    settings = of_client({"WEIWO_CLIENT_FIELDS": f"fresh, {field}"}, **given)
    assert settings.corpus_by_name is (field == "corpus")


@pytest.mark.parametrize("name", [*sorted(NEVER), "home", "model,to ols"])
def test_what_nobody_can_open(name):
    with pytest.raises(SettingsError, match="WEIWO_CLIENT_FIELDS: "):
        of_client({"WEIWO_CLIENT_FIELDS": name})


def test_a_client_says_in_what_form_and_length_it_wants_the_answer():
    settings = of_client(form="table", words=200)
    assert (settings.form, settings.words) == ("table", 200)


def test_limits_only_lower_the_operators():
    env = {
        "WEIWO_MAX_SECONDS": "50",
        "WEIWO_MAX_COST": "0.5",
        "WEIWO_MAX_TOOL_CALLS": "200",
        "WEIWO_PRICES": "a:b=1/2",
    }
    high = dict.fromkeys(Limits.__dataclass_fields__, 10**9)
    assert of_client(env, **high).limits == Settings.resolve(None, env).limits
    low = of_client(env, max_seconds=5, max_cost=0.1, max_pages=0, depth="deep").limits
    assert (low.max_seconds, low.max_cost, low.max_pages, low.max_tasks) == (5, 0.1, 0, 40)
    assert of_client({}, max_cost=0.1).limits.max_cost == 0.1


def test_a_client_restricts_sources_within_the_operators_restriction():
    env = {"WEIWO_SITE": "a.org, b.org", "WEIWO_NOT_SITE": "ads.a.org", "WEIWO_SINCE": "2024-06"}
    within = of_client(env, site=["c.org", "docs.a.org"], since="2020", folder=["2025"]).filter
    assert within.allows_page("https://docs.a.org/x")
    assert not any(map(within.allows_page, ("https://c.org/", "https://b.org/", "https://ads.a.org/")))
    assert not of_client(env, site=["ads.a.org"]).filter.allows_page("https://ads.a.org/")
    assert (within.earliest, within.asked_sites) == ("2024-06", ("c.org", "docs.a.org"))
    assert not within.allows_document("docs/2024/x.md")


@pytest.mark.parametrize("folder", ["/srv/data", "..", "a/../../b", "~/x", "c:/x"])
def test_a_client_names_no_place_outside_the_documents(folder):
    with pytest.raises(SettingsError, match=r"context\.folder: "):
        of_client(folder=["docs", folder])


def test_a_client_may_be_more_careful_and_not_less():
    careful = of_client({"WEIWO_WEB": "1"}, approve_plan=True, web=False, telemetry=False)
    assert (careful.approve_plan, careful.web, careful.telemetry) == (True, False, False)
    for less in ({"approve_plan": False}, {"web": True}, {"telemetry": True}, {"browser": True}):
        with pytest.raises(SettingsError, match="cannot be set by clients of this server"):
            of_client({"WEIWO_APPROVE_PLAN": "1"}, **less)


def test_whoever_runs_weiwo_himself_sets_everything():
    context = Context(tools=["os:abort"], corpus=["/tmp"], max_seconds=10**6)  # noqa: S108 - a name
    settings = Settings.resolve(context, {})
    assert (settings.tools, settings.limits.max_seconds) == (("os:abort",), 10**6)
