"""An article under construction: paragraphs under headings, and which of its sentences tell a fact."""

from dataclasses import dataclass, field
from random import Random

from tests.web_world.things import Fact, Language


@dataclass
class Article:
    """What a page says."""

    title: str  # its title
    language: Language  # its language
    random: Random  # where its choices come from
    # Headings and their paragraphs; the first heading is empty.
    sections: list[tuple[str, list[str]]] = field(default_factory=lambda: [("", [""])])
    told: dict[Fact, str] = field(default_factory=dict)  # the sentence that tells each fact

    def heading(self, text: str) -> None:
        """Begin a section."""
        self.sections.append((text, []))

    def say(self, *sentences: str) -> None:
        """Add a paragraph."""
        self.begin()
        for sentence in sentences:
            self.add(sentence)

    def begin(self) -> None:
        """Begin a paragraph."""
        if not self.sections[-1][1] or self.sections[-1][1][-1]:
            self.sections[-1][1].append("")

    def add(self, sentence: str) -> None:
        """Add a sentence to the paragraph that was begun."""
        joint = " " if self.language == "en" else ""
        paragraphs = self.sections[-1][1]
        paragraphs[-1] = joint.join(filter(None, (paragraphs[-1], sentence)))

    def fact(self, name: str, attribute: str, sentence: str) -> str:
        """A sentence that tells a fact; it still has to be said."""
        self.told[name, attribute] = sentence
        return sentence

    def some(self, sentences: tuple[str, ...], count: int) -> tuple[str, ...]:
        """Some sentences that say little, in an order of their own."""
        return tuple(self.random.sample(sentences, min(count, len(sentences))))

    @property
    def opening(self) -> str:
        """Its first paragraph."""
        return self.sections[0][1][0]

    @property
    def paragraphs(self) -> list[str]:
        """All paragraphs, in order."""
        return [paragraph for _, paragraphs in self.sections for paragraph in paragraphs]
