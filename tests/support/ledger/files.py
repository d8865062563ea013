"""A ledger's file, asked by another program, and held by another process."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from cmsmig.ledger.rows import Identity
from tests.support.timelimit import patience

OURS = Identity("site", "https://m.example/v1", "7")
_HOLDER = """
import sys
from pathlib import Path
from cmsmig.ledger.lease import lease
with lease(Path(sys.argv[1]), "cmsmig import"):
    print("held", flush=True)
    sys.stdin.read()
"""


def sql(path: Path, statement: str, *values: object) -> list[tuple]:
    """Ask the file as any other program would."""
    with closing(sqlite3.connect(path)) as db, db:
        return db.execute(statement, values).fetchall()


@contextmanager
def held(lock: Path) -> Iterator[subprocess.Popen[str]]:
    """Hold the lease in a process of its own, as an import does."""
    child = subprocess.Popen(
        [sys.executable, "-c", _HOLDER, lock],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "held\n"
        yield child
    finally:
        child.kill()
        child.communicate(timeout=patience())
