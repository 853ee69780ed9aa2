"""Claims that one sentence of a source says, and those that only have its words."""

import pytest

from weiwo.nodes.writer.claims import ClaimSources, check_piece, is_told_cell
from weiwo.nodes.writer.entailment import is_open
from weiwo.nodes.writer.verification.grounds import Grounds, collect_grounds
from weiwo.nodes.writer.verification.restatement import is_restated
from weiwo.state import Claim, Evidence, passage_id


def _grounds(title: str, text: str) -> Grounds:
    return collect_grounds([Evidence(id=passage_id(text), text=text, title=title, source="a.md")])


@pytest.mark.parametrize(
    ("claim", "title", "text"),
    [
        ("The Eiffel Tower is 330 metres tall.", "Eiffel Tower", "The Eiffel Tower is 330 metres (1,083 ft) high and stands in Paris."),
        ("The Blue Tower rises to a height of 330 metres.", "Blue Tower", "It is 330 metres tall and has 57 floors."),
        ("Acme was established in 1990.", "Firms", "Acme was founded in 1990."),
        ("Acme was founded in 1990.", "Acme", "The firm was founded on 3 May 1990."),
        ("The warranty of the VX lasts 24 months.", "VX", "The warranty of the VX lasts 2 years."),
        ("Ann Lee leads the Leeds office.", "Staff", "Ann Lee leads the Leeds office and its store."),
    ],
)  # fmt: skip
def test_a_sentence_says_it(claim: str, title: str, text: str) -> None:
    assert is_restated(claim, _grounds(title, text))


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("Acme acquired Bolt in 2019.", "Bolt acquired Acme in 2019."),
        ("Acme acquired Bolt in 2019.", "Acme was acquired by Bolt in 2019."),
        ("Acme acquired Bolt in 2019.", "Acme sold Bolt in 2019."),
        ("Acme acquired Bolt in 2019.", "Acme planned to acquire Bolt in 2019."),
        ("Acme closed in 1990.", "Acme was founded in 1990."),
        ("Acme rents 3 halls to Bolt.", "Acme rents 3 halls from Bolt."),
        ("Acme supplied Bolt until 2019.", "Acme supplied Bolt since 2019."),
        ("Sales rose by 20 million in 2019.", "Sales rose to 20 million in 2019."),
        ("All staff of Acme left in 2019.", "Some staff of Acme left in 2019."),
        ("Oslo Tower is the tallest tower in Norway.", "Oslo Tower is the second tallest tower in Norway."),
        ("Ann Lee is the head of Leeds.", "Ann Lee was the head of Leeds."),
        ("Ann Lee is the head of Leeds.", "Ann Lee is the deputy head of Leeds."),
        ("Tom Roe was murdered in 1940.", "Tom Roe died in 1940."),
        ("The mill burned down in 1871.", "The mill was built in 1871 and burned down in 1902."),
        ("Ann Lee wrote the foreword of Harbour.", "Ann Lee wrote Harbour; Tom Roe wrote the foreword."),
        ("Blue Tower is 330 metres tall.", "Red Tower is 330 metres tall."),
    ],
)
def test_a_sentence_that_says_something_else(claim: str, text: str) -> None:
    assert not is_restated(claim, _grounds("Notes", text))


def test_what_is_settled_is_not_judged() -> None:
    text = "The mill of Orla was opened in 1874."
    given = ClaimSources({1: (Evidence(id=passage_id(text), text=text, source="a.md", title="Orla"),)}, {})
    settled, left = check_piece("The mill of Orla opened in 1874 [1]. The mill of Orla was built in 1874 [1].", given)
    assert not is_open(settled)
    assert is_open(left)


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("The Platform team owns the API gateway.", "The API gateway is owned by the Platform team (slack #platform)."),
        ("The API gateway is owned by the Platform team.", "The Platform team owns the API gateway and the proxy."),
        ("Dana Lee is the mayor of Orla.", "The mayor of Orla, Dana Lee, has an office in the old hall."),
        ("Harbour was written by Ann Lee.", "Ann Lee wrote Harbour in a single winter."),
        ("Orla was founded in 1302.", "In 1302 settlers from the coast founded Orla, on land of the abbey."),
        ("The year in which Orla was founded is 1302.", "Orla was founded in 1302."),
        ("The founding of Orla took place in 1302.", "Orla was founded in 1302."),
        ("Orla lies on the river Ysk.", "Orla, a market town, lies on the river Ysk."),
        ("The retention period for audit logs is 400 days.", "Audit logs have a retention period of 400 days."),
        ("Bolt was acquired by Acme in 2019.", "In 2019 Acme acquired Bolt for 3 million euros."),
        (
            "Tom Roe was born in Leeds.",
            "Tom Roe, whose father kept an inn, was born in Leeds and grew up with an aunt.",
        ),
        ("Orla was founded in 1302.", "Orla goes back to 1302, when the abbot gave the fishermen a charter."),
        ("The founding of Orla was in 1302.", "Orla dates from 1302."),
        (
            "Harbour was written by Ann Lee.",
            "Harbour, written by Ann Lee in a single winter, sold out in its first week.",
        ),
        ("The birthplace of Tom Roe is Leeds.", "Tom Roe was born in Leeds and grew up with an aunt."),
        ("Leeds is where Tom Roe was born.", "Tom Roe, whose father kept an inn, was born in Leeds."),
        ("Tom Roe was born in Leeds.", "The birthplace of Tom Roe is Leeds."),
        ("Ann Lee taught Tom Roe.", "Tom Roe was a pupil of Ann Lee."),
        ("Tom Roe was a pupil of Ann Lee.", "Tom Roe was taught by Ann Lee for six years."),
        (
            "Night Harbour is a work by Ann Lee.",
            "The composer Ann Lee wrote Night Harbour for the reopening of the theatre.",
        ),
        (
            "Ann Lee composed Night Harbour.",
            "The composer Ann Lee wrote Night Harbour for the reopening of the theatre.",
        ),
        ("The river at Orla is the Ysk.", "Orla lies on the river Ysk."),
        ("The river at Orla is the Ysk.", "At Orla the river Ysk is crossed by a bridge."),
        ("Orla is a town on the river Ysk.", "Orla is a market town with a harbour. Orla lies on the river Ysk."),
        ("2023年柱石公司的营收是1200万美元。", "柱石公司2023年营收为1200万美元，比上一年增长三分之一。"),
        ("松湖的大坝于1931年建成。", "松湖大坝（东段）1931年建成，高40米。"),
    ],
)
def test_a_sentence_says_it_in_another_order(claim: str, text: str) -> None:
    assert is_restated(claim, _grounds("Notes", text))


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("The Platform team is owned by the API gateway.", "The API gateway is owned by the Platform team."),
        ("Ann Lee plays guitar in Leeds.", "Ann Lee's brother plays guitar in Leeds."),
        ("Acme opened in 1874.", "In 1874 Acme opened the school."),
        ("The mill opened in 1874.", "In 1874 the owner of the mill opened a bank."),
        ("Ann Lee taught Tom Roe.", "Ann Lee was taught by Tom Roe."),
        ("The teacher of Ann Lee is Tom Roe.", "Ann Lee is the teacher of Tom Roe."),
        ("Leeds was left by Ann Lee in 1920.", "In 1920 Ann Lee left for Leeds."),
        ("Ann Lee taught Tom Roe.", "Ann Lee was a pupil of Tom Roe."),
        ("Tom Roe was a pupil of Ann Lee.", "Tom Roe taught Ann Lee."),
        ("Tom Roe was born in Leeds.", "The birthplace of Tom Roe's mother is Leeds."),
        ("Leeds is where Tom Roe was born.", "Leeds is where the teacher of Tom Roe was born."),
        ("Night Harbour is a work by Ann Lee.", "The rival of Ann Lee wrote Night Harbour."),
        ("Night Harbour is a work by Ann Lee.", "Ann Lee wrote on Night Harbour."),
        ("Orla lies on the river Ysk.", "Orla and the river Ysk were flooded."),
        ("Orla lies on the river Ysk.", "Orla lies far from the river Ysk."),
        ("Orla lies on the river Ysk.", "Orla lies above the river Ysk."),
        ("Orla is a port on the river Ysk.", "Orla is a market town with a harbour. Orla lies on the river Ysk."),
        ("Orla was built in 1302.", "Orla goes back to 1302."),
        ("The fee of Acme is paid by Bolt.", "Acme pays Bolt the fee."),
        ("Ann Lee leads the Leeds office.", "The office of Ann Lee leads Leeds."),
        ("Tom Roe was born in Leeds.", "Tom Roe, whose father was born in Leeds, wrote novels."),
        ("Tom Roe was born in Leeds.", "Tom Roe, whose father, a baker, was born in Leeds, wrote novels."),
        ("Orla was founded in 1302.", "In 1302 Orla founded a school."),
        ("Orla was founded by Dana Lee.", "Orla, the town of Dana Lee, was founded by monks."),
        ("In 1902 the mill burned down.", "The mill burned, and was rebuilt in 1902."),
        ("Harbour was written by Dana Lee.", "Dana Lee wrote the foreword to Harbour."),
        ("2023年柱石公司收购了远山集团。", "柱石公司2023年被远山集团收购。"),
        ("柱石公司收购了远山集团。", "柱石公司的子公司收购了远山集团。"),
        ("松湖的大坝于1931年建成。", "松湖的大坝未于1931年建成。"),
        ("松湖的大坝于1931年建成。", "松湖的大坝于1931年建成的说法有误。"),
    ],
)
def test_the_same_words_in_other_slots_say_something_else(claim: str, text: str) -> None:
    assert not is_restated(claim, _grounds("Notes", text))


@pytest.mark.parametrize(
    ("row", "column", "value", "text", "told"),
    [
        ("Orla", "Founded", "1302", "In 1302 settlers from the coast founded Orla.", True),
        ("Orla", "Mayor", "Dana Lee", "The mayor of Orla, Dana Lee, has an office in the old hall.", True),
        ("Orla", "River", "Ysk", "Orla lies on the river Ysk.", True),
        ("奥拉", "市长", "李丹娜", "奥拉的市长是李丹娜。", True),
        ("Orla", "Mayor", "Dana Lee", "The former mayor of Orla, Dana Lee, wrote a book.", False),
        ("Orla", "Founded", "1302", "In 1302 Orla founded a school.", False),
        ("Orla", "River", "Ysk", "Orla lies far from the river Ysk.", False),
        ("Bryn", "Founded", "1302", "In 1302 settlers from the coast founded Orla.", False),
        ("In", "Founded", "1302", "In 1302 settlers from the coast founded Orla.", False),
    ],
)
def test_a_cell_that_a_sentence_says_is_not_judged(row: str, column: str, value: str, text: str, told: bool) -> None:  # noqa: FBT001 - expected
    given = ClaimSources({1: (Evidence(id=passage_id(text), text=text, source="a.md", title="Notes"),)}, {})
    claim = Claim(text=f"{value} [1]", citations=(1,), verdict="matched")
    assert is_told_cell(claim, (row, column), given) is told


@pytest.mark.parametrize(
    ("claim", "title", "text"),
    [
        ("Lake Orm is 41 m deep.", "Lake Orm", "The lake covers 3 square kilometres and is 41 m deep."),
        ("Ann Lee came into the world in Orla.", "Ann Lee", "Ann Lee was an engineer. She came into the world in Orla, the second daughter of a smith."),
        ("The Orla Courier was founded by Tom Roe.", "Orla", "The newspaper Orla Courier has come out every day since 1874; it was founded by Tom Roe."),
        ("The mayor of Orla is Tom Roe.", "Orla", "Tom Roe is mayor of Orla since the last election."),
        ("Acme was founded in 1990; Bolt was founded in 1991.", "Firms", "Acme was founded in 1990. Bolt was founded in 1991."),
        ("Orla has 18 mills, while Ysk has 9 mills.", "Mills", "Orla has 18 mills. Ysk has 9 mills."),
    ],
)  # fmt: skip
def test_a_part_of_a_sentence_says_it(claim: str, title: str, text: str) -> None:
    assert is_restated(claim, _grounds(title, text))


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("The Orla Courier was founded by Tom Roe.", "The Orla Courier is a newspaper; it was founded by Tom Roe, a claim that is denied."),
        ("Acme was founded by Tom Roe.", "Acme supplied Bolt for a time; it was founded by Tom Roe."),
        ("Tom Roe is mayor of Orla.", "Tom Roe was mayor of Orla, the last one."),
        ("Acme was founded in 1990; Bolt was founded in 1991.", "Acme was founded in 1990. Bolt was sold in 1991."),
        ("Males are larger than females.", "Adults reach 3 m; females are larger than males."),
        ("Ann Lee's mill is 3 m high.", "Ann Lee's brother had a mill; it is 3 m high."),
        ("The painter Ann Lee and Tom Roe founded Acme.", "Tom Roe founded Acme. The painter Ann Lee joined him."),
    ],
)  # fmt: skip
def test_a_part_is_not_taken_out_of_what_changes_its_meaning(claim: str, text: str) -> None:
    assert not is_restated(claim, _grounds("Notes", text))


@pytest.mark.parametrize("verb", ["claims", "claimed", "reports", "hopes", "seems", "denies", "alleges", "estimates"])
@pytest.mark.parametrize("claim", ["Orla Mill was built in 1900.", "In 1900 Orla Mill was built."])
@pytest.mark.parametrize(
    "text", ["Orla Mill was built in 1900, the owner {}.", "Orla Mill was built in 1900; the owner {} it."]
)
def test_a_limiting_verb_in_any_form_qualifies_what_stands_beside_it(claim: str, text: str, verb: str) -> None:
    assert not is_restated(claim, _grounds("Notes", text.format(verb)))


@pytest.mark.parametrize("beside", ["the owner lives there", "the second of its kind", "it has both wheels"])
def test_what_limits_nothing_leaves_a_restatement(beside: str) -> None:
    assert is_restated("In 1900 Orla Mill was built.", _grounds("Notes", f"Orla Mill was built in 1900, {beside}."))
