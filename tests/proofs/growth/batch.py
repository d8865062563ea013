"""How `cmsmig convert --batch` grows with the rich text: 100 MB, then 1 GB.

usage: batch.py [--megabytes N ...] [--folder DIR]

Bodies of 1 to 100 KB are written once for each amount; then the command converts the
folder. Tells time, processor time and peak memory of the largest process and of all.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from functools import lru_cache
from itertools import count, cycle
from pathlib import Path

from tests.proofs.converter.webflow_bodies import webflow_body
from tests.proofs.measuring.processes import COMMAND, MEGABYTE, measured
from tests.proofs.measuring.results import print_table, tell

SIZES = (1_000, 3_000, 8_000, 30_000, 100_000)
"""Bytes of the bodies, in turn."""
_TEXTS = 40
"""Different texts of each size; a number makes each body another one."""


def main() -> int:
    """Measure each amount and print the table."""
    asked = _arguments()
    with tempfile.TemporaryDirectory(dir=asked.folder) as work:
        print_table(_row(Path(work), megabytes) for megabytes in asked.megabytes)
    return 0


def _row(work: Path, megabytes: int) -> dict[str, object]:
    source, target = work / "bodies", work / "made"
    bodies = write_bodies(source, megabytes * MEGABYTE)
    tell(f"{megabytes} MB in {bodies} bodies")
    took = measured([*COMMAND, "convert", "--batch", str(source), str(target)])
    made = sum(1 for each in target.iterdir() if ".losses" not in each.name)
    if made != bodies:
        sys.exit(f"{made} of {bodies} were made: {took.said}")
    shutil.rmtree(source)
    shutil.rmtree(target)
    return {
        "MB": f"{megabytes:,}",
        "bodies": f"{bodies:,}",
        "s": f"{took.seconds:.1f}",
        "CPU s": f"{took.cpu:.1f}",
        "MB a s": f"{megabytes / took.seconds:.1f}",
        "peak MB": f"{took.peak / MEGABYTE:.0f}",
        "all processes MB": f"{took.together / MEGABYTE:.0f}",
    }


def write_bodies(folder: Path, most: int) -> int:
    """Write bodies until they have so many bytes; return how many they are."""
    folder.mkdir()
    written = 0
    for number, size in zip(count(), cycle(SIZES), strict=False):
        if written >= most:
            return number
        body = f"<p>Body {number}.</p>{_text(size, number % _TEXTS)}"
        written += (folder / f"body-{number:07d}.html").write_bytes(body.encode())
    raise AssertionError


@lru_cache(maxsize=len(SIZES) * _TEXTS)
def _text(size: int, index: int) -> str:
    return webflow_body(size, index)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--megabytes", nargs="+", type=int, default=(100, 1_000), metavar="N"
    )
    parser.add_argument("--folder", type=Path, help="made and emptied here")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
