"""The image without a container engine: every line of the Dockerfile carried out.

usage: container.py

Reads Dockerfile and .dockerignore and does what a build does: each stage is this
machine's own Debian system with its Python, under a writable layer in which each RUN
runs unchanged, and from which user folders and the checkout are hidden. Then it
runs the image's ENTRYPOINT as the image's USER on a fresh project folder: a whole
migration against a sandbox outside. What it cannot show: whether the named base image
has a tool that this system has.

Needs Linux and root (mounts and chroot in a namespace of its own). Exits with 1 when
a promise is broken.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from cmsmig.sandbox.options import SandboxOptions
from cmsmig.sandbox.server import environment_file_text
from tests.proofs.container.image import (
    Image,
    Instruction,
    Stage,
    context_of,
    network_variables,
    read_stages,
)
from tests.proofs.measuring.results import broken
from tests.support.sandbox.observed import running_sandbox
from tests.support.sites.exact import write_small_site

ROOT = Path(__file__).resolve().parents[3]
RATE = 60


def main() -> int:
    """Build and use the image in a namespace of its own; return the exit code.

    The folder is removed from outside, where nothing is mounted in it.
    """
    if len(sys.argv) > 1:
        return inside(Path(sys.argv[1]))
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        sys.exit("This needs Linux and root, for mounts of its own: run it with sudo.")
    with tempfile.TemporaryDirectory(prefix="cmsmig-container-", dir="/var/tmp") as at:
        own = ["unshare", "--mount", "--propagation", "private"]
        again = [sys.executable, "-u", "-m", __spec__.name, at]
        return subprocess.run([*own, *again], check=False).returncode


def inside(work: Path) -> int:
    """Do all that needs mounts; return the exit code."""
    work.chmod(0o755)
    wrong = use(build(work), work)
    for what in wrong:
        print(f"BROKEN {what}")
    return 1 if wrong else 0


def build(work: Path) -> Image:
    """Carry out all stages; return the last one."""
    context = work / "context"
    for path in context_of(ROOT):
        (context / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, context / path)
    done: dict[str, Image] = {}
    for number, stage in enumerate(read_stages(ROOT / "Dockerfile")):
        image = Image(work / f"stage-{number}", hidden=(ROOT,))
        image.mount()
        print(f"FROM {stage.base}: this machine's system and Python")
        carry_out(stage, image, context, done)
        done[stage.name] = image
    return image


def carry_out(
    stage: Stage, image: Image, context: Path, done: dict[str, Image]
) -> None:
    """Do what each instruction of a stage says."""
    doing: dict[str, Callable[[Instruction], None]] = {
        "RUN": lambda each: run(image, each.text),
        "COPY": lambda each: copy(image, each.text, context, done),
        "ENV": lambda each: image.variables.update(each.variables),
        "USER": lambda each: setattr(image, "user", each.text),
        "WORKDIR": lambda each: enter(image, each.text),
    }
    for each in stage.instructions:
        begun = time.monotonic()
        if each.word in doing:
            doing[each.word](each)
        print(f"{each.word} {each.text} ({time.monotonic() - begun:.1f} s)")


def run(image: Image, line: str) -> None:
    """Run a line in a shell, as RUN does."""
    ended = image.start("/bin/sh", "-c", line, more=network_variables())
    if ended.returncode:
        sys.exit(f"RUN {line}: {ended.returncode}\n{ended.stdout}{ended.stderr}")


def enter(image: Image, folder: str) -> None:
    """Make a folder the current one, as WORKDIR does."""
    image.folder = folder
    Path(image.inside("")).mkdir(parents=True, exist_ok=True)


def copy(image: Image, text: str, context: Path, done: dict[str, Image]) -> None:
    """Copy from the context, or from an earlier stage."""
    words = shlex.split(text)
    source = context
    if words[0].startswith("--from="):
        source = done[words.pop(0).removeprefix("--from=")].root
    *names, target = words
    for name in names:
        image.copy(source / name.lstrip("/"), target)


def use(image: Image, work: Path) -> list[str]:
    """Migrate a site with the image; return what is wrong."""
    stage = read_stages(ROOT / "Dockerfile")[-1]
    entry = stage.last("ENTRYPOINT").listed
    for place in stage.last("VOLUME").listed:
        volume = work / "volumes" / Path(place).name
        made = Path(image.inside(place)).stat()
        volume.mkdir(parents=True)
        os.chown(volume, made.st_uid, made.st_gid)
        image.bind(volume, Path(place))
    project = work / "volumes" / "project"
    layer = listing(image.layer)
    content = work / "content"
    write_small_site(content)
    codes: dict[str, int] = {}

    def cmsmig(*arguments: str) -> str:
        ended = image.start(*entry, *arguments)
        codes[" ".join(arguments)] = ended.returncode
        last = (ended.stdout or ended.stderr).strip().rpartition("\n")[2]
        print(f"{' '.join([*entry, *arguments])}: {ended.returncode}, {last}")
        return ended.stdout

    helped = cmsmig(*stage.last("CMD").listed)
    cmsmig("init")
    options = SandboxOptions(content=content, rate=RATE, origin_rate=6000)
    with running_sandbox(options) as served:
        text = environment_file_text(dict(served.announcement), RATE)
        (project / ".env").write_text(text)
        (project / ".env").chmod(0o600)
        os.chown(project / ".env", project.stat().st_uid, project.stat().st_gid)
        cmsmig("check")
        cmsmig("pull")
        cmsmig("decide", "--accept-proposals", "--reviewer", "a person")
        cmsmig("run")
        again = cmsmig("import", "--json")
        cmsmig("verify")
    owners = {each.stat().st_uid for each in [project, *project.rglob("*")]}
    added = sorted(listing(image.layer) - layer)
    sizes = sum(
        p.stat().st_size for p in (image.layer / "opt").rglob("*") if p.is_file()
    )
    print(f"files of the project belong to user {owners}; added elsewhere: {added}")
    print(f"/opt/cmsmig: {sizes / 1e6:.0f} MB")
    tried = image.start("sh", "-c", "id -u; touch /opt/cmsmig/here /etc/here; true")
    print(f"the user: {tried.stdout.strip()}; {tried.stderr.strip()}")
    return broken(
        {
            f"every command ends with 0: {codes}": not any(codes.values()),
            "without arguments it lists its commands": "import" in helped,
            "the second import writes nothing": json.loads(again)["writes"] == 0,
            "the report is written": bool(list(project.glob("reports/*/report.html"))),
            "the project's files belong to its user": owners == {1000},
            "the user is not root and changes nothing of the image": (
                tried.stdout.strip() == "1000"
                and tried.stderr.count("Permission denied") == 2
            ),
            "the project leaves nothing in the image": not added,
        }
    )


def listing(layer: Path) -> set[str]:
    """Return the files of a layer, without user folders and temporary ones."""
    files = (str(each.relative_to(layer)) for each in layer.rglob("*"))
    return {each for each in files if not each.startswith(("tmp/", "home/"))}


if __name__ == "__main__":
    sys.exit(main())
