"""A Dockerfile as instructions, and what of a folder goes to the build."""

from __future__ import annotations

import json
import re
import shlex
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
