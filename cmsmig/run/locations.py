"""Where runs read and write: the numbered notebooks, which of them a run takes, and the
folder that it leaves."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files
from itertools import count
from pathlib import Path

from cmsmig.errors import CmsmigError, StorageError, UsageError
from cmsmig.origin.cache import RawCache
from cmsmig.settings import Project

DELTA = (1, 4, 5, 6, 7)
"""Pull and what moved, plan and preparation, both phases, verification and report."""
_NUMBERED = re.compile(r"(\d\d)_\w+\.ipynb")
_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def make_run_folder(
    reports: Path, project: Project, moment: datetime, run_id: str | None = None
) -> Path:
    """Make and return the folder of a run below `reports`.

    Its name is the time in UTC and the site's short name, or the project
    folder's name as long as nothing was pulled. A `run_id` that is there already
    continues in the same folder. Raises `UsageError` and `StorageError`.
    """
    if run_id is not None and not _SAFE.fullmatch(run_id):
        raise UsageError(
            f"{run_id!r} cannot be a run's name; use letters, digits, dots and hyphens."
        )
    names = _names(project, moment) if run_id is None else iter([run_id])
    for name in names:
        try:
            (reports / name).mkdir(parents=True, exist_ok=run_id is not None)
        except FileExistsError:
            if (reports / name).is_dir():
                continue
            raise _unwritable(reports, "a file is in the way") from None
        except OSError as error:
            raise _unwritable(reports, error.strerror or str(error)) from error
        return (reports / name).absolute()
    raise _unwritable(reports, "a file is in the way")


def _names(project: Project, moment: datetime) -> Iterator[str]:
    stamp = moment.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    name = f"{stamp}-{_plain(_site_name(project) or project.root.name) or 'site'}"
    yield name
    for number in count(2):
        yield f"{name}-{number}"


def _site_name(project: Project) -> str:
    # A name only: what is wrong with the cache is reported where it is read.
    try:
        sites = RawCache(project.raw).sites()
    except CmsmigError:
        return ""
    return sites[0].short_name if len(sites) == 1 else ""


def _plain(name: str) -> str:
    ascii_only = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9]+", "-", ascii_only).strip("-").lower()[:40]


def _unwritable(reports: Path, reason: str) -> StorageError:
    return StorageError(
        f"The folder of the run cannot be made in {reports} ({reason}); name another "
        "place with --reports."
    )


@dataclass(frozen=True, slots=True)
class Notebook:
    """One numbered notebook."""

    number: int
    path: Path

    @property
    def name(self) -> str:
        """Return the file's name without its ending."""
        return self.path.stem


def notebooks_folder(package: Path | None = None) -> Path:
    """Return the folder of the notebooks that belong to this installation.

    A checkout's own, so that an editable install runs what is being edited; else
    those that travelled in the wheel.
    """
    package = package or Path(str(files("cmsmig")))
    checkout = checkout_of(package)
    return package / "_notebooks" if checkout is None else checkout / "notebooks"


def checkout_of(package: Path | None = None) -> Path | None:
    """Return the top of the checkout that the package lies in, if it does."""
    top = (package or Path(str(files("cmsmig")))).parent
    is_one = (top / "notebooks").is_dir() and (top / "pyproject.toml").is_file()
    return top if is_one else None


def find_notebooks(folder: Path) -> tuple[Notebook, ...]:
    """Return the numbered notebooks of a folder, in order.

    Raises `UsageError` when there is none.
    """
    names = [(path, _NUMBERED.fullmatch(path.name)) for path in folder.glob("*.ipynb")]
    found = [Notebook(int(match[1]), path) for path, match in names if match]
    if not found:
        raise UsageError(
            f"There are no numbered notebooks in {folder}; install cmsmig again."
        )
    return tuple(sorted(found, key=lambda each: (each.number, each.path.name)))


def own_notebooks(
    project: Project, notebooks: Sequence[Notebook]
) -> tuple[Notebook, ...]:
    """Return notebooks, each as the project's own copy where there is one."""
    copies = [
        Notebook(each.number, project.notebooks / each.path.name) for each in notebooks
    ]
    return tuple(
        copy if copy.path.is_file() else each
        for each, copy in zip(notebooks, copies, strict=True)
    )


def select(
    notebooks: Sequence[Notebook],
    *,
    only: str | None = None,
    first: str | None = None,
    last: str | None = None,
) -> tuple[Notebook, ...]:
    """Return the notebooks that a run takes.

    Each choice is a number (`5` or `05`) or a notebook's name. Raises
    `UsageError` for one that names no notebook, or when nothing is left.
    """
    if only is not None:
        if first is not None or last is not None:
            raise UsageError("Give either --only, or --from and --to.")
        first = last = only
    low = _number("--from" if only is None else "--only", first, notebooks)
    high = _number("--to" if only is None else "--only", last, notebooks)
    chosen = tuple(
        each
        for each in notebooks
        if (low is None or each.number >= low) and (high is None or each.number <= high)
    )
    if not chosen:
        raise UsageError(f"No notebook lies between --from {first} and --to {last}.")
    return chosen


def select_delta(notebooks: Sequence[Notebook]) -> tuple[Notebook, ...]:
    """Return the notebooks of a delta run: those that need no decision."""
    return tuple(each for each in notebooks if each.number in DELTA)


def _number(option: str, text: str | None, notebooks: Sequence[Notebook]) -> int | None:
    if text is None:
        return None
    for each in notebooks:
        numbered = text.isascii() and text.lstrip("0") == str(each.number or "")
        if numbered or text.removesuffix(".ipynb") == each.name:
            return each.number
    known = ", ".join(each.name for each in notebooks)
    raise UsageError(f"{option} {text} names no notebook; there are {known}.")
