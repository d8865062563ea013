"""Write constraints.txt: a version and its hashes for everything the project needs.

One file serves Python 3.11 and later on Linux and macOS: where they need different
versions, a marker tells them apart. Versions that are in the file and still fit stay
as they are; `--upgrade` takes the newest ones. Nothing names a package index.
"""

import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

CONSTRAINTS = Path(".ci/constraints.txt")
OLDEST_PYTHON = "3.11"
PARTS = {
    "needed to work": ["build"],
    "for tests and checks alone": ["build", "test", "check"],
    "for make constraints alone": ["build", "test", "check", "pin"],
}
"""The parts of the file, each with the extras that it completes."""
BOUNDS = "jsonschema<4.25\n"
"""Later ones compile a grammar in each process that imports them, papermill's and
nbclient's among them: one to three seconds each time. (Its extra `format-nongpl`
brings `rfc3987-syntax` since then; nothing here checks IRIs.)"""
HOST = re.compile(r"https?://|--index-url|--extra-index-url|--find-links")


def resolved(output: Path, extras: Sequence[str], *more: str) -> list[str]:
    """Return the pins of the project with these extras, each with its hashes.

    `output` is written; versions that stand in it before are kept if they fit.
    """
    named = [part for extra in extras for part in ("--extra", extra)]
    command = [
        *(sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--universal"),
        *("--python-version", OLDEST_PYTHON, "--generate-hashes"),
        *("--no-header", "--no-annotate", "--no-emit-index-url"),
        *("--output-file", str(output), *named, *more, "pyproject.toml"),
    ]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return re.findall(r"^\S[^\n]*(?:\n[ \t][^\n]*)*", output.read_text("utf-8"), re.M)


def name_of(pin: str) -> str:
    """Return the name that a pin is for."""
    return pin.partition("==")[0]


def main() -> int:
    """Resolve everything at once, then see what each part of it needs."""
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "whole.txt"
        whole.write_bytes(CONSTRAINTS.read_bytes())
        bounds = Path(folder) / "bounds.txt"
        bounds.write_text(BOUNDS, "utf-8")
        every = resolved(
            whole,
            PARTS["for make constraints alone"],
            *("-c", str(bounds)),
            *sys.argv[1:],
        )
        text, done = "", set[str]()
        for number, (title, extras) in enumerate(PARTS.items()):
            part = Path(folder) / f"{number}.txt"
            names = {name_of(pin) for pin in resolved(part, extras, "-c", str(whole))}
            pins = [pin for pin in every if name_of(pin) in names - done]
            text += "\n".join([f"# {title}", *pins, ""])
            done |= names
    if HOST.search(text) or done != {name_of(pin) for pin in every}:
        print("A host is named, or the parts are not the whole.", file=sys.stderr)
        return 1
    CONSTRAINTS.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
