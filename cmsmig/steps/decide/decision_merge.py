"""Two people's decisions made one: what `git merge` calls for decision files.

A text merge takes two bodies that were reviewed side by side for one change, and
meets itself at the lines that say who accepted a file last. Here each body's review
is a thing of its own, and the later acceptance is kept.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from cmsmig.errors import CmsmigError, DecisionsError, StorageError, UsageError
from cmsmig.mapping.decisions.body_reviews import BodyKey, BodyReview
from cmsmig.mapping.decisions.choices import BlocksDecision
from cmsmig.mapping.decisions.decision_files import FILE_NAMES, from_text, split_text
from cmsmig.plain_file import read_plain, require_in_place
from cmsmig.settings import Project

_ACCEPTED = re.compile(
    r"(?m)^reviewed:\n  by: .*\n  at: '?(?P<at>[^'\n]*)'?\n  how: .*\n"
)
_BLOCKS = FILE_NAMES[BlocksDecision]
_OURS, _THEIRS = "<<<<<<< ours\n", ">>>>>>> theirs\n"


@dataclass(frozen=True, slots=True)
class Merged:
    """A file made of two, with marks where a person has to choose."""

    text: str
    conflicts: int


def merge_files(base: Path, ours: Path, theirs: Path, name: str) -> int:
    """Write what two versions of a decision file make together over `ours`.

    Returns the number of conflicts, which are between marks as git writes them.
    `name` is the file's in the repository. Raises `StorageError` and `UsageError`.
    """
    texts = [_read(each) for each in (base, ours, theirs)]
    merged = merge_texts(*texts, is_blocks=Path(name).name == _BLOCKS)
    try:
        ours.write_text(merged.text, "utf-8")
    except OSError as error:
        raise StorageError(
            f"{ours} cannot be written ({error.strerror}); free some space."
        ) from error
    return merged.conflicts


def merge_texts(base: str, ours: str, theirs: str, *, is_blocks: bool) -> Merged:
    """Return three versions of one file as one; a malformed one merges as text."""
    accepted = _latest(ours, theirs)
    texts = [_with_acceptance(each, accepted) for each in (base, ours, theirs)]
    if not is_blocks:
        return _merge_lines(*texts)
    try:
        reviews = [from_text(each, _BLOCKS, BlocksDecision).reviews for each in texts]
    except DecisionsError:
        return _merge_lines(*texts)
    heads = [_head(each) for each in texts]
    head = _merge_lines(*heads)
    entries, conflicts = _merge_reviews(*reviews)
    body = "".join(["\nreviews:\n", *entries]) if entries else "\n"
    return Merged(head.text.rstrip("\n") + body, head.conflicts + conflicts)


def _head(text: str) -> str:
    """Return the part before the reviews, ending in one line end."""
    head, _ = split_text(text)
    return head.rstrip("\n") + "\n"


def _merge_reviews(
    base: Mapping[BodyKey, BodyReview],
    ours: Mapping[BodyKey, BodyReview],
    theirs: Mapping[BodyKey, BodyReview],
) -> tuple[list[str], int]:
    entries: list[str] = []
    conflicts = 0
    for key in sorted(ours.keys() | theirs.keys()):
        found = list(_side(base.get(key), ours.get(key), theirs.get(key)))
        conflicts += len(found) > 1
        texts = [each.text if each else "" for each in found]
        if len(texts) > 1:
            entries.append(f"{_OURS}{texts[0]}=======\n{texts[1]}{_THEIRS}")
        else:
            entries += filter(None, texts)
    return entries, conflicts


def _side(
    base: BodyReview | None, ours: BodyReview | None, theirs: BodyReview | None
) -> Iterator[BodyReview | None]:
    """Yield what is kept: one, or both where they decide the same body differently."""
    if ours == theirs or theirs == base:
        yield ours
    elif ours == base:
        yield theirs
    elif ours and theirs and ours.decided == theirs.decided:
        yield max(ours, theirs, key=lambda each: each.at)
    else:
        yield ours
        yield theirs


def _latest(ours: str, theirs: str) -> str:
    """Return the lines that say who accepted the file last; empty if one has none."""
    found = [_ACCEPTED.search(each) for each in (ours, theirs)]
    there = [each for each in found if each is not None]
    if len(there) < len(found):
        return ""
    return max(there, key=lambda each: each["at"])[0]


def _with_acceptance(text: str, accepted: str) -> str:
    return _ACCEPTED.sub(lambda _: accepted, text, count=1) if accepted else text


def _merge_lines(base: str, ours: str, theirs: str) -> Merged:
    if ours == theirs or theirs == base:
        return Merged(ours, 0)
    if ours == base:
        return Merged(theirs, 0)
    with tempfile.TemporaryDirectory() as folder:
        names = ("ours", "base", "theirs")
        for name, text in zip(names, (ours, base, theirs), strict=True):
            (Path(folder) / name).write_text(text, "utf-8")
        labels = [part for name in names for part in ("-L", name)]
        ended = subprocess.run(
            ["git", "merge-file", "-p", *labels, *names],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    if ended.returncode > 127:
        raise CmsmigError(
            "git could not merge a decision file "
            f"({ended.stderr.decode('utf-8', 'replace').strip()}); merge it by hand."
        )
    return Merged(ended.stdout.decode("utf-8", "replace"), ended.returncode)


def _read(path: Path) -> str:
    try:
        return read_plain(path).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read ({error}).") from error


_NAME = "cmsmig"
_DRIVER = f"merge.{_NAME}.driver"
_ENTRY = "-P -m cmsmig.cli"
"""git starts the driver at the top of the working tree: without `-P` Python would
import modules from a branch that is only being merged."""
_OLD_ENTRY = " -m cmsmig.cli"
ATTRIBUTES = """\
# Decision files are merged by what they decide; `cmsmig decisions merge --install`
# sets that up in a clone. Without it, git merges their lines.
/decisions/*.yaml merge=cmsmig
/targets/*/conflicts.yaml merge=cmsmig
"""


def install_driver(project: Project, python: str) -> list[str]:
    """Write the driver into the repository's own settings, and `.gitattributes` into
    the project folder unless it is there; return what was done.

    Raises `UsageError` outside of a repository and `StorageError`.
    """
    line = f"{shlex.quote(python)} {_ENTRY} decisions merge -- %O %A %B %P"
    _set(project, f"merge.{_NAME}.name", "decisions of cmsmig")
    _set(project, _DRIVER, line)
    done = ["git calls cmsmig for decision files in this clone"]
    path = project.root / ".gitattributes"
    return [*done, f"{path.name} {_write(path)}"]


def renew_driver(folder: Path) -> bool:
    """Replace a driver in the form of earlier releases in the repository of `folder`;
    return whether there was one."""
    try:
        found = _config(folder, "--get", _DRIVER).stdout.decode("utf-8", "replace")
        python, old, rest = found.rstrip("\n").partition(_OLD_ENTRY)
        if not old or python.endswith(" -P"):
            return False
        return _config(folder, _DRIVER, f"{python} {_ENTRY}{rest}").returncode == 0
    except OSError:
        return False


def _config(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["git", "-C", str(folder), "config", "--local", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )


def _set(project: Project, name: str, value: str) -> None:
    try:
        ended = _config(project.root, name, value)
    except OSError as error:
        raise UsageError("git is not there; install it first.") from error
    if ended.returncode:
        raise UsageError(
            f"{project.root} is in no git repository that can be set up; run `git "
            "init` there first."
        )


def _write(path: Path) -> str:
    try:
        require_in_place(path)
        there = path.read_text("utf-8") if path.exists() else ""
        if "merge=cmsmig" in there:
            return "was there and stays as it is"
        with path.open("a", encoding="utf-8") as file:
            file.write(ATTRIBUTES)
    except (OSError, UnicodeDecodeError) as error:
        raise StorageError(f"{path} cannot be written ({error}).") from error
    return "names them; commit it"
