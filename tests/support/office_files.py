"""Small Office files out of bare XML, so that each holds exactly what a test is about."""

from tests.support.documents import zipped

_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_W = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:a="http://schemas.openxmlformats.org/'
    f'drawingml/2006/main" xmlns:r="{_R}" xmlns:c="urn:c" xmlns:dgm="urn:dgm" xmlns:v="urn:v" xmlns:m="urn:m"'
    ' xmlns:mc="urn:mc" xmlns:o="urn:o" xmlns:p="urn:p"'
)


def _relations(targets: dict[str, tuple[str, str]]) -> str:
    listed = "".join(
        f'<Relationship Id="{key}" Type="{_R}/{kind}" Target="{target}"/>' for key, (kind, target) in targets.items()
    )
    return f'<Relationships xmlns="urn:rels">{listed}</Relationships>'


def package(main: str, xml: str, related: dict[str, tuple[str, str, str]] | None = None) -> bytes:
    """A package of a main part and the parts it leads to: id to kind, name and content."""
    folder, name = main.split("/")
    related = related or {}
    members = {
        "_rels/.rels": _relations({"d": ("officeDocument", main)}),
        main: xml,
        f"{folder}/_rels/{name}.rels": _relations({key: (kind, to) for key, (kind, to, _) in related.items()}),
        **{f"{folder}/{to}": content for _, to, content in related.values()},
    }
    return zipped(members)


def word(body: str, **related: tuple[str, str, str]) -> bytes:
    """A Word document of the XML of its body; parts by the id of their relation."""
    return package("word/document.xml", f"<w:document {_W}><w:body>{body}</w:body></w:document>", related)


def word_part(tag: str, inner: str) -> str:
    """A part beside the document, such as its footnotes."""
    return f"<{tag} {_W}>{inner}</{tag}>"


def p(inner: str, properties: str = "") -> str:
    """A paragraph; plain text is put in a run."""
    inner = inner if inner.startswith("<") else run(inner)
    return f"<w:p>{f'<w:pPr>{properties}</w:pPr>' if properties else ''}{inner}</w:p>"


def run(text: str, properties: str = "") -> str:
    """A run of text."""
    return f'<w:r>{properties}<w:t xml:space="preserve">{text}</w:t></w:r>'


def table(*rows: str) -> str:
    """A table of rows of cells."""
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in rows)}</w:tbl>"


def tc(text: str, properties: str = "") -> str:
    """A cell."""
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{text if text.startswith('<') else p(text)}</w:tc>"


def chart(names: dict[str, list[tuple[str, str]]], title: str = "", code: str = "General") -> str:
    """A chart of series of categories and values."""

    def points(values: list[str]) -> str:
        return "".join(f'<c:pt idx="{n}"><c:v>{value}</c:v></c:pt>' for n, value in enumerate(values))

    series = "".join(
        f"<c:ser><c:tx><c:strRef><c:strCache>{points([name])}</c:strCache></c:strRef></c:tx>"
        f"<c:cat><c:strRef><c:strCache>{points([c for c, _ in rows])}</c:strCache></c:strRef></c:cat><c:val><c:numRef>"
        f"<c:numCache><c:formatCode>{code}</c:formatCode>{points([v for _, v in rows])}</c:numCache></c:numRef></c:val></c:ser>"
        for name, rows in names.items()
    )
    head = f"<c:title><c:tx><c:rich><a:p><a:r><a:t>{title}</a:t></a:r></a:p></c:rich></c:tx></c:title>" if title else ""
    return f"<c:chartSpace {_W}><c:chart>{head}<c:plotArea><c:barChart>{series}</c:barChart></c:plotArea></c:chart></c:chartSpace>"


def slides(*trees: str, related: dict[str, tuple[str, str, str]] | None = None) -> bytes:
    """A presentation of the shapes of its slides; what the first one leads to, by id."""
    listed = "".join(f'<p:sldId id="{n}" r:id="s{n}"/>' for n in range(len(trees)))
    parts = {
        f"s{n}": ("slide", f"slides/slide{n}.xml", f"<p:sld {_W}><p:cSld><p:spTree>{tree}</p:spTree></p:cSld></p:sld>")
        for n, tree in enumerate(trees)
    }
    show = package(
        "ppt/presentation.xml", f"<p:presentation {_W}><p:sldIdLst>{listed}</p:sldIdLst></p:presentation>", parts
    )
    if not related:
        return show
    from tests.support.documents import added  # noqa: PLC0415 - the two modules are one family

    relations = _relations({key: (kind, f"../{to}") for key, (kind, to, _) in related.items()})
    return added(
        show,
        {
            "ppt/slides/_rels/slide0.xml.rels": relations,
            **{f"ppt/{to}": content for _, to, content in related.values()},
        },
    )


def shape(text: str, role: str = "") -> str:
    """A shape with text; `role` makes it a placeholder."""
    placed = f'<p:nvPr><p:ph type="{role}"/></p:nvPr>' if role else "<p:nvPr/>"
    lines = "".join(f"<a:p><a:r><a:t>{line}</a:t></a:r></a:p>" for line in text.split("\n"))
    return f"<p:sp><p:nvSpPr>{placed}</p:nvSpPr><p:txBody>{lines}</p:txBody></p:sp>"


_ODF = "".join(f' xmlns:{name}="urn:{name}"' for name in ("office", "text", "table", "draw", "dc", "style"))


def odf(kind: str, body: str, styles: str = "") -> bytes:
    """An OpenDocument file of the XML of its body."""
    content = f"<office:document-content{_ODF}>{styles}<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
    return zipped({"mimetype": f"application/vnd.oasis.opendocument.{kind}", "content.xml": content})
