"""A stage of an image as a folder: the machine's own system under a writable layer.

Needs Linux and root, for overlays, bind mounts and chroot. Only to be used in a mount
namespace of this process's own: then the mounts end with it, and a process outside
that removes the folders afterwards cannot reach through a mount.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

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
