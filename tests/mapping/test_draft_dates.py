"""Date-only values keep the day that an editor picked, wherever the site is."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from cmsmig.mapping.dates import calendar_day, parse_moment

ZONES = (
    "UTC",
    "America/Los_Angeles",
    "America/Sao_Paulo",
    "America/St_Johns",
    "Europe/London",
    "Asia/Kolkata",
    "Asia/Beirut",
    "Pacific/Auckland",
    "Pacific/Apia",
    "Pacific/Kiritimati",
    "Etc/GMT+8",
    "Etc/GMT-13",
)


@given(
    st.dates(date(1995, 1, 2), date(2035, 12, 31)),
    st.sampled_from(ZONES),
    st.booleans(),
)
def test_the_day_is_kept(day: date, zone: str, in_utc: bool) -> None:
    """Midnight in UTC and midnight at the site are both that day."""
    midnight = datetime.combine(day, time(), UTC if in_utc else ZoneInfo(zone))
    stored = midnight.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    real = datetime.fromisoformat(stored).astimezone(midnight.tzinfo).date() == day
    found = parse_moment(stored)
    assert found is not None
    # Samoa skipped a day: there was no such midnight to be stored.
    assert calendar_day(found, zone) == day.isoformat() or not real
