"""What the rows of the bench table are made of."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields

from tests.proofs.growth.measured import Measured

MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Taken:
    """One thing that was measured, and what it was measured beside."""

    seconds: float
    cpu: float
    """Seconds."""
    peak: int
    """Bytes, of its largest process."""
    beside: float
    """Seconds that the rival or the floor took in the same round."""
    calls: int = 0
    """To the destination."""
    sandbox: float = 0.0
    """Seconds of the sandbox's processor meanwhile."""

    @classmethod
    def of(cls, took: Measured, beside: float) -> Taken:
        """Return the figures of a process."""
        return cls(took.seconds, took.cpu, took.peak, beside)


@dataclass(frozen=True)
class Row:
    """One line of the table: its rounds, and what stood beside it."""

    name: str
    beside: str
    rounds: list[Taken]

    def median(self) -> Taken:
        """Return the median of each figure."""
        names = [field.name for field in fields(Taken)]
        middle = {
            name: statistics.median(getattr(each, name) for each in self.rounds)
            for name in names
        }
        return Taken(**middle)

    def ratio(self) -> float:
        """Return how many times as fast as the other it is, by medians."""
        middle = self.median()
        return middle.beside / middle.seconds if middle.seconds else 0.0

    def document(self) -> dict[str, object]:
        """Return the row as JSON."""
        return {
            "name": self.name,
            "beside": self.beside,
            "ratio": self.ratio(),
            "median": asdict(self.median()),
            "rounds": [asdict(each) for each in self.rounds],
        }


COLUMNS = (
    "", "s", "CPU s", "peak MB", "calls", "CPU ms a call", "sandbox could, calls/s",
    "beside it", "its s", "x its speed",
)  # fmt: skip


def table(rows: Iterable[Row]) -> str:
    """Return the rows as a table of medians."""
    lines = ["| " + " | ".join(COLUMNS) + " |", "|---" * len(COLUMNS) + "|"]
    for row in rows:
        middle = row.median()
        calls = round(middle.calls)
        each = f"{1000 * middle.cpu / calls:.2f}" if calls else "-"
        could = f"{calls / middle.sandbox:,.0f}" if calls and middle.sandbox else "-"
        cells = (
            row.name, _seconds(middle.seconds), _seconds(middle.cpu),
            f"{middle.peak / MEGABYTE:.0f}", str(calls or "-"), each, could,
            row.beside, _seconds(middle.beside), f"{row.ratio():.2f}",
        )  # fmt: skip
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f}" if seconds >= 10 else f"{seconds:.4f}"
