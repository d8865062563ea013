"""Date-only values keep the day that an editor picked, wherever the site is."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmsmig.mapping.dates import calendar_day, parse_moment
from cmsmig.mapping.decisions.design import Encoding
from tests.support.mapping.drafting import (
    content_type,
    context,
    draft_story,
    drafted,
    field,
    item,
)

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


@pytest.mark.parametrize(
    ("stored", "zone", "day"),
    [
        ("2024-01-05T00:00:00.000Z", "America/Los_Angeles", "2024-01-05"),
        ("2024-01-05T08:00:00.000Z", "America/Los_Angeles", "2024-01-05"),
        ("2024-01-04T11:00:00.000Z", "Pacific/Auckland", "2024-01-05"),
        ("2024-01-05T00:00:00.000Z", "Pacific/Auckland", "2024-01-05"),
        ("2024-07-04T23:00:00.000Z", "Europe/London", "2024-07-05"),
        ("2024-01-05T00:00:00.000Z", "No/Such_Zone", "2024-01-05"),
    ],
)
def test_a_date_is_stored_as_midnight_of_its_day(
    stored: str, zone: str, day: str
) -> None:
    """Eight hours behind and thirteen ahead, in summer and in winter."""
    draft = drafted(stored, Encoding.DATE, "DateTime", time_zone=zone)
    assert draft.content["f"] == f"{day} 00:00"


def test_the_envelope_takes_the_chosen_date_or_the_creation() -> None:
    """`first_published_at` and `sort_by_date` follow the design's date field."""
    design = content_type(
        field("published-on", Encoding.DATE, "DateTime"), date_field="published-on"
    )
    around = context(design, time_zone="Pacific/Auckland")
    dated = draft_story(
        item({"published-on": "2024-01-04T11:00:00.000Z"}), design, around
    )
    undated = draft_story(item({}), design, around)
    assert (dated.draft.first_published_at, dated.draft.sort_by_date) == (
        "2024-01-05T00:00:00.000Z",
        "2024-01-05",
    )
    assert (undated.draft.first_published_at, undated.draft.sort_by_date) == (
        "2023-04-05T06:07:08.090Z",
        "2023-04-05",
    )
