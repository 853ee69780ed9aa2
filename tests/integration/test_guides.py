"""Programs and commands of the guides, run as they stand: they print what the block below them shows.

A guide's block of Python or shell may be followed by a `text` block. Each line of it has to occur in what was printed; a
line of `…` alone stands for lines left out. Lines of other people's programs (`pip`, `ollama`) are not run.
"""

import os
import re
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest

from tests.support.command import forking_programs
from tests.support.documents import pdf
from tests.support.openai_server import OpenAIServer
from tests.support.personas import good

pytestmark = pytest.mark.integration

ROOT: Final = Path(__file__).resolve().parents[2]
READMES: Final = ("README.md", "README.zh-CN.md")
GUIDES: Final = ("docs/python.md", "docs/models.md", "docs/web.md", "docs/troubleshooting.md")
BLOCK: Final = re.compile(r"^ *```(python|sh)\n(.*?)^ *```\n(?:\n *```text\n(.*?)^ *```\n)?", re.DOTALL | re.MULTILINE)
FOREIGN: Final = re.compile(r"(?:pip|apt-get|ollama|vllm|docker|curl) ")
OURS: Final = ("WEIWO_", "OPENAI_", "OLLAMA_", "ANTHROPIC_", "AZURE_")
LOCAL_SERVER: Final = "http://localhost:8000/v1"
"""Address of the model server in the guides; a scripted endpoint stands in for it."""
CODES: Final = {0, 1, 3}
"""Exit codes of what guides show: an answer, a problem that `doctor` finds, a partial answer."""


def blocks(language: str, *guides: str) -> Iterator[tuple[str, int, str, str]]:
    """Blocks of some pages in one language: page, number on the page, text, and what is printed."""
    for guide in guides:
        found = BLOCK.findall((ROOT / guide).read_text(encoding="utf-8"))
        for number, (kind, body, printed) in enumerate(found, 1):
            if kind == language:
                yield guide, number, body, printed


def assert_printed(expected: str, output: str) -> None:
    """Compare each line of a block to the output, without regard to blanks and seconds."""
    lines, wanted = ({_normalize(line) for line in text.splitlines()} for text in (output, expected))
    wanted -= {"", "…"}
    assert [line for line in wanted if line not in lines] == [], output


def _normalize(line: str) -> str:
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", line)
    return re.sub(r"\d+(\.\d+)? s\b", "N s", " ".join(plain.split()))


@pytest.fixture
def environment(tmp_path: Path, index_sample: Callable[[Path], None]) -> Iterator[dict[str, str]]:
    """A home with the sample corpus indexed, the report of a pilot in `~/papers`, and nothing set up."""
    index_sample(tmp_path / ".weiwo")
    shims = tmp_path / "bin"
    shims.mkdir()
    (tmp_path / "papers").mkdir()
    paper = pdf("The pilot cost 4,200 euros. The pilot ended on 3 June 2024.", title="Pilot")
    (tmp_path / "papers" / "pilot.pdf").write_bytes(paper)
    own = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    home = {"HOME": str(tmp_path), "WEIWO_HOME": str(tmp_path / ".weiwo"), "COLUMNS": "100"}
    with forking_programs(shims):
        yield {**own, **home, "PATH": f"{shims}{os.pathsep}{own['PATH']}"}


def run(arguments: list[str], environment: dict[str, str], folder: Path) -> tuple[int, str]:
    """Exit code and output of a program, errors included."""
    ended = subprocess.run(
        arguments, env=environment, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=240, check=False
    )  # fmt: skip
    return ended.returncode, ended.stdout + ended.stderr


@pytest.mark.parametrize(("guide", "number", "program", "printed"), [*blocks("python", *GUIDES, *READMES)])
def test_programs_print_what_stands_below(
    guide: str, number: int, program: str, printed: str, environment: dict[str, str], tmp_path: Path
) -> None:
    code, output = run([str(tmp_path / "bin" / "python"), "-c", program], environment, tmp_path)
    assert code == 0, f"{guide}, block {number}: {output}"
    assert_printed(printed, output)


@pytest.mark.parametrize(("guide", "number", "commands", "printed"), [*blocks("sh", *GUIDES)])
def test_commands_print_what_stands_below(
    guide: str, number: int, commands: str, printed: str, environment: dict[str, str], tmp_path: Path
) -> None:
    lines = [line.strip() for line in commands.splitlines()]
    ours = [line for line in lines if line and not FOREIGN.match(line)]
    exports = [line for line in ours if line.startswith("export ")]
    output = ""
    with OpenAIServer(good) as server:
        for line in (line for line in ours if line not in exports):
            script = "; ".join([*exports, line]).replace(LOCAL_SERVER, server.url)
            code, said = run(["/bin/sh", "-c", script], environment, tmp_path)
            assert code in CODES, f"{guide}, block {number}: {line}: {said}"
            output += said
    assert ours, f"{guide}, block {number} runs nothing"
    assert_printed(printed, output)


def run_on_a_terminal(arguments: list[str], reply: bytes, environment: dict[str, str], folder: Path) -> str:
    """What a program shows on a terminal of 100 columns, where its question is given a reply."""
    import fcntl  # noqa: PLC0415 - no such thing on Windows
    import pty  # noqa: PLC0415
    import termios  # noqa: PLC0415

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 100, 0, 0))
    shown = b""
    with subprocess.Popen(
        arguments, env=environment, cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        os.write(ours, reply)
        with suppress(OSError):  # the terminal is gone when the program has ended
            while data := os.read(ours, 65536):
                shown += data
        process.wait(60)
    os.close(ours)
    return shown.decode(errors="replace")


@pytest.mark.parametrize("readme", READMES)
def test_the_first_command_shows_what_the_readme_says(readme: str, environment: dict[str, str], tmp_path: Path) -> None:
    text = (ROOT / readme).read_text(encoding="utf-8")
    question = re.search(r'make ask Q="(.*?)"', text)
    assert question
    (tmp_path / ".weiwo" / "config.toml").unlink(missing_ok=True)
    command = [sys.executable, "-m", "weiwo", "ask", "--", question[1]]
    shown = run_on_a_terminal(command, b"n\n", {**environment, "TERM": "xterm"}, ROOT)
    assert_printed(re.findall(r"^```text\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)[0], shown)


@pytest.mark.parametrize("readme", READMES)
def test_a_document_is_answered_from_as_the_readme_says(
    readme: str, environment: dict[str, str], tmp_path: Path
) -> None:
    text = (ROOT / readme).read_text(encoding="utf-8")
    for arguments in (["index", "papers"], ["what did the pilot cost?"]):
        code, output = run([str(tmp_path / "bin" / "weiwo"), *arguments], environment, tmp_path)
        assert code == 0, output
    assert_printed(re.findall(r"^```text\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)[1], output)
