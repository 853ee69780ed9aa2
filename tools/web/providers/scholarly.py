"""Scholarly search: OpenAlex, Crossref, PubMed and Semantic Scholar.

The forms follow their public documentation. None needs a key. `WEIWO_MAILTO` puts requests to OpenAlex, Crossref and
PubMed into their polite pools. Semantic Scholar takes `SEMANTICSCHOLAR_API_KEY`. A hit is a paper with its abstract,
else its title, and with authors, venue and DOI.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any, Final
from xml.etree import ElementTree as ET

from weiwo.state import Publication
from weiwo.text.patterns import lazy
from weiwo.text.printable import one_line
from weiwo.tools.web.providers.http_provider import HttpRequest, Parameters, http_search, list_at
from weiwo.tools.web.providers.provider import ProviderAccess, SearchHit, SearchQuery, read_hit

_MOST_AUTHORS: Final = 50
_MOST_WORDS: Final = 2_000
_DOI: Final = lazy(r"(?:https?://(?:dx\.)?doi\.org/|doi:\s?)?(10\.\d{4,9}/\S{1,200})", re.IGNORECASE)
_SEMANTIC_FIELDS: Final = "title,abstract,year,publicationDate,venue,externalIds,url,authors"


def openalex(query: SearchQuery, access: ProviderAccess) -> HttpRequest:
    """Build the request for works at OpenAlex."""
    since = f"from_publication_date:{_first_day(query.within.earliest)}" if query.within.earliest else None
    given: Parameters = {"search": query.text, "per-page": query.k, "filter": since, "mailto": access.key or None}
    return HttpRequest(f"{access.base}/works", given)


def read_openalex(body: bytes) -> Iterable[SearchHit]:
    """Read hits from a reply of OpenAlex, which gives abstracts as inverted indexes."""
    for work in list_at(body, ("results",)):
        place = work.get("primary_location") or {}
        doi = _doi(work.get("doi"))
        told = {
            "url": place.get("landing_page_url") or (f"https://doi.org/{doi}" if doi else work.get("id")),
            "title": work.get("display_name") or work.get("title"),
            "text": _unfold(work.get("abstract_inverted_index")),
            "date": work.get("publication_date") or work.get("publication_year"),
        }
        authors = [(authorship.get("author") or {}).get("display_name") for authorship in work.get("authorships") or ()]
        yield from _paper(told, authors, (place.get("source") or {}).get("display_name"), doi)


def crossref(query: SearchQuery, access: ProviderAccess) -> HttpRequest:
    """Build the request for works at Crossref."""
    since = f"from-pub-date:{_first_day(query.within.earliest)}" if query.within.earliest else None
    given: Parameters = {"query": query.text, "rows": query.k, "filter": since, "mailto": access.key or None}
    return HttpRequest(f"{access.base}/works", given)


def read_crossref(body: bytes) -> Iterable[SearchHit]:
    """Read hits from a reply of Crossref."""
    for work in list_at(body, ("message", "items")):
        doi, parts = _doi(work.get("DOI")), ((work.get("issued") or {}).get("date-parts") or [[]])[0]
        told = {
            "url": f"https://doi.org/{doi}" if doi else work.get("URL"),
            "title": next(iter(work.get("title") or ()), ""),
            "text": work.get("abstract"),
            "date": "-".join(f"{part:02}" for part in parts if isinstance(part, int)),
        }
        authors = [
            ", ".join(filter(None, (item.get("family"), item.get("given")))) or item.get("name")
            for item in work.get("author") or ()
        ]
        yield from _paper(told, authors, next(iter(work.get("container-title") or ()), ""), doi)


def semantic_scholar(query: SearchQuery, access: ProviderAccess) -> HttpRequest:
    """Build the request for papers at Semantic Scholar."""
    given: Parameters = {"query": query.text, "limit": query.k, "fields": _SEMANTIC_FIELDS}
    if query.within.earliest:
        given["publicationDateOrYear"] = f"{query.within.earliest}:"
    return HttpRequest(f"{access.base}/graph/v1/paper/search", given, {"x-api-key": access.key} if access.key else {})


def read_semantic_scholar(body: bytes) -> Iterable[SearchHit]:
    """Read hits from a reply of Semantic Scholar."""
    for paper in list_at(body, ("data",)):
        told = {
            "url": paper.get("url"),
            "title": paper.get("title"),
            "text": paper.get("abstract"),
            "date": paper.get("publicationDate") or paper.get("year"),
        }
        authors = [author.get("name") for author in paper.get("authors") or ()]
        yield from _paper(told, authors, paper.get("venue"), _doi((paper.get("externalIds") or {}).get("DOI")))


async def search_pubmed(query: SearchQuery, access: ProviderAccess) -> list[SearchHit]:
    """Search PubMed with a request for the ids and a request for the records."""
    polite = {"tool": "weiwo", "email": access.key or None}

    def find(asked: SearchQuery, _: ProviderAccess) -> HttpRequest:
        since = {"mindate": asked.within.earliest.replace("-", "/"), "maxdate": "3000", "datetype": "pdat"}
        given: Parameters = {"db": "pubmed", "retmode": "json", "retmax": asked.k, "sort": "relevance", **polite}
        words = {"term": asked.text, **(since if asked.within.earliest else {})}
        return HttpRequest(f"{access.base}/esearch.fcgi", given | words)

    def read_ids(body: bytes) -> Iterable[SearchHit]:
        return [
            SearchHit(str(item), "") for item in list_at(body, ("esearchresult", "idlist")) if str(item).isdecimal()
        ]

    ids = ",".join(hit.url for hit in await http_search(find, read_ids)(query, access))
    if not ids:
        return []
    fetched: Parameters = {"db": "pubmed", "retmode": "xml", "id": ids, **polite}
    records = http_search(lambda *_: HttpRequest(f"{access.base}/efetch.fcgi", fetched), read_pubmed)
    return await records(query, access)


def read_pubmed(body: bytes) -> Iterable[SearchHit]:
    """Read hits from PubMed records in XML."""
    for record in ET.fromstring(body).iter("PubmedArticle"):  # noqa: S314 - expat bounds what entities expand to
        number, article = record.findtext(".//PMID", ""), record.find(".//Article")
        if article is None or not number.isdecimal():
            continue
        day = article.find(".//JournalIssue/PubDate")
        parts = [] if day is None else [day.findtext(name, "") for name in ("Day", "Month", "Year")]
        texts = ["".join(part.itertext()) for part in article.iterfind("./Abstract/AbstractText")]
        told = {
            "url": f"https://pubmed.ncbi.nlm.nih.gov/{number}/",
            "title": "".join(found.itertext()) if (found := article.find("./ArticleTitle")) is not None else "",
            "text": " ".join(texts),
            "date": "-".join(reversed(parts)) if all(map(str.isdecimal, parts)) else " ".join(filter(None, parts)),
        }
        names = (
            ", ".join(filter(None, (item.findtext("LastName"), item.findtext("ForeName"))))
            or item.findtext("CollectiveName")
            for item in article.iterfind("./AuthorList/Author")
        )
        doi = next((item.text for item in record.iter("ArticleId") if item.get("IdType") == "doi"), "")
        yield from _paper(told, names, article.findtext("./Journal/Title"), _doi(doi))


def _paper(told: Mapping[str, Any], authors: Iterable[object], venue: object, doi: str) -> Iterable[SearchHit]:
    """Yield the hit of a paper, or nothing if it has no address, or neither abstract nor title.

    Args:
        told: Fields `url`, `title`, `text` (the abstract) and `date`.
        authors: Names of the authors. Values that are not text are skipped.
        venue: Journal or conference.
        doi: DOI, or an empty string.
    """
    year = told.get("date")
    hit = read_hit({**told, "date": str(year) if year else ""}, url="url", text=("text", "title"), date="date")
    if hit is None:
        return
    names = tuple(one_line(name, 200) for name in islice(authors, _MOST_AUTHORS) if isinstance(name, str) and name)
    work = Publication(authors=names, venue=one_line(venue, 300) if isinstance(venue, str) else "", doi=doi)
    yield replace(hit, publication=work)


def _doi(value: object) -> str:
    found = _DOI.fullmatch(value.strip()) if isinstance(value, str) else None
    return one_line(found[1], 250) if found else ""


def _unfold(index: object) -> str:
    """Return the abstract of an inverted index: `{"a": [0, 2], "b": [1]}` → "a b a".

    Returns an empty string for anything that is no mapping.
    """
    if not isinstance(index, Mapping):
        return ""
    places = ((place, str(word)) for word, listed in index.items() if isinstance(listed, list) for place in listed)
    ordered = sorted(islice(((place, word) for place, word in places if isinstance(place, int)), _MOST_WORDS))
    return " ".join(word for _, word in ordered)


def _first_day(earliest: str) -> str:
    return earliest + "-01-01"[len(earliest) - 4 :]
