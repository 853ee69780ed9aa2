"""Language fit: whether an embedding model knows the languages of a corpus.

A model that doesn't makes search worse, not better: it puts all texts of a foreign language close together, in an order
that means little. all-MiniLM-L6-v2, which is English, took recall@5 on Chinese news from .459 to .266. So a model is
shown pairs of sentences that say the same in other words, and asked which belong together. It found 24 of 24 in English
and 10 of 24 in Chinese; character n-grams, which know no language, find 2 and 17.

A model that finds few in either language tells nothing of languages and is taken as it is.
"""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from weiwo.text.language import Language
from weiwo.tools.corpus.index.store import STORE, Store

if TYPE_CHECKING:
    from weiwo.state.settings import Settings
    from weiwo.tools.corpus.index.embedding_models import Embedder

_KNOWN: Final = 75
"""Percent of the pairs that a model finds in a language that it knows."""
_FEW: Final = 0.1
"""The share of passages in a foreign language from which a person is told."""
_MANY: Final = 0.5
"""The share from which the model is not used for the corpus."""

_NAMES: Final[dict[Language, str]] = {"en": "English", "zh": "Chinese"}
_PAIRS: Final[dict[Language, tuple[tuple[str, str], ...]]] = {
    "en": (
        ("The bridge was completed in 1849.", "Builders finished the river crossing in the mid-nineteenth century."),
        ("He was told to take one tablet every morning.", "The patient has to swallow the medicine once a day."),
        ("The company earned a fifth more than last year.", "Annual profits of the firm rose by twenty percent."),
        ("Heavy snow fell and no trains are running.", "Railway services have stopped because of the winter weather."),
        ("She played the piano as a child and later gave concerts.", "The musician began with her instrument early."),
        ("The court sentenced the defendant to three years.", "A judge sent the criminal to jail."),
        ("The program crashed because it ran out of memory.", "The software quit unexpectedly for lack of RAM."),
        ("Wheat and maize are the main crops of the region.", "Farmers there mostly grow cereals."),
        ("The team scored in the last minute and won the cup.", "A late goal gave them the championship."),
        ("Employees need approval before a business trip.", "Staff must ask their boss if they may travel for work."),
        ("These whales swim thousands of kilometres to give birth.", "The large sea mammals migrate far to breed."),
        ("After the emperor's death his young son took the throne.", "The boy succeeded his father as ruler."),
    ),
    "zh": (
        ("这座桥建于一八四九年，横跨多瑙河。", "这条河上的大桥是十九世纪中叶修成的。"),
        ("医生建议他每天早晚各吃一片药。", "大夫让病人一日服药两次。"),
        ("公司今年的利润比去年增长了两成。", "企业本年度赚的钱多了百分之二十。"),
        ("昨夜大雪封山，火车全部停开。", "由于积雪太厚，铁路运输中断了。"),
        ("她从小练习钢琴，后来成了演奏家。", "这位音乐家自幼就开始弹琴。"),
        ("法院判处被告三年有期徒刑。", "那名罪犯要坐三年牢。"),
        ("程序因为内存不足而崩溃了。", "软件占用的存储空间过大，结果意外退出。"),
        ("小麦和玉米是当地的主要农作物。", "这一带的农民大多种植谷物。"),
        ("球队在最后一分钟踢进一球，赢得冠军。", "他们凭借终场前的进球夺冠。"),
        ("员工出差须事先经经理批准。", "职员因公外出要先得到上司同意。"),
        ("这种鲸鱼每年游数千公里去产崽。", "海里的大型哺乳动物为繁殖而长途迁徙。"),
        ("皇帝死后，他的幼子继承了王位。", "君主去世，由年少的儿子即位。"),
    ),
}


class LanguageFit(NamedTuple):
    """The fit of an embedding model to the languages of a corpus."""

    model: str  # the model's name
    found: Mapping[Language, int]  # percent of the pairs that the model finds, by language
    passages: Mapping[str, int]  # how many passages the corpus has, by language

    @property
    def foreign(self) -> tuple[Language, ...]:
        """The languages that the model does not know; none where it does not seem to know any."""
        unknown = tuple(language for language, percent in self.found.items() if percent < _KNOWN)
        return unknown if len(unknown) < len(self.found) else ()

    @property
    def share(self) -> float:
        """The share of the passages that are in a foreign language."""
        return sum(self.passages.get(one, 0) for one in self.foreign) / max(1, sum(self.passages.values()))

    @property
    def trusted(self) -> bool:
        """Whether the corpus is to be searched with the model."""
        return self.share < _MANY

    @property
    def warning(self) -> str:
        """The warning to a person, in one line; empty where there is nothing to say."""
        if self.share < _FEW:
            return ""
        unknown = " or ".join(_NAMES[one] for one in self.foreign)
        part = "the documents" if self.share > 1 - _FEW else f"{self.share:.0%} of the passages"
        instead = "these are hardly found by meaning" if self.trusted else "n-grams are searched instead of vectors"
        return (
            f"embeddings {self.model}: the model does not know {unknown}, in which {part} are; {instead};"
            " set WEIWO_EMBEDDINGS to a multilingual model"
        )


def measure_languages(model: "Embedder") -> dict[Language, int]:
    """Percent of the pairs that a model finds, by language, looked for from either side. One request.

    Raises:
        EmbeddingError: The model failed.
    """
    texts = [text for pairs in _PAIRS.values() for side in zip(*pairs, strict=True) for text in side]
    vectors = model.embed_texts(texts)
    found: dict[Language, int] = {}
    start = 0
    for language, pairs in _PAIRS.items():
        count = len(pairs)
        likeness = vectors[start : start + count] @ vectors[start + count : start + 2 * count].T
        hits = sum(int(likeness.argmax(axis)[one] == one) for axis in (0, 1) for one in range(count))
        found[language] = round(100 * hits / (2 * count))
        start += 2 * count
    return found


def assess_fit(store: Store, model: "Embedder") -> LanguageFit:
    """Assess how a model fits a corpus; measured once and noted in the corpus. Needs the writer's lock.

    Raises:
        EmbeddingError: The model failed.
    """
    known = read_fit(store, model.name)
    if known is not None:
        return known
    found = measure_languages(model)
    with store.write_transaction() as connection:
        connection.execute("DELETE FROM meta WHERE name LIKE 'knows %'")  # what is noted of another model
        connection.executemany(
            "INSERT OR REPLACE INTO meta VALUES (?, ?)",
            [(_name_note(language, model.name), percent) for language, percent in found.items()],
        )
        return LanguageFit(model.name, found, _count_languages(connection))


def read_fit(store: Store, model: str | None = None) -> LanguageFit | None:
    """The fit that is noted in a corpus for a model, or the latest one; None if none is."""
    with store.read_transaction() as connection:
        found: dict[Language, int] = {}
        for name, percent in connection.execute("SELECT name, value FROM meta WHERE name LIKE 'knows %'"):
            _, language, other = name.split(" ", 2)
            if model in {None, other}:
                model = other
                found[language] = percent
        return LanguageFit(str(model), found, _count_languages(connection)) if found else None


def drop_unfit_model(folder: Path, settings: "Settings") -> "Settings":
    """The settings to open a corpus with: without an embedding model that does not know its language."""
    if settings.embeddings is None:
        return settings
    with closing(Store(folder / STORE)) as store:
        known = read_fit(store, settings.embeddings)
    return settings if known is None or known.trusted else replace(settings, embeddings=None)


def _name_note(language: Language, model: str) -> str:
    return f"knows {language} {model}"


def _count_languages(connection: sqlite3.Connection) -> dict[str, int]:
    rows = connection.execute("SELECT language, sum(count) FROM documents WHERE died IS NULL GROUP BY language")
    return dict(rows.fetchall())
