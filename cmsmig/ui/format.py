"""Lengths of time, moments and sizes as people read them; counts are in `counting`."""

from __future__ import annotations

from datetime import UTC, datetime


def duration(seconds: float) -> str:
    """Return a length of time: `under 1 s`, `12 s`, `3 min 5 s`, `2 h 10 min`."""
    if 0 < seconds < 1:
        return "under 1 s"
    minutes, rest = divmod(max(0, round(seconds)), 60)
    hours, left = divmod(minutes, 60)
    parts = ((hours, "h"), (left, "min"), (rest if not hours else 0, "s"))
    return " ".join(f"{count} {unit}" for count, unit in parts if count) or "0 s"


def about(seconds: float) -> str:
    """Return a length of time to the minute: `about 2 h 10 min`."""
    if seconds < 60:
        return "less than a minute"
    return f"about {duration(60 * round(seconds / 60))}"


def moment(at: str) -> str:
    """Return a moment as `3 May 2026, 14:05 UTC`, a day as `3 May 2026`; what is none
    as it is written."""
    try:
        found = datetime.fromisoformat(at)
    except ValueError:
        return at
    if len(at) == len("2026-05-03"):
        return f"{found.day} {found:%B %Y}"
    if found.tzinfo is not None:
        found = found.astimezone(UTC)
    return f"{found.day} {found:%B %Y, %H:%M} UTC"


def megabytes(size: int) -> float:
    """Return a number of bytes in megabytes; 0 only for no byte."""
    found = size / 1_000_000
    if found >= 1:
        return round(found, 1)
    return max(0.01, round(found, 2)) if size else 0
