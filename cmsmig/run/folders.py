"""The folder that one run leaves behind."""

from __future__ import annotations

import errno
import re
import unicodedata
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from cmsmig.errors import CmsmigError, StorageError, UsageError
from cmsmig.origin.cache import RawCache
from cmsmig.plain_file import require_in_place
from cmsmig.settings import Project

_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def make_run_folder(
    reports: Path, project: Project, moment: datetime, run_id: str | None = None
) -> Path:
    """Make and return the folder of a run below `reports`.

    Its name is the time in UTC and the site's short name, or the project
    folder's name as long as nothing was pulled. A `run_id` that is there already
    goes on in the same folder. Raises `UsageError` and `StorageError`.
    """
    if run_id is not None and not _SAFE.fullmatch(run_id):
        raise UsageError(
            f"{run_id!r} cannot be a run's name; use letters, digits, dots and hyphens."
        )
    names = _names(project, moment) if run_id is None else iter([run_id])
    for name in names:
        try:
            _refuse_links(reports)
            require_in_place(reports / name / "x")
            (reports / name).mkdir(parents=True, exist_ok=run_id is not None)
        except FileExistsError:
            if (reports / name).is_dir():
                continue
            raise _unwritable(reports, "a file is in the way") from None
        except OSError as error:
            raise _unwritable(reports, error.strerror or str(error)) from error
        return (reports / name).absolute()
    raise _unwritable(reports, "a file is in the way")


def _refuse_links(reports: Path) -> None:
    # Named by a person, an absolute path may lead anywhere; the usual one may not.
    named = () if reports.is_absolute() else (reports, *reports.parents)
    if any(each.is_symlink() for each in named):
        raise OSError(errno.ELOOP, "a link leads it elsewhere", str(reports))


def _names(project: Project, moment: datetime) -> Iterator[str]:
    stamp = moment.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    name = f"{stamp}-{_plain(_site_name(project) or project.root.name) or 'site'}"
    yield name
    for number in count(2):
        yield f"{name}-{number}"


def _site_name(project: Project) -> str:
    # A name only: whatever is wrong with the cache is told where it is read.
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
