"""Ten folders made from templates: each document has a name, a person and a value of its own."""

from tests.support.states import passage
from weiwo.state import Evidence

NAMES = ("Norvale Ferries", "Quist Salvage", "Tarsk Ropeworks", "Belmar Icehouse", "Drava Mills")
PEOPLE = ("Edda Karst", "Olaf Brennick", "Petra Voss", "Lena Moss", "Jon Falk")
NAMES_ZH = ("云帆轮渡", "启明打捞", "东湖制绳", "北岭冷库", "清河面粉")
FORM = "____________"
FOOTER = (
    "This message and what is attached to it are meant for the person named above alone. If it reached you by mistake, "
    "tell the sender and delete it. Opinions in it are those of the sender and not of the company."
)
CLAUSES = (
    "The supplier delivers within ten working days of the order. Goods are checked on arrival, and what is wrong is told "
    "within five days. Neither party is liable for what neither could foresee. Notices are sent in writing."
)
# A template with {name}, {who} and {value}, and whether its folder also holds the form that nobody filled in.
TEMPLATES: dict[str, tuple[str, bool]] = {
    "contracts": (
        "This contract is between the harbour board and {name}, for whom {who} signs. The yearly fee is {value} crowns. "
        + CLAUSES,
        True,
    ),
    "leases": (
        "The landlord lets the rooms on the second floor to {name}. The rent is {value} crowns a month and is due on the first. "
        + CLAUSES,
        True,
    ),
    "minutes": (
        "Present were the chair, the secretary and {who}. The minutes of the last meeting were read and approved. For {name} a budget of {value} crowns was agreed. There was no other business, and the meeting was closed.",
        False,
    ),
    "mail": (
        "Dear all, the order of {name} comes to {value} crowns and is shipped tomorrow. Kind regards, {who}. " + FOOTER,
        False,
    ),
    "invoices": (
        "For services in the past quarter we charge {name} the sum of {value} crowns, payable within thirty days to the account below. Please name the number of the invoice. Questions are answered by {who}.",
        True,
    ),
    "protocols": (
        "The sample of {name} was kept at room temperature overnight, filtered twice and weighed in the morning by {who}. The weight was {value} grams. All instruments had been calibrated in the week before.",
        False,
    ),
    "warranties": (
        "The maker warrants that the machine sold to {name} is free of faults in material and work for {value} days. Wear and misuse are excluded. The buyer writes to {who} and encloses the receipt.",
        True,
    ),
    "notices": (
        "The hall is closed to the public while {name} sets up its stands. Visitors use the door at the back. The fee of {value} crowns is paid to {who} at the gate, and no dogs are let in.",
        False,
    ),
    "reviews": (
        "The review of {name} found the books in good order. Receipts were complete, and the cash box was counted. A difference of {value} crowns was explained by {who}. No further steps are needed.",
        False,
    ),
    "合同": (
        "本合同由港务局与{name}签订。供方应在下单后十个工作日内交货，货物到达时验收，如有问题应在五日内告知。年费为{value}元。任何一方均不对不可预见之事负责，通知以书面形式送达。",
        True,
    ),
}


# Of each kind a question about one document, and one about all.
QUESTIONS: dict[str, tuple[str, str]] = {
    "contracts": ("What is the yearly fee of {name}?", "What is the yearly fee of each contract?"),
    "leases": ("What rent does {name} pay a month?", "What is the rent of the rooms a month?"),
    "minutes": ("What budget was agreed for {name}?", "What budget was agreed at each meeting?"),
    "mail": ("What does the order of {name} come to?", "What does each order come to?"),
    "invoices": ("What sum is {name} charged?", "What sum is charged for services in the past quarter?"),
    "protocols": ("What did the sample of {name} weigh?", "What was the weight of each sample in grams?"),
    "warranties": (
        "For how many days is the machine of {name} warranted?",
        "For how many days does the maker warrant the machine?",
    ),
    "notices": ("What fee does {name} pay at the gate?", "What fee is paid at the gate?"),
    "reviews": (
        "What difference did the review of {name} explain?",
        "What difference in crowns was explained by each review?",
    ),
    "合同": ("{name}的年费是多少？", "每份合同的年费是多少？"),
}


def folder(kind: str) -> tuple[list[Evidence], dict[str, str]]:
    """The passages of a folder, a document each, and the value of each document; a form has none."""
    template, with_form = TEMPLATES[kind]
    names = NAMES_ZH if kind == "合同" else NAMES
    filled = [
        (f"{n}.md", name, who, f"{2_900 + 1_317 * n:,}")
        for n, (name, who) in enumerate(zip(names, PEOPLE, strict=True))
    ]
    blank = [("form.md", FORM, FORM, "______")] * with_form
    values = {source: value if value[0].isdigit() else "" for source, _, _, value in (*blank, *filled)}
    texts = {source: template.format(name=name, who=who, value=value) for source, name, who, value in (*blank, *filled)}
    return [passage(text, source) for source, text in texts.items()], values
