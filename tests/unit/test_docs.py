"""What the documents say is there, is there: modules, links, commands, settings; and the README stays short."""

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer.main

from weiwo.app.cli.main import app
from weiwo.state.settings import Context
from weiwo.tools.web.providers.catalog import PROVIDERS

ROOT = Path(__file__).resolve().parents[2]
READMES = ("README.md", "README.zh-CN.md")
GUIDES = (*READMES, "CONTRIBUTING.md", *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")))
MOST_WORDS = 900

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)\s]*)?\)")
SPAN = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"(?:[\w.-]+/)+[\w.-]*")
ROOMS = frozenset(path.name for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith("."))
SCRIPT = re.compile(r"\bpython ((?:[\w-]+/)+[\w-]+\.py)")
PLACEHOLDER = re.compile(r"[A-Z]{2,}")


def text_of(guide: str) -> str:
    return (ROOT / guide).read_text(encoding="utf-8")


def blocks(guide: str, language: str) -> list[str]:
    return [body for kind, body in FENCE.findall(text_of(guide)) if kind == language]


def named_paths(guide: str) -> Iterator[str]:
    """Paths into the tree: in code spans those that begin with a room, and scripts that a shell is told to run."""
    text = text_of(guide)
    for span in SPAN.findall(FENCE.sub("", text)):
        for path in PATH.findall(span):
            if path.partition("/")[0] in ROOMS and not PLACEHOLDER.search(path):
                yield path
    yield from SCRIPT.findall(text)


def command_lines(guide: str) -> Iterator[list[str]]:
    """The `weiwo` commands that a guide's shell blocks hold."""
    for block in blocks(guide, "sh"):
        for line in block.replace("\\\n", " ").splitlines():
            if line.startswith("weiwo "):
                yield shlex.split(line, comments=True)[1:]


def make_targets(guide: str) -> set[str]:
    spans = [line for block in blocks(guide, "sh") for line in block.splitlines()]
    spans += SPAN.findall(FENCE.sub("", text_of(guide)))
    return {match[1] for span in spans if (match := re.match(r"make ([a-z-]+)", span))}


@pytest.mark.parametrize("guide", GUIDES)
def test_paths_into_the_tree_exist(guide):
    assert [path for path in named_paths(guide) if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("guide", [*GUIDES, "CHANGELOG.md"])
def test_relative_links_lead_to_files(guide):
    links = [link for link in LINK.findall(FENCE.sub("", text_of(guide))) if "://" not in link]
    assert [link for link in links if not ((ROOT / guide).parent / link).exists()] == []


@pytest.mark.parametrize("guide", GUIDES)
def test_commands_and_their_options_exist(guide):
    for words in command_lines(guide):
        command = typer.main.get_command(app)
        if command.is_question(words):
            words.insert(0, "ask")
        name = words[0]
        while subcommands := getattr(command, "commands", None):
            if command.invoke_without_command and words[:1] not in [[one] for one in subcommands]:
                break  # the group itself
            assert words[0] in subcommands, words
            command = subcommands[words.pop(0)]
        known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
        given = {word.partition("=")[0] for word in words if re.fullmatch(r"--?[a-z][a-z-]*(?:=.*)?", word)}
        assert given <= known, (name, given - known)


@pytest.mark.parametrize("guide", GUIDES)
def test_targets_of_make_exist(guide):
    known = set(re.findall(r"^([a-z-]+):", text_of("Makefile"), re.MULTILINE))
    assert make_targets(guide) <= known


@pytest.mark.parametrize("guide", GUIDES)
def test_python_programs_parse(guide):
    assert all(ast.parse(program).body for program in blocks(guide, "python"))


def test_the_readme_is_short():
    assert len(text_of("README.md").split()) <= MOST_WORDS


def test_both_readmes_have_the_same_sections():
    english, chinese = ([*re.findall(r"^(#+) ", FENCE.sub("", text_of(readme)), re.MULTILINE)] for readme in READMES)
    assert english == chinese
    links = [{*LINK.findall(text_of(readme))} - {*READMES} for readme in READMES]
    assert links[0] == links[1]


def test_every_setting_is_documented():
    rows = text_of("docs/configuration.md")
    missing = [field for field in Context.model_fields if f"| `WEIWO_{field.upper()}` | `{field}` |" not in rows]
    assert missing == []


def test_every_search_provider_is_documented():
    text = text_of("docs/configuration.md")
    names = {name for provider in PROVIDERS.values() for name in (provider.key, provider.base_variable) if name}
    assert {name for name in names if f"`{name}`" not in text} == set()
