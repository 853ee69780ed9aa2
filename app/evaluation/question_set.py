"""Question sets: questions with known answers, over documents of the set, a corpus, or the web.

A set is a BEIR-shaped folder (`corpus.jsonl`, `queries.jsonl`, `qrels.tsv`), a folder with `documents/` and
`questions.jsonl`, or a file of JSON lines. A row has `text` or `question`, and `answers` or `answer`. It may have
`answer_aliases`, `type`, `hops`, `answerable`, `language` and `_id`. An open question has `facts` instead, all of which
are wanted, and may have `stale` ones. Facts are texts, or objects with `text` and `aliases`.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from weiwo.nodes.shared.question.parser import parse_question
from weiwo.state.kinds import Language
from weiwo.text.language_detection import detect_language
from weiwo.text.names import names
from weiwo.text.patterns import lazy
from weiwo.text.values import coerce
from weiwo.tools.corpus.evaluation.answer_matching import YES_NO, AnswerText, token_f1
from weiwo.tools.corpus.evaluation.dataset import Dataset, DatasetError, read_json_lines

_ALL_NEEDED: Final = "list"
"""The type of a question that needs all of its answers. For any other type, one of them is enough."""
_HOPS: Final = lazy(r"([2-9])hop", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Question:
    """A question with a known answer.

    Attributes:
        id: Its id in the set.
        text: The text of the question.
        answers: The required answers: groups of aliases. All groups are needed, any alias of a group will do.
        relevant: The documents that answer it, by source. Empty if the set does not say.
        hops: The number of look-ups needed, or 0 if the set does not say.
        answerable: Whether there is an answer. If there is none, saying so is right.
        language: Its language.
        stale: Outdated answers: groups of aliases.
        open: Whether it is an open question. Its answers are key facts, all of which are wanted.
    """

    id: str
    text: str
    answers: tuple[tuple[str, ...], ...]
    relevant: frozenset[str] = frozenset()
    hops: int = 0
    answerable: bool = True
    language: Language = "en"
    stale: tuple[tuple[str, ...], ...] = ()
    open: bool = False

    @property
    def golds(self) -> list[str]:
        """Every alias of every answer."""
        return [alias for group in self.answers for alias in group]

    @property
    def boolean(self) -> bool:
        """Report whether the answer is yes or no."""
        return bool(self.answers) and {gold.casefold().strip() for gold in self.golds} <= YES_NO

    def is_said_in(self, texts: Iterable[str]) -> bool:
        """Report whether the texts together contain the answer: an alias of every group of `answers`."""
        said = AnswerText("\n\n".join(texts))
        return bool(self.answers) and all(any(map(said.says, group)) for group in self.answers)

    def is_answered_by(self, statement: str) -> bool:
        """Report whether a statement gives the answer.

        For a choice in the question, the right choice must be named first: to "Which is larger, Rome or Oslo?", "Rome
        beats Oslo" answers Rome, and "Oslo is less than Rome" does not count. For a yes/no question, both must be yes
        or both no.
        """
        if self.boolean:
            return _read_boolean(statement) == _read_boolean(self.golds[0])
        if not self.is_said_in([statement]):
            return False
        said, offered = AnswerText(statement), AnswerText(self.text)
        if len(self.answers) > 1 or not any(map(offered.says, self.golds)):
            return True
        right = min(map(said.first, self.golds))
        choices = (_split_choices(subject) for subject in parse_question(self.text, self.language).subjects)
        named = [AnswerText(choice) for found in choices for choice in found]
        wrong = [item.text for item in named if not any(map(item.says, self.golds))]
        return all(right <= said.first(item) for item in wrong)

    def score_f1(self, statement: str) -> float:
        """Return the token F1 of a statement, 0 to 1: the overlap of its words with those of the nearest known answer.

        If several answers are required, they count as one text.
        """
        if len(self.answers) > 1:
            return token_f1(statement, [" ".join(group[0] for group in self.answers)])
        return token_f1(statement, self.golds)


def _split_choices(subject: str) -> list[str]:
    """Return the names in a subject like "Rome or Oslo", or the subject itself if it does not have several."""
    found = [name.text for name in names(subject)]
    return found if len(found) > 1 else [subject]


@dataclass(frozen=True)
class QuestionSet:
    """A set of questions, with the documents for answering.

    Attributes:
        name: Its name.
        questions: Its questions.
        dataset: Its documents as a BEIR dataset, if it has these.
        documents: Its folder of documents, if it has that.
    """

    name: str
    questions: Sequence[Question]
    dataset: Dataset | None = None
    documents: Path | None = None

    def digest(self) -> str:
        """Return a hash of the questions and answers. Runs with equal hashes can continue each other."""
        whole = json.dumps(
            [[question.id, question.text, question.answers] for question in self.questions], ensure_ascii=False
        )
        return hashlib.sha256(whole.encode()).hexdigest()[:16]


def read_question_set(path: Path) -> QuestionSet:
    """Read a set.

    Raises:
        DatasetError: The path holds no valid set. The message names file and line, and says what to do.
    """
    if path.is_file():
        return QuestionSet(path.stem, _read_rows(path))
    if (path / "documents").is_dir() and (path / "questions.jsonl").is_file():
        return QuestionSet(
            path.resolve().name, _read_rows(path / "questions.jsonl"), documents=(path / "documents").resolve()
        )
    dataset = Dataset(path)
    questions = [
        _make_question(question.row, f"{path}, question {question.id}", question.relevant)
        for question in dataset.questions
    ]
    return QuestionSet(dataset.name, questions, dataset=dataset)


def _read_rows(path: Path) -> list[Question]:
    questions: list[Question] = []
    for number, row in read_json_lines(path):
        questions.append(_make_question({"_id": str(number), **row}, f"{path}, line {number}", {}))
    if not questions:
        raise DatasetError(f"{path} contains no question; write one JSON object per line, with text and answers")
    repeated = len(questions) - len({question.id for question in questions})
    if repeated:
        raise DatasetError(f"{path}: {repeated} questions have a duplicate _id; make each _id unique")
    return questions


def _make_question(row: Mapping[str, Any], where: str, relevant: Iterable[str]) -> Question:
    text = row.get("text") or row.get("question")
    if not isinstance(text, str) or not text.strip():
        raise DatasetError(f'{where} must be an object with "text" or "question"; correct the line')
    facts = _read_facts(row, "facts", where)
    answers = facts or _read_answers(row)
    answerable = bool(row.get("answerable", True))
    if answerable and not answers:
        raise DatasetError(f'{where} has no "answers"; add "answers", "facts" or "answerable": false')
    language: Language = str(row.get("language") or detect_language(text))
    return Question(
        id=str(row["_id"]),
        text=text.strip(),
        answers=answers,
        relevant=frozenset(relevant),
        hops=_count_hops(row),
        answerable=answerable,
        language=language,
        stale=_read_facts(row, "stale", where),
        open=bool(facts),
    )


def _read_facts(row: Mapping[str, Any], name: str, where: str) -> tuple[tuple[str, ...], ...]:
    """Return the facts in a row's field as groups of aliases, the fact's text first. Empty without the field."""
    groups = []
    for given in row.get(name) or ():
        fact = {"text": given} if isinstance(given, str) else given
        if not isinstance(fact, dict) or not isinstance(fact.get("text"), str) or not fact["text"].strip():
            raise DatasetError(
                f'{where}: each item of "{name}" must be a string or an object with "text"; correct the line'
            )
        aliases = fact.get("aliases") or []
        groups.append(_texts([fact["text"], *(aliases if isinstance(aliases, list) else [aliases])]))
    return tuple(groups)


def _read_answers(row: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    """Return the answers of a row as groups of aliases. Any alias of a group will do, but every group is needed.

    `["Rome", "Roma"]` is one group of two aliases. `[["Rome", "Roma"], "Oslo"]` gives two groups, and so does a plain
    list in a row of the type "list".
    """
    given = row.get("answers", row.get("answer"))
    listed = given if isinstance(given, list) else [] if given is None else [given]
    aliases = row.get("answer_aliases") or []
    nested = any(isinstance(item, list) for item in listed)
    if nested or row.get("type") == _ALL_NEEDED:
        groups = [_texts(item if isinstance(item, list) else [item]) for item in listed]
    else:
        groups = [_texts([*listed, *(aliases if isinstance(aliases, list) else [aliases])])]
    return tuple(group for group in groups if group)


def _texts(values: Iterable[Any]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(value).strip() for value in values if str(value).strip()))


def _count_hops(row: Mapping[str, Any]) -> int:
    if isinstance(row.get("hops"), int):
        return int(row["hops"])
    if isinstance(row.get("decomposition"), list):
        return len(row["decomposition"])
    found = _HOPS.match(str(row.get("type") or ""))
    return int(found[1]) if found else 0


def _read_boolean(text: str) -> object:
    """Return the boolean value of a yes or no text, or None for any different text."""
    with suppress(ValueError):
        return coerce(text, "boolean")
    return None
