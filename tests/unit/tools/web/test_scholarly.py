"""Scholarly providers: what is asked, and papers with authors, venue and DOI out of replies of our own making."""

import asyncio
import json

import httpx
import pytest
from pydantic import ValidationError

from weiwo.app.export.bibliography import render_bibtex, render_csl
from weiwo.app.export.report import read_result
from weiwo.state.context import Context
from weiwo.state.settings import Settings, SettingsError
from weiwo.state.source_filter import SourceFilter
from weiwo.tools.calling.call_context import CallContext, set_current_call
from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.web.providers.catalog import PROVIDERS
from weiwo.tools.web.providers.failover import search_with_failover
from weiwo.tools.web.providers.health import ConfiguredProvider, ProviderHealth
from weiwo.tools.web.providers.provider import SearchQuery
from weiwo.tools.web.providers.selection import SCHOLARLY, explain_none, select_providers, select_scholarly
from weiwo.tools.web.web_search import WebSearch

WORK = {
    "id": "https://openalex.org/W1",
    "doi": "https://doi.org/10.1234/quay.7",
    "display_name": "Wear of quay walls",
    "publication_date": "2024-05-03",
    "authorships": [{"author": {"display_name": "Edda Karst"}}, {"author": {"display_name": "Nils Gray"}}, {}],
    "primary_location": {"landing_page_url": "https://j.example/7", "source": {"display_name": "Journal of Quays"}},
    "abstract_inverted_index": {"Quay": [0], "walls": [1], "wear": [2], "2": [3], "mm": [4], "a": [5], "year.": [6]},
}
ITEM = {
    "DOI": "10.1234/quay.7",
    "URL": "http://dx.doi.org/10.1234/quay.7",
    "title": ["Wear of quay walls"],
    "author": [{"family": "Karst", "given": "Edda"}, {"name": "The Quay Group"}],
    "container-title": ["Journal of Quays"],
    "issued": {"date-parts": [[2024, 5, 3]]},
    "abstract": "<jats:p>Quay walls wear 2 mm a year.</jats:p>",
}
PAPER = {
    "paperId": "1",
    "url": "https://www.semanticscholar.org/paper/1",
    "title": "Wear of quay walls",
    "abstract": "Quay walls wear 2 mm a year.",
    "publicationDate": "2024-05-03",
    "venue": "Journal of Quays",
    "externalIds": {"DOI": "10.1234/quay.7"},
    "authors": [{"name": "Edda Karst"}, {"name": "Nils Gray"}],
}
RECORD = """<?xml version="1.0"?><PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>77</PMID><Article><Journal>
<JournalIssue><PubDate><Year>2024</Year><Month>May</Month><Day>3</Day></PubDate></JournalIssue><Title>Journal of Quays</Title>
</Journal><ArticleTitle>Wear of <i>quay</i> walls</ArticleTitle><Abstract><AbstractText>Quay walls wear 2 mm a year.
</AbstractText></Abstract><AuthorList><Author><LastName>Karst</LastName><ForeName>Edda</ForeName></Author><Author>
<CollectiveName>The Quay Group</CollectiveName></Author></AuthorList></Article></MedlineCitation><PubmedData><ArticleIdList>
<ArticleId IdType="doi">10.1234/quay.7</ArticleId></ArticleIdList></PubmedData></PubmedArticle></PubmedArticleSet>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>http://arxiv.org/abs/1</id><published>2024-05-03T00:00:00Z</published>
<title>Wear of quay walls</title><summary>Quay walls wear 2 mm a year.</summary><author><name>Edda Karst</name></author>
<doi xmlns="http://arxiv.org/schemas/atom">10.1234/quay.7</doi></entry></feed>"""
BODIES = {
    "openalex": json.dumps({"results": [WORK]}),
    "crossref": json.dumps({"message": {"items": [ITEM]}}),
    "semanticscholar": json.dumps({"data": [PAPER]}),
    "pubmed": RECORD,
    "arxiv": ATOM,
}
AUTHORS = {"crossref": ("Karst, Edda", "The Quay Group"), "pubmed": ("Karst, Edda", "The Quay Group")}


def ask(name, reply=None, key="", status=200, **query):
    asked = []

    def handler(request):
        asked.append(request)
        if request.url.path.endswith("esearch.fcgi"):
            return httpx.Response(200, json={"esearchresult": {"idlist": ["77"]}})
        return httpx.Response(status, text=BODIES[name] if reply is None else reply)

    source = ConfiguredProvider(PROVIDERS[name], PROVIDERS[name].base, key, 1000)
    found = search_with_failover(
        [source],
        SearchQuery("quay walls", **query),
        ProviderHealth(),
        seconds=30,
        transport=httpx.MockTransport(handler),
    )
    return asyncio.run(found).hits, asked


@pytest.mark.parametrize("name", SCHOLARLY)
def test_a_paper_has_its_particulars(name):
    (hit,), _ = ask(name)
    assert (hit.title, hit.text, hit.date) == ("Wear of quay walls", "Quay walls wear 2 mm a year.", "2024-05-03")
    assert hit.url.startswith(("http://", "https://"))
    work = hit.publication
    assert work.doi == "10.1234/quay.7"
    assert work.venue == ("arXiv" if name == "arxiv" else "Journal of Quays")
    assert work.authors[:2] == AUTHORS.get(name, ("Edda Karst", "Nils Gray"))[: len(work.authors)]


@pytest.mark.parametrize("name", ["openalex", "crossref", "pubmed"])
def test_an_address_of_mail_makes_it_polite(name):
    _, asked = ask(name, key="me@example.org", within=SourceFilter(since="2024-03"))
    told = "&".join(str(request.url) for request in asked)
    assert "me%40example.org" in told
    assert "2024-03" in told or "2024%2F03" in told
    _, asked = ask(name)
    assert "mail" not in "&".join(str(request.url) for request in asked)


@pytest.mark.parametrize("name", SCHOLARLY)
@pytest.mark.parametrize(
    "reply", ["{}", "[]", "null", "<html>", "<a/>", '{"results": [3], "data": [null]}', '{"message": {"items": [{}]}}']
)
def test_another_form_is_no_paper(name, reply):
    hits, failed = (), None
    try:
        hits, _ = ask(name, reply)
    except ToolCallError as failure:
        failed = failure.message
    assert hits == ()
    assert failed is None or f"{name}: " in failed


def test_a_limit_of_its_rate_is_told():
    with pytest.raises(ToolCallError, match="too many requests") as refused:
        ask("semanticscholar", '{"message": "Too Many Requests", "code": "429"}', status=429)
    assert refused.value.kind == "rate_limit"


def test_a_word_names_them_all_and_the_users_own_choice_stands():
    settings = Settings(home="unused", web=True, search=("scholarly",))
    assert tuple(one.name for one in select_providers(settings, {"WEIWO_MAILTO": "a@b.c"})) == SCHOLARLY
    assert select_providers(settings, {"OPENALEX_BASE_URL": "http://localhost:9"})[0].base == "http://localhost:9"
    assert select_scholarly(settings, {}) == ()
    with pytest.raises(SettingsError):
        select_providers(Settings(home="unused", web=True, search=("scholarly+raw",)), {})


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        (["scholarly"], SCHOLARLY),
        (["web,scholarly"], (*SCHOLARLY, "tavily")),
        (["documents", "web"], ("tavily",)),
        (["documents"], ()),
    ],
)
def test_a_run_is_held_to_its_sources(sources, expected):
    settings = Settings.resolve(Context(sources=sources), {})
    env = {"TAVILY_API_KEY": "t"}
    assert tuple(one.name for one in select_providers(settings, env)) == expected
    assert select_scholarly(settings, env) == ()


def test_sources_of_the_web_ask_for_it_unless_it_is_off():
    assert [one.name for one in select_providers(Settings.resolve(Context(sources=["web"]), {}), {})] == [
        "ddgs",
        "wikipedia",
    ]
    off = Settings.resolve(Context(sources=["documents", "scholarly"], web=False), {})
    assert select_providers(off, {}) == ()
    assert explain_none(off) == "the web is switched off for this run"


def test_an_operator_keeps_a_client_from_the_web():
    env = {"WEIWO_WEB": "off", "WEIWO_CLIENT_FIELDS": "sources"}
    both = Context(sources=["documents", "scholarly"])
    assert select_providers(Settings.resolve(both, env, from_client=True), {}) == ()
    with pytest.raises(SettingsError, match="switched off"):
        Settings.resolve(Context(sources=["scholarly"]), env, from_client=True)


@pytest.mark.parametrize("sources", [["papers"], [""], []])
def test_another_kind_of_source_is_refused(sources):
    with pytest.raises(ValidationError):
        Context(sources=sources)


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("What is the evidence that quay walls wear?", True),
        ("Is there any evidence against it?", True),
        ("有哪些研究表明码头会磨损？", True),
        ("Which evidence did the court hear?", False),
        ("Who studies at the harbour school?", False),
    ],
)
async def test_the_question_decides_whether_papers_come_first(question, wanted):
    asked = []

    def handler(request):
        asked.append(request.url.host)
        return httpx.Response(200, json={"results": []})

    sources = [ConfiguredProvider(PROVIDERS[name], f"http://{name}.test", "k", 1000) for name in ("tavily", "openalex")]
    tool = WebSearch(
        sources=sources[:1], scholarly=sources[1:], health=ProviderHealth(), transport=httpx.MockTransport(handler)
    )
    set_current_call(CallContext(state={"question": question}))
    await tool.ainvoke({"query": "quay wall wear"})
    assert ("openalex.test" in asked) is wanted


async def test_studies_are_looked_for_among_papers_first():
    asked = []

    def handler(request):
        asked.append(request.url.host)
        return httpx.Response(200, json={"results": [WORK], "query": "x"})

    sources = [
        ConfiguredProvider(PROVIDERS[name], f"https://{name}.test", "k", 1000) for name in ("tavily", "openalex")
    ]
    tool = WebSearch(
        sources=sources[:1], scholarly=sources[1:], health=ProviderHealth(), transport=httpx.MockTransport(handler)
    )
    call = {
        "type": "tool_call",
        "id": "1",
        "name": "web_search",
        "args": {"query": "peer-reviewed studies of quay walls"},
    }
    (passage,) = (await tool.ainvoke(call)).artifact
    assert passage["publication"]["doi"] == "10.1234/quay.7"
    assert asked == ["openalex.test"]
    await tool.ainvoke({"query": "opening hours of the quay"})
    assert asked[1:] == ["tavily.test"]


def test_a_paper_is_cited_with_its_particulars():
    work = {"authors": ["Karst, Edda", "The Quay Group"], "venue": "Journal of Quays", "doi": "10.1234/quay.7"}
    passage = {"id": "p", "text": "Quay walls wear.", "date": "2024-05-03", "publication": work}
    citation = {"n": 1, "source": "https://j.example/7", "title": "Wear of quay walls", "quote": "", "evidence_id": "p"}
    report = read_result({"evidence": [passage], "citations": [citation]})
    entry = render_bibtex(report).decode()
    assert entry.startswith("@article{wear-of-quay-2024,\n  author = {Karst, Edda and {The Quay Group}},")
    assert "journal = {Journal of Quays}" in entry
    assert "doi = {10.1234/quay.7}" in entry
    (item,) = json.loads(render_csl(report))
    assert item["author"] == [{"family": "Karst", "given": "Edda"}, {"literal": "The Quay Group"}]
    assert (item["type"], item["container-title"], item["DOI"]) == (
        "article-journal",
        "Journal of Quays",
        "10.1234/quay.7",
    )
    assert "doi:10.1234/quay.7" in report.sources[0].description("en")
