"""What a provider's refusal means, by status and body: a plan that is used up, a key, or one request too many."""

import asyncio
import json
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.web.providers.catalog import PROVIDERS
from weiwo.tools.web.providers.failover import search_with_failover
from weiwo.tools.web.providers.health import ConfiguredProvider, ProviderHealth
from weiwo.tools.web.providers.provider import SearchQuery

USED = {"code": "RATE_LIMITED", "detail": "Request rate limit exceeded for plan."}
BRAVE_MONTH = {"error": {**USED, "meta": {"plan": "Free", "rate_limit": 1, "quota_limit": 2000, "quota_current": 2000}}}
BRAVE_SECOND = {"error": {**USED, "meta": {"plan": "Free", "rate_limit": 1, "quota_limit": 2000, "quota_current": 12}}}


class Asked:
    """A provider that always says the same, and how often it was asked."""

    def __init__(self, name, status, reply, headers=None):
        self.count = 0
        self.health = ProviderHealth()
        self.source = ConfiguredProvider(PROVIDERS[name], f"https://{name}.test", "secret-key", 1000)
        self.reply = httpx.Response(status, json=reply, headers=headers)

    def answer(self, _):
        self.count += 1
        return self.reply

    def search(self):
        query, transport = SearchQuery("tower"), httpx.MockTransport(self.answer)
        return asyncio.run(search_with_failover([self.source], query, self.health, seconds=30, transport=transport))


@pytest.mark.parametrize(
    ("name", "status", "reply", "headers", "kind"),
    [
        ("brave", 429, BRAVE_MONTH, {}, "blocked"),
        ("brave", 429, {"error": USED}, {"x-ratelimit-remaining": "0, 0"}, "blocked"),
        ("brave", 429, BRAVE_SECOND, {"x-ratelimit-remaining": "0, 1988"}, "rate_limit"),
        ("brave", 422, {"error": {"code": "SUBSCRIPTION_TOKEN_INVALID", "detail": "no such token"}}, {}, "auth"),
        ("brave", 422, {"error": {"code": "VALIDATION", "detail": "q is too long"}}, {}, "bad_arguments"),
        ("serper", 400, {"message": "Not enough credits", "statusCode": 400}, {}, "blocked"),
        ("serper", 403, {"message": "Unauthorized.", "statusCode": 403}, {}, "auth"),
        ("serper", 400, {"message": "Missing query parameter", "statusCode": 400}, {}, "bad_arguments"),
        ("bing", 403, {"error": {"code": "403", "message": "Out of call volume quota."}}, {}, "blocked"),
        ("jina", 402, {"code": 402, "message": "Insufficient account balance"}, {}, "blocked"),
        ("tavily", 432, {"detail": {"error": "This request exceeds your plan's set usage limit."}}, {}, "blocked"),
        (
            "tavily",
            429,
            {"detail": {"error": "Your request has been blocked due to excessive requests."}},
            {},
            "rate_limit",
        ),
        ("searxng", 429, {"error": "too many requests"}, {"retry-after": "7"}, "rate_limit"),
    ],
)
def test_a_refusal_by_status_and_body(name, status, reply, headers, kind):
    asked = Asked(name, status, reply, headers)
    with pytest.raises(ToolCallError) as refused:
        asked.search()
    assert refused.value.kind == kind
    assert "{" not in refused.value.message
    assert "\n" not in refused.value.message
    with pytest.raises(ToolCallError):
        asked.search()
    assert asked.count == (1 if kind in {"blocked", "auth"} or headers.get("retry-after") else 2)


def found(name, reply):
    return Asked(name, 200, reply).search().hits


def test_direct_answers_are_passages_of_their_source():
    box = {"title": "Tower", "snippet": "It is 300 m tall.", "link": "https://a.org/tower", "date": "Mar 1, 2024"}
    graph = {"title": "Tower", "description": "A tower in Ostrel.", "descriptionLink": "https://b.org/tower"}
    organic = [{"link": "https://c.org", "title": "Other", "snippet": "A page.", "date": "2 days ago"}]
    one, two, three = found("serper", {"answerBox": box, "knowledgeGraph": graph, "organic": organic})
    assert (one.url, one.text, one.date) == ("https://a.org/tower", "It is 300 m tall.", "2024-03-01")
    assert (two.url, two.text) == ("https://b.org/tower", "A tower in Ostrel.")
    assert three.date in {(datetime.now(UTC).date() - timedelta(days=n)).isoformat() for n in (2, 3)}
    info = {"results": [{"title": "Tower", "url": "https://a.org", "long_desc": "It is 300 m tall."}]}
    faq = {"results": [{"question": "How tall?", "answer": "300 m.", "title": "Tower", "url": "https://b.org"}]}
    web = {"results": [{"url": "https://c.org", "title": "Other", "description": "A page."}]}
    hits = found("brave", {"infobox": info, "faq": faq, "web": web})
    assert [(hit.url, hit.text) for hit in hits] == [
        ("https://a.org", "It is 300 m tall."),
        ("https://b.org", "300 m."),
        ("https://c.org", "A page."),
    ]


@pytest.mark.parametrize("odd", [None, 7, [], "words", {"snippet": 3}, {"link": "javascript:x", "snippet": "y"}])
def test_direct_answers_of_another_form_are_left_out(odd):
    body = {"answerBox": odd, "knowledgeGraph": odd, "infobox": odd, "faq": {"results": odd}, "organic": [], "web": {}}
    assert found("serper", json.loads(json.dumps(body))) == ()
    assert found("brave", json.loads(json.dumps(body))) == ()
