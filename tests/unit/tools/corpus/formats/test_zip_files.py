"""An archive is like a folder: each file a document, what cannot be read named, bombs refused."""

import io
import zipfile

import pytest

from tests.support import documents
from weiwo.tools.corpus.formats.encodings import UnreadableError
from weiwo.tools.corpus.formats.parts import Part
from weiwo.tools.corpus.formats.zip_files import read


def zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def parts(data: bytes) -> list[Part]:
    return list(read(io.BytesIO(data), "papers.zip"))


def test_each_file_is_a_document_under_its_path() -> None:
    data = zipped(
        {"a/note.md": b"# Note\n\nThe mill is old.", "plan.pdf": documents.pdf("The plan of May."), "b.bin": b"\0"}
    )
    *files, whole = parts(data)
    assert [(one.key, one.title) for one in files] == [("a/note.md", "Note"), ("plan.pdf", "plan.pdf")]
    assert "The mill is old." in files[0].passages[0].text
    assert len({one.sha256 for one in files}) == 2
    assert whole.key == ""
    assert [(loss.kind, loss.places) for loss in whole.losses] == [("members_not_read", ("b.bin",))]


def test_a_broken_file_costs_itself() -> None:
    *files, whole = parts(
        zipped({"a.md": b"Whole words.", "b.pdf": b"%PDF broken", "__MACOSX/a.md": b"x", ".x.md": b"x"})
    )
    assert [one.key for one in files] == ["a.md"]
    assert [(loss.kind, loss.places) for loss in whole.losses] == [("members_unreadable", ("b.pdf",))]


def test_names_lead_nowhere_else_and_old_encodings_are_read() -> None:
    info = zipfile.ZipInfo("../../etc/x.md")
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(info, b"Some words.")
    assert parts(out.getvalue())[0].key == "etc/x.md"
    raw = zipped({"XXXXXXXX.md": b"Some words."}).replace(b"XXXXXXXX", "会议纪要".encode("gb18030"))
    assert parts(raw)[0].key == "会议纪要.md"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (zipped({"a.bin": b"\0"}), "only unsupported file types; unpack archives in it, and convert other files"),
        (zipped({"inner.zip": zipped({"a.md": b"Words."})}), "only unsupported file types; unpack archives in it"),
        (b"PK\x03\x04 broken", r"damaged \(File is not a zip file\); download it or save it again"),
        (zipped({"b.pdf": b"%PDF broken"}), "its files cannot be read: b.pdf; make the archive again from whole files"),
        (zipped({"a.bin": b"\0", "b.pdf": b"%PDF broken", "c.pdf": b"%PDF"}), "cannot be read: b.pdf and 1 more; make"),
        (zipped({".x.md": b"x"}), "it contains no files; add the documents to it"),
    ],
)
def test_what_is_no_folder_is_refused_in_a_line(data: bytes, said: str) -> None:
    with pytest.raises(UnreadableError, match=said):
        parts(data)


@pytest.mark.parametrize(("stated", "said"), [(600_000_000, "more than 500,000,000"), (30_000_000, "times its size")])
def test_an_archive_that_unpacks_to_more_than_is_read_is_refused(stated: int, said: str) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.md", b"0" * 1_000)
        archive.getinfo("a.md").file_size = stated  # `zipfile` unpacks no more than is stated
    with pytest.raises(UnreadableError, match=f"zip bomb.*{said}.*; if you trust it, split it"):
        parts(out.getvalue())
