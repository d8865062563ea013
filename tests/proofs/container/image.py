"""The stages of a Dockerfile, and the image that its lines make of this machine.

Needs Linux and root, for overlays, bind mounts and chroot. Only to be used in a mount
namespace of this process's own: then the mounts end with it, and a process outside
that removes the folders afterwards cannot reach through a mount.
"""

from __future__ import annotations

import json
import os
import pwd
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

KNOWN = frozenset(
    ("FROM", "WORKDIR", "RUN", "COPY", "ENV", "VOLUME", "USER", "ENTRYPOINT", "CMD")
)


@dataclass(frozen=True)
class Instruction:
    """One instruction with its lines joined."""

    word: str
    text: str

    @property
    def listed(self) -> list[str]:
        """Return the words of its JSON form."""
        return json.loads(self.text)

    @property
    def variables(self) -> dict[str, str]:
        """Return what ENV sets."""
        return dict(each.split("=", 1) for each in shlex.split(self.text))


@dataclass(frozen=True)
class Stage:
    """The instructions from one FROM to the next."""

    base: str
    name: str
    instructions: list[Instruction] = field(default_factory=list)

    def last(self, word: str) -> Instruction:
        """Return the instruction of this kind that counts."""
        return [each for each in self.instructions if each.word == word][-1]


def read_stages(path: Path) -> list[Stage]:
    """Return the stages of a Dockerfile; raise `ValueError` for what is unknown."""
    stages: list[Stage] = []
    for each in _instructions(path.read_text("utf-8")):
        if each.word not in KNOWN:
            raise ValueError(f"This proof does not know the instruction {each.word}.")
        if each.word == "FROM":
            base, _, name = each.text.partition(" AS ")
            stages.append(Stage(base, name))
        else:
            stages[-1].instructions.append(each)
    return stages


def _instructions(text: str) -> Iterator[Instruction]:
    without = re.sub(r"^\s*#.*\n", "", text, flags=re.MULTILINE)
    for line in re.sub(r"\\\n\s*", "", without).splitlines():
        if line.strip():
            word, _, rest = line.strip().partition(" ")
            yield Instruction(word, rest.strip())


def context_of(folder: Path) -> list[PurePosixPath]:
    """Return the files of a folder that go to the build, as .dockerignore has it.

    The last line that matches a file, or a folder that it is in, decides.
    """
    lines = (folder / ".dockerignore").read_text("utf-8").splitlines()
    rules = [line.strip() for line in lines if line.strip() and line[0] != "#"]
    return sorted(_sent_below(folder, PurePosixPath(), rules))


def _sent_below(
    folder: Path, place: PurePosixPath, rules: list[str]
) -> Iterator[PurePosixPath]:
    """Go through a folder, but for those below it of which nothing can be sent."""
    for each in (folder / place).iterdir():
        path = place / each.name
        if each.is_dir() and not each.is_symlink():
            if _is_sent(path, rules) or any(r.startswith(f"!{path}/") for r in rules):
                yield from _sent_below(folder, path, rules)
        elif _is_sent(path, rules):
            yield path


def _is_sent(path: PurePosixPath, rules: list[str]) -> bool:
    places = [str(path), *(str(each) for each in path.parents if str(each) != ".")]
    sent = True
    for rule in rules:
        pattern = rule.removeprefix("!").rstrip("/")
        if any(_matches(place, pattern) for place in places):
            sent = rule.startswith("!")
    return sent


def _matches(place: str, pattern: str) -> bool:
    if pattern.startswith("**/"):
        return fnmatchcase(place.rpartition("/")[2], pattern[3:])
    # Without `**` no star matches a slash.
    return place.count("/") == pattern.count("/") and fnmatchcase(place, pattern)


BASE_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
DEVICES = {"null": "3", "zero": "5", "random": "8", "urandom": "9"}
"""Their minor numbers; the major one is 1."""
NETWORK = ("PIP_", "SSL_", "http_", "https_", "HTTP_", "HTTPS_", "no_", "NO_")
"""What tells a build how this machine reaches the package index."""


@dataclass
class Image:
    """A stage that is being made, or that runs."""

    work: Path
    """An empty folder outside of every hidden one."""
    hidden: tuple[Path, ...]
    """What of this machine no base image has: the checkout, user folders."""
    variables: dict[str, str] = field(default_factory=dict)
    user: str = "root"
    folder: str = "/"

    @property
    def root(self) -> Path:
        """Return where its files are seen."""
        return self.work / "root"

    @property
    def layer(self) -> Path:
        """Return where the files are that it adds to the machine's."""
        return self.work / "layer"

    def mount(self) -> None:
        """Lay the stage over the system, with its Python and no user folders."""
        for name in ("root", "layer", "aside"):
            (self.work / name).mkdir(parents=True)
        layers = f"lowerdir=/,upperdir={self.layer},workdir={self.work / 'aside'}"
        _run("mount", "-t", "overlay", "overlay", "-o", layers, str(self.root))
        python = Path(sys.base_prefix)
        for folder in (*self.hidden, Path("/root"), Path("/home"), Path("/dev")):
            self._cover(folder, "755")
        self._cover(Path("/tmp"), "1777")
        self.bind(python, python)
        _run("mount", "-o", "remount,bind,ro", self.inside(python))
        _run("mount", "-t", "proc", "proc", self.inside("/proc"))
        for name, number in DEVICES.items():
            _run("mknod", "-m", "666", self.inside(f"/dev/{name}"), "c", "1", number)
        self._settle_etc()
        self.variables["PATH"] = f"{python}/bin:{BASE_PATH}"

    def _cover(self, folder: Path, mode: str) -> None:
        """Lay an empty folder over one of the machine's."""
        if folder.exists():
            place = self.inside(folder)
            _run("mount", "-t", "tmpfs", "-o", f"mode={mode}", "tmpfs", place)

    def _settle_etc(self) -> None:
        """Know the machine's names of hosts, and no person's account."""
        for name in ("resolv.conf", "hosts"):
            shutil.copyfile(Path("/etc", name), self.inside(f"/etc/{name}"))
        for name in ("passwd", "group", "shadow", "gshadow", "subuid", "subgid"):
            known = Path(self.inside(f"/etc/{name}"))
            if known.exists():
                lines = known.read_text().splitlines(keepends=True)
                kept = [line for line in lines if line.split(":")[0] not in persons()]
                known.write_text("".join(kept))

    def bind(self, outside: Path, inside: Path) -> None:
        """Show a folder of the machine in the stage."""
        Path(self.inside(inside)).mkdir(parents=True, exist_ok=True)
        _run("mount", "--bind", str(outside), self.inside(inside))

    def inside(self, path: Path | PurePosixPath | str) -> str:
        """Return where a path of the stage is seen from outside."""
        return f"{self.root}{PurePosixPath(self.folder) / path}"

    def copy(self, source: Path, target: str) -> None:
        """Copy a file or a folder's content, as COPY does; all of it is root's."""
        place = Path(self.inside(target))
        if source.is_dir():
            shutil.copytree(source, place, symlinks=True, dirs_exist_ok=True)
            return
        folder = place if target.endswith("/") else place.parent
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, place / source.name if target.endswith("/") else place)

    def start(
        self, *command: str, more: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a command in the stage as its user and folder; keep what it says."""
        variables = {**self.variables, **(more or {})}
        given = [f"{name}={value}" for name, value in variables.items()]
        enter = ["chroot", f"--userspec={self.user}", str(self.root)]
        settle = ["sh", "-c", 'cd "$0" && exec "$@"', self.folder]
        return subprocess.run(
            [*enter, "/usr/bin/env", "-i", *given, *settle, *command],
            capture_output=True,
            text=True,
        )


def persons() -> set[str]:
    """Return the accounts of this machine that no base image has."""
    return {each.pw_name for each in pwd.getpwall() if 1000 <= each.pw_uid < 60000}


def network_variables() -> dict[str, str]:
    """Return this machine's own settings of the package index."""
    return {k: v for k, v in os.environ.items() if k.startswith(NETWORK)}


def _run(*command: str) -> None:
    subprocess.run(command, check=True)
