"""Snippets: a few lines of each passage as Markdown, with its heading, its rows and its code."""

from weiwo.nodes.writer.snippet import format_snippets
from weiwo.state import Extract
from weiwo.text.markdown import parse_markdown


def snippet(text: str, chosen: str, source: str = "a.md", *, bold: bool = True) -> str:
    start = text.index(chosen)
    spans = ((start, start + len(chosen)),)
    extract = Extract(n=1, source=source, title="A", text=text, highlights=spans, score=1.0, evidence_id="e")
    return format_snippets([(extract, "[1]")], bold=bold)[0]


def test_the_chosen_sentence_is_in_bold_between_its_neighbours() -> None:
    assert snippet("One. Two.\nThree.", "Two.") == "> One. **Two.** Three.\n\n— A [1]"
    assert snippet("One. Two.\nThree.", "Two.", bold=False) == "> One. Two. Three.\n\n— A [1]"


def test_a_heading_stands_beside_the_title_and_no_other_section_follows() -> None:
    text = "## Leave\n\nYou have 27 days.\n\n## Travel\n\nBook early."
    assert snippet(text, "You have 27 days.") == "> **You have 27 days.**\n\n— A · Leave [1]"


def test_of_a_table_one_row_is_told_under_its_header() -> None:
    text = "| Option | Default |\n|---|---|\n| lease | 90 |\n| poll | 0.5 |"
    assert snippet(text, "| poll | 0.5 |") == "> **Option: poll · Default: 0.5**\n\n— A [1]"


def test_of_delimited_text_one_row_is_told_under_its_header() -> None:
    text = 'name,role\n"Dam, Helle",Product\nSigrid,Finance'
    assert snippet(text, '"Dam, Helle",Product', "p.csv") == "> **name: Dam, Helle · role: Product**\n\n— A [1]"


def test_code_below_the_heading_comes_with_the_sentence_behind_it() -> None:
    text = "## 安装\n\n```bash\npip install shiyin\n```\n\n需要 Python 3.9。"
    assert snippet(text, "需要 Python 3.9。") == "> `pip install shiyin`\n> **需要 Python 3.9。**\n\n— A · 安装 [1]"


def test_what_a_source_makes_bold_and_its_links_are_plain() -> None:
    assert snippet("**Q: One?**\n\nSee [two](http://x.org/a).", "See [two](http://x.org/a).").startswith(
        "> **See two.**\n"
    )


def test_bold_is_read_as_bold_between_chinese_marks() -> None:
    told = snippet("他来了。“她”走了。我在。", "“她”走了。")
    (run,) = [run for node in parse_markdown(told) for child in node.children for run in child.runs if run.bold]
    assert run.text == "“她”走了。"


def test_a_long_passage_is_cut_to_a_few_lines_from_its_chosen_sentence_on() -> None:
    told = snippet("A long story. " * 60 + "The end is near. " + "And so on. " * 60, "The end is near.")
    assert "… **The end is near.**" in told
    assert len(told) < 330


def test_a_sentence_over_two_lines_is_one_in_bold() -> None:
    assert (
        snippet("Before. The\nBoard met.\nAfter.", "The\nBoard met.")
        == "> Before. **The Board met.** After.\n\n— A [1]"
    )


def test_a_chosen_sentence_that_has_begun_is_whole_to_its_value() -> None:
    told = "市区面积约105平方公里，分为20个区，人口约为214.6万。"
    spans = ((0, 5), (75, 75 + len(told)))  # behind what takes 150 of the 160 columns of a further snippet
    extract = Extract(
        n=1, source="a.md", title="A", text="塞" * 75 + told, highlights=spans, score=1.0, evidence_id="e"
    )
    assert f"**{told}**" in format_snippets([(extract, "[1]"), (extract, "[2]")])[1]


def test_every_chosen_sentence_is_shown_however_long_the_passage() -> None:
    text = "The scale is 1:2,000. " + "Filler goes on and on. " * 40 + "The sheet was drawn in 1911."
    chosen = ("The scale is 1:2,000.", "The sheet was drawn in 1911.")
    spans = tuple((text.index(one), text.index(one) + len(one)) for one in chosen)
    extract = Extract(n=1, source="a.md", title="A", text=text, highlights=spans, score=1.0, evidence_id="e")
    told = format_snippets([(extract, "[1]")])[0]
    assert all(f"**{one}**" in told for one in chosen)


def test_the_heading_path_stands_below_and_not_again_in_the_text() -> None:
    extract = Extract(
        n=1,
        source="a.docx",
        title="Lease",
        text="3. Rent\nThe rent is due monthly.",
        highlights=((8, 32),),
        score=1.0,
        evidence_id="e",
        headings=("3. Rent",),
    )
    assert format_snippets([(extract, "[1]")]) == ["> **The rent is due monthly.**\n\n— Lease › 3. Rent [1]"]


def test_neighbouring_highlights_keep_the_blank_between_them() -> None:
    chosen = ("The tower was begun in 1887.", "It was opened in 1889.")
    text = f"{chosen[0]} {chosen[1]} {'It has many visitors and a long history of repairs. ' * 20}"
    spans = tuple((text.index(sentence), text.index(sentence) + len(sentence)) for sentence in chosen)
    extract = Extract(n=1, source="a.md", title="A", text=text, highlights=spans, score=1.0, evidence_id="e")
    assert " ".join(chosen) in format_snippets([(extract, "[1]")], bold=False)[0]


def test_names_of_two_header_rows_are_joined_and_told_with_a_row() -> None:
    text = (
        "| Quay | 2031 | 2031 |\n| --- | --- | --- |\n| Quay | spring | autumn |\n| Vell | 14 | 9 |\n| Harn | 7 | 30 |"
    )
    assert snippet(text, "| Harn | 7 | 30 |") == "> **Quay: Harn · 2031 spring: 7 · 2031 autumn: 30**\n\n— A [1]"
    sheet = "Quay | 2031 | 2031\nQuay | spring | autumn\nVell | 14 | 9"
    told = snippet(sheet, "Vell | 14 | 9", "quays.xlsx")
    assert told == "> **Quay: Vell · 2031 spring: 14 · 2031 autumn: 9**\n\n— A [1]"


def test_a_table_of_names_and_values_has_no_header() -> None:
    text = "| Rent in 2031 | 940 crowns |\n| --- | --- |\n| Deposit | 1,880 crowns |\n| Keeper | Nell Oakes |"
    assert snippet(text, "| Rent in 2031 | 940 crowns |") == "> **Rent in 2031: 940 crowns**\n\n— A [1]"
    assert snippet(text, "| Keeper | Nell Oakes |") == "> **Keeper: Nell Oakes**\n\n— A [1]"


def test_a_year_above_a_column_of_two_is_a_header() -> None:
    text = "| Quay | 2031 |\n| --- | --- |\n| Vell | 14 |"
    assert snippet(text, "| Vell | 14 |") == "> **Quay: Vell · 2031: 14**\n\n— A [1]"


def test_labelled_lines_beside_a_chosen_one_are_of_the_same_record_and_few_of_them_are_shown() -> None:
    text = "**Flat:** 3B\n**Landlord:** Thorn\n**Tenant:** Ann Lee"
    assert snippet(text, "**Flat:** 3B") == "> **Flat: 3B**\n> Landlord: Thorn\n> Tenant: Ann Lee\n\n— A [1]"
    many = "\n".join(f"key{n}: {n}" for n in range(20))
    assert snippet(many, "key0: 0").count("key") <= 5


def test_prose_ends_with_a_sentence_so_that_no_date_is_cut_in_two() -> None:
    chosen = "The tower stands in Paris."
    for width in range(150, 270):
        text = f"{chosen} {'x' * width}.\nWork began in January 1887 and the tower was completed on 31 March 1889."
        assert ("31 March" in snippet(text, chosen)) == ("1889" in snippet(text, chosen))
        assert "> …" not in snippet(text, chosen)
    assert snippet("word " * 100, "word " * 100).count("word") > 20  # alone it is cut between words
