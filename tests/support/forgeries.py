"""Forgeries of answers with proofs, one of each kind, made to fit as far as their maker can.

Each is a function that changes a file in place, and the answer that it changes: the key of a question in the test.
"""

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

Answer = dict[str, Any]
Forge = Callable[[Answer], None]


def say(answer: Answer, old: str, new: str) -> None:
    """Put other words in the place of some, in the answer and in its claims."""
    assert old in answer["answer"]
    answer["answer"] = answer["answer"].replace(old, new)
    for claim in answer["claims"]:
        claim["text"] = claim["text"].replace(old, new)


def replace_in(part: str, old: str, new: str) -> Forge:
    """Replace a text wherever it stands in a part of the file, such as its values or its plan."""

    def change(answer: Answer) -> None:
        written = json.dumps(answer[part], ensure_ascii=False)
        assert old in written
        answer[part] = json.loads(written.replace(old, new))

    return change


def both(*changes: Forge) -> Forge:
    """Several changes, one after the other."""

    def change(answer: Answer) -> None:
        for each in changes:
            each(answer)

    return change


def show(old: str, new: str) -> Forge:
    """Write something else in the answer alone."""

    def change(answer: Answer) -> None:
        assert old in answer["answer"]
        answer["answer"] = answer["answer"].replace(old, new)

    return change


def tell(old: str, new: str) -> Forge:
    """Tell something else in the answer and in its claims."""
    return lambda answer: say(answer, old, new)


def write(field: str, value: object) -> Forge:
    """Write another value into a field."""
    return lambda answer: answer.update({field: value})


def add(text: str, *, first: bool = False) -> Forge:
    """Add a block to the answer."""

    def change(answer: Answer) -> None:
        answer["answer"] = f"{text}\n\n{answer['answer']}" if first else f"{answer['answer']}\n\n{text}"

    return change


def add_claim(text: str, verdict: str, citations: list[int]) -> Forge:
    """Add a claim, to the answer as well."""

    def change(answer: Answer) -> None:
        answer["answer"] += f"\n\n{text}{''.join(f' [{n}]' for n in citations)}"
        answer["claims"].append({"text": text, "citations": citations, "verdict": verdict, "reason": ""})

    return change


def extend_passage(answer: Answer) -> None:
    answer["sources"][0]["passage"]["text"] += " It is unsafe and was closed in 2024."


def change_value_and_claim(answer: Answer) -> None:
    answer["values"]["task_1"]["value"] = 912
    say(answer, "812", "912")


def change_row(answer: Answer) -> None:
    for source in answer["sources"]:
        source["passage"]["text"] = source["passage"]["text"].replace("1200", "7200")


def unmark(answer: Answer) -> None:
    """A doubtful claim without its mark in the text."""
    add_claim("The Otter Bridge has 3 towers of gold.", "unsupported", [1])(answer)


def tell_missing_part(answer: Answer) -> None:
    """A part without an answer told as answered by a claim that speaks of another."""
    write("gaps", [])(answer)
    write("status", "complete")(answer)
    write("stop_reason", "finished")(answer)
    lead = next(line for line in answer["answer"].splitlines() if line.startswith("Not answered"))
    answer["answer"] = answer["answer"].replace(f"{lead}\n\n", "")
    answer["parts"] = [part | {"outcome": "answered", "claims": [0]} for part in answer["parts"]]


def drop_part(answer: Answer) -> None:
    """A part without an answer left out of the file."""
    tell_missing_part(answer)
    answer["parts"] = answer["parts"][:1]


def rename_titles(answer: Answer) -> None:
    for source in answer["sources"]:
        source["passage"]["title"] = "Otter Bridge is closed"
    answer["answer"] = "# Otter Bridge is closed\n\n" + answer["answer"]


def move_passage(answer: Answer) -> None:
    answer["sources"][0]["passage"]["locator"] = "line 9"


def date_passage(answer: Answer) -> None:
    """A document that states no date, told with one of its own."""
    answer["sources"][0]["passage"] |= {"date": "2031-01-01", "flags": []}


def drop_claims(answer: Answer) -> None:
    """All claims but the first left out, of a file whose parts still tell them."""
    answer["answer"], answer["claims"] = answer["answer"].split("\n")[0], answer["claims"][:1]


def call_it_a_row(answer: Answer) -> None:
    """A passage of our own making, as the row of a request that nobody made."""
    row = deepcopy(answer["sources"][0]) | {"n": 2}
    row["passage"] |= {"tool": "query_table", "id": "row", "text": "Bridge: Otter; Closed: yes"}
    answer["sources"].append(row)
    add_claim("Bridge: Otter; Closed: yes.", "quoted", [2])(answer)


FORMULA = both(
    replace_in("plan", "17 * 23", "17 * 24"),
    replace_in("values", "17 * 23", "17 * 24"),
    replace_in("values", "391", "408"),
)
WIDTH = both(write("question", "How wide is the Otter Bridge?"), tell("– length", "– width"))

FORGERIES: dict[str, tuple[str, Forge]] = {
    "a passage extended": ("value", extend_passage),
    "a passage moved": ("value", move_passage),
    "a passage of another date": ("value", date_passage),
    "a document renamed, and a heading of its name": ("value", rename_titles),
    "a source that is another file": ("value", replace_in("sources", "bridge.md", "heron.md")),
    "a row of a request that nobody made": ("value", call_it_a_row),
    "a value alone": ("value", replace_in("values", '"value": 812', '"value": 912')),
    "a value with its claim": ("value", change_value_and_claim),
    "another figure of the same document as the value": (
        "value",
        both(replace_in("values", '"value": 812', '"value": 1987'), tell("812 metres [1].", "1,987 metres [1].")),
    ),
    "a value with claim, quote and passage": (
        "value",
        both(change_value_and_claim, replace_in("sources", "812", "912"), replace_in("values", "812", "912")),
    ),
    "another question": (
        "value",
        both(
            write("question", "How long is the Heron Bridge?"), tell("Otter Bridge – length", "Heron Bridge – length")
        ),
    ),
    "another question, and its part": (
        "value",
        both(
            write("question", "How long is the Falcon Bridge?"),
            tell("Otter Bridge – length", "Falcon Bridge – length"),
            replace_in("parts", "Otter", "Falcon"),
        ),
    ),
    "another attribute": ("value", WIDTH),
    "another attribute, in part and plan": (
        "value",
        both(WIDTH, replace_in("parts", "length", "width"), replace_in("plan", "long", "wide")),
    ),
    "another attribute, as if a model had read it": (
        "value",
        both(
            WIDTH,
            replace_in("parts", "length", "width"),
            replace_in("plan", "long", "wide"),
            replace_in("values", '"decided_by": "rule"', '"decided_by": "model"'),
        ),
    ),
    "another year in the question": ("value", write("question", "How long was the Otter Bridge in 1990?")),
    "another question alone": ("value", write("standalone", "How long is the Heron Bridge?")),
    "things compared exchanged": (
        "comparison",
        tell(
            "Otter Bridge has the greater length: 812 metres, against 640 metres for Heron Bridge",
            "Heron Bridge has the greater length: 812 metres, against 640 metres for Otter Bridge",
        ),
    ),
    "another difference": ("comparison", tell("172", "182")),
    "a figure of a table": (
        "table",
        both(replace_in("values", "3300", "9300"), tell("3,300", "9,300")),
    ),
    "a row of a table": ("table", change_row),
    "a request to a table": ("table", replace_in("plan", "Lyon", "Nantes")),
    "a request to a table, with all that rests on it": (
        "table",
        both(
            replace_in("plan", "Lyon", "Nantes"),
            replace_in("values", "Lyon", "Nantes"),
            replace_in("values", "3300", "3400"),
            tell("3,300", "3,400"),
        ),
    ),
    "another measure of a table": (
        "table",
        both(
            replace_in("plan", '"sum"', '"mean"'),
            replace_in("values", '"sum"', '"mean"'),
            replace_in("values", "3300", "1650"),
            tell("3,300", "1,650"),
        ),
    ),
    "a count with a figure of its own words": ("count", tell("2 rows where", "3 rows where")),
    "rows of a table exchanged": (
        "groups",
        both(tell("| Nantes | 3400 |", "| Nantes | 3300 |"), tell("| Lyon | 3300 |", "| Lyon | 3400 |")),
    ),
    "the header of a table": ("groups", tell("| City |", "| Street |")),
    "another formula": ("calculation", both(FORMULA, tell("17 * 23 = 391", "17 * 23 = 408"))),
    "another formula, without its words": ("calculation", both(FORMULA, tell("17 * 23 = 391", "408"))),
    "a sentence": ("value", add("The Otter Bridge was closed for good.")),
    "a heading": ("value", add("## The Otter Bridge is closed", first=True)),
    "a heading of the claim's words and a not": ("value", add("## Otter Bridge not 812 metres", first=True)),
    "a heading of another source": (
        "comparison",
        show("- Otter Bridge – length", "## Heron Bridge\n\n- Otter Bridge – length"),
    ),
    "a quotation under another title": ("comparison", show("— Otter Bridge [1]", "— Heron Bridge [2]")),
    "a quotation under another number": ("comparison", show("— Otter Bridge [1]", "— Otter Bridge [2]")),
    "an extract under another title": ("none", show("— Heron Bridge [3]", "— Otter Bridge [1]")),
    "a heading of the words of several claims": ("comparison", add("## Heron Bridge length 812 metres", first=True)),
    "a lead-in": ("value", add("The Otter Bridge will collapse:", first=True)),
    "a formula": ("value", add("$$ length = 912 $$")),
    "a comment": ("value", add("<!-- The Otter Bridge is unsafe. -->")),
    "code": ("value", add("```\nlength = 912\n```")),
    "code that is called checked": ("value", add_claim("```\nlength = 912\n```", "matched", [])),
    "a table's header": ("value", add("| Unsafe bridges | Deaths |\n| --- | --- |\n| Otter | many |")),
    "a sign in a table": ("value", add("| Otter Bridge | ✗ |\n| --- | --- |")),
    "a sign before a figure": ("value", show("812 m", "<812 m")),
    "figures turned round by a sign of direction": ("value", show("812 m", "\u202e812\u202c m")),
    "a sign of another unit": ("value", show("812 m", "812′ m")),
    "a stroke of a fraction": ("value", show("812 m", "812⁄ m")),
    "words struck out": ("value", show("Otter Bridge – length: 812 metres", "~~Otter Bridge – length: 812 metres~~")),
    "a statement made a question": ("value", show("812 metres [1].", "812 metres? [1].")),
    "a statement made a question, in Chinese": ("chinese", show("812米[1]。", "812米？[1]。")),
    "a quotation that is none": ("extracts", add("> The Otter Bridge was closed in 2024.")),
    "a quotation without its not": ("extracts", add("> The Otter Bridge … closed at night.")),
    "a quotation without its beginning": ("extracts", add("> Closed at night.")),
    "a quotation with a word in two": (
        "extracts",
        add("> The Otter Bridge was opened on 3 May 1987 by May or Elin Strand."),
    ),
    "an extract of another document": ("extracts", replace_in("extracts", '"title": "Otter', '"title": "Heron')),
    "a link": ("value", add("[The bridge is unsafe](https://example.org/closed)")),
    "a mark that became a link": (
        "value",
        show("metres [1]", "metres [1](https://x.example)"),
    ),
    "a mark that leads nowhere": ("value", lambda a: write("answer", a["answer"].replace("[1]", "[7]", 1))(a)),
    "a picture": ("value", add("![closed](https://example.org/closed.png)")),
    "a claim that needs no source": ("value", add_claim("The Otter Bridge is closed.", "uncited", [])),
    "a doubtful claim without its mark": ("value", unmark),
    "a judgement of a model": (
        "value",
        both(replace_in("claims", '"matched"', '"supported"'), tell("812", "912")),
    ),
    "a verdict of code": ("value", both(replace_in("claims", '"matched"', '"quoted"'))),
    "a better status": ("two", both(write("status", "complete"), write("stop_reason", "finished"))),
    "no parts": ("two", both(tell_missing_part, write("parts", []))),
    "a part that nobody asked for": (
        "value",
        lambda answer: answer["parts"].append(answer["parts"][0] | {"attribute": "width"}),
    ),
    "an extract of another number": ("none", replace_in("extracts", '"n": 3', '"n": 1')),
    "claims left out": ("comparison", drop_claims),
    "a notice": ("value", write("notices", ["The Otter Bridge was closed in 2024."])),
    "a gap that is none": ("value", write("gaps", [{"kind": "uncovered", "text": "The bridge is closed"}])),
    "a gap left out": ("two", write("gaps", [])),
    "a missing part told as answered": ("two", tell_missing_part),
    "a missing part left out": ("two", drop_part),
    "passages told as an answer": ("none", write("status", "complete")),
}
