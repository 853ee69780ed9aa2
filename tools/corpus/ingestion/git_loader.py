"""Loader of the text files of a Git repository, limited to changes since the last run.

A bare clone of one branch is kept below Weiwo's home and fetched again at each run. Nothing is checked out, so that no
hook, filter or link of the repository takes effect. A file has changed if its Git blob hash has.
"""

import os
import subprocess
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatch
from hashlib import sha256
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document

from weiwo.state.settings import Settings
from weiwo.text.printable import one_line, redact_secrets
from weiwo.tools.corpus.base import CorpusError
from weiwo.tools.corpus.formats.encodings import UnreadableError, decode
from weiwo.tools.private_files import make_private_folder

_TEXTS: Final = ("*.md", "*.markdown", "*.rst", "*.adoc", "*.txt", "*.org")
_MOST_BYTES: Final = 2_000_000
"""Maximum size of a file in bytes. A larger file is hardly prose."""
_SECONDS: Final = 280.0
"""Time limit of a Git command, below the time after which a silent loader is stopped."""
_SCHEMES: Final = frozenset({"https", "http", "ssh", "git", "file"})
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_OWN_VARIABLES: Final = frozenset({"GIT_SSH_COMMAND", "GIT_SSH", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH"})
"""Environment variables passed on to Git: connection settings. Others could direct it to another repository."""
_FILE_MODES: Final = frozenset({"100644", "100755"})
"""Git modes of regular files. Links lead elsewhere, and submodules are other repositories."""
_GIT: Final = ("git", "-c", "core.hooksPath=/dev/null", "-c", "protocol.ext.allow=never", "-c", "gc.auto=0")


class GitLoader(BaseLoader):
    """Loader of the text files of one branch of a Git repository, with a document for each file."""

    def __init__(
        self,
        url: str,
        branch: str = "HEAD",
        include: Sequence[str] = _TEXTS,
        token: str = "",
        folder: str | None = None,
    ) -> None:
        """Set the repository to load.

        Args:
            url: Its address (https, http, ssh, git or file), without a name or password.
            branch: Branch or tag.
            include: Patterns of the paths to take.
            token: Access token for https. Write `${NAME}` for the environment variable that holds it.
            folder: Parent folder of the bare clone. The default is `git` below Weiwo's home.

        Raises:
            CorpusError: The address is of another kind or holds a password, the token would be sent without https, or
                the branch name is not valid.
        """
        parts = urlsplit(url)
        web = parts.scheme in {"https", "http"}
        if parts.scheme not in _SCHEMES or parts.password or (web and parts.username):
            why = "not an https, http, ssh, git or file address without user name and password"
            raise CorpusError(f"repository {one_line(redact_secrets(url), 100)}: {why}")
        if token and parts.scheme != "https" and parts.hostname not in _LOOPBACK:
            raise CorpusError(f"repository {one_line(url, 100)}: a token is only sent over https")
        if branch.startswith("-"):
            raise CorpusError(f"branch {one_line(branch, 60)!r}: not a valid branch name")
        self._url, self._branch, self._include, self._token = url, branch, tuple(include), token
        home = Path(folder) if folder else Path(Settings.resolve().home) / "git"
        self._copy = home / sha256(f"{url}\n{branch}".encode()).hexdigest()[:16]
        self._hashes: dict[str, str] = {}

    def list_states(self) -> dict[str, str]:
        """Fetch the branch and return the Git hash of each selected file, by source (repository URL and path).

        Raises:
            CorpusError: Git is missing, failed or took too long.
        """
        make_private_folder(self._copy)
        if not (self._copy / "HEAD").is_file():
            self._run("init", "--quiet", "--bare")
        self._run("fetch", "--quiet", "--depth=1", "--no-tags", "--force", "--", self._url, self._branch)
        listed = self._run("ls-tree", "-r", "-z", "-l", "--full-tree", "FETCH_HEAD").decode("utf-8", "replace")
        hashes: dict[str, str] = {}
        for row in filter(None, listed.split("\0")):
            stated, _, path = row.partition("\t")
            mode, kind, digest, size = stated.split()
            taken = any(fnmatch(path, pattern) for pattern in self._include)
            if kind == "blob" and mode in _FILE_MODES and taken and int(size) <= _MOST_BYTES:
                hashes[f"{self._url.removesuffix('.git').rstrip('/')}/{path}"] = digest
        self._hashes = hashes
        return dict(hashes)

    def load_source(self, source: str) -> Iterator[Document]:
        """Yield the document of a file from the last `list_states`, or nothing if the file is not text."""
        try:
            text = decode(self._run("cat-file", "blob", self._hashes[source]))
        except UnreadableError:
            return
        yield Document(page_content=text, metadata={"source": source})

    def lazy_load(self) -> Iterator[Document]:
        """Fetch the branch and yield a document for each selected file."""
        for source in self.list_states():
            yield from self.load_source(source)

    def _run(self, *arguments: str) -> bytes:
        """Run Git on the bare clone and return its standard output.

        Raises:
            CorpusError: Git is missing, failed or took too long.
        """
        try:
            done = subprocess.run(  # noqa: S603 - no shell; the address and the branch stand behind "--"
                [*_GIT, *arguments],
                check=False,
                cwd=self._copy,
                env=self._environment(),
                capture_output=True,
                timeout=_SECONDS,
            )
        except FileNotFoundError:
            raise CorpusError("git was not found on the PATH; install git from your system's packages") from None
        except subprocess.TimeoutExpired:
            raise CorpusError(f"git {arguments[0]} did not finish within {_SECONDS:g} s") from None
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise CorpusError(
                f"git {arguments[0]}: {one_line(redact_secrets(said[-1] if said else 'failed', [self._token]))}"
            )
        return done.stdout

    def _environment(self) -> Mapping[str, str]:
        """Return the environment of Git. It forbids prompts and holds the token, which no command line shows."""
        own = {"GIT_TERMINAL_PROMPT": "0", "GIT_ALLOW_PROTOCOL": ":".join(sorted(_SCHEMES)), "LC_ALL": "C"}
        own |= {
            "GIT_SSH_COMMAND": os.environ.get("GIT_SSH_COMMAND", "ssh -o BatchMode=yes"),
            "GIT_DIR": str(self._copy),
        }
        if self._token:
            login = b64encode(f"x-access-token:{self._token}".encode()).decode("ascii")
            header = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": f"http.{self._url}.extraHeader"}
            own |= {**header, "GIT_CONFIG_VALUE_0": f"Authorization: Basic {login}"}
        others = {
            name: said for name, said in os.environ.items() if not name.startswith("GIT_") or name in _OWN_VARIABLES
        }
        return {**others, **own}
