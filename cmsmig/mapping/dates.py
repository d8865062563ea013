"""Points in time and calendar days, as the destination stores them."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

_MIDNIGHT = (0, 0, 0)


def parse_moment(value: object) -> datetime | None:
    """Return an ISO 8601 text as a moment in UTC; without a zone it is UTC.

    None for everything else, and for moments outside the years 1 to 9999.
    """
    if not isinstance(value, str) or len(value) > 64:
        return None
    try:
        found = datetime.fromisoformat(value.strip())
        return found.replace(tzinfo=found.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def datetime_text(moment: datetime) -> str:
    """Return `YYYY-MM-DD HH:mm` in UTC. Source: destination, datetime fields."""
    utc = moment.astimezone(UTC)
    return f"{_day(utc)} {utc.hour:02}:{utc.minute:02}"


def calendar_day(moment: datetime, time_zone: str) -> str:
    """Return the day that an editor of the site picked, `YYYY-MM-DD`.

    A date-only value is stored as midnight, in UTC or in the site's zone
    (an IANA name). A moment that is neither is read in the site's zone, which
    also covers days whose midnight a clock change skips.
    """
    utc = moment.astimezone(UTC)
    if (utc.hour, utc.minute, utc.second) == _MIDNIGHT:
        return _day(utc)
    try:
        return _day(utc.astimezone(zone_of(time_zone)))
    except OverflowError:
        return _day(utc)


def is_midnight(moment: datetime, zone: tzinfo) -> bool:
    """Return whether a moment is a midnight, in UTC or in the site's zone."""
    try:
        local = moment.astimezone(zone)
    except OverflowError:
        local = moment
    utc = moment.astimezone(UTC)
    return any((e.hour, e.minute, e.second) == _MIDNIGHT for e in (utc, local))


def iso_text(moment: datetime) -> str:
    """Return `YYYY-MM-DDTHH:mm:ss.mmmZ`, the form of the service's envelopes."""
    utc = moment.astimezone(UTC)
    return (
        f"{_day(utc)}T{utc.hour:02}:{utc.minute:02}:{utc.second:02}"
        f".{utc.microsecond // 1000:03}Z"
    )


def utc_day(moment: datetime) -> str:
    """Return the day in UTC, `YYYY-MM-DD`."""
    return _day(moment.astimezone(UTC))


def _day(moment: datetime) -> str:
    # strftime does not pad years below 1000 on every platform.
    return f"{moment.year:04}-{moment.month:02}-{moment.day:02}"


def zone_of(name: str) -> tzinfo:
    """Return the time zone of that name; UTC when there is none."""
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError):
        # ZoneInfoNotFoundError is a KeyError; a folder's name is an OSError.
        return UTC
